"""Scores that are moved before a token is chosen: biases of single tokens, and penalties of what was written before.

::

    sampler = Adjusted(Sampler(temperature=1.0, seed=7), bias={42: 5.0}, frequency_penalty=0.5)
    writing = Writing(constraint, prompt_ids, limits, sampler)
    sampler.written = writing.token_ids

Forbidden tokens are at minus infinity before and after, so the text stays in form: a bias chooses among allowed tokens.

Cost: a copy of the row of scores, and one number for each different token that was written.

The wrinkle: forced tokens are written without a choice, but they count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from formwright.generation.sampler import Sampler

__all__ = ["Adjusted"]


@dataclass(slots=True)
class Adjusted:
    """A sampler of moved scores.

    Attributes:
        sampler: Chooses by them.
        bias: What is added to the logits of single tokens.
        presence_penalty: What is taken from the logit of a token that was written.
        frequency_penalty: What is taken for each time that it was.
        written: The tokens so far.
    """

    sampler: Sampler
    bias: Mapping[int, float] = field(default_factory=dict)
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    written: Sequence[int] = ()

    def __call__(self, logits: NDArray[np.floating]) -> int:
        """The id of one token. Raises DeadEnd as the sampler does."""
        scores = np.array(logits, np.float32)
        for token_id, bias in self.bias.items():
            scores[token_id] += bias
        if self.written and (self.presence_penalty or self.frequency_penalty):
            token_ids, counts = np.unique(np.asarray(self.written), return_counts=True)
            scores[token_ids] -= self.presence_penalty + self.frequency_penalty * counts
        return self.sampler(scores)
