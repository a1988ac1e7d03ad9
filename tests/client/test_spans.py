"""Each generation of a model at a service has a span of OpenTelemetry, from the first request to the value."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

import formwright as fw
from formwright.client import AnswerCache

from .conftest import Driven
from .scripted import DONE, Scripted, answer, call, chat, chunk, error_body, event, head, ok, usage

trace = pytest.importorskip("opentelemetry.trace", reason="formwright[otel] is not installed")

ADA = '{"value": 36}'
PROMPT = "How old is Ada?"
Spans = Callable[[], list[Any]]
Servers = Callable[..., Scripted]


def stream_of(*texts: str) -> list[bytes]:
    return [head(), *(event(chunk(text)) for text in texts), event(chunk(finish="stop")), event(usage(10, 5)), DONE]


def test_a_generation_is_described(driven: Driven, scripted: Servers, spans: Spans) -> None:
    server = scripted(ok(chat(ADA)))
    driven.connect(server.url).generate(PROMPT, int, max_tokens=50, temperature=0, seed=1)
    [span] = spans()
    assert (span.name, span.kind) == ("chat m", trace.SpanKind.CLIENT)
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.request.max_tokens": 50,
        "gen_ai.request.temperature": 0,
        "gen_ai.request.seed": 1,
        "gen_ai.output.type": "json",
        "gen_ai.response.id": "chatcmpl-1",
        "gen_ai.response.model": "m",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 5,
        "formwright.form.digest": fw.form(int).digest,
        "formwright.form.enforced_by": "server",
        "server.address": "127.0.0.1",
        "server.port": int(server.url.rpartition(":")[2].partition("/")[0]),
    }


@pytest.mark.parametrize(
    ("url", "provider", "port"),
    [
        ("https://api.openai.com/v1", "openai", 443),
        ("https://me.openai.azure.com/openai/v1", "azure.ai.openai", 443),
        ("https://api.anthropic.com/v1", "anthropic", 443),
        ("https://generativelanguage.googleapis.com/v1beta", "gcp.gemini", 443),
        ("http://api.deepseek.com", "deepseek", 80),
    ],
)
def test_a_service_has_the_name_that_the_conventions_give_it(spans: Spans, url: str, provider: str, port: int) -> None:
    refused = httpx.MockTransport(lambda _: httpx.Response(401, json=error_body("no key")))
    with httpx.Client(transport=refused) as http, pytest.raises(fw.errors.RequestFailed):
        fw.connect(url, "m", http=http).generate(PROMPT, int, max_tokens=9)
    [span] = spans()
    assert span.attributes["gen_ai.provider.name"] == provider
    assert (span.attributes["server.address"], span.attributes["server.port"]) == (httpx.URL(url).host, port)


def test_requests_that_are_sent_again_are_events(driven: Driven, scripted: Servers, spans: Spans) -> None:
    busy = answer(503, error_body("busy"), "Retry-After: 0")
    driven.connect(scripted(busy, ok(chat(ADA))).url, request_retries=1).generate(PROMPT, int)
    [span] = spans()
    assert [(each.name, dict(each.attributes)) for each in span.events] == [
        ("formwright.retry", {"error.type": "formwright.errors.RequestFailed"})
    ]
    assert span.status.status_code == trace.StatusCode.UNSET


def test_wrong_answers_are_events_and_their_tokens_count(driven: Driven, scripted: Servers, spans: Spans) -> None:
    server = scripted(ok(chat("no number")), ok(chat("36")))
    driven.connect(server.url, mode="instructions").generate(PROMPT, int, max_retries=1)
    [span] = spans()
    assert [each.attributes["error.type"] for each in span.events] == ["formwright.errors.OutputInvalid"]
    assert span.attributes["gen_ai.usage.output_tokens"] == 10
    assert span.attributes["formwright.form.enforced_by"] == "checked"


def test_a_mode_that_is_refused_is_an_event(driven: Driven, scripted: Servers, spans: Spans) -> None:
    called = chat(None, "tool_calls", tool_calls=[call("int", ADA)])
    refused = answer(400, error_body("response_format is not supported"))
    driven.connect(scripted(refused, ok(called)).url).generate(PROMPT, int)
    [span] = spans()
    assert [each.attributes["error.type"] for each in span.events] == ["formwright.errors.RequestFailed"]


def test_an_error_is_told_with_the_tokens_it_took(driven: Driven, scripted: Servers, spans: Spans) -> None:
    with pytest.raises(fw.errors.AttemptsExhausted):
        driven.connect(scripted(ok(chat("no number"))).url).generate(PROMPT, int, max_retries=1)
    [span] = spans()
    assert span.status.status_code == trace.StatusCode.ERROR
    assert span.attributes["error.type"] == "formwright.errors.AttemptsExhausted"
    assert span.attributes["gen_ai.usage.input_tokens"] == 20
    assert "no number" not in span.to_json()


def test_a_policy_that_asks_again_for_a_good_answer_names_no_error(scripted: Servers, spans: Spans) -> None:
    tenacity = pytest.importorskip("tenacity")
    again = tenacity.retry_if_result(lambda result: result.value < 40)
    policy = tenacity.Retrying(stop=tenacity.stop_after_attempt(2), retry=again)
    with fw.connect(scripted(ok(chat(ADA)), ok(chat('{"value": 77}'))).url, "m") as model:
        assert model.generate(PROMPT, int, max_retries=policy).value == 77
    [span] = spans()
    assert [dict(event.attributes) for event in span.events] == [{}]


def test_a_stream_has_a_span(driven: Driven, scripted: Servers, spans: Spans) -> None:
    server = scripted(stream_of('{"val', 'ue": 36}'))
    pieces, _ = driven.connect(server.url).stream(PROMPT, int)
    assert len(pieces) == 2
    [span] = spans()
    assert span.attributes["gen_ai.usage.output_tokens"] == 5
    assert span.attributes["gen_ai.response.finish_reasons"] == ("stop",)


def test_a_stream_that_is_left_early_ends_its_span(scripted: Servers, spans: Spans) -> None:
    server = scripted(stream_of('{"val', 'ue": 36}'))
    with fw.connect(server.url, "m") as model, model.stream(PROMPT, int) as stream:
        next(stream)
        assert not trace.get_current_span().is_recording(), "the caller goes on in its own context"
    [span] = spans()
    assert span.status.status_code == trace.StatusCode.UNSET


def test_a_stream_of_an_event_loop_that_is_left_early_ends_its_span(scripted: Servers, spans: Spans) -> None:
    server = scripted(stream_of('{"val', 'ue": 36}'))

    async def read() -> None:
        async with fw.connect(server.url, "m", asynchronous=True) as model, model.stream(PROMPT, int) as stream:
            await anext(stream)
            assert not trace.get_current_span().is_recording()

    asyncio.run(read())
    [span] = spans()
    assert span.status.status_code == trace.StatusCode.UNSET


def test_each_of_many_texts_has_a_span_inside_that_of_the_caller(
    driven: Driven, scripted: Servers, spans: Spans
) -> None:
    model = driven.connect(scripted(ok(chat(ADA))).url)
    with trace.get_tracer("test").start_as_current_span("caller"):
        model.generate_many([PROMPT] * 3, int)
    *inner, caller = spans()
    assert [span.parent.span_id for span in inner] == [caller.context.span_id] * 3


def test_requests_are_sent_with_the_span_as_the_current_one(scripted: Servers, spans: Spans) -> None:
    current: list[Any] = []
    http = httpx.Client(
        event_hooks={"request": [lambda _: current.append(trace.get_current_span().get_span_context())]}
    )
    with http, fw.connect(scripted(ok(chat(ADA))).url, "m", http=http) as model:
        model.generate(PROMPT, int)
    assert [span.context.span_id for span in spans()] == [context.span_id for context in current]


def test_requests_of_an_event_loop_are_sent_with_the_span_as_the_current_one(scripted: Servers, spans: Spans) -> None:
    current: list[Any] = []

    async def note(_: httpx.Request) -> None:
        current.append(trace.get_current_span().get_span_context())

    async def ask(url: str) -> None:
        async with httpx.AsyncClient(event_hooks={"request": [note]}) as http:
            model = fw.connect(url, "m", http=http, asynchronous=True)
            await asyncio.gather(*(model.generate(PROMPT, int) for _ in range(3)))

    asyncio.run(ask(scripted(ok(chat(ADA))).url))
    assert {span.context.span_id for span in spans()} == {context.span_id for context in current}


def test_an_answer_from_the_cache_has_a_span_without_tokens(
    driven: Driven, scripted: Servers, spans: Spans, tmp_path: Any
) -> None:
    model = driven.connect(scripted(ok(chat(ADA))).url, cache=AnswerCache(tmp_path))
    model.generate(PROMPT, int)
    model.generate(PROMPT, int)
    asked, recalled = spans()
    assert asked.attributes["gen_ai.usage.output_tokens"] == 5
    assert "gen_ai.usage.output_tokens" not in recalled.attributes


def test_a_patched_client_has_spans_too(scripted: Servers, spans: Spans) -> None:
    openai = pytest.importorskip("openai", reason="the openai SDK is not installed")
    called = chat(None, "tool_calls", tool_calls=[call("int", ADA)])
    server = scripted(ok(called))
    with openai.OpenAI(base_url=server.url, api_key="none") as client:
        patched = fw.patch(client, mode="tools")
        messages = [{"role": "user", "content": PROMPT}]
        assert patched.chat.completions.create(model="m", messages=messages, response_model=int) == 36
    [span] = spans()
    assert (span.attributes["gen_ai.response.id"], span.attributes["server.address"]) == ("chatcmpl-1", "127.0.0.1")
