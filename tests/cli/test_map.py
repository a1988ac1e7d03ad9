"""``formwright map``: a run that is killed goes on where it was, and every row is there once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import formwright as fw
from formwright.cli.app import app
from formwright.cli.map import map_
from formwright.jobs.finished import FinishedRows
from formwright.jobs.mapping import Mapper

FORM = "[0-9]{1,3}"


def rows_of(count: int) -> list[dict[str, Any]]:
    return [{"id": number, "prompt": f"Ada {number} is {number % 90} years old."} for number in range(count)]


def written(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    give(rows_of(10))
    return tmp_path


def give(rows: list[Any]) -> None:
    Path("in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def command(*more: str) -> list[str]:
    return ["map", "--input", "in.jsonl", "--output", "out.jsonl", "--temperature", "0", *more]


def run(*more: str) -> Result:
    return CliRunner().invoke(app, command(*more), catch_exceptions=False)


def expected(count: int) -> list[dict[str, Any]]:
    return Mapper(fw.load("formwright-tiny"), fw.regex(FORM), temperature=0)(rows_of(count))


def test_every_row_once(folder: Path) -> None:
    ran = run("--regex", FORM, "--batch-size", "3")
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert written(folder / "out.jsonl") == expected(10)
    before = (folder / "out.jsonl").read_bytes()
    assert run("--regex", FORM).exit_code == 0
    assert (folder / "out.jsonl").read_bytes() == before


def test_only_missing_rows_are_written(folder: Path) -> None:
    with FinishedRows(folder / "out.jsonl") as finished:
        finished.add({"id": 4, "status": "complete", "text": "by hand"})
    assert run("--regex", FORM).exit_code == 0
    found = written(folder / "out.jsonl")
    assert found[0]["text"] == "by hand"
    assert found[1:] == [row for row in expected(10) if row["id"] != 4]
    give([*rows_of(10), {"id": "new", "prompt": "Bo is 7."}])
    assert run("--regex", FORM).exit_code == 0
    assert [row["id"] for row in written(folder / "out.jsonl")] == [4, 0, 1, 2, 3, 5, 6, 7, 8, 9, "new"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill so")
@pytest.mark.slow
def test_killed_in_the_middle_of_a_run(folder: Path) -> None:
    count = 400
    give(rows_of(count))
    output = folder / "out.jsonl"
    arguments = [sys.executable, "-m", "formwright", *command("--regex", FORM, "--batch-size", "2")]
    seen = 0
    for enough in (10, 60):
        process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
        while not output.exists() or output.read_bytes().count(b"\n") < enough:
            assert process.poll() is None, "it ended by itself"
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        there = output.read_bytes().count(b"\n")
        assert seen < there < count
        seen = there
    with output.open("ab") as half:
        half.write(b'{"id": 399, "status": "comp')  # what a kill in the middle of a line leaves
    assert run("--regex", FORM).exit_code == 0
    found = written(output)
    assert [row["id"] for row in found] == list(range(count))
    assert found == expected(count)


def test_failed_rows_are_told_and_not_asked_again(folder: Path) -> None:
    give([*rows_of(2), {"id": "bad", "prompt": "x", "schema": {"type": "nonsense"}}, {"id": "none"}])
    ran = run("--regex", FORM)
    assert ran.exit_code == 1
    assert "rows that failed: 2; each row says why" in ran.stderr
    found = {row["id"]: row for row in written(folder / "out.jsonl")}
    assert found["bad"]["error"]["kind"] == "SchemaError"
    assert found["none"]["error"]["kind"] == "ArgumentError"
    assert found[0]["status"] == "complete"
    again = run("--regex", FORM)
    assert again.exit_code == 1
    assert "4 of 4 rows are written already and stay as they are" in again.stderr
    assert "rows that failed in an earlier run: " in again.stderr


def test_failed_rows_are_written_again_if_asked_for(folder: Path) -> None:
    give([*rows_of(2), {"id": "none"}])
    assert run("--regex", FORM).exit_code == 1
    kept = (folder / "out.jsonl").read_bytes().splitlines()
    give([*rows_of(2), {"id": "none", "prompt": "x"}])
    again = run("--regex", FORM, "--retry-failed")
    assert again.exit_code == 0
    lines = (folder / "out.jsonl").read_bytes().splitlines()
    assert [line for line in kept if b"complete" in line] == lines[:2]
    assert {row["id"]: row["status"] for row in map(json.loads, lines)} == {
        0: "complete",
        1: "complete",
        "none": "complete",
    }
    assert not [*folder.glob("*.rest")]


def test_halves_of_surrogate_pairs_in_a_row_are_kept(folder: Path) -> None:
    (folder / "in.jsonl").write_text(r'{"id": "\ud83d", "prompt": "x", "note": "\udc00"}' + "\n", encoding="utf-8")
    for _ in range(2):
        assert run("--regex", FORM).exit_code == 0
    (row,) = written(folder / "out.jsonl")
    assert (row["id"], row["note"], row["status"]) == ("\ud83d", "\udc00", "complete")


def test_rows_with_schemas_need_no_form(folder: Path) -> None:
    give([{"id": 1, "prompt": "Ada is 36 years old. How old is Ada?", "schema": {"type": "integer", "maximum": 99}}])
    assert run().exit_code == 0
    assert written(folder / "out.jsonl") == [{"id": 1, "status": "complete", "text": "36", "value": 36}]


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (
            ['{"id": 1, "prompt": "x"}', '{"id": 2, "prompt": "x"}', '{"id": 1, "prompt": "y"}'],
            "1 twice, again in row 3",
        ),
        (['{"id": 1, "prompt": "x"}', '{"id": 2, "promp'], "line 2 of in.jsonl is not JSON"),
        (['{"id": 1, "prompt": "x"}', "", "5"], "line 3 of in.jsonl is not an object"),
        (['{"id": 1, "prompt": ' + "[" * 100_000 + "]" * 100_000 + "}"], "line 1 of in.jsonl is not JSON"),
        (['{"prompt": "x"}'], "row 1 of in.jsonl has no id"),
        (['{"id": true, "prompt": "x"}'], "row 1 of in.jsonl has no id"),
    ],
)
def test_an_input_that_cannot_be_read_is_2_before_anything_is_written(
    folder: Path, lines: list[str], says: str
) -> None:
    (folder / "in.jsonl").write_text("\n".join(lines), encoding="utf-8")
    ran = run("--regex", FORM)
    assert ran.exit_code == 2
    assert says in ran.stderr
    assert written(folder / "out.jsonl") == []


def test_wrong_command_lines(folder: Path) -> None:
    for more, code, says in (
        (["--regex", FORM, "--choice", "a"], 2, "exactly one form"),
        (["--batch-size", "0"], 2, "batch-size"),
        (["--regex", "("], 3, "unclosed group"),
        (["--regex", FORM, "--model", "nobody"], 3, "nobody"),
        (["--regex", FORM, "--output", "in.jsonl"], 2, "the output is the input"),
        (["--regex", FORM, "--output", "nowhere/out.jsonl"], 2, "nowhere/out.jsonl cannot be written"),
        (["--regex", FORM, "--workers", "2"], 2, "--workers is for --ray"),
        ([], 2, "row 1 of in.jsonl has no schema, and there is no form for all rows"),
    ):
        ran = run(*more)
        assert (ran.exit_code, says in ran.stderr) == (code, True), (more, ran.stderr)
    assert written(folder / "in.jsonl") == rows_of(10)
    assert not any(parameter.name == "finish" for parameter in map_.params)


def test_a_foreign_output_is_left_alone(folder: Path) -> None:
    (folder / "out.jsonl").write_text("notes", encoding="utf-8")
    ran = run("--regex", FORM)
    assert ran.exit_code == 2
    assert "finished rows are appended" in ran.stderr
    assert (folder / "out.jsonl").read_text(encoding="utf-8") == "notes"


def test_a_second_run_beside_the_first_is_refused(folder: Path) -> None:
    pytest.importorskip("fcntl", reason="this system cannot lock files so")
    with FinishedRows(folder / "out.jsonl"):
        ran = run("--regex", FORM)
    assert ran.exit_code == 2
    assert "being written by another process" in ran.stderr


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    pytest.importorskip("starlette", reason="formwright[server] is not installed")
    from formwright.server import running

    with running(fw.load("formwright-tiny")) as server:
        yield server.base_url


def test_a_model_behind_an_api(folder: Path, url: str) -> None:
    ran = run("--regex", FORM, "--model", f"{url}#formwright-tiny", "--batch-size", "4")
    assert (ran.exit_code, ran.stderr) == (0, "")
    mapper = Mapper(fw.connect(url, "formwright-tiny"), fw.regex(FORM), temperature=0)
    assert written(folder / "out.jsonl") == [mapper([row])[0] for row in rows_of(10)]


def test_rows_that_a_service_did_not_answer_are_asked_for_again(folder: Path) -> None:
    give(rows_of(2))
    ran = run("--regex", FORM, "--model", "http://127.0.0.1:9/v1#nobody", "--max-tokens", "4")
    assert ran.exit_code == 1
    assert "2 rows were not answered" in ran.stderr
    assert written(Path("out.jsonl")) == []
    assert run("--regex", FORM).exit_code == 0
    assert written(Path("out.jsonl")) == expected(2)


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def test_a_row_that_cannot_be_used_fails_alone(folder: Path) -> None:
    lone = "\ud800"
    give(
        [
            {"id": 0, "prompt": f"lone {lone}"},
            {"id": 1, "prompt": "x", "schema": {"enum": [lone]}},
            {"id": 2, "prompt": "x", "schema": {"not": nested(300)}},
            {"id": lone, "prompt": "Bo is 7."},
        ]
    )
    ran = run("--regex", FORM)
    assert ran.exit_code == 1
    found = written(folder / "out.jsonl")
    assert [row["status"] for row in found] == ["failed"] * 3 + ["complete"]
    assert found[3]["id"] == lone
    assert ran.stderr.splitlines() == ["rows that failed: 3; each row says why"]


@pytest.mark.parametrize("depth", [*range(900, 1000, 7), 5000, 100_000])
def test_a_line_of_any_depth_is_written_or_refused(folder: Path, depth: int) -> None:
    deep = "[" * depth + "]" * depth
    rows = f'{{"id": 0, "prompt": "Bo is 7.", "more": {deep}}}\n{{"id": 1, "prompt": "Bo is 7."}}\n'
    Path("in.jsonl").write_text(rows, encoding="utf-8")
    ran = run("--regex", FORM)
    if ran.exit_code == 2:
        assert "line 1" in ran.stderr
        return
    assert [row["id"] for row in written(folder / "out.jsonl")] == [0, 1]
    assert run("--regex", FORM).stderr.startswith("2 of 2 rows")


def test_a_row_that_cannot_be_written_fails_and_the_others_go_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give([{"id": 0, "prompt": "Bo is 7.", "more": "deep"}, {"id": 1, "prompt": "Bo is 7."}])

    def rows(source: Path) -> Iterator[Any]:
        for line in source.read_bytes().splitlines():
            row = json.loads(line)
            yield row | ({"more": nested(5000)} if "more" in row else {})

    monkeypatch.setattr("formwright.cli.map._read_rows", rows)
    ran = run("--regex", FORM)
    assert (ran.exit_code, ran.stderr) == (1, "rows that failed: 1; each row says why\n")
    found = written(folder / "out.jsonl")
    assert [(row["id"], row["status"]) for row in found] == [(0, "failed"), (1, "complete")]
    assert found[0]["error"]["kind"] == "LimitExceeded"


def test_finished_rows_that_are_nested_too_deeply(folder: Path) -> None:
    for start, end in (("[", "\n"), ('{"a": [', "\n"), ('{"a": [', "")):
        Path("out.jsonl").write_text(start + "[" * 100_000 + end, encoding="utf-8")
        ran = run("--regex", FORM)
        assert ran.exit_code == 2
        assert "line 1" in ran.stderr


def test_a_disk_that_is_full(folder: Path) -> None:
    """A limit on the size of files stands for it."""
    resource = pytest.importorskip("resource", reason="this system limits no files")
    code = "from formwright.cli.main import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", code, *command("--regex", FORM)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300)),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 2
    assert "out.jsonl cannot be written" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert run("--regex", FORM).exit_code == 0  # with room, it goes on
    assert sorted(row["id"] for row in written(folder / "out.jsonl")) == list(range(10))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no such device")
@pytest.mark.parametrize("device", ["/dev/full", "/dev/null", "/dev/zero"])
def test_an_output_that_is_no_file(folder: Path, device: str) -> None:
    ran = CliRunner().invoke(app, ["map", "--input", "in.jsonl", "--output", device, "--regex", FORM])
    assert ran.exit_code == 2
    assert "is not a regular file" in ran.stderr


def test_ctrl_c_while_the_command_is_loaded(folder: Path) -> None:
    """The module of a command stands for every import that Ctrl-C may end."""
    code = (
        "import sys; from formwright.cli.main import main\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'formwright.cli.app': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        "main()"
    )
    ran = subprocess.run([sys.executable, "-c", code, "map"], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (130, "error: interrupted\n")
