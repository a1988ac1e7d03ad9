"""Anthropic's Messages.

::

    ANTHROPIC.write_request(query).body["output_config"]["format"]["type"]     # 'json_schema'

The API requires ``max_tokens``, so `MAX_TOKENS` is sent if the caller gives none. Consecutive messages of one role are
merged into one turn, and system messages go into a field of their own. The API of 2026 has no sampling options.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from formwright.client.flow.steps import Correction, End, OfferedTool, Reply, Request, TextQuery, UncheckedCall
from formwright.client.transport.failures import make_event_failure
from formwright.client.wires.wire import (
    add_format_instruction,
    collect_options,
    member,
    read_end,
    read_text,
    require_member,
    spell_arguments,
    split_system_messages,
)
from formwright.errors import PromptError, RequestFailed
from formwright.generation.result import Usage

__all__ = ["ANTHROPIC", "MAX_TOKENS"]

MAX_TOKENS = 4096
"""The default of ``max_tokens``, which the API requires."""

_ENDS: Mapping[str, End] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


class _Anthropic:
    options = frozenset({"max_tokens", "stop"})
    has_logprobs = False

    def write_request(self, query: TextQuery) -> Request:
        system, turns = _write_turns(query)
        body: dict[str, Any] = {"model": query.model, "messages": turns, "max_tokens": MAX_TOKENS}
        body |= {"system": system} if system else {}
        body |= collect_options(query, max_tokens="max_tokens", stop="stop_sequences")
        if query.is_stream:
            body["stream"] = True
        return Request("messages", body | _write_form(query) | query.extra, query.is_stream)

    def read_reply(self, body: Mapping[str, Any]) -> Reply:
        content = require_member(body, "content", list)
        text = read_text([block for block in content if require_member(block, "type", str) == "text"])
        calls = tuple(
            UncheckedCall(
                require_member(block, "name", str), spell_arguments(block.get("input", {})), member(block, "id", str)
            )
            for block in content
            if member(block, "type", str) == "tool_use"
        )
        end = read_end(body.get("stop_reason"), _ENDS)
        return Reply(text, calls, end, text if end == "refusal" else "", _read_usage(body), body)

    def make_collector(self, query: TextQuery) -> _AnthropicEvents:
        return _AnthropicEvents(query.pieces)


def _write_form(query: TextQuery) -> dict[str, Any]:
    """Write the fields that request a form."""
    if query.tools:
        return {"tools": [_write_tool(tool) for tool in query.tools], "tool_choice": _write_choice(query)}
    if query.schema is None:
        return {}
    return {"output_config": {"format": {"type": "json_schema", "schema": query.schema}}}


def _write_choice(query: TextQuery) -> dict[str, Any]:
    """Write whether tools may be called, or must."""
    if query.calls != "one":
        return {"type": "auto" if query.calls == "auto" else "any"}
    named = {"type": "any"} if query.required_tool is None else {"type": "tool", "name": query.required_tool}
    return {**named, "disable_parallel_tool_use": True}


def _write_tool(tool: OfferedTool) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    strict = {"strict": True} if tool.is_strict else {}
    return {"name": tool.name, "input_schema": tool.schema, **described, **strict}


def _write_turns(query: TextQuery) -> tuple[str, list[dict[str, Any]]]:
    """Write the system prompt, and the turns of user and model. Raises PromptError."""
    messages = add_format_instruction(query.messages, query.instruction)
    for correction in query.corrections:
        messages += _write_correction(correction)
    system, others = split_system_messages(messages)
    turns: list[dict[str, Any]] = []
    for message in others:
        role, blocks = _write_turn(message)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    if not turns:
        raise PromptError("the conversation has system messages only", hint="add a message of the user")
    return system, turns


def _write_turn(message: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Write a message as a turn: text becomes a block, and blocks of the API stay."""
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
    if message["role"] == "tool":
        identifier = member(message, "tool_call_id", str)
        return "user", [{"type": "tool_result", "tool_use_id": identifier, "content": blocks}]
    return message["role"], blocks


def _write_correction(correction: Correction) -> list[Mapping[str, Any]]:
    """Write a wrong answer and its complaint as messages; the complaint about a call is the result of its tool."""
    reply = correction.reply
    if not reply.calls:
        written = (
            [{"role": "assistant", "content": reply.text}] if reply.text.strip() else []
        )  # the API refuses blank text
        return [*written, {"role": "user", "content": correction.complaint}]
    blocks, calls = member(reply.raw, "content", list), iter(reply.calls)
    used = [_restore_block(block, calls) for block in blocks if member(block, "type", str) in ("text", "tool_use")]
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "is_error": True, "content": correction.complaint}
        for call in reply.calls
    ]
    return [{"role": "assistant", "content": used}, {"role": "user", "content": results}]


def _restore_block(block: Mapping[str, Any], calls: Iterator[UncheckedCall]) -> Mapping[str, Any]:
    """Make a block that the API accepts again: a call has its id, and its input as an object, not as text."""
    if block["type"] == "text":
        return block
    call = next(calls)
    try:
        decoded = json.loads(call.arguments)
    except (ValueError, RecursionError):
        decoded = None
    return {**block, "id": call.id, "input": decoded if isinstance(decoded, dict) else {}}


def _read_usage(body: Mapping[str, Any]) -> Usage:
    usage = member(body, "usage", dict)
    return Usage(member(usage, "input_tokens", int), member(usage, "output_tokens", int))


class _AnthropicEvents:
    """Collects the events of a message into its blocks."""

    def __init__(self, pieces: str) -> None:
        self._place = {"text": "text", "arguments": "input"}.get(pieces)
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self.is_complete = False

    def feed(self, event: Mapping[str, Any]) -> str:
        kind = require_member(event, "type", str)
        if kind == "error":
            raise make_event_failure(event)
        if kind == "message_start":
            self._message = dict(require_member(event, "message", dict))
        elif kind == "content_block_start":
            self._blocks[member(event, "index", int)] = dict(require_member(event, "content_block", dict))
        elif kind == "content_block_delta":
            return self._add_delta(member(event, "index", int), require_member(event, "delta", dict))
        elif kind == "message_delta":
            self._message |= member(event, "delta", dict)
            self._message["usage"] = member(self._message, "usage", dict) | member(event, "usage", dict)
        elif kind == "message_stop":
            self.is_complete = True
        return ""

    @property
    def is_over(self) -> bool:
        return self.is_complete

    def _add_delta(self, index: int, delta: Mapping[str, Any]) -> str:
        if index not in self._blocks:
            raise RequestFailed(f"the service sent a piece of the block {index}, which has not begun")
        block = self._blocks[index]
        for kind, place in (("text", "text"), ("partial_json", "input")):
            if isinstance(piece := delta.get(kind), str):
                known = block.get(place)
                block[place] = known + piece if isinstance(known, str) else piece
                return piece if place == self._place else ""
        return ""

    @property
    def reply(self) -> Reply:
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        return ANTHROPIC.read_reply({**self._message, "content": blocks})


ANTHROPIC = _Anthropic()
