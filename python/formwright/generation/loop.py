"""One text, token by token: a stream that asks the model when there is a choice.

::

    with Stream(runtime, constraint, prompt_ids, max_tokens=64, sampler=Sampler()) as stream:
        for piece in stream:
            print(piece.text, end="")
    stream.result.value

Each turn asks the matcher which tokens keep the conforming text *and* let it finish
within the tokens that are left, asks the model which of them it wants, and yields
the choice; see `formwright.generation.writing`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Constraint
from formwright.errors import StreamUnfinished
from formwright.generation.asynchronous import Steps
from formwright.generation.held_text import Piece
from formwright.generation.result import Usage
from formwright.generation.sampler import Sampler
from formwright.generation.spans import Generation, span_of_generation
from formwright.generation.trace.recorder import Trace
from formwright.generation.writing import Limits, Writing
from formwright.incremental import Partial

__all__ = ["Piece", "Runtime", "Stream", "generate", "write_text"]

R_co = TypeVar("R_co", covariant=True)


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


class Stream(Steps[Piece], Generic[R_co]):
    """A generation, token by token: iterate over it, then ask for `result`.

    A context manager: leaving the block ends the generation, wherever it is. ``async with`` and ``async for`` do the
    same in an event loop, each step in a thread.

    Args:
        runtime: The model, which has seen nothing of the prompt yet.
        constraint: The form, compiled for the model's vocabulary.
        prompt_ids: The prompt; at least one token.
        max_tokens: Tokens at most, the end of text not counted.
        sampler: Chooses among the allowed tokens.
        finish: Whether to steer towards an end within ``max_tokens``; if not, the text may be cut there.
        stop: Texts before which to cut.
        cancel: Asked before every token; true cuts the text.
        is_context: Whether ``max_tokens`` is what the context of the model leaves, for messages.
        prefix: What the text begins with that belongs to the prompt, if the prompt ended inside a word.
        trace: Whether to ask the model for every token and keep what it says.

    Raises:
        LimitExceeded: ``max_tokens`` is less than the shortest known text needs.
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
        is_context: bool = False,
        prefix: str = "",
        trace: bool = False,
    ) -> None:
        limits = Limits(max_tokens=max_tokens, finish=finish, stop=stop, cancel=cancel, is_context=is_context)
        self._writing = Writing(constraint, prompt_ids, limits, sampler, prefix=prefix, trace=trace)
        self._pieces = _pieces(runtime, self._writing)

    @classmethod
    def of(cls, runtime: Runtime, writing: Writing, generation: Generation | None = None) -> Self:
        """The stream of a text that has not begun; its span begins with it, if there is to be one."""
        stream = cls.__new__(cls)
        pieces = _pieces(runtime, writing)
        stream._writing = writing
        stream._pieces = pieces if generation is None else _pieces_in_span(pieces, writing, generation)
        return stream

    def __next__(self) -> Piece:
        return next(self._pieces)

    def __repr__(self) -> str:
        state = "finished" if self._writing.is_over else "unfinished"
        form = self._writing.matcher.constraint.form
        return f"Stream({form!r}, {len(self._writing.token_ids)} tokens, {state})"

    def close(self) -> None:
        """End the generation where it is."""
        self._pieces.close()

    @property
    def partial(self) -> Partial:
        """The value as far as it is written."""
        return self._writing.partial

    @property
    def trace(self) -> Trace | None:
        """What the form has done to the model so far, with ``trace=True``; also of a stream that was left early."""
        return self._writing.trace

    @property
    def result(self) -> R_co:
        """What was written, once the loop over the stream has ended.

        Raises:
            StreamUnfinished: It has not.
        """
        if not self._writing.is_over:
            raise StreamUnfinished(
                "the stream has no result: it was not read to its end",
                hint="read `result` after the loop over the stream; to stop early and keep the text, pass cancel=",
            )
        result: R_co = self._writing.result
        return result


def _pieces(runtime: Runtime, writing: Writing) -> Generator[Piece, None, None]:
    """Write a text and yield its pieces; the model is asked only where there is a choice."""
    yield from writing.write_forced()
    while not writing.is_over:
        yield from writing.choose(_ask(runtime, writing))
        yield from writing.write_forced()


def _ask(runtime: Runtime, writing: Writing) -> NDArray[np.float32]:
    """The logits after what the model has not seen."""
    unseen = writing.take_unseen()
    return runtime.step(unseen[0]) if len(unseen) == 1 else runtime.prefill(unseen)


def _pieces_in_span(
    pieces: Generator[Piece, None, None], writing: Writing, generation: Generation
) -> Generator[Piece, None, None]:
    """The same pieces, inside a span, which tells the tokens of a text that is left early too."""
    with span_of_generation(generation) as span:
        try:
            yield from pieces
        finally:
            span.record_usage(Usage(writing.prompt_tokens, len(writing.token_ids)))
            span.record_forced(writing.forced_tokens)
        span.record_ends([writing.result])


def generate(runtime: Runtime, constraint: Constraint[Any], prompt_ids: Sequence[int], **options: Any) -> Any:
    """Run a `Stream`, which describes the options, to its end and return its result."""
    stream = Stream[Any](runtime, constraint, prompt_ids, **options)
    write_text(runtime, stream._writing)
    return stream.result


def write_text(runtime: Runtime, writing: Writing, first: NDArray[np.float32] | None = None) -> None:
    """Write a whole text, for a caller that wants its result and no pieces.

    Args:
        runtime: The model.
        writing: The text.
        first: The logits after the prompt, for a model that has seen all of it.
    """
    writing.advance()
    if first is not None and not writing.is_over and not writing.has_unseen:
        writing.advance(first)
    while not writing.is_over:
        writing.advance(_ask(runtime, writing))
