"""What the statistics of an evaluation are worth, what it costs beside the model, and what it shows of two models.

::

    python bench/evaluation.py coverage             # 2,000 simulated evaluations of each setting
    python bench/evaluation.py overhead             # the embedded model, two tasks
    python bench/evaluation.py arms smollm2 FOLDER [40]  # questions of six tasks, in eight arms

*Coverage*: arms whose true shares are known answer questions of different difficulty; the 95 % intervals of shares and
of differences should hold the truth in 93 to 97 of 100 evaluations (more where right or wrong answers are rare), and
where arms do not differ, a difference should be significant in 5 of 100 evaluations at most, for all pairs together.

*Overhead*: the time of a run that is not spent in the model's ``generate_many``: prompts, forms, reading, the store.

*Arms*: one wording, greedy, 160 tokens at most. The folder keeps the answers: the same command continues a run that was
interrupted. It writes ``bench/results/arms.json``, of which the tables of ``docs/explanation/structure.md`` are made.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from structure import PAIRS, join_tasks

import formwright as fw
from formwright.evaluation import evaluate
from formwright.evaluation.arms import choose_arms
from formwright.evaluation.built_in import TASKS, make_built_in_task
from formwright.evaluation.runs import Grid, fill_store
from formwright.evaluation.statistics import Outcome, compare_arms, estimate_accuracy
from formwright.evaluation.verdicts import Verdict, judge
from formwright.jobs.finished import FinishedRows

ARM_RESULTS = Path(__file__).parent / "results" / "arms.json"
MEASURED = "free,instructions,json,schema,answer_only,thinking,canonical,order_model"
"""The arms of the tables: the others draw their answers, or write another notation."""

SETTINGS = [  # questions, wordings, the true shares of arms, how far questions lie apart
    (100, 1, {"free": 0.5, "schema": 0.6}, 0.3),
    (100, 3, {"free": 0.5, "schema": 0.6}, 0.3),
    (300, 3, {"free": 0.7, "schema": 0.7, "json": 0.7}, 0.25),
    (300, 1, {"free": 0.7, "schema": 0.7, "json": 0.7}, 0.25),
    (100, 1, {"free": 0.95, "schema": 0.97}, 0.03),
    (100, 3, {"free": 0.95, "schema": 0.97}, 0.03),
]


def coverage(runs: int) -> None:
    gc.freeze()  # or statsmodels' call of the collector takes longer than its test
    print("questions wordings shares              spread  share held  difference held  significant")
    for number, (questions, wordings, shares, spread) in enumerate(SETTINGS):
        random, held, within, significant = np.random.default_rng(number), 0, 0, 0
        pairs = [(arm, "free") for arm in shares if arm != "free"]
        for _ in range(runs):
            outcomes = list(drawn(random, questions, wordings, shares, spread))
            found = estimate_accuracy(outcomes, "schema")
            held += found.low <= shares["schema"] <= found.high
            differences = compare_arms(outcomes, pairs)
            first = differences[0]
            within += first.low <= shares[first.arm] - shares["free"] <= first.high
            significant += any(each.is_significant for each in differences)
        said = ", ".join(f"{share:g}" for share in shares.values())
        print(
            f"{questions:9} {wordings:8} {said:19} {spread:6g} {held / runs:11.1%} {within / runs:16.1%} "
            f"{significant / runs:12.1%}{' (none is there)' if len(set(shares.values())) == 1 else ''}",
            flush=True,
        )


def drawn(random: Any, questions: int, wordings: int, shares: dict[str, float], spread: float) -> Any:
    """Answers whose true shares are these: a question is as much harder for all arms as another one is easier."""
    harder = random.uniform(-spread, spread, questions)
    for arm, share in shares.items():
        right = random.random((questions, wordings)) < (share + harder)[:, None]
        for question in range(questions):
            for wording in range(wordings):
                yield Outcome(arm, str(question), bool(right[question, wording]), str(wording))


class Timed:
    """A model, and the time spent in it."""

    def __init__(self, model: Any) -> None:
        self._model, self.vocabulary, self.seconds = model, model.vocabulary, 0.0

    def generate_many(self, *what: Any, **options: Any) -> Any:
        start = time.perf_counter()
        results = self._model.generate_many(*what, **options)
        self.seconds += time.perf_counter() - start
        return results


def overhead(count: int = 128) -> None:
    tiny = fw.load("formwright-tiny")
    for name in ("classification", "arithmetic"):
        model = Timed(tiny)
        arms = choose_arms(MEASURED)
        grid = Grid(task=make_built_in_task(name, "en", count), arms=arms, wordings=1, max_tokens=96)
        with TemporaryDirectory() as folder, FinishedRows(Path(folder, "answers.jsonl")) as finished:
            start = time.perf_counter()
            fill_store(finished, grid, {"formwright-tiny": model})
            beside = time.perf_counter() - start - model.seconds
        print(f"{name}: {len(grid)} answers, model {model.seconds:.1f} s, beside it {beside:.2f} s", end=" ")
        print(f"({beside / model.seconds:.1%}, {1e6 * beside / len(grid):.0f} us an answer)", flush=True)


def arms(name: str, folder: Path, count: int = 40, max_tokens: int = 160) -> None:
    """Ask a model the questions of all tasks in all arms, and keep what they show."""
    model, rows, tasks = fw.load(name), list[Any](), dict[str, Any]()
    for task in TASKS:
        how: dict[str, Any] = {"task": make_built_in_task(task, "en", count), "arms": choose_arms(MEASURED)}
        found = evaluate(Grid(**how, max_tokens=max_tokens), {name: model}, folder / task)
        rows += found.rows
        tasks[task] = summarize(found.models[0])
        print(f"{task}\n{found.markdown()}", flush=True)
    together = judge(join_tasks(rows), name, pairs=PAIRS)
    results = json.loads(ARM_RESULTS.read_text("utf-8")) if ARM_RESULTS.exists() else {}
    seconds = round(sum(row["seconds"] for row in rows))
    how = {"questions": count, "wordings": 1, "max_tokens": max_tokens, "answers": len(rows), "seconds": seconds}
    results[name] = {**how, "tasks": tasks, "together": summarize(together)}
    ARM_RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")


def summarize(verdict: Verdict) -> dict[str, Any]:
    """What the tables need of a verdict."""
    shares = {
        arm: {
            "right": [round(share, 4) for share in (each.share, each.low, each.high)],
            "unreadable": round(verdict.unreadable[arm], 4),
            "tokens": round(verdict.costs[arm].tokens, 1),
        }
        for arm, each in verdict.estimates.items()
    }
    differences = [
        {
            "pair": [each.arm, each.other],
            "points": [round(points, 4) for points in (each.points, each.low, each.high)],
            "p": round(each.p, 4),
            "is_significant": each.is_significant,
            "sentence": said,
        }
        for each, said in zip(verdict.differences, verdict.sentences, strict=True)
    ]
    return {"arms": shares, "differences": differences}


if __name__ == "__main__":
    if sys.argv[1:2] == ["overhead"]:
        overhead()
    elif sys.argv[1:2] == ["arms"]:
        arms(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 40)
    else:
        coverage(int(sys.argv[2]) if len(sys.argv) > 2 else 2000)
