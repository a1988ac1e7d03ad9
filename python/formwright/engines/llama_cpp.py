"""Forms in llama-cpp-python's own ``create_completion`` and ``create_chat_completion``.

::

    model = fw.from_llama_cpp(llama)
    with model.logits_processor({"type": "integer"}, max_tokens=8) as processor:
        llama.create_completion(prompt, max_tokens=8, logits_processor=processor)

Cost: a copy of the ids and of the scores, one token forward and one mask.

Llama.cpp calls back through C, where an exception is printed and forgotten, and the token is drawn as if
nothing had been asked. So nothing is raised there, Ctrl-C neither: the text is ended instead, and leaving the block
raises what went wrong. A token that comes although it was forbidden is such an error. Two more ways to lose a form are
closed: ``logit_bias=`` puts ``None`` in the place of a plain list of processors, while this list takes the bias in; and
with a draft model, the ids at hand hold guesses that nobody has accepted yet.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from formwright._hosts import import_host
from formwright._kernel import Constraint, RowBuffer, copy_allowed
from formwright.errors import ArgumentError, DeadEnd, HostMismatch, VocabularyError
from formwright.generation.rows import Rows
from formwright.generation.writing import Limits, start_matcher

with import_host("llama_cpp"):
    from llama_cpp import LogitsProcessorList

__all__ = ["FormProcessors"]

Floats = NDArray[np.float32]


class FormProcessors(LogitsProcessorList):  # type: ignore[misc]  # llama_cpp is not typed for us
    """A list of logits processors, the last of which keeps to a form: what ``logits_processor=`` takes.

    A context manager: leaving it raises what could not be raised inside llama.cpp. One serves several completions,
    one after the other; call `reset` between them with a draft model, and where a prompt equals all of an earlier
    text that was cut, which it would otherwise continue. A block begins with a reset.

    Args:
        llama: The ``Llama`` whose completions it serves.
        constraint: The form, compiled for the model's vocabulary.
        max_tokens: The ``max_tokens`` of the call: texts are then complete within it. ``None`` lets the call cut them.

    Attributes:
        error: What went wrong in the text that was ended for it, or ``None``.

    Raises:
        LimitExceeded: ``max_tokens`` is too small for any text.
    """

    def __init__(self, llama: Any, constraint: Constraint[Any], *, max_tokens: int | None = None) -> None:
        super().__init__([self._keep])
        self.error: BaseException | None = None
        self._llama = llama
        self._known: NDArray[np.intc] | None = None
        """The ids that were there to stay at the last call."""
        if max_tokens is not None:
            start_matcher(constraint, [0], Limits(max_tokens=max_tokens))
        self._rows = Rows([constraint], max_tokens=max_tokens)
        self._mask = RowBuffer(np.empty((1, constraint.vocabulary.mask_words), np.int32))
        self._scores = np.empty((2, 1, constraint.vocabulary.logits_size), np.float32)

    def extend(self, others: Any) -> Self:
        """A list with other processors before the form's, as ``logit_bias=`` wants it; this one stays as it is."""
        both = type(self).__new__(type(self))
        both.__dict__ = self.__dict__  # so that an error is told wherever it is asked for
        LogitsProcessorList.__init__(both, [*others, *self])
        return both

    def reset(self) -> None:
        """Forget all texts: the next one begins after a prompt."""
        self._rows.reset()
        self.error = self._known = None

    def __enter__(self) -> Self:
        self.reset()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if value is None and self.error is not None:
            raise self.error

    def _keep(self, input_ids: NDArray[np.intc], scores: Floats) -> Floats:
        """The scores, forbidden tokens at minus infinity; only an end of text where something goes wrong."""
        try:
            return self._mask_scores(input_ids, scores)
        except BaseException as error:  # it would be forgotten on the way through C
            self.error = error
            ended = np.full_like(scores, -np.inf)
            ended[[token for token in self._rows.vocabulary.eos_token_ids if token < len(ended)]] = 0.0
            return ended

    def _mask_scores(self, input_ids: NDArray[np.intc], scores: Floats) -> Floats:
        size = self._rows.vocabulary.logits_size
        if len(scores) != size:
            raise VocabularyError(f"the model has {len(scores)} logits, and the form was compiled for {size} tokens")
        ids = self._find_kept_ids(input_ids)
        running = self._rows.fill(ids[None], self._mask)
        if not running[0] and ids[-1] not in self._rows.vocabulary.eos_token_ids:
            raise HostMismatch(f"token {ids[-1]} was written, which the form forbade", host="llama-cpp-python")
        given, allowed = self._scores
        given[0] = scores
        if any(running[row] for row in copy_allowed(given, self._mask, allowed)):
            raise DeadEnd("another logits processor has forbidden every token that the form allows here")
        kept: Floats = allowed[0]  # the host copies it before it calls again
        return kept

    def _find_kept_ids(self, input_ids: NDArray[np.intc]) -> NDArray[np.intc]:
        """The ids that are there to stay: of a text under way, one more than the last time."""
        if input_ids.base is not self._llama.input_ids:
            raise HostMismatch("the processor was made for another Llama", host="llama-cpp-python")
        known, drafts = self._known, self._llama.draft_model is not None
        goes_on = known is not None and len(input_ids) > len(known) and np.array_equal(input_ids[: len(known)], known)
        if drafts and known is not None and not goes_on:
            raise ArgumentError(
                "with a draft model, one processor serves one text",
                hint="call reset() before the next completion, or make a block for each",
                argument="logits_processor",
            )
        if known is not None and not drafts and not (goes_on and len(input_ids) == len(known) + 1):
            self._rows.reset()  # a prompt, though it may be what a former text was at some time
            known = None
        self._known = input_ids[: None if known is None else len(known) + 1].copy()
        return self._known
