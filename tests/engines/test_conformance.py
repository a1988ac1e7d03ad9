"""What all adapters share passes the kit for engines, and the kit sees the faults that adapters are known to have."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from conformance import ENDS, PROGRAMS, Row, find_fault, vocabulary_with
from host_texts import RowTexts, StepTexts

import formwright as fw
from formwright.engines.grammar_backend import RunningText
from formwright.generation.rows import Rows
from formwright.masks.arrays import allocate_bitmask, allow_only_ends


class RunningTexts:
    """Texts as the adapters of vLLM, SGLang and TensorRT-LLM hold them."""

    lacks: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self.texts: dict[int, RunningText] = {}
        self.limits: dict[int, int | None] = {}
        self.counts: dict[int, int] = {}
        self.numbers = itertools.count()

    def begin(self, form: fw.Form[Any], *, ends: Sequence[int], limit: int | None) -> int:
        key = next(self.numbers)
        self.texts[key] = RunningText(fw.compile(form, vocabulary_with(tuple(ends))))
        self.limits[key], self.counts[key] = limit, 0
        return key

    def accept(self, key: int, token_ids: Sequence[int]) -> bool:
        accepted = self.texts[key].accept(token_ids)
        self.counts[key] += len(token_ids) if accepted else 0
        return accepted

    def take_back(self, key: int, count: int) -> None:
        self.texts[key].rollback(count)
        self.counts[key] -= count

    def validate(self, key: int, token_ids: Sequence[int]) -> int:
        return self.texts[key].valid_prefix(token_ids)

    def masks(self, keys: Sequence[int], drafts: Mapping[int, Sequence[int]]) -> dict[int, list[Row]]:
        return {key: self.rows(key, [each for each in drafts.get(key, ()) if each != -1]) for key in keys}

    def rows(self, key: int, drafts: Sequence[int]) -> list[Row]:
        rows = [self.row(key)]
        for token_id in drafts:
            assert self.accept(key, [token_id])
            rows.append(self.row(key))
        self.take_back(key, len(drafts))
        return rows

    def row(self, key: int) -> Row:
        text, limit = self.texts[key], self.limits[key]
        mask = allocate_bitmask(1, text.constraint.vocabulary)
        left = None if limit is None else limit - self.counts[key]
        if left is not None and left < 0:
            allow_only_ends(mask[0], text.constraint.vocabulary)
        else:
            text.fill(mask, 0, budget=left)
        row: Row = mask[0]
        return row

    def copy(self, key: int) -> int:
        other = next(self.numbers)
        self.texts[other] = RunningText(self.texts[key].constraint)
        self.texts[other].matcher = self.texts[key].matcher.fork()
        self.limits[other], self.counts[other] = self.limits[key], self.counts[key]
        return other

    def is_over(self, key: int) -> bool:
        return self.texts[key].is_finished

    def end(self, key: int) -> None:
        del self.texts[key], self.limits[key], self.counts[key]


class NoMask(RunningTexts):
    def row(self, key: int) -> Row:
        row = super().row(key)
        row.fill(-1)
        return row


class RowOffByOne(RunningTexts):
    def masks(self, keys: Sequence[int], drafts: Mapping[int, Sequence[int]]) -> dict[int, list[Row]]:
        found = super().masks(keys, drafts)
        return dict(zip(keys, [found[key] for key in (*keys[1:], keys[0])], strict=True))


class TokenTwice(RunningTexts):
    def accept(self, key: int, token_ids: Sequence[int]) -> bool:
        return super().accept(key, token_ids) and (super().accept(key, token_ids[-1:]) or True)


class TokenLost(RunningTexts):
    def accept(self, key: int, token_ids: Sequence[int]) -> bool:
        return super().accept(key, token_ids) and (len(token_ids) < 3 or self.take_back(key, 1) is None)


class OneTooFewTakenBack(RunningTexts):
    def take_back(self, key: int, count: int) -> None:
        super().take_back(key, max(count - 1, 0))


class StaleDraft(RunningTexts):
    def rows(self, key: int, drafts: Sequence[int]) -> list[Row]:
        rows = super().rows(key, drafts)
        if len(drafts) > 1:
            super().accept(key, drafts[:1])
        return rows


class SharedCopy(RunningTexts):
    def copy(self, key: int) -> int:
        other = super().copy(key)
        self.texts[other] = self.texts[key]
        return other


class LimitForgetsDrafts(RunningTexts):
    def rows(self, key: int, drafts: Sequence[int]) -> list[Row]:
        limit = self.limits[key]
        if limit is not None:
            self.limits[key] = limit + len(drafts)
        rows = super().rows(key, drafts)
        self.limits[key] = limit
        return rows


class EndsOfAnother(RunningTexts):
    def begin(self, form: fw.Form[Any], *, ends: Sequence[int], limit: int | None) -> int:
        known = next(iter(self.texts.values()), None)
        return super().begin(form, ends=known.constraint.vocabulary.eos_token_ids if known else ends, limit=limit)


class WiderThanTheLogits(RunningTexts):
    def row(self, key: int) -> Row:
        row = super().row(key)
        row[ENDS[-1] // 32 + 1 :] = -1
        return row


class MovesThoughRefused(RunningTexts):
    def accept(self, key: int, token_ids: Sequence[int]) -> bool:
        if super().accept(key, token_ids):
            return True
        super().accept(key, token_ids[:-1])
        return False


MUTANTS = (
    NoMask,
    RowOffByOne,
    TokenTwice,
    TokenLost,
    OneTooFewTakenBack,
    StaleDraft,
    SharedCopy,
    LimitForgetsDrafts,
    EndsOfAnother,
    WiderThanTheLogits,
    MovesThoughRefused,
)


def test_running_texts_pass() -> None:
    assert find_fault(RunningTexts, PROGRAMS) is None


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_faulty_adapter_is_caught(mutant: type[RunningTexts]) -> None:
    assert find_fault(mutant, PROGRAMS) is not None


class FoundRows(RowTexts):
    """Rows as the processors of transformers and TensorRT-LLM find them, by their ids."""

    def make(self, constraint: fw.Constraint[Any], limit: int | None) -> Rows:
        return Rows([constraint], max_tokens=limit)

    def ask(self, maker: Rows, rows: list[list[int]]) -> list[Row]:
        mask = allocate_bitmask(len(rows), maker.vocabulary)
        maker.fill(rows, mask)
        return list(mask)


class FoundSteps(FoundRows, StepTexts):
    """Rows as the processors of llama.cpp and MLX-LM find them: once for each token."""

    lacks = StepTexts.lacks


class RowsOfTheWrongBeam(FoundRows):
    def ask(self, maker: Rows, rows: list[list[int]]) -> list[Row]:
        return super().ask(maker, [*rows[1:], rows[0]])


class ForbiddenTokensGoOn(FoundRows):
    def ask(self, maker: Rows, rows: list[list[int]]) -> list[Row]:
        mask = allocate_bitmask(len(rows), maker.vocabulary)
        running = maker.fill(rows, mask)
        mask[[not each for each in running]] = -1
        return list(mask)


class StepsWithoutALimit(FoundSteps):
    def make(self, constraint: fw.Constraint[Any], limit: int | None) -> Rows:
        return super().make(constraint, None)


@pytest.mark.parametrize("adapter", [FoundRows, FoundSteps])
def test_rows_that_are_found_by_their_ids_pass(adapter: type[RowTexts]) -> None:
    assert find_fault(adapter, PROGRAMS) is None


@pytest.mark.parametrize("mutant", [RowsOfTheWrongBeam, ForbiddenTokensGoOn, StepsWithoutALimit])
def test_faulty_rows_are_caught(mutant: type[RowTexts]) -> None:
    assert find_fault(mutant, PROGRAMS) is not None
