"""Answers as events: text, calls, inputs of custom tools, and what is known only at the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import formwright as fw
from formwright.tools import STYLES, tool_of
from formwright.tools.answer_reader import AnswerReader, find_calls
from formwright.tools.custom import INPUT
from formwright.tools.events import CallArguments, CallBegun, Text
from formwright.tools.offered import Offered

ADD = tool_of({"name": "add", "parameters": {"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]}})
NOTED = {"type": "object", "properties": {INPUT: {"const": "hi"}}, "required": [INPUT]}
NOTE = tool_of({"name": "note", "parameters": NOTED})
ONE = '{"name": "add", "arguments": {"a": 1}}'
NEST = tool_of(
    {
        "type": "custom",
        "name": "nest",
        "format": {"type": "grammar", "syntax": "lark", "definition": 'start: "(" start ")" | /[a-z"}]{1,3}/'},
    }
)


def read(reader: AnswerReader, text: str, value: Any) -> list[Any]:
    events = [event for letter in text for event in reader.feed(letter)]
    return events + reader.finish(find_calls(value))


@pytest.mark.parametrize(
    ("mode", "several", "has_form", "expected"),
    [
        ("auto", True, False, ("auto", True)),
        ("required", True, False, ("required", False)),
        ("required", False, False, ("one", False)),
        ("none", True, False, ("none", True)),
        ("auto", True, True, ("auto", False)),
    ],
)
def test_what_is_offered(mode: Any, several: bool, has_form: bool, expected: tuple[str, bool]) -> None:
    offered = replace(Offered.of([ADD], mode, several), has_form=has_form)
    assert (offered.mode, offered.is_text) == expected
    assert offered.is_either == (has_form and mode == "auto")
    assert offered.has_hidden_tools == (mode == "none")
    if offered.tools:
        assert offered.make_form("json").matches("Hi") == offered.is_text
        assert offered.make_form("json").matches(ONE if offered.is_bare("json") else f"[{ONE}]")


def test_calls_or_a_text_in_form_are_told_apart_at_the_end() -> None:
    offered = replace(Offered.of([ADD], "auto"), has_form=True)
    form = offered.make_form("json") | fw.form(int)
    reader = AnswerReader(offered, "json")
    assert not any(reader.feed(letter) for letter in "36")
    assert reader.finish(find_calls(form.parse("36"))) == [Text("36")]
    events = read(AnswerReader(offered, "json"), f"[{ONE}]", form.parse(f"[{ONE}]"))
    assert [type(event) for event in events] == [CallBegun, CallArguments]
    assert events[1].text == '{"a": 1}'


@pytest.mark.parametrize("style", ["json", "hermes", "glm"])
def test_the_input_of_a_custom_tool_comes_as_text(style: str) -> None:
    form = fw.tools([NOTE.described()], calls="one", style=style)
    text = form.example()
    reader = AnswerReader(Offered.of([NOTE], "one"), style, {"note"})
    begun, *arguments = read(reader, text, form.parse(text))
    assert (begun.number, begun.name, begun.is_custom) == (0, "note", True)
    assert arguments == [CallArguments(0, piece) for piece in (["hi"] if style == "glm" else ["h", "i"])]


@pytest.mark.parametrize(
    ("written", "pieces"),
    [
        (r"a\nb", ["a", "\n", "b"]),
        (r"\u0001\\\"u", ["\x01", "\\", '"', "u"]),
        ("", [""]),
        ("é😀", ["é", "😀"]),
    ],
)
def test_escapes_of_an_input_come_when_they_are_whole(written: str, pieces: list[str]) -> None:
    say = tool_of({"type": "custom", "name": "say"})
    text = f'{{"name": "say", "arguments": {{"input": "{written}"}}}}'
    reader = AnswerReader(Offered.of([say], "one"), "json", {"say"})
    value = fw.tools([say], calls="one").parse(text)
    assert value[0].arguments == {"input": "".join(pieces)}
    assert read(reader, text, value)[1:] == [CallArguments(0, piece) for piece in pieces]


@pytest.mark.parametrize("tool", [NEST, tool_of({"type": "custom", "name": "nest"})], ids=["grammar", "text"])
def test_an_input_that_is_cut_is_what_came_of_it(tool: Any) -> None:
    reader = AnswerReader(Offered.of([tool], "one"), "json", {"nest"})
    events = reader.feed('{"name": "nest", "arguments": {"input": "((a')
    assert [event.text for event in events[1:]] == ["((a"]
    assert reader.finish([]) == []


def test_an_input_without_escapes_is_held_back_only_where_it_may_end() -> None:
    text = '{"name": "nest", "arguments": {"input": "((a"}))"}}'
    offered = Offered.of([NEST], "one")
    reader = AnswerReader(offered, "json", {"nest"})
    begun, *pieces = [event for letter in text for event in reader.feed(letter)]
    assert pieces == [CallArguments(0, piece) for piece in ("(", "(", "a")]
    assert reader.finish(find_calls(offered.make_form("json").parse(text))) == [CallArguments(0, '"}))')]
    assert begun.is_custom


@pytest.mark.parametrize("style", ["json", "json_lines", "hermes", "mistral", "mistral_args"])
def test_an_input_without_escapes_ends_where_its_grammar_says(style: str) -> None:
    offered = Offered.of([NEST, ADD], "required")
    form = offered.make_form(style)
    shape = STYLES[style]
    nest = shape.before + "nest" + shape.between + '{"input": "(a"})"}' + shape.after
    add = shape.before + "add" + shape.between + '{"a": 1}' + shape.after
    text = shape.begin + shape.separator.join([nest, add, nest]) + shape.end
    events = read(AnswerReader(offered, style, {"nest"}), text, form.parse(text))
    assert [event.name for event in events if isinstance(event, CallBegun)] == ["nest", "add", "nest"]
    inputs = dict.fromkeys(range(3), "")
    for event in events:
        if isinstance(event, CallArguments):
            inputs[event.number] += event.text
    assert list(inputs.values()) == ['(a"})', '{"a": 1}', '(a"})']


def test_calls_beside_the_text_keep_their_ids() -> None:
    call = replace(fw.tools([ADD.described()], calls="one").parse(ONE)[0], id="toolu_1")
    events = read(AnswerReader(Offered.of([ADD], "auto"), None), "Hi", [call])
    assert events == [Text("H"), Text("i"), CallBegun(0, "toolu_1", "add"), CallArguments(0, '{"a": 1}')]


def test_ids_that_only_count_become_unique() -> None:
    value = fw.tools([ADD.described()], calls="one").parse(ONE)
    assert value[0].id == "call_0"
    assert find_calls(value)[0].id != find_calls(value)[0].id
    assert find_calls("text") == find_calls(None) == []


@pytest.mark.parametrize(
    ("has_calls", "cut", "is_spent", "expected"),
    [
        (True, None, True, "tool_calls"),
        (False, "max_tokens", False, "length"),
        (False, "stop", False, "stop"),
        (False, "cancel", False, "cancel"),
        (False, None, True, "length"),
        (False, None, False, "stop"),
    ],
)
def test_why_an_answer_ends(has_calls: bool, cut: str | None, is_spent: bool, expected: str) -> None:
    found = Offered.of([ADD], "auto").find_finish_reason(has_calls=has_calls, cut=cut, is_spent=is_spent)
    assert found == expected
    formed = Offered(has_form=True).find_finish_reason(has_calls=False, cut=None, is_spent=True)
    assert formed == "stop"
