"""Prompts: what is read, and what is refused with what was expected."""

from __future__ import annotations

import datetime
import json
from typing import Any

import numpy as np
import pydantic
import pytest

import formwright as fw
from formwright.conversations.prompts import read
from formwright.errors import PromptError

CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Hi", "Hi"),
        ("", ""),
        ([{"role": "user", "content": "Hi"}], [{"role": "user", "content": "Hi"}]),
        (({"role": "system", "content": "Be brief."},), [{"role": "system", "content": "Be brief."}]),
        (
            [{"role": "user", "content": [{"type": "text", "text": "H"}, {"type": "input_text", "text": "i"}]}],
            [{"role": "user", "content": "Hi"}],
        ),
        ([{"role": "user", "content": "Hi", "name": "Ada"}], [{"role": "user", "content": "Hi", "name": "Ada"}]),
        (
            [
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": ""}, "id": None}]},
                {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "3"}]},
                {"role": "tool", "content": "3"},
            ],
            [
                {"role": "assistant", "content": "", "calls": [{"id": "c", "name": "f", "arguments": {"a": 1}}]},
                {"role": "assistant", "content": "", "calls": [{"id": "", "name": "f", "arguments": {}}]},
                {"role": "tool", "id": "c", "content": "3"},
                {"role": "tool", "id": "", "content": "3"},
            ],
        ),
        ([1, 2, 0], [1, 2, 0]),
        (np.array([1, 2]), [1, 2]),
    ],
)
def test_prompts(prompt: Any, expected: Any) -> None:
    assert read(prompt, size=10) == expected
    assert read(expected, size=10) == expected


@pytest.mark.parametrize(
    ("prompt", "says"),
    [
        (b"Hi", "a bytes"),
        ("a\ud800", "lone surrogate"),
        ([{"role": "user", "content": "\ud800"}], "lone surrogate"),
        ([{"role": "user", "content": [{"type": "text", "text": "\ud800"}]}], "lone surrogate"),
        (5, "an int"),
        (None, "None"),
        ({"role": "user", "content": "Hi"}, "a dict"),
        (iter([1]), "not text, messages or token ids"),
        ([], "empty"),
        ([1, "a"], "item 1 of the prompt is a str"),
        (["a", "b"], "item 0 of the prompt is a str"),
        ([1.5], "item 0 of the prompt is a float"),
        ([1, 10], "item 1 of the prompt is 10: token ids go from 0 to 9"),
        ([-1], "item 0 of the prompt is -1"),
        ([{"role": "user", "content": "Hi"}, "a"], "message 1 is a str"),
        ([{"role": "robot", "content": "Hi"}], "message 0 has the role 'robot'"),
        ([{"content": "Hi"}], "message 0 has no role"),
        ([{"role": "user"}], "message 0 has no content"),
        ([{"role": "user", "content": None}], "the content of message 0 is None"),
        ([{"role": "user", "content": b"Hi"}], "the content of message 0 is a bytes"),
        ([{"role": "user", "content": ["Hi"]}], "part 0 of message 0 is a str"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}], "of type 'image_url'"),
        ([{"role": "user", "content": [{"type": "text"}]}], "of type 'text'"),
        ([{"role": "assistant", "tool_calls": [{}]}], "call 0 of message 0 names no function"),
        (
            [{"role": "assistant", "tool_calls": [CALL, {"function": {"name": "f", "arguments": "{"}}]}],
            "the arguments of call 1 of message 0 are not JSON: '{'",
        ),
        ([{"role": "assistant", "tool_calls": 5}], "tool_calls of message 0: expected a list, got an int"),
        (
            [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "[1]"}}]}],
            "expected an object",
        ),
    ],
)
def test_what_is_no_prompt_says_what_was_expected(prompt: Any, says: str) -> None:
    with pytest.raises(PromptError) as caught:
        read(prompt, size=10)
    assert says in str(caught.value)


def test_models_refuse_what_they_cannot_read(tiny: fw.models.LocalModel) -> None:
    for prompt in [b"Hi", 5, [tiny.vocabulary.logits_size], [{"role": "tool"}], [{"role": "user"}]]:
        with pytest.raises(PromptError):
            tiny.generate(prompt, fw.choice("a"))  # type: ignore[arg-type]
        with pytest.raises(PromptError):
            tiny.stream(prompt, fw.choice("a"))  # type: ignore[arg-type]


def test_text_parts_are_the_text(tiny: fw.models.LocalModel) -> None:
    parts = [{"type": "text", "text": "Hi "}, {"type": "text", "text": "there"}]
    one = tiny.generate([{"role": "user", "content": parts}], fw.regex("[a-z]{3}"))
    assert one == tiny.generate("Hi there", fw.regex("[a-z]{3}"))


def test_calls_and_results_in_a_conversation_are_told(tiny: fw.models.LocalModel) -> None:
    asked = [{"role": "user", "content": "What is 1 + 2?"}]
    result = [{"role": "tool", "tool_call_id": "c", "content": "3"}]
    called = [*asked, {"role": "assistant", "content": None, "tool_calls": [CALL]}, *result]
    told = b"".join(tiny.vocabulary.token(token) or b"" for token in tiny.prompt_ids(called)).decode()
    assert told.find('"name": "f", "arguments": {"a": 1}') < told.find("Result: 3")
    with tiny.stream(called, fw.choice("3", "4")) as stream:
        list(stream)
    assert stream.result.text in ("3", "4")
    assert tiny.generate_many([called, called], fw.choice("a"))[1].text == "a"


def test_a_model_without_a_template_for_tools_is_given_their_results(tiny: fw.models.LocalModel) -> None:
    given: list[Any] = []
    encode = lambda conversation: given.append(conversation) or [5]  # noqa: E731
    model = fw.models.LocalModel("own", tiny.runtime, tiny.vocabulary, encode)  # it has all roles
    messages = [
        {"role": "user", "content": "What is 1 + 2?"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c", "content": "3"},
    ]
    assert model.prompt_ids(messages) == [5]
    assert [message["role"] for message in given[0]] == ["user", "assistant", "tool"]
    assert given[0][2] == {"role": "tool", "content": "3"}


def test_described_calls_of_custom_tools_are_read_back(tiny: fw.models.LocalModel) -> None:
    form = fw.tools([{"type": "custom", "name": "say"}], calls="one")
    (call,) = form.parse('{"name": "say", "arguments": {"input": "a \\"b\\""}}')
    talk = [{"role": "assistant", "content": None, "tool_calls": [call.described()]}]
    function = {"id": call.id, "type": "function", "function": {"name": "say", "arguments": {"input": 'a "b"'}}}
    assert call.described()["custom"] == {"name": "say", "input": 'a "b"'}
    assert tiny.prompt_ids(talk) == tiny.prompt_ids([{**talk[0], "tool_calls": [function]}])


def test_described_calls_are_read_back(tiny: fw.models.LocalModel) -> None:
    class Day(pydantic.BaseModel):
        day: datetime.date = pydantic.Field(alias="on")

    def f(day: datetime.date, names: list[str]) -> None: ...

    form = fw.tools([f, Day, {"name": "g", "parameters": {}}], calls="required")
    text = """[{"name": "f", "arguments": {"day":"2020-01-02","names":["\u00e9"]}},
        {"name": "Day", "arguments": {"on":"2020-01-02"}}, {"name": "g", "arguments": {}}]"""
    described = [call.described() for call in form.parse(text.replace("\n        ", " "))]
    arguments = [json.loads(call["function"]["arguments"]) for call in described]
    assert arguments == [{"day": "2020-01-02", "names": ["é"]}, {"on": "2020-01-02"}, {}]
    assert len({call["id"] for call in described}) == 3
    assert tiny.prompt_ids([{"role": "assistant", "content": None, "tool_calls": described}])


def test_instruct_tells_tools_as_the_model_reads_them(tiny: fw.models.LocalModel) -> None:
    def get_weather(city: str) -> str:
        "The weather in a city."
        return f"Sun in {city}"

    (call,) = tiny.generate(
        "The weather in Oslo?", fw.tools([get_weather], style=tiny.style), temperature=0, instruct=True
    ).value
    assert (call.name, call.run()) == ("get_weather", "Sun in Oslo")
