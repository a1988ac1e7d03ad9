"""Tools of a form as those of a service: what is told, the calls that come back, and what is wrong with them."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parameters import slow_except
from pydantic import BaseModel, field_validator

import formwright as fw
from formwright.client import AnswerCache
from formwright.client.flow.steps import Correction, Reply, Response, UncheckedCall
from formwright.client.plans.calls import make_calls_plan
from formwright.client.plans.services import SERVICES
from formwright.errors import (
    AttemptsExhausted,
    OptionUnsupported,
    OutputInvalid,
    OutputTruncated,
    Refused,
    UnsupportedKeyword,
)
from formwright.generation.result import Truncated
from formwright.tools import Call

from . import test_flow, test_wires
from .conftest import Driven
from .scripted import DONE, answer, chunk, event, head, ok
from .test_wires import anthropic_stream, candidate, chat_whole, message, output_text, response, valid

APIS = ["openai", "responses", "anthropic", "gemini"]


def get_weather(city: str, days: int = 1) -> str:
    """The weather in a city."""
    return f"{days} days of sun in {city}"


class Find(BaseModel):
    """Find it."""

    query: str
    most: int | None = 3

    @field_validator("query")
    @classmethod
    def known(cls, query: str, info: Any) -> str:
        if info.context and query in info.context:
            raise ValueError(f"{query} is forbidden")
        return query


PING = {"name": "ping", "parameters": {"type": "object", "properties": {}, "additionalProperties": False}}
TOOLS = [get_weather, Find, PING]
OSLO = ("get_weather", '{"city":"Oslo"}')
FOUND = ("Find", '{"query":"x","most":7}')


def whole(api: str, text: str, *calls: tuple[str, str], end: str = "stop") -> Any:
    """An answer of an API: text, and calls of tools by name and arguments."""
    numbered = [(f"id_{number}", name, arguments) for number, (name, arguments) in enumerate(calls)]
    if api == "openai":
        listed = [
            {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
            for id_, name, arguments in numbered
        ]
        finish = {"stop": "tool_calls" if calls else "stop"}.get(end, end)
        return chat_whole(finish, content=text or None, **({"tool_calls": listed} if calls else {}))
    if api == "responses":
        items = [output_text(text)] if text else []
        items += [
            {"type": "function_call", "id": f"f{id_}", "call_id": id_, "name": name, "arguments": arguments}
            for id_, name, arguments in numbered
        ]
        if end == "length":
            return response(items, "incomplete", incomplete_details={"reason": "max_output_tokens"})
        return response(items)
    if api == "anthropic":
        blocks = [{"type": "text", "text": text}] if text else []
        blocks += [
            {"type": "tool_use", "id": id_, "name": name, "input": json.loads(arguments)}
            for id_, name, arguments in numbered
        ]
        return message(blocks, {"length": "max_tokens"}.get(end, "tool_use" if calls else "end_turn"))
    parts = [{"text": text}] if text else []
    parts += [{"functionCall": {"name": name, "args": json.loads(arguments)}} for _, name, arguments in numbered]
    return candidate(parts, {"length": "MAX_TOKENS"}.get(end, "STOP"))


def streamed(api: str, text: str, *calls: tuple[str, str]) -> list[bytes]:
    """The same answer in pieces."""
    events: list[Any]
    halves = [(name, [arguments[:4], arguments[4:]]) for name, arguments in calls]
    if api == "openai":
        deltas: list[Any] = [{"content": text[:3]}, {"content": text[3:]}] if text else []
        for number, (name, pieces) in enumerate(halves):
            begun = {"index": number, "id": f"id_{number}", "type": "function"}
            deltas.append({"tool_calls": [{**begun, "function": {"name": name, "arguments": ""}}]})
            deltas += [{"tool_calls": [{"index": number, "function": {"arguments": piece}}]} for piece in pieces]
        kind = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        events = [{**kind, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        events.append({**kind, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    elif api == "responses":
        events = [{"type": "response.output_text.delta", "delta": piece} for piece in (text[:3], text[3:])]
        for _, pieces in halves:
            events += [{"type": "response.function_call_arguments.delta", "delta": piece} for piece in pieces]
        events.append({"type": "response.completed", "response": whole(api, text, *calls)})
    elif api == "anthropic":
        events = anthropic_stream({"type": "text", "text": ""}, [], "tool_use")
        start, end = events[:1], events[-2:]
        events = [*start, *_block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": text})]
        for number, (name, arguments) in enumerate(calls):
            used = {"type": "tool_use", "id": f"id_{number}", "name": name, "input": {}}
            events += _block(number + 1, used, {"type": "input_json_delta", "partial_json": arguments})
        events += end
    else:
        events = [candidate([{"text": text}], None)] if text else []
        events.append(whole(api, "", *calls))
    return [head(), *map(event, events), DONE]


def _block(index: int, block: Any, delta: Any) -> list[Any]:
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]


def asked(driven: Driven, scripted: Any, api: str, form: Any, *answers: Any, **options: Any) -> tuple[Any, Any]:
    """The result, and the server with what it was sent."""
    server = scripted(*answers)
    service = {"openai": "openai", "responses": "openai"}.get(api, api)
    chosen = {name: options.pop(name) for name in ("mode", "service", "model") if name in options}
    model = driven.connect(server.url, api=api, **{"service": service, **chosen})
    return model.generate("Weather?", form, **options), server


def shown(value: Any) -> Any:
    return [(call.name, call.arguments) for call in value] if isinstance(value, list) else value


# What comes back


@pytest.mark.parametrize("calls", ["auto", "required"])
@pytest.mark.parametrize("api", APIS)
def test_calls_are_those_of_a_local_model(driven: Driven, scripted: Any, api: str, calls: Any) -> None:
    form = fw.tools(TOOLS, calls=calls)
    result, server = asked(driven, scripted, api, form, ok(whole(api, "I look.", OSLO, FOUND)))
    first, second = result.value
    assert isinstance(first, Call)
    assert (first.name, first.arguments, first.run()) == ("get_weather", {"city": "Oslo"}, "1 days of sun in Oslo")
    assert second.arguments == Find(query="x", most=7)
    assert [call.id for call in result.value] == (["call_0", "call_1"] if api == "gemini" else ["id_0", "id_1"])
    assert (result.exchange.mode, len(server.requests)) == ("tools", 1)
    if calls == "auto":
        assert (result.part("text"), result.exchange.outside) == ("I look.", "")
    else:
        assert (result.parts, result.exchange.outside) == ((), "I look.")


@pytest.mark.parametrize("api", APIS)
def test_text_in_place_of_calls(driven: Driven, scripted: Any, api: str) -> None:
    said = 'It is [{"name": "sunny'  # which begins as calls of the style json do
    result, _ = asked(driven, scripted, api, fw.tools(TOOLS), ok(whole(api, said)))
    assert (result.value, result.text) == (said, said)
    assert [part.text for part in result.parts] == [said]


@pytest.mark.parametrize("calls", ["auto", "required", "one"])
def test_the_text_of_a_result_is_in_form(driven: Driven, scripted: Any, calls: Any) -> None:
    form = fw.tools(TOOLS, calls=calls)
    listed = [OSLO] if calls == "one" else [OSLO, FOUND]
    beside = "So. " if calls == "auto" else ""
    result, _ = asked(driven, scripted, "openai", form, ok(whole("openai", beside, *listed)), service="compatible")
    assert shown(form.parse(result.text)) == shown(result.value)
    assert form.parts(result.text) == result.parts


@pytest.mark.parametrize("api", APIS)
def test_no_arguments(driven: Driven, scripted: Any, api: str) -> None:
    result, _ = asked(driven, scripted, api, fw.tools(TOOLS, calls="one"), ok(whole(api, "", ("ping", "{}"))))
    assert shown(result.value) == [("ping", {})]


def test_arguments_that_are_no_text_are_an_empty_object() -> None:
    plan = make_calls_plan(fw.tools(TOOLS), "tools", SERVICES["compatible"])
    assert plan.read(Reply("", (UncheckedCall("ping", ""),))).value[0].arguments == {}
    with pytest.raises(OutputInvalid):
        plan.read(Reply("", (UncheckedCall("get_weather", ""),)))


def test_nulls_that_a_service_must_write_are_taken_out(driven: Driven, scripted: Any) -> None:
    """OpenAI's subset has no optional members; Find takes null itself."""
    said = whole("openai", "", ("get_weather", '{"city":"Oslo","days":null}'), ("Find", '{"query":"x","most":null}'))
    result, server = asked(driven, scripted, "openai", fw.tools(TOOLS), ok(said))
    assert result.value[0].arguments == {"city": "Oslo"}
    assert result.value[1].arguments.most in (None, 3)
    told = server.requests[0].json["tools"][0]["function"]
    assert (told["strict"], told["parameters"]["required"]) == (True, ["city", "days"])
    assert result.enforced == "server"


@pytest.mark.parametrize("api", APIS)
def test_ids_tell_calls_apart(driven: Driven, scripted: Any, api: str) -> None:
    result, _ = asked(driven, scripted, api, fw.tools(TOOLS), ok(whole(api, "", OSLO, OSLO, OSLO)))
    assert len({call.id for call in result.value}) == 3


@pytest.mark.parametrize("api", APIS)
def test_streams(driven: Driven, scripted: Any, api: str) -> None:
    form, service = fw.tools(TOOLS), {"openai": "openai", "responses": "openai"}.get(api, api)
    server = scripted(lambda _: streamed(api, "I look.", OSLO, FOUND))
    pieces, result = driven.connect(server.url, api=api, service=service).stream("Weather?", form)
    assert "".join(piece.text for piece in pieces) == "I look."
    assert not any(piece.partial.is_complete for piece in pieces)
    assert shown(result.value) == [("get_weather", {"city": "Oslo"}), ("Find", Find(query="x", most=7))]
    assert result.text.startswith("I look.[{")


@pytest.mark.parametrize("api", APIS)
def test_a_stream_of_calls_only(driven: Driven, scripted: Any, api: str) -> None:
    form, service = fw.tools(TOOLS, calls="required"), {"openai": "openai", "responses": "openai"}.get(api, api)
    server = scripted(lambda _: streamed(api, "I look.", OSLO))
    pieces, result = driven.connect(server.url, api=api, service=service).stream("Weather?", form)
    assert (pieces, shown(result.value)) == ([], [("get_weather", {"city": "Oslo"})])


def test_streamed_calls_without_numbers(driven: Driven, scripted: Any) -> None:
    """Some servers give each call whole, and every one the index 0, or none."""
    listed = whole("openai", "", OSLO, FOUND)["choices"][0]["message"]["tool_calls"]
    events = [event(chunk(tool_calls=[call])) for call in (listed[0], {**listed[1], "index": 0})]
    server = scripted(lambda _: [head(), *events, event(chunk(finish="tool_calls")), DONE])
    _, result = driven.connect(server.url).stream("Weather?", fw.tools(TOOLS))
    assert [call.name for call in result.value] == ["get_weather", "Find"]


def test_a_stream_that_ends_too_soon_gives_nothing(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: streamed("openai", "", OSLO)[:-3])
    with pytest.raises(fw.errors.RequestFailed):
        driven.connect(server.url).stream("Weather?", fw.tools(TOOLS))


def test_many(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: [ok(whole("openai", "", OSLO))])
    form = fw.tools(TOOLS, calls="one")
    results = driven.connect(server.url).generate_many(["a", "b"], [form, fw.tools([Find], calls="one")])
    assert shown(results[0].value) == [("get_weather", {"city": "Oslo"})]
    assert isinstance(results[1].error, OutputInvalid)


def test_the_cache_gives_calls_again(driven: Driven, scripted: Any, tmp_path: Path) -> None:
    server = scripted(ok(whole("openai", "I look.", OSLO, FOUND)))
    with closing(AnswerCache(tmp_path / "answers")) as cache:
        found = [driven.connect(server.url, cache=cache).generate("Weather?", fw.tools(TOOLS)) for _ in range(2)]
    assert len(server.requests) == 1
    assert shown(found[0].value) == shown(found[1].value)
    assert found[0].text == found[1].text


def test_functions_are_answered_by_their_ids() -> None:
    """Where Gemini gives any, two calls of one function are told apart by them."""
    called = {"name": "ping", "args": {}, "id": "a"}
    reply = test_wires.WIRES["gemini"].read_reply(candidate([{"functionCall": called}]))
    query = test_wires.query("gemini", "instructions", corrections=(Correction(reply, "Wrong."),))
    body = test_wires.WIRES["gemini"].write_request(query).body
    valid("gemini", body)
    assert body["contents"][-1]["parts"][0]["functionResponse"]["id"] == "a"


# What is asked for


CHOICES: dict[str, Callable[[Any], Any]] = {
    "openai": lambda body: (body["tool_choice"], body.get("parallel_tool_calls")),
    "responses": lambda body: (body["tool_choice"], body.get("parallel_tool_calls")),
    "anthropic": lambda body: (body["tool_choice"]["type"], body["tool_choice"].get("disable_parallel_tool_use")),
    "gemini": lambda body: (body["toolConfig"]["functionCallingConfig"]["mode"], None),
}
WANTED = {
    "openai": {"auto": ("auto", None), "required": ("required", None), "one": ("required", False)},
    "responses": {"auto": ("auto", None), "required": ("required", None), "one": ("required", False)},
    "anthropic": {"auto": ("auto", None), "required": ("any", None), "one": ("any", True)},
    "gemini": {"auto": ("AUTO", None), "required": ("ANY", None), "one": ("ANY", None)},
}


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("mode", ["tools", "strict"])
@pytest.mark.parametrize("calls", ["auto", "required", "one"])
@pytest.mark.parametrize("api", APIS)
def test_bodies_are_of_the_types_of_the_sdk(api: str, calls: Any, mode: Any, is_stream: bool) -> None:
    service = SERVICES[{"responses": "openai"}.get(api, api)]
    plan = make_calls_plan(fw.tools(TOOLS, calls=calls), mode, service)
    query = test_wires.query(api, "instructions", instruction="", is_stream=is_stream)
    body = test_wires.WIRES[api].write_request(plan.extend_query(query)).body
    valid(api, body)
    is_validated = (api, mode, calls) == ("gemini", "strict", "auto")
    assert CHOICES[api](body) == (("VALIDATED", None) if is_validated else WANTED[api][calls])
    said = json.dumps(body)
    assert said.count("The weather in a city.") == 1
    assert "Find it." in said
    assert said.count('"strict": true') == (0 if api == "gemini" else 3)
    assert plan.is_strict == ((api, mode, calls) != ("gemini", "tools", "auto"))


@pytest.mark.parametrize("api", APIS)
def test_one_tool_that_must_be_called_once_is_named(api: str) -> None:
    plan = make_calls_plan(fw.tools([Find], calls="one"), "tools", SERVICES["compatible"])
    body = test_wires.WIRES[api].write_request(plan.extend_query(test_wires.query(api, "instructions"))).body
    valid(api, body)
    assert '"Find"' in json.dumps(body.get("tool_choice", body.get("toolConfig")))


def test_modes(driven: Driven, scripted: Any) -> None:
    form, said = fw.tools(TOOLS, calls="one"), ok(whole("openai", "", OSLO))
    for mode, service, enforced in [
        ("auto", "openai", "server"),
        ("tools", "deepseek", "checked"),
        ("auto", "compatible", "checked"),
        ("strict", "compatible", "server"),
        ("strict", "openai", "server"),
    ]:
        result, server = asked(driven, scripted, "openai", form, said, mode=mode, service=service)
        assert (result.enforced, result.exchange.mode) == (enforced, "tools" if mode == "auto" else mode)
        strict = server.requests[0].json["tools"][0]["function"].get("strict", False)
        assert strict == (enforced == "server")
        assert "response_format" not in server.requests[0].json
        assert not [note for note in result.exchange.notes if "not strict" in note]


def test_modes_that_are_refused(driven: Driven, scripted: Any) -> None:
    form, said = fw.tools(TOOLS, calls="one"), ok(whole("openai", "", OSLO))
    with pytest.raises(OptionUnsupported, match="deepseek"):
        asked(driven, scripted, "openai", form, said, mode="strict", service="deepseek")
    with pytest.raises(OptionUnsupported, match="instruct"):
        asked(driven, scripted, "openai", form, said, instruct=True)
    with pytest.raises(UnsupportedKeyword):
        asked(driven, scripted, "openai", form, said, mode="json_object")
    odd = {"name": "odd", "parameters": {"type": "object", "additionalProperties": {"type": "integer"}}}
    with pytest.raises(UnsupportedKeyword):
        asked(driven, scripted, "openai", fw.tools([odd]), said, mode="strict")


def test_a_tool_that_the_subset_cannot_say_is_told_as_it_is(driven: Driven, scripted: Any) -> None:
    odd = {"name": "odd", "parameters": {"type": "object", "additionalProperties": {"type": "integer"}}}
    said = ok(whole("openai", "", ("odd", '{"a":1}')))
    result, server = asked(driven, scripted, "openai", fw.tools([odd, Find]), said)
    first, second = (tool["function"] for tool in server.requests[0].json["tools"])
    assert ("strict" in first, second["strict"], result.enforced) == (False, True, "checked")
    assert first["parameters"]["additionalProperties"] == {"type": "integer"}


def test_arguments_that_say_no_type_are_told_as_an_object() -> None:
    plan = make_calls_plan(fw.tools([{"name": "f", "parameters": {}}]), "tools", SERVICES["compatible"])
    assert plan.plans["f"].schema == {"type": "object", "additionalProperties": False}
    with pytest.raises(OutputInvalid):
        plan.read(Reply("", (UncheckedCall("f", "3"),)))
    with pytest.raises(UnsupportedKeyword, match="not an object"):
        make_calls_plan(fw.tools([{"name": "f", "parameters": {"type": "string"}}]), "tools", SERVICES["compatible"])


@pytest.mark.parametrize(
    "refusal",
    [
        "",
        "tools are not supported by this model",
        "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
        "Function calling is not enabled for models/m",
        "Invalid value at 'tool_config.function_calling_config.mode'",
    ],
)
def test_words(driven: Driven, scripted: Any, refusal: str) -> None:
    """In words a form of tools is a text like any other; a service that knows no tools is asked that way."""
    form = fw.tools([get_weather], calls="required")
    said = ok(whole("openai", '[{"name": "get_weather", "arguments": {"city":"Oslo"}}]'))
    answers = (answer(400, {"error": {"message": refusal}}), said) if refusal else (said,)
    mode = "auto" if refusal else "instructions"
    result, server = asked(driven, scripted, "openai", form, *answers, mode=mode)
    assert shown(result.value) == [("get_weather", {"city": "Oslo"})]
    assert result.exchange.mode == "instructions"
    assert "tools" not in server.requests[-1].json
    assert len(result.exchange.notes) == bool(refusal)


def test_compositions_stay_words(driven: Driven, scripted: Any) -> None:
    form = fw.thinking(fw.tools([get_weather], calls="required"))
    said = '<think>So.</think>[{"name": "get_weather", "arguments": {"city":"Oslo"}}]'
    result, server = asked(driven, scripted, "openai", form, ok(whole("openai", said)))
    assert (shown(result.value), result.exchange.mode) == ([("get_weather", {"city": "Oslo"})], "instructions")
    assert "tools" not in server.requests[0].json


# What is wrong


TWICE = (OSLO, OSLO)
WRONG: list[tuple[str, str, tuple[tuple[str, str], ...], str]] = [
    ("auto", "", (("frobnicate", "{}"),), "call 1 (frobnicate): at the root: there is no tool"),
    ("auto", "", (OSLO, ("get_weather", '{"city": 3}')), "call 2 (get_weather): at /city: 3:"),
    ("auto", "", (("get_weather", "{}"),), "call 1 (get_weather): at the root: {}: the "),
    (
        "auto",
        "",
        (("get_weather", '{"city":"Oslo","more":1}'),),
        "call 1 (get_weather): at the root: {",
    ),
    ("auto", "", (("Find", '{"query": "no"}'),), 'call 1 (Find): at /query: "no": Value error, no is forbidden'),
    ("required", "No.", (), "expected a call of a tool, got no calls"),
    ("one", "No.", (), "expected exactly one call of a tool, got no calls"),
    ("one", "", TWICE, "expected exactly one call of a tool, got 2 calls"),
    ("auto", "", (*TWICE, OSLO), "expected at most 2 calls of tools, got 3 calls"),
]


@pytest.mark.parametrize(("calls", "text", "listed", "said"), WRONG)
@pytest.mark.parametrize("api", APIS)
def test_wrong_answers_are_told(
    driven: Driven, scripted: Any, api: str, calls: Any, text: str, listed: Any, said: str
) -> None:
    form = fw.tools(TOOLS, calls=calls, max_calls=1 if calls == "one" else 2)
    wrong, right = ok(whole(api, text, *listed)), ok(whole(api, "", OSLO))
    with pytest.raises(OutputInvalid):
        asked(driven, scripted, api, form, wrong, context=["no"])
    result, server = asked(driven, scripted, api, form, wrong, right, context=["no"], max_retries=1)
    assert shown(result.value) == [("get_weather", {"city": "Oslo"})]
    assert isinstance(result.exchange.attempts[0].error, OutputInvalid)
    again = server.requests[1].json
    valid(api, again)
    told = json.dumps(again, ensure_ascii=False)
    assert json.dumps(said, ensure_ascii=False)[1:-1] in told
    assert told.count("Answer again") == max(1, len(listed))  # each call is answered
    with pytest.raises(AttemptsExhausted) as caught:
        asked(driven, scripted, api, form, wrong, context=["no"], max_retries=1)
    assert len(caught.value.attempts) == 2


@pytest.mark.parametrize("api", APIS)
def test_every_wrong_call_is_told(driven: Driven, scripted: Any, api: str) -> None:
    wrong = whole(api, "", ("get_weather", '{"city": 3}'), OSLO, ("Find", '{"query": 4, "most": "x"}'))
    _, server = asked(driven, scripted, api, fw.tools(TOOLS), ok(wrong), ok(whole(api, "Well.")), max_retries=1)
    told = json.dumps(server.requests[1].json)
    for place in ("call 1 (get_weather): at /city", "call 3 (Find): at /query", "call 3 (Find): at /most"):
        assert place in told
    assert "call 2" not in told


@pytest.mark.parametrize("calls", ["auto", "required", "one"])
@pytest.mark.parametrize("api", APIS)
def test_answers_that_are_cut_are_no_values(driven: Driven, scripted: Any, api: str, calls: Any) -> None:
    """Nobody knows what was still to come: another call, or more of an object that some APIs close themselves."""
    said, form = ok(whole(api, "I look.", ("ping", "{}"), end="length")), fw.tools(TOOLS, calls=calls)
    with pytest.raises(OutputTruncated):
        asked(driven, scripted, api, form, said)
    result, _ = asked(driven, scripted, api, form, said, finish=False)
    assert isinstance(result, Truncated)
    opened = {"auto": "I look.[", "required": "[", "one": ""}[calls]
    assert result.text == opened + '{"name": "ping", "arguments": {}'


def test_a_call_that_is_cut(driven: Driven, scripted: Any) -> None:
    cut = whole("openai", "", OSLO, ("Find", '{"query":"x'), end="length")
    result, _ = asked(driven, scripted, "openai", fw.tools(TOOLS), ok(cut), finish=False)
    assert result.text.endswith('{"name": "Find", "arguments": {"query":"x')
    for calls in ([("Find", '{"query":3')], [("Find", '{"query":"x'), OSLO], [("other", "{")]):
        wrong = whole("openai", "", *calls, end="length")
        with pytest.raises(OutputInvalid):
            asked(driven, scripted, "openai", fw.tools(TOOLS), ok(wrong), finish=False)


def test_a_cut_text(driven: Driven, scripted: Any) -> None:
    said = ok(whole("openai", "It is", end="length"))
    with pytest.raises(OutputTruncated):
        asked(driven, scripted, "openai", fw.tools(TOOLS), said)
    result, _ = asked(driven, scripted, "openai", fw.tools(TOOLS), said, finish=False)
    assert (type(result), result.text) == (Truncated, "It is")


def test_a_refusal(driven: Driven, scripted: Any) -> None:
    with pytest.raises(Refused):
        asked(driven, scripted, "openai", fw.tools(TOOLS), ok(chat_whole(refusal="I cannot.")))


def test_max_calls_is_said_to_be_checked(driven: Driven, scripted: Any) -> None:
    result, _ = asked(driven, scripted, "openai", fw.tools(TOOLS, max_calls=2), ok(whole("openai", "", *TWICE)))
    assert len(result.value) == 2
    assert "max_calls=2" in result.exchange.notes[-1]


NAMES = st.sampled_from(["get_weather", "Find", "ping", "other", ""])
ARGUMENTS = st.sampled_from([OSLO[1], FOUND[1], "{}", "", "[]", "null", '{"city": 3}', '{"city"']) | st.text(max_size=6)
REPLIES = st.builds(
    whole,
    st.just("openai"),
    st.text(max_size=5),
    *[st.tuples(NAMES, ARGUMENTS)] * 2,
    end=st.sampled_from(["stop", "length"]),
)


@given(st.sampled_from(["auto", "required", "one"]), st.booleans(), REPLIES)
def test_a_value_is_one_of_the_form(calls: Any, finish: bool, body: Any) -> None:
    form = fw.tools(TOOLS, calls=calls)
    plan = make_calls_plan(form, "tools", SERVICES["compatible"])
    sent = [Response(200, json.dumps(body).encode())]
    driven = test_flow.Driven(test_flow.job("openai", "tools", plan=lambda _: plan, finish=finish), sent)
    result = getattr(driven, "result", None)
    if isinstance(result, fw.Complete):
        value = [call for call in result.value if isinstance(call, Call)]
        assert len(value) == len(result.value) == len(body["choices"][0]["message"]["tool_calls"])
        assert all(plan.plans[call.name].form.matches(json.dumps(_plain(call.arguments))) for call in value)


def _plain(value: Any) -> Any:
    return value.model_dump() if isinstance(value, BaseModel) else value


# Against our own server


pytest.importorskip("starlette", reason="formwright[server] is not installed")
openai = pytest.importorskip("openai", reason="the openai SDK is not installed")

MODEL = "formwright-tiny"


@pytest.fixture(scope="module")
def url() -> Any:
    from formwright.server import running

    with running(fw.load(MODEL)) as server:
        yield server.base_url


def judged(result: Any, calls: str) -> None:
    """The small model writes what it may, so what is judged is that it kept to the form."""
    value = result.value
    assert isinstance(value, list) or (calls == "auto" and isinstance(value, str))
    assert result.exchange.mode == "tools"
    if isinstance(value, list):
        assert len(value) == 1 or (calls != "one" and value)
        for call in value:
            assert call.name in ("get_weather", "Find", "ping")
            assert isinstance(call.arguments, Find if call.name == "Find" else dict)
            assert call.id


@pytest.mark.parametrize("api", ["openai", "responses"])
@pytest.mark.parametrize("calls", ["auto", "required", "one"])
def test_our_own_server(driven: Driven, url: str, calls: Any, api: Any) -> None:
    form = fw.tools(TOOLS, calls=calls)
    options: dict[str, Any] = {"temperature": 0, "max_tokens": 300}
    judged(driven.connect(url, model=MODEL, api=api).generate("Weather in Oslo?", form, **options), calls)
    _, result = driven.connect(url, model=MODEL, api=api).stream("Weather in Oslo?", form, **options)
    judged(result, calls)


# The async client of the SDK leaves a socket to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("api", ["openai", "responses"])
@pytest.mark.parametrize("calls", slow_except(["auto"], ["auto", "required", "one"]))
def test_the_sdk_of_openai(driven: Driven, url: str, calls: Any, api: str) -> None:
    form = fw.tools(TOOLS, calls=calls)
    for is_stream in (False, True):
        kind = openai.AsyncOpenAI if driven.is_async else openai.OpenAI
        client = kind(base_url=url, api_key="none", max_retries=0)
        model: Any = fw.from_openai(client, MODEL, api=api)
        asked = driven.wrapped(model, client)
        options: dict[str, Any] = {"temperature": 0, "max_tokens": 300}
        if is_stream:
            _, result = asked.stream("Weather in Oslo?", form, **options)
        else:
            result = asked.generate("Weather in Oslo?", form, **options)
        judged(result, calls)
        del model, client, asked
        gc.collect()
