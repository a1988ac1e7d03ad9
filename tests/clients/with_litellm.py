"""LiteLLM: a schema, tools and a loop of them, streams, a refusal."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version

import litellm
import parts
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

options |= {"model": f"openai/{parts.MODEL}", "api_base": f"{sys.argv[2]}/v1"}


def user(text: str) -> list[dict[str, object]]:
    return [{"role": "user", "content": text}]


numbers = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}
functions = {"add": parts.add, "multiply": parts.multiply}
tools = [{"type": "function", "function": {"name": name, "parameters": numbers}} for name in functions]
answer = litellm.completion(messages=user(parts.DESCRIBE), response_format=parts.Person, **options)
assert parts.Person.model_validate_json(answer.choices[0].message.content) == parts.ADA
messages = user(parts.COMPUTE)
while calls := (message := litellm.completion(messages=messages, tools=tools, **options).choices[0].message).tool_calls:
    messages.append(message.model_dump())
    for call in calls:
        result = functions[call.function.name](**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": str(result)})
assert message.content == parts.RESULT
parts.check_calls()
pieces = [piece.choices[0].delta for piece in litellm.completion(messages=user(parts.GREET), stream=True, **options)]
texts = [piece.content for piece in pieces if piece.content]
assert len(texts) > 1
assert "".join(texts) == parts.GREETING
with parts.refused(litellm.BadRequestError):
    litellm.completion(messages=user(parts.DESCRIBE), response_format=parts.Twice, **options)
print(f"litellm {version('litellm')}, openai {version('openai')}: ok")
