"""Masks in numpy: layout, application in place, and what does not fit."""

from __future__ import annotations

import numpy as np
import pytest

import formwright as fw
from formwright.masks import allowed_tokens


def mask_of(tokens: list[int], words: int) -> np.ndarray:
    row = np.zeros(words, dtype=np.uint32)
    for token in tokens:
        row[token >> 5] |= np.uint32(1 << (token & 31))
    return row.view(np.int32)


def test_a_new_mask_allows_nothing(byte_vocabulary: fw.Vocabulary) -> None:
    mask = fw.allocate_bitmask(3, byte_vocabulary)
    assert mask.dtype == np.int32
    assert mask.shape == (3, 9)
    assert allowed_tokens(mask[0]).size == 0


def test_bits_are_least_significant_first() -> None:
    assert allowed_tokens(mask_of([0, 31, 32, 65], 3)).tolist() == [0, 31, 32, 65]


def test_forbidden_logits_become_minus_infinity_in_place() -> None:
    logits = np.arange(40, dtype=np.float32)
    fw.apply_bitmask(logits, mask_of([3, 31, 39], 2))
    assert np.flatnonzero(np.isfinite(logits)).tolist() == [3, 31, 39]
    assert logits[39] == 39


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_rows_and_a_subset_of_rows(dtype: type) -> None:
    logits = np.zeros((3, 33), dtype=dtype)
    masks = np.stack([mask_of([row, 32], 2) for row in range(3)])
    fw.apply_bitmask(logits, masks, rows=[0, 2])
    assert [np.flatnonzero(np.isfinite(row)).size for row in logits] == [2, 33, 2]
    assert np.flatnonzero(np.isfinite(logits[2])).tolist() == [2, 32]


def test_a_transposed_view_is_written_through() -> None:
    base = np.zeros((40, 2), dtype=np.float32)
    fw.apply_bitmask(base.T, np.stack([mask_of([1], 2), mask_of([2], 2)]))
    assert np.argwhere(np.isfinite(base)).tolist() == [[1, 0], [2, 1]]


@pytest.mark.parametrize("width", [31, 32, 65, 100])
def test_a_mask_of_another_width_is_refused(width: int) -> None:
    with pytest.raises(fw.errors.VocabularyError, match=f"{width} wide") as caught:
        fw.apply_bitmask(np.zeros(width, dtype=np.float32), np.zeros(5 if width == 100 else 2, dtype=np.int32))
    assert caught.value.hint is not None


def test_rows_must_pair() -> None:
    with pytest.raises(fw.errors.VocabularyError, match="row by row"):
        fw.apply_bitmask(np.zeros((2, 32), dtype=np.float32), np.zeros((3, 1), dtype=np.int32))


def test_types_are_checked() -> None:
    with pytest.raises(TypeError, match="int64"):
        fw.apply_bitmask(np.zeros(32, dtype=np.int64), np.zeros(1, dtype=np.int32))
    with pytest.raises(TypeError, match="uint32"):
        fw.apply_bitmask(np.zeros(32), np.zeros(1, dtype=np.uint32))
