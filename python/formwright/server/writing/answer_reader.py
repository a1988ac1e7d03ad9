"""From what is written of the texts of a request to events: thoughts, text, calls and rows of the trace.

::

    texts = RequestReader([], "a client", None)
    texts.jobs, texts.are_over           # ([], True)

Cost: linear in the text. The wrinkle: an answer that may be calls or a text in form is sent when it is whole, because
only then can they be told apart.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from formwright.generation import Complete, Truncated, Writing
from formwright.generation.batch import Turn
from formwright.generation.held_text import Piece
from formwright.generation.strategies.scoring import Scoring
from formwright.server.errors import refusal_of
from formwright.server.reading.orders import Order
from formwright.server.reading.tool_choice import INPUT
from formwright.server.worker import Job
from formwright.server.writing.echo import Echo
from formwright.server.writing.events import Argument, Called, Done, Echoed, Event, Text, Thought, Tokens
from formwright.server.writing.thoughts import ThoughtReader, count_thought_tokens
from formwright.tools import Call
from formwright.tools.calls_reader import Argued, CallsReader, Named, Said

__all__ = ["AnswerReader", "RequestReader"]


class RequestReader:
    """The texts of a request, numbered through all orders: which of them a turn goes on with, and by which events.

    A text whose prompt is scored begins when that is done; what is written of it before is held back.
    """

    def __init__(self, orders: Sequence[Order], client: str, turns: asyncio.Queue[Turn]) -> None:
        self._prompts: dict[Any, range] = {}
        self._readers: dict[Any, tuple[int, Callable[[Turn], list[Event]]]] = {}
        self._echoes: dict[int, Echo] = {}
        streamed = any(order.body.stream for order in orders)
        for order in orders:
            numbers = range(len(self._readers), len(self._readers) + len(order.writings))
            if order.echo is not None:
                self._echoes |= dict.fromkeys(numbers, order.echo)
            if order.prompt_scoring is not None:
                self._prompts[Job(client, order.prompt_scoring, streamed, turns)] = numbers
            for number, writing in zip(numbers, order.writings, strict=True):
                self._readers[Job(client, writing, streamed, turns)] = number, _choose_reader(order, writing)
        self._held = {number: list[list[Event]]() for numbers in self._prompts.values() for number in numbers}
        self.jobs: list[Job] = [*self._prompts, *self._readers]
        self._going = len(self.jobs)

    @property
    def are_over(self) -> bool:
        """Whether nothing more is written or scored."""
        return not self._going

    def begin(self) -> Iterator[tuple[int, list[Event]]]:
        """What there is before the first turn: prompts that are repeated and not scored."""
        for number, echo in self._echoes.items():
            if number not in self._held:
                yield number, [Echoed(echo)]

    def read(self, turn: Turn) -> Iterator[tuple[int, list[Event]]]:
        """What a turn says of which texts. Raises Refusal."""
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
        """Begin the texts of a prompt that is scored now."""
        if turn.error is not None:
            raise refusal_of(turn.error, "prompt")
        for number in self._prompts[turn.key]:
            yield number, [Echoed(self._echoes[number])]
            yield from ((number, events) for events in self._held.pop(number) if events)


def _choose_reader(order: Order, writing: Writing | Scoring) -> Callable[[Turn], list[Event]]:
    """What reads the turns of a text."""
    return _read_scores if isinstance(writing, Scoring) else AnswerReader(order, writing).read


def _read_scores(turn: Turn) -> list[Event]:
    """What a request is told whose texts are scored: the most likely one, as if it were written."""
    if turn.error is not None:
        raise refusal_of(turn.error, "score")
    return [Text(turn.result.text), Done("stop", turn.result, 0)]


class AnswerReader:
    """Reads what is written of one text."""

    def __init__(self, order: Order, writing: Writing) -> None:
        shape = order.compiled.shape
        self._order, self._shape, self._writing = order, shape, writing
        self._thought = ThoughtReader(order.is_opened) if shape.thinks else None
        self._calls: CallsReader | None = None
        if shape.style is not None and not shape.is_either:
            self._calls = CallsReader(shape.style, is_bare=shape.is_bare, takes_text=shape.takes_text)
        self._held, self._tokens, self._told = "", 0, 0
        self._begun: list[str] = []
        self._input: list[str] = []

    def read(self, turn: Turn) -> list[Event]:
        """What a turn says."""
        if turn.error is not None:
            raise refusal_of(turn.error, self._shape.param)
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
        """The rows of the tokens that were told."""
        rows = self._writing.rows
        end = min(len(self._writing.token_ids), len(rows))
        if not is_over:  # some may be held back
            end = min(end, self._tokens)
        elif self._order.prompt_scoring is not None:  # rows are counted from the prompt on, the end of text with them
            end = len(rows)
        new, self._told = rows[self._told : end], max(end, self._told)
        return [Tokens(new, self._read_partial(pieces, is_over))] if new else []

    def _read_partial(self, pieces: Sequence[Piece], is_over: bool) -> Any:
        """The value as far as it is told: the worker may have written more."""
        if not (self._order.body.trace and self._order.body.stream):
            return None
        return self._writing.partial.value if is_over or not pieces else pieces[-1].partial.value

    def _read_text(self, text: str) -> list[Event]:
        """Go on with the text."""
        events: list[Event] = []
        if self._thought is not None and not self._thought.is_over:
            thought, text = self._thought.feed(text)
            events += [Thought(thought)] if thought else []
            if not text:
                return events
        if self._shape.is_either:
            self._held += text
            return events
        if self._calls is None:
            return [*events, Text(text)] if text else events
        return events + self._read_calls(self._calls.feed(text))

    def _finish(self, result: Complete[Any] | Truncated) -> list[Event]:
        """The text is over."""
        events: list[Event] = []
        value = result.value if isinstance(result, Complete) else None
        calls = [call for call in value if isinstance(call, Call)] if isinstance(value, list) else []
        calls = [value] if isinstance(value, Call) else calls
        if self._shape.is_either and self._shape.style is not None and calls:
            self._calls = CallsReader(self._shape.style, is_bare=self._shape.is_bare, takes_text=False)
            events += self._read_calls(self._calls.feed(self._held))
        elif self._held:
            events.append(Text(self._held))
        if self._calls is not None:
            events += self._read_calls(self._calls.finish(calls)) + self._close_input()
        thought_tokens = count_thought_tokens(result, self._writing) if self._thought is not None else 0
        return [*events, Done(self._find_reason(result), result, thought_tokens)]

    def _find_reason(self, result: Complete[Any] | Truncated) -> str:
        if self._begun:
            return "tool_calls"
        if isinstance(result, Truncated):
            return "length" if result.reason == "max_tokens" else "stop"
        if self._writing.is_stopped:  # at a text that is in form
            return "stop"
        spent = len(result.token_ids) >= int(self._order.task.limits.max_tokens)
        return "length" if self._shape.is_text and spent else "stop"

    def _read_calls(self, events: Sequence[Any]) -> list[Event]:
        """The events of calls; the input of a custom tool is told when it is whole."""
        found: list[Event] = []
        for event in events:
            index = len(self._begun) - 1
            if isinstance(event, Said):
                found.append(Text(event.text))
            elif isinstance(event, Named):
                found += self._close_input()
                self._begun.append(event.name)
                is_custom = event.name in self._shape.custom
                found.append(Called(index + 1, f"call_{secrets.token_hex(12)}", event.name, is_custom))
            elif isinstance(event, Argued) and self._begun[-1] in self._shape.custom:
                self._input.append(event.text)
            elif isinstance(event, Argued):
                found.append(Argument(index, event.text))
        return found

    def _close_input(self) -> list[Event]:
        """The input of the last call, if it was of a custom tool."""
        if not self._input:
            return []
        text, self._input = "".join(self._input), []
        return [Argument(len(self._begun) - 1, json.loads(text)[INPUT])]
