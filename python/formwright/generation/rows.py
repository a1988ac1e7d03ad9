"""Which tokens may come next in the rows of a host's own loop.

A host calls with all rows at every token, and says nothing about them: rows are reordered, repeated, shortened
and extended, and a new run is not announced. So a row's state is found by its tokens::

    rows = Rows([constraint])
    rows.fill([[7, 8, 9]], mask)             # the first call: 7, 8, 9 is the prompt
    rows.fill([[7, 8, 9, token]], mask)      # its row goes on with a token

A row goes on if all of it but the last token was a row before; one that does not is a prompt. Several runs may take
turns.

Cost: where every row goes on by a token, one call of the kernel: a copy of the ids, and for each row one token forward
and one mask.

Hosts go on with rows that are over, and with forbidden tokens where nothing else was left. A row that
is over may only end again. So may one that holds a forbidden token: its score is minus infinity, and stays so.
A prompt that is a former row, or one and a token more, cannot be told from that row, and continues its
text: `reset` before it, or use new ones for each run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Constraint, KeptRows, Matcher, RowBuffer
from formwright.errors import ArgumentError, LimitExceeded, TokenRejected, VocabularyError
from formwright.generation.writing import Limits, follow_prompt, start_matcher
from formwright.masks.arrays import Mask, allow_only_ends

__all__ = ["Rows"]

Ids = NDArray[np.int64]

_KEPT = 64
"""Calls, and prompts of a form, that are kept."""

_MOST_ROWS = 4096
"""Rows of a form that are found at once; others are written again from their prompt."""


class _State(NamedTuple):
    """Where a row is: a matcher, or none if the row is over, and how many tokens it has written."""

    matcher: Matcher | None
    written: int

    def after(self, token_id: int) -> _State:
        """The state after one token more."""
        if self.matcher is None:
            return _State(None, self.written + 1)
        matcher = self.matcher.fork()
        try:
            matcher.accept_token(token_id)
        except (TokenRejected, VocabularyError):
            return _State(None, self.written + 1)
        return _State(None if matcher.is_finished else matcher, self.written + 1)


@dataclass(slots=True)
class _FormRows:
    """The rows of one form."""

    constraint: Constraint[Any]
    max_tokens: int | None
    seen: dict[bytes, _State] = field(default_factory=dict)
    """The bytes of a row to its state."""
    prompts: deque[Ids] = field(default_factory=lambda: deque(maxlen=_KEPT))

    def find(self, ids: Ids) -> _State | None:
        """The state of a row that was there before, or that goes on from one."""
        key = ids.tobytes()
        if (known := self.seen.get(key)) is not None:
            return known
        before = self.seen.get(ids[:-1].tobytes()) if len(ids) else None
        state = self._again(ids) if before is None else before.after(int(ids[-1]))
        if state is not None:
            self.keep(key, state)
        return state

    def begin(self, ids: Ids) -> _State:
        """The state of a prompt."""
        state = self.start(ids)
        self.prompts.append(ids.copy())  # a host may write on in the same memory
        self.keep(ids.tobytes(), state)
        return state

    def start(self, ids: Ids) -> _State:
        """The state after a prompt."""
        constraint = follow_prompt(self.constraint, ids.tolist())
        if self.max_tokens is None:
            return _State(constraint.matcher(ids.tolist()), 0)
        return _State(start_matcher(constraint, ids.tolist() or [0], Limits(max_tokens=self.max_tokens)), 0)

    def _again(self, ids: Ids) -> _State | None:
        """The state of a row that is not kept any more, written anew from its prompt."""
        for prompt in self.prompts:
            if len(ids) > len(prompt) and np.array_equal(ids[: len(prompt)], prompt):
                state = self.start(prompt)
                for token_id in ids[len(prompt) :].tolist():
                    state = state.after(token_id)
                if state.matcher is not None:
                    return state
        return None

    def keep(self, key: bytes, state: _State) -> None:
        """Let a row be found, and forget the oldest ones."""
        self.seen[key] = state
        while len(self.seen) > _MOST_ROWS:
            del self.seen[next(iter(self.seen))]

    def fill(self, state: _State, rows: RowBuffer, row: int) -> bool:
        """Write the mask of a row; false if it is over."""
        left = None if self.max_tokens is None else self.max_tokens - state.written
        if state.matcher is not None and (left is None or left >= 0):
            try:
                state.matcher.fill_bitmask(rows, row, budget=left)
            except LimitExceeded as error:
                if error.limit != "budget":  # time or memory, not a forbidden token that led away from the end
                    raise
            else:
                return True
        allow_only_ends(rows.mask[row], self.constraint.vocabulary)
        return False


class Rows:
    """The states of a host's rows.

    Args:
        constraints: One for all rows, or one for each prompt; a host that has several rows for a prompt has them side
            by side.
        max_tokens: How many tokens each text may have; ``None`` is not a budget.
    """

    def __init__(self, constraints: Sequence[Constraint[Any]], *, max_tokens: int | None = None) -> None:
        if not constraints:
            raise ArgumentError("there is no form: pass one for all rows, or one for each prompt", argument="form")
        if max_tokens is not None:
            Limits(max_tokens=max_tokens)
        self.vocabulary = constraints[0].vocabulary
        self._constraints, self._max_tokens = list(constraints), max_tokens
        self._lock = Lock()
        self.reset()

    def reset(self) -> None:
        """Forget all rows: the next ones are prompts."""
        self._texts = [_FormRows(constraint, self._max_tokens) for constraint in self._constraints]
        self._recent: deque[KeptRows] = deque(maxlen=_KEPT)

    def fill(self, rows: Any, mask: Mask | RowBuffer) -> list[bool]:
        """Write the mask of each row.

        Args:
            rows: The token ids, prompt included, of shape ``(rows, length)``.
            mask: int32, of shape ``(rows, words)``.

        Returns:
            For each row whether it still goes on.

        Raises:
            ArgumentError: There is not one form for each prompt.
            LimitExceeded: ``max_tokens`` is too small for any text.
        """
        with self._lock:
            return self._fill(np.ascontiguousarray(rows, np.int64), mask)

    def _fill(self, ids: Ids, mask: Mask | RowBuffer) -> list[bool]:
        if self._recent and (grown := self._recent[-1].extend(ids, mask, self._max_tokens)) is not None:
            kept, running = grown
            self._recent.append(kept)
            return running
        texts = self._assign_rows(len(ids))
        states = self._find(texts, ids)
        self._recent.append(KeptRows(self.vocabulary, ids, states))
        buffer = mask if isinstance(mask, RowBuffer) else RowBuffer(mask)
        return [text.fill(state, buffer, row) for row, (text, state) in enumerate(zip(texts, states, strict=True))]

    def fill_one(self, prompt: int, ids: Any, mask: Mask | RowBuffer) -> bool:
        """Write the mask of one row of a prompt, as row 0; see `fill`."""
        if prompt >= len(self._texts) > 1:
            raise self._missing(prompt + 1)
        row, text = np.ascontiguousarray(ids, np.int64), self._texts[min(prompt, len(self._texts) - 1)]
        with self._lock:
            state = text.find(row) or text.begin(row)
            return text.fill(state, mask if isinstance(mask, RowBuffer) else RowBuffer(mask), 0)

    def _find(self, texts: list[_FormRows], ids: Ids) -> list[_State]:
        """The states of rows that do not all go on from the row in their place."""
        for kept in self._recent:
            for text, key, state in zip(self._assign_rows(len(kept)), kept.keys(), kept.states(), strict=True):
                text.keep(key, _State(*state))
        self._recent.clear()
        found = [text.find(row) for text, row in zip(texts, ids, strict=True)]
        if all(state is None for state in found):
            self._check_prompts(texts, ids)
        return [state or text.find(row) or text.begin(row) for state, text, row in zip(found, texts, ids, strict=True)]

    def _assign_rows(self, count: int) -> list[_FormRows]:
        """The texts that each row belongs to."""
        each, rest = divmod(count, len(self._texts))
        if rest:
            raise self._missing(count)
        return [self._texts[row // each] for row in range(count)]

    def _check_prompts(self, texts: list[_FormRows], ids: Ids) -> None:
        """Refuse different prompts for one of several forms."""
        prompts = {id(text): row for text, row in zip(texts, ids, strict=True)}
        for text, row in zip(texts, ids, strict=True):
            if len(self._texts) > 1 and not np.array_equal(prompts[id(text)], row):
                raise self._missing(len({row.tobytes() for row in ids}))

    def _missing(self, prompts: int) -> ArgumentError:
        forms = len(self._texts)
        return ArgumentError(
            f"there are {forms} forms, but {prompts} rows to be written",
            hint="pass one form for all, or a list with one for each prompt",
            argument="form",
        )
