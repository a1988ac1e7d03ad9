"""What is said of a comparison, fair and unfair; the report that says it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from parameters import slow_except

from formwright.evaluation import Evaluation, evaluate
from formwright.evaluation.arms import ARMS, choose_arms
from formwright.evaluation.built_in import make_built_in_task
from formwright.evaluation.reading import has_steps
from formwright.evaluation.runs import Grid
from formwright.evaluation.simulated import SimulatedModel
from formwright.evaluation.statistics import Difference
from formwright.evaluation.tables import write_markdown
from formwright.evaluation.verdicts import judge, write_sentence

TASK = make_built_in_task("arithmetic", "en", 300)


def run(folder: Path, right: Any = None, arms: str = "free,schema", **how: Any) -> Evaluation:
    model = SimulatedModel(TASK) if right is None else SimulatedModel(TASK, right)
    settings: dict[str, Any] = {"task": TASK, "arms": choose_arms(arms), "wordings": 3, **how}
    return evaluate(Grid(**settings), {"m": model}, folder, progress=False)


def test_with_the_same_content_no_difference_is_called(tmp_path: Path) -> None:
    (judged,) = run(tmp_path, arms="free,schema,thinking,json,instructions").models
    assert not any(each.is_significant for each in judged.differences)
    assert all(said.startswith("No difference") for said in judged.sentences)
    assert judged.warnings == []


def test_reasoning_that_is_taken_away_is_seen_and_told(tmp_path: Path) -> None:
    (judged,) = run(tmp_path, arms="free,schema,answer_only").models
    assert [each.arm for each in judged.differences if each.is_significant] == ["answer_only"]
    assert "answer_only is worse than free by" in judged.sentences[1]
    assert "reasoning and structure together" in judged.warnings[0]


def test_only_the_given_pairs_are_compared(tmp_path: Path) -> None:
    rows = run(tmp_path, arms="free,schema,answer_only").rows
    judged = judge(rows, "m", pairs=[("answer_only", "schema"), ("json", "free")])
    assert [(each.arm, each.other) for each in judged.differences] == [("answer_only", "schema")]  # json has no answers
    assert judged.sentences[0].startswith("answer_only is worse than schema by")
    assert "| answer_only, against schema | " in write_markdown([judged])
    against_free = next(each for each in judge(rows, "m").differences if each.arm == "answer_only")
    assert judged.differences[0].p <= against_free.p  # corrected for one pair, not for two
    assert judge(rows, "m", pairs=()).differences == []


def by_wording(prompt: str) -> float:
    """Likes the JSON of one wording, dislikes that of another."""
    if "JSON" not in prompt:
        return 0.5
    return 0.7 if "Explain" in prompt else 0.3 if "Give JSON only" in prompt else 0.5


@pytest.mark.parametrize(
    ("unfair", "right", "verdict"),
    slow_except(
        [("prompts", None, "worse")],
        [("prompts", None, "worse"), ("parser", None, "better"), ("wording", by_wording, "better")],
    ),
)
def test_each_unfairness_turns_the_verdict_and_is_told_in_red(
    tmp_path: Path, unfair: str, right: Any, verdict: str
) -> None:
    fair = run(tmp_path / "fair", right)
    assert fair.models[0].sentences[0].startswith("No difference")
    assert "UNFAIR" not in fair.markdown()
    found = run(tmp_path / "unfair", right, unfair=frozenset({unfair}))
    assert f"schema is {verdict} than free by" in found.models[0].sentences[0]
    assert f"**Warning.** UNFAIR ({unfair})" in found.markdown()
    found.save(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f'<p class="warning">UNFAIR ({unfair})' in page
    assert re.search(r"\.warning \{ background: #b00020", page)


def difference(points: float, low: float, high: float, p: float, deviation: float = 0.5) -> Difference:
    return Difference("schema", "free", points, low, high, p, 100, 50, deviation)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (difference(0.07, 0.04, 0.11, 0.002), "schema is better than free by 4 to 11 points (7; p = 0.002)."),
        (difference(-0.25, -0.3, -0.2, 1e-9), "schema is worse than free by 20 to 30 points (25; p < 0.001)."),
        (
            difference(0.02, -0.03, 0.07, 0.4),
            "No difference between schema and free was seen (-3 to +7 points; p = 0.400); "
            "one of 5 points or more would need 785 questions.",
        ),
        (
            difference(0.0, -0.01, 0.0001, 1.0, 0.05),
            "No difference between schema and free was seen (-1 to 0 points; p = 1.000); "
            "one of 5 points or more would need 150 questions.",  # a question is won or not: 5 points vary by 22
        ),
        (
            replace(difference(0.0, -0.01, 0.0001, 1.0, 0.05), questions=200),
            "No difference between schema and free was seen (-1 to 0 points; p = 1.000); "
            "200 questions are enough to see one of 5 points.",
        ),
        (
            replace(difference(0.02, -0.03, 0.07, 0.4), level=0.01),  # one of five pairs
            "No difference between schema and free was seen (-3 to +7 points; p = 0.400); "
            "one of 5 points or more would need 1,168 questions.",
        ),
    ],
)
def test_sentences(given: Difference, said: str) -> None:
    assert write_sentence(given) == said


@pytest.mark.parametrize(
    "given", [difference(0.05, -0.001, 0.1, 0.04), difference(0.05, 0.001, 0.1, 0.06), difference(0.0, 0.0, 0.0, 1.0)]
)
def test_nothing_is_called_where_test_and_interval_disagree(given: Difference) -> None:
    assert write_sentence(given).startswith("No difference")


def test_warnings() -> None:
    rows = [
        {
            "model": "m",
            "arm": arm,
            "question": str(n),
            "wording": 0,
            "shots": 0,
            "seed": 0,
            "is_right": n % 3 > 0,
            "is_cut": arm == "free" and n < 3,
            "is_readable": arm == "schema" or n > 3,
            "error": "Refused: no" if n == 1 else None,
        }
        for n in range(20)
        for arm in ("free", "schema")
        if not (arm == "schema" and n == 19)
    ]
    said = "\n".join(judge(rows, "m").warnings)
    for part in (
        "One wording",
        "20 questions",
        "free: 15 %",
        "free: 20 % of the answers could not be read",
        "free: 1 answers failed",
        "schema: not all questions",
    ):
        assert part in said


def test_the_page_shows_strangers_texts_as_text_and_loads_nothing(tmp_path: Path) -> None:
    found = run(tmp_path)
    for row in found.rows:
        row |= {"text": "<script>alert(1)</script>", "prompt": "<img src=x>", "asked": "<b>?", "answer": "</pre>"}
    found.save(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert page.count("<svg") == 3
    assert "&lt;script&gt;alert(1)" in page
    assert not re.search(r"<script>alert|<img|<b>\?", page)
    assert not re.search(r"""(?:src|href)=["'](?!#)""", page)
    assert page.count("<details open>") == 50
    assert page.count("last number after the last") == 1
    found.rows[0]["text"] = "half of a pair: \ud83d"
    found.save(tmp_path / "report.html")


STEPS = '{"reasoning": "3 + 4", "answer": 7}'


@pytest.mark.parametrize(
    ("arm", "text", "has"),
    [
        ("free", "Answer: 7", False),
        ("free", "7", False),
        ("free", "\n7\n", False),
        ("free", "3 + 4 = 7\nAnswer: 7", True),
        ("free", "3 + 4 = 7\n7", True),
        ("schema", STEPS, True),
        ("instructions", f"Sure: {STEPS}", True),
        ("json", '{"reasoning": " ", "answer": 7}', False),
        ("json", '{"answer": 7}', False),
        ("thinking", '<think>3 + 4</think>{"answer": 7}', True),
        ("thinking", '<think> </think>{"answer": 7}', False),
    ],
)
def test_steps_before_an_answer(arm: str, text: str, has: bool) -> None:
    assert has_steps(ARMS[arm], text) == has


@pytest.mark.parametrize(("free", "is_warned"), [("Answer: 7", True), ("3 + 4 = 7\nAnswer: 7", False)])
def test_arms_without_steps_are_not_compared_in_silence(free: str, is_warned: bool) -> None:
    """Where the free answers are short, a schema with a field for reasoning gives more room to think."""
    same = {"wording": 0, "shots": 0, "seed": 0}
    rows = [
        {"model": "m", "arm": arm, "question": str(n), "is_right": n % 2, "text": text} | same
        for n in range(20)
        for arm, text in (("free", free), ("schema", STEPS))
    ]
    said = "\n".join(judge(rows, "m").warnings)
    assert ("0 % of the answers have steps, and 100 % of those of schema" in said) == is_warned
