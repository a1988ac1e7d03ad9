"""``contains`` with bounds: which arrays conform, how short they can be, and that large counts cost little more."""

from __future__ import annotations

import json
import time
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from toys import byte_vocabulary

import formwright as fw
from formwright import errors

VALUES = [0, 1, 2, "a", None]
CONDITIONS: list[Any] = [
    {"const": 1},
    {"type": "integer"},
    {"enum": [0, "a"]},
    {"type": "string"},
    {"not": {"const": 2}},
    True,
]


def draw_schema(random: Random) -> dict[str, Any]:
    """An array of a few values, some of which are counted."""
    parts = []
    for _ in range(random.choice([1, 1, 2, 2, 3])):
        part = {"contains": random.choice(CONDITIONS)}
        if random.random() < 0.7:
            part["minContains"] = random.randint(0, 4)
        if random.random() < 0.5:
            part["maxContains"] = random.randint(0, 5)
        parts.append(part)
    schema: dict[str, Any] = {"type": "array", "items": {"enum": VALUES}, "allOf": parts}
    if random.random() < 0.4:
        schema["minItems"] = random.randint(0, 5)
    if random.random() < 0.4:
        schema["maxItems"] = random.randint(schema.get("minItems", 0), 7)
    if random.random() < 0.3:
        schema["prefixItems"] = [
            {"enum": random.sample(VALUES, random.randint(1, 3))} for _ in range(random.randint(1, 3))
        ]
    return schema


def draw_array(random: Random) -> list[Any]:
    return [random.choice(VALUES) for _ in range(random.randint(0, 8))]


def write_within(constraint: fw.Constraint, budget: int, random: Random) -> list[Any]:
    """An array drawn from the masks of a budget of tokens."""
    matcher = constraint.matcher()
    while not matcher.is_finished:
        left = budget - len(matcher.accepted_bytes)
        matcher.accept_token(random.choice(matcher.allowed_token_ids(budget=left)))
    assert len(matcher.accepted_bytes) <= budget
    return list(json.loads(matcher.accepted_bytes))


def test_random_counts_are_those_of_a_validator() -> None:
    random, texts, empty = Random(5), 0, 0
    for _ in range(300):
        schema = draw_schema(random)
        validator, arrays = Draft202012Validator(schema), [draw_array(random) for _ in range(40)]
        try:
            form = fw.json_schema(schema, whitespace="compact")
        except errors.UnsatisfiableSchema:
            empty += 1
            assert not any(map(validator.is_valid, arrays)), schema
            continue
        for array in arrays:
            assert form.matches(json.dumps(array, separators=(",", ":"))) == validator.is_valid(array), (schema, array)
        constraint = fw.compile(form, byte_vocabulary())
        least = constraint.matcher().min_tokens_to_finish
        for more in (0, random.randint(1, 6)):
            texts += 1
            assert validator.is_valid(write_within(constraint, least + more, random)), schema
    assert texts > 300
    assert empty > 5


@pytest.mark.parametrize(
    ("schema", "inside", "outside"),
    [
        ({"contains": {"const": 1}, "minContains": 400}, [1] * 400, [1] * 399),
        ({"minItems": 500, "contains": {"const": 0}, "maxContains": 100}, [0] * 100 + [1] * 400, [0] * 101 + [1] * 400),
        ({"contains": {"const": 1}, "minContains": 50_000}, [1] * 50_000, [1] * 49_999),
        (
            {
                "allOf": [
                    {"contains": {"const": 1}, "minContains": 300},
                    {"contains": {"type": "integer"}, "minContains": 500},
                ]
            },
            [1] * 300 + [2] * 200,
            [1] * 300 + [2] * 199,
        ),
        (
            {"allOf": [{"contains": {"const": name}, "minContains": 15} for name in "abc"]},
            [*"abc"] * 15,
            [*"abc"] * 14 + ["a", "b"],
        ),
    ],
)
def test_large_counts_are_enforced_in_time(schema: dict[str, Any], inside: list[Any], outside: list[Any]) -> None:
    start = time.process_time()
    form = fw.json_schema({"type": "array", **schema})
    assert form.matches(json.dumps(inside))
    assert not form.matches(json.dumps(outside))
    example = form.example()
    assert Draft202012Validator(schema).is_valid(json.loads(example))
    assert time.process_time() - start < 20  # a search through all counts took minutes


def test_many_large_counts_together_are_refused_and_never_dropped() -> None:
    parts = [{"contains": {"const": at}, "minContains": 30} for at in range(3)]
    for schema in ({"type": "array", "allOf": parts}, {"anyOf": [{"type": "array", "allOf": parts}, {"type": "null"}]}):
        with pytest.raises(errors.LimitExceeded, match="counts of items would be 29791") as caught:
            fw.json_schema(schema)
        assert (caught.value.limit, caught.value.allowed) == ("counts of items", 20_000)
