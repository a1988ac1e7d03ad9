"""The messages of a conversation after they were read: role, text, calls of tools and their results.

::

    call: ToolCall = {"id": "call_1", "name": "add", "arguments": {"a": 1, "b": 2}}
    messages: list[Message] = [
        {"role": "user", "content": "What is 1 + 2?"},
        {"role": "assistant", "content": "", "calls": [call]},
        {"role": "tool", "content": "3", "id": "call_1"},
    ]
    add_instruction(messages[:1], "Be brief.", None)[0]      # {'role': 'system', 'content': 'Be brief.'}

Servers, frameworks and users each spell messages in their own way. Their readers make these messages, with errors that
name their own fields, and `formwright.conversations.local` gives them to a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

__all__ = ["Message", "ToolCall", "add_instruction", "has_calls", "join_text"]


class ToolCall(TypedDict):
    """An earlier call of a tool.

    Attributes:
        id: The id by which a result names it; ``""`` if it has none.
        name: The name of the tool.
        arguments: Its arguments, as JSON says them.
    """

    id: str
    name: str
    arguments: Any


class Message(TypedDict):
    """A message.

    Attributes:
        role: Who says it.
        content: Its text.
        calls: The calls in it, if it is one of the assistant.
        id: The id of the call that it answers, if it is the result of a tool.
    """

    role: str
    content: str
    calls: NotRequired[list[ToolCall]]
    id: NotRequired[str]


def has_calls(messages: Iterable[Message]) -> bool:
    """Whether there are calls of tools in a conversation, or their results."""
    return any(message["role"] == "tool" or message.get("calls") for message in messages)


def join_text(content: Any, read_part: Callable[[Any, int], str]) -> str | None:
    """The text of a content: itself, or the texts of its parts; ``None`` if it is neither text nor a list.

    Args:
        content: The content.
        read_part: Reads the text of a part, given with its number, or raises an error that names it.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence) or isinstance(content, bytes):
        return None
    return "".join(read_part(part, number) for number, part in enumerate(content))


def add_instruction(
    messages: Sequence[Mapping[str, Any]], instruction: str, at: int | None, separator: str = "\n\n"
) -> list[Mapping[str, Any]]:
    """Append an instruction to the message at a position; with ``None``, insert a system message before all."""
    if at is None:
        return [{"role": "system", "content": instruction}, *messages]
    content = f"{messages[at]['content']}{separator}{instruction}"
    return [*messages[:at], {**messages[at], "content": content}, *messages[at + 1 :]]
