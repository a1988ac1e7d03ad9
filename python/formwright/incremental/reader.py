"""Texts that come from elsewhere, as values while they arrive.

::

    reader = fw.partial(Person)
    for piece in ['{"name": "A', 'da", "age"', ": 36}"]:
        print(reader.feed(piece))               # the JSON so far; reader.value is the same snapshot
    reader.finish().name                        # 'Ada'

A form decides how its texts are read on the way: JSON as a tree, a composition as its ``read`` says, all else as text.

Cost: one pass of the kernel, which checks that the text is in form, and one of the reader of the form.

The wrinkle: what is checked is the form as it is. For texts of a model that nothing holds to the order of fields
or to whitespace, pass ``fw.form(T, order="model", whitespace="free")``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from formwright._kernel import Constraint
from formwright.errors import ArgumentError, OutputInvalid, TokenRejected
from formwright.forms import Form, byte_matcher
from formwright.incremental.json_reader import JsonReader
from formwright.incremental.text_reader import TextReader
from formwright.incremental.values import Partial, PartialReader
from formwright.languages import form

if TYPE_CHECKING:
    from typing_extensions import TypeForm

    from formwright.languages import Schema
    from formwright.parsers import CharacterParser

__all__ = ["Incoming", "partial", "reader_of"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
_form = form


def reader_of(form: Form[Any]) -> PartialReader:
    """A reader for one text of ``form``, which it takes to be in form."""
    own = getattr(form.read, "partial_reader", None)
    if own is not None:
        reader: PartialReader = own()
        return reader
    return JsonReader(form) if form.language.is_json else TextReader()


class Incoming(Generic[T_co]):
    """A text that arrives in pieces: made by `formwright.partial`."""

    __slots__ = ("_is_over", "_matcher", "_reader", "form")

    def __init__(self, form: Form[T_co]) -> None:
        self.form = form
        self._matcher, self._reader, self._is_over = byte_matcher(form), reader_of(form), False

    def feed(self, piece: str) -> Partial:
        """Go on with the text; gives the value so far.

        Raises:
            OutputInvalid: The text leaves the form, or is over. The piece has then no effect.
            ArgumentError: ``piece`` is no str.
        """
        if self._is_over:
            raise OutputInvalid("the text is over: `finish` was called", text=self.text, position=len(self.text))
        if not isinstance(piece, str):
            raise ArgumentError(f"piece: a str is wanted, not {type(piece).__name__}", argument="piece")
        if piece:
            try:
                self._matcher.accept_bytes(piece.encode("utf-8", "surrogatepass"))
            except TokenRejected:
                self.form.parse(self.text + piece)  # which tells where it leaves the form
                raise
            self._reader.feed(piece)
        return self._reader.at(self._reader.length)

    @property
    def value(self) -> Partial:
        """The value so far."""
        return self._reader.at(self._reader.length + self._is_over)

    @property
    def text(self) -> str:
        """The text so far."""
        return self._matcher.accepted_bytes.decode()

    @property
    def is_complete(self) -> bool:
        """Whether the text so far is complete (it may still go on)."""
        return self._matcher.is_complete

    def finish(self) -> T_co:
        """The text is over; gives its value.

        Raises:
            OutputInvalid: It ends too soon, or its type refuses it.
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
    """Read a text that comes from elsewhere while it arrives: ``feed`` it piece by piece.

    Args:
        form: Anything `formwright.form` takes.

    Raises:
        NotAForm, LanguageError: As `formwright.form`.
    """
    return Incoming(_form(form))
