"""OpenAI's Responses, and those of the servers that speak like it.

::

    RESPONSES.request(query).body["text"]["format"]["type"]     # 'json_schema'

Cost: building a dict. An answer is a list of items, of which the messages and the calls of functions are
read; nothing is stored at the service (``store`` is false).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from formwright.client.flow.exchange import Correction, End, OfferedTool, Query, Reply, Request, ToolCall
from formwright.client.transport.failures import failed_event, is_error
from formwright.client.wires.shared import (
    arguments_text,
    end_of,
    list_of,
    member,
    must,
    options_of,
    with_instruction,
    written_text,
)
from formwright.errors import RequestFailed
from formwright.generation.result import Usage

__all__ = ["RESPONSES"]

_ENDS: Mapping[str, End] = {"completed": "stop", "content_filter": "content_filter", "max_output_tokens": "length"}
"""By the status of a response, or the reason for which it is incomplete."""

_DELTAS = {"response.output_text.delta": "text", "response.function_call_arguments.delta": "arguments"}


class _Responses:
    options = frozenset({"max_tokens", "temperature", "top_p"})

    def request(self, query: Query) -> Request:
        body: dict[str, Any] = {"model": query.model, "input": _input(query), "store": False}
        body |= options_of(query, max_tokens="max_output_tokens", temperature="temperature", top_p="top_p")
        if query.is_stream:
            body["stream"] = True
        return Request("responses", body | _form(query) | query.extra, query.is_stream)

    def reply(self, body: Mapping[str, Any]) -> Reply:
        if is_error(body) or body.get("status") == "failed":
            raise failed_event(body)
        texts: list[str] = []
        refusals: list[str] = []
        calls: list[ToolCall] = []
        for item in must(body, "output", list):
            kind = must(item, "type", str)
            if kind == "function_call":
                name, arguments = must(item, "name", str), arguments_text(item.get("arguments"))
                calls.append(ToolCall(name, arguments, member(item, "call_id", str)))
            elif kind == "message":
                content = list_of(item, "content")
                texts.append(written_text([part for part in content if member(part, "type", str) != "refusal"]))
                refusals += [member(part, "refusal", str) for part in content]
        refusal = "".join(refusals)
        return Reply("".join(texts), tuple(calls), _end(body, refusal), refusal, _usage(body), body)

    def collector(self, query: Query) -> _Events:
        return _Events(query.pieces)


def _form(query: Query) -> dict[str, Any]:
    """The fields that ask for a form."""
    if query.tools:
        return _tools(query)
    if query.mode == "json_object":
        return {"text": {"format": {"type": "json_object"}}}
    if query.schema is None:
        return {}
    described = {"description": query.description} if query.description else {}
    schema = {"name": query.name, "strict": True, "schema": query.schema, **described}
    return {"text": {"format": {"type": "json_schema", **schema}}}


def _tools(query: Query) -> dict[str, Any]:
    """The fields that offer tools."""
    named = {"type": "function", "name": query.required_tool}
    choice: Any = named if query.required_tool is not None else "auto" if query.calls == "auto" else "required"
    one = {"parallel_tool_calls": False} if query.calls == "one" else {}
    return {"tools": [_function(tool) for tool in query.tools], "tool_choice": choice, **one}


def _function(tool: OfferedTool) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    function = {"name": tool.name, "parameters": tool.schema, "strict": tool.is_strict}
    return {"type": "function", **function, **described}


def _input(query: Query) -> list[Mapping[str, Any]]:
    messages = with_instruction(query.messages, query.instruction)
    for correction in query.corrections:
        messages += _messages_of_correction(correction)
    return messages


def _messages_of_correction(correction: Correction) -> list[Mapping[str, Any]]:
    """What the model wrote, and what is wrong with it."""
    reply = correction.reply
    if not reply.calls:
        return [{"role": "assistant", "content": reply.text}, {"role": "user", "content": correction.complaint}]
    return [
        *(
            {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
            for call in reply.calls
        ),
        *({"type": "function_call_output", "call_id": call.id, "output": correction.complaint} for call in reply.calls),
    ]


def _end(body: Mapping[str, Any], refusal: str) -> End:
    if refusal:
        return "refusal"
    if body.get("status") != "incomplete":
        return end_of(body.get("status"), _ENDS)
    return end_of(member(body, "incomplete_details", dict).get("reason") or "max_output_tokens", _ENDS)


def _usage(body: Mapping[str, Any]) -> Usage:
    usage = member(body, "usage", dict)
    return Usage(member(usage, "input_tokens", int), member(usage, "output_tokens", int))


class _Events:
    """Events of a response; its last one has all of it."""

    def __init__(self, pieces: str) -> None:
        self._pieces = pieces
        self._reply: Reply | None = None

    @property
    def is_complete(self) -> bool:
        return self._reply is not None

    is_over = is_complete

    def feed(self, event: Mapping[str, Any]) -> str:
        kind = must(event, "type", str)
        if kind in ("error", "response.failed"):
            raise failed_event(member(event, "response", dict) or {"error": event})
        if kind in ("response.completed", "response.incomplete", "response.cancelled"):
            self._reply = RESPONSES.reply(must(event, "response", dict))
        is_shown = kind in _DELTAS and _DELTAS[kind] == self._pieces
        return member(event, "delta", str) if is_shown else ""

    @property
    def reply(self) -> Reply:
        if self._reply is None:
            raise RequestFailed("the stream ended before the response was complete")
        return self._reply


RESPONSES = _Responses()
