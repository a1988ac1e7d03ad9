"""LangChain: `with_structured_output` by its three methods, `bind_tools`, streams."""

from __future__ import annotations

import sys
from importlib.metadata import version

from forms import MODEL, QUESTION, REPORT, BingSearch, FundInfo, TaskSequence, ViewExtraction
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

model = ChatOpenAI(base_url=f"{sys.argv[1]}/v1", api_key="none", model=MODEL, max_retries=0)
for method in ("json_schema", "function_calling"):
    for type_, text in ((ViewExtraction, REPORT), (TaskSequence, QUESTION)):
        assert isinstance(model.with_structured_output(type_, method=method).invoke(text), type_)
        assert isinstance(model.with_structured_output(type_, method=method, strict=True).invoke(text), type_)
raw = model.with_structured_output(ViewExtraction, method="json_mode", include_raw=True).invoke(REPORT)
assert raw["raw"].content.startswith("{")  # any JSON object: that it is a view is for the prompt to ask

bound = model.bind_tools([BingSearch, FundInfo], tool_choice="any")
answer = bound.invoke(QUESTION)
assert answer.tool_calls
assert {call["name"] for call in answer.tool_calls} <= {"BingSearch", "FundInfo"}
results = [ToolMessage("0.5%", tool_call_id=call["id"]) for call in answer.tool_calls]
assert model.bind_tools([BingSearch, FundInfo]).invoke([HumanMessage(QUESTION), answer, *results], max_tokens=20)
pieces = list(bound.stream(QUESTION))
whole = pieces[0]
for piece in pieces[1:]:
    whole = whole + piece
assert whole.tool_calls
usage = model.invoke("Hi", max_tokens=5).usage_metadata
assert usage["output_tokens"] <= 5
responses = ChatOpenAI(base_url=f"{sys.argv[1]}/v1", api_key="none", model=MODEL, use_responses_api=True)
assert isinstance(responses.with_structured_output(ViewExtraction).invoke(REPORT), ViewExtraction)
print(f"langchain-openai {version('langchain-openai')}, openai {version('openai')}: ok")
