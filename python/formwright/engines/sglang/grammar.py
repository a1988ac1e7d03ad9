"""The text of a request of SGLang, within the tokens that the request may have.

::

    grammar.follow_request(request)             # `budgets` does, when SGLang hands the grammar over
    grammar.fill_vocab_mask(mask, 0)            # raises HostMismatch if nobody did
    grammar.copy().fill_vocab_mask(mask, 0)     # a copy is nobody's: raises HostMismatch

Cost: that of the kernel, and the count of a request's tokens; the rows of a batch are filled together, without the
interpreter lock.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from formwright._hosts import HOSTS, import_host
from formwright._kernel import fill_bitmasks
from formwright.engines.grammar_backend import RunningText
from formwright.errors import HostMismatch
from formwright.masks.arrays import apply_bitmask

with import_host("sglang"):
    import torch
    from sglang.srt.constrained.base_grammar_backend import BaseGrammarObject, GrammarRow
    from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarObject
    from sglang.srt.constrained.torch_ops.token_filter_torch_ops import set_token_filter_torch

if TYPE_CHECKING:
    from sglang.srt.managers.schedule_batch import Req

__all__ = ["FormwrightGrammar", "Masks", "has_thought", "is_thinking"]


def has_thought(grammar: ReasonerGrammarObject) -> bool:
    """Whether a thought comes before the text. Where the form describes the thought, too, it is part of the text."""
    return bool(grammar.tokens_in_think >= 0) and not grammar.reasoning_in_grammar


def is_thinking(grammar: BaseGrammarObject) -> bool:
    """Whether a thought before the text has not ended yet."""
    return isinstance(grammar, ReasonerGrammarObject) and has_thought(grammar) and grammar.tokens_after_end < 0


class Masks:
    """How masks are laid out, moved and applied: SGLang asks texts, and wrappers of the back end ask that."""

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> torch.Tensor:
        """Rows that allow everything, in host memory."""
        words = -(-vocab_size // 32)
        return torch.full((batch_size, words), -1, dtype=torch.int32, pin_memory=torch.cuda.is_available())

    @staticmethod
    def reset_vocab_mask(vocab_mask: torch.Tensor) -> None:
        """Let all rows allow everything."""
        vocab_mask.fill_(-1)

    @staticmethod
    def move_vocab_mask(vocab_mask: torch.Tensor, device: Any) -> torch.Tensor:
        """The mask on a device, without waiting."""
        return vocab_mask.to(device, non_blocking=True)

    @staticmethod
    def apply_vocab_mask(logits: torch.Tensor, vocab_mask: torch.Tensor) -> None:
        """Set forbidden tokens to minus infinity, in place and without waiting."""
        apply_bitmask(logits, vocab_mask)

    @staticmethod
    def set_token_filter(
        vocab_mask: torch.Tensor,
        token_ids: list[int],
        batch_idx: int,
        is_allowed: bool = True,
        reset_vocab_mask: bool = True,
    ) -> None:
        """Allow these tokens in a row and no others, or forbid these; without ``reset_vocab_mask``, the others stay."""
        set_token_filter_torch(vocab_mask, token_ids, batch_idx, is_allowed, reset_vocab_mask)


class FormwrightGrammar(Masks, BaseGrammarObject):  # type: ignore[misc]  # sglang is not typed for us
    """A text of one request.

    Args:
        running: The text, at its start.
        has_drafts: Whether the engine speculates: tokens may then be accepted before the request has them.
    """

    def __init__(self, running: RunningText, *, has_drafts: bool) -> None:
        super().__init__()
        self._running, self._has_drafts = running, has_drafts
        self._accepted = 0
        """Tokens of the text so far, an end of text among them."""
        self._request: weakref.ref[Req] | None = None
        self._thought: weakref.ref[ReasonerGrammarObject] | None = None
        self._mismatch: HostMismatch | None = None

    @property
    def running(self) -> RunningText:
        """The text under way."""
        return self._running

    def copy(self) -> Self:
        """The same form, at the start of another text, of no request yet."""
        return type(self)(RunningText(self._running.constraint), has_drafts=self._has_drafts)

    def follow_request(self, request: Req) -> None:
        """Take note of whose text this is; the request is not kept alive."""
        self._request, outer = weakref.ref(request), request.grammar
        has_one = isinstance(outer, ReasonerGrammarObject) and has_thought(outer)
        self._thought = weakref.ref(outer) if has_one else None

    def find_left(self) -> int | None:
        """How many tokens may still come, an end of text not counted: negative if only an end may come, ``None`` if no
        text is short enough, so that none can be whole.

        Raises:
            HostMismatch: Nobody said whose text this is.
        """
        request = None if self._request is None else self._request()
        if request is None:
            raise HostMismatch(
                "a text in SGLang was asked for a mask before anyone said whose it is",
                hint="the log of SGLang says why the hooks of formwright could not be set",
                host=HOSTS["sglang"].name,
                version=HOSTS["sglang"].version(),
            )
        before, written = self._count_before(), len(request.output_ids)
        counted = before + self._accepted
        if written > counted or (written < counted and not self._has_drafts):
            self._mismatch = HostMismatch(
                f"SGLang counts {written} tokens of a request, and formwright {counted}", host=HOSTS["sglang"].name
            )
            return -1
        limit = self._running.find_limit(request.sampling_params.max_new_tokens - before)
        return None if limit is None else limit - self._accepted

    def _count_before(self) -> int:
        """How many tokens came before the text: those of a thought, and those that ended it."""
        thought = None if self._thought is None else self._thought()
        return 0 if thought is None else thought.tokens_in_think + len(thought.think_end_ids)

    def accept_token(self, token: int) -> None:
        """Go on by a token. Raises ValueError, by which SGLang ends the request, where it could not come, or where
        SGLang counts other tokens than this text.
        """
        if self._mismatch is not None:
            raise ValueError(str(self._mismatch)) from self._mismatch
        if self._running.is_finished or not self._running.accept([token]):
            raise ValueError(f"token {token} cannot come here: the host does not keep to the mask, or ignores an end")
        self._accepted += 1
        self.current_token = token

    def rollback(self, k: int) -> None:
        """Take tokens back."""
        self._running.rollback(k)
        self._accepted -= k

    def is_terminated(self) -> bool:
        """Whether an end of text was accepted."""
        return self._running.is_finished

    def find_forced(self, most: int) -> list[int]:
        """The tokens of the text that can only come next, at most so many, and no more than may still come."""
        left = self.find_left()
        most = most if left is None else min(most, left)
        if most <= 0 or self.is_terminated():
            return []
        return self._running.matcher.forced_token_ids()[:most]

    def fill_vocab_mask(self, vocab_mask: torch.Tensor, idx: int) -> None:
        """Write what may come next into a row. Raises HostMismatch, as `find_left`."""
        self._running.fill(vocab_mask.numpy(), idx, budget=self.find_left())

    @staticmethod
    def fill_vocab_mask_batched(entries: Sequence[GrammarRow], vocab_mask: torch.Tensor) -> None:
        """Write the rows of several texts; the others stay as they are. Raises HostMismatch, as `find_left`."""
        if all(type(entry.grammar) is FormwrightGrammar for entry in entries):
            budgets = [entry.grammar.find_left() for entry in entries]
            if all(budget is None or budget >= 0 for budget in budgets):
                rows, matchers = [entry.row for entry in entries], [entry.grammar.running.matcher for entry in entries]
                fill_bitmasks(matchers, vocab_mask.numpy(), rows=rows, budgets=budgets)
                return
        BaseGrammarObject.fill_vocab_mask_batched(list(entries), vocab_mask)
