"""A text that grows at its end and is read anywhere.

::

    text = Text()
    text.append("Ada ")
    text.append("Brown")
    text.read(2, 6)                             # 'a Br'

Cost: a piece costs its length, and so does a part that is read: a ``str`` would be copied whole for each piece.

It takes four bytes for each character. One thread may read what another one appends to.
"""

from __future__ import annotations

import io
from threading import Lock

__all__ = ["Text"]


class Text:
    """A text in pieces.

    Attributes:
        length: How many characters it has.
    """

    __slots__ = ("_buffer", "_is_before_end", "_lock", "length")

    def __init__(self) -> None:
        self.length = 0
        self._buffer, self._lock = io.StringIO(), Lock()
        self._is_before_end = False  # whether the place of the buffer is not its end, where it is written

    def append(self, piece: str) -> None:
        """Go on with the text."""
        with self._lock:
            if self._is_before_end:
                self._buffer.seek(0, io.SEEK_END)
                self._is_before_end = False
            self.length += self._buffer.write(piece)

    def read(self, start: int, end: int) -> str:
        """A part of the text."""
        with self._lock:
            self._buffer.seek(start)
            self._is_before_end = True
            return self._buffer.read(end - start)

    def cut(self, length: int) -> None:
        """Drop the end of the text."""
        with self._lock:
            self._buffer.truncate(length)
            self.length, self._is_before_end = length, True

    def __str__(self) -> str:
        return self._buffer.getvalue()
