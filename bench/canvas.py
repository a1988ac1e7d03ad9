"""Canvases of forms with the tokens of Tekken: first masks, placed tokens, memory.

    python bench/canvas.py                          # the forms of this file, two of which are recursive
    python bench/canvas.py --sample FILE            # closed schemas of a sample: JSON lines, as of MaskBench
    python bench/canvas.py --length 256 --most 100

Masks: all holes of a new canvas, where each token leads being known. Place: canvases filled in random order, each token
drawn from the mask of its hole; first one by one, then 16 at once with the rows that follow. Times are those of the
processor for one thread, so other work on the machine matters little.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mistral_common
import numpy as np
from mistral_common.tokens.tokenizers.tekken import Tekkenizer

import formwright as fw
from formwright.masks.canvas import Canvas

TEKKEN = Path(mistral_common.__file__).parent / "data" / "tekken_240911.json"


def object_of(**properties: Any) -> dict[str, Any]:
    """A closed object with these members, all required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


PERSON = object_of(
    name={"type": "string"}, age={"type": "integer", "minimum": 0, "maximum": 150}, vip={"type": "boolean"}
)
TICKET = object_of(
    title={"type": "string", "maxLength": 60},
    due={"type": "string", "format": "date"},
    tags={"type": "array", "items": {"enum": ["bug", "feature", "question"]}, "maxItems": 4},
    author=object_of(name={"type": "string", "maxLength": 40}, id={"type": "integer"}),
)
TREE = object_of(value={"type": "integer"}, children={"type": "array", "items": {"$ref": "#"}})
JSON = r"""
start: value
value: "{" [pair ("," pair)*] "}" | "[" [value ("," value)*] "]" | STRING | NUMBER | "true" | "false" | "null"
pair: STRING ":" value
STRING: /"([^"\\\x00-\x1f]|\\["\\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/
NUMBER: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/
"""
FORMS: dict[str, Any] = {
    "date": {"type": "string", "format": "date"},
    "person": PERSON,
    "ticket": TICKET,
    "tree": TREE,
    "json": fw.grammar(JSON),
}


def close_objects(value: Any) -> Any:
    """A schema all of whose objects are closed."""
    if isinstance(value, list):
        return [close_objects(item) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: close_objects(item) for key, item in value.items()}
    return made | {"additionalProperties": False} if isinstance(made.get("properties"), dict) else made


def read_sample(file: Path, most: int) -> Iterator[tuple[str, Any]]:
    """Names and closed schemas, evenly spread over a sample."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    for case in cases[:: max(1, len(cases) // most)]:
        yield case["name"], close_objects(case["schema"])


def milliseconds(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.thread_time()
    made = work()
    return 1e3 * (time.thread_time() - began), made


def fill(empty: Canvas, mask: Any, chance: random.Random, each: int) -> tuple[list[float], int]:
    """Fill a canvas at random, some tokens at a time; the milliseconds of each step, and the bytes of the canvas."""
    canvas, times = empty.fork(), []
    rows = canvas.fill_bitmasks(mask)
    while holes := canvas.holes:
        order = chance.sample(holes, k=min(each, len(holes)))
        tokens = [int(chance.choice(fw.allowed_tokens(mask[rows[at]]))) for at in order]

        def step(order: list[int] = order, tokens: list[int] = tokens) -> Any:
            canvas.place_all(order, tokens)
            return canvas.fill_bitmasks(mask) if each > 1 else None

        spent, found = milliseconds(step)
        rows = canvas.fill_bitmasks(mask) if found is None else found
        times.append(spent)
    return times, canvas.nbytes


def measure(form: Any, vocabulary: fw.Vocabulary, length: int) -> dict[str, Any]:
    """The figures of one form, or of that of a schema."""
    if not isinstance(form, fw.Form):
        form = fw.json_schema(form, whitespace="compact")
    constraint = fw.compile(form, vocabulary)
    mask = fw.allocate_bitmask(length, vocabulary)
    first, _ = milliseconds(lambda: constraint.canvas(length))
    began, canvas = milliseconds(lambda: constraint.canvas(length))
    spent, index = milliseconds(lambda: canvas.fill_bitmasks(mask))
    chance = random.Random(1)
    one, nbytes = fill(canvas, mask, chance, 1)
    many, _ = fill(canvas, mask, chance, 16)
    return {
        "size": canvas.form_size,
        "form": first,
        "masks": began + spent,
        "rows": int(index.max()) + 1,
        "place": one,
        "place 16": many,
        "bytes": nbytes,
    }


def quantiles(times: list[float]) -> str:
    return " / ".join(f"{np.quantile(times, share):.3g}" for share in (0.5, 0.99, 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sample", type=Path)
    parser.add_argument("--length", type=int, default=256)
    parser.add_argument("--most", type=int, default=100)
    options = parser.parse_args()
    vocabulary = fw.Vocabulary.from_tokenizer(Tekkenizer.from_file(str(TEKKEN)))
    forms = read_sample(options.sample, options.most) if options.sample else iter(FORMS.items())
    print("| form | states, edges | form, ms | masks, ms | rows | place, ms p50 / p99 / max | place 16 and rows | MB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    all_of: list[dict[str, Any]] = []
    refused = 0
    for name, schema in forms:
        try:
            found = measure(schema, vocabulary, options.length)
        except (fw.errors.SchemaError, fw.errors.LimitExceeded, fw.errors.DeadEnd) as error:
            print(f"{name}: {error}".split("\n")[0][:110], file=sys.stderr)
            refused += 1
            continue
        all_of.append(found)
        states, edges = found["size"]
        print(
            f"| {name} | {states:,}, {edges:,} | {found['form']:.0f} | {found['masks']:.2f} | {found['rows']} | "
            f"{quantiles(found['place'])} | {quantiles(found['place 16'])} | {found['bytes'] / 1e6:.1f} |",
            flush=True,
        )
    print(f"\n{len(all_of)} forms, {refused} without a canvas; p50 / p99 / max over all of them:")
    for what in ("form", "masks"):
        print(f"{what}: {quantiles([found[what] for found in all_of])} ms")
    for what in ("place", "place 16"):
        print(f"{what}: {quantiles([spent for found in all_of for spent in found[what]])} ms")
    print(f"bytes: {max(found['bytes'] for found in all_of) / 1e6:.1f} MB at most")


if __name__ == "__main__":
    main()
