"""How each endpoint reads its requests and writes its answers, complete or as server-sent events.

::

    CHAT.body_class, CHAT.id_prefix               # (ChatBody, 'chatcmpl-')

An error after the first byte of a stream becomes its last event.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from formwright.generation.spans import GenerationSpan
from formwright.server.errors import make_refusal
from formwright.server.reading.orders import Order
from formwright.server.reading.requests import Body, ChatBody, CompletionBody, ResponsesBody
from formwright.server.writing import chat, completions, responses
from formwright.server.writing.answer import AnswerStream, GatheredText
from formwright.server.writing.events import Event

__all__ = ["CHAT", "COMPLETIONS", "RESPONSES", "Protocol", "send_events"]


@dataclass(frozen=True, slots=True)
class Protocol:
    """How an endpoint reads and writes.

    Attributes:
        name: The name under which requests are counted.
        id_prefix: How the ids of answers begin.
        body_class: The class of its bodies.
        make_stream: Makes what turns the events of an answer into its chunks.
        make_answer: Makes an answer that is not streamed.
        created_field: The field with the time of an answer.
        ends_with_done: Whether ``[DONE]`` ends a stream; if not, its events have names.
    """

    name: str
    id_prefix: str
    body_class: type[Body]
    make_stream: Callable[[dict[str, Any], Sequence[Order]], AnswerStream]
    make_answer: Callable[[dict[str, Any], Sequence[Order], Sequence[list[Event]]], dict[str, Any]]
    created_field: str = "created"
    ends_with_done: bool = True


def _gather_answers(gathered: Sequence[list[Event]]) -> list[GatheredText]:
    answers = []
    for events in gathered:
        answer = GatheredText()
        answer.add(events)
        answers.append(answer)
    return answers


CHAT = Protocol(
    "chat",
    "chatcmpl-",
    ChatBody,
    chat.ChatStream,
    lambda head, orders, all_: chat.make_chat_completion(head, orders, _gather_answers(all_)),
)


COMPLETIONS = Protocol(
    "completions",
    "cmpl-",
    CompletionBody,
    completions.CompletionStream,
    lambda head, orders, all_: completions.make_completion(head, orders, _gather_answers(all_)),
)


RESPONSES = Protocol(
    "responses",
    "resp_",
    ResponsesBody,
    responses.ResponseStream,
    lambda head, orders, all_: responses.make_response(head, orders, all_[0]),
    created_field="created_at",
    ends_with_done=False,
)


async def send_events(
    protocol: Protocol,
    stream: AnswerStream,
    first: tuple[int, list[Event]],
    events: AsyncIterator[tuple[int, list[Event]]],
    keep: Callable[[Mapping[str, Any]], None],
    span: GenerationSpan,
) -> AsyncIterator[bytes]:
    """Send an answer as server-sent events; an error becomes the last of them, and is recorded in the span."""
    async with contextlib.aclosing(events):  # type: ignore[type-var]
        try:
            for chunk in [*stream.start(), *stream.add_events(*first)]:
                yield _write_event(protocol, chunk)
            async for number, new in events:
                if data := b"".join(_write_event(protocol, chunk) for chunk in stream.add_events(number, new)):
                    yield data
            last = list(stream.end())
            if last and "response" in last[-1]:
                keep(last[-1]["response"])
            yield b"".join(_write_event(protocol, chunk) for chunk in last)
        except Exception as error:
            span.record_error(error)
            refusal = make_refusal(error, None)
            said = refusal.body if protocol.ends_with_done else {"type": "error"} | refusal.body["error"]
            yield _write_event(protocol, said)
            return
        if protocol.ends_with_done:
            yield b"data: [DONE]\n\n"


def _write_event(protocol: Protocol, sent: Mapping[str, Any]) -> bytes:
    name = "" if protocol.ends_with_done else f"event: {sent['type']}\n"
    return f"{name}data: {json.dumps(sent, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()
