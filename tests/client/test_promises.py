"""Promises that are easy to break: keys stay here, nothing is half a value, caches keep answers apart."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import tenacity
from pydantic import BaseModel
from toys import Person

import formwright as fw
from formwright.client import AnswerCache
from formwright.client.plans.extraction import extract
from formwright.errors import (
    ArgumentError,
    AttemptsExhausted,
    OutputInvalid,
    PromptError,
    RequestFailed,
    StreamUnfinished,
)

from .conftest import Driven
from .scripted import DONE, answer, chat, chunk, event, head, ok, usage

ADA = '{"name": "Ada", "age": 36}'
PROMPT = "Ada is 36 years old."


class Tree(BaseModel):
    name: str
    children: list[Tree]


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (Tree, '{"name": "root", "children": [{"name": "leaf", "children": []}, {"na'),
        (Tree, '{"name": "root", "children": [{"name": "leaf", "children": []},]}'),
        (list[int], "[[1, 2], [3"),
    ],
)
def test_a_piece_of_a_value_is_not_the_value(type_: Any, text: str) -> None:
    with pytest.raises(OutputInvalid):
        extract(fw.form(type_, whitespace="free"), text)


def test_a_value_behind_which_another_was_cut_is_not_meant(driven: Driven, scripted: Any) -> None:
    text = 'For instance {"age": 1}. But the answer is {"age": 3'
    server = scripted(ok(chat(text, "length")))
    with pytest.raises(fw.errors.FormwrightError):
        driven.connect(server.url, mode="instructions").generate(PROMPT, {"type": "object", "required": ["age"]})


@pytest.mark.parametrize("key", ["sk-secret\n", "sk secret", "sk-é€"])
def test_keys_that_no_header_can_have(key: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        fw.connect("http://127.0.0.1:9/v1", "m", api_key=key)
    assert (caught.value.argument, "sk" in str(caught.value)) == ("api_key", False)


def test_a_service_that_repeats_the_key(driven: Driven, scripted: Any) -> None:
    server = scripted(answer(401, {"error": {"message": "Incorrect API key provided: sk-secret-1"}}))
    with pytest.raises(RequestFailed) as caught:
        driven.connect(server.url, api_key="sk-secret-1").generate(PROMPT, Person)
    assert "sk-secret" not in f"{caught.value} {vars(caught.value)}"


@pytest.mark.parametrize("options", [{"api": "anthropic"}, {"api": "gemini"}, {"service": "openai"}])
def test_keys_of_services_go_to_their_hosts_only(
    driven: Driven, scripted: Any, monkeypatch: pytest.MonkeyPatch, options: Any
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "sk-theirs")
    server = scripted(answer(400, b"{}"))
    with pytest.raises(RequestFailed):
        driven.connect(server.url, mode="instructions", **options).generate(PROMPT, Person)
    assert "sk-theirs" not in str(server.requests[0].headers)


def test_a_password_in_a_wrong_url() -> None:
    with pytest.raises(ArgumentError) as caught:
        fw.connect("ada:secret@host/v1", "m")
    assert "secret" not in str(caught.value)


def test_a_query_of_the_url_stays_behind_the_path(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat(ADA)))
    driven.connect(f"{server.url}?api-version=1").generate(PROMPT, Person)
    assert server.requests[0].path == "/v1/chat/completions?api-version=1"


def test_caches_keep_services_apart(driven: Driven, scripted: Any, tmp_path: Path) -> None:
    server = scripted(ok(chat(ADA)), ok(chat('{"name": "Bob", "age": 7}')))
    cache = AnswerCache(tmp_path)
    names = []
    for tenant in ("a", "b", "a"):
        model = driven.connect(f"{server.url}/{tenant}", cache=cache)
        names.append(model.generate(PROMPT, Person).value.name)
    cache.close()
    assert names == ["Ada", "Bob", "Ada"]
    assert len(server.requests) == 2


def test_a_cache_that_cannot_be(driven: Driven, scripted: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ArgumentError, match="cannot be opened"):
        AnswerCache(tmp_path / "file")
    with pytest.raises(ArgumentError, match="AnswerCache"):
        fw.connect("http://127.0.0.1:9/v1", "m", cache="folder")  # type: ignore[call-overload]


def stream_of(*texts: str) -> list[Any]:
    return [head(), *(event(chunk(text)) for text in texts), event(chunk(finish="stop")), DONE]


def test_what_was_wrong_is_sent_back_where_the_caller_may_cancel(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: stream_of('{"name": 7}'), lambda _: stream_of(ADA))
    model = driven.connect(server.url, mode="strict")
    result = model.generate(PROMPT, Person, cancel=lambda: False, max_retries=1)
    assert result.value.age == 36
    assert "/name" in server.requests[1].json["messages"][-1]["content"]


def test_the_complaint_names_what_is_missing_and_quotes_what_is_wrong(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat('{"name": "Ada"}')), ok(chat('{"name": "Ada", "age": "x"}')), ok(chat(ADA)))
    driven.connect(server.url, mode="strict").generate(PROMPT, Person, max_retries=2)
    said = [request.json["messages"][-1]["content"] for request in server.requests[1:]]
    assert "at /age" in said[0]
    assert "required" in said[0]
    assert 'at /age: "x": ' in said[1]


def test_a_stream_that_was_left_has_no_result(scripted: Any) -> None:
    server = scripted(lambda _: stream_of('{"name": ', '"Ada", "age": 36}'))
    with fw.connect(server.url, "m") as model:
        stream = model.stream(PROMPT, Person)
        with stream:
            next(stream)
        assert list(stream) == []
        with pytest.raises(StreamUnfinished):
            stream.result  # noqa: B018


@pytest.mark.parametrize(
    ("form", "texts", "inner"),
    [
        (fw.choice("yes", "no"), ['{"te', 'xt": "y', 'es"}'], "yes"),
        (list[int], ['{"value"', ": [1", ", 2]", "}"], "[1, 2]"),
        (fw.regex('"é+"'), ['{"text": "\\"é', 'é\\""}'], '"éé"'),
    ],
)
def test_pieces_are_of_the_text_in_form(driven: Driven, scripted: Any, form: Any, texts: list[str], inner: str) -> None:
    server = scripted(lambda _: stream_of(*texts))
    pieces, result = driven.connect(server.url, mode="strict").stream(PROMPT, form)
    assert "".join(piece.text for piece in pieces) == result.text == inner


def test_a_whole_answer_where_a_stream_was_asked_for(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat(ADA)))
    with pytest.raises(RequestFailed, match="one JSON object where a stream"):
        driven.connect(server.url, request_retries=3).stream(PROMPT, Person)
    assert len(server.requests) == 1


def test_text_before_a_call_is_no_part_of_its_value(driven: Driven, scripted: Any) -> None:
    arguments = {"index": 0, "id": "c", "function": {"name": "Person", "arguments": ADA}}
    events = [chunk("Sure."), chunk(tool_calls=[arguments]), chunk(finish="tool_calls")]
    server = scripted(lambda _: [head(), *map(event, events), DONE])
    pieces, result = driven.connect(server.url, mode="tools").stream(PROMPT, Person)
    assert (result.value.age, result.exchange.outside) == (36, "Sure.")
    assert "".join(piece.text for piece in pieces) == ADA


@pytest.mark.parametrize("text", ['{"text": yes}', '{"text": 5}', '{"text": null}', '{"other": "yes"}', "yes"])
def test_choices_that_are_no_strings(driven: Driven, scripted: Any, text: str) -> None:
    server = scripted(ok(chat(text)))
    with pytest.raises(OutputInvalid):
        driven.connect(server.url, mode="strict").generate(PROMPT, fw.choice("yes", "no"))


@pytest.mark.timeout(20)
@pytest.mark.parametrize("form", [list[int], Person])
def test_whitespace_without_end(driven: Driven, scripted: Any, form: Any) -> None:
    server = scripted(ok(chat('{"value":' + "\n" * 200_000, "length")))
    with pytest.raises(fw.errors.OutputTruncated):
        driven.connect(server.url, mode="strict").generate(PROMPT, form)


def test_a_long_wait_is_told_at_once(driven: Driven, scripted: Any) -> None:
    server = scripted(answer(429, {"error": {"message": "tomorrow"}}, "Retry-After: 86400"))
    with pytest.raises(RequestFailed, match="tomorrow"):
        driven.connect(server.url, request_retries=3).generate(PROMPT, Person)
    assert len(server.requests) == 1


def test_one_model_in_two_event_loops(scripted: Any) -> None:
    server = scripted(ok(chat(ADA)))
    model = fw.connect(server.url, "m", asynchronous=True)

    async def ask() -> int:
        async with model:
            return (await model.generate(PROMPT, Person)).value.age

    assert [asyncio.run(ask()), asyncio.run(ask())] == [36, 36]


def test_an_option_that_nobody_has(driven: Driven, scripted: Any) -> None:
    model = driven.connect(scripted(ok(chat(ADA))).url)
    with pytest.raises(TypeError, match="temprature"):
        model.generate_many([PROMPT], Person, temprature=1)


def whole(text: str, finish: str = "stop") -> list[bytes]:
    """A stream of one piece."""
    return [head(), event(chunk(text)), event(chunk(finish=finish)), DONE]


@pytest.mark.parametrize("wrong", ["no", "", '{"name": 7}'])
def test_a_stream_is_asked_for_again_until_something_is_shown(driven: Driven, scripted: Any, wrong: str) -> None:
    server = scripted(lambda _: whole(wrong), lambda _: whole(ADA))
    pieces, result = driven.connect(server.url, mode="strict").stream(PROMPT, Person, max_retries=2)
    assert result.value.age == 36
    assert "".join(piece.text for piece in pieces) == ADA
    said = server.requests[1].json["messages"]
    assert len(said) == 3
    assert said[1] == {"role": "assistant", "content": wrong}
    assert [attempt.error is None for attempt in result.exchange.attempts] == [False, True]


def test_a_call_in_a_stream_is_asked_for_again(driven: Driven, scripted: Any) -> None:
    """Its arguments leave the schema in the first piece."""

    def called(arguments: str) -> list[bytes]:
        one = {"index": 0, "id": "c", "function": {"name": "Person", "arguments": arguments}}
        return [head(), event(chunk(tool_calls=[one])), event(chunk(finish="tool_calls")), DONE]

    server = scripted(lambda _: called('{"name": 7'), lambda _: called(ADA))
    _, result = driven.connect(server.url, mode="tools").stream(PROMPT, Person, max_retries=1)
    assert result.value.age == 36


def test_a_stream_is_not_asked_for_again_once_something_was_shown(driven: Driven, scripted: Any) -> None:
    events = [head(), event(chunk('{"name": ')), event(chunk("7}")), event(chunk(finish="stop")), DONE]
    server = scripted(lambda _: events)
    with pytest.raises(AttemptsExhausted, match="1 attempt") as caught:
        driven.connect(server.url, mode="strict").stream(PROMPT, Person, max_retries=3)
    assert len(server.requests) == 1
    assert isinstance(caught.value.__cause__, OutputInvalid)
    assert "shown" in caught.value.__notes__[-1]


def test_a_policy_does_not_take_back_what_was_shown(driven: Driven, scripted: Any) -> None:
    events = [head(), event(chunk('{"name": ')), event(chunk("7}")), event(chunk(finish="stop")), DONE]
    server = scripted(lambda _: events)
    policy = tenacity.Retrying(stop=tenacity.stop_after_attempt(3))
    with pytest.raises(AttemptsExhausted):
        driven.connect(server.url, mode="strict").stream(PROMPT, Person, max_retries=policy)
    assert len(server.requests) == 1


def test_a_budget_of_tokens_ends_the_attempts_of_a_stream(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: [*whole("")[:-1], event(usage(20, 10)), DONE])
    with pytest.raises(AttemptsExhausted):
        driven.connect(server.url, mode="strict").stream(PROMPT, Person, max_retries=9, token_budget=50)
    assert len(server.requests) == 2


def test_braces_with_a_context_without_names(scripted: Any) -> None:
    openai = pytest.importorskip("openai", reason="the openai SDK is not installed")
    server = scripted(ok(chat(ADA)))
    with openai.OpenAI(base_url=server.url, api_key="none") as client, pytest.raises(PromptError):
        fw.patch(client, model="m").create(
            response_model=Person, messages=[{"role": "user", "content": "{{ a }}"}], context="x"
        )
    assert server.requests == []


def test_the_schema_has_the_name_of_its_title(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat(ADA)))
    schema = {"title": "Somebody", "type": "object", "properties": {"name": {"type": "string"}, "age": {}}}
    driven.connect(server.url, mode="strict").generate(PROMPT, schema)
    assert server.requests[0].json["response_format"]["json_schema"]["name"] == "Somebody"
    assert json.loads(json.dumps(schema)) == schema
