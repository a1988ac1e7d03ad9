"""The thread that writes: rows of one model that share its calls, and a fair queue before them.

::

    worker = Worker(model.batch, rows=64, waiting=1024)    # `start` it in an event loop, and `submit` jobs
    worker.waiting                                         # 0

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
from formwright.generation.strategies.scoring import PromptScoring, Scoring
from formwright.generation.writing import Writing

__all__ = ["Job", "QueueFull", "Worker"]

_log = logging.getLogger("formwright.server")

_WAITS = 4
"""How many times as long as it takes a call for texts that are scored is waited for, while there are rows."""

_ENTERING = 8
"""Texts that enter in one step at most, so that those under way do not wait long for the prompts of others."""


class QueueFull(Exception):
    """The queue of waiting texts is full."""


@dataclass(eq=False)
class Job:
    """A text to be written for a client, or several to be scored.

    Attributes:
        client: The client that it is for; clients take turns.
        writing: The text to write, or the texts or the prompt to score.
        is_streamed: Whether to report each turn, or only the last.
        turns: The reported turns, for the event loop.
        since: When it was made, in seconds of the performance counter.
    """

    client: str
    writing: Writing | Scoring | PromptScoring
    is_streamed: bool = False
    turns: asyncio.Queue[Turn] = field(default_factory=asyncio.Queue)
    since: float = field(default_factory=time.perf_counter)


class _FairQueue:
    """Jobs by client: taken from each client in turn, its oldest first."""

    def __init__(self) -> None:
        self._by_client: OrderedDict[str, deque[Job]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Job]:
        return chain.from_iterable(self._by_client.values())

    def put(self, job: Job) -> None:
        self._by_client.setdefault(job.client, deque()).append(job)
        self._size += 1

    def take(self) -> Job:
        client, jobs = next(iter(self._by_client.items()))
        job = jobs.popleft()
        self._by_client.move_to_end(client)
        if not jobs:
            del self._by_client[client]
        self._size -= 1
        return job

    def remove(self, job: Job) -> bool:
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
        self._going = deque[tuple[Job, Scoring | PromptScoring]]()
        self._due = 0.0

    def __len__(self) -> int:
        return len(self._going)

    def submit(self, job: Job, scoring: Scoring | PromptScoring) -> None:
        self._going.append((job, scoring))

    def cancel(self, job: Job) -> None:
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
        self._due = ended + _WAITS * (ended - began)
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
        self._batch, self._rows, self._most = batch, rows, waiting
        self.limit = rows + waiting  # of the texts of one request: more never fit
        self._queue, self._cancelled = _FairQueue(), set[Job]()
        self._running: set[Job] = set()
        self._changed = threading.Condition()
        self._stopped = False
        self._ended: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="formwright-worker", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def waiting(self) -> int:
        """How many texts wait for a row."""
        return len(self._queue)

    @property
    def running(self) -> int:
        """How many texts are being written."""
        return len(self._running)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to write, and report to this event loop."""
        self._loop = loop
        self._thread.start()

    def stop(self) -> None:
        """Stop writing; running rows end without a report."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._thread.join()

    def submit(self, jobs: list[Job]) -> None:
        """Queue texts, all of them or none. Raises QueueFull, or the error that was given to `end`."""
        with self._changed:
            if self._ended is not None:
                raise self._ended
            free = self._rows - len(self._running)  # the next step takes so many out of the queue
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

    def cancel(self, job: Job) -> None:
        """Cancel a job; its row is free before the next step. Does nothing if the job is over."""
        with self._changed:
            if not self._queue.remove(job) and job in self._running:
                self._cancelled.add(job)
                self._changed.notify()

    def _run(self) -> None:
        engine: Engine | None = None
        scorings = _Scorings()
        while self._waits((engine is None or engine.is_idle) and not scorings):
            try:
                engine = engine or Engine(self._batch(), rows=self._rows)
                self._take(engine, scorings)
                turns = [*scorings.step(is_alone=engine.is_idle), *engine.step()]
            except Exception as error:  # of the model itself: no row knows where it is
                turns, engine, scorings = self._fail_jobs(error, with_queue=engine is None), None, _Scorings()
            told = [turn for turn in turns if turn.is_over or self._is_told(turn)]
            with self._changed:
                self._running.difference_update(turn.key for turn in turns if turn.is_over)
            if told and self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(_tell, told)

    def _waits(self, is_idle: bool) -> bool:
        """Wait for something to do. Returns whether to go on."""
        with self._changed:
            while is_idle and not self._queue and not self._stopped:
                self._changed.wait()
            return not self._stopped

    def _take(self, engine: Engine, scorings: _Scorings) -> None:
        """Remove texts and add waiting ones. The lock is not held while the model runs: the event loop needs it."""
        with self._changed:
            cancelled, self._cancelled = self._cancelled, set()
        for job in cancelled:
            engine.cancel(job)
            scorings.cancel(job)
        with self._changed:
            self._running -= cancelled
            room = engine.room - len(scorings)
            entering = [self._queue.take() for _ in range(min(room, len(self._queue), _ENTERING))]
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
    def _is_told(turn: Turn) -> bool:
        return isinstance(turn.key, Job) and turn.key.is_streamed and bool(turn.pieces)


def _tell(turns: list[Turn]) -> None:
    for turn in turns:
        if isinstance(turn.key, Job):
            turn.key.turns.put_nowait(turn)
