"""Engines as a busy server has them: ``python bench/run.py --serving --sample FILE``.

::

    case 1    formwright: first request, its texts, second request    llguidance: the same    xgrammar-cached: the same
    case 2    llguidance ...                                          xgrammar-cached ...     formwright ...

Each engine is a process of its own, and all share one core. They take turns case by case, once through all cases, and
before each request the caches of the processor are emptied, as other work on a server empties them. *First mask* is
from the text of the form on. The *second request* is the same, with the same text, after the texts of the case were
walked. The report is of the cases that all engines pass.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from engines import Engine

CLOCK = time.perf_counter_ns
EMPTIED = 96 << 20  # bytes that are read to empty the caches of a core: far more than they hold
SERVING = ("formwright", "llguidance", "xgrammar-cached")


def take_turns(engine: Engine, cases: Sequence[dict[str, Any]], measure: Callable[[dict[str, Any]], Any]) -> None:
    """In the process of an engine: measure the case of each index that is read, and compile it again."""
    room = np.zeros(EMPTIED, np.uint8)
    for line in sys.stdin:
        case = cases[int(line)]
        room.sum()
        result = measure(case)
        if "compile" in result:
            room.sum()
            start = CLOCK()
            engine.fill(engine.compile(case["kind"], case["source"]))
            result["second"] = CLOCK() - start
        print(json.dumps(result), flush=True)


def serve(
    engines: Sequence[str], begin: Callable[[str], Any], count: int, seconds: float, patience: float
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each engine's line on each case, for so many seconds. One that ends or takes too long begins again."""
    end, order, workers = time.monotonic() + seconds, list(engines), {engine: begin(engine) for engine in engines}
    for index in range(count):
        order.append(order.pop(0))
        for engine in order:
            workers[engine].ask(index)
            line = workers[engine].next(patience)
            yield engine, line
            if line["status"] in ("timeout", "died"):
                workers[engine].stop()
                workers[engine] = begin(engine)
        if time.monotonic() > end:
            break
    for worker in workers.values():
        worker.stop()


def report(lines: Sequence[dict[str, Any]]) -> str:
    """The table of what `serve` gave, in microseconds."""
    engines = list(dict.fromkeys(line["engine"] for line in lines))
    passed = [{line["case"] for line in lines if line["engine"] == engine and _passes(line)} for engine in engines]
    shared = set.intersection(*passed)
    between, second = "between masks p50 / p99 / p99.9 / max", "second request p50 / p99"
    heads = ["engine", "passed", "first mask p50 / p99", between, second]
    rows = [f"{len(shared)} cases that all pass; us", "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for engine, own in zip(engines, passed, strict=True):
        kept = [line for line in lines if line["engine"] == engine and line["case"] in shared]
        firsts, seconds = ([line[key] / 1e3 for line in kept] for key in ("compile", "second"))
        masks = [
            (mask + accept) / 1e3
            for line in kept
            for masks, accepts in zip(line["mask"], line["accept"], strict=True)
            for mask, accept in zip(masks[1:], accepts, strict=True)
        ]
        cells = [_cell(firsts, 50, 99), _cell(masks, 50, 99, 99.9, 100), _cell(seconds, 50, 99)]
        rows.append(f"| {engine} | {len(own)} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _passes(line: dict[str, Any]) -> bool:
    return line["status"] == "ok" and not line["wrong"]


def _cell(times: Sequence[float], *percentiles: float) -> str:
    return " / ".join(f"{np.percentile(times, percentile):,.1f}" for percentile in percentiles) if times else "-"


def main() -> None:
    """Print the table of a file that ``run.py --serving`` wrote."""
    lines = map(json.loads, Path(sys.argv[1]).read_text().splitlines())
    print(report([line for line in lines if "case" in line]))


if __name__ == "__main__":
    main()
