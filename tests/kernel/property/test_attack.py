"""A short attack with random schemas; ``just attack`` makes a long one."""

from __future__ import annotations

from typing import Any

import pytest
from attack import Attack

import formwright as fw


@pytest.mark.parametrize("vocabulary", ["byte_vocabulary", "tekken_vocabulary"])
@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(40, 300), marks=pytest.mark.slow)])
def test_random_schemas_have_no_faults(seeds: range, vocabulary: str, request: pytest.FixtureRequest) -> None:
    attacker = Attack([request.getfixturevalue(vocabulary)], budgets=0.0)
    assert [seed for seed in seeds if attacker.run(seed)] == [], attacker.counts
    assert attacker.counts["texts"] > 30, attacker.counts


@pytest.mark.parametrize(
    ("kind", "schema", "answers"),
    [
        ("invalid", {"type": "string"}, {"type": ["integer", "string"]}),
        ("rejected", {"type": ["boolean", "null"]}, {"type": "null"}),
        ("empty", {"type": "integer"}, {"type": "integer", "minimum": 2, "maximum": 1}),
    ],
)
def test_a_fault_is_found(
    byte_vocabulary: fw.Vocabulary, monkeypatch: pytest.MonkeyPatch, kind: str, schema: Any, answers: Any
) -> None:
    """A kernel that answers for another schema is caught."""
    real = fw.json_schema
    monkeypatch.setattr(fw, "json_schema", lambda given, **options: real(answers, **options))
    found = [Attack([byte_vocabulary], budgets=0.0).fault(schema, seed) for seed in range(20)]
    assert kind in {fault.kind for fault in found if fault}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "number", "not": {"allOf": [{"type": "string", "format": "date"}], "type": "number"}},
        {"type": "number", "oneOf": [{"not": {"format": "date"}, "dependentRequired": {"ab": ["b"]}}, {}]},
    ],
)
def test_a_negated_format_says_nothing_about_numbers(schema: Any) -> None:
    assert fw.json_schema(schema).matches("0")


def test_what_is_only_left_out_is_not_called_empty() -> None:
    inner = {"if": {"enum": [{"ab": -2.5, "x": 100}, {"1": 100, "": 7, "a": 7}]}, "then": {}}
    schema = {"enum": [{"b": 100}], "not": {"propertyNames": {"type": "integer"}, **inner}}
    assert fw.json_schema(schema).matches('{"b": 100}')
    with pytest.raises(fw.errors.UnsupportedKeyword, match="left out"):
        fw.json_schema({"type": "string", "not": {"format": "date"}})
    with pytest.raises(fw.errors.UnsupportedKeyword, match="propertyNames refers"):
        fw.json_schema({"propertyNames": {"$ref": "#"}})


def test_names_of_a_negation_are_counted(byte_vocabulary: fw.Vocabulary) -> None:
    schema = {"type": "object", "propertyNames": {"not": {"minLength": 1}}}
    matcher = fw.compile(fw.json_schema(schema), byte_vocabulary).matcher()
    matcher.accept_bytes(b'{"":1')
    mask = fw.allocate_bitmask(1, byte_vocabulary)
    matcher.fill_bitmask(mask)
    assert ord(",") not in fw.allowed_tokens(mask[0])
    with pytest.raises(fw.errors.UnsatisfiableSchema):
        fw.json_schema(schema | {"minProperties": 2})
