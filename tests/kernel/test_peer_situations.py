"""Situations that other engines test: what `testdata/peer_situations.toml` says of each, the grammars do."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Literal

import pytest

import formwright as fw
from formwright import errors

FILE = Path(__file__).parents[2] / "testdata" / "peer_situations.toml"
ROWS: list[dict[str, Any]] = tomllib.loads(FILE.read_text("utf-8"))["situation"]


def choose(key: str) -> pytest.MarkDecorator:
    """The situations with a ``key``; the test is expected to fail with those that name a ``fault`` of ours."""
    chosen = [row for row in ROWS if key in row]
    marks = [[pytest.mark.xfail(reason=row["fault"])] if "fault" in row else [] for row in chosen]
    rows = [pytest.param(row, id=row["peer"], marks=mark) for row, mark in zip(chosen, marks, strict=True)]
    return pytest.mark.parametrize("row", rows)


def make_form(row: dict[str, Any]) -> fw.Form[str]:
    syntax: Literal["lark", "gbnf"] = "lark" if "lark" in row else "gbnf"
    return fw.grammar(row[syntax], syntax=syntax, start=row.get("start"))


def test_every_situation_is_tried() -> None:
    assert all(("depart" in row) != ("error" in row) and ("lark" in row) != ("gbnf" in row) for row in ROWS)
    assert len({row["peer"] for row in ROWS}) == len(ROWS) >= 120


@choose("depart")
def test_texts_conform(row: dict[str, Any]) -> None:
    form = make_form(row)
    assert [text for text in row.get("conform", []) if not form.matches(text)] == []
    assert [text for text in row["depart"] if form.matches(text)] == []


@choose("error")
def test_an_error_shows_its_place(row: dict[str, Any]) -> None:
    with pytest.raises(errors.LanguageError) as raised:
        make_form(row)
    place = f"{raised.value.line}:{raised.value.column}" if isinstance(raised.value, errors.GrammarError) else ""
    assert (place, row["error"]["says"] in str(raised.value)) == (row["error"]["place"], True), str(raised.value)
