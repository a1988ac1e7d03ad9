"""What masks do to a model's own distribution, measured on all answers of a small form.

::

    ids, log_probabilities = model.after(prompt)
    found = distortion(log_probabilities, fw.choice(["yes", "no"]), vocabulary, prompt_ids=ids)
    found.rows, found.kl("lenient"), found.kl("canonical")

*Free* is what the model says: the probability of an answer is that of all its spellings, as a
share of all answers. With masks, each token is drawn among the allowed ones, and what was not
allowed is shared out at each step. If all spellings are allowed, the first letters of one answer
count for it though the model would never have gone on like that. With canonical tokens there is
one spelling of each answer, so that cannot happen.

What canonical tokens do not change: drawing token by token looks one token ahead. Where the
first tokens of two answers are the same, or likely for another reason, the shares still differ
from the model's.

Cost: the model is asked once for each beginning of a spelling. The wrinkle: an answer that is the
beginning of another one counts as far as the model ends it there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Matcher, Vocabulary
from formwright.errors import ArgumentError, LimitExceeded
from formwright.languages import compile

__all__ = ["Distortion", "Shares", "distortion"]

MOST_BEGINNINGS = 10_000
"""Beginnings of spellings that are looked at."""

LogProbabilities = Callable[[Sequence[int]], NDArray[np.floating[Any]]]
"""Of every token after the prompt and some tokens: natural logarithms, shape ``(width,)``."""


@dataclass(frozen=True)
class Shares:
    """How likely an answer is, of all answers.

    Attributes:
        text: The answer.
        free: Its share of what the model gives to all answers, in all their spellings.
        lenient: The same if each token is drawn among those that keep a text in form.
        canonical: The same if only canonical tokens may come.
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
        model_calls: How often the model was asked.
    """

    rows: tuple[Shares, ...]
    model_calls: int

    def kl(self, masks: str) -> float:
        """The divergence, in nats, of the free shares from those with ``masks``: ``"lenient"`` or ``"canonical"``.

        Raises:
            ArgumentError: ``masks`` is neither.
        """
        pairs = [(row.free, self._with(row, masks)) for row in self.rows]
        return sum(free * log(free / with_masks) if with_masks else inf for free, with_masks in pairs if free)

    def total_variation(self, masks: str) -> float:
        """Half the sum of what the shares differ by: 0 if they are the same, 1 if they have nothing in common.

        Raises:
            ArgumentError: ``masks`` is neither ``"lenient"`` nor ``"canonical"``.
        """
        return sum(abs(row.free - self._with(row, masks)) for row in self.rows) / 2

    def _with(self, row: Shares, masks: str) -> float:
        if masks not in {"lenient", "canonical"}:
            raise ArgumentError(f"masks are 'lenient' or 'canonical', not {masks!r}", argument="masks")
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


def distortion(
    log_probabilities: LogProbabilities, form: Any, vocabulary: Vocabulary, *, prompt_ids: Sequence[int] = ()
) -> Distortion:
    """How likely each answer of a form is, without masks and with them.

    Args:
        log_probabilities: The model after a prompt; called with the tokens written since.
        form: Anything `formwright.form` takes, with few texts.
        vocabulary: What its tokens spell, with `Vocabulary.merges`.
        prompt_ids: The prompt, if canonical tokens may continue its last piece.

    Raises:
        LimitExceeded: The form has too many texts, or they have too many spellings; the model is not asked then.
        VocabularyError: It is not known what the tokenizer merges.
        ArgumentError: ``log_probabilities`` gives something else.
    """
    starts = compile(form, vocabulary).matcher(), compile(form, vocabulary, canonical=True).matcher(prompt_ids)
    for start in starts:
        _check_size(start)
    asked: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def probabilities(tokens: tuple[int, ...]) -> NDArray[np.float64]:
        if tokens not in asked:
            asked[tokens] = _probabilities(log_probabilities(tokens), vocabulary)
        return asked[tokens]

    free, lenient = _shares(starts[0], probabilities)
    _, canonical = _shares(starts[1], probabilities)
    every = sum(free.values())
    rows = [
        Shares(text, share / every if every else 0.0, lenient.get(text, 0.0), canonical.get(text, 0.0))
        for text, share in sorted(free.items(), key=lambda item: -item[1])
    ]
    return Distortion(tuple(rows), len(asked))


def _probabilities(logarithms: Any, vocabulary: Vocabulary) -> NDArray[np.float64]:
    """Of every token, from what the model gave."""
    found = np.asarray(logarithms)
    is_row = found.dtype.kind == "f" and found.ndim == 1 and len(found) >= len(vocabulary)
    if not is_row or np.isnan(found).any() or (found > 1e-3).any():
        raise ArgumentError(
            f"log_probabilities gives a logarithm for each of {len(vocabulary)} tokens, not {logarithms!r:.80}",
            argument="log_probabilities",
        )
    return np.exp(found.astype(np.float64))


def _check_size(start: Matcher) -> None:
    """Fail if the spellings have too many beginnings."""
    ends = set(start.constraint.vocabulary.eos_token_ids)
    open_, seen = [start], 1
    while open_:
        matcher = open_.pop()
        allowed = [token for token in matcher.allowed_token_ids() if token not in ends]
        seen += len(allowed)
        if seen > MOST_BEGINNINGS:
            raise LimitExceeded(
                f"the spellings of all answers have more than {MOST_BEGINNINGS} beginnings",
                hint="measure a form with fewer or shorter texts: a text of 40 characters has thousands of spellings",
                limit="beginnings",
                value=seen,
                allowed=MOST_BEGINNINGS,
            )
        for token in allowed:
            next_ = matcher.fork()
            next_.accept_token(token)
            open_.append(next_)


def _shares(
    start: Matcher, probabilities: Callable[[tuple[int, ...]], NDArray[np.float64]]
) -> tuple[dict[str, float], dict[str, float]]:
    """By answer: what the model gives to its spellings, and with what probability masks lead to it."""
    free: dict[str, float] = {}
    masked: dict[str, float] = {}
    ends = start.constraint.vocabulary.eos_token_ids
    open_: list[tuple[Matcher, tuple[int, ...], float, float]] = [(start, (), 1.0, 1.0)]
    while open_:
        matcher, tokens, own, drawn = open_.pop()
        allowed = [token for token in matcher.allowed_token_ids() if token not in ends]
        if not allowed:
            _add(matcher, own, drawn, free, masked)
            continue
        after = probabilities(tokens)
        end = float(after[ends].sum()) if matcher.is_complete else 0.0
        sum_ = float(after[allowed].sum()) + end
        if sum_ == 0.0:
            continue
        if matcher.is_complete:
            _add(matcher, own * end, drawn * end / sum_, free, masked)
        for token in allowed:
            next_ = matcher.fork()
            next_.accept_token(token)
            share = float(after[token])
            open_.append((next_, (*tokens, token), own * share, drawn * share / sum_))
    return free, masked


def _add(matcher: Matcher, own: float, drawn: float, free: dict[str, float], masked: dict[str, float]) -> None:
    text = matcher.accepted_bytes.decode()
    free[text] = free.get(text, 0.0) + own
    masked[text] = masked.get(text, 0.0) + drawn
