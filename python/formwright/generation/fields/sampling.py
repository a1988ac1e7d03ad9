"""Estimating how likely the values at a place are, where they are too many to count.

The tokens that spell values form a tree, and particles go down it together. At each step all children of all particles
are weighed. Where they are more than ``particles``, the heaviest are kept as they are, and of the others some are
drawn, each then as heavy as all that it replaces: the resampling of Fearnhead & Clifford (2003, "On-line inference
for hidden Markov models via particle filters"), which is unbiased and of all such schemes changes the weights least. No
two particles are the same, so where there are few values they are counted.

Cost: one call of the model for each token of the longest value, for all particles together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Matcher
from formwright.generation.batch import Batch
from formwright.generation.fields.weights import PlaceSearch, Weights
from formwright.generation.strategies.beams import log_softmax

__all__ = ["resample", "sample_values"]

_LEAST_LIVE = 1e-3
"""The share of all weight that may be left with values that are not complete: it counts for any value."""


@dataclass(frozen=True, slots=True)
class _Sample:
    matcher: Matcher
    data: bytes
    weight: float


def sample_values(
    batch: Batch, token_ids: Sequence[int], search: PlaceSearch, most_tokens: int, particles: int, seed: int | None
) -> Weights:
    """Estimate the weights of the values at a place.

    Args:
        batch: Rows of the model, none yet.
        token_ids: The prompt and the text before the place.
        search: The place.
        most_tokens: Tokens of a value at most; the weight of longer ones counts for any value.
        particles: How many texts are followed at a time.
        seed: Makes the estimate repeatable.
    """
    random, weights = np.random.default_rng(seed), Weights()
    live, logits = [_Sample(search.matcher, b"", 1.0)], batch.add([token_ids])
    for _ in range(most_tokens):
        chosen, kept = resample(random, _weigh_children(search, live, logits).ravel(), particles)
        rows, tokens = np.divmod(chosen, logits.shape[-1])
        parents, live = live, []
        going_on: list[tuple[int, int]] = []
        for row, token_id, weight in zip(rows.tolist(), tokens.tolist(), kept.tolist(), strict=True):
            data, value = search.read_value(parents[row].data, token_id)
            if value is not None:
                weights.add(value, weight)
                continue
            matcher = parents[row].matcher.fork()
            matcher.accept_token(token_id)
            live.append(_Sample(matcher, data, weight))
            going_on.append((row, token_id))
        left = sum(particle.weight for particle in live)
        if left <= _LEAST_LIVE * (weights.total + left):
            break
        batch.select([row for row, _ in going_on])
        logits = batch.step([[token_id] for _, token_id in going_on])
    weights.rest += sum(particle.weight for particle in live)
    return weights


def _weigh_children(search: PlaceSearch, live: list[_Sample], logits: NDArray[Any]) -> NDArray[np.float64]:
    """The weight of each particle with each token after it, of shape ``(particles, width)``."""
    scores = log_softmax(logits)
    weights = np.zeros_like(scores)
    for row, particle in enumerate(live):
        allowed = search.allow(particle.matcher, particle.data)
        weights[row, allowed] = particle.weight * np.exp(scores[row, allowed])
    return weights


def resample(
    random: np.random.Generator, weights: NDArray[np.float64], most: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Choose at most ``most`` of some weights: their indices, and the weights they have then.

    The expected weight of each is what it was. Those above a threshold are kept; the others are drawn by one systematic
    pass and get the threshold as their weight.
    """
    if np.count_nonzero(weights) <= most:
        chosen = np.flatnonzero(weights)
        return chosen, weights[chosen]
    heavy = np.argpartition(weights, len(weights) - most)[len(weights) - most :]
    heavy = heavy[np.argsort(-weights[heavy])]
    light = weights.copy()
    light[heavy] = 0.0
    tail = float(light.sum()) + np.cumsum(weights[heavy][::-1])[::-1]  # of each heavy one: its weight and all smaller
    # Keeping the first k whole leaves most - k draws for the rest, each as heavy as tail[k] / (most - k).
    kept = int(np.argmax(weights[heavy] * (most - np.arange(most)) <= tail))
    threshold = float(tail[kept]) / (most - kept)
    light[heavy[kept:]] = weights[heavy[kept:]]
    places = (random.random() + np.arange(most - kept)) * threshold
    drawn = np.unique(np.minimum(np.searchsorted(np.cumsum(light), places, side="right"), len(light) - 1))
    drawn = drawn[light[drawn] > 0.0]
    return np.concatenate([heavy[:kept], drawn]), np.concatenate(
        [weights[heavy[:kept]], np.full(len(drawn), threshold)]
    )
