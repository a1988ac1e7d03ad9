"""Anything a user may pass becomes a language, and its texts become values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

import pytest

import formwright as fw


class Mood(Enum):
    GOOD = "good"
    BAD = "bad"


@dataclass
class Point:
    x: int
    y: int


@pytest.mark.parametrize(
    ("form", "text", "value"),
    [
        (fw.literal("hi"), "hi", "hi"),
        (fw.choice(["yes", "no"]), "no", "no"),
        (fw.literal("a") + fw.regex("[0-9]{2}"), "a42", "a42"),
        (fw.literal("a") | fw.literal("b"), "b", "b"),
        (fw.literal("ab").repeat(2, 3), "ababab", "ababab"),
        (re.compile("a.c", re.IGNORECASE | re.DOTALL), "A\nC", "A\nC"),
        (Literal["yes", "no"], "yes", "yes"),
        (Mood, "bad", Mood.BAD),
        ({"type": "integer"}, "12", 12),
        (True, '{"a": [1, 2.5, null]}', {"a": [1, 2.5, None]}),
        (Literal["a", 1], "1", 1),
        (int, "-7", -7),
        (Point, '{"x": 1, "y": 2}', Point(1, 2)),
        (list[Point], "[]", []),
        (int | None, "null", None),
    ],
)
def test_a_text_in_form_and_its_value(form: Any, text: str, value: Any) -> None:
    read = fw.form(form)
    assert read.matches(text)
    assert read.matches(text.encode())
    assert read.parse(text) == value
    assert read.parse(text.encode()) == value


def test_parts_keep_their_own_whitespace() -> None:
    properties = {"a": {"type": "array", "items": {"type": "object", "properties": {"b": {}}, "required": ["b"]}}}
    schema = {"type": "object", "properties": properties, "required": ["a"]}
    compact, pretty = (fw.json_schema(schema, whitespace=style) for style in ("compact", "pretty"))
    tight, wide = '{"a":[{"b":1}]}', '{\n  "a": [\n    {\n      "b": 1\n    }\n  ]\n}'
    assert compact.matches(tight)
    assert pretty.matches(wide)
    for first, first_text in ((compact, tight), (pretty, wide)):
        for second, second_text in ((compact, tight), (pretty, wide)):
            both = first + fw.literal(" ") + second
            assert both.matches(f"{first_text} {second_text}")
            assert not both.matches(f"{second_text} {first_text}") or first_text == second_text


def test_many_name_patterns_that_exclude_each_other() -> None:
    kinds = [{"type": "integer"}, {"type": "null"}]
    form = fw.json_schema(
        {
            "type": "object",
            "patternProperties": {f"^{letter}": kinds[at % 2] for at, letter in enumerate("abcdefghijklmnop")},
            "additionalProperties": False,
        }
    )
    assert form.matches('{"a1": 1, "p1": null}')
    assert not form.matches('{"b": 1}')
    assert not form.matches('{"q": 1}')
    many = {f"^{letter}": kinds[at % 2] for at, letter in enumerate("abcdefghijklmnopqrstuvwxyz0123456789")}
    assert not fw.json_schema({"patternProperties": many}).matches('{"z1": 1}')
    with pytest.raises(fw.errors.UnsupportedKeyword, match="65 name patterns"):
        fw.json_schema({"patternProperties": {f"^x{number}y": {} for number in range(65)}})


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (fw.literal("hi"), "h"),
        (fw.choice(["yes", "no"]), "yesno"),
        (fw.literal("ab").repeat(2, 3), "ab"),
        (Mood, "BAD"),
        (re.compile("a.c"), "a\nc"),
        ({"type": "integer"}, "1.5"),
        (Point, '{"x": 1, "y": 2, "z": 3}'),
        (fw.json(), "{'a': 1}"),
        (fw.json(), ""),
    ],
)
def test_a_text_out_of_form(form: Any, text: str) -> None:
    assert not fw.form(form).matches(text.encode())


ALPHABET = ["a", "b", "A", "1", "٣", "é", "_", " ", "\n", "\t", "你", "😀", "\u2028", "-", "\x00", "\x85", "\u212a"]
SHORT_TEXTS = ["", *ALPHABET, *(one + two for one in ALPHABET for two in ALPHABET)]


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r".", r".*", r"(?s).", r"(?i)a+", r"(?i)k", r"[^a]", r"[\w-]+"),
        *(r"a|b", r"(?P<x>a)b?", r"^a$", r"\Aa", r"a{2}", r"[a-b]{1,2}", r"a*?b??", r"\ba\b", r"[^\W\d]", r"[]a]"),
        *(r"\x41", r"\u00e9", r"\t|\n", r"\.", r"\-", r"^", r"$", r"(?:a|ab)(?:b|)", r"(?x) a  b # spaced"),
    ],
)
@pytest.mark.parametrize("flags", [0, re.ASCII])
def test_a_compiled_pattern_means_what_it_means_in_python(pattern: str, flags: int) -> None:
    compiled = re.compile(pattern, flags)
    language = fw.regex(compiled)
    different = [text for text in SHORT_TEXTS if bool(compiled.fullmatch(text)) is not language.matches(text.encode())]
    assert different == []
    if flags == re.ASCII and "(?i)" not in pattern:  # what both dialects have means the same in a text
        assert all(fw.regex(pattern).matches(text.encode()) == language.matches(text.encode()) for text in SHORT_TEXTS)


def test_options_reach_the_kernel() -> None:
    schema = {"properties": {"a": {}, "b": {}}, "type": "object", "additionalProperties": False}
    text = b'{"b":1,"a":2}'
    assert not fw.json_schema(schema).matches(text)
    assert fw.json_schema(schema, order="model").matches(text)
    assert not fw.json_schema(schema, order="model", whitespace="compact").matches(b'{"b": 1, "a": 2}')


def test_a_form_passes_through() -> None:
    form = fw.literal("x")
    assert fw.form(form) is form


@pytest.mark.parametrize(
    "schema", [{"const": float("nan")}, {"const": {1, 2}}, {"const": "\ud83d"}], ids=["NaN", "set", "surrogate"]
)
def test_what_json_cannot_say_is_a_schema_error(schema: dict[str, Any]) -> None:
    with pytest.raises(fw.errors.SchemaError, match="cannot be written as JSON"):
        fw.json_schema(schema)


def test_a_schema_that_contains_itself_is_a_schema_error() -> None:
    schema: dict[str, Any] = {}
    schema["not"] = schema
    with pytest.raises(fw.errors.SchemaError, match="cannot be written as JSON"):
        fw.json_schema(schema)


def test_patterns_over_bytes_are_refused() -> None:
    with pytest.raises(fw.errors.RegexError, match="a pattern over str is needed"):
        fw.form(re.compile(b"a"))


def test_json_mode_writes_objects_only() -> None:
    form = fw.json(objects_only=True, whitespace="free")
    assert form.parse(' {"a": [1, {"b": null}]}\n') == {"a": [1, {"b": None}]}
    for text in ("1", "[]", "null", '"a"', "[{}]"):
        assert not form.matches(text)
        assert fw.json().matches(text)
    assert repr(form) == "Form(any JSON object)"
    assert not fw.json(objects_only=True, max_items=1).matches('{"a":[1,2]}')
