"""Masks in numpy: layout, application in place, and what does not fit."""

from __future__ import annotations

import gc
from typing import Literal

import numpy as np
import pytest

import formwright as fw
from formwright import _kernel, allowed_tokens


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


@pytest.mark.parametrize("rows", [1, 2, 7])
def test_a_new_mask_begins_where_a_cache_line_does(byte_vocabulary: fw.Vocabulary, rows: int) -> None:
    masks = [fw.allocate_bitmask(rows, byte_vocabulary) for _ in range(20)]
    assert all(mask.ctypes.data % 64 == 0 and mask.flags.c_contiguous and mask.flags.writeable for mask in masks)


def test_a_row_buffer_is_the_mask_it_was_made_from(byte_vocabulary: fw.Vocabulary) -> None:
    matcher = fw.compile(fw.regex("[a-c]d"), byte_vocabulary).matcher()
    mask, plain = fw.allocate_bitmask(3, byte_vocabulary), fw.allocate_bitmask(3, byte_vocabulary)
    rows = fw.RowBuffer(mask)
    matcher.fill_bitmask(rows, 1)
    fw.fill_bitmasks([matcher, None], rows, rows=[2, 0])
    matcher.fill_bitmask(plain, 1)
    fw.fill_bitmasks([matcher, None], plain, rows=[2, 0])
    assert rows.mask is mask
    assert (len(rows), repr(rows)) == (3, "RowBuffer(3 rows of 9 words)")
    assert (mask == plain).all()
    assert allowed_tokens(mask[1]).tolist() == list(b"abc")


def test_a_row_buffer_outlives_the_name_of_its_mask(byte_vocabulary: fw.Vocabulary) -> None:
    rows = fw.RowBuffer(fw.allocate_bitmask(1, byte_vocabulary))
    gc.collect()
    fw.compile(fw.literal("a"), byte_vocabulary).matcher().fill_bitmask(rows)
    assert allowed_tokens(rows.mask[0]).tolist() == [ord("a")]


def test_a_row_buffer_checks_what_a_mask_is_checked_for(byte_vocabulary: fw.Vocabulary) -> None:
    matcher = fw.compile(fw.literal("a"), byte_vocabulary).matcher()
    for wrong in (None, [0] * 9, np.zeros(9), np.zeros((9, 2), np.int32)[:, 0], np.zeros((1, 1, 9), np.int32)):
        with pytest.raises((TypeError, ValueError), match="mask"):
            fw.RowBuffer(wrong)
    with pytest.raises(ValueError, match="8 words"):
        matcher.fill_bitmask(fw.RowBuffer(np.zeros(8, np.int32)))
    with pytest.raises(ValueError, match="no row 1"):
        matcher.fill_bitmask(fw.RowBuffer(np.zeros(9, np.int32)), 1)


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


@pytest.mark.parametrize("width", [31, 32])
def test_a_mask_wider_than_the_logits_is_refused(width: int) -> None:
    with pytest.raises(fw.errors.VocabularyError, match=f"{width} wide") as caught:
        fw.apply_bitmask(np.zeros(width, dtype=np.float32), np.zeros(2, dtype=np.int32))
    assert caught.value.hint is not None


@pytest.mark.parametrize("width", [64, 65, 96, 100])
def test_columns_beyond_the_mask_are_forbidden(width: int) -> None:
    logits = np.zeros((2, width), dtype=np.float32)
    fw.apply_bitmask(logits, np.stack([mask_of([0, 63], 2), mask_of(list(range(64)), 2)]), rows=[1])
    assert np.isfinite(logits).sum(axis=1).tolist() == [width, 64]


def test_every_kind_of_word_at_every_width() -> None:
    random = np.random.default_rng(0)
    for width in [1, 31, 32, 33, 64, 95, 96, 200]:
        words = random.integers(-(2**31), 2**31, size=(5, -(-width // 32)), dtype=np.int64).astype(np.int32)
        words[1], words[2], words[3, ::2] = -1, 0, -1
        logits = random.normal(size=(5, width))
        bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, :width] == 1
        for dtype in [np.float16, np.float32, np.float64]:
            got = logits.astype(dtype)
            fw.apply_bitmask(got, words)
            np.testing.assert_array_equal(got, np.where(bits, logits.astype(dtype), -np.inf))


def test_a_slice_of_a_cube_is_written_in_place() -> None:
    cube = np.zeros((2, 3, 40), dtype=np.float32)
    fw.apply_bitmask(cube[:, -1], np.stack([mask_of([1], 2), mask_of([2], 2)]))
    assert np.isfinite(cube[:, :-1]).all()
    assert np.argwhere(np.isfinite(cube[:, -1])).tolist() == [[0, 1], [1, 2]]


def test_nan_and_infinity_stay_where_they_are_allowed() -> None:
    logits = np.array([np.nan, np.inf, -np.inf, np.nan], dtype=np.float16)
    fw.apply_bitmask(logits, mask_of([0, 1, 2], 1))
    assert np.isnan(logits).tolist() == [True, False, False, False]
    assert logits[1:].tolist() == [np.inf, -np.inf, -np.inf]


def test_bfloat16_of_ml_dtypes() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    logits = np.ones(32, dtype=ml_dtypes.bfloat16)
    fw.apply_bitmask(logits, mask_of([7], 1))
    assert logits.astype(np.float32).tolist() == [1.0 if token == 7 else -np.inf for token in range(32)]


@pytest.mark.parametrize("shape", [(2, 32), (1, 1, 32), (3, 1, 32), ()])
def test_rows_must_pair(shape: tuple[int, ...]) -> None:
    with pytest.raises(fw.errors.VocabularyError, match="row by row"):
        fw.apply_bitmask(np.zeros(shape, dtype=np.float32), np.zeros((3, 1), dtype=np.int32))


@pytest.mark.parametrize("row", [-1, 3])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_row_that_is_not_there_changes_nothing(row: int, order: Literal["C", "F"]) -> None:
    logits = np.zeros((3, 32), dtype=np.float32, order=order)
    with pytest.raises(ValueError, match=f"no row {row}"):
        fw.apply_bitmask(logits, np.zeros((3, 1), dtype=np.int32), rows=[0, row])
    assert not logits.any()


def test_read_only_logits_are_refused() -> None:
    logits = np.zeros(32, dtype=np.float32)
    logits.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        fw.apply_bitmask(logits, np.zeros(1, dtype=np.int32))


@pytest.mark.parametrize("kind", ["int64", ">f4", "complex64", "longdouble", "bool"])
def test_logits_of_other_types_are_refused(kind: str) -> None:
    with pytest.raises(TypeError, match="float16, bfloat16, float32, float64"):
        fw.apply_bitmask(np.zeros(32, dtype=kind), np.zeros(1, dtype=np.int32))


def test_types_are_checked() -> None:
    with pytest.raises(TypeError, match="uint32"):
        fw.apply_bitmask(np.zeros(32), np.zeros(1, dtype=np.uint32))
    with pytest.raises(TypeError, match="got list"):
        fw.apply_bitmask([0.0], np.zeros(1, dtype=np.int32))


def test_the_kernel_checks_for_itself() -> None:
    logits, mask = np.zeros((2, 32), dtype=np.uint32), np.zeros((2, 1), dtype=np.int32)
    frozen = logits.copy()
    frozen.flags.writeable = False
    for bad in [(logits[:, ::2], mask, None), (frozen, mask, None), (logits, mask[:1], None), (logits, mask, [2])]:
        with pytest.raises((ValueError, TypeError, BufferError)):
            _kernel.apply_bitmask(*bad, 1)
    assert not logits.any()
