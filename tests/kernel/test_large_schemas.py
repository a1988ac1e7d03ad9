"""A schema of four megabytes, with thousands of definitions that refer to one another, gives masks like any other.

A definition that no text reaches costs only its reading. Takes a second or two.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import formwright as fw
from formwright import allowed_tokens

MANY = 6000
GROUP = 12
"""Definitions refer to others of their group: a small one leaves most of them out of reach."""


def definition(number: int, group: int) -> dict[str, Any]:
    """A part: a name, a kind, and three references to parts of its group."""
    first = number // group * group
    left, right, rest = (f"#/$defs/part{first + (number * step + 1) % group}" for step in (1, 5, 7))
    return {
        "type": "object",
        "description": "A part that refers to other parts. " * 9,
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "kind": {"enum": [f"kind {number} {letter}" for letter in "abcdef"]},
            "left": {"$ref": left},
            "right": {"$ref": right},
            "rest": {"type": "array", "items": {"$ref": rest}},
        },
        "required": ["name", "kind"],
        "additionalProperties": False,
    }


def large(group: int) -> str:
    definitions = {f"part{number}": definition(number, group) for number in range(MANY)}
    parts = {"first": {"$ref": "#/$defs/part0"}, "last": {"$ref": f"#/$defs/part{MANY - 1}"}}
    return json.dumps({"$defs": definitions, "type": "object", "properties": parts, "required": ["first"]})


@pytest.mark.parametrize("group", [GROUP, MANY], ids=["few are reached", "all are reached"])
def test_a_large_schema(byte_vocabulary: fw.Vocabulary, group: int) -> None:
    schema = large(group)
    assert len(schema) > 4_000_000
    matcher = fw.compile(fw.json_schema(schema), byte_vocabulary).matcher()
    mask = fw.allocate_bitmask(1, byte_vocabulary)
    matcher.fill_bitmask(mask)
    assert [chr(token) for token in allowed_tokens(mask[0])] == ["{"]
    matcher.accept_bytes(b'{"first": {"name": "x", "kind": "kind 0 f", "left": {"name": "y", "kind": "kind ')
    matcher.fill_bitmask(mask)
    assert [chr(token) for token in allowed_tokens(mask[0])] == ["1"]
    matcher.accept_bytes(b'1 a"}}}')
    assert matcher.is_complete


@pytest.mark.parametrize("key", ["not", "items", "const", "additionalProperties"])
def test_a_deep_dict_is_refused_as_its_text_is(key: str) -> None:
    schema: dict[str, Any] = {}
    for _ in range(2000):
        schema = {key: schema}
    with pytest.raises(fw.errors.LimitExceeded) as caught:
        fw.json_schema(schema)
    assert (caught.value.limit, caught.value.allowed) == ("schema_nesting", 127)
