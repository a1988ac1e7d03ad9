"""Instructions: the four styles, word for word; that nothing of a schema is lost in any; docstrings; prompts."""

from __future__ import annotations

import gzip
import json
import re
from copy import deepcopy
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import TypedDict

import formwright as fw
from formwright.errors import ArgumentError, FormwrightError, MissingDependency, PromptError
from formwright.models import LocalModel
from formwright.schemas.instructions import STYLES, instruction_of, instructions, with_docstrings
from formwright.schemas.rendering import gather
from formwright.tools import STYLES as DIALECTS


class Address(BaseModel):
    """Where somebody lives."""

    street: str
    zip: Annotated[str, Field(pattern=r"^\d{5}$")]


class Person(BaseModel):
    """A person.

    Attributes:
        name: The whole name.
        age: Not told, because the field says it.
    """

    name: Annotated[str, Field(min_length=1)]
    age: Annotated[int, Field(ge=0, description="Age in years.")]
    role: Literal["guest", "host"] = "guest"
    email: str | None = None
    address: Address
    tags: Annotated[list[str], Field(max_length=5)] = []


SCHEMA = (
    "Answer with JSON only, nothing before or after it, valid by this JSON Schema, with the fields in its order:\n"
    '{"title":"Person","additionalProperties":false,"properties":{"name":{"minLength":1,"type":"string",'
    '"description":"The whole name."},"age":{"description":"Age in years.","minimum":0,"type":"integer"},'
    '"role":{"default":"guest","enum":["guest","host"],"type":"string"},"email":{"anyOf":[{"type":"string"},'
    '{"type":"null"}]},"address":{"$ref":"#/$defs/Address"},"tags":{"items":{"type":"string"},"maxItems":5,'
    '"type":"array"}},"required":["name","age","address"],"type":"object","description":"A person.","$defs":'
    '{"Address":{"additionalProperties":false,"description":"Where somebody lives.","properties":{"street":'
    '{"type":"string"},"zip":{"pattern":"^\\\\d{5}$","type":"string"}},"required":["street","zip"],"type":"object"}}}'
)

TYPESCRIPT = r"""
Answer with JSON only, nothing before or after it, of the TypeScript type Person, with the fields in its order and no others:

// A person.
interface Person {
  // The whole name.
  name: string; // at least 1 character
  // Age in years.
  age: number; // integer, at least 0
  role?: "guest" | "host"; // default "guest"
  email?: string | null;
  address: Address;
  tags?: string[]; // at most 5 items
}

// Where somebody lives.
interface Address {
  street: string;
  zip: string; // matches the regular expression ^\d{5}$
}
""".strip()  # noqa: E501

FIELDS = r"""
Answer with JSON only, nothing before or after it. A person. It is an object with these fields in this order, required unless optional, and no others:
- name (string, at least 1 character): The whole name.
- age (integer, at least 0): Age in years.
- role (one of "guest", "host", default "guest", optional)
- email (string or null, optional)
- address (object): Where somebody lives.
  - street (string)
  - zip (string, matches the regular expression ^\d{5}$)
- tags (array of strings, at most 5 items, optional)
""".strip()  # noqa: E501

EXAMPLE = r"""
Answer with JSON only, nothing before or after it, in the form of this example, with the fields in its order and no others:
{"name": "...", "age": 0, "role": "guest", "email": "...", "address": {"street": "...", "zip": "00000"}, "tags": ["..."]}
Its values stand for yours, of which:
- the whole: object: A person.
- name: string, at least 1 character: The whole name.
- age: integer, at least 0: Age in years.
- role: one of "guest", "host", default "guest", optional
- email: string or null, optional
- address: object: Where somebody lives.
- address.zip: string, matches the regular expression ^\d{5}$
- tags: array of strings, at most 5 items, optional
""".strip()  # noqa: E501


@pytest.mark.parametrize(
    ("style", "expected"), [("schema", SCHEMA), ("typescript", TYPESCRIPT), ("fields", FIELDS), ("example", EXAMPLE)]
)
def test_the_styles(style: Any, expected: str) -> None:
    assert fw.instructions(Person, style=style) == expected
    assert instruction_of(fw.form(Person), style) == expected


def test_the_plain_style_is_the_schema() -> None:
    assert fw.instructions(Person) == SCHEMA


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("form", [Person, int, list[Person], dict[str, int], True, {"enum": [1, "a"]}, tuple[int, str]])
def test_each_begins_by_asking_for_json(form: Any, style: Any) -> None:
    assert fw.instructions(form, style=style).startswith("Answer with JSON only, nothing before or after it")


@pytest.mark.parametrize("style", ["xml", "", None, 3, ["schema"]])
def test_an_unknown_style_names_the_known_ones(style: Any) -> None:
    for form in (int, fw.choice("a"), "a" + fw.form(int)):
        with pytest.raises(ArgumentError) as caught:
            fw.instructions(form, style=style)
        assert caught.value.argument == "style"
        assert all(known in str(caught.value.hint) for known in STYLES)


def test_what_is_no_form_is_refused_as_elsewhere() -> None:
    with pytest.raises(fw.errors.NotAForm):
        fw.instructions("text")


# Constraints: each appears in every style.


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "integer", "minimum": 17}, ["17"]),
        ({"type": "number", "exclusiveMinimum": 17, "exclusiveMaximum": 19.5}, ["17", "19.5"]),
        ({"type": "integer", "multipleOf": 7}, ["7"]),
        ({"type": "string", "minLength": 2, "maxLength": 33}, ["2", "33"]),
        ({"type": "string", "pattern": "^[a-c]+$"}, ["^[a-c]+$"]),
        ({"type": "string", "format": "date"}, ["date"]),
        ({"type": "string", "x-one-of-text": {"source": "who knows", "unit": "word"}}, ["who knows", "word"]),
        ({"type": "string", "description": "Say\nit."}, ["it."]),
        ({"type": "string", "examples": ["monday"]}, ["monday"]),
        ({"enum": ["north", 4, None]}, ['"north"', "4", "null"]),
        ({"const": "north"}, ['"north"']),
        ({"type": ["string", "null"]}, ["string", "null"]),
        (
            {"type": "array", "items": {"type": "integer", "maximum": 19}, "minItems": 3, "maxItems": 11},
            ["19", "3", "11"],
        ),
        ({"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, [r"uniqueItems|no two items alike"]),
        ({"type": "array", "contains": {"const": "north"}, "maxContains": 4}, ["north", "4"]),
        ({"prefixItems": [{"const": "north"}, {"type": "integer", "minimum": 17}], "items": False}, ["north", "17"]),
        ({"properties": {"kind": {"type": "string"}}, "required": ["sort"]}, ["kind", "sort"]),
        ({"properties": {"kind": {"type": "string"}}}, [r'optional|kind\?|"properties"']),
        ({"type": "object", "properties": {"kind": {}}, "additionalProperties": False}, ["other|false"]),
        ({"type": "object", "additionalProperties": {"type": "integer", "minimum": 17}}, ["17"]),
        ({"type": "object", "patternProperties": {"^x-": {"type": "integer", "minimum": 17}}}, ["^x-", "17"]),
        ({"type": "object", "propertyNames": {"maxLength": 19}, "minProperties": 3}, ["19", "3"]),
        ({"properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}}, ["a", "b"]),
        ({"type": "integer", "not": {"const": 44}}, ["44"]),
        ({"if": {"minimum": 17}, "then": {"multipleOf": 19}, "type": "integer"}, ["17", "19"]),
        ({"anyOf": [{"type": "integer", "minimum": 17}, {"type": "string", "maxLength": 19}]}, ["17", "19"]),
        ({"oneOf": [{"type": "integer", "minimum": 17}, {"type": "string"}]}, ["17", "oneOf|exactly one"]),
        ({"allOf": [{"properties": {"a": {"const": 17}}}, {"properties": {"b": {"const": 19}}}]}, ["17", "19"]),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else "",
)
def test_constraints_are_told(schema: dict[str, Any], said: list[str], style: Any) -> None:
    text = fw.instructions(schema, style=style)
    assert [part for part in said if part not in text and not re.search(part, text)] == []


@pytest.mark.parametrize("style", STYLES)
def test_what_options_add_is_told(style: Any) -> None:
    form = fw.json_schema(
        {"type": "array", "items": {"type": "string", "format": "sku"}},
        formats={"sku": "[A-Z]{3}"},
        max_items=7,
        alphabet="ABCxyz",
    )
    text = instruction_of(form, style)
    assert all(part in text for part in ("sku", "[A-Z]{3}", "7", "ABCxyz"))


def test_an_order_is_told_where_there_is_one() -> None:
    schema = {"properties": {"a": {}, "b": {}}}
    assert "order" in instruction_of(fw.json_schema(schema))
    assert "order" not in instruction_of(fw.json_schema(schema, order="model"))
    assert "order" not in instruction_of(fw.json_schema({"properties": {"a": {}}}))


@pytest.mark.parametrize("style", STYLES)
def test_references_lead_somewhere(style: Any) -> None:
    schema = {
        "$id": "https://example.com/root",
        "properties": {
            "a": {"$ref": "#/$defs/one%20two"},
            "b": {"$ref": "#named"},
            "c": {"$ref": "urn:other#/$defs/far"},
            "d": {"$ref": "#/x-elsewhere/0"},
            "e": {"$ref": "inner"},
        },
        "$defs": {
            "one two": {"const": "by pointer"},
            "two": {"$anchor": "named", "const": "by anchor"},
            "three": {"$id": "inner", "const": "by id"},
            "unused": {"const": "by nobody"},
        },
        "x-elsewhere": [{"const": "by place"}],
    }
    far = '{"$defs": {"far": {"$ref": "#/$defs/farther"}, "farther": {"const": "by registry"}}}'
    text = instruction_of(fw.json_schema(schema, registry={"urn:other": far}), style)
    said = [f'"by {place}"' in text for place in ("pointer", "anchor", "id", "place", "registry", "nobody")]
    assert said == [True, True, True, True, True, False]


def test_old_dialects_are_said_in_the_words_of_the_new_one() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "properties": {
            "a": {"type": "integer", "minimum": 3, "exclusiveMinimum": True},
            "b": {"$ref": "#/definitions/B", "minLength": 3, "description": "Stays."},
            "c": {"type": "array", "items": [{"type": "string"}], "additionalItems": False},
        },
        "dependencies": {"a": ["b"], "b": {"required": ["c"]}},
        "definitions": {"B": {"type": "string"}},
    }
    assert gather(json.dumps(schema), {}).schema() == {
        "properties": {
            "a": {"type": "integer", "exclusiveMinimum": 3},
            "b": {"$ref": "#/$defs/B", "description": "Stays."},
            "c": {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
        },
        "dependentRequired": {"a": ["b"]},
        "dependentSchemas": {"b": {"required": ["c"]}},
        "$defs": {"B": {"type": "string"}},
    }


def test_noise_is_left_out() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Thing",
        "$comment": "for us",
        "properties": {
            "first_name": {"title": "First Name", "type": "string", "default": None, "readOnly": True},
            "count": {"title": "How many", "type": "integer", "default": 0, "x-ours": 1},
            "flag": {"type": "boolean", "default": False},
        },
    }
    assert gather(json.dumps(schema), {}).schema() == {
        "title": "Thing",
        "properties": {
            "first_name": {"type": "string"},
            "count": {"title": "How many", "type": "integer", "default": 0},
            "flag": {"type": "boolean", "default": False},
        },
    }


# Recursion, unions, names.


class Node(BaseModel):
    value: int
    children: list[Node] = []
    next: Optional[Node] = None  # noqa: UP045 (resolved before the class is there)


def test_recursion() -> None:
    assert '"items":{"$ref":"#"}' in fw.instructions(Node)
    assert "children?: Node[];\n  next?: Node | null;" in fw.instructions(Node, style="typescript")
    fields = fw.instructions(Node, style="fields")
    assert "it: Node, an object" in fields
    assert "- children (array of Node, optional)\n- next (Node or null, optional)" in fields
    assert '{"value": 0, "children": [], "next": null}' in fw.instructions(Node, style="example")


@pytest.mark.parametrize("style", STYLES)
def test_definitions_inside_each_other(style: Any) -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {
            "A": {"properties": {"b": {"$ref": "#/$defs/B"}}},
            "B": {"properties": {"a": {"$ref": "#/$defs/A"}, "leaf": {"const": 17}}},
        },
    }
    text = fw.instructions(schema, style=style)
    assert all(part in text for part in ("A", "B", "leaf", "17"))


class View(BaseModel):
    aspect: Annotated[str, Field(description="正面 or 负面")]


class Search(BaseModel):
    query: str


class FundInfo(BaseModel):
    """Looks a fund up."""

    code: str | None = None
    field: Literal["fund_manager", "unit_value"]


class Task(BaseModel):
    name: str
    tool: Search | FundInfo


class Tasks(BaseModel):
    reason: Annotated[str, Field(description="Think step by step first.")]
    tasks: list[Task]


def test_branches_of_a_union_have_names() -> None:
    fields = fw.instructions(Tasks, style="fields")
    assert (
        "  - tool (one of the following)\n"
        "    - Search (object)\n"
        "      - query (string)\n"
        "    - FundInfo (object): Looks a fund up.\n"
        "      - code (string or null, optional)\n"
        '      - field (one of "fund_manager", "unit_value")'
    ) in fields
    example = fw.instructions(Tasks, style="example")
    assert '- tasks[].tool as FundInfo.field: one of "fund_manager", "unit_value"' in example
    assert "tool: Search | FundInfo;" in fw.instructions(Tasks, style="typescript")


@pytest.mark.parametrize("form", [list[Node], Address | None, Address | int, dict[str, Address], Search | FundInfo])
def test_what_holds_of_all_objects_is_said_whatever_the_root(form: Any) -> None:
    first = fw.instructions(form, style="fields").splitlines()[0]
    assert "fields" in first
    assert "required unless optional, and no others" in first
    for style in ("typescript", "example"):
        assert re.search("no others|without other fields", fw.instructions(form, style=style))  # type: ignore[arg-type]


def test_text_beyond_ascii_stays_as_it_is() -> None:
    assert all("正面 or 负面" in fw.instructions(View, style=style) for style in STYLES)  # type: ignore[arg-type]


def test_names_that_lines_could_not_hold_are_quoted() -> None:
    schema = {
        "properties": {
            "a\nb": {"type": "string", "pattern": "x\ny"},
            "c d": {"type": "array", "items": {"enum": [1, 2]}},
        }
    }
    typescript = fw.instructions(schema, style="typescript")
    assert '"a\\nb"?: string; // matches the regular expression "x\\ny"' in typescript
    assert '"c d"?: (1 | 2)[];' in typescript
    assert '- "a\\nb" (string' in fw.instructions(schema, style="fields")


# Texts that are no JSON.


def test_a_choice() -> None:
    expected = 'Answer with exactly one of these texts and nothing else: yes, no, "a, b"'
    assert fw.instructions(fw.choice("yes", "no", "a, b")) == expected
    assert fw.instructions(Literal["yes", "no"]) == "Answer with exactly one of these texts and nothing else: yes, no"
    assert fw.instructions(fw.choice("yes")) == "Answer with exactly this text and nothing else: yes"


def test_an_enum() -> None:
    class Color(Enum):
        RED = "red"
        BLUE = "blue"

    assert fw.instructions(Color).endswith(": red, blue")


def test_many_choices_are_counted() -> None:
    text = fw.instructions(fw.choice([f"option {number}" for number in range(3000)]))
    assert "exactly one of 3,000 texts" in text
    assert len(text) < 2000


def test_a_pattern() -> None:
    expected = "Answer with a text that this regular expression matches whole, and nothing else: "
    assert fw.instructions(fw.regex("[a-z]+")) == expected + "[a-z]+"
    assert fw.instructions(re.compile("[a-z]+")) == expected + "[a-z]+"
    assert fw.instructions(re.compile("a b", re.IGNORECASE | re.VERBOSE)) == expected + "(?ix:a b)"
    assert fw.instructions(re.compile("(?i)a")) == expected + "(?i)a"


def test_a_composition_is_told_by_its_parts() -> None:
    form = "Answer: " + (fw.form(Address) | fw.choice("?", "!")).repeat(1, 2)
    text = fw.instructions(form, style="fields")
    assert text.splitlines() == [
        f"Answer with a text of this form and nothing else: {form.title}",
        f"For example: {form.example()}",
        "Address is JSON. Where somebody lives. It is an object with these fields in this order, "
        "required unless optional, and no others:",
        "- street (string)",
        r"- zip (string, matches the regular expression ^\d{5}$)",
        "choice '?', '!' is exactly one of these texts: ?, !",
    ]


@pytest.mark.parametrize(
    "form",
    [fw.literal("Hi"), fw.text(until="."), fw.format("date"), fw.one_of_text("Hi there"), fw.form(int).repeat(2)],
)
def test_other_forms_are_told_by_their_title(form: fw.Form[Any]) -> None:
    assert form.title in instruction_of(form)
    assert form.example() in instruction_of(form)


# Docstrings.


class Google(BaseModel):
    """A box.

    It has no lid.

    Args:
        size: Its length
            in metres.
        weight (float): In kilograms.
        nothing: Is no field.
    """

    size: float
    weight: Annotated[float, Field(description="Said by the field.")]


class Numpy(BaseModel):
    """A box.

    It has no lid.

    Parameters
    ----------
    size : float
        Its length in metres.
    """

    size: float


class Rest(BaseModel):
    """A box.

    It has no lid.

    :param size: Its length in metres.
    """

    size: float


class Ivar(BaseModel):
    """A box.

    It has no lid.

    :ivar size: Its length in metres.
    """

    size: float


@dataclass
class Plain:
    """A box.

    It has no lid.

    Attributes:
        size: Its length in metres.
    """

    size: float


@pydantic_dataclass
class Dataclass:
    """A box.

    It has no lid.

    Attributes:
        size: Its length in metres.
    """

    size: float


class Dict(TypedDict):
    """A box.

    It has no lid.

    Attributes:
        size: Its length in metres.
    """

    size: float


class Heir(Google):
    """A box.

    It has no lid.
    """


class Aliased(BaseModel):
    """A box.

    It has no lid.

    Attributes:
        size_: Its length in metres.
    """

    size_: float = Field(alias="size")


@pytest.mark.parametrize("type_", [Google, Numpy, Rest, Ivar, Plain, Dataclass, Dict, Heir, Aliased])
def test_docstrings_describe_classes_and_fields(type_: Any) -> None:
    schema = json.loads(fw.form(type_).origin.what)  # type: ignore[union-attr]
    before = deepcopy(schema)
    described = with_docstrings(type_, schema)
    assert schema == before
    assert described["description"].split() == ["A", "box.", "It", "has", "no", "lid."]
    assert described["properties"]["size"]["description"] == "Its length in metres."
    if "weight" in described["properties"]:
        assert described["properties"]["weight"]["description"] == "Said by the field."


def test_nested_classes_are_described_too() -> None:
    class Shelf(BaseModel):
        boxes: list[Google]
        best: Numpy | None = None

    schema = with_docstrings(Shelf, json.loads(fw.form(Shelf).origin.what))  # type: ignore[union-attr]
    for name in ("Google", "Numpy"):
        assert schema["$defs"][name]["properties"]["size"]["description"] == "Its length in metres."
    assert "Its length in metres." in fw.instructions(dict[str, list[Shelf]])


def test_a_description_that_somebody_gave_stands() -> None:
    class Titled(BaseModel):
        """From the docstring.

        Attributes:
            size: From the docstring.
        """

        model_config = ConfigDict(json_schema_extra={"description": "From the config."})
        size: Annotated[float, Field(description="From the field.")]

    assert "docstring" not in fw.instructions(Titled)
    schema = {"type": "object", "properties": {"size": {"type": "number", "description": "From the caller."}}}
    assert with_docstrings(Google, schema)["properties"]["size"]["description"] == "From the caller."


def test_text_that_nobody_wrote_does_not_count() -> None:
    @dataclass
    class Bare:
        size: float = 1.0

    @pydantic_dataclass
    class Bare2:
        size: float = 1.0

    class Tuple(NamedTuple):
        size: float

    class Sections(BaseModel):
        """
        Attributes:
            size: Its length.
        """

        size: float

    for type_ in (Bare, Bare2, Tuple):
        assert "description" not in fw.instructions(type_)
        assert "Bare(" not in fw.instructions(type_, style="fields")
    assert with_docstrings(Sections, json.loads(fw.form(Sections).origin.what)).get("description") is None  # type: ignore[union-attr]


def test_fields_that_are_called_description() -> None:
    class Odd(BaseModel):
        """Odd.

        Attributes:
            description: What it is.
        """

        description: str
        properties: int

    schema = with_docstrings(Odd, json.loads(fw.form(Odd).origin.what))  # type: ignore[union-attr]
    assert schema["properties"]["description"]["description"] == "What it is."


def test_docstring_parser_is_asked_for_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "docstring_parser", None)
    assert "Where somebody lives." in fw.instructions(Address)
    with pytest.raises(MissingDependency, match=r"formwright\[client\]"):
        fw.instructions(Google)


# Any schema.

scalars = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "minLength": 2, "maxLength": 9},
        {"type": "string", "pattern": "^[a-c]{2,4}$"},
        {"type": "string", "format": "date"},
        {"type": "integer", "minimum": 3},
        {"type": "number", "exclusiveMaximum": -1.5},
        {"type": "integer", "multipleOf": 5, "minimum": 7},
        {"enum": ["x", 3, None]},
        {"const": "fixed"},
        {"type": ["integer", "null"]},
        {"$ref": "#/$defs/Leaf"},
        {"$ref": "#"},
        True,
    ]
)
names = st.sampled_from(["alpha", "beta", "a b", 'quo"te', "gamma", "Δ"])


def deeper(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    objects = st.builds(
        lambda properties, closed, required: {
            "type": "object",
            "properties": properties,
            **({"additionalProperties": False} if closed else {}),
            **({"required": [*properties][:1]} if required else {}),
        },
        st.dictionaries(names, inner, max_size=3),
        st.booleans(),
        st.booleans(),
    )
    arrays = st.builds(
        lambda items, least: {"type": "array", "items": items, "minItems": least}, inner, st.integers(0, 2)
    )
    unions = st.builds(
        lambda branches: {"anyOf": [*branches, {"type": "null"}]}, st.lists(inner, min_size=1, max_size=2)
    )
    return st.one_of(objects, arrays, unions)


@given(st.recursive(scalars, deeper, max_leaves=6))
def test_any_schema_is_told_in_every_style(schema: Any) -> None:
    whole = {"type": "object", "properties": {"top": schema}, "$defs": {"Leaf": {"type": "boolean"}}}
    form = fw.json_schema(whole)
    check_told(form, whole)


def check_told(form: fw.Form[Any], schema: Any) -> None:
    """Every property and pattern is in every style, and the example is in form."""
    before = deepcopy(schema)
    document = gather(form.origin.what, form.origin.options or {})  # type: ignore[union-attr]
    inner = list(document.walk())
    wanted = {name for part in inner if part.get("type", "object") == "object" for name in part.get("properties", ())}
    wanted |= {part["pattern"] for part in inner if "pattern" in part}
    for style in STYLES:
        text = instruction_of(form, style)
        missing = [
            word for word in wanted if word not in text and json.dumps(word, ensure_ascii=False)[1:-1] not in text
        ]
        assert not missing, style
        if style == "example":
            assert form.matches(shown_example(text))
    assert schema == before


def shown_example(text: str) -> str:
    """The instance of an example, which is what stands behind the first line."""
    return text.split(":\n", 1)[1].split("\nIts values stand for yours, of which:\n")[0]


def test_schemas_of_the_wild_are_told_in_every_style(data: Path) -> None:
    told = 0
    with gzip.open(data / "maskbench" / "sample.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % 8:
                continue
            schema = json.loads(line)["schema"]
            try:
                form = fw.json_schema(schema)
            except FormwrightError:
                continue
            check_told(form, schema)
            told += 1
    assert told > 100


# Models on this machine.


@pytest.fixture
def heard(toy: Any, byte_vocabulary: fw.Vocabulary) -> tuple[LocalModel, list[Any]]:
    """A toy model, and the prompts that it encoded."""
    prompts: list[Any] = []

    def encode(prompt: Any) -> list[int]:
        prompts.append(prompt)
        return list(json.dumps(prompt).encode())

    return LocalModel("toy", toy(257), byte_vocabulary, encode), prompts


INTEGER = {"type": "integer", "minimum": 0}


def test_a_text_is_followed_by_the_instruction(heard: tuple[LocalModel, list[Any]]) -> None:
    model, prompts = heard
    told = {style: f"Hi\n\n{fw.instructions(INTEGER, style=style)}" for style in STYLES}  # type: ignore[arg-type]
    model.generate("Hi", INTEGER, max_tokens=9)
    model.generate("Hi", INTEGER, max_tokens=9, instruct=True)
    model.generate("Hi", INTEGER, max_tokens=9, instruct="fields", beams=2)
    for _ in model.stream("Hi", INTEGER, max_tokens=9, instruct="example"):
        pass
    for _ in model.stream_items("Hi", INTEGER, max_tokens=9, instruct="fields"):
        pass
    model.generate_many(["Hi", "Hi"], [INTEGER, fw.choice("a")], max_tokens=9, instruct="typescript", progress=False)
    model.observe("Hi", INTEGER, max_tokens=9, instruct=True)
    assert prompts == [
        "Hi",
        told["schema"],
        told["fields"],
        told["example"],
        "Hi\n\nAnswer with JSON only, nothing before or after it: an array of integers, each item at least 0",
        told["typescript"],
        "Hi\n\nAnswer with exactly this text and nothing else: a",
        told["schema"],
    ]


def test_a_constraint_is_told_by_its_form(heard: tuple[LocalModel, list[Any]]) -> None:
    model, prompts = heard
    model.generate("Hi", fw.compile(fw.choice("a"), model.vocabulary), instruct=True)
    assert prompts[-1].endswith("nothing else: a")


def test_a_conversation_is_told_in_its_system_message(heard: tuple[LocalModel, list[Any]]) -> None:
    model, prompts = heard
    said = fw.instructions(INTEGER)
    user = {"role": "user", "content": "Hi"}
    system = {"role": "system", "content": [{"type": "text", "text": "Be brief."}]}
    conversation = [user, system, user]
    before = deepcopy(conversation)
    model.generate(conversation, INTEGER, max_tokens=9, instruct=True)
    model.generate([user], INTEGER, max_tokens=9, instruct=True)
    assert conversation == before
    assert prompts == [
        [user, {"role": "system", "content": f"Be brief.\n\n{said}"}, user],
        [{"role": "system", "content": said}, user],
    ]


def test_models_without_system_messages_are_told_by_the_user(
    toy: Any, byte_vocabulary: fw.Vocabulary, heard: tuple[LocalModel, list[Any]]
) -> None:
    model = LocalModel("toy", toy(257), byte_vocabulary, heard[0].encode, roles=("user", "assistant"))
    first, answer = {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}
    model.generate([first, answer, first, answer], INTEGER, max_tokens=9, instruct=True)
    assert heard[1] == [[first, answer, {"role": "user", "content": f"Hi\n\n{fw.instructions(INTEGER)}"}, answer]]
    with pytest.raises(ArgumentError) as caught:
        model.generate([answer], INTEGER, instruct=True)
    assert caught.value.argument == "instruct"


def test_the_instruction_is_in_the_prompt_of_the_embedded_model(tiny: LocalModel) -> None:
    alone, told = (tiny.generate("Ada is 36.", Person, instruct=instruct) for instruct in (False, True))
    assert told.prompt_tokens == len(tiny.prompt_ids(f"Ada is 36.\n\n{SCHEMA}")) > alone.prompt_tokens


@pytest.mark.parametrize("instruct", ["xml", None, 1, []])
def test_instruct_is_a_style(tiny: LocalModel, instruct: Any) -> None:
    for call in (tiny.generate, tiny.stream, tiny.stream_items, tiny.observe):
        with pytest.raises(ArgumentError) as caught:
            call("Hi", int, instruct=instruct)  # type: ignore[operator]
        assert caught.value.argument == "instruct"
        assert "'fields'" in str(caught.value.hint)


def test_token_ids_cannot_be_told(tiny: LocalModel) -> None:
    with pytest.raises(ArgumentError, match="token ids") as caught:
        tiny.generate([1, 2, 3], int, instruct=True)
    assert caught.value.argument == "instruct"
    with pytest.raises(PromptError):
        tiny.generate([], int, instruct=True)
    failed = tiny.generate_many([[1, 2]], int, instruct=True, progress=False)[0]
    assert isinstance(failed, fw.Failed)


def test_the_function_is_that_of_its_module() -> None:
    assert fw.instructions is instructions


def test_tools_are_told_with_their_arguments_and_how_a_call_is_written() -> None:
    def weather(city: str, days: int = 3) -> str:
        """The weather of a city."""
        return ""

    told = fw.instructions(fw.tools([weather], calls="required", max_calls=2, style="hermes"))
    assert told == (
        "Answer with calls of these tools, one or more, and nothing else. At most 2.\n\n"
        "A call is written like this:\n"
        '<tool_call>\n{"name": "weather", "arguments": {"city":""}}\n</tool_call>\n\n'
        "Tool weather: The weather of a city.\n"
        "Its arguments, valid by this JSON Schema, with the fields in its order:\n"
        '{"title":"weather","additionalProperties":false,"properties":{"city":{"type":"string"},'
        '"days":{"default":3,"type":"integer"}},"required":["city"],"type":"object"}'
    )


@pytest.mark.parametrize("style", ["schema", "typescript", "fields", "example"])
@pytest.mark.parametrize("calls", ["auto", "required", "one"])
@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_tools_of_every_style_are_told(style: Any, calls: Any, dialect: str) -> None:
    def look(at: str) -> None:
        """Look at something."""

    form = fw.tools([look], calls=calls, style=dialect)
    told = fw.instructions(form, style=style)
    assert "Tool look: Look at something." in told
    assert form.origin is not None
    assert form.origin.what.one.example() in told


def test_tools_beside_other_parts_are_told_too() -> None:
    def look(at: str) -> None:
        """Look at something."""

    told = fw.instructions(fw.literal("> ") + fw.tools([look], calls="one"))
    assert "Look at something." in told
    assert "A call is written like this" in told
