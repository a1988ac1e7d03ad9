"""Responses and completions by the SDK, also asynchronous and as Azure's client spells them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from toys import Person

import formwright as fw

from .conftest import ADA, MODEL

openai = pytest.importorskip("openai")

WEATHER = {
    "type": "function",
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 20}},
        "required": ["city"],
        "additionalProperties": False,
    },
    "strict": True,
}


def test_a_type_is_parsed(client: Any) -> None:
    answer = client.responses.parse(model=MODEL, input=ADA, text_format=Person, temperature=0)
    assert answer.output_parsed == Person(name="Ada", age=36)
    assert answer.formwright["enforced"] == "kernel"


def test_a_stream_is_parsed(client: Any) -> None:
    with client.responses.stream(model=MODEL, input=ADA, text_format=Person, temperature=0) as events:
        names = [event.type for event in events]
        final = events.get_final_response()
    assert final.output_parsed == Person(name="Ada", age=36)
    assert names[0] == "response.created"
    assert names[-1] == "response.completed"


def test_a_call_and_its_result_go_on(client: Any) -> None:
    question = {"role": "user", "content": "What is the weather in Oslo?"}
    first = client.responses.create(
        model=MODEL,
        input=[question],
        tools=[WEATHER],
        tool_choice={"type": "function", "name": "get_weather"},
        temperature=0,
    )
    (call,) = first.output
    assert json.loads(call.arguments) == {"city": "Oslo"}
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
    items = [question, *(item.model_dump(exclude_none=True) for item in first.output), result]
    second = client.responses.create(model=MODEL, input=items, tools=[WEATHER], max_output_tokens=10, temperature=0)
    assert second.usage.input_tokens > first.usage.input_tokens
    assert second.output


def test_a_text_that_the_budget_cuts_is_incomplete(client: Any) -> None:
    answer = client.responses.create(model=MODEL, input="Hi", max_output_tokens=1, temperature=0)
    assert answer.status == "incomplete"
    assert answer.incomplete_details.reason == "max_output_tokens"


def test_the_other_forms_are_kept_to(client: Any) -> None:
    answer = client.responses.create(model=MODEL, input="Hi", extra_body={"structured_outputs": {"choice": ["a", "b"]}})
    assert answer.output_text in ("a", "b")


def test_completions_go_on_with_a_prompt(client: Any, tiny: fw.models.LocalModel) -> None:
    answer = client.completions.create(model=MODEL, prompt=["Ada", "Bob"], max_tokens=2, temperature=0)
    assert [choice.finish_reason for choice in answer.choices] == ["length", "length"]
    ids = tiny.text_ids("Ada")  # the text alone: the chat template is for conversations
    by_ids = client.completions.create(model=MODEL, prompt=ids, max_tokens=2, temperature=0)
    assert by_ids.choices[0].text == answer.choices[0].text
    assert client.completions.create(model=MODEL, prompt="Hi", temperature=0).usage.completion_tokens <= 16


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("effort", ["none", "minimal"])
def test_log_probabilities_are_of_the_answer(client: Any, effort: str, stream: bool) -> None:
    options = {"reasoning": {"effort": effort}, "top_logprobs": 2, "temperature": 0}
    body = {"guided_regex": "[a-z]{12} [0-9]"}
    answer = client.responses.create(model=MODEL, input="Hi", stream=stream, extra_body=body, **options)
    if stream:
        answer = next(event.response for event in answer if event.type == "response.completed")
    text = answer.output[-1].content[0]
    assert "".join(row.token for row in text.logprobs).strip() == text.text


def test_offsets_of_tokens_count_characters(client: Any) -> None:
    body = {"structured_outputs": {"choice": ["😀ééé."]}}
    answer = client.completions.create(model=MODEL, prompt="Hi", logprobs=1, temperature=0, extra_body=body)
    (choice,) = answer.choices
    assert choice.text == "😀ééé."
    assert choice.logprobs.text_offset[-1] == 4
    assert max(choice.logprobs.text_offset) == 4
    for token, top in zip(choice.logprobs.tokens, choice.logprobs.top_logprobs, strict=True):
        assert token in top


def test_azure_spells_its_paths_otherwise(served: Any) -> None:
    with openai.AzureOpenAI(
        azure_endpoint=served.url, api_version="2025-04-01-preview", api_key="none", max_retries=0
    ) as azure:
        answer = azure.chat.completions.parse(model=MODEL, messages=ADA, response_format=Person, temperature=0)
        assert answer.choices[0].message.parsed == Person(name="Ada", age=36)
        other = azure.responses.parse(model=MODEL, input=ADA, text_format=Person, temperature=0)
        assert other.output_parsed.age == 36


def test_the_path_of_azure_names_the_model(post: Any) -> None:
    body = {"messages": ADA, "guided_choice": ["a"]}
    status, answer = post(f"/openai/deployments/{MODEL}/chat/completions", body)
    assert (status, answer["model"]) == (200, MODEL)


def test_the_asynchronous_client(served: Any) -> None:
    async def ask() -> tuple[Any, list[str]]:
        async with openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0) as client:
            parsed = await client.chat.completions.parse(
                model=MODEL, messages=ADA, response_format=Person, temperature=0
            )
            async with client.responses.stream(model=MODEL, input=ADA, text_format=Person, temperature=0) as events:
                names = [event.type async for event in events]
            return parsed.choices[0].message.parsed, names

    person, names = asyncio.run(ask())
    assert person == Person(name="Ada", age=36)
    assert names[-1] == "response.completed"


def test_the_models_are_listed(client: Any) -> None:
    assert [model.id for model in client.models.list()] == [MODEL]
    assert client.models.retrieve(MODEL).id == MODEL
