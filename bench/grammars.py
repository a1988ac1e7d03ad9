"""How long masks of grammars take: formwright, llguidance and xgrammar, in one run.

    python bench/grammars.py CASES [--engines formwright,llguidance,xgrammar] [--texts 60] [--out bench/results]

``CASES`` is a Python file with the grammars in Lark (``G``, by name) and texts that conform to them (``T``, by name).
Each text is followed token by token, with the tokens of Tekken (131,072); a mask is found before each token.

form    reading the grammar, where an engine does that before it knows the vocabulary; the least of ``--least`` times
compile from the text to a matcher, ``form`` included; likewise
first   the first mask after that; likewise
cold    the average of the first pass over all texts, with a form that was just compiled
warm    the average of the least of four passes; p99 likewise. An engine that takes longer than ``--seconds`` for its
        passes is left: ``masks`` and ``passes`` say how far it got

Before each repetition, an engine forgets the forms and constraints that it keeps, but not what it knows of the
vocabulary.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from engines import Engine, load
from vocabularies import VOCABULARIES

PASSES = 4
KIND = "lark"


def read_cases(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("cases", path)
    assert spec is not None
    assert spec.loader is not None
    cases = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cases)
    cases.T.setdefault("json", cases.jsons())
    return cases


def follow(engine: Engine, matcher: Any, texts: list[list[int]], end: float = math.inf) -> Iterator[float]:
    """Seconds of each mask until ``end``; a text is left where a token is refused."""
    for ids in texts:
        matcher = engine.reset(matcher)
        for token in ids:
            before = time.perf_counter()
            if before > end:
                return
            engine.fill(matcher)
            yield time.perf_counter() - before
            if not engine.accept(matcher, token):
                break


def begin(engine: Engine, grammar: str) -> tuple[Any, tuple[float, float, float]]:
    """A matcher that has found its first mask, and seconds: for the form, until the matcher was there, for the mask."""
    getattr(engine, "forget", lambda: None)()
    start = time.perf_counter()
    getattr(engine, "form", lambda *_: None)(KIND, grammar)
    is_read = time.perf_counter()
    matcher = engine.compile(KIND, grammar)
    is_compiled = time.perf_counter()
    engine.fill(matcher)
    return matcher, (is_read - start, is_compiled - start, time.perf_counter() - is_compiled)


def measure(engine: Engine, grammar: str, texts: list[list[int]], least_of: int, seconds: float) -> dict[str, float]:
    form, whole, first = zip(*(begin(engine, grammar)[1] for _ in range(least_of)), strict=True)
    getattr(engine, "forget", lambda: None)()
    matcher = engine.compile(KIND, grammar)
    end = time.perf_counter() + seconds
    passes = [list(follow(engine, matcher, texts, end)) for _ in range(PASSES)]
    passes = [times for times in passes if len(times) == len(passes[0])]  # not one that was left
    least = [min(times) for times in zip(*passes, strict=True)]
    return {
        "masks": len(least),
        "passes": len(passes),
        "form_us": min(form) * 1e6,
        "compile_us": min(whole) * 1e6,
        "first_us": min(first) * 1e6,
        "warm_us": statistics.mean(least) * 1e6,
        "p99_us": statistics.quantiles(least, n=100)[98] * 1e6,
        "cold_us": statistics.mean(passes[0]) * 1e6,
        "cold_max_us": max(passes[0]) * 1e6,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--engines", default="formwright,llguidance")
    parser.add_argument("--grammars", default="")
    parser.add_argument("--texts", type=int, default=60)
    parser.add_argument("--least", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    vocabulary = VOCABULARIES["tekken"]()
    cases = read_cases(given.cases)
    rows = []
    engines = {name: load(name)(vocabulary.tokens, vocabulary.eos) for name in given.engines.split(",")}
    for grammar in given.grammars.split(",") if given.grammars else cases.G:
        texts = [vocabulary.ids(text) for text in cases.T[grammar][: given.texts]]
        for name, engine in engines.items():
            try:
                row = {
                    "grammar": grammar,
                    "engine": name,
                    **measure(engine, cases.G[grammar], texts, given.least, given.seconds),
                }
            except Exception as error:
                row = {"grammar": grammar, "engine": name, "error": f"{type(error).__name__}: {error}".splitlines()[0]}
            rows.append(row)
            shown = " ".join(
                f"{key} {value:9.1f}" if isinstance(value, float) else f"{value}" for key, value in row.items()
            )
            print(shown, flush=True)
    if given.out:
        (given.out / "grammars.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
