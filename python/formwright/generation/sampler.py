"""Choosing a token from logits: greedy, or drawn at random.

::

    sampler = Sampler(temperature=0.8, top_p=0.95, seed=7)
    token_id = sampler(logits)

The mask has been applied before: forbidden tokens are at minus infinity, so ``top_k``, ``min_p``
and ``top_p`` count allowed tokens only, and every token drawn is allowed. ``temperature=0``
is greedy: the most likely allowed token, the lowest id among equals.

Cost: greedy is one pass. A draw sorts the allowed tokens only when ``top_k`` or ``top_p``
asks for it.

A sampler with a seed is a running thing. Two generations that shall be
equal need two samplers with the same seed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from formwright.errors import ArgumentError, DeadEnd

__all__ = ["Sampler"]

Floats = NDArray[np.float64]


@dataclass(slots=True, kw_only=True)
class Sampler:
    """Greedy at ``temperature=0``, else multinomial.

    Attributes:
        temperature: 0 is greedy, 1 is the model's own distribution.
        top_k: Draw among the ``top_k`` most likely allowed tokens; ``None`` is all.
        top_p: Draw among the most likely tokens that together reach this probability.
        min_p: Draw among tokens that have this share of the probability of the most likely one.
        seed: Makes the draws repeatable.

    Raises:
        ArgumentError: A setting is out of range.
    """

    temperature: float = 0.0
    top_k: int | None = None
    top_p: float = 1.0
    min_p: float = 0.0
    seed: int | None = None
    _random: np.random.Generator | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        require(
            is_real(self.temperature) and self.temperature >= 0,
            "temperature",
            self.temperature,
            "a number of 0 or more",
        )
        require(
            self.top_k is None or (is_count(self.top_k) and self.top_k >= 1),
            "top_k",
            self.top_k,
            "an integer of 1 or more",
        )
        require(is_real(self.top_p) and 0 < self.top_p <= 1, "top_p", self.top_p, "a number above 0 and at most 1")
        require(is_real(self.min_p) and 0 <= self.min_p <= 1, "min_p", self.min_p, "a number from 0 to 1")
        require(
            self.seed is None or (is_count(self.seed) and self.seed >= 0), "seed", self.seed, "an integer of 0 or more"
        )

    def __call__(self, logits: NDArray[np.floating]) -> int:
        """The id of one token.

        Raises:
            DeadEnd: The largest logit is not a finite number.
        """
        best = int(np.argmax(logits))
        if not np.isfinite(logits[best]):
            raise not_finite(float(logits[best]))
        return best if self.temperature == 0 else self._draw(logits)

    def _draw(self, logits: NDArray[np.floating]) -> int:
        tokens = np.flatnonzero(logits > -np.inf)
        # From the best, which is 0 then: however small the temperature is, one score stays finite.
        with np.errstate(over="ignore"):
            scores = (logits[tokens].astype(np.float64) - logits.max()) / self.temperature
        if self.min_p:
            is_likely = scores >= np.log(self.min_p)
            tokens, scores = tokens[is_likely], scores[is_likely]
        if self.top_k is not None or self.top_p < 1:
            order = np.argsort(-scores, kind="stable")[: self.top_k]
            tokens, scores = tokens[order], scores[order]
        weights = _nucleus(_softmax(scores), self.top_p)
        if self._random is None:  # made for the first draw: greedy texts need none
            self._random = np.random.default_rng(self.seed)
        return int(self._random.choice(tokens[: len(weights)], p=weights))


def not_finite(logit: float) -> DeadEnd:
    """What is raised where the best logit is not a number to go by."""
    return DeadEnd(f"the largest logit of an allowed token is not finite: {logit}")


def is_real(value: object) -> bool:
    """Whether a setting is a finite number."""
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))


def is_count(value: object) -> bool:
    """Whether a setting is an integer."""
    return isinstance(value, int | np.integer)


def require(holds: bool, name: str, value: object, range_: str) -> None:
    """Refuse a setting that is out of range. Raises ArgumentError."""
    if not holds:
        raise ArgumentError(f"{name}: expected {range_}, got {value!r}", argument=name)


def _softmax(scores: Floats) -> Floats:
    weights = np.exp(scores - scores.max())
    return np.asarray(weights / weights.sum())


def _nucleus(probabilities: Floats, top_p: float) -> Floats:
    """The shortest beginning that reaches ``top_p``, scaled to 1. Expects descending order where ``top_p < 1``."""
    if top_p == 1:
        return probabilities
    kept = probabilities[: 1 + int(np.searchsorted(np.cumsum(probabilities), top_p))]
    return np.asarray(kept / kept.sum())
