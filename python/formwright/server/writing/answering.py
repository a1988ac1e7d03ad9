"""Turn requests into the events of their answers.

Threads read and compile the requests, and one thread writes all texts. Each protocol formats the `events` in its own
way.

::

    answering = Answering(model, Worker(model.batch, rows=1, waiting=1), Shapes(model), timeout=600.0)
    answering.close()

The client sets the budget; without one it is the rest of the context after the prompt. A text with a form is complete
within it; if none fits, the request is refused before anything is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeVar

from formwright._kernel import Interrupt
from formwright.errors import LimitExceeded, OutputInvalid
from formwright.generation import Writing
from formwright.generation.batch import Turn
from formwright.generation.fields import FieldScoring
from formwright.generation.strategies.scoring import PromptScoring, Scoring
from formwright.generation.writing import Limits
from formwright.models import LocalModel
from formwright.models.writing_tasks import WritingTask
from formwright.server.errors import BadRequest, Refusal, make_refusal, refuse_long_prompt
from formwright.server.pool import FairPool
from formwright.server.reading.generation_options import (
    check_logit_bias,
    check_min_tokens,
    make_free_text_test,
    make_writing,
    read_stop,
)
from formwright.server.reading.orders import Order, PromptSpec
from formwright.server.reading.requests import Body
from formwright.server.reading.shapes import Shapes, plan_shape
from formwright.server.worker import QueueFull, TextJob, Worker
from formwright.server.writing.echo import Echo
from formwright.server.writing.events import Event
from formwright.server.writing.request_reader import RequestReader

__all__ = ["Answering", "report_timeout"]

_THREADS = 4
"""Threads that read and compile. A form that is slow to compile keeps one of them busy."""


_SLICE = 1 << 16
"""Characters of a long prompt that are tokenised at a time, to find out whether it can fit."""


T = TypeVar("T")


_MOST_TOKENISATIONS = 1000
"""Tokenisations that are scored for one request at most."""


@dataclass
class Answering:
    """Turns requests into texts of a model.

    Attributes:
        model: The model.
        worker: Writes the texts.
        shapes: Compiled forms.
        timeout: Most seconds of a request.
    """

    model: LocalModel
    worker: Worker
    shapes: Shapes
    timeout: float
    _pool: FairPool = field(default_factory=lambda: FairPool(_THREADS))
    _interrupts: set[Interrupt] = field(default_factory=set)
    _ended: Refusal | None = None

    def end(self, refusal: Refusal) -> None:
        """End what is compiled now and later, with this refusal. Called in the event loop."""
        self._ended = refusal
        for interrupt in self._interrupts:
            interrupt.set()

    def close(self) -> None:
        """End the threads, and what they compile."""
        for interrupt in self._interrupts:
            interrupt.set()
        self._pool.close()

    async def make_order(self, body: Body, spec: PromptSpec, client: str, *, is_short: bool) -> Order:
        """Make the order for one prompt of a request.

        Args:
            body: The request.
            spec: Its tools and its prompt.
            client: The client that receives the answer.
            is_short: Whether reading the prompt is faster than starting a thread.

        Raises:
            Refusal: It cannot be served.
        """
        key, make = plan_shape(body, self.model.style, spec.offered, self.model.vocabulary)
        if is_short and self.shapes.has_shape(key, body.canonical):
            return self._make_order(body, key, make, spec)
        return await self.run_in_thread(client, lambda: self._make_order(body, key, make, spec))

    async def run_in_thread(self, client: str, work: Callable[[], T]) -> T:
        """Do work in a thread, which is interrupted if the request ends or its client disconnects. Raises Refusal."""
        self._check_open()
        interrupt = Interrupt()

        def work_until_interrupted() -> T:
            with interrupt:
                return work()

        self._interrupts.add(interrupt)
        try:
            return await self._pool.run(client, work_until_interrupted)
        except Refusal:
            if interrupt.is_set:  # the refusal says that the work was interrupted, not why
                self._check_open()
            raise
        finally:
            interrupt.set()
            self._interrupts.discard(interrupt)

    def check_length(self, texts: Sequence[str], field: str) -> None:
        """Refuse a prompt that cannot fit the context, before all of it is tokenised. Raises BadRequest.

        A text has at least one token for each `_longest_token` bytes. One that may fit is tokenised in slices, each of
        which holds the interpreter for some milliseconds, until they have twice the tokens of the context.
        """
        context, size = self.model.runtime.context, sum(len(text.encode()) for text in texts)
        least = -(-size // self._longest_token)
        if least <= context and size > _SLICE:
            empty = len(self.model.encode("a"))
            slices = (text[at : at + _SLICE] for text in texts for at in range(0, len(text), _SLICE))
            counts = accumulate(len(self.model.encode(part)) - empty for part in slices)
            least = next((count for count in counts if count > 2 * context), 0)
        if least > context:
            raise refuse_long_prompt(f"the prompt has {least} tokens or more", field, context, least)

    @cached_property
    def _longest_token(self) -> int:
        """Bytes of the longest token."""
        vocabulary = self.model.vocabulary
        return max(1, *(len(vocabulary.token(token_id)) for token_id in range(len(vocabulary))))

    def _check_open(self) -> None:
        """Refuse work once the server has ended. Raises Refusal."""
        if self._ended is not None:
            raise self._ended

    def _make_order(self, body: Body, key: str, make: Callable[[], Any], spec: PromptSpec) -> Order:
        budget, limit, is_default = body.read_budget()
        compiled = self.shapes.compile_shape(key, make, body.canonical)
        stop = read_stop(body, compiled.shape)
        try:
            ids = spec.encode_prompt()
        except Exception as error:
            raise self._make_refusal(error, spec.field, spec, budget) from error
        try:
            most = self.model.runtime.context if limit is None else limit
            limits = Limits(max_tokens=most, stop=stop, is_free=make_free_text_test(compiled.shape))
            task = self.model.make_task(ids, compiled.constraint, limits)
            self._check_answer_fits(body, task)
            check_min_tokens(body, budget, int(task.limits.max_tokens))
            check_logit_bias(body, len(self.model.vocabulary))
            writings = self._make_writings(body, task, compiled.shape.offered.is_text)
        except Exception as error:
            raise self._make_refusal(error, compiled.shape.param, spec, budget, is_default=is_default) from error
        return Order(body, compiled, task, writings, self._make_echo(body, task, spec.text))

    def _check_answer_fits(self, body: Body, task: WritingTask) -> None:
        """Refuse to score a prompt that leaves no room for an answer: its last token would count as the answer."""
        if body.scores_prompts and body.read_budget().limit != 0 == task.limits.max_tokens:
            needed = len(task.prompt_ids) + 1
            said = f"the prompt and one token of an answer are {needed} tokens"
            raise refuse_long_prompt(said, "prompt", self.model.runtime.context, needed)

    def _make_echo(self, body: Body, task: WritingTask, text: str | None) -> Echo | None:
        """Make the echo of the prompt, if the client requests one."""
        if not body.repeats_prompt:
            return None
        scoring = None
        if body.scores_prompts:
            scoring = PromptScoring(
                self.model.runtime, self.model.vocabulary, task.prompt_ids, body.likeliest_count or 0
            )
        return Echo.of(self.model.vocabulary, task.prompt_ids, text, scoring)

    def _make_refusal(
        self, error: Exception, param: str | None, spec: PromptSpec, budget: str, *, is_default: bool = False
    ) -> Refusal:
        """Turn an error into a refusal; for a prompt that is too long, in the words that SDKs look for."""
        if isinstance(error, LimitExceeded) and error.limit == "context":
            return refuse_long_prompt(str(error), spec.field, self.model.runtime.context, error.value)
        return make_refusal(error, param, budget, is_default=is_default)

    def _make_writings(
        self, body: Body, task: WritingTask, has_free_answer: bool
    ) -> list[Writing] | list[Scoring] | list[FieldScoring]:
        """Make the texts of a request, with nothing written yet."""
        if body.measured_text is not None:
            if has_free_answer:
                raise BadRequest("measure: expected a form as well, such as response_format", param="measure")
            return [self._make_field_scoring(task, body.measured_text)]
        if body.scored_texts is not None:
            return [self.model.make_scoring(task.prompt_ids, task.constraint, body.scored_texts, _MOST_TOKENISATIONS)]
        return [make_writing(body, task, number) for number in range(body.texts_per_prompt)]

    def _make_field_scoring(self, task: WritingTask, text: str) -> FieldScoring:
        try:
            return self.model.make_field_scoring(task, text)
        except OutputInvalid as error:
            raise BadRequest(f"measure: {error}", param="measure") from error

    async def write_texts(
        self, orders: Sequence[Order], client: str, began: float
    ) -> AsyncIterator[tuple[int, list[Event]]]:
        """Yield what is written, token by token: the number of a text, and its new events.

        Texts are numbered across all orders. Leaving the loop early cancels unfinished texts. A text whose prompt is
        repeated begins with it: until its tokens are scored, what is written after it is held back.

        Args:
            orders: The texts to write.
            client: The client that receives the answer.
            began: When the request came, by the clock of the event loop.

        Raises:
            Refusal: Too many texts wait, or one has failed, or the time of a request is over.
        """
        turns: asyncio.Queue[Turn] = asyncio.Queue()
        reader = RequestReader(orders, client, turns)
        self._submit(reader.jobs)
        try:
            for each in reader.begin():
                yield each
            while not reader.is_over:
                for each in reader.read(await self._take_turn(turns, began + self.timeout)):
                    yield each
        finally:
            for job in reader.jobs:
                self.worker.cancel(job)

    def _submit(self, jobs: list[TextJob]) -> None:
        """Queue texts. Raises Refusal."""
        try:
            self.worker.submit(jobs)
        except QueueFull:
            said = f"{self.worker.waiting_count} texts wait already, as many as --max-waiting allows"
            raise Refusal(
                503,
                f"{said}: send the request again later",
                type="overloaded_error",
                code="queue_full",
                headers={"Retry-After": "1"},
            ) from None

    async def _take_turn(self, turns: asyncio.Queue[Turn], deadline: float) -> Turn:
        """Wait for the next turn. Raises Refusal when the time is over."""
        try:
            async with asyncio.timeout_at(deadline):
                if asyncio.get_running_loop().time() > deadline:  # a turn that is there already never times out
                    raise TimeoutError
                return await turns.get()
        except TimeoutError:
            raise report_timeout(self.timeout) from None


def report_timeout(seconds: float) -> Refusal:
    """Make the refusal of a request that takes too long."""
    said = f"the request has taken longer than {seconds:g} seconds, the --timeout of this server"
    return Refusal(504, said, type="timeout_error", code="timeout")
