r"""A form: a language, and what its texts are read as.

::

    person = fw.form(Person)                                     # Form[Person]
    person.parse('{"name": "Ada", "age": 36}')                   # Person(name='Ada', age=36)
    fenced = "```json\n" + person + "\n```"                      # Form[Person]: the text around it has no value
    (person | "unknown").parse("unknown")                        # 'unknown', of Form[Person | str]
    person.repeat(2)                                             # Form[list[Person]]

What a composition is read as follows from its parts, so that no type is lost:

=====================  ==================================================
``A + B``              both texts: the whole text; one of them a text: the value of the other; else ``(a, b)``
``A | B``              the value of the first of the two that has the text
``A.repeat(low, hi)``  of texts: the whole text; else the list of the values
=====================  ==================================================

A parsed string - a JSON string, a member of an Enum of strings - is a ``str`` to a type checker, as plain text
is. So two of them in a row, one beside another value, or one repeated are refused rather than dropped.

Cost: reading a value costs one pass of the kernel over the text, and whatever its type
does; a composition finds where its parts begin by one more pass for each part, and for each
way in which the text could be cut until one fits: at worst that is quadratic.

The wrinkle: where the text could be cut in several ways, the earlier part takes as much
as it can.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import pairwise
from typing import Any, Generic, Literal, NamedTuple, Never, TypeVar, overload

from formwright._kernel import Constraint, Language, Matcher, Vocabulary
from formwright.errors import ArgumentError, NotAForm, OutputInvalid, TokenRejected

__all__ = [
    "Check",
    "Explanation",
    "Form",
    "Kind",
    "Reading",
    "behind_prefix",
    "byte_matcher",
    "check_text",
    "form_of_language",
    "literal",
    "read_json",
    "shortened",
]

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")
U = TypeVar("U")

Kind = Literal["text", "string", "value"]
"""What a part of a composition is read as: its text, a string that the text spells, or any other value."""


class Check(NamedTuple):
    """How far a text is in form.

    Attributes:
        position: How many characters (of bytes: bytes) are the beginning of a text in form.
        is_complete: Whether all of them are, and a text in form ends there.
        expected: What could stand at ``position``, in words; ``""`` if the text is complete.
    """

    position: int
    is_complete: bool
    expected: str


class Reading(NamedTuple):
    """How one keyword of a JSON Schema was read.

    Attributes:
        pointer: JSON Pointer of the schema that holds it, ``""`` for the root.
        keyword: The keyword.
        status: ``default``: no keyword, but a variable of the environment that gives an option its value; ``enforced``;
            ``annotation``: says nothing about texts; ``redundant``: without effect here;
            ``narrowed``: fewer texts are written than it allows; ``never``: what it speaks of can never be written;
            ``refused``: it cannot be enforced, so the schema is refused; ``broken``: it is no JSON Schema.
        note: What was done, or why not.
    """

    pointer: str
    keyword: str
    status: str
    note: str


class Explanation(tuple[Reading, ...]):
    """How every keyword of a form was read, in the order of the schema; a table in notebooks."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(
            ("" if row.status == "default" else f"#{row.pointer}/")
            + f"{row.keyword}: {row.status}"
            + (f" ({row.note})" if row.note else "")
            for row in self
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in (f"#{row.pointer}", *row[1:])) + "</tr>"
            for row in self
        )
        return f"<table><tr><th>where</th><th>keyword</th><th>status</th><th>note</th></tr>{rows}</table>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Form(Generic[T_co]):
    """A set of texts, and what each of them is read as: immutable, shared freely, pickled with its type.

    Made by `formwright.form`, `regex`, `choice`, `literal`, `json` and `json_schema`, and from other forms by ``+``,
    ``|`` and `repeat`. In all of these a bare ``str`` beside a form stands for itself.

    Attributes:
        language: The texts, as the kernel has them.
        read: The value of a text that is in form; unlike `parse` it does not check that it is.
        title: What a user wrote to get it, for messages.
        kind: What it is read as inside a composition: ``"text"``, ``"string"`` or ``"value"``.
        defaults: What the environment decided when the form was made; rows of `explain`.
    """

    language: Language
    read: Callable[[str], T_co]
    title: str
    kind: Kind
    defaults: tuple[Reading, ...] = ()

    def parse(self, text: str | bytes) -> T_co:
        """The value that ``text`` spells.

        Raises:
            OutputInvalid: The text is not in form, or its type refuses it.
        """
        position, is_complete, expected = self.check(text)
        shown = text if isinstance(text, str) else text.decode(errors="replace")
        if not is_complete:
            what = "it ends too soon" if position == len(text) else f"it leaves the form at {position}"
            if isinstance(text, bytes):
                position = len(text[:position].decode(errors="ignore"))
            raise OutputInvalid(
                f"the text is not in form: {what}" + (f"; expected {expected}" if expected else ""),
                text=shown,
                position=position,
            )
        return self.read(shown)

    def matches(self, text: str | bytes) -> bool:
        """Whether ``text`` is a complete text of this form."""
        return self.language.check(_bytes(text))[1]

    def check(self, text: str | bytes) -> Check:
        """How far ``text`` is in form, whether it is complete, and what could stand where it leaves the form."""
        data = _bytes(text)
        good, is_complete = self.language.check(data)
        position = good if isinstance(text, bytes) else len(data[:good].decode(errors="ignore"))
        return Check(position, is_complete, "" if is_complete else self._expected(data, good))

    def example(self) -> str:
        """The shortest complete text (one of them)."""
        return self.language.example().decode()

    def explain(self) -> Explanation:
        """How every keyword was read; empty for forms that are not one JSON Schema or type."""
        return Explanation((*self.defaults, *(Reading(*row) for row in self.language.explain())))

    # A checker that sees `Form[str]` as `Form[object]` takes the last of these, which is why they are said to overlap.
    @overload
    def __add__(self: Form[str], other: Form[U], /) -> Form[U]: ...  # type: ignore[overload-overlap]
    @overload
    def __add__(self, other: Form[str] | str, /) -> Form[T_co]: ...  # type: ignore[overload-overlap]
    @overload
    def __add__(self, other: Form[U], /) -> Form[tuple[T_co, U]]: ...
    def __add__(self, other: Any, /) -> Form[Any]:
        """This form, then ``other``."""
        second = _operand(other)
        return NotImplemented if second is None else _concatenated(self, second)

    def __radd__(self, other: str, /) -> Form[T_co]:
        first = _operand(other)
        return NotImplemented if first is None else _concatenated(first, self)

    @overload
    def __or__(self, other: str, /) -> Form[T_co | str]: ...
    @overload
    def __or__(self, other: Form[U], /) -> Form[T_co | U]: ...
    def __or__(self, other: Any, /) -> Form[Any]:
        """This form or ``other``; a text of both is read as this one reads it."""
        second = _operand(other)
        return NotImplemented if second is None else _either(self, second)

    def __ror__(self, other: str, /) -> Form[T_co | str]:
        first = _operand(other)
        return NotImplemented if first is None else _either(first, self)

    @overload
    def repeat(self: Form[Never], low: int, high: int | None = ..., /) -> Form[Any]: ...
    @overload
    def repeat(self: Form[str], low: int, high: int | None = ..., /) -> Form[str]: ...  # type: ignore[overload-overlap]
    @overload
    def repeat(self, low: int, high: int | None = ..., /) -> Form[list[T_co]]: ...
    def repeat(self, low: int, high: Any = ..., /) -> Form[Any]:
        """This form several times in a row.

        Args:
            low: How often: exactly, or at least if ``high`` is given.
            high: How often at most; ``None`` is no upper bound.

        Raises:
            ArgumentError: ``low`` is negative or more than ``high``.
        """
        most = low if high is ... else high
        times = f"{low}" if high is ... else f"{low}, {high}"
        language, title = self.language.repeat(low, most), f"({self.title}).repeat({times})"
        if self.kind == "string":
            raise _would_be_lost(title)
        if self.kind == "value":
            return Form(language, _Repetition(self, low, most), title, "value")
        return Form(language, str, title, "text")

    def to_bytes(self) -> bytes:
        """The language as bytes, to be stored or sent. They hold no Python type; pickle keeps it."""
        return self.language.to_bytes()

    @staticmethod
    def from_bytes(data: bytes) -> Form[Any]:
        """The form that `to_bytes` wrote: read with ``json.loads`` if it was one JSON Schema or type, else as ``str``.

        Raises:
            LanguageError: The bytes are of something else or another version, or were cut short or changed.
            LimitExceeded: The language is larger than a stored one may be.
        """
        return form_of_language(Language.from_bytes(data))

    def __repr__(self) -> str:
        return f"Form({self.title})"

    def _expected(self, data: bytes, good: int) -> str:
        matcher = byte_matcher(self)
        try:
            matcher.accept_bytes(data[:good])
            matcher.accept_bytes(data[good : good + 1] or b"\xff")  # a byte that is in no text
        except TokenRejected as error:
            return error.expected
        return ""


def literal(text: str) -> Form[str]:
    """Exactly ``text``.

    Raises:
        ArgumentError: ``text`` is no str.
    """
    check_text(text, "text")
    return Form(Language.choice([text]), str, shortened(repr(text)), "text")


def check_text(text: object, argument: str) -> None:
    """Fails unless ``text`` is a str that can be written as UTF-8."""
    if not isinstance(text, str):
        raise ArgumentError(f"{argument}: a str is wanted, not {type(text).__name__}", argument=argument)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        raise ArgumentError(f"{argument}: {half!r} at {error.start} is a lone surrogate", argument=argument) from None


def read_json(text: str) -> Any:
    """``json.loads``, whose recursion is an error of ours.

    Raises:
        OutputInvalid: The text is nested too deep for Python.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise OutputInvalid(
            "the text is nested deeper than Python's json reads", text=text, position=len(text)
        ) from error


def form_of_language(language: Language) -> Form[Any]:
    """A language without its Python type: one JSON Schema is read with ``json.loads``, all else as ``str``."""
    if language.is_json:
        return Form(language, read_json, "JSON", "value")
    return Form(language, str, "text", "text")


def shortened(text: str, width: int = 60) -> str:
    """``text`` with its middle left out where it is long."""
    return text if len(text) <= width else f"{text[: width - 20]} ... {text[-15:]}"


def behind_prefix(form: Form[Any]) -> Form[Any]:
    """What follows the text that a form begins with, if it is a text and a form with a value."""
    read = form.read
    return read.second if isinstance(read, _Concatenation) and not read.takes_first else form


def _bytes(text: str | bytes) -> bytes:
    """UTF-8; a lone surrogate becomes bytes that are in no text."""
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    if isinstance(text, bytes):
        return text
    raise ArgumentError(f"a text is str or bytes, not {type(text).__name__}", argument="text")


def _operand(other: object) -> Form[Any] | None:
    if isinstance(other, Form):
        return other
    if isinstance(other, str):
        return literal(other)
    if isinstance(other, type | re.Pattern | dict) or hasattr(other, "__origin__"):
        raise NotAForm(f"{other!r} stands beside a form without being one", hint="wrap it: fw.form(...)")
    return None


def _concatenated(first: Form[Any], second: Form[Any]) -> Form[Any]:
    language, title = first.language + second.language, f"{first.title} + {second.title}"
    takes_first, takes_second = first.kind != "text", second.kind != "text"
    if not (takes_first or takes_second):
        return Form(language, str, title, "text")
    if takes_first and takes_second and "string" in (first.kind, second.kind):
        raise _would_be_lost(title)
    kind = first.kind if takes_first else second.kind
    return Form(language, _Concatenation(first, second, takes_first, takes_second), title, kind)


def _would_be_lost(title: str) -> NotAForm:
    return NotAForm(
        f"{title}: the value of a string would be lost",
        hint="put the values into one type, such as tuple[str, int], or take the texts: fw.regex(...), fw.choice(...)",
    )


def _either(first: Form[Any], second: Form[Any]) -> Form[Any]:
    language, title = first.language | second.language, f"({first.title} | {second.title})"
    kinds = {first.kind, second.kind}
    if kinds == {"text"}:
        return Form(language, str, title, "text")
    return Form(language, _Alternative(first, second), title, "value" if "value" in kinds else "string")


@dataclass(frozen=True, slots=True)
class _Concatenation:
    """Reads two texts in a row: the value of the one that has one, or both."""

    first: Form[Any]
    second: Form[Any]
    takes_first: bool
    takes_second: bool

    def __call__(self, text: str) -> Any:
        data = text.encode()
        end = next(end for end in _ends(self.first, data) if self.second.language.check(data[end:])[1])
        if not self.takes_second:
            return self.first.read(data[:end].decode())
        second = self.second.read(data[end:].decode())
        return (self.first.read(data[:end].decode()), second) if self.takes_first else second


@dataclass(frozen=True, slots=True)
class _Alternative:
    """Reads a text by the first form that has it."""

    first: Form[Any]
    second: Form[Any]

    def __call__(self, text: str) -> Any:
        return self.first.read(text) if self.first.matches(text) else self.second.read(text)


@dataclass(frozen=True, slots=True)
class _Repetition:
    """Reads texts in a row as a list: a search for a way to cut them, each as long as can be."""

    body: Form[Any]
    low: int
    high: int | None

    def __call__(self, text: str) -> list[Any]:
        data = text.encode()
        dead: set[tuple[int, int]] = set()
        # Where each text so far ends, and the ends of the one behind it that were not yet tried.
        ends, untried = [0], [self._next(data, 0)]
        while True:
            if ends[-1] == len(data) and len(ends) > self.low:
                break
            allowed = self.high is None or len(ends) <= self.high
            wanted = len(ends) <= self.low  # only then may a text be empty: it could stand there any number of times
            tried = (end for end in untried[-1] if (len(ends), end) not in dead and (wanted or end > ends[-1]))
            end = next(tried, None) if allowed else None
            if end is None:
                dead.add((len(ends) - 1, ends.pop()))
                untried.pop()
                continue
            ends.append(end)
            untried.append(self._next(data, end))
        return [self.body.read(data[start:end].decode()) for start, end in pairwise(ends)]

    def _next(self, data: bytes, start: int) -> Iterator[int]:
        return (start + end for end in _ends(self.body, data[start:]))


def _ends(form: Form[Any], data: bytes) -> list[int]:
    """Where a text of ``form`` at the beginning of ``data`` may end, the farthest first."""
    matcher, ends = byte_matcher(form), []
    for position in range(len(data) + 1):
        if matcher.is_complete:
            ends.append(position)
        try:
            matcher.accept_bytes(data[position : position + 1])
        except TokenRejected:
            break
    return ends[::-1]


def byte_matcher(form: Form[Any]) -> Matcher:
    """A matcher that takes texts of ``form`` byte by byte, whatever the vocabulary of a model."""
    return Constraint(form, _byte_vocabulary()).matcher()


@lru_cache(maxsize=1)
def _byte_vocabulary() -> Vocabulary:
    """Every byte and an end: enough to run any form over a text."""
    return Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[256])
