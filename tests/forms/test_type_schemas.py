"""Texts of the form of every type are read back by the type, unless `explain` says what is checked afterwards."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import fractions
import ipaddress
import pathlib
import random
import re
import tomllib
import typing
import uuid
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
import pytest
from parameters import slow_except
from pydantic import networks

import formwright as fw
from formwright.forms import type_patterns

Field = pydantic.Field


class Number(enum.Enum):
    ONE = 1
    B = "b"


class Nested(pydantic.BaseModel):
    inside: list[Nested] = []


class Sized(pydantic.BaseModel):
    name: str = "x"
    size: Annotated[int, Field(ge=-3, lt=40)]
    tags: Annotated[list[Literal['a"b', "ü/\\", 1, None]], Field(max_length=2)] = []


class Empty(pydantic.BaseModel):
    pass


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Color(enum.StrEnum):
    RED = "red"


EXACT_DECIMAL = Annotated[decimal.Decimal, Field(max_digits=6, decimal_places=2)]

EXACT: list[Any] = [
    # JSON inside a text
    pydantic.Json[int],
    pydantic.Json[Sized],
    pydantic.Json[Empty],
    pydantic.Json[Sized | bool | None],
    pydantic.Json[dict[int, tuple[float, Annotated[str, Field(max_length=3)]]]],
    list[pydantic.Json[Annotated[list[bool], Field(min_length=1)]]],
    pydantic.Json[Annotated[dict[str, int], Field(max_length=0)]],
    pydantic.Json[Annotated[list[int], Field(max_length=0)]],
    pydantic.Json[Annotated[dict[str, int], Field(max_length=1)]],
    # numbers
    int,
    float,
    bool,
    decimal.Decimal,
    fractions.Fraction,
    pydantic.PositiveInt,
    pydantic.NonPositiveFloat,
    pydantic.StrictInt,
    EXACT_DECIMAL,
    Annotated[decimal.Decimal, Field(max_digits=3)],
    Annotated[decimal.Decimal, Field(decimal_places=1, ge=0)],
    Annotated[decimal.Decimal, Field(max_digits=2, decimal_places=2, gt=decimal.Decimal("-0.5"))],
    Annotated[int, Field(multiple_of=7, lt=100)],
    pydantic.ByteSize,
    # keys
    dict[int, int],
    dict[float, int],
    dict[bool, int],
    dict[decimal.Decimal, int],
    dict[uuid.UUID, int],
    dict[datetime.date, int],
    dict[datetime.timedelta, int],
    dict[Level, int],
    dict[Number, int],
    dict[Color, int],
    dict[Literal[1, "a"], int],
    dict[int | uuid.UUID, int],
    dict[ipaddress.IPv4Address, int],
    dict[bytes, int],
    dict[Annotated[int, Field(ge=-12, lt=130)], int],
    dict[Annotated[str, Field(pattern="^[ab]+$")], int],
    dict[Annotated[decimal.Decimal, Field(max_digits=3, decimal_places=1)], int],
    dict[pathlib.Path, int],
    dict[networks.HttpUrl, int],
    dict[Any, int],
    collections.Counter[str],
    collections.Counter[int],
    collections.OrderedDict[int, str],
    collections.defaultdict[int, list[int]],
    # times
    datetime.date,
    datetime.time,
    datetime.datetime,
    datetime.timedelta,
    pydantic.AwareDatetime,
    pydantic.NaiveDatetime,
    Annotated[datetime.date, Field(ge=datetime.date(1999, 12, 28), lt=datetime.date(2024, 3, 1))],
    Annotated[datetime.date, Field(gt=datetime.date(2020, 2, 28))],
    # texts and bytes
    str,
    bytes,
    Annotated[bytes, Field(max_length=3)],
    Annotated[bytes, Field(min_length=2)],
    pathlib.Path,
    uuid.UUID,
    pydantic.UUID1,
    pydantic.UUID4,
    pydantic.UUID7,
    re.Pattern,
    re.Pattern[str],
    Annotated[str, pydantic.StringConstraints(strip_whitespace=True, min_length=2, to_upper=True)],
    Annotated[str, pydantic.StringConstraints(strip_whitespace=True, pattern="^..$")],
    pydantic.SecretStr,
    pydantic.SecretBytes,
    pydantic.Base64Str,
    pydantic.Base64Bytes,
    pydantic.Base64UrlStr,
    pydantic.Base64UrlBytes,
    # addresses
    ipaddress.IPv4Address,
    ipaddress.IPv6Address,
    ipaddress.IPv4Interface,
    ipaddress.IPv6Interface,
    ipaddress.IPv4Network,
    ipaddress.IPv6Network,
    networks.IPvAnyAddress,
    networks.IPvAnyInterface,
    networks.IPvAnyNetwork,
    networks.AnyUrl,
    networks.AnyHttpUrl,
    networks.HttpUrl,
    networks.AnyWebsocketUrl,
    networks.WebsocketUrl,
    networks.FileUrl,
    networks.FtpUrl,
    networks.PostgresDsn,
    networks.CockroachDsn,
    networks.AmqpDsn,
    networks.RedisDsn,
    networks.MongoDsn,
    networks.KafkaDsn,
    networks.NatsDsn,
    networks.MySQLDsn,
    networks.MariaDBDsn,
    networks.ClickHouseDsn,
    networks.SnowflakeDsn,
    networks.EmailStr,
    networks.NameEmail,
    # containers
    set[int],
    frozenset[str],
    collections.deque[int],
    tuple[int, ...],
    Number,
    Level,
    Color,
    Literal[1, "a", None],
]


def texts(form: fw.Form[Any], count: int, chance: random.Random) -> list[str]:
    """Random texts, each byte drawn from its mask: from all that may come, or from what leads to the end."""
    vocabulary = fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[256])
    matcher = fw.compile(form, vocabulary).matcher()
    mask = fw.allocate_bitmask(1, vocabulary)
    written = []
    for _ in range(count):
        matcher.reset()
        left = matcher.min_tokens_to_finish + chance.choice([0, 1, 2, 3, 5, 8, 13, 30])
        while not matcher.is_finished:
            matcher.fill_bitmask(mask, budget=left)
            allowed = fw.allowed_tokens(mask[0])
            matcher.accept_token(int(allowed[chance.randrange(len(allowed))]))
            left -= 1
            if left == 0:
                break
        written.append(matcher.accepted_bytes.decode())
    return written


@pytest.mark.parametrize("type_", EXACT, ids=str)
@pytest.mark.parametrize("count", slow_except([40], [40, 150]))
def test_whatever_is_written_is_read_back(type_: Any, count: int) -> None:
    form = fw.json_schema(type_, whitespace="compact")
    for text in texts(form, count, random.Random(1)):
        form.parse(text)
    assert [row for row in form.explain() if row.status == "validated"] == []


TABLE = tomllib.loads((Path(__file__).parents[2] / "testdata" / "types.toml").read_text("utf-8"))["type"]
NAMES = {
    name: value
    for module in (typing, ipaddress, pathlib, datetime, decimal, fractions, uuid, collections, pydantic, networks)
    for name, value in vars(module).items()
} | {"re": re}


NOT_IN_JSON = ("int", "float", "Decimal", "bytes", "dict[float, int]")
"""Types of which something is never written because JSON, or the kernel's limit of digits, does not have it."""


def of(row: dict[str, str]) -> Any:
    """The type of a row."""
    return eval(row["type"], dict(NAMES))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["type"])
def test_types_of_the_table_write_what_it_says(row: dict[str, str]) -> None:
    form = fw.json_schema(of(row), whitespace="compact")
    assert form.matches(row["example"].encode())
    told = {
        status: [reading.note for reading in form.explain() if (reading.status, reading.keyword) == (status, "")]
        for status in ("validated", "narrowed")
    }
    checked = told["validated"]
    assert checked == ([row["checked"]] if "checked" in row else [])
    assert told["narrowed"] == ([row["left_out"]] if "left_out" in row and row["type"] not in NOT_IN_JSON else [])
    if not checked:
        form.parse(row["example"])
        for text in texts(form, 60, random.Random(2)):
            form.parse(text)


@pytest.mark.parametrize(
    "type_",
    [
        *(of(row) for row in TABLE),
        *EXACT,
        pydantic.SecretBytes,
        pydantic.NewPath,
        pathlib.PurePosixPath,
        networks.KafkaDsn,
        networks.IPvAnyNetwork,
    ],
    ids=str,
)
def test_the_format_that_a_type_has_is_not_told_as_an_annotation(type_: Any) -> None:
    for form in (type_, list[type_], Annotated[type_, Field(description="d")]):
        for rows in (fw.json_schema(form).explain(), fw.explain(form)):
            assert not [row for row in rows if (row.keyword, row.status) == ("format", "annotation")]


class Network(pydantic.BaseModel):
    addresses: list[ipaddress.IPv4Network]
    names: dict[pathlib.Path, bytes | None]
    inside: list[Network] = []


def test_the_formats_of_fields_are_enforced_where_they_are() -> None:
    rows = [row for row in fw.explain(Network) if row.keyword == "format"]
    assert len(rows) == 3
    assert {row.status for row in rows} == {"enforced"}


class Book(pydantic.BaseModel):
    number: Annotated[str, Field(json_schema_extra={"format": "isbn"})]
    path: Annotated[str, Field(json_schema_extra={"format": "path"})]
    word: str = Field(json_schema_extra={"format": "password"})
    secret: Annotated[pydantic.SecretStr, Field(json_schema_extra={"format": "pin"})]
    mail: Annotated[str, Field(json_schema_extra={"format": "base64"})]
    id: Annotated[uuid.UUID, pydantic.WithJsonSchema({"type": "string", "format": "x"})]


def test_a_format_of_ones_own_stays_an_annotation() -> None:
    rows = {row.pointer: row.status for row in fw.explain(Book) if row.keyword == "format"}
    told = [f"/properties/{name}" for name in ("number", "path", "word", "secret", "id")]
    assert rows == dict.fromkeys(told, "annotation") | {"/properties/mail": "enforced"}
    assert not fw.form(Annotated[str, Field(json_schema_extra={"format": "base64"})]).matches('"a"')


@pytest.mark.parametrize("row", [row for row in TABLE if "wider" in row], ids=lambda row: row["type"])
def test_types_of_the_table_are_no_wider(row: dict[str, str]) -> None:
    assert not fw.json_schema(of(row)).matches(row["wider"].encode())
    with pytest.raises(pydantic.ValidationError):
        pydantic.TypeAdapter(of(row)).validate_json(row["wider"])


class Trip(pydantic.BaseModel):
    days: list[pydantic.PastDate]
    plan: pydantic.ImportString[Any]
    name: str

    @pydantic.field_validator("name")
    @classmethod
    def is_title(cls, name: str) -> str:
        if not name.istitle():
            raise ValueError("no title")
        return name


def test_what_no_form_can_say_is_named() -> None:
    rows = [(row.pointer, row.note) for row in fw.form(Trip).explain() if row.status == "validated"]
    assert rows == [
        ("/properties/days/items", "whether it is past"),
        ("/properties/plan", "whether it can be imported"),
        ("/properties/name", "the validator Trip.is_title"),
    ]
    assert [row for row in fw.explain(Trip) if row.status == "validated"] != []
    assert "#/properties/plan/validated (whether it can be imported)" in str(fw.explain(Trip))


def test_a_model_without_checks_has_no_such_row() -> None:
    class Point(pydantic.BaseModel):
        x: int
        when: datetime.datetime

    assert not [row for row in fw.form(Point).explain() if row.status == "validated"]


@pytest.mark.parametrize(
    "type_",
    [
        pydantic.Json[Any],
        pydantic.Json[datetime.date],
        pydantic.Json[list[pydantic.Json[int]]],
        pydantic.Json[Nested],
        Annotated[datetime.timedelta, Field(ge=datetime.timedelta(1))],
        Annotated[datetime.datetime, Field(le=datetime.datetime(2020, 1, 1))],
        Annotated[datetime.time, Field(gt=datetime.time(1))],
        dict[tuple[int, int], int],
        dict[None, int],
        dict[Annotated[float, Field(ge=1)], int],
        Annotated[pydantic.Base64Bytes, Field(max_length=3)],
        Annotated[decimal.Decimal, Field(ge=decimal.Decimal("0.10000000000000000000000001"))],
    ],
    ids=str,
)
def test_what_can_be_said_neither_way_is_refused(type_: Any) -> None:
    with pytest.raises(fw.errors.NotAForm) as caught:
        fw.form(type_)
    assert caught.value.hint


def test_messages_name_types_as_they_are_written() -> None:
    with pytest.raises(fw.errors.OutputInvalid, match="the text conforms, but Trip rejects it"):
        fw.form(Trip).parse('{"days":[],"plan":"math","name":"x y"}')
    with pytest.raises(fw.errors.OutputInvalid, match=r"the text conforms, but list\[Trip\] rejects it"):
        fw.form(list[Trip]).parse('[{"days":[],"plan":"math","name":"x y"}]')


@pytest.mark.parametrize("low", [None, -130, -9, 0, 7, 95])
@pytest.mark.parametrize("high", [None, -12, -1, 0, 7, 130, 1203])
def test_integers_between_bounds(low: int | None, high: int | None) -> None:
    pattern = re.compile(type_patterns.integer(low, high))
    for number in range(-1500, 1500):
        fits = (low is None or number >= low) and (high is None or number <= high)
        assert bool(pattern.search(str(number))) is fits


def test_a_class_that_names_another_one_of_its_function_says_what_to_do() -> None:
    class Tree(pydantic.BaseModel):
        leaf: Leaf

    class Leaf(pydantic.BaseModel):
        size: int

    with pytest.raises(fw.errors.NotAForm, match="Tree is not complete") as caught:
        fw.form(Tree)
    assert "model_rebuild()" in str(caught.value.hint)
    Tree.model_rebuild(_types_namespace={"Leaf": Leaf})
    assert fw.form(Tree).matches(b'{"leaf": {"size": 1}}')


@pytest.mark.filterwarnings("ignore:Mixing V1 models")
def test_models_of_pydantic_1_say_what_to_do() -> None:
    v1 = pytest.importorskip("pydantic.v1")

    class Old(v1.BaseModel):  # type: ignore[name-defined,misc]
        size: int

    class New(pydantic.BaseModel):
        olds: list[Old]

    for type_ in (Old, New, dict[str, Old]):
        with pytest.raises(fw.errors.NotAForm, match=r"^Old is a model of pydantic\.v1") as caught:
            fw.form(type_)
        assert "migration" in str(caught.value.hint)


def test_forms_without_a_common_text_are_both_named() -> None:
    with pytest.raises(fw.errors.UnsatisfiableSchema, match=r"no text is in both regex 'a\+' and regex 'b\+'"):
        fw.regex("a+") & fw.regex("b+")
    with pytest.raises(fw.errors.UnsatisfiableSchema, match="choice 'x', 'y'"):
        fw.choice("x", "y") & fw.regex("z")
