"""Anthropic's Messages.

::

    ANTHROPIC.request(query).body["output_config"]["format"]["type"]     # 'json_schema'

The API requires ``max_tokens``, so `MAX_TOKENS` is sent if the caller gives none. Consecutive messages of one role are
merged into one turn, and system messages go into a field of their own. The API of 2026 has no sampling options.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from formwright.client.flow.exchange import Correction, End, OfferedTool, Query, Reply, Request, ToolCall
from formwright.client.transport.failures import failed_event
from formwright.client.wires.shared import (
    arguments_text,
    end_of,
    member,
    must,
    options_of,
    text_of,
    with_instruction,
    written_text,
)
from formwright.errors import PromptError, RequestFailed
from formwright.generation.result import Usage

__all__ = ["ANTHROPIC", "MAX_TOKENS"]

MAX_TOKENS = 4096
"""Tokens at most, where nobody says otherwise."""

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

    def request(self, query: Query) -> Request:
        system, turns = _turns(query)
        body: dict[str, Any] = {"model": query.model, "messages": turns, "max_tokens": MAX_TOKENS}
        body |= {"system": system} if system else {}
        body |= options_of(query, max_tokens="max_tokens", stop="stop_sequences")
        if query.is_stream:
            body["stream"] = True
        return Request("messages", body | _form(query) | query.extra, query.is_stream)

    def reply(self, body: Mapping[str, Any]) -> Reply:
        content = must(body, "content", list)
        text = written_text([block for block in content if must(block, "type", str) == "text"])
        calls = tuple(
            ToolCall(must(block, "name", str), arguments_text(block.get("input", {})), member(block, "id", str))
            for block in content
            if member(block, "type", str) == "tool_use"
        )
        end = end_of(body.get("stop_reason"), _ENDS)
        return Reply(text, calls, end, text if end == "refusal" else "", _usage(body), body)

    def collector(self, query: Query) -> _Events:
        return _Events(query.pieces)


def _form(query: Query) -> dict[str, Any]:
    """The fields that ask for a form."""
    if query.tools:
        return {"tools": [_tool(tool) for tool in query.tools], "tool_choice": _choice(query)}
    if query.schema is None:
        return {}
    return {"output_config": {"format": {"type": "json_schema", "schema": query.schema}}}


def _choice(query: Query) -> dict[str, Any]:
    """Whether tools may be called, or must."""
    if query.calls != "one":
        return {"type": "auto" if query.calls == "auto" else "any"}
    named = {"type": "any"} if query.required_tool is None else {"type": "tool", "name": query.required_tool}
    return {**named, "disable_parallel_tool_use": True}


def _tool(tool: OfferedTool) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    strict = {"strict": True} if tool.is_strict else {}
    return {"name": tool.name, "input_schema": tool.schema, **described, **strict}


def _turns(query: Query) -> tuple[str, list[dict[str, Any]]]:
    """The system prompt, and the turns of user and model."""
    messages = with_instruction(query.messages, query.instruction)
    for correction in query.corrections:
        messages += _messages_of_correction(correction)
    system = [text_of(message.get("content")) for message in messages if message["role"] in ("system", "developer")]
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] in ("system", "developer"):
            continue
        role, blocks = _turn(message)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    if not turns:
        raise PromptError("the conversation has system messages only", hint="add a message of the user")
    return "\n\n".join(text for text in system if text), turns


def _turn(message: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """A message as a turn: text as a block, and blocks of the API as they are."""
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
    if message["role"] == "tool":
        identifier = member(message, "tool_call_id", str)
        return "user", [{"type": "tool_result", "tool_use_id": identifier, "content": blocks}]
    return message["role"], blocks


def _messages_of_correction(correction: Correction) -> list[Mapping[str, Any]]:
    """What the model wrote, and what is wrong with it; a call is answered as a tool would answer it."""
    reply = correction.reply
    if not reply.calls:
        written = [{"role": "assistant", "content": reply.text}] if reply.text.strip() else []  # blank text is refused
        return [*written, {"role": "user", "content": correction.complaint}]
    blocks, calls = member(reply.raw, "content", list), iter(reply.calls)
    used = [_sendable(block, calls) for block in blocks if member(block, "type", str) in ("text", "tool_use")]
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "is_error": True, "content": correction.complaint}
        for call in reply.calls
    ]
    return [{"role": "assistant", "content": used}, {"role": "user", "content": results}]


def _sendable(block: Mapping[str, Any], calls: Iterator[ToolCall]) -> Mapping[str, Any]:
    """A block as the API takes it back: a call with its id, and with its input, which a stream gives as text."""
    if block["type"] == "text":
        return block
    call = next(calls)
    try:
        decoded = json.loads(call.arguments)
    except (ValueError, RecursionError):
        decoded = None
    return {**block, "id": call.id, "input": decoded if isinstance(decoded, dict) else {}}


def _usage(body: Mapping[str, Any]) -> Usage:
    usage = member(body, "usage", dict)
    return Usage(member(usage, "input_tokens", int), member(usage, "output_tokens", int))


class _Events:
    """Events of a message, put together as its blocks."""

    def __init__(self, pieces: str) -> None:
        self._place = {"text": "text", "arguments": "input"}.get(pieces)
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self.is_complete = False

    def feed(self, event: Mapping[str, Any]) -> str:
        kind = must(event, "type", str)
        if kind == "error":
            raise failed_event(event)
        if kind == "message_start":
            self._message = dict(must(event, "message", dict))
        elif kind == "content_block_start":
            self._blocks[member(event, "index", int)] = dict(must(event, "content_block", dict))
        elif kind == "content_block_delta":
            return self._add_delta(member(event, "index", int), must(event, "delta", dict))
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
        return ANTHROPIC.reply({**self._message, "content": blocks})


ANTHROPIC = _Anthropic()
