"""Languages that are put together of copies of rules."""

from __future__ import annotations

import pytest

import formwright as fw
from formwright.errors import LanguageError
from formwright.forms.assembly import Assembly

RULES = r"""
start: "SELECT"
query: "SELECT " @column " FROM " @table (" WHERE " test)?
test: @column " = " NUMBER | "(" test ")" | @column " IN (" @other ")"
NUMBER: /[0-9]+/
"""


def make() -> fw.Form[str]:
    steps = Assembly([(["query"], ["column", "table", "other"])])
    [other] = steps.declare(1)
    people = steps.copy(0, [steps.text("id", "name"), steps.text("people"), other])
    items = steps.copy(0, [steps.text("price"), steps.text("items"), steps.never])
    steps.define(other, steps.choice(items))
    steps.choice([*people, *items])
    return fw.Form(steps.build(RULES, []), str, "queries", "value")


def test_copies_have_what_fills_their_own_holes() -> None:
    form = make()
    assert form.matches("SELECT name FROM people WHERE ((id = 12))")
    assert form.matches("SELECT id FROM people WHERE id IN (SELECT price FROM items)")
    assert not form.matches("SELECT name FROM items")
    assert not form.matches("SELECT price FROM items WHERE id = 1")
    assert not form.matches("SELECT price FROM items WHERE price IN (SELECT price FROM items)")


def test_an_assembly_is_stored() -> None:
    again = type(make().language).from_bytes(make().language.to_bytes())
    assert fw.Form(again, str, "queries", "value").matches("SELECT id FROM people")


def test_a_step_that_cannot_be_taken_is_an_error() -> None:
    steps = Assembly([(["query"], ["column", "table", "other"])])
    steps.copy(0, [steps.text("id"), steps.text("people"), 99])
    with pytest.raises(LanguageError, match="there is no value 99"):
        steps.build(RULES, [])
