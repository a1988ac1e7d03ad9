"""Forms as sets, against brute force: all texts of small languages, many values of small schemas."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
from contextlib import suppress
from typing import Any

import jsonschema_rs
import pytest
from small_patterns import draw_pattern
from small_schemas import VALUES, draw_schema

import formwright as fw
from formwright._kernel import json_schema_formats
from formwright.forms.sets import difference

SEEDS = int(os.environ.get("FORMWRIGHT_SEEDS", "0"))

# --- regular forms --------------------------------------------------------------------------------


FORMATS = dict(json_schema_formats())

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
    assert min(said.count("equal"), said.count("different")) > 0.02 * len(said)


# --- claims that need more than the places of a document ------------------------------------------

UNIQUE = {"uniqueItems": True}

# A schema, one that does not hold all its values, and one of those.
NO_SUBSETS: dict[str, tuple[Any, Any, str]] = {
    "a place that a reference leads to as well": (
        {"properties": {"b": UNIQUE}},
        {"properties": {"a": UNIQUE, "b": {"$ref": "#/properties/a"}}},
        '{"a":[0,0]}',
    ),
    "recursion": (
        {"properties": {"next": {"properties": {"v": UNIQUE}}}},
        {"properties": {"next": {"$ref": "#"}, "v": UNIQUE}},
        '{"v":[0,0]}',
    ),
    "a reference with an escape": (
        {"properties": {"a": UNIQUE}},
        {"properties": {"a": UNIQUE, "b": {"$ref": "#/%70roperties/a"}}},
        '{"b":[0,0]}',
    ),
    "an address inside": (
        {"$defs": {"u": UNIQUE}, "properties": {"a": {"$id": "http://x/", "$ref": "#/$defs/u", "$defs": {"u": {}}}}},
        {"properties": {"a": UNIQUE}},
        '{"a":[0,0]}',
    ),
    "an item that is not the first": (
        {"type": "array", "prefixItems": [{"type": "integer"}]},
        {"type": "array", "items": UNIQUE},
        "[0,[0,0]]",
    ),
    "deep values": (
        {"const": json.loads('{"n":' * 13 + '{"v":[0,0]}' + "}" * 13)},
        {"properties": {"n": {"$ref": "#"}, "v": UNIQUE}},
        '{"n":' * 13 + '{"v":[0,0]}' + "}" * 13,
    ),
}


@pytest.mark.parametrize("name", NO_SUBSETS)
def test_no_inclusion_is_claimed_that_is_none(name: str) -> None:
    first, second, text = NO_SUBSETS[name]
    a, b = fw.json_schema(first), fw.json_schema(second)
    assert a.matches(text)
    assert not b.matches(text)
    with suppress(fw.errors.Undecided):
        assert not a.is_subset(b)


def test_registries_are_kept_apart() -> None:
    reference = {"$ref": "http://x/a"}
    a = fw.json_schema(reference, registry={"http://x/a": '{"type": "integer"}'})
    b = fw.json_schema(reference, registry={"http://x/a": '{"type": "string"}'})
    with pytest.raises(fw.errors.ArgumentError, match="different documents at http://x/a"):
        a.is_subset(b)
    assert a.is_equivalent(a)
    other = {
        "$id": "http://x/b",
        "properties": {"p": {"$ref": "a"}},
        "$defs": {"z": {"$id": "http://x/a", "type": "string"}},
    }
    first = fw.json_schema({"properties": {"p": reference}}, registry={"http://x/a": '{"type": "integer"}'})
    found = difference(first, fw.json_schema(other))
    assert found is not None
    assert '"p":' in found.text


def test_a_registry_keeps_its_dialect() -> None:
    document = '{"$ref": "#/definitions/i", "type": "string", "definitions": {"i": {}}}'
    old = fw.json_schema({"$ref": "http://x/a"}, dialect="draft7", registry={"http://x/a": document})
    assert old.matches("1")
    assert not old.is_subset(fw.json_schema({"type": "string"}))
    assert (old & old).matches("1")


def test_options_that_bound_values_must_be_the_same() -> None:
    with pytest.raises(fw.errors.ArgumentError, match="max_digits"):
        fw.json_schema({"const": 1234567}).is_subset(fw.json_schema({"type": "integer"}, max_digits=3))


def test_negated_formats_are_what_is_not_written() -> None:
    date, text = fw.json_schema({"type": "string", "format": "date"}), fw.json_schema({"type": "string"})
    assert fw.json_schema({"const": "foo"}).is_subset(~date)
    assert (~date).matches('"foo"')
    assert not (text - date).matches('"2024-01-31"')
    assert (text - date).matches('"2024-02-31"')


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_format_is_the_same_as_itself(name: str) -> None:
    """Which takes no search: what is in it and not in it is nothing, however many states it has."""
    form = fw.json_schema({"type": "string", "format": name})
    assert difference(form, form) is None
    assert form.is_disjoint(~form)


def test_names_are_not_keywords_where_addresses_are_told_apart() -> None:
    old = {
        "$id": "http://x/s",
        "properties": {"default": {"$ref": "http://x/s#/$defs/a"}},
        "$defs": {"a": {"type": "integer"}},
    }
    new = {**old, "$defs": {"a": {"type": "number"}}}
    found = difference(fw.json_schema(old), fw.json_schema(new))
    assert found is not None
    assert (found.side, found.text) == ("second", '{"default":0.1}')


def test_what_is_no_form_is_refused() -> None:
    assert difference({"type": "integer"}, int) is None
    with pytest.raises(fw.errors.NotAForm):
        fw.regex("a").is_subset("[a-z]")
    with pytest.raises(fw.errors.SchemaError):
        difference(int, {"type": "objekt"})
