"""What frameworks ask models by: options, choices of tools, streams that say what the whole answer says."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from dataclasses import replace
from typing import Any

import pytest
from client.scripted import Scripted, chat, ok
from parameters import slow_except
from toys import Person

import formwright as fw
from formwright._hosts import HOSTS, Host
from formwright.conversations.local import flatten_for_plain_template, to_chat_completions
from formwright.errors import (
    ArgumentError,
    FormwrightError,
    HostMismatch,
    LimitExceeded,
    MissingDependency,
    OptionUnsupported,
    PromptError,
    SchemaError,
)
from formwright.frameworks import chats, model_options
from formwright.frameworks.chats import ChatAnswer, Question, offer_tools
from formwright.generation.result import Usage
from formwright.tools import STYLES
from formwright.tools.events import CallArguments, CallBegun, Text

pytest.importorskip("onnxruntime", reason="formwright[local] is not installed")

ADD = {
    "name": "add",
    "description": "Add two numbers.",
    "parameters": {
        "type": "object",
        "properties": {"a": {"type": "integer", "maximum": 99}, "b": {"type": "string", "maxLength": 4}},
        "required": ["a", "b"],
        "additionalProperties": False,
    },
}
WHO = {"name": "who", "parameters": {"type": "object", "maxProperties": 0}}
HI = [{"role": "user", "content": "Hi"}]


@pytest.mark.parametrize("choice", ["auto", "required", "f"])
@pytest.mark.parametrize("broken", [{"pattern": r"(a)\1"}, {"type": "strin"}, {"not": {"uniqueItems": True}}])
def test_tools_that_cannot_be_enforced_are_refused_before_anything_is_asked(
    tiny: fw.models.LocalModel, broken: dict[str, Any], choice: str
) -> None:
    schema = {"type": "object", "properties": {"a": broken}}
    with fw.connect("http://127.0.0.1:9/v1", "m") as remote:
        for model in (tiny, remote):
            with pytest.raises(SchemaError):
                Question(model, [], offered=offer_tools([{"name": "f", "parameters": schema}], choice)).check_form()
            Question(model, [], offered=offer_tools([ADD], "auto")).check_form()


def told(events: Any) -> tuple[str, list[tuple[str, str, Any]], ChatAnswer]:
    """What the events of a stream say together."""
    *pieces, answer = events
    assert isinstance(answer, ChatAnswer)
    text = "".join(piece.text for piece in pieces if isinstance(piece, Text))
    calls: list[list[Any]] = []
    for piece in pieces:
        if isinstance(piece, CallBegun):
            assert piece.number == len(calls)
            calls.append([piece.id, piece.name, ""])
        if isinstance(piece, CallArguments):
            assert piece.number == len(calls) - 1
            calls[-1][2] += piece.text
    return text, [(id_, name, json.loads(arguments)) for id_, name, arguments in calls], answer


@pytest.mark.parametrize("style", slow_except(["json", "harmony"], STYLES))
@pytest.mark.parametrize("choice", ["auto", "required", "add"])
@pytest.mark.parametrize("several", [True, False])
@pytest.mark.parametrize("seed", slow_except([0], range(3)))
def test_a_stream_says_what_the_answer_says(tiny: Any, style: str, choice: str, several: bool, seed: int) -> None:
    offered = offer_tools([ADD, WHO], choice, several)
    options = {"max_tokens": 150, "temperature": 1.5, "seed": seed}
    question = Question(replace(tiny, style=style), HI, offered=offered, options=options)
    try:
        answer = question.answer()
    except FormwrightError as error:  # a style whose control tokens this vocabulary lacks
        with pytest.raises(type(error)):
            list(question.stream())
        return
    text, calls, last = told(question.stream())
    assert text.strip() == answer.text.strip()
    assert [(name, arguments) for _, name, arguments in calls] == [(c.name, c.arguments) for c in answer.calls]
    assert [(id_, name) for id_, name, _ in calls] == [(call.id, call.name) for call in last.calls]
    assert (last.finish, last.enforced, last.usage) == (answer.finish, answer.enforced, answer.usage)
    assert choice == "auto" or answer.calls
    assert several or len(answer.calls) <= 1
    assert choice != "add" or [call.name for call in answer.calls] == ["add"]
    awaited = asyncio.run(collected(question))
    assert told(awaited)[:1] == (text,)
    assert [call[1:] for call in told(awaited)[1]] == [call[1:] for call in calls]


def test_what_marks_a_text_as_one_is_no_part_of_it(tiny: Any, toy: Any) -> None:
    seen = set()
    for seed in range(12):
        random = replace(tiny, style="harmony", runtime=toy(tiny.vocabulary.logits_size, seed))
        question = Question(random, HI, offered=offer_tools([ADD, WHO], "auto", True), options={"max_tokens": 60})
        answer = question.answer()
        assert "<|channel|>" not in answer.text
        assert told(question.stream())[0].strip() == answer.text.strip()
        seen.add(bool(answer.calls))
    assert False in seen


async def collected(question: Question) -> list[Any]:
    return [event async for event in question.stream_async()]


@pytest.mark.parametrize("style", slow_except(["hermes"], ["json", "json_lines", "hermes"]))
@pytest.mark.parametrize("several", [True, False])
@pytest.mark.parametrize("type_", [int, Person], ids=["begins otherwise", "begins as calls do"])
def test_calls_or_a_text_in_form(tiny: Any, toy: Any, style: str, several: bool, type_: Any) -> None:
    offered, form = offer_tools([ADD], "auto", several), fw.form(type_)
    seen = set()
    for seed in range(48):
        random = replace(tiny, style=style, runtime=toy(tiny.vocabulary.logits_size, seed))
        question = Question(random, HI, form, offered, {"max_tokens": 60})
        answer = question.answer()
        if answer.calls:
            assert answer.finish == "tool_calls"
        else:
            form.parse(answer.text)
        seen.add(bool(answer.calls))
        text, calls, _ = told(question.stream())
        assert text == answer.text
        assert [call[1:] for call in calls] == [(call.name, call.arguments) for call in answer.calls]
    assert seen == {True, False} or type_ is Person


def test_free_text_ends_by_itself_or_at_the_budget(tiny: Any) -> None:
    answer = Question(tiny, HI, options={"max_tokens": 1}).answer()
    assert (answer.finish, answer.enforced, answer.metadata["complete"]) == ("length", None, False)
    assert answer.usage.completion_tokens == 1
    form = Question(tiny, HI, fw.form(int), options={"max_tokens": 5}).answer()
    assert (form.finish, form.enforced, form.metadata["complete"]) == ("stop", "kernel", True)
    cut = Question(tiny, HI, fw.form(Person), options={"max_tokens": 4, "finish": False}).answer()
    assert (cut.finish, cut.enforced, cut.metadata["complete"]) == ("length", None, False)


def test_ids_of_calls_are_never_the_same(tiny: Any) -> None:
    question = Question(tiny, HI, offered=offer_tools([WHO], "who"))
    assert len({question.answer().calls[0].id for _ in range(20)}) == 20


def test_choices() -> None:
    for choice in ("any", "required", True):
        assert offer_tools([ADD], choice).mode == "required"
        assert offer_tools([ADD], choice, False).mode == "one"
    for choice in ("none", False):
        assert offer_tools([ADD], choice).tools == ()
    assert offer_tools([]).tools == ()
    one = offer_tools([ADD, WHO], {"type": "function", "function": {"name": "who"}})
    assert (one.descriptions, one.mode) == (offer_tools([WHO]).descriptions, "one")
    assert not offer_tools([ADD], None, False).several
    for tools, choice in (([], "required"), ([], "who"), ([ADD], "who"), ([ADD], 7), ([ADD], {"type": "any"})):
        with pytest.raises(ArgumentError):
            offer_tools(tools, choice)


def test_options_are_the_models_own(tiny: Any) -> None:
    remote = fw.connect("http://127.0.0.1:9/v1", "m")
    for model in (tiny, remote):
        with pytest.raises(ArgumentError, match="temprature") as caught:
            model_options.check_options(model, {"temprature": 1})
        assert "temperature" in str(caught.value.hint)
    for model, name in ((tiny, "mode"), (tiny, "token_budget"), (remote, "canonical"), (remote, "beams")):
        with pytest.raises(OptionUnsupported):
            model_options.check_options(model, {name: 2})
    with pytest.raises(OptionUnsupported):
        model_options.check_options(tiny, {"beams": 2}, is_stream=True)
    with pytest.raises(ArgumentError):
        Question(tiny, HI, offered=offer_tools([ADD]), options={"stop": "x"}).answer()
    with pytest.raises(ArgumentError):
        model_options.find_model(42)


@pytest.mark.parametrize("form", [None, Person])
def test_a_model_that_runs_here_has_seconds_too(tiny: Any, form: Any) -> None:
    form = form and fw.form(form)
    question = Question(tiny, HI, form, options={"time_budget": 60, "max_tokens": 60, "temperature": 0})
    expected = Question(tiny, HI, form, options={"max_tokens": 60, "temperature": 0}).answer().text
    assert question.answer().text == expected
    assert asyncio.run(question.answer_async()).text == expected
    over = Question(tiny, HI, form, options={"time_budget": 1e-9, "cancel": lambda: False})
    for ask in (over.answer, lambda: list(over.stream()), lambda: asyncio.run(over.answer_async())):
        with pytest.raises(LimitExceeded) as caught:
            ask()
        assert caught.value.limit == "time_budget"
    for wrong in (0, -1, float("nan"), True, "soon", (1, 2)):
        with pytest.raises(ArgumentError) as refused:
            model_options.check_options(tiny, {"time_budget": wrong})
        assert refused.value.argument == "time_budget"


@pytest.mark.parametrize("is_awaited", [True, False])
def test_who_cuts_a_text_is_asked_in_an_event_loop_too(tiny: Any, is_awaited: bool) -> None:
    question = Question(tiny, HI, options={"max_tokens": 60, "cancel": lambda: True})
    answer = asyncio.run(question.answer_async()) if is_awaited else question.answer()
    assert (answer.finish, answer.text) == ("cancel", "")


def test_every_option_that_is_known_is_one_of_generate(tiny: Any) -> None:
    import inspect

    from formwright.client import RemoteModel

    unstreamed = {fw.models.LocalModel: model_options._NOT_STREAMED, RemoteModel: set()}
    for names, model in (
        (model_options._LOCAL - {"time_budget"}, fw.models.LocalModel),
        (model_options._REMOTE, RemoteModel),
    ):
        parameters = inspect.signature(model.generate).parameters  # type: ignore[attr-defined]
        plain = {name for name, one in parameters.items() if one.kind is one.KEYWORD_ONLY}
        assert plain == names
        streamed = inspect.signature(model.stream).parameters  # type: ignore[attr-defined]
        assert {name for name, one in streamed.items() if one.kind is one.KEYWORD_ONLY} == names - unstreamed[model]


def test_forms_as_apis_spell_them() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    for spelled in (
        schema,
        {"type": "json_schema", "schema": schema},
        {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}},
    ):
        assert chats.read_response_format(spelled).parse('{"x": 1}') == {"x": 1}  # type: ignore[union-attr]
    assert chats.read_response_format(None) is None
    assert chats.read_response_format({"type": "text"}) is None
    assert chats.read_response_format({"type": "json_object"}).matches("{}")  # type: ignore[union-attr]
    assert chats.read_response_format(chats.KeyedForm(Person)).matches('{"name": "Ada", "age": 36}')  # type: ignore[union-attr]
    with pytest.raises(ArgumentError):
        chats.read_response_format({"type": "json_schema", "json_schema": {"name": "x"}})
    with pytest.raises(FormwrightError):
        chats.read_response_format("Person")


def test_forms_of_one_title_have_keys_of_their_own() -> None:
    one, other = ({"title": "x", "enum": [value]} for value in "ab")
    assert repr(chats.KeyedForm(one)) == repr(chats.KeyedForm(dict(one))) != repr(chats.KeyedForm(other))


def test_contents_are_text() -> None:
    assert chats.read_text(["a", {"type": "text", "text": "b"}], "x") == "ab"
    for wrong in ([{"type": "image_url", "image_url": {}}], 7, [None]):
        with pytest.raises(PromptError):
            chats.read_text(wrong, "x")


def test_conversations_with_calls(tiny: Any) -> None:
    call = {"id": "c1", "name": "add", "arguments": {"a": 1, "b": "é"}}
    messages = [
        *HI,
        {"role": "assistant", "content": "", "calls": [call]},
        {"role": "tool", "content": "3", "id": "c1"},
    ]
    said = to_chat_completions(messages)
    assert said[1]["content"] is None
    assert said[1]["tool_calls"][0]["function"] == {"name": "add", "arguments": '{"a": 1, "b": "é"}'}
    assert said[2] == {"role": "tool", "content": "3", "tool_call_id": "c1"}
    assert [message["role"] for message in flatten_for_plain_template(tiny, messages)] == ["user", "assistant", "user"]
    with pytest.raises(PromptError):
        flatten_for_plain_template(tiny, [{"role": "critic", "content": "x"}])
    other = fw.connect("http://127.0.0.1:9/v1", "m", api="responses")
    with pytest.raises(PromptError, match="responses"):
        Question(other, messages).answer()


def test_a_model_of_an_event_loop_is_not_waited_for() -> None:
    model = fw.connect("http://127.0.0.1:9/v1", "m", asynchronous=True)
    with pytest.raises(ArgumentError, match="event loop"):
        Question(model, HI).answer()
    with pytest.raises(ArgumentError, match="event loop"):
        list(Question(model, HI).stream())


@pytest.mark.parametrize(("ends", "finish"), [("length", "length"), ("stop", "stop")])
def test_free_text_of_a_service(ends: str, finish: str) -> None:
    with Scripted(lambda _: [ok(chat("Hello [1] ", ends))]) as server:
        question = Question(fw.connect(server.url, "m"), [{"role": "system", "content": "Be kind."}, *HI])
        answer = question.answer()
    assert (answer.text, answer.finish, answer.enforced) == ("Hello [1] ", finish, None)
    assert answer.usage == Usage(10, 5)
    assert [message["role"] for message in server.requests[0].json["messages"]] == ["system", "user"]


@pytest.mark.parametrize("key", ["langchain", "llama_index", "haystack"])
@pytest.mark.parametrize(
    ("version", "error"), [(None, MissingDependency), ("0.0.9", HostMismatch), ("99.0", HostMismatch)]
)
def test_a_framework_that_is_not_there_or_not_known(
    key: str, version: str | None, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Host, "version", lambda _: version)
    monkeypatch.delitem(sys.modules, HOSTS[key].module, raising=False)
    with pytest.raises(error, match=HOSTS[key].name) as caught:
        importlib.import_module(HOSTS[key].module)
    assert "pip install" in str(getattr(caught.value, "hint", ""))
    assert HOSTS[key].module not in sys.modules


class Letters(fw.CharacterParser):
    def allowed_characters(self) -> str:
        return "ab"

    def add_character(self, character: str) -> Letters:
        return self

    def can_end(self) -> bool:
        return True


def test_forms_of_code_are_told_apart_by_nothing() -> None:
    one, other = chats.KeyedForm(Letters()), chats.KeyedForm(Letters())
    assert repr(one) == repr(one) != repr(other)
