"""The methods that a runtime needs for our own loop to drive it."""

from __future__ import annotations

from typing import Protocol, Self

from formwright.generation.loop import Runtime

__all__ = ["LocalRuntime"]


class LocalRuntime(Runtime, Protocol):
    """A runtime that can be copied.

    It may have two more methods: ``batch()`` returns an empty `formwright.generation.Batch`, and ``score(token_ids)``
    appends tokens and returns the logits after each. Without them, each row and each token takes a call of its own.
    """

    @property
    def length(self) -> int:
        """How many tokens it holds."""
        ...

    @property
    def context(self) -> int:
        """How many tokens it can hold."""
        ...

    def fork(self) -> Self:
        """Make an independent copy that holds the same tokens; the weights are shared."""
        ...
