"""Values as texts of a form: a text is read as an equal value, or there is an error."""

from __future__ import annotations

import datetime
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    Json,
    PlainSerializer,
    SecretStr,
    computed_field,
    field_serializer,
    model_serializer,
)

import formwright as fw
from formwright.errors import ArgumentError


class Secret(BaseModel):
    """Its secret is written as stars."""

    s: SecretStr


class Shown(BaseModel):
    """Its fields are shown in another way than they are read."""

    a: int
    d: datetime.date

    @field_serializer("a")
    def show_number(self, value: int) -> int:
        return value + 1

    @field_serializer("d")
    def show_date(self, value: datetime.date) -> str:
        return value.strftime("%d/%m/%Y")


class Doubled(BaseModel):
    """Is shown as another one."""

    a: int

    @model_serializer
    def show(self) -> dict[str, int]:
        return {"a": self.a * 2}


class Named(BaseModel):
    """Has names and fields that are only read, or only shown."""

    hidden: int = Field(3, exclude=True)
    read: int = Field(validation_alias="READ")
    shown: int = Field(serialization_alias="SHOWN")
    both: int = Field(validation_alias="IN", serialization_alias="OUT")
    same: int = Field(alias="SAME")
    some: int = Field(validation_alias=AliasChoices("one", "two"))
    inside: Json[list[int]] = []

    @computed_field
    def sum(self) -> int:
        """More than its fields."""
        return self.read + self.shown


class Base(BaseModel):
    """One field."""

    a: int


class Derived(Base):
    """One more."""

    b: int


class Open(BaseModel):
    """Any field."""

    model_config = ConfigDict(extra="allow")
    a: int


class Tree(BaseModel):
    """Itself inside itself."""

    value: int
    children: list[Tree] = []


@dataclass(eq=False)
class Unlike:
    """Equals only itself."""

    a: int
    inside: list[Unlike]


class Kind(Enum):
    """Members of texts and numbers."""

    A = "x"
    B = 1


class Row(BaseModel):
    """A field whose default is the empty string."""

    a: str = ""
    b: int


class Optional(BaseModel):
    """Null by default, and another default."""

    id: str
    n: str | None = None
    x: int | None = 5


YEAR = datetime.timedelta(days=365)
NAMED: dict[str, Any] = {"hidden": 4, "READ": 1, "shown": 2, "IN": 5, "SAME": 6, "two": 7, "inside": "[8]"}
WRITTEN: list[tuple[Any, Any]] = [
    (Shown, Shown(a=1, d=datetime.date(2024, 1, 2))),
    (list[Doubled], [Doubled(a=1)]),
    (Annotated[int, PlainSerializer(lambda value: value + 1)], 3),
    (Named, Named.model_validate(NAMED)),
    (dict[str, list[Named]], {"n": [Named.model_validate({**NAMED, "inside": "[]"})]}),
    (Open, Open.model_validate({"a": 1, "z": [2]})),
    (Tree, Tree(value=1, children=[Tree(value=2)])),
    (Row, Row(b=1)),
    (datetime.timedelta, YEAR),
    (datetime.timedelta, -2 * YEAR - datetime.timedelta(days=1, seconds=3.5)),
    (Fraction, Fraction(3)),
    (Fraction, Fraction(1, 3)),
    (Decimal, Decimal("1e30")),
    (Decimal, Decimal("0.00001")),
    (Json[list[int]], [1, 2]),
    (dict[datetime.date, int], {datetime.date(2024, 1, 2): 1}),
    (dict[uuid.UUID, int], {uuid.UUID(int=3): 1}),
    (dict[Decimal, int], {Decimal("1.5"): 1}),
    (dict[datetime.timedelta, int], {YEAR: 1}),
    (dict[Kind, int], {Kind.A: 1}),
    (dict[bool, int], {True: 1}),
    (dict[int, list[Decimal]], {3: [Decimal("1.5")]}),
    (list[Kind], [Kind.A, Kind.B]),
    (tuple[int, IPv4Address], (1, IPv4Address("1.2.3.4"))),
    (set[int], {1, 2}),
    (Literal[1, "a"], 1),
]


@pytest.mark.parametrize(("type_", "value"), WRITTEN, ids=lambda each: str(each)[:40])
def test_a_text_is_read_as_the_value(type_: Any, value: Any) -> None:
    form = fw.json_schema(type_)
    assert form.parse(form.write(value)) == value


def test_objects_that_equal_only_themselves_are_compared_by_their_parts() -> None:
    form = fw.form(Unlike)
    assert form.write(Unlike(1, [Unlike(2, [])])) == '{"a":1,"inside":[{"a":2,"inside":[]}]}'
    with pytest.raises(ArgumentError):
        fw.form(Annotated[Unlike, AfterValidator(add_one)]).write(Unlike(1, []))


def add_one(value: Unlike) -> Unlike:
    return Unlike(value.a + 1, value.inside)


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (lambda: fw.form(Secret), Secret(s=SecretStr("abc"))),
        (lambda: fw.form(Base), Derived(a=1, b=2)),
        (lambda: fw.form(list[Base]), [Derived(a=1, b=2)]),
        (lambda: fw.form(Annotated[int, AfterValidator(lambda value: value * 2)]), 4),
        (lambda: fw.form(Base), {"a": "x"}),
        (lambda: fw.form(Decimal), Decimal("Infinity")),
        (lambda: fw.form(dict[Kind, int]), {Kind.B: 1}),  # whose name no text of JSON is read as
        (lambda: fw.json_schema(True), {1: "a"}),
        (lambda: fw.json_schema(True), {"a": [{2: 3}]}),
        (lambda: fw.json_schema(True), object()),
        (lambda: fw.json_schema(True), float("nan")),
        (lambda: fw.json_schema({"type": "string"}), "\ud800"),
        (lambda: fw.json_schema({"type": "string"}, notation="yaml"), "\ud800"),
        (lambda: fw.json_schema(True), {"\ud800": 1}),
        (lambda: fw.form(str), "\ud800"),
        (lambda: fw.regex(".*"), "\ud800"),
        (lambda: fw.form(Optional, notation="toml"), Optional(id="v", x=None)),
    ],
)
def test_what_no_text_is_read_as_is_refused(make: Callable[[], fw.Form[Any]], value: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        make().write(value)
    assert caught.value.argument == "value"


def test_plain_data_may_have_tuples() -> None:
    assert fw.json_schema(True).write({"a": (1, (2,))}) == '{"a":[1,[2]]}'


def test_defaults_are_left_out_where_nothing_says_them() -> None:
    form = fw.form(list[Row], notation="csv")
    rows = form.parse("a,b\n,1\nq,2")
    assert form.write(rows) == "a,b\n,1\nq,2"
    optional = fw.form(Optional, notation="toml")
    assert optional.parse('id = "v"') == Optional(id="v", n=None, x=5)
    for value in (Optional(id="v"), Optional(id="v", n="q", x=6)):
        assert optional.parse(optional.write(value)) == value


def test_elements_without_a_text_are_refused() -> None:
    for type_, pointer in ((None, ""), (list[None], "/items")):
        with pytest.raises(fw.errors.UnsupportedKeyword, match="xml has no text for null") as caught:
            fw.form(type_, notation="xml")
        assert caught.value.pointer == pointer


@pytest.mark.parametrize(("notation", "depth"), [("toon", 15), ("toml", 40), ("yaml", 40)])
def test_values_of_nested_alternatives_are_written_once(notation: Any, depth: int) -> None:
    """Each level has a wrong alternative, which shows only after what is inside: the work does not double with each."""

    def node(**more: Any) -> dict[str, Any]:
        inside = {"type": "array", "items": {"$ref": "#/$defs/node"}}
        properties = {"k": {"type": "string"}, "inside": inside, **more}
        return {"type": "object", "properties": properties, "required": ["k"], "additionalProperties": False}

    def nest(value: Any, levels: int) -> Any:
        for _ in range(levels):
            value = {"k": "a", "inside": [value], "z": 1}
        return value

    either = {"anyOf": [node(), node(z={"type": "integer"})]}
    form = fw.json_schema({"$defs": {"node": either}, "$ref": "#/$defs/node"}, notation=notation)
    few, wrong = nest({"k": "x"}, 5), nest({"k": "x", "z": "a"}, depth)
    assert form.parse(form.write(few)) == few
    write = form.read.values.write  # type: ignore[attr-defined]
    assert form.matches(write(json.dumps(nest({"k": "x", "z": 1}, depth))))
    if notation != "yaml":  # which has JSON in deep places, of which nothing is checked
        assert write(json.dumps(wrong)) is None
    with pytest.raises(ArgumentError):
        form.write(wrong)
