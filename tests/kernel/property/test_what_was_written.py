"""Masks where what may come depends on what was written: undeclared names and items that must not come twice.

Such masks are remembered without the names and items, shared by forks, and handed from
text to text. A walk over a small, malicious vocabulary - tokens that spell whole names,
half a name and the start of the next, an item with its comma - goes forward, back, and
aside; at each state the mask must be what trying every token gives, and what a matcher
says that never saw another text.
"""

from __future__ import annotations

import itertools
from functools import cache

from hypothesis import given, note
from hypothesis import strategies as st

import formwright as fw
from formwright import allowed_tokens

END = 0
NAMES = ["", "a", "b", "ab", "é"]
FRAGMENTS = [
    *'{}[]:," \\abé01truefalsn',
    *(f'"{name}"' for name in NAMES),
    *(f'{name}":' for name in NAMES),
    *(f',"{name}' for name in NAMES),
    *(f',"{name}":1' for name in NAMES),
    *(f'"{one}":1,"{two}"' for one, two in itertools.product(NAMES, NAMES)),
    *(f"{one},{two}" for one, two in itertools.product(["1", '"a"', "null", "true"], repeat=2)),
    *('{"a":{"', '},"a":', '":{"a":1}', "],[", "1,", ',"b', '"a",', "null", "true", "false", "tru", '\\"'),
]
OBJECTS = [
    {"type": "object"},
    {"type": "object", "additionalProperties": {"type": "integer"}},
    {"type": "object", "properties": {"a": {"type": "integer"}, "ab": {}}},
    {"type": "object", "properties": {"ab": {}}, "minProperties": 2, "maxProperties": 3},
    {"type": "object", "propertyNames": {"pattern": "^[ab]{1,2}$"}, "minProperties": 1},
    {"type": "object", "propertyNames": {"maxLength": 1}, "additionalProperties": {"$ref": "#"}},
    {"type": "object", "patternProperties": {"^a": {"type": "integer"}, "b$": {"minimum": 1}}},
]
ARRAYS = [
    {"type": "array", "items": {"enum": [1, "a", None, True]}, "uniqueItems": True},
    {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 1111}, "uniqueItems": True, "minItems": 2},
    {"type": "array", "items": {"type": "string", "maxLength": 2}, "uniqueItems": True},
    {"type": "array", "items": {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True}},
    {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "null"}}},
]


@cache
def vocabulary() -> fw.Vocabulary:
    return fw.Vocabulary([None, *(fragment.encode() for fragment in FRAGMENTS)], eos_token_ids=[END])


@cache
def compiled(index: int, order: str) -> fw.Constraint:
    schema = [*OBJECTS, *ARRAYS][index]
    return fw.compile(fw.json_schema(schema, order=order), vocabulary())  # type: ignore[arg-type]


def mask_of(matcher: fw.Matcher) -> list[int]:
    mask = fw.allocate_bitmask(1, vocabulary())
    matcher.fill_bitmask(mask)
    return allowed_tokens(mask[0]).tolist()


schemas = st.integers(0, len(OBJECTS) + len(ARRAYS) - 1)


@given(st.data(), schemas, st.sampled_from(["model", "schema"]))
def test_a_mask_is_what_every_token_says(data: st.DataObject, index: int, order: str) -> None:
    constraint = compiled(index, order)
    matcher = constraint.matcher()
    for _ in range(12):
        note(f"after {matcher.accepted_bytes!r}")
        allowed = mask_of(matcher)
        assert allowed == [token for token in range(len(vocabulary())) if matcher.validate_tokens([token])]
        fresh = fw.compile(constraint.form, vocabulary()).matcher()
        fresh.accept_bytes(matcher.accepted_bytes)
        assert allowed == mask_of(fresh)
        going_on = [token for token in allowed if token != END]
        way = data.draw(st.sampled_from(["on", "on", "on", "on", "back", "aside", "anew"]))
        if way == "anew" or not going_on:
            matcher.reset()
            continue
        if way == "aside":
            matcher = matcher.fork()
        matcher.accept_token(data.draw(st.sampled_from(going_on)))
        if way == "back":
            matcher.rollback(1)
