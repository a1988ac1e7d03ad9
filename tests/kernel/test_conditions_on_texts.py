"""Conditions that ask for a few texts, inside each other: "one of k, l" and "k" tell the same value apart.

Random schemas over three members and all small objects, against jsonschema-rs.
"""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import jsonschema_rs
import pytest
from parameters import slow_except

import formwright as fw
from formwright.errors import UnsatisfiableSchema

NAMES = ("a", "b", "c")
TEXTS = ("k", "l", "m")
OBJECTS = [
    {name: value for name, value in zip(NAMES, values, strict=True) if value is not None}
    for values in itertools.product((None, 0, *TEXTS), repeat=len(NAMES))
]


def draw_schema(dice: random.Random, depth: int) -> dict[str, Any]:
    kind = dice.random()
    if depth == 0 or kind < 0.35:
        return draw_member(dice)
    if kind < 0.55:
        return {"not": draw_schema(dice, depth - 1)}
    parts = [draw_schema(dice, depth - 1) for _ in range(dice.randint(2, 3))]
    required = {"required": [dice.choice(NAMES)]} if dice.random() < 0.3 else {}
    return {**required, dice.choice(("allOf", "anyOf", "oneOf")): parts}


def draw_member(dice: random.Random) -> dict[str, Any]:
    name, kind = dice.choice(NAMES), dice.random()
    if kind < 0.3:
        return {"required": [name]}
    if kind < 0.45:
        return {"properties": {name: {"type": dice.choice(("string", "integer"))}}}
    texts = {"properties": {name: {"enum": dice.sample(TEXTS, dice.randint(0, len(TEXTS)))}}}
    return {"required": [name], **texts} if dice.random() < 0.4 else texts


@pytest.mark.parametrize("seeds", slow_except([400], [400, 10_000]))
def test_enums_inside_each_other_are_told_apart(seeds: int) -> None:
    for seed in range(seeds):
        dice = random.Random(seed)
        schema = {"type": "object", "allOf": [draw_schema(dice, 3), draw_schema(dice, 3)]}
        judge: Any = jsonschema_rs.validator_for(schema)
        valid = [value for value in OBJECTS if judge.is_valid(value)]
        try:
            form = fw.json_schema(schema, order="model")
        except UnsatisfiableSchema:
            assert valid == [], schema
            continue
        assert [value for value in OBJECTS if form.matches(json.dumps(value))] == valid, schema


def test_a_text_is_told_apart_from_those_that_meet_more() -> None:
    """The class of "one of l, r" held "r" too, so that no text of it was sure to differ from "r"."""
    kind = {"properties": {"type": {"enum": ["l", "r"]}}}
    only = {"properties": {"type": {"enum": ["r"]}}}
    named = {"required": ["name"], "properties": {"name": {"type": "string"}, "type": {"enum": ["r"]}}}
    left = {"required": ["type"], "properties": {"type": {"enum": ["l"]}}}
    grouped = {"required": ["group"], "oneOf": [{"properties": {"type": {"enum": []}}}, left]}
    form = fw.json_schema({"allOf": [{"anyOf": [kind, only]}, {"not": {"anyOf": [grouped, named]}}]}, order="model")
    assert form.matches('{"type": "l", "name": ""}')
    assert not form.matches('{"type": "r", "name": ""}')
