"""Measure how masks distort a model's own distribution, on all answers of a small form.

::

    ids, log_probabilities = model.score_after(prompt)
    found = measure_distortion(log_probabilities, fw.choice(["yes", "no"]), vocabulary, prompt_ids=ids)
    found.rows, found.kl("lenient"), found.kl("canonical")

The *free* share of an answer is the probability of all its spellings, divided by that of all
answers. With masks, each token is sampled among the allowed ones, whose probabilities are scaled
to sum to 1 at each step. If all spellings are allowed, an answer gains from tokens that only begin
one of its rare spellings. With canonical tokens each answer has one spelling, so that cannot happen.

Canonical tokens do not change that sampling looks one token ahead. Where the first tokens of two
answers are the same, or likely for another reason, the shares still differ from the model's.

Cost: one call of the model for each beginning of a spelling. An answer that is the beginning of
another one counts with the probability that the model ends it there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Vocabulary
from formwright.errors import ArgumentError
from formwright.forms.coerce import compile
from formwright.reference.canonical.beginnings import Beginning, list_beginnings

__all__ = ["Distortion", "Shares", "measure_distortion"]

LogProbabilities = Callable[[Sequence[int]], NDArray[np.floating[Any]]]
"""Returns the natural logarithm of the probability of every token after some tokens, shape ``(width,)``."""


@dataclass(frozen=True)
class Shares:
    """How likely an answer is, as a share of all answers.

    Attributes:
        text: The answer.
        free: Its share without masks, in all its spellings.
        lenient: Its share with masks that allow all spellings.
        canonical: Its share with masks that allow only canonical tokens.
    """

    text: str
    free: float
    lenient: float
    canonical: float


@dataclass(frozen=True)
class Distortion:
    """The shares of all answers, most likely first.

    Attributes:
        rows: One for each answer.
        model_calls: The number of calls of the model.
    """

    rows: tuple[Shares, ...]
    model_calls: int

    def kl(self, masks: str) -> float:
        """Return the divergence in nats of the free shares from those with ``masks``, ``"lenient"`` or ``"canonical"``.

        Raises:
            ArgumentError: ``masks`` is neither.
        """
        pairs = [(row.free, self._find_share(row, masks)) for row in self.rows]
        return sum(free * log(free / with_masks) if with_masks else inf for free, with_masks in pairs if free)

    def total_variation(self, masks: str) -> float:
        """Return half the sum of the differences: 0 for equal shares, 1 if they have nothing in common.

        Raises:
            ArgumentError: ``masks`` is neither ``"lenient"`` nor ``"canonical"``.
        """
        return sum(abs(row.free - self._find_share(row, masks)) for row in self.rows) / 2

    def _find_share(self, row: Shares, masks: str) -> float:
        if masks not in {"lenient", "canonical"}:
            raise ArgumentError(f"masks: expected 'lenient' or 'canonical', got {masks!r}", argument="masks")
        return row.canonical if masks == "canonical" else row.lenient

    def __str__(self) -> str:
        texts = [repr(row.text) for row in self.rows]
        width = max(map(len, [*texts, "total variation"]))
        lines = [f"{'answer':{width}}     free  all spellings  canonical"]
        lines += [
            f"{text:{width}}  {row.free:.5f}        {row.lenient:.5f}    {row.canonical:.5f}"
            for text, row in zip(texts, self.rows, strict=True)
        ]
        measures = {"KL": self.kl, "total variation": self.total_variation}
        lines += [
            f"{name:{width}}                 {of('lenient'):.5f}    {of('canonical'):.5f}"
            for name, of in measures.items()
        ]
        return "\n".join(lines)


def measure_distortion(
    log_probabilities: LogProbabilities, form: Any, vocabulary: Vocabulary, *, prompt_ids: Sequence[int] = ()
) -> Distortion:
    """Measure how likely each answer of a form is, without masks and with them.

    Args:
        log_probabilities: The model after a prompt; called with the tokens written since.
        form: Anything `formwright.form` takes, with few texts.
        vocabulary: What its tokens spell, with `Vocabulary.merges`.
        prompt_ids: The prompt, if canonical tokens may continue its last piece.

    Raises:
        LimitExceeded: The form has too many texts, or they have too many spellings; the model is not called then.
        VocabularyError: It is not known what the tokenizer merges.
        ArgumentError: ``log_probabilities`` returns something else.
    """
    every = list_beginnings(compile(form, vocabulary).matcher())
    written = list_beginnings(compile(form, vocabulary, canonical=True).matcher(prompt_ids))
    known: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def probabilities(tokens: tuple[int, ...]) -> NDArray[np.float64]:
        if tokens not in known:
            known[tokens] = _read_probabilities(log_probabilities(tokens), vocabulary)
        return known[tokens]

    ends = list(vocabulary.eos_token_ids)
    free, lenient = _compute_shares(every, ends, probabilities)
    _, canonical = _compute_shares(written, ends, probabilities)
    total = sum(free.values())
    rows = [
        Shares(text, share / total if total else 0.0, lenient.get(text, 0.0), canonical.get(text, 0.0))
        for text, share in sorted(free.items(), key=lambda item: -item[1])
    ]
    return Distortion(tuple(rows), len(known))


def _read_probabilities(logarithms: Any, vocabulary: Vocabulary) -> NDArray[np.float64]:
    """Return the probability of every token from a row of logarithms. Raises ArgumentError."""
    found = np.asarray(logarithms)
    is_row = found.dtype.kind == "f" and found.ndim == 1 and len(found) >= len(vocabulary)
    if not is_row or np.isnan(found).any() or (found > 1e-3).any():
        raise ArgumentError(
            f"log_probabilities: expected a logarithm for each of {len(vocabulary)} tokens, got {logarithms!r:.80}",
            argument="log_probabilities",
        )
    return np.exp(found.astype(np.float64))


def _compute_shares(
    found: Sequence[Beginning], ends: list[int], probabilities: Callable[[tuple[int, ...]], NDArray[np.float64]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Compute, by answer, the probability of all its spellings, and that of sampling it with masks."""
    free: dict[str, float] = defaultdict(float)
    masked: dict[str, float] = defaultdict(float)
    reached: dict[tuple[int, ...], tuple[float, float]] = {(): (1.0, 1.0)}
    for beginning in found:
        if beginning.token_ids not in reached:
            continue
        own, masked_share = reached[beginning.token_ids]
        end, sum_ = 1.0, 1.0
        if beginning.allowed:
            after = probabilities(beginning.token_ids)
            end = float(after[ends].sum()) if beginning.is_complete else 0.0
            sum_ = float(after[list(beginning.allowed)].sum()) + end
        if sum_ == 0.0:
            continue
        if beginning.is_complete:
            free[beginning.text.decode()] += own * end
            masked[beginning.text.decode()] += masked_share * end / sum_
        for token in beginning.allowed:
            share = float(after[token])
            reached[*beginning.token_ids, token] = own * share, masked_share * share / sum_
    return free, masked
