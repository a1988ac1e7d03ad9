"""Chat completions: OpenAI's, and those of the servers with the same API.

::

    CHAT.write_request(query).body["response_format"]["type"]     # 'json_schema'

Cost: building a dict. OpenAI's own models require ``max_completion_tokens``, which most other servers do
not know; `formwright.client.plans.services` has the name for each service.
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

__all__ = ["CHAT"]

_ENDS: Mapping[str, End] = {
    **dict.fromkeys(("stop", "tool_calls", "function_call", "eos", "eos_token", "stop_sequence", "end_turn"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "model_length"), "length"),
    **dict.fromkeys(("content_filter", "safety", "sensitive"), "content_filter"),
    "refusal": "refusal",
}
"""By the reason in lower case, also the reasons of other APIs, which some servers pass on."""


class _Chat:
    options = frozenset({"max_tokens", "temperature", "top_k", "top_p", "seed", "stop"})
    has_logprobs = True

    def write_request(self, query: TextQuery) -> Request:
        body: dict[str, Any] = {"model": query.model, "messages": _write_messages(query)}
        body |= collect_options(
            query, temperature="temperature", top_k="top_k", top_p="top_p", seed="seed", stop="stop"
        )
        body |= collect_options(query, max_tokens=query.max_tokens_name)
        if query.is_stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        body |= {"logprobs": True} if query.logprobs else {}
        return Request("chat/completions", body | _write_form(query) | query.extra, query.is_stream)

    def read_reply(self, body: Mapping[str, Any]) -> Reply:
        choices = require_member(body, "choices", list)
        if not choices:
            raise RequestFailed("the service answered without any choice", body=str(dict(body))[:200])
        if is_error(choices[0] if isinstance(choices[0], Mapping) else {}):
            raise make_event_failure(choices[0])
        message = require_member(choices[0], "message", dict)
        calls = tuple(_read_call(call) for call in read_list(message, "tool_calls"))
        refusal = member(message, "refusal", str)
        end = "refusal" if refusal else _read_end(choices[0].get("finish_reason"))
        tokens = _read_logprobs(choices[0])
        text, usage = read_text(message.get("content")), _read_usage(body)
        return Reply(text, calls, end, refusal, usage, body, token_logprobs=tokens)

    def make_collector(self, query: TextQuery) -> _ChatChunks:
        return _ChatChunks(query.pieces)


def _read_logprobs(choice: Any) -> tuple[tuple[bytes, float], ...]:
    return read_token_logprobs(member(member(choice, "logprobs", dict), "content", list))


def _write_form(query: TextQuery) -> dict[str, Any]:
    """Write the fields that request a form."""
    if query.tools:
        return _write_tools(query)
    if query.mode == "json_object":
        return {"response_format": {"type": "json_object"}}
    if query.schema is None:
        return {}
    described = {"description": query.description} if query.description else {}
    schema = {"name": query.name, "strict": True, "schema": query.schema, **described}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _write_tools(query: TextQuery) -> dict[str, Any]:
    """Write the fields that offer tools."""
    tools = [_write_tool(tool) for tool in query.tools]
    if query.required_tool is not None:
        kind = tools[0]["type"]
        return {"tools": tools, "tool_choice": {"type": kind, kind: {"name": query.required_tool}}}
    if query.calls == "one":
        return {"tools": tools, "tool_choice": "required", "parallel_tool_calls": False}
    return {"tools": tools, "tool_choice": query.calls}


def _write_tool(tool: OfferedTool) -> dict[str, Any]:
    if tool.custom is None:
        return {"type": "function", "function": _write_function(tool)}
    described = {"description": tool.description} if tool.description else {}
    return {"type": "custom", "custom": {"name": tool.name, "format": tool.custom.format, **described}}


def _write_function(tool: OfferedTool) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    strict = {"strict": True} if tool.is_strict else {}
    return {"name": tool.name, "parameters": tool.schema, **described, **strict}


def _write_messages(query: TextQuery) -> list[Mapping[str, Any]]:
    messages = add_format_instruction(query.messages, query.instruction)
    for correction in query.corrections:
        messages += _write_correction(correction)
    return messages


def _write_correction(correction: Correction) -> list[Mapping[str, Any]]:
    """Write a wrong answer and its complaint as messages; the complaint about a call is the result of its tool."""
    reply = correction.reply
    if not reply.calls:
        return [{"role": "assistant", "content": reply.text}, {"role": "user", "content": correction.complaint}]
    calls = [_write_call(call) for call in reply.calls]
    answers = [{"role": "tool", "tool_call_id": call.id, "content": correction.complaint} for call in reply.calls]
    return [{"role": "assistant", "content": reply.text or None, "tool_calls": calls}, *answers]


def _write_call(call: UncheckedCall) -> Mapping[str, Any]:
    kind, given = ("custom", INPUT) if call.is_custom else ("function", "arguments")
    return {"id": call.id, "type": kind, kind: {"name": call.name, given: call.arguments}}


def _read_call(call: Any) -> UncheckedCall:
    if (custom := member(call, "custom", dict)) != {}:
        return UncheckedCall(
            require_member(custom, "name", str), member(custom, INPUT, str), member(call, "id", str), is_custom=True
        )
    function = require_member(call, "function", dict)
    return UncheckedCall(
        require_member(function, "name", str), spell_arguments(function.get("arguments")), member(call, "id", str)
    )


def _read_end(reason: Any) -> End:
    """Read why a choice ends; the name of a filter may precede what it has found. Raises RequestFailed."""
    if not isinstance(reason, str | None):
        raise RequestFailed(f"the service gave {str(reason)[:80]} as the reason of an end")
    known = reason and reason.lower().partition(":")[0]
    return read_end(known if known in _ENDS else reason, _ENDS)


def _read_usage(body: Mapping[str, Any]) -> Usage:
    usage = member(body, "usage", dict)
    return Usage(member(usage, "prompt_tokens", int), member(usage, "completion_tokens", int))


class _ChatChunks:
    """Collects the chunks of a chat completion; the pieces of calls are the arguments of the first."""

    def __init__(self, pieces: str) -> None:
        self._pieces = pieces
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._calls: dict[int, list[str]] = {}
        self._custom: set[int] = set()
        self._end: End = "stop"
        self._usage = Usage()
        self._tokens: list[tuple[bytes, float]] = []
        self._last: Mapping[str, Any] = {}
        self.is_complete = self.is_over = False

    def feed(self, event: Mapping[str, Any]) -> str:
        if is_error(event):
            raise make_event_failure(event)
        self._last = event
        if event.get("usage"):
            self._usage, self.is_over = _read_usage(event), self.is_complete  # usage comes after the end of the text
        choices = require_member(event, "choices", list)
        if not choices:
            return ""
        choice = choices[0]
        if not isinstance(choice, Mapping) or is_error(choice):
            raise make_event_failure(choice if isinstance(choice, Mapping) else event)
        self._tokens += _read_logprobs(choice)
        added = self._add_delta(require_member(choice, "delta", dict)) if choice.get("delta") is not None else ""
        if choice.get("finish_reason"):
            self.is_complete, self._end = True, _read_end(choice["finish_reason"])
        return added

    def _add_delta(self, delta: Mapping[str, Any]) -> str:
        text = read_text(delta.get("content"))
        self._text.append(text)
        self._refusal.append(member(delta, "refusal", str))
        arguments = "".join(map(self._add_call, read_list(delta, "tool_calls")))
        return {"text": text, "arguments": arguments}.get(self._pieces, "")

    def _add_call(self, call: Any) -> str:
        number, own = member(call, "index", int), member(call, "id", str)
        if own and self._calls.get(number, ("", "", ""))[2] not in ("", own):
            number = max(self._calls) + 1  # some servers give every call the index 0
        custom, function = member(call, "custom", dict), member(call, "function", dict)
        self._custom |= {number} if custom else set()
        known = self._calls.setdefault(number, ["", "", ""])
        known[0] += member(custom or function, "name", str)
        known[1] += (piece := member(custom, INPUT, str) if custom else spell_arguments(function.get("arguments")))
        known[2] = known[2] or own
        return piece if number == min(self._calls) else ""

    @property
    def reply(self) -> Reply:
        calls = tuple(
            UncheckedCall(name, given, own, is_custom=number in self._custom)
            for number, (name, given, own) in sorted(self._calls.items())
        )
        refusal = "".join(self._refusal)
        end = "refusal" if refusal else self._end
        text, tokens = "".join(self._text), tuple(self._tokens)
        return Reply(text, calls, end, refusal, self._usage, self._last, token_logprobs=tokens)


CHAT = _Chat()
