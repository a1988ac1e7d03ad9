"""Options of JSON by environment variables: where they apply, where they do not, and what is said of them."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest
from pydantic import BaseModel

import formwright as fw
from formwright.forms.json_options import complete_options

PAIR: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {"type": "null"}}},
    "required": ["a", "b"],
    "additionalProperties": False,
}
SWAPPED = '{"b":[],"a":1}'
WIDE = '\t\t{"a":\n\n1,"b":[]}'
LONG = '{"a":1,"b":[null,null]}'


class Pair(BaseModel):
    a: int
    b: list[None]


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ORDER", "MAX_WHITESPACE", "MAX_ITEMS", "ALPHABET"):
        monkeypatch.delenv(f"FORMWRIGHT_{name}", raising=False)


MAKERS = [
    pytest.param(lambda **options: fw.json_schema(PAIR, **options), id="json_schema of a schema"),
    pytest.param(lambda **options: fw.json_schema(Pair, **options), id="json_schema of a type"),
    pytest.param(lambda **options: fw.form(PAIR, **options), id="form of a schema"),
    pytest.param(lambda **options: fw.form(Pair, **options), id="form of a type"),
]


@pytest.mark.parametrize("make", MAKERS)
def test_a_variable_is_the_default_of_its_option(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = make()
    assert [plain.matches(text) for text in (SWAPPED, WIDE, LONG)] == [False, False, True]
    monkeypatch.setenv("FORMWRIGHT_ORDER", "model")
    monkeypatch.setenv("FORMWRIGHT_MAX_WHITESPACE", "2")
    monkeypatch.setenv("FORMWRIGHT_MAX_ITEMS", "1")
    form = make()
    assert [form.matches(text) for text in (SWAPPED, WIDE, LONG)] == [True, True, False]
    assert not form.matches("   " + SWAPPED)
    said = make(order="schema", whitespace="flexible", max_items=2)
    assert [said.matches(text) for text in (SWAPPED, WIDE, LONG)] == [False, False, True]
    assert said.defaults == ()
    assert [plain.matches(text) for text in (SWAPPED, WIDE, LONG)] == [False, False, True]


def test_a_form_of_any_json_asks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORMWRIGHT_MAX_ITEMS", "1")
    monkeypatch.setenv("FORMWRIGHT_ORDER", "model")
    assert not fw.json().matches("[1,2]")
    assert fw.json(max_items=2).matches("[1,2]")
    assert [row.keyword for row in fw.json().explain() if row.status == "default"] == ["FORMWRIGHT_MAX_ITEMS"]


@pytest.mark.parametrize(
    ("given", "text", "is_in_form"),
    [
        ({}, "\t\t1", True),
        ({}, "\t\t\t1", False),
        ({"whitespace": "free"}, "\t\t1", True),
        ({"whitespace": "free"}, "\t\t\t1", False),
        ({"whitespace": "free", "max_whitespace": 3}, "\t\t\t1", True),
        ({"max_whitespace": 3}, "\t\t\t1", True),
        ({"whitespace": "compact"}, "\t1", False),
        ({"whitespace": "[ ]?"}, "\t1", False),
    ],
)
def test_a_bound_on_whitespace_makes_it_free_unless_another_is_given(
    given: dict[str, Any], text: str, is_in_form: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORMWRIGHT_MAX_WHITESPACE", "2")
    assert fw.form(int, **given).matches(text) is is_in_form


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("FORMWRIGHT_ORDER", "random"),
        ("FORMWRIGHT_ORDER", "Model"),
        ("FORMWRIGHT_MAX_WHITESPACE", "-1"),
        ("FORMWRIGHT_MAX_WHITESPACE", "1001"),
        ("FORMWRIGHT_MAX_WHITESPACE", " 3"),
        ("FORMWRIGHT_MAX_ITEMS", "twenty"),
        ("FORMWRIGHT_MAX_ITEMS", "1e3"),
        ("FORMWRIGHT_MAX_ITEMS", "٣"),
        ("FORMWRIGHT_MAX_ITEMS", "4294967295"),
        ("FORMWRIGHT_MAX_ITEMS", "9" * 5_000),
        ("FORMWRIGHT_ALPHABET", "ab\udcff"),
    ],
)
def test_a_bad_value_is_an_error_that_names_its_variable(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    for make in (lambda: fw.form(int), lambda: fw.explain({}), lambda: fw.json_schema({})):
        with pytest.raises(fw.errors.ArgumentError, match=f"{variable} is ") as caught:
            make()
        assert caught.value.argument == variable
        assert "unset" in str(caught.value.hint)
        assert len(str(caught.value)) < 200
    # What has no JSON in it asks no variable.
    assert fw.form(re.compile("a")).matches("a")
    assert fw.choice("a").matches("a")


def test_the_alphabet_comes_from_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORMWRIGHT_ALPHABET", "ab é")
    for form in (fw.form(str), fw.json(), fw.json_schema({"type": "string"})):
        assert form.matches('"bé a"')
        assert not form.matches('"c"')
        assert [tuple(row) for row in form.defaults] == [("", "FORMWRIGHT_ALPHABET", "default", "alphabet='ab é'")]
    assert fw.form(str, alphabet="c").matches('"c"')
    monkeypatch.setenv("FORMWRIGHT_ALPHABET", "".join(map(chr, range(32, 5_000))))
    (row,) = fw.form(str).defaults
    assert len(row.note) < 100


def test_an_empty_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORMWRIGHT_MAX_ITEMS", "")
    assert fw.form(list[int]).defaults == ()


def test_explain_tells_where_an_option_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORMWRIGHT_ORDER", "model")
    monkeypatch.setenv("FORMWRIGHT_MAX_WHITESPACE", "2")
    expected = [
        ("", "FORMWRIGHT_ORDER", "default", "order='model'"),
        ("", "FORMWRIGHT_MAX_WHITESPACE", "default", "max_whitespace=2"),
        ("", "FORMWRIGHT_MAX_WHITESPACE", "default", "whitespace='free'"),
    ]
    form = fw.json_schema(PAIR)
    for rows in (form.explain(), fw.explain(PAIR), pickle.loads(pickle.dumps(form)).explain()):
        assert [tuple(row) for row in rows[:3]] == expected
        assert str(rows).startswith("FORMWRIGHT_ORDER: default (order='model')\n")
    assert [row.status for row in fw.explain(PAIR, order="schema", whitespace="compact")].count("default") == 0


def test_a_form_that_is_made_never_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = fw.json_schema(PAIR)
    monkeypatch.setenv("FORMWRIGHT_ORDER", "model")
    form = fw.json_schema(PAIR)
    monkeypatch.setenv("FORMWRIGHT_ORDER", "schema")
    for stored in (fw.Form.from_bytes(form.to_bytes()), pickle.loads(pickle.dumps(form)), fw.form(form)):
        assert stored.matches(SWAPPED)
    monkeypatch.setenv("FORMWRIGHT_ORDER", "model")
    assert not fw.Form.from_bytes(plain.to_bytes()).matches(SWAPPED)


def test_answers_of_providers_are_checked_as_if_no_variable_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    from formwright.schemas.providers.places import compile_checker

    monkeypatch.setenv("FORMWRIGHT_MAX_ITEMS", "0")
    monkeypatch.setenv("FORMWRIGHT_ORDER", "broken")
    assert compile_checker('{"type": "array"}').matches("[1, 2]")


def test_only_options_that_a_form_has_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORMWRIGHT_ORDER", "random")
    assert complete_options({}, ["max_items"]) == ({"max_items": None}, ())


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"type": "array"}, ("", "type")),
        ({"properties": {"a": {"items": {"type": "null"}}}, "type": "object"}, ("/properties/a", "items")),
        ({"anyOf": [{"type": "array"}, {"type": "null"}]}, ("", "anyOf")),
        ({"$ref": "#/$defs/l", "$defs": {"l": {"type": "array"}}}, ("", "$ref")),
        ({}, ("", "")),
        (True, ("", "")),
        ({"type": "object", "properties": {"a": True}, "additionalProperties": False}, ("", "")),
    ],
)
def test_explain_shows_every_place_where_arrays_are_bounded(schema: Any, place: tuple[str, str]) -> None:
    rows = [row for row in fw.explain(schema, max_items=3) if "at most 3 items (max_items)" in row.note]
    assert place in [row[:2] for row in rows]
    assert {row.status for row in rows} == {"narrowed"}
    assert not any("max_items" in row.note for row in fw.explain(schema))
    bounded = {"type": "array", "items": {"type": "null"}, "maxItems": 9}
    assert not any("max_items" in row.note for row in fw.explain(bounded, max_items=3))


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"type": "string"}, ("", "type")),
        ({"type": "string", "minLength": 2, "pattern": "^[a-zé]+$"}, ("", "pattern")),
        ({"properties": {"a": {"type": "string", "format": "date"}}, "type": "object"}, ("/properties/a", "format")),
        ({"type": "object", "additionalProperties": {"type": "null"}}, ("", "additionalProperties")),
        ({"type": "object", "patternProperties": {"^.$": False}}, ("", "patternProperties")),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, ("", "anyOf")),
        ({"type": "array", "uniqueItems": True, "items": {"type": "string"}}, ("/items", "type")),
        ({}, ("", "")),
    ],
)
def test_explain_shows_every_place_that_an_alphabet_narrows(schema: Any, place: tuple[str, str]) -> None:
    rows = [
        row for row in fw.explain(schema, alphabet="ab") if "characters of the alphabet only (alphabet)" in row.note
    ]
    assert place in [row[:2] for row in rows]
    assert {row.status for row in rows} == {"narrowed"}
    assert not any("alphabet" in row.note for row in fw.explain(schema))


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": ["é", 1]},
        {"type": "string", "pattern": "^[ab]{2,5}$"},
        {"type": "string", "maxLength": 0},
        {"anyOf": [{"const": "é"}, {"type": "string", "pattern": "^a+$"}]},
        {"type": "object", "properties": {"é": {"type": "null"}}, "additionalProperties": False},
        {"type": "object", "propertyNames": {"enum": ["é", "b"]}, "additionalProperties": {"type": "null"}},
    ],
)
def test_what_an_alphabet_leaves_as_it_is_has_no_note(schema: Any) -> None:
    assert not any("alphabet" in row.note for row in fw.explain(schema, alphabet="ab"))


def test_one_row_tells_all_that_is_narrowed_there() -> None:
    (row,) = fw.explain({}, alphabet="ab", max_items=3)
    assert row.note.startswith("where any value may be, strings with characters of the alphabet only (alphabet)")
    assert "; arrays of at most 3 items (max_items); undeclared names with" in row.note
