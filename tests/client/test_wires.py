"""What is sent, judged by the types of each SDK; what comes back, whole and in pieces, is read as the same reply."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from pydantic import TypeAdapter

from formwright.client.exchange import Correction, Query, Reply, ToolCall
from formwright.client.wires import WIRES
from formwright.generation.result import Usage

SCHEMA = {
    "type": "object",
    "properties": {"age": {"type": "integer"}},
    "required": ["age"],
    "additionalProperties": False,
}
MODES: list[Any] = ["strict", "tools", "json_object", "instructions"]
CONVERSATION = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Ada?"},
    {"role": "assistant", "content": "Who?"},
    {"role": "user", "content": [{"type": "text", "text": "Ada Lovelace."}]},
]


def query(mode: Any, *, is_stream: bool = False, called: bool = False, **options: Any) -> Query:
    """An order with everything in it."""
    calls = (ToolCall("Person", '{"age": "x"}', "call_1"),) if called else ()
    raws = {
        "content": [{"type": "tool_use", "id": "call_1", "name": "Person", "input": {"age": "x"}}],
        "candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "Person", "args": {}}}]}}],
    }
    reply = Reply("" if called else '{"age": "x"}', calls, raw=raws if called else {})
    return Query(
        model="m",
        messages=CONVERSATION,
        mode=mode,
        schema=SCHEMA if mode in ("strict", "tools") else None,
        name="Person",
        description="Somebody.",
        instruction="Answer with JSON only.",
        corrections=(Correction(reply, "age is no number"),),
        is_stream=is_stream,
        max_tokens=100,
        **options,
    )


CASES = [(mode, is_stream, called) for mode in MODES for is_stream in (False, True) for called in (False, True)]


@pytest.mark.parametrize(("mode", "is_stream", "called"), CASES)
def test_chat_completions_as_openai_types_them(mode: Any, is_stream: bool, called: bool) -> None:
    openai = pytest.importorskip("openai", reason="the openai SDK is not installed")
    types = openai.types.chat.completion_create_params
    asked = query(mode, is_stream=is_stream, called=called, temperature=0.5, seed=1, top_p=0.9, stop=("END",))
    body = _json(WIRES["openai"].request(asked).body)
    kind = types.CompletionCreateParamsStreaming if is_stream else types.CompletionCreateParamsNonStreaming
    _valid(kind, body)
    assert body["messages"][0]["content"] == "Be brief.\n\nAnswer with JSON only."
    assert "age is no number" in json.dumps(body["messages"][-1])


@pytest.mark.parametrize(("mode", "is_stream", "called"), CASES)
def test_responses_as_openai_types_them(mode: Any, is_stream: bool, called: bool) -> None:
    openai = pytest.importorskip("openai", reason="the openai SDK is not installed")
    types = openai.types.responses.response_create_params
    body = _json(WIRES["responses"].request(query(mode, is_stream=is_stream, called=called, temperature=0.5)).body)
    kind = types.ResponseCreateParamsStreaming if is_stream else types.ResponseCreateParamsNonStreaming
    _valid(kind, body | {"input": []})  # messages in a list are typed by way of the items that came back
    assert [item.get("role") for item in body["input"][:2]] == ["system", "user"]


@pytest.mark.parametrize(("mode", "is_stream", "called"), CASES)
def test_messages_as_anthropic_types_them(mode: Any, is_stream: bool, called: bool) -> None:
    anthropic = pytest.importorskip("anthropic", reason="the anthropic SDK is not installed")
    types = anthropic.types.message_create_params
    asked = query(mode, is_stream=is_stream, called=called, stop=("END",))
    request = WIRES["anthropic"].request(asked)
    body = _json(request.body)
    kind = types.MessageCreateParamsStreaming if is_stream else types.MessageCreateParamsNonStreaming
    _valid(kind, body)
    assert request.path == "messages"
    roles = [turn["role"] for turn in body["messages"]]
    assert all(one != other for one, other in pairwise(roles))
    assert body["system"] == "Be brief.\n\nAnswer with JSON only."


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("mode", "is_stream", "called"), CASES)
def test_contents_as_google_types_them(mode: Any, is_stream: bool, called: bool) -> None:
    types = pytest.importorskip("google.genai.types", reason="the google-genai SDK is not installed")
    asked = query(mode, is_stream=is_stream, called=called, temperature=0.5, top_k=5, top_p=0.9, seed=3, stop=("END",))
    request = WIRES["gemini"].request(asked)
    body = _json(request.body)
    assert request.path.startswith("models/m:")
    known = {"contents", "systemInstruction", "generationConfig", "tools", "toolConfig"}
    assert body.keys() <= known
    for content in [*body["contents"], body["systemInstruction"]]:
        _strictly(types.Content, content)
    _strictly(types.GenerationConfig, body["generationConfig"])
    for tool in body.get("tools", []):
        _strictly(types.Tool, tool)
    if "toolConfig" in body:
        _strictly(types.ToolConfig, body["toolConfig"])


def _json(body: Any) -> Any:
    return json.loads(json.dumps(body))


def _valid(kind: Any, body: Any) -> None:
    """The body is of the type, and has no fields that the type does not know."""
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    adapter.validate_python(body)
    assert body.keys() <= set(kind.__annotations__) | {
        name for base in kind.__orig_bases__ for name in getattr(base, "__annotations__", {})
    }


def _strictly(kind: Any, value: Any) -> None:
    """The value is of the type of Google's SDK, whose models refuse other fields."""
    assert kind.model_config.get("extra") == "forbid"
    kind.model_validate(value)


TEXT = '{"name": "é😀", "age": 36}'
PIECES = ['{"name": "é', '😀", "a', 'ge": 36}']
USAGE = Usage(12, 7)


def _chat(is_call: bool) -> tuple[Any, list[Any]]:
    name = {"name": "Person", "arguments": TEXT}
    calls = [{"id": "c1", "type": "function", "function": name}]
    message = {"role": "assistant", "content": None, "tool_calls": calls} if is_call else {"content": TEXT}
    counted = {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19}
    end = "tool_calls" if is_call else "stop"
    whole = {"choices": [{"index": 0, "message": message, "finish_reason": end}], "usage": counted}
    deltas: list[Any] = [{"content": piece} for piece in PIECES]
    if is_call:
        deltas = [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in PIECES]
        deltas[0]["tool_calls"][0] |= {"id": "c1", "function": {"name": "Person", "arguments": PIECES[0]}}
    events = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": end}]}
    return whole, [*events, last, {"choices": [], "usage": counted}]


def _responses(is_call: bool) -> tuple[Any, list[Any]]:
    item: dict[str, Any] = {"type": "message", "content": [{"type": "output_text", "text": TEXT}]}
    if is_call:
        item = {"type": "function_call", "name": "Person", "arguments": TEXT, "call_id": "c1"}
    counted = {"input_tokens": 12, "output_tokens": 7}
    whole = {"status": "completed", "output": [{"type": "reasoning", "summary": []}, item], "usage": counted}
    kind = "response.function_call_arguments.delta" if is_call else "response.output_text.delta"
    events = [{"type": kind, "delta": piece} for piece in PIECES]
    created = {"type": "response.created", "response": {"status": "in_progress", "output": []}}
    return whole, [created, *events, {"type": "response.completed", "response": whole}]


def _anthropic(is_call: bool) -> tuple[Any, list[Any]]:
    block = {"type": "text", "text": TEXT}
    if is_call:
        block = {"type": "tool_use", "id": "c1", "name": "Person", "input": json.loads(TEXT)}
    end = "tool_use" if is_call else "end_turn"
    usage = {"input_tokens": 12, "output_tokens": 7}
    whole = {"type": "message", "role": "assistant", "content": [block], "stop_reason": end, "usage": usage}
    empty = {**block, "input": {}} if is_call else {"type": "text", "text": ""}
    delta = ("input_json_delta", "partial_json") if is_call else ("text_delta", "text")
    message = {**whole, "content": [], "stop_reason": None, "usage": {"input_tokens": 12, "output_tokens": 1}}
    return whole, [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "ping"},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": delta[0], delta[1]: piece}}
            for piece in PIECES
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": end}, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    ]


def _gemini(is_call: bool) -> tuple[Any, list[Any]]:
    counted = {"promptTokenCount": 12, "candidatesTokenCount": 5, "thoughtsTokenCount": 2}
    parts: list[Any] = [{"text": "hm", "thought": True}, {"text": TEXT}]
    if is_call:
        parts = [{"functionCall": {"name": "Person", "args": json.loads(TEXT)}}]
    whole = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
    pieces: list[Any] = parts if is_call else [{"text": "hm", "thought": True}, *({"text": piece} for piece in PIECES)]
    events: list[Any] = [{"candidates": [{"content": {"role": "model", "parts": [piece]}}]} for piece in pieces]
    events[-1]["candidates"][0]["finishReason"] = "STOP"
    events[-1]["usageMetadata"] = counted
    return whole | {"usageMetadata": counted}, events


ANSWERS = {"openai": _chat, "responses": _responses, "anthropic": _anthropic, "gemini": _gemini}


@pytest.mark.parametrize("is_call", [False, True])
@pytest.mark.parametrize("api", ANSWERS)
def test_an_answer_is_the_same_whole_and_in_pieces(api: str, is_call: bool) -> None:
    whole, events = ANSWERS[api](is_call)
    collector = WIRES[api].collector(query("strict"))
    text = "".join(collector.feed(event) for event in events)
    assert collector.is_complete
    found = [collector.reply, WIRES[api].reply(whole)]
    for reply in found:
        assert (reply.end, reply.usage) == ("stop", USAGE)
        assert [call.name for call in reply.calls] == (["Person"] if is_call else [])
        assert json.loads(reply.calls[0].arguments if is_call else reply.text) == json.loads(TEXT)
    assert json.loads(text) == json.loads(TEXT)


ENDS = [
    ("openai", {"choices": [{"message": {"content": "x"}, "finish_reason": "length"}]}, "length"),
    ("openai", {"choices": [{"message": {"content": "x"}, "finish_reason": "content_filter"}]}, "content_filter"),
    ("openai", {"choices": [{"message": {"content": None, "refusal": "no"}, "finish_reason": "stop"}]}, "refusal"),
    (
        "responses",
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []},
        "length",
    ),
    (
        "responses",
        {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []},
        "content_filter",
    ),
    (
        "responses",
        {"status": "completed", "output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]},
        "refusal",
    ),
    ("anthropic", {"content": [], "stop_reason": "max_tokens"}, "length"),
    ("anthropic", {"content": [], "stop_reason": "model_context_window_exceeded"}, "length"),
    ("anthropic", {"content": [{"type": "text", "text": "no"}], "stop_reason": "refusal"}, "refusal"),
    ("gemini", {"candidates": [{"content": {"parts": []}, "finishReason": "MAX_TOKENS"}]}, "length"),
    ("gemini", {"candidates": [{"finishReason": "SAFETY"}]}, "content_filter"),
    ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}, "content_filter"),
]


@pytest.mark.parametrize(("api", "body", "end"), ENDS)
def test_ends(api: str, body: Any, end: str) -> None:
    assert WIRES[api].reply(body).end == end
