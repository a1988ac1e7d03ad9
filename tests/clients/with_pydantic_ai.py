"""Pydantic AI: output as JSON and as a tool, a loop of tools, a stream, a refusal."""

from __future__ import annotations

import asyncio
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
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=f"{sys.argv[2]}/v1", api_key="none")


async def stream(model: object) -> list[str]:
    async with Agent(model).run_stream(GREET) as result:
        return [piece async for piece in result.stream_text(delta=True, debounce_by=None)]


for model in (OpenAIChatModel(MODEL, provider=provider), OpenAIResponsesModel(MODEL, provider=provider)):
    for output in (NativeOutput(Person), Person):
        assert Agent(model, output_type=output).run_sync(DESCRIBE).output == ADA
    assert Agent(model, tools=[add, multiply]).run_sync(COMPUTE).output == RESULT
    check_calls()
    pieces = asyncio.run(stream(model))
    assert len(pieces) > 1
    assert "".join(pieces) == GREETING
    with refused(ModelHTTPError):
        Agent(model, output_type=NativeOutput(Twice)).run_sync(DESCRIBE)
print(f"pydantic-ai {version('pydantic-ai-slim')}, openai {version('openai')}: ok")
