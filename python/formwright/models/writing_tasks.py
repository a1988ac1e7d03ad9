"""A text to write, how its tokens are chosen, and its strategy: the options of `LocalModel.generate`, checked.

::

    Strategy(beams=8, returns=3, fidelity="mask", particles=16).is_plain      # False

Options that cannot be combined are refused once, before anything is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

import numpy as np

from formwright._kernel import Constraint
from formwright.errors import ArgumentError
from formwright.generation.adaptive import MAX_CALLS, check_adaptive
from formwright.generation.adjusted import Adjusted
from formwright.generation.batch import Engine
from formwright.generation.fields import Evidence
from formwright.generation.loop import Runtime, Stream
from formwright.generation.sampler import Sampler
from formwright.generation.spans import Generation
from formwright.generation.strategies.beams import check_beams
from formwright.generation.strategies.fidelity import check_draw
from formwright.generation.writing import Limits, Writing
from formwright.models.options import Fidelity

__all__ = ["PARTICLES", "Sampling", "Strategy", "WritingTask", "write_together"]

PARTICLES = 16
"""How many texts ``fidelity="smc"`` weighs unless the caller says otherwise."""


@dataclass(frozen=True, slots=True)
class WritingTask:
    """One text to write.

    Attributes:
        constraint: Its form, from the end of the prompt on.
        prompt_ids: The tokens of the prompt, without healed ones.
        limits: Where it ends.
        prefix: The text of the healed tokens, which the model writes again.
        find_evidence: Makes what the fields of the text are measured by, of its tokens.
    """

    constraint: Constraint[Any]
    prompt_ids: list[int]
    limits: Limits
    prefix: str
    find_evidence: Callable[[Sequence[int]], Evidence] | None = None

    def make_writing(
        self, sampler: Sampler | Adjusted, trace: bool, likeliest: int = 0, unseen: Sequence[int] | None = None
    ) -> Writing:
        """Make the text, with nothing written yet; ``unseen`` are the tokens of the prompt that the model has not seen.

        Raises:
            ArgumentError: The text cannot have ``min_tokens``.
        """
        least = sampler.min_tokens if isinstance(sampler, Adjusted) else 0
        if least > self.limits.max_tokens:
            said = f"min_tokens: expected {self.limits.max_tokens} at most, which the text may have, got {least}"
            raise ArgumentError(said, argument="min_tokens")
        writing = Writing(
            self.constraint,
            self.prompt_ids,
            self.limits,
            sampler,
            prefix=self.prefix,
            trace=trace,
            unseen=unseen,
            likeliest=likeliest,
            find_evidence=self.find_evidence,
        )
        if isinstance(sampler, Adjusted):
            sampler.follow(writing.token_ids, self.prompt_ids, self.constraint.vocabulary.eos_token_ids)
        return writing

    def open_stream(
        self, runtime: Runtime, sampler: Sampler | Adjusted, trace: bool, generation: Generation | None = None
    ) -> Stream[Any]:
        """Open a stream of the text by a runtime, inside the span that ``generation`` describes, if any."""
        return Stream.of(runtime, self.make_writing(sampler, trace), generation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How tokens are chosen: the options of `LocalModel.generate`, and those that only the server has."""

    temperature: float | None = None
    top_k: int | None = None
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    min_tokens: int = 0
    seed: int | None = None
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    bias: Mapping[int, float] = field(default_factory=dict)

    @property
    def plain_sampler(self) -> Sampler:
        """The sampler of a token by its logits alone, without penalties and bias. Raises ArgumentError."""
        return Sampler(
            temperature=0.0 if self.temperature is None else self.temperature,
            top_k=self.top_k,
            top_p=self.top_p,
            min_p=self.min_p,
            seed=self.seed,
        )

    def make_sampler(self, number: int = 0) -> Sampler | Adjusted:
        """Make the sampler of a text, or of one of several, which have consecutive seeds.

        Raises:
            ArgumentError: A setting is out of range.
        """
        sampler = self.plain_sampler
        if self.seed is not None and number:
            sampler = replace(sampler, seed=int(self.seed) + number)
        adjusted = Adjusted(
            sampler,
            bias=self.bias,
            presence_penalty=self.presence_penalty,
            frequency_penalty=self.frequency_penalty,
            repetition_penalty=self.repetition_penalty,
            min_tokens=self.min_tokens,
        )
        return sampler if adjusted == Adjusted(sampler) else adjusted


@dataclass(frozen=True, slots=True)
class Strategy:
    """How a text is chosen: token by token, or among several."""

    beams: int
    returns: int
    fidelity: Fidelity
    particles: int | None
    max_calls: int | None = None

    def __post_init__(self) -> None:
        if self.fidelity not in ("mask", "exact", "smc", "adaptive"):
            raise ArgumentError(
                f'fidelity: expected "mask", "exact", "smc" or "adaptive", got {self.fidelity!r}', argument="fidelity"
            )
        if self.max_calls is not None and self.fidelity != "adaptive":
            raise ArgumentError(
                f'max_calls= cannot be combined with fidelity="{self.fidelity}": it bounds the work of "adaptive"',
                argument="max_calls",
            )
        if self.fidelity == "adaptive":
            check_adaptive(self.returns, self.most_calls)
        if self.fidelity != "mask" and self._has_beams:
            raise self._refuse_beams()
        if self.particles is not None and not (isinstance(self.particles, int | np.integer) and self.particles >= 1):
            raise ArgumentError(
                f"particles: expected an integer from 1 on, got {self.particles!r}", argument="particles"
            )
        if self._has_beams:
            check_beams(self.beams, self.returns)

    def _refuse_beams(self) -> ArgumentError:
        """What is wrong with several texts where they are drawn."""
        if self.beams != 1:
            why = "beams look for the most likely text, samples do not"
            return ArgumentError(f'beams= cannot be combined with fidelity="{self.fidelity}": {why}', argument="beams")
        return ArgumentError(
            f'returns= cannot be combined with fidelity="{self.fidelity}": it draws one text',
            hint='pass fidelity="adaptive" for several draws, or beams= for the most likely texts',
            argument="returns",
        )

    @property
    def most_calls(self) -> int:
        """How often the model may be run for adaptive draws."""
        return MAX_CALLS if self.max_calls is None else self.max_calls

    @property
    def _has_beams(self) -> bool:
        return self.beams != 1 or (self.returns != 1 and self.fidelity != "adaptive")

    @property
    def is_plain(self) -> bool:
        """Whether the text is chosen token by token."""
        return self.fidelity == "mask" and not self._has_beams

    def check(self, sampling: Sampling, limits: Limits) -> None:
        """Refuse options that cannot be combined with the strategy. Raises ArgumentError."""
        temperature = sampling.temperature
        if self.is_plain:
            return
        if self.fidelity != "mask":
            least = 0.0 if self.fidelity == "exact" else float(np.nextafter(0.0, 1.0))
            check_draw(limits, 1.0 if temperature is None else temperature, least)
        if self.fidelity == "mask" and temperature:
            raise ArgumentError(
                f"temperature={temperature} cannot be combined with beams=: a beam search does not sample",
                hint='pass fidelity="smc" to sample one of several texts',
                argument="temperature",
            )
        for name in ("top_k", "top_p", "min_p", "repetition_penalty", "min_tokens"):
            if (value := getattr(sampling, name)) != getattr(Sampling(), name):
                other = "beams=" if self.fidelity == "mask" else f'fidelity="{self.fidelity}"'
                raise ArgumentError(f"{name}={value} cannot be combined with {other}: all tokens count", argument=name)


def write_together(
    engine: Engine, begin: Callable[[int], Writing], count: int, report_done: Callable[[int], None]
) -> list[Any]:
    """Write texts in shared calls of a model, and report each that is done; the result of each, or `Failed`."""
    results: list[Any] = [None] * count
    for number in range(count):
        engine.submit(number, partial(begin, number))
    while not engine.is_idle:
        for turn in engine.step():
            if turn.is_over:
                number = cast(int, turn.key)
                results[number] = turn.result
                report_done(number)
    return results
