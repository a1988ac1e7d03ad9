"""Write texts in one thread: rows that share the calls of a model, and a fair queue before them.

::

    worker = Worker(model.batch, rows=64, waiting=1024)    # `start` it in an event loop, and `submit` jobs
    worker.waiting_count                                         # 0

Clients take turns: a client that has sent a thousand requests delays only itself, and the next client gets the next
free row.

Texts that are scored are not rows, but count as one: the model scores them between the steps of the rows.

Cost: for each step of the model one call into the event loop, whatever the number of rows.

A cancelled row is free before the next step. An error in the model's own call ends the running rows, not the thread.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from formwright.generation.batch import Batch, Engine, Turn
from formwright.generation.fields import FieldScoring
from formwright.generation.strategies.scoring import PromptScoring, Scoring
from formwright.generation.writing import Writing

__all__ = ["QueueFull", "TextJob", "Worker"]

_log = logging.getLogger("formwright.server")

_SCORING_PAUSE = 4
"""The pause after a call that scores texts while rows run, as a multiple of the time that the call took."""

_MOST_ENTERING = 8
"""Texts that become rows in one step at most, so that running rows do not wait long for the prompts of others."""


class QueueFull(Exception):
    """The queue of waiting texts is full."""


@dataclass(eq=False)
class TextJob:
    """A text to be written for a client, or several to be scored.

    Attributes:
        client: The client that receives it; clients take turns.
        writing: The text to write, or the texts or the prompt to score.
        is_streamed: Whether to report each turn, or only the last.
        turns: The reported turns, for the event loop.
        since: When it was made, by the performance counter.
    """

    client: str
    writing: Writing | Scoring | PromptScoring | FieldScoring
    is_streamed: bool = False
    turns: asyncio.Queue[Turn] = field(default_factory=asyncio.Queue)
    since: float = field(default_factory=time.perf_counter)


class _FairQueue:
    """Jobs by client: they are taken from each client in turn, the oldest first."""

    def __init__(self) -> None:
        self._by_client: OrderedDict[str, deque[TextJob]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[TextJob]:
        return chain.from_iterable(self._by_client.values())

    def put(self, job: TextJob) -> None:
        self._by_client.setdefault(job.client, deque()).append(job)
        self._size += 1

    def take(self) -> TextJob:
        client, jobs = next(iter(self._by_client.items()))
        job = jobs.popleft()
        self._by_client.move_to_end(client)
        if not jobs:
            del self._by_client[client]
        self._size -= 1
        return job

    def remove(self, job: TextJob) -> bool:
        jobs = self._by_client.get(job.client, deque())
        if job not in jobs:
            return False
        jobs.remove(job)
        if not jobs:
            del self._by_client[job.client]
        self._size -= 1
        return True


class _Scorings:
    """Texts to score, one call of the model at a time; while rows run, they get a fifth of the time at most."""

    def __init__(self) -> None:
        self._going = deque[tuple[TextJob, Scoring | PromptScoring | FieldScoring]]()
        self._due = 0.0

    def __len__(self) -> int:
        return len(self._going)

    def submit(self, job: TextJob, scoring: Scoring | PromptScoring | FieldScoring) -> None:
        self._going.append((job, scoring))

    def cancel(self, job: TextJob) -> None:
        self._going = deque(going for going in self._going if going[0] is not job)

    def step(self, *, is_alone: bool) -> list[Turn]:
        """Call the model for the next job, if one is due; an error in the call ends this job only."""
        began = time.perf_counter()
        if not self._going or (began < self._due and not is_alone):
            return []
        job, scoring = self._going.popleft()
        try:
            scoring.step()
        except Exception as error:
            return [Turn(job, scoring, error=error)]
        ended = time.perf_counter()
        self._due = ended + _SCORING_PAUSE * (ended - began)
        if scoring.is_over:
            return [Turn(job, scoring)]
        self._going.append((job, scoring))
        return []


class Worker:
    """Writes jobs in a thread of its own.

    Args:
        batch: Makes an empty batch of the model.
        rows: How many texts are written at a time.
        waiting: How many may wait.
    """

    def __init__(self, batch: Callable[[], Batch], *, rows: int, waiting: int) -> None:
        self._make_batch, self._rows, self._most = batch, rows, waiting
        self.limit = rows + waiting  # a request with more texts could never be queued
        self._queue, self._cancelled = _FairQueue(), set[TextJob]()
        self._running: set[TextJob] = set()
        self._changed = threading.Condition()
        self._is_stopped = False
        self._ended: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="formwright-worker", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def waiting_count(self) -> int:
        """How many texts wait for a row."""
        return len(self._queue)

    @property
    def running_count(self) -> int:
        """How many texts are being written."""
        return len(self._running)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to write, and report to this event loop."""
        self._loop = loop
        self._thread.start()

    def stop(self) -> None:
        """Stop writing; running rows end without a report."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify()
        self._thread.join()

    def submit(self, jobs: list[TextJob]) -> None:
        """Queue texts, all of them or none. Raises QueueFull, or the error that was given to `end`."""
        with self._changed:
            if self._ended is not None:
                raise self._ended
            free = self._rows - len(self._running)  # as many texts leave the queue in the next steps
            if len(self._queue) + len(jobs) > self._most + free:
                raise QueueFull
            for job in jobs:
                self._queue.put(job)
            self._changed.notify()

    def end(self, error: Exception) -> None:
        """End all texts with this error, and those that are submitted later. Called in the event loop."""
        with self._changed:
            self._ended = error
            for job in [*self._queue, *self._running]:
                job.turns.put_nowait(Turn(job, job.writing, error=error))

    def cancel(self, job: TextJob) -> None:
        """Cancel a job; its row is free before the next step. Does nothing if the job is over."""
        with self._changed:
            if not self._queue.remove(job) and job in self._running:
                self._cancelled.add(job)
                self._changed.notify()

    def _run(self) -> None:
        engine: Engine | None = None
        scorings = _Scorings()
        while self._wait_for_work((engine is None or engine.is_idle) and not scorings):
            try:
                engine = engine or Engine(self._make_batch(), rows=self._rows)
                self._admit_jobs(engine, scorings)
                turns = [*scorings.step(is_alone=engine.is_idle), *engine.step()]
            except Exception as error:  # the model itself failed, so the state of no row is known
                turns, engine, scorings = self._fail_jobs(error, with_queue=engine is None), None, _Scorings()
            reported = [turn for turn in turns if turn.is_over or self._is_reported(turn)]
            with self._changed:
                self._running.difference_update(turn.key for turn in turns if turn.is_over)
            if reported and self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(_report_turns, reported)

    def _wait_for_work(self, is_idle: bool) -> bool:
        """Wait until there is work. Returns false once the worker is stopped."""
        with self._changed:
            while is_idle and not self._queue and not self._is_stopped:
                self._changed.wait()
            return not self._is_stopped

    def _admit_jobs(self, engine: Engine, scorings: _Scorings) -> None:
        """Remove cancelled texts and add waiting ones. The event loop needs the lock, so it is held only briefly."""
        with self._changed:
            cancelled, self._cancelled = self._cancelled, set()
        for job in cancelled:
            engine.cancel(job)
            scorings.cancel(job)
        with self._changed:
            self._running -= cancelled
            room = engine.room - len(scorings)
            entering = [self._queue.take() for _ in range(min(room, len(self._queue), _MOST_ENTERING))]
            self._running.update(entering)
        for job in entering:
            _log.debug("a text of %s waited %.3f s for a row", job.client, time.perf_counter() - job.since)
            if isinstance(job.writing, Writing):
                engine.submit(job, lambda writing=job.writing: writing)  # type: ignore[misc]
            else:
                scorings.submit(job, job.writing)

    def _fail_jobs(self, error: Exception, *, with_queue: bool) -> list[Turn]:
        """End all running texts, and those in the queue if there is no batch that could run them."""
        with self._changed:
            jobs = [*self._running, *(self._queue.take() for _ in range(len(self._queue) * with_queue))]
        return [Turn(job, job.writing, error=error) for job in jobs]

    @staticmethod
    def _is_reported(turn: Turn) -> bool:
        return isinstance(turn.key, TextJob) and turn.key.is_streamed and bool(turn.pieces)


def _report_turns(turns: list[Turn]) -> None:
    for turn in turns:
        if isinstance(turn.key, TextJob):
            turn.key.turns.put_nowait(turn)
