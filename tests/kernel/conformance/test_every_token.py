"""A mask is what trying each of 131,072 tokens gives, on random states of a real vocabulary.

``FORMWRIGHT_STATES`` sets the number of states; each takes about a quarter of a second.
"""

from __future__ import annotations

import os
import random

import pytest
from parameters import slow_except

import formwright as fw
from formwright import allowed_tokens

FORMS = {
    "schema": fw.json_schema(
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 1},
                "tags": {"type": "array", "items": {"enum": ["x", "yy", 3]}, "minItems": 1},
                "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"},
                "when": {"type": "string", "format": "date"},
            },
            "required": ["name"],
            "additionalProperties": {"type": "number"},
        }
    ),
    "any order": fw.json_schema(
        {"type": "object", "properties": {"a": {}, "ab": {}}, "required": ["ab"]}, order="model"
    ),
    "names": fw.json_schema({"type": "object", "additionalProperties": {"type": ["integer", "object"]}}),
    "unique": fw.json_schema(
        {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+,?$"}, "uniqueItems": True, "minItems": 2}
    ),
    "regex": fw.regex(r"(?:\w+ ){2,}[^0-9]*\d{3}"),
    "choice": fw.choice(["Berlin", "Bern", "北京", "北海道", "São Paulo", "New York\n"]),
    "recursion": fw.json_schema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#"}}]}),
    "json": fw.json(),
    "characters": fw.regex("[一-龥😀-😏é]{3,}"),
}
STATES = int(os.environ.get("FORMWRIGHT_STATES", "108"))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("form", slow_except(["schema", "unique"], FORMS))
def test_masks_are_what_single_tokens_say(tekken_vocabulary: fw.Vocabulary, form: str) -> None:
    constraint = fw.compile(FORMS[form], tekken_vocabulary)
    mask = fw.allocate_bitmask(1, tekken_vocabulary)
    choose = random.Random(form)
    matcher = constraint.matcher()
    for _ in range(-(-STATES // len(FORMS))):
        matcher.fill_bitmask(mask)
        allowed = allowed_tokens(mask[0]).tolist()
        tried = [token for token in range(len(tekken_vocabulary)) if matcher.validate_tokens([token])]
        assert allowed == tried, matcher.accepted_bytes
        short = [token for token in allowed if 0 < len(tekken_vocabulary.token(token)) < 4]
        if len(matcher.accepted_bytes) > 60 or not short:
            matcher.reset()
        else:
            matcher.accept_token(choose.choice(short if choose.random() < 0.7 else [t for t in allowed if t != 2]))
