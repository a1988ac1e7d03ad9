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
``A & B``, ``~A``      of regular forms: the whole text
=====================  ==================================================

A parsed string - a JSON string, a member of an Enum of strings - is a ``str`` to a type checker, as plain text
is. So two of them in a row, one beside another value, or one repeated are refused rather than dropped.

Cost: reading a value costs one pass of the kernel over the text, and whatever its type
does; a composition finds its parts first, see `formwright.parts`.

The wrinkle: a text may hold control tokens. What a model wrote is read by its tokens; in a text that comes from
elsewhere, the name of a control token stands for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from html import escape
from itertools import starmap
from operator import add
from typing import Any, Generic, Literal, NamedTuple, Never, Self, TypeVar, overload

from formwright._kernel import Constraint, Language, Matcher, Vocabulary
from formwright.errors import ArgumentError, NotAForm, OutputInvalid, TokenRejected, UnsatisfiableSchema
from formwright.parts import Alternative, Chain, Part, Repetition, decoded, found_parts, plain

__all__ = [
    "Check",
    "Explanation",
    "Form",
    "Kind",
    "Origin",
    "Reading",
    "behind_prefix",
    "byte_matcher",
    "chained",
    "check_text",
    "current_context",
    "form_of_language",
    "in_a_row",
    "literal",
    "read_json",
    "shortened",
    "validation_context",
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


class Origin(NamedTuple):
    """What a form was made of, where it is one thing.

    Attributes:
        kind: ``"schema"``, ``"regex"``, ``"choice"`` or ``"tools"``.
        what: The JSON Schema as text, the pattern, the options, the tools as a `formwright.tools.Offer`.
        options: Of a schema, and of the arguments of tools: the options of JSON, as the kernel takes them.
    """

    kind: Literal["schema", "regex", "choice", "tools"]
    what: Any
    options: Mapping[str, Any] | None = None


_CONTEXT: ContextVar[Any] = ContextVar("the context of validators", default=None)


def current_context() -> Any:
    """What validators are given as their context."""
    return _CONTEXT.get()


@contextmanager
def validation_context(context: Any) -> Iterator[None]:
    """Give validators this context inside the block; ``None`` leaves what they have."""
    token = None if context is None else _CONTEXT.set(context)
    try:
        yield
    finally:
        if token is not None:
            _CONTEXT.reset(token)


class Reading(NamedTuple):
    """How one keyword of a JSON Schema was read.

    Attributes:
        pointer: JSON Pointer of the schema that holds it, ``""`` for the root.
        keyword: The keyword.
        status: ``default``: no keyword, but a variable of the environment that gives an option its value; ``enforced``;
            ``annotation``: says nothing about texts; ``redundant``: without effect here;
            ``narrowed``: fewer texts are written than it allows; ``never``: what it speaks of can never be written;
            ``refused``: it cannot be enforced, so the schema is refused; ``broken``: it is no JSON Schema;
            ``validated``: no keyword, but what a Python type checks once a text is complete.
        note: What was done, or why not.
    """

    pointer: str
    keyword: str
    status: str
    note: str


class Explanation(tuple[Reading, ...]):
    """How every keyword of a form was read, in the order of the schema; a table in notebooks."""

    __slots__ = ()

    @classmethod
    def of(cls, own: Iterable[Reading], rows: Iterable[tuple[str, str, str, str]]) -> Self:
        """The rows of the kernel after a form's own; a format that a type enforces is no annotation."""
        own = tuple(own)
        enforced = {row[:2]: row for row in own if row.status == "enforced"}
        read = (enforced.get(row[:2], row) if row.status == "annotation" else row for row in starmap(Reading, rows))
        return cls((*(row for row in own if row.status != "enforced"), *read))

    def __str__(self) -> str:
        return "\n".join(
            ("" if row.status == "default" else f"#{row.pointer}/")
            + (f"{row.keyword}: " if row.keyword else "")
            + row.status
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
        defaults: What the environment decided when the form was made, and what a type says beside its schema: rows
            of `explain`.
        name: What the part is called inside a composition, if it has a name.
        behind: The form of what is still to be written behind a prompt that ends with some text, if that matters.
        origin: The schema, pattern, options or tools that it was made of; ``None`` for compositions.
    """

    language: Language
    read: Callable[[str], T_co]
    title: str
    kind: Kind
    defaults: tuple[Reading, ...] = ()
    name: str | None = None
    behind: Callable[[str], Form[Any] | None] | None = None
    origin: Origin | None = None

    def parse(self, text: str | bytes, *, context: Any = None) -> T_co:
        """The value that ``text`` spells.

        Args:
            text: The text.
            context: What the validators of the type see as ``info.context``.

        Raises:
            OutputInvalid: The text is not in form, or its type refuses it.
        """
        with validation_context(context):
            return self._parse(text)

    def _parse(self, text: str | bytes) -> T_co:
        if self.language.control_tokens:
            data, position, is_complete = _with_letters(self.language, _bytes(text))
            if is_complete:
                return self.read_bytes(data)
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
        return self.read_bytes(_bytes(text))

    def read_bytes(self, data: bytes) -> T_co:
        """The value of what a `Matcher` has accepted, which is a complete text of this form."""
        text = decoded(data) if self.language.control_tokens else data.decode()
        try:
            return self.read(text)
        except RecursionError as error:
            message = "the form is nested deeper than Python can read it"
            raise OutputInvalid(message, text=plain(text), position=len(text)) from error

    def matches(self, text: str | bytes) -> bool:
        """Whether ``text`` is a complete text of this form."""
        return _with_letters(self.language, _bytes(text))[2]

    def check(self, text: str | bytes) -> Check:
        """How far ``text`` is in form, whether it is complete, and what could stand where it leaves the form."""
        data, good, is_complete = _with_letters(self.language, _bytes(text))
        expected = "" if is_complete else self._expected(data, good)
        good -= data[:good].count(b"\xff")
        return Check(
            good if isinstance(text, bytes) else len(_bytes(text)[:good].decode(errors="ignore")), is_complete, expected
        )

    def parts(self, text: str | bytes) -> tuple[Part, ...]:
        """The named parts of ``text``, in the order in which they begin; of a text that goes on, the last one is open.

        Raises:
            OutputInvalid: The text leaves the form.
        """
        data, good, is_complete = _with_letters(self.language, _bytes(text))
        if good < len(data):
            self.parse(text)
        return tuple(found_parts(self, data, is_open=not is_complete))

    def named(self, name: str) -> Form[T_co]:
        """The same form, as a part that `parts` finds by this name."""
        return replace(self, name=name)

    def example(self) -> str:
        """The shortest complete text (one of them)."""
        return plain(decoded(self.language.example()))

    def explain(self) -> Explanation:
        """How every keyword was read; empty for forms that are not one JSON Schema or type."""
        return Explanation.of(self.defaults, self.language.explain())

    def __and__(self: Form[str], other: Form[str], /) -> Form[str]:
        """The texts that are in this form and in ``other``, both regular: patterns, choices, formats, free text.

        Raises:
            ArgumentError: One holds JSON, a control token or a character parser.
            UnsatisfiableSchema: No text is in both.
        """
        if not isinstance(other, Form):
            return NotImplemented
        title = f"({self.title} & {other.title})"
        try:
            return Form(self.language & other.language, str, title, "text")
        except UnsatisfiableSchema as error:
            raise UnsatisfiableSchema(f"no text is in both {self.title} and {other.title}") from error

    def __invert__(self: Form[str]) -> Form[str]:
        """The texts that are not in this form, which is regular.

        Raises:
            ArgumentError, UnsatisfiableSchema: As ``&``.
        """
        return Form(~self.language, str, f"~{self.title}", "text")

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
            return Form(language, Repetition(self, low, most), title, "value")
        return Form(language, plain, title, "text")

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
            matcher.accept_bytes(data[good : good + 1] or b"\xfe")  # a byte that is in no text
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
    return read.forms[1] if isinstance(read, Chain) and read.takes == (False, True) else form


def in_a_row(forms: Sequence[Form[Any]]) -> Language:
    """The texts of some forms, one after the other."""
    if not forms:
        return Language.choice([""])
    first, *others = (form.language for form in forms)
    return reduce(add, others, first)


def chained(title: str, forms: tuple[Form[Any], ...], *, takes: int) -> Form[Any]:
    """Texts in a row, read as one of them."""
    taken = tuple(at == takes for at in range(len(forms)))
    return Form(in_a_row(forms), Chain(forms, taken), title, "value")


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
        read = Chain((first, second), (False, False)) if _has_parts(first, second) else plain
        return Form(language, read, title, "text")
    if takes_first and takes_second and "string" in (first.kind, second.kind):
        raise _would_be_lost(title)
    kind = first.kind if takes_first else second.kind
    return Form(language, Chain((first, second), (takes_first, takes_second)), title, kind)


def _would_be_lost(title: str) -> NotAForm:
    return NotAForm(
        f"{title}: the value of a string would be lost",
        hint="put the values into one type, such as tuple[str, int], or take the texts: fw.regex(...), fw.choice(...)",
    )


def _either(first: Form[Any], second: Form[Any]) -> Form[Any]:
    language, title = first.language | second.language, f"({first.title} | {second.title})"
    kinds = {first.kind, second.kind}
    if kinds == {"text"} and not _has_parts(first, second):
        return Form(language, plain, title, "text")
    kind: Kind = "text" if kinds == {"text"} else "value" if "value" in kinds else "string"
    return Form(language, Alternative(first, second), title, kind)


def _has_parts(*forms: Form[Any]) -> bool:
    """Whether there may be names in any of some texts."""
    return any(form.name is not None or hasattr(form.read, "cut") for form in forms)


_MOST_READINGS = 64
"""How many ways to take names for control tokens are followed at a time."""


def _with_letters(language: Language, data: bytes) -> tuple[bytes, int, bool]:
    """A text whose names of control tokens are taken for these where the form has them there, and how far it is good.

    Returns:
        The text with its letters, how many of its bytes are in form, and whether it is complete.
    """
    names = [name.encode() for name in language.control_tokens]
    if not names:
        return data, *language.check(data)
    data = data.replace(b"\xff", b"\xfe")  # no text holds this byte: it is not for a user to say where letters are
    readings = [(b"", byte_matcher(Form(language, str, "text", "text")))]
    at = 0
    while (place := min((found for name in names if (found := data.find(name, at)) >= 0), default=-1)) >= 0:
        # Of several names that begin there, the longest.
        name = max((name for name in names if data.startswith(name, place)), key=len)
        between, end = data[at:place], place + len(name)
        options = [between + b"\xff" + name + b"\xff", between + name]
        longer = [further for read in readings for option in options if (further := _read_on(*read, option))]
        if not longer:
            break
        readings, at = longer[:_MOST_READINGS], end
    tails = [data[at:]]  # and with a name that has only begun
    starts = range(max(at, len(data) - max(map(len, names)) + 1), len(data))
    tails += [data[at:k] + b"\xff" + data[k:] for k in starts if any(name.startswith(data[k:]) for name in names)]
    checked = []
    for read, matcher in readings:
        for tail in tails:
            whole = _read_on(read, matcher, tail)
            if whole is not None and whole[1].is_complete:
                return whole[0], len(whole[0]), True
            checked.append((read + tail, *language.check(read + tail)))
    return max(checked, key=lambda found: (found[2], found[1] - found[0][: found[1]].count(b"\xff")))


def _read_on(read: bytes, matcher: Matcher, text: bytes) -> tuple[bytes, Matcher] | None:
    """What was read and its matcher after some text more; ``None`` if that cannot come."""
    after = matcher.fork()
    try:
        after.accept_bytes(text)
    except TokenRejected:
        return None
    return read + text, after


def byte_matcher(form: Form[Any]) -> Matcher:
    """A matcher that takes texts of ``form`` byte by byte, whatever the vocabulary of a model."""
    return Constraint(form, _byte_vocabulary(tuple(form.language.control_tokens))).matcher()


@lru_cache(maxsize=64)
def _byte_vocabulary(names: tuple[str, ...]) -> Vocabulary:
    """Every byte, some control tokens and an end: enough to run any form over a text."""
    tokens = [*(bytes([byte]) for byte in range(256)), None, *(None for _ in names)]
    return Vocabulary(tokens, eos_token_ids=[256], special_tokens={name: 257 + at for at, name in enumerate(names)})
