"""LlamaIndex: any formwright model as an LLM, whose structured predictions conform by construction.

::

    from llama_index.core.prompts import PromptTemplate
    from formwright.frameworks.llama_index import FormwrightLLM

    llm = FormwrightLLM(fw.load("formwright-tiny"), max_tokens=60)
    prompt = PromptTemplate("{text}")
    llm.structured_predict(Person, prompt, text="Ada is 36 years old.")      # Person(name='Ada', age=36)

Options are those of the model's `generate`, passed here or with a call (``llm_kwargs`` of a prediction); any other is
an error. Query engines with ``output_cls``, ``as_structured_llm`` and agents that call functions go through it.
`FormwrightProgram` is the same for code that needs a program.

It adds some microseconds per token to the time of the model, and tens of them in a stream. LlamaIndex describes the
schema in the prompt of models without constraints; here only ``instruct=True`` does.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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


class _PredictionRequest(NamedTuple):
    """The messages of a prediction, the options of its call, and the form of its value."""

    messages: Sequence[ChatMessage]
    options: dict[str, Any]
    form: Any


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
        model = model_options.find_model(model)
        known = FunctionCallingLLM.model_fields
        options = model_options.check_options(
            model, {name: value for name, value in given.items() if name not in known}
        )
        fields = {name: value for name, value in given.items() if name in known}
        super().__init__(wrapped=model, options=options, context_window=context_window, **fields)
        self._name = name

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the model, which is loaded again by its name. Raises ArgumentError if it has none."""
        if self._name is None:
            raise ArgumentError(
                "a model object cannot be pickled",
                hint='pass the model by its name: "formwright-tiny", a folder, or URL#name',
                argument="model",
            )
        fields = {name: getattr(self, name) for name in self.model_fields_set - {"wrapped", "options"}}
        return {**self.options, **fields, "model": self._name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]  # as LlamaIndex itself does

    @classmethod
    def class_name(cls) -> str:
        """Return the name by which LlamaIndex knows the class."""
        return "formwright_llm"

    @property
    def metadata(self) -> LLMMetadata:
        """What LlamaIndex needs to know about a model."""
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
        """Answer a conversation."""
        return self._respond(messages, kwargs)

    def _respond(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> ChatResponse:
        """Answer a conversation without a report to LlamaIndex's instruments."""
        return make_response(self._make_question(messages, kwargs).answer())

    @llm_chat_callback()  # type: ignore[untyped-decorator]
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Answer a conversation in an event loop."""
        return await self._respond_async(messages, kwargs)

    async def _respond_async(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> ChatResponse:
        """Do as `_respond`, in an event loop."""
        return make_response(await self._make_question(messages, kwargs).answer_async())

    @llm_chat_callback()  # type: ignore[untyped-decorator]
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Iterator[ChatResponse]:
        """Answer a conversation, piece by piece."""
        return self._stream(messages, kwargs)

    def _stream(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> Iterator[ChatResponse]:
        """Answer a conversation, piece by piece, without a report to LlamaIndex's instruments."""
        question = self._make_question(messages, kwargs)

        def yield_responses() -> Iterator[ChatResponse]:
            growing = GrowingResponse()
            for event in question.stream():
                yield growing.add(event)

        return yield_responses()

    @llm_chat_callback()  # type: ignore[untyped-decorator]
    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> AsyncIterator[ChatResponse]:
        """Answer a conversation, piece by piece, in an event loop."""
        return self._stream_async(messages, kwargs)

    def _stream_async(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> AsyncIterator[ChatResponse]:
        """Do as `_stream`, in an event loop."""
        question = self._make_question(messages, kwargs)

        async def yield_responses() -> AsyncIterator[ChatResponse]:
            growing = GrowingResponse()
            async for event in question.stream_async():
                yield growing.add(event)

        return yield_responses()

    @llm_completion_callback()  # type: ignore[untyped-decorator]
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """Answer one message of a user."""
        return make_completion(self._respond(make_user_message(prompt), kwargs))

    @llm_completion_callback()  # type: ignore[untyped-decorator]
    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """Answer one message of a user in an event loop."""
        return make_completion(await self._respond_async(make_user_message(prompt), kwargs))

    @llm_completion_callback()  # type: ignore[untyped-decorator]
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Iterator[CompletionResponse]:
        """Answer one message of a user, piece by piece."""
        answers = self._stream(make_user_message(prompt), kwargs)
        return (make_completion(answer) for answer in answers)

    @llm_completion_callback()  # type: ignore[untyped-decorator]
    async def astream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> AsyncIterator[CompletionResponse]:
        """Answer one message of a user, piece by piece, in an event loop."""
        answers = self._stream_async(make_user_message(prompt), kwargs)
        return (make_completion(answer) async for answer in answers)

    def structured_predict(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> Any:
        """Predict a value of a type, or of anything else that is a form. Raises as the model's `generate`."""
        request = self._begin_prediction(output_cls, prompt, llm_kwargs, prompt_args)
        return _dispatch_end(self.chat(request.messages, **request.options).raw.value)

    async def astructured_predict(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> Any:
        """Predict a value in an event loop."""
        request = self._begin_prediction(output_cls, prompt, llm_kwargs, prompt_args)
        return _dispatch_end((await self.achat(request.messages, **request.options)).raw.value)

    def stream_structured_predict(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> Iterator[Any]:
        """Yield the value as far as it has come, with all fields optional; the value itself comes last."""
        request = self._begin_prediction(output_cls, prompt, llm_kwargs, prompt_args)
        partial = _PartialPrediction(output_cls, self.wrapped, request.form)
        for response in self.stream_chat(request.messages, **request.options):
            yield from partial.add(response)
        partial.end()

    async def astream_structured_predict(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> AsyncIterator[Any]:
        """Yield the value as far as it has come, in an event loop."""
        request = self._begin_prediction(output_cls, prompt, llm_kwargs, prompt_args)
        partial = _PartialPrediction(output_cls, self.wrapped, request.form)

        async def yield_responses() -> AsyncIterator[Any]:
            async for response in await self.astream_chat(request.messages, **request.options):
                for value in partial.add(response):
                    yield value
            partial.end()

        return yield_responses()

    def get_tool_calls_from_response(
        self, response: ChatResponse, error_on_no_tool_call: bool = True, **kwargs: Any
    ) -> list[ToolSelection]:
        """List the calls of an answer. Raises ArgumentError if there must be one, and there is none."""
        calls = [block for block in response.message.blocks if isinstance(block, ToolCallBlock)]
        if not calls and error_on_no_tool_call:
            raise ArgumentError("the answer calls no tool", hint="pass tool_required=True", argument="response")
        return [
            ToolSelection(tool_id=call.tool_call_id, tool_name=call.tool_name, tool_kwargs=call.tool_kwargs)
            for call in calls
        ]

    def as_structured_llm(self, output_cls: Any, **kwargs: Any) -> Any:
        """Return the model with answers of a type. Raises NotAForm, LanguageError if it cannot be enforced."""
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
            "tool_choice": tool_choice or ("required" if tool_required else "auto"),  # programs pass tool_choice=None
            "parallel_tool_calls": allow_parallel_tool_calls,
            **kwargs,
        }

    def _begin_prediction(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: Mapping[str, Any] | None, args: dict[str, Any]
    ) -> _PredictionRequest:
        """Check what is requested for a prediction, and report its start. Raises ArgumentError, OptionUnsupported."""
        _dispatch_start(output_cls, prompt, args)
        messages = self._get_messages(prompt, **args)
        options = {**(llm_kwargs or {}), "response_format": output_cls}
        question = self._make_question(messages, options)
        if cut := {"stop", "finish", "cancel"} & question.options.keys():
            name = min(cut)
            raise ArgumentError(
                f"{name}= may cut a text, and a prediction is a value", hint=f"leave {name} out", argument=name
            )
        return _PredictionRequest(messages, options, question.form)

    def _make_question(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any]) -> chats.Question:
        """Make the question from the options of the model and of a call. Raises ArgumentError, OptionUnsupported."""
        options = {**self.options, **kwargs}
        tools, choice = options.pop("tools", None) or (), options.pop("tool_choice", None)
        several, format_ = options.pop("parallel_tool_calls", None), options.pop("response_format", None)
        offered = chats.offer_tools(map(read_tool, tools), choice, several)
        options = model_options.check_options(self.wrapped, options)
        return chats.Question(
            self.wrapped, list(map(read_message, messages)), chats.read_response_format(format_), offered, options
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
        """Predict the value for these variables. Raises as the model's `generate`."""
        return self.llm.structured_predict(self._output_cls, self.prompt, llm_kwargs, **variables)

    async def acall(self, llm_kwargs: dict[str, Any] | None = None, **variables: Any) -> Any:
        """Predict the value in an event loop."""
        return await self.llm.astructured_predict(self._output_cls, self.prompt, llm_kwargs, **variables)

    def stream_call(self, llm_kwargs: dict[str, Any] | None = None, **variables: Any) -> Iterator[Any]:
        """Stream as `FormwrightLLM.stream_structured_predict` does."""
        values: Iterator[Any] = self.llm.stream_structured_predict(
            self._output_cls, self.prompt, llm_kwargs, **variables
        )
        return values

    async def astream_call(self, llm_kwargs: dict[str, Any] | None = None, **variables: Any) -> AsyncIterator[Any]:
        """Stream as `FormwrightLLM.astream_structured_predict` does."""
        values: AsyncIterator[Any] = await self.llm.astream_structured_predict(
            self._output_cls, self.prompt, llm_kwargs, **variables
        )
        return values


class _PartialPrediction:
    """The value of a prediction as far as it has come."""

    def __init__(self, output_cls: Any, model: Any, form: Any) -> None:
        is_model = isinstance(output_cls, type) and issubclass(output_cls, BaseModel)
        self._flexible = create_flexible_model(output_cls) if is_model else None
        self._incoming: Incoming[Any] | None = Incoming(chats.make_answer_reader(model, form)[0])
        self._last: Any = None

    def add(self, response: ChatResponse) -> Iterator[Any]:
        """Read a response; yield the value if anything in it is new."""
        if response.raw is not None:  # of the last response
            self._last = response.raw.value
            shown = self._last
        elif (found := self._read_fields(response.delta)) and found != self._last and self._flexible is not None:
            self._last, shown = found, self._flexible(**found)
        else:
            return
        _dispatcher.event(LLMStructuredPredictInProgressEvent(output=shown))
        yield shown

    def _read_fields(self, text: str) -> Any:
        """Read the fields so far, while more are to come."""
        if self._incoming is None:
            return None
        try:
            partial = self._incoming.feed(text)
        except OutputInvalid:  # other text is around it, or it does not conform: the last response has the value
            self._incoming = None
            return None
        return None if partial.is_complete else partial.value

    def end(self) -> Any:
        """Return the value itself, and report the end of the prediction."""
        return _dispatch_end(self._last)


def _dispatch_start(output_cls: Any, prompt: BasePromptTemplate, variables: dict[str, Any]) -> None:
    """Report the start of a prediction to LlamaIndex's instruments."""
    event = LLMStructuredPredictStartEvent(output_cls=output_cls, template=prompt, template_args=variables)
    _dispatcher.event(event)


def _dispatch_end(value: Any) -> Any:
    """Report the value of a prediction to LlamaIndex's instruments, and return it."""
    _dispatcher.event(LLMStructuredPredictEndEvent(output=value))
    return value
