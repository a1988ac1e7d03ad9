"""Texts of engines for the kit of `conformance`, by what an engine tells a constraint.

::

    class MyTexts(RowTexts):
        def make(self, constraint, limit): ...        # what constrains a text and its copies
        def ask(self, maker, rows): ...               # the masks of rows of token ids, the prompt included

An engine that draws by a mask refuses a token by not drawing it. `RowTexts` tell whole rows of ids, in any order and as
often as they like; `StepTexts` ask for each token once, and keep what they draw.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, ClassVar

import numpy as np
from conformance import Row, vocabulary_with

import formwright as fw

__all__ = ["PROMPT", "RowTexts", "StepTexts", "allows", "pack_scores"]

PROMPT = [65, 66, 67]


def allows(row: Row, token_id: int) -> bool:
    """Whether a mask allows a token."""
    return bool(row.view(np.uint32)[token_id // 32] >> np.uint32(token_id % 32) & 1)


def pack_scores(scores: Any) -> Row:
    """The mask by which scores were made: minus infinity is forbidden."""
    bits = np.isfinite(np.asarray(scores))
    padded = np.pad(bits, (0, -len(bits) % 32))
    return np.packbits(padded, bitorder="little").view(np.int32)


@dataclass
class HostText:
    """What an engine keeps of a text."""

    maker: Any
    ends: tuple[int, ...]
    ids: list[int] = field(default_factory=list)
    row: Row | None = None
    """The mask after the ids, of engines that ask once."""

    @property
    def is_over(self) -> bool:
        return bool(self.ids) and self.ids[-1] in self.ends

    def reach(self, token_ids: Sequence[int]) -> list[int]:
        """These tokens, up to an end of text."""
        last = next((place for place, token_id in enumerate(token_ids, 1) if token_id in self.ends), len(token_ids))
        return list(token_ids[:last])


class RowTexts:
    """Texts of an engine that tells rows of ids, at every token and as it likes: beams, drafts, shorter rows."""

    lacks: ClassVar[frozenset[str]] = frozenset({"validate"})

    def __init__(self) -> None:
        self.texts: dict[int, HostText] = {}
        self.numbers = itertools.count()

    def make(self, constraint: fw.Constraint[Any], limit: int | None) -> Any:
        """What constrains a text and its copies."""
        raise NotImplementedError

    def ask(self, maker: Any, rows: list[list[int]]) -> list[Row]:
        """The masks of rows of one length, the prompt included."""
        raise NotImplementedError

    def begin(self, form: fw.Form[Any], *, ends: Sequence[int], limit: int | None) -> int:
        key = next(self.numbers)
        constraint = fw.compile(form, vocabulary_with(tuple(ends)))
        self.texts[key] = HostText(self.make(constraint, limit), tuple(ends))
        return key

    def accept(self, key: int, token_ids: Sequence[int]) -> bool:
        text, drawn = self.texts[key], list[int]()
        for token_id in text.reach(token_ids):
            row = [*PROMPT, *text.ids, *drawn]
            if not allows(self.ask(text.maker, [row])[0], token_id):
                self.go_on_forbidden(text, [*row, token_id])
                return False
            drawn.append(token_id)
        text.ids += drawn
        return True

    def go_on_forbidden(self, text: HostText, row: list[int]) -> None:
        """A beam with a forbidden token, where nothing else was left: it may only end."""
        (mask,) = self.ask(text.maker, [row])
        assert sorted(fw.allowed_tokens(mask).tolist()) == sorted(text.ends)

    def take_back(self, key: int, count: int) -> None:
        ids = self.texts[key].ids
        del ids[len(ids) - count :]

    def masks(self, keys: Sequence[int], drafts: Mapping[int, Sequence[int]]) -> dict[int, list[Row]]:
        asked: dict[tuple[int, int], list[int]] = {}
        for key in keys:  # rows of one length and one constraint are a batch
            asked.setdefault((id(self.texts[key].maker), len(self.texts[key].ids)), []).append(key)
        found: dict[int, list[Row]] = {}
        for batch in asked.values():
            rows = self.ask(self.texts[batch[0]].maker, [[*PROMPT, *self.texts[key].ids] for key in batch])
            found |= {key: [row] for key, row in zip(batch, rows, strict=True)}
        for key, ids in drafts.items():
            row = [*PROMPT, *self.texts[key].ids]
            for draft in itertools.takewhile(lambda token_id: token_id != -1, ids):
                row.append(draft)
                found[key] += self.ask(self.texts[key].maker, [row])
        return found

    def copy(self, key: int) -> int:
        other = next(self.numbers)
        self.texts[other] = replace(self.texts[key], ids=list(self.texts[key].ids))
        return other

    def is_over(self, key: int) -> bool:
        return self.texts[key].is_over

    def end(self, key: int) -> None:
        del self.texts[key]


class StepTexts(RowTexts):
    """Texts of an engine that asks once for each token, in a thread, and keeps what it draws."""

    lacks: ClassVar[frozenset[str]] = frozenset({"refuse", "take back", "validate", "drafts", "copy"})
    lock = Lock()

    def accept(self, key: int, token_ids: Sequence[int]) -> bool:
        text = self.texts[key]
        for token_id in text.reach(token_ids):
            if not allows(self.find_row(text), token_id):
                return False
            text.ids.append(token_id)
            text.row = None
        return True

    def find_row(self, text: HostText) -> Row:
        if text.row is None:
            with self.lock:
                (text.row,) = self.ask(text.maker, [[*PROMPT, *text.ids]])
        return text.row

    def masks(self, keys: Sequence[int], drafts: Mapping[int, Sequence[int]]) -> dict[int, list[Row]]:
        return {key: [self.find_row(self.texts[key])] for key in keys}
