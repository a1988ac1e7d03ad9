"""Completions: what is sent back for prompts that are not conversations.

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
    GatheredText,
    compute_allowed_share,
    compute_logprob,
    count_tokens,
    make_stamp_field,
    make_trace,
    spell_token,
)
from formwright.server.writing.echo import Echo
from formwright.server.writing.events import Done, Echoed, Event, Tokens
from formwright.tools.events import Text, Thought

__all__ = ["CompletionStream", "make_completion"]


def make_completion(head: dict[str, Any], orders: Sequence[Order], answers: Sequence[GatheredText]) -> dict[str, Any]:
    """Make a completion."""
    return {
        **head,
        "object": "text_completion",
        "choices": [_make_choice(number, answer, orders[0]) for number, answer in enumerate(answers)],
        "usage": _make_usage(orders, answers),
        **make_stamp_field(orders[0], answers),
    }


def _make_choice(number: int, answer: GatheredText, order: Order) -> dict[str, Any]:
    body = order.body
    choice: dict[str, Any] = {
        "index": number,
        "text": _find_echo_text(answer) + answer.text,
        "logprobs": None,
        "finish_reason": answer.ending.reason,
    }
    if body.likeliest_count is not None:
        choice["logprobs"] = _list_all_logprobs(answer, body.likeliest_count)
    if body.trace:
        choice["formwright"] = {"trace": make_trace(answer.rows)}
    return choice


def _find_echo_text(answer: GatheredText) -> str:
    """Find the prompt before an answer, if it is repeated."""
    return answer.echo.text if answer.echo is not None else ""


def _list_all_logprobs(answer: GatheredText, count: int) -> dict[str, list[Any]]:
    """List all tokens of a choice, those of a repeated prompt first."""
    echo = answer.echo
    if echo is None:
        return _list_answer_logprobs(answer.rows, count, 0, {})
    prompt, written = (
        _list_prompt_logprobs(echo, count),
        _list_answer_logprobs(answer.rows, count, len(echo.text), echo.names),
    )
    return {name: prompt[name] + written[name] for name in written}


def _list_answer_logprobs(
    rows: Sequence[Row], count: int, offset: int, names: Mapping[int, str]
) -> dict[str, list[Any]]:
    """List the tokens of an answer that begins at an offset of the text."""
    offsets, decoder = list[int](), getincrementaldecoder("utf-8")("ignore")
    for row in rows:  # a token may end within a character
        offsets.append(offset)
        offset += len(decoder.decode(row.token))
    return _make_lists(rows, count, names) | {"text_offset": offsets}


def _list_prompt_logprobs(echo: Echo, count: int) -> dict[str, list[Any]]:
    """List the tokens of a prompt; the first has no log probability, because nothing comes before it."""
    if echo.scoring is None:
        return {}
    lists = _make_lists(echo.scoring.rows, count, echo.names)
    lists |= {name: [None, *lists[name]] for name in ("token_logprobs", "top_logprobs", "unmasked_logprobs")}
    return lists | {"tokens": list(echo.tokens), "text_offset": list(echo.offsets)}


def _make_lists(rows: Sequence[Row], count: int, names: Mapping[int, str]) -> dict[str, list[Any]]:
    """Put tokens and their log probabilities into the lists of this protocol."""
    return {
        "tokens": [row.text or names.get(row.token_id, "") for row in rows],
        "token_logprobs": [compute_logprob(row.masked_probability) for row in rows],
        "top_logprobs": [_list_likeliest(row, count, names) for row in rows],
        "unmasked_logprobs": [compute_logprob(row.probability) for row in rows],
    }


def _list_likeliest(row: Row, count: int, names: Mapping[int, str]) -> dict[str, float]:
    """List the most likely of the allowed tokens, and the one that was chosen."""
    allowed = [likely for likely in row.likeliest if likely.is_allowed][:count]
    found = {
        names.get(likely.token_id) or spell_token(likely.token): compute_logprob(compute_allowed_share(likely, row))
        for likely in allowed
    }
    return found | {names.get(row.token_id) or spell_token(row.token): compute_logprob(row.masked_probability)}


def _make_usage(orders: Sequence[Order], answers: Sequence[GatheredText]) -> dict[str, Any]:
    prompt, written, _ = count_tokens(orders, answers)
    return {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}


class CompletionStream:
    """The chunks of a completion.

    Args:
        head: The fields of every chunk.
        orders: One for each prompt.
    """

    def __init__(self, head: dict[str, Any], orders: Sequence[Order]) -> None:
        self._orders = orders
        self._head = {**head, "object": "text_completion"}
        options = orders[0].body.stream_options
        self._sends_usage = bool(options and options.include_usage)
        self._answers = [GatheredText() for order in orders for _ in order.writings]

    def start(self) -> Iterator[dict[str, Any]]:
        """Yield nothing: nothing is sent before anything is written."""
        yield from ()

    def add_events(self, number: int, events: Sequence[Event]) -> Iterator[dict[str, Any]]:
        """Yield what is sent for the next events of a text."""
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
        stamp = make_stamp_field(self._orders[0], self._answers) if is_last else {}
        yield self._make_chunk(number, text, reason, **more) | stamp

    def end(self) -> Iterator[dict[str, Any]]:
        """Yield what is sent when all is written."""
        if self._sends_usage:
            yield {**self._head, "choices": [], "usage": _make_usage(self._orders, self._answers)}

    def _read_echo(self, echo: Echo) -> dict[str, Any]:
        body = self._orders[0].body
        if body.likeliest_count is not None:
            return {"logprobs": _list_prompt_logprobs(echo, body.likeliest_count)}
        return {}

    def _read_tokens(self, event: Tokens, offset: int, echo: Echo | None) -> dict[str, Any]:
        body, more = self._orders[0].body, dict[str, Any]()
        if body.likeliest_count is not None:
            more["logprobs"] = _list_answer_logprobs(
                event.rows, body.likeliest_count, offset, {} if echo is None else echo.names
            )
        if body.trace:
            more["formwright"] = {"trace": make_trace(event.rows), "partial": event.partial}
        return more

    def _make_chunk(self, number: int, text: str, reason: str | None, **more: Any) -> dict[str, Any]:
        choice = {"index": number, "text": text, "logprobs": None, "finish_reason": reason} | more
        usage = {"usage": None} if self._sends_usage else {}
        return {**self._head, "choices": [choice], **usage}
