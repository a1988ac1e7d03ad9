"""The command that asks whether structure makes a model reason worse runs, continues, and counts complete rounds."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("statsmodels", reason="statistics of an evaluation: formwright[evaluate]")

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture
def structure(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCH))
    return importlib.import_module("structure")


def run(structure: Any, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["structure.py", *arguments])
    structure.main()


def test_it_runs_and_continues(
    structure: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(structure, monkeypatch, "--dry", "--out", str(tmp_path))
    report = capsys.readouterr().out
    assert report.startswith("1 rounds, 30 answers.")
    assert report == (tmp_path / "report.md").read_text()
    for arm, other in structure.PAIRS:
        assert f" {arm} and {other} was seen" in report or f"{arm} is " in report
    assert "\n| canonical, against schema |" in report

    store = tmp_path / "answers.jsonl"
    lines = store.read_text().splitlines(keepends=True)
    store.write_text("".join(lines[:11]) + lines[11][:40])  # it was killed
    run(structure, monkeypatch, "--dry", "--out", str(tmp_path))
    again = [json.loads(line) for line in store.read_text().splitlines()]
    assert {row["id"] for row in again} == {json.loads(line)["id"] for line in lines}
    assert len(again) == 30
    assert [json.dumps(row) for row in again[:11]] == [json.dumps(json.loads(line)) for line in lines[:11]]


def test_without_time_it_asks_nothing_and_incomplete_rounds_do_not_count(
    structure: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(structure, monkeypatch, "--dry", "--out", str(tmp_path))
    store = tmp_path / "answers.jsonl"
    lines = store.read_text().splitlines(keepends=True)
    store.write_text("".join(lines[:-1]))
    capsys.readouterr()
    run(structure, monkeypatch, "--dry", "--minutes", "0", "--out", str(tmp_path))
    assert capsys.readouterr().out.startswith("No round of formwright-tiny is complete")
    assert len(store.read_text().splitlines()) == 29


def test_a_round_is_a_block_of_questions_in_one_wording(structure: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["structure.py", "some", "--out", "some", "--questions", "5", "--block", "2"])
    options = structure.read_options()
    tasks = structure.make_tasks(None, options.questions)
    arms = structure.choose_arms(structure.ARMS)
    rounds = list(structure.list_rounds(tasks, arms, options, options.block))
    assert [len(each.ids) for each in rounds] == [2 * 3 * 5] * 6 + [1 * 3 * 5] * 3
    ids = [row for each in rounds for row in each.ids]
    assert len(ids) == len(set(ids))
    for number, each in enumerate(rounds):
        assert {row.split("/")[3] for row in each.ids} == {str(number % 3)}


def test_tasks_of_ones_own_replace_those_that_are_built_in(structure: Any, tmp_path: Path) -> None:
    lines = [json.dumps({"question": f"What is {n} + 1?", "answer": f"#### {n + 1}"}) for n in range(3)]
    (tmp_path / "gsm8k.jsonl").write_text("\n".join(lines))
    tasks = structure.make_tasks(tmp_path, 2)
    assert [task.name for task in tasks] == ["gsm8k", "last_letters", "shuffled_objects"]
    assert [item.answer for item in tasks[0].items] == [1, 2]
