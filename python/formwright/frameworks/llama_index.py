"""LlamaIndex: any formwright model as an LLM, whose structured predictions are in form by construction.

::

    from llama_index.core.prompts import PromptTemplate
    from formwright.frameworks.llama_index import FormwrightLLM

    llm = FormwrightLLM(fw.load("formwright-tiny"), max_tokens=60)
    prompt = PromptTemplate("{text}")
    llm.structured_predict(Person, prompt, text="Ada is 36 years old.")      # Person(name='Ada', age=36)

Options are those of the model's `generate`, given here or with a call (``llm_kwargs`` where a prediction is asked for);
one that the model does not have is an error. Query engines with ``output_cls``, ``as_structured_llm`` and agents that
call functions go through it. `FormwrightProgram` is the same for code that wants a program.

Cost: some microseconds for a token over the model's own, tens in a stream.

The wrinkle: nothing is said of the schema in the prompt,
where LlamaIndex says it to models that nobody holds to one; ``instruct=True`` says it here.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from formwright._hosts import import_host
from formwright.conversations.messages import Message
from formwright.errors import ArgumentError, OutputInvalid, PromptError
from formwright.forms.coerce import form as form_of
from formwright.frameworks import chats
from formwright.incremental import Incoming
from formwright.tools import events

with import_host("llama_index"):
    from llama_index.core.base.llms.types import (
        ChatMessage,
        ChatResponse,
        CompletionResponse,
        LLMMetadata,
        MessageRole,
        TextBlock,
        ToolCallBlock,
    )
    from llama_index.core.bridge.pydantic import BaseModel, Field, PrivateAttr
    from llama_index.core.instrumentation import get_dispatcher
    from llama_index.core.instrumentation.events.llm import (
        LLMStructuredPredictEndEvent,
        LLMStructuredPredictInProgressEvent,
        LLMStructuredPredictStartEvent,
    )
    from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
    from llama_index.core.llms.function_calling import FunctionCallingLLM
    from llama_index.core.llms.llm import ToolSelection
    from llama_index.core.program.utils import create_flexible_model
    from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
    from llama_index.core.types import BasePydanticProgram

__all__ = ["FormwrightLLM", "FormwrightProgram"]

_dispatcher = get_dispatcher(__name__)


class FormwrightLLM(FunctionCallingLLM):  # type: ignore[misc]  # llama_index is not typed for us
    """An LLM of LlamaIndex.

    Args:
        model: A model of formwright, or its name as `formwright.load` takes it.
        context_window: How many tokens it can hold; a model that runs here knows it.
        **given: Options of the model's `generate`, and fields of LlamaIndex's ``LLM``.

    Raises:
        ArgumentError, OptionUnsupported: The model does not have an option.
    """

    wrapped: Any = Field(description="The model.", exclude=True)
    options: dict[str, Any] = Field(description="Options of every call.")
    context_window: int | None = Field(default=None, description="How many tokens the model can hold.")
    _name: str | None = PrivateAttr(default=None)

    def __init__(self, model: Any, *, context_window: int | None = None, **given: Any) -> None:
        name = str(model) if isinstance(model, str | Path) else None
        model = chats.model_of(model)
        known = FunctionCallingLLM.model_fields
        options = chats.check_options(model, {name: value for name, value in given.items() if name not in known})
        fields = {name: value for name, value in given.items() if name in known}
        super().__init__(wrapped=model, options=options, context_window=context_window, **fields)
        self._name = name

    def __getstate__(self) -> dict[str, Any]:
        """All but the model, which is loaded again by its name. Raises ArgumentError where it has none."""
        if self._name is None:
            raise ArgumentError(
                "a model object cannot be pickled",
                hint='give the model by its name: "formwright-tiny", a folder, or URL#name',
                argument="model",
            )
        fields = {name: getattr(self, name) for name in self.model_fields_set - {"wrapped", "options"}}
        return {**self.options, **fields, "model": self._name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]  # LlamaIndex does so, too

    @classmethod
    def class_name(cls) -> str:
        """As LlamaIndex names it."""
        return "formwright_llm"

    @property
    def metadata(self) -> LLMMetadata:
        """What LlamaIndex asks of a model."""
        window = self.wrapped.runtime.context if chats.is_local(self.wrapped) else self.context_window
        known = {"context_window": window, "num_output": self.options.get("max_tokens")}
        return LLMMetadata(
            is_chat_model=True,
            is_function_calling_model=True,
            model_name=self.wrapped.name,
            **{name: value for name, value in known.items() if value is not None},
        )

    @llm_chat_callback()  # type: ignore[untyped-decorator]
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """The answer to a conversation."""
        return self._answered(messages, kwargs)

    def _answered(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> ChatResponse:
        """An answer that LlamaIndex's instruments are not told of."""
        return _response(self._question(messages, kwargs).answer())

    @llm_chat_callback()  # type: ignore[untyped-decorator]
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """The same, awaited."""
        return await self._answered_async(messages, kwargs)

    async def _answered_async(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> ChatResponse:
        """The same, awaited."""
        return _response(await self._question(messages, kwargs).answer_async())

    @llm_chat_callback()  # type: ignore[untyped-decorator]
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Iterator[ChatResponse]:
        """The answer to a conversation, piece by piece."""
        return self._growing(messages, kwargs)

    def _growing(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> Iterator[ChatResponse]:
        """A stream that LlamaIndex's instruments are not told of."""
        question = self._question(messages, kwargs)

        def gen() -> Iterator[ChatResponse]:
            growing = _Growing()
            for event in question.events():
                yield growing.add(event)

        return gen()

    @llm_chat_callback()  # type: ignore[untyped-decorator]
    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> AsyncIterator[ChatResponse]:
        """The same in an event loop."""
        return self._growing_async(messages, kwargs)

    def _growing_async(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> AsyncIterator[ChatResponse]:
        """The same in an event loop."""
        question = self._question(messages, kwargs)

        async def gen() -> AsyncIterator[ChatResponse]:
            growing = _Growing()
            async for event in question.events_async():
                yield growing.add(event)

        return gen()

    @llm_completion_callback()  # type: ignore[untyped-decorator]
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """The answer to one message of a user."""
        return _completion(self._answered(_user(prompt), kwargs))

    @llm_completion_callback()  # type: ignore[untyped-decorator]
    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """The same, awaited."""
        return _completion(await self._answered_async(_user(prompt), kwargs))

    @llm_completion_callback()  # type: ignore[untyped-decorator]
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Iterator[CompletionResponse]:
        """The answer to one message of a user, piece by piece."""
        answers = self._growing(_user(prompt), kwargs)
        return (_completion(answer) for answer in answers)

    @llm_completion_callback()  # type: ignore[untyped-decorator]
    async def astream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> AsyncIterator[CompletionResponse]:
        """The same in an event loop."""
        answers = self._growing_async(_user(prompt), kwargs)
        return (_completion(answer) async for answer in answers)

    def structured_predict(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> Any:
        """A value of a type, or of anything else that is a form. Raises as the model's `generate`."""
        _started(output_cls, prompt, prompt_args)
        self._asked(output_cls, prompt, llm_kwargs, prompt_args)
        how = {**(llm_kwargs or {}), "response_format": output_cls}
        return _ended(self.chat(self._get_messages(prompt, **prompt_args), **how).raw.value)

    async def astructured_predict(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> Any:
        """The same, awaited."""
        _started(output_cls, prompt, prompt_args)
        self._asked(output_cls, prompt, llm_kwargs, prompt_args)
        how = {**(llm_kwargs or {}), "response_format": output_cls}
        return _ended((await self.achat(self._get_messages(prompt, **prompt_args), **how)).raw.value)

    def stream_structured_predict(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> Iterator[Any]:
        """The value as far as it has come: with all fields optional; then the value itself, which comes last."""
        _started(output_cls, prompt, prompt_args)
        form = self._asked(output_cls, prompt, llm_kwargs, prompt_args).form
        how = {**(llm_kwargs or {}), "response_format": output_cls}
        partial = _Partial(output_cls, self.wrapped, form)
        for response in self.stream_chat(self._get_messages(prompt, **prompt_args), **how):
            yield from partial.add(response)
        partial.end()

    async def astream_structured_predict(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> AsyncIterator[Any]:
        """The same in an event loop."""
        _started(output_cls, prompt, prompt_args)
        form = self._asked(output_cls, prompt, llm_kwargs, prompt_args).form
        how = {**(llm_kwargs or {}), "response_format": output_cls}
        partial = _Partial(output_cls, self.wrapped, form)

        async def gen() -> AsyncIterator[Any]:
            async for response in await self.astream_chat(self._get_messages(prompt, **prompt_args), **how):
                for value in partial.add(response):
                    yield value
            partial.end()

        return gen()

    def get_tool_calls_from_response(
        self, response: ChatResponse, error_on_no_tool_call: bool = True, **kwargs: Any
    ) -> list[ToolSelection]:
        """The calls of an answer. Raises ArgumentError where there must be one, and is none."""
        calls = [block for block in response.message.blocks if isinstance(block, ToolCallBlock)]
        if not calls and error_on_no_tool_call:
            raise ArgumentError("the answer calls no tool", hint="pass tool_required=True", argument="response")
        return [
            ToolSelection(tool_id=call.tool_call_id, tool_name=call.tool_name, tool_kwargs=call.tool_kwargs)
            for call in calls
        ]

    def as_structured_llm(self, output_cls: Any, **kwargs: Any) -> Any:
        """The model with answers of a type. Raises NotAForm, LanguageError where it cannot be enforced."""
        form_of(output_cls)
        return super().as_structured_llm(output_cls, **kwargs)

    def _prepare_chat_with_tools(
        self,
        tools: Sequence[Any],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        verbose: bool = False,
        allow_parallel_tool_calls: bool = False,
        tool_required: bool = False,
        tool_choice: Any = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        last = [ChatMessage(role=MessageRole.USER, content=user_msg)] if isinstance(user_msg, str) else [user_msg]
        return {
            "messages": [*(chat_history or ()), *(last if user_msg is not None else ())],
            "tools": list(map(_tool, tools)),
            "tool_choice": tool_choice or ("required" if tool_required else "auto"),  # programs pass None of it
            "parallel_tool_calls": allow_parallel_tool_calls,
            **kwargs,
        }

    def _asked(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: Mapping[str, Any] | None, args: dict[str, Any]
    ) -> chats.Question:
        """What is asked for a value."""
        messages = self._get_messages(prompt, **args)
        question = self._question(messages, {**(llm_kwargs or {}), "response_format": output_cls})
        if cut := {"stop", "finish", "cancel"} & question.options.keys():
            name = min(cut)
            raise ArgumentError(
                f"{name}= may cut a text, and a prediction is a value", hint=f"leave {name} out", argument=name
            )
        return question

    def _question(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> chats.Question:
        """What is asked, by the options of the model and of a call. Raises ArgumentError, OptionUnsupported."""
        options = {**self.options, **kwargs}
        tools, choice = options.pop("tools", None) or (), options.pop("tool_choice", None)
        several, asked = options.pop("parallel_tool_calls", None), options.pop("response_format", None)
        offered = chats.offer_tools(map(_tool, tools), choice, several)
        options = chats.check_options(self.wrapped, options)
        return chats.Question(
            self.wrapped, list(map(_read_message, messages)), chats.form_of_format(asked), offered, options
        )


class FormwrightProgram(BasePydanticProgram[Any]):  # type: ignore[misc]
    """A prompt and the type of its answers, as a function of the prompt's variables.

    Args:
        output_cls: The type, or anything else that is a form.
        prompt: The template, or its text.
        llm: The model, or what `FormwrightLLM` takes.
    """

    def __init__(self, output_cls: Any, prompt: BasePromptTemplate | str, llm: Any) -> None:
        form_of(output_cls)
        self._output_cls, self.llm = output_cls, llm if isinstance(llm, FormwrightLLM) else FormwrightLLM(llm)
        self.prompt = PromptTemplate(prompt) if isinstance(prompt, str) else prompt

    @property
    def output_cls(self) -> Any:
        """The type."""
        return self._output_cls

    def __call__(self, llm_kwargs: dict[str, Any] | None = None, **variables: Any) -> Any:
        """The value for these variables. Raises as the model's `generate`."""
        return self.llm.structured_predict(self._output_cls, self.prompt, llm_kwargs, **variables)

    async def acall(self, llm_kwargs: dict[str, Any] | None = None, **variables: Any) -> Any:
        """The same, awaited."""
        return await self.llm.astructured_predict(self._output_cls, self.prompt, llm_kwargs, **variables)

    def stream_call(self, llm_kwargs: dict[str, Any] | None = None, **variables: Any) -> Iterator[Any]:
        """As `FormwrightLLM.stream_structured_predict`."""
        values: Iterator[Any] = self.llm.stream_structured_predict(
            self._output_cls, self.prompt, llm_kwargs, **variables
        )
        return values

    async def astream_call(self, llm_kwargs: dict[str, Any] | None = None, **variables: Any) -> AsyncIterator[Any]:
        """As `FormwrightLLM.astream_structured_predict`."""
        values: AsyncIterator[Any] = await self.llm.astream_structured_predict(
            self._output_cls, self.prompt, llm_kwargs, **variables
        )
        return values


class _Partial:
    """A value as far as it has come."""

    def __init__(self, output_cls: Any, model: Any, form: Any) -> None:
        is_model = isinstance(output_cls, type) and issubclass(output_cls, BaseModel)
        self._flexible = create_flexible_model(output_cls) if is_model else None
        self._incoming: Incoming[Any] | None = Incoming(chats.reading(model, form)[0])
        self._last: Any = None

    def add(self, response: ChatResponse) -> Iterator[Any]:
        """Go on; the value with what is new in it."""
        if response.raw is not None:  # the last one
            self._last = response.raw.value
            shown = self._last
        elif (found := self._grown(response.delta)) and found != self._last and self._flexible is not None:
            self._last, shown = found, self._flexible(**found)
        else:
            return
        _dispatcher.event(LLMStructuredPredictInProgressEvent(output=shown))
        yield shown

    def _grown(self, text: str) -> Any:
        """The fields so far, while there are some to come."""
        if self._incoming is None:
            return None
        try:
            partial = self._incoming.feed(text)
        except OutputInvalid:  # something stands around it, or it is not in form: the end will tell
            self._incoming = None
            return None
        return None if partial.is_complete else partial.value

    def end(self) -> Any:
        """The value itself."""
        return _ended(self._last)


def _started(output_cls: Any, prompt: BasePromptTemplate, variables: dict[str, Any]) -> None:
    """Tell LlamaIndex's instruments."""
    event = LLMStructuredPredictStartEvent(output_cls=output_cls, template=prompt, template_args=variables)
    _dispatcher.event(event)


def _ended(value: Any) -> Any:
    """The value, told to LlamaIndex's instruments."""
    _dispatcher.event(LLMStructuredPredictEndEvent(output=value))
    return value


class _Growing:
    """A response that grows with each event."""

    def __init__(self) -> None:
        self._text, self._calls = "", dict[int, ToolCallBlock]()

    def add(self, event: chats.Event) -> ChatResponse:
        match event:
            case events.Text(text):
                self._text += text
                return ChatResponse(message=self._message(), delta=text)
            case events.CallBegun(number, id_, name):
                self._calls[number] = ToolCallBlock(tool_call_id=id_, tool_name=name, tool_kwargs="")
            case events.CallArguments(number, text):
                self._calls[number].tool_kwargs += text
            case _:
                return _response(event)
        return ChatResponse(message=self._message(), delta="")

    def _message(self) -> ChatMessage:
        text = [TextBlock(text=self._text)] if self._text or not self._calls else []
        calls = [call.model_copy() for call in self._calls.values()]
        return ChatMessage(role=MessageRole.ASSISTANT, blocks=[*text, *calls])


class _Raw(dict[str, Any]):
    """A result with the tokens under ``usage``, where LlamaIndex looks for them; it has all of its attributes."""

    def __init__(self, result: Any, usage: Mapping[str, int]) -> None:
        super().__init__(usage=dict(usage))
        self.result = result

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "result":
            raise AttributeError(name)
        return getattr(self.result, name)


def _response(answer: chats.Answer) -> ChatResponse:
    calls = [
        ToolCallBlock(tool_call_id=call.id, tool_name=call.name, tool_kwargs=call.arguments) for call in answer.calls
    ]
    text = [TextBlock(text=answer.text)] if answer.text or not calls else []
    usage = answer.usage
    counts = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
    told = {**counts, "total_tokens": usage.total_tokens, **answer.metadata}
    message = ChatMessage(role=MessageRole.ASSISTANT, blocks=[*text, *calls])
    raw = _Raw(answer.result, {**counts, "total_tokens": usage.total_tokens})
    return ChatResponse(message=message, raw=raw, additional_kwargs=told, delta="")


def _completion(response: ChatResponse) -> CompletionResponse:
    return CompletionResponse(
        text=response.message.content or "",
        delta=response.delta,
        raw=response.raw,
        additional_kwargs=response.additional_kwargs,
    )


def _tool(tool: Any) -> Any:
    """A tool as `formwright.tools.tool_of` reads it."""
    return tool.metadata.to_openai_tool(skip_length_check=True) if hasattr(tool, "metadata") else tool


def _read_message(message: ChatMessage) -> Message:
    """A message as our models read it. Raises PromptError."""
    where = f"a message of the role {message.role.value!r}"
    role = _ROLES.get(message.role)
    calls = [block for block in message.blocks if isinstance(block, ToolCallBlock)]
    if role is None or (calls and role != "assistant"):
        raise PromptError(f"{where} cannot be read")
    if message.additional_kwargs.get("tool_calls") and not calls:
        raise PromptError(f"{where} has calls of another LLM", hint="give them as blocks: ToolCallBlock")
    texts = [block.text if isinstance(block, TextBlock) else block for block in message.blocks if block not in calls]
    found: Message = {"role": role, "content": chats.text_of(texts, where)}
    if role == "tool":
        found["id"] = message.additional_kwargs.get("tool_call_id") or ""
    if calls:
        found["calls"] = [
            {"id": call.tool_call_id, "name": call.tool_name, "arguments": _arguments(call.tool_kwargs)}
            for call in calls
        ]
    return found


_ROLES = {
    MessageRole.SYSTEM: "system",
    MessageRole.DEVELOPER: "developer",
    MessageRole.USER: "user",
    MessageRole.ASSISTANT: "assistant",
    MessageRole.CHATBOT: "assistant",
    MessageRole.MODEL: "assistant",
    MessageRole.TOOL: "tool",
}


def _arguments(given: dict[str, Any] | str) -> Any:
    return json.loads(given or "{}") if isinstance(given, str) else given


def _user(prompt: str) -> list[ChatMessage]:
    return [ChatMessage(role=MessageRole.USER, content=prompt)]
