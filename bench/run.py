"""Measures the engines and appends JSON lines to ``build/bench/results.jsonl``; `report` makes tables of them.

::

    python bench/run.py                                            # schemas that hurt, and regular expressions
    python bench/run.py --suites sample --sample FILE --budget 300 # real schemas, five minutes an engine and round
    python bench/run.py --serving --sample FILE                    # engines take turns on one core, see `turns`

Rounds are interleaved: every engine does round one, each in a fresh process pinned to one core, then round two. A case
that takes longer than ``--seconds`` is ended, from outside if need be, reported, and left out of the later rounds.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

import cases
import turns
from engines import COMPARED, LIBRARIES
from vocabularies import VOCABULARIES

HERE = Path(__file__).parent
HOME = Path("build/bench")
START = 300  # seconds an engine may take to be ready
GRACE = 5  # seconds beyond its limit after which a process is ended


class Worker:
    """A process that measures; its lines, with a time limit for each."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, str(HERE / "worker.py"), *arguments]
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing, text=True)
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def ask(self, index: int) -> None:
        """Have it take a case, if it takes turns."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(f"{index}\n")
            self.process.stdin.flush()

    def next(self, seconds: float) -> dict[str, Any]:
        """The next line; what became of the process if there is none in time."""
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            return {"status": "timeout"}
        return json.loads(line) if line else {"status": "died", "reason": f"exit {self.process.wait()}"}

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def one_round(engine: str, vocabulary: Path, suite: Path, given_up: set[str], options: Any) -> Iterator[dict[str, Any]]:
    """The lines of one engine's round. Where a case ended the process, a new one goes on behind it."""
    names = [json.loads(line)["name"] for line in suite.read_text().splitlines()]
    todo, end, worker = iter(list(enumerate(names))), time.monotonic() + options.budget, None
    for index, name in todo:
        if time.monotonic() > end:
            break
        if name in given_up:
            if worker:
                worker.stop()
                worker = None
            continue
        if worker is None:
            worker = Worker(engine, str(vocabulary), str(suite), "--skip", str(index), *_limits(options))
            yield worker.next(START + (options.budget if options.warm else 0))
        line = {"case": name, **worker.next(options.seconds + GRACE)}
        if line["status"] in ("timeout", "died"):
            given_up.add(name)
            worker.stop()
            worker = None
        yield line
    if worker:
        worker.stop()


def _limits(options: Any) -> list[str]:
    limits = ["--core", str(options.core), "--seconds", str(options.seconds), "--gigabytes", str(options.gigabytes)]
    return [*limits, "--warm"] if options.warm else limits


def serve(options: Any, out: IO[str]) -> None:
    """Engines in turns; prints the table."""
    for vocabulary in options.vocabularies.split(","):
        files = prepare(vocabulary, "sample", options.sample)
        names = options.engines.split(",") if options.engines != ",".join(COMPARED) else turns.SERVING

        def begin(engine: str, files: tuple[Path, Path] = files) -> Worker:
            worker = Worker(engine, *map(str, files), *_limits(options), "--turns")
            worker.next(START)
            return worker

        lines: list[dict[str, Any]] = []
        count = len(files[1].read_text().splitlines())
        for engine, line in turns.serve(names, begin, count, options.budget, options.seconds + GRACE):
            lines.append({"suite": "serving", "vocabulary": vocabulary, "engine": engine, **line})
            out.write(json.dumps(lines[-1]) + "\n")
        print(turns.report([line for line in lines if "case" in line]))


def prepare(vocabulary: str, suite: str, path: Path | None) -> tuple[Path, Path]:
    """The files of a vocabulary and of a suite tokenized with it."""
    home = HOME / vocabulary
    home.mkdir(parents=True, exist_ok=True)
    spelled = VOCABULARIES[vocabulary]()
    spelled.write(home / "vocabulary.bin")
    cases.write(suite, spelled, home / f"{suite}.jsonl", path)
    return home / "vocabulary.bin", home / f"{suite}.jsonl"


def facts() -> dict[str, Any]:
    """The machine and the versions of everything measured."""
    versions = {}
    for name in LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            versions[name] = version(name)
    cpu = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), cpu)
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "versions": versions,
        "when": time.strftime("%Y-%m-%d %H:%M"),
    }


def options_of_the_command_line() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", default=",".join(COMPARED))
    parser.add_argument("--suites", default="stress,regex", help="of stress, regex, length and sample")
    parser.add_argument("--sample", type=Path, help="JSON lines, maybe gzipped: name, schema, tests of {valid, data}")
    parser.add_argument("--vocabularies", default="tekken", help=f"of {', '.join(VOCABULARIES)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=30, help="limit of one case")
    parser.add_argument("--budget", type=float, default=600, help="seconds for one engine's round of a suite")
    parser.add_argument("--gigabytes", type=float, default=6, help="memory an engine may use")
    parser.add_argument("--core", type=int, default=(os.cpu_count() or 1) - 1, help="the core that is used")
    parser.add_argument("--serving", action="store_true", help="engines take turns case by case, as on a busy server")
    parser.add_argument("--warm", action="store_true", help="walk all cases once before they are timed")
    parser.add_argument("--out", type=Path, default=HOME / "results.jsonl")
    return parser.parse_args()


def main() -> None:
    options = options_of_the_command_line()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("a") as out:
        out.write(json.dumps({"machine": facts()}) + "\n")
        if options.serving:
            serve(options, out)
            return
        for vocabulary in options.vocabularies.split(","):
            for suite in options.suites.split(","):
                files = prepare(vocabulary, suite, options.sample)
                given_up: dict[str, set[str]] = {engine: set() for engine in options.engines.split(",")}
                for number in range(options.rounds):
                    for engine, names in given_up.items():
                        start = time.monotonic()
                        key = {"suite": suite, "vocabulary": vocabulary, "engine": engine, "round": number}
                        for line in one_round(engine, *files, names, options):
                            out.write(json.dumps({**key, **line}) + "\n")
                        out.flush()
                        print(f"{vocabulary} {suite} round {number + 1} {engine}: {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
