"""The decode loop: one stream that every way of generating drives.

Each turn asks the matcher which tokens keep the text in form *and* let it finish
within the tokens that are left, asks the model which of them it wants, and yields
the choice::

    with Stream(runtime, constraint, prompt_ids, max_tokens=64, sampler=Sampler()) as stream:
        for piece in stream:
            print(piece.text, end="")
    stream.result.value

Two turns need no model. When only one token is allowed it is taken as it is, and runs
of such tokens are handed to the model together, when it is next asked. When only an
end of text is allowed the text is over.

Cost: beside the model, one mask and one masked choice for each token.

The wrinkle: ``max_tokens`` is a promise, not a knife. The mask at each turn admits only
tokens after which a complete text still fits, so a text is cut only if the caller allows
it (``finish=False``, ``stop``, ``cancel``). Asking for fewer tokens than the shortest text
has is an error.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, NoReturn, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Constraint, Matcher
from formwright.errors import ArgumentError, DeadEnd, LimitExceeded, PromptError, StreamUnfinished, VocabularyError
from formwright.generation.held import Held, Piece
from formwright.generation.result import Complete, Reason, Truncated
from formwright.generation.sampler import Sampler
from formwright.masks import Mask, allocate_bitmask, allowed_tokens, apply_bitmask

__all__ = ["MAX_TOKENS", "Piece", "Runtime", "Stream", "generate"]

R_co = TypeVar("R_co", covariant=True)

MAX_TOKENS = 512
"""Tokens at most, unless the caller says otherwise: in Python and on the command line."""

UNKNOWN = (1 << 29) - 1
"""What ``min_tokens_to_finish`` is where no completion is known: only for vocabularies that lack bytes."""


class Runtime(Protocol):
    """What the loop needs of a model: it remembers the tokens it was given.

    ``prefill`` and ``step`` append tokens and return the logits that follow the last of
    them, float32 of shape ``(width,)``.
    """

    def prefill(self, token_ids: Sequence[int], /) -> NDArray[np.float32]:
        """Append several tokens."""
        ...

    def step(self, token_id: int, /) -> NDArray[np.float32]:
        """Append one token."""
        ...


@dataclass(slots=True)
class _Run:
    """One generation under way."""

    runtime: Runtime
    matcher: Matcher
    mask: Mask
    pending: list[int]
    """Tokens the model has not seen yet."""
    token_ids: list[int] = field(default_factory=list)
    calls: int = 0
    forced: int = 0
    """Tokens written without asking the model."""
    forced_ids: deque[int] = field(default_factory=deque)
    """Canonical tokens that can only come next."""

    def logits(self) -> NDArray[np.float32]:
        """The model's logits after everything written so far."""
        alone = len(self.pending) == 1
        logits = self.runtime.step(self.pending[0]) if alone else self.runtime.prefill(self.pending)
        self.pending, self.calls = [], self.calls + 1
        return np.array(logits, dtype=np.float32)

    def choose(self, sampler: Sampler, ends: frozenset[int], budget: int | None) -> int | None:
        """The next token, or ``None`` at the end of the text."""
        self.matcher.fill_bitmask(self.mask, 0, budget=budget)
        allowed = allowed_tokens(self.mask[0])
        if len(allowed) <= len(ends) and ends.issuperset(allowed.tolist()):
            return None
        if (only := self.only(allowed)) is not None:
            self.forced += 1
            return only
        logits = self.logits()
        if logits.shape[-1] > 32 * self.mask.shape[-1]:  # more than padding: another model's vocabulary
            width = self.matcher.constraint.vocabulary.logits_size
            raise VocabularyError(
                f"the model's logits are {logits.shape[-1]} wide, but the vocabulary is made for {width}",
                hint="build the Vocabulary with logits_size equal to the width of the model's logits",
            )
        apply_bitmask(logits, self.mask)
        token_id = sampler(logits)
        return None if token_id in ends else token_id

    def only(self, allowed: NDArray[np.intp]) -> int | None:
        """The token that can only come next, if there is one, of those allowed."""
        if len(allowed) > 1 and self.matcher.constraint.canonical == "forced":
            if not self.forced_ids:
                self.forced_ids.extend(self.matcher.forced_token_ids())
            if self.forced_ids and self.forced_ids[0] in allowed:
                return self.forced_ids.popleft()
        self.forced_ids.clear()
        return int(allowed[0]) if len(allowed) == 1 else None

    def take(self, token_id: int) -> None:
        """Write a token."""
        self.matcher.accept_token(token_id)
        self.token_ids.append(token_id)
        self.pending.append(token_id)


class Stream(Generic[R_co]):
    """A generation, token by token: iterate over it, then ask for `result`.

    A context manager: leaving the block ends the generation, wherever it is.

    Args:
        runtime: The model, which has seen nothing of the prompt yet.
        constraint: The form, compiled for the model's vocabulary.
        prompt_ids: The prompt; at least one token.
        max_tokens: Tokens at most, the end of text not counted.
        sampler: Chooses among the allowed tokens.
        finish: Whether to steer towards an end within ``max_tokens``; if not, the text may be cut there.
        stop: Texts before which to cut.
        cancel: Asked before every token; true cuts the text.
        context: Whether ``max_tokens`` is what the context of the model leaves, for messages.
        prefix: What the text begins with that belongs to the prompt, see `formwright.generation.healing`.

    Raises:
        LimitExceeded: ``max_tokens`` is less than the shortest text needs.
        PromptError: The prompt is empty.
        ArgumentError: ``max_tokens`` is negative, or ``stop`` holds something else than texts.
    """

    def __init__(
        self,
        runtime: Runtime,
        constraint: Constraint[Any],
        prompt_ids: Sequence[int],
        *,
        max_tokens: int,
        sampler: Sampler,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        context: bool = False,
        prefix: str = "",
    ) -> None:
        if cancel is not None and not callable(cancel):
            raise ArgumentError(f"cancel= is a function, not {cancel!r}", argument="cancel")
        self._started = time.perf_counter()
        self._prompt_tokens = len(prompt_ids)
        self._run = _start(runtime, constraint, prompt_ids, max_tokens, finish, context)
        self._pieces = self._write(max_tokens, sampler, finish, Held(stop, skip=len(prefix)), cancel)
        self._prefix = prefix
        self._result: R_co | None = None

    def __iter__(self) -> Iterator[Piece]:
        return self

    def __next__(self) -> Piece:
        return next(self._pieces)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "unfinished" if self._result is None else "finished"
        return f"Stream({self._run.matcher.constraint.form!r}, {len(self._run.token_ids)} tokens, {state})"

    def close(self) -> None:
        """End the generation where it is."""
        self._pieces.close()

    @property
    def result(self) -> R_co:
        """What was written, once the loop over the stream has ended.

        Raises:
            StreamUnfinished: It has not.
        """
        if self._result is None:
            raise StreamUnfinished(
                "the stream has no result: it was not read to its end",
                hint="read `result` after the loop over the stream; to stop early and keep the text, pass cancel=",
            )
        return self._result

    def _write(
        self,
        max_tokens: int,
        sampler: Sampler,
        finish: bool,
        held: Held,
        cancel: Callable[[], bool] | None,
    ) -> Generator[Piece, None, None]:
        """Choose tokens until the text is over, and keep the result."""
        run = self._run
        reason: Reason | None = None
        constraint = run.matcher.constraint
        vocabulary = constraint.vocabulary
        ends = frozenset(vocabulary.eos_token_ids)
        for left in range(max_tokens, 0, -1):
            if cancel is not None and cancel():
                reason = "cancel"
                break
            token_id = run.choose(sampler, ends, left if finish else None)
            if token_id is None:
                break
            run.take(token_id)
            yield from held.add(token_id, vocabulary.token(token_id))
            if held.is_stopped:
                reason = "stop"
                break
        else:
            reason = None if run.matcher.is_complete else "max_tokens"
        yield from held.rest()
        self._result = self._end(constraint, held.text, reason)

    def _end(self, constraint: Constraint[Any], text: str, reason: Reason | None) -> Any:
        written: dict[str, Any] = {
            "text": text,
            "token_ids": tuple(self._run.token_ids),
            "prompt_tokens": self._prompt_tokens,
            "model_calls": self._run.calls,
            "forced_tokens": self._run.forced,
            "seconds": time.perf_counter() - self._started,
        }
        whole = self._prefix + text
        if reason is None or (reason == "stop" and constraint.form.matches(whole)):
            return Complete(value=constraint.form.read(whole), **written)
        return Truncated(reason=reason, **written)


def _start(
    runtime: Runtime,
    constraint: Constraint[Any],
    prompt_ids: Sequence[int],
    max_tokens: int,
    finish: bool,
    context: bool,
) -> _Run:
    if not prompt_ids:
        raise PromptError("the prompt is empty: a model needs at least one token to go on from")
    if not isinstance(max_tokens, int | np.integer) or max_tokens < 0:
        raise ArgumentError(f"max_tokens must be an integer from 0 on, not {max_tokens!r}", argument="max_tokens")
    matcher = constraint.matcher(prompt_ids)
    if finish and matcher.min_tokens_to_finish > max_tokens:
        _refuse(matcher.min_tokens_to_finish, max_tokens, context)
    return _Run(runtime, matcher, allocate_bitmask(1, constraint.vocabulary), list(prompt_ids))


def _refuse(needed: int, allowed: int, context: bool) -> NoReturn:
    if needed >= UNKNOWN:
        raise DeadEnd(
            "no way was found to spell a complete text of this form with the tokens of this vocabulary",
            hint="give the vocabulary a token for every byte, or pass finish=False",
        )
    if context:
        raise LimitExceeded(
            f"the shortest text in this form needs {_tokens(needed)}, the prompt leaves {allowed} of the context",
            hint="shorten the prompt, or use a model with a longer context",
            limit="context",
            value=needed,
            allowed=allowed,
        )
    raise LimitExceeded(
        f"the shortest text in this form needs {_tokens(needed)}, max_tokens allows {allowed}",
        hint=f"pass max_tokens={needed} or more",
        limit="max_tokens",
        value=needed,
        allowed=allowed,
    )


def _tokens(count: int) -> str:
    return f"{count} token" if count == 1 else f"{count} tokens"


def generate(runtime: Runtime, constraint: Constraint[Any], prompt_ids: Sequence[int], **options: Any) -> Any:
    """Run a `Stream`, which describes the options, to its end and return its result."""
    with Stream[Any](runtime, constraint, prompt_ids, **options) as stream:
        for _ in stream:
            pass
    return stream.result
