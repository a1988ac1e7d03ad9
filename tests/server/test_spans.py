"""A request of a server has a span of OpenTelemetry, and in it one of what is written."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from toys import Person

from .conftest import ADA, MODEL

httpx = pytest.importorskip("httpx")
trace = pytest.importorskip("opentelemetry.trace", reason="formwright[otel] is not installed")

CHAT = {"model": MODEL, "messages": ADA, "max_tokens": 60}
FORM = {"type": "json_schema", "json_schema": {"name": "person", "schema": Person.model_json_schema()}}
TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

Spans = Callable[[], list[Any]]
Post = Callable[..., Any]


def take_spans(spans: Spans, count: int = 2) -> list[Any]:
    """Wait for the spans of a request, whose own ends after its answer has come, from the first that began."""
    found: list[Any] = []
    deadline = time.monotonic() + 10
    while len(found) < count and time.monotonic() < deadline:
        found += spans()
        time.sleep(0.01)
    return sorted(found, key=lambda span: span.start_time)


def test_a_request_is_described_and_holds_what_is_written(post: Post, spans: Spans) -> None:
    _, said = post("/v1/chat/completions", CHAT | {"response_format": FORM, "temperature": 0})
    request, inner = take_spans(spans)
    assert (request.name, request.kind) == (f"chat {MODEL}", trace.SpanKind.SERVER)
    assert request.parent is None
    assert dict(request.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "formwright",
        "gen_ai.request.model": MODEL,
        "gen_ai.response.id": said["id"],
        "gen_ai.response.model": MODEL,
        "http.response.status_code": 200,
    }
    assert (inner.name, inner.kind) == (f"chat {MODEL}", trace.SpanKind.INTERNAL)
    assert inner.parent.span_id == request.context.span_id
    assert dict(inner.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "formwright",
        "gen_ai.request.model": MODEL,
        "gen_ai.request.max_tokens": 60,
        "gen_ai.request.temperature": 0,
        "gen_ai.output.type": "json",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": said["usage"]["prompt_tokens"],
        "gen_ai.usage.output_tokens": said["usage"]["completion_tokens"],
        "formwright.form.digest": said["formwright"]["form"],
        "formwright.form.enforced_by": "kernel",
        "formwright.tokens.forced": said["formwright"]["tokens"]["forced"],
    }


def test_the_header_names_the_parent(post: Post, spans: Spans) -> None:
    post("/v1/chat/completions", CHAT, headers={"traceparent": TRACEPARENT})
    request, inner = take_spans(spans)
    assert f"{request.parent.trace_id:032x} {request.parent.span_id:016x}" == " ".join(TRACEPARENT.split("-")[1:3])
    assert request.context.trace_id == inner.context.trace_id == request.parent.trace_id


def test_a_header_that_names_nothing_is_no_error(post: Post, spans: Spans) -> None:
    status, _ = post("/v1/chat/completions", CHAT, headers={"traceparent": "00-what-ever-01"})
    assert (status, take_spans(spans)[0].parent) == (200, None)


@pytest.mark.parametrize(
    ("path", "body", "operation"),
    [
        ("/v1/responses", {"model": MODEL, "input": "Ada is 36 years old.", "max_output_tokens": 20}, "chat"),
        ("/v1/completions", {"model": MODEL, "prompt": "Ada is", "max_tokens": 20}, "text_completion"),
    ],
)
def test_each_endpoint_says_what_it_is_asked_for(
    post: Post, spans: Spans, path: str, body: dict[str, Any], operation: str
) -> None:
    post(path, body)
    found = take_spans(spans)
    assert [span.name for span in found] == [f"{operation} {MODEL}"] * 2
    assert found[1].attributes["gen_ai.request.max_tokens"] == 20
    assert found[1].attributes["gen_ai.output.type"] == "text"


def test_several_texts_are_in_one_span(post: Post, spans: Spans) -> None:
    _, said = post("/v1/chat/completions", CHAT | {"n": 3, "max_tokens": 5, "seed": 1})
    _, inner = take_spans(spans)
    reasons = tuple(choice["finish_reason"] for choice in said["choices"])
    assert inner.attributes["gen_ai.request.choice.count"] == len(reasons) == 3
    assert inner.attributes["gen_ai.response.finish_reasons"] == reasons
    assert inner.attributes["gen_ai.usage.output_tokens"] == said["usage"]["completion_tokens"]


def test_a_stream_is_inside_its_request(client: Any, spans: Spans) -> None:
    stream = client.chat.completions.create(**CHAT, response_format=FORM, stream=True)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert Person.model_validate_json(text)
    request, inner = take_spans(spans)
    assert inner.parent.span_id == request.context.span_id
    assert inner.attributes["gen_ai.response.finish_reasons"] == ("stop",)
    assert inner.attributes["gen_ai.usage.output_tokens"] > 0
    assert inner.end_time <= request.end_time


def test_a_stream_whose_client_goes_away_ends_its_spans(served: Any, spans: Spans) -> None:
    schema = {"type": "array", "items": {"type": "integer"}, "minItems": 400}
    body = {"model": MODEL, "messages": ADA, "stream": True, "guided_json": schema}
    with (
        httpx.Client(base_url=served.url, timeout=60) as http,
        http.stream("POST", "/v1/chat/completions", json=body) as answer,
    ):
        next(answer.iter_lines())
    request, inner = take_spans(spans)
    assert request.attributes["http.response.status_code"] == 499
    assert "gen_ai.response.finish_reasons" not in inner.attributes
    assert 0 < inner.attributes["gen_ai.usage.output_tokens"] < 800
    assert inner.status.status_code == trace.StatusCode.UNSET


def test_a_request_that_is_refused_is_no_error_of_the_server(post: Post, spans: Spans) -> None:
    status, _ = post("/v1/chat/completions", CHAT | {"max_tokens": "many"})
    [request] = take_spans(spans, 1)
    assert (status, request.attributes["http.response.status_code"]) == (400, 400)
    assert (request.name, request.status.status_code) == ("chat", trace.StatusCode.UNSET)


def test_a_model_that_fails_is_an_error_of_both(post: Post, spans: Spans, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("formwright.generation.batch.Engine._turn", lambda *_: 1 / 0)
    status, _ = post("/v1/chat/completions", CHAT)
    request, inner = take_spans(spans)
    assert (status, request.attributes["error.type"]) == (500, "500")
    assert inner.attributes["error.type"] == "formwright.server.errors.Refusal"
    assert {span.status.status_code for span in (request, inner)} == {trace.StatusCode.ERROR}


def test_what_goes_wrong_in_a_stream_is_an_error_of_both(
    served: Any, spans: Spans, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "formwright.generation.batch.Engine._time_turn", lambda *_: 1 / 0
    )  # of all tokens but the first
    answer = httpx.post(f"{served.url}/v1/chat/completions", json=CHAT | {"stream": True, "response_format": FORM})
    assert (answer.status_code, "internal_error" in answer.text) == (200, True)
    request, inner = take_spans(spans)
    assert [span.attributes["error.type"] for span in (request, inner)] == ["formwright.server.errors.Refusal"] * 2
    assert {span.status.status_code for span in (request, inner)} == {trace.StatusCode.ERROR}


def test_what_is_not_asked_of_the_model_has_no_span(served: Any, post: Post, spans: Spans) -> None:
    for path in ("/health", "/metrics", "/v1/models", "/nowhere"):
        httpx.get(served.url + path)
    post("/v1/chat/completions", CHAT)
    assert [span.name for span in take_spans(spans)] == [f"chat {MODEL}"] * 2


def test_neither_prompt_nor_text_is_recorded(post: Post, spans: Spans) -> None:
    post("/v1/chat/completions", CHAT | {"response_format": FORM, "temperature": 0, "trace": True})
    request, inner = take_spans(spans)
    assert "formwright.mass.allowed" in inner.attributes
    said = request.to_json() + inner.to_json()
    assert [word for word in ("Ada", "years") if word in said] == []
