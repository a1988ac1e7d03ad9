"""Texts that come from elsewhere, as values while they arrive.

::

    reader = fw.partial(Person)
    for piece in ['{"name": "A', 'da", "age"', ": 36}"]:
        print(reader.feed(piece))               # the JSON so far; reader.value is the same snapshot
    reader.finish().name                        # 'Ada'

A form decides how its texts are read on the way: JSON as a tree, a composition as its ``read`` says, a grammar as its
tree, all else as text.

Cost: one pass of the kernel, which checks that the text conforms, and one of the reader of the form. Where a form
names control tokens, the text is checked from its beginning for each piece.

What is checked is the form as it is. For texts of a model that nothing holds to the order of fields
or to whitespace, pass ``fw.form(T, order="model", whitespace="free")``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload, runtime_checkable

from formwright._kernel import Constraint
from formwright.errors import ArgumentError, OutputInvalid, TokenRejected
from formwright.forms.coerce import form
from formwright.forms.form import Form, byte_matcher
from formwright.forms.notations import NotationReader
from formwright.forms.readers import Chain, HasChain
from formwright.incremental.json_reader import JsonReader
from formwright.incremental.notation_reader import NotatedReader
from formwright.incremental.parts_reader import PartsReader
from formwright.incremental.text import Text
from formwright.incremental.text_reader import TextReader
from formwright.incremental.values import Partial, PartialReader

if TYPE_CHECKING:
    from typing_extensions import TypeForm

    from formwright.forms.json_forms import Schema
    from formwright.forms.parsers import CharacterParser

__all__ = ["Incoming", "partial", "reader_of"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
_form = form


@runtime_checkable
class HasPartialReader(Protocol):
    """A reader that brings its own reader for texts that are not complete."""

    def __call__(self, text: str, /) -> Any:
        """The value of a complete text."""
        ...

    def partial_reader(self) -> PartialReader:
        """A reader for one text."""
        ...


@runtime_checkable
class HasSnapshots(Protocol):
    """A reader that makes something of a text that is not complete."""

    def __call__(self, text: str, /) -> Any:
        """The value of a complete text."""
        ...

    def snapshot(self, text: str, /) -> Any:
        """The value of a text as far as it came."""
        ...


def reader_of(form: Form[Any]) -> PartialReader:
    """A reader for one text of ``form``, which it assumes to conform."""
    if isinstance(form.read, HasPartialReader):
        return form.read.partial_reader()
    if isinstance(form.read, HasSnapshots):
        return TextReader(form.read.snapshot)
    if form.language.is_json:
        return JsonReader(form)
    if isinstance(form.read, NotationReader):
        return NotatedReader(form, form.read)
    chain = form.read.chain if isinstance(form.read, HasChain) else form.read
    if isinstance(chain, Chain) and (any(chain.takes) or any(part.name for part in chain.forms)):
        return PartsReader(chain, reader_of)
    return TextReader()


class Incoming(Generic[T_co]):
    """A text that arrives in pieces: made by `formwright.partial`."""

    __slots__ = ("_is_over", "_matcher", "_reader", "_text", "form")

    def __init__(self, form: Form[T_co]) -> None:
        self.form = form
        self._matcher, self._reader, self._is_over = byte_matcher(form), reader_of(form), False
        self._text = Text()

    def feed(self, piece: str) -> Partial:
        """Go on with the text; gives the value so far.

        Raises:
            OutputInvalid: The text departs from the form, or is over. The piece has then no effect.
            ArgumentError: ``piece`` is not a str.
        """
        if self._is_over:
            raise OutputInvalid("the text is over: `finish` was called", text=self.text, position=len(self.text))
        if not isinstance(piece, str):
            raise ArgumentError(f"piece: expected a str, got {type(piece).__name__}", argument="piece")
        if piece:
            self._check(piece)
            self._text.append(piece)
            self._reader.feed(piece)
        return self._reader.at(self._reader.length)

    def _check(self, piece: str) -> None:
        """Fail if the text cannot go on so."""
        if self.form.language.control_tokens:  # their names are not letters of theirs, so the whole text is looked at
            whole = self.text + piece
            if self.form.check(whole).position < len(whole):
                self.form.parse(whole)
            return
        try:
            self._matcher.accept_bytes(piece.encode("utf-8", "surrogatepass"))
        except TokenRejected:
            self.form.parse(self.text + piece)  # which shows where it departs from the form
            raise

    @property
    def value(self) -> Partial:
        """The value so far."""
        return self._reader.at(self._reader.length + self._is_over)

    @property
    def text(self) -> str:
        """The text so far."""
        return str(self._text)

    @property
    def is_complete(self) -> bool:
        """Whether the text so far is complete (it may still go on)."""
        return self.form.matches(self.text) if self.form.language.control_tokens else self._matcher.is_complete

    def finish(self) -> T_co:
        """The text is over; gives its value.

        Raises:
            OutputInvalid: It ends too early, or its type rejects it.
        """
        value = self.form.parse(self.text)
        self._reader.finish(value)
        self._is_over = True
        return value

    def __repr__(self) -> str:
        return f"Incoming({self.form!r}, {self._reader.length} characters, {self.value.state})"


@overload
def partial(form: TypeForm[T], /) -> Incoming[T]: ...
@overload
def partial(form: Form[T] | Constraint[T], /) -> Incoming[T]: ...
@overload
def partial(form: re.Pattern[str], /) -> Incoming[str]: ...
@overload
def partial(form: Schema | CharacterParser, /) -> Incoming[Any]: ...
def partial(form: Any, /) -> Incoming[Any]:
    """Return a reader of a text that arrives from elsewhere: ``feed`` it piece by piece.

    Args:
        form: Anything `formwright.form` takes.

    Raises:
        NotAForm, LanguageError: As `formwright.form`.
    """
    return Incoming(_form(form))
