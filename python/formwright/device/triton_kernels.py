"""The kernels, in Triton: masks applied to logits, and a token chosen by tables.

::

    apply_kernel    (rows, blocks)   forbidden logits become minus infinity
    best_kernel     (rows, blocks)   the best allowed logit of each block
    take_kernel     (rows,)          the best of the blocks, and the state after it

None reads anything back, allocates, or has a shape that depends on data: all may be part of a CUDA graph.

With ``TRITON_INTERPRET=1`` in the environment before Triton is first imported, they run on a CPU, slowly: so the tests
compare them with numpy, bit for bit.
"""

from __future__ import annotations

import os

from formwright._extras import needs

with needs("device", "masks by kernels"):
    import triton
    import triton.language as tl

__all__ = ["ARE_INTERPRETED", "BLOCK", "NO_TOKEN", "apply_kernel", "best_kernel", "next_power_of_2", "take_kernel"]

ARE_INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
"""Whether they run on a CPU."""

BLOCK = 4096
"""Tokens of a block."""

NO_TOKEN = 1 << 30
"""In place of a token: a block allows none. More than any token."""

_NONE = tl.constexpr(NO_TOKEN)

next_power_of_2 = triton.next_power_of_2


@triton.jit
def _read_bits(words_ptr, word_stride, words, start, BLOCK: tl.constexpr):
    """The bits of a block of tokens, and its words; what lies beyond the mask is forbidden."""
    at = start // 32 + tl.arange(0, BLOCK // 32)
    packed = tl.load(words_ptr + at * word_stride, mask=at < words, other=0)
    bits = (packed[:, None] >> tl.arange(0, 32)[None, :]) & 1
    return tl.reshape(bits, (BLOCK,)) != 0, packed


@triton.jit
def apply_kernel(
    logits_ptr, row_stride, column_stride, width,
    masks_ptr, mask_stride, word_stride, masks, words, rows_ptr, rows_stride,
    HAS_ROWS: tl.constexpr, SELECT: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Row i of the logits by row rows[i] of the masks; -1 is a row without a form, and no other row is not there."""
    row = tl.program_id(0)
    start = tl.program_id(1) * BLOCK
    of = row
    if HAS_ROWS:
        of = tl.load(rows_ptr + row * rows_stride)
    if of != -1:
        known = tl.where((of < 0) | (of >= masks), 0, words)  # a row that is not there allows nothing
        allowed, packed = _read_bits(masks_ptr + of.to(tl.int64) * mask_stride, word_stride, known, start, BLOCK)
        if tl.sum((packed != -1).to(tl.int32), 0) != 0:  # a block that allows everything is not touched
            at = start + tl.arange(0, BLOCK)
            to = logits_ptr + row.to(tl.int64) * row_stride + at.to(tl.int64) * column_stride
            if SELECT and tl.sum((packed != 0).to(tl.int32), 0) != 0:  # of a mixed block, whole lines are written
                kept = tl.load(to, mask=at < width, other=0.0)
                tl.store(to, tl.where(allowed, kept, -float("inf")), mask=at < width)
            else:
                tl.store(to, -float("inf"), mask=(at < width) & (allowed == 0))


@triton.jit
def _draw_gumbel(seed, step, at):
    """Noise by which the largest sum is a draw: Philox, counted by token and step."""
    zero = at * 0
    bits, _, _, _ = tl.philox(seed, at, zero + step, zero, zero)
    uniform = ((bits >> 9).to(tl.float32) + 0.5) * 1.1920928955078125e-07  # 2^-23: never 0, never 1
    return -tl.log(-tl.log(uniform))


@triton.jit
def best_kernel(
    logits_ptr, row_stride, column_stride, width, masks_ptr, mask_stride, words, mask_of_ptr, state_ptr,
    left_ptr, slack, classes_ptr, next_ptr, class_count, need_ptr, scale_ptr, seed_ptr, step_ptr,
    best_ptr, id_ptr, blocks, DRAW: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The best allowed logit of a block: logits are read once and never written."""
    row = tl.program_id(0)
    block = tl.program_id(1)
    start = block * BLOCK
    at = start + tl.arange(0, BLOCK)
    ok = at < width
    source = logits_ptr + row.to(tl.int64) * row_stride + at.to(tl.int64) * column_stride
    kept = tl.load(source, mask=ok, other=-float("inf")).to(tl.float32)
    kept = tl.where(kept == kept, kept, float("inf"))  # what is not a number counts as the largest one
    state = tl.load(state_ptr + row).to(tl.int64)
    if state >= 0:
        of = tl.load(mask_of_ptr + state).to(tl.int64)
        allowed, _ = _read_bits(masks_ptr + of * mask_stride, 1, words, start, BLOCK)
        ok = ok & allowed
        left = tl.load(left_ptr + row)
        if left <= slack:  # near the limit: only what a complete text still fits after
            of_token = tl.load(classes_ptr + at, mask=ok, other=0).to(tl.int64)
            to = tl.load(next_ptr + state * class_count + of_token, mask=ok, other=-1).to(tl.int64)
            ok = ok & (to >= 0)
            need = tl.load(need_ptr + to, mask=ok, other=0)
            ok = ok & (need <= left - 1)
    if DRAW:
        scale = tl.load(scale_ptr + row)
        if scale > 0:
            kept = kept * scale + _draw_gumbel(tl.load(seed_ptr + row), tl.load(step_ptr + row), at)
    scores = tl.where(ok, kept, -float("inf"))
    best = tl.max(scores, 0)
    first = tl.min(tl.where(ok & (scores == best), at, _NONE), 0)  # the lowest id among equals
    tl.store(best_ptr + row * blocks + block, best)
    tl.store(id_ptr + row * blocks + block, first)


@triton.jit
def take_kernel(
    best_ptr, id_ptr, blocks, token_ptr, state_ptr, left_ptr, step_ptr, classes_ptr, next_ptr, class_count,
    BLOCKS: tl.constexpr,
):  # fmt: skip
    """The token of a row, and the state after it; -1, and nothing moves, where no token may come."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCKS)
    best = tl.load(best_ptr + row * blocks + at, mask=at < blocks, other=-float("inf"))
    ids = tl.load(id_ptr + row * blocks + at, mask=at < blocks, other=_NONE)
    found = ids < _NONE
    most = tl.max(best, 0)  # a block without a token has minus infinity, as one may whose tokens all have it
    token = tl.min(tl.where(found & (best == most), ids, _NONE), 0)
    if token < _NONE:
        tl.store(token_ptr + row, token.to(tl.int64))
        tl.store(step_ptr + row, tl.load(step_ptr + row) + 1)
        state = tl.load(state_ptr + row).to(tl.int64)
        if state >= 0:
            of = tl.load(classes_ptr + token).to(tl.int64)
            tl.store(state_ptr + row, tl.load(next_ptr + state * class_count + of).to(tl.int32))
            tl.store(left_ptr + row, tl.load(left_ptr + row) - 1)
    else:
        tl.store(token_ptr + row, tl.full((), -1, tl.int64))
