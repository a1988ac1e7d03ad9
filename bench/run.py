"""Runs the cases of ``build/bench`` through the engines and prints a table.

Each engine has a process of its own, pinned to one core. Rounds are interleaved: all engines do round one, then round
two. A measurement is the minimum over rounds of the same mask of the same instance.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from engines import ENGINES, Engine, read_vocabulary

HOME = Path("build/bench")
POINTS = {"p25": 25, "p50": 50, "p90": 90, "p99": 99, "p99.9": 99.9, "max": 100}


def work(name: str, limit: int, seconds: float, warm: bool) -> None:
    """One round of one engine, in this process: prints its measurements as one JSON line."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    engine = ENGINES[name](read_vocabulary((HOME / "vocabulary.bin").read_bytes()))
    if warm:
        walk(name, engine, limit, seconds)
    print(json.dumps(walk(name, engine, limit, seconds)))


def walk(name: str, engine: Engine, limit: int, seconds: float) -> dict[str, list]:
    """Every instance of every case through an engine, timed."""
    result: dict[str, list] = {"names": [], "compile": [], "fill": [], "accept": [], "refused": [], "rejected": []}
    clock, end = time.perf_counter_ns, time.monotonic() + seconds
    gc.disable()
    for line in (HOME / "cases.jsonl").read_text().splitlines()[:limit]:
        case = json.loads(line)
        start = clock()
        try:
            matcher = engine.compile(case["schema"])
        except Exception:
            result["refused"].append(case["name"])
            continue
        engine.fill(matcher)
        result["compile"].append(clock() - start)
        result["names"].append(case["name"])
        fills, accepts = [], []
        for tokens in case["instances"]:
            engine.restart(matcher)
            for token in tokens:
                start = clock()
                engine.fill(matcher)
                middle = clock()
                accepted = engine.accept(matcher, token)
                accepts.append(clock() - middle)
                fills.append(middle - start)
                if not accepted:
                    result["rejected"].append(case["name"])
                    break
                if not engine.row[0, token >> 5] >> (token & 31) & 1:
                    sys.exit(f"{name}: accepted token {token} of {case['name']} is not in its mask")
        result["fill"].append(fills)
        result["accept"].append(accepts)
        if time.monotonic() > end:
            break
    return result


def measure(names: list[str], rounds: int, limit: int, seconds: float, warm: bool) -> dict[str, list[dict]]:
    """All rounds of all engines, interleaved."""
    runs: dict[str, list[dict]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            command = [sys.executable, __file__, "--work", name, "--limit", str(limit), "--seconds", str(seconds)]
            command += ["--warm"] if warm else []
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            runs[name].append(json.loads(output))
    return runs


def best(runs: list[dict], shared: set[str]) -> dict[str, np.ndarray]:
    """The minimum over rounds of every measurement, for the schemas every engine finished, in microseconds."""
    keep = [index for index, name in enumerate(runs[0]["names"]) if name in shared]
    flat = {
        "compile": [np.array([run["compile"][index] for index in keep]) for run in runs],
        "mask": [np.concatenate([run["fill"][index] for index in keep]) for run in runs],
        "accept": [np.concatenate([run["accept"][index] for index in keep]) for run in runs],
    }
    return {what: np.min(np.stack(values), axis=0) / 1e3 for what, values in flat.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", default="formwright,llguidance")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=1_000_000, help="schemas to run")
    parser.add_argument("--seconds", type=float, default=300, help="time limit of one engine's round")
    parser.add_argument("--warm", action="store_true", help="every process walks all cases once before it is timed")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments.work, arguments.limit, arguments.seconds, arguments.warm)
        return
    names = arguments.engines.split(",")
    runs = measure(names, arguments.rounds, arguments.limit, arguments.seconds, arguments.warm)
    shared = set.intersection(*(set(run["names"]) for all_runs in runs.values() for run in all_runs))
    machine = f"{platform.processor() or platform.machine()}, Python {platform.python_version()}"
    print(f"{len(shared)} schemas finished by every engine; {machine}")
    print(f"{'us':<24}{'count':>9}{'avg':>10}" + "".join(f"{point:>10}" for point in POINTS))
    with (HOME / "results.jsonl").open("a") as out:
        for name, all_runs in runs.items():
            refused, rejected = len(all_runs[0]["refused"]), len(set(all_runs[0]["rejected"]))
            for what, values in best(all_runs, shared).items():
                row = {point: float(np.percentile(values, at)) for point, at in POINTS.items()}
                print(
                    f"{name + ' ' + what:<24}{values.size:>9}{values.mean():>10.2f}"
                    + "".join(f"{row[p]:>10.2f}" for p in POINTS)
                )
                out.write(
                    json.dumps(
                        {"engine": name, "what": what, "count": int(values.size), "avg": float(values.mean()), **row}
                    )
                    + "\n"
                )
            print(f"{name}: refused {refused} schemas, rejected a valid instance of {rejected}")


if __name__ == "__main__":
    main()
