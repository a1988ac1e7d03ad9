"""Gemini's generateContent.

::

    GEMINI.write_request(query).body["generationConfig"]["responseMimeType"]     # 'application/json'

Cost: building a dict. Calls of functions may have no ids, and an answer that was filtered may have no
candidate at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from formwright.client.flow.steps import Correction, End, OfferedTool, Reply, Request, TextQuery, UncheckedCall
from formwright.client.transport.failures import is_error, make_event_failure
from formwright.client.wires.wire import (
    add_format_instruction,
    collect_options,
    join_text_parts,
    member,
    read_end,
    read_list,
    require_member,
    spell_arguments,
    split_system_messages,
)
from formwright.errors import PromptError, RequestFailed
from formwright.generation.result import Usage

__all__ = ["GEMINI"]

_FILTERED = (
    *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "MODEL_ARMOR"),
    *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
)
_ENDS: Mapping[str, End] = {"STOP": "stop", "MAX_TOKENS": "length", **dict.fromkeys(_FILTERED, "content_filter")}


class _Gemini:
    options = frozenset({"max_tokens", "temperature", "top_k", "top_p", "seed", "stop"})
    has_logprobs = True

    def write_request(self, query: TextQuery) -> Request:
        system, contents = _write_contents(query)
        config = collect_options(
            query,
            max_tokens="maxOutputTokens",
            temperature="temperature",
            top_k="topK",
            top_p="topP",
            seed="seed",
            stop="stopSequences",
        )
        body: dict[str, Any] = {"contents": contents}
        body |= {"systemInstruction": {"parts": [{"text": system}]}} if system else {}
        if query.schema is not None or query.mode == "json_object":
            config["responseMimeType"] = "application/json"
        if query.schema is not None:
            config["responseJsonSchema"] = query.schema
        if query.logprobs:
            config["responseLogprobs"] = True
        body |= {"generationConfig": config} if config else {}
        method = "streamGenerateContent?alt=sse" if query.is_stream else "generateContent"
        path = f"models/{quote(query.model.removeprefix('models/'), safe='')}:{method}"
        return Request(path, body | _write_tools(query) | query.extra, query.is_stream)

    def read_reply(self, body: Mapping[str, Any]) -> Reply:
        candidates = read_list(body, "candidates")
        if not candidates:
            reason = member(member(body, "promptFeedback", dict), "blockReason", str)
            if reason:
                return Reply("", end="content_filter", refusal=reason, usage=_read_usage(body), raw=body)
            raise RequestFailed("the service answered without any candidate", body=str(dict(body))[:200])
        parts = read_list(member(candidates[0], "content", dict), "parts")
        text = join_text_parts([part for part in parts if not member(part, "thought", bool)])
        calls = tuple(
            UncheckedCall(
                require_member(call, "name", str), spell_arguments(call.get("args", {})), member(call, "id", str)
            )
            for part in parts
            if (call := member(part, "functionCall", dict))
        )
        end = read_end(member(candidates[0], "finishReason", str), _ENDS)
        chosen = member(member(candidates[0], "logprobsResult", dict), "chosenCandidates", list)
        tokens = tuple(
            (member(entry, "token", str).encode(), float(member(entry, "logProbability", float))) for entry in chosen
        )
        return Reply(text, calls, end, "", _read_usage(body), body, token_logprobs=tokens)

    def make_collector(self, query: TextQuery) -> _GeminiParts:
        return _GeminiParts(query.pieces)


def _write_tools(query: TextQuery) -> dict[str, Any]:
    """Write the fields that offer functions; the API has no field that limits the answer to one call."""
    if not query.tools:
        return {}
    declared = [_write_function(tool) for tool in query.tools]
    is_strict = all(tool.is_strict for tool in query.tools)
    calling: dict[str, Any] = {"mode": "ANY"}
    if query.calls == "auto":
        calling = {"mode": "VALIDATED" if is_strict else "AUTO"}
    elif query.required_tool is not None:
        calling["allowedFunctionNames"] = [query.required_tool]
    return {"tools": [{"functionDeclarations": declared}], "toolConfig": {"functionCallingConfig": calling}}


def _write_function(tool: OfferedTool) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, "parametersJsonSchema": tool.schema, **described}


def _write_contents(query: TextQuery) -> tuple[str, list[dict[str, Any]]]:
    """Write the system prompt, and the turns of user and model. Raises PromptError."""
    messages = add_format_instruction(query.messages, query.instruction)
    system, others = split_system_messages(messages)
    contents: list[dict[str, Any]] = [
        {"role": _write_role(message["role"]), "parts": _write_parts(message.get("content"))} for message in others
    ]
    for correction in query.corrections:
        contents += _write_correction(correction)
    if not contents:
        raise PromptError("the conversation has system messages only", hint="add a message of the user")
    return system, contents


def _write_role(role: str) -> str:
    return "model" if role == "assistant" else "user"


def _write_parts(content: Any) -> list[Any]:
    """Write text, and text parts of other APIs, as parts of this API; its own parts stay."""
    if isinstance(content, str):
        return [{"text": content}]
    return [
        {"text": part["text"]} if isinstance(part, Mapping) and part.get("type") in ("text", "input_text") else part
        for part in content or ()
    ]


def _write_correction(correction: Correction) -> list[dict[str, Any]]:
    """Write a wrong answer and its complaint as turns; the complaint about a call is the result of its function."""
    reply = correction.reply
    candidates = member(reply.raw, "candidates", list)
    written = member(candidates[0], "content", dict) if candidates else {}
    answers = [
        {"name": call.name, "response": {"error": correction.complaint}} | ({"id": call.id} if call.id else {})
        for call in reply.calls
    ]
    parts = [{"functionResponse": answer} for answer in answers]
    return [
        {"role": "model", "parts": member(written, "parts", list) or [{"text": reply.text}]},
        {"role": "user", "parts": parts or [{"text": correction.complaint}]},
    ]


def _read_usage(body: Mapping[str, Any]) -> Usage:
    usage = member(body, "usageMetadata", dict)
    written = member(usage, "candidatesTokenCount", int) + member(usage, "thoughtsTokenCount", int)
    return Usage(member(usage, "promptTokenCount", int), written)


class _GeminiParts:
    """Collects answers in pieces, each in the shape of a complete answer."""

    def __init__(self, pieces: str) -> None:
        self._pieces = pieces
        self._parts: list[Any] = []
        self._last: dict[str, Any] = {}
        self.is_complete = self.is_over = False  # the stream has no last event: it just ends

    def feed(self, event: Mapping[str, Any]) -> str:
        if is_error(event):
            raise make_event_failure(event)
        self._last |= event
        candidates = read_list(event, "candidates")
        if not candidates:
            is_blocked = bool(member(member(event, "promptFeedback", dict), "blockReason", str))
            self.is_complete = self.is_complete or is_blocked
            return ""
        if member(candidates[0], "finishReason", str):
            self.is_complete = True
        parts = read_list(member(candidates[0], "content", dict), "parts")
        self._parts += parts
        calls = [call for part in parts if (call := member(part, "functionCall", dict))]
        text = join_text_parts([part for part in parts if not member(part, "thought", bool)])
        arguments = "".join(spell_arguments(call.get("args", {})) for call in calls)
        return {"text": text, "arguments": arguments}.get(self._pieces, "")

    @property
    def reply(self) -> Reply:
        candidates = member(self._last, "candidates", list)
        if not candidates:
            return GEMINI.read_reply(self._last)
        candidate = {**candidates[0], "content": {"role": "model", "parts": self._parts}}
        return GEMINI.read_reply({**self._last, "candidates": [candidate]})


GEMINI = _Gemini()
