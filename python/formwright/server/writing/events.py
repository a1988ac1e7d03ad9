"""What happens to the texts of an answer, whatever the protocol.

::

    [Thought("It is in Norway."), Text("Oslo")]
    [Called(0, "call_1", "get_weather", is_custom=False), Argument(0, '{"city": '), Argument(0, '"Oslo"}')]

Cost: none. The wrinkle: protocols differ in how they write these events down (`chat`, `responses`, `completions`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from formwright.generation import Complete, Truncated
from formwright.generation.trace.recorder import Row
from formwright.server.writing.echo import Echo

__all__ = ["Argument", "Called", "Done", "Echoed", "Event", "Text", "Thought", "Tokens"]


class Thought(NamedTuple):
    """A fragment of the thought before an answer."""

    text: str


class Text(NamedTuple):
    """A fragment of the text of an answer."""

    text: str


class Called(NamedTuple):
    """A call has begun."""

    number: int
    id: str
    name: str
    is_custom: bool


class Argument(NamedTuple):
    """A fragment of the arguments of a call: JSON, or the input of a custom tool."""

    number: int
    text: str


class Tokens(NamedTuple):
    """Rows of the trace, of tokens that belong to the answer; and the partial value after them."""

    rows: Sequence[Row]
    partial: Any


class Echoed(NamedTuple):
    """The answer repeats the prompt."""

    echo: Echo


class Done(NamedTuple):
    """A text is over."""

    reason: str
    result: Complete[Any] | Truncated
    thought_tokens: int


Event = Echoed | Thought | Text | Called | Argument | Tokens | Done
