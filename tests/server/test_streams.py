"""The ends of streams, and what clients read of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")

from .test_requests import BASE, CHAT, COMPLETIONS  # noqa: E402

FORM = {"guided_choice": ["yes", "no"], "temperature": 0, "stream": True}
MORE: list[dict[str, Any]] = [{}, {"n": 3}, {"logprobs": 1}, {"trace": True}]


LISTS = ("tokens", "token_logprobs", "top_logprobs")


def chunks(served: Any, path: str, fields: dict[str, Any]) -> list[dict[str, Any]]:
    text = httpx.post(f"{served.url}{path}", json=BASE[path] | FORM | fields, timeout=60).text
    *events, end = [line.removeprefix("data: ") for line in text.split("\n\n") if line]
    assert end == "[DONE]"
    return [json.loads(event) for event in events]


@pytest.mark.parametrize("more", MORE)
@pytest.mark.parametrize("path", [CHAT, COMPLETIONS])
def test_the_last_chunk_has_the_finish_reason_and_the_stamp(served: Any, path: str, more: dict[str, Any]) -> None:
    if path == CHAT and "logprobs" in more:
        more = {"logprobs": True}
    found = chunks(served, path, more)
    assert found[-1]["choices"][0]["finish_reason"] == "stop"
    assert found[-1]["formwright"]["complete"] is True
    assert [number for number, chunk in enumerate(found) if "formwright" in chunk] == [len(found) - 1]


@pytest.mark.parametrize("path", [CHAT, COMPLETIONS])
def test_only_the_usage_comes_after_the_finish_reason(served: Any, path: str) -> None:
    *_, last, usage = chunks(served, path, {"stream_options": {"include_usage": True}})
    assert last["choices"][0]["finish_reason"] == "stop"
    assert last["formwright"]["enforced"] == "kernel"
    assert (usage["choices"], "formwright" in usage) == ([], False)
    assert usage["usage"]["total_tokens"] > 0


def test_the_final_completion_of_the_sdk_has_the_stamp(client: Any) -> None:
    options = {"model": "formwright-tiny", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0}
    with client.chat.completions.stream(**options, extra_body={"guided_choice": ["yes", "no"]}) as stream:
        sent = [event.chunk for event in stream if event.type == "chunk"]
        final = stream.get_final_completion()
    assert final.choices[0].finish_reason == "stop"
    assert [chunk.formwright["complete"] for chunk in sent if hasattr(chunk, "formwright")] == [True]


@pytest.mark.parametrize("stream", [False, True])
def test_the_likeliest_tokens_of_no_others_hold_the_chosen_one(served: Any, stream: bool) -> None:
    if stream:
        told = [chunk["choices"][0]["logprobs"] for chunk in chunks(served, COMPLETIONS, {"logprobs": 0})]
        found = {name: [each for one in told if one for each in one[name]] for name in LISTS}
    else:
        body = BASE[COMPLETIONS] | FORM | {"logprobs": 0, "stream": False}
        found = httpx.post(f"{served.url}{COMPLETIONS}", json=body).json()["choices"][0]["logprobs"]
    assert found["tokens"]
    pairs = zip(found["tokens"], found["token_logprobs"], strict=True)
    assert found["top_logprobs"] == [{token: log_probability} for token, log_probability in pairs]


@pytest.mark.parametrize("prompt", [[], [[]], [[], [1]]])
def test_an_empty_prompt_is_an_error_of_this_endpoint(served: Any, prompt: Any) -> None:
    error = httpx.post(f"{served.url}{COMPLETIONS}", json=BASE[COMPLETIONS] | {"prompt": prompt}).json()["error"]
    assert error["param"] == "prompt"
    assert "empty" in error["message"]
    assert "messages" not in json.dumps(error)
