"""Every arm of an evaluation runs with the model, whose vocabulary lacks some bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from formwright.evaluation.arms import ARMS, choose_arms
from formwright.evaluation.built_in import make_built_in_task
from formwright.evaluation.runs import Grid, fill_store
from formwright.jobs.finished import FinishedRows


def test_every_arm_has_answers_that_conform(model: Any, tmp_path: Path) -> None:
    grid = Grid(task=make_built_in_task("arithmetic", "en", 2), arms=choose_arms(list(ARMS)), max_tokens=40)
    with FinishedRows(tmp_path / "answers.jsonl") as finished:
        assert fill_store(finished, grid, {"smollm2": model}) == {}
    rows = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert len(rows) == 2 * len(ARMS)
    assert [row["error"] for row in rows] == [None] * len(rows)
    assert all(row["is_readable"] for row in rows if ARMS[row["arm"]].reads == "whole")
