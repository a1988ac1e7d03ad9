"""Strings with a large `maxLength`, in every notation: after any beginning it is quickly known what may come."""

from __future__ import annotations

from typing import Any

import pytest
from attack import byte_vocabulary

import formwright as fw

STRINGS = ["a", "it's", 'a "b"', "a: b #c", "a|b,c;d", "x\ny", "<&>", "- 1", "\\t", "\u00e9\U0001f600"]
RECORD = {
    "type": "object",
    "properties": {"d": {"type": "string", "maxLength": 400_000}, "e": {"type": "string", "minLength": 1}},
    "required": ["d", "e"],
    "additionalProperties": False,
}
TABLES = ("csv", "tsv", "markdown", "jsonl")


@pytest.mark.parametrize(
    "notation", ["json", "jsonl", "python", "csv", "tsv", "markdown", "xml", "toml", "toon", "yaml"]
)
@pytest.mark.timeout(60)
def test_what_may_come_is_known_after_any_beginning(notation: Any) -> None:
    schema = {"type": "array", "items": RECORD} if notation in TABLES else RECORD
    form, vocabulary = fw.json_schema(schema, notation=notation), byte_vocabulary()
    constraint = fw.compile(form, vocabulary)
    written = 0
    for string in STRINGS:
        record = {"d": string, "e": "x"}
        try:
            text = form.write([record] if notation in TABLES else record)
        except fw.errors.ArgumentError:  # what a notation cannot write
            continue
        matcher = constraint.matcher()
        for byte in text.encode():
            assert byte in matcher.allowed_token_ids(), (text, byte)
            matcher.accept_token(byte)
        written += 1
    assert written >= 6
