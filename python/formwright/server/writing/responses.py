"""Responses: the items that a model has written, and the events that send them.

::

    {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "content": []}}
    {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Os"}

Items are a thought, messages and calls. Each is opened, filled and closed; an item is closed when the next one opens or
the answer ends. A response that is not streamed is the content of the last event.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from typing import Any

from formwright.generation.trace.recorder import Row
from formwright.server.reading.orders import Order
from formwright.server.reading.requests import ResponsesBody
from formwright.server.writing.answer import GatheredText, count_tokens, list_logprobs, make_stamp, make_trace
from formwright.server.writing.events import Done, Event, Tokens
from formwright.tools.events import CallArguments, CallBegun, Text, Thought

__all__ = ["ResponseStream", "make_response"]

Sent = dict[str, Any]


def make_response(head: Sent, orders: Sequence[Order], events: Sequence[Event]) -> Sent:
    """Make a response that is not streamed."""
    stream = ResponseStream(head, orders)
    for _ in stream.add_events(0, events):
        pass
    *_, last = stream.end()
    found: Sent = last["response"]
    return found


class ResponseStream:
    """The events of a response.

    Args:
        head: Its id, its time and its model.
        orders: The one order.
    """

    def __init__(self, head: Sent, orders: Sequence[Order]) -> None:
        (self._order,) = orders
        self._head, self._sequence = head, 0
        self._likeliest = self._order.body.likeliest_count
        self._output: list[Sent] = []
        self._open: Sent | None = None
        self._answer = GatheredText()
        self._rows: list[Row] = []  # of the answer after the thought, not sent yet

    def start(self) -> Iterator[Sent]:
        """Yield what is sent before anything is written."""
        for name in ("created", "in_progress"):
            yield self._make_event(f"response.{name}", response=self._describe_response("in_progress"))

    def add_events(self, _: int, events: Sequence[Event]) -> Iterator[Sent]:
        """Yield what is sent for the next events of a text."""
        self._answer.add(events)
        self._keep_rows(events)
        partial = next((event.partial for event in events if isinstance(event, Tokens)), None)
        for event in events:
            match event:
                case Thought(text):
                    yield from self._open_item("reasoning")
                    yield from self._add_thought(text)
                case Text(text):
                    yield from self._open_item("message")
                    yield from self._add_text(text, partial)
                case CallBegun():
                    yield from self._open_call(event)
                case CallArguments(_, text):
                    yield from self._add_arguments(text)
                case Done() | Tokens():
                    pass

    def end(self) -> Iterator[Sent]:
        """Yield what is sent when all is written."""
        is_cut = self._answer.ending.reason == "length"
        if not self._output:  # an empty text is an answer too
            yield from self._open_item("message")
        yield from self._close_item("incomplete" if is_cut else "completed")
        response = self._describe_response("incomplete" if is_cut else "completed")
        yield self._make_event("response.incomplete" if is_cut else "response.completed", response=response)

    def _keep_rows(self, events: Sequence[Event]) -> None:
        """Keep the rows of the answer, without those of the thought, until its text is sent."""
        rows = [row for event in events if isinstance(event, Tokens) for row in event.rows]
        earlier = len(self._answer.rows) - len(rows)
        done = self._answer.done
        if done is not None:
            rows = rows[max(0, done.thought_tokens - earlier) :]
        elif self._order.compiled.shape.has_thought and not self._answer.text and not self._answer.calls:
            return
        self._rows += rows

    def _open_item(self, kind: str) -> Iterator[Sent]:
        """Open an item of this kind."""
        if self._open is not None and self._open["type"] == kind:
            return
        yield from self._close_item()
        if kind == "message":
            item: Sent = {
                "id": _make_id("msg"),
                "type": kind,
                "role": "assistant",
                "status": "in_progress",
                "content": [],
            }
            part: Sent = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        else:
            item = {"id": _make_id("rs"), "type": kind, "summary": [], "content": [], "status": "in_progress"}
            part = {"type": "reasoning_text", "text": ""}
        yield from self._add_item(item)
        item["content"] = [part]
        yield self._make_item_event("response.content_part.added", content_index=0, part=dict(part))

    def _open_call(self, call: CallBegun) -> Iterator[Sent]:
        yield from self._close_item()
        kind, empty = ("custom_tool_call", "input") if call.is_custom else ("function_call", "arguments")
        item = {"id": _make_id("ctc" if call.is_custom else "fc"), "type": kind, "call_id": call.id, "name": call.name}
        yield from self._add_item(item | {empty: ""} | ({} if call.is_custom else {"status": "in_progress"}))

    def _add_item(self, item: Sent) -> Iterator[Sent]:
        self._open = item
        self._output.append(item)
        yield self._make_event("response.output_item.added", output_index=len(self._output) - 1, item=dict(item))

    def _add_thought(self, text: str) -> Iterator[Sent]:
        self._part["text"] += text
        yield self._make_item_event("response.reasoning_text.delta", content_index=0, delta=text)

    def _add_text(self, text: str, partial: Any) -> Iterator[Sent]:
        if not text:
            return
        self._part["text"] += text
        rows, self._rows = self._rows, []
        listed = [] if self._likeliest is None else list_logprobs(rows, self._likeliest)
        self._part["logprobs"] += listed
        more = {"formwright": {"trace": make_trace(rows), "partial": partial}} if self._order.body.trace else {}
        yield self._make_item_event("response.output_text.delta", content_index=0, delta=text, logprobs=listed, **more)

    def _add_arguments(self, text: str) -> Iterator[Sent]:
        item = self._item
        is_custom = item["type"] == "custom_tool_call"
        item["input" if is_custom else "arguments"] += text
        yield self._make_item_event(f"response.{_ARGUMENT_EVENTS[is_custom]}.delta", delta=text)

    def _close_item(self, status: str = "completed") -> Iterator[Sent]:
        """Close the open item."""
        item = self._open
        if item is None:
            return
        if item["type"] == "message":
            part = dict(self._part)
            yield self._make_item_event(
                "response.output_text.done", content_index=0, text=part["text"], logprobs=part["logprobs"]
            )
            yield self._make_item_event("response.content_part.done", content_index=0, part=part)
        elif item["type"] == "reasoning":
            yield self._make_item_event("response.reasoning_text.done", content_index=0, text=self._part["text"])
            yield self._make_item_event("response.content_part.done", content_index=0, part=dict(self._part))
        elif item["type"] == "function_call":
            yield self._make_item_event(
                "response.function_call_arguments.done", arguments=item["arguments"], name=item["name"]
            )
        else:
            yield self._make_item_event("response.custom_tool_call_input.done", input=item["input"])
        if "status" in item:
            item["status"] = status
        yield self._make_event("response.output_item.done", output_index=len(self._output) - 1, item=dict(item))
        self._open = None

    @property
    def _item(self) -> Sent:
        assert self._open is not None  # text and arguments come only after the beginning of an item
        return self._open

    @property
    def _part(self) -> Sent:
        part: Sent = self._item["content"][0]
        return part

    def _make_item_event(self, type_: str, **fields: Any) -> Sent:
        return self._make_event(type_, item_id=self._item["id"], output_index=len(self._output) - 1, **fields)

    def _make_event(self, type_: str, **fields: Any) -> Sent:
        self._sequence += 1
        return {"type": type_, "sequence_number": self._sequence - 1, **fields}

    def _describe_response(self, status: str) -> Sent:
        """Describe the response as it is now."""
        body = self._order.body
        assert isinstance(body, ResponsesBody)  # this protocol reads no other
        response: Sent = {
            **self._head,
            "object": "response",
            "status": status,
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
            "instructions": body.instructions,
            "max_output_tokens": body.max_output_tokens,
            "output": list(self._output),
            "previous_response_id": body.previous_response_id,
            "parallel_tool_calls": body.parallel_tool_calls,
            "temperature": body.temperature,
            "text": _describe_format(body),
            "tool_choice": body.tool_choice or "auto",
            "tools": [_describe_tool(tool) for tool in body.tools or ()],
            "top_p": body.top_p,
            "truncation": "disabled",
            "usage": None,
            "metadata": {},
        }
        if status != "in_progress":
            response |= self._count_usage()
        return response

    def _count_usage(self) -> Sent:
        """Count the tokens, when all is written."""
        prompt, written, thought = count_tokens([self._order], [self._answer])
        usage = {
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": thought},
            "total_tokens": prompt + written,
        }
        stamp = make_stamp(self._order, [self._answer]) or {}
        if self._order.body.trace:
            stamp["trace"] = make_trace(self._answer.rows)
        return {"usage": usage, "completed_at": time.time()} | ({"formwright": stamp} if stamp else {})


_ARGUMENT_EVENTS = {False: "function_call_arguments", True: "custom_tool_call_input"}


def _describe_format(body: ResponsesBody) -> Sent:
    if body.text is None or body.text.format is None:
        return {"format": {"type": "text"}}
    return {"format": body.text.format.model_dump(by_alias=True)}


def _describe_tool(tool: Any) -> Sent:
    found: Sent = tool.model_dump(exclude_none=True)
    return ({"parameters": None, "strict": None} | found) if found["type"] == "function" else found


def _make_id(kind: str) -> str:
    return f"{kind}_{secrets.token_hex(16)}"
