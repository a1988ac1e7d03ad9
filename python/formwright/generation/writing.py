"""One text under way: what each turn of a decode loop does, whoever runs the model.

::

    writing = Writing(constraint, prompt_ids, Limits(max_tokens=64), Sampler())
    pieces = [*writing.write_forced()]                 # what can only come next
    while not writing.is_over:
        logits = runtime.prefill(writing.take_unseen())
        pieces += writing.choose(logits)
        pieces += writing.write_forced()
    writing.result

`Stream` is that loop for one text, `Engine` for many that share calls of the model: so a text is the
same alone and among others.

Two turns need no model. When only one token is allowed it is taken as it is, and runs
of such tokens are handed to the model together, when it is next asked. When only an
end of text is allowed the text is over.

Cost: beside the model, one mask and one choice for each token. A greedy token and the forced ones after it are one
call of the kernel by `Writing.advance`, which makes no pieces, and two otherwise; where somebody is asked after each
token (``stop``, ``cancel``, a trace), forced ones are taken one by one.

A text is complete within ``max_tokens``: the mask admits only tokens after which a complete
text still fits. A text is cut only if the caller allows it (``finish=False``, ``stop``,
``cancel``). It is an error to ask for fewer tokens than the shortest known text has.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Constraint, Matcher, RowBuffer, Vocabulary, apply_bitmask, first_allowed
from formwright.errors import ArgumentError, DeadEnd, LimitExceeded, PromptError, VocabularyError
from formwright.forms.context import current_context, validation_context
from formwright.forms.form import Form, drop_prefix
from formwright.forms.readers import found_parts
from formwright.generation.held_text import Held, Piece
from formwright.generation.result import Complete, Reason, Truncated
from formwright.generation.sampler import Sampler
from formwright.generation.trace.recorder import Recorder, Row, Trace
from formwright.incremental import Partial
from formwright.masks.arrays import allocate_bitmask
from formwright.receipts import Provenance

if TYPE_CHECKING:
    from formwright.generation.fields.evidence import Evidence

__all__ = [
    "MAX_TOKENS",
    "Limits",
    "Writing",
    "check_width",
    "complete",
    "follow_prompt",
    "mask_logits",
    "start_matcher",
]

T = TypeVar("T")

MAX_TOKENS = 512
"""Tokens at most, unless the caller says otherwise: in Python and on the command line."""

UNKNOWN = (1 << 29) - 1
"""What ``min_tokens_to_finish`` is where no completion is known: only for vocabularies that lack bytes."""

_LONGEST_MARKER = 64
"""Tokens at the end of a prompt in which a marker is looked for."""

MINUS_INFINITY = 0xFF80_0000
"""The bits of minus infinity in float32."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where a text ends, whatever its form says.

    Attributes:
        max_tokens: Tokens at most, the end of text not counted.
        finish: Whether to steer towards an end within ``max_tokens``; if not, the text may be cut there.
        stop: Texts before which to cut.
        cancel: Asked before every token; true cuts the text.
        is_context: Whether ``max_tokens`` is what the context of the model leaves, for messages.
        is_free: Whether a text so far ends in free text, where alone ``stop`` cuts; ``None``: it cuts everywhere.
    """

    max_tokens: int
    finish: bool = True
    stop: str | Sequence[str] | None = None
    cancel: Callable[[], bool] | None = None
    is_context: bool = False
    is_free: Callable[[str], bool] | None = None

    def __post_init__(self) -> None:
        if self.cancel is not None and not callable(self.cancel):
            raise ArgumentError(f"cancel: expected a function, got {self.cancel!r}", argument="cancel")
        if not isinstance(self.max_tokens, int | np.integer) or self.max_tokens < 0:
            message = f"max_tokens: expected an integer from 0 on, got {self.max_tokens!r}"
            raise ArgumentError(message, argument="max_tokens")


class Writing:
    """A conforming text, token by token.

    Args:
        constraint: The form, compiled for the model's vocabulary.
        prompt_ids: The prompt; at least one token.
        limits: Where the text ends.
        sampler: Chooses among the allowed tokens: a `Sampler`, or another function of masked logits.
        prefix: What the text begins with that belongs to the prompt, if the prompt ended inside a word.
        trace: Whether to ask the model for every token and keep what it says.
        unseen: The last tokens of the prompt, if the model has seen the others already.
        likeliest: How many of the likeliest tokens a trace keeps for each row.
        find_evidence: Makes what the fields of the text are measured by, of its tokens.

    Raises:
        LimitExceeded: ``max_tokens`` is less than the shortest known text needs.
        PromptError: The prompt is empty.
        ArgumentError: ``stop`` holds something else than texts.
    """

    def __init__(
        self,
        constraint: Constraint[Any],
        prompt_ids: Sequence[int],
        limits: Limits,
        sampler: Callable[[NDArray[np.float32]], int],
        *,
        prefix: str = "",
        trace: bool = False,
        unseen: Sequence[int] | None = None,
        likeliest: int = 0,
        find_evidence: Callable[[Sequence[int]], Evidence] | None = None,
    ) -> None:
        self.started, self._context = time.perf_counter(), current_context()
        self.matcher = start_matcher(constraint, prompt_ids, limits)
        self._limits, self._sampler, self._prefix = limits, sampler, prefix
        is_greedy = isinstance(sampler, Sampler) and sampler.temperature == 0
        self._takes_best = is_greedy and not trace
        self._vocabulary = constraint.vocabulary
        self.left, self._finish = int(limits.max_tokens), limits.finish
        self._ends = frozenset(constraint.vocabulary.eos_token_ids)
        self._controls = control_names(constraint)
        form = constraint.form
        form = drop_prefix(form) if prefix else form
        self._held = Held(limits.stop, skip=len(prefix), form=form, is_free=limits.is_free)
        is_asked = trace or limits.cancel is not None or bool(limits.stop)  # somebody, after each token
        self._takes_runs = not is_asked and constraint.canonical != "forced"
        self._rows = RowBuffer(allocate_bitmask(1, constraint.vocabulary))
        self._recorder = Recorder(constraint.vocabulary, likeliest) if trace else None
        self._unbounded = RowBuffer(allocate_bitmask(1, constraint.vocabulary)) if trace else None
        self.prompt_tokens = len(prompt_ids)
        self._provenance = Provenance(constraint, prompt_ids, self.left if self._finish else None)
        self._pending, self._calls = list(prompt_ids if unseen is None else unseen), 0
        self._forced, self._forced_ids = 0, deque[int]()
        self._only: int | None = None
        self._shape: tuple[int, ...] | None = None  # of logits that were found to be of this model
        self.token_ids: list[int] = []
        self._find_evidence = find_evidence
        self._result: Complete[Any] | Truncated | None = None

    @property
    def is_begun(self) -> bool:
        """Whether a token is written."""
        return bool(self.token_ids)

    @property
    def is_over(self) -> bool:
        """Whether the text is written, so that there is a result."""
        return self._result is not None

    @property
    def is_stopped(self) -> bool:
        """Whether a text of ``stop`` has ended it."""
        return self._held.is_stopped

    @property
    def result(self) -> Any:
        """What was written, or ``None`` while the text is not over."""
        return self._result

    @property
    def forced_tokens(self) -> int:
        """How many of the tokens so far were the only ones that were allowed."""
        return self._forced

    @property
    def partial(self) -> Partial:
        """The value as far as it is written."""
        return self._held.partial()

    @property
    def trace(self) -> Trace | None:
        """What the form did so far, if anybody keeps it; from the first token on, also where that spells the prompt."""
        if self._recorder is None:
            return None
        is_json = self.matcher.constraint.form.language.is_json
        whole = self._prefix + self._held.text
        return self._recorder.trace(whole, is_json=is_json, max_tokens=int(self._limits.max_tokens))

    @property
    def rows(self) -> list[Row]:
        """The rows of the trace so far; none if nobody keeps one."""
        return [] if self._recorder is None else self._recorder.rows

    @property
    def has_unseen(self) -> bool:
        """Whether there are tokens that the model has not seen."""
        return bool(self._pending)

    def take_unseen(self) -> list[int]:
        """Take the tokens that the model has not seen: the caller gives them to it."""
        pending, self._pending = self._pending, []
        self._calls += 1
        return pending

    def begin_with(self, token_ids: Sequence[int]) -> None:
        """Write tokens that were chosen elsewhere, before any other.

        Raises:
            LimitExceeded: No complete text that begins so fits in ``max_tokens``.
            TokenRejected: The form does not allow one of them.
        """
        for token_id in token_ids:
            self._take(token_id)
        if self._finish and self.matcher.min_tokens_to_finish > self.left:
            _refuse(self.matcher.min_tokens_to_finish, self.left, self._limits.is_context)

    def write_forced(self) -> list[Piece]:
        """Write what can only come next. Afterwards the text is over, or `choose` waits for logits."""
        if self._takes_runs:
            return self._write_run()
        pieces: list[Piece] = []
        while self._result is None:
            if (reason := self._cut()) is not None or self.left == 0:
                return pieces + self._end(reason)
            looked = time.perf_counter()
            self._only = self._look()
            if self._recorder is not None and self._unbounded is not None:
                self._recorder.note_mask(looked)
                self.matcher.fill_bitmask(self._unbounded, 0)
            if self._recorder is not None or self._only is None:
                return pieces
            if self._only in self._ends:
                return pieces + self._end(None)
            self._forced += 1
            pieces += self._take(self._only)
        return pieces

    def advance(self, logits: NDArray[np.floating] | None = None) -> None:
        """`choose` and `write_forced`, for a caller that wants no pieces; without logits, the latter alone."""
        if logits is not None and self._takes_best and self._takes_runs:
            taken, data, is_over = self._take_best(logits, forced=True)
            if taken:
                self.token_ids += taken
                self._pending += taken
                self._forced += len(taken) - 1
                self.left -= len(taken)
                self._held.add_run(data)
            if is_over:
                self._end(None)
            elif is_over is None:  # no token is left, or there is an error to raise
                self.write_forced()
            return
        if logits is not None:
            self.choose(logits)
        self.write_forced()

    def choose(self, logits: NDArray[np.floating]) -> list[Piece]:
        """Write the token that the sampler chooses by the model's logits, float32 of shape ``(width,)``."""
        if self._takes_best:
            taken, _, _ = self._take_best(logits, forced=False)
            return self._add(taken[0]) if taken else self._end(None)
        if self._recorder is not None:
            self._recorder.note_answer()
        token_id = self._sample(logits)
        if token_id in self._ends:
            return self._end(None)
        self._forced += self._only is not None
        return self._take(token_id)

    def _take_best(self, logits: NDArray[np.floating], *, forced: bool) -> tuple[list[int], bytes, bool | None]:
        """What a greedy `Sampler` makes of `mask_logits`, in one call; accepted, unless it is an end of text."""
        scores = np.ascontiguousarray(logits, np.float32)
        if scores.shape != self._shape:
            check_width(scores.shape[-1], self._vocabulary)
            self._shape = scores.shape
        return self.matcher.take(scores, self._rows, left=self.left, finish=self._finish, forced=forced)

    def _write_run(self) -> list[Piece]:
        """`write_forced`, where nobody is asked between two tokens: the kernel takes them in one call."""
        pieces: list[Piece] = []
        while self._result is None:
            if self.left == 0:
                return pieces + self._end(self._cut())
            taken, is_over = self.matcher.take_forced(self._rows, most=self.left, finish=self._finish)
            self._forced += len(taken)
            for token_id in taken:
                pieces += self._add(token_id)
            if is_over:
                return pieces + self._end(None)
            if is_over is False:
                break
        return pieces

    def _sample(self, logits: NDArray[np.floating]) -> int:
        """The token that the sampler chooses, or the only one; a trace keeps what the model said."""
        scores = mask_logits(logits, self._rows, self.matcher)
        if self._recorder is not None:
            self._recorder.note_masking()
        token_id = self._sampler(scores) if self._only is None else int(np.argmax(scores))
        if self._recorder is not None and self._unbounded is not None:
            in_form = _allows(self._unbounded.mask[0], int(np.argmax(logits)))
            self._recorder.chose(token_id, logits, scores, self._only is not None, in_form=in_form)
        return token_id

    def _cut(self) -> Reason | None:
        """Why the text ends here, if it is cut."""
        if self.left and self._limits.cancel is not None and self._limits.cancel():
            return "cancel"
        return None if self.left or self.matcher.is_complete else "max_tokens"

    def _look(self) -> int | None:
        """Fill the mask; the token that can only come next, if there is one, which may be an end of text."""
        self.matcher.fill_bitmask(self._rows, 0, budget=self.left if self._finish else None)
        few = first_allowed(self._rows, 0, most=len(self._ends) + 1)
        if self._ends.issuperset(few):
            return few[0]
        if len(few) > 1 and self.matcher.constraint.canonical == "forced":
            if not self._forced_ids:
                self._forced_ids.extend(self.matcher.forced_token_ids())
            if self._forced_ids and _allows(self._rows.mask[0], self._forced_ids[0]):
                return self._forced_ids.popleft()
        self._forced_ids.clear()
        return few[0] if len(few) == 1 else None

    def _take(self, token_id: int) -> list[Piece]:
        self.matcher.accept_token(token_id)
        return self._add(token_id)

    def _add(self, token_id: int) -> list[Piece]:
        """Note a token that the matcher has accepted."""
        self.token_ids.append(token_id)
        self._pending.append(token_id)
        self.left -= 1
        pieces = self._held.add(token_id, self._vocabulary.token(token_id) or self._controls.get(token_id, b""))
        return pieces + self._end("stop") if self._held.is_stopped else pieces

    def _end(self, reason: Reason | None) -> list[Piece]:
        pieces = self._held.rest()
        form, text = self.matcher.constraint.form, self._held.text
        whole = self._prefix + text
        written: dict[str, Any] = {
            "text": text,
            "token_ids": tuple(self.token_ids),
            "provenance": self._provenance,
            "prompt_tokens": self.prompt_tokens,
            "model_calls": self._calls,
            "forced_tokens": self._forced,
            "seconds": time.perf_counter() - self.started,
        }
        if self._recorder is not None:
            written["trace"] = self.trace
        if self._find_evidence is not None and reason is None:
            written["evidence"] = self._find_evidence(written["token_ids"])
        if reason is None:
            with validation_context(self._context):
                self._result = complete(form, self.matcher.accepted_bytes, **written)
            self._held.finish(self._result.value)
        elif reason == "stop" and form.matches(whole):
            value = form.parse(whole, context=self._context)
            self._result = Complete(value=value, parts=form.parts(whole), **written)
            self._held.finish(value)
        else:
            self._result = Truncated(reason=reason, **written)
        return pieces


def follow_prompt(constraint: Constraint[T], prompt_ids: Sequence[int]) -> Constraint[T]:
    """The constraint of what is left to write: the prompt may already end with the marker that the form begins with."""
    if constraint.form.after_prompt is None:
        return constraint
    vocabulary, names = constraint.vocabulary, {id_: name for name, id_ in constraint.vocabulary.special_tokens.items()}
    spelled = [vocabulary.token(id_) or names.get(id_, "").encode() for id_ in prompt_ids[-_LONGEST_MARKER:]]
    form = constraint.form.after_prompt(b"".join(spelled).decode("utf-8", "ignore"))
    return constraint if form is None else Constraint(form, vocabulary, canonical=constraint.canonical)


def complete(form: Form[Any], data: bytes, **written: Any) -> Complete[Any]:
    """The result of a text that a matcher has accepted whole."""
    return Complete(value=form.read_bytes(data), parts=tuple(found_parts(form, data)), **written)


def control_names(constraint: Constraint[Any]) -> dict[int, bytes]:
    """The control tokens that a form names: what stands for each in a text."""
    known = constraint.vocabulary.special_tokens
    return {known[name]: name.encode() for name in constraint.form.language.control_tokens if name in known}


def mask_logits(logits: NDArray[np.floating], rows: RowBuffer, matcher: Matcher) -> NDArray[np.float32]:
    """A copy of a row of logits, float32, forbidden tokens at minus infinity.

    Raises:
        VocabularyError: The row is not as wide as the vocabulary says.
    """
    scores = np.array(logits, np.float32)
    check_width(scores.shape[-1], matcher.constraint.vocabulary)
    apply_bitmask(scores.view(np.uint32), rows.mask, None, MINUS_INFINITY)
    return scores


def check_width(width: int, vocabulary: Vocabulary) -> None:
    """Refuse logits of another model. Raises VocabularyError."""
    if not 0 <= 32 * vocabulary.mask_words - width < 32:  # more than padding
        raise VocabularyError(
            f"the model's logits are {width} wide, but the vocabulary is made for {vocabulary.logits_size}",
            hint="build the Vocabulary with logits_size equal to the width of the model's logits",
        )


def _allows(words: NDArray[np.int32], token_id: int) -> bool:
    return bool(int(words[token_id >> 5]) >> (token_id & 31) & 1)


def start_matcher(constraint: Constraint[Any], prompt_ids: Sequence[int], limits: Limits) -> Matcher:
    """A matcher at the start of a text after a prompt, if a complete text fits.

    Raises:
        LimitExceeded: ``max_tokens`` is less than the shortest known text needs.
        PromptError: The prompt is empty.
        DeadEnd: No complete text can be spelled.
    """
    if not prompt_ids:
        raise PromptError("the prompt is empty: a model needs at least one token to go on from")
    matcher = constraint.matcher(prompt_ids)
    if limits.finish and matcher.min_tokens_to_finish > limits.max_tokens:
        _refuse(matcher.min_tokens_to_finish, limits.max_tokens, limits.is_context)
    return matcher


def _refuse(needed: int, allowed: int, context: bool) -> NoReturn:
    if needed >= UNKNOWN:
        raise DeadEnd(
            "no way was found to spell a complete text of this form with the tokens of this vocabulary",
            hint="give the vocabulary a token for every byte, or pass finish=False",
        )
    if context:
        raise LimitExceeded(
            f"the shortest known text of this form needs {_tokens(needed)}, the prompt leaves {allowed} of the context",
            hint="shorten the prompt, or use a model with a longer context",
            limit="context",
            value=needed,
            allowed=allowed,
        )
    raise LimitExceeded(
        f"the shortest known text of this form needs {_tokens(needed)}, max_tokens allows {allowed}",
        hint=f"pass max_tokens={needed} or more",
        limit="max_tokens",
        value=needed,
        allowed=allowed,
    )


def _tokens(count: int) -> str:
    return f"{count} token" if count == 1 else f"{count} tokens"
