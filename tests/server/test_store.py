"""Responses that are stored: ``previous_response_id``, ``GET`` and ``DELETE``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import formwright as fw

openai = pytest.importorskip("openai")
pytest.importorskip("starlette")

from formwright.server import Settings, running  # noqa: E402
from formwright.server import store as stores  # noqa: E402
from formwright.server.store import ResponseStore  # noqa: E402

from .test_requests import BASE, RESPONSES  # noqa: E402
from .test_responses import WEATHER  # noqa: E402

OPTIONS = {"model": "formwright-tiny", "temperature": 0, "max_output_tokens": 12}


@pytest.fixture(scope="module")
def storing(tiny: fw.models.LocalModel) -> Iterator[Any]:
    with (
        running(tiny, Settings(store=3)) as state,
        openai.OpenAI(base_url=state.base_url, api_key="none", max_retries=0) as client,
    ):
        yield client


def prompt_tokens(client: Any, **fields: Any) -> int:
    found: int = client.responses.create(**OPTIONS, **fields).usage.input_tokens
    return found


@pytest.mark.parametrize("instructions", [None, "Be brief."])
def test_a_response_goes_on_from_another(storing: Any, instructions: str | None) -> None:
    first = storing.responses.create(**OPTIONS, input="Ada is 36 years old.", instructions="Not told again.")
    whole = [
        {"role": "user", "content": "Ada is 36 years old."},
        {"role": "assistant", "content": first.output_text},
        {"role": "user", "content": "How old?"},
    ]
    options = {"include": ["message.output_text.logprobs"], "instructions": instructions}
    second = storing.responses.create(**OPTIONS, **options, input="How old?", previous_response_id=first.id)
    same = storing.responses.create(**OPTIONS, **options, input=whole)
    assert second.usage == same.usage
    assert second.output[0].content == same.output[0].content
    assert second.previous_response_id == first.id
    third = storing.responses.create(**OPTIONS, input="And now?", previous_response_id=second.id)
    assert third.usage.input_tokens > second.usage.input_tokens


def test_results_of_tools_go_on_from_their_calls(storing: Any) -> None:
    first = storing.responses.create(
        **OPTIONS | {"max_output_tokens": 60}, input="Weather?", tools=[WEATHER], tool_choice="required"
    )
    (call,) = first.output
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "Rain."}
    asked = {"role": "user", "content": "Weather?"}
    sent = {name: value for name, value in call.model_dump().items() if value is not None}
    assert prompt_tokens(storing, input=[result], previous_response_id=first.id) == prompt_tokens(
        storing, input=[asked, sent, result]
    )


def test_a_stored_response_is_retrieved_and_deleted(storing: Any) -> None:
    first = storing.responses.create(**OPTIONS, input="Hi")
    assert storing.responses.retrieve(first.id) == first
    storing.responses.delete(first.id)
    with pytest.raises(openai.NotFoundError):
        storing.responses.retrieve(first.id)


def test_a_streamed_response_is_stored_before_its_last_event(storing: Any) -> None:
    for event in storing.responses.create(**OPTIONS, input="Hi", stream=True):
        if event.type in ("response.completed", "response.incomplete"):
            assert storing.responses.retrieve(event.response.id).output == event.response.output


def test_what_is_not_to_be_stored_is_not(storing: Any) -> None:
    first = storing.responses.create(**OPTIONS, input="Hi", store=False)
    with pytest.raises(openai.BadRequestError) as caught:
        storing.responses.create(**OPTIONS, input="Hi", previous_response_id=first.id)
    assert (caught.value.code, caught.value.param) == ("previous_response_not_found", "previous_response_id")


def test_only_the_last_ones_are_kept(storing: Any) -> None:
    ids = [storing.responses.create(**OPTIONS, input="Hi").id for _ in range(4)]
    with pytest.raises(openai.NotFoundError):
        storing.responses.retrieve(ids[0])
    assert [storing.responses.retrieve(each).id for each in ids[1:]] == ids[1:]


def test_long_responses_are_forgotten_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "_MOST_BYTES", 10_000)
    store = ResponseStore(1000)
    for number in range(100):
        store.keep_response({"id": f"resp_{number}", "output": []}, [{"role": "user", "content": "a" * 900}])
    assert 5 < len(store) <= 10
    store.keep_response({"id": "huge", "output": []}, [{"role": "user", "content": "a" * 20_000}])
    assert (len(store), store.find_response("huge")) == (0, None)


def test_without_a_store_the_error_says_what_to_send(post: Callable[..., Any], client: Any) -> None:
    status, answer = post(RESPONSES, BASE[RESPONSES] | {"previous_response_id": "resp_1"})
    assert (status, answer["error"]["param"]) == (400, "previous_response_id")
    assert "send the complete conversation as input" in answer["error"]["message"]
    with pytest.raises(openai.NotFoundError, match="--store"):
        client.responses.retrieve("resp_1")
    for store in (True, False, None):
        status, answer = post(RESPONSES, BASE[RESPONSES] | {"store": store, "max_output_tokens": 3})
        assert (status, "store" in str(answer.get("formwright"))) == (200, store is True)
