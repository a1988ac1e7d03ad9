"""The two worked examples through every mode: against the embedded model's server, and against an obedient one."""

from __future__ import annotations

import gc
import json
from itertools import product
from typing import Any

import pytest

import formwright as fw

pytest.importorskip("starlette", reason="formwright[server] is not installed")
openai = pytest.importorskip("openai", reason="the openai SDK is not installed")

from clients.forms import MODEL, QUESTION, REPORT, TaskSequence, ViewExtraction  # noqa: E402
from parameters import slow_except  # noqa: E402

from formwright.server import running  # noqa: E402

from .conftest import Driven  # noqa: E402
from .scripted import DONE, call, chat, chunk, event, head, ok  # noqa: E402

VIEWS = {
    "views": [
        {
            "extract_view": "银行板块估值处于低位。",
            "extract_view_entities": ["银行板块"],
            "related_industry": ["银行"],
            "view_aspect": "中性",
        }
    ]
}
TASKS = {
    "reason": "先查管理费,再搜索它是否取决于规模。",
    "task_actions": [
        {"name": "管理费", "tool": {"fund_code_or_name": "天弘中证500", "lookup_field": "manage_fee"}},
        {"name": "规模", "tool": {"query": "管理费 基金规模"}},
    ],
}
EXAMPLES = [(REPORT, ViewExtraction, VIEWS), (QUESTION, TaskSequence, TASKS)]
# The embedded model writes long answers to the first.
WRITTEN = slow_except([(QUESTION, TaskSequence)], [example[:2] for example in EXAMPLES])
WAYS = slow_except(
    [("strict", "openai"), ("tools", "responses")], product(["strict", "tools"], ["openai", "responses"])
)
MODES = ["strict", "tools", "json_object", "instructions"]


def obedient(request: Any, value: Any) -> bytes:
    """An answer as a good model gives it: in the mode that the request asks for."""
    text, body = json.dumps(value, ensure_ascii=False), request.json
    if "tools" in body:
        name = body["tools"][0]["function"]["name"]
        return ok(chat(None, "tool_calls", tool_calls=[call(name, text)]))
    if "response_format" not in body:
        text = f"好的:\n```json\n{text}\n```"
    return ok(chat(text))


@pytest.mark.parametrize("service", ["compatible", "openai"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("prompt", "type_", "value"), EXAMPLES)
def test_every_mode_with_an_obedient_model(
    driven: Driven, scripted: Any, prompt: str, type_: Any, value: Any, mode: str, service: str
) -> None:
    server = scripted(lambda request: [obedient(request, value)])
    result = driven.connect(server.url, mode=mode, service=service).generate(prompt, type_)
    assert result.value == type_.model_validate(value)
    body = server.requests[0].json
    asked = {"strict": "response_format", "tools": "tools", "json_object": "response_format"}
    assert mode == "instructions" or asked[mode] in body
    said = json.dumps(body, ensure_ascii=False)
    assert "正面" in said or type_ is TaskSequence  # the form is told in every mode


@pytest.mark.parametrize(("prompt", "type_", "value"), EXAMPLES)
def test_streams_with_an_obedient_model(driven: Driven, scripted: Any, prompt: str, type_: Any, value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    events = [chunk(text[at : at + 7]) for at in range(0, len(text), 7)]
    server = scripted(lambda _: [head(), *map(event, events), event(chunk(finish="stop")), DONE])
    pieces, result = driven.connect(server.url).stream(prompt, type_)
    assert result.value == type_.model_validate(value)
    assert "".join(piece.text for piece in pieces) == text
    first = next(iter(value))
    assert any(piece.partial[first].state == "partial" for piece in pieces)


@pytest.fixture(scope="module")
def url() -> Any:
    with running(fw.load(MODEL)) as server:
        yield server.base_url


@pytest.mark.parametrize(("mode", "api"), WAYS)
@pytest.mark.parametrize(("prompt", "type_"), WRITTEN)
def test_our_own_server(driven: Driven, url: str, prompt: str, type_: Any, mode: str, api: Any) -> None:
    model = driven.connect(url, model=MODEL, mode=mode, api=api)
    result = model.generate(prompt, type_, temperature=0, max_tokens=400)
    assert isinstance(result.value, type_)
    assert result.enforced == ("server" if mode == "strict" else "checked")


@pytest.mark.parametrize("mode", ["json_object", "instructions"])
@pytest.mark.parametrize(("prompt", "type_"), WRITTEN)
def test_a_model_that_does_not_follow_is_told_on(driven: Driven, url: str, prompt: str, type_: Any, mode: str) -> None:
    """Where nothing enforces the form, the small model's answer is an error rather than a value."""
    model = driven.connect(url, model=MODEL, mode=mode)
    with pytest.raises((fw.errors.OutputInvalid, fw.errors.OutputTruncated)):
        model.generate(prompt, type_, temperature=0, max_tokens=120)


# The async client of the SDK leaves a socket to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("mode", "api"), WAYS)
@pytest.mark.parametrize(("prompt", "type_"), WRITTEN)
def test_the_sdk_of_openai(driven: Driven, url: str, prompt: str, type_: Any, mode: str, api: Any) -> None:
    kind = openai.AsyncOpenAI if driven.is_async else openai.OpenAI
    client = kind(base_url=url, api_key="none", max_retries=0)
    model = fw.from_openai(client, MODEL, mode=mode, api=api)
    result = driven.wrapped(model, client).generate(prompt, type_, temperature=0, max_tokens=400)
    assert isinstance(result.value, type_)
    del model, client
    gc.collect()
