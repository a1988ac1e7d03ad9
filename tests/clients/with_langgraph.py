"""LangGraph's agents: a response format by both strategies, a loop of tools, streams, a refusal."""

from __future__ import annotations

import sys
from importlib.metadata import version

import openai
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessageChunk
from langchain_openai import ChatOpenAI
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

for responses in (False, True):
    model = ChatOpenAI(
        base_url=f"{sys.argv[2]}/v1", api_key="none", model=MODEL, max_retries=0, use_responses_api=responses
    )
    ask = lambda text: {"messages": [("user", text)]}  # noqa: E731
    for strategy in (ProviderStrategy(Person), ToolStrategy(Person)):
        agent = create_agent(model, tools=[], response_format=strategy)
        assert agent.invoke(ask(DESCRIBE))["structured_response"] == ADA
    agent = create_agent(model, tools=[add, multiply])
    assert agent.invoke(ask(COMPUTE))["messages"][-1].text == RESULT
    check_calls()
    steps = list(agent.stream(ask(COMPUTE), stream_mode="updates"))
    assert len(steps) == 5  # three answers, two results
    check_calls()
    pieces = [piece for piece, _ in agent.stream(ask(GREET), stream_mode="messages")]
    texts = [piece.text for piece in pieces if isinstance(piece, AIMessageChunk) and piece.text]
    assert len(texts) > 1
    assert "".join(texts) == GREETING
    with refused(openai.BadRequestError):
        create_agent(model, tools=[], response_format=ProviderStrategy(Twice)).invoke(ask(DESCRIBE))
print(f"langgraph {version('langgraph')}, langchain-openai {version('langchain-openai')}: ok")
