"""A form with finitely many states as arrays: what `formwright.Constraint.device_tables` returns.

::

    token      one that masks[mask_of[state]] allows
    state      next[state, classes[token]]
    budget     of these, one with need[state after it] <= tokens left after it

State 0 is the start; the last state is after the end of a text, and allows the ends of text only.

Cost: ``nbytes``; mostly that of the masks, each of which is there once. A decoder keeps one copy on its device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["ENDED", "DeviceTables"]

ENDED = -(1 << 29)
"""What the last state needs: less than any budget leaves, so that a text that has ended stays ended."""


@dataclass(frozen=True, eq=False)
class DeviceTables:
    """The tables of a constraint. Read-only arrays; made by `formwright.Constraint.device_tables`."""

    masks: NDArray[np.int32]
    """Distinct masks, of shape ``(distinct, ceil(logits_size / 32))``: rows as of `formwright.allocate_bitmask`."""
    mask_of: NDArray[np.int16]
    """By state: its row of ``masks``."""
    classes: NDArray[np.int16]
    """By token, of shape ``(logits_size,)``: its class. Tokens of a class lead to the same state wherever they come."""
    next: NDArray[np.int16]
    """The state after a token, of shape ``(states, classes)``; -1 where it may not come."""
    need: NDArray[np.int32]
    """By state: tokens to the nearest end, end-of-text not counted; `ENDED` after it."""

    @classmethod
    def _from_kernel(cls, masks: bytes, mask_of: bytes, classes: bytes, following: bytes, need: bytes) -> Self:
        """The tables whose arrays are these bytes."""
        numbers = {"mask_of": mask_of, "classes": classes, "next": following}
        made = {name: np.frombuffer(part, np.int16) for name, part in numbers.items()}
        states, words = len(made["mask_of"]), -(-len(made["classes"]) // 32)
        made["next"] = made["next"].reshape(states, -1)
        rows = np.frombuffer(masks, np.int32).reshape(-1, words)
        return cls(masks=rows, need=np.frombuffer(need, np.int32), **made)

    @property
    def states(self) -> int:
        """How many states there are, the start and that after the end included."""
        return len(self.mask_of)

    @property
    def logits_size(self) -> int:
        """Width of a row of logits, as the vocabulary has it."""
        return len(self.classes)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(part.nbytes for part in (self.masks, self.mask_of, self.classes, self.next, self.need))

    @property
    def min_tokens(self) -> int:
        """Tokens of the shortest text, end-of-text not counted: the smallest budget."""
        return int(self.need[0])

    @property
    def slack(self) -> int:
        """With more tokens left than this, a budget forbids nothing."""
        return int(self.need.max()) + 1

    def __repr__(self) -> str:
        counts = f"{self.states} states, {len(self.masks)} masks, {self.next.shape[1]} classes"
        return f"DeviceTables({counts}, {self.nbytes:,} bytes)"
