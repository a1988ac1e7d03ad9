"""LlamaIndex's OpenAI-like LLM: structured predictions, chats with tools, an agent, streams, a refusal."""

from __future__ import annotations

import asyncio
import sys
from importlib.metadata import version

import openai
import parts
from forms import MODEL, QUESTION, REPORT, TaskSequence, ViewExtraction
from llama_index.core.agent.workflow import AgentStream, FunctionAgent
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike


def like(url: str, model: str) -> OpenAILike:
    return OpenAILike(
        model=model,
        api_base=f"{url}/v1",
        api_key="none",
        is_chat_model=True,
        is_function_calling_model=True,
        context_window=2048,
        max_tokens=400,
        max_retries=0,
    )


llm = like(sys.argv[1], MODEL)
prompt = PromptTemplate("{text}")
assert isinstance(llm.structured_predict(ViewExtraction, prompt, text=REPORT), ViewExtraction)
assert isinstance(llm.structured_predict(TaskSequence, prompt, text=QUESTION), TaskSequence)
assert isinstance(llm.as_structured_llm(ViewExtraction).complete(REPORT).raw, ViewExtraction)


def search(query: str) -> str:
    """Search the web."""
    return query


answer = llm.chat_with_tools([FunctionTool.from_defaults(search)], QUESTION, tool_required=True)
(call, *_) = llm.get_tool_calls_from_response(answer)
assert call.tool_name == "search"
assert llm.complete("Hi", max_tokens=5).text
assert "".join(piece.delta or "" for piece in llm.stream_complete("Hi", max_tokens=5))

llm = like(sys.argv[2], parts.MODEL)
assert llm.structured_predict(parts.Person, prompt, text=parts.DESCRIBE) == parts.ADA
pieces = [piece.delta for piece in llm.stream_complete(parts.GREET) if piece.delta]
assert len(pieces) > 1
assert "".join(pieces) == parts.GREETING
with parts.refused(openai.BadRequestError):
    llm.structured_predict(parts.Twice, prompt, text=parts.DESCRIBE)


async def loop() -> None:
    for streaming in (True, False):
        agent = FunctionAgent(tools=[parts.add, parts.multiply], llm=llm, streaming=streaming)
        run = agent.run(parts.COMPUTE)
        deltas = [event.delta async for event in run.stream_events() if isinstance(event, AgentStream) and event.delta]
        assert "".join(deltas) == (parts.RESULT if streaming else "")
        assert str(await run) == parts.RESULT
        parts.check_calls()


asyncio.run(loop())
print(f"llama-index-llms-openai-like {version('llama-index-llms-openai-like')}, openai {version('openai')}: ok")
