"""What the APIs have in common: the protocol of a wire, and reading fields that may be missing or of another type.

::

    text_of([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])     # 'ab'
    member({"usage": None}, "usage", dict)                                      # {}

A field of another type counts as missing where nothing depends on it. What an answer must have is read with `must`, and
what it may have with `list_of` and `written_text`, all of which raise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from formwright.client.flow.exchange import End, Query, Reply, Request
from formwright.conversations.messages import add_instruction, join_text
from formwright.errors import RequestFailed

__all__ = [
    "Collector",
    "Wire",
    "arguments_text",
    "end_of",
    "list_of",
    "member",
    "must",
    "options_of",
    "text_of",
    "with_instruction",
    "written_text",
]

T = TypeVar("T")


class Collector(Protocol):
    """Reads the events of a stream."""

    def feed(self, event: Mapping[str, Any], /) -> str:
        """Take an event; gives what it adds to the answer: text, or the arguments of the call that is read.

        Raises:
            RequestFailed: The event is an error, or none of this API.
        """
        ...

    @property
    def is_complete(self) -> bool:
        """Whether the service has said that the answer is complete."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether no event is to come after that."""
        ...

    @property
    def reply(self) -> Reply:
        """All of it."""
        ...


class Wire(Protocol):
    """An API.

    Attributes:
        options: The options of generation that a request can carry.
    """

    options: frozenset[str]

    def request(self, query: Query, /) -> Request:
        """The request for a query."""
        ...

    def reply(self, body: Mapping[str, Any], /) -> Reply:
        """What an answer says. Raises RequestFailed where it is none of this API."""
        ...

    def collector(self, query: Query, /) -> Collector:
        """A reader of a stream."""
        ...


def member(value: Any, name: str, kind: type[T]) -> T:
    """A member of an object, if it is there and of this type; else an empty one."""
    found = value.get(name) if isinstance(value, Mapping) else None
    is_right = isinstance(found, kind) and not (kind is int and isinstance(found, bool))
    return found if is_right else kind()  # type: ignore[return-value]


def must(value: Any, name: str, kind: type[T]) -> T:
    """A member that an answer has. Raises RequestFailed."""
    found = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(found, kind):
        shown = json.dumps(value, default=str)[:200]
        raise RequestFailed(f"the service answered with something else than its API has: no {name!r}", body=shown)
    return found


def list_of(value: Any, name: str) -> list[Any]:
    """A list that an answer may have. Raises RequestFailed where it has something else there."""
    return must(value, name, list) if isinstance(value, Mapping) and value.get(name) is not None else []


def end_of(reason: Any, ends: Mapping[str, End]) -> End:
    """Why an answer ends, by the table of its API.

    Raises:
        RequestFailed: The table does not have the reason, or there is none: nothing says that the answer is complete.
    """
    if isinstance(reason, str) and reason in ends:
        return ends[reason]
    if not reason:
        raise RequestFailed(
            "the service does not say why its answer ends, so it may have been cut",
            hint="a server or proxy between may have left out the reason",
        )
    shown = str(reason)[:100]
    raise RequestFailed(f"the service ended its answer early: {shown}", body=shown, may_pass=reason in _PASSING)


_PASSING = ("abort", "error", "insufficient_system_resource")
"""Ends after which the next try may have an answer."""


def written_text(content: Any) -> str:
    """What a model wrote: text, or the text of all parts. Raises RequestFailed where a part is something else."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise _not_text(content)
    return "".join(map(_part_text, content))


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if member(part, "type", str) in _THOUGHTS:
        return ""
    if not isinstance(part, Mapping) or not isinstance(part.get("text"), str):
        raise _not_text(part)
    return str(part["text"])


_THOUGHTS = ("thinking", "redacted_thinking", "reasoning")
"""Parts of an answer that come before it."""


def _not_text(content: Any) -> RequestFailed:
    shown = json.dumps(content, default=str)[:200]
    return RequestFailed(f"the service answered with something else than text: {shown}", body=shown)


def text_of(parts: Any) -> str:
    """Text, or the text of all text parts."""
    return join_text(parts, lambda part, _: member(part, "text", str)) or ""


def arguments_text(value: Any) -> str:
    """The arguments of a call as text; some APIs give them decoded, and null or nothing for none."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def options_of(query: Query, **names: str) -> dict[str, Any]:
    """The options that are given, each under its name in an API: ``max_tokens="maxOutputTokens"``."""
    plain = {"max_tokens": None, "temperature": None, "top_k": None, "top_p": 1.0, "seed": None, "stop": ()}
    given = {name: getattr(query, name) for name in names}
    return {
        names[name]: list(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if value != plain[name]
    }


def with_instruction(messages: Sequence[Mapping[str, Any]], instruction: str) -> list[Mapping[str, Any]]:
    """The conversation with an instruction about the form after its system message, or in one of its own."""
    if not instruction:
        return list(messages)
    first = messages[0] if messages else {}
    has_place = first.get("role") in ("system", "developer") and isinstance(first.get("content"), str)
    return add_instruction(messages, instruction, 0 if has_place else None)
