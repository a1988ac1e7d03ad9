"""Find the conforming text inside an unconstrained answer: bare, in a fence, or between sentences.

::

    form = fw.json_schema({"type": "object", "required": ["age"]})
    extract(form, 'Sure: {"age": 36} Anything else?').text        # '{"age": 36}'

The first rule that applies decides: the whole answer; the content of its code fences; the JSON values in it that begin
with a bracket. If a rule finds several different conforming texts, the answer is ambiguous and refused.

Cost: a check of the form for each candidate, at most `MOST`. Nothing is repaired: an answer that nearly conforms is
refused, and the error shows where it departs from the form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from formwright.errors import OutputInvalid
from formwright.forms.form import Form

__all__ = ["MOST", "Found", "extract"]

MOST = 64
"""The most candidates of one rule."""

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)^[ \t]*\1[`~]*[ \t]*$", re.DOTALL | re.MULTILINE)
_OPENING = re.compile(r"[{\[]")


class Found(NamedTuple):
    """A conforming text, and the text around it."""

    text: str
    outside: str


def extract(form: Form[Any], answer: str) -> Found:
    """Find the conforming text of an answer.

    Raises:
        OutputInvalid: There is none, or there are several different ones.
    """
    bare = answer.strip()
    if form.matches(bare):
        return Found(bare, "")
    nearest = bare
    for candidates in (_find_fences(answer), _find_values(answer)):
        fitting = {text: (start, end) for text, start, end in candidates if form.matches(text)}
        if len(fitting) > 1:
            raise OutputInvalid(
                f"the answer holds {len(fitting)} different texts that conform, and nothing says which is meant",
                hint="ask for one only",
                text=answer,
                position=next(iter(fitting.values()))[0],
            )
        for text, (start, end) in fitting.items():
            return Found(text, answer[:start] + answer[end:])
        if candidates and nearest == bare:
            nearest = candidates[0][0]
    form.parse(nearest)  # raises an error that shows where it departs from the form
    raise OutputInvalid("the answer holds no text that conforms", text=answer)


def _find_fences(answer: str) -> list[tuple[str, int, int]]:
    """Find the contents of code fences, without the line breaks around them, and the places of the fences."""
    fences = _FENCE.finditer(answer)
    return [(match[2].strip(), match.start(), match.end()) for match, _ in zip(fences, range(MOST), strict=False)]


def _find_values(answer: str) -> list[tuple[str, int, int]]:
    """Find the outermost JSON objects and arrays."""
    return [extract for extract, _ in zip(_decode_values(answer), range(MOST), strict=False)]


def _decode_values(answer: str) -> Iterator[tuple[str, int, int]]:
    """The values up to a bracket after which no JSON is: what is inside such a piece is not a value of its own."""
    decoder, at = json.JSONDecoder(), 0
    while match := _OPENING.search(answer, at):
        start = match.start()
        try:
            _, at = decoder.raw_decode(answer, start)
        except (ValueError, RecursionError):
            return
        yield answer[start:at], start, at
