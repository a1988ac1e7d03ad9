"""What clients send beside the fields that are served: ignored and noted, neutral, or refused."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("openai")

import openai.types.chat as chat
import openai.types.responses as responses
from openai.types.chat.chat_completion_content_part_refusal_param import ChatCompletionContentPartRefusalParam
from openai.types.responses.response_input_item_param import FunctionCallOutput, Message

from formwright.server.reading.fields import IGNORED_AT, REFUSED

from .test_requests import BASE, CHAT, COMPLETIONS, FUNCTION, RESPONSES, USER

FORM = {"guided_choice": ["yes", "no"], "temperature": 0}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "3"}
PART = {"type": "text", "text": "Hi"}
TOOL = FUNCTION | {"cache_control": {"type": "ephemeral"}}


def said(post: Callable[..., Any], path: str, fields: dict[str, Any]) -> tuple[Any, list[str]]:
    """The text of an answer with its log probabilities and the count of tokens, and the notes of its stamp."""
    more = {"logprobs": True} if path == CHAT else {"include": ["message.output_text.logprobs"]}
    status, answer = post(path, BASE[path] | FORM | more | fields)
    assert status == 200, answer
    content = answer["output"][0]["content"] if path == RESPONSES else answer["choices"]
    return (content, answer["usage"]), answer["formwright"].get("notes", [])


IGNORED_FIELDS: list[tuple[str, str, list[Any], list[Any], str]] = [
    (CHAT, "messages", [USER | {"cache_control": {"type": "ephemeral"}}], [USER], "messages[].cache_control"),
    (CHAT, "messages", [USER | {"metadata": {"turn": 1}}], [USER], "messages[].metadata"),
    (
        CHAT,
        "messages",
        [USER, {"role": "assistant", "content": "Yes?", "reasoning_details": [{"text": "Hm."}]}, USER],
        [USER, {"role": "assistant", "content": "Yes?"}, USER],
        "messages[].reasoning_details",
    ),
    (
        CHAT,
        "messages",
        [USER, {"role": "assistant", "content": "Yes?", "thinking_blocks": [{"signature": "x"}]}, USER],
        [USER, {"role": "assistant", "content": "Yes?"}, USER],
        "messages[].thinking_blocks",
    ),
    (
        CHAT,
        "messages",
        [{"role": "user", "content": [PART | {"cache_control": {"type": "ephemeral"}}]}],
        [{"role": "user", "content": [PART]}],
        "messages[].content[].cache_control",
    ),
    (
        CHAT,
        "messages",
        [USER, {"role": "assistant", "tool_calls": [CALL | {"provider_specific_fields": {"a": 1}}]}, RESULT],
        [USER, {"role": "assistant", "tool_calls": [CALL]}, RESULT],
        "messages[].tool_calls[].provider_specific_fields",
    ),
    (
        RESPONSES,
        "input",
        [USER, {"role": "assistant", "content": [{"type": "output_text", "text": "Yes?", "annotations": [{}]}]}, USER],
        [USER, {"role": "assistant", "content": [{"type": "output_text", "text": "Yes?"}]}, USER],
        "input[].content[].annotations",
    ),
    (
        RESPONSES,
        "input",
        [USER, {"type": "reasoning", "id": "rs_1", "summary": []}],
        [USER],
        "input[] of the type 'reasoning'",
    ),
]


@pytest.mark.parametrize(("path", "field", "sent", "plain", "place"), IGNORED_FIELDS)
def test_what_cannot_change_the_text_is_ignored_and_noted(
    post: Callable[..., Any], path: str, field: str, sent: list[Any], plain: list[Any], place: str
) -> None:
    text, (note,) = said(post, path, {field: sent})
    same, notes = said(post, path, {field: plain})
    assert note.startswith("ignored, because they cannot change the text: ")
    assert place in note.partition(": ")[2].split(", ")
    assert (text, notes) == (same, [])


@pytest.mark.parametrize(
    ("path", "tool", "place"),
    [(CHAT, TOOL, "tools[]"), (RESPONSES, {"type": "function", "name": "f", "cache_control": {"ttl": 1}}, "tools[]")],
)
def test_what_is_ignored_of_a_tool_is_noted(post: Callable[..., Any], path: str, tool: Any, place: str) -> None:
    status, answer = post(path, BASE[path] | {"tools": [tool], "tool_choice": "required"})
    assert (status, answer["formwright"]["notes"][0].split(": ")[1]) == (200, f"{place}.cache_control")


@pytest.mark.parametrize(
    ("path", "fields", "param"),
    [
        (CHAT, {"messages": [USER | {"images": ["x"]}]}, "messages[0].images"),
        (CHAT, {"messages": [{"role": "user", "content": [PART | {"colour": 1}]}]}, "messages[0].content[0].colour"),
        (
            CHAT,
            {"messages": [USER, {"role": "assistant", "tool_calls": [CALL | {"result": "3"}]}]},
            "messages[1].tool_calls[0].result",
        ),
        (
            CHAT,
            {"messages": [{"role": "assistant", "tool_calls": [CALL | {"function": {"name": "f", "args": {}}}]}]},
            "messages[0].tool_calls[0].function.args",
        ),
        (CHAT, {"messages": [USER | {"audio": {"id": "a"}}]}, "messages[0].audio"),
        (CHAT, {"tools": [FUNCTION | {"defer_loading": True}]}, "tools[0].defer_loading"),
        (RESPONSES, {"input": [USER | {"colour": 1}]}, "input[0].colour"),
        (
            RESPONSES,
            {"input": [{"role": "user", "content": [{"type": "input_text", "text": "Hi", "file_id": "x"}]}]},
            "input[0].content[0].file_id",
        ),
        (
            RESPONSES,
            {"input": [{"type": "function_call", "call_id": "1", "name": "f", "arguments": "", "namespace": "n"}]},
            "input[0].namespace",
        ),
    ],
)
def test_what_could_change_the_text_is_refused(
    post: Callable[..., Any], path: str, fields: dict[str, Any], param: str
) -> None:
    status, answer = post(path, BASE[path] | fields)
    assert (status, answer["error"]["param"], answer["error"]["code"]) == (400, param, "unknown_parameter")


NEUTRAL = [(name, value) for name, (_, values) in REFUSED.items() for value in values]


@pytest.mark.parametrize("path", BASE)
@pytest.mark.parametrize(("name", "value"), NEUTRAL)
def test_neutral_values_are_accepted(post: Callable[..., Any], path: str, name: str, value: Any) -> None:
    bound = "max_output_tokens" if path == RESPONSES else "max_tokens"
    if isinstance(value, int) and not isinstance(value, bool):
        value = float(value)  # 1.0 is 1
    assert post(path, BASE[path] | {name: value, bound: 4})[0] == 200


@pytest.mark.parametrize("name", sorted(REFUSED.keys() - {"prompt"}))
def test_other_values_are_refused(post: Callable[..., Any], name: str) -> None:
    path = CHAT if name == "echo" else COMPLETIONS
    status, answer = post(path, BASE[path] | {name: "x"})
    assert (status, answer["error"]["param"], answer["error"]["code"]) == (400, name, "unsupported_parameter")


def test_free_text_has_a_stamp_only_for_notes(post: Callable[..., Any]) -> None:
    short = BASE[CHAT] | {"max_tokens": 4}
    assert "formwright" not in post(CHAT, short)[1]
    assert post(CHAT, short | {"user": "ada"})[1]["formwright"] == {
        "notes": ["ignored, because they cannot change the text: user"]
    }


HISTORY: list[tuple[str, list[Any], list[Any]]] = [
    (
        CHAT,
        [USER, {"role": "assistant", "tool_calls": [CALL | {"function": {"name": "f", "arguments": ""}}]}, RESULT],
        [USER, {"role": "assistant", "content": "", "tool_calls": [CALL]}, RESULT],
    ),
    (
        CHAT,
        [USER, {"role": "assistant", "tool_calls": [CALL | {"function": {"name": "f"}}]}, RESULT | {"content": None}],
        [USER, {"role": "assistant", "tool_calls": [CALL]}, RESULT | {"content": ""}],
    ),
    (CHAT, [USER, {"role": "assistant", "content": None}, USER], [USER, {"role": "assistant", "content": ""}, USER]),
    (
        CHAT,
        [USER, {"role": "assistant", "content": None, "refusal": "No."}, USER],
        [USER, {"role": "assistant", "content": "No."}, USER],
    ),
    (
        CHAT,
        [USER, {"role": "assistant", "tool_calls": [CALL | {"id": ""}]}, RESULT | {"tool_call_id": ""}],
        [USER, {"role": "assistant", "tool_calls": [CALL]}, RESULT],
    ),
    (
        RESPONSES,
        [
            USER,
            {"type": "function_call", "call_id": "", "name": "f", "arguments": ""},
            {"type": "function_call_output", "call_id": "", "output": None},
        ],
        [
            USER,
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": ""},
        ],
    ),
]


@pytest.mark.parametrize(("path", "sent", "plain"), HISTORY)
def test_what_is_left_empty_in_a_history_is_read_as_it_is_meant(
    post: Callable[..., Any], path: str, sent: list[Any], plain: list[Any]
) -> None:
    field = "messages" if path == CHAT else "input"
    assert said(post, path, {field: sent}) == said(post, path, {field: plain})


SDK: list[tuple[Any, str, set[str]]] = [
    (chat.ChatCompletionSystemMessageParam, "messages[]", {"role", "content"}),
    (chat.ChatCompletionUserMessageParam, "messages[]", {"role", "content"}),
    (
        chat.ChatCompletionAssistantMessageParam,
        "messages[]",
        {"role", "content", "refusal", "tool_calls", "audio", "function_call"},
    ),
    (chat.ChatCompletionToolMessageParam, "messages[]", {"role", "content", "tool_call_id"}),
    (chat.ChatCompletionContentPartTextParam, "messages[].content[]", {"type", "text"}),
    (ChatCompletionContentPartRefusalParam, "messages[].content[]", {"type", "refusal"}),
    (responses.EasyInputMessageParam, "input[]", {"type", "role", "content"}),
    (Message, "input[]", {"type", "role", "content"}),
    (responses.ResponseOutputMessageParam, "input[]", {"type", "role", "content"}),
    (responses.ResponseInputTextParam, "input[].content[]", {"type", "text"}),
    (responses.ResponseOutputTextParam, "input[].content[]", {"type", "text"}),
    (
        responses.ResponseFunctionToolCallParam,
        "input[]",
        {"type", "call_id", "name", "arguments", "async", "caller", "namespace"},
    ),
    (FunctionCallOutput, "input[]", {"type", "call_id", "name", "output", "caller", "namespace"}),
]
"""Types of the SDK, where they are sent, and what is read of them, or refused: programs, namespaces, audio."""


@pytest.mark.parametrize(("params", "place", "known"), SDK)
def test_every_field_of_a_message_of_the_sdk_is_known(params: Any, place: str, known: set[str]) -> None:
    fields = set(typing.get_type_hints(params))
    assert fields - IGNORED_AT[place] == known & fields


STRUCTURE = {"begin": "<f>", "schema": {"type": "integer"}, "end": "</f>"}
TAG = {
    "type": "tag",
    "begin": "<f>",
    "content": {"type": "json_schema", "json_schema": {"type": "integer"}},
    "end": "</f>",
}
TAGS = {"type": "triggered_tags", "triggers": ["<f>"], "tags": [TAG]}
JSON = {"type": "json_schema", "json_schema": {"type": "object"}}


@pytest.mark.parametrize(
    ("tag", "place", "code"),
    [
        ({"format": JSON | {"style": "toml"}}, ".format.style", "unsupported_parameter"),
        ({"format": {"type": "any_text", "excludes": "x"}}, ".format.excludes", "invalid_value"),
        ({"format": TAGS | {"excludes": [""]}}, ".format.excludes", "invalid_value"),
        ({"format": JSON | {"any_order": "yes"}}, ".format.any_order", "invalid_value"),
        ({"format": {"type": "any_text", "max_tokens": 3}}, ".format.max_tokens", "invalid_value"),
        ({"format": {"type": "exclude_token"}}, ".format", "unsupported_parameter"),
        ({"format": {"type": "sequence", "elements": [TAG | {"name": "f"}]}}, ".format.elements[0].name", None),
        ({"format": TAGS | {"tags": [TAG | {"schema": {}}]}}, ".format.tags[0].schema", "unknown_parameter"),
        ({"format": TAGS | {"at_least_one": "no"}}, ".format.at_least_one", "invalid_value"),
        ({"format": {"type": "json_schema", "schema": {}}}, ".format.schema", "unknown_parameter"),
        ({"format": {"type": "json_schema"}}, ".format.json_schema", "missing_required_parameter"),
        ({"format": JSON, "triggers": ["<f>"]}, ".triggers", "unknown_parameter"),
        ({"structures": [STRUCTURE | {"style": "xml"}], "triggers": ["<f>"]}, ".structures[0].style", None),
        ({"structures": [{"begin": "<f>", "end": "</f>"}], "triggers": ["<f>"]}, ".structures[0].schema", None),
        ({"type": "json_schema", "format": JSON}, ".type", "invalid_value"),
    ],
)
def test_keys_of_a_structural_tag_that_are_not_read_are_refused(
    post: Callable[..., Any], tag: dict[str, Any], place: str, code: str | None
) -> None:
    status, answer = post(CHAT, BASE[CHAT] | {"structured_outputs": {"structural_tag": tag}})
    assert (status, answer["error"]["param"]) == (400, f"structured_outputs.structural_tag{place}")
    assert code in (None, answer["error"]["code"])


@pytest.mark.parametrize("format_", [JSON | {"style": "json", "any_order": False}, TAGS | {"excludes": [], "x": None}])
def test_neutral_keys_of_a_structural_tag_are_accepted(post: Callable[..., Any], format_: dict[str, Any]) -> None:
    tag = {"type": "structural_tag", "format": format_}
    assert post(CHAT, BASE[CHAT] | {"max_tokens": 40, "structured_outputs": {"structural_tag": tag}})[0] == 200
