"""The openai SDK: chat and responses, sync and async, and Azure's paths."""

from __future__ import annotations

import asyncio
import sys

import openai
from forms import MODEL, QUESTION, REPORT, TaskSequence, ViewExtraction

url = sys.argv[1]
views = {"model": MODEL, "messages": [{"role": "user", "content": REPORT}], "response_format": ViewExtraction}
tasks = {"model": MODEL, "input": QUESTION, "text_format": TaskSequence}

with openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
    assert isinstance(client.chat.completions.parse(**views).choices[0].message.parsed, ViewExtraction)
    assert isinstance(client.responses.parse(**tasks).output_parsed, TaskSequence)
    with client.chat.completions.stream(**views) as stream:
        assert isinstance(stream.get_final_completion().choices[0].message.parsed, ViewExtraction)
    with client.responses.stream(**tasks) as stream:
        assert isinstance(stream.get_final_response().output_parsed, TaskSequence)

with openai.AzureOpenAI(azure_endpoint=url, api_version="2025-04-01-preview", api_key="none") as azure:
    assert isinstance(azure.chat.completions.parse(**views).choices[0].message.parsed, ViewExtraction)


async def asynchronous() -> None:
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
        several = await asyncio.gather(*(client.chat.completions.parse(**views) for _ in range(4)))
        assert all(isinstance(each.choices[0].message.parsed, ViewExtraction) for each in several)


asyncio.run(asynchronous())
print(f"openai {openai.__version__}: ok")
