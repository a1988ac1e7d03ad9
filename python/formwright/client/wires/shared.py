"""What the APIs have in common: the protocol of a wire, and reading fields that may be missing or of another type.

::

    text_of([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])     # 'ab'
    member({"usage": None}, "usage", dict)                                      # {}

Cost: nothing. The wrinkle: a field of another type counts as missing; what an answer must have is asked for with
`must`, which raises.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from formwright.client.exchange import Query, Reply, Request
from formwright.errors import RequestFailed

__all__ = ["Collector", "Wire", "arguments_text", "member", "must", "options_of", "text_of", "with_instruction"]

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


def text_of(parts: Any) -> str:
    """Text, or the text of all text parts."""
    if isinstance(parts, str):
        return parts
    listed = parts if isinstance(parts, Sequence) else ()
    return "".join(member(part, "text", str) for part in listed)


def arguments_text(value: Any) -> str:
    """The arguments of a call as text; some APIs give them decoded."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


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
    """The conversation with what is said about the form behind its system message, or in one of its own."""
    if not instruction:
        return list(messages)
    first = messages[0] if messages else {}
    if first.get("role") in ("system", "developer") and isinstance(first.get("content"), str):
        return [{**first, "content": f"{first['content']}\n\n{instruction}"}, *messages[1:]]
    return [{"role": "system", "content": instruction}, *messages]
