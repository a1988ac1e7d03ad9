"""The decode loop: one generator that every way of generating drives.

Each turn asks the matcher which tokens keep the text in form *and* let it finish
within the tokens that are left, asks the model which of them it wants, and yields
the choice::

    for piece in stream(runtime, constraint, prompt_ids, max_tokens=64, sampler=Sampler()):
        print(piece.text, end="")

Two turns need no model. When only one token is allowed it is taken as it is, and runs
of such tokens are handed to the model together, when it is next asked. When only an
end of text is allowed the text is over.

Cost: beside the model, one mask and one masked choice for each token.

The wrinkle: ``max_tokens`` is a promise, not a knife. The mask at each turn admits only
tokens after which a complete text still fits, so a text is cut only if the caller says
``finish=False`` or stops it. Asking for fewer tokens than the shortest text has is an error.
"""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Constraint, Matcher
from formwright.errors import LimitExceeded, VocabularyError
from formwright.generation.result import Complete, Reason, Result, Truncated
from formwright.generation.sampler import Sampler
from formwright.masks import Mask, allocate_bitmask, allowed_tokens, apply_bitmask

__all__ = ["Piece", "Runtime", "generate", "stream"]


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


@dataclass(frozen=True, slots=True)
class Piece:
    """One token as it is chosen, and the characters that it completes."""

    token: int
    text: str


@dataclass(slots=True)
class _Run:
    """One generation under way."""

    runtime: Runtime
    matcher: Matcher
    mask: Mask
    pending: list[int]
    """Tokens the model has not seen yet."""
    tokens: list[int] = field(default_factory=list)
    calls: int = 0

    def logits(self) -> NDArray[np.float32]:
        """The model's logits after everything written so far."""
        feed = self.runtime.step if len(self.pending) == 1 else self.runtime.prefill
        logits = feed(self.pending[0] if len(self.pending) == 1 else self.pending)  # type: ignore[arg-type]
        self.pending, self.calls = [], self.calls + 1
        return np.array(logits, dtype=np.float32)

    def choose(self, sampler: Sampler, ends: frozenset[int], budget: int | None) -> int | None:
        """The next token, or ``None`` at the end of the text."""
        self.matcher.fill_bitmask(self.mask, 0, budget=budget)
        allowed = allowed_tokens(self.mask[0])
        if len(allowed) <= len(ends) and ends.issuperset(allowed.tolist()):
            return None
        if len(allowed) == 1:
            return int(allowed[0])
        logits = self.logits()
        if logits.shape[-1] > 32 * self.mask.shape[-1]:  # more than padding: another model's vocabulary
            width = self.matcher.constraint.vocabulary.logits_size
            raise VocabularyError(
                f"the model's logits are {logits.shape[-1]} wide, but the vocabulary is made for {width}",
                hint="build the Vocabulary with logits_size equal to the width of the model's logits",
            )
        apply_bitmask(logits, self.mask)
        token = sampler(logits)
        return None if token in ends else token

    def take(self, token: int) -> None:
        """Write ``token``."""
        self.matcher.accept_token(token)
        self.tokens.append(token)
        self.pending.append(token)


def stream(
    runtime: Runtime,
    constraint: Constraint,
    prompt_ids: Sequence[int],
    *,
    max_tokens: int,
    sampler: Sampler,
    finish: bool = True,
    stop: Callable[[], bool] | None = None,
    parse: Callable[[str], Any] = str,
) -> Generator[Piece, None, Result[Any]]:
    """Yield each token as it is chosen; the generator's return value is the `Result`.

    Args:
        runtime: The model, which has seen nothing of the prompt yet.
        constraint: The form, compiled for the model's vocabulary.
        prompt_ids: The prompt; at least one token.
        max_tokens: Tokens at most, the end of text not counted.
        sampler: Chooses among the allowed tokens.
        finish: Whether to steer towards an end within ``max_tokens``; if not, the text may be cut there.
        stop: Asked before every token; true cuts the text.
        parse: Reads the value out of the complete text.

    Raises:
        LimitExceeded: ``max_tokens`` is less than the shortest text needs.
        ValueError: The prompt is empty, or ``max_tokens`` is negative.
    """
    started = time.perf_counter()
    run = _start(runtime, constraint, prompt_ids, max_tokens, finish)
    reason = yield from _write(run, max_tokens, sampler, finish, stop)
    written: dict[str, Any] = {
        "text": run.matcher.text.decode("utf-8", "replace" if reason else "strict"),
        "tokens": tuple(run.tokens),
        "prompt_tokens": len(prompt_ids),
        "model_calls": run.calls,
        "seconds": time.perf_counter() - started,
    }
    return Truncated(reason=reason, **written) if reason else Complete(value=parse(written["text"]), **written)


def _start(runtime: Runtime, constraint: Constraint, prompt_ids: Sequence[int], max_tokens: int, finish: bool) -> _Run:
    if not prompt_ids:
        raise ValueError("the prompt is empty: a model needs at least one token to go on from")
    if max_tokens < 0:
        raise ValueError(f"max_tokens must be 0 or more, not {max_tokens}")
    matcher = constraint.matcher()
    if finish and matcher.min_tokens_to_finish > max_tokens:
        _refuse(matcher.min_tokens_to_finish, max_tokens)
    return _Run(runtime, matcher, allocate_bitmask(1, constraint.vocabulary), list(prompt_ids))


def _refuse(needed: int, max_tokens: int) -> NoReturn:
    raise LimitExceeded(
        f"the shortest text in this form needs {needed} tokens, max_tokens allows {max_tokens}",
        hint=f"pass max_tokens={needed} or more",
        limit="max_tokens",
        value=needed,
        allowed=max_tokens,
    )


def _write(
    run: _Run, max_tokens: int, sampler: Sampler, finish: bool, stop: Callable[[], bool] | None
) -> Generator[Piece, None, Reason | None]:
    """Choose tokens until the text is over; the reason if it was cut."""
    ends = frozenset(run.matcher.constraint.vocabulary.eos_token_ids)
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    for left in range(max_tokens, 0, -1):
        if stop is not None and stop():
            return "stopped"
        token = run.choose(sampler, ends, left if finish else None)
        if token is None:
            return None
        run.take(token)
        yield Piece(token, decoder.decode(run.matcher.constraint.vocabulary.token(token)))
    return None if run.matcher.is_accepting else "max_tokens"


def generate(runtime: Runtime, constraint: Constraint, prompt_ids: Sequence[int], **options: Any) -> Result[Any]:
    """Run `stream`, which describes the options, to its end and return its `Result`."""
    return drain(stream(runtime, constraint, prompt_ids, **options))


def drain(pieces: Generator[Piece, None, Result[Any]], watch: Callable[[int], object] | None = None) -> Result[Any]:
    """The return value of a stream; ``watch`` is told the number of tokens so far."""
    count = 0
    while True:
        try:
            next(pieces)
        except StopIteration as end:
            result: Result[Any] = end.value
            return result
        count += 1
        if watch is not None:
            watch(count)
