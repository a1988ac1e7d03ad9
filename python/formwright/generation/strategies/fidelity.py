"""Drawing from the model's own distribution over the conforming texts, not from what masks make of it.

::

    drawn = draw_by_particles(runtime.batch(), constraint, prompt_ids, limits, particles=64, temperature=1, seed=0)
    drawn.particles.log_form_probability

A mask looks one token ahead: a likely token is taken even where nothing likely that conforms can follow it.
Scoring every text is exact, for forms that have few. For all others there is sequential Monte Carlo
(Doucet et al. 2001; for language models Lew et al. 2023): particles are written under masks and weighted by the
probability that the model gives to what is allowed at each token; when few of them carry the weight, they are drawn
anew from it. The mean weight estimates how likely the model is to conform by itself, without bias.

Cost: exact, one call of the model for each spelling of a text; particles, one call for each token, for
all particles together.

What is drawn are tokens. Where a form allows all spellings, a text has the weight of all of them
together, and an exact draw scores each: `canonical=True` makes them few.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Constraint, Matcher, fill_bitmasks
from formwright.errors import ArgumentError, DeadEnd, LimitExceeded
from formwright.forms.readers import spell_text
from formwright.generation.batch import Batch
from formwright.generation.result import Complete, Particles, Truncated
from formwright.generation.strategies.beams import log_softmax
from formwright.generation.writing import Limits, check_width, complete, start_matcher
from formwright.masks.arrays import allocate_bitmask, apply_bitmask

__all__ = [
    "MOST_SPELLINGS",
    "Score",
    "check_draw",
    "draw_by_particles",
    "draw_exactly",
    "score_spelling",
    "spellings_of",
]

MOST_SPELLINGS = 10_000
"""Spellings of all texts together that are scored at most."""

Scores = NDArray[np.float64]
Score = Callable[[Sequence[int]], NDArray[Any]]
"""Tokens after the prompt to the logits before the first of them, and after each: ``(tokens + 1, width)``."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """The tokens of a whole text."""

    token_ids: tuple[int, ...]
    text: bytes


def spellings_of(matcher: Matcher, max_tokens: int, most: int = MOST_SPELLINGS) -> list[Spelling]:
    """Every spelling of every text in at most ``max_tokens`` tokens, depth first.

    Raises:
        LimitExceeded: There are more than ``most``.
    """
    ends = frozenset(matcher.constraint.vocabulary.eos_token_ids)
    found: list[Spelling] = []
    pending: list[tuple[Matcher, tuple[int, ...]]] = [(matcher, ())]
    while pending:
        at, token_ids = pending.pop()
        allowed = at.allowed_token_ids(budget=max_tokens - len(token_ids))
        if not ends.isdisjoint(allowed):
            found.append(Spelling(token_ids, at.accepted_bytes))
        going_on = [token_id for token_id in reversed(allowed) if token_id not in ends]
        if (count := len(found) + len(pending) + len(going_on)) > most:
            raise LimitExceeded(
                f"the form has more than {most} spellings: too many to score each of them",
                hint='pass fidelity="smc", or canonical=True, which leaves one spelling for each text',
                limit="spellings",
                value=count,
                allowed=most,
            )
        for token_id in going_on:
            child = at.fork()
            child.accept_token(token_id)
            pending.append((child, (*token_ids, token_id)))
    return found


def score_spelling(score: Score, spelling: Spelling, ends: Sequence[int], temperature: float = 1.0) -> float:
    """The log probability of a spelling and the end of the text."""
    log_probabilities = log_softmax(score(spelling.token_ids), temperature)
    tokens = log_probabilities[np.arange(len(spelling.token_ids)), list(spelling.token_ids)]
    return float(tokens.sum() + np.logaddexp.reduce(log_probabilities[-1, list(ends)]))


def draw_exactly(
    score: Score,
    constraint: Constraint[Any],
    prompt_ids: Sequence[int],
    limits: Limits,
    *,
    temperature: float,
    seed: int | None,
    prefix: str = "",
) -> Complete[Any] | Truncated:
    """Score every text of the form and draw one; with ``temperature=0`` the most likely one.

    Raises:
        LimitExceeded: The form has too many spellings, or ``max_tokens`` is too small for any.
        ArgumentError: ``temperature`` is out of range, or an option has no meaning here.
    """
    check_draw(limits, temperature, least=0.0)
    since = time.perf_counter()
    check_width(score([]).shape[-1], constraint.vocabulary)
    spellings = spellings_of(start_matcher(constraint, prompt_ids, limits), limits.max_tokens)
    scores = np.zeros(len(spellings))
    for index, spelling in enumerate(spellings):
        if limits.cancel is not None and limits.cancel():
            return Truncated(reason="cancel", text="", token_ids=(), **_fields_of_result(prompt_ids, index, since))
        scores[index] = score_spelling(score, spelling, constraint.vocabulary.eos_token_ids, temperature or 1.0)
    total = _finite(float(np.logaddexp.reduce(scores)))
    chosen = int(np.argmax(scores)) if temperature == 0 else _draw(np.random.default_rng(seed), scores)
    data = spellings[chosen].text
    return complete(
        constraint.form,
        data,
        text=spell_text(data)[len(prefix) :],
        token_ids=spellings[chosen].token_ids,
        log_probability=float(scores[chosen]),
        particles=_particles([spelling.text for spelling in spellings], scores - total, total, prefix),
        log_form_probability=total,
        **_fields_of_result(prompt_ids, len(spellings), since),
    )


def _fields_of_result(prompt_ids: Sequence[int], calls: int, since: float) -> dict[str, Any]:
    return {
        "prompt_tokens": len(prompt_ids),
        "model_calls": calls,
        "forced_tokens": 0,
        "seconds": time.perf_counter() - since,
    }


@dataclass(slots=True)
class _Particle:
    matcher: Matcher
    token_ids: tuple[int, ...] = ()
    is_over: bool = False


def draw_by_particles(
    batch: Batch,
    constraint: Constraint[Any],
    prompt_ids: Sequence[int],
    limits: Limits,
    *,
    particles: int,
    temperature: float,
    seed: int | None,
    prefix: str = "",
) -> Complete[Any] | Truncated:
    """Write many texts, weigh them by what the model gives to them, and draw one.

    Raises:
        ArgumentError: ``particles`` or ``temperature`` is out of range, or an option has no meaning here.
        LimitExceeded: ``max_tokens`` is too small for any text.
    """
    check_draw(limits, temperature, least=np.nextafter(0.0, 1.0))
    if not isinstance(particles, int | np.integer) or particles < 1:
        raise ArgumentError(f"particles: expected an integer from 1 on, got {particles!r}", argument="particles")
    since, random = time.perf_counter(), np.random.default_rng(seed)
    matcher = start_matcher(constraint, prompt_ids, limits)
    swarm = _Swarm(
        batch, constraint, limits, temperature, random, [_Particle(matcher.fork()) for _ in range(particles)]
    )
    found = swarm.run(prompt_ids)
    log_weights = np.zeros(particles) if found is None else found[0]
    chosen = swarm.particles[_draw(random, log_weights)]
    written: dict[str, Any] = {"token_ids": chosen.token_ids, **_fields_of_result(prompt_ids, swarm.calls, since)}
    if found is None:
        cut = spell_text(chosen.matcher.accepted_bytes)
        return Truncated(reason="cancel", text=cut[len(prefix) :], **written)
    texts = [particle.matcher.accepted_bytes for particle in swarm.particles]
    data = chosen.matcher.accepted_bytes
    return complete(
        constraint.form,
        data,
        text=spell_text(data)[len(prefix) :],
        particles=_particles(texts, *found, prefix),
        log_form_probability=float(found[1]),
        **written,
    )


@dataclass(slots=True)
class _Swarm:
    """The particles of one run."""

    batch: Batch
    constraint: Constraint[Any]
    limits: Limits
    temperature: float
    random: np.random.Generator
    particles: list[_Particle]
    calls: int = 0

    def run(self, prompt_ids: Sequence[int]) -> tuple[Scores, float] | None:
        """Write all particles to their ends: log weights, and the log of the mean weight. ``None`` if cancelled."""
        count = len(self.particles)
        live, log_weights, log_mean = list(range(count)), np.zeros(count), 0.0
        logits = np.repeat(self.batch.add([prompt_ids]), count, 0)
        self.batch.select([0] * count)
        for left in range(self.limits.max_tokens, -1, -1):
            if self.limits.cancel is not None and self.limits.cancel():
                return None
            self.calls += 1
            log_weights[live] += self._write(live, logits, left)
            order = list(range(count))
            _finite(float(log_weights.max()))
            if _effective(log_weights) < count / 2:
                log_mean += _finite(float(np.logaddexp.reduce(log_weights))) - np.log(count)
                order, log_weights = _resample(self.random, log_weights), np.zeros(count)
            rows = {index: row for row, index in enumerate(live)}
            self.particles = _copy_particles(self.particles, order)
            live = [index for index, particle in enumerate(self.particles) if not particle.is_over]
            if not live:
                break
            self.batch.select([rows[order[index]] for index in live])
            logits = self.batch.step([[self.particles[index].token_ids[-1]] for index in live])
        total = _finite(float(np.logaddexp.reduce(log_weights)))
        return log_weights - total, log_mean + total - np.log(count)

    def _write(self, live: list[int], logits: NDArray[Any], left: int) -> Scores:
        """One token, or the end, for each live particle; the log probability of all that it might have been."""
        particles = [self.particles[index] for index in live]
        mask = allocate_bitmask(len(live), self.constraint.vocabulary)
        fill_bitmasks([particle.matcher for particle in particles], mask, budgets=[left] * len(live))
        check_width(logits.shape[-1], self.constraint.vocabulary)
        scores = log_softmax(logits, self.temperature)
        apply_bitmask(scores, mask)
        masses = np.asarray(np.logaddexp.reduce(scores, axis=-1))
        if np.isnan(masses).any():
            raise DeadEnd("some logits of the model are not numbers")
        dead = np.isneginf(masses)  # the model gives nothing that is allowed a probability: a text of weight 0
        below = np.cumsum(np.exp(scores - np.where(dead, 0.0, masses)[:, None]), axis=-1)
        drawn = (below < self.random.random((len(live), 1)) * below[:, -1:]).sum(-1)
        ends = frozenset(self.constraint.vocabulary.eos_token_ids)
        for particle, token_id, is_dead in zip(particles, drawn.tolist(), dead.tolist(), strict=True):
            if is_dead or token_id in ends:
                particle.is_over = True
            else:
                particle.matcher.accept_token(token_id)
                particle.token_ids += (token_id,)
        return masses


def _copy_particles(particles: list[_Particle], order: list[int]) -> list[_Particle]:
    """Particles in this order; one that is there twice is copied."""
    taken: set[int] = set()
    kept = []
    for index in order:
        particle = particles[index]
        kept.append(replace(particle, matcher=particle.matcher.fork()) if index in taken else particle)
        taken.add(index)
    return kept


def _effective(log_weights: Scores) -> float:
    """The effective sample size: how many particles of equal weight these are worth."""
    weights = np.exp(log_weights - log_weights.max())
    return float(weights.sum() ** 2 / (weights**2).sum())


def _resample(random: np.random.Generator, log_weights: Scores) -> list[int]:
    """As many particles as there are, drawn by their weights: systematic resampling."""
    count = len(log_weights)
    weights = np.exp(log_weights - log_weights.max())
    places = (np.arange(count) + random.random()) / count * weights.sum()
    chosen: list[int] = np.minimum(np.searchsorted(np.cumsum(weights), places, side="right"), count - 1).tolist()
    return chosen


def _draw(random: np.random.Generator, log_weights: Scores) -> int:
    weights = np.exp(log_weights - log_weights.max())
    return int(random.choice(len(weights), p=weights / weights.sum()))


def _finite(log_total: float) -> float:
    if not np.isfinite(log_total):
        raise DeadEnd("the model gives no text of this form a probability, or its logits are not numbers")
    return log_total


def _particles(texts: Sequence[bytes], log_weights: Scores, log_mean: float, prefix: str) -> Particles:
    own = tuple(spell_text(text)[len(prefix) :] for text in texts)
    return Particles(own, tuple(map(float, log_weights)), float(log_mean))


def check_draw(limits: Limits, temperature: float, least: float) -> None:
    """Refuse what draws of whole texts cannot keep to. Raises ArgumentError."""
    if limits.stop is not None or not limits.finish:
        name = "stop" if limits.stop is not None else "finish"
        raise ArgumentError(
            f"{name}= cannot be combined with fidelity=: a truncated text has no probability among complete ones",
            argument=name,
        )
    if not (isinstance(temperature, int | float | np.number) and np.isfinite(temperature) and temperature >= least):
        bound = "0 or more" if least == 0 else "more than 0"
        raise ArgumentError(f"temperature: expected {bound}, got {temperature!r}", argument="temperature")
