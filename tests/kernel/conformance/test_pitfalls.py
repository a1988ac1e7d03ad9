"""Where structured generation is known to go wrong: types and schemas that people really pass, with texts that tell.

``TYPES`` and ``SCHEMAS`` say what must be accepted and what rejected; ``REFUSED`` what must be an error, which one,
where, and with which advice; ``ORDERS`` which order of keys is in form. Costs less than a second.
"""

from __future__ import annotations

import datetime
import enum
import uuid
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from pydantic import AnyUrl, BaseModel, Field

import formwright as fw
from formwright import errors
from formwright.forms import python_types


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str]


class Folder(BaseModel):
    name: str
    inside: list[Folder] = []


class Note(BaseModel):
    text: str
    page: int | None = None


class Colour(enum.Enum):
    RED = "红"
    BLUE = "蓝"


def folders(depth: int, innermost: str = "") -> str:
    """A folder in a folder ... with an extra member in the innermost."""
    inside = f"[{folders(depth - 1, innermost)}]" if depth else f"[]{innermost}"
    return f'{{"name": "d{depth}", "inside": {inside}}}'


@dataclass(frozen=True)
class Row:
    """A type or a schema, texts in its form, texts out of it, and the options with which it is read."""

    form: Any
    good: list[str]
    bad: list[str]
    options: dict[str, Any] = field(default_factory=dict)


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]

TYPES = {
    "int, ge and le": Row(Annotated[int, Field(ge=3, le=12)], ["3", "9", "10", "12"], ["2", "13", "-5", "100", "3.5"]),
    "int, gt and lt": Row(Annotated[int, Field(gt=-2, lt=2)], ["-1", "0", "1"], ["-2", "2", "10", "-10"]),
    "float, ge and le": Row(
        Annotated[float, Field(ge=-0.5, le=2.25)],
        ["-0.5", "0", "2.25", "2.2499", "1"],
        ["-0.51", "2.26", "2.250001", "3"],
    ),
    "float, gt and lt": Row(
        Annotated[float, Field(gt=0, lt=1)], ["0.1", "0.999", "0.00001"], ["0", "0.0", "1", "1.0", "-0.1", "1e3"]
    ),
    "int, multiple_of": Row(Annotated[int, Field(multiple_of=7)], ["0", "14", "-7", "700"], ["1", "15", "-8", "701"]),
    "float, multiple_of": Row(
        Annotated[float, Field(multiple_of=0.5)], ["0", "1.5", "-2", "12.0"], ["1.3", "0.25", "0.51", "-2.75"]
    ),
    "a pattern is searched": Row(Annotated[str, Field(pattern=r"\d")], ['"a1b"', '"7"', '"x9"'], ['"ab"', '""']),
    "a pattern with anchors": Row(Annotated[str, Field(pattern=r"^\d+$")], ['"42"'], ['"a42"', '"42b"', '""']),
    "pattern and max_length": Row(
        Annotated[str, Field(pattern="^[a-f]+$", max_length=3)], ['"a"', '"fed"'], ['"abcd"', '""', '"xyz"', '"abcdef"']
    ),
    "set": Row(set[int], ["[]", "[1]", "[2, 1]", "[1, 11]"], ["[1, 1]", "[1, 2, 1]", '["1"]']),
    "tuple": Row(tuple[int, str], ['[5, "five"]'], ['["five", 5]', "[5]", '[5, "five", 5]', "[]"]),
    "dict, min_length": Row(
        Annotated[dict[str, int], Field(min_length=1)],
        ['{"a": 1}', '{"a": 1, "b": 2}'],
        ["{}", '{"a": "1"}', '{"a": null}'],
    ),
    "a list of 25": Row(list[int], [str(list(range(25))), str([7] * 200)], [str([*range(24), "25"]).replace("'", '"')]),
    "date": Row(
        datetime.date,
        ['"2024-02-29"', '"1999-12-31"'],
        ['"2023-02-29"', '"2024-02-30"', '"2024-13-01"', '"today"', '""'],
    ),
    "datetime": Row(
        datetime.datetime,
        ['"2024-02-29T23:59:59Z"', '"2024-06-30T12:00:00.25+02:00"'],
        ['"2023-02-29T00:00:00Z"', '"2024-06-30T24:00:00Z"', '"2024-06-30"', '"noon"'],
    ),
    "UUID": Row(
        uuid.UUID,
        ['"0f8fad5b-d9cb-469f-a165-70867728950e"'],
        [
            '"0f8fad5b-d9cb-469f-a165-70867728950"',
            '"0f8fad5bd9cb469fa16570867728950e"',
            '"0g8fad5b-d9cb-469f-a165-70867728950e"',
        ],
    ),
    "AnyUrl": Row(
        AnyUrl, ['"https://example.org/a?b=c#d"', '"ftp://example.org"'], ['"nope"', '"https://a b"', '""', "7"]
    ),
    "timedelta": Row(
        datetime.timedelta, ['"P1DT2H"', '"PT90M"', '"P3W"'], ['"P"', '"PT"', '"1 day"', '"P1H"', '"P1DT"', "60"]
    ),
    "bytes": Row(bytes, ['"raw"', '""', '"é"'], ["1", "null", "[]"]),
    "tagged union": Row(
        Pet,
        ['{"kind": "cat", "lives": 9}', '{"kind": "dog", "tricks": ["sit"]}'],
        ['{"kind": "cat", "tricks": []}', '{"kind": "dog", "lives": 9}', '{"kind": "cow"}', '{"lives": 9}'],
    ),
    "recursion": Row(
        Folder,
        [folders(0), folders(6), folders(40)],
        [folders(6, ', "size": 1'), folders(6).replace('"d0"', "0"), folders(6)[:-1]],
    ),
    "optional with a default": Row(
        Note,
        ['{"text": "a"}', '{"text": "a", "page": null}', '{"text": "a", "page": 3}'],
        ['{"text": null}', '{"page": 3}', '{"text": "a", "page": "3"}', '{"text": "a", "pages": 3}'],
    ),
    "enum in its own characters": Row(Colour | None, ['"红"', '"蓝"', "null"], ['"红蓝"', '"\\u7ea2"', '""']),
    "enum with any escapes": Row(
        Colour | None, ['"红"', '"\\u7ea2"', '"\\u7EA2"'], ['"\\u7ea3"', '"u7ea2"'], {"escapes": "any"}
    ),
    "emoji in its own characters": Row(str, ['"😀"', '"👩‍💻"'], ['"\\ud83d\\ude00"']),
    "emoji with any escapes": Row(str, ['"😀"', '"\\ud83d\\ude00"', '"\\uD83D\\uDE00"'], [], {"escapes": "any"}),
    "half a surrogate pair": Row(
        str,
        ['"\\u00e9"'],
        ['"\\ud83d"', '"\\ude00"', '"\\ude00\\ud83d"', '"\\ud83d\\ud83d"', '"\\ud83dx"'],
        {"escapes": "any"},
    ),
    "runaway whitespace": Row(
        Note,
        ['{\n    "text": "a"\n}', '{"text":"a"}', '{ "text" : "a" }'],
        ["{" + "\n" * 200 + '"text": "a"}', '{"text":' + " " * 200 + '"a"}', "\t" * 200 + '{"text": "a"}'],
    ),
    "runaway digits": Row(int, ["9" * 19, "-" + "9" * 24], ["9" * 25, "1" + "0" * 400]),
}


INTEGER = {"type": "integer"}
PAIR = {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}, "additionalProperties": False}
DRAFT_4, DRAFT_7 = "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#"

SCHEMAS = {
    "a dead branch leaves the others": Row(
        {"anyOf": [INTEGER | {"minimum": 5, "maximum": 4}, {"type": "boolean"}]}, ["true"], ["4", "5", "null"]
    ),
    "a dead optional property is left out": Row(
        {"type": "object", "properties": {"a": False, "b": {}}}, ["{}", '{"b": 1}'], ['{"a": 1}', '{"a": null}']
    ),
    "beside $ref": Row(
        {"$defs": {"n": INTEGER}, "$ref": "#/$defs/n", "minimum": 3}, ["3", "40"], ["2", "-4", '"x"', "3.5"]
    ),
    "beside $ref, where the dialect reads it alone": Row(
        {"$schema": DRAFT_7, "definitions": {"n": INTEGER}, "$ref": "#/definitions/n", "minimum": 3},
        ["3", "2", "-4"],
        ['"x"', "3.5"],
    ),
    "properties and a choice of required": Row(
        PAIR | {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        ['{"a": 1}', '{"b": 1}', '{"a": 1, "b": 2}'],
        ["{}", '{"a": "1"}', '{"a": 1, "c": 2}', '{"c": 2}'],
    ),
    "a bound that excludes, in draft 4": Row(
        {"$schema": DRAFT_4, "type": "integer", "minimum": 3, "exclusiveMinimum": True}, ["4", "30"], ["3", "2"]
    ),
    "a bound that includes, in draft 4": Row(
        {"$schema": DRAFT_4, "type": "integer", "minimum": 3, "exclusiveMinimum": False}, ["3", "4"], ["2"]
    ),
    "a recursion that may end": Row(
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "additionalProperties": False},
        ["{}", '{"a": {"a": {}}}'],
        ['{"a": 1}', '{"b": {}}', '{"a": {"a": []}}'],
    ),
    "an unknown key, ignored by choice": Row(
        {"type": "string", "maxLenght": 3}, ['"abcd"'], ["1"], {"unknown_keywords": "ignore"}
    ),
}


@pytest.mark.parametrize("row", [pytest.param(row, id=name) for name, row in (TYPES | SCHEMAS).items()])
def test_texts(row: Row) -> None:
    language = fw.json_schema(row.form, **row.options)
    accepted = {text for text in row.good + row.bad if language.matches(text.encode())}
    assert accepted == set(row.good)


@pytest.mark.parametrize("name", TYPES)
def test_a_text_of_a_type_is_read_as_its_value(name: str) -> None:
    parse = python_types.Reader(TYPES[name].form)
    values = [parse(text) for text in TYPES[name].good]
    assert len(values) == len(TYPES[name].good) > 0


UNSATISFIABLE, UNSUPPORTED, WRONG = errors.UnsatisfiableSchema, errors.UnsupportedKeyword, errors.SchemaError
CROSSED = INTEGER | {"minimum": 5, "maximum": 4}
STRING = {"type": "string"}

REFUSED: dict[str, tuple[Any, type[errors.SchemaError], str, str]] = {
    "crossed bounds": (CROSSED, UNSATISFIABLE, "", "/type, /minimum and /maximum at once"),
    "crossed bounds, deep inside": (
        {"type": "object", "properties": {"a": {"type": "array", "items": CROSSED, "minItems": 1}}, "required": ["a"]},
        UNSATISFIABLE,
        "/properties/a/items",
        "/properties/a/items/minimum and /properties/a/items/maximum at once",
    ),
    "two types at once": ({"allOf": [STRING, INTEGER]}, UNSATISFIABLE, "", "/allOf/0 and /allOf/1 at once"),
    "two types at once, in two places": (
        {"properties": {"a": STRING}, "allOf": [{"properties": {"a": INTEGER}}], "type": "object", "required": ["a"]},
        UNSATISFIABLE,
        "/properties/a",
        "/properties/a/type and /allOf/0/properties/a/type at once",
    ),
    "a pattern too short for its length": (
        STRING | {"pattern": "^a$", "minLength": 3},
        UNSATISFIABLE,
        "",
        "/type, /pattern and /minLength at once",
    ),
    "an enum of another type": (INTEGER | {"enum": ["a"]}, UNSATISFIABLE, "", "/type and /enum at once"),
    "a required name that is forbidden": (
        PAIR | {"required": ["c"]},
        UNSATISFIABLE,
        "",
        "/additionalProperties and /required at once",
    ),
    "more items than there are values": (
        {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True, "minItems": 3},
        UNSATISFIABLE,
        "",
        "",
    ),
    "no multiple between the bounds": (INTEGER | {"multipleOf": 5, "minimum": 1, "maximum": 4}, UNSATISFIABLE, "", ""),
    "a recursion without an end": (
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
        UNSATISFIABLE,
        "",
        "the value must contain another of its kind at /a",
    ),
    "a recursion without an end, below": (
        {
            "$defs": {
                "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["next"]}
            },
            "type": "object",
            "properties": {"a": STRING, "head/": {"$ref": "#/$defs/node"}},
            "required": ["a", "head/"],
        },
        UNSATISFIABLE,
        "",
        "the value at /head~1 must contain another of its kind at /head~1/next",
    ),
    "a recursion without an end, in items": (
        {"type": "array", "prefixItems": [STRING], "items": {"$ref": "#"}, "minItems": 3},
        UNSATISFIABLE,
        "",
        "the value must contain another of its kind at /1",
    ),
    "a reference to itself": ({"$ref": "#"}, UNSATISFIABLE, "", "refers to itself"),
    "two references to each other": (
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        UNSATISFIABLE,
        "/$defs/a",
        "refers to itself",
    ),
    "only dead branches": ({"anyOf": [CROSSED, {"not": {}}]}, UNSATISFIABLE, "", ""),
    "a misspelt keyword": (STRING | {"maxLenght": 3}, WRONG, "/maxLenght", 'did you mean "maxLength"'),
    "a misspelt keyword, deep inside": (
        {"type": "object", "properties": {"name": STRING | {"patern": "^a"}}},
        WRONG,
        "/properties/name/patern",
        'did you mean "pattern"',
    ),
    "a misspelt type": ({"type": "strnig"}, WRONG, "/type", "strnig"),
    "a reference to nothing": ({"items": {"$ref": "#/$defs/none"}}, WRONG, "/items/$ref", "none"),
    "a reference to another document": (
        {"type": "object", "properties": {"a": {"$ref": "https://example.com/a.json"}}},
        UNSUPPORTED,
        "/properties/a/$ref",
        "registry",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    schema, error, pointer, says = REFUSED[name]
    with pytest.raises(errors.SchemaError) as caught:
        fw.json_schema(schema)
    assert (type(caught.value), caught.value.pointer) == (error, pointer)
    assert says in f"{caught.value} {caught.value.hint}"


ORDERS = {
    '{"a": 1, "b": 2}': {"schema", "model"},
    '{"a": 1, "b": 2, "c": 3}': {"schema", "model"},
    '{"b": 2, "a": 1}': {"model"},
    '{"c": 3, "b": 2, "a": 1}': {"model"},
    '{"a": 1, "a": 1}': set(),
    '{"b": 2, "b": 2}': set(),
    '{"a": 1, "b": 2, "a": 1}': set(),
    '{"a": 1, "c": 3}': set(),
}


@pytest.mark.parametrize("order", ["schema", "model"])
def test_orders(order: str) -> None:
    schema = PAIR | {"properties": {"a": INTEGER, "b": INTEGER, "c": INTEGER}, "required": ["a", "b"]}
    language = fw.json_schema(schema, order=order)
    assert {text for text in ORDERS if language.matches(text.encode())} == {
        text for text, orders in ORDERS.items() if order in orders
    }
