"""Every field of all sorts of types, complete, is what the whole value has there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from enum import IntEnum
from ipaddress import IPv4Address
from typing import Annotated, Any, Generic, Literal, TypeVar
from uuid import UUID

import pydantic
import pytest
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    SecretStr,
    ValidationInfo,
    WrapValidator,
    computed_field,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType

import formwright as fw
from formwright.incremental import Partial

T = TypeVar("T")


class Of(BaseModel, Generic[T]):
    item: T
    rest: list[T] = []


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    first_name: str


class ByName(BaseModel):
    model_config = ConfigDict(validate_by_name=True, validate_by_alias=False)
    a: int = Field(alias="b")


class OneOfSeveral(BaseModel):
    a: int = Field(validation_alias=AliasChoices("x", "y"))


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@pydantic.dataclasses.dataclass
class Dated:
    day: date
    more: list[int] = Field(default_factory=list)

    @field_validator("more")
    @classmethod
    def _longer(cls, value: list[int]) -> list[int]:
        return [*value, 0]


@dataclass
class Plain:
    a: int
    b: tuple[Level, str] | None = None


class Tree(BaseModel):
    number: int
    trees: list[Tree] = []
    left: Tree | None = None

    @field_validator("number")
    @classmethod
    def _twice(cls, value: int) -> int:
        return 2 * value

    @model_validator(mode="before")
    @classmethod
    def _as_it_is(cls, data: Any) -> Any:
        return data


class Larger(Tree):
    extra: str

    @computed_field  # type: ignore[prop-decorator]
    @property
    def two(self) -> int:
        return 2


class Card(BaseModel):
    kind: Literal["card"]
    number: str


class Cash(BaseModel):
    kind: Literal["cash"]
    amount: int


class Payment(BaseModel):
    by: Annotated[Card | Cash, Field(discriminator="kind")]
    rest: Annotated[Card | Cash | None, Field(discriminator="kind")] = None


class Sorts(BaseModel):
    id: UUID
    address: IPv4Address
    pause: timedelta
    at: time
    level: Level
    sequence: Sequence[int]
    mapping: Mapping[str, int]
    frozen: frozenset[int]
    secret: SecretStr
    more: Annotated[int, BeforeValidator(lambda value: int(value) + 1)]
    loud: Annotated[str, WrapValidator(lambda value, read: read(value) + "!")]
    anything: Any
    maybe: list[int] | None = None


class Strict(BaseModel):
    model_config = ConfigDict(strict=True, str_strip_whitespace=True, use_enum_values=True)
    day: date
    pair: tuple[int, int]
    numbers: set[int]
    level: Level
    name: str
    data: bytes


class Deferred(BaseModel):
    model_config = ConfigDict(defer_build=True)
    tree: Tree


class LooksAround(BaseModel):
    a: int
    b: list[int] = [7]
    c: int = 0

    @field_validator("c")
    @classmethod
    def _sum(cls, value: int, info: ValidationInfo) -> int:
        return value + int(info.data["a"]) + sum(info.data["b"])


class Root(RootModel[dict[str, Tree]]):
    pass


Nested = TypeAliasType("Nested", "list[Nested] | int")

SORTS = {
    "id": "12345678-1234-4234-8234-123456789abc",
    "address": "1.2.3.4",
    "pause": "P1D",
    "at": "10:00:00Z",
    "level": 2,
    "sequence": [1, 2],
    "mapping": {"a": 1},
    "frozen": [1],
    "secret": "x",
    "more": 1,
    "loud": "x",
    "anything": {"a": [1]},
    "maybe": [1],
}
STRICT = {"day": "2024-01-01", "pair": [1, 2], "numbers": [1], "level": 1, "name": " x ", "data": "ab"}
TREE = {"number": 1, "trees": [{"number": 2, "trees": [], "left": {"number": 5}}], "left": None}
CASES: list[tuple[Any, Any]] = [
    (Of[int], {"item": 1, "rest": [2]}),
    (Camel, {"firstName": "a"}),
    (ByName, {"a": 1}),
    (OneOfSeveral, {"x": 1}),
    (Dated, {"day": "2024-01-01", "more": [1]}),
    (Plain, {"a": 1, "b": [2, "x"]}),
    (Tree, TREE),
    (Larger, {**TREE, "extra": "x"}),
    (Payment, {"by": {"kind": "card", "number": "1"}, "rest": {"kind": "cash", "amount": 2}}),
    (Sorts, SORTS),
    (Strict, STRICT),
    (Deferred, {"tree": TREE}),
    (LooksAround, {"a": 1, "c": 3}),
    (LooksAround, {"a": 1, "b": [4], "c": 3}),
    (Root, {"x": TREE}),
    (Nested, [1, [2, [3]]]),
    (list[Tree | None], [TREE, None]),
    (dict[str, Of[Level]], {"a": {"item": 1, "rest": [2]}}),
    (dict[str, list[tuple[Tree, int]]], {"x": [[{"number": 1}, 3]]}),
]


def check(partial: Partial, whole: Any) -> None:
    assert partial.is_complete
    assert partial.value == whole
    assert type(partial.value) is type(whole)
    if isinstance(whole, BaseModel) and not isinstance(whole, RootModel):
        for name in whole.model_fields_set:
            check(getattr(partial, name), getattr(whole, name))
    elif isinstance(whole, Dated | Plain):
        for name in vars(whole):
            check(getattr(partial, name), getattr(whole, name))
    elif isinstance(whole, RootModel):
        check_items(partial, whole.root)
    else:
        check_items(partial, whole)


def check_items(partial: Partial, whole: Any) -> None:
    if isinstance(whole, dict):
        for name, value in whole.items():
            check(partial[name], value)
    elif isinstance(whole, list | tuple) and len(partial) == len(whole):
        for index, value in enumerate(whole):
            check(partial[index], value)


@pytest.mark.parametrize(("type_", "data"), CASES, ids=lambda value: str(value)[:40])
def test_fields_are_what_the_whole_value_has(type_: Any, data: Any) -> None:
    form = fw.form(type_)
    text = json.dumps(data)
    check(fw.partial(form).feed(text), form.parse(text))
