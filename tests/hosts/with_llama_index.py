"""LlamaIndex: the embedded model through its own calls, agents with functions, query engines, streams and faults."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from typing import Any

import standing
from battery import BUDGET, Person, microseconds, record, texts
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.callbacks import CallbackManager, TokenCountingHandler
from llama_index.core.llms import ChatMessage, ImageBlock
from llama_index.core.program import FunctionCallingProgram
from llama_index.core.prompts import ChatPromptTemplate, PromptTemplate
from llama_index.core.response_synthesizers import TreeSummarize
from llama_index.core.tools import FunctionTool
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
)
from formwright.frameworks.llama_index import FormwrightLLM, FormwrightProgram

ADA = "Ada is 36 years old."
TEXT = PromptTemplate("{text}")
FREE = fw.regex(r"[\s\S]{400}")
CALL = '{"name": "add", "arguments": {"a": 20, "b": 16}}'


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


ADD = FunctionTool.from_defaults(add)


def main() -> None:
    tiny = fw.load("formwright-tiny")
    llm = FormwrightLLM(tiny, max_tokens=BUDGET)

    def host(prompt: str, form: Any) -> str:
        response = llm.chat([ChatMessage(role="user", content=prompt)], response_format=form)
        assert response.additional_kwargs["enforced"] == "kernel"
        assert llm.structured_predict(form, TEXT, text=prompt) == response.raw.value
        return str(response.message.content)

    counts = texts(host, lambda prompt, form: tiny.generate(prompt, form, max_tokens=BUDGET).text)
    check_structured(llm, tiny)
    asyncio.run(check_async(llm))
    check_text(llm)
    check_tools(llm)
    check_remote()
    check_alike()
    check_faults(llm)
    check_counts(tiny)
    check_pickled(tiny)

    idle = standing.idle()
    bare = FormwrightLLM(idle)
    asked: Any = {"max_tokens": 100, "finish": False}

    def whole(is_host: bool) -> int:
        if is_host:
            return int(bare.complete(ADA, response_format=FREE, **asked).additional_kwargs["completion_tokens"])
        return len(idle.generate(ADA, FREE, **asked).token_ids)

    def streamed(is_host: bool) -> int:
        if is_host:
            return sum(1 for chunk in bare.stream_complete(ADA, response_format=FREE, **asked)) - 1
        return sum(1 for piece in idle.stream(ADA, FREE, **asked))

    record(
        "llama_index",
        "real host",
        {
            "batch": "none",
            "beams": "as an option",
            "speculation": "none",
            "reasoning": "fw.thinking",
            "tools": "chat_with_tools, agents",
            "forced tokens": "our loop",
        },
        **counts,
        microseconds=microseconds(whole),
        microseconds_streamed=microseconds(streamed),
    )


def check_structured(llm: Any, tiny: Any) -> None:
    """Predictions, programs, structured LLMs, and a query engine's synthesizer."""
    person = tiny.generate(ADA, Person, max_tokens=BUDGET).value
    assert llm.structured_predict(Person, TEXT, text=ADA) == person
    chat = ChatPromptTemplate([ChatMessage(role="user", content="{text}")])
    assert llm.structured_predict(Person, chat, text=ADA) == person
    assert llm.structured_predict(fw.choice("yes", "no"), TEXT, text=ADA) in ("yes", "no")
    grown = list(llm.stream_structured_predict(Person, TEXT, text=ADA))
    assert grown[-1] == person
    assert len(grown) > 3
    assert grown[0].age is None
    assert FormwrightProgram(Person, "{text}", llm)(text=ADA) == person
    assert list(FormwrightProgram(Person, TEXT, tiny).stream_call({"max_tokens": BUDGET}, text=ADA))[-1] == person
    structured = llm.as_structured_llm(Person)
    assert structured.complete(ADA).raw == person
    assert structured.chat([ChatMessage(role="user", content=ADA)]).raw == person
    assert [answer.raw for answer in structured.stream_chat([ChatMessage(role="user", content=ADA)])][-1] == person
    system = FormwrightLLM(tiny, max_tokens=BUDGET, system_prompt="Be exact.")
    expected = [{"role": "system", "content": "Be exact."}, {"role": "user", "content": ADA}]
    assert system.structured_predict(Person, TEXT, text=ADA) == tiny.generate(expected, Person, max_tokens=BUDGET).value
    synthesizer = TreeSummarize(llm=llm, output_cls=Person)
    assert isinstance(synthesizer.get_response("Who is it?", [ADA]), Person)


async def check_async(llm: Any) -> None:
    """The loop goes on while the model writes; all that is awaited gives the same."""
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    ticking = asyncio.create_task(tick())
    long: Any = {"response_format": FREE, "max_tokens": 300, "finish": False}
    answer = await llm.acomplete(ADA, **long)
    assert answer.text == llm.complete(ADA, **long).text
    assert ticks > 10, ticks
    assert "".join([piece.delta async for piece in await llm.astream_complete(ADA, **long)]) == answer.text
    assert ticks > 20, ticks
    person = llm.structured_predict(Person, TEXT, text=ADA)
    assert await llm.astructured_predict(Person, TEXT, text=ADA) == person
    assert [value async for value in await llm.astream_structured_predict(Person, TEXT, text=ADA)][-1] == person
    program = FormwrightProgram(Person, TEXT, llm)
    assert await program.acall(text=ADA) == person
    assert [value async for value in await program.astream_call(text=ADA)][-1] == person
    structured = llm.as_structured_llm(Person)
    assert (await structured.acomplete(ADA)).raw == person
    ticking.cancel()


def check_text(llm: Any) -> None:
    """Free text and its end; roles and blocks."""
    cut = llm.complete(ADA, max_tokens=1)
    assert cut.additional_kwargs["finish_reason"] == "length"
    assert cut.additional_kwargs["completion_tokens"] == 1
    assert "".join(piece.delta for piece in llm.stream_complete(ADA, max_tokens=1)) == cut.text
    stopped = llm.complete(ADA, max_tokens=9, stop=["name"])
    assert "name" not in stopped.text
    assert stopped.additional_kwargs["finish_reason"] == "stop"
    image = ChatMessage(role="user", blocks=[ImageBlock(url="https://example.org/x.png")])
    raises(PromptError, lambda: llm.chat([image]))
    raises(PromptError, lambda: llm.chat([ChatMessage(role="function", content="3")]))
    assert (llm.metadata.context_window, llm.metadata.num_output) == (2048, BUDGET)


def check_tools(llm: Any) -> None:
    """Calls, whole and in pieces; loops of an agent."""
    response = llm.chat_with_tools([ADD], "Add 1 and 2.", tool_required=True)
    (call,) = llm.get_tool_calls_from_response(response)
    assert call.tool_name == "add"
    assert call.tool_kwargs.keys() == {"a", "b"}
    pieces = list(llm.stream_chat_with_tools([ADD], "Add 1 and 2.", tool_required=True))
    assert len(pieces) > 5
    (streamed,) = llm.get_tool_calls_from_response(pieces[-1])
    assert streamed.tool_kwargs == call.tool_kwargs
    answer = llm.predict_and_call([ADD], "Add 1 and 2.", tool_required=True)
    assert answer.response == str(sum(call.tool_kwargs.values()))
    program = FunctionCallingProgram.from_defaults(output_cls=Person, prompt_template_str="{text}", llm=llm)
    assert isinstance(program(text=ADA), Person)
    text = FormwrightLLM(standing.local(["No."])).chat_with_tools([ADD], "Add 1 and 2.")
    assert text.message.content == "No."
    raises(ArgumentError, lambda: llm.get_tool_calls_from_response(text))
    asyncio.run(check_agents())


async def check_agents() -> None:
    for streaming in (True, False):
        model = FormwrightLLM(standing.local([CALL, "She is 36."]))
        output = await FunctionAgent(tools=[ADD], llm=model, streaming=streaming).run("How old is Ada?")
        assert str(output) == "She is 36."
        assert [result.tool_output.raw_output for result in output.tool_calls] == [36]


def check_counts(tiny: Any) -> None:
    """LlamaIndex's own counter sees the tokens of every call once, of streams too."""
    counter = TokenCountingHandler(tokenizer=str.split)
    manager = CallbackManager([counter])
    usage = tiny.generate(ADA, Person, max_tokens=BUDGET)
    for ask in counted(FormwrightLLM(tiny, max_tokens=BUDGET, callback_manager=manager)):
        counter.reset_counts()
        ask()
        assert counter.prompt_llm_token_count == usage.prompt_tokens
        assert abs(counter.completion_llm_token_count - len(usage.token_ids)) <= 1  # the end of the text may count
    calls = ("calls", [("add", '{"a": 20, "b": 16}')])
    with standing.remote([("text", '{"name": "Ada", "age": 36}')] * 12 + [calls]) as (model, requests):
        llm = FormwrightLLM(model, callback_manager=manager)
        for ask in (*counted(llm), lambda: list(llm.stream_chat_with_tools([ADD], "Add 20 and 16."))):
            counter.reset_counts()
            ask()
            assert (counter.prompt_llm_token_count, counter.completion_llm_token_count) == (10, 5)
        assert len(requests) == 13


def counted(llm: Any) -> list[Callable[[], object]]:
    """Every way to ask for a person."""
    said = [ChatMessage(role="user", content=ADA)]

    async def read(stream: Any) -> list[Any]:
        return [piece async for piece in await stream]

    return [
        lambda: llm.complete(ADA, response_format=Person),
        lambda: llm.chat(said, response_format=Person),
        lambda: list(llm.stream_chat(said, response_format=Person)),
        lambda: list(llm.stream_complete(ADA, response_format=Person)),
        lambda: asyncio.run(llm.acomplete(ADA, response_format=Person)),
        lambda: asyncio.run(read(llm.astream_chat(said, response_format=Person))),
        lambda: asyncio.run(read(llm.astream_complete(ADA, response_format=Person))),
        lambda: llm.structured_predict(Person, TEXT, text=ADA),
        lambda: asyncio.run(llm.astructured_predict(Person, TEXT, text=ADA)),
        lambda: list(llm.stream_structured_predict(Person, TEXT, text=ADA)),
        lambda: asyncio.run(read(llm.astream_structured_predict(Person, TEXT, text=ADA))),
        lambda: list(llm.as_structured_llm(Person).stream_chat(said)),
    ]


def check_pickled(tiny: Any) -> None:
    """What is pickled is loaded again by its name; a model object has none."""
    llm = FormwrightLLM("formwright-tiny", max_tokens=BUDGET, system_prompt="Be kind.")
    again = pickle.loads(pickle.dumps(llm))
    assert (again.options, again.system_prompt) == (llm.options, "Be kind.")
    assert again.structured_predict(Person, TEXT, text=ADA) == llm.structured_predict(Person, TEXT, text=ADA)
    raises(ArgumentError, lambda: pickle.dumps(FormwrightLLM(tiny)))


def check_remote() -> None:
    """The same behind an API, and in an event loop."""
    ada = '{"name": "Ada", "age": 36, "city": null}'
    calls = ("calls", [("add", '{"a": 20, "b": 16}')])
    with standing.remote([("text", ada), ("text", ada), ("text", "Hello.")]) as (model, requests):
        llm = FormwrightLLM(model, context_window=9000, temperature=0)
        assert llm.metadata.context_window == 9000
        assert llm.structured_predict(Person, TEXT, text=ADA).age == 36
        assert requests[0].json["response_format"]["json_schema"]["strict"] is True
        assert list(llm.stream_structured_predict(Person, TEXT, text=ADA))[-1].age == 36
        assert llm.complete("Hi").text == "Hello."
        assert requests[2].json["messages"] == [{"role": "user", "content": "Hi"}]
        raises(OptionUnsupported, lambda: llm.complete("Hi", canonical=True))
    with standing.remote([calls, ("text", "She is 36.")]) as (model, requests):

        async def with_agent() -> Any:
            agent = FunctionAgent(tools=[ADD], llm=FormwrightLLM(model), streaming=False)
            return await agent.run("How old is Ada?")

        assert str(asyncio.run(with_agent())) == "She is 36."
        said = requests[1].json["messages"]
        assert said[-1]["tool_call_id"] == said[-2]["tool_calls"][0]["id"]
    with standing.remote([("text", ada), calls, ("text", "36.")], asynchronous=True) as (model, _):
        llm = FormwrightLLM(model)

        async def asynchronous() -> None:
            assert (await llm.astructured_predict(Person, TEXT, text=ADA)).age == 36
            output = await FunctionAgent(tools=[ADD], llm=llm).run("How old is Ada?")
            assert str(output) == "36."

        asyncio.run(asynchronous())
        raises(ArgumentError, lambda: llm.complete("Hi"))


def check_alike() -> None:
    """A value, streams, loops of two calls and refusals go the same way with a model here and one behind an API."""
    tools = [FunctionTool.from_defaults(tool) for tool in (parts.add, parts.multiply)]
    ada = '{"name": "Ada", "age": 36, "city": null}'

    async def computed(llm: Any, streaming: bool) -> Any:
        return await FunctionAgent(tools=tools, llm=llm, streaming=streaming).run(parts.COMPUTE)

    for is_local in (True, False):
        answers = [("text", ada), ("text", ada), ("text", parts.GREETING)]
        with standing.answering(answers, is_local=is_local) as model:
            llm = FormwrightLLM(model)
            person = llm.structured_predict(Person, TEXT, text=ADA)
            assert (
                person == list(llm.stream_structured_predict(Person, TEXT, text=ADA))[-1] == Person(name="Ada", age=36)
            )
            pieces = [piece.delta for piece in llm.stream_complete("Greet Ada.") if piece.delta]
            assert "".join(pieces) == parts.GREETING
            assert len(pieces) > 1
            with parts.refused(LanguageError):
                llm.structured_predict(parts.Twice, TEXT, text=ADA)
            with parts.refused(LanguageError):
                list(llm.stream_structured_predict(parts.Twice, TEXT, text=ADA))
            with parts.refused(LanguageError):
                llm.as_structured_llm(parts.Twice)
        with standing.answering(standing.LOOP * 2, is_local=is_local) as model:
            for streaming in (True, False):
                output = asyncio.run(computed(FormwrightLLM(model), streaming))
                assert str(output) == parts.RESULT
                assert [result.tool_output.raw_output for result in output.tool_calls] == [5, 20]
                parts.check_calls()
    with standing.remote([("error", "no such schema"), ("error", "no such tool"), ("refusal", "I will not.")]) as (
        model,
        _,
    ):
        llm = FormwrightLLM(model, mode="strict")
        with parts.refused(RequestFailed, "no such schema"):
            llm.structured_predict(Person, TEXT, text=ADA)
        with parts.refused(RequestFailed, "no such tool"):
            list(llm.stream_chat_with_tools([ADD], ADA))
        with parts.refused(Refused, "I will not."):
            llm.structured_predict(Person, TEXT, text=ADA)


def check_faults(llm: Any) -> None:
    """What cannot be done is an error before anything is written."""
    raises(ArgumentError, lambda: FormwrightLLM("formwright-tiny", temprature=1))
    raises(ArgumentError, lambda: FormwrightLLM(42))
    raises(ArgumentError, lambda: llm.complete(ADA, temprature=1))
    raises(OptionUnsupported, lambda: llm.complete(ADA, mode="strict"))
    raises(LimitExceeded, lambda: llm.structured_predict(Person, TEXT, {"time_budget": 1e-9}, text=ADA))
    raises(LimitExceeded, lambda: list(llm.stream_complete(ADA, time_budget=1e-9)))
    raises(OptionUnsupported, lambda: list(llm.stream_complete(ADA, beams=2)))
    raises(ArgumentError, lambda: llm.structured_predict(Person, TEXT, {"stop": "x"}, text=ADA))
    raises(LanguageError, lambda: llm.structured_predict({"not": {"$dynamicRef": "#x"}}, TEXT, text=ADA))
    raises(NotAForm, lambda: FormwrightProgram("Person", TEXT, llm))
    raises(LimitExceeded, lambda: llm.structured_predict(Person, TEXT, {"max_tokens": 3}, text=ADA))
    with standing.remote([("text", '{"name": ')]) as (model, _):
        raises(fw.errors.OutputInvalid, lambda: FormwrightLLM(model).structured_predict(Person, TEXT, text=ADA))


def raises(kind: type[Exception], run: Any) -> None:
    try:
        run()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


if __name__ == "__main__":
    main()
