"""Instructor: its modes, values while they are written, a refusal."""

from __future__ import annotations

import sys
from importlib.metadata import version

import instructor
import parts
from forms import MODEL, QUESTION, REPORT, TaskSequence, ViewExtraction
from openai import OpenAI

openai = OpenAI(base_url=f"{sys.argv[1]}/v1", api_key="none", max_retries=0)
for mode in (instructor.Mode.TOOLS, instructor.Mode.TOOLS_STRICT, instructor.Mode.JSON_SCHEMA):
    client = instructor.from_openai(openai, mode=mode)
    for type_, text in ((ViewExtraction, REPORT), (TaskSequence, QUESTION)):
        messages = [{"role": "user", "content": text}]
        found, raw = client.chat.completions.create_with_completion(
            model=MODEL, messages=messages, response_model=type_, max_retries=0, max_tokens=500
        )
        assert isinstance(found, type_)
        assert raw.usage.completion_tokens <= 500
client = instructor.from_openai(openai, mode=instructor.Mode.TOOLS)
messages = [{"role": "user", "content": REPORT}]
values = client.chat.completions.create_partial(
    model=MODEL, messages=messages, response_model=ViewExtraction, max_tokens=500, strict=False
)
for value in values:  # ends with an error unless the last one is whole
    assert value.views is None or isinstance(value.views, list)

openai = OpenAI(base_url=f"{sys.argv[2]}/v1", api_key="none", max_retries=0)
describe = [{"role": "user", "content": parts.DESCRIBE}]
for mode in (instructor.Mode.TOOLS, instructor.Mode.TOOLS_STRICT, instructor.Mode.JSON_SCHEMA):
    client = instructor.from_openai(openai, mode=mode)
    asked = {"model": parts.MODEL, "messages": describe, "max_retries": 0}
    person = client.chat.completions.create(response_model=parts.Person, **asked)
    (*_, last) = client.chat.completions.create_partial(response_model=parts.Person, **asked)
    assert person.model_dump() == last.model_dump() == parts.ADA.model_dump()
    with parts.refused():
        client.chat.completions.create(response_model=parts.Twice, **asked)
print(f"instructor {version('instructor')}, openai {version('openai')}: ok")
