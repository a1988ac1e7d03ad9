"""What happens to the texts of an answer, in any protocol: the events of `formwright.tools.events`, and more.

::

    [Thought("It is in Norway."), Tokens([], None)]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from formwright.generation import Complete, Truncated
from formwright.generation.trace.recorder import Row
from formwright.server.writing.echo import Echo
from formwright.tools.events import CallEvent, Thought

__all__ = ["Done", "Echoed", "Event", "Tokens"]


class Tokens(NamedTuple):
    """Rows of the trace for new tokens of the answer, and the partial value after them."""

    rows: Sequence[Row]
    partial: Any


class Echoed(NamedTuple):
    """The answer repeats the prompt."""

    echo: Echo


class Done(NamedTuple):
    """A text has ended."""

    reason: str
    result: Complete[Any] | Truncated
    thought_tokens: int


Event = Echoed | Thought | CallEvent | Tokens | Done
