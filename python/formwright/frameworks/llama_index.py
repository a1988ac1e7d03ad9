"""LlamaIndex: any formwright model as an LLM, whose structured predictions conform by construction.

::

    from llama_index.core.prompts import PromptTemplate
    from formwright.frameworks.llama_index import FormwrightLLM

    llm = FormwrightLLM(fw.load("formwright-tiny"), max_tokens=60)
    prompt = PromptTemplate("{text}")
    llm.structured_predict(Person, prompt, text="Ada is 36 years old.")      # Person(name='Ada', age=36)

Options are those of the model's `generate`, given here or with a call (``llm_kwargs`` where a prediction is asked for);
one that the model does not have is an error. Query engines with ``output_cls``, ``as_structured_llm`` and agents that
call functions go through it. `FormwrightProgram` is the same for code that wants a program.

It costs some microseconds for a token over the model's own, tens in a stream. The prompt does not describe the schema,
as LlamaIndex does for models whose answers nobody constrains; with ``instruct=True`` it does.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from formwright._hosts import import_host
from formwright.errors import ArgumentError, OutputInvalid
from formwright.forms.coerce import form as form_of
from formwright.frameworks import chats, model_options
from formwright.frameworks.llama_index_messages import (
    GrowingResponse,
    make_completion,
    make_response,
    make_user_message,
    read_message,
    read_tool,
)
from formwright.incremental import Incoming

with import_host("llama_index"):
    from llama_index.core.base.llms.types import (
        ChatMessage,
        ChatResponse,
        CompletionResponse,
        LLMMetadata,
        MessageRole,
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
        model = model_options.model_of(model)
        known = FunctionCallingLLM.model_fields
        options = model_options.check_options(
            model, {name: value for name, value in given.items() if name not in known}
        )
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
        window = self.wrapped.runtime.context if model_options.is_local(self.wrapped) else self.context_window
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
        return self._respond(messages, kwargs)

    def _respond(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> ChatResponse:
        """An answer that LlamaIndex's instruments are not told of."""
        return make_response(self._question(messages, kwargs).answer())

    @llm_chat_callback()  # type: ignore[untyped-decorator]
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """The same, awaited."""
        return await self._respond_async(messages, kwargs)

    async def _respond_async(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> ChatResponse:
        """The same, awaited."""
        return make_response(await self._question(messages, kwargs).answer_async())

    @llm_chat_callback()  # type: ignore[untyped-decorator]
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Iterator[ChatResponse]:
        """The answer to a conversation, piece by piece."""
        return self._stream(messages, kwargs)

    def _stream(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> Iterator[ChatResponse]:
        """A stream that LlamaIndex's instruments are not told of."""
        question = self._question(messages, kwargs)

        def gen() -> Iterator[ChatResponse]:
            growing = GrowingResponse()
            for event in question.events():
                yield growing.add(event)

        return gen()

    @llm_chat_callback()  # type: ignore[untyped-decorator]
    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> AsyncIterator[ChatResponse]:
        """The same in an event loop."""
        return self._stream_async(messages, kwargs)

    def _stream_async(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> AsyncIterator[ChatResponse]:
        """The same in an event loop."""
        question = self._question(messages, kwargs)

        async def gen() -> AsyncIterator[ChatResponse]:
            growing = GrowingResponse()
            async for event in question.events_async():
                yield growing.add(event)

        return gen()

    @llm_completion_callback()  # type: ignore[untyped-decorator]
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """The answer to one message of a user."""
        return make_completion(self._respond(make_user_message(prompt), kwargs))

    @llm_completion_callback()  # type: ignore[untyped-decorator]
    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """The same, awaited."""
        return make_completion(await self._respond_async(make_user_message(prompt), kwargs))

    @llm_completion_callback()  # type: ignore[untyped-decorator]
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Iterator[CompletionResponse]:
        """The answer to one message of a user, piece by piece."""
        answers = self._stream(make_user_message(prompt), kwargs)
        return (make_completion(answer) for answer in answers)

    @llm_completion_callback()  # type: ignore[untyped-decorator]
    async def astream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> AsyncIterator[CompletionResponse]:
        """The same in an event loop."""
        answers = self._stream_async(make_user_message(prompt), kwargs)
        return (make_completion(answer) async for answer in answers)

    def structured_predict(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> Any:
        """A value of a type, or of anything else that is a form. Raises as the model's `generate`."""
        _dispatch_start(output_cls, prompt, prompt_args)
        self._ask_for_value(output_cls, prompt, llm_kwargs, prompt_args)
        how = {**(llm_kwargs or {}), "response_format": output_cls}
        return _dispatch_end(self.chat(self._get_messages(prompt, **prompt_args), **how).raw.value)

    async def astructured_predict(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> Any:
        """The same, awaited."""
        _dispatch_start(output_cls, prompt, prompt_args)
        self._ask_for_value(output_cls, prompt, llm_kwargs, prompt_args)
        how = {**(llm_kwargs or {}), "response_format": output_cls}
        return _dispatch_end((await self.achat(self._get_messages(prompt, **prompt_args), **how)).raw.value)

    def stream_structured_predict(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> Iterator[Any]:
        """The value as far as it has come: with all fields optional; then the value itself, which comes last."""
        _dispatch_start(output_cls, prompt, prompt_args)
        form = self._ask_for_value(output_cls, prompt, llm_kwargs, prompt_args).form
        how = {**(llm_kwargs or {}), "response_format": output_cls}
        partial = _Partial(output_cls, self.wrapped, form)
        for response in self.stream_chat(self._get_messages(prompt, **prompt_args), **how):
            yield from partial.add(response)
        partial.end()

    async def astream_structured_predict(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> AsyncIterator[Any]:
        """The same in an event loop."""
        _dispatch_start(output_cls, prompt, prompt_args)
        form = self._ask_for_value(output_cls, prompt, llm_kwargs, prompt_args).form
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
            "tools": list(map(read_tool, tools)),
            "tool_choice": tool_choice or ("required" if tool_required else "auto"),  # programs pass None of it
            "parallel_tool_calls": allow_parallel_tool_calls,
            **kwargs,
        }

    def _ask_for_value(
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
        offered = chats.offer_tools(map(read_tool, tools), choice, several)
        options = model_options.check_options(self.wrapped, options)
        return chats.Question(
            self.wrapped, list(map(read_message, messages)), chats.form_of_format(asked), offered, options
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
        self._incoming: Incoming[Any] | None = Incoming(chats.find_reader(model, form)[0])
        self._last: Any = None

    def add(self, response: ChatResponse) -> Iterator[Any]:
        """Go on; the value with what is new in it."""
        if response.raw is not None:  # the last one
            self._last = response.raw.value
            shown = self._last
        elif (found := self._read_fields(response.delta)) and found != self._last and self._flexible is not None:
            self._last, shown = found, self._flexible(**found)
        else:
            return
        _dispatcher.event(LLMStructuredPredictInProgressEvent(output=shown))
        yield shown

    def _read_fields(self, text: str) -> Any:
        """The fields so far, while there are some to come."""
        if self._incoming is None:
            return None
        try:
            partial = self._incoming.feed(text)
        except OutputInvalid:  # something is around it, or it is not in form: the end will tell
            self._incoming = None
            return None
        return None if partial.is_complete else partial.value

    def end(self) -> Any:
        """The value itself."""
        return _dispatch_end(self._last)


def _dispatch_start(output_cls: Any, prompt: BasePromptTemplate, variables: dict[str, Any]) -> None:
    """Tell LlamaIndex's instruments."""
    event = LLMStructuredPredictStartEvent(output_cls=output_cls, template=prompt, template_args=variables)
    _dispatcher.event(event)


def _dispatch_end(value: Any) -> Any:
    """The value, told to LlamaIndex's instruments."""
    _dispatcher.event(LLMStructuredPredictEndEvent(output=value))
    return value
