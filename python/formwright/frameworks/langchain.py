"""LangChain: any formwright model as a chat model, with structured output and tools that cannot go wrong.

::

    from formwright.frameworks.langchain import FormwrightChatModel

    llm = FormwrightChatModel(fw.load("formwright-tiny"), max_tokens=60)
    llm.with_structured_output(Person).invoke("Ada is 36 years old.")      # Person(name='Ada', age=36)

Options are those of the model's `generate`, passed here, bound, or with a call; any other is an error. The forms of
`with_structured_output` and `bind_tools` are enforced by the kernel, or as `RemoteModel` does it;
``response_metadata["enforced"]`` says which.

It adds some microseconds per token to the time of the model, and tens of them in a stream. ``method="json_mode"``
enforces the schema too, if there is one. With ``strict=True`` the form must be enforced: by the service, if the model
is served by an API.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from formwright._hosts import import_host
from formwright.conversations.messages import Message, ToolCall
from formwright.errors import ArgumentError, OptionUnsupported, OutputInvalid, PromptError
from formwright.forms.context import validation_context
from formwright.forms.form import Form
from formwright.forms.json_forms import json_schema
from formwright.frameworks import chats, model_options
from formwright.incremental import Incoming
from formwright.tools import events, tool_of
from formwright.tools.offered import Offered

with import_host("langchain"):
    from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
    from langchain_core.language_models import BaseChatModel, LanguageModelInput, ModelProfile
    from langchain_core.messages import (
        AIMessage,
        AIMessageChunk,
        BaseMessage,
        ChatMessage,
        HumanMessage,
        SystemMessage,
        ToolMessage,
    )
    from langchain_core.messages.tool import tool_call, tool_call_chunk
    from langchain_core.output_parsers import BaseTransformOutputParser
    from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
    from langchain_core.runnables import Runnable, RunnableLambda, RunnableMap, RunnablePassthrough
    from langchain_core.tools import BaseTool
    from langchain_core.utils.function_calling import convert_to_json_schema, convert_to_openai_tool
    from langchain_core.utils.pydantic import is_basemodel_subclass, is_pydantic_v1_subclass
    from typing_extensions import is_typeddict

__all__ = ["FormParser", "FormwrightChatModel"]


class FormwrightChatModel(BaseChatModel):  # type: ignore[misc]  # langchain_core is not typed for us
    """A chat model of LangChain.

    Args:
        model: A model of formwright, or its name as `formwright.load` takes it.
        **given: Options of the model's `generate`, and fields of ``BaseChatModel``.

    Raises:
        ArgumentError, OptionUnsupported: The model does not have an option.
    """

    wrapped: Any
    """The model."""
    options: dict[str, Any]
    """Options of every call."""
    streaming: bool | None = None
    """Whether ``invoke`` reads a stream, too, so that callbacks get each token."""

    def __init__(self, model: Any = None, /, **given: Any) -> None:
        model = model_options.find_model(given.pop("model", given.pop("wrapped", None)) if model is None else model)
        options = {**given.pop("options", {}), **{name: value for name, value in given.items() if not _is_field(name)}}
        fields = {name: value for name, value in given.items() if _is_field(name)}
        super().__init__(wrapped=model, options=model_options.check_options(model, _rename_timeout(options)), **fields)

    @property
    def _llm_type(self) -> str:
        return "formwright"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": repr(self.wrapped), **self.options}

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        return {**super()._get_ls_params(stop, **kwargs), "ls_model_name": kwargs.get("model", self.wrapped.name)}

    def _resolve_model_profile(self) -> ModelProfile:
        """Describe the model. One of an API cannot combine tools with a schema, so agents make a tool of the schema."""
        is_local = model_options.is_local(self.wrapped)
        profile: ModelProfile = {"structured_output": is_local, "tool_calling": True, "tool_choice": True}
        return profile

    def bind_tools(
        self,
        tools: Sequence[Any],
        *,
        tool_choice: Any = None,
        strict: bool | None = None,
        parallel_tool_calls: bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Bind tools: functions, types with fields, ``BaseTool``, and descriptions as APIs list them.

        Args:
            tools: The tools.
            tool_choice: ``"auto"``, ``"any"``, ``"none"``, or the name of one.
            strict: Whether the arguments must be enforced.
            parallel_tool_calls: Whether there may be several calls.
            **kwargs: Options of the model, and ``response_format``.

        Raises:
            ArgumentError, OptionUnsupported: A tool, a choice or an option is invalid.
            NotAForm, LanguageError: The arguments of a tool cannot be enforced.
        """
        known = [tool_of(_convert_tool(tool)) for tool in tools]
        listed = [tool.described() for tool in known]
        # LangChain's own tests bind two tools with one name, so only a question with both is refused.
        named = {tool.name: listed[number] for number, tool in enumerate(known)}
        bound = {"tool_choice": tool_choice, "strict": strict, "parallel_tool_calls": parallel_tool_calls}
        given = {name: value for name, value in bound.items() if value is not None} | kwargs
        self._make_question([], None, {"tools": list(named.values()), **given}).check_form()
        return self.bind(tools=listed, **given)

    def with_structured_output(
        self,
        schema: Any = None,
        *,
        method: str = "json_schema",
        include_raw: bool = False,
        strict: bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, Any]:
        """Return the model with answers of a type, a schema, or whatever `formwright.form` reads.

        Args:
            schema: A type, a schema, a pattern, or a form; ``None`` is any JSON object, with ``method="json_mode"``.
            method: ``"json_schema"``, ``"function_calling"`` (the form is the arguments of a tool), ``"json_mode"``.
            include_raw: Whether to return a dict of ``raw``, ``parsed`` and ``parsing_error``.
            strict: Whether the form must be enforced.
            **kwargs: Options of the model.

        Raises:
            ArgumentError: There is no such method, or no schema.
            NotAForm, LanguageError: The schema cannot be read or enforced.
        """
        if method not in ("json_schema", "function_calling", "json_mode") or (schema is None and method != "json_mode"):
            known = '"json_schema", "function_calling" or "json_mode", of which only the last needs no schema'
            raise ArgumentError(f"method: expected {known}, got {method!r}", argument="method")
        context = {**self.options, **kwargs}.get("context")
        if method == "function_calling":
            llm, read = self._bind_schema_as_tool(schema, strict, kwargs)
            return _add_parser(llm, RunnableLambda(_make_arguments_reader(read, context)), include_raw)
        form = chats.KeyedForm({"type": "object"} if schema is None else _unwrap_schema(schema))
        if method == "json_mode" and not model_options.is_local(self.wrapped):
            kwargs = {"mode": "json_object", **kwargs}
        bound = {"response_format": form, **({} if strict is None else {"strict": strict}), **kwargs}
        self._make_question([], None, bound)
        read_form, find = chats.make_answer_reader(self.wrapped, form.form)
        parser = FormParser(form=read_form, find=find, context=context, grows=_has_useful_parts(schema))
        return _add_parser(
            self.bind(**bound, **_describe_to_tracers(schema, form.form, method, strict)), parser, include_raw
        )

    def _bind_schema_as_tool(
        self, schema: Any, strict: bool | None, kwargs: Mapping[str, Any]
    ) -> tuple[Runnable[LanguageModelInput, AIMessage], Callable[[str], Any]]:
        """Bind a schema as the one tool, which must be called. Returns the model, and what reads the arguments."""
        if {**self.options, **kwargs}.get("max_retries"):
            raise OptionUnsupported(
                "max_retries= cannot be combined with method='function_calling': the type reads the arguments later",
                hint='pass method="json_schema"',
                argument="max_retries",
            )
        tool = tool_of(_convert_tool(schema))
        traced = _describe_to_tracers(schema, tool.arguments({}), "function_calling", strict)
        llm = self.bind_tools([tool], tool_choice=tool.name, strict=strict, **kwargs, **traced)
        return llm, _make_old_form(schema).read if _is_old_model(schema) else tool.read

    def _make_question(
        self, messages: Sequence[BaseMessage], stop: Sequence[str] | None, kwargs: Mapping[str, Any]
    ) -> chats.Question:
        """Make the question from the options of the model and of a call. Raises ArgumentError, OptionUnsupported."""
        options = {**self.options, **kwargs, **({} if stop is None else {"stop": stop})}
        tools, choice = options.pop("tools", None) or (), options.pop("tool_choice", None)
        several, strict = options.pop("parallel_tool_calls", None), options.pop("strict", None)
        format_ = options.pop("response_format", None)
        for name in ("stream", "ls_structured_output_format"):  # of LangChain itself
            options.pop(name, None)
        offered = chats.offer_tools(map(_convert_tool, tools), choice, several) if tools or choice else Offered()
        form = chats.read_response_format(format_)
        strict = strict or (isinstance(format_, Mapping) and bool(format_.get("json_schema", {}).get("strict"))) or None
        options = model_options.check_options(self.wrapped, _rename_timeout(options))
        return chats.Question(self.wrapped, list(map(_read_message, messages)), form, offered, options, strict)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._make_result(self._make_question(messages, stop, kwargs).answer())

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._make_result(await self._make_question(messages, stop, kwargs).answer_async())

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for event in self._make_question(messages, stop, kwargs).stream():
            yield self._make_chunk(event)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        async for event in self._make_question(messages, stop, kwargs).stream_async():
            yield self._make_chunk(event)

    def _make_result(self, answer: chats.ChatAnswer) -> ChatResult:
        calls = [tool_call(name=call.name, args=call.arguments, id=call.id) for call in answer.calls]
        message = AIMessage(answer.text, tool_calls=calls, **self._describe_answer(answer))
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _describe_answer(self, answer: chats.ChatAnswer) -> dict[str, Any]:
        """Describe what LangChain records with the text: usage, and why the answer ends."""
        usage = answer.usage
        counts = {"input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens}
        return {
            "usage_metadata": {**counts, "total_tokens": usage.total_tokens},
            "response_metadata": {"model_name": self.wrapped.name, **answer.metadata},
        }

    def _make_chunk(self, event: chats.Event) -> ChatGenerationChunk:
        match event:
            case events.Text(text):
                message = AIMessageChunk(text)
            case events.CallBegun(number, id_, name):
                message = AIMessageChunk("", tool_call_chunks=[tool_call_chunk(name=name, id=id_, index=number)])
            case events.CallArguments(number, text):
                message = AIMessageChunk("", tool_call_chunks=[tool_call_chunk(args=text, index=number)])
            case _:
                message = AIMessageChunk("", chunk_position="last", **self._describe_answer(event))
        return ChatGenerationChunk(message=message)


class FormParser(BaseTransformOutputParser[Any]):  # type: ignore[misc]
    """Reads the text of an answer by its form; of a stream, the value once it is complete.

    Attributes:
        form: The form.
        find: Finds the conforming text if other text may be around it.
        context: What validators see.
        grows: Whether a stream also yields the value as far as it has come.
    """

    form: Any
    find: Any = str
    context: Any = None
    grows: bool = False

    def parse(self, text: str) -> Any:
        """Read the value of a text. Raises OutputInvalid."""
        return self.form.parse(self.find(text), context=self.context)

    def _transform(self, input: Iterator[str | BaseMessage]) -> Iterator[Any]:
        growing = _GrowingValue(self.form, self.grows)
        for chunk in input:
            yield from growing.add(chunk)
        yield self.parse(growing.text)

    async def _atransform(self, input: AsyncIterator[str | BaseMessage]) -> AsyncIterator[Any]:
        growing = _GrowingValue(self.form, self.grows)
        async for chunk in input:
            for value in growing.add(chunk):
                yield value
        yield self.parse(growing.text)


class _GrowingValue:
    """The value of a text that arrives in chunks."""

    def __init__(self, form: Form[Any], grows: bool) -> None:
        self.text, self._last = "", None
        self._incoming = Incoming(form) if grows else None

    def add(self, chunk: str | BaseMessage) -> Iterator[Any]:
        piece = chunk if isinstance(chunk, str) else str(chunk.text)
        self.text += piece
        if self._incoming is None or not piece:
            return
        try:
            value = self._incoming.feed(piece).value
        except OutputInvalid:  # other text is around it, or it does not conform: `parse` finds out at the end
            self._incoming = None
            return
        if value is not None and value != self._last:
            self._last = value
            yield value


def _add_parser(
    llm: Runnable[Any, AIMessage], parser: Runnable[AIMessage, Any], include_raw: bool
) -> Runnable[Any, Any]:
    """Let a parser read the answers: the values, or the messages with their values."""
    if not include_raw:
        return llm | parser
    parsed = RunnablePassthrough.assign(parsed=itemgetter("raw") | parser, parsing_error=lambda _: None)
    failed = RunnablePassthrough.assign(parsed=lambda _: None)
    return llm | RunnableMap(raw=RunnablePassthrough()) | parsed.with_fallbacks([failed], exception_key="parsing_error")


def _make_arguments_reader(read: Callable[[str], Any], context: Any) -> Callable[[AIMessage], Any]:
    """Make what reads the arguments of the one call."""

    def read_arguments(message: AIMessage) -> Any:
        with validation_context(context):
            return read(json.dumps(message.tool_calls[0]["args"], ensure_ascii=False))

    return read_arguments


def _is_field(name: str) -> bool:
    return name in BaseChatModel.model_fields or name == "streaming"


def _rename_timeout(options: Mapping[str, Any]) -> dict[str, Any]:
    """Rename ``timeout``, as LangChain calls it, to our name. Raises ArgumentError."""
    given = dict(options)
    seconds = given.pop("timeout", None)
    if seconds is None:
        return given
    model_options.check_seconds(seconds, "timeout")
    if given.get("time_budget") is not None:
        raise ArgumentError("timeout= and time_budget= are the same", hint="leave one out", argument="timeout")
    return given | {"time_budget": seconds}


def _describe_to_tracers(schema: Any, form: Form[Any], method: str, strict: bool | None) -> dict[str, Any]:
    """Describe a form with a schema to LangChain's tracers; a class, as LangChain describes it."""
    if form.origin is None or form.origin.kind != "schema":
        return {}
    described = json.loads(form.origin.what)
    if not isinstance(described, dict):
        return {}
    described = {"title": form.title, **described}
    if is_typeddict(schema) or (isinstance(schema, type) and is_basemodel_subclass(schema)):
        with contextlib.suppress(Exception):  # it reads fewer classes, and a trace is not a reason to refuse one
            described = convert_to_json_schema(schema)
    return {"ls_structured_output_format": {"kwargs": {"method": method, "strict": strict}, "schema": described}}


def _has_useful_parts(schema: Any) -> bool:
    """Whether parts of a value are useful: part of a dict is a dict, but part of an instance is not an instance."""
    return schema is None or isinstance(schema, Mapping) or is_typeddict(schema)


def _unwrap_schema(schema: Any) -> Any:
    """Return a schema, also of one that is written as a function of an API."""
    if isinstance(schema, Mapping) and {"name", "parameters"} <= schema.keys():
        return schema["parameters"]
    return _make_old_form(schema) if _is_old_model(schema) else schema


def _is_old_model(schema: Any) -> bool:
    """Whether it is a model of pydantic 1, which LangChain takes too."""
    return isinstance(schema, type) and is_pydantic_v1_subclass(schema)


def _make_old_form(model: Any) -> Form[Any]:
    """Make the form of a model of pydantic 1 from its own schema and parser."""

    def read(text: str) -> Any:
        try:
            return model.parse_raw(text)
        except ValueError as error:
            message = f"the text conforms, but {model.__name__} refuses it: {error}"
            raise OutputInvalid(message, text=text, position=len(text)) from error

    return replace(json_schema(model.schema_json()), read=read, title=model.__name__)


def _convert_tool(tool: Any) -> Any:
    """Return a tool as `tool_of` reads it. LangChain converts its own, models of pydantic 1, and titled schemas."""
    if isinstance(tool, BaseTool) or _is_old_model(tool) or (isinstance(tool, Mapping) and "title" in tool):
        return convert_to_openai_tool(tool)
    return tool


def _read_message(message: BaseMessage) -> Message:
    """Read a message for our models. Raises PromptError."""
    content = read_text(message)
    match message:
        case AIMessage():
            if message.invalid_tool_calls:
                raise PromptError("a message has calls of tools that LangChain could not read")
            calls: list[ToolCall] = [
                {"id": call["id"], "name": call["name"], "arguments": call["args"]} for call in message.tool_calls
            ]
            return {"role": "assistant", "content": content, "calls": calls}
        case ToolMessage():
            return {"role": "tool", "content": content, "id": message.tool_call_id}
        case HumanMessage():
            return {"role": "user", "content": content}
        case SystemMessage():
            return {"role": "system", "content": content}
        case ChatMessage():
            return {"role": message.role, "content": content}
    raise PromptError(f"a message of the type {message.type!r} cannot be read")


def read_text(message: BaseMessage) -> str:
    """Read the text of a message, without the parts that are its calls. Raises PromptError."""
    content = message.content
    if isinstance(message, AIMessage) and not isinstance(content, str):
        content = [part for part in content if not (isinstance(part, Mapping) and part.get("type") in _CALL_PARTS)]
    return chats.read_text(content, f"a message of the type {message.type!r}")


_CALL_PARTS = frozenset({"tool_call", "tool_use", "function_call"})
"""Parts of a content that are in ``tool_calls`` too."""
