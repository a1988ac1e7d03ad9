"""Completions: texts after prompts that are not conversations.

::

    {"object": "text_completion", "choices": [{"index": 0, "text": "Oslo", "finish_reason": "stop"}]}

A request may have several prompts; their texts are numbered one after the other. With ``echo`` a choice begins with its
prompt, whose first token has no log probability.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from formwright.generation.trace.recorder import Row
from formwright.server.reading.orders import Order
from formwright.server.writing.answer import (
    Answer,
    among_allowed,
    count_tokens,
    log_probability,
    make_trace,
    spell_token,
)
from formwright.server.writing.echo import Echo
from formwright.server.writing.events import Done, Echoed, Event, Tokens
from formwright.tools.events import Text, Thought

__all__ = ["Stream", "whole"]


def whole(head: dict[str, Any], orders: Sequence[Order], answers: Sequence[Answer]) -> dict[str, Any]:
    """A completion."""
    return {
        **head,
        "object": "text_completion",
        "choices": [_make_choice(number, answer, orders[0]) for number, answer in enumerate(answers)],
        "usage": _make_usage(orders, answers),
        **_make_stamp(orders, answers),
    }


def _make_choice(number: int, answer: Answer, order: Order) -> dict[str, Any]:
    body = order.body
    choice: dict[str, Any] = {
        "index": number,
        "text": _find_echo_text(answer) + answer.text,
        "logprobs": None,
        "finish_reason": answer.over.reason,
    }
    if body.likeliest is not None:
        choice["logprobs"] = _list_all_logprobs(answer, body.likeliest)
    if body.trace:
        choice["formwright"] = {"trace": make_trace(answer.rows)}
    return choice


def _find_echo_text(answer: Answer) -> str:
    """The prompt before the answer, if it is repeated."""
    return answer.echo.text if answer.echo is not None else ""


def _list_all_logprobs(answer: Answer, count: int) -> dict[str, list[Any]]:
    """The lists of all tokens of a choice, those of a prompt that is repeated first."""
    echo = answer.echo
    if echo is None:
        return _list_logprobs(answer.rows, count, 0, {})
    prompt, written = _list_prompt_logprobs(echo, count), _list_logprobs(answer.rows, count, len(echo.text), echo.names)
    return {name: prompt[name] + written[name] for name in written}


def _list_logprobs(rows: Sequence[Row], count: int, offset: int, names: Mapping[int, str]) -> dict[str, list[Any]]:
    """The lists of the tokens of an answer that begins at an offset of the text."""
    offsets, decoder = list[int](), getincrementaldecoder("utf-8")("ignore")
    for row in rows:  # a token may end within a character
        offsets.append(offset)
        offset += len(decoder.decode(row.token))
    return _make_lists(rows, count, names) | {"text_offset": offsets}


def _list_prompt_logprobs(echo: Echo, count: int) -> dict[str, list[Any]]:
    """The lists of the tokens of a prompt; the first has no log probability, because it comes after nothing."""
    if echo.scoring is None:
        return {}
    lists = _make_lists(echo.scoring.rows, count, echo.names)
    lists |= {name: [None, *lists[name]] for name in ("token_logprobs", "top_logprobs", "unmasked_logprobs")}
    return lists | {"tokens": list(echo.tokens), "text_offset": list(echo.offsets)}


def _make_lists(rows: Sequence[Row], count: int, names: Mapping[int, str]) -> dict[str, list[Any]]:
    """Put tokens and their log probabilities into lists, as this protocol has them."""
    return {
        "tokens": [row.text or names.get(row.token_id, "") for row in rows],
        "token_logprobs": [log_probability(row.masked_probability) for row in rows],
        "top_logprobs": [_list_likeliest(row, count, names) for row in rows],
        "unmasked_logprobs": [log_probability(row.probability) for row in rows],
    }


def _list_likeliest(row: Row, count: int, names: Mapping[int, str]) -> dict[str, float]:
    """List the most likely of the allowed tokens, and the one that was chosen."""
    allowed = [likely for likely in row.likeliest if likely.is_allowed][:count]
    found = {
        names.get(likely.token_id) or spell_token(likely.token): log_probability(among_allowed(likely, row))
        for likely in allowed
    }
    return found | {names.get(row.token_id) or spell_token(row.token): log_probability(row.masked_probability)}


def _make_usage(orders: Sequence[Order], answers: Sequence[Answer]) -> dict[str, Any]:
    prompt, written, _ = count_tokens(orders, answers)
    return {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}


def _make_stamp(orders: Sequence[Order], answers: Sequence[Answer]) -> dict[str, Any]:
    stamp = orders[0].stamp([answer.over for answer in answers])
    return {} if stamp is None else {"formwright": stamp}


class Stream:
    """The chunks of a completion.

    Args:
        head: What all of them say.
        orders: One for each prompt.
    """

    def __init__(self, head: dict[str, Any], orders: Sequence[Order]) -> None:
        self._orders = orders
        self._head = {**head, "object": "text_completion"}
        options = orders[0].body.stream_options
        self._tells_usage = bool(options and options.include_usage)
        self._answers = [Answer() for order in orders for _ in order.writings]

    def start(self) -> Iterator[dict[str, Any]]:
        """Nothing is sent before anything is written."""
        yield from ()

    def go_on(self, number: int, events: Sequence[Event]) -> Iterator[dict[str, Any]]:
        """What is sent of some events."""
        answer = self._answers[number]
        offset = len(_find_echo_text(answer)) + len(answer.text)
        answer.add(events)
        text, more, reason = "", dict[str, Any](), None
        for event in events:
            match event:
                case Echoed(echo):
                    text, more = echo.text, self._read_echo(echo)
                case Text(fragment) | Thought(fragment):
                    text += fragment
                case Tokens():
                    more |= self._read_tokens(event, offset, answer.echo)
                case Done():
                    reason = event.reason
                case _:
                    pass
        is_last = reason is not None and all(answer.done is not None for answer in self._answers)
        stamp = _make_stamp(self._orders, self._answers) if is_last else {}
        yield self._chunk(number, text, reason, **more) | stamp

    def end(self) -> Iterator[dict[str, Any]]:
        """What is sent when all is written."""
        if self._tells_usage:
            yield {**self._head, "choices": [], "usage": _make_usage(self._orders, self._answers)}

    def _read_echo(self, echo: Echo) -> dict[str, Any]:
        body = self._orders[0].body
        if body.likeliest is not None:
            return {"logprobs": _list_prompt_logprobs(echo, body.likeliest)}
        return {}

    def _read_tokens(self, event: Tokens, offset: int, echo: Echo | None) -> dict[str, Any]:
        body, more = self._orders[0].body, dict[str, Any]()
        if body.likeliest is not None:
            more["logprobs"] = _list_logprobs(event.rows, body.likeliest, offset, {} if echo is None else echo.names)
        if body.trace:
            more["formwright"] = {"trace": make_trace(event.rows), "partial": event.partial}
        return more

    def _chunk(self, number: int, text: str, reason: str | None, **more: Any) -> dict[str, Any]:
        choice = {"index": number, "text": text, "logprobs": None, "finish_reason": reason} | more
        usage = {"usage": None} if self._tells_usage else {}
        return {**self._head, "choices": [choice], **usage}
