"""Forms as sets, against brute force: all texts of small languages, many values of small schemas."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
from typing import Any

import jsonschema_rs
import pytest
from small_patterns import draw_pattern
from small_schemas import VALUES, draw_schema

import formwright as fw
from formwright.forms.sets import difference

SEEDS = int(os.environ.get("FORMWRIGHT_SEEDS", "0"))

# --- regular forms --------------------------------------------------------------------------------


TEXTS = ["".join(letters) for length in range(6) for letters in itertools.product("ab", repeat=length)]


def compare_patterns(seed: int) -> None:
    """Inclusion, difference and emptiness of two patterns are those of their texts."""
    random_ = random.Random(seed)
    patterns = [draw_pattern(random_) for _ in range(2)]
    a, b = (fw.regex(pattern) for pattern in patterns)
    texts = [{text for text in TEXTS if re.fullmatch(pattern, text)} for pattern in patterns]
    if texts[0] - texts[1]:
        assert not a.is_subset(b), patterns
    if texts[0] & texts[1]:
        assert not a.is_disjoint(b), patterns
        assert (a & b).example() in texts[0] & texts[1], patterns
    found = difference(a, b)
    if found is None:
        assert texts[0] == texts[1], patterns
        assert a.is_equivalent(b), patterns
        return
    matched = [re.fullmatch(pattern, found.text) is not None for pattern in patterns]
    assert matched == [found.side == "first", found.side == "second"], (patterns, found)
    shortest = min((len(text) for text in texts[0] ^ texts[1]), default=len(found.text))
    assert len(found.text) <= shortest, (patterns, found)


@pytest.mark.parametrize("seed", range(300))
def test_patterns_are_compared_as_their_texts(seed: int) -> None:
    compare_patterns(seed)


@pytest.mark.slow
def test_many_patterns_are_compared_as_their_texts() -> None:
    for seed in range(1_000, 1_000 + (SEEDS or 500)):
        compare_patterns(seed)


# --- schemas --------------------------------------------------------------------------------------


def draw_pair(random_: random.Random) -> tuple[Any, Any]:
    """Two schemas that have something in common: the second is drawn anew, or is the first with a change."""
    definitions = {"x": draw_schema(random_, 0)}
    first = {"allOf": [draw_schema(random_)], "$defs": definitions}
    if random_.random() < 0.5:
        return first, {"allOf": [draw_schema(random_)], "$defs": definitions}
    return first, {"allOf": [*first["allOf"], draw_schema(random_, 1)], "$defs": definitions}


def compare_schemas(seed: int) -> str:
    """What is said of two schemas, checked: ``"equal"``, ``"different"``, ``"empty"`` or ``"undecided"``."""
    schemas = draw_pair(random.Random(seed))
    try:
        a, b = (fw.json_schema(schema) for schema in schemas)
    except (fw.errors.UnsatisfiableSchema, fw.errors.UnsupportedKeyword):
        return "empty"
    validators = [jsonschema_rs.Draft202012Validator(schema) for schema in schemas]
    try:
        found = difference(a, b)
        is_disjoint = a.is_disjoint(b)
    except fw.errors.Undecided:
        return "undecided"
    allowed = [[validator.is_valid(value) for value in VALUES] for validator in validators]
    assert not (is_disjoint and any(map(all, zip(*allowed, strict=True)))), schemas
    if found is None:
        assert allowed[0] == allowed[1], (schemas, [v for v, x, y in zip(VALUES, *allowed, strict=True) if x != y])
        return "equal"
    valid = [validator.is_valid(json.loads(found.text)) for validator in validators]
    assert valid == [found.side == "first", found.side == "second"], (schemas, found)
    assert found.keywords, (schemas, found)
    return "different"


@pytest.mark.parametrize("start", range(0, 400, 20))
def test_schemas_are_compared_as_their_values(start: int) -> None:
    for seed in range(start, start + 20):
        compare_schemas(seed)


@pytest.mark.slow
def test_many_schemas_are_compared_as_their_values() -> None:
    said = [compare_schemas(seed) for seed in range(10_000, 10_000 + (SEEDS or 500))]
    assert said.count("undecided") < 0.01 * len(said)
    assert min(said.count("equal"), said.count("different")) > 0.05 * len(said)
