"""A model that holds some tokens, asked what it says after others: no question changes what it holds.

::

    scorer = Scorer(runtime.fork, prompt_ids)
    scorer([5, 7]).shape                     # (3, width): before the first token, and after each
    scorer.after([5])([7])                   # the same rows from the second on

Cost: a call of the model for the tokens that it holds, when it is first asked, and one for each question, if the
runtime scores several tokens in a call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright.errors import PromptError
from formwright.generation.batch import Forkable

__all__ = ["Scorer"]


class Scorer:
    """What a model says after the tokens that it holds.

    Args:
        make_runtime: Makes the model with all tokens that it holds but the last ones, when it is first asked.
        token_ids: The last tokens that it holds, one at least.
    """

    __slots__ = ("_held", "_make_runtime", "_token_ids")

    def __init__(self, make_runtime: Callable[[], Forkable], token_ids: Sequence[int]) -> None:
        if not len(token_ids):
            raise PromptError("the prompt is empty: a model needs at least one token to go on from")
        self._make_runtime, self._token_ids = make_runtime, token_ids
        self._held: tuple[Forkable, NDArray[Any]] | None = None

    @property
    def first(self) -> NDArray[Any]:
        """The logits after the tokens that it holds, of shape ``(width,)``."""
        return self.fill()[1]

    def fill(self) -> tuple[Forkable, NDArray[Any]]:
        """Give the model the tokens that it holds, once; the model, which stays as it is, and the logits after them."""
        if self._held is None:
            runtime = self._make_runtime()
            self._held = (runtime, runtime.prefill(self._token_ids))
        return self._held

    def open_runtime(self) -> Any:
        """Make a runtime that holds the same tokens."""
        return self.fill()[0].fork()

    def __call__(self, token_ids: Sequence[int]) -> NDArray[Any]:
        """The logits before the first of some tokens and after each, of shape ``(tokens + 1, width)``."""
        if not len(token_ids):
            return self.first[None]
        runtime = self.open_runtime()
        if hasattr(runtime, "score"):
            return np.vstack([self.first[None], runtime.score(token_ids)])
        return np.stack([self.first, *(runtime.step(token_id) for token_id in token_ids)])

    def after(self, token_ids: Sequence[int]) -> Scorer:
        """The scorer that holds some more tokens."""
        return Scorer(self.open_runtime, token_ids) if len(token_ids) else self
