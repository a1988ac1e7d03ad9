"""Runs: what is asked once, what a killed run leaves, what is refused; with simulated models."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import formwright as fw
from formwright.errors import (
    ArgumentError,
    LimitExceeded,
    OptionUnsupported,
    OutputInvalid,
    PromptError,
    RequestFailed,
    VocabularyError,
)
from formwright.evaluation import evaluate, read_rows
from formwright.evaluation.arms import ARMS, choose_arms, make_arm_form
from formwright.evaluation.built_in import LANGUAGES, TASKS, make_built_in_task
from formwright.evaluation.runs import Grid, fill_store
from formwright.evaluation.simulated import SimulatedModel
from formwright.evaluation.tasks import Item, Task
from formwright.evaluation.traces import read_trace
from formwright.generation.result import Failed
from formwright.jobs.finished import FinishedRows
from formwright.models import LocalModel

TASK = make_built_in_task("arithmetic", "en", 20)


class Watched:
    """Counts what a model is asked; fails where it is told to."""

    def __init__(self, model: Any, fails: dict[int, Exception] | None = None) -> None:
        self.model, self.asked, self.fails, self.options = model, Counter[str](), fails or {}, list[Any]()

    def generate_many(self, prompts: Any, forms: Any, **options: Any) -> list[Any]:
        self.options.append(options)
        results = []
        for prompt, result in zip(prompts, self.model.generate_many(prompts, forms, **options), strict=True):
            error = self.fails.get(self.asked.total())
            self.asked[prompt] += 1
            results.append(result if error is None else Failed(error))
        return results


def grid(**how: Any) -> Grid:
    return Grid(**{"task": TASK, "arms": choose_arms("free,schema"), "batch_size": 8, **how})


def rows_of(path: Path, model: Any, **how: Any) -> list[dict[str, Any]]:
    with FinishedRows(path) as finished:
        fill_store(finished, grid(**how), {"m": model})
    return read_rows(path)


def test_every_question_is_asked_once_in_every_way(tmp_path: Path) -> None:
    model = Watched(SimulatedModel(TASK))
    how = {"wordings": 3, "shots": (0, 2), "seeds": 2, "temperature": 1.0}
    rows = rows_of(tmp_path / "a", model, **how)
    assert len(rows) == len({row["id"] for row in rows}) == len(grid(**how)) == 20 * 2 * 3 * 2 * 2
    assert set(model.asked.values()) == {2}  # the seeds
    assert rows_of(tmp_path / "a", model, **how) == rows
    assert set(model.asked.values()) == {2}


def test_a_run_is_extended(tmp_path: Path) -> None:
    model = Watched(SimulatedModel(TASK))
    first = rows_of(tmp_path / "a", model)
    more = rows_of(tmp_path / "a", model, arms=choose_arms("free,schema,thinking"), wordings=2)
    assert more[: len(first)] == first
    assert len(more) == 20 * 3 * 2
    assert set(model.asked.values()) == {1}


@pytest.mark.parametrize(
    "change",
    [
        {"max_tokens": 99},
        {"temperature": 1.0},
        {"unfair": frozenset({"parser"})},
        {"sentences": {"text": ["{answer}"]}},
    ],
)
def test_answers_to_other_prompts_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    rows_of(tmp_path / "a", SimulatedModel(TASK))
    with pytest.raises(ArgumentError, match="other prompts"):
        rows_of(tmp_path / "a", SimulatedModel(TASK), **change)


def test_a_draw_does_not_depend_on_where_a_run_was_cut(tmp_path: Path) -> None:
    how = {"temperature": 1.0, "seeds": 2}
    whole = rows_of(tmp_path / "whole", SimulatedModel(TASK), **how)
    lines = (tmp_path / "whole").read_bytes().splitlines(keepends=True)
    for cut in (3, 13, 40):
        path = tmp_path / str(cut)
        path.write_bytes(b"".join(lines[:cut]) + lines[cut][:20])
        model = Watched(SimulatedModel(TASK))
        rows_of(path, model, **how)
        assert model.asked.total() == len(whole) - cut
        starts = {(options["seed"] // 1_000_000) for options in model.options}
        assert starts <= {0, 1}
    seeds = Counter[int]()
    for options in model.options:
        seeds[options["seed"] % 1_000_000] += 1
    assert max(seeds) < 20


def test_what_a_service_does_not_answer_is_asked_again(tmp_path: Path) -> None:
    model = Watched(
        SimulatedModel(TASK), {3: RequestFailed("no route", status=None), 5: OutputInvalid("no JSON", text="Hm")}
    )
    with FinishedRows(tmp_path / "a") as finished:
        missing = fill_store(finished, grid(), {"m": model})
        assert list(missing.values()) == [1]
        assert len(finished) == 39
    rows = rows_of(tmp_path / "a", model)
    assert len(rows) == 40
    (failed,) = (row for row in rows if row["error"])
    assert (failed["text"], failed["is_right"], failed["is_readable"]) == ("Hm", False, False)


def test_what_is_no_answer_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(PromptError):
        rows_of(tmp_path / "a", Watched(SimulatedModel(TASK), {3: PromptError("too long")}))
    assert len(read_rows(tmp_path / "a")) == 7  # what was answered in the same batch is kept


FREE = {*range(8), *range(16, 24), *range(32, 36)}
"""When `grid` asks for free text: batches of eight questions, the arms by turns."""


@pytest.mark.parametrize(
    ("failing", "told", "warning"),
    [
        (set(range(40)) - FREE, ["free"], None),
        (
            set(range(40)) - FREE - {8},
            ["free", "schema"],
            "schema and free have fewer than two answered questions in common",
        ),
        (FREE, None, None),
        (set(range(40)), None, None),
    ],
)
def test_what_a_service_answered_is_judged(
    failing: set[int], told: list[str] | None, warning: str | None, tmp_path: Path
) -> None:
    model = Watched(SimulatedModel(TASK), dict.fromkeys(failing, RequestFailed("no route", status=None)))
    found = evaluate(grid(), {"m": model}, tmp_path, progress=False)
    assert found.missing == {"RequestFailed: no route": len(failing)}
    assert [list(judged.estimates) for judged in found.models] == ([] if told is None else [told])
    said = "\n".join(line for judged in found.models for line in judged.warnings)
    assert warning is None or warning in said
    assert not any(judged.differences for judged in found.models)
    found.save(tmp_path / "report.html")


def test_what_a_model_elsewhere_cannot_do_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    local = ({"arms": choose_arms("free,canonical")}, {"arms": choose_arms("order_model")}, {"trace": True})
    for how in (*local, {"arms": choose_arms("fair"), "temperature": 1.0}):
        model = Watched(SimulatedModel(TASK))
        with pytest.raises(OptionUnsupported):
            rows_of(tmp_path / "a", model, **how)
        assert not model.asked


@pytest.mark.parametrize(
    ("how", "argument"),
    [
        ({"seeds": 2}, "seeds"),
        ({"shots": (9,)}, "shots"),
        ({"wordings": 4}, "wordings"),
        ({"wordings": 2, "task": replace(TASK, about=["Go."]), "sentences": {"text": ["{answer}"]}}, "wordings"),
        ({"unfair": frozenset({"luck"})}, "unfair"),
        ({"arms": choose_arms("free,fair")}, "temperature"),
    ],
)
def test_grids_that_make_no_sense(how: dict[str, Any], argument: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        grid(**how)
    assert caught.value.argument == argument


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        ({"type": "string"}, "Two\nlines."),
        ({"type": "array", "items": {"type": "string"}}, ["Varga, Maeve"]),
        ({"type": "object", "properties": {"answer": {"type": "integer"}}}, {"answer": 3}),
    ],
)
def test_answers_that_free_text_cannot_give_are_refused(schema: dict[str, Any], answer: Any) -> None:
    task = Task("own", ["Go."], schema, [Item("1", "?", answer), Item("2", "?!", answer)])
    with pytest.raises(ArgumentError, match="of question 1"):
        Grid(task=task, arms=choose_arms("free,schema"))
    assert len(Grid(task=task, arms=choose_arms("schema"))) == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TASKS)
def test_free_text_can_be_right_in_all_tasks(name: str, language: str) -> None:
    assert len(Grid(task=make_built_in_task(name, language, 100), arms=choose_arms("free"))) == 100


def test_the_baseline_is_among_the_arms(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="baseline"):
        evaluate(grid(), {"m": SimulatedModel(TASK)}, tmp_path, baseline="thinking")


def test_traces_that_were_not_kept_are_not_made_up(tmp_path: Path, tiny: LocalModel) -> None:
    how: dict[str, Any] = {"task": make_built_in_task("classification", "en", 2), "max_tokens": 16}
    rows_of(tmp_path / "a", tiny, **how)
    with pytest.raises(ArgumentError, match="without traces"):
        rows_of(tmp_path / "a", tiny, trace=True, **how)
    rows_of(tmp_path / "b", tiny, trace=True, **how)
    assert len(rows_of(tmp_path / "b", tiny, **how)) == 4  # traces that nobody asks for do no harm


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ArgumentError, match="cannot be made"):
        evaluate(grid(), {"m": SimulatedModel(TASK)}, tmp_path / "file" / "out")


def test_traces_of_a_model_that_runs_here(tiny: LocalModel, tmp_path: Path) -> None:
    task = make_built_in_task("classification", "en", 3)
    arms = choose_arms("free,answer_only,canonical")
    rows = rows_of(tmp_path / "a", tiny, task=task, arms=arms, trace=True, max_tokens=40)
    assert all(0 < row["allowed_mass"] <= 1 + 1e-9 for row in rows)
    traced = [row for row in rows if "trace" in row]
    assert {row["question"] for row in traced} == {"0", "1"}
    for row in traced:
        trace = read_trace(row)
        assert trace is not None
        assert b"".join(each.token for each in trace.rows).decode() == row["text"]


def test_the_fair_arm_draws_adaptively(tiny: LocalModel, tmp_path: Path) -> None:
    task = make_built_in_task("classification", "en", 4)
    how: dict[str, Any] = {"task": task, "arms": choose_arms("answer_only,fair"), "temperature": 1.0, "max_tokens": 24}
    rows = rows_of(tmp_path / "a", tiny, **how)
    form = fw.compile(make_arm_form(ARMS["fair"], task.answer, 24), tiny.vocabulary)
    options: dict[str, Any] = {"temperature": 1.0, "max_tokens": 24, "fidelity": "adaptive"}
    for row in rows:
        drawn = tiny.generate(row["prompt"], form, seed=int(row["question"]), **options)
        is_same = (row["text"], row["model_calls"]) == (drawn.text, drawn.model_calls)
        assert is_same is (row["arm"] == "fair")
    digests = [{row["digest"] for row in rows if row["arm"] == name} for name in ("answer_only", "fair")]
    assert digests[0].isdisjoint(digests[1])


def test_an_answer_that_no_draw_finds_counts_as_wrong(tmp_path: Path) -> None:
    error = LimitExceeded("0 of 1 texts", limit="max_calls", value=1001, allowed=1000)
    model = Watched(SimulatedModel(TASK, vocabulary=object()), {3: error})
    rows = rows_of(tmp_path / "a", model, arms=choose_arms("answer_only"))
    assert [(row["is_right"], row["is_readable"]) for row in rows if row["error"]] == [(False, False)]


def test_a_vocabulary_without_some_byte_bounds_no_thought(tiny: LocalModel, tmp_path: Path) -> None:
    """Its thoughts end with the answer, though not by a bound of their own, which such a vocabulary cannot have."""
    tokens = [tiny.vocabulary.token(token) for token in range(len(tiny.vocabulary))]
    tokens[tokens.index(b"\x04")] = None
    lacking = fw.Vocabulary(tokens, eos_token_ids=tiny.vocabulary.eos_token_ids)
    with pytest.raises(VocabularyError, match="no token for some byte"):
        fw.compile(make_arm_form(ARMS["thinking"], TASK.answer, 40), lacking)
    model = replace(tiny, vocabulary=lacking)
    how: dict[str, Any] = {"task": replace(TASK, items=TASK.items[:3]), "arms": choose_arms("thinking")}
    rows = rows_of(tmp_path / "a", model, max_tokens=40, **how)
    assert [row["error"] for row in rows] == [None] * 3
    assert all(row["is_readable"] and row["text"].startswith("<think>") for row in rows)


SCRIPT = """
import sys
from formwright.evaluation.arms import choose_arms
from formwright.evaluation.built_in import make_built_in_task
from formwright.evaluation.runs import Grid, fill_store
from formwright.evaluation.simulated import SimulatedModel
from formwright.jobs.finished import FinishedRows

task = make_built_in_task("arithmetic", "en", 1000)
grid = Grid(task=task, arms=choose_arms("free,schema,thinking,answer_only,json"), wordings=2)
log = open(sys.argv[2], "a")


class Logged:
    def generate_many(self, prompts, forms, **options):
        log.write("".join(f"{prompt!r}\\n" for prompt in prompts))
        log.flush()
        return SimulatedModel(task).generate_many(prompts, forms, **options)


with FinishedRows(sys.argv[1]) as finished:
    fill_store(finished, grid, {"m": Logged()})
"""


def test_a_killed_run_loses_nothing_and_asks_nothing_twice(tmp_path: Path) -> None:
    store, log = tmp_path / "answers.jsonl", tmp_path / "asked"
    (tmp_path / "run.py").write_text(SCRIPT)
    command = [sys.executable, str(tmp_path / "run.py"), str(store), str(log)]
    running = subprocess.Popen(command)
    while not store.exists() or store.stat().st_size < 1_000_000:
        assert running.poll() is None
        time.sleep(0.005)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    finished = store.read_bytes()
    whole = finished[: finished.rindex(b"\n") + 1]
    kept = [json.loads(line) for line in whole.splitlines()]
    assert 0 < len(kept) < 10_000
    log.unlink()
    subprocess.run(command, check=True)
    assert store.read_bytes().startswith(whole)
    rows = read_rows(store)
    asked = Counter(log.read_text().splitlines())
    assert Counter(row["id"] for row in rows) == dict.fromkeys((row["id"] for row in rows), 1)
    assert len(rows) == 10_000
    assert asked == Counter(repr(row["prompt"]) for row in rows[len(kept) :])
