"""The messages of a request, its tools, and what became of earlier calls: `formwright.models.conversations` goes on.

::

    messages = chat_messages([{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}])
    [message["role"] for message in messages]        # ['developer', 'user']

Cost: none. The wrinkle: fields of messages that say nothing to a model are known and left out; others are refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from formwright.models import LocalModel
from formwright.models.conversations import conversation_ids
from formwright.server.errors import BadRequest, unknown_field
from formwright.server.tool_choice import INPUT, Offered

__all__ = ["chat_messages", "prompt_ids", "response_messages"]

_IGNORED = {"name", "refusal", "annotations", "audio", "reasoning_content", "reasoning", "phase", "id", "status"}
"""Fields of messages that say nothing to a model."""

_KNOWN = _IGNORED | {"role", "content", "tool_calls", "tool_call_id"}


def chat_messages(messages: Sequence[Any]) -> list[dict[str, Any]]:
    """The messages of a chat completion: role, content, perhaps ``calls`` or the ``id`` that a result answers.

    Raises:
        BadRequest: One cannot be read; `BadRequest.param` is the field.
    """
    return [_chat_message(message, f"messages[{number}]") for number, message in enumerate(messages)]


def _chat_message(message: Any, where: str) -> dict[str, Any]:
    fields = {name: value for name, value in message.items() if value is not None}
    if unknown := [name for name in fields if name not in _KNOWN]:
        raise unknown_field(f"{where}.{unknown[0]}", _KNOWN)
    role = fields.pop("role", None)
    if role is None:
        raise _missing(f"{where}.role")
    if role not in ("system", "developer", "user", "assistant", "tool"):
        said = f"{where}.role: {role!r} is none of system, developer, user, assistant and tool"
        raise BadRequest(said, param=f"{where}.role")
    content, calls = fields.pop("content", None), fields.pop("tool_calls", None) or []
    if not isinstance(calls, list):
        raise BadRequest(f"{where}.tool_calls is a list of calls", param=f"{where}.tool_calls")
    found: dict[str, Any] = {"role": role}
    if role == "assistant":
        found["calls"] = [_chat_call(call, f"{where}.tool_calls[{at}]") for at, call in enumerate(calls)]
    elif calls:
        raise BadRequest(f"{where}.tool_calls: only an assistant calls tools", param=f"{where}.tool_calls")
    if role == "tool":
        found["id"] = fields.pop("tool_call_id", None)
        if not isinstance(found["id"], str):
            raise _missing(f"{where}.tool_call_id")
    elif "tool_call_id" in fields:
        raise BadRequest(f"{where}.tool_call_id: only a tool answers a call", param=f"{where}.tool_call_id")
    if content is None and not (role == "assistant" and (calls or "refusal" in fields)):
        raise _missing(f"{where}.content")
    found["content"] = "" if content is None else _text(content, f"{where}.content", ("text", "refusal"))
    return found


def _missing(param: str) -> BadRequest:
    return BadRequest(f"{param} is missing", param=param, code="missing_required_parameter")


def _chat_call(call: Any, where: str) -> dict[str, Any]:
    """A call that the assistant made before."""
    kind = call.get("type", "function") if isinstance(call, Mapping) else None
    inner = call.get(kind) if kind in ("function", "custom") else None
    if not isinstance(inner, Mapping) or not isinstance(inner.get("name"), str):
        raise BadRequest(f"{where} is no call of a function or a custom tool", param=where)
    if kind == "custom":
        return {"id": call.get("id", ""), "name": inner["name"], "arguments": {INPUT: inner.get("input", "")}}
    return {"id": call.get("id", ""), "name": inner["name"], "arguments": _arguments(inner.get("arguments"), where)}


def _arguments(text: Any, where: str) -> Any:
    """Arguments as a value: templates of models write them in their own way."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise BadRequest(f"{where}: the arguments of a call are a text that is JSON", param=where) from None


def _text(content: Any, where: str, kinds: Sequence[str]) -> str:
    """A content, as a text or as parts that are texts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise BadRequest(f"{where} is a text or a list of parts", param=where)
    texts = []
    for number, part in enumerate(content):
        kind = part.get("type") if isinstance(part, Mapping) else None
        text = part.get("refusal" if kind == "refusal" else "text") if kind in kinds else None
        if not isinstance(text, str):
            raise BadRequest(
                f"{where}[{number}]: parts of the type {kind!r} cannot be read, only {', '.join(kinds)}",
                param=f"{where}[{number}]",
            )
        texts.append(text)
    return "".join(texts)


def response_messages(input_: str | Sequence[Any], instructions: str | None) -> list[dict[str, Any]]:
    """The messages of a response: its instructions, and the items of its input.

    Raises:
        BadRequest: An item cannot be read.
    """
    found: list[dict[str, Any]] = [{"role": "system", "content": instructions}] if instructions else []
    if isinstance(input_, str):
        return [*found, {"role": "user", "content": input_}]
    for number, item in enumerate(input_):
        message = _item(item, f"input[{number}]")
        if message is None:
            continue
        if message.get("calls") and found and found[-1]["role"] == "assistant":
            found[-1].setdefault("calls", []).extend(message["calls"])
        else:
            found.append(message)
    if not found:
        raise BadRequest("input says nothing", param="input")
    return found


def _item(item: Any, where: str) -> dict[str, Any] | None:
    """The message of an item; ``None`` for a thought, which is not read again."""
    if not isinstance(item, Mapping):
        raise BadRequest(f"{where} is an object", param=where)
    kind = item.get("type") or ("message" if "role" in item else None)
    if kind == "message":
        role = item.get("role")
        if role not in ("system", "developer", "user", "assistant"):
            raise BadRequest(f"{where}.role: {role!r} is none of system, developer, user, assistant", param=where)
        kinds = ("input_text", "output_text", "text", "refusal")
        return {"role": role, "content": _text(item.get("content"), f"{where}.content", kinds)}
    if kind == "reasoning":
        return None
    if kind in ("function_call", "custom_tool_call"):
        arguments = {INPUT: item.get("input", "")}
        if kind == "function_call":
            arguments = _arguments(item.get("arguments"), f"{where}.arguments")
        call = {"id": _named(item, "call_id", where), "name": _named(item, "name", where), "arguments": arguments}
        return {"role": "assistant", "content": "", "calls": [call]}
    if kind in ("function_call_output", "custom_tool_call_output"):
        output = _text(item.get("output"), f"{where}.output", ("input_text", "output_text", "text"))
        return {"role": "tool", "content": output, "id": _named(item, "call_id", where)}
    raise BadRequest(f"{where}: items of the type {kind!r} cannot be read", param=where)


def _named(item: Mapping[str, Any], field: str, where: str) -> str:
    """A field that is a text. Raises BadRequest."""
    value = item.get(field)
    if value is None:
        raise _missing(f"{where}.{field}")
    if not isinstance(value, str):
        raise BadRequest(f"{where}.{field} is a text", param=f"{where}.{field}")
    return value


def prompt_ids(model: LocalModel, messages: Sequence[Mapping[str, Any]], offered: Offered) -> list[int]:
    """The tokens of a conversation, up to where the assistant goes on.

    Raises:
        PromptError: The model cannot read it.
        LimitExceeded: It is longer than the context.
    """
    return conversation_ids(model, messages, [offer.described() for offer in offered.tools])
