"""Values while they are written, against what the whole text says.

``python tests/incremental/test_partial.py 10000`` runs longer.

The oracle knows where each value of the whole text begins and ends. So it knows what any beginning of the text shows:
nothing of what begins later, the beginning of what ends later, the whole of the rest.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import pickle
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, NotRequired

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationInfo, field_validator, model_validator
from typing_extensions import TypedDict

import formwright as fw
from formwright.errors import ArgumentError, NotAForm, OutputInvalid, StreamUnfinished
from formwright.generation.trace.fields import values_of
from formwright.incremental import Partial, reader_of

ANY = fw.json(whitespace="free", escapes="any")
EXAMPLES = int(sys.argv[1]) if __name__ == "__main__" else 200
STATES = ["missing", "partial", "complete"]

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
)


def spelled(value: Any, random: Random) -> str:
    """One of the JSON texts of a value: whitespace anywhere, characters escaped at random."""

    def blank() -> str:
        return "".join(random.choices(" \t\r\n", k=random.choice([0, 0, 0, 1, 3])))

    def string(text: str) -> str:
        return f'"{"".join(map(character, text))}"'

    def character(letter: str) -> str:
        plain = json.dumps(letter, ensure_ascii=False)[1:-1]
        escaped = "".join(
            f"\\u{unit:04x}" for unit in memoryview(letter.encode("utf-16-le", "surrogatepass")).cast("H")
        )
        return random.choice([plain, plain, escaped, json.dumps(letter)[1:-1]])

    def written(value: Any) -> str:
        if isinstance(value, str):
            return string(value)
        if isinstance(value, list):
            return f"[{blank()}{','.join(blank() + written(item) + blank() for item in value)}]"
        if isinstance(value, dict):
            members = (
                f"{blank()}{string(name)}{blank()}:{blank()}{written(item)}{blank()}" for name, item in value.items()
            )
            return f"{{{blank()}{','.join(members)}}}"
        return json.dumps(value)

    return blank() + written(value) + blank()


def pieces_of(text: str, random: Random) -> list[str]:
    """A text cut at random."""
    cuts = sorted(random.choices(range(len(text) + 1), k=random.randrange(1 + min(len(text), 12))))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def at_pointer(partial: Partial, pointer: str) -> Partial:
    for name in pointer.split("/")[1:]:
        name = name.replace("~1", "/").replace("~0", "~")
        is_array = str(partial).startswith("[")
        partial = partial[int(name) if is_array else name]
    return partial


def beginning(text: str) -> str:
    """What the beginning of a JSON string spells: all characters that are certain."""
    for end in range(len(text), 0, -1):
        try:
            spelled = json.loads(text[:end] + '"', strict=False)
        except ValueError:
            continue
        half = spelled and "\ud800" <= spelled[-1] <= "\udbff"
        assert isinstance(spelled, str)
        return spelled[:-1] if half else spelled
    raise AssertionError(text)


def check_against_oracle(partial: Partial, text: str, position: int, places: list[tuple[str, int, int, Any]]) -> None:
    for pointer, start, end, value in places:
        found = at_pointer(partial, pointer)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if position <= start:
            assert (found.state, found.value, str(found)) == ("missing", None, "")
            assert not found
        elif position >= end + is_number:
            assert found.state == "complete"
            assert same(found.value, value)
        else:
            assert (found.state, str(found)) == ("partial", text[start:position])
            if isinstance(value, str):
                assert found.value == beginning(text[start:position])
            elif isinstance(value, list | dict):
                assert begins(found.value, value)
            else:
                assert found.value is None


def begins(part: Any, whole: Any) -> bool:
    """Whether plain data is a beginning of other data: strings and lists only grow."""
    if isinstance(whole, str):
        return isinstance(part, str) and whole.startswith(part)
    if isinstance(whole, list):
        return (
            isinstance(part, list)
            and len(part) <= len(whole)
            and all(same(*pair) for pair in zip(part[:-1], whole, strict=False))
            and (not part or begins(part[-1], whole[len(part) - 1]))
        )
    if isinstance(whole, dict):
        names = list(part)
        return names == list(whole)[: len(names)] and all(begins(part[name], whole[name]) for name in names)
    return same(part, whole)


def same(left: Any, right: Any) -> bool:
    return bool(left == right) and repr(left) == repr(right)  # -0.0, and 1 beside 1.0 and True


def check_text(text: str, random: Random) -> None:
    """Every property, on a text without names that stand twice."""
    places = list(values_of(text))
    reader, whole = reader_of(ANY), reader_of(ANY)
    taken: list[tuple[int, Partial, str, Any, str]] = []
    for piece in pieces_of(text, random):
        reader.feed(piece)
        partial = reader.at(reader.length)
        check_against_oracle(partial, text, reader.length, places)
        taken.append((reader.length, partial, partial.state, partial.value, repr(partial)))
    whole.feed(text)
    reader.finish(json.loads(text))
    assert same(reader.at(len(text) + 1).value, json.loads(text))
    for position, partial, state, value, shown in taken:
        assert (partial.state, repr(partial)) == (state, shown)  # snapshots do not change
        assert same(partial.value, value)
        check_against_oracle(whole.at(position), text, position, places)  # nor does it matter how a text was cut
    for (_, _, state, value, _), (_, _, later, grown, _) in pairwise(taken):
        assert STATES.index(state) <= STATES.index(later)
        assert value is None or begins(value, grown)


@settings(max_examples=EXAMPLES, deadline=None)
@given(VALUES, st.randoms(use_true_random=False))
def test_every_beginning_shows_what_the_whole_text_has_there(value: Any, random: Random) -> None:
    text = spelled(value, random)
    assert same(json.loads(text), value)
    check_text(text, random)


def fed(incoming: fw.incremental.Incoming[Any], pieces: list[str]) -> None:
    for piece in pieces:
        incoming.feed(piece)


@settings(max_examples=EXAMPLES // 2, deadline=None)
@given(VALUES, st.randoms(use_true_random=False))
def test_texts_from_elsewhere_are_checked_on_the_way(value: Any, random: Random) -> None:
    text = spelled(value, random)
    incoming, end = fw.partial(ANY), ANY.check(text)
    if not end.is_complete:
        with pytest.raises(OutputInvalid) as caught:
            fed(incoming, pieces_of(text, random))
        assert caught.value.position == end.position
        return
    fed(incoming, pieces_of(text, random))
    assert incoming.text == text
    assert same(incoming.finish(), value)
    assert same(incoming.value.value, value)


def test_a_member_that_stands_twice_shows_its_last_value() -> None:
    text = '{"a": 1, "b": [], "a": [2], "\\u0061": "x"}'
    reader = reader_of(ANY)
    snapshots = []
    for character in text:
        reader.feed(character)
        snapshots.append(reader.at(reader.length))
    assert snapshots[-1].value == json.loads(text) == {"a": "x", "b": []}
    assert snapshots[text.index(", ")]["a"].value == 1
    assert snapshots[text.index("[2]") + 2]["a"].value == [2]
    assert [list(snapshot) for snapshot in (snapshots[6], snapshots[-1])] == [["a"], ["a", "b"]]


@pytest.mark.parametrize("whole", ["\U0001f600", "é\U0001f600é", "\\ud83d", '\\"\U0001f600', "\U0001f600" * 3])
def test_pairs_of_surrogates_are_one_character(whole: str) -> None:
    reader, shown = reader_of(ANY), []
    for character in json.dumps(whole):
        reader.feed(character)
        shown.append(reader.at(reader.length).value)
    assert set(shown) == {whole[:end] for end in range(len(whole) + 1)}


def test_half_a_pair_is_shown_when_the_next_character_is_there() -> None:
    reader, shown = reader_of(ANY), []
    for character in r'"\ud83d\ud83dx\ud83d"':
        reader.feed(character)
        shown.append(reader.at(reader.length).value)
    assert list(dict.fromkeys(shown)) == ["", "\ud83d", "\ud83d\ud83dx", "\ud83d\ud83dx\ud83d"]


def test_depth_is_no_recursion() -> None:
    reader, depth = reader_of(ANY), 50_000
    reader.feed("[" * depth + "]" * depth)
    deep = reader.at(2 * depth)
    for _ in range(100):
        assert len(deep) == 1
        deep = deep[0]
    with pytest.raises(OutputInvalid, match="nested deeper"):
        deep.value  # noqa: B018


def test_a_number_is_partial_until_something_follows() -> None:
    incoming = fw.partial(list[int])
    age = incoming.feed("[3")[0]
    assert (age.state, age.value, str(age)) == ("partial", None, "3")
    assert (incoming.value.value, len(incoming.value)) == ([], 1)
    assert incoming.feed("6")[0].state == "partial"
    assert incoming.feed(",")[0].value == 36
    assert fw.partial(int).feed("12").state == "partial"


# Types.


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: Annotated[int, Field(ge=0)] = 0


class Pair(NamedTuple):
    first: int
    second: str


class Note(TypedDict):
    title: str
    day: NotRequired[date]


class Job(BaseModel):
    company: str
    since: date | None = None


class Everything(BaseModel):
    name: str
    born: date
    price: Decimal
    color: Color
    mood: Literal["good", "bad"]
    job: Job | None
    jobs: list[Job]
    point: Point
    note: Note
    pair: Pair
    numbers: tuple[int, ...]
    both: tuple[int, str]
    unique: set[int]
    queue: deque[int]
    by_day: dict[date, Job]
    either: int | str | Job
    text: Annotated[str, Field(alias="theText")]
    ratio: float


VALUE = Everything.model_validate(
    {
        "name": "Ada é😀",
        "born": "1815-12-10",
        "price": 12.5,
        "color": "red",
        "mood": "good",
        "job": {"company": "Delta", "since": "2020-01-02"},
        "jobs": [{"company": "a"}, {"company": "b", "since": None}],
        "point": {"x": 1, "y": 2},
        "note": {"title": "t", "day": "2024-02-29"},
        "pair": [1, "x"],
        "numbers": [1, 2, 3],
        "both": [1, "b"],
        "unique": [3, 4],
        "queue": [5],
        "by_day": {"2024-01-01": {"company": "c"}},
        "either": {"company": "d"},
        "theText": "x",
        "ratio": 2,
    }
)
TEXT = VALUE.model_dump_json(by_alias=True).replace('"12.5"', "12.5")


@pytest.mark.parametrize("step", [1, 4, 1000])
def test_complete_fields_are_what_the_whole_value_has(step: int) -> None:
    incoming = fw.partial(Everything)
    seen: dict[str, Any] = {}
    for at in range(0, len(TEXT), step):
        partial = incoming.feed(TEXT[at : at + step])
        for name in Everything.model_fields:
            field = getattr(partial, name)
            if field.is_complete:
                assert field.value == getattr(VALUE, name)
                assert seen.setdefault(name, field.value) is field.value  # read once
            else:
                assert name not in seen
    assert incoming.value.value == incoming.finish() == VALUE
    assert list(seen) == list(Everything.model_fields)


def test_members_of_all_kinds_are_typed() -> None:
    partial = fw.partial(Everything).feed(TEXT)
    assert partial.job.since.value == date(2020, 1, 2)
    assert [job.company.value for job in partial.jobs] == ["a", "b"]
    assert partial.jobs[0].value == Job(company="a")
    assert partial.point.x.value == 1
    assert partial.note["day"].value == partial.note.day.value == date(2024, 2, 29)
    assert partial.by_day["2024-01-01"].value == Job(company="c")
    assert partial.either.company.value == "d"
    assert partial.text is not partial["theText"]
    assert partial.text.value == partial["theText"].value == "x"
    assert (partial.numbers[-1].value, partial.numbers[7].state, partial.numbers[-9].state) == (3, "missing", "missing")
    assert partial.both[1].value == "b"
    assert (partial.ratio.value, type(partial.ratio.value)) == (2.0, float)


def test_what_is_not_there_is_missing_however_deep() -> None:
    partial = fw.partial(Everything).value
    assert (partial.state, partial.value, bool(partial), len(partial), list(partial)) == ("missing", None, False, 0, [])
    assert partial.job.since.state == partial.jobs[3].company.state == "missing"
    assert repr(partial) == repr(partial.jobs[-1]) == "Partial(missing)"


def test_what_is_no_field_is_an_error() -> None:
    partial = fw.partial(Job).value
    with pytest.raises(AttributeError, match="there are company, since"):
        partial.compny  # noqa: B018
    with pytest.raises(KeyError):
        partial["compny"]
    with pytest.raises(TypeError, match="an index"):
        partial[1.5]  # type: ignore[index]
    with pytest.raises(TypeError, match="no length"):
        len(fw.partial(Job).feed('{"company": "').company)
    assert fw.partial({"type": "object"}).value.anything.state == "missing"


def test_a_type_that_holds_itself() -> None:
    partial = fw.partial(Folder).feed('{"name":"src","folders":[{"name":"a","folders":[]},{"na')
    assert partial.folders[0].value == Folder(name="a", folders=[])
    assert partial.folders[1].name.state == "missing"


class Folder(BaseModel):
    name: str
    folders: list[Folder]


class Names(RootModel[list[Job]]):
    pass


class Loose(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


def test_root_models_and_open_models() -> None:
    assert fw.partial(Names).feed('[{"company": "a"}, ')[0].value == Job(company="a")
    loose = fw.partial(Loose).feed('{"name": "a", "more": 1,')
    assert (loose.name.value, loose.more.value, loose["less"].state) == ("a", 1, "missing")


# Validators.

CALLS: list[str] = []


class Checked(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)
    low: int
    high: int
    names: list[str] = []
    day: date = date(2000, 1, 1)

    @field_validator("low")
    @classmethod
    def _is_small(cls, value: int) -> int:
        CALLS.append("low")
        if value > 10:
            raise ValueError("too large")
        return value * 100

    @field_validator("high")
    @classmethod
    def _is_higher(cls, value: int, info: ValidationInfo) -> int:
        if value * 100 <= info.data["low"]:
            raise ValueError(f"{value} is not above {info.data['low']}")
        return value

    @field_validator("names", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return [name.strip() for name in value]

    @model_validator(mode="after")
    def _drop_open_escape(self) -> Checked:
        CALLS.append("whole")
        return self


def test_validators_of_a_field_run_when_it_is_complete_and_asked_for() -> None:
    CALLS.clear()
    incoming = fw.partial(Checked)
    partial = incoming.feed('{"low": 3, "high": 5')
    assert CALLS == []
    assert [partial.low.value, incoming.value.low.value, partial.high.value] == [300, 300, None]
    assert CALLS == ["low"]
    partial = incoming.feed(', "names": [" a", "b "], "day": "2024-01-01"}')
    assert (partial.high.value, partial.names.value, partial.day.value) == (5, ["a", "b"], date(2024, 1, 1))
    assert partial.names[0].value == " a"  # its own type says nothing of blanks
    assert CALLS == ["low", "low"]  # `high` is told what `low` is
    assert incoming.finish() == partial.value
    assert CALLS.count("whole") == 1


def test_a_field_that_its_validator_refuses_tells_where() -> None:
    incoming = fw.partial(list[Checked])
    partial = incoming.feed('[{"low": 3, "high": 2, ')
    assert partial[0].high.state == "complete"
    for _ in range(2):
        with pytest.raises(OutputInvalid, match=r"the value at /0/high .*\n.*\n.*2 is not above 300") as caught:
            partial[0].high.value  # noqa: B018
        assert (caught.value.position, caught.value.text) == (21, incoming.text)
    assert "'high': 2" in repr(partial[0])
    incoming.feed('"names": []}]')
    with pytest.raises(OutputInvalid, match="2 is not above 300"):
        incoming.finish()


# Plain texts, and errors.


def test_plain_texts_are_shown_as_they_are() -> None:
    incoming = fw.partial(fw.regex("[0-9]{4}-[0-9]{2}"))
    assert (incoming.value.state, incoming.value.value) == ("missing", None)
    half = incoming.feed("20")
    assert (half.state, half.value, repr(half)) == ("partial", "20", "Partial(partial, '20')")
    assert incoming.feed("24-05").state == "partial"  # until it is over
    assert incoming.is_complete
    assert incoming.finish() == incoming.value.value == "2024-05"
    assert (incoming.value.state, half.state, half.value) == ("complete", "partial", "20")
    with pytest.raises(AttributeError, match="no fields"):
        half.year  # noqa: B018
    for ask in (len, list, lambda partial: partial[0]):
        with pytest.raises(TypeError):
            ask(half)


def test_an_enum_of_strings_is_read_at_its_end() -> None:
    incoming = fw.partial(Color)
    assert incoming.feed("re").value == "re"
    incoming.feed("d")
    assert incoming.finish() is incoming.value.value is Color.RED


def test_a_composition_is_read_as_its_part_with_a_value() -> None:
    incoming = fw.partial("Point: " + fw.form(Point))
    assert incoming.feed("Point: ").value is None
    assert incoming.feed("{").value == {}
    incoming.feed('"x": 1}')
    assert incoming.finish() == incoming.value.value == Point(1)


def test_a_form_may_bring_its_own_reader() -> None:
    class Read:
        def __call__(self, text: str) -> str:
            return text

        def partial_reader(self) -> Any:
            return reader_of(fw.form(Job))

    form = fw.Form(fw.form(Job).language, Read(), "own", "value")
    assert fw.partial(form).feed('{"company": "a').company.value == "a"


def test_a_text_that_leaves_the_form_is_an_error_without_effect() -> None:
    incoming = fw.partial(Job)
    incoming.feed('{"company": ')
    with pytest.raises(OutputInvalid, match="departs from the form at character 18") as caught:
        incoming.feed('"Delta\n')
    assert caught.value.position == 18
    with pytest.raises(OutputInvalid, match="departs from the form"):
        incoming.feed("5")
    with pytest.raises(OutputInvalid, match="ends too early"):
        incoming.finish()
    assert incoming.feed('"Delta"').company.value == "Delta"
    incoming.feed("}")
    with pytest.raises(OutputInvalid, match="departs from the form"):
        incoming.feed("}")
    assert incoming.finish() == Job(company="Delta")
    with pytest.raises(OutputInvalid, match="is over"):
        incoming.feed("")
    with pytest.raises(ArgumentError, match="expected a str, got bytes"):
        fw.partial(Job).feed(b"{")  # type: ignore[arg-type]
    with pytest.raises(OutputInvalid):
        fw.partial(str).feed('"\ud83d')
    with pytest.raises(NotAForm):
        fw.partial("text")  # type: ignore[call-overload]


def test_a_reader_that_is_given_no_json_says_so() -> None:
    with pytest.raises(OutputInvalid, match="'x' at 1 is not JSON"):
        reader_of(ANY).feed("[x")


# Streams of the embedded model.

PROMPT = "Order: 3 lamps and 2 chairs for Ada Brown."


class Line(BaseModel):
    product: str
    quantity: int

    @field_validator("product")
    @classmethod
    def _in_capitals(cls, value: str) -> str:
        return value.upper()


class Order(BaseModel):
    customer: str
    lines: list[Line]


@pytest.mark.parametrize("heal", [False, True])
def test_a_stream_shows_its_value_while_it_is_written(tiny: fw.models.LocalModel, heal: bool) -> None:
    with tiny.stream(PROMPT, Order, heal=heal, max_tokens=120) as stream:
        assert stream.partial.state == "missing"
        pieces = list(stream)
    value = stream.result.value
    assert pieces[-1].partial.value == stream.partial.value == value
    assert pieces[-1].partial.lines[-1].product.value == value.lines[-1].product
    counts = [len(piece.partial.lines) for piece in pieces]
    assert counts == sorted(counts)
    states = [STATES.index(piece.partial.customer.state) for piece in pieces]
    assert states == sorted(states)
    shown = [piece.partial.customer.value for piece in pieces if piece.partial.customer]
    assert all(value.customer.startswith(part) for part in shown)


def test_asking_late_is_asking_in_time(tiny: fw.models.LocalModel) -> None:
    with tiny.stream(PROMPT, Order, max_tokens=120) as stream:
        now = [(piece, repr(piece.partial)) for piece in stream]
    with tiny.stream(PROMPT, Order, max_tokens=120) as stream:
        later = list(stream)
    assert [repr(piece.partial) for piece, _ in now] == [shown for _, shown in now]
    assert [repr(piece.partial) for piece in reversed(later)] == [shown for _, shown in reversed(now)]


def test_texts_that_are_cut_stay_partial(tiny: fw.models.LocalModel) -> None:
    with tiny.stream(PROMPT, Order, finish=False, max_tokens=12) as stream:
        pieces = list(stream)
    assert stream.partial.state == pieces[-1].partial.state == "partial"
    with tiny.stream(PROMPT, Order, stop="lines") as stream:
        shown = [(str(stream.partial), str(piece.partial)) for piece in stream]
    assert not [pair for pair in shown if "lines" in "".join(pair)]
    assert str(stream.partial) == shown[-1][1] == stream.result.text


def test_numbers_and_plain_texts_are_complete_when_the_stream_is_over(tiny: fw.models.LocalModel) -> None:
    for form in (fw.form(int), fw.choice("yes", "no")):
        with tiny.stream("?", form, max_tokens=20) as stream:
            *_, last = stream
        assert last.partial.state == "partial"
        assert stream.partial.value == stream.result.value


def test_a_piece_that_was_pickled_has_no_partial_value(tiny: fw.models.LocalModel) -> None:
    with tiny.stream("?", fw.choice("yes")) as stream:
        piece = next(stream)
    assert pickle.loads(pickle.dumps(piece)) == piece
    with pytest.raises(StreamUnfinished):
        pickle.loads(pickle.dumps(piece)).partial  # noqa: B018


@pytest.mark.parametrize("item", [Line, Line.model_json_schema()])
def test_items_come_as_they_are_complete(tiny: fw.models.LocalModel, item: Any) -> None:
    with tiny.stream_items(PROMPT, item, max_tokens=60) as items:
        first = next(items)
        assert str(items.partial).endswith("}")
        with pytest.raises(StreamUnfinished):
            items.result  # noqa: B018
        rest = list(items)
    assert [first, *rest] == items.result.value
    assert len(rest) >= 1


def test_items_of_a_schema_keep_their_references(tiny: fw.models.LocalModel) -> None:
    schema = {"$defs": {"word": {"enum": ["lamp", "chair"]}}, "$ref": "#/$defs/word"}
    with tiny.stream_items(PROMPT, schema, max_tokens=30) as items:
        assert set(items) <= {"lamp", "chair"}
    old = {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": schema["$defs"]}
    with tiny.stream_items(PROMPT, old | {"$ref": "#/definitions/word"}, max_tokens=30) as items:
        assert set(items) <= {"lamp", "chair"}
    with tiny.stream_items(PROMPT, schema | {"$id": "https://example.com/word"}, max_tokens=30) as items:
        assert set(items) <= {"lamp", "chair"}
    with tiny.stream_items(PROMPT, True, max_tokens=10, cancel=lambda: True) as cut:
        assert list(cut) == []


def test_items_that_are_none_are_items(tiny: fw.models.LocalModel) -> None:
    async def main() -> list[Any]:
        return [item async for item in tiny.stream_items("?", None, max_tokens=9, seed=1, temperature=1)]

    with tiny.stream_items("?", None, max_tokens=9, seed=1, temperature=1) as items:
        assert asyncio.run(main()) == list(items) == items.result.value


class Refused(BaseModel):
    product: str

    @field_validator("product")
    @classmethod
    def _never(cls, value: str) -> str:
        raise ValueError("never")


def test_an_item_that_is_refused_is_an_error_at_its_place(tiny: fw.models.LocalModel) -> None:
    with (
        tiny.stream_items("?", Annotated[Refused, "some"], max_tokens=60, temperature=1, seed=3) as items,
        pytest.raises(OutputInvalid, match=r"never"),
    ):
        list(items)


@pytest.mark.parametrize("form", [fw.form(int), fw.regex("a"), 5, "text"])
def test_what_is_no_item_is_refused(tiny: fw.models.LocalModel, form: Any) -> None:
    with pytest.raises(NotAForm):
        tiny.stream_items("?", form)


# In an event loop.


def test_an_event_loop_reads_the_same(tiny: fw.models.LocalModel) -> None:
    async def main() -> None:
        async with tiny.stream(PROMPT, Order, max_tokens=120) as stream:
            pieces = [piece async for piece in stream]
        assert pieces[-1].partial.value == stream.result.value
        async with tiny.stream_items(PROMPT, Line, max_tokens=60) as items:
            assert [item async for item in items] == items.result.value

    asyncio.run(main())


def test_a_task_that_is_cancelled_ends_after_its_step(tiny: fw.models.LocalModel) -> None:
    async def main() -> None:
        began, streams = asyncio.Event(), []

        async def write() -> None:
            async with tiny.stream(PROMPT, fw.regex("[a-z ]{200}")) as stream:
                streams.append(stream)
                async for _ in stream:
                    began.set()

        task = asyncio.create_task(write())
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert list(streams[0]) == []  # closed

    asyncio.run(main())


# Real schemas.


def instances(data: Path) -> Iterator[tuple[dict[str, Any], str]]:
    with gzip.open(data / "maskbench" / "sample.jsonl.gz", "rt", encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            for test in case["tests"][:2]:
                if test["valid"]:
                    yield case["schema"], json.dumps(test["data"], ensure_ascii=False)


@pytest.mark.timeout(600)
def test_real_instances_are_read_as_they_grow(data: Path) -> None:
    random, read = Random(1), 0
    for number, (schema, text) in enumerate(instances(data)):
        if number % 8 or len(text) > 3000:
            continue
        check_text(text, random)
        try:
            form = fw.json_schema(schema, order="model", whitespace="free", unknown_keywords="ignore")
        except fw.errors.LanguageError:
            continue
        if form.matches(text):
            incoming = fw.partial(form)
            fed(incoming, pieces_of(text, random))
            assert incoming.finish() == incoming.value.value == json.loads(text)
            read += 1
    assert read > 100


if __name__ == "__main__":
    test_every_beginning_shows_what_the_whole_text_has_there()
    test_texts_from_elsewhere_are_checked_on_the_way()
