"""LangChain: the embedded model through its own calls, agents with tools, streams, caches and faults."""

from __future__ import annotations

import asyncio
import itertools
import re
import time
from typing import Any

import standing
from battery import BUDGET, Person, microseconds, record, texts
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.caches import InMemoryCache
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool
from langchain_core.utils.function_calling import convert_to_json_schema
from pydantic import BaseModel, ValidationInfo, field_validator
from pydantic.v1 import BaseModel as OldModel
from pydantic.v1 import validator
from standing import parts
from typing_extensions import TypedDict

import formwright as fw
from formwright.errors import (
    ArgumentError,
    LanguageError,
    LimitExceeded,
    NotAForm,
    OptionUnsupported,
    OutputInvalid,
    PromptError,
    Refused,
    RequestFailed,
)
from formwright.frameworks.langchain import FormwrightChatModel

ADA = "Ada is 36 years old."
FREE = fw.regex(r"[\s\S]{400}")


class Named(TypedDict):
    name: str
    age: int


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def main() -> None:
    tiny = fw.load("formwright-tiny")
    llm = FormwrightChatModel(tiny, max_tokens=BUDGET)

    def host(prompt: str, form: Any) -> str:
        answer = llm.with_structured_output(form, include_raw=True).invoke(prompt)
        assert answer["parsing_error"] is None
        assert answer["raw"].response_metadata["enforced"] == "kernel"
        return str(answer["raw"].content)

    counts = texts(host, lambda prompt, form: tiny.generate(prompt, form, max_tokens=BUDGET).text)
    check_structured(llm, tiny)
    asyncio.run(check_async(llm))
    check_messages(llm)
    check_tools(llm)
    check_agents()
    check_remote()
    check_alike()
    check_checked()
    check_old_models()
    check_cache(tiny)
    check_faults(llm)
    check_options(tiny)

    idle = standing.idle()
    bare = FormwrightChatModel(idle, max_tokens=BUDGET)
    asked = {"max_tokens": 100, "finish": False}

    def whole(is_host: bool) -> int:
        if is_host:
            return int(bare.invoke(ADA, response_format=FREE, **asked).usage_metadata["output_tokens"])
        return len(idle.generate(ADA, FREE, **asked).token_ids)

    def streamed(is_host: bool) -> int:
        if is_host:
            return sum(1 for chunk in bare.stream(ADA, response_format=FREE, **asked)) - 1
        return sum(1 for piece in idle.stream(ADA, FREE, **asked))

    record(
        "langchain",
        "real host",
        {
            "batch": "threads of LangChain",
            "beams": "as an option",
            "speculation": "none",
            "reasoning": "fw.thinking",
            "tools": "bind_tools, agents",
            "forced tokens": "our loop",
        },
        **counts,
        microseconds=microseconds(whole),
        microseconds_streamed=microseconds(streamed),
    )


def check_structured(llm: Any, tiny: Any) -> None:
    """Three methods, five kinds of schemas, whole and streamed."""
    person = tiny.generate(ADA, Person, max_tokens=BUDGET).value
    for method in ("json_schema", "function_calling", "json_mode"):
        for strict in (None, True, False):
            assert isinstance(llm.with_structured_output(Person, method=method, strict=strict).invoke(ADA), Person)
        found = llm.with_structured_output(Named, method=method).invoke(ADA)
        assert found.keys() == {"name", "age"}, found
    assert llm.with_structured_output(Person).invoke(ADA) == person
    schema = {"title": "Who", "type": "object", "properties": {"name": {"type": "string", "maxLength": 9}}}
    schema |= {"required": ["name"], "additionalProperties": False}
    assert llm.with_structured_output(schema).invoke(ADA).keys() == {"name"}
    assert llm.with_structured_output(schema, method="function_calling").invoke(ADA).keys() == {"name"}
    function = {"name": "who", "description": "Who it is.", "parameters": schema}
    assert llm.with_structured_output(function).invoke(ADA).keys() == {"name"}
    assert isinstance(llm.with_structured_output(method="json_mode").invoke(ADA), dict)
    assert re.fullmatch(r"\d{2}", llm.with_structured_output(re.compile(r"\d\d")).invoke(ADA))
    assert llm.with_structured_output(fw.choice("yes", "no")).invoke(ADA) in ("yes", "no")
    grown = list(llm.with_structured_output(Named).stream(ADA))
    assert grown[-1] == tiny.generate(ADA, Named, max_tokens=BUDGET).value
    assert len(grown) > 3
    assert all(before.keys() <= after.keys() for before, after in itertools.pairwise(grown))
    assert list(llm.with_structured_output(Person).stream(ADA)) == [person]
    chain = ChatPromptTemplate.from_messages([("human", "{text}")]) | llm.with_structured_output(Person)
    assert chain.invoke({"text": ADA}) == person
    assert chain.batch([{"text": ADA}] * 3) == [person] * 3
    raw = llm.with_structured_output(Person, include_raw=True).invoke(ADA, finish=False, max_tokens=5)
    assert raw["raw"].response_metadata["finish_reason"] == "length"
    raw = llm.with_structured_output(Person, include_raw=True, finish=False, max_tokens=5).invoke(ADA)
    assert raw["parsed"] is None
    assert isinstance(raw["parsing_error"], OutputInvalid)
    assert raw["raw"].response_metadata == {
        "model_name": "formwright-tiny", "finish_reason": "length", "enforced": None, "complete": False
    }  # fmt: skip


async def check_async(llm: Any) -> None:
    """The loop goes on while the model writes; a task that is cancelled ends the text; streams are the same."""
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    ticking = asyncio.create_task(tick())
    long = {"response_format": FREE, "max_tokens": 300, "finish": False}
    message = await llm.ainvoke(ADA, **long)
    assert message.content == llm.invoke(ADA, **long).content
    assert ticks > 10, ticks
    pieces = [chunk.content async for chunk in llm.astream(ADA, **long)]
    assert "".join(pieces) == message.content
    assert ticks > 20, ticks
    assert await llm.with_structured_output(Person).ainvoke(ADA) == llm.with_structured_output(Person).invoke(ADA)
    grown = [value async for value in llm.with_structured_output(Named).astream(ADA)]
    assert grown == list(llm.with_structured_output(Named).stream(ADA))
    task = asyncio.create_task(llm.ainvoke(ADA, **long))
    await asyncio.sleep(0.02)
    task.cancel()
    began = time.perf_counter()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    assert time.perf_counter() - began < 1
    ticking.cancel()


def check_messages(llm: Any) -> None:
    """Roles, parts, and what cannot be read; free text and its end."""
    cut = llm.invoke([SystemMessage("Be brief."), HumanMessage([{"type": "text", "text": ADA}])], max_tokens=1)
    assert cut.usage_metadata["output_tokens"] == 1
    assert cut.response_metadata["finish_reason"] == "length"
    assert cut.response_metadata["enforced"] is None
    stopped = llm.invoke(ADA, stop=["name"], max_tokens=9)
    assert "name" not in stopped.content
    assert stopped.response_metadata["finish_reason"] == "stop"
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    for wrong in ([HumanMessage([image])], []):
        raises(PromptError, lambda wrong=wrong: llm.invoke(wrong))


def check_tools(llm: Any) -> None:
    """What can be a tool, and how its calls come back, whole and in pieces."""

    def divide(a: float, b: float) -> float:
        """Divide."""
        return a / b

    listed = {"type": "function", "function": {"name": "listed", "parameters": {"type": "object", "maxProperties": 0}}}
    bound = llm.bind_tools([add, divide, Person, listed], tool_choice="any")
    message = bound.invoke("Tell me of Ada, 36.")
    assert message.tool_calls
    assert {call["name"] for call in message.tool_calls} <= {"add", "divide", "Person", "listed"}
    assert message.response_metadata["finish_reason"] == "tool_calls"
    chunks = list(llm.bind_tools([add], tool_choice="add").stream("Add 1 and 2."))
    whole = sum(chunks[1:], chunks[0])
    assert len(chunks) > 5
    assert whole.tool_calls[0]["name"] == "add"
    assert whole.tool_calls[0]["args"].keys() == {"a", "b"}
    assert llm.bind_tools([add], tool_choice="none").invoke("Add.", max_tokens=5).tool_calls == []
    answer = ToolMessage("3", tool_call_id=whole.tool_calls[0]["id"])
    again = llm.bind_tools([add]).invoke([HumanMessage("Add 1 and 2."), whole, answer], max_tokens=30)
    assert isinstance(again, AIMessage)
    one = llm.bind_tools([add, divide], tool_choice="any", parallel_tool_calls=False).invoke("Add 1 and 2.")
    assert len(one.tool_calls) == 1


CALL = '{"name": "add", "arguments": {"a": 20, "b": 16}}'
ADA_JSON = '{"name": "Ada", "age": 36}'


class Who(TypedDict):
    """Who it is."""

    name: str
    age: int


def check_agents() -> None:
    """Loops of an agent: call, result, answer; the answer as text, by the provider, and by a tool."""
    question = {"messages": [HumanMessage("How old is Ada?")]}
    model = standing.local([CALL, "She is 36."])
    state = create_agent(FormwrightChatModel(model), [add]).invoke(question)
    kinds = [message.type for message in state["messages"]]
    assert kinds == ["human", "ai", "tool", "ai"], kinds
    assert state["messages"][2].content == "36"
    assert state["messages"][3].content == "She is 36."
    native = create_agent(
        FormwrightChatModel(standing.local([CALL, ADA_JSON])), [add], response_format=ProviderStrategy(Who)
    )
    assert native.invoke(question)["structured_response"] == {"name": "Ada", "age": 36}
    auto = create_agent(FormwrightChatModel(standing.local([CALL, ADA_JSON])), [add], response_format=Who)
    assert auto.invoke(question)["structured_response"] == {"name": "Ada", "age": 36}
    as_tool = '{"name": "Who", "arguments": ' + ADA_JSON + "}"
    tooled = create_agent(
        FormwrightChatModel(standing.local([CALL, as_tool])), [add], response_format=ToolStrategy(Who)
    )
    assert tooled.invoke(question)["structured_response"] == {"name": "Ada", "age": 36}
    streaming = create_agent(FormwrightChatModel(standing.local([CALL, "She is 36."])), [add])
    pieces = [chunk.text for chunk, _ in streaming.stream(question, stream_mode="messages") if chunk.type != "tool"]
    assert "".join(pieces).endswith("She is 36.")
    assert len(pieces) > 4

    async def asynchronous() -> Any:
        agent = create_agent(FormwrightChatModel(standing.local([CALL, ADA_JSON])), [add], response_format=Who)
        return await agent.ainvoke(question)

    assert asyncio.run(asynchronous())["structured_response"] == {"name": "Ada", "age": 36}


class Heard(BaseCallbackHandler):  # type: ignore[misc]  # langchain_core is not typed for us
    """What a tracer is told."""

    def __init__(self) -> None:
        self.options: list[dict[str, Any]] = []
        self.tokens: list[str] = []

    def on_chat_model_start(self, *_: Any, **told: Any) -> None:
        self.options.append(told["options"])

    def on_llm_new_token(self, token: str, **_: Any) -> None:
        self.tokens.append(token)


def check_options(tiny: Any) -> None:
    """Options that every chat model of LangChain has, and what tracers are told of a form."""
    for is_streaming in (True, False, None):
        heard = Heard()
        llm = FormwrightChatModel(tiny, max_tokens=BUDGET, streaming=is_streaming)
        llm.invoke(ADA, config={"callbacks": [heard]})
        assert bool("".join(heard.tokens)) == bool(is_streaming)
    for method in ("json_schema", "function_calling", "json_mode"):
        heard = Heard()
        who = FormwrightChatModel(tiny, max_tokens=BUDGET).with_structured_output(Who, method=method, strict=True)
        assert who.invoke(ADA, config={"callbacks": [heard]}).keys() == {"name", "age"}
        told = heard.options[0]["ls_structured_output_format"]
        assert told["kwargs"] == {"method": method, "strict": True}
        assert told["schema"] == convert_to_json_schema(Who)
    assert FormwrightChatModel(tiny, timeout=None).options == {}
    assert FormwrightChatModel(tiny, timeout=60, max_tokens=1).invoke(ADA).usage_metadata["output_tokens"] == 1
    raises(LimitExceeded, lambda: FormwrightChatModel(tiny, timeout=1e-9).invoke(ADA))
    raises(ArgumentError, lambda: FormwrightChatModel(tiny, timeout="soon"))
    with standing.remote([("text", ADA_JSON)] * 2) as (model, _):
        assert FormwrightChatModel(model, timeout=5).options == {"time_budget": 5}
        assert FormwrightChatModel(model).with_structured_output(Who).invoke(ADA, timeout=5)["age"] == 36
        raises(ArgumentError, lambda: FormwrightChatModel(model, timeout=5, time_budget=5))
        raises(LimitExceeded, lambda: FormwrightChatModel(model, timeout=1e-9).invoke(ADA))


def check_remote() -> None:
    """The same behind an API: the schema is told, calls go back as they came, and free text is asked for as such."""
    question = {"messages": [HumanMessage("How old is Ada?")]}
    calls = ("calls", [("add", '{"a": 20, "b": 16}')])
    with standing.remote([("text", ADA_JSON), ("text", ADA_JSON), ("text", "Hello.")]) as (model, requests):
        llm = FormwrightChatModel(model, temperature=0)
        assert llm.with_structured_output(Who).invoke(ADA) == {"name": "Ada", "age": 36}
        assert requests[0].json["response_format"]["json_schema"]["strict"] is True
        assert list(llm.with_structured_output(Who).stream(ADA))[-1] == {"name": "Ada", "age": 36}
        message = llm.invoke([SystemMessage("Be kind."), HumanMessage("Hi")], stop=["x"], max_tokens=7)
        assert message.content == "Hello."
        assert message.usage_metadata == {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        asked = requests[2].json
        assert [said["content"] for said in asked["messages"]] == ["Be kind.", "Hi"]
        assert (asked["stop"], asked["temperature"]) == (["x"], 0)
        raises(OptionUnsupported, lambda: llm.invoke("Hi", beams=2))
        raises(OptionUnsupported, lambda: llm.bind_tools([add], response_format=Who).invoke("Hi"))
    with standing.remote([calls, ("text", "She is 36.")]) as (model, requests):
        state = create_agent(FormwrightChatModel(model), [add]).invoke(question)
        assert [message.type for message in state["messages"]] == ["human", "ai", "tool", "ai"]
        said = requests[1].json["messages"]
        assert said[1]["tool_calls"][0]["function"] == {"name": "add", "arguments": '{"a": 20, "b": 16}'}
        assert said[2]["tool_call_id"] == said[1]["tool_calls"][0]["id"]
    with standing.remote([("text", ADA_JSON)] * 2) as (model, _):
        who = FormwrightChatModel(model).with_structured_output(Who)

        async def in_threads() -> None:
            assert await who.ainvoke(ADA) == {"name": "Ada", "age": 36}
            assert [value async for value in who.astream(ADA)][-1] == {"name": "Ada", "age": 36}

        asyncio.run(in_threads())
    as_tool = ("calls", [("Who", ADA_JSON)])
    with standing.remote([calls, as_tool]) as (model, _):
        agent = create_agent(FormwrightChatModel(model), [add], response_format=Who)
        assert agent.invoke(question)["structured_response"] == {"name": "Ada", "age": 36}
    with standing.remote([calls, ("text", ADA_JSON), calls], asynchronous=True) as (model, _):
        llm = FormwrightChatModel(model)

        async def asynchronous() -> None:
            message = await llm.bind_tools([add], tool_choice="any").ainvoke("Add.")
            assert message.tool_calls[0]["args"] == {"a": 20, "b": 16}
            assert await llm.with_structured_output(Who).ainvoke(ADA) == {"name": "Ada", "age": 36}
            chunks = [chunk async for chunk in llm.bind_tools([add], tool_choice="any").astream("Add.")]
            assert sum(chunks[1:], chunks[0]).tool_calls[0]["args"] == {"a": 20, "b": 16}

        asyncio.run(asynchronous())
        raises(ArgumentError, lambda: llm.invoke("Hi"))


def check_alike() -> None:
    """A value, streams, loops of two calls and refusals go the same way with a model here and one behind an API."""
    tools = [parts.add, parts.multiply]
    question = {"messages": [HumanMessage(parts.COMPUTE)]}
    for is_local in (True, False):
        answers = [("text", ADA_JSON), ("text", ADA_JSON), ("text", parts.GREETING)]
        with standing.answering(answers, is_local=is_local) as model:
            llm = FormwrightChatModel(model)
            who = llm.with_structured_output(Who)
            assert who.invoke(ADA) == list(who.stream(ADA))[-1] == {"name": "Ada", "age": 36}
            pieces = [chunk.text for chunk in llm.stream("Greet Ada.") if chunk.text]
            assert "".join(pieces) == parts.GREETING
            assert len(pieces) > 1
            for method in ("json_schema", "function_calling", "json_mode"):
                with parts.refused(LanguageError):
                    llm.with_structured_output(parts.Twice, method=method)
            with parts.refused(LanguageError):
                llm.bind_tools([parts.Twice])
        with standing.answering(standing.LOOP * 2, is_local=is_local) as model:
            agent = create_agent(FormwrightChatModel(model), tools)
            said = agent.invoke(question)["messages"]
            assert [message.type for message in said] == ["human", "ai", "tool", "ai", "tool", "ai"]
            assert [message.text for message in said[2::2]] == ["5", "20"]
            assert said[-1].text == parts.RESULT
            parts.check_calls()
            streamed = [chunk for chunk, _ in agent.stream(question, stream_mode="messages")]
            parts.check_calls()
            assert [chunk.text for chunk in streamed if chunk.type == "tool"] == ["5", "20"]
            assert "".join(chunk.text for chunk in streamed if chunk.type != "tool") == parts.RESULT
    with standing.remote([("error", "no such schema"), ("error", "no such tool"), ("refusal", "I will not.")]) as (
        model,
        _,
    ):
        llm = FormwrightChatModel(model, mode="strict")
        with parts.refused(RequestFailed, "no such schema"):
            llm.with_structured_output(Who).invoke(ADA)
        with parts.refused(RequestFailed, "no such tool"):
            list(llm.bind_tools([add]).stream(ADA))
        with parts.refused(Refused, "I will not."):
            llm.with_structured_output(Who).invoke(ADA)


def check_checked() -> None:
    """Where a service is asked in words, the value is found between them, in a stream too; context reaches types."""
    said = "Here it is:\n```json\n" + ADA_JSON + "\n```\n"
    with standing.remote([("text", said)] * 2) as (model, _):
        who = FormwrightChatModel(model, mode="instructions").with_structured_output(Who)
        assert who.invoke(ADA) == {"name": "Ada", "age": 36}
        assert list(who.stream(ADA))[-1] == {"name": "Ada", "age": 36}
    for method in ("json_schema", "function_calling"):
        for context, kind in (({"known": "Ada"}, None), ({"known": "Bob"}, OutputInvalid)):
            model = standing.local(
                [ADA_JSON if method == "json_schema" else '{"name": "Known", "arguments": ' + ADA_JSON + "}"]
            )
            llm = FormwrightChatModel(model, max_tokens=60).with_structured_output(
                Known, method=method, context=context
            )
            if kind is None:
                assert llm.invoke(ADA).name == "Ada"
            else:
                raises(kind, lambda llm=llm: llm.invoke(ADA))


class Old(OldModel):  # type: ignore[misc]  # it is typed for pydantic 1
    """Who it is."""

    name: str
    age: int

    @validator("age")
    @classmethod
    def is_adult(cls, age: int) -> int:
        assert age >= 18
        return age


def check_old_models() -> None:
    """Models of pydantic 1, by their own schema and validators."""
    for age in (36, 7):
        text = f'{{"name": "Ada", "age": {age}}}'
        for method in ("json_schema", "function_calling", "json_mode"):
            said = text if method != "function_calling" else f'{{"name": "Old", "arguments": {text}}}'
            llm = FormwrightChatModel(standing.local([said]), max_tokens=60).with_structured_output(Old, method=method)
            if age == 36:
                assert llm.invoke(ADA) == Old(name="Ada", age=36)
            else:
                raises(OutputInvalid, lambda llm=llm: llm.invoke(ADA))
    with standing.remote([("text", ADA_JSON)]) as (model, _):
        assert FormwrightChatModel(model).with_structured_output(Old).invoke(ADA) == Old(name="Ada", age=36)


class Known(BaseModel):
    name: str
    age: int

    @field_validator("name")
    @classmethod
    def is_known(cls, name: str, info: ValidationInfo) -> str:
        assert name == info.context["known"]
        return name


def check_cache(tiny: Any) -> None:
    """LangChain's cache tells forms of one name apart."""
    llm = FormwrightChatModel(tiny, cache=InMemoryCache())
    first = llm.with_structured_output(fw.json_schema({"title": "x", "enum": ["a", "b"]})).invoke(ADA)
    other = llm.with_structured_output(fw.json_schema({"title": "x", "enum": ["c", "d"]})).invoke(ADA)
    assert first in ("a", "b")
    assert other in ("c", "d")
    assert llm.with_structured_output(fw.json_schema({"title": "x", "enum": ["a", "b"]})).invoke(ADA) == first


def check_faults(llm: Any) -> None:
    """What cannot be done is an error before anything is written."""
    raises(ArgumentError, lambda: FormwrightChatModel("formwright-tiny", temprature=1))
    raises(ArgumentError, lambda: FormwrightChatModel(42))
    raises(ArgumentError, lambda: llm.invoke(ADA, temprature=1))
    raises(OptionUnsupported, lambda: llm.invoke(ADA, mode="strict"))
    raises(OptionUnsupported, lambda: list(llm.stream(ADA, beams=2)))
    raises(ArgumentError, lambda: llm.with_structured_output(Person, method="yaml"))
    raises(ArgumentError, lambda: llm.with_structured_output())
    raises(OptionUnsupported, lambda: llm.with_structured_output(Person, method="function_calling", max_retries=1))
    raises(ArgumentError, lambda: llm.with_structured_output(Person, tempature=1))
    raises(ArgumentError, lambda: llm.bind_tools([add], tool_choice="subtract"))
    raises(ArgumentError, lambda: llm.bind_tools([{"type": "web_search"}]))
    for broken in ({"pattern": r"(a)\1"}, {"type": "strin"}, {"not": {"uniqueItems": True}}):
        tool = {"name": "f", "parameters": {"type": "object", "properties": {"a": broken}}}
        for choice in ("auto", "any", "f"):
            raises(LanguageError, lambda tool=tool, choice=choice: llm.bind_tools([tool], tool_choice=choice))
    raises(ArgumentError, lambda: llm.bind_tools([add]).invoke(ADA, stop=["x"]))
    raises(LanguageError, lambda: llm.with_structured_output({"not": {"$dynamicRef": "#x"}}))
    raises(NotAForm, lambda: llm.with_structured_output("Person"))


def raises(kind: type[Exception], run: Any) -> None:
    try:
        run()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


if __name__ == "__main__":
    main()
