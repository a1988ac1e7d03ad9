"""Read the messages of a request, with earlier calls of tools and their results.

::

    messages = read_chat_messages([{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}])
    [message["role"] for message in messages]        # ['developer', 'user']

Fields that do not concern the model were removed before (`fields`); unknown ones are refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from formwright.conversations.local import conversation_ids
from formwright.conversations.messages import Message, ToolCall, join_text
from formwright.models import LocalModel
from formwright.server.errors import BadRequest, refuse_missing_field, refuse_unknown_field
from formwright.server.reading.requests import ChatBody
from formwright.tools.custom import INPUT
from formwright.tools.offered import Offered

__all__ = ["encode_conversation", "list_texts", "read_chat_messages", "read_response_messages", "split_begun_answer"]


def read_chat_messages(messages: Sequence[Any]) -> list[Message]:
    """Read the messages of a chat completion: role, content, perhaps ``calls`` or the ``id`` that a result answers.

    Raises:
        BadRequest: One cannot be read; `BadRequest.param` is the field.
    """
    return [_read_chat_message(message, f"messages[{number}]") for number, message in enumerate(messages)]


def _read_chat_message(message: Any, where: str) -> Message:
    fields = _read_fields(message, where, "role", "content", "refusal", "tool_calls", "tool_call_id")
    role = fields.get("role")
    if role is None:
        raise refuse_missing_field(f"{where}.role")
    if role not in ("system", "developer", "user", "assistant", "tool"):
        raise _refuse_role(where, role, "system, developer, user, assistant and tool")
    found: Message = {"role": role, "content": ""}
    if role == "assistant":
        found["calls"] = _read_chat_calls(fields, where)
    elif fields.get("tool_calls"):
        raise BadRequest(f"{where}.tool_calls: only an assistant calls tools", param=f"{where}.tool_calls")
    if role == "tool":
        found["id"] = _read_string(fields, "tool_call_id", where)
    elif fields.get("tool_call_id"):
        raise BadRequest(f"{where}.tool_call_id: only a tool answers a call", param=f"{where}.tool_call_id")
    found["content"] = _read_chat_content(fields, where)
    return found


def _refuse_role(where: str, role: Any, known: str) -> BadRequest:
    return BadRequest(f"{where}.role: expected one of {known}, got {role!r}", param=f"{where}.role")


def _read_chat_content(fields: Mapping[str, Any], where: str) -> str:
    """Read the content of a message; one with calls or of a tool may have none."""
    name = "refusal" if "content" not in fields and fields["role"] == "assistant" else "content"
    if name in fields:
        return _read_content(fields[name], f"{where}.{name}", ("text", "refusal"))
    if fields["role"] in ("assistant", "tool"):
        return ""
    raise refuse_missing_field(f"{where}.content")


def _read_fields(sent: Any, where: str, *known: str) -> dict[str, Any]:
    """Read the fields of an object that are not null. Raises BadRequest."""
    if not isinstance(sent, Mapping):
        raise BadRequest(f"{where}: expected an object", param=where)
    fields = {name: value for name, value in sent.items() if value is not None}
    for name in fields:
        if name not in known:
            raise refuse_unknown_field(f"{where}.{name}", known)
    return fields


def _read_chat_calls(fields: Mapping[str, Any], where: str) -> list[ToolCall]:
    calls = fields.get("tool_calls", [])
    if not isinstance(calls, list):
        raise BadRequest(f"{where}.tool_calls: expected a list of calls", param=f"{where}.tool_calls")
    return [_read_chat_call(call, f"{where}.tool_calls[{at}]") for at, call in enumerate(calls)]


def _read_chat_call(call: Any, where: str) -> ToolCall:
    """Read a call that the assistant made before."""
    fields = _read_fields(call, where, "id", "type", "function", "custom")
    kind = fields.get("type", "function")
    if kind not in ("function", "custom") or kind not in fields:
        raise BadRequest(f"{where}: expected a call of a function or a custom tool", param=where)
    place, given = f"{where}.{kind}", "arguments" if kind == "function" else INPUT
    inner = _read_fields(fields[kind], place, "name", given)
    return {
        "id": _read_string(fields, "id", where) if "id" in fields else "",
        "name": _read_string(inner, "name", place),
        "arguments": _read_arguments(inner, place) if kind == "function" else _read_input(inner, place),
    }


def _read_arguments(fields: Mapping[str, Any], where: str) -> Any:
    """Parse the arguments, since each model's template writes them in its own way. An empty text means no arguments."""
    sent = fields.get("arguments", "")
    if isinstance(sent, Mapping):
        return sent
    if isinstance(sent, str) and not sent.strip():
        return {}
    try:
        return json.loads(sent)
    except (TypeError, ValueError, RecursionError):
        where = f"{where}.arguments"
        raise BadRequest(f"{where}: expected a text that is JSON", param=where) from None


def _read_input(fields: Mapping[str, Any], where: str) -> dict[str, str]:
    """Read the input of a custom tool, as its one argument."""
    return {INPUT: _read_string(fields, INPUT, where) if INPUT in fields else ""}


def _read_content(content: Any, where: str, kinds: Sequence[str]) -> str:
    """Read a content: a text, or parts that are texts."""
    text = join_text(content, lambda part, number: _read_part(part, f"{where}[{number}]", kinds))
    if text is None:
        raise BadRequest(f"{where}: expected a text or a list of parts", param=where)
    return text


def _read_part(part: Any, where: str, kinds: Sequence[str]) -> str:
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind not in kinds:
        said = f"{where}: expected a part of the type {' or '.join(kinds)}, got {kind!r}"
        raise BadRequest(said, param=where)
    name = "refusal" if kind == "refusal" else "text"
    return _read_string(_read_fields(part, where, "type", name), name, where)


def read_response_messages(input_: str | Sequence[Any], instructions: str | None) -> list[Message]:
    """Read the messages of a response: its instructions, and the items of its input.

    Raises:
        BadRequest: An item cannot be read.
    """
    found: list[Message] = [{"role": "system", "content": instructions}] if instructions else []
    if isinstance(input_, str):
        return [*found, {"role": "user", "content": input_}]
    for number, item in enumerate(input_):
        message = _read_item(item, f"input[{number}]")
        if message is None:
            continue
        if message.get("calls") and found and found[-1]["role"] == "assistant":
            found[-1].setdefault("calls", []).extend(message["calls"])
        else:
            found.append(message)
    if not found:
        raise BadRequest("input has no message", param="input")
    return found


def _read_item(item: Any, where: str) -> Message | None:
    """Read the message of an item; ``None`` for a thought, which is not read again."""
    kind = item.get("type") or ("message" if "role" in item else None)
    if kind == "message":
        fields = _read_fields(item, where, "type", "role", "content")
        role = fields.get("role")
        if role not in ("system", "developer", "user", "assistant"):
            raise _refuse_role(where, role, "system, developer, user and assistant")
        kinds = ("input_text", "output_text", "text", "refusal")
        return {"role": role, "content": _read_content(fields.get("content"), f"{where}.content", kinds)}
    if kind == "reasoning":
        return None
    if kind in ("function_call", "custom_tool_call"):
        is_custom = kind == "custom_tool_call"
        fields = _read_fields(item, where, "type", "call_id", "name", INPUT if is_custom else "arguments")
        arguments = _read_input(fields, where) if is_custom else _read_arguments(fields, where)
        call: ToolCall = {
            "id": _read_string(fields, "call_id", where),
            "name": _read_string(fields, "name", where),
            "arguments": arguments,
        }
        return {"role": "assistant", "content": "", "calls": [call]}
    if kind in ("function_call_output", "custom_tool_call_output"):
        fields = _read_fields(item, where, "type", "call_id", "name", "output")
        output = _read_content(fields.get("output", ""), f"{where}.output", ("input_text", "output_text", "text"))
        return {"role": "tool", "content": output, "id": _read_string(fields, "call_id", where)}
    raise BadRequest(f"{where}: items of the type {kind!r} cannot be read", param=where)


def _read_string(item: Mapping[str, Any], field: str, where: str) -> str:
    """Read a field that is a text. Raises BadRequest."""
    value = item.get(field)
    if value is None:
        raise refuse_missing_field(f"{where}.{field}")
    if not isinstance(value, str):
        raise BadRequest(f"{where}.{field}: expected a text", param=f"{where}.{field}")
    return value


def list_texts(messages: Sequence[Message]) -> list[str]:
    """List the texts of messages, all of which are in their prompt."""
    calls = [call for message in messages for call in message.get("calls", ())]
    return [*(message["content"] for message in messages), *(json.dumps(call["arguments"]) for call in calls)]


def split_begun_answer(messages: list[Message], body: ChatBody) -> tuple[list[Message], str]:
    """Split off the last message if the answer continues it. Returns the messages, and the beginning of the answer.

    Raises:
        BadRequest: The last message is not text of the assistant, or the fields contradict each other.
    """
    if body.add_generation_prompt is body.continue_final_message:
        said = "an answer is a new message or continues the last one, so it differs from continue_final_message"
        raise BadRequest(f"add_generation_prompt: {said}", param="add_generation_prompt")
    if not body.continue_final_message:
        return messages, ""
    *before, last = messages
    if last["role"] != "assistant" or last["calls"] or not last["content"]:
        said = "continue_final_message: expected a text of the assistant as the last message"
        raise BadRequest(said, param="continue_final_message")
    if not before:
        raise BadRequest("continue_final_message: no message comes before the last one", param="messages")
    return before, last["content"]


def encode_conversation(model: LocalModel, messages: Sequence[Message], offered: Offered, begun: str = "") -> list[int]:
    """Encode a conversation, up to where the assistant continues.

    Args:
        model: The model that reads it.
        messages: The messages.
        offered: The tools.
        begun: The beginning of the answer.

    Raises:
        PromptError: The model cannot read it.
        LimitExceeded: It is longer than the context.
        BadRequest: The tokenizer cannot tokenise a text in the middle of others.
    """
    ids = conversation_ids(model, messages, offered.descriptions)
    if not begun:
        return ids
    merges = model.vocabulary.merges
    if merges is None or (spelled := merges.encode(begun)) is None:
        said = "continue_final_message is not served: the tokenizer of this model cannot tokenise a text within others"
        raise BadRequest(said, param="continue_final_message", code="unsupported_parameter")
    return model.prompt_ids([*ids, *spelled])
