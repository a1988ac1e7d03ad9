"""What is sent is what the SDK's own types say, and events come in the order that they should."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from itertools import groupby
from typing import Any

import pytest

pytest.importorskip("openai")

import httpx
from openai.types import Completion
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

CHAT, RESPONSES, COMPLETIONS = "/v1/chat/completions", "/v1/responses", "/v1/completions"
MODEL = {"model": "formwright-tiny", "temperature": 0}
FUNCTION = {"name": "f", "parameters": {"type": "object", "properties": {"x": {"enum": [1, "a"]}}, "required": ["x"]}}
DIAL = {"syntax": "regex", "definition": "[0-9]{4}"}
NEST = {"syntax": "lark", "definition": 'start: ("(" DIGIT ")" | "\\"" DIGIT)~1..3\nDIGIT: /[0-9]/'}
OBJECT = {"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"], "additionalProperties": False}

CHATS: dict[str, dict[str, Any]] = {
    "text": {"max_tokens": 6},
    "several": {"max_tokens": 6, "n": 3, "temperature": 1},
    "schema": {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": OBJECT}}},
    "logprobs": {"max_tokens": 6, "logprobs": True, "top_logprobs": 2},
    "tool": {
        "tools": [{"type": "function", "function": FUNCTION}],
        "tool_choice": "required",
        "parallel_tool_calls": False,
    },
    "custom": {
        "tools": [{"type": "custom", "custom": {"name": "dial", "format": {"type": "grammar", "grammar": DIAL}}}],
        "tool_choice": "required",
        "parallel_tool_calls": False,
    },
    "thought": {"reasoning_effort": "minimal", "guided_regex": "[0-9]"},
    "trace": {"trace": True, "guided_choice": ["a", "b"]},
}
ANSWERS: dict[str, dict[str, Any]] = {
    "text": {"max_output_tokens": 1},
    "schema": {"text": {"format": {"type": "json_schema", "name": "n", "schema": OBJECT, "strict": True}}},
    "logprobs": {"max_output_tokens": 1, "include": ["message.output_text.logprobs"], "top_logprobs": 2},
    "tool": {"tools": [{"type": "function", **FUNCTION}], "tool_choice": "required", "parallel_tool_calls": False},
    "custom": {
        "tools": [{"type": "custom", "name": "dial", "format": {"type": "grammar", **DIAL}}],
        "tool_choice": {"type": "custom", "name": "dial"},
    },
    "custom grammar": {
        "tools": [{"type": "custom", "name": "nest", "format": {"type": "grammar", **NEST}}],
        "tool_choice": {"type": "custom", "name": "nest"},
    },
    "thought": {"reasoning": {"effort": "minimal"}, "guided_regex": "[0-9]"},
    "instructions": {"instructions": "Be brief.", "max_output_tokens": 3, "trace": True},
}
TEXTS: dict[str, dict[str, Any]] = {
    "text": {"max_tokens": 6},
    "several": {"prompt": ["a", "b"], "n": 2, "max_tokens": 4, "temperature": 1},
    "tokens": {"prompt": [5, 6, 7], "max_tokens": 4},
    "logprobs": {"max_tokens": 6, "logprobs": 2},
    "form": {"guided_regex": "[ab]{4}", "trace": True},
}


@pytest.fixture
def events(served: Any) -> Callable[..., list[tuple[str, Any]]]:
    """The events of a stream: names and data."""

    def ask(path: str, body: dict[str, Any]) -> list[tuple[str, Any]]:
        with httpx.stream("POST", served.url + path, json=body | {"stream": True}, timeout=60) as answer:
            assert answer.status_code == 200, answer.read()
            assert answer.headers["content-type"].startswith("text/event-stream")
            blocks = answer.read().decode().split("\n\n")
        assert blocks.pop() == ""
        found = []
        for block in blocks:
            lines = dict(line.split(": ", 1) for line in block.split("\n"))
            found.append(
                (lines.get("event", ""), lines["data"] if lines["data"] == "[DONE]" else json.loads(lines["data"]))
            )
        return found

    return ask


reader_of = functools.cache(TypeAdapter)


def strict(type_: Any, data: Any) -> Any:
    """Read as the SDK's type, with nothing converted."""
    return reader_of(type_).validate_json(json.dumps(data), strict=True)


@pytest.mark.parametrize("name", CHATS)
def test_a_chat_completion(post: Callable[..., Any], name: str) -> None:
    status, answer = post(CHAT, MODEL | {"messages": [{"role": "user", "content": "Hi"}]} | CHATS[name])
    assert status == 200, answer
    found = strict(ChatCompletion, answer)
    assert [choice.index for choice in found.choices] == list(range(CHATS[name].get("n", 1)))
    assert found.object == "chat.completion"


@pytest.mark.parametrize("name", CHATS)
def test_the_chunks_of_a_chat_completion(events: Any, name: str) -> None:
    options = {"stream_options": {"include_usage": True}}
    sent = events(CHAT, MODEL | {"messages": [{"role": "user", "content": "Hi"}]} | CHATS[name] | options)
    assert sent.pop() == ("", "[DONE]")
    if name == "custom":  # the SDK reads these calls, but its types name functions only
        for choice in [choice for _, data in sent for choice in data["choices"]]:
            choice["delta"].pop("tool_calls", None)
    chunks = [strict(ChatCompletionChunk, data) for _, data in sent]
    assert len({chunk.id for chunk in chunks}) == 1
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert all(data["usage"] is None for _, data in sent[:-1])
    for number in range(CHATS[name].get("n", 1)):
        own = [choice for chunk in chunks for choice in chunk.choices if choice.index == number]
        assert own[0].delta.role == "assistant"
        assert [choice.finish_reason is not None for choice in own] == [False] * (len(own) - 1) + [True]


@pytest.mark.parametrize("name", TEXTS)
def test_a_completion(post: Callable[..., Any], name: str) -> None:
    status, answer = post(COMPLETIONS, MODEL | {"prompt": "Hi"} | TEXTS[name])
    assert status == 200, answer
    found = strict(Completion, answer)
    assert [choice.index for choice in found.choices] == list(range(len(found.choices)))


@pytest.mark.parametrize("name", TEXTS)
def test_the_chunks_of_a_completion(post: Callable[..., Any], events: Any, name: str) -> None:
    body = MODEL | {"prompt": "Hi", "seed": 1} | TEXTS[name]
    sent = events(COMPLETIONS, body)
    assert sent.pop() == ("", "[DONE]")
    texts: dict[int, str] = {}
    for _, data in sent:
        for choice in strict(
            Completion,
            data | {"choices": [c | {"finish_reason": c["finish_reason"] or "stop"} for c in data["choices"]]},
        ).choices:
            texts[choice.index] = texts.get(choice.index, "") + choice.text
    _, whole = post(COMPLETIONS, body)
    assert [texts[number] for number in sorted(texts)] == [choice["text"] for choice in whole["choices"]]


@pytest.mark.parametrize("name", ANSWERS)
def test_a_response(post: Callable[..., Any], name: str) -> None:
    status, answer = post(RESPONSES, MODEL | {"input": "Hi"} | ANSWERS[name])
    assert status == 200, answer
    found = strict(Response, answer)
    assert found.status == ("incomplete" if "max_output_tokens" in ANSWERS[name] else "completed")
    assert found.usage is not None


ORDERS = {
    "text": [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.incomplete",
    ],
    "tool": [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
    ],
    "custom": [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.custom_tool_call_input.delta",
        "response.custom_tool_call_input.done",
        "response.output_item.done",
        "response.completed",
    ],
    "thought": [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.reasoning_text.delta",
        "response.reasoning_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ],
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_events_of_a_response(post: Callable[..., Any], events: Any, name: str) -> None:
    sent = events(RESPONSES, MODEL | {"input": "Hi"} | ANSWERS[name])
    for event, data in sent:
        assert event == data["type"]
        strict(ResponseStreamEvent, data)
    assert [data["sequence_number"] for _, data in sent] == list(range(len(sent)))
    if (order := ORDERS.get(name.partition(" ")[0])) is not None:
        assert [event for event, _ in groupby(event for event, _ in sent)] == order
    last = sent[-1][1]["response"]
    _, whole = post(RESPONSES, MODEL | {"input": "Hi"} | ANSWERS[name])
    assert _without_ids(last["output"]) == _without_ids(whole["output"])
    assert last["usage"] == whole["usage"]


def _without_ids(items: Any) -> Any:
    return [{name: value for name, value in item.items() if name not in ("id", "call_id")} for item in items]
