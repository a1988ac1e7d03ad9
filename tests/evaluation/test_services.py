"""A model behind an API is asked like one that runs here."""

from __future__ import annotations

from pathlib import Path

import formwright as fw
from formwright.evaluation import evaluate
from formwright.evaluation.arms import choose_arms
from formwright.evaluation.built_in import make_built_in_task
from formwright.evaluation.runs import Grid
from formwright.models import LocalModel
from formwright.server import running


def test_the_same_model_here_and_behind_an_api(tiny: LocalModel, tmp_path: Path) -> None:
    arms = choose_arms("free,instructions,json,schema,answer_only,thinking")
    grid = Grid(task=make_built_in_task("classification", "en", 3), arms=arms, max_tokens=64)
    with running(tiny) as server:
        models = {"here": tiny, "there": fw.load(f"{server.base_url}#formwright-tiny")}
        found = evaluate(grid, models, tmp_path, progress=False)
    assert found.missing == {}
    rows = {row["id"]: row for row in found.rows}
    assert len(rows) == 2 * len(grid)
    for row in found.rows:
        if row["model"] == "there" and row["arm"] in ("schema", "answer_only"):
            assert row["text"] == rows[row["id"].replace("there", "here")]["text"]
        if row["error"] is not None:  # a service cannot enforce a thought; what it cuts is an error
            assert row["model"] == "there"
            assert row["arm"] == "thinking" or row["is_cut"]
            assert row["tokens"] is None
    here, there = ("\n".join(judged.warnings) for judged in found.models)
    assert "thinking: the service does not enforce its form" in there
    assert "enforce" not in here
