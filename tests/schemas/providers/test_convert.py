"""What becomes of a schema, and of the answers to it."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

import formwright as fw
from formwright._kernel import json_schema_keywords
from formwright.errors import FormwrightError, LimitExceeded, OutputInvalid, UnsatisfiableSchema, UnsupportedKeyword
from formwright.schemas.providers import PROVIDERS, Converted, convert
from formwright.schemas.providers.rules import keyword_table

NULL = {"type": "null"}
TEXT = {"type": "string"}


def closed(properties: dict[str, Any], required: list[str] | None = None, **more: Any) -> dict[str, Any]:
    """An object as the strict subset wants it."""
    required = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False, **more}


def around(schema: Any, **more: Any) -> dict[str, Any]:
    return closed({"x": schema}, **more)


def of_x(schema: Any, **more: Any) -> tuple[Any, list[str]]:
    """What a property becomes, and the notes."""
    converted = convert(around(schema, **more), to="openai")
    return converted.schema["properties"]["x"], [str(note) for note in converted.notes]


KEPT = [
    {"type": "string", "pattern": "^[a-z]+$"},
    {"type": "string", "format": "date-time"},
    {"type": "integer", "minimum": 0, "exclusiveMaximum": 9},
    {"type": "number", "multipleOf": 0.5},
    {"type": "string", "enum": ["a", "b"]},
    {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 3},
    {"anyOf": [TEXT, {"type": "array", "items": TEXT}, NULL]},
    {"description": "inner", **closed({"y": {"type": "boolean"}})},
]


@pytest.mark.parametrize("schema", KEPT, ids=json.dumps)
def test_a_strict_schema_stays_as_it_is(schema: Any) -> None:
    assert of_x(schema) == (schema, [])


REWRITTEN = [
    ({"const": 3}, {"type": "integer", "enum": [3]}),
    ({"enum": ["a", None, 1.5]}, {"type": ["string", "number", "null"], "enum": ["a", None, 1.5]}),
    ({"type": "string", "enum": ["a", 1, "bb"], "minLength": 2}, {"type": "string", "enum": ["bb"]}),
    ({"type": ["string", "null"]}, {"anyOf": [TEXT, NULL]}),
    ({"type": "string", "minimum": 3}, TEXT),
    ({"type": "string", "format": "unheard-of", "default": "x"}, TEXT),
    ({"oneOf": [TEXT, NULL]}, {"anyOf": [TEXT, NULL]}),
    ({"type": "string", "anyOf": [{"pattern": "a"}, {"pattern": "b"}, NULL]},
     {"anyOf": [{"type": "string", "pattern": "a"}, {"type": "string", "pattern": "b"}]}),
    ({"allOf": [{"type": "number", "minimum": 1}, {"type": ["integer", "null"], "minimum": 2, "maximum": 5}]},
     {"type": "integer", "minimum": 2, "maximum": 5}),
    ({"allOf": [closed({"a": TEXT, "b": TEXT}), {"properties": {"a": {"const": "1"}}}]},
     closed({"a": {"type": "string", "enum": ["1"]}, "b": TEXT})),
    (closed({"a": TEXT, "never": False}, ["a"]), closed({"a": TEXT})),
    (closed({"a": TEXT}, minProperties=0, unevaluatedProperties=False), closed({"a": TEXT})),
    ({"type": "string", "minLength": 0, "not": False}, TEXT),
    (closed({"a": TEXT}, patternProperties={"^a": {"pattern": "z"}}), None),
    ({"type": "array", "items": False, "prefixItems": [TEXT, TEXT]}, {"type": "array", "items": TEXT, "maxItems": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "expected"), REWRITTEN, ids=json.dumps)
def test_other_words_for_the_same(schema: Any, expected: Any) -> None:
    written, notes = of_x(schema)
    if expected is None:
        assert written["properties"]["a"] == {"type": "string", "pattern": "z"}
    else:
        assert (written, notes) == (expected, [])


NOTED = [
    (closed({"a": TEXT, "b": TEXT}, ["a"], allOf=[{"properties": {"a": {}}, "unevaluatedProperties": False}])
     | {"properties": {"a": TEXT}}, closed({"a": TEXT}),
     "checked: #/properties/x/allOf/0/unevaluatedProperties: openai is not told: false"),
    ({"type": "string", "minLength": 1}, TEXT, "checked: #/properties/x/minLength: openai is not told: 1"),
    ({"type": "string", "format": "uri"}, TEXT, 'checked: #/properties/x/format: openai is not told: "uri"'),
    ({"type": "string", "pattern": "(?!a)b"}, TEXT, 'checked: #/properties/x/pattern: openai is not told: "(?!a)b"'),
    ({"type": "string", "pattern": r"\d"}, {"type": "string", "pattern": r"\d"},
     r'checked: #/properties/x/pattern: openai may read it otherwise: "\\d"'),
    ({"type": "array", "items": TEXT, "uniqueItems": True}, {"type": "array", "items": TEXT},
     "checked: #/properties/x/uniqueItems: openai is not told: true"),
    ({"type": "string", "not": {"const": "a"}}, TEXT,
     'checked: #/properties/x/not: openai is not told: {"const": "a"}'),
    ({"oneOf": [{"type": "number"}, {"type": "integer"}]}, {"anyOf": [{"type": "number"}, {"type": "integer"}]},
     "checked: #/properties/x/oneOf: that only one branch holds"),
    ({"allOf": [{"type": "string", "pattern": "a"}, {"pattern": "b"}]}, {"type": "string", "pattern": "a"},
     'checked: #/properties/x/allOf/1/pattern: openai is not told: "b"'),
    (closed({"a": TEXT}, minProperties=1), closed({"a": TEXT}),
     "checked: #/properties/x/minProperties: openai is not told: 1"),
    (closed({"a": TEXT, "b": TEXT}, ["a", "b"], anyOf=[{"required": ["a"]}, {"required": ["b"]}]),
     closed({"a": TEXT, "b": TEXT}),
     "checked: #/properties/x/anyOf: which branch holds: none declares a property of its own"),
    ({"type": "array", "items": False, "prefixItems": [TEXT, NULL]},
     {"type": "array", "items": {"anyOf": [TEXT, NULL]}, "maxItems": 2},
     "checked: #/properties/x/prefixItems: which item is at which position"),
    ({"type": "object", "properties": {"a": TEXT}, "required": ["a"]}, closed({"a": TEXT}),
     "narrowed: #/properties/x/additionalProperties: only declared properties are written"),
    ({"properties": {"a": TEXT}, "required": ["a"], "additionalProperties": False}, closed({"a": TEXT}),
     "narrowed: #/properties/x/type: only object: no type is given"),
    ({"type": "array", "prefixItems": [TEXT]}, {"type": "array", "items": TEXT, "maxItems": 1},
     "narrowed: #/properties/x/prefixItems: at most 1 items: nothing says what the others are"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "expected", "note"), NOTED, ids=json.dumps)
def test_what_cannot_be_said_is_noted(schema: Any, expected: Any, note: str) -> None:
    assert of_x(schema) == (expected, [note])


REFUSED = [
    ({"type": "array", "items": TEXT}, ""),
    ({"anyOf": [closed({"a": TEXT}), closed({"b": TEXT})]}, ""),
    (True, ""),
    (around({}), "/properties/x"),
    (around({"type": "array"}), "/properties/x"),
    (around({"type": "object"}), "/properties/x"),
    (around({"type": "object", "additionalProperties": TEXT}), "/properties/x/additionalProperties"),
    (around({"type": "object", "patternProperties": {"^x": TEXT}}), "/properties/x/patternProperties"),
    (around({"type": "object", "required": ["a"]}), "/properties/x/required"),
    (around({"enum": [{"a": 1}]}), "/properties/x/enum"),
    (around({"$ref": "#here", "$defs": {"a": {"$anchor": "here", "type": "string"}}}), "/properties/x/$ref"),
    (around({"$dynamicRef": "#here", "$defs": {"a": {"$dynamicAnchor": "here", "type": "null"}}}),
     "/properties/x/$dynamicRef"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "pointer"), REFUSED, ids=json.dumps)
def test_what_would_leave_nothing_is_refused(schema: Any, pointer: str) -> None:
    with pytest.raises(UnsupportedKeyword) as caught:
        convert(schema, to="openai")
    assert caught.value.pointer == pointer
    assert caught.value.hint


def test_a_schema_that_ends_only_outside_its_properties_is_refused() -> None:
    schema = {"type": "object", "properties": {"x": {"$ref": "#"}}, "required": ["x"]}
    with pytest.raises(UnsatisfiableSchema):
        convert(schema, to="openai")
    endless = {"properties": {"b": {"$ref": "#/$defs/a"}}, "required": ["b"]}
    schema = around({"$ref": "#/$defs/a"}, **{"$defs": {"a": endless}})
    with pytest.raises(UnsatisfiableSchema, match="only declared members"):
        convert(schema, to="openai")


def nest(levels: int) -> dict[str, Any]:
    return around(nest(levels - 1)) if levels > 1 else around(TEXT)


TOO_LARGE = [
    (closed({f"p{number}": TEXT for number in range(5_001)}), "properties"),
    (nest(11), "levels of objects"),
    (closed({letter * 40_001: TEXT for letter in "abc"}), "characters of names and values"),
    (around({"enum": list(range(1_001))}), "enum values"),
    (around({"enum": [f"{number:060}" for number in range(251)]}), "characters of an enum of more than 250 strings"),
    (around({"allOf": [{"anyOf": [{"minimum": n, "type": "number"} for n in range(9)]}] * 5}), "nodes"),
]


@pytest.mark.parametrize(("schema", "limit"), TOO_LARGE, ids=[limit for _, limit in TOO_LARGE])
def test_limits(schema: Any, limit: str) -> None:
    with pytest.raises(LimitExceeded) as caught:
        convert(schema, to="openai")
    assert caught.value.limit == limit
    assert caught.value.value > caught.value.allowed > 0
    convert(nest(10), to="openai")


NODE = {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#/definitions/node"}}}
TREE = {
    "$ref": "#/definitions/node",
    "$schema": "http://json-schema.org/draft-07/schema#",
    "definitions": {"node": closed(NODE, ["value"]), "never used": {"type": "array"}},
}


def test_recursion_stays() -> None:
    converted = convert(TREE, to="openai")
    assert converted.lossless
    assert "$defs" not in converted.schema
    assert converted.schema["properties"]["children"]["anyOf"] == [{"type": "array", "items": {"$ref": "#"}}, NULL]
    tree = {"value": 1, "children": [{"value": 2, "children": None}, {"value": 3, "children": []}]}
    assert converted.restore(tree) == {"value": 1, "children": [{"value": 2}, {"value": 3, "children": []}]}


def test_definitions_keep_their_names_and_merges_get_their_own() -> None:
    definitions = {
        "a": closed({"k": TEXT}, []),
        "b": {"$ref": "#/definitions/a"},
        "c": {"allOf": [{"$ref": "#/definitions/a"}, {"required": ["k"]}]},
    }
    references = {name: {"$ref": f"#/definitions/{name}"} for name in definitions}
    converted = convert(closed(references, definitions=definitions), to="openai")
    assert converted.schema["properties"]["a"] == converted.schema["properties"]["b"] == {"$ref": "#/$defs/a"}
    assert converted.optional == {"/$defs/a/properties/k"}
    assert converted.restore({name: {"k": "v"} for name in definitions}) == {name: {"k": "v"} for name in definitions}
    with pytest.raises(OutputInvalid):
        converted.restore({"a": {"k": None}, "b": {"k": None}, "c": {"k": None}})


def optional_in_branches() -> Converted:
    """Two branches where a null means different things."""
    first = closed({"kind": {"const": 1}, "note": TEXT}, ["kind"])
    second = closed({"kind": {"const": 2}, "note": {"type": ["string", "null"]}})
    return convert(around({"oneOf": [first, second]}), to="openai")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"x": {"kind": 1, "note": None}}, {"x": {"kind": 1}}),
        ({"x": {"kind": 2, "note": None}}, {"x": {"kind": 2, "note": None}}),
        ({"x": {"kind": 1.0, "note": "n"}}, {"x": {"kind": 1, "note": "n"}}),
    ],
)
def test_nulls_are_taken_out_where_they_were_brought_in(answer: Any, expected: Any) -> None:
    converted = optional_in_branches()
    assert converted.lossless
    assert converted.optional == {"/properties/x/anyOf/0/properties/note"}
    assert converted.restore(answer) == expected


def test_a_null_with_two_meanings_stays() -> None:
    converted = convert(closed({"x": {"type": ["integer", "null"]}}, []), to="openai")
    assert [note.kind for note in converted.notes] == ["narrowed"]
    assert converted.restore({"x": None}) == {"x": None}


WRONG = ["", "{", "[]", "null", '{"y": "a"}', '{"x": "a", "y": 1}', "[" * 9999]
WRONG += [f'{{"x": {value}}}' for value in ('""', "1", "NaN", "null", "[1]", "{}", r'"\ud800"')]


def test_a_null_that_the_schema_forbids_stands_for_left_out() -> None:
    schema = closed({"x": {"type": ["string", "null"], "not": {"type": "null"}}}, [])
    converted = convert(schema, to="openai")
    assert [note.keyword for note in converted.notes] == ["not"]
    assert converted.restore({"x": None}) == {}


@pytest.mark.parametrize("answer", WRONG)
def test_a_wrong_answer_is_an_error(answer: str) -> None:
    with pytest.raises(OutputInvalid) as caught:
        convert(around({"type": "string", "minLength": 1}), to="openai").read(answer)
    assert caught.value.hint


@pytest.mark.parametrize("number", ["1", "1.0", "1e0", "0.0000001", "1E-7", "123456789012345680000", "-0.0", "2.50"])
def test_numbers_are_checked_by_value(number: str) -> None:
    converted = convert(around({"type": "number", "maximum": 1e30}), to="openai")
    assert converted.read(f'{{"x": {number}}}') == {"x": json.loads(number)}


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = Field(default=9, le=9)


class Dog(BaseModel):
    kind: Literal["dog"]
    owner: Owner | None = None


class Owner(BaseModel):
    name: Annotated[str, Field(min_length=1)]
    pets: list[Annotated[Cat | Dog, Field(discriminator="kind")]] = []
    place: tuple[float, float] | None = None


def test_a_python_type_comes_back_as_its_instance() -> None:
    converted = convert(Owner, to="openai")
    assert {note.keyword for note in converted.notes if note.kind == "checked"} == {"minLength"}
    answer = {"name": "Ada", "pets": [{"kind": "cat", "lives": None}, {"kind": "dog", "owner": None}], "place": [1, 2]}
    assert converted.read(json.dumps(answer)) == Owner(
        name="Ada", pets=[Cat(kind="cat"), Dog(kind="dog")], place=(1.0, 2.0)
    )


def test_the_request() -> None:
    converted = convert(around(TEXT), to="openai")
    assert converted.response_format("my-schema_1") == {
        "type": "json_schema",
        "json_schema": {"name": "my-schema_1", "strict": True, "schema": converted.schema},
    }
    for name in ("", "a b", "x" * 65):
        with pytest.raises(FormwrightError, match="named"):
            converted.response_format(name)


def test_an_unknown_provider_names_the_known_ones() -> None:
    with pytest.raises(FormwrightError) as caught:
        convert(around(TEXT), to="opnai")
    assert caught.value.hint == "known providers: openai, anthropic, gemini"


def test_the_table_knows_every_keyword_and_forgets_none() -> None:
    rows = {keyword: fate for keyword, fate, _ in keyword_table(PROVIDERS["openai"])}
    assert list(rows) == [keyword for keyword, _, _ in json_schema_keywords()]
    enforced = {keyword for keyword, status, _ in json_schema_keywords() if status == "enforced"}
    assert {rows[keyword] for keyword in enforced} == {"kept", "rewritten", "checked afterwards", "refused"}


def test_converted_schemas_are_forms() -> None:
    assert fw.json_schema(optional_in_branches().schema).matches(b'{"x": {"kind": 1, "note": null}}')


def test_a_definition_that_allows_nothing_is_never_referred_to() -> None:
    schema = closed({name: {"$ref": "#/$defs/no"} for name in "abc"} | {"d": TEXT}, ["d"], **{"$defs": {"no": False}})
    assert convert(schema, to="openai").schema == closed({"d": TEXT})


def test_anthropic_leaves_out_what_is_optional_and_refuses_recursion() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0}, "b": {"type": "string"}}}
    converted = convert(schema | {"required": ["b"], "additionalProperties": False}, to="anthropic")
    assert converted.schema["required"] == ["b"]
    assert converted.schema["properties"]["a"] == {"type": "integer"}
    assert [(note.kind, note.keyword) for note in converted.notes] == [("checked", "minimum")]
    assert converted.read('{"b": "x"}') == {"b": "x"}
    with pytest.raises(OutputInvalid):
        converted.read('{"b": "x", "a": -1}')
    tree = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}}
    with pytest.raises(UnsupportedKeyword, match="refers to itself") as caught:
        convert(tree, to="anthropic")
    assert caught.value.pointer == "/properties/kids/items"


@pytest.mark.parametrize(("fewest", "is_kept"), [(1, True), (2, False)])
def test_anthropic_reads_the_fewest_items_up_to_one(fewest: int, is_kept: bool) -> None:
    items = {"type": "array", "items": {"type": "integer"}, "minItems": fewest, "maxItems": 4}
    schema = {"type": "object", "properties": {"a": items}, "required": ["a"], "additionalProperties": False}
    converted = convert(schema, to="anthropic")
    kept = {"minItems": fewest} if is_kept else {}
    assert converted.schema["properties"]["a"] == {"type": "array", "items": {"type": "integer"}, **kept}
    assert {note.keyword for note in converted.notes} == {"maxItems", *(() if is_kept else ("minItems",))}


def test_anthropic_counts_what_is_optional() -> None:
    many = {f"p{number}": {"type": "integer"} for number in range(25)}
    with pytest.raises(LimitExceeded) as caught:
        convert({"type": "object", "properties": many, "additionalProperties": False}, to="anthropic")
    assert (caught.value.limit, caught.value.value, caught.value.allowed) == ("optional properties", 25, 24)


def test_gemini_has_maps_and_no_values_of_booleans() -> None:
    schema = {
        "type": "object",
        "properties": {
            "scores": {"type": "object", "additionalProperties": {"type": "integer"}},
            "always": {"const": True},
            "kind": {"enum": ["a", "b"]},
        },
        "required": ["scores", "always", "kind"],
        "additionalProperties": False,
    }
    converted = convert(schema, to="gemini")
    properties = converted.schema["properties"]
    assert properties["scores"] == {"type": "object", "required": [], "additionalProperties": {"type": "integer"}}
    assert properties["always"] == {"type": "boolean"}
    assert properties["kind"]["enum"] == ["a", "b"]
    assert [(note.pointer, note.kind) for note in converted.notes] == [("/properties/always", "checked")]
    value = {"scores": {"x": 1}, "always": True, "kind": "a"}
    assert converted.read(json.dumps(value)) == value
    with pytest.raises(OutputInvalid):
        converted.read(json.dumps(value | {"always": False}))
