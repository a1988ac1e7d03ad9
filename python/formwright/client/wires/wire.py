"""What the APIs have in common: the protocol of a wire, and reading fields that may be missing or of another type.

::

    join_text_parts([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])     # 'ab'
    member({"usage": None}, "usage", dict)                                      # {}

A field of another type counts as missing where nothing depends on it. What an answer must have is read with
`require_member`, and what it may have with `read_list` and `read_text`, all of which raise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Protocol, TypeVar

from formwright.client.flow.steps import End, Reply, Request, TextQuery
from formwright.conversations.messages import add_instruction, join_text
from formwright.errors import RequestFailed

__all__ = [
    "Collector",
    "Wire",
    "add_format_instruction",
    "collect_options",
    "join_text_parts",
    "member",
    "read_end",
    "read_list",
    "read_text",
    "read_token_logprobs",
    "require_member",
    "spell_arguments",
    "split_system_messages",
]

T = TypeVar("T")


class Collector(Protocol):
    """Reads the events of a stream."""

    def feed(self, event: Mapping[str, Any], /) -> str:
        """Read an event, and return what it adds to the answer: text, or arguments of the call that is streamed.

        Raises:
            RequestFailed: The event is an error, or does not belong to this API.
        """
        ...

    @property
    def is_complete(self) -> bool:
        """Whether the service has said that the answer is complete."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether the last event has come."""
        ...

    @property
    def reply(self) -> Reply:
        """The complete answer."""
        ...


class Wire(Protocol):
    """An API.

    Attributes:
        options: The options of generation that a request can carry.
        has_logprobs: Whether an answer can have the log probabilities of its tokens.
    """

    options: frozenset[str]
    has_logprobs: bool

    def write_request(self, query: TextQuery, /) -> Request:
        """Write the request for a query."""
        ...

    def read_reply(self, body: Mapping[str, Any], /) -> Reply:
        """Read an answer. Raises RequestFailed if it does not belong to this API."""
        ...

    def make_collector(self, query: TextQuery, /) -> Collector:
        """Make the reader of a stream."""
        ...


def member(value: Any, name: str, kind: type[T]) -> T:
    """Read a member of an object, if it exists and has this type; else an empty one."""
    found = value.get(name) if isinstance(value, Mapping) else None
    is_right = isinstance(found, kind) and not (kind is int and isinstance(found, bool))
    return found if is_right else kind()  # type: ignore[return-value]


def require_member(value: Any, name: str, kind: type[T]) -> T:
    """Read a member that every answer has. Raises RequestFailed if it is missing or has another type."""
    found = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(found, kind):
        shown = json.dumps(value, default=str)[:200]
        raise RequestFailed(
            f"the answer of the service does not conform to its API: it has no valid {name!r}", body=shown
        )
    return found


def read_list(value: Any, name: str) -> list[Any]:
    """Read a list that an answer may have; empty without it. Raises RequestFailed if it is something else."""
    return require_member(value, name, list) if isinstance(value, Mapping) and value.get(name) is not None else []


def read_token_logprobs(entries: Sequence[Any]) -> tuple[tuple[bytes, float], ...]:
    """Read the tokens of a text and their log probabilities, as chat completions and responses spell them.

    Those of `formwright serve` without its mask are taken, if they are there. What cannot be read ends the list.
    """
    read: list[tuple[bytes, float]] = []
    for entry in entries:
        logprob = entry.get("unmasked_logprob", entry.get("logprob")) if isinstance(entry, Mapping) else None
        if not isinstance(logprob, int | float):
            break
        own = entry.get("bytes")
        is_bytes = isinstance(own, list) and all(type(byte) is int and 0 <= byte < 256 for byte in own)
        read.append((bytes(own) if is_bytes else member(entry, "token", str).encode(), float(logprob)))
    return tuple(read)


def read_end(reason: Any, ends: Mapping[str, End]) -> End:
    """Read why an answer ends, by the table of its API.

    Raises:
        RequestFailed: The reason is missing or unknown, so the answer may be incomplete.
    """
    if isinstance(reason, str) and reason in ends:
        return ends[reason]
    if not reason:
        raise RequestFailed(
            "the service does not say why its answer ends, so it may be truncated",
            hint="a server or proxy on the way may have removed the reason",
        )
    shown = str(reason)[:100]
    raise RequestFailed(f"the service ended its answer early: {shown}", body=shown, may_pass=reason in _TEMPORARY)


_TEMPORARY = ("abort", "error", "insufficient_system_resource")
"""Ends after which the same request may succeed."""


def read_text(content: Any) -> str:
    """Read what a model wrote: text, or the text of all parts. Raises RequestFailed if a part is something else."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise _make_content_error(content)
    return "".join(map(_read_part_text, content))


def _read_part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if member(part, "type", str) in _THOUGHTS:
        return ""
    if not isinstance(part, Mapping) or not isinstance(part.get("text"), str):
        raise _make_content_error(part)
    return str(part["text"])


_THOUGHTS = ("thinking", "redacted_thinking", "reasoning")
"""Types of parts that hold the thoughts of the model, and not its answer."""


def _make_content_error(content: Any) -> RequestFailed:
    shown = json.dumps(content, default=str)[:200]
    return RequestFailed(f"expected text in the answer of the service, got {shown}", body=shown)


def join_text_parts(parts: Any) -> str:
    """Join the text of all text parts; a text is returned unchanged."""
    return join_text(parts, lambda part, _: member(part, "text", str)) or ""


def spell_arguments(value: Any) -> str:
    """Return the arguments of a call as text; some APIs give them decoded, or null if there are none."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


_DEFAULTS = {field.name: field.default for field in fields(TextQuery)}


def collect_options(query: TextQuery, **names: str) -> dict[str, Any]:
    """Collect the given options, each under its name in an API: ``max_tokens="maxOutputTokens"``."""
    given = {name: getattr(query, name) for name in names}
    return {
        names[name]: list(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if value != _DEFAULTS[name]
    }


def add_format_instruction(messages: Sequence[Mapping[str, Any]], instruction: str) -> list[Mapping[str, Any]]:
    """Add format instructions to a conversation: to its system message, or in one of their own."""
    if not instruction:
        return list(messages)
    first = messages[0] if messages else {}
    has_place = first.get("role") in ("system", "developer") and isinstance(first.get("content"), str)
    return add_instruction(messages, instruction, 0 if has_place else None)


def split_system_messages(messages: Sequence[Mapping[str, Any]]) -> tuple[str, list[Mapping[str, Any]]]:
    """Split a conversation into its system prompt and all other messages."""
    texts: list[str] = []
    others: list[Mapping[str, Any]] = []
    for message in messages:
        if message["role"] in ("system", "developer"):
            texts.append(join_text_parts(message.get("content")))
        else:
            others.append(message)
    return "\n\n".join(filter(None, texts)), others
