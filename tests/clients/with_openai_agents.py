"""The OpenAI Agents SDK by both endpoints: an output type, a loop of tools, a stream, a refusal."""

from __future__ import annotations

import asyncio
import sys
from importlib.metadata import version

import openai
from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
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

set_tracing_disabled(True)
client = openai.AsyncOpenAI(base_url=f"{sys.argv[2]}/v1", api_key="none", max_retries=0)


async def main() -> None:
    for kind in (OpenAIChatCompletionsModel, OpenAIResponsesModel):
        model = kind(model=MODEL, openai_client=client)
        settings = ModelSettings(temperature=0)
        agent = Agent(name="person", model=model, output_type=Person, model_settings=settings)
        assert (await Runner.run(agent, DESCRIBE)).final_output == ADA
        tools = [function_tool(add), function_tool(multiply)]
        agent = Agent(name="calculator", model=model, tools=tools, instructions="Use the tools.")
        assert (await Runner.run(agent, COMPUTE)).final_output == RESULT
        check_calls()
        result = Runner.run_streamed(Agent(name="greeter", model=model), GREET)
        kinds = [event.data.type async for event in result.stream_events() if event.type == "raw_response_event"]
        assert kinds.count("response.output_text.delta") > 1
        assert result.final_output == GREETING
        result = Runner.run_streamed(agent, COMPUTE)
        assert [event async for event in result.stream_events()]
        assert result.final_output == RESULT
        check_calls()
        with refused(openai.BadRequestError):
            await Runner.run(Agent(name="twice", model=model, output_type=Twice), DESCRIBE)
    await client.close()


asyncio.run(main())
print(f"openai-agents {version('openai-agents')}, openai {version('openai')}: ok")
