"""Haystack: any formwright model as a chat generator, in pipelines and agents.

::

    from haystack.dataclasses import ChatMessage
    from formwright.frameworks.haystack import FormwrightChatGenerator

    generator = FormwrightChatGenerator("formwright-tiny", generation_kwargs={"max_tokens": 60})
    form = {"response_format": Person}
    (reply,) = generator.run([ChatMessage.from_user("Ada is 36 years old.")], generation_kwargs=form)["replies"]
    Person.model_validate_json(reply.text)                   # Person(name='Ada', age=36)

``generation_kwargs`` are options of the model's `generate`, and ``response_format``: a type, a schema, a pattern, a
form, or what APIs take. An option that the model does not have is an error.

It adds some microseconds per token to the time of the model, and tens of them in a stream. A pipeline is saved with the
name of its model, so one with a model object can be used, but not saved.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from formwright._hosts import import_host
from formwright.conversations.messages import Message
from formwright.errors import ArgumentError, PromptError
from formwright.forms.json_forms import json_schema
from formwright.frameworks import chats, model_options
from formwright.tools import events
from formwright.tools.offered import Offered

with import_host("haystack"):
    from haystack import component, default_from_dict, default_to_dict
    from haystack.dataclasses import (
        ChatMessage,
        ComponentInfo,
        StreamingCallbackT,
        StreamingChunk,
        TextContent,
        ToolCall,
        select_streaming_callback,
    )
    from haystack.dataclasses.streaming_chunk import ToolCallDelta
    from haystack.tools import (
        ToolsType,
        deserialize_tools_or_toolset_inplace,
        flatten_tools_or_toolsets,
        serialize_tools_or_toolset,
    )
    from haystack.utils import deserialize_callable, serialize_callable

__all__ = ["FormwrightChatGenerator"]


@component
class FormwrightChatGenerator:
    """A chat generator of Haystack.

    Args:
        model: A model of formwright, or its name as `formwright.load` takes it, which `warm_up` loads.
        generation_kwargs: Options of every call.
        streaming_callback: Is called with each chunk.
        tools: The tools of every call.
        tools_strict: Whether the arguments of tools and the form must be enforced.

    Raises:
        ArgumentError, OptionUnsupported: The model does not have an option.
        NotAForm, LanguageError: The form, or the arguments of a tool, cannot be enforced.
    """

    def __init__(
        self,
        model: Any = "formwright-tiny",
        *,
        generation_kwargs: dict[str, Any] | None = None,
        streaming_callback: StreamingCallbackT | None = None,
        tools: ToolsType | None = None,
        tools_strict: bool = False,
    ) -> None:
        self.model, self._loaded = model, None if isinstance(model, str) else model_options.find_model(model)
        self.generation_kwargs = dict(generation_kwargs or {})
        self.streaming_callback, self.tools, self.tools_strict = streaming_callback, tools, tools_strict
        if self._loaded is not None:
            self._make_question([], {}, None, None, is_check=True).check_form()

    def warm_up(self) -> None:
        """Load the model, if it was given by its name. Raises as `formwright.load`."""
        if self._loaded is None:
            self._loaded = model_options.find_model(self.model)
            self._make_question([], {}, None, None, is_check=True).check_form()

    def to_dict(self) -> dict[str, Any]:
        """Write the component as a dict.

        Raises:
            ArgumentError: Its model, or its form, has no name.
        """
        if not isinstance(self.model, str):
            raise ArgumentError(
                "a model object cannot be saved",
                hint='pass the model by its name: "formwright-tiny", a folder, or URL#name',
                argument="model",
            )
        callback = serialize_callable(self.streaming_callback) if self.streaming_callback else None
        written: dict[str, Any] = default_to_dict(
            self,
            model=self.model,
            generation_kwargs=_serialize_options(self.generation_kwargs),
            streaming_callback=callback,
            tools=serialize_tools_or_toolset(self.tools),
            tools_strict=self.tools_strict,
        )
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> FormwrightChatGenerator:
        """Make the component from a dict."""
        given = data["init_parameters"]
        deserialize_tools_or_toolset_inplace(given, key="tools")
        if given.get("streaming_callback"):
            given["streaming_callback"] = deserialize_callable(given["streaming_callback"])
        made: FormwrightChatGenerator = default_from_dict(cls, data)
        return made

    @component.output_types(replies=list[ChatMessage])  # type: ignore[untyped-decorator]
    def run(
        self,
        messages: list[ChatMessage] | str,
        streaming_callback: StreamingCallbackT | None = None,
        generation_kwargs: dict[str, Any] | None = None,
        *,
        tools: ToolsType | None = None,
        tools_strict: bool | None = None,
    ) -> dict[str, list[ChatMessage]]:
        """Answer a conversation.

        Args:
            messages: The conversation, or one message of a user.
            streaming_callback: Is called with each chunk.
            generation_kwargs: Options of this call, added to those of every call.
            tools: The tools of this call, instead of those of every call.
            tools_strict: Whether the arguments of tools and the form must be enforced.

        Raises:
            ArgumentError, OptionUnsupported: The model does not have an option.
            NotAForm, LanguageError: The form cannot be read or enforced.
            PromptError: A message cannot be read.
        """
        self.warm_up()
        callback = select_streaming_callback(self.streaming_callback, streaming_callback, requires_async=False)
        question = self._make_question(messages, generation_kwargs, tools, tools_strict)
        if callback is None:
            return {"replies": [self._make_reply(question.answer())]}
        chunks = _ChunkMaker(self, self._name)
        for event in question.stream():
            for chunk in chunks.make_chunks(event):
                callback(chunk)
        return {"replies": [self._make_reply(chunks.answer)]}

    @component.output_types(replies=list[ChatMessage])  # type: ignore[untyped-decorator]
    async def run_async(
        self,
        messages: list[ChatMessage] | str,
        streaming_callback: StreamingCallbackT | None = None,
        generation_kwargs: dict[str, Any] | None = None,
        *,
        tools: ToolsType | None = None,
        tools_strict: bool | None = None,
    ) -> dict[str, list[ChatMessage]]:
        """Answer a conversation in an event loop; the callback is awaited."""
        await asyncio.to_thread(self.warm_up)
        callback = select_streaming_callback(self.streaming_callback, streaming_callback, requires_async=True)
        question = self._make_question(messages, generation_kwargs, tools, tools_strict)
        if callback is None:
            return {"replies": [self._make_reply(await question.answer_async())]}
        chunks = _ChunkMaker(self, self._name)
        async for event in question.stream_async():
            for chunk in chunks.make_chunks(event):
                if (awaited := callback(chunk)) is not None:
                    await awaited
        return {"replies": [self._make_reply(chunks.answer)]}

    @property
    def _name(self) -> str:
        name: str = self._loaded.name  # type: ignore[union-attr]  # `warm_up` has loaded it
        return name

    def _make_question(
        self,
        messages: list[ChatMessage] | str,
        generation_kwargs: Mapping[str, Any] | None,
        tools: ToolsType | None,
        tools_strict: bool | None,
        *,
        is_check: bool = False,
    ) -> chats.Question:
        """Make the question from the options of the component and of a call; in a check, tools may be passed later.

        Raises:
            ArgumentError, OptionUnsupported: The model does not have an option.
        """
        options = {**self.generation_kwargs, **(generation_kwargs or {})}
        form = chats.read_response_format(options.pop("response_format", None))
        choice, several = options.pop("tool_choice", None), options.pop("parallel_tool_calls", None)
        listed = [tool.tool_spec for tool in flatten_tools_or_toolsets(self.tools if tools is None else tools)]
        is_offer = bool(listed) or (choice not in (None, "auto") and not is_check)
        offered = chats.offer_tools(listed, choice, several) if is_offer else Offered()
        options = model_options.check_options(self._loaded, options)
        conversation = [ChatMessage.from_user(messages)] if isinstance(messages, str) else messages
        strict = self.tools_strict if tools_strict is None else tools_strict
        return chats.Question(self._loaded, list(map(_read_message, conversation)), form, offered, options, strict)

    def _make_reply(self, answer: chats.ChatAnswer) -> ChatMessage:
        meta = {"model": self._name, "index": 0, "usage": answer.token_counts}
        calls = [ToolCall(tool_name=call.name, arguments=call.arguments, id=call.id) for call in answer.calls]
        text = answer.text if answer.text or not calls else None
        return ChatMessage.from_assistant(text, meta={**meta, **answer.metadata}, tool_calls=calls)


class _ChunkMaker:
    """Makes Haystack's chunks of events: the text is one block, and so is each call."""

    def __init__(self, owner: Any, name: str) -> None:
        self._info, self._name = ComponentInfo.from_component(owner), name
        self._blocks: list[Any] = []
        self.answer: Any = None

    def make_chunks(self, event: chats.Event) -> list[StreamingChunk]:
        """Make the chunks of an event; the last one says why the answer ends."""
        match event:
            case events.Text(text):
                return [self._make_chunk("text", content=text)]
            case events.CallBegun(number, id_, name):
                return [
                    self._make_chunk(number, tool_calls=[ToolCallDelta(index=0, tool_name=name, arguments="", id=id_)])
                ]
            case events.CallArguments(number, text):
                return [self._make_chunk(number, tool_calls=[ToolCallDelta(index=0, arguments=text)])]
        self.answer = event
        last = StreamingChunk("", component_info=self._info, meta={"model": self._name, **event.metadata})
        return [replace(last, finish_reason=event.finish)]

    def _make_chunk(
        self, block: Any, *, content: str = "", tool_calls: list[ToolCallDelta] | None = None
    ) -> StreamingChunk:
        is_start = block not in self._blocks
        if is_start:
            self._blocks.append(block)
        index = self._blocks.index(block)
        deltas = None if tool_calls is None else [replace(delta, index=index) for delta in tool_calls]
        return StreamingChunk(
            content=content,
            meta={"model": self._name},
            component_info=self._info,
            index=index,
            tool_calls=deltas,
            start=is_start,
        )


def _serialize_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Write options as data; a form as the text of its schema, since YAML sorts fields. Raises ArgumentError."""
    if named := [name for name, value in options.items() if callable(value) and not isinstance(value, type)]:
        raise ArgumentError(f"{named[0]}= cannot be saved", hint="pass it to run", argument=named[0])
    form = chats.read_response_format(options.get("response_format"))
    if form is None:
        return dict(options)
    schema = form.origin.what if form.origin is not None and form.origin.kind == "schema" else None
    if schema is None or json_schema(schema).language.to_bytes() != form.language.to_bytes():
        raise ArgumentError(
            f"the form {form.title} cannot be saved: it is more than a schema",
            hint="pass it to run: generation_kwargs={'response_format': ...}",
            argument="response_format",
        )
    return {**options, "response_format": {"type": "json_schema", "json_schema": {"schema": schema}}}


def _read_message(message: ChatMessage) -> Message:
    """Read a message for our models. Raises PromptError."""
    where = f"a message of the role {message.role.value!r}"
    if results := message.tool_call_results:
        if len(results) > 1:
            raise PromptError(f"{where} has several results", hint="pass each in a message of its own")
        (answered,) = results
        content = chats.read_text(_unwrap_texts(answered.result), f"the result of {answered.origin.tool_name}")
        return {"role": "tool", "content": content, "id": answered.origin.id or ""}
    others = [part for part in message._content if not isinstance(part, TextContent | ToolCall)]
    found: Message = {"role": message.role.value, "content": chats.read_text([*message.texts, *others], where)}
    if message.tool_calls:
        found["calls"] = [
            {"id": call.id or "", "name": call.tool_name, "arguments": call.arguments} for call in message.tool_calls
        ]
    return found


def _unwrap_texts(result: Any) -> Any:
    """Return a result whose text parts are texts; other parts remain."""
    if isinstance(result, str):
        return result
    return [part.text if isinstance(part, TextContent) else part for part in result]
