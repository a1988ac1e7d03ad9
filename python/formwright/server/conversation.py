"""What a model is given to read: the messages of a request, its tools, and what became of earlier calls.

::

    messages = chat_messages([{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}])
    [message["role"] for message in messages]        # ['developer', 'user']

A model whose chat template knows tools is given them as its template has it. Another one is told in words: the names of
the tools behind the last question, calls as it would write them, and results as what the user says.

Cost: the tokenizer's. The wrinkle: ``developer`` is ``system`` for a model that has no such role.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from formwright.errors import PromptError
from formwright.models import LocalModel
from formwright.server.errors import BadRequest, unknown_field
from formwright.server.tool_choice import INPUT, Offered
from formwright.tools import STYLES, Style

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
    tools = [offer.described() for offer in offered.tools]
    if model.with_tools is not None:
        return model.prompt_ids(model.with_tools([_templated(message) for message in messages], tools))
    plain = [_plain(message, model) for message in messages]
    if tools and plain[-1]["role"] == "user" and messages[-1]["role"] == "user":
        names = ", ".join(offer.name for offer in offered.tools)
        plain[-1]["content"] += f" Tools: {names}. Call a tool."
    return model.prompt_ids(plain)


def _templated(message: Mapping[str, Any]) -> dict[str, Any]:
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


def _plain(message: Mapping[str, Any], model: LocalModel) -> dict[str, Any]:
    """A message for a model that knows no tools."""
    role, content = message["role"], message["content"]
    if message.get("calls"):
        written = [_as_written(call, STYLES[model.style]) for call in message["calls"]]
        content = "\n".join([*([content] if content else []), *written])
    if role not in model.roles:
        if role not in _OTHER_ROLES:
            raise PromptError(f"the model knows no {role}")
        role, content = _OTHER_ROLES[role](content)
    return {"role": role, "content": content}


def _as_written(call: Mapping[str, Any], style: Style) -> str:
    arguments = json.dumps(call["arguments"], ensure_ascii=False)
    return f"{style.before}{call['name']}{style.between}{arguments}{style.after}"


_OTHER_ROLES: Mapping[str, Callable[[str], tuple[str, str]]] = {
    "developer": lambda content: ("system", content),
    "tool": lambda content: ("user", f"Result: {content}"),
}
"""What is written for a role that a model lacks."""
