"""Events of an answer while a model writes it: its thought, its text, its calls.

::

    [Thought("It is in Norway."), Text("Oslo")]
    [CallBegun(0, "call_1", "get_weather"), CallArguments(0, '{"city": '), CallArguments(0, '"Oslo"}')]
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CallArguments", "CallBegun", "CallEvent", "Text", "Thought"]


class Thought(NamedTuple):
    """A fragment of the thought before an answer."""

    text: str


class Text(NamedTuple):
    """A fragment of the text of an answer."""

    text: str


class CallBegun(NamedTuple):
    """A call has begun.

    Attributes:
        number: Its position among the calls of the answer.
        id: An id that no call of another answer has.
        name: The name of the tool.
        is_custom: Whether the input of the tool is text.
    """

    number: int
    id: str
    name: str
    is_custom: bool = False


class CallArguments(NamedTuple):
    """A fragment of the arguments of a call: JSON, or the input of a custom tool.

    Attributes:
        number: The position of the call among the calls of the answer.
        text: The fragment.
    """

    number: int
    text: str


CallEvent = Text | CallBegun | CallArguments
