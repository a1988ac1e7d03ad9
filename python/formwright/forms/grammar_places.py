r"""Where the parts of a grammar are written that has taken definitions from other grammars: in which, and where there.

::

    excerpts = (Excerpt("start: b\n", "", 0, 9), Excerpt("b: NOPE", "x", 1, 7))
    joined = JoinedGrammar("start: b\nb: NOPE", {"": "start: b\n", "x": "\nb: NOPE"}, excerpts)
    str(joined.find(2, 4))                # 'x:2:4'

A joined grammar is a row of excerpts of the grammars, in other words perhaps: names of a module are other names in the
grammar that imports them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from formwright.errors import FormwrightError, GrammarError

__all__ = ["Excerpt", "JoinedGrammar", "Place", "fail_at"]

_SAID = re.compile(r"grammar at (\d+):(\d+): ([^\n]*)(\n.*)?", re.DOTALL)
_REFERENCES = re.compile(r"(?<=\bat )\d+:\d+(?:, \d+:\d+)*")
_WINDOW = 60
"""Characters of a line that are shown on each side of a place."""


class Excerpt(NamedTuple):
    """A piece of a joined grammar, which is written in one of those that were joined.

    Attributes:
        text: What it is there.
        module: The module in which it is written; ``""`` for the grammar that imports.
        at: Where it is written.
        length: How long it is there.
    """

    text: str
    module: str
    at: int
    length: int


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a grammar, or in a module that it imports.

    Attributes:
        module: The name of the module; ``""`` for the grammar itself.
        line: Its line, from 1.
        column: Its column in characters, from 1.
    """

    module: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.module}:{self.line}:{self.column}" if self.module else f"{self.line}:{self.column}"


@dataclass(frozen=True)
class JoinedGrammar:
    """A grammar with what it imports.

    Attributes:
        text: All of it.
        sources: The grammars that it is made of, by their names; the one that imports is ``""``.
        pieces: Its pieces; none where it is just the one that imports.
    """

    text: str
    sources: Mapping[str, str]
    pieces: tuple[Excerpt, ...] = ()
    _starts: list[int] = field(init=False, repr=False, default_factory=list)

    def __post_init__(self) -> None:
        self._starts.extend(accumulate((len(piece.text) for piece in self.pieces), initial=0))

    def find(self, line: int, column: int) -> Place:
        """Where a place of the joined grammar is written."""
        module, at = self._find(_offset(self.text, line, column))
        return _place(self.sources[module], module, at)

    @contextmanager
    def placing_errors(self) -> Iterator[None]:
        """Give the errors of the kernel their places in the grammars that were joined."""
        try:
            yield
        except FormwrightError as error:
            if self.pieces:
                self._place(error)
            raise

    def place_rows(self, rows: Iterable[tuple[str, str, str, str]]) -> list[tuple[str, str, str, str]]:
        """Rows of `Language.explain` with their places in the grammars that were joined."""
        if not self.pieces:
            return list(rows)
        return [(str(self._of(pointer)), word, status, self._refer(note)) for pointer, word, status, note in rows]

    def _of(self, pointer: str) -> Place:
        line, _, column = pointer.partition(":")
        return self.find(int(line), int(column))

    def _refer(self, said: str) -> str:
        """A message in which other places are named, which were places of the joined grammar."""
        return _REFERENCES.sub(
            lambda found: ", ".join(str(self._of(pointer)) for pointer in found[0].split(", ")), said
        )

    def _find(self, offset: int, *, is_end: bool = False) -> tuple[str, int]:
        """The module in which an offset of the joined grammar is written, and where; the end of a piece is its last."""
        index = max(0, min(bisect_right(self._starts, offset - is_end), len(self.pieces)) - 1)
        piece, inside = self.pieces[index], offset - self._starts[index]
        if piece.length != len(piece.text):
            inside = piece.length if is_end else 0
        return piece.module, piece.at + min(inside, piece.length)

    def _place(self, error: FormwrightError) -> None:
        found = _SAID.fullmatch(str(error.args[0]))
        if found is None:
            return
        start = _offset(self.text, int(found[1]), int(found[2]))
        module, at = self._find(start)
        width = self._width(error, start, (module, at))
        place, source = _place(self.sources[module], module, at), self.sources[module]
        message = f"{_name(place)}: {self._refer(found[3])}"
        error.args = (message + _draw(source, at, width) if found[4] else message,)
        if isinstance(error, GrammarError):
            error.module, error.line, error.column = place.module, place.line, place.column
            error.source, error.span = source, (_bytes(source, at), _bytes(source, at + width))

    def _width(self, error: FormwrightError, start: int, place: tuple[str, int]) -> int:
        """How many characters an error is about, where they are written."""
        span = error.span if isinstance(error, GrammarError) else None
        if span is None:
            return 1
        length = len(self.text.encode()[span[0] : span[1]].decode(errors="ignore"))
        module, end = self._find(start + length, is_end=length > 0)
        return max(0, end - place[1]) if module == place[0] else 1


def fail_at(source: str, module: str, at: int, said: str, *, hint: str | None = None) -> GrammarError:
    """The error of a place in a grammar, which is that of a module or, as ``""``, the one that imports."""
    place = _place(source, module, at)
    return GrammarError(
        f"{_name(place)}: {said}{_draw(source, at, 1)}",
        hint=hint,
        source=source,
        span=(_bytes(source, at), _bytes(source, at + 1)),
        line=place.line,
        column=place.column,
        module=module,
    )


def _name(place: Place) -> str:
    named = f"module {place.module!r}" if place.module else "grammar"
    return f"{named} at {place.line}:{place.column}"


def _place(source: str, module: str, at: int) -> Place:
    return Place(module, source.count("\n", 0, at) + 1, at - (source.rfind("\n", 0, at) + 1) + 1)


def _offset(text: str, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return min(start + column - 1, len(text))


def _bytes(text: str, at: int) -> int:
    return len(text[:at].encode())


def _draw(source: str, at: int, width: int) -> str:
    """The line of a place, and a mark under it."""
    start, end = source.rfind("\n", 0, at) + 1, source.find("\n", at)
    end = len(source) if end < 0 else end
    first, last = max(start, at - _WINDOW), min(end, at + _WINDOW)
    mark = "^" * max(1, min(width, last - at))
    return f"\n    {source[first:last]}\n    {' ' * (at - first)}{mark}"
