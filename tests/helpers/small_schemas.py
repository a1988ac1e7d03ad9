"""Small schemas, and values that most of their keywords tell apart."""

from __future__ import annotations

import itertools
import random
from typing import Any

SCALARS: list[Any] = [None, True, False, -1, 0, 1, 2, 3, 4, 0.5, "", "a", "b", "aa", "ab", "abc", "2024-01-31"]
SMALL: list[Any] = [None, True, 0, 1, 2, 0.5, "", "a", "ab"]
VALUES: list[Any] = [
    *SCALARS,
    *([list(items) for length in range(3) for items in itertools.product(SMALL, repeat=length)]),
    *([0, 1, 0], [1, 1, 1], [[0]], [[0], [0]]),
    *(
        {name: value for name, value in zip("abc", row, strict=True) if value != "absent"}
        for row in itertools.product([0, 1, "a", None, "absent"], repeat=3)
    ),
    *({"a": {"a": value}} for value in SMALL),
]


def draw_schema(random_: random.Random, depth: int = 2) -> Any:
    """A small schema; most of its keywords change which of `VALUES` it allows."""
    inner = lambda: draw_schema(random_, depth - 1)  # noqa: E731
    makers = [
        lambda: random_.choice(
            [True, {}, {"type": random_.choice(["string", "integer", "number", "null", "boolean"])}]
        ),
        lambda: {"type": "integer", "minimum": random_.randint(-1, 2), "maximum": random_.randint(1, 4)},
        lambda: {"type": "number", "exclusiveMinimum": random_.randint(-1, 2)},
        lambda: {"type": "integer", "multipleOf": random_.choice([1, 2, 3])},
        lambda: {"type": "string", "minLength": random_.randint(0, 2), "maxLength": random_.randint(1, 3)},
        lambda: {"type": "string", "pattern": random_.choice(["^a", "b$", "^a*$", "a|b"])},
        lambda: {"enum": random_.sample(SCALARS, random_.randint(1, 4))},
        lambda: {"const": random_.choice(SCALARS)},
    ]
    if depth:
        makers += [
            lambda: {
                "type": "object",
                "properties": {"a": inner()},
                "required": random_.sample("abc", random_.randint(0, 2)),
            },
            lambda: {"type": "object", "properties": {"a": inner(), "b": inner()}, "additionalProperties": False},
            lambda: {"type": "object", "properties": {"a": inner()}, "additionalProperties": inner()},
            lambda: {"type": "object", "minProperties": random_.randint(0, 2), "maxProperties": random_.randint(1, 3)},
            lambda: {"type": "object", "patternProperties": {"^[ab]$": inner()}},
            lambda: {"type": "object", "dependentRequired": {"a": ["b"]}},
            lambda: {"type": "array", "items": inner(), "maxItems": random_.randint(1, 3)},
            lambda: {"type": "array", "prefixItems": [inner()], "items": inner(), "minItems": random_.randint(0, 1)},
            lambda: {"type": "array", "contains": inner()},
            lambda: {"anyOf": [inner(), inner()]},
            lambda: {"oneOf": [inner(), inner()]},
            lambda: {"allOf": [inner(), inner()]},
            lambda: {"not": inner()},
            lambda: {"if": inner(), "then": inner(), "else": inner()},
            lambda: {"$ref": "#/$defs/x"},
        ]
    if random_.random() < 0.01:
        return {"type": "array", "uniqueItems": True, "items": {"type": "integer"}}
    return random_.choice(makers)()
