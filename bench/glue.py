"""What stands around a mask when Python asks for it, and what a second thread brings.

::

    python bench/glue.py [--vocabulary tekken]

Prints the least and the median of many repetitions. *Glue* is a mask of a state that is known, less the bare copy of a
row, which is measured over many rows at once: the call of numpy's copy costs more than the copy.

Threads share one vocabulary. Each does all of the work, in another order, so that none is left with the largest schema
at the end; the factor is the time of one thread after the other over that of both at once. The machine needs two cores
that are free: the factor of hashing tells whether they are.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

import numpy as np
from cases import Case, suite
from vocabularies import VOCABULARIES, Vocabulary

import formwright as fw
from formwright.forms.kept import forget_forms

ROWS = 256
REPEATS = 15
RECORD = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
}


def measure_work(work: Callable[[], object], loops: int) -> tuple[float, float]:
    """The least and the median time of a call, in microseconds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter_ns()
        for _ in range(loops):
            work()
        times.append((time.perf_counter_ns() - start) / loops / 1e3)
    return min(times), statistics.median(times)


def show(what: str, times: tuple[float, float]) -> None:
    print(f"{what:<58}{times[0]:>12.3f}{times[1]:>12.3f} µs")


def calls(vocabulary: fw.Vocabulary, ids: Callable[[str], list[int]]) -> None:
    """Single calls on states that are known."""
    constraint = fw.compile(fw.json_schema(json.dumps(RECORD)), vocabulary)
    rows = np.zeros((ROWS, vocabulary.mask_words), np.int32)
    row, source = rows[0], np.ones(vocabulary.mask_words, np.int32)
    matcher = constraint.matcher()
    matcher.accept_tokens(ids('{"name": "Jane'))
    matcher.fill_bitmask(row)
    fill, copy = (
        measure_work(lambda: matcher.fill_bitmask(row), 2000),
        _share(measure_work(lambda: np.copyto(rows, source), 10)),
    )
    show("fill_bitmask, a known state", fill)
    kept = fw.RowBuffer(row)
    show("the same, to a RowBuffer", measure_work(lambda: matcher.fill_bitmask(kept), 2000))
    show("copy of a row, of many", copy)
    show("glue: the difference", (fill[0] - copy[0], fill[1] - copy[1]))
    matchers = [matcher.fork() for _ in range(ROWS)]
    fw.fill_bitmasks(matchers, rows)
    show(f"fill_bitmasks, {ROWS} rows, a row", _share(measure_work(lambda: fw.fill_bitmasks(matchers, rows), 10)))
    token = ids("Jane")[0]
    show("accept_token and rollback", measure_work(lambda: (matcher.accept_token(token), matcher.rollback(1)), 2000))
    show("fork", measure_work(matcher.fork, 2000))
    text = json.dumps(RECORD)

    def first_mask() -> None:
        forget_forms()
        vocabulary.forget_constraints()
        fw.compile(fw.json_schema(text), vocabulary).matcher().fill_bitmask(row)

    def second_mask() -> None:
        fw.compile(fw.json_schema(text), vocabulary).matcher().fill_bitmask(row)

    show("schema text to first mask", measure_work(first_mask, 50))
    show("the same schema again", measure_work(second_mask, 500))


def _share(times: tuple[float, float]) -> tuple[float, float]:
    return times[0] / ROWS, times[1] / ROWS


def threads(vocabulary: fw.Vocabulary, cases: Sequence[Case], ids: Callable[[str], list[int]]) -> None:
    """Factors of two threads over one, on mixed schemas and on one schema."""

    def build(case: Case) -> None:
        fw.compile(_new_form(case), vocabulary).matcher()

    def first_mask(case: Case) -> None:
        row = np.empty(vocabulary.mask_words, np.int32)
        fw.compile(_new_form(case), vocabulary).matcher().fill_bitmask(row)

    def fill(batch: Batch) -> None:
        fw.fill_bitmasks(*batch)

    factor("sha256, which is what this machine can give now", sha256, [bytes(2_000_000)] * 8)
    factor("compile", build, cases)
    factor("compile to first mask", first_mask, cases)
    mixed = [[_batch(case, vocabulary, ids) for case in cases] for _ in range(2)]
    factor(f"fill_bitmasks of {ROWS} rows", fill, *mixed)
    factor(f"fill_bitmasks of {ROWS} rows, forks", fill, mixed[0], [_forks(batch) for batch in mixed[0]])
    one = mixed[0][-1]
    factor(f"fill_bitmasks of {ROWS} rows, forks of one schema", fill, [one] * 8, [_forks(one)] * 8)


def _new_form(case: Case) -> fw.Form[Any]:
    """A form that is read anew, since mappings among the options are read each time."""
    return fw.json_schema(case.source, formats={})


def factor(what: str, work: Callable[[Any], object], jobs: Sequence[Any], others: Sequence[Any] | None = None) -> None:
    """Print how much sooner two threads have done the jobs than one; the second begins in the middle of its own."""
    others = jobs if others is None else others
    lists = [list(jobs), [*others[len(others) // 2 :], *others[: len(others) // 2]]]
    loops = max(1, round(0.1 / _time_threads(work, lists[:1], 1)))
    alone = min(sum(_time_threads(work, [jobs], loops) for jobs in lists) for _ in range(REPEATS))
    together = min(_time_threads(work, lists, loops) for _ in range(REPEATS))
    print(f"{what + ', factor of 2 threads':<76}{alone / together:>8.2f}")


Batch = tuple[list[fw.Matcher], np.ndarray]


def _batch(case: Case, vocabulary: fw.Vocabulary, ids: Callable[[str], list[int]]) -> Batch:
    """A matcher for each row, the next always a token further in the text of the case."""
    matcher, matchers = fw.compile(fw.json_schema(case.source), vocabulary).matcher(), []
    for token in ids(case.valid[0])[: ROWS - 1]:
        matchers.append(matcher.fork())
        matcher.accept_token(token)
    matchers += [matcher.fork() for _ in range(ROWS - len(matchers))]
    return matchers, np.zeros((ROWS, vocabulary.mask_words), np.int32)


def _forks(batch: Batch) -> Batch:
    return [matcher.fork() for matcher in batch[0]], batch[1].copy()


def _time_threads(work: Callable[[Any], object], lists: Sequence[Sequence[Any]], loops: int) -> float:
    """The time in which as many threads as there are lists do their jobs, again and again."""

    def run(jobs: Sequence[Any]) -> None:
        for _ in range(loops):
            for job in jobs:
                work(job)

    with ThreadPoolExecutor(len(lists)) as pool:
        start = time.perf_counter()
        list(pool.map(run, lists))
        return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocabulary", default="tekken", choices=VOCABULARIES)
    spelled: Vocabulary = VOCABULARIES[parser.parse_args().vocabulary]()
    vocabulary = fw.Vocabulary(spelled.tokens, eos_token_ids=[spelled.eos])
    print(f"{'':<58}{'least':>12}{'median':>12}")
    calls(vocabulary, spelled.ids)
    threads(vocabulary, list(suite("stress")), spelled.ids)


if __name__ == "__main__":
    main()
