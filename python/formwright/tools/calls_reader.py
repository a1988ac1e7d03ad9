r"""Reads the text of a model piece by piece into its text, the names of its calls, and their arguments in fragments.

::

    from formwright.tools import STYLES

    reader = CallsReader(STYLES["hermes"])
    reader.feed('I see. <tool_call>\n{"name": "f", "argum')         # [Text(text='I see. ')]
    begun, arguments = reader.feed('ents": {"x": 1')
    begun.name, arguments            # ('f', CallArguments(number=0, text='{"x": 1'))
    reader.feed('}}\n</tool_call>')  # [CallArguments(number=0, text='}')]

The text conforms to a form of `formwright.tools`, so the reader looks for what must be there and finds it.

Arguments between tags are not JSON, so `finish` gives them, from the value of the whole text. The input of a custom
tool that is written without escapes comes as JSON, up to where it may be over. Only the form tells whether it is, so
`finish` gives the rest and what comes after it. White space between two calls belongs to them, not to the text.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from formwright.incremental.markers import count_marker_start
from formwright.tools.custom import INPUT
from formwright.tools.events import CallArguments, CallBegun, CallEvent, Text
from formwright.tools.styles import NUMBER, Style

__all__ = ["CallsReader", "list_calls", "make_call_id"]

_NAME = re.compile(r"[A-Za-z0-9_.-]*")
_BLANK = " \t\r\n"
_BEFORE_INPUT, _AFTER_INPUT = f'{{"{INPUT}": "', '"}'


class CallsReader:
    """Reads a text piece by piece.

    Args:
        style: How calls are written.
        is_bare: Whether the text is one call, without the brackets of a list.
        takes_text: Whether text may be before the first call, or alone.
        raw: The names of the tools whose input is written without the escapes of JSON.
    """

    def __init__(
        self, style: Style, *, is_bare: bool = False, takes_text: bool = True, raw: Collection[str] = ()
    ) -> None:
        self._style, self._takes_text, self._raw = style, takes_text, raw
        self._buffer, self._calls, self._blank = "", 0, ""
        self._value = _Value()
        self._begin = style.before if is_bare else style.begin + style.before
        self._state: Callable[[], Iterator[CallEvent] | None] = self._header if takes_text else self._opening

    @property
    def is_in_text(self) -> bool:
        """Whether it is in free text, of which nothing may begin a call."""
        is_text = self._state in (self._header, self._text)
        return is_text and not (self._style.trigger and count_marker_start(self._buffer, self._style.trigger))

    def feed(self, piece: str, /) -> list[CallEvent]:
        """Read the next piece of the text."""
        self._buffer += piece
        events: list[CallEvent] = []
        while (found := self._state()) is not None:
            events += found
        return events

    def finish(self, calls: Sequence[Any] = ()) -> list[CallEvent]:
        """Read the end of the text; ``calls`` are those that the whole text was read as."""
        events: list[CallEvent] = []
        while self._state == self._raw_input and self._calls <= len(calls):
            events += self._end_raw_input(calls[self._calls - 1].arguments[INPUT])
        if self._state in (self._header, self._text) and (rest := self._blank + self._buffer).strip(
            _BLANK if self._calls else ""
        ):
            events.append(Text(rest))
        if self._style.arguments != "json":
            events += list_calls(calls)
        self._buffer = self._blank = ""
        return events

    def _header(self) -> Iterator[CallEvent] | None:
        """What free text begins with in some styles."""
        header = self._style.text
        if header and header.startswith(self._buffer) and len(self._buffer) < len(header):
            return None
        self._state = self._text
        if header and self._buffer.startswith(header):
            self._buffer = self._buffer[len(header) :]
        elif not self._style.trigger:
            self._state = self._opening
        return iter(())

    def _text(self) -> Iterator[CallEvent] | None:
        """Text up to what begins a call."""
        trigger, buffer = self._style.trigger, self._buffer
        at = buffer.find(trigger) if trigger else -1
        end = at if at >= 0 else len(buffer) - count_marker_start(buffer, trigger)
        said, self._buffer = self._blank + buffer[:end], buffer[end:]
        kept = len(said.rstrip(_BLANK)) if self._calls else len(said)
        self._blank = "" if at >= 0 else said[kept:]
        if at >= 0:
            self._state = self._opening
        elif not said[:kept]:
            return None
        return iter([Text(said[:kept])] if said[:kept] else [])

    def _opening(self) -> Iterator[CallEvent] | None:
        """The text before a name."""
        if self._style.arguments != "json" or not self._skip_fixed(self._begin):
            return None
        self._state = self._name
        return iter(())

    def _name(self) -> Iterator[CallEvent] | None:
        """The name of a tool, and the text between it and the arguments."""
        found = _NAME.match(self._buffer)
        end = found.end() if found else 0
        after = _skip_fixed(self._buffer[end:], self._style.between)
        if after is None:
            return None
        name, self._buffer = self._buffer[:end], after
        begun = CallBegun(self._calls, make_call_id(), name)
        self._calls += 1
        self._state, self._value = self._raw_opening if name in self._raw else self._arguments, _Value()
        return iter([begun])

    def _raw_opening(self) -> Iterator[CallEvent] | None:
        """The text before an input without escapes."""
        if not self._skip_fixed(_BEFORE_INPUT):
            return None
        self._state, self._written = self._raw_input, 0
        return iter([CallArguments(self._calls - 1, _BEFORE_INPUT)])

    def _raw_input(self) -> Iterator[CallEvent] | None:
        """An input without escapes, up to where it may be over."""
        end = self._buffer.find(_AFTER_INPUT)
        if end < 0:
            end = len(self._buffer) - count_marker_start(self._buffer, _AFTER_INPUT)
        if not end:
            return None
        text, self._buffer = self._buffer[:end], self._buffer[end:]
        self._written += end
        return iter([CallArguments(self._calls - 1, _escape_text(text))])

    def _end_raw_input(self, text: str) -> list[CallEvent]:
        """Read the rest of an input without escapes, which is ``text``, and what comes after it."""
        rest = text[self._written :]
        self._buffer = self._buffer[len(rest + _AFTER_INPUT) :]
        self._state = self._closing
        return [CallArguments(self._calls - 1, _escape_text(rest) + _AFTER_INPUT), *self.feed("")]

    def _arguments(self) -> Iterator[CallEvent] | None:
        """A JSON value, as far as it has come."""
        end = self._value.feed(self._buffer)
        if end == 0 and not self._value.is_over:
            return None
        text, self._buffer = self._buffer[:end], self._buffer[end:]
        if self._value.is_over:
            self._state = self._closing
        return iter([CallArguments(self._calls - 1, text)] if text else [])

    def _closing(self) -> Iterator[CallEvent] | None:
        """What comes after the arguments; then another call, or text, or nothing."""
        tail = self._style.after
        if self._style.has_ids and self._buffer.startswith(", "):
            if '"}' not in self._buffer:
                return None
            tail = self._buffer[: self._buffer.index('"}', len(', "id": "')) + 1] + tail
        if not self._skip_fixed(tail):
            return None
        self._begin = self._style.separator + self._style.before
        is_mixed = self._takes_text and not self._style.is_list and self._style.trigger
        if is_mixed:
            self._begin = self._style.before
        self._state = self._text if is_mixed else self._opening
        return iter(())

    def _skip_fixed(self, fixed: str) -> bool:
        """Whether the buffer has a fixed text at its beginning, which is then taken away."""
        after = _skip_fixed(self._buffer, fixed)
        if after is None:
            return False
        self._buffer = after
        return True


def _skip_fixed(text: str, fixed: str) -> str | None:
    """What is after a fixed text, which may have a number in it; ``None`` if the text does not begin with it."""
    if NUMBER not in fixed:
        return text[len(fixed) :] if text.startswith(fixed) else None
    found = re.match("[0-9]+".join(map(re.escape, fixed.split(NUMBER))), text)
    return text[found.end() :] if found else None


class _Value:
    """Finds the end of a JSON value, piece by piece."""

    def __init__(self) -> None:
        self._depth, self._in_string, self._escaped, self._begun = 0, False, False, False
        self.is_over = False

    def feed(self, text: str) -> int:
        """How many characters belong to the value."""
        for at, char in enumerate(text):
            if self._in_string:
                if self._escaped or char == "\\":
                    self._escaped = not self._escaped
                elif char == '"':
                    self._in_string = False
                    self.is_over = not self._depth
            elif char == '"':
                self._in_string = True
            elif char in "[{":
                self._depth += 1
            elif char in "]}" and self._depth:
                self._depth -= 1
                self.is_over = not self._depth
            elif not self._depth and self._begun and (char in "]},<[" or char in _BLANK):
                self.is_over = True  # of a number or a word
                return at
            self._begun = self._begun or char not in _BLANK
            if self.is_over:
                return at + 1
        return len(text)


def _escape_text(text: str) -> str:
    """A text inside a string of JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def list_calls(calls: Sequence[Any]) -> list[CallEvent]:
    """The events of calls that came whole, each under the id that it has."""
    events: list[CallEvent] = []
    for number, call in enumerate(calls):
        arguments = json.dumps(call.arguments, ensure_ascii=False)
        events += [CallBegun(number, call.id, call.name), CallArguments(number, arguments)]
    return events


def make_call_id() -> str:
    """An id for a call: the answers of a conversation must not share ids."""
    return f"call_{secrets.token_hex(12)}"
