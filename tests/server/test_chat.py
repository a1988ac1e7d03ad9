"""Chat completions by the SDK: forms in every spelling, tools, options, streams."""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import Any

import pytest
from toys import Person

import formwright as fw
from formwright.receipts import Receipt

from .conftest import ADA, MODEL

openai = pytest.importorskip("openai")

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "maxLength": 20}},
            "required": ["city"],
            "additionalProperties": False,
        },
        "strict": True,
    },
}
TIME = {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}}}
DIGITS = {
    "type": "custom",
    "custom": {
        "name": "dial",
        "format": {"type": "grammar", "grammar": {"syntax": "regex", "definition": "[0-9]{3}-[0-9]{4}"}},
    },
}


class Mood(Enum):
    GOOD = "good"
    BAD = "bad"


def ask(client: Any, **more: Any) -> Any:
    return client.chat.completions.create(**({"model": MODEL, "messages": ADA, "temperature": 0} | more))


def test_a_type_is_parsed(client: Any) -> None:
    answer = client.chat.completions.parse(model=MODEL, messages=ADA, response_format=Person, temperature=0)
    assert answer.choices[0].message.parsed == Person(name="Ada", age=36)
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    assert answer.formwright["enforced"] == "kernel"
    assert answer.formwright["complete"] is True
    assert answer.formwright["tokens"]["written"] == answer.usage.completion_tokens


def test_the_answer_is_that_of_the_library(client: Any, tiny: fw.models.LocalModel) -> None:
    schema = Person.model_json_schema()
    format_ = {"type": "json_schema", "json_schema": {"name": "person", "schema": schema}}
    answer = ask(client, response_format=format_)
    alone = tiny.generate(ADA, schema)
    assert answer.choices[0].message.content == alone.text
    assert answer.usage.completion_tokens == len(alone.token_ids)
    assert answer.formwright["tokens"]["forced"] == alone.forced_tokens


def test_the_stamp_holds_receipts_if_they_are_asked_for(client: Any, tiny: fw.models.LocalModel) -> None:
    form = {"guided_regex": "[A-Z][a-z]{1,8}"}
    answer = ask(client, n=2, extra_body=form | {"formwright": {"receipt": True}})
    receipts = [Receipt.from_json(json.dumps(receipt)) for receipt in answer.formwright["receipts"]]
    assert [receipt.verify(tiny.vocabulary, form=fw.regex("[A-Z][a-z]{1,8}")) for receipt in receipts] == [(), ()]
    assert "receipts" not in ask(client, extra_body=form).formwright


FORMS: dict[str, tuple[dict[str, Any], str]] = {
    "json_object": ({"response_format": {"type": "json_object"}}, r"(?s)\{.*\}"),
    "guided_regex": ({"guided_regex": "[A-Z][a-z]{1,8}, [0-9]+"}, "[A-Z][a-z]{1,8}, [0-9]+"),
    "guided_choice": ({"guided_choice": ["yes", "no"]}, "yes|no"),
    "guided_json": ({"guided_json": {"type": "integer", "maximum": 99, "minimum": 0}}, "[0-9]{1,2}"),
    "guided_json as text": ({"guided_json": '{"enum": [1, 2]}'}, "[12]"),
    "whitespace": (
        {"guided_json": {"type": "array", "items": {"const": 1}, "minItems": 2, "maxItems": 2}}
        | {"guided_whitespace_pattern": "  "},
        r"\[  1  ,  1  \]",
    ),
    "notation": (
        {"guided_json": {"type": "array", "items": {"enum": ["yes", "no"]}, "minItems": 2, "maxItems": 2}}
        | {"formwright": {"notation": "yaml"}},
        r"- ['\"](yes|no)['\"]\n- ['\"](yes|no)['\"]",
    ),
    "structured regex": ({"structured_outputs": {"regex": "[ab]{3}"}}, "[ab]{3}"),
    "structured choice": ({"structured_outputs": {"choice": ["正面", "负面"]}}, "正面|负面"),
    "guided_grammar": ({"guided_grammar": 'start: N ("+" N)~1..2\nN: /[0-9]{1,3}/'}, r"\d{1,3}(\+\d{1,3}){1,2}"),
    "structured grammar": ({"structured_outputs": {"grammar": 'root ::= "(" root ")" | [ab]'}}, r"\(*[ab]\)*"),
    "format grammar": ({"response_format": {"type": "grammar", "grammar": 'start: "x" /[ab]/ "y"'}}, "x[ab]y"),
    "grammar": ({"grammar": 'root ::= "(" root ")" | [ab]'}, r"\(*[ab]\)*"),
    "grammar in Lark": ({"grammar": '%llguidance {}\nstart: "(" start ")" | /[ab]/'}, r"\(*[ab]\)*"),
    "ebnf": ({"ebnf": "root ::= 'x' [a-b]+ 'y'", "max_tokens": 20}, "x[ab]+y"),
    "structured json": ({"structured_outputs": {"json": {"type": "boolean"}}}, "true|false"),
    "structured compact": (
        {"structured_outputs": {"json": {"enum": [[1, 2]]}, "disable_any_whitespace": True}},
        r"\[1,2\]",
    ),
    "structural tag": (
        {
            "response_format": {
                "type": "structural_tag",
                "structures": [{"begin": "<n>", "schema": {"type": "integer"}, "end": "</n>"}],
                "triggers": ["<n>"],
            },
            "max_tokens": 40,
        },
        r"(?s)([^<]|<(?!n>)|<n>-?[0-9]+</n>)*",
    ),
    "structural format": (
        {
            "structured_outputs": {
                "structural_tag": {
                    "type": "structural_tag",
                    "format": {
                        "type": "sequence",
                        "elements": [
                            {"type": "tag", "begin": "<a>", "content": {"type": "any_text"}, "end": "</a>"},
                            {"type": "or", "elements": [{"type": "const_string", "value": "x"}] * 2},
                            {"type": "regex", "pattern": "[0-9]"},
                            {"type": "grammar", "grammar": 'root ::= "y" | "z"'},
                        ],
                    },
                }
            },
            "max_tokens": 30,
        },
        r"(?s)<a>.*</a>x[0-9][yz]",
    ),
}


@pytest.mark.parametrize("temperature", [0, 1.5])
@pytest.mark.parametrize("name", FORMS)
def test_every_spelling_of_a_form_is_kept_to(client: Any, name: str, temperature: float) -> None:
    fields, pattern = FORMS[name]
    budget = {"max_tokens": 200} | fields
    answer = ask(client, extra_body=budget, temperature=temperature, seed=3)
    assert re.fullmatch(pattern, answer.choices[0].message.content), answer.choices[0].message.content
    assert answer.formwright["enforced"] == "kernel"


def test_an_older_field_that_changes_nothing_is_noted(client: Any) -> None:
    answer = ask(client, extra_body={"guided_choice": ["a"], "guided_decoding_backend": "outlines"})
    assert "outlines" in answer.formwright["notes"][0]


def test_a_format_that_nobody_knows_is_noted(client: Any) -> None:
    schema = {"type": "object", "properties": {"format": {"format": "emial", "enum": ["a"]}, "at": {"format": "date"}}}
    answer = ask(client, extra_body={"guided_json": schema}, max_tokens=60)
    assert ["'emial'" in note for note in answer.formwright["notes"]] == [True]


def test_equal_forms_have_one_digest_whatever_they_are_called(client: Any) -> None:
    def digest(name: str, schema: Any) -> str:
        format_ = {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}
        found: str = ask(client, response_format=format_).formwright["form"]
        return found

    assert digest("a", {"enum": [1]}) == digest("b", {"enum": [1]}) != digest("a", {"enum": [2]})


def test_free_text_has_no_stamp(client: Any) -> None:
    answer = ask(client, max_tokens=2)
    assert not hasattr(answer, "formwright")
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage.completion_tokens == 2


@pytest.mark.parametrize(
    ("choice", "least", "most"),
    [
        ("required", 1, 9),
        ({"type": "function", "function": {"name": "get_weather"}}, 1, 1),
        ("auto", 0, 9),
        ("none", 0, 0),
    ],
)
def test_tools_are_called_as_the_choice_says(client: Any, choice: Any, least: int, most: int) -> None:
    messages = [{"role": "user", "content": "What is the weather in Oslo?"}]
    for seed in range(3):
        answer = ask(
            client,
            messages=messages,
            tools=[WEATHER, TIME],
            tool_choice=choice,
            max_tokens=60,
            temperature=1,
            seed=seed,
        )
        (got,) = answer.choices
        calls = got.message.tool_calls or []
        assert least <= len(calls) <= most
        assert (got.finish_reason == "tool_calls") == bool(calls)
        for call in calls:
            arguments = json.loads(call.function.arguments)
            assert call.function.name in ("get_weather", "get_time")
            assert call.function.name == "get_time" or isinstance(arguments["city"], str)


def test_a_named_tool_is_called_with_its_arguments(client: Any) -> None:
    answer = ask(
        client,
        messages=[{"role": "user", "content": "What is the weather in Oslo?"}],
        tools=[WEATHER, TIME],
        tool_choice={"type": "function", "function": {"name": "get_weather"}},
    )
    (call,) = answer.choices[0].message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == ("get_weather", {"city": "Oslo"})
    assert answer.choices[0].message.content is None


def test_allowed_tools_are_a_part_of_the_tools(client: Any) -> None:
    allowed = {"mode": "required", "tools": [{"type": "function", "function": {"name": "get_time"}}]}
    choice = {"type": "allowed_tools", "allowed_tools": allowed}
    answer = ask(client, tools=[WEATHER, TIME], tool_choice=choice, parallel_tool_calls=False)
    assert [call.function.name for call in answer.choices[0].message.tool_calls] == ["get_time"]


def test_a_custom_tool_has_text_in_its_grammar(client: Any) -> None:
    choice = {"type": "custom", "custom": {"name": "dial"}}
    for stream in (False, True):
        if stream:
            with client.chat.completions.stream(
                model=MODEL, messages=ADA, tools=[DIGITS], tool_choice=choice
            ) as events:
                chunks = [event.chunk for event in events if event.type == "chunk"]
            calls = [call for chunk in chunks for choice_ in chunk.choices for call in choice_.delta.tool_calls or ()]
            text = "".join(call.custom["input"] for call in calls if hasattr(call, "custom"))
        else:
            text = ask(client, tools=[DIGITS], tool_choice=choice).choices[0].message.tool_calls[0].custom.input
        assert re.fullmatch("[0-9]{3}-[0-9]{4}", text)


SQL = r"""
    start: "SELECT " column (", " column)* "\n" "FROM " NAME
    ?column: NAME | STRING
    NAME: /[a-z]{1,6}/
    STRING: /"[^"\n]{0,6}"/
"""


@pytest.mark.parametrize("stream", [False, True])
def test_the_input_of_a_custom_tool_is_a_text_of_its_grammar(client: Any, stream: bool) -> None:
    format_ = {"type": "grammar", "grammar": {"syntax": "lark", "definition": SQL}}
    tool = {"type": "custom", "custom": {"name": "query", "description": "Ask the table.", "format": format_}}
    form, seen = fw.grammar(SQL), set()
    for seed in range(4):
        more: dict[str, Any] = {"temperature": 1.5, "seed": seed, "max_tokens": 80, "stream": stream}
        tools = [tool, DIGITS] if seed % 2 else [tool]
        answer = ask(client, tools=tools, tool_choice="required", parallel_tool_calls=False, **more)
        if stream:
            chunks = [chunk.choices[0] for chunk in answer]
            parts = [call for chunk in chunks for call in chunk.delta.tool_calls or ()]
            name, text = parts[0].custom["name"], "".join(part.custom["input"] for part in parts)
            assert chunks[-1].finish_reason == "tool_calls"
        else:
            (call,) = answer.choices[0].message.tool_calls
            assert call.type == "custom"
            name, text = call.custom.name, call.custom.input
        seen.add(name)
        assert form.matches(text) if name == "query" else re.fullmatch("[0-9]{3}-[0-9]{4}", text)
    assert "query" in seen


def test_calls_of_custom_tools_and_functions_come_in_their_order(client: Any) -> None:
    format_ = {"type": "grammar", "grammar": {"syntax": "lark", "definition": 'start: "(" start ")" | /[a-z"}]{1,3}/'}}
    tools = [{"type": "custom", "custom": {"name": "nest", "format": format_}}, TIME]
    for seed in range(3):
        more: dict[str, Any] = {"temperature": 1.5, "seed": seed, "max_tokens": 150, "tool_choice": "required"}
        whole = ask(client, tools=tools, **more).choices[0].message.tool_calls
        found: dict[int, list[str]] = {}
        for chunk in ask(client, tools=tools, stream=True, **more):
            for part in chunk.choices[0].delta.tool_calls or ():
                kind = part.type or ("custom" if hasattr(part, "custom") else "function")
                given = part.custom if kind == "custom" else part.function.model_dump()
                name, text = found.setdefault(part.index, ["", ""])
                text += given["input" if kind == "custom" else "arguments"] or ""
                found[part.index] = [name or given["name"], text]
        calls = [
            [call.custom.name, call.custom.input]
            if call.type == "custom"
            else [call.function.name, call.function.arguments]
            for call in whole
        ]
        assert [found[number] for number in sorted(found)] == calls
        assert all(re.fullmatch(r'\(*[a-z"}]{1,3}\)*', text) for name, text in calls if name == "nest")


def test_a_call_of_a_custom_tool_is_read_back(client: Any) -> None:
    call = {"id": "1", "type": "custom", "custom": {"name": "dial", "input": "555-0100"}}
    messages = [
        *ADA,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "busy"},
    ]
    answer = ask(client, messages=messages, tools=[DIGITS], max_tokens=60)
    assert answer.choices[0].finish_reason in ("stop", "length", "tool_calls")


def test_tools_and_a_format_are_calls_or_that_format(client: Any) -> None:
    format_ = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"enum": ["done"]}}}
    seen = set()
    for seed in range(6):
        answer = ask(client, tools=[TIME], response_format=format_, temperature=2, seed=seed)
        message = answer.choices[0].message
        seen.add("calls" if message.tool_calls else message.content)
        assert message.tool_calls or message.content == '"done"'
    assert seen <= {"calls", '"done"'}


def test_a_conversation_with_calls_and_results_is_read(client: Any) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is the weather in Oslo?"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "rain"},
    ]
    answer = ask(client, messages=messages, tools=[WEATHER], max_tokens=10)
    assert answer.usage.prompt_tokens > 20


def test_several_texts_draw_with_seeds_in_a_row(client: Any) -> None:
    answer = ask(client, n=3, temperature=1, seed=5, max_tokens=8)
    alone = [ask(client, temperature=1, seed=seed, max_tokens=8).choices[0].message.content for seed in (5, 6, 7)]
    assert [choice.message.content for choice in answer.choices] == alone
    assert [choice.index for choice in answer.choices] == [0, 1, 2]


def test_stop_cuts_text_and_says_so(client: Any) -> None:
    body = {"guided_regex": r"\w+@\w+\.com\n"}
    answer = ask(client, stop=["\n"], extra_body=body, max_tokens=60)
    assert re.fullmatch(r"\w+@\w+\.com", answer.choices[0].message.content)
    assert answer.choices[0].finish_reason == "stop"
    assert answer.formwright["complete"] is False


def test_log_probabilities_are_masked_and_unmasked(client: Any) -> None:
    answer = ask(client, logprobs=True, top_logprobs=3, extra_body={"guided_choice": ["yes", "no"]})
    rows = answer.choices[0].logprobs.content
    assert "".join(row.token for row in rows) == answer.choices[0].message.content
    first = rows[0]
    assert first.logprob >= first.unmasked_logprob
    assert first.top_logprobs[0].logprob == first.logprob  # greedy
    assert len(first.unmasked_top_logprobs) == 3
    assert sum(2.718281828**top.logprob for top in first.top_logprobs) <= 1.0001


def test_a_bias_and_penalties_move_the_choice_among_what_is_allowed(client: Any, tiny: fw.models.LocalModel) -> None:
    ids = {text: tiny.vocabulary.encode(text)[0] if hasattr(tiny.vocabulary, "encode") else None for text in ("b",)}
    token_id = next(id_ for id_ in range(len(tiny.vocabulary)) if tiny.vocabulary.token(id_) == b"b") or ids
    assert (
        ask(client, extra_body={"guided_regex": "[ab]"}, logit_bias={str(token_id): 100}).choices[0].message.content
        == "b"
    )
    plain = ask(client, extra_body={"guided_regex": "[ab]{12}"}).choices[0].message.content
    other = ask(client, extra_body={"guided_regex": "[ab]{12}"}, frequency_penalty=2, presence_penalty=2)
    assert other.choices[0].message.content != plain


def test_a_thought_comes_first_and_is_counted(client: Any) -> None:
    answer = ask(client, reasoning_effort="minimal", extra_body={"guided_regex": "[0-9]{2}"})
    message = answer.choices[0].message
    assert re.fullmatch("[0-9]{2}", message.content)
    assert 0 < answer.usage.completion_tokens_details.reasoning_tokens < answer.usage.completion_tokens
    whole = ask(client, reasoning_effort="minimal", extra_body={"guided_regex": "[0-9]{2}"}, stream=True)
    chunks = list(whole)
    deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
    assert "".join(delta.content or "" for delta in deltas) == message.content
    assert "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas) == message.reasoning_content


def test_a_thought_that_may_take_the_whole_budget_is_noted(client: Any) -> None:
    form = {"guided_json": Person.model_json_schema()}
    starved = ask(client, reasoning_effort="low", max_tokens=60, extra_body=form)
    assert "128" in starved.formwright["notes"][0]
    assert "notes" not in ask(client, reasoning_effort="minimal", max_tokens=200, extra_body=form).formwright


@pytest.mark.parametrize("more", [{"reasoning_effort": "low", "max_tokens": 8}, {"tools": [TIME], "max_tokens": 2}])
def test_a_text_that_the_budget_cuts_is_not_called_complete(client: Any, more: Any) -> None:
    answer = ask(client, **more)
    assert answer.choices[0].finish_reason == "length"
    stamp = answer.formwright
    assert stamp.get("complete", False) is False
    assert ("enforced" in stamp) == ("tools" in more)


def test_a_trace_has_a_row_for_each_token(client: Any) -> None:
    answer = ask(client, extra_body={"guided_choice": ["yes", "no"], "trace": True})
    rows = answer.choices[0].formwright["trace"]
    assert "".join(row["token"] for row in rows) == answer.choices[0].message.content
    assert rows[0]["likeliest"][0]["probability"] >= rows[0]["probability"]
    chunks = list(ask(client, stream=True, extra_body={"guided_choice": ["yes", "no"], "trace": True}))
    streamed = [
        row
        for chunk in chunks
        for choice in chunk.choices
        for row in getattr(choice, "formwright", {}).get("trace", ())
    ]
    assert streamed == rows


def test_a_partial_value_is_what_was_sent_so_far(client: Any) -> None:
    body = {"guided_regex": "[a-z]{300}", "trace": True}
    text = ""
    for chunk in ask(client, stream=True, temperature=1, extra_body=body):
        for choice in chunk.choices:
            text += choice.delta.content or ""
            if hasattr(choice, "formwright"):
                assert choice.formwright["partial"] == text


def test_a_stop_text_in_the_last_token_is_a_stop(client: Any) -> None:
    whole = ask(client, max_tokens=2).choices[0].message.content
    answer = ask(client, max_tokens=2, stop=whole[-1])
    if whole.find(whole[-1]) == len(whole) - 1:
        assert answer.usage.completion_tokens == 2
    assert answer.choices[0].finish_reason == "stop"


def test_canonical_tokens_on_request(client: Any, tiny: fw.models.LocalModel) -> None:
    form = {"guided_regex": "(Hello )?world[0-9]{3}"}
    answer = ask(client, extra_body=form | {"canonical": True})
    assert answer.choices[0].message.content == tiny.generate(ADA, fw.regex(form["guided_regex"]), canonical=True).text


def test_a_stream_is_what_is_sent_whole(client: Any) -> None:
    whole = client.chat.completions.parse(model=MODEL, messages=ADA, response_format=Person, temperature=0)
    with client.chat.completions.stream(
        model=MODEL, messages=ADA, response_format=Person, temperature=0, stream_options={"include_usage": True}
    ) as events:
        names = [event.type for event in events]
        final = events.get_final_completion()
    assert final.choices[0].message.parsed == whole.choices[0].message.parsed
    assert final.usage == whole.usage
    assert "content.delta" in names
    assert names[-1] == "chunk"  # the usage


def test_calls_are_streamed_in_fragments(client: Any) -> None:
    messages = [{"role": "user", "content": "What is the weather in Oslo?"}]
    options = {"model": MODEL, "messages": messages, "tools": [WEATHER], "tool_choice": "required", "temperature": 0}
    with client.chat.completions.stream(**options) as events:
        names = [event.type for event in events]
        final = events.get_final_completion()
    assert names.count("tool_calls.function.arguments.delta") > 1
    assert final.choices[0].finish_reason == "tool_calls"
    (call, *_) = final.choices[0].message.tool_calls
    assert call.function.parsed_arguments == json.loads(call.function.arguments)
    whole = client.chat.completions.create(**options)
    assert [one.function for one in whole.choices[0].message.tool_calls] == [
        type(one.function)(name=call.function.name, arguments=call.function.arguments)
        for one, call in zip(whole.choices[0].message.tool_calls, final.choices[0].message.tool_calls, strict=True)
    ]


def test_characters_are_whole_in_every_chunk(served: Any) -> None:
    import httpx

    body = {"model": MODEL, "messages": ADA, "stream": True, "temperature": 2, "seed": 1}
    body |= {"structured_outputs": {"regex": "[正负é😀]{12}"}}
    with httpx.stream("POST", f"{served.url}/v1/chat/completions", json=body) as answer:
        chunks = [chunk for chunk in answer.iter_raw() if chunk]
    text = b"".join(chunks).decode()
    assert "\ufffd" not in text
    for line in text.split("\n\n")[:-2]:
        json.loads(line.removeprefix("data: "))
    assert text.endswith("data: [DONE]\n\n")
