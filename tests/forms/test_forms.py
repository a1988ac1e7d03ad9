"""Forms: what texts are read as, through options, composition, compilation and storage."""

from __future__ import annotations

import json
import pickle
import re
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Annotated, Any, Literal, NewType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import UUID4, Field
from typing_extensions import TypeAliasType

import formwright as fw
from formwright.forms.explain import Check


class Mood(Enum):
    GOOD = "good"
    BAD = "bad"


class Size(StrEnum):
    SMALL = "S"
    LARGE = "L"


@dataclass
class Point:
    x: int
    y: int


POINT = '{"x":1,"y":2}'


def test_options_do_not_lose_the_type() -> None:
    form = fw.form(Point, whitespace="compact", order="model")
    assert form.parse('{"y":2,"x":1}') == Point(1, 2)
    assert not form.matches('{"y": 2, "x": 1}')
    assert fw.json_schema(Point, whitespace="compact").parse(POINT) == Point(1, 2)


def test_compiling_does_not_lose_the_type(byte_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(Point, byte_vocabulary)
    assert constraint.parse(POINT) == Point(1, 2)
    assert fw.compile(constraint, byte_vocabulary) is constraint
    assert fw.form(constraint) is constraint.form


def test_pickling_does_not_lose_the_type(byte_vocabulary: fw.Vocabulary) -> None:
    forms = [fw.form(Point), fw.choice(Mood), "(" + fw.form(Point) + ")", fw.form(Point) | "none"]
    texts = [POINT, "good", f"({POINT})", "none"]
    for form, text in zip(forms, texts, strict=True):
        again = pickle.loads(pickle.dumps(form))
        assert again.parse(text) == form.parse(text)
        constraint = pickle.loads(pickle.dumps(fw.compile(form, byte_vocabulary)))
        assert constraint.parse(text) == form.parse(text)


def test_bytes_hold_the_language_and_not_the_type(byte_vocabulary: fw.Vocabulary) -> None:
    assert fw.Form.from_bytes(fw.form(Point).to_bytes()).parse(POINT) == {"x": 1, "y": 2}
    assert fw.Form.from_bytes(fw.regex("a+").to_bytes()).parse("aa") == "aa"
    data = fw.compile(Point, byte_vocabulary).to_bytes()
    assert fw.Constraint.from_bytes(data, byte_vocabulary).parse(POINT) == {"x": 1, "y": 2}


@pytest.mark.parametrize(
    ("form", "text", "value"),
    [
        (fw.literal("a") + "b", "ab", "ab"),
        ("a" + fw.literal("b"), "ab", "ab"),
        (fw.literal("Mood: ") + fw.choice(Mood), "Mood: good", Mood.GOOD),
        (fw.literal("Size: ") + fw.choice(Size) + ".", "Size: S.", Size.SMALL),
        ("```\n" + fw.form(Point) + "\n```", f"```\n{POINT}\n```", Point(1, 2)),
        (fw.form(int) + fw.form(bool), "12true", (12, True)),
        (fw.form(int) + "-" + fw.form(bool), "12-true", (12, True)),
        (fw.form(int) + fw.form(int), "123", (12, 3)),  # the earlier part takes as much as it can
        (fw.form(str) + "!", '"a"!', "a"),
        (fw.form(Point) | "none", "none", "none"),
        (fw.form(Point) | "none", POINT, Point(1, 2)),
        ("1" | fw.form(int), "1", "1"),  # the first of the two that has the text
        (fw.form(int) | "1", "1", 1),
        ((fw.form(int) + ",").repeat(2), "1,23,", [1, 23]),
        (fw.form(int).repeat(2, None), "1234", [123, 4]),
        ((fw.form(int) + ",").repeat(0, None), "", []),
        ((fw.form(int) | "").repeat(3), "7", [7, "", ""]),
        (fw.literal("ab").repeat(2), "abab", "abab"),
        (fw.choice(Size) | fw.form(int), "S", Size.SMALL),
        ((fw.json_schema({"type": "string"}) + ",").repeat(2), '"a","b",', ["a", "b"]),
    ],
)
def test_the_value_of_a_composition(form: fw.Form[Any], text: str, value: Any) -> None:
    assert form.parse(text) == value
    assert type(form.parse(text)) is type(value)


@pytest.mark.parametrize(
    "compose",
    [
        lambda: fw.form(str) + fw.form(int),
        lambda: fw.form(int) + fw.form(str),
        lambda: fw.form(str) + fw.form(str),
        lambda: fw.choice(Size) + ":" + fw.form(int),
        lambda: fw.choice(Size) + fw.choice(Size),
        lambda: fw.json_schema(Size) + ": " + fw.form(int),
        lambda: (fw.choice(Size) + " ").repeat(2),
        lambda: fw.form(Annotated[str, "a remark"]).repeat(2),
        lambda: fw.form(NewType("Name", str)).repeat(2),
        lambda: fw.json_schema(Literal["a", "b"]) + fw.form(int),
        lambda: fw.form(Annotated[Literal["a"], "a remark"]).repeat(2),
        lambda: fw.form(Literal["a"] | Size).repeat(2),
        lambda: fw.form(TypeAliasType("Name", str)).repeat(2),
    ],
)
def test_the_value_of_a_string_is_not_dropped_in_silence(compose: Callable[[], object]) -> None:
    with pytest.raises(fw.errors.NotAForm, match="would be lost"):
        compose()


def test_a_pattern_beside_a_form_is_wrapped() -> None:
    for other in [re.compile("z"), int, {"type": "integer"}]:
        with pytest.raises(fw.errors.NotAForm, match="is combined with a form"):
            fw.form(int) + other  # type: ignore[operator]


@given(st.lists(st.integers(0, 999), max_size=6), st.sampled_from(["", ",", "12"]))
def test_repetitions_are_read_in_one_of_the_ways_they_can_be(numbers: list[int], separator: str) -> None:
    text = "".join(f"{number}{separator}" for number in numbers)
    read = (fw.form(int) + separator).repeat(0, None).parse(text)
    assert "".join(f"{number}{separator}" for number in read) == text
    if separator == ",":
        assert read == numbers


def test_repeat_takes_one_count_or_two() -> None:
    assert [fw.literal("a").repeat(2).matches("a" * n) for n in range(4)] == [False, False, True, False]
    assert [fw.literal("a").repeat(1, 2).matches("a" * n) for n in range(4)] == [False, True, True, False]
    assert [fw.literal("a").repeat(1, None).matches("a" * n) for n in (0, 1, 50)] == [False, True, True]
    for low, high in [(-1, 2), (3, 2)]:
        with pytest.raises(fw.errors.ArgumentError):
            fw.literal("a").repeat(low, high)


@pytest.mark.parametrize(
    ("form", "texts"),
    [
        (fw.choice("yes", "no"), {"yes", "no"}),
        (fw.choice(["yes", "no"]), {"yes", "no"}),
        (fw.choice("yes"), {"yes"}),
        (fw.choice(iter(["y", "e", "s"])), {"y", "e", "s"}),
        (fw.choice(Mood), {"good", "bad"}),
        (fw.choice(Literal["a", "b"]), {"a", "b"}),  # type: ignore[call-overload]
    ],
)
def test_choices(form: fw.Form[Any], texts: set[str]) -> None:
    assert {text for text in ["y", "e", "s", "yes", "no", "good", "bad", "a", "b"] if form.matches(text)} == texts


@pytest.mark.parametrize(
    "options", [(), ([],), (["a", 1],), (1,), ("a", ["b"]), (b"a",), ({"type": "integer"},), (Literal["a", 1],)]
)
def test_choices_that_are_none(options: tuple[Any, ...]) -> None:
    with pytest.raises(fw.errors.ArgumentError):
        fw.choice(*options)


def test_texts_are_str_or_bytes() -> None:
    form = fw.literal("é") + fw.form(int)
    assert form.parse("é5".encode()) == form.parse("é5") == 5
    assert form.check("éx") == Check(1, False, form.check("éx").expected)
    assert form.check("éx".encode()).position == 2
    assert form.check("é5") == (2, True, "")
    assert isinstance(form.example(), str)
    assert not form.matches("é\ud83d")
    with pytest.raises(fw.errors.ArgumentError):
        form.matches(5)  # type: ignore[arg-type]


def test_a_text_out_of_form_is_not_parsed() -> None:
    with pytest.raises(fw.errors.OutputInvalid) as caught:
        fw.form(Point).parse('{"x":1,"z":2}')
    assert (caught.value.text, caught.value.position) == ('{"x":1,"z":2}', 8)
    assert "'y'" in str(caught.value)
    with pytest.raises(fw.errors.OutputInvalid) as caught:
        fw.regex("é*a").parse("éééx".encode())
    assert (caught.value.text, caught.value.position) == ("éééx", 3)
    with pytest.raises(fw.errors.OutputInvalid, match="too early"):
        fw.form(Point).parse('{"x":1')


def add(a: int, b: int) -> int:
    raise AssertionError("called with what a model wrote")


class WithMethod:
    def method(self, a: int) -> int:
        raise AssertionError("called with what a model wrote")


class Pairs(Enum):
    ONE = (1, 2)


@dataclass
class Holds:
    value: Pairs


@pytest.mark.parametrize(
    ("form", "hint"),
    [
        ("yes", "fw.literal('yes') for this text, fw.regex('yes') for the texts it matches, or fw.json_schema('yes')"),
        ("true", "fw.literal"),
        (b"yes", "decode them"),
        (add, "fw.tools([function])"),
        (WithMethod().method, "fw.tools([function])"),
        (len, "fw.tools([function])"),
        (lambda: 1, "fw.tools([function])"),
        (Point(1, 2), "pass the class Point"),
        (5, "pass the class int"),
        (complex, "tuple[float, float]"),
        (list[complex], "tuple[float, float]"),
        (Pairs, "strings, numbers"),
        (Holds, "strings, numbers"),
        (re.Match, "pass a type"),
        (iter, "fw.tools([function])"),
        (["yes", "no"], "fw.choice"),
        (Mood.GOOD, "pass the class Mood"),
        (re, "pass a type, a JSON Schema"),
        ({"name": str}, "a dataclass, a TypedDict or a pydantic model"),
        (Literal[b"a"], "pass a str"),
        (type[int], "Literal"),
        (Iterable[int], "list[T]"),
        (Annotated[str, Field(pattern="^(?!a)b$")], "python-re"),
    ],
)
def test_what_is_no_form_is_refused_and_says_what_may_have_been_meant(form: Any, hint: str) -> None:
    with pytest.raises(fw.errors.LanguageError) as caught:
        fw.form(form)
    assert hint in str(caught.value.hint)


def test_schema_text_is_for_json_schema() -> None:
    assert fw.json_schema('{"type": "integer"}').parse("3") == 3
    for form in [fw.literal("a"), re.compile("a"), 5, add]:
        with pytest.raises(fw.errors.NotAForm):
            fw.json_schema(form)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("order", "random"),
        ("whitespace", "compat"),
        ("whitespace", "[a ]*"),
        ("whitespace", "[^ ]"),
        ("max_whitespace", -1),
        ("max_whitespace", 1_001),
        ("max_items", -1),
        ("max_items", 10**30),
        ("alphabet", ""),
        ("alphabet", "a\udc00"),
        ("alphabet", ["a"]),
        ("escapes", "all"),
        ("integers", "whole"),
        ("max_digits", 0),
        ("max_digits", -1),
        ("max_digits", 401),
        ("unknown_keywords", "warn"),
        ("format", "check"),
        ("dialect", "draft5"),
    ],
)
def test_an_unknown_value_of_an_option_is_refused(option: str, value: Any) -> None:
    for make in (fw.json_schema, fw.form, fw.explain):
        with pytest.raises(fw.errors.ArgumentError) as caught:
            make({}, **{option: value})
        assert caught.value.argument == option


def test_options_of_json_are_not_dropped_where_there_is_no_json() -> None:
    for form in [fw.literal("a"), re.compile("a"), Mood]:
        with pytest.raises(fw.errors.ArgumentError, match="whitespace= is an option of JSON"):
            fw.form(form, whitespace="compact")  # type: ignore[call-overload]
        with pytest.raises(fw.errors.ArgumentError, match="max_items= is an option of JSON"):
            fw.form(form, max_items=3)  # type: ignore[call-overload]
    assert fw.json_schema(Mood, whitespace="compact").parse('"good"') is Mood.GOOD


def test_reprs_say_what_it_is(byte_vocabulary: fw.Vocabulary) -> None:
    assert repr(fw.regex("a+")) == "Form(regex 'a+')"
    assert repr(fw.choice("a", "b") + "c") == "Form(choice 'a', 'b' + 'c')"
    assert repr(fw.form(Point)) == "Form(Point)"
    assert repr(fw.form(list[int])) == "Form(list[int])"
    assert repr(fw.form({"type": "integer"})) == 'Form(JSON Schema {"type": "integer"})'
    assert len(repr(fw.choice([f"option {number}" for number in range(1000)]))) < 100
    constraint = fw.compile(fw.regex("[a-z]*"), byte_vocabulary)
    assert repr(constraint) == "Constraint(Form(regex '[a-z]*'), 257 tokens)"
    matcher = fw.compile(fw.literal("abc") + fw.regex("d*"), byte_vocabulary).matcher()
    matcher.accept_bytes(b"ab")
    assert repr(matcher) == 'Matcher(after "ab", incomplete)'
    matcher.accept_bytes(b"c" + b"d" * 40)
    assert repr(matcher) == f'Matcher(after ..."{"d" * 30}", complete)'
    matcher.accept_token(256)
    assert repr(matcher).endswith(", finished)")


class TestExplain:
    """Every keyword has a row, and every fault."""

    def test_rows_are_named(self) -> None:
        row = fw.json_schema({"minLength": 1}).explain()[0]
        assert (row.pointer, row.keyword, row.status, row.note) == ("", "minLength", "enforced", "")

    def test_all_faults_are_told(self) -> None:
        schema = {
            "type": "object",
            "properties": {
                "a": {"type": "txt"},
                "b": {"minimum": "3"},
                "c": {"maxLenght": 3},
                "d": {"$ref": "#/none"},
                "e": {"items": {"type": "int"}, "not": {"pattern": "("}},
            },
            "required": ["x"],
            "additionalProperties": False,
        }
        broken = {f"{row.pointer}/{row.keyword}" for row in fw.explain(schema) if row.status == "broken"}
        assert broken == {
            "/properties/a/type",
            "/properties/b/minimum",
            "/properties/c/maxLenght",
            "/properties/d/$ref",
            "/properties/e/items/type",
            "/properties/e/not/pattern",
        }

    def test_a_form_that_nothing_satisfies_is_explained(self) -> None:
        rows = fw.explain({"type": "integer", "minimum": 5, "maximum": 4})
        assert [row.status for row in rows] == ["enforced", "enforced", "enforced", "never"]
        assert "/minimum and /maximum" in rows[-1].note

    def test_a_member_that_can_never_be_written(self) -> None:
        schema = {"type": "object", "properties": {"a": False, "b": {"type": "string", "const": 1}, "c": {}}}
        never = [(row.pointer, row.keyword) for row in fw.json_schema(schema).explain() if row.status == "never"]
        assert never == [("/properties", "a"), ("/properties", "b")]

    @pytest.mark.parametrize(
        ("inner", "place"),
        [
            ({"type": "string", "format": "ipv4"}, ("/not", "format")),
            ({"propertyNames": {"format": "ipv4", "maxLength": 9}}, ("/not", "propertyNames")),
            ({"anyOf": [{"type": "number"}, {"type": "string", "format": "ipv4"}]}, ("/not", "anyOf")),
        ],
    )
    def test_a_format_that_is_forbidden_is_a_narrowing(self, inner: Any, place: tuple[str, str]) -> None:
        rows = {(row.pointer, row.keyword): row for row in fw.explain({"not": inner})}
        assert rows[place].status == "narrowed"
        assert "whether formats are asserted" in rows[place].note

    def test_a_form_that_is_too_long_has_no_example(self) -> None:
        assert len(fw.json_schema({"type": "string", "minLength": 100_000}).example()) == 100_002
        with pytest.raises(fw.errors.LimitExceeded, match="work"):
            fw.json_schema({"type": "string", "minLength": 60_000_000}).example()

    def test_digits_are_a_narrowing(self) -> None:
        schema = {"properties": {"a": {"type": "number"}, "b": {"type": "integer", "minimum": 0, "maximum": 9}}}
        rows = {row.pointer: row for row in fw.json_schema(schema, max_digits=5).explain() if row.keyword == "type"}
        assert rows["/properties/a"].status == "narrowed"
        assert "5 digits" in rows["/properties/a"].note
        assert rows["/properties/b"].status == "enforced"

    def test_the_documentation_says_the_same_of_each_keyword(self) -> None:
        from formwright._kernel import json_schema_keywords

        roles = {keyword: (role, note) for keyword, role, note in json_schema_keywords()}
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$comment": "c", "title": "t", "$defs": {}}
        for row in fw.json_schema(schema).explain():
            assert (row.status, row.note) == roles[row.keyword]

    def test_a_refused_keyword(self) -> None:
        rows = {(row.pointer, row.keyword): row.status for row in fw.explain({"items": {"multipleOf": 1e-300}})}
        assert rows["/items", "multipleOf"] == "refused"

    def test_what_is_no_schema(self) -> None:
        with pytest.raises(fw.errors.SchemaError):
            fw.explain("{")
        with pytest.raises(fw.errors.NotAForm):
            fw.explain(5)

    def test_rows_show_themselves_in_notebooks(self) -> None:
        html = fw.json_schema({"title": "<b>"}).explain()._repr_html_()
        assert html.startswith("<table>")
        assert "title" in html


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_half_a_character_is_no_text(text: str) -> None:
    for make in (
        fw.literal,
        fw.choice,
        fw.regex,
        lambda text: fw.form(Literal[text]),
        lambda text: fw.form(re.compile(text)),
    ):
        with pytest.raises(fw.errors.ArgumentError, match="lone surrogate"):
            make(text)


def test_a_text_too_deep_for_python_is_an_error_of_ours() -> None:
    with pytest.raises(fw.errors.OutputInvalid, match="nested deeper"):
        fw.json().parse("[" * 30_000 + "]" * 30_000)


def test_a_version_of_uuid_is_part_of_the_form() -> None:
    form = fw.form(UUID4)
    assert form.parse(f'"{uuid.UUID(int=0, version=4)}"').version == 4
    assert not form.matches(f'"{uuid.UUID(int=0, version=1)}"')


def test_an_example_is_a_text_of_the_form() -> None:
    for form in [fw.form(Point), fw.choice(Mood), fw.regex("a{3}"), fw.json()]:
        assert form.matches(form.example())
    assert json.loads(fw.form(Point).example()) == {"x": 0, "y": 0}


@pytest.mark.parametrize(
    ("schema", "alphabet", "pointer"),
    [
        ({"type": "string", "pattern": "^é"}, "ab", ""),
        (
            {"type": "object", "properties": {"d": {"type": "string", "format": "date"}}, "required": ["d"]},
            "-",
            "/properties/d",
        ),
        (
            {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1, "not": {"pattern": "a"}}},
            "a",
            "/items",
        ),
        (
            {"minProperties": 1, "patternProperties": {"^é": True}, "additionalProperties": False, "type": "object"},
            "ab",
            "",
        ),
        ({"type": "array", "minItems": 3, "uniqueItems": True, "items": {"type": "string", "maxLength": 1}}, "a", ""),
    ],
)
def test_what_no_text_of_an_alphabet_satisfies_is_refused(schema: Any, alphabet: str, pointer: str) -> None:
    assert fw.json_schema(schema, alphabet=alphabet + "é2024-01a").example()
    with pytest.raises(fw.errors.UnsatisfiableSchema, match="characters of alphabet") as caught:
        fw.json_schema(schema, alphabet=alphabet)
    assert caught.value.pointer == pointer
    assert "alphabet" in str(caught.value.hint)
    assert "never" in [row.status for row in fw.explain(schema, alphabet=alphabet)]


def test_what_has_no_value_at_all_is_not_the_fault_of_an_alphabet() -> None:
    with pytest.raises(fw.errors.UnsatisfiableSchema, match="/type") as caught:
        fw.json_schema({"type": "string", "const": 1}, alphabet="a")
    assert "alphabet" not in str(caught.value)


def test_an_alphabet_of_every_character_is_no_restriction() -> None:
    every = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
    form = fw.json(alphabet=every)
    assert form.matches('{"\U0010ffff":"\\u0000é"}')
    assert not any("alphabet" in row.note for row in form.explain())
