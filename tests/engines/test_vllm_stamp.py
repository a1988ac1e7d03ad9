"""The stamps of vLLM's replies: whole replies that conform have one, and nothing else changes."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

import formwright as fw
from formwright.engines import middleware
from formwright.engines.asked_forms import find_check
from formwright.engines.vllm.stamp import Stamp

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")

from starlette.requests import Request  # noqa: E402
from starlette.responses import JSONResponse, Response, StreamingResponse  # noqa: E402

CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
AGE = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
TOOLS = [{"type": "function", "function": {"name": "find", "parameters": AGE}}]
TAG = {"structures": [{"begin": "<f>", "schema": {"type": "integer"}, "end": "</f>"}], "triggers": ["<f>"]}

Answer = Callable[[Any], Response]


def ask(answer: Answer, path: str, body: Any, method: str = "POST", **options: Any) -> Any:
    """The reply to a request, of an app that gives an answer to each body."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        seen = await request.body()
        try:
            given = json.loads(seen)
        except (ValueError, RecursionError):
            given = seen
        await answer(given)(scope, receive, send)

    async def run() -> Any:
        transport = httpx.ASGITransport(Stamp(app), **options)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            return await client.request(method, path, content=content)

    return asyncio.run(run())


def chat(*contents: str | None, calls: Any = None) -> dict[str, Any]:
    messages = [{"role": "assistant", "content": content, "tool_calls": calls or []} for content in contents]
    return {"choices": [{"message": message, "finish_reason": "stop"} for message in messages]}


def texts(*texts: str) -> dict[str, Any]:
    return {"choices": [{"text": text, "finish_reason": "stop"} for text in texts]}


def call(arguments: str, name: str = "find") -> dict[str, Any]:
    return {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}


def schema_format(schema: Any) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "age", "schema": schema}}}


CONFORMING = [
    (CHAT, schema_format(AGE), chat('{"age": 36}')),
    (CHAT, schema_format(AGE), chat('{"age": 36}', '{"age": 37}')),
    (CHAT, {"response_format": {"type": "json_object"}}, chat('{"a": []}')),
    (CHAT, {"response_format": {"type": "structural_tag", **TAG}}, chat("so <f>12</f> it is")),
    (CHAT, {"structured_outputs": {"json": AGE, "disable_any_whitespace": False}}, chat('{"age": 36}')),
    (CHAT, {"structured_outputs": {"json": json.dumps(AGE), "regex": None}}, chat('{"age": 36}')),
    (CHAT, {"structured_outputs": {"json_object": True}}, chat("{}")),
    (CHAT, {"structured_outputs": {"structural_tag": json.dumps(TAG)}}, chat("none")),
    (COMPLETIONS, {"structured_outputs": {"regex": "[0-9]{4}"}}, texts("2026")),
    (COMPLETIONS, {"structured_outputs": {"choice": ["yes", "no"]}}, texts("no", "yes")),
    (COMPLETIONS, {"structured_outputs": {"grammar": 'root ::= "(" root ")" | "a"'}}, texts("((a))")),
    (COMPLETIONS, {"vllm_xargs": {"formwright": '{"choice": ["yes", "no"]}'}}, texts("no")),
    (CHAT, {"tools": TOOLS}, chat(None, calls=[call('{"age": 1}'), call('{"age": 2}')])),
    (CHAT, {"tools": TOOLS, **schema_format(AGE)}, chat('{"age": 36}')),
    (CHAT, {"tools": TOOLS, **schema_format(AGE)}, chat(None, calls=[call('{"age": 1}')])),
]


@pytest.mark.parametrize(("path", "request_", "reply"), CONFORMING)
def test_a_conforming_reply_has_a_stamp(path: str, request_: Any, reply: Any) -> None:
    given = ask(lambda _: JSONResponse(reply), path, request_)
    assert given.headers["formwright-enforced"] == "checked"
    assert "formwright-backend" not in given.headers
    stamp = given.json().pop("formwright")
    assert given.json() == reply | {"formwright": stamp}
    assert given.content.startswith(json.dumps(reply, separators=(",", ":"), ensure_ascii=False).encode()[:-1])
    assert given.headers["content-length"] == str(len(given.content))
    assert (stamp["enforced"], stamp["complete"]) == ("checked", True)
    assert ("form" in stamp) == (not any("find" in str(choice) for choice in reply["choices"]))


OTHERS = [
    (CHAT, {}, chat('{"age": 36}')),
    (CHAT, {"response_format": {"type": "text"}}, chat('{"age": 36}')),
    (CHAT, schema_format(AGE), chat('{"age": "x"}')),
    (CHAT, schema_format(AGE), chat('{"age": 36')),
    (CHAT, schema_format(AGE), chat('{"age": 36}', "36")),
    (CHAT, schema_format(AGE), chat(None)),
    (CHAT, schema_format(AGE), {"choices": []}),
    (CHAT, schema_format(AGE), {"choices": [None]}),
    (CHAT, schema_format(AGE), [1]),
    (CHAT, schema_format({"type": "nonsense"}), chat('{"age": 36}')),
    (CHAT, {"response_format": {"type": "json_schema"}}, chat('{"age": 36}')),
    (CHAT, {"structured_outputs": {"regex": "["}}, chat("[")),
    (CHAT, {"structured_outputs": {"regex": "a"}, **schema_format(AGE)}, chat('{"age": 36}')),
    (CHAT, {"structured_outputs": {"whitespace_pattern": " "}}, chat('{"age": 36}')),
    (CHAT, {"tools": TOOLS}, chat("it is sunny")),
    (CHAT, {"tools": TOOLS}, chat(None, calls=[call('{"age": 1}'), call('{"age": "x"}')])),
    (CHAT, {"tools": TOOLS}, chat(None, calls=[call("{}", "other")])),
    (CHAT, {"tools": TOOLS, "tool_choice": "none"}, chat(None, calls=[call('{"age": 1}')])),
    (COMPLETIONS, {"structured_outputs": {"choice": ["yes"]}, "echo": True}, texts("yes")),
    (COMPLETIONS, {"vllm_xargs": {"formwright": "["}}, texts("[")),
    ("/v1/embeddings", {"structured_outputs": {"choice": ["yes"]}}, texts("yes")),
    (CHAT + "/render", {"structured_outputs": {"choice": ["yes"]}}, chat("yes")),
    (CHAT, [1], chat("yes")),
    (CHAT, b"{", chat("yes")),
    (CHAT, b"[" * 100_000, chat("yes")),
]


@pytest.mark.parametrize(("path", "request_", "reply"), OTHERS)
def test_any_other_reply_passes_as_it_is(path: str, request_: Any, reply: Any) -> None:
    seen: list[Any] = []

    def answer(body: Any) -> Response:
        seen.append(body)
        return JSONResponse(reply, headers={"x-request-id": "7"})

    given = ask(answer, path, request_)
    assert not [name for name in given.headers if name.startswith("formwright")]
    assert given.headers["x-request-id"] == "7"
    assert given.json() == reply
    assert seen == [request_]


YES = {"structured_outputs": {"choice": ["yes"]}}


@pytest.mark.parametrize(
    "make",
    [
        lambda: JSONResponse(texts("yes"), status_code=400),
        lambda: Response(json.dumps(texts("yes")), media_type="text/plain"),
        lambda: Response(b"no JSON at all", media_type="application/json"),
        lambda: Response(b"", media_type="application/json"),
        lambda: Response(
            gzip.compress(json.dumps(texts("yes")).encode(), mtime=0),
            media_type="application/json",
            headers={"content-encoding": "gzip"},
        ),
    ],
)
def test_what_is_no_whole_json_reply_passes_as_it_is(make: Callable[[], Response]) -> None:
    given, plain = ask(lambda _: make(), COMPLETIONS, YES), make()
    assert given.status_code == plain.status_code
    assert "formwright-enforced" not in given.headers
    if "content-encoding" not in plain.headers:
        assert given.content == plain.body


async def in_parts(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def test_a_reply_in_parts_is_read_as_a_whole() -> None:
    body = json.dumps(texts("yes")).encode()

    def answer(_: Any) -> Response:
        return StreamingResponse(in_parts(body[:9], b"", body[9:]), media_type="application/json; charset=utf-8")

    given = ask(answer, COMPLETIONS, YES)
    assert given.headers["formwright-enforced"] == "checked"
    assert given.content.startswith(body[:-1])
    assert given.json() == texts("yes") | {"formwright": given.json()["formwright"]}


def test_bodies_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "MOST_BYTES", 200)
    small, parts = json.dumps(texts("yes")).encode(), [b" " * 90] * 4

    def answer(size: int) -> Answer:
        return lambda _: StreamingResponse(in_parts(small, *parts[:size]), media_type="application/json")

    assert ask(answer(1), COMPLETIONS, YES).headers["formwright-enforced"] == "checked"
    given = ask(answer(4), COMPLETIONS, YES)
    assert "formwright-enforced" not in given.headers
    assert given.content == small + b"".join(parts)
    given = ask(answer(1), COMPLETIONS, YES | {"prompt": "x" * 200})
    assert "formwright-enforced" not in given.headers
    assert given.content == small + parts[0]


@pytest.mark.parametrize(
    ("value", "request_", "is_marked"), [("1", YES, True), ("1", {}, False), ("0", YES, False), (None, YES, False)]
)
def test_a_stream_has_the_version_where_formwright_is_the_back_end(
    monkeypatch: pytest.MonkeyPatch, value: str | None, request_: Any, is_marked: bool
) -> None:
    monkeypatch.delenv("FORMWRIGHT_VLLM", raising=False)
    if value is not None:
        monkeypatch.setenv("FORMWRIGHT_VLLM", value)
    events = [b'data: {"choices": [{"text": "yes"}]}\n\n', b"data: [DONE]\n\n"]
    given = ask(lambda _: StreamingResponse(in_parts(*events), media_type="text/event-stream"), COMPLETIONS, request_)
    assert given.headers.get("formwright-backend") == (fw.__version__ if is_marked else None)
    assert "formwright-enforced" not in given.headers
    assert given.content == b"".join(events)


def messages_of(app: Callable[..., Awaitable[None]], scope: Any, received: list[Any]) -> list[Any]:
    """What a stamped app sends, message by message."""
    sent: list[Any] = []

    async def receive() -> Any:
        return received.pop(0)

    async def send(message: Any) -> None:
        sent.append(dict(message))

    asyncio.run(Stamp(app)(scope, receive, send))
    return sent


def test_events_of_a_stream_are_not_held() -> None:
    sent: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        start = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]}
        await send(start)
        await send({"type": "http.response.body", "body": b"data: 1\n\n", "more_body": True})
        sent.append("first")
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    scope = {"type": "http", "method": "POST", "path": CHAT}
    body = {"type": "http.request", "body": json.dumps(YES).encode()}
    assert messages_of(app, scope, [body])[0]["type"] == "http.response.start"
    assert sent == ["first"]


def test_what_an_app_leaves_open_or_sends_beside_is_not_lost() -> None:
    start = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]}
    part = {"type": "http.response.body", "body": b"{", "more_body": True}
    beside = {"type": "http.response.trailers", "headers": []}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for message in scope["messages"]:
            await send(message)

    for sent in ([start, part], [start], [start, part, beside], [beside]):
        scope = {"type": "http", "method": "POST", "path": CHAT, "messages": sent}
        assert messages_of(app, scope, []) == sent


def test_other_scopes_pass() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "lifespan.startup.complete"})

    assert messages_of(app, {"type": "lifespan"}, []) == [{"type": "lifespan.startup.complete"}]
    given = ask(lambda _: JSONResponse({}), CHAT, b"", "GET")
    assert given.json() == {}


def test_checks_are_found_once_for_a_request() -> None:
    assert find_check(None) is None
    assert find_check({"structured_outputs": 5, "response_format": 5, "vllm_xargs": 5, "tools": 5}) is None
    check = find_check(YES)
    assert check is not None
    assert check(texts("yes"))
    assert not check(texts("no"))
    assert not check(None)
