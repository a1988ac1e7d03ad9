"""The partial value of a plain text: the text so far.

::

    reader = TextReader()
    reader.feed("20")
    reader.at(2)                                # Partial(partial, '20')

Cost: a piece is appended, a snapshot is a number.

A text is complete only when it is over, for it could go on. A form may make something else of the text so far: a
grammar makes a tree of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from formwright.incremental.text import Text
from formwright.incremental.values import Partial, State

__all__ = ["TextReader"]


class TextReader:
    """Reads texts of forms that are not JSON: a `PartialReader`.

    Args:
        snapshot: What the text so far is read as.

    Attributes:
        feed: Goes on with the text.
        read: Gives a part of it.
        snapshot: What the text so far is read as.
        value: What the whole text spells, once it is over.
    """

    __slots__ = ("_text", "feed", "read", "snapshot", "value")

    def __init__(self, snapshot: Callable[[str], Any] = str) -> None:
        self._text, self.snapshot = Text(), snapshot
        self.value: Any = None
        self.feed, self.read = self._text.append, self._text.read

    @property
    def length(self) -> int:
        """How many characters have come."""
        return self._text.length

    def finish(self, value: Any, /) -> None:
        """The text is over, and spells ``value``."""
        self.value = value

    def at(self, position: int, /) -> Partial:
        """The text when so much of it had come."""
        return _TextPartial(self, position)


class _TextPartial(Partial):
    __slots__ = ("_position", "_reader")

    def __init__(self, reader: TextReader, position: int) -> None:
        self._reader, self._position = reader, position

    @property
    def state(self) -> State:
        if self._position > self._reader.length:
            return "complete"
        return "partial" if self._position else "missing"

    @property
    def value(self) -> Any:
        if self._position > self._reader.length:
            return self._reader.value
        return self._reader.snapshot(str(self)) if self._position else None

    def __str__(self) -> str:
        return self._reader.read(0, self._position)
