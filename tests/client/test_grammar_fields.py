"""Grammars as services are sent them: in the field that each reads, as custom tools, or in words."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

import formwright as fw
from formwright.client.flow.steps import Correction, Reply
from formwright.client.plans.calls import make_calls_plan
from formwright.client.plans.grammar_fields import find_unsendable
from formwright.client.plans.plan import make_plan
from formwright.client.plans.services import SERVICES

from . import test_wires
from .conftest import Driven
from .scripted import DONE, answer, call, chat, chunk, error_body, event, head, ok

pytest.importorskip("starlette", reason="formwright[server] is not installed")

from formwright.server import running

MODEL = "formwright-tiny"
LARK = 'start: "(" start ")" | NAME "\\n"?\nNAME: /[a-z"]{1,4}/\n%ignore " "\n'
GBNF = 'root ::= "(" root ")" | [a-z"]{1,4} "\\n"?\n'
FIELDS: list[tuple[str, str, dict[str, Any]]] = [
    ("compatible", LARK, {"structured_outputs": {"grammar": LARK}}),
    ("compatible", GBNF, {"structured_outputs": {"grammar": GBNF}}),
    ("formwright", LARK, {"structured_outputs": {"grammar": LARK}}),
    ("sglang", GBNF, {"ebnf": GBNF}),
    ("llama.cpp", GBNF, {"grammar": GBNF}),
]


def custom_call(text: str, name: str = "answer") -> dict[str, Any]:
    return {"id": "call_0", "type": "custom", "custom": {"name": name, "input": text}}


def names_answer(body: Any) -> str:
    """The name of the only tool that a request offers."""
    (tool,) = body["tools"]
    return str(tool.get("custom", tool)["name"])


def answer_by_tool(text: str, request: Any) -> bytes:
    """An answer by the custom tool of a request."""
    return ok(chat(None, "tool_calls", tool_calls=[custom_call(text, names_answer(request.json))]))


@pytest.mark.parametrize("api", ["openai", "responses"])
@pytest.mark.parametrize(("service", "text", "fields"), FIELDS)
def test_a_grammar_is_sent_in_the_field_of_the_service(
    driven: Driven, scripted: Any, service: str, text: str, fields: dict[str, Any], api: str
) -> None:
    said = '((a"b\n))'
    whole = chat(said) if api == "openai" else test_wires.response([test_wires.output_text(said)])
    server = scripted(ok(whole))
    result = driven.connect(server.url, service=service, api=api).generate("Go.", fw.grammar(text))
    body = server.requests[0].json
    assert {name: body[name] for name in fields} == fields
    assert not {"tools", "response_format", "text"} & body.keys()
    assert (result.value, result.enforced, result.exchange.mode) == (said, "server", "strict")
    assert result.exchange.notes == ()


def test_space_around_a_text_is_kept_where_the_grammar_has_it(driven: Driven, scripted: Any) -> None:
    model = driven.connect(scripted(ok(chat("a\n"))).url)
    assert model.generate("Go.", fw.grammar(GBNF)).value == "a\n"
    model = driven.connect(scripted(ok(chat("\n(a) \n"))).url)
    assert model.generate("Go.", fw.grammar('root ::= "(" root ")" | "a"')).value == "(a)"


@pytest.mark.parametrize("api", ["openai", "responses"])
def test_openai_gets_a_custom_tool(driven: Driven, scripted: Any, api: str) -> None:
    form = fw.grammar(LARK, read="tree")

    def obey(request: Any) -> bytes:
        name = names_answer(request.json)
        if api == "openai":
            return ok(chat(None, "tool_calls", tool_calls=[custom_call('(a"\n)', name)]))
        item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_0", "name": name, "input": '(a"\n)'}
        return ok(test_wires.response([item]))

    server = scripted(obey)
    result = driven.connect(server.url, service="openai", api=api, model="gpt-5").generate("Go.", form)
    assert (result.text, result.enforced) == ('(a"\n)', "server")
    assert result.value == form.parse('(a"\n)')
    body = server.requests[0].json
    format_ = {"syntax": "lark", "definition": LARK}
    (tool,) = body["tools"]
    if api == "openai":
        assert tool["custom"]["format"] == {"type": "grammar", "grammar": format_}
        assert body["tool_choice"] == {"type": "custom", "custom": {"name": tool["custom"]["name"]}}
    else:
        assert tool["format"] == {"type": "grammar", **format_}
        assert body["tool_choice"] == {"type": "custom", "name": tool["name"]}


def test_a_wrong_text_is_requested_again(driven: Driven, scripted: Any) -> None:
    server = scripted(*(partial(answer_by_tool, text) for text in ("(a", "(a)")))
    model = driven.connect(server.url, service="openai", model="gpt-5")
    result = model.generate("Go.", fw.grammar(LARK), max_retries=1)
    assert (result.value, len(result.exchange.attempts)) == ("(a)", 2)
    wrong, complaint = server.requests[1].json["messages"][-2:]
    assert wrong["tool_calls"][0]["custom"]["input"] == "(a"
    assert complaint["role"] == "tool"
    assert "not valid" in complaint["content"]


@pytest.mark.parametrize("service", ["openai", "compatible"])
def test_a_text_streams(driven: Driven, scripted: Any, service: str) -> None:
    def stream(request: Any) -> list[bytes]:
        if service == "openai":
            begun = {"index": 0, **custom_call("", names_answer(request.json))}
            deltas: list[Any] = [{"tool_calls": [begun]}]
            deltas += [{"tool_calls": [{"index": 0, "custom": {"input": piece}}]} for piece in ("((", 'a"', "))")]
        else:
            deltas = [{"content": piece} for piece in ("((", 'a"', "))")]
        return [head(), *(event(chunk(**delta)) for delta in deltas), event(chunk(finish="stop")), DONE]

    model = driven.connect(scripted(stream).url, service=service, model="gpt-5")
    pieces, result = model.stream("Go.", fw.grammar(LARK, read="tree"))
    assert [piece.text for piece in pieces if piece.text] == ["((", 'a"', "))"]
    assert pieces[-1].partial.value.rule == "start"
    assert result.text == '((a"))'


UNSENT: list[tuple[str, fw.Form[Any], str]] = [
    ("anthropic", fw.grammar(LARK), ""),
    ("deepseek", fw.grammar(LARK), ""),
    ("sglang", fw.grammar(LARK), "it is Lark, and this service reads GBNF"),
    ("llama.cpp", fw.grammar('start ::= "a"'), "this service begins with the rule 'root'"),
    ("openai", fw.grammar(GBNF), "it is GBNF, and this service reads Lark"),
    ("openai", fw.grammar(LARK, lexing="any"), "lexing= cannot be sent"),
    ("compatible", fw.grammar('a: "a"', start="a"), "start= cannot be sent"),
    ("openai", fw.grammar('start: A\nA.2: "a"'), "this service does not read priorities"),
]


@pytest.mark.parametrize(("service", "form", "why"), UNSENT)
def test_what_a_service_does_not_read_is_described_and_checked(
    driven: Driven, scripted: Any, service: str, form: fw.Form[Any], why: str
) -> None:
    text = form.example()
    body = test_wires.message([{"type": "text", "text": text}]) if service == "anthropic" else chat(text)
    server = scripted(ok(body))
    api = "anthropic" if service == "anthropic" else "openai"
    result = driven.connect(server.url, service=service, api=api, model="m").generate("Go.", form)
    assert (result.text, result.enforced, result.exchange.mode) == (text, "checked", "instructions")
    assert "conforms to this grammar" in json.dumps(server.requests[0].json)
    assert why in "".join(result.exchange.notes)
    assert bool(why) == bool(result.exchange.notes)


def test_models_from_before_grammars_are_told_in_words(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat("a")))
    result = driven.connect(server.url, service="openai", model="gpt-4.1").generate("Go.", fw.grammar(LARK))
    assert (result.value, result.exchange.mode) == ("a", "instructions")


def test_a_service_that_refuses_a_grammar_is_told_in_words(driven: Driven, scripted: Any) -> None:
    server = scripted(answer(400, error_body("Invalid grammar: left recursion")), ok(chat("a")))
    result = driven.connect(server.url, service="llama.cpp").generate("Go.", fw.grammar(GBNF))
    assert (result.value, result.exchange.mode) == ("a", "instructions")
    assert "left recursion" in result.exchange.notes[0]


@pytest.mark.parametrize(
    ("mode", "service", "said"),
    [
        ("json_object", "compatible", "json_object sends no grammar"),
        ("tools", "compatible", "tools sends no grammar"),
        ("strict", "deepseek", "deepseek reads no grammars"),
        ("strict", "sglang", "it is Lark"),
    ],
)
def test_a_mode_that_cannot_send_a_grammar_is_an_error(mode: Any, service: str, said: str) -> None:
    model = fw.connect("http://127.0.0.1:9/v1", "m", service=service, mode=mode)
    with pytest.raises(fw.errors.UnsupportedConstruct, match=said) as raised:
        model.generate("Go.", fw.grammar(LARK))
    assert 'mode="instructions"' in str(raised.value.hint)


def test_options_that_are_the_defaults_are_not_in_the_way() -> None:
    assert find_unsendable(fw.grammar(LARK, syntax="lark", lexing="longest"), "custom tool") is None
    assert find_unsendable(fw.grammar(GBNF, syntax="gbnf", lexing="any"), "ebnf") is None
    assert find_unsendable(fw.grammar(GBNF, syntax="ebnf", lexing="longest"), "ebnf") == "lexing= cannot be sent"


READ = [
    LARK,
    'start: a{2,3} | b~1..2\na: /[^"]+/i\nb: "x.2: {y" "&" "~" // look: a.2: & @x <t>\n%ignore " "',
    'start: (A | [B])+\n!b: "<x>"\n?c: /a<b>&~@[x=1]/ -> alias\nA: "a".."z"\nB: /x\\/y/\n%import common (INT, WS)',
    "# a & b\nstart: _list\n_list: /[0-9]{2,3}/",
]
UNREAD = [
    ("start: a\na.2: /x/", "priorities"),
    ("start: _l{A}\n_l{x}: x\nA: /a/", "templates"),
    ("start: A\n%declare A", "all statements but"),
    ('start: %json {"type": "object"}', "all statements but"),
    ("start: x\n%import other.x", "imports"),
    ("start: @day", "forms by name"),
    ('start: a\na[capture="x"]: /a/', "attributes"),
    ("start: a\na[lazy]: /a/", "attributes"),
    ("start: <|end|>", "control tokens"),
    ('start: A\nA: /[a-z]+/ & ~"if"', "& and ~"),
    (r"start: /a(?!b)/", "look-around"),
    (r"start: /a.*?b/", "lazy quantifiers"),
    (r"begin: /ab/", "begins with the rule 'start'"),
]


@pytest.mark.parametrize("text", READ)
def test_what_openai_reads_is_sent(text: str) -> None:
    form = fw.grammar(LARK)
    assert form.origin is not None
    sent = fw.Form(form.language, str, "", "text", origin=form.origin._replace(what=text, options={"syntax": "lark"}))
    assert find_unsendable(sent, "custom tool") is None


@pytest.mark.parametrize(("text", "why"), UNREAD)
def test_what_openai_does_not_read_is_not_sent(text: str, why: str) -> None:
    form = fw.grammar(LARK)
    assert form.origin is not None
    sent = fw.Form(form.language, str, "", "text", origin=form.origin._replace(what=text, options={"syntax": "lark"}))
    assert why in (find_unsendable(sent, "custom tool") or "")


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("api", ["openai", "responses"])
def test_bodies_are_of_the_types_of_the_sdk(api: str, is_stream: bool) -> None:
    plan = make_plan(fw.grammar(LARK), "strict", SERVICES["openai"])
    wrong = Correction(Reply("", (test_wires.UncheckedCall(plan.name, "(a", "c", is_custom=True),)), "Wrong.")
    query = test_wires.query(api, "instructions", instruction="", is_stream=is_stream, corrections=(wrong,))
    body = test_wires.WIRES[api].write_request(plan.extend_query(query)).body
    test_wires.valid(api, body)
    assert json.dumps(body).count("Wrong.") == 1


SQL = {
    "type": "custom",
    "name": "ask",
    "description": "Ask it.",
    "format": {"type": "grammar", "syntax": "lark", "definition": LARK},
}
DIAL = {
    "type": "custom",
    "name": "dial",
    "format": {"type": "grammar", "syntax": "regex", "definition": '"[0-9]{3}"'},
}
SAY = {"type": "custom", "name": "say"}


def test_custom_tools_are_those_of_the_service(driven: Driven, scripted: Any) -> None:
    calls = [custom_call('(a"\n)', "ask"), custom_call('"555"', "dial"), custom_call(" hi ", "say")]
    server = scripted(ok(chat(None, "tool_calls", tool_calls=calls)))
    model = driven.connect(server.url, service="openai", model="gpt-5")
    result = model.generate("Go.", fw.tools([SQL, DIAL, SAY], calls="required"))
    assert [(call.name, call.arguments["input"]) for call in result.value] == [
        ("ask", '(a"\n)'),
        ("dial", '"555"'),
        ("say", " hi "),
    ]
    assert result.enforced == "server"
    assert [tool["custom"].get("format", {}).get("type") for tool in server.requests[0].json["tools"]] == [
        "grammar",
        "grammar",
        "text",
    ]
    assert [call["arguments"]["input"] for call in json.loads(result.text)] == ['(a"\n)', '"555"', " hi "]


def test_custom_tools_are_functions_where_a_service_has_none(driven: Driven, scripted: Any) -> None:
    calls = [
        call("ask", json.dumps({"input": '(a"\n)'}), 0),
        call("dial", '{ "input": "\\"555\\"" }', 1),
        call("say", '{"input": " hi "}', 2),
    ]
    server = scripted(ok(chat(None, "tool_calls", tool_calls=calls)))
    result = driven.connect(server.url).generate("Go.", fw.tools([SQL, DIAL, SAY], calls="required"))
    assert [call.arguments["input"] for call in result.value] == ['(a"\n)', '"555"', " hi "]
    functions = [tool["function"] for tool in server.requests[0].json["tools"]]
    described = functions[0]["parameters"]["properties"]["input"]["description"]
    assert described == f"A text of this grammar:\n{LARK.strip()}"
    assert any("grammar is not enforced" in note for note in result.exchange.notes)
    wrong = scripted(ok(chat(None, "tool_calls", tool_calls=[call("ask", '{"input": "(a"}')])))
    with pytest.raises(fw.errors.OutputInvalid, match="call of ask"):
        driven.connect(wrong.url).generate("Go.", fw.tools([SQL], calls="one"))


def test_a_custom_tool_that_cannot_be_enforced_is_not_strict() -> None:
    form = fw.tools([SQL], calls="one")
    with pytest.raises(fw.errors.UnsupportedConstruct, match="tool ask: the grammar is not sent"):
        make_calls_plan(form, "strict", SERVICES["compatible"])
    assert make_calls_plan(form, "strict", SERVICES["openai"]).is_strict
    assert not make_calls_plan(form, "tools", SERVICES["compatible"]).is_strict


@pytest.fixture(scope="module")
def url() -> Any:
    with running(fw.load(MODEL)) as server:
        yield server.base_url


@pytest.mark.parametrize("api", ["openai", "responses"])
@pytest.mark.parametrize(
    ("service", "text"), [("compatible", LARK), ("sglang", GBNF), ("llama.cpp", GBNF), ("openai", LARK)]
)
def test_our_own_server(driven: Driven, url: str, service: str, text: str, api: Any) -> None:
    form = fw.grammar(text)
    result = driven.connect(url, model=MODEL, service=service, api=api).generate("Go.", form, max_tokens=80)
    assert form.matches(result.value)
    assert result.enforced == "server"
    pieces, streamed = driven.connect(url, model=MODEL, service=service, api=api).stream("Go.", form, max_tokens=80)
    assert form.matches(streamed.value)
    assert "".join(piece.text for piece in pieces) == streamed.text


@pytest.mark.parametrize("service", ["openai", "formwright"])
@pytest.mark.parametrize("api", ["openai", "responses"])
def test_custom_tools_of_our_own_server(driven: Driven, url: str, api: Any, service: str) -> None:
    form = fw.tools([SQL, DIAL], calls="one")
    model = driven.connect(url, model=MODEL, service=service, api=api)
    (found,) = model.generate("Go.", form, max_tokens=60).value
    matches = {"ask": fw.grammar(LARK).matches, "dial": fw.regex('"[0-9]{3}"').matches}
    assert matches[found.name](found.arguments["input"])
