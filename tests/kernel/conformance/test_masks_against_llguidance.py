"""Masks along real instances, bit for bit equal to those of an independent engine.

llguidance is asked without forcing (by default it hides all but one tokenization of
forced text) and without whitespace, where both engines mean the same language. One character
is left out: llguidance does not allow U+007F inside a string, JSON does.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper
from llguidance.numpy import fill_next_token_bitmask

import formwright as fw

STRING = {"type": "string"}
PERSON = {
    "type": "object",
    "properties": {"name": STRING, "age": {"type": "integer"}, "mail": {"type": ["string", "null"]}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
TREE = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"label": STRING, "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
            "required": ["label", "kids"],
            "additionalProperties": False,
        }
    },
    "$ref": "#/$defs/node",
}
CASES: dict[str, tuple[dict[str, Any], Any]] = {
    "person": (PERSON, {"name": 'Ada "the first" 你好 😀\n', "age": 36, "mail": None}),
    "optional": (PERSON, {"name": "", "age": -1}),
    "tree": (TREE, {"label": "a", "kids": [{"label": "bb", "kids": []}, {"label": "c", "kids": []}]}),
    "enum": (
        {"type": "array", "items": {"enum": ["red", "green", "reddish", 1, None, True]}},
        ["reddish", 1, "red", None],
    ),
    "counts": ({"type": "array", "items": STRING, "minItems": 2, "maxItems": 4}, ["a", "b", "c", "d"]),
    "lengths": (
        {"type": "array", "items": {"type": "string", "minLength": 2, "maxLength": 5}},
        ["hello", "你好", "ab"],
    ),
    "tuple": ({"type": "array", "prefixItems": [STRING, {"type": "boolean"}], "items": False}, ["x", True]),
    "union": ({"anyOf": [{"type": "boolean"}, {"type": "array", "items": STRING}]}, ["true", "false"]),
    "recursion": ({"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#"}}]}, [[None], [[], [[None]]]]),
}


class Peer:
    """The engine's view of the tokenizer."""

    eos_token_id, bos_token_id = 2, 1

    def __init__(self, tokenizer: Any, vocabulary: fw.Vocabulary) -> None:
        self.encode = lambda text: tokenizer.encode(text, bos=False, eos=False)
        self.special_token_ids = sorted(vocabulary.special_tokens.values())
        self.tokens = [vocabulary.token(token) or f"<{token}>".encode() for token in range(len(vocabulary))]

    def __call__(self, text: str | bytes) -> list[int]:
        return self.encode(text.decode(errors="replace") if isinstance(text, bytes) else text)


@pytest.fixture(scope="module")
def peer(tekken: Any, tekken_vocabulary: fw.Vocabulary) -> LLTokenizer:
    return LLTokenizer(TokenizerWrapper(Peer(tekken, tekken_vocabulary)))


@pytest.mark.parametrize("name", CASES)
def test_equal_along_an_instance(name: str, tekken: Any, tekken_vocabulary: fw.Vocabulary, peer: LLTokenizer) -> None:
    schema, instance = CASES[name]
    compact = json.dumps(schema | {"x-guidance": {"whitespace_flexible": False}})
    theirs = LLMatcher(peer, f'%llguidance {{"no_forcing": true}}\nstart: %json {compact}')
    assert not theirs.get_error()
    ours = fw.compile(fw.json_schema(schema, whitespace="compact"), tekken_vocabulary).matcher()
    one, two = fw.allocate_bitmask(1, tekken_vocabulary), fw.allocate_bitmask(1, tekken_vocabulary)
    text = json.dumps(instance, ensure_ascii=False, separators=(",", ":"))
    for token in [*tekken.encode(text, bos=False, eos=False), 2]:
        ours.fill_bitmask(one)
        fill_next_token_bitmask(theirs, two)
        different = [tekken_vocabulary.token(int(token)) for token in fw.masks.allowed_tokens((one ^ two)[0])]
        assert [spelled for spelled in different if b"\x7f" not in spelled] == [], ours.text
        assert theirs.consume_token(token)
        ours.accept_token(token)
    assert ours.is_finished
    assert np.array_equal(one, two)
