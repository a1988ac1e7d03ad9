"""Forms and compiled constraints are found again by what they were made of, never by less."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import pydantic
import pytest

import formwright as fw
from formwright._lru import Lru
from formwright.forms import lark_expressions

VOCABULARY = [bytes([byte]) for byte in range(256)] + [b""]


def vocabulary() -> fw.Vocabulary:
    return fw.Vocabulary(VOCABULARY, eos_token_ids=[256])


@dataclass
class Person:
    name: str
    age: int


class Model(pydantic.BaseModel):
    name: str


@pytest.mark.parametrize(
    "make",
    [
        lambda: fw.json_schema('{"type": "integer"}'),
        lambda: fw.json_schema({"type": "integer"}, order="model"),
        lambda: fw.json_schema(Person),
        lambda: fw.form(Person, whitespace="compact"),
        lambda: fw.form(list[Model]),
        lambda: fw.form(Model | None),
        lambda: fw.form(dict[str, Literal[1, "a"]]),
        lambda: fw.regex("[a-z]+"),
        lambda: fw.regex(re.compile("[a-z]+", re.IGNORECASE)),
        lambda: fw.choice("yes", "no"),
        lambda: fw.choice(["yes", "no"]),
        lambda: fw.grammar('start: "a"+'),
        lambda: fw.grammar('start: "a"+', read="tree"),
    ],
)
def test_a_form_is_found_again(make: Any) -> None:
    assert make() is make()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda: fw.json_schema('{"type": "integer"}'), lambda: fw.json_schema('{"type": "integer" }')),
        (lambda: fw.json_schema("true", order="model"), lambda: fw.json_schema("true", order="schema")),
        (lambda: fw.json_schema("true", max_digits=3), lambda: fw.json_schema("true", max_digits=4)),
        (lambda: fw.regex("a."), lambda: fw.regex("a.", unicode=True)),
        (lambda: fw.regex(re.compile("a")), lambda: fw.regex(re.compile("a", re.IGNORECASE))),
        (lambda: fw.regex("a"), lambda: fw.regex(re.compile("a"))),
        (lambda: fw.choice("a", "b"), lambda: fw.choice("b", "a")),
        (lambda: fw.form(list[Literal[1]]), lambda: fw.form(list[Literal[True]])),
        (lambda: fw.form(int | str), lambda: fw.form(str | int)),
        (lambda: fw.form(list[int]), lambda: fw.form(tuple[int])),
        (lambda: fw.grammar('start: "a"+'), lambda: fw.grammar('start: "a"+', read="tree")),
        (lambda: fw.grammar("start: /a/ /b/"), lambda: fw.grammar("start: /a/ /b/", lexing="any")),
    ],
)
def test_what_differs_is_another_form(one: Any, other: Any) -> None:
    assert one() is not other()
    assert one().title == one().title != ""
    assert other() is other()


def test_values_of_types_that_are_equal_to_python_are_told_apart() -> None:
    assert fw.form(list[Literal[1]]).matches("[1]")
    assert not fw.form(list[Literal[1]]).matches("[true]")
    assert fw.form(list[Literal[True]]).matches("[true]")
    assert not fw.form(list[Literal[True]]).matches("[1]")


def test_the_environment_makes_another_form(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = '{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}'
    text = '{"b": 1, "a": 2}'
    assert not fw.json_schema(schema).matches(text)
    monkeypatch.setenv("FORMWRIGHT_ORDER", "model")
    assert fw.json_schema(schema).matches(text)
    monkeypatch.delenv("FORMWRIGHT_ORDER")
    assert not fw.json_schema(schema).matches(text)


def test_options_that_are_mappings_are_read_each_time() -> None:
    formats = {"code": "[a-z]"}
    assert fw.json_schema('{"type": "string", "format": "code"}', formats=formats).matches('"a"')
    formats["code"] = "[0-9]"
    assert fw.json_schema('{"type": "string", "format": "code"}', formats=formats).matches('"1"')


def test_a_model_that_is_built_again_is_read_again() -> None:
    class Node(pydantic.BaseModel):
        value: int

    before = fw.form(Node)
    assert before is fw.form(Node)
    assert not before.matches('{"value": "a"}')
    Node.model_fields["value"].annotation = str
    Node.__annotations__["value"] = str
    Node.model_rebuild(force=True)
    assert fw.form(Node) is not before


def test_a_wrong_option_is_refused_however_often() -> None:
    for _ in range(2):
        with pytest.raises(fw.errors.UnknownOption):
            fw.json_schema("true", ordr="model")  # type: ignore[call-overload]


def test_a_constraint_is_kept_with_the_masks_of_its_texts() -> None:
    own = vocabulary()
    form = fw.json_schema('{"type": "array", "items": {"enum": ["kept", "again"]}}')
    assert own.kept_constraints == (0, 0)
    mask = fw.allocate_bitmask(1, own)
    fw.compile(form, own).matcher().fill_bitmask(mask)
    count, size = own.kept_constraints
    assert count == 1
    assert size > 0
    again = fw.compile(fw.json_schema('{"type": "array", "items": {"enum": ["kept", "again"]}}'), own)
    other = fw.allocate_bitmask(1, own)
    again.matcher().fill_bitmask(other)
    assert (mask == other).all()
    assert own.kept_constraints[0] == 1
    assert again.form is form
    assert again.vocabulary is own


def test_kept_constraints_are_bounded() -> None:
    own = vocabulary()
    for number in range(300):
        fw.compile(fw.regex(f"a{{{number}}}b"), own)
    count, size = own.kept_constraints
    assert count == 256
    assert size <= 128 << 20


def test_threads_share_what_is_kept() -> None:
    own = vocabulary()

    def write(number: int) -> bytes:
        form = fw.json_schema(f'{{"const": "{number % 5}"}}')
        matcher, token_ids = fw.compile(form, own).matcher(), list[int]()
        while not matcher.is_complete:
            token_ids.append(matcher.allowed_token_ids()[0])
            matcher.accept_token(token_ids[-1])
        return bytes(token_ids)

    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(write, range(200)))
    assert texts == [f'"{number % 5}"'.encode() for number in range(200)]
    assert own.kept_constraints[0] == 5


@dataclass(frozen=True)
class Letters(fw.CharacterParser):
    """Any number of the letter a, at least one."""

    count: int = 0

    def allowed_characters(self) -> str:
        return "a"

    def add_character(self, character: str) -> Letters:
        return Letters(min(self.count + 1, 1))

    def can_end(self) -> bool:
        return self.count > 0

    def key(self) -> int:
        return self.count


def test_a_character_parser_is_not_kept() -> None:
    own = vocabulary()
    fw.compile(fw.form(Letters()), own)
    assert own.kept_constraints == (0, 0)


def test_what_is_heavy_pushes_out_what_is_old() -> None:
    kept = Lru[str, str](10, len)
    assert kept.find("a", lambda: "1234") == "1234"
    assert kept.find("b", lambda: "12345") == "12345"
    assert kept.find("a", lambda: "other") == "1234"
    assert kept.find("c", lambda: "123") == "123"
    assert "b" not in kept
    assert "a" in kept
    assert kept.weight == 7
    assert kept.find("d", lambda: "12345678901") == "12345678901"
    assert "d" not in kept
    assert len(kept) == 2


def test_expressions_of_grammars_are_translated_once_unless_they_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, write = [], lark_expressions.write_pattern

    def write_and_note(pattern: re.Pattern[str]) -> str:
        asked.append(pattern.pattern)
        return write(pattern)

    monkeypatch.setattr(lark_expressions, "write_pattern", write_and_note)
    short, long = "[kept]{3,3}", "x" * 1001
    for _ in range(2):
        assert lark_expressions.translate_expression(short, "") == short
        assert lark_expressions.translate_expression(short, "i") != short
        assert lark_expressions.translate_expression(long, "") == long
    assert asked == [short, short, long, long]
