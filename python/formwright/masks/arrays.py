"""Masks as numpy arrays: make one, let a matcher fill it, apply it to logits.

A mask is ``int32`` words of shape ``(rows, ceil(logits_size / 32))``; token ``t`` is
bit ``t & 31`` of word ``t >> 5``, and 1 means allowed. That is the layout the serving
engines share, so a row may go to any of them as it is::

    mask = allocate_bitmask(1, vocabulary)      # nothing allowed yet
    matcher.fill_bitmask(mask, 0)
    apply_bitmask(logits, mask)                 # forbidden tokens become -inf, in place

Logits are numpy arrays or torch tensors; torch is never imported here, see
`formwright.masks.tensors`. A new mask allows nothing, so a row that nobody filled cannot let
an unconstrained token through.

Cost: one pass over the words and one over the logits they do not wholly allow, in the
kernel: 10 to 20 microseconds for 131,072 tokens in float32.

Logits may be wider than the mask, because models pad their embeddings; the
columns beyond are forbidden. A mask wider than the logits was made for another
vocabulary, and is an error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Vocabulary
from formwright._kernel import apply_bitmask as apply_to_words
from formwright.errors import ArgumentError, VocabularyError

__all__ = ["allocate_bitmask", "allowed_tokens", "apply_bitmask"]

Mask = NDArray[np.int32]

_FLOAT_LAYOUTS: dict[str, tuple[type[np.unsignedinteger[Any]], int]] = {
    "float16": (np.uint16, 0xFC00),
    "bfloat16": (np.uint16, 0xFF80),  # of the package ml_dtypes
    "float32": (np.uint32, 0xFF80_0000),
    "float64": (np.uint64, 0xFFF0_0000_0000_0000),
}
"""For each type of floats: the unsigned integer of its size, and the bits of minus infinity."""


def allocate_bitmask(rows: int, vocabulary: Vocabulary) -> Mask:
    """Return a mask of ``rows`` rows for ``vocabulary``, all zeros: nothing is allowed until a matcher fills it.

    It begins where a cache line does, as the tensors of torch do: rows are written faster there.
    """
    if not isinstance(vocabulary, Vocabulary):
        raise ArgumentError(
            f"vocabulary: expected a Vocabulary, got {type(vocabulary).__name__}", argument="vocabulary"
        )
    if rows < 0:
        raise ArgumentError(f"rows: expected 0 or more, got {rows}", argument="rows")
    count, line = rows * vocabulary.mask_words, 64
    room = np.zeros(count + line // 4, dtype=np.int32)
    start = -room.__array_interface__["data"][0] % line // 4
    return room[start : start + count].reshape(rows, vocabulary.mask_words)


def allow_only_ends(words: Mask, vocabulary: Vocabulary) -> None:
    """Let a row, of shape ``(words,)``, allow the ends of text and nothing else."""
    bits = words.view(np.uint32)
    bits[:] = 0
    for token_id in vocabulary.eos_token_ids:
        bits[token_id >> 5] |= np.uint32(1 << (token_id & 31))


def allowed_tokens(mask: Mask) -> NDArray[np.intp]:
    """Return the token ids that one row of a mask allows, ascending, as an array of shape ``(count,)``.

    Args:
        mask: int32 words of shape ``(words,)`` or ``(1, words)``.

    Raises:
        ArgumentError: It has several rows, or is not int32.
    """
    mask = np.asarray(mask)
    if mask.dtype != np.int32:
        raise ArgumentError(f"allowed_tokens: expected a mask of int32 words, got {mask.dtype}", argument="mask")
    if mask.ndim > 1 and len(mask) != 1:
        raise ArgumentError(
            f"allowed_tokens: expected one row of a mask, got the shape {mask.shape}",
            hint="pass a row: allowed_tokens(mask[0])",
            argument="mask",
        )
    return np.flatnonzero(_unpack_bits(mask.reshape(-1)))


def apply_bitmask(logits: Any, mask: Any, *, rows: Sequence[int] | None = None) -> None:
    """Set the logits of forbidden tokens to minus infinity, in place.

    Args:
        logits: A numpy array or torch tensor of shape ``(width,)`` or ``(rows, width)``, of float16, bfloat16, float32
            or float64. Columns beyond the mask are forbidden. Views are written through; rows whose columns are
            side by side in memory are the fast case.
        mask: int32 words of shape ``(words,)`` or ``(rows, words)``, a numpy array or torch tensor; row ``i`` is for
            row ``i`` of the logits.
        rows: The rows to treat; the others stay as they are. All rows if ``None``.

    Raises:
        TypeError: The logits are not of these classes and types, or the mask is not int32.
        VocabularyError: The mask is wider than the logits, or the numbers of rows differ.
        ArgumentError: The logits are read-only, or one of ``rows`` is not there.
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(logits, torch.Tensor):
        from formwright.masks.tensors import apply_to_tensor

        apply_to_tensor(logits, mask, rows)
        return
    if not isinstance(logits, np.ndarray):
        raise TypeError(f"logits: expected a numpy array or a torch tensor, got {type(logits).__name__}")
    apply_to_array(logits, logits.dtype.name if logits.dtype.isnative else str(logits.dtype), mask, rows)


def apply_to_array(logits: NDArray[Any], kind: str, mask: Any, rows: Sequence[int] | None) -> None:
    """`apply_bitmask` for an array whose items are floats of ``kind``, whatever its own dtype calls them."""
    unsigned, minus_infinity = float_bits(kind)
    words = np.asarray(mask)
    check_shapes(logits.shape, words.shape, str(words.dtype))
    if not logits.flags.writeable:
        raise ArgumentError("logits are read-only, but are to be written in place", argument="logits")
    # Adding an axis to an array makes a view: what is stored below lands in the caller's array.
    grid, words = np.atleast_2d(logits.view(unsigned)), np.ascontiguousarray(np.atleast_2d(words))
    for part, of_part, chosen in _contiguous(grid, words, known_rows(rows, len(grid))):
        apply_to_words(part, of_part, chosen, minus_infinity)


def float_bits(kind: str) -> tuple[type[np.unsignedinteger[Any]], int]:
    """The unsigned integer that holds a float of ``kind``, and minus infinity in it. Raises TypeError."""
    if kind not in _FLOAT_LAYOUTS:
        raise TypeError(f"logits: expected one of {', '.join(_FLOAT_LAYOUTS)}, in native byte order, got {kind}")
    return _FLOAT_LAYOUTS[kind]


def check_shapes(logits: Sequence[int], mask: Sequence[int], kind: str) -> None:
    """Refuse a mask of type ``kind`` and shape ``mask`` that is not for logits of shape ``logits``."""
    if kind != "int32":
        raise TypeError(f"a mask holds int32 words, not {kind}")
    counts = [shape[0] if len(shape) == 2 else 1 for shape in (logits, mask)]
    if not (1 <= len(logits) <= 2 and 1 <= len(mask) <= 2) or counts[0] != counts[1]:
        raise VocabularyError(
            f"logits of shape {tuple(logits)} and a mask of shape {tuple(mask)} do not pair row by row",
            hint="allocate the mask with as many rows as the logits have",
        )
    most = -(-logits[-1] // 32)
    if mask[-1] > most:
        raise VocabularyError(
            f"logits {logits[-1]} wide have at most {most} words in a row of the mask, this one has {mask[-1]}",
            hint="build the Vocabulary with logits_size at most the width of the model's logits",
        )


def known_rows(rows: Sequence[int] | None, count: int) -> list[int] | None:
    """The same rows as a list. Raises ArgumentError if one of them is not among ``count``."""
    if rows is None:
        return None
    known = [index(row) for row in rows]
    if missing := [row for row in known if not 0 <= row < count]:
        raise ArgumentError(
            f"there is no row {missing[0]}: the logits have {count} rows, counted from 0", argument="rows"
        )
    return known


def _contiguous(
    grid: NDArray[Any], words: Mask, rows: list[int] | None
) -> Iterator[tuple[NDArray[Any], Mask, list[int] | None]]:
    """The grid in parts that the kernel can write: as a whole, or row by row."""
    if grid.flags.c_contiguous:
        yield grid, words, rows
        return
    for row in range(len(grid)) if rows is None else rows:
        part = np.ascontiguousarray(grid[row])
        yield part, words[row], None
        if not np.shares_memory(part, grid):
            grid[row] = part


def _unpack_bits(row: Mask) -> NDArray[np.bool_]:
    little_endian = np.ascontiguousarray(row, dtype="<i4")
    return np.unpackbits(little_endian.view(np.uint8), bitorder="little").view(np.bool_)
