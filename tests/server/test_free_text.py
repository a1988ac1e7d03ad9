"""What is free text of an answer, where ``stop`` cuts, and what it may not hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from toys import RuleRuntime, byte_vocabulary

import formwright as fw

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")

from formwright.server import running  # noqa: E402
from formwright.tools import STYLES  # noqa: E402

from .test_requests import CHAT, FUNCTION  # noqa: E402

HI = [{"role": "user", "content": "Hi"}]
OPEN = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "additionalProperties": True}}}
CALL = '<tool_call>\n{"name": "f", "arguments": {"END": "END"}}\n</tool_call>'


def reciting(text: str) -> RuleRuntime:
    """A runtime whose model would write one text after two tokens, byte by byte, and then end."""
    data = [*text.encode(), 256]
    return RuleRuntime(lambda length, _: 9 * (np.arange(257) == data[min(length - 2, len(data) - 1)]))


def answered(text: str, style: str = "hermes", **fields: Any) -> dict[str, Any]:
    """What the server answers for a model that would write a text."""
    model = fw.models.LocalModel("m", reciting(text), byte_vocabulary(), lambda _: [1, 2], style=style)
    with running(model) as state:
        body = {"model": "m", "messages": HI, "temperature": 0, "max_tokens": 400} | fields
        answer = httpx.post(f"{state.url}{CHAT}", json=body, timeout=60)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize(
    ("text", "said", "calls"),
    [
        ("I see. END of it", "I see. ", 0),
        (f"I see. {CALL}", "I see. ", 1),
        (f"{CALL} and END of it", "", 1),
        (f"A {CALL} b {CALL} END c {CALL}", "A  b ", 2),
    ],
)
def test_stop_cuts_free_text_and_no_call(text: str, said: str, calls: int) -> None:
    answer = answered(text, tools=[OPEN], stop="END")
    message = answer["choices"][0]["message"]
    assert [call["function"]["arguments"] for call in message.get("tool_calls", [])] == ['{"END": "END"}'] * calls
    assert (message["content"] or "").strip().replace("and", "").split() == said.split()
    assert "notes" not in answer["formwright"]


@pytest.mark.parametrize("stop", ["<tool", "<tool_call>", ">"])
def test_stop_cuts_no_marker_of_a_call(stop: str) -> None:
    message = answered(f"I see. {CALL}", tools=[OPEN], stop=stop)["choices"][0]["message"]
    assert [call["function"]["name"] for call in message["tool_calls"]] == ["f"]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ('{"END": 1}', {"response_format": {"type": "json_object"}}),
        ('{"END": 1}', {"guided_json": {"type": "object"}}),
        (CALL, {"tools": [OPEN], "tool_choice": "required"}),
        (CALL, {"tools": [OPEN], "tool_choice": {"type": "function", "function": {"name": "f"}}}),
    ],
)
def test_where_there_is_no_free_text_stop_has_no_effect_and_the_stamp_says_so(
    text: str, fields: dict[str, Any]
) -> None:
    answer = answered(text, stop=["END"], **fields)
    assert "END" in str(answer["choices"][0]["message"])
    assert answer["formwright"]["complete"] is True
    assert answer["formwright"]["notes"] == ["stop has no effect: the answer has no free text"]


TRIGGERED = {
    "type": "structural_tag",
    "structures": [{"begin": "<f>", "schema": {}, "end": "</f>"}],
    "triggers": ["<f>"],
}
ANY = {"type": "any_text"}
TAG = {"type": "tag", "begin": "<a>", "content": ANY, "end": "</a>"}


def tagged(format_: dict[str, Any]) -> dict[str, Any]:
    return {"structured_outputs": {"structural_tag": {"type": "structural_tag", "format": format_}}}


TAGS = {"type": "triggered_tags", "triggers": ["<a"], "tags": [TAG]}


@pytest.mark.parametrize(
    ("text", "said", "fields"),
    [
        ("I see. END of it", "I see. ", {"response_format": TRIGGERED}),
        ('I see. <f>"END"</f> and END.', 'I see. <f>"END"</f> and ', {"response_format": TRIGGERED}),
        ('<f>["END"]</f><f>"END"</f>ENDED', '<f>["END"]</f><f>"END"</f>', {"response_format": TRIGGERED}),
        ("a <a>END</a> b END", "a <a>END</a> b ", tagged(TAGS)),
        ("a END <a>END</a>", "a ", tagged(TAGS)),
        ("<a>END</a> b END c", "<a>END</a> b ", tagged({"type": "sequence", "elements": [TAG, ANY]})),
        ("b END c", "b ", tagged({"type": "or", "elements": [TAG, ANY]})),
        ("b END c", "b ", tagged({"type": "or", "elements": [{"type": "regex", "pattern": "[0-9]"}, ANY]})),
        ("b END c", "b ", tagged(ANY)),
    ],
)
def test_stop_cuts_text_outside_of_tags(text: str, said: str, fields: dict[str, Any]) -> None:
    answer = answered(text, stop="END", **fields)
    choice = answer["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == (said, "stop")
    assert "notes" not in answer["formwright"]


@pytest.mark.parametrize("stop", ["<", "<f", "<f>", ">", "</f>", "/"])
def test_stop_cuts_no_marker_of_a_tag(stop: str) -> None:
    text = 'I see. <f>"it"</f>'
    assert answered(text, stop=stop, response_format=TRIGGERED)["choices"][0]["message"]["content"] == text


def test_stop_cuts_no_thought_before_tags() -> None:
    text = "<think>END</think>I see. <f>1</f> END"
    fields = {"response_format": TRIGGERED, "reasoning_effort": "medium"}
    message = answered(text, stop="END", **fields)["choices"][0]["message"]
    assert (message["reasoning_content"], message["content"]) == ("END", "I see. <f>1</f> ")


@pytest.mark.parametrize(
    "format_", [TAG, {"type": "sequence", "elements": [TAG, {"type": "const_string", "value": " END"}]}]
)
def test_where_all_is_tagged_stop_has_no_effect_and_the_stamp_says_so(format_: dict[str, Any]) -> None:
    text = "<a>END</a>" + (" END" if format_ is not TAG else "")
    answer = answered(text, stop=["END"], **tagged(format_))
    assert answer["choices"][0]["message"]["content"] == text
    assert answer["formwright"]["notes"] == ["stop has no effect: the answer has no free text"]


def test_the_tokens_of_a_structural_tag_are_those_of_the_model() -> None:
    tokens = [*(bytes([byte]) for byte in range(256)), None, None]
    vocabulary = fw.Vocabulary(tokens, eos_token_ids=[256], special_tokens={"<|open|>": 257})
    data = [257, *b"x.", 256]
    runtime = RuleRuntime(lambda length, _: 9 * (np.arange(258) == data[min(length - 2, len(data) - 1)]))
    model = fw.models.LocalModel("m", runtime, vocabulary, lambda _: [1, 2], style="hermes")
    with running(model) as state:
        for token, status in [(257, 200), (120, 400)]:
            tag = {"type": "tag", "begin": {"type": "token", "token": token}, "content": ANY, "end": "."}
            body = {"model": "m", "messages": HI, "temperature": 0, "max_tokens": 40} | tagged(tag)
            answer = httpx.post(f"{state.url}{CHAT}", json=body, timeout=60)
            assert answer.status_code == status, answer.text
            if status == 200:
                assert answer.json()["choices"][0]["message"]["content"] == "<|open|>x."
            else:
                assert answer.json()["error"]["param"] == "structured_outputs.structural_tag.format.begin.token"


@pytest.mark.parametrize("style", sorted(STYLES))
def test_with_the_tool_choice_none_no_call_can_begin(style: str) -> None:
    row = STYLES[style]
    marker = row.trigger or row.begin + row.before
    text = f"I would call {marker} now"
    assert answered(text, style)["choices"][0]["message"]["content"] == text
    answer = answered(text, style, tools=[FUNCTION], tool_choice="none")
    message = answer["choices"][0]["message"]
    assert message["content"].startswith("I would call ")
    assert marker not in message["content"]
    assert "tool_calls" not in message


PREFILL = {"continue_final_message": True, "add_generation_prompt": False}
BEGUN = [*HI, {"role": "assistant", "content": "The answer is"}]


@pytest.mark.parametrize("fields", [PREFILL, {"continue_final_message": True}])
def test_the_final_message_is_continued(tiny: fw.models.LocalModel, served: Any, fields: dict[str, Any]) -> None:
    body = {"model": "formwright-tiny", "messages": BEGUN, "temperature": 0, "max_tokens": 8} | fields
    answer = httpx.post(f"{served.url}{CHAT}", json=body).json()
    merges = tiny.vocabulary.merges
    assert merges is not None
    ids = [*tiny.prompt_ids(HI), *(merges.encode("The answer is") or [])]
    wanted = tiny.generate(ids, fw.text(), max_tokens=8, finish=False).text
    assert answer["choices"][0]["message"]["content"] == wanted
    assert answer["usage"]["prompt_tokens"] == len(ids)


def test_a_form_holds_for_what_continues_a_message(served: Any) -> None:
    body = {"model": "formwright-tiny", "messages": BEGUN, "guided_regex": " [0-9]{2}"} | PREFILL
    text = httpx.post(f"{served.url}{CHAT}", json=body).json()["choices"][0]["message"]["content"]
    assert (len(text), text[0], text[1:].isdecimal()) == (3, " ", True)


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"messages": HI} | PREFILL, "continue_final_message"),
        ({"messages": [*HI, {"role": "assistant", "content": ""}]} | PREFILL, "continue_final_message"),
        ({"messages": BEGUN[1:]} | PREFILL, "messages"),
        ({"messages": BEGUN, "continue_final_message": True, "add_generation_prompt": True}, "add_generation_prompt"),
        ({"messages": BEGUN, "add_generation_prompt": False}, "add_generation_prompt"),
        ({"messages": [*HI, {"role": "assistant", "content": "word " * 3000}]} | PREFILL, "messages"),
    ],
)
def test_what_cannot_be_continued_is_refused(served: Any, fields: dict[str, Any], param: str) -> None:
    answer = httpx.post(f"{served.url}{CHAT}", json={"model": "formwright-tiny"} | fields)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)
