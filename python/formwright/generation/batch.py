"""Many texts at once: rows that share calls of the model, enter when there is room and leave when they end.

::

    engine = Engine(runtime.batch(), rows=64)
    for number, writing in enumerate(writings):
        engine.submit(number, lambda writing=writing: writing)
    while not engine.is_idle:
        for turn in engine.step():
            turn.key, turn.text, turn.is_over

A row is written as if it were alone: the same `Writing`, and a model whose rows do not touch each other
gives it the same logits.

Cost: one call of the model for all rows, and one more for each row that is given several tokens.

An error in one row ends that row only (`Turn.error`); one in the model's call ends all. A row whose form
takes long for a token waits, so that it has a fifth of the time at most, and the others the rest.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from formwright.generation.held_text import Piece
from formwright.generation.result import Failed
from formwright.generation.writing import Writing

if TYPE_CHECKING:
    from formwright.generation.fields import FieldScoring
    from formwright.generation.strategies.scoring import PromptScoring, Scoring

__all__ = ["Batch", "Engine", "Forkable", "Separate", "Turn"]

Floats = NDArray[np.float32]

_SLOW = 0.005
"""Seconds that a form may take for a token, before its row has to wait for others."""

_WAITS = 4
"""How many times as long it waits."""


class Batch(Protocol):
    """Sequences that share calls of a model; rows are numbered from 0."""

    def __len__(self) -> int:
        """How many rows there are."""
        ...

    def add(self, prompts: Sequence[Sequence[int]], /) -> Floats:
        """New rows, the last, that hold these tokens; the logits after each of them, of shape ``(prompts, width)``."""
        ...

    def step(self, token_ids: Sequence[Sequence[int]], /) -> Floats:
        """Append tokens to each row, or none; the logits after the last of each, of shape ``(rows, width)``."""
        ...

    def select(self, rows: Sequence[int], /) -> None:
        """Keep these rows, in this order; a row may be kept several times."""
        ...


class Forkable(Protocol):
    """A runtime that can be copied."""

    def prefill(self, token_ids: Sequence[int], /) -> Floats:
        """Append tokens; the logits after the last."""
        ...

    def fork(self) -> Self:
        """An independent copy that holds the same tokens."""
        ...


class Separate:
    """A batch of a runtime that has none of its own: one call for each row."""

    def __init__(self, empty: Forkable) -> None:
        self._empty = empty
        self._rows: list[Forkable] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, prompts: Sequence[Sequence[int]], /) -> Floats:
        """New rows, the last."""
        new = [self._empty.fork() for _ in prompts]
        self._rows += new
        return np.stack([row.prefill(token_ids) for row, token_ids in zip(new, prompts, strict=True)])

    def step(self, token_ids: Sequence[Sequence[int]], /) -> Floats:
        """Append tokens to each row, or none."""
        given = [row.prefill(ids) if ids else None for row, ids in zip(self._rows, token_ids, strict=True)]
        like = next(logits for logits in given if logits is not None)
        return np.stack([np.zeros_like(like) if logits is None else logits for logits in given])

    def select(self, rows: Sequence[int], /) -> None:
        """Keep these rows, in this order."""
        taken: set[int] = set()
        kept = []
        for row in rows:
            kept.append(self._rows[row].fork() if row in taken else self._rows[row])
            taken.add(row)
        self._rows = kept


@dataclass(frozen=True, slots=True)
class Turn:
    """What one step did to one row.

    Attributes:
        key: What the row was submitted as.
        writing: The text, or what scores texts or a prompt; it has a result when it is over. ``None`` if it could not
            begin.
        pieces: The tokens that were written, as far as their text is given yet.
        error: What ended the row, if something did.
        is_over: Whether the row has left.
    """

    key: Hashable
    writing: Writing | Scoring | PromptScoring | FieldScoring | None
    pieces: list[Piece] = field(default_factory=list)
    error: Exception | None = None
    is_over: bool = True

    @property
    def text(self) -> str:
        """The characters that were written."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def result(self) -> Any:
        """What was written, or `Failed`; ``None`` while the row goes on."""
        if self.error is not None:
            return Failed(self.error)
        return self.writing.result if self.is_over and self.writing is not None else None


@dataclass(slots=True, eq=False)
class _Row:
    """A text that is being written; one whose form was slow waits until it is due."""

    key: Hashable
    writing: Writing
    due: float = 0.0


@dataclass
class Engine:
    """Texts under way in one model.

    Attributes:
        batch: The model's rows, none yet.
        rows: How many texts are written at a time; the others wait.
        gives_pieces: Whether turns have their pieces; without them a turn costs less.
    """

    batch: Batch
    rows: int = 64
    gives_pieces: bool = True
    _waiting: deque[tuple[Hashable, Callable[[], Writing]]] = field(default_factory=deque)
    _running: list[_Row] = field(default_factory=list)

    def submit(self, key: Hashable, begin: Callable[[], Writing]) -> None:
        """Let a text wait for a row; it is begun when there is one."""
        self._waiting.append((key, begin))

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits or runs."""
        return not self._waiting and not self._running

    @property
    def room(self) -> int:
        """How many texts more could be written now."""
        return self.rows - len(self._running) - len(self._waiting)

    def step(self) -> list[Turn]:
        """Let texts enter, ask the model once for all rows, and write one token or more in each."""
        return [*self._go_on(), *self._enter()]

    def cancel(self, key: Hashable) -> None:
        """Forget the text that was submitted as this."""
        self._waiting = deque(entry for entry in self._waiting if entry[0] != key)
        self._keep([number for number, row in enumerate(self._running) if row.key != key])

    def _go_on(self) -> list[Turn]:
        """A step of the rows that run and are due."""
        if not self._running:
            return []
        now = time.perf_counter()
        due = [row.due <= now for row in self._running]
        if not any(due):
            due[min(range(len(due)), key=lambda number: self._running[number].due)] = True
        given = [row.writing.take_unseen() if is_due else [] for row, is_due in zip(self._running, due, strict=True)]
        logits = self.batch.step(given)
        turns = {
            number: self._time_turn(row, logits[number]) for number, row in enumerate(self._running) if due[number]
        }
        over = {number for number, turn in turns.items() if turn.is_over}
        self._keep([number for number in range(len(self._running)) if number not in over])
        return [*turns.values()]

    def _enter(self) -> list[Turn]:
        """The first step of the texts that enter: what can only come first, and one token by the model."""
        turns: list[Turn] = []
        asking: list[tuple[Hashable, Writing]] = []
        while self._waiting and len(self._running) + len(asking) < self.rows:
            key, begin = self._waiting.popleft()
            try:
                writing = begin()
            except Exception as error:  # of this row: its prompt, its form, its budget
                turns.append(Turn(key, None, error=error))
                continue
            turns.append(self._turn(key, writing, None))
            if not turns[-1].is_over:
                asking.append((key, writing))
        if asking:
            logits = self.batch.add([writing.take_unseen() for _, writing in asking])
            turns += [self._turn(key, writing, row) for (key, writing), row in zip(asking, logits, strict=True)]
            self._running += [_Row(key, writing) for key, writing in asking]
            first = len(self._running) - len(asking)
            over = {first + index for index, turn in enumerate(turns[-len(asking) :]) if turn.is_over}
            self._keep([row for row in range(len(self._running)) if row not in over])
        return turns

    def _keep(self, rows: list[int]) -> None:
        """Let all other rows leave; those that stay may change places, so that few are copied."""
        gone = sorted(set(range(len(self._running))) - set(rows))
        if not gone:
            return
        order = list(range(len(self._running)))
        for row in reversed(gone):
            order[row] = order[-1]
            order.pop()
        self.batch.select(order)
        self._running = [self._running[row] for row in order]

    def _time_turn(self, row: _Row, logits: Floats) -> Turn:
        """A turn of a row; a slow one waits for others, so that it has a small part of the time."""
        began = time.perf_counter()
        turn = self._turn(row.key, row.writing, logits)
        ended = time.perf_counter()
        row.due = ended + _WAITS * (ended - began) if ended - began > _SLOW else 0.0
        return turn

    def _turn(self, key: Hashable, writing: Writing, logits: Floats | None) -> Turn:
        """Write a token by these logits, and what can only come next."""
        pieces: list[Piece] = []
        try:
            if not self.gives_pieces:
                writing.advance(logits)
            else:
                if logits is not None:
                    pieces.extend(writing.choose(logits))
                pieces.extend(writing.write_forced())
        except Exception as error:  # of this row: its form, its sampler, its functions
            return Turn(key, writing, pieces, error)
        return Turn(key, writing, pieces, is_over=writing.is_over)
