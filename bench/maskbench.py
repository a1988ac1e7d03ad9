"""MaskBench, whole: every schema and every instance, token by token, engines in turns.

::

    python bench/maskbench.py run full.jsonl.xz      # goes on where an earlier run was ended
    python bench/maskbench.py report                 # tables, and every schema that only others pass

The data is `MaskBench <https://github.com/guidance-ai/jsonschemabench>`_ as JSON lines of ``name``, ``schema`` and
``tests`` of ``valid`` and ``data``. The rules are those of its own runner: an engine *passes* a schema if it compiles
it, allows every token of every valid instance, its end included, and masks some token of every invalid one. Otherwise
it *refuses* the schema, *rejects* a valid instance or *accepts* an invalid one. ``TTFM`` is the time from the text of a
schema to its first mask, ``TBM`` the time between masks: a token is accepted and the next mask filled.

Schemas come in a random order, the same for all, and engines take turns after each stretch of them. So a run that is
ended early has measured a random sample, and whatever else the machine does slows all engines alike.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import run
from cases import Case
from report import duration, table
from vocabularies import VOCABULARIES, Vocabulary

HOME = run.HOME / "maskbench"
ENGINES = "formwright-any-order,formwright,llguidance-exact,xgrammar,outlines-core"
STRETCH = 200
"""Schemas after which the next engine takes its turn."""

STEP = 1.02
"""Ratio of neighbouring buckets in which times are counted, so percentiles are exact to 1 %."""

VERDICTS = ("passes", "refuses", "rejects a valid", "accepts an invalid", "timeout", "died", "fails")


def read_cases(path: Path) -> list[Case]:
    """All schemas with all their instances, in a random order that is always the same."""
    data = path.read_bytes()
    lines = (lzma.decompress(data) if path.suffix == ".xz" else data).splitlines()
    rows = [json.loads(line) for line in lines]
    random.Random(0).shuffle(rows)
    return [
        Case(
            name=row["name"],
            kind="json_schema",
            source=json.dumps(row["schema"]),
            valid=write_instances(row["tests"], valid=True),
            elsewhere=write_instances(row["tests"], valid=False),
        )
        for row in rows
    ]


def write_instances(tests: list[dict[str, Any]], *, valid: bool) -> list[str]:
    """The instances as the runner of MaskBench writes them."""
    return [json.dumps(test["data"], ensure_ascii=False) for test in tests if test["valid"] is valid]


def judge(line: Mapping[str, Any], kinds: list[bool]) -> str:
    """The verdict on one measured schema; ``kinds`` says of each instance whether it is valid."""
    match line["status"]:
        case "ok" if not line["wrong"]:
            return "passes"
        case "ok":
            rejects = any(kinds[index] for index, _, _ in line["wrong"])
            return "rejects a valid" if rejects else "accepts an invalid"
        case "refused":
            return "refuses"
        case "failed":
            return "fails"
        case status:
            return str(status)


def condense(line: Mapping[str, Any], case: Case) -> dict[str, Any]:
    """What is kept of one measured schema: a verdict, and counts of times instead of the times."""
    kinds = [True] * len(case.valid) + [False] * (len(case.invalid) + len(case.elsewhere))
    wrong = {kinds[index] for index, _, _ in line.get("wrong", ())}
    times = [
        accept + mask
        for masks, accepts in zip(line.get("mask", ()), line.get("accept", ()), strict=True)
        for mask, accept in zip(masks[1:], accepts, strict=False)
    ]
    buckets = Counter(round(math.log(max(nanos, 1), STEP)) for nanos in times)
    return {
        "name": case.name,
        "verdict": judge(line, kinds),
        "rejects": True in wrong,
        "accepts": False in wrong,
        "reason": line.get("reason"),
        "ttfm": line.get("compile"),
        "tbm": {str(bucket): count for bucket, count in sorted(buckets.items())},
        "tbm_sum": sum(times),
        "tbm_longest": max(times, default=0),
    }


def measure(engine: str, cases: list[Case], files: tuple[Path, Path], options: Any) -> Iterator[dict[str, Any]]:
    """One engine's turn at a stretch of schemas."""
    by_name = {case.name: case for case in cases}
    for line in run.one_round(engine, *files, set(), options):
        if "case" in line:
            yield condense(line, by_name[line["case"]])


def read_done(engine: str) -> dict[str, dict[str, Any]]:
    """The schemas that an engine has been measured on, by name."""
    path = HOME / f"{engine}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return {row["name"]: row for row in map(json.loads, lines) if "name" in row}


def run_all(options: Any) -> None:
    """Measure every engine on every schema that it has not been measured on."""
    HOME.mkdir(parents=True, exist_ok=True)
    vocabulary: Vocabulary = VOCABULARIES[options.vocabulary]()
    vocabulary.write(HOME / "vocabulary.bin")
    (HOME / "machine.json").write_text(json.dumps(run.facts() | {"vocabulary": options.vocabulary}, indent=2))
    cases, engines = read_cases(options.data)[: options.schemas], options.engines.split(",")
    done = {engine: set(read_done(engine)) for engine in engines}
    end = time.monotonic() + options.hours * 3600
    for start in range(0, len(cases), STRETCH):
        for engine in engines:
            todo = [case for case in cases[start : start + STRETCH] if case.name not in done[engine]]
            if not todo or time.monotonic() > end:
                continue
            suite = HOME / "stretch.jsonl"
            suite.write_text("".join(json.dumps(case.line(vocabulary)) + "\n" for case in todo))
            begun = time.monotonic()
            with (HOME / f"{engine}.jsonl").open("a") as out:
                for row in measure(engine, todo, (HOME / "vocabulary.bin", suite), options):
                    out.write(json.dumps(row) + "\n")
            took = time.monotonic() - begun
            print(
                f"{engine}: {min(start + STRETCH, len(cases))} of {len(cases)} schemas, these in {took:.0f} s",
                flush=True,
            )


def find_percentile(buckets: Counter[int], share: float) -> float:
    """The time, in microseconds, that a share of all times does not exceed."""
    left = share * buckets.total()
    for bucket in sorted(buckets):
        left -= buckets[bucket]
        if left <= 0:
            return STEP**bucket / 1e3
    return 0.0


def summarize(rows: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Verdicts and times of one engine; the times are those of the schemas that it passes, in microseconds."""
    passed = [row for row in rows.values() if row["verdict"] == "passes"]
    first = np.array([row["ttfm"] for row in passed]) / 1e3
    buckets: Counter[int] = Counter()
    for row in passed:
        buckets.update({int(bucket): count for bucket, count in row["tbm"].items()})
    counts = Counter(row["verdict"] for row in rows.values())
    return {
        "schemas": len(rows),
        "verdicts": {verdict: counts[verdict] for verdict in VERDICTS},
        "rejects or accepts": [sum(row[what] for row in rows.values()) for what in ("rejects", "accepts")],
        "ttfm": {"mean": float(first.mean())}
        | {f"p{share:g}": float(np.percentile(first, share)) for share in (50, 90, 99, 99.9, 100)},
        "tbm": {"mean": sum(row["tbm_sum"] for row in passed) / max(1, buckets.total()) / 1e3}
        | {f"p{share:g}": find_percentile(buckets, share / 100) for share in (50, 90, 99, 99.9)}
        | {"p100": max(row["tbm_longest"] for row in passed) / 1e3},
        "masks": buckets.total(),
    }


def list_losses(results: Mapping[str, Mapping[str, dict[str, Any]]], ours: str) -> Iterator[list[str]]:
    """Every schema that another engine passes and ours does not: name, our verdict, who passes, our reason."""
    for name, row in sorted(results[ours].items()):
        peers = (engine for engine in results if not engine.startswith("formwright"))
        passing = [engine for engine in peers if results[engine].get(name, {}).get("verdict") == "passes"]
        if passing and row["verdict"] != "passes":
            yield [f"`{name}`", row["verdict"], ", ".join(passing), (row["reason"] or "").partition("\n")[0][:160]]


def report(options: Any) -> None:
    """Write ``maskbench.md`` and ``maskbench.json``."""
    results = {engine: rows for engine in options.engines.split(",") if (rows := read_done(engine))}
    machine = json.loads((HOME / "machine.json").read_text())
    summaries = {engine: summarize(rows) for engine, rows in results.items()}
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "maskbench.json").write_text(json.dumps({"machine": machine, "engines": summaries}, indent=1) + "\n")
    verdicts = [
        [engine, str(one["schemas"]), *(str(one["verdicts"][verdict]) for verdict in VERDICTS)]
        for engine, one in summaries.items()
    ]
    parts = ["# MaskBench\n", table(["", "schemas", *VERDICTS], verdicts)]
    for what, title in (("ttfm", "From schema to first mask"), ("tbm", "Between masks")):
        times = [[engine, *map(duration, one[what].values())] for engine, one in summaries.items()]
        parts.append(f"## {title}\n\n" + table(["", *next(iter(summaries.values()))[what]], times))
    for ours in (engine for engine in results if engine.startswith("formwright")):
        losses = list(list_losses(results, ours))
        head = ["schema", "verdict", "passed by", "reason"]
        parts.append(f"## What only others pass: {ours}, {len(losses)} schemas\n\n" + table(head, losses))
    facts = {key: value for key, value in machine.items() if key != "load"}
    parts.append(f"Machine and versions: `{json.dumps(facts)}`\n")
    (options.out / "maskbench.md").write_text("\n".join(parts))


def parse_arguments() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(required=True)
    running = actions.add_parser("run", help="measure; goes on where an earlier run was ended")
    running.add_argument("data", type=Path, help="JSON lines of name, schema, tests; maybe xz-compressed")
    running.add_argument("--vocabulary", default="tekken", help=f"of {', '.join(VOCABULARIES)}")
    running.add_argument("--schemas", type=int, default=sys.maxsize, help="only the first, in their random order")
    running.add_argument("--hours", type=float, default=math.inf, help="begin nothing new after so many hours")
    running.add_argument("--seconds", type=float, default=60, help="limit of one schema")
    running.add_argument("--gigabytes", type=float, default=8, help="memory an engine may use")
    running.add_argument("--core", type=int, default=(os.cpu_count() or 1) - 1, help="the core that is used")
    running.set_defaults(action=run_all, budget=math.inf, warm=False)
    reporting = actions.add_parser("report", help="write the tables")
    reporting.add_argument("--out", type=Path, default=run.HOME / "report")
    reporting.set_defaults(action=report)
    for action in (running, reporting):
        action.add_argument("--engines", default=ENGINES)
    return parser.parse_args()


def main() -> None:
    options = parse_arguments()
    options.action(options)


if __name__ == "__main__":
    main()
