"""Keywords that came with a later draft than the one that a schema names: refused, or ignored as its validators do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator, validators

import formwright as fw
from formwright import errors

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_6 = "http://json-schema.org/draft-06/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"

CASES: list[tuple[str, dict[str, Any], list[Any]]] = [
    (DRAFT_4, {"const": 1}, [1, 2]),
    (DRAFT_4, {"type": "array", "contains": {"type": "null"}}, [[], [None]]),
    (DRAFT_4, {"propertyNames": {"maxLength": 1}}, [{"ab": 1}, {"a": 1}]),
    (DRAFT_6, {"if": {"type": "null"}, "then": False}, [None, 1]),
    (DRAFT_7, {"type": "array", "prefixItems": [{"type": "integer"}]}, [["a"], [1]]),
    (DRAFT_7, {"dependentRequired": {"a": ["b"]}}, [{"a": 1}, {"a": 1, "b": 2}]),
    (DRAFT_7, {"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}}, [{"a": 1}, {"a": 1, "b": 2}]),
    (DRAFT_7, {"type": "array", "contains": {"const": 1}, "minContains": 2}, [[1], [1, 1], []]),
    (DRAFT_7, {"type": "object", "unevaluatedProperties": False}, [{"a": 1}, {}]),
    (DRAFT_2019, {"type": "array", "prefixItems": [{"type": "integer"}]}, [["a"], [1]]),
    (DRAFT_7, {"not": {"type": "array", "prefixItems": [{"type": "integer"}]}}, [["a"], [1], 3]),
    (DRAFT_7, {"not": {"required": ["a"], "dependentRequired": {"a": ["b"]}}}, [{"a": 1}, {"b": 1}]),
]


@pytest.mark.parametrize(("dialect", "schema", "values"), CASES)
def test_a_later_keyword_is_refused_or_ignored(dialect: str, schema: dict[str, Any], values: list[Any]) -> None:
    schema = {"$schema": dialect, **schema}
    with pytest.raises(errors.UnsupportedKeyword, match="the dialect of this schema, ignore it") as caught:
        fw.json_schema(schema)
    assert "unknown_keywords" in str(caught.value.hint)
    form = fw.json_schema(schema, unknown_keywords="ignore", order="model")
    validator = validators.validator_for(schema)(schema)
    for value in values:
        assert form.matches(json.dumps(value)) == validator.is_valid(value)
    assert any("not a keyword of" in row.note for row in form.explain())


def test_a_schema_without_a_dialect_has_all_keywords() -> None:
    for _, schema, values in CASES:
        form, validator = fw.json_schema(schema, order="model"), Draft202012Validator(schema)
        assert [form.matches(json.dumps(value)) for value in values] == [validator.is_valid(value) for value in values]
