"""What the chat models of LangChain, LlamaIndex and Haystack have in common: a question to any model, and its answer.

::

    offered = offer_tools([{"name": "add", "parameters": {"type": "object"}}], "required")
    messages = [{"role": "user", "content": "Add 1 and 2."}]
    answer = Question(model, messages, offered=offered, options={"max_tokens": 60}).answer()
    answer.calls[0].name, answer.finish          # 'add', 'tool_calls'

The model may run here or be served by an API, with or without an event loop. Options are those of its `generate`,
under the same names, and ``time_budget``, in seconds; any other is an error. Without a form and without tools, the
answer is free text, and ``finish`` says whether the model ended it or ``max_tokens`` did.

The form is compiled for each question. An answer of a model that runs here is awaited in a thread; if the task is
cancelled, the text ends with its next token.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from formwright.conversations.local import conversation_ids, flatten_for_plain_template, to_chat_completions
from formwright.conversations.messages import Message, has_calls, join_text
from formwright.errors import ArgumentError, FormwrightError, OptionUnsupported, PromptError
from formwright.forms.coerce import form as form_of
from formwright.forms.form import Form
from formwright.forms.free_text import text as free_text
from formwright.forms.json_forms import json_schema
from formwright.frameworks.model_options import Model, check_options, is_local, make_deadline
from formwright.generation.result import Complete, Truncated, Usage
from formwright.generation.writing import MAX_TOKENS
from formwright.tools import Call, tool_of
from formwright.tools.answer_reader import AnswerReader, find_calls
from formwright.tools.events import CallEvent
from formwright.tools.offered import Offered

__all__ = [
    "ChatAnswer", "Event", "KeyedForm", "Question",
    "make_answer_reader", "offer_tools", "read_response_format", "read_text",
]  # fmt: skip


def offer_tools(tools: Iterable[Any], choice: Any = None, several: bool | None = None) -> Offered:
    """Offer the tools that a choice leaves.

    Args:
        tools: What `formwright.tools.tool_of` reads.
        choice: ``"auto"``, ``"any"`` or ``"required"``, ``"none"``, or a tool by its name, as APIs write it.
        several: Whether there may be several calls; ``None`` is yes.

    Raises:
        ArgumentError: There is no such choice, or no such tool.
    """
    known = [tool_of(tool) for tool in tools]
    names = [tool.name for tool in known]
    choice = _simplify_choice(choice)
    if choice in names:
        return Offered.of([known[names.index(choice)]], "one")
    if choice not in ("auto", "required", "none") or (choice == "required" and not known):
        raise ArgumentError(
            f"tool_choice={choice!r} cannot be combined with these tools: {', '.join(names) or 'there are none'}",
            hint="pass 'auto', 'required', 'none', or the name of one of them",
            argument="tool_choice",
        )
    return Offered.of(known, choice, several is not False)


def _simplify_choice(choice: Any) -> Any:
    """Return a choice as one word; what is not a choice remains for the error."""
    if isinstance(choice, Mapping):
        inner = choice.get("function", choice)
        return inner.get("name", repr(choice)) if isinstance(inner, Mapping) else repr(choice)
    if isinstance(choice, bool):
        return "required" if choice else "none"
    return {None: "auto", "any": "required"}.get(choice, choice)


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """The answer of a model.

    Attributes:
        text: The text; in an answer with calls, the text around them.
        calls: The calls, each with an id that no other answer has; the arguments are what JSON says.
        finish: Why it ends: ``"stop"``, ``"length"``, ``"tool_calls"`` or ``"cancel"``.
        enforced: Who enforced its form, as in `formwright.generation.Complete`; ``None`` for free text, and for text
            that was cut.
        result: The result of the model.
    """

    text: str
    calls: tuple[Call, ...]
    finish: str
    enforced: str | None
    result: Complete[Any] | Truncated

    @property
    def usage(self) -> Usage:
        """Tokens of the prompt and of the answer, over all attempts."""
        if self.result.exchange is not None:
            return self.result.exchange.usage
        return Usage(self.result.prompt_tokens, len(self.result.token_ids))

    @property
    def token_counts(self) -> dict[str, int]:
        """The same under the names that most APIs have."""
        usage = self.usage
        counts = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
        return {**counts, "total_tokens": usage.total_tokens}

    @property
    def metadata(self) -> dict[str, Any]:
        """Who enforced what, and why the answer ends."""
        is_complete = isinstance(self.result, Complete) and self.finish != "length"
        return {"finish_reason": self.finish, "enforced": self.enforced, "complete": is_complete}


Event = CallEvent | ChatAnswer


@dataclass(frozen=True)
class Question:
    """A conversation that a model answers, and how.

    Attributes:
        model: The model.
        messages: The conversation.
        form: The form of the answer; ``None`` is free text.
        offered: The tools that may be called. With a form too, the answer is calls or conforms to the form.
        options: Options of the model's `generate`.
        strict: Whether the service must enforce the form or the tools, if an API serves the model.
    """

    model: Model
    messages: Sequence[Message]
    form: Form[Any] | None = None
    offered: Offered = field(default_factory=Offered)
    options: Mapping[str, Any] = field(default_factory=dict)
    strict: bool | None = None

    def answer(self) -> ChatAnswer:
        """Ask, and wait for the answer. Raises as the model's `generate`."""
        if self._is_awaited:
            raise ArgumentError(
                f"{self.model!r} is a model for an event loop, so it cannot be called without one",
                hint="call the asynchronous method, or connect without asynchronous=True",
                argument="model",
            )
        return self._read_answer(self.model.generate(self._prompt, self._form, **self._make_options()))

    async def answer_async(self) -> ChatAnswer:
        """Ask in an event loop, and await the answer. Raises as the model's `generate`."""
        if self._is_awaited:
            return self._read_answer(await self.model.generate(self._prompt, self._form, **self._make_options()))
        options, cancelled = self._make_options(), threading.Event()
        if is_local(self.model) and not options.keys() & {"beams", "fidelity"}:
            is_cut = options.get("cancel")
            options["cancel"] = lambda: cancelled.is_set() or (is_cut is not None and is_cut())
        try:
            written = await asyncio.to_thread(lambda: self.model.generate(self._prompt, self._form, **options))
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return self._read_answer(written)

    def stream(self) -> Iterator[Event]:
        """Ask, and yield the answer piece by piece; the `ChatAnswer` comes last. Raises as the model's `stream`."""
        if self._is_awaited:
            self.answer()  # it raises the error
        reader = self._make_reader()
        with self.model.stream(self._prompt, self._form, **self._make_options(is_stream=True)) as stream:
            for piece in stream:
                yield from reader.feed(piece.text)
        yield from _finish_events(reader, self._read_answer(stream.result))

    async def stream_async(self) -> AsyncIterator[Event]:
        """Do the same in an event loop."""
        reader, options = self._make_reader(), self._make_options(is_stream=True)

        def open_stream() -> Any:
            return self.model.stream(self._prompt, self._form, **options)

        if self._is_awaited or not is_local(self.model):
            stream = open_stream()
        else:
            stream = await asyncio.to_thread(open_stream)  # compiling the form takes time
        if hasattr(stream, "__aiter__"):
            async with stream:
                async for piece in stream:
                    for event in reader.feed(piece.text):
                        yield event
        else:
            with stream:
                while (piece := await asyncio.to_thread(next, stream, None)) is not None:
                    for event in reader.feed(piece.text):
                        yield event
        for last in _finish_events(reader, self._read_answer(stream.result)):
            yield last

    @cached_property
    def _content(self) -> Offered:
        """What the answer may be made of."""
        return replace(self.offered, has_form=self.form is not None)

    def _make_reader(self) -> AnswerReader:
        return AnswerReader(self._content, self.model.style if is_local(self.model) else None)

    def check_form(self) -> None:
        """Refuse a form or tools that cannot be enforced, before the model is called.

        Raises:
            NotAForm, LanguageError: The arguments of a tool cannot be enforced.
            ArgumentError, OptionUnsupported: The model cannot combine tools and form.
        """
        _ = self._form

    @property
    def _is_free(self) -> bool:
        return self.form is None and not self.offered.tools

    @property
    def _is_awaited(self) -> bool:
        return hasattr(self.model, "__aenter__")  # only models for an event loop have it

    @cached_property
    def _prompt(self) -> Any:
        """The conversation as the model takes it."""
        if not self.messages:
            raise PromptError("the conversation is empty", hint="add a message of the user")
        if is_local(self.model):
            listed = self.offered.descriptions
            if listed or has_calls(self.messages):
                return conversation_ids(self.model, self.messages, listed)
            return flatten_for_plain_template(self.model, self.messages)
        if self.model.api != "openai" and has_calls(self.messages):
            raise PromptError(
                f"earlier calls of tools cannot be sent to {self.model.name} yet: its API is {self.model.api!r}",
                hint='connect with api="openai", which most services speak too',
            )
        return to_chat_completions(self.messages)

    @cached_property
    def _form(self) -> Any:
        """One form of all that the answer may be."""
        if not self.offered.tools:
            return free_text() if self.form is None else self.form
        form = self._content.make_form(self.model.style if is_local(self.model) else "json")
        if not self._content.is_either or self.form is None:
            return form
        if not is_local(self.model):
            raise OptionUnsupported(
                f"{self.model.name} cannot combine tools with a form for the text: it takes one of them",
                hint="make the form a tool too (in LangChain: ToolStrategy), or use a model that runs here",
                argument="response_format",
            )
        either: Form[Any] = form | self.form
        return either

    def _make_options(self, *, is_stream: bool = False) -> dict[str, Any]:
        """Check the options, and add those of this kind of answer. Raises ArgumentError, OptionUnsupported."""
        options = check_options(self.model, self.options, is_stream=is_stream)
        if self.offered.tools and options.get("stop"):
            raise ArgumentError(
                "stop= cannot be combined with tools: a text would cut their calls",
                hint="say in the schemas what may be in them",
                argument="stop",
            )
        if self._is_free:
            options = {"finish": False, **({} if is_local(self.model) else {"mode": "instructions"}), **options}
        elif self.strict and not is_local(self.model):
            options = {"mode": "strict", **options}
        if is_local(self.model) and (seconds := options.pop("time_budget", None)) is not None:
            options["cancel"] = make_deadline(seconds, options.get("cancel"))
        return options

    def _read_answer(self, result: Complete[Any] | Truncated) -> ChatAnswer:
        calls = find_calls(result.value) if isinstance(result, Complete) and self.offered.tools else []
        text = result.text
        is_beside_calls = bool(self.offered.tools) and not self._content.is_either
        if isinstance(result, Complete) and (calls or is_beside_calls):
            # The parts leave out the control tokens around the text.
            text = "".join(part.text for part in result.parts if part.name == "text")
            text = text.strip() if calls else text
        enforced = result.enforced if isinstance(result, Complete) and not self._is_free else None
        finish = self._content.find_finish_reason(
            has_calls=bool(calls),
            cut=result.reason if isinstance(result, Truncated) else None,
            is_spent=isinstance(result, Complete) and self._is_spent(result),
        )
        return ChatAnswer(text, tuple(calls), finish, enforced, result)

    def _is_spent(self, result: Complete[Any]) -> bool:
        """Whether text that may end anywhere took all the tokens that there were."""
        if not is_local(self.model):
            return False
        room: int = self.model.runtime.context - result.prompt_tokens
        return len(result.token_ids) >= min(self.options.get("max_tokens") or MAX_TOKENS, room)


def _finish_events(reader: AnswerReader, answer: ChatAnswer) -> Iterator[Event]:
    """Yield the events at the end of an answer; then the answer, whose calls have the ids of the events."""
    yield from reader.finish(answer.calls)
    pairs = zip(answer.calls, reader.calls, strict=bool(answer.calls))  # a call that was cut is not in the answer
    yield replace(answer, calls=tuple(replace(call, id=begun.id) for call, begun in pairs))


class KeyedForm:
    """A form with a ``repr`` of its own, which frameworks use as a key of their caches."""

    def __init__(self, form: Any) -> None:
        self.form = form_of(form)

    @cached_property
    def _digest(self) -> str:
        try:
            return self.form.digest
        except FormwrightError:  # its code cannot be compared with other code
            return secrets.token_hex(8)

    def __repr__(self) -> str:
        return f"<form {self.form.title} {self._digest}>"


def read_response_format(format_: Any) -> Form[Any] | None:
    """Read the form of a ``response_format``: as APIs spell it, or anything that is a form; ``None`` for text.

    Raises:
        NotAForm, LanguageError: It cannot be read or enforced.
        ArgumentError: It has no schema.
    """
    if isinstance(format_, KeyedForm):
        return format_.form
    kind = format_.get("type") if isinstance(format_, Mapping) else None
    if format_ is None or (kind == "text" and len(format_) == 1):
        return None
    if kind == "json_object":
        return json_schema({"type": "object"})
    if kind == "json_schema":
        described = format_.get("json_schema", format_)
        if not isinstance(described, Mapping) or "schema" not in described:
            said = 'response_format: expected {"type": "json_schema", "json_schema": {"schema": ...}}, got no schema'
            raise ArgumentError(said, argument="response_format")
        return json_schema(described["schema"])
    return form_of(format_)


def make_answer_reader(model: Model, form: Form[Any]) -> tuple[Form[Any], Callable[[str], str]]:
    """Return the form that reads an answer of a model again, and a function that finds the conforming text in it.

    Services write JSON with any whitespace, and if a form is not enforced, other text may be around it.
    """
    if is_local(model):
        return form, str
    from formwright.client.plans.extraction import extract
    from formwright.client.plans.plan import loosen

    loose = loosen(form)
    return loose, lambda text: extract(loose, text).text


def read_text(content: Any, where: str) -> str:
    """Read the text of a content: a text, or a list of texts and text parts. Raises PromptError."""

    def read_part(part: Any, _: int) -> str:
        text = part.get("text") if isinstance(part, Mapping) and part.get("type") == "text" else part
        if not isinstance(text, str):
            kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__
            raise PromptError(f"{where} has a part of the kind {kind!r}: only text can be read")
        return text

    text = join_text(content, read_part)
    return read_part(content, 0) if text is None else text
