"""What the statistics of an evaluation are worth, and what an evaluation costs beside the model.

::

    python bench/evaluation.py coverage             # 2,000 simulated evaluations of each setting
    python bench/evaluation.py overhead             # the embedded model, two tasks

*Coverage*: arms whose true shares are known answer questions of different difficulty; the 95 % intervals of shares and
of differences should hold the truth in 93 to 97 of 100 evaluations (more where right or wrong answers are rare), and
where arms do not differ, a difference should be significant in 5 of 100 evaluations at most, for all pairs together.

*Overhead*: the time of a run that is not spent in the model's ``generate_many``: prompts, forms, reading, the store.
"""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import formwright as fw
from formwright.evaluation.arms import choose_arms
from formwright.evaluation.built_in import make_built_in_task
from formwright.evaluation.runs import Grid, fill_store
from formwright.evaluation.statistics import Outcome, compare_arms, estimate_accuracy
from formwright.jobs.finished import FinishedRows

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
        arms = choose_arms("free,instructions,json,schema,answer_only,thinking,canonical,order_model")
        grid = Grid(task=make_built_in_task(name, "en", count), arms=arms, wordings=1, max_tokens=96)
        with TemporaryDirectory() as folder, FinishedRows(Path(folder, "answers.jsonl")) as finished:
            start = time.perf_counter()
            fill_store(finished, grid, {"formwright-tiny": model})
            beside = time.perf_counter() - start - model.seconds
        print(f"{name}: {len(grid)} answers, model {model.seconds:.1f} s, beside it {beside:.2f} s", end=" ")
        print(f"({beside / model.seconds:.1%}, {1e6 * beside / len(grid):.0f} us an answer)", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["overhead"]:
        overhead()
    else:
        coverage(int(sys.argv[2]) if len(sys.argv) > 2 else 2000)
