"""Run several sequences in a context that holds one text at a time.

::

    runtime = ContextRuntime(context)            # a `Context` of some library
    runtime.prefill([1, 2, 3])
    twin = runtime.fork()                        # the same ids; nothing is evaluated

Libraries that load a model with one context can shorten and extend it. Then a sequence is a list of ids. When its
logits are needed, the context keeps the common beginning and evaluates the rest. So a prompt that begins like the last
one costs only its other tokens.

Cost: a comparison of ids for each call of the model. Sequences that take turns are evaluated again from where they
differ, so rows that run side by side need contexts of their own.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from threading import RLock
from typing import Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Context", "ContextRuntime"]

Floats = NDArray[np.float32]


class Context(ABC):
    """A context of a library; a lock lets the sequences of several threads take turns."""

    def __init__(self) -> None:
        self._lock = RLock()

    @property
    @abstractmethod
    def size(self) -> int:
        """How many tokens it can hold."""

    @abstractmethod
    def read_ids(self) -> NDArray[np.intc]:
        """Read the ids that it holds."""

    @abstractmethod
    def shorten(self, length: int) -> bool:
        """Keep the first ``length`` ids only. Returns false if it cannot, and then it holds none."""

    @abstractmethod
    def append(self, token_ids: Sequence[int]) -> Floats:
        """Evaluate tokens, at least one. Returns the logits after the last, a copy of shape ``(vocabulary,)``."""

    def append_scored(self, token_ids: Sequence[int]) -> Floats:
        """Evaluate tokens, at least one. Returns the logits after each, of shape ``(tokens, vocabulary)``."""
        return np.stack([self.append([token_id]) for token_id in token_ids])

    def evaluate(self, token_ids: Sequence[int]) -> Floats:
        """Return the logits after a text, which the context then holds."""
        with self._lock:
            same = self._keep_shared(token_ids, len(token_ids) - 1)
            return self.append(token_ids[same:])

    def score(self, token_ids: Sequence[int], since: int) -> Floats:
        """Return the logits after each token of a text from ``since`` on; the context then holds it."""
        with self._lock:
            same = self._keep_shared(token_ids, since)
            if same < since:
                self.append(token_ids[same:since])
            return self.append_scored(token_ids[since:])

    def _keep_shared(self, token_ids: Sequence[int], most: int) -> int:
        """Keep what the context holds of the beginning of a text, ``most`` ids at most. Returns how many it keeps."""
        ids, held = np.asarray(token_ids, np.intc), self.read_ids()
        same = min(_count_shared(held, ids), most)
        return same if same == len(held) or self.shorten(same) else 0


class ContextRuntime:
    """A sequence of a context: its ids. See `formwright.models.LocalRuntime`."""

    def __init__(self, context: Context) -> None:
        self._context, self._ids = context, list[int]()

    @property
    def length(self) -> int:
        """How many tokens it holds."""
        return len(self._ids)

    @property
    def context(self) -> int:
        """How many tokens it can hold."""
        return self._context.size

    def prefill(self, token_ids: Sequence[int], /) -> Floats:
        """Append tokens. Returns the logits after the last, of shape ``(vocabulary,)``."""
        logits = self._context.evaluate(ids := [*self._ids, *token_ids])
        self._ids = ids
        return logits

    def step(self, token_id: int, /) -> Floats:
        """Append one token. Returns the logits after it."""
        return self.prefill([token_id])

    def score(self, token_ids: Sequence[int], /) -> Floats:
        """Append tokens. Returns the logits after each of them, of shape ``(tokens, vocabulary)``."""
        logits = self._context.score(ids := [*self._ids, *token_ids], len(self._ids))
        self._ids = ids
        return logits

    def fork(self) -> Self:
        """Make an independent sequence that holds the same tokens."""
        return copy.copy(self)


def _count_shared(first: NDArray[np.intc], second: NDArray[np.intc]) -> int:
    """Count the ids that two texts have in common at their beginning."""
    length = min(len(first), len(second))
    differ = np.flatnonzero(first[:length] != second[:length])
    return int(differ[0]) if len(differ) else length
