"""Text as it is written: whole characters, held back while they may be the beginning of a stop text.

::

    held = Held("END")
    list(held.add(5, b"some E"))                         # []
    [piece.text for piece in held.add(6, b"ach")]        # ['some E', 'ach']

The first is held because "E" may become "END", and a piece is given whole or not at all.

Cost: without stop texts nothing is held, and a piece costs the decoding of its bytes. Only where a piece is asked for
its partial value, the text is read for that, once for all pieces.

A token whose text is held is given later, so that the pieces, one for each
token, always join to the text of the result.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from formwright.errors import ArgumentError, StreamUnfinished
from formwright.forms.context import current_context, validation_context
from formwright.forms.form import Form
from formwright.incremental import Partial, PartialReader, Text, TextReader, reader_of

__all__ = ["Held", "Piece"]


@dataclass(frozen=True, slots=True)
class Piece:
    """One token as it is chosen, and the characters that it completes."""

    token_id: int
    text: str
    _held: Held | None = field(default=None, repr=False, compare=False)
    _end: int = field(default=0, repr=False, compare=False)

    @property
    def partial(self) -> Partial:
        """The value as far as it is written up to here.

        Raises:
            StreamUnfinished: The piece was pickled: it has left the text it is a piece of.
        """
        if self._held is None:
            raise StreamUnfinished("the piece has left its text", hint="ask for `partial` where the text is written")
        return self._held.partial(self._end)

    def __reduce__(self) -> tuple[type[Piece], tuple[int, str]]:
        return type(self), (self.token_id, self.text)


class Held:
    """The text so far, and the pieces that are not given yet.

    Args:
        stop: A text, or several, before the first of which the text is cut.
        skip: How many characters at the beginning do not belong to the text.
        form: What the text is in, for partial values; ``None`` is plain text.
        is_free: Whether a text so far ends in free text, where a stop text cuts; ``None``: it cuts everywhere.

    Raises:
        ArgumentError: ``stop`` holds an empty text, or something else than texts.
    """

    def __init__(
        self,
        stop: str | Sequence[str] | None,
        *,
        skip: int = 0,
        form: Form[Any] | None = None,
        is_free: Callable[[str], bool] | None = None,
    ) -> None:
        self._stop, self._is_free = _stop_texts(stop), is_free
        self._skip = skip
        self._begun = b""  # of a character
        self._runs: list[bytes] = []  # not read yet
        self._pieces: deque[Piece] = deque()
        self._given = 0
        self._form = form
        self._reader: PartialReader | None = None
        self._context = current_context()
        self._value: tuple[Any] | None = None
        self._text = Text()
        self.is_stopped = False

    def add(self, token_id: int, token: bytes) -> list[Piece]:
        """Take a token; gives the pieces that can be given now."""
        self._read_runs()
        before = self._text.length
        text = self._read(token)
        piece = Piece(token_id, text, self, self._text.length)
        if not self._stop:
            return [piece]
        self._pieces.append(piece)
        if (cut := self._cut(before)) is not None:
            self._text.cut(cut)
            self.is_stopped = True
            return []
        return [] if self._may_begin_a_stop() else self.rest()

    def add_run(self, data: bytes) -> None:
        """Take tokens without pieces; their text is read when somebody asks for it. Not with stop texts."""
        self._runs.append(data)

    def _read(self, data: bytes) -> str:
        """Add bytes to the text; the characters that they complete."""
        data = self._begun + data
        text, used = codecs.utf_8_decode(data, "strict", False)
        self._begun = data[used:]
        if self._skip:
            self._skip, text = max(0, self._skip - len(text)), text[self._skip :]
        self._text.append(text)
        return text

    def _read_runs(self) -> None:
        if self._runs:
            self._read(b"".join(self._runs))
            self._runs.clear()

    @property
    def text(self) -> str:
        """The text so far, what is held back included."""
        self._read_runs()
        return str(self._text)

    def rest(self) -> list[Piece]:
        """The pieces held back, after the end of the text. An incomplete character at the end is dropped."""
        return list(self._give())

    def partial(self, end: int | None = None) -> Partial:
        """The value as far as so much of the text tells; of all that was given, if nobody says how much."""
        self._read_runs()
        if self._reader is None:
            with validation_context(self._context):  # of where the text was begun, wherever the value is asked for
                self._reader = TextReader() if self._form is None else reader_of(self._form)
        reader, is_over = self._reader, end is None and self._value is not None
        if end is None:  # what is held back may be cut off
            end = self._given if self._stop else self._text.length
        if reader.length < end:
            reader.feed(self._text.read(reader.length, end))
        if is_over and self._value is not None:
            reader.finish(self._value[0])
        return reader.at(end + is_over)

    def finish(self, value: Any) -> None:
        """The text is complete, and spells ``value``."""
        self._value = (value,)

    def _cut(self, before: int) -> int | None:
        """Where the first stop text begins, if the last piece has completed one."""
        first = max(0, before - max(map(len, self._stop)) + 1)
        text = self._text.read(first, self._text.length)
        found = sorted((first + at.start(1), first + at.end(1)) for stop in self._stop for at in _every(stop, text))
        return next((start for start, end in found if self._is_free is None or self._is_free(self.text[:end])), None)

    def _may_begin_a_stop(self) -> bool:
        longest = max(map(len, self._stop)) - 1
        text = self._text.read(max(0, self._text.length - longest), self._text.length)
        tails = (text[-length:] for length in range(1, len(text) + 1))
        return any(stop.startswith(tail) for tail in tails for stop in self._stop)

    def _give(self) -> Iterator[Piece]:
        """All pieces held back, without what was cut off."""
        while self._pieces:
            piece = self._pieces.popleft()
            text = piece.text[: max(0, self._text.length - self._given)]
            self._given += len(text)
            yield Piece(piece.token_id, text, self, self._given)


def _every(stop: str, text: str) -> Iterator[re.Match[str]]:
    """Every place of a stop text, also where it overlaps itself."""
    return re.finditer(f"(?=({re.escape(stop)}))", text)


def _stop_texts(stop: str | Sequence[str] | None) -> tuple[str, ...]:
    if callable(stop):
        raise ArgumentError(
            "stop= is a text or several, not a function",
            hint="pass cancel= to end a generation by a function",
            argument="stop",
        )
    if not isinstance(stop, Sequence | None) or isinstance(stop, bytes):
        raise ArgumentError(f"stop= is a text or several, not {stop!r}", argument="stop")
    texts = () if stop is None else (stop,) if isinstance(stop, str) else tuple(stop)
    if wrong := [text for text in texts if not isinstance(text, str) or not text]:
        raise ArgumentError(f"stop= holds texts of one character or more, not {wrong[0]!r}", argument="stop")
    return texts
