"""Files of finished rows: whatever kills a writer, no row is lost but the half one, and none is there twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from formwright.errors import ArgumentError
from formwright.jobs.finished import FinishedRows

ids = st.one_of(st.integers(), st.text(max_size=5))
lists_of_ids = st.lists(ids, min_size=1, max_size=6, unique_by=lambda each: (type(each), each))


def read(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@given(lists_of_ids, st.text(max_size=8), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_killed_at_any_byte(tmp_path: Path, row_ids: list[int | str], text: str, data: st.DataObject) -> None:
    path = tmp_path / "out.jsonl"
    path.unlink(missing_ok=True)
    rows = [{"id": row_id, "text": text} for row_id in row_ids]
    with FinishedRows(path) as finished:
        for row in rows:
            finished.add(row)
    whole = path.read_bytes()
    assert read(path) == rows
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    there = path.read_bytes().count(b"\n")
    with FinishedRows(path) as finished:
        assert there <= len(finished) <= there + 1  # one more where only its line break was missing
        assert [row["id"] for row in rows if row["id"] in finished] == row_ids[: len(finished)]
        for row in rows:
            if row["id"] not in finished:
                finished.add(row)
    assert path.read_bytes() == whole


def test_killed_twice(tmp_path: Path) -> None:
    """Each offset, and each offset of what is written after it."""
    path, rows = tmp_path / "out.jsonl", [{"id": number, "text": 'a "b"\n'} for number in range(3)]
    lines = [json.dumps(row).encode() + b"\n" for row in rows]
    whole = b"".join(lines)
    for first in range(len(whole) + 1):
        path.write_bytes(whole[:first])
        with FinishedRows(path) as finished:
            left = [line for row, line in zip(rows, lines, strict=True) if row["id"] not in finished]
        kept = path.read_bytes()
        assert kept + b"".join(left) == whole


def test_an_id_is_there_once(tmp_path: Path) -> None:
    with FinishedRows(tmp_path / "out.jsonl") as finished:
        finished.add({"id": 1})
        finished.add({"id": "1"})  # another one
        with pytest.raises(ArgumentError, match="1 is finished already"):
            finished.add({"id": 1, "text": "again"})
        for wrong in (None, True, 1.0, ["a"]):
            with pytest.raises(ArgumentError, match="no id"):
                finished.add({"id": wrong})
        assert len(finished) == 2
    assert read(tmp_path / "out.jsonl") == [{"id": 1}, {"id": "1"}]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("just some notes\n", "line 1 of .* is not JSON"),
        ("just some notes", "line 1 of .* is not JSON"),
        ('{"id": 1}\njust some notes', "line 2 of .* is not JSON"),
        ('{"id": 1}\n\n', "line 2 of .* is not JSON"),
        ("5\n", "has no id"),
        ("5", "has no id"),
        ('["id"]', "has no id"),
        ('{"name": "a document of one line"}', "has no id"),
        ('{"name": "a"}\n', "has no id"),
        ('{\n  "id": 1\n}\n', "line 1 of .* is not JSON"),
        ('{"id": 1}\n{"id": 1}\n', "holds the row 1 twice, again in line 2"),
        ('{"id": 1}\n{"id": 1}', "holds the row 1 twice, again in line 2"),
        ("\x00\xff binary", "line 1 of .* is not JSON"),
    ],
)
def test_files_of_others_are_refused_and_left_alone(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(ArgumentError, match=says):
        FinishedRows(path)
    assert path.read_bytes() == content.encode("latin-1")


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="this system cannot lock files so")
    path = tmp_path / "out.jsonl"
    program = f"from formwright.jobs.finished import FinishedRows; FinishedRows({str(path)!r}).add({{'id': 2}})"
    with FinishedRows(path) as finished:
        finished.add({"id": 1})
        with pytest.raises(ArgumentError, match="being written by another process"):
            FinishedRows(path)
        other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert "being written by another process" in other.stderr
        finished.add({"id": 3})
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
    assert [row["id"] for row in read(path)] == [1, 3, 2]


def test_a_refused_file_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("notes\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(ArgumentError, match="is not JSON"):
            FinishedRows(path)
