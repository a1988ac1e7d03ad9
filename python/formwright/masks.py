"""Masks as numpy arrays: make one, let a matcher fill it, apply it to logits.

A mask is ``int32`` words of shape ``(rows, ceil(logits_size / 32))``; token ``t`` is
bit ``t & 31`` of word ``t >> 5``, and 1 means allowed. That is the layout the serving
engines share, so a row may go to any of them as it is::

    mask = allocate_bitmask(1, vocabulary)      # nothing allowed yet
    matcher.fill_bitmask(mask, 0)
    apply_bitmask(logits, mask)                 # forbidden tokens become -inf, in place

Cost: applying is one unpacking of bits and one masked store, about 0.1 ms for
131,072 tokens. A new mask allows nothing, so a row that nobody filled cannot let an
unconstrained token through.

The wrinkle: the words must cover the logits exactly. A mask made for another
vocabulary is an error, not a guess about padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Vocabulary
from formwright.errors import VocabularyError

__all__ = ["allocate_bitmask", "allowed_tokens", "apply_bitmask"]

Mask = NDArray[np.int32]


def allocate_bitmask(rows: int, vocabulary: Vocabulary) -> Mask:
    """A mask of ``rows`` rows for ``vocabulary``, all zeros: nothing is allowed until a matcher says so."""
    return np.zeros((rows, vocabulary.mask_words), dtype=np.int32)


def allowed_tokens(row: Mask) -> NDArray[np.intp]:
    """The token ids that one row of a mask allows, ascending."""
    return np.flatnonzero(_bits(row))


def apply_bitmask(logits: NDArray[Any], mask: Mask, *, rows: Sequence[int] | None = None) -> None:
    """Set the logits of forbidden tokens to minus infinity, in place.

    Args:
        logits: Floats of shape ``(width,)`` or ``(rows, width)``.
        mask: Words of shape ``(words,)`` or ``(rows, words)``, row ``i`` for row ``i`` of the logits.
        rows: The rows to treat; the others stay as they are. All rows if ``None``.

    Raises:
        VocabularyError: The mask does not cover the logits exactly, or the numbers of rows differ.
        TypeError: The logits are not floats, or the mask is not int32.
    """
    _check_types(logits, mask)
    # Adding an axis to an array makes a view: what is stored below lands in the caller's array.
    grid, words = (logits[None] if logits.ndim == 1 else logits), np.atleast_2d(mask)
    _check_shapes(grid, words)
    for row in range(len(grid)) if rows is None else rows:
        grid[row, ~_bits(words[row])[: grid.shape[1]]] = -np.inf


def _bits(row: Mask) -> NDArray[np.bool_]:
    little_endian = np.ascontiguousarray(row, dtype="<i4")
    return np.unpackbits(little_endian.view(np.uint8), bitorder="little").view(np.bool_)


def _check_types(logits: NDArray[Any], mask: Mask) -> None:
    if not np.issubdtype(logits.dtype, np.floating):
        raise TypeError(f"logits must be floats that can hold -inf, not {logits.dtype}")
    if mask.dtype != np.int32:
        raise TypeError(f"a mask holds int32 words, not {mask.dtype}")


def _check_shapes(grid: NDArray[Any], words: Mask) -> None:
    if grid.ndim != 2 or words.ndim != 2 or len(grid) != len(words):
        raise VocabularyError(
            f"logits of shape {grid.shape} and a mask of shape {words.shape} do not pair row by row",
            hint="allocate the mask with as many rows as the logits have",
        )
    needed = -(-grid.shape[1] // 32)
    if words.shape[1] != needed:
        raise VocabularyError(
            f"logits {grid.shape[1]} wide need {needed} words in a row of the mask, this one has {words.shape[1]}",
            hint="build the Vocabulary with logits_size equal to the width of the model's logits",
        )
