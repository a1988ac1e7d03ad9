"""From a request to what is written for it: read, compiled, written row by row, and told as events.

::

    [Thought("It is in Norway."), Text("Oslo")]
    [Called(0, "call_1", "get_weather", is_custom=False), Argument(0, '{"city": '), Argument(0, '"Oslo"}')]

The protocols differ in how they write these events down; what happens is the same, and is here.

Cost: reading and compiling happen in threads beside the event loop; one queue for each request.

The wrinkle: a budget is what the client says, or all that the prompt leaves of the context. A text in form is complete
within it, or the request is refused before anything is written.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from math import isfinite
from typing import Any, NamedTuple, TypeVar

from formwright._kernel import Interrupt
from formwright.errors import LimitExceeded
from formwright.forms import shortened
from formwright.generation import Complete, Truncated, Writing
from formwright.generation.batch import Turn
from formwright.generation.held import Piece
from formwright.generation.scoring import PromptScoring, Scoring
from formwright.generation.trace import Row
from formwright.models import LocalModel
from formwright.models.tasks import Sampling, Task
from formwright.server.echo import Echo
from formwright.server.errors import BadRequest, Refusal, refusal_of, too_long
from formwright.server.pool import FairPool
from formwright.server.requests import Body, ChatBody, CompletionBody, ResponsesBody, Sampled
from formwright.server.shapes import Compiled, Shape, Shapes, shape_of
from formwright.server.structural import ends_in_free_text
from formwright.server.tool_choice import INPUT, Offered
from formwright.server.worker import Job, QueueFull, Worker
from formwright.tools import Call
from formwright.tools.written import Argued, CallsReader, Named, Said, overlap

__all__ = [
    "Answering",
    "Argument",
    "Called",
    "Done",
    "Echoed",
    "Event",
    "Order",
    "PromptSpec",
    "Text",
    "Thought",
    "Tokens",
    "timed_out",
]

_COMPILERS = 4
"""Threads that read and compile; a form that takes all its fuel keeps one of them busy."""

_SLICE = 1 << 16
"""Characters of a long prompt that are tokenized at a time, to find out whether it can fit."""

T = TypeVar("T")

_MOST_SPELLINGS = 1000
"""Spellings that one request has scored at most."""

_SHOWN = 8
"""How many of the likeliest tokens a trace shows."""


class Thought(NamedTuple):
    """A fragment of the thought before an answer."""

    text: str


class Text(NamedTuple):
    """A fragment of the text of an answer."""

    text: str


class Called(NamedTuple):
    """A call has begun."""

    number: int
    id: str
    name: str
    is_custom: bool


class Argument(NamedTuple):
    """A fragment of the arguments of a call: JSON, or the input of a custom tool."""

    number: int
    text: str


class Tokens(NamedTuple):
    """Rows of the trace, of tokens that belong to the answer; and the partial value behind them."""

    rows: Sequence[Row]
    partial: Any


class Echoed(NamedTuple):
    """The answer repeats the prompt."""

    echo: Echo


class Done(NamedTuple):
    """A text is over."""

    reason: str
    result: Complete[Any] | Truncated
    thought_tokens: int


Event = Echoed | Thought | Text | Called | Argument | Tokens | Done


@dataclass(frozen=True, slots=True)
class PromptSpec:
    """What a request says of one prompt, as its endpoint spells it.

    Attributes:
        offered: The tools.
        prompt: Makes the tokens of the prompt.
        field: Where the prompt is.
        text: The prompt, if it is a text that the model continues.
    """

    offered: Offered
    prompt: Callable[[], list[int]]
    field: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be written.

    Attributes:
        body: The request.
        compiled: Its form.
        task: The prompt, the budget, and the form behind the prompt.
        writings: The texts, not begun; or those that are to be scored.
        echo: The prompt, if the answer repeats it.
    """

    body: Body
    compiled: Compiled
    task: Task
    writings: Sequence[Writing | Scoring]
    echo: Echo | None = None

    @property
    def is_opened(self) -> bool:
        """Whether the prompt has opened the thought already."""
        return self.task.constraint is not self.compiled.constraint

    @property
    def prompt_scoring(self) -> PromptScoring | None:
        """Scores the tokens of the prompt, if the client wants that."""
        return None if self.echo is None else self.echo.scoring

    @property
    def prompt_tokens(self) -> int:
        """How many tokens the prompt has."""
        return len(self.task.prompt_ids)

    def stamp(self, ends: Sequence[Done]) -> dict[str, Any] | None:
        """Who enforced what, and what else there is to know; ``None`` for free text of which there is nothing."""
        shape = self.compiled.shape
        notes = [*shape.notes, *self.body.notes, *self._notes(ends)]
        told: dict[str, Any] = {"notes": notes} if notes else {}
        if shape.is_text and shape.style is None:
            return told or None
        results = [end.result for end in ends]
        stamp: dict[str, Any] = {
            "enforced": "kernel",
            "form": self.compiled.digest,
            "complete": all(isinstance(end.result, Complete) and end.reason != "length" for end in ends),
            "tokens": {
                "written": sum(len(result.token_ids) for result in results),
                "forced": sum(result.forced_tokens for result in results),
            },
            "model_calls": sum(result.model_calls for result in results),
        }
        if isinstance(scoring := self.writings[0], Scoring):
            stamp["scores"] = {text: score if isfinite(score) else None for text, score in scoring.scores.items()}
        return stamp | told

    def _notes(self, ends: Sequence[Done]) -> Iterator[str]:
        """What the client should know of its answer."""
        if any(len(end.result.token_ids) < self.body.min_tokens for end in ends):
            yield "min_tokens: a text has fewer tokens, for its form allows no more, or a stop text has cut it"
        if getattr(self.body, "stop", None) and not self.compiled.shape.has_free_text:
            yield "stop has no effect: the answer has no free text"
        thought, budget = self.compiled.shape.thought_tokens, int(self.task.limits.max_tokens)
        if budget <= thought:
            yield f"the thought may take {thought} tokens and the answer has {budget} with it, so it may be cut short"


@dataclass
class Answering:
    """Turns requests into texts of a model.

    Attributes:
        model: The model.
        worker: Writes.
        shapes: Forms that were compiled.
        timeout: Most seconds of a request.
    """

    model: LocalModel
    worker: Worker
    shapes: Shapes
    timeout: float
    _pool: FairPool = field(default_factory=lambda: FairPool(_COMPILERS))
    _compiling: set[Interrupt] = field(default_factory=set)
    _ended: Refusal | None = None

    def end(self, refusal: Refusal) -> None:
        """End what is compiled, and what will be; its requests are told why. Called in the event loop."""
        self._ended = refusal
        for interrupt in self._compiling:
            interrupt.set()

    def close(self) -> None:
        """End the threads, and what they compile."""
        for interrupt in self._compiling:
            interrupt.set()
        self._pool.close()

    async def order(self, body: Body, spec: PromptSpec, client: str, *, is_short: bool) -> Order:
        """What a request asks for.

        Args:
            body: The request.
            spec: Its tools and its prompt.
            client: Whom it is for.
            is_short: Whether the prompt is read in less time than a thread takes to begin.

        Raises:
            Refusal: It cannot be served.
        """
        key, make = shape_of(body, self.model.style, spec.offered)
        if is_short and self.shapes.has(key, body.canonical):
            return self._order(body, key, make, spec)
        return await self.in_thread(client, lambda: self._order(body, key, make, spec))

    async def in_thread(self, client: str, work: Callable[[], T]) -> T:
        """Work in a thread of its own, which ends with the request: its client may go away. Raises Refusal."""
        self._check_going()
        interrupt = Interrupt()

        def interruptible() -> T:
            with interrupt:
                return work()

        self._compiling.add(interrupt)
        try:
            return await self._pool.run(client, interruptible)
        except Refusal:
            if interrupt.is_set:  # which is what it was refused for
                self._check_going()
            raise
        finally:
            interrupt.set()
            self._compiling.discard(interrupt)

    def check_length(self, texts: Sequence[str], field: str) -> None:
        """Refuse a prompt that cannot fit the context, before all of it is tokenized. Raises BadRequest.

        A text has at least one token for each `_longest` bytes. One that may fit is tokenized a slice at a time, which
        holds the interpreter for some milliseconds, until the slices have twice the tokens of the context.
        """
        context, size = self.model.runtime.context, sum(len(text.encode()) for text in texts)
        least = -(-size // self._longest)
        if least <= context and size > _SLICE:
            empty = len(self.model.encode("a"))
            slices = (text[at : at + _SLICE] for text in texts for at in range(0, len(text), _SLICE))
            counts = accumulate(len(self.model.encode(part)) - empty for part in slices)
            least = next((count for count in counts if count > 2 * context), 0)
        if least > context:
            raise too_long(f"the prompt has {least} tokens or more", field, context, least)

    @cached_property
    def _longest(self) -> int:
        """Bytes of the longest token."""
        vocabulary = self.model.vocabulary
        return max(1, *(len(vocabulary.token(token_id)) for token_id in range(len(vocabulary))))

    def _check_going(self) -> None:
        """Raises Refusal once the server has ended."""
        if self._ended is not None:
            raise self._ended

    def _order(self, body: Body, key: str, make: Callable[[], Any], spec: PromptSpec) -> Order:
        budget, limit, is_default = _budget(body)
        compiled = self.shapes.compiled(key, make, body.canonical)
        stop = _stop(body, compiled.shape)
        try:
            ids = spec.prompt()
        except Exception as error:
            raise self._refusal(error, spec.field, spec, budget) from error
        try:
            most = self.model.runtime.context if limit is None else limit
            task = self.model.task(ids, compiled.constraint, most, True, stop, None, False)
            task = replace(task, limits=replace(task.limits, is_free=_free_part(compiled.shape)))
            _check_least(body, budget, int(task.limits.max_tokens))
            _check_bias(body, len(self.model.vocabulary))
            writings = self._writings(body, task)
        except Exception as error:
            raise self._refusal(error, compiled.shape.param, spec, budget, is_default=is_default) from error
        return Order(body, compiled, task, writings, self._echo(body, task, spec.text))

    def _echo(self, body: Body, task: Task, text: str | None) -> Echo | None:
        """What the answer repeats of the prompt; nothing, unless the client asks for it."""
        if not isinstance(body, CompletionBody) or not body.echo:
            return None
        scoring = None
        if body.scores_prompts:
            scoring = PromptScoring(self.model.runtime, self.model.vocabulary, task.prompt_ids, body.logprobs or 0)
        return Echo.of(self.model.vocabulary, task.prompt_ids, text, scoring)

    def _refusal(
        self, error: Exception, param: str | None, spec: PromptSpec, budget: str, *, is_default: bool = False
    ) -> Refusal:
        """What a client is told of an error; that of a prompt which is too long has the words that SDKs look for."""
        if isinstance(error, LimitExceeded) and error.limit == "context":
            return too_long(str(error), spec.field, self.model.runtime.context, error.value)
        return refusal_of(error, param, budget, is_default=is_default)

    def _writings(self, body: Body, task: Task) -> list[Writing] | list[Scoring]:
        """The texts of a request, not begun."""
        if isinstance(body, ChatBody) and body.score is not None:
            return [self.model.scoring(task.prompt_ids, task.constraint, body.score, _MOST_SPELLINGS)]
        return [_writing(body, task, number) for number in range(getattr(body, "n", 1))]

    async def events(
        self, orders: Sequence[Order], client: str, began: float
    ) -> AsyncIterator[tuple[int, list[Event]]]:
        """What is written, token by token: the number of a text, and what is new in it.

        Texts are numbered through all orders. Leaving the loop early ends what is not over. A text whose prompt is
        repeated begins with it: until its tokens are scored, what is written after it is held back.

        Args:
            orders: What is to be written.
            client: Whom it is for.
            began: When the request came, by the clock of the event loop.

        Raises:
            Refusal: Too many texts wait, or one has failed, or the time of a request is over.
        """
        turns: asyncio.Queue[Turn] = asyncio.Queue()
        texts = _Texts(orders, client, turns)
        self._submit(texts.jobs)
        try:
            for each in texts.begin():
                yield each
            while not texts.are_over:
                for each in texts.read(await self._turn(turns, began + self.timeout)):
                    yield each
        finally:
            for job in texts.jobs:
                self.worker.cancel(job)

    def _submit(self, jobs: list[Job]) -> None:
        """Let texts wait to be written. Raises Refusal."""
        try:
            self.worker.submit(jobs)
        except QueueFull:
            said = f"{self.worker.waiting} texts wait already, and no more than --max-waiting may"
            raise Refusal(
                503,
                f"{said}: ask again a little later",
                type="overloaded_error",
                code="queue_full",
                headers={"Retry-After": "1"},
            ) from None

    async def _turn(self, turns: asyncio.Queue[Turn], deadline: float) -> Turn:
        """The next turn. Raises Refusal when the time is over."""
        try:
            async with asyncio.timeout_at(deadline):
                if asyncio.get_running_loop().time() > deadline:  # a turn that is there is not waited for
                    raise TimeoutError
                return await turns.get()
        except TimeoutError:
            raise timed_out(self.timeout) from None


def timed_out(seconds: float) -> Refusal:
    """What a client is told whose request takes too long."""
    said = f"the request has taken longer than {seconds:g} seconds, the --timeout of this server"
    return Refusal(504, said, type="timeout_error", code="timeout")


class _Texts:
    """The texts of a request, numbered through all orders: which of them a turn goes on with, and by which events.

    A text whose prompt is scored begins when that is done; what is written of it before is held back.
    """

    def __init__(self, orders: Sequence[Order], client: str, turns: asyncio.Queue[Turn]) -> None:
        self._prompts: dict[Any, range] = {}
        self._readers: dict[Any, tuple[int, Callable[[Turn], list[Event]]]] = {}
        self._echoes: dict[int, Echo] = {}
        streamed = orders[0].body.stream
        for order in orders:
            numbers = range(len(self._readers), len(self._readers) + len(order.writings))
            if order.echo is not None:
                self._echoes |= dict.fromkeys(numbers, order.echo)
            if order.prompt_scoring is not None:
                self._prompts[Job(client, order.prompt_scoring, streamed, turns)] = numbers
            for number, writing in zip(numbers, order.writings, strict=True):
                self._readers[Job(client, writing, streamed, turns)] = number, _reader(order, writing)
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


def _reader(order: Order, writing: Writing | Scoring) -> Callable[[Turn], list[Event]]:
    """What reads the turns of a text."""
    return _scored if isinstance(writing, Scoring) else _Reader(order, writing).read


def _scored(turn: Turn) -> list[Event]:
    """What a request is told whose texts are scored: the most likely one, as if it were written."""
    if turn.error is not None:
        raise refusal_of(turn.error, "score")
    return [Text(turn.result.text), Done("stop", turn.result, 0)]


class _Reader:
    """Reads what is written of one text."""

    def __init__(self, order: Order, writing: Writing) -> None:
        shape = order.compiled.shape
        self._order, self._shape, self._writing = order, shape, writing
        self._thought = _ThoughtReader(order.is_opened) if shape.thinks else None
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
            events += self._fed(text)
        if self._writing.rows and (turn.pieces or is_over):
            events += self._rows(turn.pieces, is_over)
        if is_over:
            events += self._finished(result)
        return events

    def _rows(self, pieces: Sequence[Piece], is_over: bool) -> list[Event]:
        """The rows of the tokens that were told."""
        rows = self._writing.rows
        end = min(len(self._writing.token_ids), len(rows))
        if not is_over:  # some may be held back
            end = min(end, self._tokens)
        elif self._order.prompt_scoring is not None:  # rows are counted from the prompt on, the end of text with them
            end = len(rows)
        new, self._told = rows[self._told : end], max(end, self._told)
        return [Tokens(new, self._partial(pieces, is_over))] if new else []

    def _partial(self, pieces: Sequence[Piece], is_over: bool) -> Any:
        """The value as far as it is told: the worker may have written more."""
        if not (self._order.body.trace and self._order.body.stream):
            return None
        return self._writing.partial.value if is_over or not pieces else pieces[-1].partial.value

    def _fed(self, text: str) -> list[Event]:
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
        return events + self._of_calls(self._calls.feed(text))

    def _finished(self, result: Complete[Any] | Truncated) -> list[Event]:
        """The text is over."""
        events: list[Event] = []
        value = result.value if isinstance(result, Complete) else None
        calls = [call for call in value if isinstance(call, Call)] if isinstance(value, list) else []
        calls = [value] if isinstance(value, Call) else calls
        if self._shape.is_either and self._shape.style is not None and calls:
            self._calls = CallsReader(self._shape.style, is_bare=self._shape.is_bare, takes_text=False)
            events += self._of_calls(self._calls.feed(self._held))
        elif self._held:
            events.append(Text(self._held))
        if self._calls is not None:
            events += self._of_calls(self._calls.finish(calls)) + self._closed()
        thought_tokens = _tokens_of_thought(result, self._writing) if self._thought is not None else 0
        return [*events, Done(self._reason(result), result, thought_tokens)]

    def _reason(self, result: Complete[Any] | Truncated) -> str:
        if self._begun:
            return "tool_calls"
        if isinstance(result, Truncated):
            return "length" if result.reason == "max_tokens" else "stop"
        if self._writing.is_stopped:  # at a text that is in form
            return "stop"
        spent = len(result.token_ids) >= int(self._order.task.limits.max_tokens)
        return "length" if self._shape.is_text and spent else "stop"

    def _of_calls(self, events: Sequence[Any]) -> list[Event]:
        """The events of calls; the input of a custom tool is told when it is whole."""
        found: list[Event] = []
        for event in events:
            index = len(self._begun) - 1
            if isinstance(event, Said):
                found.append(Text(event.text))
            elif isinstance(event, Named):
                found += self._closed()
                self._begun.append(event.name)
                is_custom = event.name in self._shape.custom
                found.append(Called(index + 1, f"call_{secrets.token_hex(12)}", event.name, is_custom))
            elif isinstance(event, Argued) and self._begun[-1] in self._shape.custom:
                self._input.append(event.text)
            elif isinstance(event, Argued):
                found.append(Argument(index, event.text))
        return found

    def _closed(self) -> list[Event]:
        """The input of the last call, if it was of a custom tool."""
        if not self._input:
            return []
        text, self._input = "".join(self._input), []
        return [Argument(len(self._begun) - 1, json.loads(text)[INPUT])]


class _ThoughtReader:
    """Tells a thought from what follows it."""

    OPEN, CLOSE, BLANK = "<think>", "</think>", " \n"

    def __init__(self, opened: bool) -> None:
        self._buffer, self._opened, self._closed = "", opened, False
        self.is_over = False

    def feed(self, text: str) -> tuple[str, str]:
        """The thought, and what stands behind it, as far as they have come."""
        self._buffer += text
        if not self._opened:
            if len(self._buffer) < len(self.OPEN):
                return "", ""
            self._buffer, self._opened = self._buffer[len(self.OPEN) :], True
        if self._closed:
            return "", self._rest()
        at = self._buffer.find(self.CLOSE)
        if at >= 0:
            thought, self._buffer, self._closed = self._buffer[:at], self._buffer[at + len(self.CLOSE) :], True
            return thought, self._rest()
        end = len(self._buffer) - overlap(self._buffer, self.CLOSE)
        thought, self._buffer = self._buffer[:end], self._buffer[end:]
        return thought, ""

    def _rest(self) -> str:
        """What follows the thought and the white space behind it."""
        rest = self._buffer.lstrip(self.BLANK)
        self._buffer = ""
        self.is_over = bool(rest)
        return rest


def _tokens_of_thought(result: Complete[Any] | Truncated, writing: Writing) -> int:
    """How many tokens spell the thought and its markers."""
    end = result.text.find(_ThoughtReader.CLOSE)
    if end < 0:
        return len(result.token_ids)
    left = len(result.text[: end + len(_ThoughtReader.CLOSE)].encode())
    vocabulary = writing.matcher.constraint.vocabulary
    names = {token_id: name for name, token_id in vocabulary.special_tokens.items()}
    count = 0
    for token_id in result.token_ids:
        if left <= 0:
            break
        left -= len(vocabulary.token(token_id) or names.get(token_id, "").encode())
        count += 1
    return count


def _budget(body: Body) -> tuple[str, int | None, bool]:
    """The field that says how many tokens there may be, how many, and whether the request leaves it out."""
    if isinstance(body, ResponsesBody):
        return "max_output_tokens", body.max_output_tokens, False
    if isinstance(body, ChatBody) and body.max_completion_tokens is not None:
        if body.max_tokens not in (None, body.max_completion_tokens):
            raise BadRequest("max_tokens: an older name of max_completion_tokens, given too", param="max_tokens")
        return "max_completion_tokens", body.max_completion_tokens, False
    limit = body.max_tokens if isinstance(body, Sampled) else None
    if limit == 0 and isinstance(body, CompletionBody) and not body.echo:
        raise BadRequest("max_tokens: 0 is only for echo: there would be no answer", param="max_tokens")
    if isinstance(body, CompletionBody) and limit is None:
        return "max_tokens", 16, True
    return "max_tokens", limit, False


def _stop(body: Body, shape: Shape) -> str | list[str] | None:
    """The texts before which to cut free text; ``None`` where there is none."""
    stop = body.stop if isinstance(body, Sampled) else None
    if not stop:
        return None
    if not all([stop] if isinstance(stop, str) else stop):
        raise BadRequest("stop: an empty text would cut everything", param="stop")
    return stop if shape.has_free_text else None


def _free_part(shape: Shape) -> Callable[[str], bool] | None:
    """Where a text is free, if it may hold calls or tags."""
    style, tagged = shape.style, shape.tagged
    if style is None and tagged is None:
        return None

    def is_free(text: str) -> bool:
        _, is_over, answer = text.partition(_ThoughtReader.CLOSE) if shape.thinks else ("", "over", text)
        if not is_over:
            return False
        if tagged is not None:
            return ends_in_free_text(tagged, answer.lstrip(_ThoughtReader.BLANK) if shape.thinks else answer)
        assert style is not None
        reader = CallsReader(style)
        reader.feed(answer)
        return reader.is_in_text

    return is_free


def _likeliest(body: Body) -> int | None:
    """How many of the likeliest tokens a client wants to see for each; ``None`` if it wants no logprobs."""
    if isinstance(body, ChatBody):
        if body.top_logprobs is not None and not body.logprobs:
            raise BadRequest("top_logprobs: logprobs must be true for it", param="top_logprobs")
        return (body.top_logprobs or 0) if body.logprobs else None
    if isinstance(body, CompletionBody):
        return body.logprobs
    if isinstance(body, ResponsesBody):
        wanted = "message.output_text.logprobs" in (body.include or ())
        return (body.top_logprobs or 0) if wanted or body.top_logprobs else None
    return None


def _check_least(body: Body, budget: str, most: int) -> None:
    """Refuse a least length that is more than the most."""
    if body.min_tokens > most:
        said = f"min_tokens: {body.min_tokens} is more than {budget} and the context allow, which is {most}"
        raise BadRequest(said, param="min_tokens")


def _check_bias(body: Body, tokens: int) -> None:
    """Refuse biases of tokens that are none."""
    if wrong := [
        name for name in getattr(body, "logit_bias", {}) if not name.isdecimal() or len(name) > 9 or int(name) >= tokens
    ]:
        raise BadRequest(
            f"logit_bias: {shortened(repr(wrong[0]))} is no token: they go from 0 to {tokens - 1}", param="logit_bias"
        )


def _writing(body: Body, task: Task, number: int) -> Writing:
    """One of the texts, not begun."""
    likeliest = _likeliest(body)
    shown = max(likeliest or 0, _SHOWN if body.trace else 0)
    return task.writing(_sampling(body, number).sampler(), body.trace or likeliest is not None, shown)


def _sampling(body: Body, number: int) -> Sampling:
    """How the tokens of one of the texts are chosen."""
    if body.top_k is not None and body.top_k < 1 and body.top_k != -1:
        raise BadRequest("top_k: 1 or more, or -1 for all tokens", param="top_k")
    sampling = Sampling(
        temperature=1.0 if body.temperature is None else body.temperature,
        top_k=None if body.top_k in (None, -1) else body.top_k,
        top_p=1.0 if body.top_p is None else max(body.top_p, 1e-9),
        min_p=body.min_p,
        repetition_penalty=body.repetition_penalty,
        min_tokens=body.min_tokens,
        seed=None if body.seed is None else (body.seed + number) % (1 << 63),
    )
    if not isinstance(body, Sampled):
        return sampling
    return replace(
        sampling,
        bias={int(name): value for name, value in body.logit_bias.items()},
        presence_penalty=body.presence_penalty,
        frequency_penalty=body.frequency_penalty,
    )
