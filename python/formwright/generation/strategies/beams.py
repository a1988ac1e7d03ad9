"""Beam search: the conforming texts that the model finds most likely, several at a time.

::

    found = beam_search(runtime.batch(), constraint, prompt_ids, limits, beams=8, returns=2)
    [alternative.text for alternative in found.alternatives]      # ['yes', 'no']

The score of a text is the model's own log probability of its tokens and its end: not what is left
after masking, which would prefer texts that the form forces. It only falls while a text grows, so the search
ends as soon as no text under way can still be among the best ``returns``.

Cost: one call of the model for all beams at each token; forced tokens are asked for too, since their
probability counts.

A text that may end is kept whatever its rank, and takes no beam from those that go on. Of several
spellings of one text the best is returned. A text that its type refuses is not text, and the search goes on for others.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Constraint, Matcher, fill_bitmasks
from formwright.errors import ArgumentError, DeadEnd, OutputInvalid
from formwright.forms.readers import spell_text
from formwright.generation.batch import Batch
from formwright.generation.result import Complete, Reason, Truncated
from formwright.generation.writing import Limits, check_width, complete, start_matcher
from formwright.masks.arrays import allocate_bitmask, apply_bitmask

__all__ = ["beam_search", "check_beams", "log_softmax"]

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Beam:
    """A text under way, or one that has ended."""

    matcher: Matcher
    token_ids: tuple[int, ...]
    score: float


@dataclass(slots=True)
class _Search:
    """What the whole search shares."""

    batch: Batch
    constraint: Constraint[Any]
    prompt_ids: Sequence[int]
    limits: Limits
    beams: int
    returns: int
    prefix: str
    started: float
    calls: int = 0
    refused: tuple[float, OutputInvalid] | None = None
    """The best of the texts that the type refuses: its score, and why."""

    def run(self) -> tuple[list[_Beam], list[_Beam], Reason | None]:
        """The ended texts, best first, those under way when the search was over, and why it was cut, if it was."""
        live = [_Beam(start_matcher(self.constraint, self.prompt_ids, self.limits), (), 0.0)]
        ended: dict[bytes, _Beam] = {}
        logits = self.batch.add([self.prompt_ids])
        for left in range(self.limits.max_tokens, -1, -1):
            self.calls += 1
            if self.limits.cancel is not None and self.limits.cancel():
                return _best(ended, self.returns), live, "cancel"
            scores, allowed = self._scores(live, logits, left)
            self._end(live, scores, allowed, ended)
            if left == 0:
                break
            continued = self._find_continuations(live, scores, allowed)
            if not continued and not ended and self.refused is None:
                raise DeadEnd("the model gives no token that is allowed a probability")
            if not continued or self._is_settled(ended, continued[0][0]):
                return _best(ended, self.returns), [], None
            live = [_child(live[row], token_id, score) for score, row, token_id in continued]
            self.batch.select([row for _, row, _ in continued])
            logits = self.batch.step([[token_id] for _, _, token_id in continued])
        return _best(ended, self.returns), live, None if ended else "max_tokens"

    def _scores(self, live: list[_Beam], logits: NDArray[Any], left: int) -> tuple[Scores, NDArray[np.bool_]]:
        """The score that each token would give each beam, and which tokens are allowed."""
        mask = allocate_bitmask(len(live), self.constraint.vocabulary)
        budgets = [left] * len(live) if self.limits.finish else None
        fill_bitmasks([beam.matcher for beam in live], mask, budgets=budgets)
        check_width(logits.shape[-1], self.constraint.vocabulary)
        scores = log_softmax(logits) + np.array([[beam.score] for beam in live])
        if not np.isfinite(scores.max()):
            raise DeadEnd("no logit of the model is a finite number")
        masked = np.array(scores)
        apply_bitmask(masked, mask)
        return scores, np.isfinite(masked)

    def _end(self, live: list[_Beam], scores: Scores, allowed: NDArray[np.bool_], ended: dict[bytes, _Beam]) -> None:
        """Keep the texts that may end here, each with its best spelling."""
        ends = self.constraint.vocabulary.eos_token_ids
        for beam, row, may in zip(live, scores[:, ends], allowed[:, ends], strict=True):
            if may.any() and np.isfinite(row[may].max()):
                score, text = float(np.logaddexp.reduce(row[may])), beam.matcher.accepted_bytes
                is_better = text not in ended or score > ended[text].score
                if is_better and (text in ended or self._is_read(text, score)):
                    ended[text] = _Beam(beam.matcher, beam.token_ids, score)
        for text in sorted(ended, key=lambda text: -ended[text].score)[self.returns :]:
            del ended[text]

    def _is_read(self, text: bytes, score: float) -> bool:
        """Whether the type takes a text."""
        try:
            self.constraint.form.read_bytes(text)
        except OutputInvalid as error:
            if self.refused is None or score > self.refused[0]:
                self.refused = (score, error)
            return False
        return True

    def _find_continuations(
        self, live: list[_Beam], scores: Scores, allowed: NDArray[np.bool_]
    ) -> list[tuple[float, int, int]]:
        """The best continuations: score, beam and token. Among equals the better beam and the lower id come first."""
        allowed[:, self.constraint.vocabulary.eos_token_ids] = False
        rows, tokens = np.nonzero(allowed & np.isfinite(scores))
        found = scores[rows, tokens]
        if len(found) > self.beams:
            worst = np.partition(found, len(found) - self.beams)[len(found) - self.beams]
            kept = np.flatnonzero(found >= worst)
            rows, tokens, found = rows[kept], tokens[kept], found[kept]
        order = np.argsort(-found, kind="stable")[: self.beams]
        return [(float(found[i]), int(rows[i]), int(tokens[i])) for i in order]

    def _is_settled(self, ended: dict[bytes, _Beam], best: float) -> bool:
        return len(ended) >= self.returns and _best(ended, self.returns)[-1].score >= best

    def describe_beam(self, beam: _Beam) -> dict[str, Any]:
        """What a result says about a text."""
        text = spell_text(beam.matcher.accepted_bytes)[len(self.prefix) :]
        return {
            "text": text,
            "token_ids": beam.token_ids,
            "prompt_tokens": len(self.prompt_ids),
            "model_calls": self.calls,
            "forced_tokens": 0,
            "seconds": time.perf_counter() - self.started,
            "log_probability": beam.score,
        }


def beam_search(
    batch: Batch,
    constraint: Constraint[Any],
    prompt_ids: Sequence[int],
    limits: Limits,
    *,
    beams: int,
    returns: int = 1,
    prefix: str = "",
) -> Complete[Any] | Truncated:
    """The best text, with the ``returns`` best as its alternatives.

    Fewer are returned where the form has fewer texts that its type takes, or the beams have found fewer. A search that
    is cut gives the best text that has ended by then, or else the best one under way.

    Args:
        batch: Rows of the model, none yet.
        constraint: The form, compiled for the model's vocabulary.
        prompt_ids: The prompt; at least one token.
        limits: Where a text ends; ``stop`` has no meaning here.
        beams: How many texts are followed at a time.
        returns: How many texts are asked for; at most ``beams``.
        prefix: What the texts begin with that belongs to the prompt.

    Raises:
        ArgumentError: ``beams`` or ``returns`` is out of range, or ``stop`` is given.
        LimitExceeded, PromptError, DeadEnd, OutputInvalid: As `Writing`.
    """
    check_beams(beams, returns)
    if limits.stop is not None:
        raise ArgumentError(
            "stop= cannot be combined with beams=: scores of truncated texts cannot be compared",
            hint="say in the form where the text ends",
            argument="stop",
        )
    search = _Search(batch, constraint, prompt_ids, limits, beams, returns, prefix, time.perf_counter())
    ended, live, reason = search.run()
    if not ended and search.refused is not None and reason != "cancel":
        raise search.refused[1]
    if not ended:
        best = max(live, key=lambda beam: beam.score)
        return Truncated(reason=reason or "max_tokens", **search.describe_beam(best))
    form = constraint.form
    found = [complete(form, beam.matcher.accepted_bytes, **search.describe_beam(beam)) for beam in ended]
    return replace(found[0], alternatives=tuple(found))


def check_beams(beams: object, returns: object) -> None:
    """Refuse numbers of beams that cannot be. Raises ArgumentError."""
    if not isinstance(beams, int | np.integer) or beams < 1:
        raise ArgumentError(f"beams: expected an integer from 1 on, got {beams!r}", argument="beams")
    if not isinstance(returns, int | np.integer) or not 1 <= returns <= beams:
        raise ArgumentError(
            f"returns: expected an integer from 1 to beams={beams}, got {returns!r}",
            hint="search with as many beams as you want texts, or more",
            argument="returns",
        )


def _best(ended: dict[bytes, _Beam], count: int) -> list[_Beam]:
    return sorted(ended.values(), key=lambda beam: (-beam.score, beam.token_ids))[:count]


def _child(parent: _Beam, token_id: int, score: float) -> _Beam:
    matcher = parent.matcher.fork()
    matcher.accept_token(token_id)
    return _Beam(matcher, (*parent.token_ids, token_id), score)


def log_softmax(logits: NDArray[Any], temperature: float = 1.0) -> Scores:
    """Log probabilities of the last axis, float64."""
    exact = np.asarray(logits, np.float64)
    with np.errstate(over="ignore"):
        shifted = (exact - exact.max(-1, keepdims=True)) / temperature
    return np.asarray(shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)))
