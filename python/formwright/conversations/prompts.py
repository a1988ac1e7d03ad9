"""Prompts: what a user may pass, read in one place.

::

    read("How old is Ada?", size=32_000)                       # 'How old is Ada?'
    read([{"role": "user", "content": "Hi"}], size=32_000)     # [{'role': 'user', 'content': 'Hi'}]
    read([1, 17, 4], size=32_000)                              # [1, 17, 4]: token ids, as they are

Text is one user message. A conversation is a sequence of messages ``{"role": ..., "content": ...}``,
as the APIs have them; a content may be a list of text parts ``{"type": "text", "text": ...}``. Calls of
the assistant (``tool_calls``) and results of tools (``tool_call_id``) are read as
`formwright.conversations.local` has them. What is none of these is a `PromptError` that says what was
expected, and where.

Numpy arrays and other sequences of integers are token ids. An empty sequence is an error, because a model
needs something to go on from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from formwright.conversations.messages import Message, ToolCall, add_instruction, join_text
from formwright.conversations.remote_prompts import add_source
from formwright.errors import ArgumentError, PromptError
from formwright.tools.custom import INPUT

if TYPE_CHECKING:
    from typing_extensions import TypeIs

__all__ = ["ROLES", "Prompt", "PromptMessage", "needs_encoding", "read", "with_instruction", "with_source"]

PromptMessage: TypeAlias = Mapping[str, Any]
"""One message of a conversation, as users pass it: its ``role`` and its ``content``."""

Prompt: TypeAlias = str | Sequence[PromptMessage] | Sequence[int]
"""One user message, a conversation of ``{"role": ..., "content": ...}``, or token ids taken as they are."""

ROLES = ("system", "developer", "user", "assistant", "tool")
"""The roles that chat templates know; a model may have fewer."""

_HINT = 'pass a str, messages such as [{"role": "user", "content": "..."}], or token ids'


def read(prompt: object, size: int, roles: Sequence[str] = ROLES) -> str | list[Message] | list[int]:
    """The text, the messages with their contents as ``str``, or the token ids that a user has passed.

    Args:
        prompt: Whatever it is.
        size: Token ids go from 0 to ``size - 1``.
        roles: The roles of the model.

    Raises:
        PromptError: It is not a prompt.
    """
    if isinstance(prompt, str):
        return _check_encodable(prompt, "the prompt")
    if (
        isinstance(prompt, bytes | bytearray | Mapping)
        or not hasattr(prompt, "__iter__")
        or not hasattr(prompt, "__len__")
    ):
        raise PromptError(f"the prompt is {_name_kind(prompt)}, not text, messages or token ids", hint=_HINT)
    parts = list(prompt)
    if not parts:
        raise PromptError("the prompt is empty: a model needs at least one token to go on from", hint=_HINT)
    if any(isinstance(part, Mapping) for part in parts):
        return [_read_message(part, f"message {number}", roles) for number, part in enumerate(parts)]
    return _read_ids(parts, size)


def needs_encoding(prompt: str | list[Message] | list[int]) -> TypeIs[str | list[Message]]:
    """Whether a prompt that was read has still to become token ids."""
    return isinstance(prompt, str) or isinstance(prompt[0], Mapping)


def _read_ids(parts: Sequence[Any], size: int) -> list[int]:
    """The same as token ids from 0 to ``size - 1``. Raises PromptError where one is none."""
    ids = []
    for number, part in enumerate(parts):
        try:
            ids.append(index(part))
        except TypeError:
            raise PromptError(
                f"item {number} of the prompt is {_name_kind(part)}, not a token id", hint=_HINT
            ) from None
        if not 0 <= ids[-1] < size:
            raise PromptError(f"item {number} of the prompt is {ids[-1]}: token ids go from 0 to {size - 1}")
    return ids


def with_instruction(
    prompt: str | list[Message] | list[int], instruction: str, roles: Sequence[str] = ROLES
) -> str | list[PromptMessage]:
    """What `read` gives, with an instruction about the answer; a new object.

    It comes after a text, after the first system message of a conversation or in a new one, or after the last message
    of the user where a model has no system messages.

    Raises:
        ArgumentError: The prompt is token ids, or a conversation without a place for it.
    """
    if isinstance(prompt, str):
        return f"{prompt}\n\n{instruction}"
    if not needs_encoding(prompt):
        raise ArgumentError(
            "instruct: the prompt is token ids, which no text can be added to",
            hint="pass text or messages, or put fw.instructions(...) into the prompt before it is encoded",
            argument="instruct",
        )
    at = next((at for at, message in enumerate(prompt) if message["role"] == "system"), None)
    if at is not None or "system" in roles:
        return add_instruction(prompt, instruction, at)
    places = [at for at, message in enumerate(prompt) if message["role"] == "user"]
    if not places:
        raise ArgumentError(
            "instruct: the conversation has no message of the user to add to, and the model no system messages",
            hint="add a message of the user",
            argument="instruct",
        )
    return add_instruction(prompt, instruction, places[-1])


def with_source(prompt: str | list[Message] | list[int], source: str | None) -> str | list[Message] | list[int]:
    """What `read` gives, with a source before a text or as `add_source` does; token ids stay as they are."""
    if source is None or not needs_encoding(prompt):
        return prompt
    if isinstance(prompt, str):
        return prompt if source in prompt else f"{source}\n\n{prompt}"
    return cast("list[Message]", add_source(prompt, source))


def _read_message(message: object, where: str, roles: Sequence[str]) -> Message:
    if not isinstance(message, Mapping):
        raise PromptError(f"{where} is {_name_kind(message)}, not a mapping with role and content", hint=_HINT)
    role = message.get("role")
    if role not in roles and role != "tool":  # results are told in words where a model has no such role
        raise PromptError(
            f"{where} has the role {role!r}, and this model knows {', '.join(roles)}"
            if "role" in message
            else f"{where} has no role: expected one of {', '.join(roles)}"
        )
    found = {name: value for name, value in message.items() if name not in ("tool_calls", "tool_call_id")}
    if calls := message.get("tool_calls"):
        if not isinstance(calls, Sequence) or isinstance(calls, str | bytes):
            raise PromptError(f"tool_calls of {where}: expected a list, got {_name_kind(calls)}")
        found["calls"] = [_read_call(call, f"call {number} of {where}") for number, call in enumerate(calls)]
        found["content"] = message.get("content") or ""
    if role == "tool" and "id" not in message:
        found["id"] = message.get("tool_call_id") or ""
    if "content" not in found:
        raise PromptError(f"{where} has no content", hint='add "content": a str, or a list of text parts')
    read: Any = found | {"content": _read_content(found["content"], where)}
    return read  # type: ignore[no-any-return]


def _read_call(call: object, where: str) -> ToolCall:
    if isinstance(call, Mapping) and call.get("type") == "custom" and isinstance(custom := call.get("custom"), Mapping):
        call = {**call, "function": {"name": custom.get("name"), "arguments": {INPUT: custom.get(INPUT) or ""}}}
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise PromptError(
            f"{where} names no function",
            hint='pass {"id": ..., "type": "function", "function": {"name": ..., "arguments": ...}}: Call.described()',
        )
    arguments = function.get("arguments") or {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            raise PromptError(f"the arguments of {where} are not JSON: {arguments[:80]!r}") from None
    if not isinstance(arguments, Mapping):
        raise PromptError(f"the arguments of {where}: expected an object, got {_name_kind(arguments)}")
    return {"id": call.get("id") or "", "name": function["name"], "arguments": arguments}


def _read_content(content: object, where: str) -> str:
    if isinstance(content, str):
        return _check_encodable(content, f"the content of {where}")
    text = join_text(content, lambda part, number: _read_part(part, f"part {number} of {where}"))
    if text is None:
        raise PromptError(
            f"the content of {where} is {_name_kind(content)}, not a str or a list of text parts",
            hint="await the result of an async tool, and pass it as text: str(result), or json.dumps(result)",
        )
    return text


def _check_encodable(text: str, where: str) -> str:
    """The same text, if it can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise PromptError(f"{where} holds a lone surrogate: {text[error.start]!r} at {error.start}") from None
    return text


def _read_part(part: object, where: str) -> str:
    if isinstance(part, Mapping) and part.get("type") in ("text", "input_text") and isinstance(part.get("text"), str):
        return _check_encodable(part["text"], where)
    kind = f"of type {part.get('type')!r}" if isinstance(part, Mapping) else _name_kind(part)
    raise PromptError(f'{where} is {kind}: only text parts {{"type": "text", "text": ...}} can be read')


def _name_kind(value: object) -> str:
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
