"""Listed values and names in notations: written so that others read them, or told, or refused with their place."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from typing import Any
from xml.etree import ElementTree

import pytest
import toon_format
from markdown_it import MarkdownIt
from yaml_readers import read_yaml

import formwright as fw
from formwright.errors import ArgumentError, UnsupportedKeyword

NOTATIONS = ["json", "jsonl", "python", "csv", "tsv", "markdown", "xml", "toml", "toon", "yaml"]
TABLES = ["jsonl", "csv", "tsv", "markdown"]
CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF)]
TEXTS = [*CONTROLS, "\ufeffa", "a\x1bb", " x", "x ", "\u00a0x", "<br>", "a|b", "\\", "\\|", "a<b\nc", "it's", '"', ""]


def closed(**properties: Any) -> dict[str, Any]:
    names = list(properties)
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def form_of(record: dict[str, Any], notation: Any) -> fw.Form[Any]:
    """A record, or a list of such records where the notation writes rows."""
    schema = {"type": "array", "items": record} if notation in TABLES else record
    return fw.json_schema(schema, notation=notation)


def value_of(record: Any, notation: str) -> Any:
    return [record] if notation in TABLES else record


def cells_of(text: str) -> list[list[str]]:
    """The source of each cell of a table of Markdown."""
    rows: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token.content)
    return rows


def read_elsewhere(text: str, notation: str) -> Any:
    """The record that an independent reader reads."""
    if notation in ("csv", "tsv"):
        names, row = csv.reader(
            io.StringIO(text, newline=""), delimiter="\t" if notation == "tsv" else ",", strict=True
        )
        return dict(zip(names, row, strict=True))
    if notation == "markdown":
        names, row = ([cell.replace("<br>", "\n") for cell in cells] for cells in cells_of(text))
        return dict(zip(names, row, strict=True))
    if notation == "xml":
        return {element.tag: element.text or "" for element in ElementTree.fromstring(text)}
    return {"yaml": read_yaml, "toml": tomllib.loads, "toon": toon_format.decode}.get(notation, json.loads)(text)


@pytest.mark.parametrize("notation", [name for name in NOTATIONS if name != "python"])
def test_listed_texts_are_written_or_told(notation: str) -> None:
    """Of two texts, the odd one is read by others too, or explain says that it is left out."""
    for text in TEXTS:
        form = form_of(closed(s={"enum": [text, "a"]}, t={"const": "b"}), notation)
        record = {"s": text, "t": "b"}
        is_told = "enum: narrowed" in str(form.explain())
        assert form.matches(form.write(value_of({"s": "a", "t": "b"}, notation)))
        if is_told:
            with pytest.raises(ArgumentError):
                form.write(value_of(record, notation))
            continue
        written = form.write(value_of(record, notation))
        assert form.parse(written) == value_of(record, notation)
        assert read_elsewhere(written, notation) == record, (notation, text, written)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_place_without_a_text_is_refused(notation: str) -> None:
    """A constant is written, or it is an error with the place."""
    for text in TEXTS:
        is_told = "narrowed" in str(form_of(closed(s={"enum": [text, "a"]}, t={"const": "b"}), notation).explain())
        record = closed(s={"const": text}, t={"const": "b"})
        if not is_told:
            assert form_of(record, notation).write(value_of({"s": text, "t": "b"}, notation))
            continue
        with pytest.raises(UnsupportedKeyword, match="no way to write what is listed here") as caught:
            form_of(record, notation)
        assert caught.value.pointer == ("/items" if notation in TABLES else "") + "/properties/s"


def test_yaml_writes_controls_with_escapes() -> None:
    form = fw.json_schema(closed(s={"enum": ["\0", "a\x1bb"]}), notation="yaml")
    assert form.write({"s": "\0"}) == 's: "\\u0000"'
    assert form.write({"s": "a\x1bb"}) == 's: "a\\u001bb"'
    assert not form.matches("s: '\0'")


def test_numbers_that_readers_do_not_take_are_told() -> None:
    form = fw.json_schema(closed(n={"enum": [10**20, 1]}), notation="toml")
    assert form.write({"n": 1}) == "n = 1"
    assert "n/enum: narrowed" in str(form.explain())
    with pytest.raises(UnsupportedKeyword, match="toml has no way") as caught:
        fw.json_schema(closed(n={"const": 10**20}), notation="toml")
    assert caught.value.pointer == "/properties/n"
    assert read_yaml(fw.json_schema(closed(n={"const": 1e77}), notation="yaml").write({"n": 1e77})) == {"n": 1e77}


def test_listed_texts_that_say_another_value_are_told() -> None:
    form = form_of(closed(n={"enum": ["12", "a", 12]}, t={"const": ""}), "csv")
    assert "n/enum: narrowed (strings that" in str(form.explain())
    assert form.parse("n,t\n12,\na,") == [{"n": 12, "t": ""}, {"n": "a", "t": ""}]
    assert "narrowed" not in str(form_of(closed(n={"enum": ["b", "a", 12]}), "csv").explain())


@pytest.mark.parametrize("notation", ["csv", "tsv", "markdown"])
def test_names_of_columns_are_guarded_as_cells_are(notation: str) -> None:
    for name in [text for text in TEXTS if text]:
        is_told = "narrowed" in str(form_of(closed(s={"enum": [name, "a"]}), notation).explain())
        record = closed(**{name: {"type": "integer"}, "b": {"type": "integer"}})
        if is_told:
            with pytest.raises(UnsupportedKeyword, match="has no way to write the name") as caught:
                form_of(record, notation)
            assert caught.value.pointer == "/items"
            continue
        written = form_of(record, notation).write([{name: 1, "b": 2}])
        assert read_elsewhere(written, notation) == {name: "1", "b": "2"}


OPTIONAL = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "n": {"type": ["integer", "null"]}},
    "required": ["id"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("notation", ["csv", "markdown", "toml", "xml"])
def test_a_member_that_is_not_there_is_null_unless_it_has_another_default(notation: str) -> None:
    form = form_of(OPTIONAL, notation)
    assert "n/type: narrowed (objects that have it: one without it has null" in str(form.explain())
    null = value_of({"id": "v", "n": None}, notation)
    assert form.parse(form.write(null)) == null
    with pytest.raises(ArgumentError):
        form.write(value_of({"id": "v"}, notation))
    other = {"id": {"type": "string"}, "n": {"type": ["integer", "null"], "default": 5}}
    form = form_of({**OPTIONAL, "properties": other}, notation)
    assert "n/type: narrowed (values other than null" in str(form.explain())
    absent = value_of({"id": "v"}, notation)
    assert form.parse(form.write(absent)) == absent
    with pytest.raises(ArgumentError):
        form.write(null)


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        ({"enum": [0.00001]}, 0.00001, "0.00001"),
        ({"enum": [1e30, 1]}, 1e30, "1e+30"),
        ({"type": "number", "multipleOf": 1e-6}, 3e-6, "0.000003"),
        ({"type": "number"}, 1e-7, "1e-07"),
    ],
)
def test_numbers_are_written_in_a_spelling_of_their_form(schema: Any, value: float, text: str) -> None:
    form = fw.json_schema(schema)
    assert form.write(value) == text
    assert form.parse(text) == value
    assert fw.json_schema(closed(n=schema), notation="yaml").parse(
        fw.json_schema(closed(n=schema), notation="yaml").write({"n": value})
    ) == {"n": value}
