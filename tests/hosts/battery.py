"""Twenty forms and twenty prompts for every host, and the record of what came out.

A script for each host, named after it, is run by ``run`` in an environment of its own::

    tests/hosts/run llama_cpp

It lets the host write each form behind each prompt, compares with formwright's own loop where both ask the same
numbers, measures what a token costs with and without a form, and leaves a record that the documentation shows.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

import formwright as fw
from formwright._hosts import HOSTS

RECORDS = Path(__file__).parent / "records"
BUDGET = 48
ROUNDS = 7


class Person(BaseModel):
    name: str = Field(max_length=20)
    age: int = Field(ge=0, le=150)
    city: str | None = Field(default=None, max_length=20)


class Line(BaseModel):
    product: Literal["lamp", "chair", "table"]
    count: int = Field(ge=1, le=99)


class Order(BaseModel):
    lines: list[Line] = Field(max_length=2)
    is_gift: bool


FORMS: dict[str, Any] = {
    "integer": int,
    "number": {"type": "number", "minimum": -5, "maximum": 5},
    "boolean": bool,
    "null": {"type": "null"},
    "literal": Literal["yes", "no"],
    "choice": fw.choice("positive", "negative", "neutral"),
    "long choice": fw.choice(*(f"entity {number}" for number in range(200))),
    "date": fw.regex(r"\d{4}-\d{2}-\d{2}"),
    "name": fw.regex("[A-Z][a-z]{2,10}"),
    "list of integers": {"type": "array", "items": {"type": "integer", "maximum": 9}, "maxItems": 4},
    "unique items": {"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": True, "minItems": 2},
    "string": {"type": "string", "maxLength": 12},
    "email": {"type": "string", "format": "email", "maxLength": 20},
    "person": Person,
    "order": Order,
    "any object": {"type": "object", "maxProperties": 2, "additionalProperties": {"type": "integer", "maximum": 99}},
    "union": {"anyOf": [{"type": "integer", "maximum": 99}, {"type": "string", "maxLength": 5}]},
    "template": fw.template("Name: {name}\nAge: {age}", name=fw.regex("[A-Z][a-z]{1,9}"), age=int),
    "literal text": fw.literal("just this, and nothing else"),
    "text to a mark": fw.text(until=".", max_chars=30),
}
NAMES = """Ada Lovelace, Bo, Clara Novak, Dan Brown, Eve Stone, Finn Olsen, Grace Hopper, Hugo Weber, Ines Costa,
Jan de Vries, Kai, Lena Horn, Max Frisch, Nora Roth, Otto Lang, Paula Diaz, Quinn, Rosa Blau, Sam Hill, Tess Young"""
CITIES = ("London", "Oslo", "Prague", "Leeds", "Kyoto", "Bergen", "New York", "Berlin", "Lisbon", "Utrecht")
PROMPTS = [
    f"{name.strip()} is {18 + 7 * number % 60} years old and lives in {CITIES[number % len(CITIES)]}."
    for number, name in enumerate(NAMES.split(","))
]


def texts(write: Callable[[str, Any], str], own: Callable[[str, Any], str] | None = None) -> dict[str, int]:
    """Let a host write every form behind every prompt.

    Args:
        write: The text that the host writes behind a prompt in a form, with at most `BUDGET` tokens.
        own: The text that our own loop writes there, where it asks the same numbers.
    """
    counts = {"texts": 0, "invalid": 0}
    for form in FORMS.values():
        for prompt in PROMPTS:
            text = write(prompt, form)
            counts["texts"] += 1
            counts["invalid"] += not fw.form(form).check(text).is_complete
            if own is not None:
                counts["like_ours"] = counts.get("like_ours", 0) + (text == own(prompt, form))
    print(counts)
    assert counts["texts"] == 400
    assert counts["invalid"] == 0
    assert counts.get("like_ours", 400) == 400
    return counts


def microseconds(run: Callable[[bool], int]) -> dict[str, float]:
    """What a token costs in a host with a form and without one, in turns: medians, and of the difference.

    Args:
        run: Writes with a form or without one; how many tokens.
    """
    pairs = []
    for constrained in (True, False):
        run(constrained)
    for _ in range(ROUNDS):
        pairs.append([_timed(run, constrained) for constrained in (True, False)])
    found = {
        "with": statistics.median(pair[0] for pair in pairs),
        "without": statistics.median(pair[1] for pair in pairs),
        "added": statistics.median(pair[0] - pair[1] for pair in pairs),
    }
    print({name: round(value, 1) for name, value in found.items()}, "us a token")
    return {name: round(value, 1) for name, value in found.items()}


def _timed(run: Callable[[bool], int], constrained: bool) -> float:
    began = time.perf_counter()
    tokens = run(constrained)
    return (time.perf_counter() - began) / tokens * 1e6


def record(key: str, how: str, features: dict[str, str], **figures: Any) -> None:
    """Leave what was seen for the documentation.

    Args:
        key: The host, as in `HOSTS`.
        how: What was run: ``"real host"``, ``"real classes"``, ``"signatures"`` or ``"double"``.
        features: How batch, beams, speculation, reasoning, tools and forced tokens go there.
        figures: What was counted and measured.
    """
    RECORDS.mkdir(exist_ok=True)
    seen = {"version": HOSTS[key].version(), "how": how, "features": features, **figures}
    (RECORDS / f"{key}.json").write_text(json.dumps(seen, indent=2) + "\n")
    print(f"{key} {seen['version']}: {how}, recorded")
