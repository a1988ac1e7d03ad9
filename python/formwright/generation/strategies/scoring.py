"""How likely a model is to write given texts: one call of the model at a time, so that others can be asked in between.

::

    scoring = model.make_scoring(prompt_ids, constraint, ["yes", "no"])
    while not scoring.is_over:
        scoring.step()
    list(scoring.scores)                 # ['yes', 'no']

`LocalModel.score` is that loop for one who waits; the server takes a step between the steps of its rows.

Cost: a call of the model for the prompt, and one for each spelling; spellings are found when a scoring is made, without
the model.

A score of minus infinity says that the model never writes a text. One that does not fit the context after
its prompt is an error instead, for the model says nothing of it.
"""

from __future__ import annotations

import enum
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Constraint, Vocabulary
from formwright.errors import ArgumentError, DeadEnd
from formwright.forms.coerce import compile
from formwright.forms.form import Form
from formwright.forms.texts import choice
from formwright.generation.batch import Forkable
from formwright.generation.result import Complete
from formwright.generation.sampler import not_finite
from formwright.generation.strategies.fidelity import MOST_SPELLINGS, Score, score_spelling, spellings_of
from formwright.generation.trace.recorder import Row, compare_logits
from formwright.generation.writing import Limits, check_width, start_matcher

if TYPE_CHECKING:
    from typing_extensions import TypeForm

__all__ = ["PromptScoring", "Scoring", "texts_of"]

_SLICE = 128
"""Tokens of a prompt that are scored in one call, so that the logits of a long one need not be held together."""


def texts_of(choices: Iterable[str] | TypeForm[Any], canonical: object) -> tuple[list[str], Form[str]]:
    """The texts that are to be scored, from a list, an enum or a `Literal`, and the form that they are.

    Raises:
        ArgumentError: There is no text, one is not a str, or ``canonical`` is neither true nor false.
    """
    if isinstance(choices, enum.EnumType):
        choices = [member.value for member in choices]
    elif get_origin(choices) is Literal:
        choices = get_args(choices)
    if isinstance(choices, str | bytes | Form) or not isinstance(choices, Iterable):
        raise ArgumentError(
            f"choices is a list of texts, an Enum or a Literal, not {type(choices).__name__}", argument="choices"
        )
    if not isinstance(canonical, bool):
        raise ArgumentError(f"canonical is true or false, not {canonical!r}", argument="canonical")
    texts = list(choices)
    return texts, choice(texts)


class Scoring:
    """The log probabilities of some texts as whole answers to a prompt, as far as they are known.

    Args:
        make_score: Asks the model for what it says after the prompt.
        constraint: A choice of these texts, compiled for the model.
        prompt_ids: The prompt.
        limits: What it leaves of the context.
        texts: The texts, in the order of the scores.
        most: Spellings of all texts together at most.

    Raises:
        PromptError: The prompt is empty.
        LimitExceeded: A text does not fit, or there are too many spellings.
        DeadEnd: The vocabulary spells none of them.
    """

    def __init__(
        self,
        make_score: Callable[[], Score],
        constraint: Constraint[str],
        prompt_ids: Sequence[int],
        limits: Limits,
        texts: Sequence[str],
        most: int = MOST_SPELLINGS,
    ) -> None:
        self._started, self._prompt_tokens = time.perf_counter(), len(prompt_ids)
        self._make_score, self._ends = make_score, constraint.vocabulary.eos_token_ids
        self._score: Score | None = None
        self._pending = deque(spellings_of(start_matcher(constraint, prompt_ids, limits), limits.max_tokens, most))
        self.scores: dict[str, float] = dict.fromkeys(texts, -np.inf)
        for text in self.scores.keys() - {spelling.text.decode() for spelling in self._pending}:
            _check_fits(text, constraint, prompt_ids, limits)
        self.calls = self.scored_tokens = 0

    @property
    def is_begun(self) -> bool:
        """Whether the model was asked."""
        return self.calls > 0

    @property
    def is_over(self) -> bool:
        """Whether all texts are scored."""
        return not self._pending

    def step(self) -> None:
        """Ask the model once: for the prompt, then for one spelling after the other.

        Raises:
            DeadEnd: Some of its logits are not numbers.
        """
        self.calls += 1
        if self._score is None:
            self._score = self._make_score()
            return
        spelling = self._pending.popleft()
        text = spelling.text.decode()
        with np.errstate(invalid="ignore"):  # of logits that are not numbers, which are told below
            self.scores[text] = float(
                np.logaddexp(self.scores[text], score_spelling(self._score, spelling, self._ends))
            )
        self.scored_tokens += len(spelling.token_ids)
        if np.isnan(self.scores[text]):
            raise not_finite(np.nan)

    @property
    def result(self) -> Complete[str] | None:
        """The most likely text, of which nothing was written; ``None`` while some are not scored."""
        if not self.is_over:
            return None
        text = max(self.scores, key=self.scores.__getitem__)
        return Complete(
            value=text,
            text=text,
            token_ids=(),
            prompt_tokens=self._prompt_tokens,
            model_calls=self.calls,
            forced_tokens=0,
            seconds=time.perf_counter() - self._started,
        )


class PromptScoring:
    """The log probabilities of the tokens of a prompt, each after those before it, as far as they are known.

    Args:
        runtime: The model, which holds no token.
        vocabulary: What its tokens spell.
        prompt_ids: The prompt.
        likeliest: How many of the most likely tokens a row keeps.
    """

    result = None

    def __init__(
        self, runtime: Forkable, vocabulary: Vocabulary, prompt_ids: Sequence[int], likeliest: int = 0
    ) -> None:
        self._runtime, self._vocabulary, self._likeliest = runtime, vocabulary, likeliest
        self._sequence: Any = None
        self._prompt_ids = prompt_ids
        self.rows: list[Row] = []
        """One for each token but the first, which comes after nothing."""
        self.calls = 0

    @property
    def is_begun(self) -> bool:
        """Whether the model was asked."""
        return self.calls > 0

    @property
    def is_over(self) -> bool:
        """Whether all tokens are scored."""
        return len(self.rows) + 1 >= len(self._prompt_ids)

    @property
    def scored_tokens(self) -> int:
        """How many tokens are scored."""
        return len(self.rows)

    def step(self) -> None:
        """Ask the model once, for a slice of the prompt; or for one token, if it cannot score several at a time.

        Raises:
            DeadEnd: Some of its logits are not numbers.
        """
        if self.is_over:
            return
        self._sequence = self._sequence or self._runtime.fork()
        self.calls += 1
        at, last = len(self.rows), len(self._prompt_ids) - 1
        score = getattr(self._sequence, "score", None)
        if score is None:
            self._add(self._sequence.prefill([self._prompt_ids[at]])[None])
        else:
            self._add(score(self._prompt_ids[at : min(at + _SLICE, last)]))

    def _add(self, logits: NDArray[Any]) -> None:
        """The rows of the next tokens, by the model's logits before each."""
        if np.isnan(logits).any():
            raise not_finite(np.nan)
        check_width(logits.shape[-1], self._vocabulary)
        allowed = np.ones(logits.shape[-1], bool)
        for row in logits:
            token_id = self._prompt_ids[len(self.rows) + 1]
            more: dict[str, Any] = {"is_forced": False, "likeliest": self._likeliest}
            self.rows.append(compare_logits(self._vocabulary, token_id, row, allowed, **more))


def _check_fits(text: str, constraint: Constraint[Any], prompt_ids: Sequence[int], limits: Limits) -> None:
    """Refuse a text that is longer than what is left of the context. One that cannot be spelled is never written."""
    with suppress(DeadEnd):
        start_matcher(
            compile(choice([text]), constraint.vocabulary, canonical=constraint.canonical), prompt_ids, limits
        )
