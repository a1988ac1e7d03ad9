"""Haystack: the embedded model in its pipelines and agents, streams, what is written down, and faults."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import standing
from battery import BUDGET, Person, microseconds, record, texts
from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.builders import ChatPromptBuilder
from haystack.dataclasses import ChatMessage, ImageContent, StreamingChunk
from haystack.tools import create_tool_from_function
from standing import parts

import formwright as fw
from formwright.errors import (
    ArgumentError,
    LanguageError,
    LimitExceeded,
    NotAForm,
    OptionUnsupported,
    PromptError,
    Refused,
    RequestFailed,
    UnknownModel,
)
from formwright.frameworks.haystack import FormwrightChatGenerator

ADA = "Ada is 36 years old."
FREE = fw.regex(r"[\s\S]{400}")
CALL = '{"name": "add", "arguments": {"a": 20, "b": 16}}'
OURS = ["formwright.frameworks.haystack", "with_haystack", "__main__"]


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


ADD = create_tool_from_function(add)


def shown(chunk: StreamingChunk) -> None:
    """A callback that can be written down."""


def main() -> None:
    tiny = fw.load("formwright-tiny")
    generator = FormwrightChatGenerator(tiny, generation_kwargs={"max_tokens": BUDGET})

    def host(prompt: str, form: Any) -> str:
        (reply,) = generator.run(prompt, generation_kwargs={"response_format": form})["replies"]
        assert reply.meta["enforced"] == "kernel"
        return str(reply.text)

    counts = texts(host, lambda prompt, form: tiny.generate(prompt, form, max_tokens=BUDGET).text)
    check_pipelines(tiny)
    check_streams(generator)
    asyncio.run(check_async(generator))
    check_tools(generator)
    check_remote()
    check_alike()
    check_faults(generator, tiny)

    idle = standing.idle()
    asked: Any = {"max_tokens": 100, "finish": False}
    bare = FormwrightChatGenerator(idle, generation_kwargs={**asked, "response_format": FREE})

    def whole(is_host: bool) -> int:
        if is_host:
            return int(bare.run(ADA)["replies"][0].meta["usage"]["completion_tokens"])
        return len(idle.generate(ADA, FREE, **asked).token_ids)

    def streamed(is_host: bool) -> int:
        if is_host:
            chunks: list[StreamingChunk] = []
            bare.run(ADA, streaming_callback=chunks.append)
            return len(chunks) - 1
        return sum(1 for piece in idle.stream(ADA, FREE, **asked))

    record(
        "haystack",
        "real host",
        {
            "batch": "none",
            "beams": "as an option",
            "speculation": "none",
            "reasoning": "fw.thinking",
            "tools": "run(tools=), agents",
            "forced tokens": "our loop",
        },
        **counts,
        microseconds=microseconds(whole),
        microseconds_streamed=microseconds(streamed),
    )


def check_pipelines(tiny: Any) -> None:
    """In a pipeline, written down and read again: the same text, in the same order of fields."""
    expected = tiny.generate(ADA, Person, max_tokens=BUDGET)
    options = {"max_tokens": BUDGET, "response_format": Person}
    pipeline = Pipeline()
    pipeline.add_component("prompt", ChatPromptBuilder([ChatMessage.from_user("{{ text }}")]))
    made = FormwrightChatGenerator(generation_kwargs=options, tools=[ADD], streaming_callback=shown)
    made.generation_kwargs["tool_choice"] = "none"
    pipeline.add_component("llm", made)
    pipeline.connect("prompt", "llm")
    written = pipeline.dumps()
    for each in (pipeline, Pipeline.loads(written, allowed_modules=OURS)):
        (reply,) = each.run({"prompt": {"text": ADA}})["llm"]["replies"]
        assert reply.text == expected.text
        assert Person.model_validate_json(reply.text) == expected.value
        assert each.dumps() == written
    schema = {"type": "json_schema", "json_schema": {"name": "p", "schema": Person.model_json_schema()}}
    for form in (Person, schema, Person.model_json_schema(), fw.form(Person)):
        answer = FormwrightChatGenerator(tiny).run(ADA, generation_kwargs={"max_tokens": 60, "response_format": form})
        Person.model_validate_json(answer["replies"][0].text)
    raises(ArgumentError, FormwrightChatGenerator(tiny).to_dict)
    raises(ArgumentError, FormwrightChatGenerator(generation_kwargs={"response_format": fw.choice("a", "b")}).to_dict)
    raises(ArgumentError, FormwrightChatGenerator(generation_kwargs={"cancel": lambda: False}).to_dict)


def check_streams(generator: Any) -> None:
    """Chunks join to the reply; the last one tells why it ends."""
    chunks: list[StreamingChunk] = []
    asked = {"response_format": Person}
    (reply,) = generator.run(ADA, chunks.append, asked)["replies"]
    assert "".join(chunk.content for chunk in chunks) == reply.text
    assert [chunk.start for chunk in chunks].count(True) == 1
    assert chunks[-1].finish_reason == reply.meta["finish_reason"] == "stop"
    (cut,) = generator.run(ADA, generation_kwargs={"max_tokens": 1})["replies"]
    assert cut.meta["finish_reason"] == "length"
    assert cut.meta["usage"]["completion_tokens"] == 1
    assert cut.meta["enforced"] is None
    (stopped,) = generator.run(ADA, generation_kwargs={"max_tokens": 9, "stop": ["name"]})["replies"]
    assert "name" not in stopped.text


async def check_async(generator: Any) -> None:
    """The loop goes on while the model writes, also in a pipeline."""
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    ticking = asyncio.create_task(tick())
    long = {"response_format": FREE, "max_tokens": 300, "finish": False}
    (reply,) = (await generator.run_async(ADA, generation_kwargs=long))["replies"]
    assert reply.text == generator.run(ADA, generation_kwargs=long)["replies"][0].text
    assert ticks > 10, ticks
    chunks: list[StreamingChunk] = []

    async def seen(chunk: StreamingChunk) -> None:
        chunks.append(chunk)

    await generator.run_async(ADA, seen, long)
    assert "".join(chunk.content for chunk in chunks) == reply.text
    assert ticks > 20, ticks
    pipeline = Pipeline()
    pipeline.add_component("llm", FormwrightChatGenerator(generation_kwargs={"max_tokens": 60, "response_format": int}))
    found = await pipeline.run_async({"llm": {"messages": [ChatMessage.from_user(ADA)]}})
    int(found["llm"]["replies"][0].text)
    ticking.cancel()


def check_tools(generator: Any) -> None:
    """Calls, whole and in chunks; loops of an agent."""
    required = {"tool_choice": "required"}
    chunks: list[StreamingChunk] = []
    (reply,) = generator.run("Add 1 and 2.", chunks.append, required, tools=[ADD])["replies"]
    (call,) = reply.tool_calls
    assert call.tool_name == "add"
    assert call.arguments.keys() == {"a", "b"}
    deltas = [delta for chunk in chunks for delta in chunk.tool_calls or ()]
    assert deltas[0].id == call.id
    assert "".join(delta.arguments or "" for delta in deltas).startswith('{"a"')
    again = [ChatMessage.from_user("Add."), reply, ChatMessage.from_tool("3", origin=call)]
    assert generator.run(again, generation_kwargs={"max_tokens": 30})["replies"]
    for model in ("formwright-tiny", generator.model):  # options that speak of tools which are given with a call
        for choice in ("required", "add", {"type": "function", "function": {"name": "add"}}):
            options = {"tool_choice": choice, "max_tokens": BUDGET}
            later = FormwrightChatGenerator(model, generation_kwargs=options)
            assert later.run("Add 1 and 2.", tools=[ADD])["replies"][0].tool_calls[0].tool_name == "add"
            raises(ArgumentError, lambda later=later: later.run("Add 1 and 2."))
    for callback in (None, chunks.append):
        model = FormwrightChatGenerator(standing.local([CALL, "She is 36."]))
        agent = Agent(chat_generator=model, tools=[ADD])
        told = agent.run(messages=[ChatMessage.from_user("How old is Ada?")], streaming_callback=callback)
        assert told["last_message"].text == "She is 36."
        assert [message.role.value for message in told["messages"]][-3:] == ["assistant", "tool", "assistant"]
    agent = Agent(chat_generator=FormwrightChatGenerator(standing.local([CALL, "She is 36."])), tools=[ADD])
    told = asyncio.run(agent.run_async(messages=[ChatMessage.from_user("How old is Ada?")]))
    assert told["last_message"].text == "She is 36."


def check_remote() -> None:
    """The same behind an API, and in an event loop."""
    ada = '{"name": "Ada", "age": 36, "city": null}'
    calls = ("calls", [("add", '{"a": 20, "b": 16}')])
    asked = {"response_format": Person}
    with standing.remote([("text", ada), ("text", "Hello."), calls, ("text", "36.")]) as (model, requests):
        generator = FormwrightChatGenerator(model, generation_kwargs={"temperature": 0})
        assert generator.run(ADA, generation_kwargs=asked)["replies"][0].text == ada
        assert requests[0].json["response_format"]["json_schema"]["strict"] is True
        chunks: list[StreamingChunk] = []
        assert generator.run("Hi", chunks.append)["replies"][0].text == "Hello."
        assert "".join(chunk.content for chunk in chunks) == "Hello."
        told = Agent(chat_generator=generator, tools=[ADD]).run(messages=[ChatMessage.from_user("How old is Ada?")])
        assert told["last_message"].text == "36."
        said = requests[3].json["messages"]
        assert said[-1]["tool_call_id"] == said[-2]["tool_calls"][0]["id"]
        raises(OptionUnsupported, lambda: generator.run("Hi", generation_kwargs={"heal": True}))
        raises(OptionUnsupported, lambda: generator.run("Hi", generation_kwargs=asked, tools=[ADD]))
    with standing.remote([("text", ada), ("text", ada)], asynchronous=True) as (model, _):
        generator = FormwrightChatGenerator(model)

        async def asynchronous() -> None:
            reply = (await generator.run_async(ADA, generation_kwargs=asked))["replies"][0]
            assert reply.meta["enforced"] == "server"
            chunks: list[StreamingChunk] = []

            async def seen(chunk: StreamingChunk) -> None:
                chunks.append(chunk)

            assert (await generator.run_async(ADA, seen, asked))["replies"][0].text == ada

        asyncio.run(asynchronous())
        raises(ArgumentError, lambda: generator.run("Hi"))


def check_alike() -> None:
    """A value, streams, loops of two calls and refusals go the same way with a model here and one behind an API."""
    tools = [create_tool_from_function(tool) for tool in (parts.add, parts.multiply)]
    ada = '{"name": "Ada", "age": 36, "city": null}'
    question = [ChatMessage.from_user(parts.COMPUTE)]
    for is_local in (True, False):
        with standing.answering([("text", ada), ("text", parts.GREETING)], is_local=is_local) as model:
            generator = FormwrightChatGenerator(model)
            (reply,) = generator.run(ADA, generation_kwargs={"response_format": Person})["replies"]
            assert Person.model_validate_json(reply.text) == Person(name="Ada", age=36)
            chunks: list[StreamingChunk] = []
            generator.run("Greet Ada.", chunks.append)
            pieces = [chunk.content for chunk in chunks if chunk.content]
            assert "".join(pieces) == parts.GREETING
            assert len(pieces) > 1
            twice = {"response_format": parts.Twice}
            for callback in (None, chunks.append):
                with parts.refused(LanguageError):
                    generator.run(ADA, callback, twice)
            with parts.refused(LanguageError):
                FormwrightChatGenerator(model, generation_kwargs=twice)
        with standing.answering(standing.LOOP * 2, is_local=is_local) as model:
            agent = Agent(chat_generator=FormwrightChatGenerator(model), tools=tools)
            for callback in (None, shown):
                told = agent.run(messages=question, streaming_callback=callback)
                assert told["last_message"].text == parts.RESULT
                results = [message.tool_call_results for message in told["messages"]]
                assert [result.result for found in results for result in found] == ["5", "20"]
                parts.check_calls()
    with standing.remote([("error", "no such schema"), ("error", "no such tool"), ("refusal", "I will not.")]) as (
        model,
        _,
    ):
        generator = FormwrightChatGenerator(model, generation_kwargs={"mode": "strict"})
        with parts.refused(RequestFailed, "no such schema"):
            generator.run(ADA, generation_kwargs={"response_format": Person})
        with parts.refused(RequestFailed, "no such tool"):
            generator.run(ADA, chunks.append, tools=[ADD])
        with parts.refused(Refused, "I will not."):
            generator.run(ADA, generation_kwargs={"response_format": Person})


def check_faults(generator: Any, tiny: Any) -> None:
    """What cannot be done is an error before anything is written."""
    raises(ArgumentError, lambda: FormwrightChatGenerator(tiny, generation_kwargs={"temprature": 1}))
    raises(ArgumentError, lambda: FormwrightChatGenerator(42))
    broken = replace(ADD, parameters={"type": "object", "properties": {"a": {"pattern": r"(a)\1"}}})
    raises(LanguageError, lambda: FormwrightChatGenerator(tiny, tools=[broken]))
    raises(LanguageError, FormwrightChatGenerator("formwright-tiny", tools=[broken]).warm_up)
    raises(UnknownModel, FormwrightChatGenerator("no-such-model").warm_up)
    raises(ArgumentError, lambda: generator.run(ADA, generation_kwargs={"temprature": 1}))
    raises(OptionUnsupported, lambda: generator.run(ADA, generation_kwargs={"mode": "strict"}))
    raises(LimitExceeded, lambda: generator.run(ADA, generation_kwargs={"time_budget": 1e-9}))
    raises(OptionUnsupported, lambda: generator.run(ADA, print, {"beams": 2}))
    raises(ArgumentError, lambda: generator.run(ADA, generation_kwargs={"tool_choice": "subtract"}, tools=[ADD]))
    raises(ArgumentError, lambda: generator.run(ADA, generation_kwargs={"tool_choice": "required"}))
    raises(
        LanguageError, lambda: generator.run(ADA, generation_kwargs={"response_format": {"not": {"$dynamicRef": "#x"}}})
    )
    raises(NotAForm, lambda: generator.run(ADA, generation_kwargs={"response_format": "Person"}))
    image = ChatMessage.from_user(content_parts=[ImageContent(base64_image="AAAA", mime_type="image/png")])
    raises(PromptError, lambda: generator.run([image]))
    raises(PromptError, lambda: generator.run([]))


def raises(kind: type[Exception], run: Any) -> None:
    try:
        run()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


if __name__ == "__main__":
    main()
