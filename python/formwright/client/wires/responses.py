"""OpenAI's Responses, and those of the servers with the same API.

::

    RESPONSES.write_request(query).body["text"]["format"]["type"]     # 'json_schema'

Cost: building a dict. An answer is a list of items, of which the messages and the calls of functions are
read; nothing is stored at the service (``store`` is false).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from formwright.client.flow.steps import Correction, End, OfferedTool, Reply, Request, TextQuery, UncheckedCall
from formwright.client.transport.failures import is_error, make_event_failure
from formwright.client.wires.wire import (
    add_format_instruction,
    collect_options,
    member,
    read_end,
    read_list,
    read_text,
    read_token_logprobs,
    require_member,
    spell_arguments,
)
from formwright.errors import RequestFailed
from formwright.generation.result import Usage
from formwright.tools.custom import INPUT

__all__ = ["RESPONSES"]

_ENDS: Mapping[str, End] = {"completed": "stop", "content_filter": "content_filter", "max_output_tokens": "length"}
"""By the status of a response, or the reason for which it is incomplete."""

_DELTAS = {
    "response.output_text.delta": "text",
    "response.function_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "arguments",
}


class _Responses:
    options = frozenset({"max_tokens", "temperature", "top_p"})
    has_logprobs = True

    def write_request(self, query: TextQuery) -> Request:
        body: dict[str, Any] = {"model": query.model, "input": _write_input(query), "store": False}
        body |= collect_options(query, max_tokens="max_output_tokens", temperature="temperature", top_p="top_p")
        if query.is_stream:
            body["stream"] = True
        if query.logprobs:
            body["include"] = ["message.output_text.logprobs"]
        return Request("responses", body | _write_form(query) | query.extra, query.is_stream)

    def read_reply(self, body: Mapping[str, Any]) -> Reply:
        if is_error(body) or body.get("status") == "failed":
            raise make_event_failure(body)
        texts: list[str] = []
        tokens: list[tuple[bytes, float]] = []
        refusals: list[str] = []
        calls: list[UncheckedCall] = []
        for item in require_member(body, "output", list):
            kind = require_member(item, "type", str)
            if kind == "function_call":
                name, arguments = require_member(item, "name", str), spell_arguments(item.get("arguments"))
                calls.append(UncheckedCall(name, arguments, member(item, "call_id", str)))
            elif kind == "custom_tool_call":
                name, text = require_member(item, "name", str), member(item, INPUT, str)
                calls.append(UncheckedCall(name, text, member(item, "call_id", str), is_custom=True))
            elif kind == "message":
                content = read_list(item, "content")
                texts.append(read_text([part for part in content if member(part, "type", str) != "refusal"]))
                tokens += [each for part in content for each in read_token_logprobs(member(part, "logprobs", list))]
                refusals += [member(part, "refusal", str) for part in content]
        refusal = "".join(refusals)
        end, usage = _read_end(body, refusal), _read_usage(body)
        return Reply("".join(texts), tuple(calls), end, refusal, usage, body, token_logprobs=tuple(tokens))

    def make_collector(self, query: TextQuery) -> _ResponsesEvents:
        return _ResponsesEvents(query.pieces)


def _write_form(query: TextQuery) -> dict[str, Any]:
    """Write the fields that request a form."""
    if query.tools:
        return _write_tools(query)
    if query.mode == "json_object":
        return {"text": {"format": {"type": "json_object"}}}
    if query.schema is None:
        return {}
    described = {"description": query.description} if query.description else {}
    schema = {"name": query.name, "strict": True, "schema": query.schema, **described}
    return {"text": {"format": {"type": "json_schema", **schema}}}


def _write_tools(query: TextQuery) -> dict[str, Any]:
    """Write the fields that offer tools."""
    kind = "function" if query.tools[0].custom is None else "custom"
    named = {"type": kind, "name": query.required_tool}
    choice: Any = named if query.required_tool is not None else "auto" if query.calls == "auto" else "required"
    one = {"parallel_tool_calls": False} if query.calls == "one" else {}
    return {"tools": [_write_tool(tool) for tool in query.tools], "tool_choice": choice, **one}


def _write_tool(tool: OfferedTool) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    if tool.custom is not None:
        format_ = tool.custom.format
        flat = {"type": format_["type"], **format_.get("grammar", {})}
        return {"type": "custom", "name": tool.name, "format": flat, **described}
    function = {"name": tool.name, "parameters": tool.schema, "strict": tool.is_strict}
    return {"type": "function", **function, **described}


def _write_input(query: TextQuery) -> list[Mapping[str, Any]]:
    messages = add_format_instruction(query.messages, query.instruction)
    for correction in query.corrections:
        messages += _write_correction(correction)
    return messages


def _write_correction(correction: Correction) -> list[Mapping[str, Any]]:
    """Write a wrong answer and its complaint as items."""
    reply = correction.reply
    if not reply.calls:
        return [{"role": "assistant", "content": reply.text}, {"role": "user", "content": correction.complaint}]
    return [
        *map(_write_call, reply.calls),
        *(
            {"type": f"{_name_kind(call)}_output", "call_id": call.id, "output": correction.complaint}
            for call in reply.calls
        ),
    ]


def _write_call(call: UncheckedCall) -> Mapping[str, Any]:
    given = INPUT if call.is_custom else "arguments"
    return {"type": _name_kind(call), "call_id": call.id, "name": call.name, given: call.arguments}


def _name_kind(call: UncheckedCall) -> str:
    return "custom_tool_call" if call.is_custom else "function_call"


def _read_end(body: Mapping[str, Any], refusal: str) -> End:
    if refusal:
        return "refusal"
    if body.get("status") != "incomplete":
        return read_end(body.get("status"), _ENDS)
    return read_end(member(body, "incomplete_details", dict).get("reason") or "max_output_tokens", _ENDS)


def _read_usage(body: Mapping[str, Any]) -> Usage:
    usage = member(body, "usage", dict)
    return Usage(member(usage, "input_tokens", int), member(usage, "output_tokens", int))


class _ResponsesEvents:
    """Collects the events of a response; the last event holds all of it."""

    def __init__(self, pieces: str) -> None:
        self._pieces = pieces
        self._reply: Reply | None = None

    @property
    def is_complete(self) -> bool:
        return self._reply is not None

    is_over = is_complete

    def feed(self, event: Mapping[str, Any]) -> str:
        kind = require_member(event, "type", str)
        if kind in ("error", "response.failed"):
            raise make_event_failure(member(event, "response", dict) or {"error": event})
        if kind in ("response.completed", "response.incomplete", "response.cancelled"):
            self._reply = RESPONSES.read_reply(require_member(event, "response", dict))
        is_shown = kind in _DELTAS and _DELTAS[kind] == self._pieces
        return member(event, "delta", str) if is_shown else ""

    @property
    def reply(self) -> Reply:
        if self._reply is None:
            raise RequestFailed("the stream ended before the response was complete")
        return self._reply


RESPONSES = _Responses()
