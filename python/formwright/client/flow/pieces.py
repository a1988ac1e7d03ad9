"""An answer as it arrives, piece by piece: its text, and the value so far.

::

    pieces = Pieces(plan)
    piece = pieces.feed('{"name": "A')
    piece.text, piece.partial.value                   # '{"name": "A', {'name': 'A'}

Cost: one pass of the kernel over each piece, to check that the text conforms so far, and one of the reader.

If only instructions describe the form, other text may precede the value: it begins at the first bracket after which
everything conforms.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from formwright.client.plans.plan import AnyPlan
from formwright.errors import OutputInvalid
from formwright.incremental import Incoming, Partial

__all__ = ["Piece", "Pieces"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an answer.

    Attributes:
        text: The new characters, without those of an object that the service requires around the value.
        partial: The value so far.
        token_id: ``None``: services do not send ids of tokens.
    """

    text: str
    partial: Partial = field(repr=False, compare=False)
    token_id: None = None


class Pieces:
    """The text of an answer as it arrives."""

    def __init__(self, plan: AnyPlan) -> None:
        self._plan = plan
        self._shown_length = 0
        has_other_text = plan.mode == "instructions"
        self._reader = _JsonFinder(plan.wire_form) if has_other_text else Incoming(plan.wire_form)

    def feed(self, text: str) -> Piece:
        """Read the next piece. Raises OutputInvalid where the text departs from the form."""
        partial = self._reader.feed(text)
        if self._plan.key is None:
            return Piece(text, partial)
        inside = partial[self._plan.key]
        so_far = str(inside.value or "") if self._plan.is_string else str(inside)
        text, self._shown_length = so_far[self._shown_length :], len(so_far)
        return Piece(text, inside)


class _JsonFinder:
    """Reads JSON that begins somewhere in a text."""

    def __init__(self, form: Any) -> None:
        self._form, self._text, self._at = form, "", 0
        self._incoming: Incoming[Any] | None = None

    def feed(self, piece: str) -> Partial:
        self._text += piece
        if self._incoming is not None:
            try:
                return self._incoming.feed(piece)
            except OutputInvalid:
                if self._incoming.is_complete:
                    return self._incoming.value  # the text after the value
                self._incoming = None
        return self._find_json()

    def _find_json(self) -> Partial:
        """Begin at the next bracket after which everything conforms."""
        while (start := _find_bracket(self._text, self._at)) >= 0:
            self._at, incoming = start + 1, Incoming(self._form)
            try:
                partial = incoming.feed(self._text[start:])
            except OutputInvalid:
                continue
            self._incoming = incoming
            return partial
        return Incoming(self._form).value


def _find_bracket(text: str, at: int) -> int:
    """Find the first bracket from a position on; -1 if there is none."""
    places = [place for bracket in "{[" if (place := text.find(bracket, at)) >= 0]
    return min(places, default=-1)
