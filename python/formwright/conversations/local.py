"""Conversations with tools in them, as a model is given them to read.

::

    call = {"id": "call_1", "name": "add", "arguments": {"a": 1, "b": 2}}
    messages = [
        {"role": "user", "content": "What is 1 + 2?"},
        {"role": "assistant", "content": "", "calls": [call]},
        {"role": "tool", "content": "3", "id": "call_1"},
    ]
    ids = conversation_ids(model, messages)
    to_chat_completions(messages)[2]       # {'role': 'tool', 'content': '3', 'tool_call_id': 'call_1'}

A model whose chat template knows tools is given them as its template has it. Another one reads them
as text: tools in the system message if it has learnt to read them there, else their names after the last question;
calls as it would write them; and results as messages of the user. If the template has no role ``developer``, those
messages become ``system`` messages.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from formwright.conversations.messages import Message, ToolCall, add_instruction
from formwright.errors import PromptError
from formwright.tools import STYLES, Style
from formwright.tools.styles import NUMBER

if TYPE_CHECKING:
    from formwright.models.local import LocalModel

__all__ = ["conversation_ids", "flatten_for_plain_template", "to_chat_completions"]


def conversation_ids(
    model: LocalModel, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()
) -> list[int]:
    """The tokens of a conversation, up to where the assistant goes on.

    Args:
        model: Who reads it.
        messages: The messages.
        tools: Those that may be called, as `formwright.tools.Tool.described` lists them.

    Raises:
        PromptError: The model cannot read it.
        LimitExceeded: It is longer than the context.
    """
    if model.with_tools is not None:
        return model.prompt_ids(model.with_tools([_for_template(message) for message in messages], tools))
    return model.prompt_ids(list(model.encode(flatten_for_plain_template(model, messages, tools))))


def flatten_for_plain_template(
    model: LocalModel, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()
) -> Sequence[Mapping[str, Any]]:
    """The same with roles and contents alone, for a model whose template knows no tools. Raises PromptError."""
    plain: list[dict[str, Any]] = [_without_calls(message, model) for message in messages]
    if tools and model.list_tools is not None:
        at = 0 if plain[0]["role"] == "system" else None
        return add_instruction(plain, model.list_tools(tools), at, separator="\n")
    if tools and plain[-1]["role"] == "user" and messages[-1]["role"] == "user":
        names = ", ".join(tool["function"]["name"] for tool in tools)
        plain[-1]["content"] += f" Tools: {names}. Call a tool."
    return plain


def to_chat_completions(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The same as chat completions have them: the arguments of calls are text."""
    found = [_for_template(message) for message in messages]
    for message in found:
        for call in message.get("tool_calls", ()):
            call["function"]["arguments"] = json.dumps(call["function"]["arguments"], ensure_ascii=False)
        if message.get("tool_calls") and not message["content"]:
            message["content"] = None
    return found


def _for_template(message: Message) -> dict[str, Any]:
    """A message as chat templates read it."""
    found = {name: value for name, value in message.items() if name in ("role", "content")}
    if "id" in message:
        found["tool_call_id"] = message["id"]
    if message.get("calls"):
        found["tool_calls"] = [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
            for call in message["calls"]
        ]
    return found


def _without_calls(message: Message, model: LocalModel) -> dict[str, Any]:
    """A message for a model whose template knows no tools."""
    role, content = message["role"], message["content"]
    if message.get("calls"):
        style = STYLES[model.style]
        written = [_write_call(call, style, number) for number, call in enumerate(message["calls"], style.first_number)]
        content = "\n".join([*([content] if content else []), *written])
    if role not in model.roles:
        if role not in _OTHER_ROLES:
            raise PromptError(f"the model knows no {role}")
        role, content = _OTHER_ROLES[role](content)
    return {"role": role, "content": content}


def _write_call(call: ToolCall, style: Style, number: int) -> str:
    arguments = json.dumps(call["arguments"], ensure_ascii=False)
    before, between = (text.replace(NUMBER, str(number)) for text in (style.before, style.between))
    return f"{before}{call['name']}{between}{arguments}{style.after}"


_OTHER_ROLES: Mapping[str, Callable[[str], tuple[str, str]]] = {
    "developer": lambda content: ("system", content),
    "tool": lambda content: ("user", f"Result: {content}"),
}
"""What is written for a role that a model lacks."""
