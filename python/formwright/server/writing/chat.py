"""Chat completions: what is sent back, complete or in chunks.

::

    {"object": "chat.completion", "choices": [{"message": {"content": "Oslo"}, "finish_reason": "stop"}]}
    {"object": "chat.completion.chunk", "choices": [{"delta": {"content": "Os"}, "finish_reason": None}]}

The first chunk of a choice has the role, and its last one the finish reason. The last chunk of all choices has the
stamp. Usage is sent in an extra chunk if the client asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from formwright.server.reading.orders import Order
from formwright.server.writing.answer import (
    GatheredCall,
    GatheredText,
    count_tokens,
    list_logprobs,
    make_stamp_field,
    make_trace,
)
from formwright.server.writing.events import Done, Event, Tokens
from formwright.tools.events import CallArguments, CallBegun, Text, Thought

__all__ = ["ChatStream", "make_chat_completion"]


def make_chat_completion(
    head: dict[str, Any], orders: Sequence[Order], answers: Sequence[GatheredText]
) -> dict[str, Any]:
    """Make a chat completion."""
    (order,) = orders
    return {
        **head,
        "object": "chat.completion",
        "choices": [_make_choice(number, answer, order) for number, answer in enumerate(answers)],
        "usage": _make_usage(orders, answers),
        **make_stamp_field(order, answers),
    }


def _make_choice(number: int, answer: GatheredText, order: Order) -> dict[str, Any]:
    body = order.body
    message: dict[str, Any] = {
        "role": "assistant",
        "content": answer.text if answer.text or not answer.calls else None,
        "refusal": None,
    }
    if answer.thought:
        message["reasoning_content"] = answer.thought
    if answer.calls:
        message["tool_calls"] = [_make_call(call) for call in answer.calls]
    choice: dict[str, Any] = {
        "index": number,
        "message": message,
        "logprobs": None,
        "finish_reason": answer.ending.reason,
    }
    if body.likeliest_count is not None:
        choice["logprobs"] = {"content": list_logprobs(answer.answer_rows, body.likeliest_count), "refusal": None}
    if body.trace:
        choice["formwright"] = {"trace": make_trace(answer.rows)}
    return choice


def _make_call(call: GatheredCall) -> dict[str, Any]:
    if call["is_custom"]:
        return {"id": call["id"], "type": "custom", "custom": {"name": call["name"], "input": call["arguments"]}}
    return {
        "id": call["id"],
        "type": "function",
        "function": {"name": call["name"], "arguments": call["arguments"]},
    }


def _make_usage(orders: Sequence[Order], answers: Sequence[GatheredText]) -> dict[str, Any]:
    prompt, written, thought = count_tokens(orders, answers)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": written,
        "total_tokens": prompt + written,
        "completion_tokens_details": {"reasoning_tokens": thought},
    }


class ChatStream:
    """The chunks of a chat completion.

    Args:
        head: The fields of every chunk.
        orders: The one order.
    """

    def __init__(self, head: dict[str, Any], orders: Sequence[Order]) -> None:
        (self._order,) = orders
        self._head = {**head, "object": "chat.completion.chunk"}
        body = self._order.body
        options = body.stream_options
        self._sends_usage = bool(options and options.include_usage)
        self._begun: set[int] = set()
        self._answers = [GatheredText() for _ in self._order.writings]
        self._custom: set[tuple[int, int]] = set()
        self._in_thought = {number for number, _ in enumerate(self._answers) if self._order.compiled.shape.has_thought}

    def start(self) -> Iterator[dict[str, Any]]:
        """Yield what is sent before anything is written."""
        for number in range(len(self._answers)):
            yield self._make_chunk(number, {"role": "assistant", "content": ""})

    def add_events(self, number: int, events: Sequence[Event]) -> Iterator[dict[str, Any]]:
        """Yield what is sent for the next events of a text."""
        self._answers[number].add(events)
        delta: dict[str, Any] = {}
        calls: dict[int, dict[str, Any]] = {}
        more: dict[str, Any] = {}
        done: Done | None = None
        for event in events:
            match event:
                case Text(text):
                    delta["content"] = delta.get("content", "") + text
                    self._in_thought.discard(number)
                case Thought(text):
                    delta["reasoning_content"] = delta.get("reasoning_content", "") + text
                case CallBegun() | CallArguments():
                    self._add_to_call(number, event, calls)
                    self._in_thought.discard(number)
                case Tokens():
                    more |= self._read_tokens(number, event)
                case Done():
                    done = event
        if calls:  # clients read only the first fragment of a chunk
            first, *others = ({"tool_calls": [call]} for call in calls.values())
            yield self._make_chunk(number, delta | first, **more)
            yield from (self._make_chunk(number, other) for other in others)
        elif delta or more:
            yield self._make_chunk(number, delta, **more)
        if done is not None:
            yield self._make_chunk(number, {}, finish_reason=done.reason) | self._make_last_stamp()

    def end(self) -> Iterator[dict[str, Any]]:
        """Yield what is sent when all is written."""
        if self._sends_usage:
            yield {**self._head, "choices": [], "usage": _make_usage([self._order], self._answers)}

    def _make_last_stamp(self) -> dict[str, Any]:
        """Make the field with the stamp, once all texts are over."""
        is_over = all(answer.done is not None for answer in self._answers)
        return make_stamp_field(self._order, self._answers) if is_over else {}

    def _make_chunk(self, number: int, delta: dict[str, Any], **more: Any) -> dict[str, Any]:
        choice = {"index": number, "delta": delta, "logprobs": None, "finish_reason": None} | more
        usage = {"usage": None} if self._sends_usage else {}
        return {**self._head, "choices": [choice], **usage}

    def _read_tokens(self, number: int, event: Tokens) -> dict[str, Any]:
        body, more = self._order.body, dict[str, Any]()
        if body.likeliest_count is not None and number not in self._in_thought:
            more["logprobs"] = {"content": list_logprobs(event.rows, body.likeliest_count), "refusal": None}
        if body.trace:
            more["formwright"] = {"trace": make_trace(event.rows), "partial": event.partial}
        return more

    def _add_to_call(self, number: int, event: CallBegun | CallArguments, calls: dict[int, dict[str, Any]]) -> None:
        """Put an event into the fragment of its call."""
        if isinstance(event, CallBegun):
            kind, empty = ("custom", "input") if event.is_custom else ("function", "arguments")
            if event.is_custom:
                self._custom.add((number, event.number))
            inner = {"name": event.name, empty: ""}
            calls[event.number] = {"index": event.number, "id": event.id, "type": kind, kind: inner}
            return
        is_custom = (number, event.number) in self._custom
        kind, text = ("custom", "input") if is_custom else ("function", "arguments")
        call = calls.setdefault(event.number, {"index": event.number, kind: {text: ""}})
        call[kind][text] += event.text
