"""Counting the values at a place: the likeliest tokens first, until what is left cannot matter.

The tokens that spell values form a tree, and the probability that reaches a node bounds that of all values below it. So
nodes are visited in the order of their probability (best-first search) until all that is not visited has less than a
five-millionth of it: exact to six digits. Places with too many values are given up at once: where
a thousand tokens or more may come next, as in a free string, and where numbers of more than ten characters are allowed;
others after 64 calls of the model, unless nearly all is visited by then.

Cost: one call of the model for each node where there is a choice and whose logits are not known; forced tokens share
the call.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Matcher
from formwright.generation.fields.weights import PlaceSearch, Weights
from formwright.generation.strategies.beams import log_softmax
from formwright.generation.strategies.fidelity import Score

__all__ = ["ScoredRows", "count_values"]

_TOLERANCE = 2e-7
"""The share of all values that may stay unvisited."""

_MOST_BRANCHES = 1_000
"""Tokens that may come next at most, where values are counted."""

_LONGEST_NUMBER = 10
"""Characters of a number at most, where values are counted."""

_FEW_CALLS, _HOPELESS = 64, 0.02
"""After so many calls of the model, the share that may still be unvisited."""

_MOST_RUN = 64
"""Forced tokens that share a call at most."""


class ScoredRows:
    """What the model says after some tokens: log probabilities of the next one, float64, asked for once.

    Args:
        score: Asks the model what follows tokens after the border.
        token_ids: The tokens of a text after the border.
        logits: What the model said before the first of them and after each, of shape ``(tokens + 1, width)``.
    """

    __slots__ = ("_known", "_logits", "_score", "_token_ids", "calls")

    def __init__(self, score: Score, token_ids: Sequence[int], logits: NDArray[Any]) -> None:
        self._score, self._token_ids, self._logits = score, tuple(token_ids), logits
        self._known: dict[tuple[int, ...], NDArray[np.float64]] = {}
        self.calls = 0
        """How often the model was asked."""

    def ask(self, token_ids: tuple[int, ...], run: Sequence[int] = ()) -> NDArray[np.float64]:
        """The row after ``token_ids``; those after each token of ``run`` are asked for in the same call."""
        length = len(token_ids)
        if token_ids not in self._known and token_ids == self._token_ids[:length]:
            self._known[token_ids] = log_softmax(self._logits[length])
        elif token_ids not in self._known:
            self.calls += 1
            whole = (*token_ids, *run)
            for number, row in enumerate(log_softmax(self._score(whole)[length:])):
                self._known[whole[: length + number]] = row
        return self._known[token_ids]


@dataclass(frozen=True, slots=True)
class _Beginning:
    matcher: Matcher
    token_ids: tuple[int, ...]
    data: bytes


def count_values(search: PlaceSearch, rows: ScoredRows, most_calls: int) -> Generator[None, None, Weights | None]:
    """Yield after each call of the model; return the weights of all values, or ``None`` if they cannot be counted.

    Args:
        search: The place.
        rows: What the model says.
        most_calls: Calls of the model at most.
    """
    weights, unvisited, summed = Weights(), 1.0, 1.0
    order = count()
    frontier: list[tuple[float, int, _Beginning]] = [(-1.0, next(order), _Beginning(search.matcher, (), b""))]
    if _has_long_numbers(search):
        return None
    while frontier:
        if unvisited < 1e-6 * summed:  # a difference of floats that lost its digits
            unvisited = summed = -sum(entry[0] for entry in frontier)
        if unvisited <= _TOLERANCE * weights.total:
            break
        negative, _, node = heapq.heappop(frontier)
        unvisited += negative
        allowed = search.allow(node.matcher, node.data)
        is_hopeless = rows.calls > _FEW_CALLS and unvisited > _HOPELESS * (weights.total + unvisited)
        if len(allowed) > _MOST_BRANCHES or rows.calls > most_calls or is_hopeless:
            return None
        calls = rows.calls
        row = rows.ask(node.token_ids, _find_run(search, node, allowed))
        if rows.calls > calls:
            yield
        shares = -negative * np.exp(row[allowed])
        for token_id, share in zip(allowed, shares.tolist(), strict=True):
            data, value = search.read_value(node.data, token_id)
            if value is not None:
                weights.add(value, share)
            elif share > 0.0:
                child = node.matcher.fork()
                child.accept_token(token_id)
                heapq.heappush(frontier, (-share, next(order), _Beginning(child, (*node.token_ids, token_id), data)))
                unvisited += share
    return weights if weights.total > 0.0 else None


def _find_run(search: PlaceSearch, node: _Beginning, allowed: list[int]) -> list[int]:
    """The tokens that can only come next, one after the other, as far as they complete no value."""
    run: list[int] = []
    matcher, data = node.matcher, node.data
    while len(allowed) == 1 and len(run) < _MOST_RUN:
        data, value = search.read_value(data, allowed[0])
        if value is not None:
            break
        run.append(allowed[0])
        matcher = matcher.fork()
        matcher.accept_token(allowed[0])
        allowed = search.allow(matcher, data)
    return run


def _has_long_numbers(search: PlaceSearch) -> bool:
    """Whether digits may follow each other until a number is too long to be counted with all others."""
    matcher, data, start = search.matcher, b"", len(search.skip)
    while len(data) <= start + _LONGEST_NUMBER:
        children = [(search.read_value(data, token_id), token_id) for token_id in search.allow(matcher, data)]
        # Of the digits the largest: what follows a 0 may be nothing.
        going_on = [
            (longer, token_id)
            for (longer, value), token_id in children
            if value is None and (len(longer) <= start or longer[start:].isdigit())
        ]
        if not going_on:
            return False
        data, token_id = max(going_on)
        matcher = matcher.fork()
        matcher.accept_token(token_id)
    return True
