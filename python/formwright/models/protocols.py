"""The methods that a runtime needs for our own loop to drive it."""

from __future__ import annotations

from typing import Protocol, Self

from formwright.generation.loop import Runtime

__all__ = ["LocalRuntime"]


class LocalRuntime(Runtime, Protocol):
    """A runtime that can be copied.

    It may have two methods more: ``batch()`` gives an empty `formwright.generation.Batch`, ``score(token_ids)``
    appends tokens and returns the logits after each of them. Without them, rows and tokens have a call each.
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
        """An independent copy that holds the same tokens; the weights are shared."""
        ...
