"""``formwright evaluate`` as a user types it, with the embedded model."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from parameters import slow_except

from formwright.cli.app import app
from formwright.evaluation import read_rows
from formwright.evaluation.arms import ARMS, choose_arms
from formwright.evaluation.built_in import LANGUAGES, TASKS, make_built_in_task
from formwright.evaluation.runs import Grid, fill_store
from formwright.jobs.finished import FinishedRows
from formwright.models import LocalModel


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["evaluate", *arguments], catch_exceptions=False)


@pytest.mark.parametrize("language", slow_except(["zh"], LANGUAGES))
@pytest.mark.parametrize("task", slow_except(["extraction"], TASKS))
def test_every_task_in_every_arm(task: str, language: str, tmp_path: Path, tiny: LocalModel) -> None:
    greedy = [arm for arm in ARMS.values() if arm.fidelity == "mask"]
    arms = greedy if language == "en" else choose_arms("free,instructions,schema,thinking")
    grid = Grid(task=make_built_in_task(task, language, 2), arms=arms, max_tokens=64)
    with FinishedRows(tmp_path / "answers.jsonl") as finished:
        assert fill_store(finished, grid, {"tiny": tiny}) == {}
    rows = read_rows(tmp_path / "answers.jsonl")
    assert len(rows) == 2 * len(arms)
    for row in rows:
        assert row["error"] is None
        if ARMS[row["arm"]].reads == "whole":
            assert row["is_readable"]


def test_the_command_asks_and_reports(tmp_path: Path) -> None:
    settings = ["--n", "3", "--wordings", "1", "--max-tokens", "48", "--language", "zh", "--temperature", "1"]
    ran = run("classification", "--arms", ",".join(ARMS), *settings, "--out", str(tmp_path / "out"))
    assert (ran.exit_code, ran.stderr) == (0, "")
    store = (tmp_path / "out" / "answers.jsonl").read_bytes()
    assert len(store.splitlines()) == 3 * len(ARMS)
    assert ran.stdout == (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert all(f"| {arm} |" in ran.stdout for arm in ARMS)
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    again = run("classification", "--arms", "schema,free", *settings, "--out", str(tmp_path / "out"))
    assert "| json |" not in again.stdout
    assert (tmp_path / "out" / "answers.jsonl").read_bytes() == store


def test_a_task_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own_answers.py").write_text("from typing import Literal\nFeeling = Literal['good', 'bad']\n")
    lines = [{"question": f"I love number {n}.", "answer": "good"} for n in range(6)]
    Path("mine.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    Path("prompts.toml").write_text('about = ["How does the writer feel?"]\n')
    own = ["mine.jsonl", "--type", "own_answers:Feeling", "--wordings", "1", "--prompts", "prompts.toml"]
    shown = run(*own, "--shots", "2", "--show-prompts")
    assert shown.stdout.count("How does the writer feel?") == 2
    assert shown.stdout.count("I love number 0.") == shown.stdout.count("I love number 2.") == 2
    ran = run(*own, "--arms", "answer_only", "--shots", "2", "--trace", "--out", "out", "--max-tokens", "20")
    assert ran.exit_code == 0
    assert "allowed mass" in ran.stdout
    assert 'class="fw-trace"' in Path("out/report.html").read_text()
    rows = [json.loads(line) for line in Path("out/answers.jsonl").read_text().splitlines()]
    assert [row["question"] for row in rows] == ["3", "4", "5", "6"]
    assert {row["answer"] for row in rows} <= {"good", "bad"}
    sys.modules.pop("own_answers")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["poetry", "--out", "out"], "no task 'poetry'"),
        (["arithmetic"], "--out"),
        (["arithmetic", "--arms", "free,poem", "--out", "out"], "no arm 'poem'"),
        (["arithmetic", "--shots", "two", "--out", "out"], "--shots"),
        (["arithmetic", "--seeds", "2", "--out", "out"], "temperature"),
        (["mine.jsonl", "--out", "out"], "the schema of an answer is missing"),
        (["mine.jsonl", "--type", "nothing:Here", "--out", "out"], "--type nothing:Here"),
        (["mine.jsonl", "--schema", "broken", "--out", "out"], "broken is not JSON"),
        (["mine.jsonl", "--schema", "latin", "--out", "out"], "latin is not in UTF-8"),
        (["mine.jsonl", "--prompts", "latin", "--out", "out"], "latin is not in UTF-8"),
        (["mine.jsonl", "--prompts", "none.toml", "--out", "out"], "'about' is not a list"),
        (["arithmetic", "--type", "nothing:Here", "--out", "out"], "--type is for a file"),
        (["arithmetic", "--format", "gsm8k", "--out", "out"], "--format is for a file"),
    ],
)
def test_wrong_command_lines(arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.jsonl").write_text('{"question": "?", "answer": 1}\n')
    Path("broken").write_text("{bad")
    Path("latin").write_bytes(b"\xff")
    Path("none.toml").write_text("about = []")
    ran = run(*arguments)
    assert ran.exit_code == 2
    assert said in ran.stderr
    assert not Path("out").exists()


def test_without_the_extra_the_command_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("statistics", "verdicts", "tables", "report"):
        monkeypatch.delitem(sys.modules, f"formwright.evaluation.{name}", raising=False)
    import formwright.evaluation as room

    for name in ("verdicts", "report"):
        monkeypatch.delattr(room, name, raising=False)
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    monkeypatch.setitem(sys.modules, "statsmodels.stats.multitest", None)
    ran = run("arithmetic", "--out", str(tmp_path / "out"))
    assert ran.exit_code == 3
    assert 'pip install "formwright[evaluate]"' in ran.stderr
    assert not (tmp_path / "out").exists()
