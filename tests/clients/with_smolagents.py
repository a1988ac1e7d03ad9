"""smolagents: a response format, a loop of tools that ends with the tool of the final answer, a stream, a refusal."""

from __future__ import annotations

import sys
from importlib.metadata import version

from parts import (
    ADA,
    COMPUTE,
    DESCRIBE,
    GREET,
    GREETING,
    MODEL,
    RESULT,
    Person,
    Twice,
    add,
    check_calls,
    multiply,
    refused,
)
from smolagents import ChatMessage, OpenAIModel, ToolCallingAgent, tool

model = OpenAIModel(model_id=MODEL, api_base=f"{sys.argv[2]}/v1", api_key="none", client_kwargs={"max_retries": 0})


def ask(text: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=[{"type": "text", "text": text}])]


def schema_of(type_: type) -> dict[str, object]:
    schema = {"name": type_.__name__, "schema": type_.model_json_schema(), "strict": True}
    return {"type": "json_schema", "json_schema": schema}


answer = model.generate(ask(DESCRIBE), response_format=schema_of(Person))
assert Person.model_validate_json(answer.content) == ADA
for stream in (False, True):
    agent = ToolCallingAgent(
        tools=[tool(add), tool(multiply)], model=model, max_steps=5, stream_outputs=stream, verbosity_level=0
    )
    assert agent.run(COMPUTE) == RESULT
    check_calls()
pieces = [delta.content for delta in model.generate_stream(ask(GREET)) if delta.content]
assert len(pieces) > 1
assert "".join(pieces) == GREETING
with refused():
    model.generate(ask(DESCRIBE), response_format=schema_of(Twice))
print(f"smolagents {version('smolagents')}, openai {version('openai')}: ok")
