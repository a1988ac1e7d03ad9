"""What stands around a mask when Python asks for it, and what a second thread brings.

::

    python bench/glue.py [--vocabulary tekken]

Prints the least and the median of many repetitions. *Glue* is a mask of a state that is known, less the bare copy of a
row, which is measured over many rows at once: the call of numpy's copy costs more than the copy. Threads share one
vocabulary and work on schemas of their own; the factor is the time of one thread for all the work over that of two, so
the machine needs two cores that are free. That of hashing tells whether they are.
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

ROWS = 256
REPEATS = 15
RECORD = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
}


def measured(work: Callable[[], object], loops: int) -> tuple[float, float]:
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
    constraint = fw.Constraint(fw.Language.json_schema(json.dumps(RECORD)), vocabulary)
    rows = np.zeros((ROWS, vocabulary.mask_words), np.int32)
    row, source = rows[0], np.ones(vocabulary.mask_words, np.int32)
    matcher = constraint.matcher()
    matcher.accept_tokens(ids('{"name": "Jane'))
    matcher.fill_bitmask(row)
    fill, copy = (
        measured(lambda: matcher.fill_bitmask(row), 2000),
        _share(measured(lambda: np.copyto(rows, source), 10)),
    )
    show("fill_bitmask, a known state", fill)
    show("copy of a row, of many", copy)
    show("glue: the difference", (fill[0] - copy[0], fill[1] - copy[1]))
    matchers = [matcher.fork() for _ in range(ROWS)]
    fw.fill_bitmasks(matchers, rows)
    show(f"fill_bitmasks, {ROWS} rows, a row", _share(measured(lambda: fw.fill_bitmasks(matchers, rows), 10)))
    token = ids("Jane")[0]
    show("accept_token and rollback", measured(lambda: (matcher.accept_token(token), matcher.rollback(1)), 2000))
    show("fork", measured(matcher.fork, 2000))
    text = json.dumps(RECORD)

    def first_mask() -> None:
        fw.Constraint(fw.Language.json_schema(text), vocabulary).matcher().fill_bitmask(row)

    show("schema text to first mask", measured(first_mask, 50))


def _share(times: tuple[float, float]) -> tuple[float, float]:
    return times[0] / ROWS, times[1] / ROWS


def threads(vocabulary: fw.Vocabulary, cases: Sequence[Case], ids: Callable[[str], list[int]]) -> None:
    """Factors of two threads over one, on mixed schemas and on one schema."""

    def build(case: Case) -> None:
        for _ in range(20):
            fw.Constraint(fw.Language.json_schema(case.source), vocabulary).matcher()

    def fill(batch: tuple[list[fw.Matcher], np.ndarray]) -> None:
        for _ in range(20):
            fw.fill_bitmasks(*batch)

    factor("sha256, which is what this machine can give now", lambda data: sha256(data), [bytes(10_000_000)] * 8)
    factor("compile", build, cases)
    factor(f"fill_bitmasks of {ROWS} rows", fill, [_batch(case, vocabulary, ids) for case in cases])
    same = _batch(cases[-1], vocabulary, ids)
    copies = [([matcher.fork() for matcher in same[0]], same[1].copy()) for _ in range(8)]
    factor(f"fill_bitmasks of {ROWS} rows, forks of one schema", fill, copies)


def factor(what: str, work: Callable[[Any], None], jobs: Sequence[Any]) -> None:
    """Print how much sooner two threads have done the jobs than one."""
    one, two = (min(_elapsed(work, jobs, count) for _ in range(REPEATS)) for count in (1, 2))
    print(f"{what + ', factor of 2 threads':<58}{one / two:>12.2f}")


def _batch(
    case: Case, vocabulary: fw.Vocabulary, ids: Callable[[str], list[int]]
) -> tuple[list[fw.Matcher], np.ndarray]:
    """A matcher for each row, the next always a token further in the text of the case."""
    matcher, matchers = fw.Constraint(fw.Language.json_schema(case.source), vocabulary).matcher(), []
    for token in ids(case.valid[0])[: ROWS - 1]:
        matchers.append(matcher.fork())
        matcher.accept_token(token)
    matchers += [matcher.fork() for _ in range(ROWS - len(matchers))]
    return matchers, np.zeros((ROWS, vocabulary.mask_words), np.int32)


def _elapsed(work: Callable[[Any], None], jobs: Sequence[Any], count: int) -> float:
    with ThreadPoolExecutor(count) as pool:
        start = time.perf_counter()
        list(pool.map(work, jobs))
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
