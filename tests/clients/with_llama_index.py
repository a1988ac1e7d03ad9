"""LlamaIndex's OpenAI-like LLM: structured predictions, chats with tools, streams."""

from __future__ import annotations

import sys
from importlib.metadata import version

from forms import MODEL, QUESTION, REPORT, TaskSequence, ViewExtraction
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike

llm = OpenAILike(
    model=MODEL,
    api_base=f"{sys.argv[1]}/v1",
    api_key="none",
    is_chat_model=True,
    is_function_calling_model=True,
    context_window=2048,
    max_tokens=400,
    max_retries=0,
)
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
print(f"llama-index-llms-openai-like {version('llama-index-llms-openai-like')}, openai {version('openai')}: ok")
