"""Requests and answers of each API, held against the types of its SDK."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any, get_args

import pytest

from formwright.client.flow.steps import Correction, OfferedTool, Reply, TextQuery, UncheckedCall
from formwright.client.transport.event_reader import EventReader
from formwright.client.wires import WIRES
from formwright.errors import RequestFailed
from formwright.generation.result import Mode, Usage

pydantic = pytest.importorskip("pydantic", reason="formwright[client] is not installed")

MODES = get_args(Mode)
SCHEMA = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
TEXT, IMAGE = {"type": "text", "text": "What is this?"}, "data:image/png;base64,AAAA"

TALKS: dict[str, list[dict[str, Any]]] = {
    "openai": [
        {"role": "system", "content": "Be brief."},
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": [TEXT, {"type": "image_url", "image_url": {"url": IMAGE}}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "a cat"},
        {"role": "assistant", "content": "A cat."},
        {"role": "user", "content": "How old?"},
    ],
    "responses": [
        {"role": "system", "content": "Be brief."},
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": [{"type": "input_image", "image_url": IMAGE, "detail": "auto"}]},
        {"role": "assistant", "content": "A cat."},
        {"role": "user", "content": "How old?"},
    ],
    "anthropic": [
        {"role": "system", "content": "Be brief."},
        {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
        {
            "role": "user",
            "content": [
                TEXT,
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            ],
        },
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "look", "input": {}}]},
        {"role": "tool", "tool_call_id": "c", "content": "a cat"},
        {"role": "assistant", "content": "A cat."},
        {"role": "user", "content": "How old?"},
    ],
    "gemini": [
        {"role": "system", "content": "Be brief."},
        {"role": "developer", "content": [TEXT]},
        {"role": "user", "content": [TEXT, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]},
        {"role": "assistant", "content": "A cat."},
        {"role": "user", "content": "How old?"},
    ],
}


def sdk(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"{name} is not installed")


@cache
def adapter(api: str) -> Any:
    """What validates the bodies of an API, closed against fields that it does not know."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if api == "openai":
            types = sdk("openai.types.chat.completion_create_params")
            kinds: Any = types.CompletionCreateParamsNonStreaming | types.CompletionCreateParamsStreaming
        elif api == "responses":
            types = sdk("openai.types.responses.response_create_params")
            kinds = types.ResponseCreateParamsNonStreaming | types.ResponseCreateParamsStreaming
        else:
            kinds = sdk("anthropic.types").MessageCreateParams
        return pydantic.TypeAdapter(kinds)


GEMINI = {"contents", "systemInstruction", "generationConfig", "tools", "toolConfig"}


SAMPLING = {"temperature", "top_k", "top_p"}
"""Options that the SDK of Anthropic no longer has, and older models still take."""


def plain(value: Any) -> Any:
    """A validated value as JSON: iterables of the SDK's types are read once."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, str | bytes | int | float | None):
        return value
    return [plain(item) for item in value] if isinstance(value, Iterable) else value


def valid(api: str, body: Any) -> None:
    if api == "gemini":
        valid_gemini(body)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = plain(adapter(api).validate_python(json.loads(json.dumps(body))))
    unknown = body.keys() - read.keys()
    assert unknown <= (SAMPLING if api == "anthropic" else set())
    assert read == {name: value for name, value in body.items() if name not in unknown}


def valid_gemini(body: Any) -> None:
    types = sdk("google.genai.types")
    assert body.keys() <= GEMINI
    for content in [*body["contents"], *([body["systemInstruction"]] if "systemInstruction" in body else [])]:
        types.Content.model_validate(content)
    types.GenerationConfig.model_validate(body.get("generationConfig", {}))
    types.ToolConfig.model_validate(body.get("toolConfig", {}))
    for tool in body.get("tools", ()):
        types.Tool.model_validate(tool)


RAW: dict[str, tuple[Any, Any]] = {
    "openai": ({}, {}),
    "responses": ({}, {}),
    "anthropic": (
        {"content": [{"type": "text", "text": "no"}]},
        {"content": [{"type": "tool_use", "id": "c", "name": "answer", "input": {"age": "x"}}]},
    ),
    "gemini": (
        {"candidates": [{"content": {"parts": [{"text": "no"}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "answer", "args": {}}}]}}]},
    ),
}
OFFERED = OfferedTool("answer", SCHEMA, "An age.", True)
CALL = UncheckedCall("answer", '{"age": "x"}', "c")


def query(api: str, mode: str, **more: Any) -> TextQuery:
    has = WIRES[api].options
    options = {"max_tokens": 9, "temperature": 0.5, "top_k": 3, "top_p": 0.9, "seed": 7, "stop": ("a", "b")}
    chosen = {name: value for name, value in options.items() if name in has}
    if api == "openai":
        chosen.pop("top_k")  # of compatible servers only
    asked = {
        "model": "m",
        "messages": TALKS[api],
        "mode": mode,
        "schema": SCHEMA if mode == "strict" else None,
        "description": "An age." if mode == "strict" else None,
        "tools": (OFFERED,) if mode == "tools" else (),
        "pieces": "arguments" if mode == "tools" else "text",
        "instruction": "Answer in JSON." if mode in ("json_object", "instructions") else "",
    }
    return TextQuery(**asked | chosen | more)


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("api", WIRES)
def test_bodies_are_of_the_types_of_the_sdk(api: str, mode: str, is_stream: bool) -> None:
    body = WIRES[api].write_request(query(api, mode, is_stream=is_stream)).body
    valid(api, body)
    assert "AAAA" in json.dumps(body)


@pytest.mark.parametrize("is_called", [False, True])
@pytest.mark.parametrize("api", WIRES)
def test_corrections_are_of_the_types_of_the_sdk(api: str, is_called: bool) -> None:
    reply = Reply("" if is_called else "no", (CALL,) if is_called else (), raw=RAW[api][is_called])
    asked = query(api, "tools" if is_called else "strict", corrections=(Correction(reply, "Wrong."),) * 2)
    body = WIRES[api].write_request(asked).body
    valid(api, body)
    assert json.dumps(body).count("Wrong.") == 2


@pytest.mark.parametrize("api", WIRES)
def test_a_streamed_call_is_corrected_like_a_whole_one(api: str) -> None:
    """What was streamed has its arguments in pieces; what is sent back has them whole."""
    collector = WIRES[api].make_collector(query(api, "tools"))
    for event in STREAMS[api][1]:
        collector.feed(event)
    body = WIRES[api].write_request(query(api, "tools", corrections=(Correction(collector.reply, "Wrong."),))).body
    valid(api, body)
    if api == "anthropic":
        assert body["messages"][-2]["content"][-1]["input"] == {"age": 36}


@pytest.mark.parametrize("api", ["anthropic", "gemini"])
def test_turns_alternate(api: str) -> None:
    reply = Reply("no", raw=RAW[api][0])
    body = WIRES[api].write_request(query(api, "strict", corrections=(Correction(reply, "Wrong."),))).body
    roles = [turn["role"] for turn in body["contents" if api == "gemini" else "messages"]]
    assert all(one != other for one, other in pairwise(roles))
    assert roles[0] == "user"


@pytest.mark.parametrize("api", WIRES)
def test_the_conversation_is_not_changed(api: str) -> None:
    before = json.dumps(TALKS[api])
    reply = Reply("no", raw=RAW[api][0])
    WIRES[api].write_request(query(api, "instructions", corrections=(Correction(reply, "Wrong."),) * 2))
    assert json.dumps(TALKS[api]) == before


AGE = '{"age": 36}'


def chat_chunk(delta: Any, finish: Any = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def chat_streams() -> tuple[list[Any], list[Any]]:
    counted = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    last = chat_chunk({}) | {"choices": [], "usage": counted}
    call = [{"index": 0, "id": "c", "type": "function", "function": {"name": "answer", "arguments": AGE[:5]}}]
    more = [{"index": 0, "function": {"arguments": AGE[5:]}}]
    text = [chat_chunk({"role": "assistant", "content": AGE[:5]}), chat_chunk({"content": AGE[5:]})]
    calls = [chat_chunk({"role": "assistant", "content": None, "tool_calls": call}), chat_chunk({"tool_calls": more})]
    return [*text, chat_chunk({}, "stop"), last], [*calls, chat_chunk({}, "tool_calls"), last]


def message(content: Any, stop: Any = "end_turn", **more: Any) -> dict[str, Any]:
    counted = {"input_tokens": 10, "output_tokens": 5}
    kind = {"id": "msg", "type": "message", "role": "assistant", "model": "m"}
    return {**kind, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": counted, **more}


def anthropic_stream(block: Any, deltas: list[Any], stop: str) -> list[Any]:
    start = message([], None) | {"usage": {"input_tokens": 10, "output_tokens": 1}}
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "ping"},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": 5},
        },
        {"type": "message_stop"},
    ]


def anthropic_streams() -> tuple[list[Any], list[Any]]:
    texts = [{"type": "text_delta", "text": piece} for piece in (AGE[:5], AGE[5:])]
    inputs = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", AGE[:5], AGE[5:])]
    used = {"type": "tool_use", "id": "c", "name": "answer", "input": {}}
    return anthropic_stream({"type": "text", "text": ""}, texts, "end_turn"), anthropic_stream(used, inputs, "tool_use")


def candidate(parts: Any, finish: Any = "STOP") -> dict[str, Any]:
    content = {"role": "model", "parts": parts}
    counted = {"promptTokenCount": 10, "candidatesTokenCount": 3, "thoughtsTokenCount": 2, "totalTokenCount": 15}
    said = {"content": content, "index": 0} | ({"finishReason": finish} if finish else {})
    return {"candidates": [said], "usageMetadata": counted, "modelVersion": "m"}


FUNCTION = {"functionCall": {"name": "answer", "args": {"age": 36}}}
GEMINI_STREAMS = ([candidate([{"text": AGE[:5]}], None), candidate([{"text": AGE[5:]}])], [candidate([FUNCTION])])


def response(output: Any, status: str = "completed", **more: Any) -> dict[str, Any]:
    counted = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    kind = {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": status, "error": None}
    return {**kind, "output": output, "usage": {**counted, **details}, "incomplete_details": None, **more}


def output_text(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "i", "role": "assistant", "status": "completed", "content": content}


USED = {"type": "function_call", "id": "f", "call_id": "c", "name": "answer", "arguments": AGE, "status": "completed"}


def response_stream(kind: str, item: Any) -> list[Any]:
    deltas = [{"type": f"response.{kind}.delta", "delta": piece, "output_index": 0} for piece in (AGE[:5], AGE[5:])]
    started = {"type": "response.created", "response": response([], "in_progress") | {"usage": None}}
    return [started, *deltas, {"type": "response.completed", "response": response([item])}]


RESPONSES = (response_stream("output_text", output_text(AGE)), response_stream("function_call_arguments", USED))
STREAMS: dict[str, tuple[list[Any], list[Any]]] = {
    "openai": chat_streams(),
    "anthropic": anthropic_streams(),
    "gemini": GEMINI_STREAMS,
    "responses": RESPONSES,
}


def chat_whole(finish: str = "stop", **more: Any) -> dict[str, Any]:
    counted = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    said = {"role": "assistant", "content": None, "refusal": None, **more}
    choice = {"index": 0, "finish_reason": finish, "message": said, "logprobs": None}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": counted}


CHAT_CALL = {"id": "c", "type": "function", "function": {"name": "answer", "arguments": AGE}}
WHOLE: dict[str, tuple[Any, Any]] = {
    "openai": (chat_whole(content=AGE), chat_whole("tool_calls", tool_calls=[CHAT_CALL])),
    "anthropic": (
        message([{"type": "text", "text": AGE}]),
        message([{"type": "tool_use", "id": "c", "name": "answer", "input": {"age": 36}}], "tool_use"),
    ),
    "gemini": (candidate([{"text": AGE}]), candidate([FUNCTION])),
    "responses": (response([output_text(AGE)]), response([USED])),
}

KINDS = {
    "openai": ("openai.types.chat", "ChatCompletion", "ChatCompletionChunk"),
    "responses": ("openai.types.responses", "Response", None),
    "anthropic": ("anthropic.types", "Message", None),
    "gemini": ("google.genai.types", "GenerateContentResponse", "GenerateContentResponse"),
}


def as_the_sdk_writes(api: str, body: Any, *, is_chunk: bool = False) -> Any:
    """The same answer, read and dumped by the SDK: with all of its fields, null where there is nothing."""
    module, whole, chunk = KINDS[api]
    name = chunk if is_chunk else whole
    if name is None:
        return body
    type_ = getattr(sdk(module), name)
    made = type_.model_validate(body) if api == "gemini" else type_.construct(**body)
    return made.model_dump(mode="json", by_alias=True, warnings=False)


def seen(reply: Reply) -> Any:
    """All but the answer itself, whose arguments may be spelled otherwise."""
    calls = tuple(replace(call, arguments=json.loads(call.arguments)) for call in reply.calls)
    return replace(reply, raw=None, calls=calls)


@pytest.mark.parametrize("is_called", [False, True])
@pytest.mark.parametrize("api", WIRES)
def test_answers_are_the_same_whole_or_streamed(api: str, is_called: bool) -> None:
    whole = WIRES[api].read_reply(as_the_sdk_writes(api, WHOLE[api][is_called]))
    collector, pieces = WIRES[api].make_collector(query(api, "tools" if is_called else "strict")), []
    for event in STREAMS[api][is_called]:
        pieces.append(collector.feed(as_the_sdk_writes(api, event, is_chunk=True)))
    assert collector.is_complete
    assert seen(collector.reply) == seen(whole)
    assert json.loads("".join(pieces)) == {"age": 36}
    assert (whole.end, whole.usage) == ("stop", Usage(10, 5))
    assert [call.name for call in whole.calls] == ["answer"] * is_called


ENDS: list[tuple[str, Any, str]] = [
    *(("openai", chat_whole(reason, content=AGE), end) for reason, end in [
        ("stop", "stop"), ("length", "length"), ("content_filter", "content_filter"), ("tool_calls", "stop")]),
    ("openai", chat_whole(refusal="No."), "refusal"),
    *(("anthropic", message([{"type": "text", "text": AGE}], reason), end) for reason, end in [
        ("end_turn", "stop"), ("stop_sequence", "stop"), ("max_tokens", "length"), ("refusal", "refusal"),
        ("model_context_window_exceeded", "length")]),
    *(("gemini", candidate([{"text": AGE}], reason), end) for reason, end in [
        ("STOP", "stop"), ("MAX_TOKENS", "length"), ("SAFETY", "content_filter"), ("RECITATION", "content_filter"),
        ("BLOCKLIST", "content_filter"), ("PROHIBITED_CONTENT", "content_filter"), ("SPII", "content_filter")]),
    ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}, "content_filter"),
    ("responses", response([output_text(AGE)]), "stop"),
    ("responses", response([], "incomplete", incomplete_details={"reason": "max_output_tokens"}), "length"),
    ("responses", response([], "incomplete", incomplete_details={"reason": "content_filter"}), "content_filter"),
    ("responses", response([{"type": "message", "id": "i", "role": "assistant", "status": "completed",
                             "content": [{"type": "refusal", "refusal": "No."}]}]), "refusal"),
]  # fmt: skip


@pytest.mark.parametrize(("api", "body", "end"), ENDS)
def test_ends(api: str, body: Any, end: str) -> None:
    assert WIRES[api].read_reply(as_the_sdk_writes(api, body)).end == end


MEMORY = {"code": "server_error", "message": "out of memory"}
FAILED = [
    ("responses", response([], "failed", error=MEMORY)),
    ("gemini", candidate([], "MALFORMED_FUNCTION_CALL")),
    ("gemini", candidate([], "OTHER")),
    ("openai", {"choices": [{"index": 0, "error": MEMORY, "finish_reason": "error", "message": {"content": AGE}}]}),
]


@pytest.mark.parametrize(("api", "body"), FAILED)
def test_answers_that_failed(api: str, body: Any) -> None:
    with pytest.raises(RequestFailed):
        WIRES[api].read_reply(as_the_sdk_writes(api, body))


@pytest.mark.parametrize(
    ("api", "event"),
    [
        ("openai", {"error": {"message": "out of memory"}}),
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "out of memory"}}),
        ("gemini", {"error": {"code": 500, "message": "out of memory"}}),
        ("responses", {"type": "error", "code": "x", "message": "out of memory", "param": None}),
        ("responses", {"type": "response.failed", "response": response([], "failed", error=MEMORY)}),
    ],
)  # fmt: skip
def test_streams_that_failed(api: str, event: Any) -> None:
    with pytest.raises(RequestFailed, match="out of memory"):
        WIRES[api].make_collector(query(api, "strict")).feed(event)


def test_a_blocked_prompt_in_a_stream() -> None:
    collector = WIRES["gemini"].make_collector(query("gemini", "strict"))
    collector.feed({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 10}})
    assert collector.is_complete
    assert collector.reply.end == "content_filter"


@pytest.mark.parametrize("api", WIRES)
def test_events_survive_the_bytes(api: str) -> None:
    data = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in STREAMS[api][0])
    reader = EventReader()
    assert [event for at in range(len(data)) for event in reader.feed(data[at : at + 1])] == STREAMS[api][0]
