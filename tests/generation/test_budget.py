"""Texts end within their tokens over a real vocabulary, however they are chosen."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from parameters import slow_except

import formwright as fw

#: Texts of each form.
TEXTS = 24

#: Tokens beyond the least budget, at most.
SPARE = 30

FORMS: Sequence[tuple[str, Callable[[], fw.Form[object]]]] = [
    (
        "records",
        lambda: fw.json_schema(
            {
                "type": "object",
                "properties": {
                    "id": {"type": "string", "format": "uuid"},
                    "when": {"type": "string", "format": "date-time"},
                    "tags": {
                        "type": "array",
                        "items": {"enum": ["new", "used", "on offer"]},
                        "uniqueItems": True,
                        "minItems": 2,
                    },
                    "size": {"type": "number", "exclusiveMinimum": 0},
                },
                "required": ["id", "when", "tags"],
            }
        ),
    ),
    ("any JSON", lambda: fw.json()),
    (
        "any order",
        lambda: fw.json_schema(
            {"type": "object", "minProperties": 3, "properties": {"name": {"minLength": 4, "type": "string"}}},
            order="model",
        ),
    ),
    (
        "a tree",
        lambda: fw.json_schema(
            {
                "$ref": "#/$defs/node",
                "$defs": {
                    "node": {
                        "type": "object",
                        "properties": {"left": {"$ref": "#/$defs/node"}, "value": {"type": "integer"}},
                        "required": ["value"],
                    }
                },
            },
            order="model",
        ),
    ),
    ("a line", lambda: fw.regex(r"(?:[A-Z][a-z]{2,12} ){2,5}- .{20,60}!")),
]


@pytest.mark.parametrize("name", slow_except(["a line"], dict(FORMS)))
def test_texts_of_a_real_vocabulary_end_in_time(name: str, tekken_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(dict(FORMS)[name](), tekken_vocabulary)
    lengths = [len(tekken_vocabulary.token(token)) for token in range(len(tekken_vocabulary))]
    mask = fw.allocate_bitmask(1, tekken_vocabulary)
    draw = random.Random(7)
    for text in range(TEXTS):
        matcher = constraint.matcher()
        budget = matcher.min_tokens_to_finish + draw.randrange(SPARE) * (text % 3)
        while not matcher.is_finished:
            assert matcher.min_tokens_to_finish <= budget
            if budget == 0:
                assert matcher.is_complete
                break
            matcher.fill_bitmask(mask, budget=budget)
            allowed = np.flatnonzero(np.unpackbits(mask[0].view(np.uint8), bitorder="little"))
            some = [int(allowed[draw.randrange(len(allowed))]) for _ in range(8)]
            matcher.accept_token(some[0] if text % 2 else max(some, key=lengths.__getitem__))
            budget -= 1
