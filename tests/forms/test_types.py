"""Python types as JSON Schema: what each kind becomes, and that its texts become values again."""

from __future__ import annotations

import datetime
import json
import uuid
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, field_validator
from typing_extensions import TypedDict

from formwright.errors import NotAForm, OutputInvalid
from formwright.forms import python_types


class Person(BaseModel):
    name: str
    age: int = Field(ge=0, le=150)
    email: str | None = None


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class Tagged(BaseModel):
    kind: Literal["tagged"]


class Even(BaseModel):
    number: int

    @field_validator("number")
    @classmethod
    def even(cls, number: int) -> int:
        if number % 2:
            raise ValueError("odd")
        return number


@dataclass
class Tree:
    label: str
    children: list[Tree]


class Point(NamedTuple):
    x: int
    y: int = 0


class Movie(TypedDict, total=False):
    title: str
    year: int


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


def schema(form: Any) -> dict[str, Any]:
    return json.loads(python_types.schema_text(form))


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (int, {"type": "integer"}),
        (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
        (Literal["a", 1], {"enum": ["a", 1]}),
        (datetime.date, {"type": "string", "format": "date"}),
        (uuid.UUID, {"type": "string", "format": "uuid"}),
        (Decimal, {"type": "number"}),
        (Annotated[Decimal, Field(ge=1)], {"type": "number", "minimum": 1.0}),
        (Annotated[str, Field(pattern="^a", max_length=3)], {"type": "string", "pattern": "^a", "maxLength": 3}),
    ],
)
def test_simple_types(form: Any, expected: dict[str, Any]) -> None:
    assert schema(form) == expected


@pytest.mark.parametrize("form", [Person, Movie])
def test_declared_objects_are_closed(form: Any) -> None:
    assert schema(form)["additionalProperties"] is False


def test_a_recursive_dataclass_is_closed_inside() -> None:
    assert schema(Tree)["$defs"]["Tree"]["additionalProperties"] is False


def test_a_type_that_says_otherwise_stays_open() -> None:
    assert schema(Open)["additionalProperties"] is True
    assert schema(RootModel[dict[str, int]])["additionalProperties"] == {"type": "integer"}
    assert schema(dict)["additionalProperties"] is True


def test_properties_keep_their_order_and_defaults_are_optional() -> None:
    assert list(schema(Person)["properties"]) == ["name", "age", "email"]
    assert schema(Person)["required"] == ["name", "age"]


@pytest.mark.parametrize(
    ("form", "text", "value"),
    [
        (Person, '{"name": "Ada", "age": 36}', Person(name="Ada", age=36)),
        (Tree, '{"label": "a", "children": [{"label": "b", "children": []}]}', Tree("a", [Tree("b", [])])),
        (Point, "[1]", Point(1)),
        (Movie, '{"year": 1999}', {"year": 1999}),
        (Color, '"red"', Color.RED),
        (Level, "2", Level.HIGH),
        (tuple[int, ...], "[1, 2]", (1, 2)),
        (set[str], '["a"]', {"a"}),
        (Decimal, "1.10", Decimal("1.1")),
        (datetime.datetime, '"2024-02-29T12:00:00Z"', datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.UTC)),
        (Annotated[Tagged | None, Field()], "null", None),
    ],
)
def test_texts_become_values(form: Any, text: str, value: Any) -> None:
    assert python_types.parse(form, text) == value


@pytest.mark.parametrize("form", [42, "Foo", 1.5, object()])
def test_what_is_no_type_is_refused(form: Any) -> None:
    with pytest.raises(NotAForm):
        python_types.schema_text(form)


def test_a_validator_beyond_the_schema_is_reported() -> None:
    with pytest.raises(OutputInvalid, match="odd") as caught:
        python_types.parse(Even, '{"number": 3}')
    assert caught.value.hint is not None
