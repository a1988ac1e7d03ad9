"""Every strategy ends: random schemas, models that want anything but the end, budgets from the shortest text on.

::

    python tests/programs/endings.py 100000 1

One run is a schema, a model with a taste, a budget and a strategy: the loop, a batch of three rows, or beams. Its text
must be complete within the budget and in form. Tastes: openers ({, [, quotes, digits), the longest tokens, the least
likely ones, or nothing in particular. A schema that is refused, or whose shortest text is too long, is no run.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from typing import Any

import numpy as np
from random_schemas import Maker

import formwright as fw
from formwright.generation import Complete
from formwright.models import LocalModel

TOKENS: list[bytes | None] = [
    *(bytes([byte]) for byte in range(256)),
    *(b'{"', b'"}', b'":', b'","', b"[[", b"]]", b"true", b"false"),
    *(b"null", b"00", b"12", b"aa", b"ab", b'["', b'"]', b"  "),
    None,
]  # fmt: skip
END = len(TOKENS) - 1
VOCABULARY = fw.Vocabulary(TOKENS, eos_token_ids=[END])
POOL = np.random.default_rng(0).normal(size=(512, len(TOKENS))).astype(np.float32)
"""Opinions of all models; each step takes another row."""
MOST_TOKENS = 40


def taste(kind: str) -> np.ndarray:
    """What is added to every row of opinions."""
    added = np.zeros(len(TOKENS), np.float32)
    spelled = [token or b"" for token in TOKENS]
    if kind == "openers":
        added[[token[:1] in (b"{", b"[", b'"', b"1", b"-", b",") for token in spelled]] = 9
    elif kind == "long":
        added += np.array([len(token) for token in spelled]) * 5
    elif kind == "unlikely":
        added -= 2 * np.abs(POOL[0]) * 9
    added[END] = -50
    return added


TASTES = {kind: taste(kind) for kind in ("openers", "long", "unlikely", "any")}


class Adversary:
    """A model that never wants to end."""

    context = 1 << 20

    def __init__(self, kind: str, seed: int, length: int = 0) -> None:
        self.kind, self.seed, self.length = kind, seed, length

    def prefill(self, token_ids: Any, /) -> np.ndarray:
        self.length += len(token_ids)
        return POOL[(self.seed + 7 * self.length + int(token_ids[-1])) % len(POOL)] + TASTES[self.kind]

    def step(self, token_id: int, /) -> np.ndarray:
        return self.prefill([token_id])

    def fork(self) -> Adversary:
        return Adversary(self.kind, self.seed, self.length)


def fault(seed: int, counts: Counter[str]) -> str | None:
    """One run; what was wrong with it, if anything."""
    chance = random.Random(f"ending {seed}")
    schema = Maker(random.Random(f"schema {seed}")).document()
    try:
        form = fw.json_schema(schema, order=chance.choice(["schema", "model"]), whitespace="compact")
        constraint = fw.compile(form, VOCABULARY)
    except (fw.errors.LanguageError, fw.errors.LimitExceeded):
        counts["refused"] += 1
        return None
    least = constraint.matcher().min_tokens_to_finish
    if least > MOST_TOKENS:
        counts["long"] += 1
        return None
    budget = least + chance.choice([0, 0, 1, 2, 5, 20])
    model = LocalModel("adversary", Adversary(chance.choice(list(TASTES)), seed), VOCABULARY, lambda text: [1])
    strategy = chance.choice(["loop", "batch", "beams"])
    counts[strategy] += 1
    options: dict[str, Any] = {"max_tokens": budget, "seed": seed}
    if strategy == "beams":
        results = [model.generate([1], constraint, beams=chance.choice([2, 4]), **options)]
    elif strategy == "batch":
        prompts, options["temperature"] = [[1], [2], [3]], 1.0
        results = model.generate_many(prompts, constraint, progress=False, **options)
    else:
        results = [model.generate([1], constraint, temperature=chance.choice([0.0, 1.0]), **options)]
    for result in results:
        if not isinstance(result, Complete) or len(result.token_ids) > budget or not form.matches(result.text):
            return f"{strategy}: {result!r}"
    return None


def main() -> int:
    count, first = int(sys.argv[1]), int(sys.argv[2])
    counts: Counter[str] = Counter()
    started, seed, faults = time.perf_counter(), first, 0
    while counts["loop"] + counts["batch"] + counts["beams"] < count:
        try:
            found = fault(seed, counts)
        except Exception as error:
            found = f"crashed: {error!r}"
        if found is not None:
            faults += 1
            print(json.dumps({"seed": seed, "fault": found}), flush=True)
        seed += 1
    print(json.dumps({"runs": counts, "faults": faults, "seconds": round(time.perf_counter() - started)}))
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
