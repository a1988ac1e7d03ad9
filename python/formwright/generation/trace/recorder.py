"""What a form did to a model, token by token.

::

    trace = model.generate("Who is it?", fw.regex("Michael Jordan was Born in [0-9]+"), trace=True).trace
    trace.rows[0].leading_token        # what the model would have begun with
    trace.to_pandas()                  # one line for each token
    trace.show()                       # a heat map in the terminal
    trace.save("trace.html")           # one page that needs nothing else
    trace.hints()                      # in words: what to change

A row compares the token that was written with the one the model wanted most. *Allowed mass* is what
the model itself gives to all the tokens that may come: near 1 the form agrees with the model, near 0
it pushes.

Cost: the model is asked for every token, also for forced ones, and a softmax of its logits is taken.

An end of text that the model was asked about has a row too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Matcher, Vocabulary
from formwright.forms.readers import spell_text
from formwright.generation.trace.fields import TracedField, fields_of
from formwright.masks.arrays import allocate_bitmask, allowed_tokens, apply_bitmask

if TYPE_CHECKING:
    from formwright.generation.trace.table import DataFrame

__all__ = ["Likely", "Recorder", "Row", "Trace"]

PUSHED = 0.1
"""A form pushes where it leaves less than this of what the model would say."""


@dataclass(frozen=True, slots=True)
class Likely:
    """A token that the model might have written.

    Attributes:
        token_id: The token.
        token: Its bytes; empty for an end of text.
        probability: What the model gives it.
        is_allowed: Whether it might come.
    """

    token_id: int
    token: bytes
    probability: float
    is_allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One token, and what the model said before it.

    Attributes:
        token_id: The token that was written.
        token: Its bytes; empty for an end of text.
        probability: What the model gives it.
        masked_probability: What it has among the allowed tokens.
        leading_token_id: The token that the model wanted most.
        leading_token: Its bytes.
        leading_probability: What the model gives to that.
        leading_allowed: Whether it was allowed.
        leading_in_form: Whether it conforms, whatever the budget says.
        allowed_mass: What the model gives to all allowed tokens together.
        allowed_tokens: How many there are.
        is_forced: Whether there was no choice.
        is_allowed: Whether the token conforms; false only for the last row of a text that nothing holds to it.
        model_seconds: Time that the model took.
        mask_seconds: Time that the mask took, found and applied.
        sampler_seconds: Time that the choice took.
        likeliest: The likeliest tokens and the likeliest allowed ones, as many of each as were asked for.
    """

    token_id: int
    token: bytes
    probability: float
    masked_probability: float
    leading_token_id: int
    leading_token: bytes
    leading_probability: float
    leading_allowed: bool
    leading_in_form: bool
    allowed_mass: float
    allowed_tokens: int
    is_forced: bool
    is_allowed: bool = True
    model_seconds: float = 0.0
    mask_seconds: float = 0.0
    sampler_seconds: float = 0.0
    likeliest: tuple[Likely, ...] = ()

    @property
    def text(self) -> str:
        """The token as text; incomplete characters as escapes."""
        return show_token(self.token)

    @property
    def leading_text(self) -> str:
        """The leading token as text."""
        return show_token(self.leading_token)

    @property
    def is_pushed(self) -> bool:
        """Whether form or budget kept the model from what it wanted."""
        return self.is_allowed and not self.leading_allowed and self.allowed_mass < PUSHED

    @property
    def is_closed(self) -> bool:
        """Whether only the budget kept the model from what it wanted."""
        return self.is_pushed and self.leading_in_form


@dataclass(frozen=True, slots=True, repr=False)
class Trace:
    """The rows of a text, and ways to look at them.

    Attributes:
        rows: One for each token, in order.
        text: What was written.
        is_json: Whether the text is one JSON value, so that it has fields.
        max_tokens: How many tokens were allowed; ``None`` if nobody knows.
    """

    rows: tuple[Row, ...]
    text: str
    is_json: bool = False
    max_tokens: int | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> Row:
        return self.rows[index]

    def __repr__(self) -> str:
        pushed = sum(row.is_pushed for row in self.rows)
        left = "" if self.in_form else ", left the form"
        return f"Trace({len(self.rows)} tokens, {pushed} pushed, allowed mass {self.allowed_mass:.3g}{left})"

    @property
    def in_form(self) -> bool:
        """Whether every token conforms: true of what was written under masks."""
        return all(row.is_allowed for row in self.rows)

    @property
    def allowed_mass(self) -> float:
        """The product of the allowed masses: how far the form as a whole was from what the model would say."""
        return float(np.prod([row.allowed_mass for row in self.rows]))

    @property
    def fields(self) -> list[TracedField]:
        """The values of a JSON text, with the model's confidence in each; empty for other texts."""
        return fields_of(self.text, self.rows) if self.is_json else []

    def hints(self) -> list[str]:
        """What to change, in words: where the form pushed, and where the model ran in circles."""
        from formwright.generation.trace.hints import hints

        return hints(self)

    def to_pandas(self) -> DataFrame:
        """One line for each token: the generated token, its id and score, the same of the leading token, and the rest.

        Raises:
            MissingDependency: pandas is not installed.
        """
        from formwright.generation.trace.table import table

        return table([_line(row) for row in self.rows], list(_COLUMNS))

    def to_html(self) -> str:
        """The page that `save` writes."""
        from formwright.generation.trace.heat_map import page

        return page(self)

    def save(self, path: str | Path) -> None:
        """Write one self-contained HTML page: heat map, details, fields, and where the form pushed."""
        Path(path).write_text(self.to_html(), encoding="utf-8")

    def show(self) -> None:
        """Print a heat map to the terminal.

        Raises:
            MissingDependency: formwright[cli] is not installed.
        """
        from formwright.generation.trace.terminal import show

        show(self)

    def _repr_html_(self) -> str:
        from formwright.generation.trace.heat_map import fragment

        return fragment(self)


_COLUMNS: dict[str, Callable[[Row], Any]] = {
    "generated_token": lambda row: row.text,
    "generated_token_idx": lambda row: row.token_id,
    "generated_score": lambda row: row.probability,
    "leading_token": lambda row: row.leading_text,
    "leading_token_idx": lambda row: row.leading_token_id,
    "leading_score": lambda row: row.leading_probability,
    "masked_score": lambda row: row.masked_probability,
    "allowed_mass": lambda row: row.allowed_mass,
    "allowed_tokens": lambda row: row.allowed_tokens,
    "is_forced": lambda row: row.is_forced,
    "model_seconds": lambda row: row.model_seconds,
    "mask_seconds": lambda row: row.mask_seconds,
    "sampler_seconds": lambda row: row.sampler_seconds,
}


def _line(row: Row) -> list[Any]:
    return [read(row) for read in _COLUMNS.values()]


@dataclass
class Recorder:
    """Makes the rows of a trace while a text is written."""

    vocabulary: Vocabulary
    likeliest: int = 0
    rows: list[Row] = field(default_factory=list)
    _mask_seconds: float = 0.0
    _model_seconds: float = 0.0
    _at: float = 0.0

    def note_mask(self, since: float) -> None:
        """The mask is found; the model is asked next."""
        self._at = time.perf_counter()
        self._mask_seconds = self._at - since

    def note_answer(self) -> None:
        """The model has answered."""
        now = time.perf_counter()
        self._model_seconds, self._at = now - self._at, now

    def note_masking(self) -> None:
        """The mask is applied; the sampler chooses next."""
        now = time.perf_counter()
        self._mask_seconds, self._at = self._mask_seconds + now - self._at, now

    def chose(
        self, token_id: int, logits: NDArray[Any], scores: NDArray[Any], is_forced: bool, *, in_form: bool | None = None
    ) -> None:
        """A token is chosen: ``logits`` are the model's, ``scores`` have forbidden tokens at minus infinity.

        ``in_form`` is whether the leading token would be allowed without a budget.
        """
        sampler_seconds = time.perf_counter() - self._at
        allowed = np.isfinite(scores)
        row = compare_logits(
            self.vocabulary,
            token_id,
            logits,
            allowed,
            is_forced=is_forced,
            in_form=in_form,
            likeliest=self.likeliest,
        )
        self.rows.append(
            replace(
                row,
                model_seconds=self._model_seconds,
                mask_seconds=self._mask_seconds,
                sampler_seconds=sampler_seconds,
            )
        )

    def trace(self, text: str, *, is_json: bool, max_tokens: int | None = None) -> Trace:
        """The rows so far."""
        return Trace(tuple(self.rows), text, is_json, max_tokens)


def compare_logits(
    vocabulary: Vocabulary,
    token_id: int,
    logits: NDArray[Any],
    allowed: NDArray[np.bool_],
    *,
    is_forced: bool,
    in_form: bool | None = None,
    likeliest: int = 0,
) -> Row:
    """The row of a token by the model's logits before it, of shape ``(width,)``, and which tokens were allowed."""
    exact = np.asarray(logits, np.float64)
    weights = np.exp(exact - exact.max())
    probabilities = weights / weights.sum()
    leading, mass = int(np.argmax(exact)), float(probabilities[allowed].sum())
    probability = float(probabilities[token_id])
    return Row(
        token_id=token_id,
        token=_bytes(vocabulary, token_id),
        probability=probability,
        masked_probability=probability / mass if allowed[token_id] else 0.0,
        leading_token_id=leading,
        leading_token=_bytes(vocabulary, leading),
        leading_probability=float(probabilities[leading]),
        leading_allowed=bool(allowed[leading]),
        leading_in_form=bool(allowed[leading]) if in_form is None else in_form,
        allowed_mass=mass,
        allowed_tokens=int(allowed.sum()),
        is_forced=is_forced,
        is_allowed=bool(allowed[token_id]),
        likeliest=_likeliest(vocabulary, probabilities, allowed, likeliest) if likeliest else (),
    )


def _likeliest(
    vocabulary: Vocabulary, probabilities: NDArray[np.float64], allowed: NDArray[np.bool_], count: int
) -> tuple[Likely, ...]:
    """The likeliest tokens and the likeliest allowed ones, the best first."""
    found = {*_best(probabilities, count)}
    found |= {int(ids) for ids in np.flatnonzero(allowed)[_best(probabilities[allowed], count)]}
    order = sorted(found, key=lambda token_id: (-probabilities[token_id], token_id))
    return tuple(
        Likely(token_id, _bytes(vocabulary, token_id), float(probabilities[token_id]), bool(allowed[token_id]))
        for token_id in order
    )


def _best(numbers: NDArray[np.float64], count: int) -> list[int]:
    """Where the largest numbers are."""
    if count < len(numbers):
        found: list[int] = np.argpartition(-numbers, count)[:count].tolist()
        return found
    return list(range(len(numbers)))


def retrace(
    matcher: Matcher, token_ids: Sequence[int], logits: Sequence[NDArray[Any]], *, max_tokens: int | None = None
) -> Trace:
    """The trace of a text that is written already.

    Args:
        matcher: At the start of the text; it is led along.
        token_ids: What was written; an end of text may be the last.
        logits: The model's logits before each token, and perhaps after the last: then the end has a row.
        max_tokens: The budget of the text, if it had one.

    The trace ends with the first token that the form does not allow.
    """
    vocabulary = matcher.constraint.vocabulary
    mask, rows = allocate_bitmask(1, vocabulary), []
    ends = vocabulary.eos_token_ids
    written = [*token_ids, *ends[:1]] if len(logits) > len(token_ids) else list(token_ids)
    for index, (token_id, row) in enumerate(zip(written, logits, strict=False)):
        left = None if max_tokens is None else max_tokens - index
        matcher.fill_bitmask(mask, 0, budget=left)
        scores = np.array(row, np.float64)
        apply_bitmask(scores, mask)
        allowed = np.isfinite(scores)
        if index == len(token_ids):  # the end: the likeliest one
            token_id = int(max(ends, key=lambda end: scores[end]))
        matcher.fill_bitmask(mask, 0)
        in_form = np.argmax(row) in allowed_tokens(mask)
        forced = bool(allowed[token_id]) and (int(allowed.sum()) == 1 or not np.delete(allowed, ends).any())
        rows.append(compare_logits(vocabulary, token_id, row, allowed, is_forced=forced, in_form=in_form))
        if not allowed[token_id]:
            break
        matcher.accept_token(token_id)
        if matcher.is_finished:
            break
    text = spell_text(matcher.accepted_bytes)
    return Trace(tuple(rows), text, matcher.constraint.form.language.is_json, max_tokens)


def _bytes(vocabulary: Vocabulary, token_id: int) -> bytes:
    return vocabulary.token(token_id) if token_id < len(vocabulary) else b""


def show_token(token: bytes) -> str:
    """A token as text; incomplete characters as escapes."""
    return token.decode("utf-8", "backslashreplace")
