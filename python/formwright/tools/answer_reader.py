"""Reads an answer piece by piece into events of its text and its calls.

::

    from formwright.tools import tool_of

    offered = Offered.of([tool_of({"name": "add"})], "auto")
    reader = AnswerReader(offered, "json")
    reader.feed("Hi")                    # [Text(text='Hi')]
    reader.finish([])                    # []

An answer that is either calls or a text in a form becomes events only at its end: before, nobody knows which it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

from formwright.tools import STYLES, Call
from formwright.tools.calls_reader import CallsReader, list_calls, make_call_id
from formwright.tools.custom import INPUT
from formwright.tools.events import CallArguments, CallBegun, CallEvent, Text
from formwright.tools.offered import Offered

__all__ = ["AnswerReader", "find_calls"]

_OPENING = re.compile(rf'\s*\{{\s*"{INPUT}"\s*:\s*"')
_CHARACTERS = re.compile(r'(?:[^"\\]|\\[^u]|\\u[0-9a-fA-F]{4})*+')
"""Characters of a string of JSON with whole escapes, none of which is half of a character in a form of calls."""


class AnswerReader:
    """Reads an answer.

    Args:
        offered: What the answer may be made of.
        style: How the model writes calls, a name of `formwright.tools.STYLES`; ``None`` if calls come beside the text.
        custom: The names of the tools whose input is text.

    Attributes:
        calls: The calls that have begun.
    """

    def __init__(self, offered: Offered, style: str | None, custom: Collection[str] = ()) -> None:
        self.calls: list[CallBegun] = []
        self._is_either, self._custom = offered.is_either, custom
        self._reader: CallsReader | None = None
        if offered.tools and style is not None:
            raw = frozenset(tool.name for tool in offered.tools if tool.has_raw_input)
            self._reader = CallsReader(
                STYLES[style], is_bare=offered.is_bare(style), takes_text=offered.is_text, raw=raw
            )
        self._held, self._input = "", _Input()

    def feed(self, text: str, /) -> list[CallEvent]:
        """Read the next piece of the answer."""
        if self._is_either:
            self._held += text
            return []
        if self._reader is None:
            return [Text(text)] if text else []
        return list(self._gather_inputs(self._reader.feed(text)))

    def finish(self, calls: Iterable[Call]) -> list[CallEvent]:
        """Read the end of the answer.

        Args:
            calls: The calls of the whole answer, as `find_calls` finds them in its value.
        """
        calls = list(calls)
        if self._held and not calls:
            return [Text(self._held)]
        if self._reader is None:
            found = list_calls(calls)
        else:
            found = [*self._reader.feed(self._held), *self._reader.finish(calls)]
        return [*self._gather_inputs(found), *self._end_input()]

    def _gather_inputs(self, events: Iterable[CallEvent]) -> Iterator[CallEvent]:
        """The same events; of the input of a custom tool, which comes as text in JSON, those of the text."""
        for event in events:
            if isinstance(event, CallBegun):
                yield from self._end_input()
                self.calls.append(event._replace(is_custom=event.name in self._custom))
                yield self.calls[-1]
            elif isinstance(event, CallArguments) and self.calls[-1].is_custom:
                if text := self._input.feed(event.text):
                    yield CallArguments(event.number, text)
            else:
                yield event

    def _end_input(self) -> Iterator[CallEvent]:
        """The rest of the input of the last call, if it is one of a custom tool."""
        if self._input.has_begun:
            rest, is_new = self._input.finish()
            self._input = _Input()
            if rest or is_new:
                yield CallArguments(len(self.calls) - 1, rest)


class _Input:
    """Reads the input of a custom tool from the fragments of the object that it is the only member of."""

    def __init__(self) -> None:
        self._whole, self._rest, self._length = "", "", -1

    @property
    def has_begun(self) -> bool:
        """Whether there was a fragment."""
        return bool(self._whole)

    def feed(self, fragment: str) -> str:
        """Read the characters of the next fragment whose escapes are whole."""
        self._whole += fragment
        self._rest += fragment
        if self._length < 0:
            if (opening := _OPENING.match(self._rest)) is None:
                return ""
            self._rest, self._length = self._rest[opening.end() :], 0
        found = _CHARACTERS.match(self._rest)
        escaped = found[0] if found else ""
        self._rest = self._rest[len(escaped) :]
        text: str = json.loads(f'"{escaped}"')
        self._length += len(text)
        return text

    def finish(self) -> tuple[str, bool]:
        """Return what `feed` has not given of the input, and whether it has given nothing of a complete one."""
        try:
            text = json.loads(self._whole)[INPUT]
        except ValueError:  # the answer was cut
            return "", False
        return text[max(self._length, 0) :], self._length <= 0


def find_calls(value: Any) -> list[Call]:
    """The calls in the value of an answer, each with an id that no call of another answer has."""
    found = value if isinstance(value, list) else [value]
    return [replace(call, id=_unique_id(call.id)) for call in found if isinstance(call, Call)]


def _unique_id(id_: str) -> str:
    """The id that a model gave a call; a new one instead of one that only counts the calls of a text."""
    return id_ if id_ and not re.fullmatch(r"call_\d{1,3}", id_) else make_call_id()
