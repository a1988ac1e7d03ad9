"""Prompts of a remote model: text, or a conversation that goes through as it is.

::

    read_prompt("How old is Ada?")                            # [{'role': 'user', 'content': 'How old is Ada?'}]
    read_prompt([{"role": "user", "content": "Hi"}])          # the same messages, in a list of its own

Parts of messages that are not text, such as images, are not looked at: what a service takes
is for the service to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from formwright.errors import PromptError

__all__ = ["Conversation", "add_source", "read_prompt"]

Conversation: TypeAlias = str | Sequence[Mapping[str, Any]]
"""One message of the user, or a conversation of ``{"role": ..., "content": ...}``."""

_HINT = 'pass a str, or messages such as [{"role": "user", "content": "..."}]'


def read_prompt(prompt: Any) -> list[Mapping[str, Any]]:
    """The messages that a user has passed, in a list of its own.

    Raises:
        PromptError: It is not a prompt of a remote model.
    """
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    if isinstance(prompt, bytes | Mapping) or not isinstance(prompt, Sequence):
        raise PromptError(f"the prompt is of {type(prompt).__name__}, not text or messages", hint=_HINT)
    if not prompt:
        raise PromptError("the prompt is empty", hint=_HINT)
    for number, message in enumerate(prompt):
        if isinstance(message, int):
            raise PromptError("a remote model takes text or messages, not token ids", hint=_HINT)
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise PromptError(f"message {number} has no role", hint=_HINT)
    return list(prompt)


def add_source(messages: Sequence[Mapping[str, Any]], source: str | None) -> Sequence[Mapping[str, Any]]:
    """The messages with a source at the beginning of the last one of the user, unless one has it already."""
    places = [at for at, message in enumerate(messages) if message["role"] == "user"]
    if source is None or not places or any(source in _join_texts(message) for message in messages):
        return messages
    asked = messages[places[-1]]
    content = asked.get("content")
    if isinstance(content, list):
        longer: Any = [{"type": "text", "text": source}, *content]
    else:
        longer = f"{source}\n\n{content or ''}"
    return [*messages[: places[-1]], {**asked, "content": longer}, *messages[places[-1] + 1 :]]


def _join_texts(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str))
