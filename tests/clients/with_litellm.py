"""LiteLLM: a schema, tools, a stream."""

from __future__ import annotations

import sys
from importlib.metadata import version

import litellm
from forms import MODEL, QUESTION, REPORT, FundInfo, TaskSequence, ViewExtraction

options = {"model": f"openai/{MODEL}", "api_base": f"{sys.argv[1]}/v1", "api_key": "none", "num_retries": 0}
for type_, text in ((ViewExtraction, REPORT), (TaskSequence, QUESTION)):
    messages = [{"role": "user", "content": text}]
    answer = litellm.completion(messages=messages, response_format=type_, max_tokens=500, **options)
    assert type_.model_validate_json(answer.choices[0].message.content)
    pieces = litellm.completion(messages=messages, response_format=type_, stream=True, **options)
    assert type_.model_validate_json("".join(piece.choices[0].delta.content or "" for piece in pieces))
tool = {"type": "function", "function": {"name": "FundInfo", "parameters": FundInfo.model_json_schema()}}
answer = litellm.completion(messages=messages, tools=[tool], tool_choice="required", max_tokens=200, **options)
assert FundInfo.model_validate_json(answer.choices[0].message.tool_calls[0].function.arguments)
print(f"litellm {version('litellm')}, openai {version('openai')}: ok")
