"""Masks on a device: are they right to the bit, what do they cost, and can a token loop do without the host?

    python gpu_masks.py --dry                 # no device: Triton's interpreter, small sizes, every path once
    python gpu_masks.py --seconds 540         # one GPU: all parts, a table last
    python gpu_masks.py --part check --part apply

Parts, in this order; a part that does not fit into the seconds that are left is skipped, and says so:

    check    every kernel against numpy, bit for bit: dtypes, widths that are no multiple of 32, padded and strided rows
    tables   a form as device tables (masks, classes of tokens, transitions, tokens to the end), against the matcher
    apply    apply_bitmask: batch x width x density, beside torch and xgrammar
    upload   masks to the device: pageable, pinned, pinned twice on a side stream
    decode   a random 1B Llama: no mask, masks after the forward, masks during the forward, device tables

Needs torch and triton; formwright for real forms and masks (else a stand-in), xgrammar and transformers if there: on a
machine without a network, wheels of both installed with --no-deps. The vocabulary is drawn, so nothing is downloaded.
Results go to --out as JSON, after each part. Medians; a device-to-device copy is measured first, as the ceiling.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

DRY = "--dry" in sys.argv
if DRY:
    os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
import torch
import triton
import triton.language as tl

try:
    import formwright as fw
except ImportError:
    fw = None  # type: ignore[assignment]
try:
    import xgrammar
except ImportError:
    xgrammar = None
DEVICE = "cpu" if DRY else "cuda"
BLOCK = 1024 if DRY else 4096


# ---------------------------------------------------------------------------------------------------------- kernels


@triton.jit
def _read_bits(words_ptr, words, start, BLOCK: tl.constexpr):
    """The bits of a block of tokens, and its words; what lies beyond the mask is forbidden."""
    at = start // 32 + tl.arange(0, BLOCK // 32)
    packed = tl.load(words_ptr + at, mask=at < words, other=0)
    bits = (packed[:, None] >> tl.arange(0, 32)[None, :]) & 1
    return tl.reshape(bits, (BLOCK,)) != 0, packed


@triton.jit
def apply_kernel(
    logits_ptr, row_stride, width, masks_ptr, mask_stride, words, rows_ptr,
    HAS_ROWS: tl.constexpr, SELECT: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Row i of the logits by row rows[i] of the masks; -1 is a row without a form. Nothing is read back."""
    row = tl.program_id(0)
    start = tl.program_id(1) * BLOCK
    of = row
    if HAS_ROWS:
        of = tl.load(rows_ptr + row)
    if of >= 0:
        allowed, packed = _read_bits(masks_ptr + of.to(tl.int64) * mask_stride, words, start, BLOCK)
        if tl.sum((packed != -1).to(tl.int32), 0) != 0:  # a block that allows everything is not touched
            at = start + tl.arange(0, BLOCK)
            to = logits_ptr + row.to(tl.int64) * row_stride + at
            if SELECT and tl.sum((packed != 0).to(tl.int32), 0) != 0:
                kept = tl.load(to, mask=at < width, other=0.0)
                tl.store(to, tl.where(allowed, kept, -float("inf")), mask=at < width)
            else:
                tl.store(to, -float("inf"), mask=(at < width) & (allowed == 0))


@triton.jit
def best_kernel(
    logits_ptr, row_stride, width, masks_ptr, mask_stride, words, state_ptr,
    left_ptr, slack, classes_ptr, next_ptr, n_classes, need_ptr,
    best_ptr, id_ptr, blocks, BUDGET: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The best allowed logit of a block: logits are read once and never written."""
    row = tl.program_id(0)
    block = tl.program_id(1)
    start = block * BLOCK
    at = start + tl.arange(0, BLOCK)
    inside = at < width
    state = tl.load(state_ptr + row).to(tl.int64)
    kept = tl.load(logits_ptr + row.to(tl.int64) * row_stride + at, mask=inside, other=-float("inf")).to(tl.float32)
    ok = inside
    if state >= 0:
        allowed, _ = _read_bits(masks_ptr + state * mask_stride, words, start, BLOCK)
        ok = inside & allowed
        if BUDGET:
            left = tl.load(left_ptr + row)
            if left <= slack:  # near the limit: only what a complete text still fits after
                of = tl.load(classes_ptr + at, mask=ok, other=0).to(tl.int64)
                to = tl.load(next_ptr + state * n_classes + of, mask=ok, other=-1).to(tl.int64)
                need = tl.load(need_ptr + to, mask=ok & (to >= 0), other=1 << 29)
                ok = ok & (need <= left - 1)
    scores = tl.where(ok, kept, -float("inf"))
    best = tl.max(scores, 0)
    first = tl.min(tl.where(ok & (scores == best), at, 1 << 30), 0)  # the lowest id among equals
    tl.store(best_ptr + row * blocks + block, best)
    tl.store(id_ptr + row * blocks + block, first)


@triton.jit
def take_kernel(
    best_ptr, id_ptr, blocks, token_ptr, state_ptr, left_ptr, classes_ptr, next_ptr, n_classes,
    BLOCKS: tl.constexpr,
):  # fmt: skip
    """The token of a row, and the state after it."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCKS)
    best = tl.load(best_ptr + row * blocks + at, mask=at < blocks, other=-float("inf"))
    ids = tl.load(id_ptr + row * blocks + at, mask=at < blocks, other=1 << 30)
    most = tl.max(best, 0)
    token = tl.min(tl.where(best == most, ids, 1 << 30), 0)
    tl.store(token_ptr + row, token.to(tl.int64))
    state = tl.load(state_ptr + row).to(tl.int64)
    if state >= 0:
        of = tl.load(classes_ptr + token).to(tl.int64)
        tl.store(state_ptr + row, tl.load(next_ptr + state * n_classes + of).to(tl.int32))
        tl.store(left_ptr + row, tl.load(left_ptr + row) - 1)


def apply(logits: torch.Tensor, masks: torch.Tensor, rows: torch.Tensor | None = None, select: bool = True) -> None:
    """Forbidden logits become minus infinity, in place; columns beyond the mask are forbidden."""
    count, width = logits.shape
    grid = (count, triton.cdiv(width, BLOCK))
    given = masks if rows is None else rows
    apply_kernel[grid](
        logits, logits.stride(0), width, masks, masks.stride(0), masks.shape[1], given,
        HAS_ROWS=rows is not None, SELECT=select, BLOCK=BLOCK, num_warps=4 if DRY else 8,
    )  # fmt: skip


class Taker:
    """A greedy choice and a step of the automaton on the device, in two launches."""

    def __init__(self, tables: Tables, count: int, width: int) -> None:
        self.tables, self.blocks = tables.to(DEVICE), triton.cdiv(width, BLOCK)
        self.best = torch.empty((count, self.blocks), dtype=torch.float32, device=DEVICE)
        self.ids = torch.empty((count, self.blocks), dtype=torch.int32, device=DEVICE)
        self.state = torch.zeros(count, dtype=torch.int32, device=DEVICE)
        self.left = torch.full((count,), 1 << 20, dtype=torch.int32, device=DEVICE)
        self.token = torch.zeros(count, dtype=torch.int64, device=DEVICE)

    def __call__(self, logits: torch.Tensor, budget: bool = True) -> torch.Tensor:
        made, (count, width) = self.tables, logits.shape
        best_kernel[(count, self.blocks)](
            logits, logits.stride(0), width, made.masks, made.masks.stride(0), made.masks.shape[1], self.state,
            self.left, made.slack, made.classes, made.next, made.next.shape[1], made.need,
            self.best, self.ids, self.blocks, BUDGET=budget, BLOCK=BLOCK, num_warps=4,
        )  # fmt: skip
        take_kernel[(count,)](
            self.best, self.ids, self.blocks, self.token, self.state, self.left, made.classes, made.next,
            made.next.shape[1], BLOCKS=triton.next_power_of_2(self.blocks), num_warps=1,
        )  # fmt: skip
        return self.token


# ----------------------------------------------------------------------------------------------------- device tables


class Tables:
    """A form with finitely many states, as arrays.

    ``masks[state]`` is a packed row; ``next[state, classes[token]]`` the state after a token, -1 if it is forbidden;
    ``need[state]`` the tokens that the shortest end needs; the last state is after the end of text.
    """

    def __init__(self, masks: Any, classes: Any, following: Any, need: Any, seconds: float) -> None:
        self.masks, self.classes, self.next, self.need, self.seconds = masks, classes, following, need, seconds
        finite = need[need < 1 << 29]
        self.slack = int(finite.max()) + 1  # with more tokens left than this, the budget forbids nothing

    def to(self, device: str) -> Tables:
        moved = (torch.as_tensor(each).to(device) for each in (self.masks, self.classes, self.next, self.need))
        return Tables(*moved, seconds=self.seconds)

    @property
    def size(self) -> dict[str, int]:
        parts = {"masks": self.masks.nbytes, "next": self.next.nbytes, "classes": self.classes.nbytes}
        unique = len(np.unique(self.masks, axis=0))
        return {"states": len(self.masks), "distinct_masks": unique, "token_classes": self.next.shape[1], **parts}


def minimal(accepting: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States with equal continuations made one; ``edges`` is (states, 256), -1 where nothing may come."""
    group = accepting.astype(np.int64)
    while True:
        padded = np.append(group, -1)
        _, found = np.unique(np.column_stack([group, padded[edges]]), axis=0, return_inverse=True)
        if found.max() == group.max():
            break
        group = found
    first = np.zeros(group.max() + 1, np.int64)
    first[group[::-1]] = np.arange(len(group))[::-1]
    swap = np.arange(len(first))
    swap[[0, group[0]]] = swap[[group[0], 0]]
    order = first[swap]
    new = np.empty(len(first) + 1, np.int64)
    new[group[order]] = np.arange(len(first))
    new[-1] = -1
    padded = np.append(group, len(first))
    return accepting[order], new[padded[edges[order]]]


def build(
    automaton: Sequence[tuple[bool, list[tuple[int, int]]]], tokens: list[bytes], ends: list[int], width: int
) -> Tables:
    """Tables of a byte automaton over a vocabulary; an empty token never comes."""
    began = time.perf_counter()
    edges = np.full((len(automaton), 256), -1, np.int64)
    for state, (_, out) in enumerate(automaton):
        for byte, to in out:
            edges[state, byte] = to
    accepting, edges = minimal(np.array([each[0] for each in automaton]), edges)
    dead = len(edges)
    table = np.vstack([np.where(edges < 0, dead, edges), np.full((1, 256), dead)]).astype(np.int32)
    lengths = np.array([len(token) for token in tokens])
    padded = np.zeros((len(tokens), max(1, lengths.max())), np.uint8)
    for index, token in enumerate(tokens):
        padded[index, : len(token)] = np.frombuffer(token, np.uint8)
    order = np.argsort(-lengths, kind="stable")
    padded, lengths = padded[order], lengths[order]
    ids, numbers, rows = {0: 0}, [0], []
    random_ = np.random.default_rng(1)
    hashes = np.zeros((2, len(tokens)), np.uint64)
    while len(rows) < len(numbers):
        at = np.full(len(tokens), numbers[len(rows)], np.int32)
        for place in range(padded.shape[1]):
            live = int(np.searchsorted(-lengths, -place, side="left"))  # tokens that are longer than `place`
            at[:live] = table[at[:live], padded[:live, place]]
        at[lengths == 0] = dead
        to = np.empty_like(at)
        to[order] = at
        for state in np.unique(to[to != dead]).tolist():
            if state not in ids:
                ids[state] = len(numbers)
                numbers.append(state)
        back = np.full(dead + 1, -1, np.int32)
        back[list(ids)] = list(ids.values())
        to = back[to]
        rows.append(to)
        with np.errstate(over="ignore"):
            hashes += random_.integers(1, 1 << 63, (2, 1), np.uint64) * (to + 2).astype(np.uint64)
    end = len(rows)
    _, chosen, classes = np.unique(hashes.T, axis=0, return_index=True, return_inverse=True)
    classes = classes.reshape(-1)
    following = np.vstack([row[chosen] for row in rows] + [np.full(len(chosen), -1, np.int32)])
    of_end = following.shape[1]
    last = np.append(np.where(accepting[numbers], end, -1), end)[:, None]
    following = np.hstack([following, last]).astype(np.int32)
    classes = (
        np.append(classes, np.full(width - len(tokens), int(np.argmax((following[:-1, :-1] < 0).all(0)))))
        if width > len(tokens)
        else classes
    )
    classes = classes.astype(np.int32)
    if len(tokens) < width and not (following[:, classes[-1]] < 0).all():
        raise ValueError("no class of tokens that never come")
    classes[ends] = of_end
    need = np.full(end + 1, 1 << 29, np.int64)
    need[:end][accepting[numbers]] = 0
    while True:
        after = np.where(following[:, :-1] < 0, 1 << 29, need[following[:, :-1]]).min(1) + 1
        better = np.minimum(need, after)
        if (better == need).all():
            break
        need = better
    need[end] = -(1 << 29)  # whatever is left of a budget, a text that has ended stays ended
    masks = np.zeros((end + 1, -(-width // 32) * 32), np.uint8)
    for state in range(end + 1):
        masks[state, :width] = following[state, classes] >= 0
    packed = np.packbits(masks, axis=1, bitorder="little").view(np.int32)
    small = np.int16 if end < 1 << 15 else np.int32
    return Tables(
        packed, classes.astype(np.int32), following.astype(small), need.astype(np.int32), time.perf_counter() - began
    )


def vocabulary(size: int) -> list[bytes]:
    """A vocabulary as byte-level models have them, drawn: all bytes, pieces of JSON, words with and without a space."""
    draw = random.Random(size)
    known = {bytes([byte]): None for byte in range(256)}
    for piece in (
        '{"',
        '":',
        '": "',
        '", "',
        '"}',
        "}]",
        "},",
        '":{"',
        '["',
        '"]',
        ": ",
        ", ",
        "true",
        "false",
        "null",
    ):
        known[piece.encode()] = None
    for number in range(1000):
        known[str(number).encode()] = None
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    while len(known) < size:
        word = "".join(draw.choices(letters, range(26, 0, -1), k=min(12, 1 + int(draw.expovariate(0.22)))))
        word = word.capitalize() if draw.random() < 0.2 else word
        known[(" " * (draw.random() < 0.5) + word).encode()] = None
    return list(known)[:size]


INVOICE = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "pattern": "^INV-[0-9]{6}$"},
        "date": {"type": "string", "format": "date"},
        "currency": {"enum": ["EUR", "USD", "GBP", "JPY"]},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"sku": {"type": "string"}, "qty": {"type": "integer"}, "price": {"type": "number"}},
                "required": ["sku", "qty", "price"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["number", "date", "currency", "lines"],
    "additionalProperties": False,
}


def stand_in() -> list[tuple[bool, list[tuple[int, int]]]]:
    """``{"a":[0-9]+,"b":"[a-z ]*"}`` by hand, where formwright is not there."""
    states: list[tuple[bool, list[tuple[int, int]]]] = []
    for byte in b'{"a":':
        states.append((False, [(byte, len(states) + 1)]))
    digit = len(states)
    states.append((False, [(byte, digit + 1) for byte in b"0123456789"]))
    states.append((False, [(byte, digit + 1) for byte in b"0123456789"] + [(ord(","), digit + 2)]))
    for byte in b'"b":"':
        states.append((False, [(byte, len(states) + 1)]))
    inner = len(states)
    states.append((False, [(byte, inner) for byte in b"abcdefghijklmnopqrstuvwxyz "] + [(ord('"'), inner + 1)]))
    states.append((False, [(ord("}"), inner + 2)]))
    states.append((True, []))
    return states


def form(short: bool = False) -> Any:
    schema = {"type": "array", "items": {"type": "integer"}} if short else INVOICE
    return fw.json_schema(json.dumps(schema), whitespace="compact") if fw else None


def tables_of(size: int, width: int, short: bool = False) -> tuple[Tables, list[bytes], int]:
    tokens = vocabulary(size)
    end = size - 1
    tokens[end] = b""  # the end of text has no bytes
    automaton = form(short).language.byte_automaton(100_000) if fw else stand_in()
    return build(automaton, tokens, [end], width), tokens, end


# ------------------------------------------------------------------------------------------------------------- parts


def reference(logits: np.ndarray, masks: np.ndarray, rows: Sequence[int] | None) -> np.ndarray:
    """What `apply` must write, in float32."""
    out = logits.copy()
    for row in range(len(out)):
        of = row if rows is None else rows[row]
        if of < 0:
            continue
        bits = np.unpackbits(masks[of].view(np.uint8), bitorder="little")[: out.shape[1]]
        bits = np.pad(bits, (0, out.shape[1] - len(bits)))
        out[row, bits == 0] = -np.inf
    return out


def random_masks(rows: int, words: int, density: float, seed: int = 0) -> np.ndarray:
    """Packed rows; density is the share of tokens that are allowed."""
    draw = np.random.default_rng(seed)
    if density in (0.0, 1.0):
        return np.full((rows, words), -int(density), np.int32)
    bits = (draw.random((rows, words * 32), np.float32) < density).astype(np.uint8)
    return np.packbits(bits, axis=1, bitorder="little").view(np.int32)


def check() -> dict[str, Any]:
    widths = [1031, 2048] if DRY else [32000, 32003, 128256, 131072, 151936, 262144, 262145]
    count, done = (2, 0) if DRY else (9, 0)
    for width in widths:
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            for density in (0.001, 0.5, 1.0) if DRY else (0.0, 0.001, 0.5, 0.999, 1.0):
                for short in (0, 3):  # words that the mask lacks: padded logits
                    words = -(-width // 32) - short
                    masks = random_masks(count, words, density, seed=done)
                    rows = np.random.default_rng(done).integers(-1, count, count).astype(np.int32)
                    room = torch.randn((count, width + 64), dtype=torch.float32, device=DEVICE).to(dtype)
                    for given in (None, rows):
                        for select in (True, False):
                            wide = room.clone()
                            logits = wide[:, :width]  # rows do not touch: a stride that is not the width
                            apply(
                                logits,
                                torch.from_numpy(masks).to(DEVICE),
                                None if given is None else torch.from_numpy(given).to(DEVICE),
                                select=select,
                            )
                            want = reference(
                                room[:, :width].float().cpu().numpy(), masks, None if given is None else given.tolist()
                            )
                            got = logits.float().cpu().numpy()
                            assert got.view(np.int32).tobytes() == want.view(np.int32).tobytes(), (
                                width,
                                dtype,
                                density,
                                short,
                                select,
                            )
                            assert torch.equal(wide[:, width:], room[:, width:]), "written beyond the row"
                            done += 1
    return {"cases": done, "differences": 0}


def tables() -> dict[str, Any]:
    size = 3000 if DRY else 128_000
    width = size + 256 if not DRY else 3100
    made, tokens, end = tables_of(size, width)
    (walks, places), more = (3, 0) if DRY else (40, 0), Counter[int]()
    if fw:
        known = fw.Vocabulary(tokens, eos_token_ids=[end], logits_size=width)
        constraint = fw.compile(form(), known)
        row = fw.allocate_bitmask(1, known)
        for seed in range(walks):
            draw, matcher, state = random.Random(seed), constraint.matcher(), 0
            for left in range(90 if DRY else 120, 0, -1):
                matcher.fill_bitmask(row, 0)
                assert (row[0] == made.masks[state][: row.shape[1]]).all(), (seed, left, "masks differ")
                least = matcher.min_tokens_to_finish
                assert made.need[state] <= least, (seed, "the matcher needs fewer tokens than there are")
                more[least - int(made.need[state])] += 1
                allowed = np.flatnonzero(made.next[state, made.classes] >= 0)
                near = list(draw.choices(allowed.tolist(), k=6))
                token = (
                    min(near, key=lambda each: made.need[made.next[state, made.classes[each]]])
                    if left < 60
                    else near[0]
                )
                places += 1
                if token == end:
                    break
                matcher.accept_token(token)
                state = made.next[state, made.classes[token]]
    # The device against the tables: a batch of walks with budgets, all choices by random logits.
    count = 4 if DRY else 32
    taker = Taker(made, count, width)
    budgets = np.random.default_rng(3).integers(int(made.need[0]), int(made.need[0]) + 40, count)
    taker.left.copy_(torch.from_numpy(budgets.astype(np.int32)))
    states, left, ended = np.zeros(count, int), budgets.copy(), np.zeros(count, bool)
    for step in range(6 if DRY else 90):
        logits = torch.randn((count, width), device=DEVICE, generator=torch.Generator(DEVICE).manual_seed(step))
        chosen = taker(logits).cpu().numpy()
        scores = logits.cpu().numpy()
        for row in range(count):
            to = made.next[states[row], made.classes]
            ok = (to >= 0) & (np.where(to >= 0, made.need[to], 1 << 29) <= left[row] - 1)
            want = int(np.argmax(np.where(ok, scores[row], -np.inf)))
            assert want == chosen[row], (step, row, want, int(chosen[row]))
            states[row], left[row] = to[want], left[row] - 1
            ended[row] |= want == end
    compared = {
        "compared_with_matcher": places,
        "places_by_tokens_that_the_matcher_counts_more": dict(sorted(more.items())),
    }
    device = {"device_steps": count * (step + 1), "ended": int(ended.sum())}
    return {**compared, **device, "seconds_to_build": round(made.seconds, 2), **made.size}


def time_work(work: Callable[[], Any], repeat: int = 0) -> float:
    """Microseconds, the median. On a device by events, the cache flushed between."""
    if DRY:
        began = time.perf_counter()
        work()
        return 1e6 * (time.perf_counter() - began)
    found = triton.testing.do_bench(work, warmup=5, rep=repeat or 30, return_mode="median")
    return 1e3 * float(found)


def ceiling() -> float:
    """Bytes a second of a device-to-device copy, read and written."""
    size = 1 << (20 if DRY else 30)
    a, b = torch.empty(size, dtype=torch.uint8, device=DEVICE), torch.empty(size, dtype=torch.uint8, device=DEVICE)
    return 2 * size / (time_work(lambda: b.copy_(a)) * 1e-6)


def by_where(logits: torch.Tensor, masks: torch.Tensor) -> None:
    """What torch alone does: unpack, pad, fill."""
    powers = 1 << torch.arange(8, dtype=torch.uint8, device=logits.device)
    forbidden = ((masks.view(torch.uint8).unsqueeze(-1) & powers) == 0).flatten(1)[:, : logits.shape[1]]
    logits.masked_fill_(forbidden, -torch.inf)


def apply_part() -> dict[str, Any]:
    batches, widths = ([1, 3], [1024]) if DRY else ([1, 32, 256, 512], [32000, 131072, 262144])
    lines, speed = [], ceiling()
    kinds: dict[str, Callable[[torch.Tensor, torch.Tensor], Any]] = {
        "select": lambda logits, masks: apply(logits, masks),
        "store": lambda logits, masks: apply(logits, masks, select=False),
        "torch ops": by_where,
    }
    if xgrammar is not None and not DRY:
        kinds["xgrammar"] = lambda logits, masks: xgrammar.apply_token_bitmask_inplace(logits, masks)
    for dtype in (torch.float32, torch.bfloat16):
        for width in widths:
            for batch in batches:
                for name, density in (("few allowed", 0.0001), ("half", 0.5), ("few forbidden", 0.9999)):
                    masks = torch.from_numpy(random_masks(batch, width // 32, density)).to(DEVICE)
                    logits = torch.randn((batch, width), dtype=torch.float32, device=DEVICE).to(dtype)
                    line: dict[str, Any] = {"dtype": str(dtype)[6:], "width": width, "batch": batch, "mask": name}
                    for kind, work in kinds.items():
                        try:
                            line[kind] = round(time_work(lambda: work(logits, masks)), 2)
                        except Exception as error:  # another library's kernel must not end the run
                            line[kind] = type(error).__name__
                    moved = masks.nbytes if density > 0.9 else masks.nbytes + batch * width * logits.element_size()
                    line["floor"] = round(1e6 * moved / speed, 2)  # masks read, logits written once
                    lines.append(line)
    return {"copy_TB_s": round(speed / 1e12, 2), "lines": lines}


def upload() -> dict[str, Any]:
    lines, words = [], 64 if DRY else 4096
    for batch in [1, 3] if DRY else [1, 32, 256, 512]:
        host = torch.from_numpy(random_masks(batch, words, 0.5))
        on_device = torch.empty_like(host, device=DEVICE)
        line: dict[str, Any] = {"batch": batch, "KiB": batch * words // 256}
        line["pageable"] = round(time_work(lambda: on_device.copy_(host)), 1)
        if not DRY:
            pinned = [host.pin_memory() for _ in range(2)]
            side, turn = torch.cuda.Stream(), [0]
            events = [torch.cuda.Event() for _ in range(2)]

            def twice() -> None:
                slot = turn[0] = 1 - turn[0]
                with torch.cuda.stream(side):
                    on_device.copy_(pinned[slot], non_blocking=True)
                    events[slot].record()
                torch.cuda.current_stream().wait_event(events[slot])

            line["pinned"] = round(time_work(lambda: on_device.copy_(pinned[0], non_blocking=True)), 1)
            line["pinned, side stream"] = round(time_work(twice), 1)
            torch.cuda.synchronize()
            began = time.perf_counter()
            for _ in range(200):
                twice()
            line["host, a call"] = round((time.perf_counter() - began) / 200 * 1e6, 1)
            torch.cuda.synchronize()
        lines.append(line)
    return {"lines": lines}


class Llama(torch.nn.Module):
    """A decoder of the shape of a 1B Llama in plain torch, weights drawn, a static cache: a graph for certain."""

    def __init__(
        self, width: int, layers: int, hidden: int, heads: int, kv: int, inner: int, batch: int, length: int
    ) -> None:
        super().__init__()
        kind = {"device": DEVICE, "dtype": torch.bfloat16}
        self.heads, self.kv, self.size = heads, kv, hidden // heads
        linear = lambda a, b: torch.nn.Linear(a, b, bias=False, **kind)  # noqa: E731
        self.embed = torch.nn.Embedding(width, hidden, **kind)
        self.layers = torch.nn.ModuleList(
            torch.nn.ModuleList(
                [torch.nn.RMSNorm(hidden, **kind), linear(hidden, hidden + 2 * kv * self.size), linear(hidden, hidden),
                 torch.nn.RMSNorm(hidden, **kind), linear(hidden, 2 * inner), linear(inner, hidden)]
            )
            for _ in range(layers)
        )  # fmt: skip
        self.norm, self.head = torch.nn.RMSNorm(hidden, **kind), linear(hidden, width)
        self.cache = torch.zeros((layers, 2, batch, kv, length, self.size), **kind)
        self.places = torch.arange(length, device=DEVICE)

    def forward(self, ids: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        x = self.embed(ids)[:, None]
        seen = (self.places <= place)[None, None, None]
        for cache, (before, qkv, out, after, up, down) in zip(self.cache, self.layers, strict=True):
            q, k, v = qkv(before(x)).split([self.heads * self.size, self.kv * self.size, self.kv * self.size], -1)
            q = q.unflatten(-1, (self.kv, -1, self.size)).squeeze(1)  # heads of a group are queries of one row
            k, v = (each.unflatten(-1, (self.kv, self.size)).transpose(1, 2) for each in (k, v))
            cache[0].index_copy_(2, place, k)
            cache[1].index_copy_(2, place, v)
            mixed = torch.nn.functional.scaled_dot_product_attention(q, cache[0], cache[1], attn_mask=seen)
            x = x + out(mixed.flatten(1)[:, None])
            gate, value = up(after(x)).chunk(2, -1)
            x = x + down(torch.nn.functional.silu(gate) * value)
        return self.head(self.norm(x))[:, 0]


def of_transformers(
    width: int, batch: int, length: int, small: bool
) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

    shape = {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
    }
    if not small:
        shape = {
            "hidden_size": 2048,
            "intermediate_size": 8192,
            "num_hidden_layers": 16,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
        }
    config = LlamaConfig(vocab_size=width, max_position_embeddings=max(2048, length), **shape)
    with torch.device(DEVICE):
        model = LlamaForCausalLM(config).to(torch.bfloat16).eval()
    cache = StaticCache(config=config, max_cache_len=length)

    def forward(ids: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        positions = place.expand(len(ids))[:, None]
        out = model(
            input_ids=ids[:, None], position_ids=positions, past_key_values=cache, use_cache=True, cache_position=place
        )
        return out.logits[:, -1]

    forward.reset = cache.reset  # type: ignore[attr-defined]  # it counts its positions itself
    with torch.inference_mode():
        forward(torch.zeros(batch, dtype=torch.int64, device=DEVICE), torch.zeros(1, dtype=torch.int64, device=DEVICE))
    return forward


def decode(seconds: float) -> dict[str, Any]:
    """Tokens a second of one decode loop with masks made and applied in several ways; the same tokens everywhere."""
    size, width, length, steps = (3000, 3072, 24, 6) if DRY else (128_000, 128_256, 512, 256)
    made, tokens, end = tables_of(size, width, short=DRY)
    lines: list[dict[str, Any]] = []
    ends = time.perf_counter() + seconds
    with torch.inference_mode():
        for kind, batch in [("plain", 2), ("transformers", 2)] if DRY else [
            ("plain", 1), ("plain", 32), ("plain", 256), ("transformers", 1), ("transformers", 32),
        ]:  # fmt: skip
            if time.perf_counter() > ends:
                lines.append({"model": kind, "batch": batch, "skipped": "no time"})
                continue
            torch.manual_seed(0)
            shape = (2, 64, 4, 2, 128) if DRY else (16, 2048, 32, 8, 8192)
            try:
                if kind == "plain":
                    forward: Any = Llama(width, *shape, batch=batch, length=length)
                else:
                    forward = of_transformers(width, batch, length, DRY)
                line = ways(forward, made, tokens, end, batch, width, steps)
            except Exception as error:  # a version of transformers that cannot be captured, say
                line = {"failed": f"{type(error).__name__}: {error}"[:60]}
            lines.append({"model": kind, "batch": batch, **line})
            forward = None
            if not DRY:
                torch.cuda.empty_cache()
    return {"steps": steps, "lines": lines}


def ways(
    forward: Any, made: Tables, tokens: list[bytes], end: int, batch: int, width: int, steps: int
) -> dict[str, Any]:
    ids, place = torch.zeros(batch, dtype=torch.int64, device=DEVICE), torch.zeros(1, dtype=torch.int64, device=DEVICE)
    logits = torch.empty((batch, width), dtype=torch.bfloat16, device=DEVICE)
    words = made.masks.shape[1]
    device_masks = torch.zeros((batch, words), dtype=torch.int32, device=DEVICE)
    taker = Taker(made, batch, width)
    side = None if DRY else torch.cuda.Stream()
    host = [torch.zeros((batch, words), dtype=torch.int32, pin_memory=not DRY) for _ in range(2)]
    host_ids = torch.zeros(batch, dtype=torch.int64, pin_memory=not DRY)

    def run() -> None:
        logits.copy_(forward(ids, place))
        place.add_(1)

    def mask_step() -> None:
        apply(logits, device_masks)
        ids.copy_(logits.argmax(-1))

    def plain() -> None:
        ids.copy_(logits.argmax(-1))

    def on_device() -> None:
        ids.copy_(taker(logits))

    graphs = {name: capture_graph(work) for name, work in (("run", run), ("masked", mask_step), ("plain", plain))}
    graphs["device"] = capture_graph(lambda: (run(), on_device()))
    graphs["free"] = capture_graph(lambda: (run(), plain()))

    def begin() -> Any:
        getattr(forward, "reset", bool)()
        ids.zero_()
        place.zero_()
        taker.state.zero_()
        taker.left.fill_(steps)
        if fw is None:
            return [0] * batch
        known = begin.known = getattr(begin, "known", None) or fw.Vocabulary(
            tokens, eos_token_ids=[end], logits_size=width
        )  # type: ignore[attr-defined]
        begin.constraint = getattr(begin, "constraint", None) or fw.compile(form(DRY), known)  # type: ignore[attr-defined]
        return [begin.constraint.matcher() for _ in range(batch)]  # type: ignore[attr-defined]

    spent: list[float] = []

    def fill(rows: Any, into: torch.Tensor, chosen: list[int] | None, left: int) -> None:
        """What the host does in a step: accept, fill."""
        began = time.perf_counter()
        if fw is None:
            for row, state in enumerate(rows):
                rows[row] = state if chosen is None else max(0, int(made.next[state, made.classes[chosen[row]]]))
                into[row] = torch.from_numpy(made.masks[rows[row]])
        else:
            out = into.numpy()[:, : rows[0].constraint.vocabulary.mask_words]
            live = []
            for row, matcher in enumerate(rows):
                if chosen is not None and not matcher.is_finished:
                    matcher.accept_token(chosen[row])
                live.append(matcher)
            running = [row for row, matcher in enumerate(live) if not matcher.is_finished]
            ended = [row for row, matcher in enumerate(live) if matcher.is_finished]
            if running:
                whole = np.ascontiguousarray(out) if not out.flags.c_contiguous else out
                fw.fill_bitmasks([live[row] for row in running], whole, rows=running, budgets=[left] * len(running))
                if whole is not out:
                    out[running] = whole[running]
            for row in ended:
                out[row] = 0
                out[row, end >> 5] = np.int32(np.uint32(1 << (end & 31)).astype(np.int32))
        spent.append(1e6 * (time.perf_counter() - began))

    def sync() -> list[int]:
        host_ids.copy_(ids, non_blocking=True)
        if not DRY:
            torch.cuda.current_stream().synchronize()
        return host_ids.tolist()

    def after() -> list[list[int]]:
        """The model, then the mask, then the choice: the host is waited for."""
        rows, chosen, out = begin(), None, []
        for step in range(steps):
            graphs["run"]()
            if not DRY:
                torch.cuda.current_stream().synchronize()
            fill(rows, host[0], chosen, steps - step)
            device_masks.copy_(host[0])
            graphs["masked"]()
            chosen = sync()
            out.append(chosen)
        return out

    def during() -> list[list[int]]:
        """The mask is made while the model runs, uploaded on a side stream from memory that is used in turns."""
        rows, chosen, out = begin(), None, []
        for step in range(steps):
            graphs["run"]()
            fill(rows, host[step % 2], chosen, steps - step)
            if side is None:
                device_masks.copy_(host[step % 2])
            else:
                with torch.cuda.stream(side):
                    device_masks.copy_(host[step % 2], non_blocking=True)
                torch.cuda.current_stream().wait_stream(side)
            graphs["masked"]()
            if side is not None:
                side.wait_stream(torch.cuda.current_stream())  # the next upload waits until this mask was read
            chosen = sync()
            out.append(chosen)
        return out

    def step_with_tables() -> list[list[int]]:
        """No host in the loop: one graph a token."""
        begin()
        kept = torch.empty((steps, batch), dtype=torch.int64, device=DEVICE)
        for step in range(steps):
            graphs["device"]()
            kept[step].copy_(ids)
        return kept.tolist()

    def free() -> list[list[int]]:
        begin()
        kept = torch.empty((steps, batch), dtype=torch.int64, device=DEVICE)
        for step in range(steps):
            graphs["free"]()
            kept[step].copy_(ids)
        return kept.tolist()

    line: dict[str, Any] = {}
    texts = {}
    for name, way in (("no form", free), ("after", after), ("during", during), ("tables", step_with_tables)):
        way()
        found = []
        spent.clear()
        for _ in range(1 if DRY else 3):
            if not DRY:
                torch.cuda.synchronize()
            began = time.perf_counter()
            texts[name] = way()
            if not DRY:
                torch.cuda.synchronize()
            found.append(time.perf_counter() - began)
        line[name] = round(batch * steps / statistics.median(found))
        if spent:
            line[f"{name}: host us"] = round(statistics.median(spent), 1)
    line["same tokens"] = texts["after"] == texts["during"] == texts["tables"]
    return line


def capture_graph(work: Callable[[], Any]) -> Callable[[], Any]:
    """Work as a CUDA graph; without a device, the work itself."""
    if DRY:
        return work
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(2):
            work()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay


def table(lines: list[dict[str, Any]]) -> None:
    names = list(dict.fromkeys(name for line in lines for name in line))
    rows = [names] + [[str(line.get(name, "")) for name in names] for line in lines]
    wide = [max(len(row[column]) for row in rows) for column in range(len(names))]
    for row in rows:
        print("  ".join(cell.rjust(size) for cell, size in zip(row, wide, strict=True)))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--dry", action="store_true", help="no device: interpreter, small sizes")
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--part", action="append", choices=["check", "tables", "apply", "upload", "decode"])
    parser.add_argument("--out", default=os.path.join(os.environ.get("OUT", "."), "gpu_masks.json"))
    options = parser.parse_args()
    began, failed = time.perf_counter(), 0
    found: dict[str, Any] = {
        "python": sys.version.split()[0], "torch": torch.__version__, "triton": triton.__version__,
        "formwright": fw.__version__ if fw else None, "xgrammar": version("xgrammar") if xgrammar else None,
        "device": "interpreter" if DRY else torch.cuda.get_device_name(),
    }  # fmt: skip
    print(found)
    left = lambda: options.seconds - (time.perf_counter() - began)  # noqa: E731
    work = {
        "check": check,
        "tables": tables,
        "apply": apply_part,
        "upload": upload,
        "decode": lambda: decode(left() - 20),
    }
    for name in options.part or list(work):
        if left() < 30 and not DRY:
            print(f"{name}: skipped, {left():.0f} s left")
            continue
        at = time.perf_counter()
        try:
            found[name] = work[name]()
        except Exception as error:  # the other parts are still worth their time
            failed, found[name] = 1, {"failed": f"{type(error).__name__}: {error}"}
        print(f"\n{name}: {time.perf_counter() - at:.1f} s", {k: v for k, v in found[name].items() if k != "lines"})
        table(found[name].get("lines", []))
        Path(options.out).write_text(json.dumps(found, indent=1, default=str))
    return failed


if __name__ == "__main__":
    sys.exit(main())
