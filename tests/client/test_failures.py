"""Every way in which an API fails: a typed error or a right result, never half a value."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from pydantic import BaseModel, field_validator
from toys import Person

import formwright as fw
from formwright.errors import (
    AttemptsExhausted,
    LimitExceeded,
    OutputInvalid,
    OutputTruncated,
    Refused,
    RequestFailed,
)

from .conftest import Driven
from .scripted import DONE, RESET, Pause, answer, call, chat, chunk, error_body, event, head, ok, usage

ADA = '{"name": "Ada", "age": 36}'
PROMPT = "Ada is 36 years old."


def test_a_right_answer(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat(ADA)))
    result = driven.connect(server.url, mode="strict").generate(PROMPT, Person)
    assert result.value == Person(name="Ada", age=36)
    assert (result.enforced, result.prompt_tokens, result.model_calls) == ("server", 10, 1)
    assert server.requests[0].path == "/v1/chat/completions"


def test_a_schema_complaint_leads_to_the_next_mode_with_a_note(driven: Driven, scripted: Any) -> None:
    said = answer(400, error_body("Invalid schema for response_format 'Person'", param="response_format"))
    server = scripted(said, ok(chat(None, "tool_calls", tool_calls=[call("Person", ADA)])))
    result = driven.connect(server.url).generate(PROMPT, Person)
    assert result.value == Person(name="Ada", age=36)
    assert result.exchange.mode == "tools"
    assert "Invalid schema" in result.exchange.notes[0]
    assert "tools" in server.requests[1].json


def test_a_schema_complaint_is_an_error_where_a_mode_was_chosen(driven: Driven, scripted: Any) -> None:
    server = scripted(answer(400, error_body("Invalid schema for response_format 'Person'")))
    with pytest.raises(RequestFailed, match="Invalid schema") as caught:
        driven.connect(server.url, mode="strict").generate(PROMPT, Person)
    assert caught.value.status == 400
    assert len(server.requests) == 1


def test_another_complaint_leads_nowhere(driven: Driven, scripted: Any) -> None:
    server = scripted(answer(400, error_body("temperature must be at most 2")))
    with pytest.raises(RequestFailed, match="temperature"):
        driven.connect(server.url).generate(PROMPT, Person, temperature=9)
    assert len(server.requests) == 1


@pytest.mark.parametrize(("status", "hint"), [(401, "key"), (403, "key"), (404, "base_url"), (413, "prompt")])
def test_what_the_caller_has_to_mend_is_sent_once(driven: Driven, scripted: Any, status: int, hint: str) -> None:
    server = scripted(answer(status, error_body("no")))
    with pytest.raises(RequestFailed) as caught:
        driven.connect(server.url, request_retries=3).generate(PROMPT, Person)
    assert caught.value.status == status
    assert hint in (caught.value.hint or "")
    assert len(server.requests) == 1


def test_too_many_requests_wait_as_long_as_the_service_says(driven: Driven, scripted: Any) -> None:
    server = scripted(answer(429, error_body("slow down"), "Retry-After: 0.3"), ok(chat(ADA)))
    began = time.monotonic()
    result = driven.connect(server.url, request_retries=2).generate(PROMPT, Person)
    assert result.value.age == 36
    assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_pass_is_sent_again_with_a_pause(driven: Driven, scripted: Any, status: int) -> None:
    server = scripted(answer(status, error_body("later")), ok(chat(ADA)))
    result = driven.connect(server.url, request_retries=1).generate(PROMPT, Person)
    assert result.value.age == 36
    assert len(result.exchange.attempts) == 1  # a request that failed is no attempt of the model


def test_it_is_not_sent_again_for_ever(driven: Driven, scripted: Any) -> None:
    server = scripted(answer(500, b"<html>oops</html>", "Retry-After: 0", kind="text/html"))
    with pytest.raises(RequestFailed, match="oops") as caught:
        driven.connect(server.url, request_retries=2).generate(PROMPT, Person)
    assert caught.value.status == 500
    assert len(server.requests) == 3


def test_a_redirect_is_not_followed(driven: Driven, scripted: Any) -> None:
    elsewhere = scripted(ok(chat(ADA)))
    server = scripted(answer(307, b"", f"Location: {elsewhere.url}/chat/completions"))
    with pytest.raises(RequestFailed, match="redirect"):
        driven.connect(server.url, api_key="secret").generate(PROMPT, Person)
    assert elsewhere.requests == []


def test_a_reset_in_mid_answer(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: [ok(chat(ADA))[:-20], Pause(0.05), RESET])
    with pytest.raises(RequestFailed, match="could not be reached"):
        driven.connect(server.url).generate(PROMPT, Person)


def test_a_reset_in_mid_stream_is_an_error_and_is_not_sent_again(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: [head(), event(chunk('{"name": "A')), Pause(0.1), RESET])
    with pytest.raises(RequestFailed):
        driven.connect(server.url, request_retries=3).stream(PROMPT, Person)
    assert len(server.requests) == 1


def test_a_reset_before_the_first_piece_is_sent_again(driven: Driven, scripted: Any) -> None:
    whole = [head(), event(chunk(ADA)), event(chunk(finish="stop")), DONE]
    server = scripted(lambda _: [RESET], lambda _: whole)
    pieces, result = driven.connect(server.url, request_retries=1).stream(PROMPT, Person)
    assert result.value.age == 36
    assert "".join(piece.text for piece in pieces) == ADA


def test_a_stream_that_ends_inside_a_character(driven: Driven, scripted: Any) -> None:
    data = event(chunk('{"name": "é", "age": 3'))
    server = scripted(lambda _: [head(), data[: data.index("é".encode()) + 1]])
    with pytest.raises(RequestFailed):
        driven.connect(server.url).stream(PROMPT, Person)


def test_a_stream_whose_bytes_come_one_by_one(driven: Driven, scripted: Any) -> None:
    events = [chunk('{"name": "é'), chunk('😀", "age": 3'), chunk("6}"), chunk(finish="stop"), usage(10, 7)]
    data = b"".join(map(event, events)) + DONE
    server = scripted(lambda _: [head(), *(data[at : at + 1] for at in range(len(data)))])
    pieces, result = driven.connect(server.url).stream(PROMPT, Person)
    assert result.value == Person(name="é😀", age=36)
    assert [piece.text for piece in pieces] == ['{"name": "é', '😀", "age": 3', "6}"]
    assert pieces[0].partial.name.value == "é"
    assert (pieces[1].partial.name.state, pieces[1].partial.age.state) == ("complete", "partial")
    assert result.exchange.usage.completion_tokens == 7


def test_a_stream_without_an_end_is_no_answer(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: [head(), event(chunk(ADA))])  # in form, and yet nobody said that it is all
    with pytest.raises(RequestFailed, match="ended before"):
        driven.connect(server.url).stream(PROMPT, Person)


def test_a_stream_that_leaves_its_form_is_ended_there(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: [head(), event(chunk('{"name": 7')), *[Pause(0.2), event(chunk(" "))] * 20])
    with pytest.raises(OutputInvalid) as caught:
        driven.connect(server.url).stream(PROMPT, Person)
    assert caught.value.text[: caught.value.position] == '{"name": '
    assert server.closed.wait(5)  # the connection was dropped


def test_an_error_in_a_stream(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: [head(), event(chunk('{"name"')), event(error_body("out of memory")), DONE])
    with pytest.raises(RequestFailed, match="out of memory"):
        driven.connect(server.url).stream(PROMPT, Person)


@pytest.mark.parametrize("data", [b"data: {broken\n\n", b"data: 7\n\n", b"data: " + b"[" * 100_000 + b"\n\n"])
def test_events_that_are_no_objects(driven: Driven, scripted: Any, data: bytes) -> None:
    server = scripted(lambda _: [head(), data])
    with pytest.raises(RequestFailed, match="not a JSON object"):
        driven.connect(server.url).stream(PROMPT, Person)


def test_a_text_that_the_limit_cut(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat('{"name": "Ada", "a', "length")))
    model = driven.connect(server.url)
    with pytest.raises(OutputTruncated) as caught:
        model.generate(PROMPT, Person, max_tokens=5)
    assert caught.value.text == '{"name": "Ada", "a'
    cut = model.generate(PROMPT, Person, max_tokens=5, finish=False)
    assert isinstance(cut, fw.Truncated)
    assert (cut.text, cut.reason) == ('{"name": "Ada", "a', "max_tokens")


def test_a_number_that_the_limit_cut_may_go_on(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat("12", "length")))
    with pytest.raises(OutputTruncated):
        driven.connect(server.url, mode="instructions").generate(PROMPT, int)


def test_a_cut_text_is_asked_for_with_more_and_never_with_the_same(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat('{"name": "Ada", "a', "length")), ok(chat('{"name": "Ada", ', "length")), ok(chat(ADA)))
    result = driven.connect(server.url).generate(PROMPT, Person, max_tokens=5, max_retries=2)
    assert result.value.age == 36
    assert [request.json["max_tokens"] for request in server.requests] == [5, 10, 20]
    assert [len(request.json["messages"]) for request in server.requests] == [1, 1, 1]
    assert result.exchange.usage.completion_tokens == 15


@pytest.mark.parametrize("is_stream", [False, True])
def test_a_refusal(driven: Driven, scripted: Any, is_stream: bool) -> None:
    if is_stream:
        events = [chunk(refusal="I can"), chunk(refusal="not."), chunk(finish="stop")]
        server = scripted(lambda _: [head(), *map(event, events), DONE])
    else:
        server = scripted(ok(chat(None, refusal="I cannot.")))
    model = driven.connect(server.url)
    with pytest.raises(Refused, match="I cannot") as caught:
        (model.stream if is_stream else model.generate)(PROMPT, Person)
    assert (caught.value.reason, caught.value.text) == ("refusal", "I cannot.")
    assert len(server.requests) == 1


def test_a_content_filter(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat(ADA[:9], "content_filter")))
    with pytest.raises(Refused) as caught:
        driven.connect(server.url).generate(PROMPT, Person, max_retries=3)
    assert caught.value.reason == "content_filter"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"choices": []},
        {},
        {"choices": [{}]},
        {"choices": [{"message": None}]},
        {"choices": "none"},
        {"choices": [{"message": {"tool_calls": [{"function": 7}]}}]},
        chat(7),
        chat([7]),
        chat([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]),
        chat("text", tool_calls={"0": {}}),
        [],
        None,
    ],
)
def test_answers_of_another_shape(driven: Driven, scripted: Any, body: Any) -> None:
    server = scripted(ok(body))
    with pytest.raises(RequestFailed):
        driven.connect(server.url).generate(PROMPT, Person)


@pytest.mark.parametrize("content", [None, "", []])
def test_a_message_without_text(driven: Driven, scripted: Any, content: Any) -> None:
    server = scripted(ok(chat(content)))
    with pytest.raises(OutputInvalid):
        driven.connect(server.url).generate(PROMPT, Person)


def test_unknown_fields_are_left_alone(driven: Driven, scripted: Any) -> None:
    body = chat(ADA, reasoning_content="hm", audio={"x": 1}) | {"new_field": {"deep": [1]}, "usage": None}
    server = scripted(ok(body))
    result = driven.connect(server.url).generate(PROMPT, Person)
    assert result.value.age == 36
    assert result.exchange.raw["new_field"] == {"deep": [1]}


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("{name: Ada}", 1),
        ('{"name": "Ada", "age": 36,}', 25),
        ('{"name": "Ada"}', 14),
        ('{"name": "Ada", "age": "36"}', 23),
        ('{"name": "Ada", "age": 36} ' * 2, 27),
        ("\ufeff" + ADA, 0),
        ("[" * 100_000, 0),
    ],
)
def test_invalid_json_is_not_repaired(driven: Driven, scripted: Any, text: str, position: int) -> None:
    server = scripted(ok(chat(text)))
    with pytest.raises(OutputInvalid) as caught:
        driven.connect(server.url, mode="strict").generate(PROMPT, Person)
    assert (caught.value.text[:100], caught.value.position) == (text.strip()[:100], position)


PROSE = f"Sure! Here you are:\n\n```json\n{ADA}\n```\nAnything else?"


def test_json_inside_prose_is_found_where_nothing_is_enforced(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat(PROSE)))
    result = driven.connect(server.url, mode="instructions").generate(PROMPT, Person)
    assert (result.value.age, result.enforced) == (36, "checked")
    assert result.exchange.outside == "Sure! Here you are:\n\n\nAnything else?"


def test_json_inside_prose_is_wrong_where_a_service_says_it_enforces(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat(PROSE)))
    with pytest.raises(OutputInvalid):
        driven.connect(server.url, mode="strict").generate(PROMPT, Person)


@pytest.mark.parametrize("names", [["Person", "Person"], ["Other"], ["Person", "Other"], []])
def test_other_calls_than_the_one_asked_for(driven: Driven, scripted: Any, names: list[str]) -> None:
    calls = [call(name, ADA, number) for number, name in enumerate(names)]
    server = scripted(ok(chat("text", "tool_calls", tool_calls=calls)))
    with pytest.raises(OutputInvalid, match="expected one call of Person, got"):
        driven.connect(server.url, mode="tools").generate(PROMPT, Person)


def test_two_calls_in_a_stream(driven: Driven, scripted: Any) -> None:
    calls = [{"index": n, "id": f"c{n}", "function": {"name": "Person", "arguments": ADA}} for n in range(2)]
    events = [*(chunk(tool_calls=[one]) for one in calls), chunk(finish="tool_calls")]
    server = scripted(lambda _: [head(), *map(event, events), DONE])
    with pytest.raises(OutputInvalid, match="expected one call of Person, got"):
        driven.connect(server.url, mode="tools").stream(PROMPT, Person)


@pytest.mark.parametrize("is_stream", [False, True])
def test_an_answer_without_end(driven: Driven, scripted: Any, is_stream: bool) -> None:
    """A gigabyte of it, of which no more is read than the limit allows."""

    def endless(_: Any) -> Any:
        yield head() if is_stream else b"HTTP/1.1 200 X\r\nContent-Length: 1073741824\r\n\r\n"
        block = event(chunk(" " * 4000)) if is_stream else b" " * 65536
        for _ in range((1 << 30) // len(block)):
            yield block

    server = scripted(endless)
    model = driven.connect(server.url, max_bytes=1 << 20)
    with pytest.raises((LimitExceeded, OutputInvalid)) as caught:
        (model.stream if is_stream else model.generate)(PROMPT, fw.json(whitespace="free", max_whitespace=1000))
    if not is_stream:
        assert caught.value.limit == "max_bytes"
    assert server.closed.wait(5)


def test_a_line_without_end(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: [head(), *[b"data: " + b"x" * 65536] * 64])
    with pytest.raises(LimitExceeded) as caught:
        driven.connect(server.url, max_bytes=1 << 20).stream(PROMPT, Person)
    assert caught.value.limit == "max_bytes"


@pytest.mark.parametrize("is_stream", [False, True])
def test_a_server_that_never_answers(driven: Driven, scripted: Any, is_stream: bool) -> None:
    server = scripted(lambda _: [head(), Pause(30)] if is_stream else [Pause(30)])
    model = driven.connect(server.url, timeout=0.3)
    with pytest.raises(RequestFailed, match=r"did not answer within 0.3 seconds"):
        (model.stream if is_stream else model.generate)(PROMPT, Person)


@pytest.mark.parametrize("is_stream", [False, True])
def test_a_server_that_drips(driven: Driven, scripted: Any, is_stream: bool) -> None:
    """It is never silent, and never done: the budget of time ends it."""

    dripped = 0

    def drips(_: Any) -> Any:
        nonlocal dripped
        yield head() if is_stream else b"HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\n"
        for _ in range(200):
            dripped += 1
            yield b": ping\n\n" if is_stream else b" "
            yield Pause(0.05)

    server = scripted(drips)
    model = driven.connect(server.url, timeout=5.0)
    with pytest.raises((LimitExceeded, RequestFailed)):
        (model.stream if is_stream else model.generate)(PROMPT, Person, time_budget=0.5)
    assert dripped < 150


def test_nobody_listens(driven: Driven) -> None:
    with pytest.raises(RequestFailed, match="could not be reached") as caught:
        driven.connect("http://127.0.0.1:9/v1").generate(PROMPT, Person)
    assert caught.value.status is None


def test_a_page_instead_of_an_api(driven: Driven, scripted: Any) -> None:
    server = scripted(answer(200, b"<html>Welcome</html>", kind="text/html"))
    with pytest.raises(RequestFailed, match="something else than a JSON object") as caught:
        driven.connect(server.url).generate(PROMPT, Person)
    assert "base_url" in (caught.value.hint or "")


def test_what_was_wrong_is_sent_back_with_its_place(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat('{"name": "Ada", "age": "x"}')), ok(chat(ADA)))
    result = driven.connect(server.url, mode="strict").generate(PROMPT, Person, max_retries=1)
    assert result.value.age == 36
    said, complaint = server.requests[1].json["messages"][1:]
    assert said == {"role": "assistant", "content": '{"name": "Ada", "age": "x"}'}
    assert "/age" in complaint["content"]
    assert '"x"' in complaint["content"]
    assert [attempt.error is None for attempt in result.exchange.attempts] == [False, True]
    assert result.exchange.usage.total_tokens == 30


def test_attempts_are_kept_when_none_succeeds(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat("no")))
    with pytest.raises(AttemptsExhausted) as caught:
        driven.connect(server.url, mode="strict").generate(PROMPT, Person, max_retries=2)
    assert [attempt.text for attempt in caught.value.attempts] == ["no"] * 3
    assert isinstance(caught.value.__cause__, OutputInvalid)
    assert len(server.requests) == 3


def test_a_budget_of_tokens_ends_the_attempts(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat("no")))
    with pytest.raises(AttemptsExhausted) as caught:
        driven.connect(server.url, mode="strict").generate(PROMPT, Person, max_retries=9, token_budget=25)
    assert isinstance(caught.value.__cause__, LimitExceeded)
    assert len(server.requests) == 2


def test_a_budget_of_time_ends_the_attempts(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: [Pause(0.3), ok(chat("no"))])
    with pytest.raises(AttemptsExhausted) as caught:
        driven.connect(server.url, mode="strict").generate(PROMPT, Person, max_retries=9, time_budget=0.5)
    assert isinstance(caught.value.__cause__, LimitExceeded | RequestFailed)
    assert len(server.requests) <= 2


def test_many_keep_their_order_and_failures_their_place(driven: Driven, scripted: Any) -> None:
    def script(request: Any) -> Any:
        text = request.json["messages"][-1]["content"]
        number = int(text)
        return [Pause(0.02 * (5 - number % 5)), ok(chat(str(number) if number != 3 else "three"))]

    server = scripted(script)
    model = driven.connect(server.url, mode="instructions")
    results = model.generate_many([str(number) for number in range(12)], int, concurrency=4, progress=False)
    assert [type(result).__name__ for result in results].count("Failed") == 1
    assert isinstance(results[3].error, OutputInvalid)
    assert [result.value for number, result in enumerate(results) if number != 3] == [0, 1, 2, *range(4, 12)]


def test_a_seed_for_each(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat("1")))
    driven.connect(server.url, mode="instructions").generate_many(["a", "b", "c"], int, seed=7, progress=False)
    assert sorted(request.json["seed"] for request in server.requests) == [7, 8, 9]


def test_nothing_of_the_caller_is_changed(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat("no")), ok(chat(ADA)))
    text = {"type": "text", "text": "x"}
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [text]}]
    before = json.dumps(messages)
    driven.connect(server.url, mode="json_object").generate(messages, Person, max_retries=1)
    assert json.dumps(messages) == before


def test_parts_that_are_no_text_go_through(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat(ADA)))
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    driven.connect(server.url).generate([{"role": "user", "content": [image]}], Person)
    assert server.requests[0].json["messages"] == [{"role": "user", "content": [image]}]


def test_a_key_is_in_no_message(driven: Driven, scripted: Any) -> None:
    key = "sk-very-secret-7"
    server = scripted(answer(401, error_body("bad key")))
    model = driven.connect(server.url, api_key=key)
    with pytest.raises(RequestFailed) as caught:
        model.generate(PROMPT, Person)
    assert server.requests[0].headers["authorization"] == f"Bearer {key}"
    seen = [repr(model.model), repr(model.model.transport), repr(vars(caught.value)), str(caught.value)]
    seen += [repr(vars(model.model.transport)), repr(model.model.transport.endpoint)]
    assert not any(key in text for text in seen)


def test_a_key_of_a_known_service_is_for_its_hosts_only(
    driven: Driven, scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-theirs")
    server = scripted(ok(chat(ADA)))
    driven.connect(server.url).generate(PROMPT, Person)
    assert "authorization" not in server.requests[0].headers


def test_a_type_that_refuses_is_no_cut(driven: Driven, scripted: Any) -> None:
    """Neither a stop text nor the limit makes a refused value the beginning of a better one."""

    class Never(BaseModel):
        age: int

        @field_validator("age")
        @classmethod
        def never(cls, age: int) -> int:
            raise ValueError("never")

    server = scripted(ok(chat('{"age": 1}')), ok(chat('{"age": 1}', "length")))
    model = driven.connect(server.url, mode="strict")
    for _ in range(2):
        with pytest.raises(OutputInvalid, match="never"):
            model.generate(PROMPT, Never, stop="END", finish=False)


@pytest.mark.parametrize(("text", "is_complete"), [('{"name": "Ada", "age": 36}', True), ('{"name": "Ad', False)])
def test_a_stop_text_cuts_where_the_value_is_not_whole(
    driven: Driven, scripted: Any, text: str, is_complete: bool
) -> None:
    server = scripted(ok(chat(text)))
    result = driven.connect(server.url, mode="strict").generate(PROMPT, Person, stop="a")
    assert isinstance(result, fw.Complete if is_complete else fw.Truncated)
    assert result.text == text
    assert is_complete or result.reason == "stop"
