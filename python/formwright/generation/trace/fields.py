"""The values of a JSON text, each with the model's confidence in it.

::

    [entry.pointer for entry in result.trace.fields]      # ['/name', '/age']

The confidence in a value is the product of the probabilities that its tokens had among the allowed
ones: what the form forces costs nothing.

Cost: one reading of the text for each field.

Where a token spells the end of one value and the beginning of the next, it counts for both.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from formwright.generation.trace.recorder import Row

from formwright.forms.pointers import escape_step

__all__ = ["TracedField", "fields_of", "values_of"]

_DECODER = json.JSONDecoder()
_BLANKS = " \t\r\n"


@dataclass(frozen=True, slots=True)
class TracedField:
    """One value that is neither an object nor an array.

    Attributes:
        pointer: Where it is, as a JSON Pointer.
        text: How it is written.
        confidence: The probability of its tokens, among the allowed ones.
    """

    pointer: str
    text: str
    confidence: float


def fields_of(text: str, rows: Sequence[Row]) -> list[TracedField]:
    """The fields of a text that its rows spell; of a text that was cut, none."""
    try:
        found = [(pointer, start, end) for pointer, start, end, value in values_of(text) if not _is_nested(value)]
    except (ValueError, RecursionError):  # a text that was cut, or is nested too deeply to be read
        return []
    ends = list(accumulate(len(row.token) for row in rows))
    return [
        TracedField(pointer, text[start:end], _confidence(text, start, end, rows, ends))
        for pointer, start, end in found
    ]


def values_of(text: str) -> Iterator[tuple[str, int, int, Any]]:
    """Every value of a JSON text: its pointer, where it begins and ends, and itself. Raises ValueError."""
    pending = [("", _skip(text, 0))]
    while pending:
        pointer, start = pending.pop()
        value, end = _DECODER.raw_decode(text, start)
        yield pointer, start, end, value
        if _is_nested(value):
            pending.extend(reversed(list(_members(text, start, pointer, isinstance(value, dict)))))


def _members(text: str, start: int, pointer: str, has_names: bool) -> Iterator[tuple[str, int]]:
    """The pointers of the members of an object or array, and where they begin."""
    at, index = _skip(text, start + 1), 0
    while text[at] not in "}]":
        name: str = str(index)
        if has_names:
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        yield f"{pointer}/{escape_step(name)}", at
        _, at = _DECODER.raw_decode(text, at)
        at, index = _skip(text, at), index + 1
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    return at


def _is_nested(value: object) -> bool:
    return isinstance(value, dict | list)


def _confidence(text: str, start: int, end: int, rows: Sequence[Row], ends: list[int]) -> float:
    first, last = len(text[:start].encode()), len(text[:end].encode())
    touched = (row for row, until in zip(rows, ends, strict=True) if until > first and until - len(row.token) < last)
    return math.prod(row.masked_probability for row in touched)
