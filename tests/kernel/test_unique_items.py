"""Items that must differ as values, against what Python finds equal: what can be written, and every item again."""

from __future__ import annotations

import itertools
import json
import os
import random
from typing import Any

import pytest
from attack import Writer, byte_vocabulary, closing_tokens

import formwright as fw
from formwright import allowed_tokens

OBJECT = {
    "type": "object",
    "properties": {"a": {"enum": [1, 2]}, "b": {"type": "boolean"}},
    "required": ["a"],
    "additionalProperties": False,
}
FEW = {
    "objects": OBJECT,
    "arrays": {"type": "array", "items": {"type": "boolean"}, "maxItems": 2},
    "sets": {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True},
    "sets of sets": {
        "type": "array",
        "items": {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True},
        "uniqueItems": True,
        "maxItems": 2,
    },
    "several types": {"enum": [1, "1", [1], {"a": 1}, None, {"a": [1]}]},
    "either": {"anyOf": [OBJECT, {"type": "object", "properties": {"a": {"const": 1}}, "additionalProperties": False}]},
}
"""Items of few values."""

MANY = {
    "names": {
        "type": "object",
        "properties": {"n": {"type": "string"}},
        "required": ["n"],
        "additionalProperties": False,
    },
    "open": {"type": "object", "properties": {"n": {"type": "boolean"}}},
    "numbers": {"type": "object", "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1}},
    "anything": True,
}
"""Items of more values than a text can use up."""

VOCABULARY = byte_vocabulary()


def unique(items: Any, **bounds: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": True, **bounds}


def values(items: Any) -> list[Any]:
    """The values of a schema of few, as a reader of JSON has them."""
    form = fw.compile(
        fw.json_schema(
            {"type": "array", "items": items, "minItems": 1, "maxItems": 1}, whitespace="compact", order="model"
        ),
        VOCABULARY,
    )
    found, open_ = {}, [[]]
    matcher = form.matcher()
    while open_:
        tokens = open_.pop()
        matcher.reset()
        matcher.accept_tokens(tokens)
        if matcher.is_complete:
            value = json.loads(bytes(matcher.accepted_bytes))[0]
            found[json.dumps(value, sort_keys=True)] = value
            continue
        mask = fw.allocate_bitmask(1, VOCABULARY)
        matcher.fill_bitmask(mask)
        open_ += [[*tokens, int(token)] for token in allowed_tokens(mask[0])]
    return list(found.values())


def spelled(value: Any, chance: random.Random, *, escapes: bool = True) -> str:
    """A value in one of its spellings: members in any order, space anywhere, and letters as ``escapes``."""
    space = chance.choice(["", " ", ""])
    if isinstance(value, dict):
        members = [
            f"{spelled(name, chance, escapes=escapes)}{space}:{spelled(inner, chance, escapes=escapes)}"
            for name, inner in value.items()
        ]
        chance.shuffle(members)
        return "{" + f"{space},".join(members) + space + "}"
    if isinstance(value, list):
        return "[" + ",".join(space + spelled(inner, chance, escapes=escapes) for inner in value) + "]"
    if isinstance(value, str) and escapes and chance.random() < 0.5:
        return (
            '"'
            + "".join(f"\\u{ord(letter):04x}" if letter.isalnum() else json.dumps(letter)[1:-1] for letter in value)
            + '"'
        )
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("name", FEW)
def test_every_list_of_different_items_can_be_written_and_no_other(name: str) -> None:
    items, chance = FEW[name], random.Random(1)
    form = fw.json_schema(unique(items), order="model")
    all_values = values(items)
    assert len(all_values) > 1
    lists = [list(some) for length in range(4) for some in itertools.permutations(all_values[:8], length)]
    for written in chance.sample(lists, min(150, len(lists))):
        anew = f"[{','.join(spelled(item, chance, escapes=False) for item in written)}]"
        assert form.matches(anew.encode()), anew
        for repeated in written:
            again = [*map(json.dumps, written), spelled(repeated, chance)]
            chance.shuffle(again)
            assert not form.matches(f"[{','.join(again)}]".encode()), again
    assert form.matches(json.dumps(all_values).encode())
    assert not form.matches(json.dumps([*all_values, all_values[0]]).encode())


@pytest.mark.parametrize("name", MANY)
def test_an_item_is_not_repeated_in_another_spelling(name: str) -> None:
    form, chance = fw.json_schema(unique(MANY[name]), order="model"), random.Random(2)
    items = {
        "names": [{"n": ""}, {"n": "ab"}, {"n": 'a"b\\'}, {"n": "é"}],
        "open": [{}, {"n": True}, {"n": False, "m": [1, {"k": None}]}, {"m": [1, {"k": 0}]}],
        "numbers": [{}, {"a": 0}, {"a": 0.5}, {"a": 1, "b": 0.25}],
        "anything": [1, "1", [1], {"a": 1}, [[1], {}], {"a": {"b": [True, None]}}, 0.5, ""],
    }[name]
    for _ in range(50):
        anew = f"[{','.join(spelled(item, chance, escapes=False) for item in items)}]"
        assert form.matches(anew.encode()), anew
        repeated = [*map(json.dumps, items), spelled(chance.choice(items), chance)]
        chance.shuffle(repeated)
        assert not form.matches(f"[{','.join(repeated)}]".encode()), repeated


@pytest.mark.parametrize("name", [*FEW, *MANY])
@pytest.mark.parametrize("least", [0, 2, 3])
@pytest.mark.parametrize("order", ["schema", "model"])
def test_every_text_ends_within_its_budget(name: str, least: int, order: str) -> None:
    import jsonschema

    schema = unique(FEW.get(name, MANY.get(name)), minItems=least, maxItems=6)
    constraint = fw.compile(fw.json_schema(schema, order=order), VOCABULARY)
    validator = jsonschema.Draft202012Validator(schema)
    for seed in range(12):
        writer = Writer(constraint, random.Random(f"{name} {seed}"), closing_tokens(VOCABULARY))
        for text in (writer.text(seed, 400), writer.text_within(seed % 4)):
            if text is not None:
                assert validator.is_valid(json.loads(text)), text
        assert writer.text_within(seed % 3) is not None


def test_more_items_than_there_are_values_are_unsatisfiable() -> None:
    with pytest.raises(fw.errors.UnsatisfiableSchema):
        fw.json_schema(unique(OBJECT, minItems=7))
    assert fw.json_schema(unique(OBJECT, minItems=6))


def test_items_are_compared_by_position_too() -> None:
    schema = {"type": "array", "prefixItems": [{"type": "boolean"}, {"type": "boolean"}], "uniqueItems": True}
    form = fw.json_schema(schema)
    for text in (b"[true, false]", b"[false, true, {}]"):
        assert form.matches(text)
    for text in (b"[true, true]", b"[false, true, {}, {}]"):
        assert not form.matches(text)


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"prefixItems": [OBJECT, OBJECT], "minItems": 2}, "prefixItems and minItems"),
        ({"contains": {"const": {"a": 1}}}, "contains"),
    ],
)
def test_what_competes_for_few_values_is_refused(schema: dict[str, Any], pointer: str) -> None:
    with pytest.raises(fw.errors.UnsupportedKeyword, match=pointer):
        fw.json_schema({"type": "array", "uniqueItems": True, **schema})


@pytest.mark.parametrize("order", ["schema", "model"])
def test_the_nearest_new_item_may_have_the_shortest_undeclared_name(order: str) -> None:
    inner = {"type": "object", "properties": {"a": {"enum": [1, ""]}}, "additionalProperties": False}
    items = {"type": "object", "properties": {"ab": inner}, "required": ["ab"]}
    form = fw.json_schema(unique(items, minItems=4), order=order)  # type: ignore[arg-type]
    vocabulary = byte_vocabulary()
    matcher, mask = fw.compile(form, vocabulary).matcher(), fw.allocate_bitmask(1, vocabulary)
    least = []
    for byte in b'[{"ab":{}},{"ab":{},"":4},{"ab":{"a":1}},{"ab":{},"":0}]':
        matcher.fill_bitmask(mask, 0, budget=matcher.min_tokens_to_finish)
        assert allowed_tokens(mask[0]).size
        least.append(matcher.min_tokens_to_finish)
        matcher.accept_bytes(bytes([byte]))
    assert least == sorted(least, reverse=True)
    assert least[-1] == 1


def test_a_name_of_one_letter_repeated_may_be_the_nearest_new_one() -> None:
    items = {
        "type": "object",
        "minProperties": 2,
        "propertyNames": {"pattern": "^a*$"},
        "additionalProperties": {"type": "null"},
    }
    constraint = fw.compile(fw.json_schema(unique(items, minItems=2), order="model", whitespace="compact"), VOCABULARY)
    matcher, mask = constraint.matcher(), fw.allocate_bitmask(1, VOCABULARY)
    for byte in b'[{"":null,"a":null},{"a":null,"aa":null}]':
        least = matcher.min_tokens_to_finish
        matcher.fill_bitmask(mask, 0, budget=least)
        assert allowed_tokens(mask[0]).size, bytes(matcher.accepted_bytes)
        matcher.accept_bytes(bytes([byte]))
        assert matcher.min_tokens_to_finish <= least


@pytest.mark.parametrize("seed", range(int(os.environ.get("FORMWRIGHT_SEEDS", "40"))))
def test_unique_lists_of_unique_lists_end_within_their_budget(seed: int) -> None:
    draw = random.Random(seed)
    inner = unique({"type": draw.choice(["integer", "number", "string"])}, minItems=draw.randint(0, 2))
    if draw.random() < 0.5:
        inner["maxItems"] = draw.randint(2, 4)
    schema = unique(inner, minItems=draw.randint(0, 4))
    constraint = fw.compile(fw.json_schema(schema, order=draw.choice(["schema", "model"])), VOCABULARY)
    writer = Writer(constraint, draw, closing_tokens(VOCABULARY))
    for extra in (0, 1, 2, 6, 20):
        assert writer.text_within(extra) is not None, schema


def draw_open_object(draw: random.Random, depth: int = 1) -> dict[str, Any]:
    """An object whose shortest undeclared names compete with declared ones, and with each other."""
    few: list[Any] = [OBJECT, {"enum": [1, ""]}, {"enum": [0]}, {"type": "array", "items": {"const": 1}, "maxItems": 1}]
    names = draw.sample(["ab", "", "a", "}"], draw.randint(0, 3))
    inner = [draw_open_object(draw, depth - 1)] if depth else []
    schema = {
        "type": "object",
        "properties": {name: draw.choice([*few, *inner]) for name in names},
        "required": draw.sample(names, draw.randint(0, len(names))),
        "minProperties": draw.randint(0, 4),
        "additionalProperties": draw.choice([True, {"type": "null"}, {"enum": [1, 2]}]),
    }
    if draw.random() < 0.3:
        schema["propertyNames"] = {"pattern": draw.choice(["^a*$", "^(ab)*$", "^[ab]{0,2}$"])}
        schema["required"] = []
    elif draw.random() < 0.3:
        schema["patternProperties"] = {draw.choice(["^b", "c"]): {"type": "null"}}
    return schema


@pytest.mark.parametrize("seed", range(int(os.environ.get("FORMWRIGHT_SEEDS", "40"))))
def test_items_with_undeclared_names_end_within_their_budget(seed: int) -> None:
    draw = random.Random(seed)
    schema = unique(draw_open_object(draw), minItems=draw.randint(2, 4))
    constraint = fw.compile(fw.json_schema(schema, order=draw.choice(["schema", "model"])), VOCABULARY)
    writer = Writer(constraint, draw, closing_tokens(VOCABULARY))
    for extra in (0, 0, 1, 2, 6):
        assert writer.text_within(extra) is not None, schema
