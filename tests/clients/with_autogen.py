"""AutoGen: an output type, a loop of tools, a stream, a refusal."""

from __future__ import annotations

import asyncio
import sys
from importlib.metadata import version

import openai
from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
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


async def main() -> None:
    info = {"vision": False, "function_calling": True, "json_output": True, "structured_output": True, "family": "any"}
    client = OpenAIChatCompletionClient(
        model=MODEL, base_url=f"{sys.argv[2]}/v1", api_key="none", model_info=info, max_retries=0
    )
    agent = AssistantAgent("person", model_client=client, output_content_type=Person)
    assert (await agent.run(task=DESCRIBE)).messages[-1].content == ADA
    agent = AssistantAgent("calculator", model_client=client, tools=[add, multiply], max_tool_iterations=5)
    assert (await agent.run(task=COMPUTE)).messages[-1].content == RESULT
    check_calls()
    pieces = [piece async for piece in client.create_stream([UserMessage(content=GREET, source="user")])]
    texts = [piece for piece in pieces if isinstance(piece, str)]
    assert len(texts) > 1
    assert "".join(texts) == GREETING
    with refused(openai.BadRequestError):
        await client.create([UserMessage(content=DESCRIBE, source="user")], json_output=Twice)
    await client.close()


asyncio.run(main())
print(f"autogen {version('autogen-agentchat')}, openai {version('openai')}: ok")
