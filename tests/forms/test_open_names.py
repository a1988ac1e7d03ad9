"""Names that a schema does not declare, in TOML and TOON: exact masks, no name twice, values that are read back."""

from __future__ import annotations

import itertools
import tomllib
from typing import Any

import pytest
import toon_format

import formwright as fw
from formwright.errors import ArgumentError, OutputInvalid, UnsupportedKeyword

FEW = {"type": "object", "propertyNames": {"pattern": "^[ab]$"}, "additionalProperties": {"enum": [1, 12]}}
PIECES = ['"a', '"b"', '": 1', '" = 1', '\n"', '1\n"', '\n"a"', '\n"b": ', '1\n"a": ', '1\n"b" = 1', "12", "a", 'a"']
READERS = {"toon": toon_format.decode, "toml": tomllib.loads}
EQUALS = {"toon": ": ", "toml": " = "}


@pytest.fixture(scope="module")
def vocabulary() -> fw.Vocabulary:
    """Bytes, and pieces that go from one member to the next."""
    tokens = [*(bytes([byte]) for byte in range(256)), *(piece.encode() for piece in PIECES if len(piece) > 1)]
    return fw.Vocabulary([*tokens, b""], eos_token_ids=[len(tokens)])


def texts_of_few(notation: str, low: int = 0, high: int = 2) -> set[str]:
    """All texts of objects that have each of the names once at most, in any order."""
    texts = set()
    for count in range(low, high + 1):
        for names in itertools.permutations("ab", count):
            for values in itertools.product([1, 12], repeat=count):
                pairs = zip(names, values, strict=True)
                texts.add("\n".join(f'"{name}"{EQUALS[notation]}{value}' for name, value in pairs))
    return texts


@pytest.mark.parametrize(("low", "high"), [(0, 2), (1, 2), (2, 2), (0, 1)])
@pytest.mark.parametrize("notation", READERS)
def test_masks_are_exact(notation: Any, low: int, high: int, vocabulary: fw.Vocabulary) -> None:
    """After each beginning of a text, exactly those tokens may come that some text goes on with."""
    form = fw.json_schema({**FEW, "minProperties": low, "maxProperties": high}, notation=notation)
    constraint, mask = fw.compile(form, vocabulary), fw.allocate_bitmask(1, vocabulary)
    texts = texts_of_few(notation, low, high)
    beginnings = {text[:length] for text in texts for length in range(len(text) + 1)}
    for beginning in beginnings:
        matcher = constraint.matcher()
        for byte in beginning.encode():
            matcher.accept_token(byte)
        matcher.fill_bitmask(mask)
        allowed = {int(token) for token in fw.allowed_tokens(mask[0])}
        wanted = {
            token
            for token in range(len(vocabulary) - 1)
            if (beginning.encode() + vocabulary.token(token)).decode(errors="replace") in beginnings
        }
        assert allowed - set(vocabulary.eos_token_ids) == wanted, beginning
        assert bool(allowed & set(vocabulary.eos_token_ids)) == (beginning in texts), beginning


@pytest.mark.parametrize("notation", READERS)
def test_every_budget_that_is_enough_is(notation: Any, vocabulary: fw.Vocabulary) -> None:
    """Used names leave longer ones: with each budget, each way that a mask allows has an end."""
    form = fw.json_schema({**FEW, "minProperties": 2}, notation=notation)
    constraint, mask = fw.compile(form, vocabulary), fw.allocate_bitmask(1, vocabulary)
    least = constraint.matcher().min_tokens_to_finish
    ends = set(vocabulary.eos_token_ids)
    for budget in range(least, least + 4):
        open_ways: list[list[int]] = [[]]
        while open_ways:
            way = open_ways.pop()
            matcher = constraint.matcher()
            for token in way:
                matcher.accept_token(token)
            left = budget - len(way)
            if left == 0:
                assert matcher.is_complete, matcher.accepted_bytes
                continue
            matcher.fill_bitmask(mask, budget=left)
            allowed = [int(token) for token in fw.allowed_tokens(mask[0])]
            assert allowed, matcher.accepted_bytes
            open_ways += [[*way, token] for token in allowed if token not in ends]


@pytest.mark.parametrize("notation", ["jsonl", "toon"])
def test_used_names_are_counted_in_budgets(notation: Any, vocabulary: fw.Vocabulary) -> None:
    """After the shortest name is used, each token that fits in the least budget leaves room for a longer name."""
    record = {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 3}
    form = fw.json_schema({"type": "array", "items": record, "minItems": 1, "maxItems": 1}, notation=notation)
    constraint, mask = fw.compile(form, vocabulary), fw.allocate_bitmask(1, vocabulary)
    beginning = {"jsonl": b'{"":1,"a":5', "toon": b'[1]:\n  - "": 1\n    "a": 5'}[notation]
    matcher = constraint.matcher()
    matcher.accept_bytes(beginning)
    least = matcher.min_tokens_to_finish
    matcher.fill_bitmask(mask, budget=least)
    allowed = [int(token) for token in fw.allowed_tokens(mask[0])]
    assert allowed
    for token in allowed:
        after = constraint.matcher()
        after.accept_bytes(beginning)
        after.accept_token(token)
        assert after.min_tokens_to_finish < least, vocabulary.token(token)


SCHEMAS: list[tuple[dict[str, Any], list[Any]]] = [
    ({"type": "object"}, [{}, {"a": 1, "b": {"c": [1, {"d": "x"}]}}, {"": "", "x:y": [], "z": {}, "#": "\\"}]),
    (
        {"type": "object", "properties": {"a": {"type": "integer"}, "b c": {"type": "string"}}, "required": ["a"]},
        [{"a": 1}, {"a": 1, "b c": "x", "q": {"r": 1}, "s": [1, 2]}, {"a": 1, "z": 1}],
    ),
    (
        {"type": "object", "patternProperties": {"^x": {"type": "integer"}, "^y": {"type": "string"}}},
        [{"x1": 1, "y": "2", "other": [True]}, {"z": "x"}],
    ),
    (
        {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}},
        [{"a": {"b": 1, "é\n": 2}, "c": {}}, {}],
    ),
    (
        {
            "type": "object",
            "properties": {
                "rows": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
                },
                "in": {"type": "object", "additionalProperties": {"type": "string"}},
            },
            "required": ["in"],
        },
        [{"rows": [{"a": 1}, {"a": 2}], "in": {}}, {"rows": [{"a": 1, "b": "x"}, {"a": 3}], "in": {"p": "q"}}],
    ),
]


@pytest.mark.parametrize(("schema", "values"), SCHEMAS)
@pytest.mark.parametrize("notation", READERS)
def test_values_are_written_and_read_back(notation: Any, schema: dict[str, Any], values: list[Any]) -> None:
    form = fw.json_schema(schema, notation=notation)
    for value in values:
        text = form.write(value)
        assert form.parse(text) == READERS[notation](text) == value


def test_rows_become_items_where_one_has_more_members() -> None:
    schema = {"type": "array", "items": SCHEMAS[1][0]}
    schema["items"] = {**SCHEMAS[1][0], "required": ["a", "b c"]}
    form = fw.json_schema(schema, notation="toon")
    assert form.write([{"a": 1, "b c": "x"}]) == '[1]{a,"b c"}:\n  1,x'
    assert form.write([{"a": 1, "b c": "x", "d": 2}]) == '[1]:\n  - a: 1\n    "b c": x\n    "d": 2'


@pytest.mark.parametrize("notation", READERS)
def test_names_come_once(notation: Any) -> None:
    equals = EQUALS[notation]
    form = fw.json_schema(SCHEMAS[1][0], notation=notation)
    for name in ("a", "b c", "z"):
        lines = [f"a{equals}1", f'"z"{equals}1', f'"{name}"{equals}1']
        with pytest.raises(OutputInvalid):
            form.parse("\n".join(lines))
        assert not form.matches("\n".join(lines))
    escaped = [f"a{equals}1", f'"z"{equals}1', f'"\\u007a"{equals}2']
    assert not form.matches("\n".join(escaped))


def test_a_name_has_begun() -> None:
    """A partial value has the members whose values have begun."""
    reader = fw.partial(fw.json_schema({"type": "object", "additionalProperties": {"type": "string"}}, notation="toon"))
    assert reader.feed('"na').value == {}
    assert reader.feed('me": Ad').value == {"name": "Ad"}


def test_what_is_left_out_is_told() -> None:
    """TOON has no escape for some characters, TOML no null under a name that is not declared."""
    toon = fw.json_schema({"type": "object", "additionalProperties": {"type": "integer"}}, notation="toon")
    assert "undeclared names without characters" in str(toon.explain())
    toml = fw.json_schema({"type": "object", "additionalProperties": {"type": ["null", "integer"]}}, notation="toml")
    assert "values other than null" in str(toml.explain())
    for form, value in ((toon, {"\b": 1}), (toml, {"a": None})):
        with pytest.raises(ArgumentError):
            form.write(value)
    with pytest.raises(UnsupportedKeyword, match="depend on each other"):
        fw.json_schema({"type": "object", "dependentRequired": {"a": ["b"]}}, notation="toon")
