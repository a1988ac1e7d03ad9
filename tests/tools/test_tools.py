"""Tool calls: what tools are made of, and how each style writes them."""

from __future__ import annotations

import json
import os
import pickle
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from pydantic import BaseModel

import formwright as fw
from formwright.errors import ArgumentError, LanguageError, NotAForm, OutputInvalid, UnsupportedKeyword
from formwright.models.attempts import exclude_refused
from formwright.schemas.instructions import instruction_of
from formwright.tools import STYLES, Call, Offer, style_of, styles, tool_of, with_ids

TEMPLATES = Path(os.environ.get("FORMWRIGHT_CHAT_TEMPLATES", "nowhere"))


def get_weather(city: str, days: int = 1) -> str:
    """The weather in a city."""
    return f"{city}, {days}"


def get(kind: Literal["a", "b"], note: str | None = None) -> None:
    """Something else, whose name is the beginning of another one."""


class Find(BaseModel):
    """Find it."""

    query: str
    most: int = 3
    tags: list[str] = []


TOOLS = [get_weather, get, Find]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("calls", ["one", "required", "auto"])
def test_every_style_reads_what_it_writes(style: str, calls: Any) -> None:
    form = fw.tools(TOOLS, calls="required", style=style)
    (call,) = form.parse(form.example())
    assert (call.name, call.arguments) == ("get", {"kind": "a"})
    if style != "json" or calls != "one":
        assert fw.tools(TOOLS, calls=calls, style=style).matches(form.example())


NEST = r"""
    start: "(" start ")" | /[a-z"}>]{1,2}[a-z]/ | "\n" start
"""
GRAMMAR = {"type": "grammar", "syntax": "lark", "definition": NEST}
CUSTOM = {"type": "custom", "name": "nest", "description": "Nest it.", "format": GRAMMAR}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("calls", ["one", "required", "auto"])
def test_the_input_of_a_custom_tool_is_a_text_of_its_grammar(style: str, calls: Any) -> None:
    form = fw.tools([CUSTOM, *TOOLS], calls=calls, style=style)
    one = fw.tools([CUSTOM], calls="one" if calls == "one" else "required", style=style).example()
    shortest = fw.grammar(NEST).example()
    at = one.index(shortest, one.index("input") + len("input"))
    text = f"{one[:at]}((\n{shortest})){one[at + len(shortest) :]}"
    found = form.parse(text)
    (call,) = found if isinstance(found, list) else [found]
    assert call.arguments == {"input": f"((\n{shortest}))"}
    assert call.described()["custom"] == {"name": "nest", "input": f"((\n{shortest}))"}
    assert not form.matches(text.replace("((", "("))
    assert pickle.loads(pickle.dumps(form)).parse(text) == found


def test_custom_tools_are_described_as_they_were_given() -> None:
    nested = {"type": "custom", "custom": {**CUSTOM, "format": {"type": "grammar", "grammar": GRAMMAR}}}
    digits = {"name": "dial", "format": {"type": "grammar", "syntax": "regex", "definition": "[0-9]{3}"}}
    for given in (CUSTOM, nested, {"type": "custom", **digits}, {"type": "custom", "name": "say"}):
        tool = tool_of(given)
        assert tool_of(tool.described()).custom == tool.custom
        assert tool.describe_function()["type"] == "function"
    (call,) = fw.tools([{"type": "custom", **digits}], calls="one").parse(
        '{"name": "dial", "arguments": {"input": "000"}}'
    )
    assert call.arguments == {"input": "000"}
    parameters = tool_of(CUSTOM).describe_function()["function"]["parameters"]
    assert NEST.strip() in parameters["properties"]["input"]["description"]
    assert "without the escapes" in fw.instructions(fw.tools([CUSTOM], calls="one"))


@pytest.mark.parametrize(
    ("format_", "said"),
    [
        ({"type": "grammar", "syntax": "lark"}, "expected a text, or a grammar with a syntax and a definition"),
        ({"type": "grammar", "syntax": "gbnf", "definition": "root ::= 'a'"}, "expected a text, or a grammar"),
        ("text", "expected a text, or a grammar"),
        ({"type": "grammar", "syntax": "lark", "definition": "start: x"}, "grammar at 1:8: 'x' is not defined"),
        ({"type": "grammar", "syntax": "regex", "definition": "("}, "pattern"),
    ],
)
def test_a_broken_format_of_a_custom_tool_is_an_error(format_: Any, said: str) -> None:
    with pytest.raises((ArgumentError, LanguageError), match=said):
        fw.tools([{"type": "custom", "name": "nest", "format": format_}])


@pytest.mark.parametrize("style", [name for name, row in STYLES.items() if row.most is None])
def test_several_calls(style: str) -> None:
    one, row = fw.tools(TOOLS, calls="required", style=style).example(), STYLES[style]
    body = one.removeprefix(row.begin).removesuffix(row.end) if row.end else one.removeprefix(row.begin)
    two = row.begin + body + row.separator + body + row.end
    calls = fw.tools(TOOLS, calls="required", style=style).parse(two)
    assert [call.id for call in calls] == ["call_0", "call_1"]
    assert not fw.tools(TOOLS, calls="required", style=style, max_calls=1).matches(two)
    assert not fw.tools(TOOLS, calls="one", style=style).matches(two)


def test_text_before_between_and_instead_of_calls() -> None:
    form = fw.tools(TOOLS, style="hermes")
    call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    calls = form.parse(f"Let me see.\n{call}\nand\n{call} done")
    assert [call.arguments for call in calls] == [{"city": "Oslo"}] * 2
    assert [part.text for part in form.parts(f"x{call}y") if part.name == "text"] == ["x", "y"]
    assert form.parse("no call") == "no call"
    assert not form.matches("<tool_call>no call")
    assert fw.tools(TOOLS, style="harmony").parse("<|channel|>final<|message|>Hello") == "Hello"


class Place(BaseModel):
    city: str


def visit(place: Place, times: int = 2) -> str:
    return place.city * times


def test_functions_are_called_with_typed_arguments() -> None:
    (call,) = fw.tools([visit], calls="one").parse('{"name": "visit", "arguments": {"place": {"city": "x"}}}')
    assert isinstance(call.arguments["place"], Place)
    assert call.run() == "xx"
    (found,) = fw.tools([Find], calls="one").parse('{"name": "Find", "arguments": {"query": "q"}}')
    assert found.arguments == Find(query="q")
    with pytest.raises(ArgumentError, match="Find"):
        found.run()


def test_descriptions_of_apis_and_servers() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    origins = [
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": schema}},
        {"name": "g", "inputSchema": schema},
        SimpleNamespace(name="h", description=None, inputSchema=schema),
    ]
    form = fw.tools(origins, calls="required")
    text = '[{"name": "f", "arguments": {"x": 1}}, {"name": "h", "arguments": {"x": 2}}]'
    assert [(call.name, call.arguments) for call in form.parse(text)] == [("f", {"x": 1}), ("h", {"x": 2})]
    assert tool_of(get_weather).described()["function"]["description"] == "The weather in a city."


@pytest.mark.parametrize("style", ["qwen_xml", "glm"])
def test_between_tags_names_and_types_are_enforced(style: str) -> None:
    form = fw.tools(TOOLS, calls="one", style=style)

    def written(name: str, **arguments: str) -> str:
        if style == "glm":
            body = "".join(
                f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n" for key, value in arguments.items()
            )
            return f"<tool_call>{name}\n{body}</tool_call>"
        body = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in arguments.items())
        return f"<tool_call>\n<function={name}>\n{body}</function>\n</tool_call>"

    (call,) = form.parse(written("Find", query='a "b"\nc', most="12", tags='["x"]'))
    assert call.arguments == Find(query='a "b"\nc', most=12, tags=["x"])
    assert form.matches(written("get", kind="a", note="free < text"))
    for wrong in (
        written("Find", most="12"),
        written("Find", query="q", most="many"),
        written("Find", query="q", other="x"),
        written("get", kind="c"),
        written("got", kind="a"),
    ):
        assert not form.matches(wrong), wrong


def test_strings_between_tags_keep_their_keywords() -> None:
    def tool(**schema: Any) -> fw.Form[Any]:
        properties = {"x": {"type": "string", **schema}}
        parameters = {"type": "object", "properties": properties, "required": ["x"]}
        return fw.tools([{"name": "f", "parameters": parameters}], calls="one", style="glm")

    def text(value: str) -> str:
        return f"<tool_call>f\n<arg_key>x</arg_key>\n<arg_value>{value}</arg_value>\n</tool_call>"

    assert [tool(pattern="^a.c").matches(text(value)) for value in ("abcd", "xabc")] == [True, False]
    assert [tool(pattern="b$").matches(text(value)) for value in ("ab", "abc")] == [True, False]
    assert [tool(maxLength=2, minLength=1).matches(text(value)) for value in ("", "ab", "abc")] == [False, True, False]
    assert [tool(format="date").matches(text(value)) for value in ("2024-02-29", "2023-02-29")] == [True, False]
    with pytest.raises(UnsupportedKeyword, match="contentEncoding"):
        tool(contentEncoding="base64")


def test_between_tags_nothing_of_a_schema_is_dropped() -> None:
    def tool(schema: Any, **more: Any) -> fw.Form[Any]:
        parameters = {"type": "object", "properties": {"x": schema}, **more}
        return fw.tools([{"name": "f", "parameters": parameters}], calls="one", style="glm")

    form = tool({"type": "string", "enum": ["a", "bbb"], "minLength": 2.0}, required=["x"])
    text = "<tool_call>f\n<arg_key>x</arg_key>\n<arg_value>{}</arg_value>\n</tool_call>"
    assert [form.matches(text.format(value)) for value in ("a", "bbb")] == [False, True]
    for schema, more in (
        ({"type": "string"}, {"required": ["z"]}),
        ({"type": "string", "pattern": 5}, {}),
        ({"$ref": 5}, {}),
        ({"type": "string", "enum": ["a"], "const": "b"}, {}),
    ):
        with pytest.raises(fw.errors.LanguageError):
            tool(schema, **more)
    named = {"type": "object", "properties": {"a>b": {"type": "string"}}}
    with pytest.raises(UnsupportedKeyword, match="a>b"):
        fw.tools([{"name": "f", "parameters": named}], style="qwen_xml")


def test_an_id_is_read_only_where_the_style_writes_one() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "object"}, "id": {"type": "string"}}}
    form = fw.tools([{"name": "f", "parameters": schema}], calls="one", style="harmony")
    head = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>"
    (call,) = form.parse(head + '{"a": {}, "id": "abcdefghi"}')
    assert call.id == "call_0"


def test_markers_that_are_control_tokens() -> None:
    tokens: list[bytes | None] = [*(bytes([byte]) for byte in range(256)), None, None, None]
    special = {"<tool_call>": 256, "</tool_call>": 257}
    vocabulary = fw.Vocabulary(tokens, eos_token_ids=[258], special_tokens=special)
    matcher = fw.compile(fw.tools(TOOLS, style="hermes"), vocabulary).matcher()
    matcher.accept_tokens([*b"see: ", 256])
    assert matcher.allowed_token_ids() == [ord("\n")]
    matcher.accept_bytes(b'\n{"name": "get", "arguments": {"kind": "a"}}\n')
    assert matcher.allowed_token_ids() == [ord("<"), 257]
    matcher.accept_token(257)
    (call,) = matcher.constraint.form.read_bytes(matcher.accepted_bytes)
    assert call.arguments == {"kind": "a"}


@pytest.mark.parametrize(
    ("make", "error", "named"),
    [
        (lambda: fw.tools([]), ArgumentError, "none"),
        (lambda: fw.tools([get, get]), ArgumentError, "'get'"),
        (lambda: fw.tools([{"name": "f", "parameters": 3}]), ArgumentError, "schema of 'f' is not a mapping"),
        (lambda: fw.tools([{"parameters": {}}]), ArgumentError, "no name"),
        (lambda: fw.tools([{"name": "a b", "parameters": {}}]), ArgumentError, "a b"),
        (lambda: fw.tools([3]), ArgumentError, "3"),
        (lambda: fw.tools([int]), ArgumentError, "int"),
        (lambda: fw.tools([lambda x: x]), ArgumentError, "lambda"),
        (lambda: fw.tools([get], style="herms"), ArgumentError, "herms"),
        (lambda: fw.tools([get], calls="all"), ArgumentError, "all"),  # type: ignore[arg-type]
        (lambda: fw.tools([get], calls="one", max_calls=2), ArgumentError, "max_calls"),
        (lambda: fw.tools([get], style="glm", whitespace="compact"), ArgumentError, "whitespace"),
        (lambda: fw.tools([get], nonsense=1), ArgumentError, "nonsense"),
    ],
)
def test_bad_input_is_an_error_that_names_it(make: Any, error: type[Exception], named: str) -> None:
    with pytest.raises(error, match=named):
        make()


def test_parameters_need_annotations() -> None:
    def f(x) -> None:  # type: ignore[no-untyped-def]
        ...

    def g(*xs: int) -> None: ...

    for function, named in ((f, "'x'"), (g, "xs")):
        with pytest.raises(NotAForm, match=named):
            fw.tools([function])


def test_a_type_may_refuse_arguments() -> None:
    from pydantic import field_validator

    class Even(BaseModel):
        x: int

        @field_validator("x")
        @classmethod
        def even(cls, x: int) -> int:
            if x % 2:
                raise ValueError("odd")
            return x

    with pytest.raises(OutputInvalid, match="odd"):
        fw.tools([Even], calls="one").parse('{"name": "Even", "arguments": {"x": 1}}')


def test_templates_tell_their_style() -> None:
    assert style_of("... <tool_call> ...") == "hermes"
    assert style_of(SimpleNamespace(chat_template={"default": "x", "tool_use": "[TOOL_CALLS]"})) == "mistral"
    assert style_of("<arg_key> and <tool_call>") == "glm"
    for unknown in ("plain", SimpleNamespace()):
        with pytest.raises(ArgumentError, match="chat template"):
            style_of(unknown)


CHECKED = tomllib.loads((Path(__file__).parents[2] / "testdata" / "tool_styles.toml").read_text(encoding="utf-8"))
RENDERED = [
    (template, style, row.get("calls", 2)) for style, row in CHECKED.items() for template in row.get("templates", ())
]


def test_of_each_style_is_known_what_it_was_checked_with() -> None:
    assert list(CHECKED) == sorted(CHECKED, key=list(STYLES).index)
    assert CHECKED.keys() == STYLES.keys() - set(styles._REGISTERED)


def rendered(template: str, arguments: Any, count: int, name: str = "abcdefgh") -> str:
    """What a chat template makes of a conversation with some calls, from the answer on."""
    jinja2 = pytest.importorskip("jinja2.sandbox")
    function = {"name": "get_weather", "arguments": arguments}
    calls = [{"id": f"{name}{at}", "type": "function", "function": function} for at in range(count)]
    answer = {"role": "assistant", "content": None if count == 1 else "", "tool_calls": calls}
    extensions = ["jinja2.ext.loopcontrols"]
    environment = jinja2.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=extensions)
    environment.globals["raise_exception"] = print
    environment.filters["tojson"] = lambda value, **options: json.dumps(value, **{"ensure_ascii": False, **options})
    whole: str = environment.from_string(template).render(
        messages=[{"role": "user", "content": "THE QUESTION"}, answer],
        tools=[tool_of(get_weather).described()],
        bos_token="",
        eos_token="",
        strftime_now=lambda format: "2024",
        tools_in_user_message=True,
        add_generation_prompt=False,
    )
    return whole.rpartition("THE QUESTION")[2]


@pytest.mark.skipif(not TEMPLATES.is_dir(), reason="FORMWRIGHT_CHAT_TEMPLATES names no folder of chat templates")
@pytest.mark.parametrize(("name", "style", "count"), RENDERED)
def test_a_style_is_what_the_chat_template_writes(name: str, style: str, count: int) -> None:
    template = (TEMPLATES / f"{name}.jinja").read_text(encoding="utf-8")
    assert style_of(template) == style
    arguments = {"city": "Paris", "days": 3}
    identifier = "functions.get_weather:" if style == "kimi_k2" else "abcdefgh"  # which some templates write
    try:
        written = rendered(template, arguments, count, identifier)
    except TypeError:  # some templates want the arguments as text
        written = rendered(template, json.dumps(arguments), count, identifier)
    row = STYLES[style]
    written = written[written.index(row.begin or row.before) :]
    form = fw.tools(TOOLS, calls="required", style=style)
    ends = [at for at in range(len(written) + 1) if form.matches(written[:at])]
    if not ends:  # the template leaves the end of the list to the results of the calls
        written += row.end
        ends = [len(written)]
    found = form.parse(written[: max(ends)])
    assert [(call.name, call.arguments) for call in found] == [("get_weather", arguments)] * count


def test_a_form_remembers_its_tools() -> None:
    for calls, given, most in [("auto", None, None), ("required", 3, 3), ("one", None, 1)]:
        form = fw.tools(TOOLS, calls=calls, max_calls=given, style="llama3", max_digits=5)  # type: ignore[arg-type]
        again = pickle.loads(pickle.dumps(form.named("calls")))
        for same in (form, again):
            assert same.origin.kind == "tools"
            offer: Offer = same.origin.what
            assert [tool.name for tool in offer.tools] == ["get_weather", "get", "Find"]
            assert (offer.calls, offer.most) == (calls, most)
            assert same.origin.options["max_digits"] == 5
        (call,) = again.parse('{"name": "get", "parameters": {"kind":"a"}}')
        assert (call.name, call.arguments) == ("get", {"kind": "a"})
    assert (form + "!").origin is None
    assert (form | "no").origin is None


@pytest.mark.parametrize("wrap", [lambda form: form, fw.thinking, lambda form: form | fw.choice("no", "none")])
def test_tools_are_told_in_words_wherever_they_stand(wrap: Any) -> None:
    told = instruction_of(wrap(fw.tools(TOOLS, calls="required")))
    assert all(f"Tool {name}" in told for name in ("get_weather", "get", "Find"))
    assert '"kind"' in told


def test_a_refused_call_leaves_the_form_as_it_is() -> None:
    form = fw.tools([Find], calls="one")
    assert exclude_refused(form, OutputInvalid("no", text=form.example(), position=0)) is form


def test_ids() -> None:
    calls = [Call("f", {}, id_, tool_of(Find)) for id_ in ("call_1", "", "x", "x", "")]
    assert [call.id for call in with_ids(calls)] == ["call_1", "call_2", "x", "call_3", "call_4"]


CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@pytest.mark.parametrize(
    ("schema", "accepts", "rejects"),
    [
        (CITY, ['{"city": "Oslo"}'], ['{"city": "Oslo", "x": 3}']),
        (
            CITY | {"additionalProperties": {"type": "integer"}},
            ['{"city": "Oslo", "x": 3}'],
            ['{"city": "Oslo", "x": ""}'],
        ),
        (CITY | {"additionalProperties": True}, ['{"city": "Oslo", "x": 3}'], []),
        (CITY | {"patternProperties": {"^x": {"type": "integer"}}}, ['{"city": "Oslo", "x": 3}'], []),
        ({"type": "object", "properties": {}}, ["{}"], ['{"x": 3}']),
        ({"type": "object"}, ["{}"], ['{"x": 3}']),
        ({}, ["{}"], ['{"x": 3}']),
        (None, ["{}"], ['{"x": 3}']),
        (
            {"allOf": [CITY, {"properties": {"days": {"type": "integer"}}}]},
            ['{"city": "Oslo", "days": 1}'],
            ['{"city": "Oslo", "x": 3}'],
        ),
        ({"$ref": "#/$defs/a", "$defs": {"a": CITY}}, ['{"city": "Oslo"}'], ['{"city": "Oslo", "x": 3}']),
        ({"allOf": [CITY], "$schema": "http://json-schema.org/draft-07/schema#"}, ['{"city": "Oslo", "x": 3}'], []),
        ({"properties": {"at": {"type": "object"}}}, ['{"at": {"x": 1}}'], ['{"x": 1}']),
    ],
    ids=str,
)
def test_declared_arguments_are_all_there_are(schema: Any, accepts: list[str], rejects: list[str]) -> None:
    for description in ({"name": "f", "parameters": schema}, {"name": "f", "inputSchema": schema}):
        form = fw.tools([description], calls="one")
        for text in accepts + rejects:
            call = f'{{"name": "f", "arguments": {text}}}'.encode()
            assert form.matches(call) is (text in accepts)
    assert fw.tools([{"name": "f"}], calls="one").matches(b'{"name": "f", "arguments": {}}')


@pytest.mark.parametrize("name", ["f", "3d_model", "-x", "_", "a" * 64, "get.weather", "7"])
@pytest.mark.parametrize("style", sorted(STYLES))
def test_names_that_services_allow(name: str, style: str) -> None:
    form = fw.tools([{"name": name, "parameters": CITY}], calls="required", style=style)
    (call,) = form.parse(form.example())
    assert call.name == name


def test_gemma_writes_members_without_quotes() -> None:
    schema = {
        "type": "object",
        "properties": {
            "tags": {"type": "array", "items": {"type": "string"}},
            "n": {"type": ["integer", "null"]},
            "any": {},
            "where": {"type": "object", "properties": {"lat": {"type": "number"}, "at": {"type": "string"}}},
        },
        "required": ["where"],
    }
    form = fw.tools([{"name": "f", "parameters": schema}], calls="required", style="gemma4")
    members = 'any:{a:[1,<|"|>x: {y}<|"|>]},n:null,tags:[<|"|>a<|"|>,<|"|>b"<|"|>],where:{lat:1.5}'
    text = f"<|tool_call>call:f{{{members}}}<tool_call|>"
    (call,) = form.parse(text)
    assert call.arguments == {
        "any": {"a": [1, "x: {y}"]},
        "n": None,
        "tags": ["a", 'b"'],
        "where": {"lat": 1.5},
    }
    for wrong in (text.replace("null", "None"), text.replace("n:null,", ""), text.replace("1.5", "x")):
        assert form.matches(wrong) == ("n:" not in wrong)
    assert not form.matches("<|tool_call>call:f{n:null}<tool_call|>")
    assert not form.matches("<|tool_call>call:f{where:{},n:null}<tool_call|>")  # not in the order of names


def test_minimax_m3_writes_tags_inside_of_tags() -> None:
    class Place(BaseModel):
        lat: float
        names: list[str] = []

    class Go(BaseModel):
        to: Place
        via: list[Place] = []
        code: str

    form = fw.tools([Go], calls="one", style="minimax_m3")
    mark = "]<]minimax[>["
    inner = f"{mark}<lat>1.5{mark}</lat>{mark}<names>{mark}<item>3{mark}</item>{mark}<item>{mark}</item>{mark}</names>"
    arguments = (
        f"{mark}<to>{inner}{mark}</to>{mark}<via>{mark}<item>{mark}<lat>2{mark}</lat>{mark}</item>{mark}</via>"
        f"{mark}<code>12{mark}</code>"
    )
    text = f'{mark}<tool_call>\n{mark}<invoke name="Go">{arguments}{mark}</invoke>\n{mark}</tool_call>'
    (call,) = form.parse(text)
    assert call.arguments == Go(to=Place(lat=1.5, names=["3", ""]), via=[Place(lat=2)], code="12")
    assert not form.matches(text.replace("1.5", "x"))


def test_a_tag_says_the_type_of_its_value() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"]}}}
    form = fw.tools([{"name": "f", "parameters": schema}], calls="required", style="deepseek_v3_2")
    text = fw.tools(
        [{"name": "f", "parameters": schema | {"required": ["a", "b"]}}], style="deepseek_v3_2", calls="one"
    )
    assert '"a" string="true"' in text.example()
    assert '"b" string="false"' in text.example()
    assert form.matches(text.example())
    assert not form.matches(text.example().replace('"a" string="true"', '"a" string="false"'))
    (call,) = form.parse(text.example())
    assert call.arguments.keys() == {"a", "b"}


def test_calls_are_numbered_where_a_style_numbers_them() -> None:
    form = fw.tools([get_weather], calls="required", style="kimi_k2")
    text = form.example()
    assert "functions.get_weather:0<|tool_call_argument_begin|>" in text
    assert form.matches(text.replace(":0<", ":17<"))
    assert not form.matches(text.replace(":0<", ":<"))
    assert not form.matches(text.replace(":0<", ":017<"))


def test_the_same_descriptions_are_the_same_form() -> None:
    def described(kind: str) -> list[dict[str, Any]]:
        parameters = {"type": "object", "properties": {"x": {"type": kind}}, "required": ["x"]}
        return [{"name": "f", "parameters": parameters}]

    listed = described("integer")
    form = fw.tools(listed, calls="one")
    assert fw.tools(described("integer"), calls="one") is form
    assert fw.tools(described("integer"), calls="required") is not form
    assert fw.tools(described("integer"), calls="one", whitespace="compact") is not form
    listed[0]["parameters"]["properties"]["x"]["type"] = "string"
    assert fw.tools(listed, calls="one").matches('{"name": "f", "arguments": {"x": "a"}}')
    assert fw.tools(described("integer"), calls="one") is form
    assert form.origin is not None
    assert form.origin.what.tools[0].schema["properties"] == {"x": {"type": "integer"}}
