"""How much of a model's probability the values at one place have.

`Weights` is what a search or a sample has found; `PlaceSearch` is where it looks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Matcher
from formwright.masks.arrays import allocate_bitmask

__all__ = ["FindValue", "PlaceSearch", "Weights"]

FindValue = Callable[[bytes], bytes | None]
"""The value that some bytes begin with; ``None`` while it is not known to be complete."""


@dataclass(slots=True)
class Weights:
    """Probabilities of values, up to a common factor.

    Attributes:
        found: By the text of a value, its weight.
        rest: The weight of what may be any value, found or not.
    """

    found: dict[bytes, float] = field(default_factory=dict)
    rest: float = 0.0

    @property
    def total(self) -> float:
        """The weight of all values."""
        return sum(self.found.values()) + self.rest

    def add(self, value: bytes, weight: float) -> None:
        """Add the weight of one spelling of a value."""
        self.found[value] = self.found.get(value, 0.0) + weight


@dataclass(frozen=True, slots=True)
class PlaceSearch:
    """The place whose values are looked for.

    Attributes:
        matcher: At a border of tokens, at or before the place.
        skip: The bytes from there to the place, which every value has before it.
        find_value: Finds a value that is complete; one that it never finds ends with the text.
        ends: The tokens that end a text.
        spell: What a token spells.
        no_starts: Bytes with which no value begins.
    """

    matcher: Matcher
    skip: bytes
    find_value: FindValue
    ends: frozenset[int]
    spell: Callable[[int], bytes]
    no_starts: bytes = b""

    def allow(self, matcher: Matcher, data: bytes) -> list[int]:
        """The tokens that may come after ``data``; before the place, those with which a value can begin there."""
        allowed = matcher.allowed_token_ids()
        if len(data) > len(self.skip):
            return allowed
        left = self.skip[len(data) :]
        may_end = not self.no_starts  # JSON ends with a value, and not before one
        return [
            token_id
            for token_id in allowed
            if (may_end if token_id in self.ends else self._may_begin(self.spell(token_id), left))
        ]

    def sum_allowed(self, matcher: Matcher, data: bytes, row: NDArray[np.float64]) -> float:
        """The probability of the tokens that may come after ``data``, by their log probabilities."""
        if len(data) <= len(self.skip):
            return float(np.exp(row[self.allow(matcher, data)]).sum())
        mask = allocate_bitmask(1, matcher.constraint.vocabulary)
        matcher.fill_bitmask(mask)
        is_allowed = np.unpackbits(mask.view(np.uint8), bitorder="little")[: len(row)].view(np.bool_)
        return float(np.exp(row[is_allowed]).sum())

    def _may_begin(self, spelled: bytes, left: bytes) -> bool:
        if len(spelled) <= len(left):
            return left.startswith(spelled) and bool(spelled)
        return spelled.startswith(left) and spelled[len(left) : len(left) + 1] not in self.no_starts

    def read_value(self, data: bytes, token_id: int) -> tuple[bytes, bytes | None]:
        """All bytes with one more token, and the value, if that completes it."""
        start = len(self.skip)
        if token_id in self.ends:  # a number at the end of the text is complete
            return data, self.find_value(data[start:] + b"\n") or data[start:]
        longer = data + self.spell(token_id)
        return longer, self.find_value(longer[start:]) if len(longer) > start else None
