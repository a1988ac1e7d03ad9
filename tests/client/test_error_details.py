"""Errors of services keep what tells them apart: code, type, status, request id and cause."""

from __future__ import annotations

from typing import Any

import pytest
from toys import Person

import formwright as fw
from formwright.client.flow.steps import Response
from formwright.client.transport.failures import decode_body, read_failure
from formwright.client.wires import WIRES
from formwright.errors import AttemptsExhausted, OptionUnsupported, Refused, RequestFailed

from .conftest import Driven
from .scripted import answer, chat, error_body, event, head, ok

ADA = '{"name": "Ada", "age": 36}'
PROMPT = "Ada is 36 years old."

GEMINI_DAY = {
    "error": {
        "code": 429,
        "message": "You exceeded your current quota.",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}],
    }
}


@pytest.mark.parametrize(
    ("body", "code", "kind"),
    [
        (error_body("no", type="tokens", code="rate_limit_exceeded"), "rate_limit_exceeded", "tokens"),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "no"}}, None, "overloaded_error"),
        (GEMINI_DAY, "RESOURCE_EXHAUSTED", None),
        ([GEMINI_DAY], "RESOURCE_EXHAUSTED", None),
        ({"object": "error", "message": "no", "type": "BadRequestError", "code": 400}, "400", "BadRequestError"),
        ({"error": "no"}, None, None),
        ({"detail": "no"}, None, None),
    ],
)
def test_an_error_keeps_its_code_and_type(driven: Driven, scripted: Any, body: Any, code: Any, kind: Any) -> None:
    server = scripted(answer(400, body, "x-request-id: req_7"))
    with pytest.raises(RequestFailed, match=r"no|quota") as caught:
        driven.connect(server.url).generate(PROMPT, Person)
    assert (caught.value.code, caught.value.type, caught.value.status) == (code, kind, 400)
    assert caught.value.request_id == "req_7"


def test_the_hint_of_a_service_is_the_hint_of_the_error(driven: Driven, scripted: Any) -> None:
    """It is about this request, and the one for a status is not."""
    server = scripted(
        answer(404, error_body("no such model", hint="use formwright-tiny")), answer(404, error_body("no"))
    )
    model = driven.connect(server.url)
    for said in ("use formwright-tiny", "look at base_url"):
        with pytest.raises(RequestFailed) as caught:
            model.generate(PROMPT, Person)
        assert str(caught.value.hint).startswith(said)


@pytest.mark.parametrize("hint", [7, "", None, ["a"]])
def test_what_is_no_hint_is_none(hint: Any) -> None:
    failure = read_failure(Response(400, error_body("no", hint=hint)))
    assert failure is not None
    assert failure.hint is None


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}


@pytest.mark.parametrize(
    ("more", "headers", "seconds"),
    [
        ({"details": [{"violations": []}, RETRY_INFO]}, {}, 34.5),
        ({"details": [RETRY_INFO]}, {"retry-after": "2"}, 2.0),
        ({"retry_after": 3}, {}, 3.0),
        ({"retry_after": -1}, {}, None),
        ({"retry_after": True}, {}, None),
        ({"retry_after": 1e999}, {}, None),
        ({"details": [{"retryDelay": "soon"}]}, {}, None),
        ({"details": "retryDelay"}, {}, None),
    ],
)
def test_a_pause_that_the_body_asks_for(more: Any, headers: Any, seconds: float | None) -> None:
    failure = read_failure(Response(429, error_body("slow down", **more), headers))
    assert isinstance(failure, RequestFailed)
    assert failure.retry_after == seconds


def test_a_request_id_beside_the_message() -> None:
    assert read_failure(Response(500, error_body("no", request_id="e"))).request_id == "e"  # type: ignore[union-attr]
    assert read_failure(Response(500, error_body("no", request_id=7))).request_id is None  # type: ignore[union-attr]


STREAM = (
    "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nRequest-Id: r\r\nRetry-After: 0\r\nConnection: close\r\n\r\n"
)


@pytest.mark.parametrize(
    "events", [[event({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}})], []]
)
def test_an_error_inside_a_stream_has_what_its_headers_say(driven: Driven, scripted: Any, events: list[bytes]) -> None:
    server = scripted(lambda _: [STREAM.encode(), *events])
    with pytest.raises(RequestFailed) as caught:
        driven.connect(server.url, api="anthropic", request_retries=0).stream(PROMPT, Person)
    assert (caught.value.request_id, caught.value.retry_after) == ("r", 0.0)


def test_an_error_inside_an_answer_has_what_its_headers_say(driven: Driven, scripted: Any) -> None:
    failed = {"choices": [{"error": {"message": "busy"}, "finish_reason": "error"}]}
    server = scripted(answer(200, failed, "request-id: r"))
    with pytest.raises(RequestFailed, match="busy") as caught:
        driven.connect(server.url, request_retries=0).generate(PROMPT, Person)
    assert caught.value.request_id == "r"


def test_a_filter_inside_a_stream_keeps_the_request_id(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: [STREAM.encode(), event(error_body("filtered", code="content_filter"))])
    with pytest.raises(Refused) as caught:
        driven.connect(server.url).stream(PROMPT, Person)
    assert caught.value.__cause__.request_id == "r"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("options", "api", "says"),
    [
        ({"min_p": 0.1}, "openai", ("temperature", "extra_body")),
        ({"repetition_penalty": 1.1}, "anthropic", ("max_tokens", "extra_body")),
        ({"beams": 4}, "openai", ("temperature", "fw.load")),
        ({"top_k": 4}, "responses", ("temperature",)),
        ({"seed": 4}, "anthropic", ("max_tokens", "stop")),
    ],
)
def test_an_option_that_a_service_lacks_has_a_hint(options: Any, api: Any, says: tuple[str, ...]) -> None:
    with fw.connect("http://127.0.0.1:9/v1", "m", api=api) as model, pytest.raises(OptionUnsupported) as caught:
        model.generate(PROMPT, Person, **options)
    hint = str(caught.value.hint)
    assert all(word in hint for word in says)
    assert next(iter(options)) not in hint.partition(";")[0]
    assert ("seed" in hint) == (api == "openai")


def test_the_hint_for_options_of_sampling_works(scripted: Any) -> None:
    openai = pytest.importorskip("openai")
    server = scripted(ok(chat(ADA)))
    with openai.OpenAI(base_url=server.url, api_key="k") as client:
        fw.patch(client, model="m").chat.completions.create(
            response_model=Person, messages=[{"role": "user", "content": PROMPT}], extra_body={"min_p": 0.1}
        )
    assert server.requests[0].json["min_p"] == 0.1


@pytest.mark.parametrize("name", ["request-id", "apim-request-id", "X-Request-ID"])
def test_a_request_id_in_any_header_or_in_the_body(name: str) -> None:
    assert read_failure(Response(500, b"{}", {name: "r"})).request_id == "r"  # type: ignore[union-attr]
    assert read_failure(Response(500, b'{"request_id": "b"}')).request_id == "b"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "body",
    [
        error_body("You exceeded your current quota", type="insufficient_quota", code="insufficient_quota"),
        error_body("Your account is not active", type="billing_not_active"),
        error_body("No money", code="insufficient_balance"),
        GEMINI_DAY,
    ],
)
def test_a_quota_that_is_used_up_is_not_asked_for_again(driven: Driven, scripted: Any, body: Any) -> None:
    server = scripted(answer(429, body))
    with pytest.raises(RequestFailed) as caught:
        driven.connect(server.url, request_retries=3).generate(PROMPT, Person)
    assert len(server.requests) == 1
    assert "quota" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, error_body("The response was filtered", code="content_filter")),
        (400, error_body("filtered", innererror={"code": "ResponsibleAIPolicyViolation"})),
        (400, {"type": "error", "error": {"type": "invalid_request_error",
                                          "message": "Output blocked by content filtering policy"}}),
        (400, error_body("Content Exists Risk")),
        (400, {"code": "data_inspection_failed", "message": "no"}),
        (400, error_body("Invalid prompt: your prompt was flagged as potentially violating our usage policy.")),
        (403, error_body("Content violates usage guidelines.")),
        (200, error_body("filtered", code="content_filter")),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_stream", [False, True])
def test_a_content_filter_refuses_on_every_service(
    driven: Driven, scripted: Any, status: int, body: Any, is_stream: bool
) -> None:
    server = scripted(answer(status, body, "x-request-id: req_7"))
    model = driven.connect(server.url, request_retries=2)
    with pytest.raises(Refused) as caught:
        (model.stream if is_stream else model.generate)(PROMPT, Person)
    assert caught.value.reason == "content_filter"
    assert isinstance(caught.value.__cause__, RequestFailed)
    assert caught.value.__cause__.request_id == "req_7"
    assert len(server.requests) == 1


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (error_body("slow down", code=429), 429),
        (error_body("slow down", code="x"), 200),
        ({"object": "error", "message": "slow down", "code": 503}, 503),
        ({"error": "slow down"}, 200),
    ],
)
def test_an_error_with_a_good_status_is_that_error(
    driven: Driven, scripted: Any, body: Any, status: int, is_stream: bool
) -> None:
    server = scripted(answer(200, body))
    model = driven.connect(server.url)
    with pytest.raises(RequestFailed, match="slow down") as caught:
        (model.stream if is_stream else model.generate)(PROMPT, Person)
    assert caught.value.status == status


def test_an_error_with_a_good_status_may_pass(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(error_body("slow down", code=429)), ok(chat(ADA)))
    assert driven.connect(server.url, request_retries=1).generate(PROMPT, Person).value.age == 36


def test_an_error_of_a_stream_may_pass_before_its_first_piece(driven: Driven, scripted: Any) -> None:
    overloaded = event({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}})
    server = scripted(lambda _: [head(), overloaded])
    with pytest.raises(RequestFailed, match="busy") as caught:
        driven.connect(server.url, api="anthropic", request_retries=1).stream(PROMPT, Person)
    assert (caught.value.type, len(server.requests)) == ("overloaded_error", 2)


def test_an_answer_whose_error_is_null_is_none() -> None:
    body = chat(ADA) | {"error": None}
    assert WIRES["openai"].read_reply(decode_body(Response(200, body))).text == ADA


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("status", [429, 401, 500])
def test_the_error_of_the_sdk_is_the_cause(scripted: Any, status: int, is_stream: bool) -> None:
    openai = pytest.importorskip("openai")
    body = error_body("slow down", type="requests", code="rate_limit_exceeded")
    server = scripted(answer(status, body, "x-request-id: req_7"))
    with openai.OpenAI(base_url=server.url, api_key="k", max_retries=0) as client:
        create = fw.patch(client, model="m").chat.completions.create
        messages = [{"role": "user", "content": PROMPT}]
        with pytest.raises(RequestFailed) as caught:
            list(create(response_model=Person, messages=messages, stream=is_stream, max_retries=0))
    error = caught.value
    assert isinstance(error.__cause__, openai.APIStatusError)
    assert (error.status, error.code, error.type) == (status, "rate_limit_exceeded", "requests")
    assert error.request_id == "req_7"


def test_a_filter_keeps_the_error_of_the_sdk(scripted: Any) -> None:
    openai = pytest.importorskip("openai")
    server = scripted(answer(400, error_body("filtered", code="content_filter")))
    with openai.OpenAI(base_url=server.url, api_key="k") as client, pytest.raises(Refused) as caught:
        fw.patch(client, model="m").chat.completions.create(
            response_model=Person, messages=[{"role": "user", "content": PROMPT}]
        )
    assert caught.value.__cause__ is not None
    assert isinstance(caught.value.__cause__.__cause__, openai.BadRequestError)


@pytest.mark.parametrize("number_of_calls", [1, 2])
@pytest.mark.parametrize("api", ["openai", "responses", "anthropic"])
def test_asking_again_sends_no_empty_id(driven: Driven, scripted: Any, api: str, number_of_calls: int) -> None:
    """A server that gives calls no ids takes none back that are empty."""
    bad = {"name": "get_weather", "arguments": '{"city": 7}'}
    answers: dict[str, Any] = {
        "openai": chat(None, "tool_calls", tool_calls=[{"function": bad}] * number_of_calls),
        "responses": {"status": "completed", "output": [{"type": "function_call", **bad}] * number_of_calls},
        "anthropic": {
            "stop_reason": "tool_use",
            "content": [{"type": "tool_use", "name": "get_weather", "input": {"city": 7}}] * number_of_calls,
        },
    }
    server = scripted(ok(answers[api]))
    form = fw.tools([get_weather], calls="required")
    with pytest.raises(AttemptsExhausted):
        driven.connect(server.url, api=api).generate(PROMPT, form, max_retries=2)
    ids = list(found_ids(server.requests[-1].json))
    assert len(ids) == 4 * number_of_calls  # in two corrections, each call and its answer
    assert all(ids)
    assert len(set(ids)) == 2 * number_of_calls


def get_weather(city: str) -> str:
    """The weather in a city."""
    return city


def found_ids(value: Any) -> Any:
    """The values of all fields in which an API has the id of a call."""
    if isinstance(value, list):
        for item in value:
            yield from found_ids(item)
    elif isinstance(value, dict):
        yield from (value[name] for name in ("id", "call_id", "tool_call_id", "tool_use_id") if name in value)
        for member in value.values():
            yield from found_ids(member)


def test_an_empty_answer_is_no_turn_of_anthropic(driven: Driven, scripted: Any) -> None:
    empty = {"content": [{"type": "text", "text": ""}], "stop_reason": "end_turn"}
    server = scripted(ok(empty))
    with pytest.raises(AttemptsExhausted):
        driven.connect(server.url, api="anthropic", mode="strict").generate(PROMPT, Person, max_retries=1)
    blocks = [block for turn in server.requests[-1].json["messages"] for block in turn["content"]]
    assert all(block["text"] for block in blocks)
