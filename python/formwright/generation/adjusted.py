"""Scores that are moved before a token is chosen: biases of tokens, penalties of earlier ones, a least length.

::

    sampler = Adjusted(Sampler(temperature=1.0, seed=7), bias={42: 5.0}, frequency_penalty=0.5)
    writing = Writing(constraint, prompt_ids, limits, sampler)
    sampler.follow(writing.token_ids, prompt_ids, constraint.vocabulary.eos_token_ids)

Forbidden tokens are at minus infinity before and after, so the text conforms: a bias chooses among allowed tokens.
A text whose form allows nothing more ends, however few tokens it has.

Cost: a copy of the row of scores, and one number for each different token that was written.

Forced tokens are written without a choice, but they count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from formwright.generation.sampler import Sampler, is_count, is_real, require

__all__ = ["Adjusted"]


@dataclass(slots=True)
class Adjusted:
    """A sampler of moved scores.

    Attributes:
        sampler: Chooses by them.
        bias: What is added to the logits of single tokens.
        presence_penalty: What is taken from the logit of a token that was written.
        frequency_penalty: What is taken for each time that it was.
        repetition_penalty: What the logit of a token of the prompt or the text is divided by, or multiplied by below 0.
        min_tokens: How many tokens come before the text may end, if its form allows more.
        ends: The tokens that end a text.
        prompt: The tokens of the prompt.
        written: The tokens so far.

    Raises:
        ArgumentError: A setting is out of range.
    """

    sampler: Sampler
    bias: Mapping[int, float] = field(default_factory=dict)
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    repetition_penalty: float = 1.0
    min_tokens: int = 0
    ends: Sequence[int] = ()
    prompt: Sequence[int] = ()
    written: Sequence[int] = ()

    def __post_init__(self) -> None:
        penalty, least = self.repetition_penalty, self.min_tokens
        require(is_real(penalty) and penalty > 0, "repetition_penalty", penalty, "a number above 0")
        require(is_count(least) and least >= 0, "min_tokens", least, "an integer of 0 or more")

    @property
    def seed(self) -> int | None:
        """What makes the draws repeatable."""
        return self.sampler.seed

    def follow(self, written: Sequence[int], prompt: Sequence[int], ends: Sequence[int]) -> None:
        """Choose the next tokens of a text: ``written`` grows while it is written."""
        self.written, self.prompt, self.ends = written, prompt, sorted(ends)

    def __call__(self, logits: NDArray[np.floating]) -> int:
        """The id of one token. Raises DeadEnd as the sampler does."""
        scores = np.array(logits, np.float32)
        if self.repetition_penalty != 1:
            self._penalize_repetition(scores)
        for token_id, bias in self.bias.items():
            scores[token_id] += bias
        if self.written and (self.presence_penalty or self.frequency_penalty):
            token_ids, counts = np.unique(np.asarray(self.written), return_counts=True)
            scores[token_ids] -= self.presence_penalty + self.frequency_penalty * counts
        return self.sampler(self._without_end(scores) if len(self.written) < self.min_tokens else scores)

    def _penalize_repetition(self, scores: NDArray[np.float32]) -> None:
        token_ids = np.unique(np.asarray([*self.prompt, *self.written]))
        seen = scores[token_ids]
        scores[token_ids] = np.where(seen > 0, seen / self.repetition_penalty, seen * self.repetition_penalty)

    def _without_end(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same scores with no end of text, if another token is allowed."""
        longer = scores.copy()
        longer[list(self.ends)] = -np.inf
        return longer if np.isfinite(longer.max()) else scores
