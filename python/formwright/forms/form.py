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
``A & B``, ``A - B``   what ``A`` is read as
``~A``                 of a regular form the whole text, of a form of JSON what ``json.loads`` returns
=====================  ==================================================

A parsed string - a JSON string, a member of an Enum of strings - is a ``str`` to a type checker, as plain text
is. So two of them in a row, one beside another value, or one repeated are refused rather than dropped.

Cost: reading a value costs one pass of the kernel over the text, and whatever its type
does; a composition finds its parts first, see `formwright.forms.readers`.

A text may hold control tokens. What a model wrote is read by its tokens; in a text that comes from
elsewhere, the name of a control token stands for it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Generic, Literal, NamedTuple, Never, TypeVar, overload

from formwright._kernel import Constraint, Language, Matcher
from formwright.errors import ArgumentError, NotAForm, OutputInvalid, TokenRejected
from formwright.forms.context import validation_context
from formwright.forms.controls import byte_vocabulary, read_control_tokens
from formwright.forms.explain import Check, Explanation, Reading
from formwright.forms.grammar_places import JoinedGrammar
from formwright.forms.readers import (
    Alternative,
    Chain,
    Composition,
    FindsParts,
    Part,
    Repetition,
    decode_text,
    found_parts,
    plain,
    spell_text,
)
from formwright.forms.text_checks import check_text, is_alike, read_json, shorten, spell_json, utf8_of

__all__ = [
    "Form",
    "Kind",
    "Origin",
    "byte_matcher",
    "chain",
    "drop_prefix",
    "form_of_language",
    "in_a_row",
    "literal",
]

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")
U = TypeVar("U")

Kind = Literal["text", "string", "value"]
"""What a part of a composition is read as: its text, a string that the text spells, or any other value."""


class Origin(NamedTuple):
    """What a form was made of, where it is one thing.

    Attributes:
        kind: ``"schema"``, ``"regex"``, ``"choice"``, ``"grammar"`` or ``"tools"``.
        what: The JSON Schema as text, the pattern, the options, the tools as a `formwright.tools.Offer`.
        options: Of a schema, and of the arguments of tools: the options of JSON, as the kernel takes them.
    """

    kind: Literal["schema", "regex", "choice", "grammar", "tools"]
    what: Any
    options: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Form(Generic[T_co]):
    """A set of texts, and how each is read as a value: immutable, shared freely, pickled with its type.

    Made by `formwright.form`, `regex`, `choice`, `literal`, `json` and `json_schema`, and from other forms by ``+``,
    ``|`` and `repeat`. In all of these a bare ``str`` beside a form stands for itself.

    Attributes:
        language: The texts, as the kernel has them.
        read: The value of a text that conforms; unlike `parse` it does not check that it is.
        title: What a user wrote to get it, for messages.
        kind: What it is read as inside a composition: ``"text"``, ``"string"`` or ``"value"``.
        defaults: What the environment decided when the form was made, and what a type says beside its schema: rows
            of `explain`.
        name: What the part is called inside a composition, if it has a name.
        after_prompt: The form of what is still to be written after a prompt that ends with some text, if that matters.
        origin: The schema, pattern, options or tools that it was made of; ``None`` for compositions.
        joined: Where the parts of a grammar are written that imports others; ``None`` for other forms.
    """

    language: Language
    read: Callable[[str], T_co]
    title: str
    kind: Kind
    defaults: tuple[Reading, ...] = ()
    name: str | None = None
    after_prompt: Callable[[str], Form[Any] | None] | None = None
    origin: Origin | None = None
    joined: JoinedGrammar | None = None

    def parse(self, text: str | bytes, *, context: Any = None) -> T_co:
        """The value that ``text`` spells.

        Args:
            text: The text.
            context: What the validators of the type see as ``info.context``.

        Raises:
            OutputInvalid: The text does not conform, or its type rejects it.
        """
        with validation_context(context):
            return self._parse(text)

    def _parse(self, text: str | bytes) -> T_co:
        if self.language.control_tokens:
            data, position, is_complete = self._read_controls(text)
            if is_complete:
                return self.read_bytes(data)
        position, is_complete, expected = self.check(text)
        shown = text if isinstance(text, str) else text.decode(errors="replace")
        if not is_complete:
            what = "it ends too early" if position == len(text) else f"it departs from the form at character {position}"
            if isinstance(text, bytes):
                position = len(text[:position].decode(errors="ignore"))
            raise OutputInvalid(
                f"the text does not conform: {what}" + (f"; expected {expected}" if expected else ""),
                text=shown,
                position=position,
            )
        return self.read_bytes(utf8_of(text))

    def write(self, value: Any) -> str:
        """A text of this form that is read as ``value``: compact JSON, or the usual spelling of a notation.

        Members come in the order in which the schema declares them. A text is its own value.

        Raises:
            ArgumentError: The form has no text that is read as ``value``, or it is a composition.
        """
        text = next(self._texts_of(value), None)
        if text is None:
            raise ArgumentError(
                f"{self.title} has no text that is read as {shorten(repr(value))}",
                hint="explain() says what a notation leaves out; the parts of a composition are written one by one",
                argument="value",
            )
        return text

    def _texts_of(self, value: Any) -> Iterator[str]:
        """The texts that are read as a value, the usual one first."""
        reader: Any = self.read
        values = reader.values if hasattr(reader, "read_json") else self.language.values()  # a notation keeps them
        if values is not None:
            for wanted, json in getattr(getattr(reader, "read_json", reader), "spell", spell_json)(value):
                text = values.write(json)
                if text is not None and self._says(text, wanted):
                    yield text
            return
        options = self.origin.what if self.origin is not None and self.origin.kind == "choice" else (value,)
        yield from (option for option in options if isinstance(option, str) and self._says(option, value))

    def _says(self, text: str, value: Any) -> bool:
        """Whether a text is read as a value."""
        if not self.matches(text):
            return False
        try:
            return is_alike(self.read_bytes(text.encode()), value)
        except OutputInvalid:  # its type refuses it
            return False

    def read_bytes(self, data: bytes) -> T_co:
        """The value of what a `Matcher` has accepted, which is a complete text of this form."""
        text = decode_text(data) if self.language.control_tokens else data.decode()
        try:
            return self.read(text)
        except RecursionError as error:
            message = "the form is nested deeper than Python can read it"
            raise OutputInvalid(message, text=plain(text), position=len(text)) from error

    def matches(self, text: str | bytes) -> bool:
        """Whether ``text`` is a complete text of this form."""
        return self._read_controls(text)[2]

    def check(self, text: str | bytes) -> Check:
        """How far ``text`` conforms, whether it is complete, and what could come where it departs from the form."""
        data, good, is_complete = self._read_controls(text)
        expected = "" if is_complete else self._describe_expected(data, good)
        good -= data[:good].count(b"\xff")
        return Check(
            good if isinstance(text, bytes) else len(utf8_of(text)[:good].decode(errors="ignore")),
            is_complete,
            expected,
        )

    def parts(self, text: str | bytes) -> tuple[Part, ...]:
        """The named parts of ``text``, in the order in which they begin; of a text that goes on, the last one is open.

        Raises:
            OutputInvalid: The text departs from the form.
        """
        data, good, is_complete = self._read_controls(text)
        if good < len(data):
            self.parse(text)
        return tuple(found_parts(self, data, is_open=not is_complete))

    def named(self, name: str) -> Form[T_co]:
        """The same form, as a part that `parts` finds by this name."""
        return replace(self, name=name)

    @property
    def digest(self) -> str:
        """Tells its language from others. Raises LanguageError where a character parser is a part of it."""
        return hashlib.sha256(self.language.to_bytes()).hexdigest()[:16]

    def example(self) -> str:
        """The shortest complete text (one of them)."""
        return spell_text(self.language.example())

    def explain(self) -> Explanation:
        """How every keyword was read; of a grammar, what is allowed but hardly meant. Empty for other forms."""
        rows = self.language.explain()
        return Explanation.of(self.defaults, rows if self.joined is None else self.joined.place_rows(rows))

    def __and__(self, other: Form[Any], /) -> Form[T_co]:
        """The texts that are in this form and in ``other``, read as this one reads them.

        Both are forms of texts, and at least one of them is regular (a pattern, choice, format or free text); the other
        one may be a grammar. Or both are forms of JSON: then the values are meant, whatever their order and whitespace.

        Raises:
            ArgumentError: They are of different kinds, or both are grammars; one holds a control token, a character
                parser, or a part with ``max_tokens``; or their options give the same schema different meanings.
            UnsatisfiableSchema: No text is in both.
            UnsupportedKeyword, LimitExceeded: The kernel cannot enforce what they have in common.
        """
        from formwright.forms.sets import intersect

        return intersect(self, other) if isinstance(other, Form) else NotImplemented

    def __sub__(self, other: Form[Any], /) -> Form[T_co]:
        """The texts in this form that are not in ``other``, which must not be a grammar. Kinds, errors as for ``&``."""
        from formwright.forms.sets import subtract_forms

        return subtract_forms(self, other) if isinstance(other, Form) else NotImplemented

    def __invert__(self) -> Form[Any]:
        """The texts not in this form, which must not be a grammar; of JSON, the values. Errors as for ``&``."""
        from formwright.forms.sets import complement

        return complement(self)

    def is_subset(self, other: Any, /) -> bool:
        """Whether every text of this form is in ``other``, too: a form, or what `formwright.form` makes one of.

        If ``other`` is a grammar, texts are tried, the shortest first.

        Raises:
            ArgumentError: As for ``&``, but that both may be grammars.
            NotAForm, LanguageError: ``other`` is not a form, or cannot be read.
            Undecided: A bound of work was reached.
        """
        from formwright.forms.sets import find_outside

        return find_outside(self, other) is None

    def is_equivalent(self, other: Any, /) -> bool:
        """Whether both have the same texts. Raises as `is_subset`."""
        from formwright.forms.sets import difference

        return difference(self, other) is None

    def is_disjoint(self, other: Any, /) -> bool:
        """Whether no text is in both. Raises as `is_subset`, and ArgumentError if both are grammars."""
        from formwright.forms.sets import are_disjoint

        return are_disjoint(self, other)

    def count(self, *, max_bytes: int | None = None) -> int:
        """How many texts of at most ``max_bytes`` bytes there are; of JSON, every spelling is one.

        Args:
            max_bytes: The length of the longest text; ``None`` if there are finitely many.

        Raises:
            ArgumentError: There are infinitely many, they hold control tokens, or a part has a bound on its tokens.
            LimitExceeded: There are too many states: count shorter texts, or those of ``whitespace="compact"``.
        """
        from formwright.forms.text_counts import count_texts

        return count_texts(self.language, max_bytes)

    def sample(self, n: int, *, seed: int | None = None, max_bytes: int | None = None) -> list[str]:
        """Texts drawn independently from all those that `count` counts, each with the same probability.

        Args:
            n: How many.
            seed: The same seed draws the same texts; ``None`` takes another each time.
            max_bytes: The length of the longest text; ``None`` if there are finitely many.

        Raises:
            ArgumentError: As `count`; no text is so short.
            LimitExceeded: As `count`.
        """
        from formwright.forms.text_counts import sample_texts

        return sample_texts(self.language, n, seed, max_bytes)

    def hypothesis(self, *, max_bytes: int | None = None) -> Any:
        """A strategy of hypothesis: values of this form, for property tests. They shrink toward short texts.

        Args:
            max_bytes: The length of the longest text; ``None`` is 16 bytes more than the shortest.

        Raises:
            MissingDependency: hypothesis is not installed.
            ArgumentError, LimitExceeded: As `count`.
        """
        from formwright.forms.text_counts import make_strategy

        return make_strategy(self, max_bytes)

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
        return NotImplemented if second is None else _concatenate(self, second)

    def __radd__(self, other: str, /) -> Form[T_co]:
        first = _operand(other)
        return NotImplemented if first is None else _concatenate(first, self)

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
            high: How often at most; ``None`` for no upper bound.

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
        read = Repetition(self, low, most, is_text=True) if _has_parts(self) else plain
        return Form(language, read, title, "text")

    def between(self, prefix: str | bytes, suffix: str | bytes) -> Form[str]:
        """What may be written between two texts, so that all three in a row are a text of this form.

        For models that fill in the middle, and for edits. It is read as text. A token that would cross from ``prefix``
        into the middle is never used. The automaton of the form is made in each call, so of a large form each takes
        long; then time grows with the length of both texts.

        Args:
            prefix: The beginning of a text of this form; bytes are UTF-8.
            suffix: Its end, up to the last character.

        Raises:
            UnsatisfiableSchema: Nothing fits there; the message says which byte cannot come, counted from 0, or that
                ``suffix`` is not the end of a text.
            ArgumentError: Bytes are not UTF-8, or end inside a character; the form has control tokens, a character
                parser, or a part with ``max_tokens``.
            UnsupportedKeyword: Items of an array, or undeclared names of an object, must differ.
            LimitExceeded: The form has too many states.
        """
        language = self.language.between(_decode_part(prefix, "prefix"), _decode_part(suffix, "suffix"))
        return Form(language, str, f"({self.title}).between(...)", "text")

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

    def __get_pydantic_core_schema__(self: Any, *given: Any) -> Any:
        """Refuse to be a part of a type, as in ``Annotated[str, form]``, which pydantic would leave out."""
        if isinstance(self, type):  # the class itself, as the type of a field that holds a form
            return given[-1](self)
        raise NotAForm(
            f"{self.title} is a form inside a type, where only what types say is enforced",
            hint="say a pattern as Annotated[str, pydantic.Field(pattern=...)]; a text of a grammar is a field of "
            "fw.template(...), or the input of a custom tool",
        )

    def _read_controls(self, text: str | bytes) -> tuple[bytes, int, bool]:
        return read_control_tokens(self.language, utf8_of(text), lambda: byte_matcher(self))

    def _describe_expected(self, data: bytes, good: int) -> str:
        matcher = byte_matcher(self)
        try:
            matcher.accept_bytes(data[:good])
            matcher.accept_bytes(data[good : good + 1] or b"\xfe")  # a byte that is in no text
        except TokenRejected as error:
            return error.expected
        return ""


def literal(text: str) -> Form[str]:
    """Make a form of exactly ``text``.

    Raises:
        ArgumentError: ``text`` is not a str.
    """
    check_text(text, "text")
    return Form(Language.choice([text]), str, shorten(repr(text)), "text")


def _decode_part(text: str | bytes, argument: str) -> str:
    """A part of a text as a str. Raises ArgumentError where it is not whole characters."""
    if isinstance(text, bytes | bytearray):
        try:
            return text.decode()
        except UnicodeDecodeError as error:
            what = f"{argument}: byte {error.start} is not UTF-8, or a character is cut off there"
            raise ArgumentError(what, argument=argument) from None
    check_text(text, argument)
    return text


def form_of_language(language: Language) -> Form[Any]:
    """A language without its Python type: one JSON Schema is read with ``json.loads``, all else as ``str``."""
    if language.is_json:
        return Form(language, read_json, "JSON", "value")
    return Form(language, str, "text", "text")


def drop_prefix(form: Form[Any]) -> Form[Any]:
    """For ``literal + form``, the form without the literal; otherwise the form itself."""
    read = form.read
    return read.forms[1] if isinstance(read, Chain) and read.takes == (False, True) else form


def in_a_row(forms: Sequence[Form[Any]]) -> Language:
    """The texts of some forms, one after the other."""
    if not forms:
        return Language.choice([""])
    first, *others = (form.language for form in forms)
    return reduce(add, others, first)


def chain(title: str, forms: tuple[Form[Any], ...], *, takes: int) -> Form[Any]:
    """Texts in a row, read as one of them."""
    taken = tuple(at == takes for at in range(len(forms)))
    return Form(in_a_row(forms), Chain(forms, taken), title, "value")


def _operand(other: object) -> Form[Any] | None:
    if isinstance(other, Form):
        return other
    if isinstance(other, str):
        return literal(other)
    if isinstance(other, type | re.Pattern | dict) or hasattr(other, "__origin__"):
        raise NotAForm(f"{other!r} is combined with a form without being one", hint="wrap it: fw.form(...)")
    return None


def _concatenate(first: Form[Any], second: Form[Any]) -> Form[Any]:
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
    return any(form.name is not None or isinstance(form.read, Composition | FindsParts) for form in forms)


def byte_matcher(form: Form[Any]) -> Matcher:
    """A matcher that takes texts of ``form`` byte by byte, whatever the vocabulary of a model."""
    return Constraint(form, byte_vocabulary(tuple(form.language.control_tokens))).matcher()
