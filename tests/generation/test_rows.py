"""Rows of a host: whatever it does with them, each has the mask that its own tokens lead to."""

from __future__ import annotations

import numpy as np
import pytest

import formwright as fw
from formwright._kernel import RowBuffer, best_allowed, copy_allowed
from formwright.errors import ArgumentError
from formwright.generation.rows import Rows

VOCABULARY = fw.Vocabulary([b"a", b"b", b"c", b"ab", b"ca", b"", b""], eos_token_ids=[5], special_tokens={"<pad>": 6})
FORMS = [fw.regex("(a|bc?)*"), fw.regex("c(ab)*a?"), fw.choice("abc", "ab", "b")]
CONSTRAINTS = [fw.compile(form, VOCABULARY) for form in FORMS]
PROMPT = [6, 5, 6]


def expected(constraint: fw.Constraint[str], written: list[int], budget: int | None) -> list[int]:
    """The oracle: a matcher led from the start; a row that is over may only end."""
    matcher = constraint.matcher()
    for index, token_id in enumerate(written):
        left = None if budget is None else budget - index
        if matcher.is_finished or (left is not None and left < 0):
            return [5]
        try:
            if token_id not in matcher.allowed_token_ids():
                return [5]
        except fw.errors.FormwrightError:
            return [5]
        matcher.accept_token(token_id)
    left = None if budget is None else budget - len(written)
    if matcher.is_finished or (left is not None and left < 0):
        return [5]
    try:
        return matcher.allowed_token_ids(budget=left)
    except fw.errors.LimitExceeded:
        return [5]


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("budget", [None, 6])
def test_rows_that_are_extended_reordered_repeated_and_shortened(seed: int, budget: int | None) -> None:
    random = np.random.default_rng(seed)
    each = int(random.integers(1, 4))
    rows = Rows(CONSTRAINTS, max_tokens=budget)
    mask = fw.allocate_bitmask(each * len(FORMS), VOCABULARY)
    current: list[list[int]] = [[] for _ in mask]
    history = [current]
    for _ in range(14):
        rows.fill([PROMPT + row for row in current], mask)
        for index, row in enumerate(current):
            allowed = fw.allowed_tokens(mask[index]).tolist()
            assert allowed == expected(CONSTRAINTS[index // each], row, budget), row
        if random.random() < 0.2:  # a draft is refused: all rows go back to an earlier call
            current = history[int(random.integers(len(history)))]
            continue
        following = []
        for index in range(len(current)):
            group = index // each * each
            parent = current[group + int(random.integers(each))] if random.random() < 0.4 else current[index]
            legal = fw.allowed_tokens(mask[current.index(parent)]).tolist()
            token_id = int(random.choice(legal)) if random.random() < 0.85 else int(random.integers(7))
            following.append([*parent, token_id])
        current = following
        history.append(current)


def test_a_row_far_back_is_written_again() -> None:
    rows, mask = Rows([fw.compile(fw.regex("[abc]*"), VOCABULARY)]), fw.allocate_bitmask(1, VOCABULARY)
    written = [int(token_id) for token_id in np.random.default_rng(0).integers(0, 3, 300)]
    for length in (*range(300), 10, 11, 250, 12):
        assert rows.fill([PROMPT + written[:length]], mask) == [True]
        assert fw.allowed_tokens(mask[0]).tolist() == [0, 1, 2, 3, 4, 5]
    assert len(rows._texts[0].seen) < 200


def test_a_host_that_begins_anew_or_writes_into_its_memory() -> None:
    rows, mask = Rows([CONSTRAINTS[1]]), fw.allocate_bitmask(1, VOCABULARY)
    memory = np.array([[*PROMPT, 0, 0]], np.int64)
    memory[0, 3] = 2
    rows.fill(memory[:, :3], mask)
    rows.fill(memory[:, :4], mask)
    assert fw.allowed_tokens(mask[0]).tolist() == [0, 3, 5]
    memory[0, :4] = [1, 1, 1, 1]
    rows.fill(memory[:, :4], mask)  # another prompt
    assert fw.allowed_tokens(mask[0]).tolist() == [2, 4]
    rows.reset()
    rows.fill([[*PROMPT, 2]], mask)  # what was a row is a prompt now
    assert fw.allowed_tokens(mask[0]).tolist() == [2, 4]


def test_prompts_with_one_form_may_have_any_number_of_rows() -> None:
    rows, mask = Rows([CONSTRAINTS[2]]), fw.allocate_bitmask(3, VOCABULARY)
    rows.fill([[1, 1], [2, 2], [1, 1]], mask)
    assert rows.fill([[1, 1, 3], [2, 2, 1], [1, 1, 5]], mask) == [True, True, False]
    assert [fw.allowed_tokens(row).tolist() for row in mask] == [[2, 5], [5], [5]]


def test_what_does_not_fit_is_refused() -> None:
    mask = fw.allocate_bitmask(4, VOCABULARY)
    with pytest.raises(ArgumentError):
        Rows([])
    for wrong in ([[1], [1]], [[1], [2], [3], [4]]):
        with pytest.raises(ArgumentError):
            Rows(CONSTRAINTS).fill(wrong, mask)
    with pytest.raises(ArgumentError):
        Rows(CONSTRAINTS[:2]).fill([[1], [2], [3], [3]], mask)  # two prompts for one form
    with pytest.raises(ArgumentError):
        Rows([CONSTRAINTS[0]], max_tokens=-1)
    with pytest.raises(fw.errors.LimitExceeded):
        Rows([fw.compile(fw.literal("abc"), VOCABULARY)], max_tokens=1).fill([[1]], mask)
    with pytest.raises(ArgumentError):
        Rows(CONSTRAINTS).fill_one(3, [1], mask)


def test_logits_are_copied_and_chosen_under_masks() -> None:
    random = np.random.default_rng(0)
    vocabulary = fw.Vocabulary([bytes([byte]) for byte in range(97, 107)] * 10, eos_token_ids=[0], logits_size=133)
    mask = fw.allocate_bitmask(3, vocabulary)
    mask[:] = random.integers(-(2**31), 2**31, mask.shape, np.int64).astype(np.int32)
    logits = random.normal(size=(3, 133)).astype(np.float32)
    expected_logits, out = logits.copy(), np.zeros_like(logits)
    fw.apply_bitmask(expected_logits, mask)
    assert copy_allowed(logits, RowBuffer(mask), out) == []
    assert np.array_equal(out, expected_logits)
    for row in range(3):
        assert best_allowed(logits[row], mask, row) == (int(expected_logits[row].argmax()), expected_logits[row].max())
    logits[1] = -np.inf
    assert copy_allowed(logits, mask, out) == [1]
    logits[2, fw.allowed_tokens(mask[2])[3]] = np.nan
    assert best_allowed(logits[2], mask, 2)[0] == fw.allowed_tokens(mask[2])[3]
    for wrong in (lambda: copy_allowed(logits, mask[:2], out), lambda: copy_allowed(logits, mask, out[:2])):
        with pytest.raises(ArgumentError):
            wrong()
    mask[:] = 0
    with pytest.raises(ArgumentError, match="no token is allowed"):
        best_allowed(logits[0], mask, 0)


@pytest.mark.parametrize("seed", range(40))
def test_the_best_of_many_logits_is_that_of_numpy(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = np.array([-np.inf, -2, -1e-40, -0.0, 0.0, 1e-40, 1, np.inf, np.nan][seed % 3 : 9 - seed % 4], np.float32)
    logits = random.choice(values, 333) if seed % 2 else random.normal(size=333).astype(np.float32)
    mask = random.integers(-(2**31), 2**31, 10, np.int64).astype(np.int32)
    mask[random.integers(0, 10, 5)] = -1
    allowed = fw.allowed_tokens(mask)
    expected = int(allowed[np.argmax(logits[allowed])])
    token_id, logit = best_allowed(logits, mask)
    assert token_id == expected
    assert np.array_equal(np.float32(logit), logits[expected], equal_nan=True)
