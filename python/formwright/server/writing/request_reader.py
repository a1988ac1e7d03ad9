"""Turn the tokens of a request's texts into events: thoughts, text, calls and rows of the trace.

::

    reader = RequestReader([], "a client", None)
    reader.jobs, reader.is_over          # ([], True)

`formwright.tools.answer_reader` reads the answer itself; this module keeps the texts apart, and reads the thought and
the trace.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from formwright.generation import Complete, Truncated, Writing
from formwright.generation.batch import Turn
from formwright.generation.fields import FieldScoring
from formwright.generation.held_text import Piece
from formwright.generation.strategies.scoring import Scoring
from formwright.server.errors import make_refusal
from formwright.server.reading.orders import Order
from formwright.server.worker import TextJob
from formwright.server.writing.echo import Echo
from formwright.server.writing.events import Done, Echoed, Event, Tokens
from formwright.server.writing.thoughts import ThoughtReader, count_thought_tokens
from formwright.tools.answer_reader import AnswerReader, find_calls
from formwright.tools.events import Text, Thought

__all__ = ["RequestReader", "TurnReader"]


class RequestReader:
    """Reads the turns of a request's texts, which are numbered across all orders.

    A text whose prompt is scored begins when that is done; its events are held back until then.
    """

    def __init__(self, orders: Sequence[Order], client: str, turns: asyncio.Queue[Turn]) -> None:
        self._prompts: dict[Any, range] = {}
        self._readers: dict[Any, tuple[int, Callable[[Turn], list[Event]]]] = {}
        self._echoes: dict[int, Echo] = {}
        is_streamed = any(order.body.stream for order in orders)
        for order in orders:
            numbers = range(len(self._readers), len(self._readers) + len(order.writings))
            if order.echo is not None:
                self._echoes |= dict.fromkeys(numbers, order.echo)
            if order.prompt_scoring is not None:
                self._prompts[TextJob(client, order.prompt_scoring, is_streamed, turns)] = numbers
            for number, writing in zip(numbers, order.writings, strict=True):
                self._readers[TextJob(client, writing, is_streamed, turns)] = number, _choose_reader(order, writing)
        self._held = {number: list[list[Event]]() for numbers in self._prompts.values() for number in numbers}
        self.jobs: list[TextJob] = [*self._prompts, *self._readers]
        self._going = len(self.jobs)

    @property
    def is_over(self) -> bool:
        """Whether nothing more is written or scored."""
        return not self._going

    def begin(self) -> Iterator[tuple[int, list[Event]]]:
        """Return the events before the first turn: echoes of prompts that are not scored."""
        for number, echo in self._echoes.items():
            if number not in self._held:
                yield number, [Echoed(echo)]

    def read(self, turn: Turn) -> Iterator[tuple[int, list[Event]]]:
        """Read a turn: yield the number of its text, and the events. Raises Refusal."""
        self._going -= turn.is_over
        if turn.key in self._prompts:
            yield from self._read_prompt(turn)
            return
        number, read = self._readers[turn.key]
        events = read(turn)
        if number in self._held:
            self._held[number].append(events)
        elif events:
            yield number, events

    def _read_prompt(self, turn: Turn) -> Iterator[tuple[int, list[Event]]]:
        """Begin the texts of a prompt whose scores have come."""
        if turn.error is not None:
            raise make_refusal(turn.error, "prompt")
        for number in self._prompts[turn.key]:
            yield number, [Echoed(self._echoes[number])]
            yield from ((number, events) for events in self._held.pop(number) if events)


def _choose_reader(order: Order, writing: Writing | Scoring | FieldScoring) -> Callable[[Turn], list[Event]]:
    """Choose the reader of a text's turns."""
    return TurnReader(order, writing).read if isinstance(writing, Writing) else _read_scores


def _read_scores(turn: Turn) -> list[Event]:
    """Return the events of scored texts: those of the most likely one, as if it had been written."""
    if turn.error is not None:
        raise make_refusal(turn.error, "score")
    return [Text(turn.result.text), Done("stop", turn.result, 0)]


class TurnReader:
    """Reads the turns of one text: its thought, its answer, the rows of its tokens."""

    def __init__(self, order: Order, writing: Writing) -> None:
        shape = order.compiled.shape
        self._order, self._shape, self._writing = order, shape, writing
        self._thought = ThoughtReader(order.has_open_thought) if shape.has_thought else None
        self._answer = AnswerReader(shape.offered, shape.style, shape.custom_tools)
        self._tokens, self._rows_sent = 0, 0

    def read(self, turn: Turn) -> list[Event]:
        """Read the events of a turn. Raises Refusal."""
        if turn.error is not None:
            raise make_refusal(turn.error, self._shape.param)
        events: list[Event] = []
        is_over, result = turn.is_over, turn.result
        pieces = [piece.text for piece in turn.pieces]
        if is_over and not self._order.body.stream:
            pieces = [result.text]
        for text in pieces:
            self._tokens += 1
            events += self._read_text(text)
        if self._writing.rows and (turn.pieces or is_over):
            events += self._read_rows(turn.pieces, is_over)
        if is_over:
            events += self._finish(result)
        return events

    def _read_rows(self, pieces: Sequence[Piece], is_over: bool) -> list[Event]:
        """Read the rows of the tokens whose text has been sent."""
        rows = self._writing.rows
        end = min(len(self._writing.token_ids), len(rows))
        if not is_over:  # the last ones may be held back
            end = min(end, self._tokens)
        elif self._order.prompt_scoring is not None:  # then the end of text has a row too
            end = len(rows)
        new, self._rows_sent = rows[self._rows_sent : end], max(end, self._rows_sent)
        return [Tokens(new, self._read_partial(pieces, is_over))] if new else []

    def _read_partial(self, pieces: Sequence[Piece], is_over: bool) -> Any:
        """Read the value as far as its text was sent: the worker may have written more."""
        if not (self._order.body.trace and self._order.body.stream):
            return None
        return self._writing.partial.value if is_over or not pieces else pieces[-1].partial.value

    def _read_text(self, text: str) -> list[Event]:
        """Read the next piece of the text."""
        events: list[Event] = []
        if self._thought is not None and not self._thought.is_over:
            thought, text = self._thought.feed(text)
            events += [Thought(thought)] if thought else []
            if not text:
                return events
        return [*events, *self._answer.feed(text)]

    def _finish(self, result: Complete[Any] | Truncated) -> list[Event]:
        """Read the end of the text."""
        calls = find_calls(result.value) if isinstance(result, Complete) else []
        events: list[Event] = [*self._answer.finish(calls)]
        thought_tokens = count_thought_tokens(result, self._writing) if self._thought is not None else 0
        return [*events, Done(self._find_reason(result), result, thought_tokens)]

    def _find_reason(self, result: Complete[Any] | Truncated) -> str:
        is_spent = len(result.token_ids) >= int(self._order.task.limits.max_tokens)
        return self._shape.offered.find_finish_reason(
            has_calls=bool(self._answer.calls),
            cut=result.reason if isinstance(result, Truncated) else None,
            is_spent=is_spent and not self._writing.is_stopped,  # a stop text cuts at a text that conforms to the form
        )
