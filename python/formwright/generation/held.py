"""Text as it is written: whole characters, held back while they may be the beginning of a stop text.

::

    held = Held("END")
    list(held.add(5, b"some E"))                         # []
    [piece.text for piece in held.add(6, b"ach")]        # ['some E', 'ach']

The first is held because "E" may become "END", and a piece is given whole or not at all.

Cost: without stop texts nothing is held, and a piece costs the decoding of its bytes.

The wrinkle: a token whose text is held is given later, so that the pieces, one for each
token, always join to the text of the result.
"""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from formwright.errors import ArgumentError

__all__ = ["Held", "Piece"]


@dataclass(frozen=True, slots=True)
class Piece:
    """One token as it is chosen, and the characters that it completes."""

    token_id: int
    text: str


class Held:
    """The text so far, and the pieces that are not given yet.

    Args:
        stop: A text, or several, before the first of which the text is cut.
        skip: How many characters at the beginning are no part of the text.

    Raises:
        ArgumentError: ``stop`` holds an empty text, or something else than texts.
    """

    def __init__(self, stop: str | Sequence[str] | None, *, skip: int = 0) -> None:
        self._stop = _stop_texts(stop)
        self._skip = skip
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._pieces: deque[Piece] = deque()
        self._given = 0
        self.text = ""
        self.is_stopped = False

    def add(self, token_id: int, token: bytes) -> list[Piece]:
        """Take a token; gives the pieces that can be given now."""
        before = len(self.text)
        text = self._decoder.decode(token)
        if self._skip:
            self._skip, text = max(0, self._skip - len(text)), text[self._skip :]
        piece = Piece(token_id, text)
        self.text += text
        if not self._stop:
            return [piece]
        self._pieces.append(piece)
        if (cut := self._cut(before)) is not None:
            self.text, self.is_stopped = self.text[:cut], True
            return []
        return [] if self._may_begin_a_stop() else self.rest()

    def rest(self) -> list[Piece]:
        """The pieces held back; the text is over. Bytes that are no whole character are no part of it."""
        return list(self._give())

    def _cut(self, before: int) -> int | None:
        """Where the first stop text begins, if the last piece has completed one."""
        starts = (self.text.find(stop, max(0, before - len(stop) + 1)) for stop in self._stop)
        return min((start for start in starts if start >= 0), default=None)

    def _may_begin_a_stop(self) -> bool:
        longest = max(map(len, self._stop)) - 1
        tails = (self.text[-length:] for length in range(1, min(longest, len(self.text)) + 1))
        return any(stop.startswith(tail) for tail in tails for stop in self._stop)

    def _give(self) -> Iterator[Piece]:
        """All pieces held back, without what was cut off."""
        while self._pieces:
            piece = self._pieces.popleft()
            text = piece.text[: max(0, len(self.text) - self._given)]
            self._given += len(text)
            yield Piece(piece.token_id, text)


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
