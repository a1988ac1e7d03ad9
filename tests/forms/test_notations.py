"""Notations: a text says what independent readers read, a value is written and read back, each prefix has an end."""

from __future__ import annotations

import ast
import csv
import io
import json
import os
import pickle
import random
import tomllib
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
import toon_format
import toons
from lxml import etree
from markdown_it import MarkdownIt
from pydantic import BaseModel
from yaml_readers import read_yaml

import formwright as fw
from formwright.errors import ArgumentError, SchemaError, UnsatisfiableSchema, UnsupportedKeyword

NASTY = "\"'\\,;|-:#&*!%@`[]{}<>?=~ \t\n\r.+0157eExnyNY_/é中\u00a0\u2028\u0085\ufeff\U0001f600"
WORDS = [
    "yes",
    "null",
    "~",
    "1",
    "0x1F",
    "1e5",
    "12:30",
    "2024-01-02",
    "- a",
    "a: b",
    "a #b",
    "<br>",
    "\\|",
    ".inf",
    "on",
    "<<",
    "---",
]
SCALARS: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "string", "minLength": 1, "maxLength": 6},
    {"type": "string", "pattern": "^[a-z:# -]*$"},
    {"type": "string", "format": "date"},
    {"type": "integer"},
    {"type": "integer", "minimum": -5, "maximum": 100},
    {"type": "number"},
    {"type": "boolean"},
    {"type": ["string", "null"]},
    {"type": ["integer", "null"]},
    {"enum": ["yes", "no", "a, b", "x: y", "", "null"]},
    {"anyOf": [{"type": "integer"}, {"type": "string"}]},
    {"const": 7},
]


NAMES = ["a", "b c", "yes", "x:", "- d", "é", "3", "", "on"]


class Draws:
    """Random schemas, texts and values."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def row(self) -> dict[str, Any]:
        names = self.random.sample(["a", "b c", "id", "yes", "x.y", "é", "n|m", "3"], self.random.randint(1, 4))
        properties = {name: self.random.choice(SCALARS) for name in names}
        if self.random.random() < 0.3:
            inner = {"p": self.random.choice(SCALARS), "q": self.random.choice(SCALARS)}
            properties["in"] = {
                "type": "object",
                "properties": inner,
                "required": ["p", "q"],
                "additionalProperties": False,
            }
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}

    def nested(self, depth: int = 3, names: list[str] = NAMES) -> dict[str, Any]:
        kind = self.random.random()
        if depth == 0 or kind < 0.3:
            return self.random.choice(SCALARS)
        if kind < 0.6:
            low = self.random.choice([0, 0, 1, 2])
            return {
                "type": "array",
                "items": self.nested(depth - 1, names),
                "minItems": low,
                "maxItems": low + self.random.randint(0, 3),
            }
        members = self.random.sample(names, self.random.randint(0, 4))
        required = [name for name in members if self.random.random() < 0.6]
        properties = {name: self.nested(depth - 1, names) for name in members}
        return {"type": "object", "properties": properties, "required": required, **self.others(depth, names)}

    def others(self, depth: int, names: list[str]) -> dict[str, Any]:
        """What an object says of names that it does not declare."""
        kind = self.random.random()
        if kind < 0.2:
            return {"additionalProperties": kind < 0.1 or self.nested(depth - 1, names)}
        if kind < 0.3:
            patterns = {"^[a-f]": self.nested(depth - 1, names), "^.?$": self.nested(depth - 1, names)}
            return {"patternProperties": patterns, "additionalProperties": kind < 0.25}
        counts = {"minProperties": 5, "maxProperties": 6} if kind < 0.35 else {}
        return {"additionalProperties": kind < 0.35 and self.random.choice(SCALARS), **counts}

    def string(self) -> str:
        if self.random.random() < 0.4:
            return self.random.choice(WORDS)
        return "".join(self.random.choice(NASTY) for _ in range(self.random.randint(0, 4)))


def schema_of(draws: Draws, notation: str) -> dict[str, Any]:
    """A schema that the notation can write."""
    if notation in ("csv", "tsv", "markdown"):
        return {"type": "array", "items": draws.row(), "maxItems": draws.random.randint(1, 4)}
    if notation == "jsonl":
        return {"type": "array", "items": draws.nested(), "maxItems": draws.random.randint(1, 4)}
    if notation == "toml":
        names = draws.random.sample(NAMES, draws.random.randint(1, 4))
        required = [name for name in names if draws.random.random() < 0.6]
        return {"type": "object", "properties": {name: draws.nested() for name in names}, "required": required}
    return draws.nested(names=["a", "b", "id", "x-1", "_", "no.7"]) if notation == "xml" else draws.nested()


def read_rows(delimiter: str) -> Callable[[str], list[list[str]]]:
    return lambda text: [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)]


def read_markdown(text: str) -> list[list[str]]:
    """The source of each cell of a table, as a reader of Markdown cuts them."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token.content.replace("<br>", "\n"))
    return rows


def read_xml(text: str) -> ElementTree.Element:
    """What the standard library reads, which lxml must read alike."""
    element, other = ElementTree.fromstring(text), etree.fromstring(text.encode())
    assert [(each.tag, each.text or "") for each in element.iter()] == [
        (each.tag, each.text or "") for each in other.iter()
    ]
    return element


def read_toon(text: str) -> Any:
    """What the two libraries read, of which one is older than the version that is written."""
    value = toon_format.decode(text)
    assert to_json(toons.loads(text)) == to_json(value)
    return value


def is_element(element: ElementTree.Element, value: Any) -> bool:
    """Whether an element says a value."""
    if isinstance(value, dict):
        wanted = {name: each for name, each in value.items() if each is not None}
        return [child.tag for child in element] == [*wanted] and all(map(is_element, element, wanted.values()))
    if isinstance(value, list):
        return len(element) == len(value) and all(map(is_element, element, value))
    return not len(element) and is_cell(element.text or "", value)


JUDGES: dict[str, Callable[[str], Any]] = {
    "yaml": read_yaml,
    "python": ast.literal_eval,
    "jsonl": lambda text: [json.loads(line) for line in text.removesuffix("\n").split("\n") if text],
    "csv": read_rows(","),
    "tsv": read_rows("\t"),
    "markdown": read_markdown,
    "xml": read_xml,
    "toml": tomllib.loads,
    "toon": read_toon,
}


def to_json(value: Any) -> str:
    """JSON without the sign of zero, which TOON has not."""
    return json.dumps(without_sign(value), sort_keys=True)


def without_sign(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_sign(each) for name, each in value.items()}
    if isinstance(value, list):
        return [*map(without_sign, value)]
    return 0.0 if isinstance(value, float) and value == 0 else value


def without_nulls(value: Any) -> Any:
    """The members that TOML has: null is a member that is not there."""
    if isinstance(value, dict):
        return {name: without_nulls(each) for name, each in value.items() if each is not None}
    return [*map(without_nulls, value)] if isinstance(value, list) else value


def cells_of(value: dict[str, Any]) -> Iterator[Any]:
    for each in value.values():
        yield from cells_of(each) if isinstance(each, dict) else [each]


def is_cell(text: str, value: Any) -> bool:
    """Whether the text of a cell says a value."""
    if value is None:
        return text == ""
    if isinstance(value, bool):
        return text == str(value).lower()
    return text == value if isinstance(value, str) else float(text) == float(value)


def assert_says(notation: str, text: str, value: Any) -> None:
    """An independent reader reads the value."""
    judged = JUDGES[notation](text)
    if notation in ("csv", "tsv", "markdown"):
        rows = judged[1:]
        assert len(rows) == len(value), (text, judged, value)
        for row, each in zip(rows, value, strict=True):
            wanted = [*cells_of(each)]
            assert len(row) == len(wanted), (text, row, wanted)
            assert all(map(is_cell, row, wanted)), (text, row, wanted)
    elif notation == "toml":
        assert to_json(judged) == to_json(without_nulls(value)), (text, judged, value)
    elif notation == "xml":
        assert is_element(judged, value), (text, value)
    else:
        assert to_json(judged) == to_json(value), (text, judged, value)


@pytest.fixture(scope="module")
def vocabulary() -> fw.Vocabulary:
    """Bytes and short pieces, so that texts are nasty."""
    pieces = [
        ": ",
        "- ",
        "\n",
        "\n  ",
        "\n- ",
        '",',
        '"',
        "''",
        "null",
        "true",
        "1e",
        "e+",
        " #",
        "ab",
        ", ",
        "{}",
        "[]",
        "| ",
        "\\|",
        "<br>",
        "\\n",
        '\\"',
    ]
    tokens = [
        *(bytes([byte]) for byte in range(256)),
        *(piece.encode() for piece in dict.fromkeys(pieces) if len(piece) > 1),
    ]
    return fw.Vocabulary([*tokens, b""], eos_token_ids=[len(tokens)])


def write_at_random(draws: Draws, constraint: fw.Constraint[Any], budget: int) -> str:
    """A text of random tokens within a budget, nasty ones more often."""
    matcher = constraint.matcher()
    ends = set(constraint.vocabulary.eos_token_ids)
    left = max(budget, matcher.min_tokens_to_finish)
    mask = fw.allocate_bitmask(1, constraint.vocabulary)
    while True:
        matcher.fill_bitmask(mask, budget=left)
        allowed = fw.allowed_tokens(mask[0]).tolist()
        assert allowed, (matcher.accepted_bytes, left)
        weights = [8 if token >= 256 or (token < 128 and chr(token) in NASTY) else 1 for token in allowed]
        token = draws.random.choices(allowed, weights)[0]
        if token in ends:
            break
        matcher.accept_token(token)
        left -= 1
        if left == 0:
            assert matcher.is_complete
            break
    return matcher.accepted_bytes.decode()


def form_of(schema: dict[str, Any], notation: str) -> fw.Form[Any] | None:
    try:
        return fw.json_schema(schema, notation=notation)  # type: ignore[arg-type]
    except (UnsupportedKeyword, UnsatisfiableSchema):
        return None


def check_pairs(notation: str, vocabulary: fw.Vocabulary, seeds: range, texts: int) -> int:
    """Random texts of random schemas are read alike, as partial values too; how many there were."""
    count = 0
    for seed in seeds:
        draws = Draws(seed)
        schema = schema_of(draws, notation)
        form = form_of(schema, notation)
        if form is None:
            continue
        json_form, constraint = fw.json_schema(schema, whitespace="free", order="model"), fw.compile(form, vocabulary)
        for _ in range(texts):
            text = write_at_random(draws, constraint, draws.random.choice([0, 20, 60, 150]))
            value = form.parse(text)
            assert_says(notation, text, value)
            assert json_form.matches(json.dumps(value, ensure_ascii=False)), (schema, text)
            count += 1
        reader = fw.partial(form)
        for character in text:
            reader.feed(character)
        assert reader.finish() == value
    return count


@pytest.mark.parametrize("notation", JUDGES)
def test_random_texts_say_what_others_read(notation: str, vocabulary: fw.Vocabulary) -> None:
    assert check_pairs(notation, vocabulary, range(60), 5) > 100


SEEDS = int(os.environ.get("FORMWRIGHT_SEEDS", "300"))
"""Schemas of the long run; 5,000 give a hundred thousand texts of each notation."""


@pytest.mark.slow
@pytest.mark.timeout(36_000)
@pytest.mark.parametrize("notation", JUDGES)
def test_many_random_texts_say_what_others_read(notation: str, vocabulary: fw.Vocabulary) -> None:
    assert check_pairs(notation, vocabulary, range(1_000, 1_000 + SEEDS), 25) > 10 * SEEDS


@pytest.mark.parametrize("notation", JUDGES)
def test_values_are_written_and_read_back(notation: str, vocabulary: fw.Vocabulary) -> None:
    written = 0
    for seed in range(200):
        draws = Draws(seed)
        schema = schema_of(draws, notation)
        form = form_of(schema, notation)
        if form is None:
            continue
        plain = fw.compile(fw.json_schema(schema), vocabulary)
        for _ in range(3):
            value = json.loads(write_at_random(draws, plain, 60))
            try:
                text = form.write(value)
            except ArgumentError:
                assert "narrowed" in str(form.explain()), (schema, value)
                continue
            assert to_json(form.parse(text)) == to_json(value), (schema, text)
            assert_says(notation, text, value)
            written += 1
    assert written > 150


ROW = {
    "type": "object",
    "properties": {"s": {"type": "string"}, "t": {"type": "string"}},
    "required": ["s", "t"],
    "additionalProperties": False,
}
STRINGS = [a + b + c for a in ["", *NASTY] for b in ["", *NASTY] for c in ["", "a", " ", ":", "'", '"', "\n"]]


@pytest.mark.parametrize("notation", JUDGES)
def test_traps_in_strings(notation: str) -> None:
    """Strings of nasty characters are written so that they are read back, or not at all."""
    rows: Any = {"type": "array", "items": ROW}
    rows = {"type": "object", "properties": {"rows": rows}, "required": ["rows"]} if notation == "toml" else rows
    form = fw.json_schema(rows, notation=notation)  # type: ignore[arg-type]
    strings = [*STRINGS, *WORDS]
    left_out = 0
    for string in strings:
        value: Any = [{"s": string, "t": "x"}] * 2
        value = {"rows": value} if notation == "toml" else value
        try:
            text = form.write(value)
        except ArgumentError:
            left_out += 1
            continue
        assert form.parse(text) == value
        assert_says(notation, text, value)
    assert left_out < len(strings) * (0.75 if notation == "markdown" else 0.3)


class Job(BaseModel):
    """Where somebody works."""

    city: str
    since: int | None = None


class Person(BaseModel):
    """Somebody."""

    name: str
    age: int
    tags: list[str] = []
    job: Job | None = None


def test_yaml_of_a_type() -> None:
    form = fw.form(Person, notation="yaml")
    value = Person(name="Ada: x", age=3, tags=["a", "yes"], job=Job(city="Oslo"))
    text = form.write(value)
    assert text == "name: 'Ada: x'\nage: 3\ntags:\n- a\n- 'yes'\njob:\n  city: Oslo\n  since: null"
    assert form.parse(text) == value
    assert form.parse("name: Ada\nage: 3\ntags:\n  - a\njob: null") == Person(name="Ada", age=3, tags=["a"])
    assert pickle.loads(pickle.dumps(form)).parse(text) == value
    reader = fw.partial(form)
    assert reader.feed("name: Ad").value == {"name": "Ad"}
    assert reader.feed("a\nage: 3").value == {"name": "Ada"}
    assert reader.value["name"].state == "complete"


def test_toml_of_a_type() -> None:
    form = fw.form(Person, notation="toml")
    value = Person(name="Ada's", age=3, tags=["a", "yes"], job=Job(city="Oslo", since=2020))
    text = 'name = "Ada\'s"\nage = 3\ntags = ["a", "yes"]\n\n[job]\ncity = "Oslo"\nsince = 2020'
    assert form.write(value) == text
    assert form.parse(text) == value
    assert form.parse("name = 'Ada'\nage = 3\ntags = []") == Person(name="Ada", age=3)
    assert pickle.loads(pickle.dumps(form)).parse(text) == value
    reader = fw.partial(form)
    assert reader.feed('name = "Ad').value == {"name": "Ad"}
    assert reader.feed('a"\nage = 3').value == {"name": "Ada"}


def test_tables_of_toml_come_after_lines() -> None:
    job = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    schema = {
        "type": "object",
        "properties": {"jobs": {"type": "array", "items": job}, "last": job, "years": {"type": "integer"}},
        "required": ["jobs", "years"],
        "additionalProperties": False,
    }
    form = fw.json_schema(schema, notation="toml")
    value = {"jobs": [{"city": "Oslo"}, {"city": "Rom"}], "last": {"city": "Rom"}, "years": 3}
    text = 'years = 3\n\n[[jobs]]\ncity = "Oslo"\n\n[[jobs]]\ncity = "Rom"\n\n[last]\ncity = "Rom"'
    assert form.write(value) == text
    assert form.parse(text.replace("\n\n", "\n")) == value
    assert form.write({"jobs": [], "years": 3}) == "years = 3\njobs = []"
    for other in ("years = 3", 'years = 3\njobs = []\n\n[[jobs]]\ncity = "Oslo"', '[last]\ncity = "Rom"\nyears = 3'):
        assert not form.matches(other)
    two = {"type": "object", "properties": {"a": {"type": "array", "items": job}, "b": {"type": "array", "items": job}}}
    both = fw.json_schema({**two, "required": ["a", "b"], "additionalProperties": False}, notation="toml")
    for value in ({"a": [{"city": "Rom"}], "b": []}, {"a": [], "b": [{"city": "Rom"}]}, {"a": [], "b": []}):
        assert tomllib.loads(both.write(value)) == value
    with pytest.raises(SchemaError, match="an object as a whole text"):
        fw.json_schema({"type": "array"}, notation="toml")
    large = fw.json_schema({"type": "object", "properties": {"n": {"type": "integer"}}}, notation="toml")
    assert "at most 18 digits" in str(large.explain())
    assert not large.matches("n = 9223372036854775808")


def test_absent_cells() -> None:
    """An empty cell is null where there may be null, else a member that is not there."""
    schema = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "string"}},
            "required": ["a"],
            "additionalProperties": False,
        },
    }
    form = fw.json_schema(schema, notation="csv")
    assert form.parse("a,b\n,\nx,y") == [{"a": None}, {"a": "x", "b": "y"}]
    assert form.write([{"a": None}]) == "a,b\n,"
    with pytest.raises(ArgumentError):
        form.write([{"a": ""}])
    assert "narrowed" in str(form.explain())


@pytest.mark.parametrize(
    ("schema", "notation", "says"),
    [
        ({"type": "integer"}, "csv", "pass a list of records"),
        ({"type": "array", "items": {"type": "integer"}}, "markdown", "pass a list of records"),
        (
            {
                "type": "array",
                "items": {"properties": {"t": {"type": "array"}}, "type": "object", "additionalProperties": False},
            },
            "csv",
            "no arrays",
        ),
        ({"type": "array", "items": {"type": "object"}}, "csv", "any name"),
        ({"type": "object"}, "jsonl", "pass a list"),
    ],
)
def test_refusals_say_where_and_what_to_do(schema: dict[str, Any], notation: Any, says: str) -> None:
    with pytest.raises(SchemaError, match=says):
        fw.json_schema(schema, notation=notation)


@pytest.mark.parametrize(
    "options",
    [
        {"notation": "ini"},
        {"notation": "yaml", "whitespace": "compact"},
        {"notation": fw.Csv(delimiter="x")},
        {"notation": fw.Yaml(indent=0)},
        {"notation": fw.Xml(root="2")},
        {"notation": fw.Xml(item="a b")},
        {"notation": fw.Xml(root="a b")},
        {"notation": fw.Xml(root="\ud800")},
        {"notation": fw.Xml(root="XML")},
        {"notation": 3},
    ],  # type: ignore[arg-type]
)
def test_options_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        fw.json_schema({"type": "array", "items": {"type": "object", "properties": {"a": {}}}}, **options)


def test_elements_of_xml_may_be_named() -> None:
    form = fw.form(list[Person], notation=fw.Xml(root="people", item="person"))
    text = form.write([Person(name="Ada", age=36)])
    assert text.startswith("<people><person><name>Ada</name><age>36</age>")
    assert text.endswith("</person></people>")
    again = fw.Form.from_bytes(form.to_bytes())
    assert again.matches(text.encode())
    assert not fw.form(list[Person], notation="xml").matches(text.encode())


def test_write_of_other_forms() -> None:
    assert fw.json_schema({"properties": {"a": {}, "b": {}}}).write({"b": 1, "a": [2]}) == '{"a":[2],"b":1}'
    assert fw.choice(["a", "b"]).write("b") == "b"
    assert fw.regex("[0-9]+").write("12") == "12"
    for form, value in ((fw.regex("[0-9]+"), "x"), (fw.json_schema({"type": "integer"}), "x"), (fw.form(Person), 3)):
        with pytest.raises(ArgumentError):
            form.write(value)


def test_long_texts() -> None:
    """A text of many parts is read and written without a deep stack."""
    form = fw.json_schema({"type": "array", "items": ROW}, notation="csv")
    rows = [{"s": str(number), "t": "x"} for number in range(50_000)]
    assert form.parse(form.write(rows)) == rows


def test_a_form_in_a_fence() -> None:
    form = "```yaml\n" + fw.form(Person, notation="yaml") + "\n```"
    assert form.parse("```yaml\nname: A\nage: 1\ntags: []\njob: null\n```") == Person(name="A", age=1)
