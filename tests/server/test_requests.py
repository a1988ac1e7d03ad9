"""What is said of requests that cannot be served, and that every field of the protocol is known."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("openai")

from openai.types import completion_create_params
from openai.types.chat import completion_create_params as chat_create_params
from openai.types.responses import response_create_params

from formwright.server.reading.fields import IGNORED_AT, REFUSED
from formwright.server.reading.requests import ChatBody, CompletionBody, ResponsesBody

CHAT, RESPONSES, COMPLETIONS = "/v1/chat/completions", "/v1/responses", "/v1/completions"
BROKEN_LARK = {"syntax": "lark", "definition": "a"}
USER = {"role": "user", "content": "Hi"}
BASE: dict[str, dict[str, Any]] = {
    CHAT: {"model": "formwright-tiny", "messages": [USER]},
    RESPONSES: {"model": "formwright-tiny", "input": "Hi"},
    COMPLETIONS: {"model": "formwright-tiny", "prompt": "Hi"},
}


@pytest.mark.parametrize(
    ("params", "body"),
    [
        (chat_create_params.CompletionCreateParamsBase, ChatBody),
        (response_create_params.ResponseCreateParamsBase, ResponsesBody),
        (completion_create_params.CompletionCreateParamsBase, CompletionBody),
    ],
)
def test_every_field_of_the_sdk_is_known(params: Any, body: Any) -> None:
    fields = set(typing.get_type_hints(params))
    assert fields - set(body.model_fields) <= IGNORED_AT[""] | set(REFUSED)


def test_a_field_has_one_fate() -> None:
    assert not IGNORED_AT[""] & set(REFUSED)
    everywhere = set(ChatBody.model_fields) & set(ResponsesBody.model_fields) & set(CompletionBody.model_fields)
    assert not everywhere & (IGNORED_AT[""] | set(REFUSED))


def schema(value: Any) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": value}}}


FUNCTION = {"type": "function", "function": {"name": "f"}}
WRONG: list[tuple[str, dict[str, Any], str | None, str]] = [
    (CHAT, {"messages": None}, "messages", "missing"),
    (CHAT, {"model": None}, "model", "missing"),
    (CHAT, {"messages": []}, "messages", "is empty"),
    (CHAT, {"messages": "Hi"}, "messages", "list"),
    (CHAT, {"messages": [{"content": "Hi"}]}, "messages[0].role", "missing"),
    (CHAT, {"messages": [USER, {"role": "robot", "content": "Hi"}]}, "messages[1].role", "robot"),
    (CHAT, {"messages": [{"role": "user"}]}, "messages[0].content", "missing"),
    (CHAT, {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages[0].content[0]", "image_url"),
    (CHAT, {"messages": [{"role": "user", "content": "Hi", "colour": 1}]}, "messages[0].colour", "no field"),
    (CHAT, {"messages": [{"role": "tool", "content": "x"}]}, "messages[0].tool_call_id", "missing"),
    (CHAT, {"messages": [{"role": "user", "content": "\ud800"}]}, "messages", "surrogate"),
    (
        CHAT,
        {"messages": [{"role": "user", "content": "word " * 3000}]},
        "messages",
        "maximum context length is 2048 tokens",
    ),
    (CHAT, {"mesages": [USER]}, "mesages", "did you mean 'messages'"),
    (CHAT, {"temprature": 1}, "temprature", "did you mean 'temperature'"),
    (CHAT, {"frobnicate": 1}, "frobnicate", "no field"),
    (CHAT, {"temperature": 3}, "temperature", "less than or equal to 2"),
    (CHAT, {"temperature": "hot"}, "temperature", "number"),
    (CHAT, {"top_p": -0.1}, "top_p", "greater than or equal to 0"),
    (CHAT, {"top_k": 0}, "top_k", "from 1 on, or -1"),
    (CHAT, {"n": 0}, "n", "greater than or equal to 1"),
    (CHAT, {"stream": "yes"}, "stream", "boolean"),
    (CHAT, {"stop": [str(number) for number in range(65)]}, "stop", "64"),
    (CHAT, {"stop": [""]}, "stop", "empty"),
    (CHAT, {"max_tokens": 0}, "max_tokens", "greater than or equal to 1"),
    (CHAT, {"max_tokens": 3, "max_completion_tokens": 4}, "max_tokens", "older name"),
    (CHAT, {"max_tokens": 3} | schema({"const": "a long, long text"}), "max_tokens", "needs"),
    (CHAT, {"max_completion_tokens": 3} | schema({"const": "a long text"}), "max_completion_tokens", "needs"),
    (CHAT, {"logit_bias": {"99999": 1}}, "logit_bias", "99999"),
    (CHAT, {"logit_bias": {"1": 101}}, "logit_bias.1", "100"),
    (CHAT, {"top_logprobs": 2}, "top_logprobs", "expected logprobs to be true"),
    (CHAT, {"logprobs": True, "top_logprobs": 21}, "top_logprobs", "20"),
    (CHAT, {"audio": {}}, "audio", "not served"),
    (CHAT, {"modalities": ["audio"]}, "modalities[0]", "text"),
    (CHAT, {"functions": []}, "functions", "tools"),
    (CHAT, {"response_format": {"type": "xml"}}, "response_format", "xml"),
    (CHAT, {"response_format": {"type": "json_schema"}}, "response_format.json_schema", "missing"),
    (CHAT, schema(None), "response_format.json_schema.schema", "missing"),
    (CHAT, schema({"type": "strin"}), "response_format.json_schema.schema", "strin"),
    (CHAT, schema({"$ref": "#/nowhere"}), "response_format.json_schema.schema", "nowhere"),
    (CHAT, schema({"allOf": [{"type": "string"}, {"type": "null"}]}), "response_format.json_schema.schema", ""),
    (CHAT, {"response_format": {"type": "json_object", "schema": {}}}, "response_format.schema", "no field"),
    (CHAT, {"response_format": {"type": "grammar", "grammar": "x"}}, "response_format.grammar", "grammar at 1:2"),
    (CHAT, {"response_format": {"type": "grammar"}}, "response_format.grammar", "missing"),
    (CHAT, {"response_format": {"type": "grammar", "grammar": 5}}, "response_format.grammar", "text of a grammar"),
    (CHAT, {"guided_grammar": "root ::= 'a'\n  | x"}, "guided_grammar", "grammar at 2:5: 'x' is not defined"),
    (CHAT, {"guided_grammar": "start: @day"}, "guided_grammar", "grammar at 1:9"),
    (CHAT, {"guided_grammar": 'start: "a"', "guided_regex": "a"}, "guided_grammar", "another form"),
    (RESPONSES, {"guided_grammar": "root ::= x"}, "guided_grammar", "grammar at 1:10"),
    (RESPONSES, {"text": {"format": {"type": "grammar", "grammar": "root ::= x"}}}, "text.format.grammar", "at 1:10"),
    (CHAT, {"grammar": "root ::= x"}, "grammar", "grammar at 1:10"),
    (
        CHAT,
        {"response_format": {"type": "structural_tag", "format": {"type": "grammar", "grammar": "root ::= x"}}},
        "response_format.format.grammar",
        "grammar at 1:10",
    ),
    (
        CHAT,
        {"response_format": {"type": "structural_tag", "format": {"type": "grammar"}}},
        "response_format.format.grammar",
        "is missing",
    ),
    (
        CHAT,
        {"tools": [{"type": "custom", "custom": {"name": "f", "format": {"type": "grammar", "syntax": "lark"}}}]},
        "tools[0].custom.format.syntax",
        "chat completions nest it",
    ),
    (
        RESPONSES,
        {"tools": [{"type": "custom", "name": "f", "format": {"type": "grammar", "grammar": {"syntax": "lark"}}}]},
        "tools[0].format.grammar",
        "in responses it is",
    ),
    (
        RESPONSES,
        {
            "tools": [
                {"type": "custom", "name": "f", "format": {"type": "grammar", "syntax": "lark", "definition": "a"}}
            ]
        },
        "tools[0].format",
        "grammar at 1:2",
    ),
    (CHAT, {"grammar": "root ::= 'a'", "ebnf": "root ::= 'a'"}, "ebnf", "another form"),
    (COMPLETIONS, {"ebnf": 'root ::= "a"\n  | x'}, "ebnf", "grammar at 2:5"),
    (COMPLETIONS, {"structured_outputs": {"grammar": "root ::= x"}}, "structured_outputs.grammar", "grammar at 1:10"),
    (CHAT, {"guided_regex": "(a"}, "guided_regex", ""),
    (CHAT, {"guided_choice": []}, "guided_choice", ""),
    (CHAT, {"guided_regex": "a", "guided_choice": ["a"]}, "guided_choice", "another form"),
    (CHAT, {"guided_regex": "a"} | schema({}), "guided_regex", "another form"),
    (CHAT, {"guided_whitespace_pattern": " "}, "guided_whitespace_pattern", "expected a form that is JSON"),
    (CHAT, {"formwright": {"notation": "yaml"}}, "formwright.notation", "expected a form that is JSON"),
    (CHAT, {"formwright": {"notation": "ini"}} | schema({}), "formwright.notation", "yaml"),
    (CHAT, {"formwright": {"notation": "csv"}} | schema({}), "response_format.json_schema.schema", "csv writes rows"),
    (CHAT, {"structured_outputs": {}}, "structured_outputs", "one of"),
    (CHAT, {"structured_outputs": {"regexp": "a"}}, "structured_outputs.regexp", "no field"),
    (CHAT, {"structured_outputs": {"grammar": "a"}}, "structured_outputs.grammar", "expected ':'"),
    (CHAT, {"structured_outputs": {"grammar": "a", "regex": "a"}}, "structured_outputs", "got 2 of them"),
    (CHAT, {"structured_outputs": {"structural_tag": {}}}, "structured_outputs.structural_tag.structures", "missing"),
    (CHAT, {"tools": [{"type": "mcp"}]}, "tools[0]", "mcp"),
    (CHAT, {"tools": [FUNCTION, FUNCTION]}, "tools[1]", "two tools"),
    (CHAT, {"tools": [{"type": "function", "function": {}}]}, "tools[0].function.name", "missing"),
    (
        CHAT,
        {"tools": [FUNCTION, {"type": "function", "function": {"name": "g", "parameters": {"type": "set"}}}]},
        "tools[1].function.parameters",
        "set",
    ),
    (
        CHAT,
        {
            "tools": [
                {
                    "type": "custom",
                    "custom": {
                        "name": "g",
                        "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "x"}},
                    },
                }
            ]
        },
        "tools[0].custom.format.grammar",
        "grammar at 1:2: expected ':'",
    ),
    (CHAT, {"tool_choice": "required"}, "tool_choice", "expected tools"),
    (CHAT, {"tools": [FUNCTION], "tool_choice": "sometimes"}, "tool_choice", "required"),
    (
        CHAT,
        {"tools": [FUNCTION], "tool_choice": {"type": "function", "function": {"name": "g"}}},
        "tool_choice",
        "no tool 'g'",
    ),
    (CHAT, {"reasoning_effort": "huge"}, "reasoning_effort", "low"),
    (CHAT, {"canonical": "true"}, "canonical", "true, false or 'forced'"),
    (CHAT, {"canonical": 1}, "canonical", "true, false or 'forced'"),
    (RESPONSES, {"input": None}, "input", "missing"),
    (RESPONSES, {"input": [{"type": "item_reference", "id": "x"}]}, "input[0]", "item_reference"),
    (RESPONSES, {"previous_response_id": "resp_1"}, "previous_response_id", "not served"),
    (RESPONSES, {"background": True}, "background", "not served"),
    (RESPONSES, {"conversation": "c"}, "conversation", "not served"),
    (
        RESPONSES,
        {
            "max_output_tokens": 2,
            "text": {"format": {"type": "json_schema", "name": "n", "schema": {"const": "long text"}}},
        },
        "max_output_tokens",
        "needs",
    ),
    (
        RESPONSES,
        {"text": {"format": {"type": "json_schema", "name": "n", "schema": {"type": 1}}}},
        "text.format.schema",
        "",
    ),
    (RESPONSES, {"tools": [{"type": "web_search"}]}, "tools[0]", "got 'web_search'"),
    (RESPONSES, {"include": ["file_search_call.results"]}, "include[0]", ""),
    (RESPONSES, {"messages": [USER]}, "messages", "no field 'messages' in responses; did you mean 'input'?"),
    (RESPONSES, {"stop": "a"}, "stop", "no field 'stop' in responses"),
    (RESPONSES, {"max_tokens": 5}, "max_tokens", "did you mean 'max_output_tokens'?"),
    (RESPONSES, {"response_format": {"type": "text"}}, "response_format", "did you mean 'text.format'?"),
    (COMPLETIONS, {"messages": [USER]}, "messages", "did you mean 'prompt'?"),
    (CHAT, {"input": "Hi"}, "input", "did you mean 'messages'?"),
    (CHAT, {"prompt": "Hi"}, "prompt", "send messages"),
    (CHAT, {"regex": "a"}, "regex", "did you mean 'structured_outputs.regex'?"),
    (CHAT, {"extra_body": {"top_k": 1}}, "extra_body", "send its fields as fields of the body"),
    (CHAT, {"structured_outputs": {"chioce": ["a"]}}, "structured_outputs.chioce", "did you mean 'choice'?"),
    (
        CHAT,
        {"tools": [{"type": "function", "function": {"name": "f", "paramters": {}}}]},
        "tools[0].function.paramters",
        "did you mean 'parameters'?",
    ),
    (RESPONSES, {"text": {"formt": {"type": "text"}}}, "text.formt", "did you mean 'format'?"),
    (CHAT, {"messages": [{"role": "user", "contnt": "Hi"}]}, "messages[0].contnt", "did you mean 'content'?"),
    (RESPONSES, {"tools": [FUNCTION]}, "tools[0].function", 'flat in responses: {"type": "function", "name": ...}'),
    (CHAT, {"tools": [{"type": "function", "name": "f"}]}, "tools[0].name", "nested in chat completions"),
    (CHAT, {"response_format": {"type": "json_schema", "schema": {}}}, "response_format.schema", '"json_schema": {'),
    (
        RESPONSES,
        {"text": {"format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {}}}}},
        "text.format.json_schema",
        '"schema": ...}',
    ),
    (
        CHAT,
        {"tools": [FUNCTION], "tool_choice": {"type": "function", "name": "f"}},
        "tool_choice",
        '{"type": "function", "function": {"name": "..."}}',
    ),
    (
        RESPONSES,
        {"tools": [{"type": "function", "name": "f"}], "tool_choice": FUNCTION},
        "tool_choice",
        '{"type": "function", "name": "..."}',
    ),
    (
        CHAT,
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "integer"}}}]},
        "tools[0].function.parameters",
        'expected a schema of the type "object", got "integer"',
    ),
    (CHAT, {"tools": [{"type": "function", "function": {"name": "a b"}}]}, "tools[0].function.name", "'a b'"),
    (CHAT, {"response_format": "json"}, "response_format", "response_format: expected an object"),
    (CHAT, {"response_format": {}}, "response_format", "response_format.type is missing"),
    (CHAT, {"messages": [{"role": "assistant", "tool_calls": 5}]}, "messages[0].tool_calls", "list"),
    (
        CHAT,
        {
            "messages": [
                {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "[" * 100_000}}]},
            ]
        },
        "messages[0].tool_calls[0].function.arguments",
        "JSON",
    ),
    (CHAT, {"structured_outputs": {"structural_tag": "[" * 100_000}}, "structured_outputs.structural_tag", "JSON"),
    (
        CHAT,
        {"structured_outputs": {"structural_tag": {"format": {"type": []}}}},
        "structured_outputs.structural_tag.format",
        "[]",
    ),
    (
        CHAT,
        {"tools": [FUNCTION], "tool_choice": {"type": "function", "function": {"name": []}}},
        "tool_choice",
        "expected a tool by its name",
    ),
    (CHAT, {"logit_bias": {"9" * 5000: 1}}, "logit_bias", "expected token ids from 0 to"),
    (CHAT, {"\ud800": 1}, None, "surrogate"),
    (CHAT, {"messages": [{"role": "user", "content": "Hi", "\ud800": 1}]}, "messages", "surrogate"),
    (CHAT, {"temperature": float("nan")}, None, "NaN"),
    (CHAT, {"stream_options": {"include_usage": True}}, "stream_options", "expected stream to be true"),
    (
        CHAT,
        {"guided_regex": "a", "guided_whitespace_pattern": " "},
        "guided_whitespace_pattern",
        "expected a form that is JSON",
    ),
    (
        CHAT,
        {"structured_outputs": {"regex": "a", "disable_any_whitespace": True}},
        "structured_outputs.disable_any_whitespace",
        "expected a form that is JSON",
    ),
    (
        RESPONSES,
        {"tools": [{"type": "custom", "name": "f", "format": {"type": "text", "syntax": "regex", "definition": "a"}}]},
        "tools[0].format",
        "no grammar",
    ),
    (RESPONSES, {"input": [{"type": "function_call", "arguments": "{}", "call_id": "1"}]}, "input[0].name", "missing"),
    (
        RESPONSES,
        {"input": [{"type": "function_call_output", "call_id": 5, "output": ""}]},
        "input[0].call_id",
        "expected a text",
    ),
    (COMPLETIONS, {"guided_regex": "[0-9]{20}"}, "max_tokens", "the default of max_tokens allows 16"),
    (COMPLETIONS, {"prompt": None}, "prompt", "missing"),
    (COMPLETIONS, {"prompt": [99999]}, "prompt", "token ids"),
    (COMPLETIONS, {"suffix": "x"}, "suffix", "not served"),
    (CHAT, {"echo": True}, "echo", "only completions repeat the prompt"),
    (COMPLETIONS, {"best_of": 2}, "best_of", "not served"),
    (COMPLETIONS, {"logprobs": 21}, "logprobs", "20"),
]


@pytest.mark.parametrize(("path", "fields", "param", "said"), WRONG)
def test_a_wrong_request_is_a_400_that_names_the_field(
    post: Callable[..., Any], path: str, fields: dict[str, Any], param: str | None, said: str
) -> None:
    import json

    body = json.dumps(BASE[path] | fields)
    status, answer = post(path, None, content=body, headers={"content-type": "application/json"})
    error = answer["error"]
    assert (status, error["param"]) == (400, param), error
    assert said in error["message"]
    assert error["type"] == "invalid_request_error"


def test_a_schema_that_cannot_be_enforced_is_told_with_its_place(post: Callable[..., Any]) -> None:
    broken = {"type": "object", "properties": {"a/b": {"type": "strin"}}}
    _, answer = post(CHAT, BASE[CHAT] | schema(broken))
    assert answer["error"]["pointer"] == "/properties/a~1b/type"
    assert "string" in answer["error"]["hint"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        (schema({"type": "strin"}), "invalid_form"),
        ({"guided_regex": "(a"}, "invalid_form"),
        ({"guided_regex": r"(a)\1"}, "form_not_enforceable"),
        ({"structured_outputs": {"regex": "a(?=b)b"}}, "form_not_enforceable"),
        ({"guided_regex": "[a&&b]"}, "form_not_enforceable"),
        ({"guided_json": {}, "guided_whitespace_pattern": r"( )\1"}, "form_not_enforceable"),
        (schema({"pattern": r"(a)\1"}), "form_not_enforceable"),
        (schema({"not": {"uniqueItems": True}}), "form_not_enforceable"),
        ({"structured_outputs": {"grammar": "x"}}, "invalid_form"),
        ({"structured_outputs": {"grammar": "start: A\n%declare A"}}, "form_not_enforceable"),
        ({"guided_grammar": 'start: "(" start'}, "form_not_enforceable"),
        ({"guided_regex": "a", "guided_choice": ["a"]}, "invalid_value"),
        ({"messages": [{"role": "robot", "content": "Hi"}]}, "invalid_value"),
        ({"messages": [{"role": "user"}]}, "missing_required_parameter"),
        ({"messages": [{"role": "user", "content": "Hi", "colour": 1}]}, "unknown_parameter"),
        ({"stop": [""]}, "invalid_value"),
        ({"audio": {}}, "unsupported_parameter"),
    ],
)
def test_every_error_has_the_code_of_its_kind(post: Callable[..., Any], fields: dict[str, Any], code: str) -> None:
    assert post(CHAT, BASE[CHAT] | fields)[1]["error"]["code"] == code


def test_a_broken_grammar_is_shown_at_its_place(post: Callable[..., Any]) -> None:
    _, answer = post(CHAT, BASE[CHAT] | {"guided_grammar": "start: exprr\nexpr: /a+/"})
    error = answer["error"]
    assert error["message"].endswith("\n    start: exprr\n           ^^^^^")
    assert error["hint"] == "did you mean 'expr'?"
    assert error["docs"].endswith("/errors/#grammarerror")


def test_a_back_reference_has_one_hint(post: Callable[..., Any]) -> None:
    asked = [{"guided_regex": r"(a)\1"}, schema({"pattern": r"(a)\1"})]
    hints = {post(CHAT, BASE[CHAT] | fields)[1]["error"].get("hint") for fields in asked}
    assert hints == {"remove back-references; lookbehind may only cover one character"}


@pytest.mark.parametrize("broken", [{"propertis": {}}, {"$ref": "http://example.com/x.json"}])
def test_hints_are_for_those_who_send_requests(post: Callable[..., Any], broken: dict[str, Any]) -> None:
    error = post(CHAT, BASE[CHAT] | {"guided_json": {"type": "object"} | broken})[1]["error"]
    assert "hint" not in error
    assert next(iter(broken.values() if "$ref" in broken else broken)) in error["message"]


def test_the_budget_that_is_needed_is_told(post: Callable[..., Any]) -> None:
    _, answer = post(CHAT, BASE[CHAT] | {"max_tokens": 1} | schema({"const": "a long text"}))
    needed = answer["error"]["needed"]
    assert answer["error"]["hint"] == f"raise max_tokens to {needed} or more"
    status, _ = post(CHAT, BASE[CHAT] | {"max_tokens": needed} | schema({"const": "a long text"}))
    assert status == 200


@pytest.mark.parametrize("path", BASE)
def test_null_is_no_field(post: Callable[..., Any], path: str) -> None:
    nulls = dict.fromkeys(["temperature", "seed", "stream", "user", "top_p", "metadata", "guided_json"])
    assert post(path, BASE[path] | nulls | {"temperature": 0, "stream": False} | _short(path))[0] == 200


def _short(path: str) -> dict[str, Any]:
    return {"max_output_tokens" if path == RESPONSES else "max_tokens": 4}


@pytest.mark.parametrize("path", BASE)
def test_what_cannot_change_the_text_is_accepted(post: Callable[..., Any], path: str) -> None:
    assert post(path, BASE[path] | dict.fromkeys(IGNORED_AT[""] - {"store"}, "x") | _short(path))[0] == 200


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"[]", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b"x" * (5 << 20), "application/json", 413),
    ],
)
def test_a_body_that_is_no_request(post: Callable[..., Any], content: bytes, kind: str, status: int) -> None:
    found, answer = post(CHAT, None, content=content, headers={"content-type": kind})
    assert found == status
    assert answer["error"]["message"]


def test_another_model_is_not_found(post: Callable[..., Any]) -> None:
    status, answer = post(CHAT, BASE[CHAT] | {"model": "gpt-4o"})
    assert (status, answer["error"]["code"]) == (404, "model_not_found")


@pytest.mark.parametrize("path", ["/v1/embeddings", "/etc/passwd", "/../../etc/passwd", "/static/../../x", "/v1/chat"])
def test_another_path_is_not_found(post: Callable[..., Any], path: str) -> None:
    assert post(path, {})[0] == 404


def test_a_path_without_v1_is_told_where_it_is(post: Callable[..., Any]) -> None:
    status, answer = post("/chat/completions", {})
    assert status == 404
    assert "did you mean /v1/chat/completions?" in answer["error"]["message"]
