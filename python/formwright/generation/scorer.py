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

    __slots__ = ("_make_runtime", "_runtime", "_token_ids")

    def __init__(self, make_runtime: Callable[[], Forkable], token_ids: Sequence[int]) -> None:
        if not len(token_ids):
            raise PromptError("the prompt is empty: a model needs at least one token to go on from")
        self._make_runtime, self._token_ids = make_runtime, token_ids
        self._runtime: Forkable | None = None

    def fill(self) -> Forkable:
        """Give the model the tokens that it holds, all but the last, if it has not seen them."""
        if self._runtime is None:
            self._runtime = self._make_runtime()
            if len(self._token_ids) > 1:
                self._runtime.prefill(self._token_ids[:-1])
        return self._runtime

    def open_runtime(self) -> Any:
        """Make a runtime that holds all tokens but the last one, which is given with those of a question."""
        return self.fill().fork()

    def __call__(self, token_ids: Sequence[int]) -> NDArray[Any]:
        """The logits before the first of some tokens and after each, of shape ``(tokens + 1, width)``."""
        runtime, given = self.open_runtime(), [self._token_ids[-1], *token_ids]
        if hasattr(runtime, "score"):
            scored: NDArray[Any] = runtime.score(given)
            return scored
        return np.stack([runtime.prefill([token_id]) for token_id in given])

    def after(self, token_ids: Sequence[int]) -> Scorer:
        """The scorer that holds some more tokens."""
        return Scorer(self.open_runtime, [self._token_ids[-1], *token_ids]) if len(token_ids) else self
