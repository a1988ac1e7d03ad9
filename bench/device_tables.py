"""Tables of forms for a device: how many states, masks and classes, how many bytes, and how long they take to make.

    python bench/device_tables.py                # 128,000 tokens
    python bench/device_tables.py --tokens 32000

The vocabulary is drawn, as byte-level models have them, so nothing is downloaded. Times are the least of three.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import Any

import formwright as fw
from formwright.device import DeviceTables

PIECES = ('{"', '":', '": "', '", "', '"}', "}]", "},", '":{"', '["', '"]', ": ", ", ", "true", "false", "null")


def vocabulary(size: int) -> list[bytes]:
    """The tokens: all bytes, pieces of JSON, numbers, words with and without a space."""
    draw = random.Random(size)
    known = {bytes([byte]): None for byte in range(256)}
    known |= {piece.encode(): None for piece in PIECES}
    known |= {str(number).encode(): None for number in range(1000)}
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    while len(known) < size:
        word = "".join(draw.choices(letters, range(26, 0, -1), k=min(12, 1 + int(draw.expovariate(0.22)))))
        word = word.capitalize() if draw.random() < 0.2 else word
        known[(" " * (draw.random() < 0.5) + word).encode()] = None
    return list(known)[:size]


def object_of(required: str = "", **properties: Any) -> dict[str, Any]:
    """An object with these members and no others; those that are named, or all, are required."""
    names = required.split() or list(properties)
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


INVOICE = object_of(
    number={"type": "string", "pattern": "^INV-[0-9]{6}$"},
    date={"type": "string", "format": "date"},
    currency={"enum": ["EUR", "USD", "GBP", "JPY"]},
    lines={
        "type": "array",
        "items": object_of(sku={"type": "string"}, qty={"type": "integer"}, price={"type": "number"}),
    },
)
SEARCH = object_of(
    "query",
    query={"type": "string"},
    limit={"type": "integer", "minimum": 1, "maximum": 100},
    sort={"enum": ["date", "relevance"]},
)
PERSON = object_of(name={"type": "string", "maxLength": 40}, age={"type": "integer", "minimum": 0, "maximum": 150})
FORMS = {
    "a choice of 1,000 numbers": fw.choice(*map(str, range(1000))),
    "a tool call": fw.json_schema(object_of(name={"const": "search"}, arguments=SEARCH), whitespace="compact"),
    "a name of up to 40 characters, an age": fw.json_schema(PERSON, whitespace="compact"),
    "an invoice with lines": fw.json_schema(INVOICE, whitespace="compact"),
    "the same, with any whitespace": fw.json_schema(INVOICE),
}


def measure(form: fw.Form[Any], known: fw.Vocabulary) -> tuple[DeviceTables, float]:
    """The tables of a form, and the milliseconds that they take."""
    constraint, least = fw.compile(form, known), float("inf")
    for _ in range(3):
        began = time.perf_counter()
        made = constraint.device_tables()
        least = min(least, time.perf_counter() - began)
    assert made is not None, "the form has no tables"
    return made, 1e3 * least


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tokens", type=int, default=128_000)
    size: int = parser.parse_args().tokens
    tokens = [*vocabulary(size - 1), b""]  # the end of text has no bytes
    known = fw.Vocabulary(tokens, eos_token_ids=[size - 1])
    print("| form | states | masks | classes | MB | MB, a mask each state | ms |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, form in FORMS.items():
        made, spent = measure(form, known)
        apart = made.nbytes + (made.states - len(made.masks)) * made.masks.shape[1] * 4
        counts = f"{made.states:,} | {len(made.masks)} | {made.next.shape[1]}"
        print(f"| {name} | {counts} | {made.nbytes / 1e6:.1f} | {apart / 1e6:.1f} | {spent:.0f} |")


if __name__ == "__main__":
    main()
