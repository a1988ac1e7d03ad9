r"""The partial value of a composition: its parts, each read in its own way, as they come.

::

    reader = fw.partial(fw.template("{name} is {age}", name=fw.regex("[A-Z][a-z]+"), age=int))
    reader.feed("Ada is 3").name.state          # 'complete'
    reader.value["age"].state                   # 'partial'

A part is over as soon as what comes cannot belong to it. Of a composition that is read as one of its parts, such as an
answer after a thought, that part is the value.

Cost: one more pass of the kernel over the text, and the readers of the parts.

Text that could go on in two parts is taken for the earlier one, and where that was wrong only the end of
the text shows it. The name of a control token stands for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from formwright.errors import OutputInvalid, TokenRejected
from formwright.forms.form import Form, byte_matcher, literal
from formwright.forms.readers import Chain
from formwright.incremental.markers import count_marker_start
from formwright.incremental.text_reader import TextReader
from formwright.incremental.values import Partial, PartialReader, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from formwright._kernel import Matcher

__all__ = ["PartsReader"]


@dataclass(slots=True)
class _Begun:
    """A part that has begun: where it did, and where it was over."""

    form: Form[Any]
    reader: PartialReader
    matcher: Matcher
    start: int
    end: int | None = None
    text: list[str] = field(default_factory=list)


class PartsReader:
    """Reads texts of a composition: a `PartialReader`.

    Args:
        chain: The parts.
        reader_of: What makes the reader of a part.
    """

    __slots__ = ("_begun", "_chain", "_held", "_read", "_reader_of", "_stuck", "value")

    def __init__(self, chain: Chain, reader_of: Callable[[Form[Any]], PartialReader]) -> None:
        self._chain, self._reader_of = chain, reader_of
        self._read, self._held = 0, ""  # characters read, and those after them that may begin a name
        self.value: tuple[Any] | None = None
        self._stuck = not chain.forms
        self._begun: list[_Begun] = []
        if chain.forms:
            self._enter(0)

    @property
    def length(self) -> int:
        """How many characters have come."""
        return self._read + len(self._held)

    def feed(self, piece: str, /) -> None:
        """Go on with the text."""
        piece, self._held = self._held + piece, ""
        while piece and not self._stuck:
            here, after, self._held = self._split_at_end(piece)
            taken = self._take(here)
            self._read += taken
            piece = here[taken:] + after
            if piece:
                piece, self._held = piece + self._held, ""
                self._leave()
        self._read += len(piece)

    def finish(self, value: Any, /) -> None:
        """The text is over, and spells ``value``."""
        self.value = (value,)
        held, self._held = self._held, ""
        self._read += self._take(held)
        if not self._stuck and self._begun[-1].end is None:
            self._close()
        if sum(self._chain.takes) == 1 and (number := self._chain.takes.index(True)) < len(self._begun):
            self._begun[number].reader.finish(value)

    def at(self, position: int, /) -> Partial:
        """The value when so much of the text had come."""
        if sum(self._chain.takes) == 1:
            return self.part(self._chain.takes.index(True), position)
        return _PartsPartial(self, position)

    def part(self, number: int, position: int) -> Partial:
        """A part when so much of the text had come."""
        begun = self._begun[number] if number < len(self._begun) else None
        if begun is None or position <= begun.start:
            return TextReader().at(0)
        if begun.end is not None and begun.end < position:
            return begun.reader.at(begun.reader.length + 1)
        return begun.reader.at(position - begun.start)

    def names(self) -> Iterator[tuple[str, int]]:
        """The names of the parts, and their numbers."""
        return ((form.name, number) for number, form in enumerate(self._chain.forms) if form.name is not None)

    def _enter(self, number: int) -> None:
        form = self._chain.forms[number]
        spelled = literal(_name(form)) if _name(form) else form
        self._begun.append(_Begun(form, self._reader_of(form), byte_matcher(spelled), self._read))

    def _take(self, piece: str) -> int:
        """Give the part as much of a piece as can belong to it; how many characters that is."""
        begun = self._begun[-1]
        try:
            begun.matcher.accept_bytes(piece.encode())
            taken = len(piece)
        except TokenRejected:
            taken = 0
            for character in piece:
                try:
                    begun.matcher.accept_bytes(character.encode())
                except TokenRejected:
                    break
                taken += 1
        begun.text.append(piece[:taken])
        begun.reader.feed(piece[:taken])
        return taken

    def _split_at_end(self, piece: str) -> tuple[str, str, str]:
        """Split a piece: the text of this part, the text after it, and a tail that may begin the name of the control
        token that ends free text.
        """
        number = len(self._begun)
        name = _name(self._chain.forms[number]) if number < len(self._chain.forms) else ""
        if not name:
            return piece, "", ""
        if (place := piece.find(name)) >= 0:
            return piece[:place], piece[place:], ""
        held = count_marker_start(piece, name)
        return piece[: len(piece) - held], "", piece[len(piece) - held :]

    def _leave(self) -> None:
        """The part is over, and the next one begins; if there is none, nothing is known any more until the end."""
        if len(self._begun) == len(self._chain.forms) or not self._begun[-1].matcher.is_complete:
            self._stuck = True
            return
        self._close()
        self._enter(len(self._begun))

    def _close(self) -> None:
        begun = self._begun[-1]
        begun.end = self._read
        try:
            begun.reader.finish(begun.form.read("".join(begun.text)))
        except (OutputInvalid, LookupError, StopIteration, ValueError):
            begun.end = None  # it was cut where it does not end: the whole text tells


class _PartsPartial(Partial):
    """Named parts, by name."""

    __slots__ = ("_position", "_reader")

    def __init__(self, reader: PartsReader, position: int) -> None:
        self._reader, self._position = reader, position

    @property
    def state(self) -> State:
        if self._position > self._reader.length:
            return "complete"
        return "partial" if self._position else "missing"

    @property
    def value(self) -> Any:
        if self._position > self._reader.length and self._reader.value is not None:
            return self._reader.value[0]
        if not self._position:
            return None
        parts = ((name, self._reader.part(number, self._position)) for name, number in self._reader.names())
        return {name: part.value for name, part in parts if part}

    def __getitem__(self, key: str | int, /) -> Partial:
        for name, number in self._reader.names():
            if name == key:
                return self._reader.part(number, self._position)
        raise KeyError(key)

    def __getattr__(self, name: str) -> Partial:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no part {name!r}", name=name, obj=None) from None

    def __iter__(self) -> Iterator[Any]:
        return (name for name, number in self._reader.names() if self._reader.part(number, self._position))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __str__(self) -> str:
        return str(self.value)


def _name(form: Form[Any]) -> str:
    """The name of a control token, if a part is one."""
    names = form.language.control_tokens
    return names[0] if len(names) == 1 and form.example() == names[0] else ""
