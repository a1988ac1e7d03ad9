"""What a model has written of its calls so far, in pieces of any size."""

from __future__ import annotations

import json
import random

import pytest

import formwright as fw
from formwright.tools import STYLES
from formwright.tools.calls_reader import CallsReader
from formwright.tools.events import CallArguments, CallBegun, CallEvent, Text
from formwright.tools.styles import NUMBER

NAMES = ("f", "get_weather", "f.g")
HARD = ("}", '"', "\\", "[{", "</tool_call>", 1, None, {"y": [1, {"z": "a"}]})
TOOLS = [{"name": name, "parameters": {"type": "object", "additionalProperties": True}} for name in NAMES]
JSON_STYLES = [name for name, style in STYLES.items() if style.arguments == "json"]


def in_pieces(rng: random.Random, reader: CallsReader, text: str) -> list[CallEvent]:
    events: list[CallEvent] = []
    while text:
        size = rng.randint(1, 6)
        events += reader.feed(text[:size])
        text = text[size:]
    return events + reader.finish()


def calls_of(events: list[CallEvent]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for event in events:
        if isinstance(event, CallBegun):
            assert event.number == len(found)
            found.append((event.name, ""))
        elif isinstance(event, CallArguments):
            assert event.number == len(found) - 1
            found[-1] = found[-1][0], found[-1][1] + event.text
    return found


@pytest.mark.parametrize("mode", ["auto", "required", "one"])
@pytest.mark.parametrize("name", JSON_STYLES)
def test_the_calls_are_those_that_were_written(name: str, mode: str) -> None:
    rng, style = random.Random(f"{name} {mode}"), STYLES[name]
    form = fw.tools(TOOLS, calls=mode, style=name)  # type: ignore[arg-type]
    is_mixed = mode == "auto" and bool(style.trigger) and not style.is_list
    is_bare = mode == "one" and name == "json"
    for _ in range(50):
        count = 1 if mode == "one" or style.most == 1 else rng.randint(1, 3)
        calls = [(rng.choice(NAMES), json.dumps({"x": rng.choice(HARD)})) for _ in range(count)]
        before, between = (text.replace(NUMBER, str(rng.choice([0, 1, 12]))) for text in (style.before, style.between))
        parts = [f"{before}{tool}{between}{arguments}{style.after}" for tool, arguments in calls]
        texts = [rng.choice(["", "hi ", "\n"]) if mode == "auto" and style.trigger else "" for _ in range(count + 1)]
        text = (
            texts[0] + ("" if is_bare else style.begin) + style.separator.join(parts) + ("" if is_bare else style.end)
        )
        if is_mixed:
            text = "".join(said + part for said, part in zip(texts, parts, strict=False)) + texts[-1]
        assert form.matches(text)
        events = in_pieces(rng, CallsReader(style, is_bare=is_bare, takes_text=mode == "auto"), text)
        assert calls_of(events) == calls
        said = "".join(event.text for event in events if isinstance(event, Text))
        expected = "".join(texts) if is_mixed else texts[0]
        assert "".join(said.split()) == "".join(expected.split())


@pytest.mark.parametrize("name", JSON_STYLES)
def test_text_alone_is_said(name: str) -> None:
    style = STYLES[name]
    for text in ("", "hi", "a < b", '{"nam', "  two\n\n"):
        written = style.text + text
        assert fw.tools(TOOLS, style=name).matches(written)
        events = in_pieces(random.Random(1), CallsReader(style), written)
        assert "".join(event.text for event in events if isinstance(event, Text)) == text


@pytest.mark.parametrize("name", [name for name in STYLES if name not in JSON_STYLES])
def test_arguments_between_tags_come_at_the_end(name: str) -> None:
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    form = fw.tools([{"name": "f", "parameters": schema}], calls="required", style=name)
    text = form.example()
    events = CallsReader(STYLES[name], takes_text=False).finish(form.parse(text))
    assert [(tool, json.loads(arguments)) for tool, arguments in calls_of(events)] == [("f", {"x": 0})]
