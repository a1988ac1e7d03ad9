"""Which members are evaluated, below negations and among many branches: random schemas, judged by two validators."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

import formwright as fw

NAMES = ["a", "b", "x", "y1"]
VALUES: list[Any] = ["", "b", 3]
LEAVES: list[Any] = [True, False, {}, {"maxLength": 0}, {"type": "string"}, {"const": 3}]
MANY = 6
"""Branches of ``anyOf`` from which on objects are described by one formula instead of the products of branches."""


def make_schema(chance: random.Random, depth: int) -> dict[str, Any]:
    """A random schema of objects."""
    keywords = ["properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "required"]
    if depth > 0:
        keywords += ["anyOf", "many", "oneOf", "allOf", "not", "not", "if", "if", "else", "dependentSchemas"]
    schema: dict[str, Any] = {}
    for keyword in chance.choices(keywords, k=chance.choice([1, 1, 2, 2, 3])):
        match keyword:
            case "properties" | "dependentSchemas":
                leaf = chance.choice(LEAVES) if keyword == "properties" else make_schema(chance, depth - 1)
                schema[keyword] = {chance.choice(NAMES): leaf}
            case "patternProperties":
                schema[keyword] = {chance.choice(["^x", "1$", "^[ab]$"]): chance.choice(LEAVES)}
            case "additionalProperties" | "unevaluatedProperties":
                schema[keyword] = chance.choice(LEAVES)
            case "required":
                schema[keyword] = [chance.choice(NAMES)]
            case "many":
                schema["anyOf"] = [make_schema(chance, 0) if chance.random() < 0.5 else {} for _ in range(MANY)]
            case "anyOf" | "oneOf" | "allOf":
                schema[keyword] = [make_schema(chance, depth - 1) for _ in range(chance.choice([1, 2, 3]))]
            case _:
                schema[keyword] = make_schema(chance, depth - 1)
    return schema


def find_fault(schema: dict[str, Any], chance: random.Random) -> str | None:
    """An object that is accepted although both validators reject it, or the reverse."""
    try:
        form: fw.Form[Any] | None = fw.json_schema(schema, order="model")
    except fw.errors.UnsatisfiableSchema:
        form = None
    except fw.errors.LimitExceeded:
        return None
    judges: list[Any] = [jsonschema.Draft202012Validator(schema), jsonschema_rs.Draft202012Validator(schema)]
    for _ in range(12):
        members = {name: chance.choice(VALUES) for name in chance.sample(NAMES, chance.randrange(5))}
        text = json.dumps(members)
        accepted = form is not None and form.matches(text)
        if all(judge.is_valid(members) is not accepted for judge in judges):
            return f"{'accepted' if accepted else 'rejected'}: {text} by {json.dumps(schema)}"
    return None


@pytest.mark.parametrize(("first", "count"), [(2_000, 800), pytest.param(10_000, 3_000, marks=pytest.mark.slow)])
def test_validators_agree(first: int, count: int) -> None:
    for seed in range(first, first + count):
        chance = random.Random(seed)
        schema = make_schema(chance, chance.choice([2, 3, 4]))
        schema["unevaluatedProperties"] = chance.choice([False, {"maxLength": 0}, {"const": 3}])
        assert not find_fault(schema, chance)


@pytest.mark.parametrize("outer", ["if", "not"])
def test_nothing_is_evaluated_below_two_negations(outer: str) -> None:
    branches: list[Any] = [*[{}] * MANY, {"patternProperties": {"^a.b$": {}}}]
    inner = {"anyOf": branches, "unevaluatedProperties": {}, "properties": {"x": {}}}
    form = fw.json_schema({"unevaluatedProperties": {"maxLength": 0}, outer: {"not": inner}})
    assert form.matches('{"x": ""}')
    assert not form.matches('{"x": "ba"}')


def test_a_condition_without_branches_leaves_nothing_out() -> None:
    """Whether the condition holds depends on who reads the format; without `then` and `else`, nothing else does."""
    inner = {"dependentSchemas": {"1": {"unevaluatedProperties": {"$ref": "#"}}}}
    form = fw.json_schema({"if": inner, "format": "ipv4"})
    assert form.matches('{"1": "1"}')
    assert {row.status for row in form.explain()} == {"redundant", "enforced", "narrowed"}
