"""What tables for a device say, computed naively: state by state and token by token, in Python and numpy."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

import formwright as fw
from formwright.device import DeviceTables


@dataclass
class NaiveTables:
    """The states that tokens lead to, as those of the byte automaton: equal ones are not made one."""

    steps: list[dict[int, int]] = field(default_factory=list)
    """By state: the state after each token that may come, ends of text aside."""
    may_end: list[bool] = field(default_factory=list)
    need: list[int] = field(default_factory=list)


def naive_tables(form: fw.Form[object], vocabulary: fw.Vocabulary) -> NaiveTables:
    """All states, by trying every token in each of them."""
    automaton = form.language.byte_automaton(100_000)
    edges = [dict(out) for _, out in automaton]
    controls = {token: b"\xff" + name.encode() + b"\xff" for name, token in vocabulary.special_tokens.items()}
    controls = {token: letter for token, letter in controls.items() if token not in vocabulary.eos_token_ids}
    spelled = [(token, controls.get(token) or vocabulary.token(token)) for token in range(len(vocabulary))]
    spelled = [(token, text) for token, text in spelled if text and (token in controls or b"\xff" not in text)]
    made, numbers, todo = NaiveTables(), {0: 0}, deque([0])
    while todo:
        state = todo.popleft()
        found = {}
        for token, text in spelled:
            at: int | None = state
            for byte in text:
                at = edges[at].get(byte) if at is not None else None
            if at is not None:
                if at not in numbers:
                    numbers[at] = len(numbers)
                    todo.append(at)
                found[token] = numbers[at]
        made.steps.append(found)
        made.may_end.append(automaton[state][0])
    made.need = [0 if ends else 1 << 20 for ends in made.may_end]
    for _ in made.need:  # as often as the longest way has tokens
        made.need = [
            min([need, *(made.need[to] + 1 for to in set(steps.values()))])
            for need, steps in zip(made.need, made.steps, strict=True)
        ]
    return made


def unpack_row(row: np.ndarray, width: int) -> np.ndarray:
    """Which of ``width`` tokens a packed row allows; those beyond it are forbidden."""
    bits = np.unpackbits(np.ascontiguousarray(row).view(np.uint8), bitorder="little")[:width]
    return np.pad(bits, (0, width - len(bits))) == 1


def masked(logits: np.ndarray, masks: np.ndarray, rows: list[int] | None) -> np.ndarray:
    """What `formwright.device.apply` must write."""
    out = logits.copy()
    for row in range(len(out)):
        of = row if rows is None else rows[row]
        if of == -1:
            continue
        known = masks[of] if 0 <= of < len(masks) else np.zeros(masks.shape[1], np.int32)
        out[row, ~unpack_row(known, out.shape[1])] = -np.inf
    return out


@dataclass
class NaiveDecoder:
    """Greedy or drawn choices by tables, a row at a time."""

    tables: DeviceTables
    states: list[int]
    left: list[int]
    scales: list[float]
    seeds: list[int]
    steps: int = 0

    def take(self, logits: np.ndarray) -> list[int]:
        """The token of each row, float32 logits given."""
        return [self._take_row(row, logits[row]) for row in range(len(logits))]

    def _take_row(self, row: int, logits: np.ndarray) -> int:
        scores, state, made = logits.copy(), self.states[row], self.tables
        scores[np.isnan(scores)] = np.inf
        if self.scales[row]:
            noise = gumbel(self.seeds[row], self.steps_of(row), len(scores))
            scores = (scores * np.float32(self.scales[row]) + noise).astype(np.float32)
        allowed = np.ones(len(scores), bool)
        if state >= 0:
            to = made.next[state, made.classes].astype(int)
            fits = np.where(to >= 0, made.need[to], 0) <= self.left[row] - 1
            allowed = unpack_row(made.masks[made.mask_of[state]], len(scores))
            allowed[: len(to)] &= fits
        token = int(np.flatnonzero(allowed & (scores == scores[allowed].max()))[0])
        if state >= 0:
            self.states[row] = int(made.next[state, made.classes[token]])
            self.left[row] -= 1
        self._taken[row] = self.steps_of(row) + 1
        return token

    def __post_init__(self) -> None:
        self._taken: dict[int, int] = {}

    def steps_of(self, row: int) -> int:
        return self._taken.get(row, 0)


def gumbel(seed: int, step: int, width: int) -> np.ndarray:
    """Philox 4x32-10, counted by token and step, as Gumbel noise."""
    counters = [np.arange(width, dtype=np.uint64), np.full(width, step, np.uint64), *np.zeros((2, width), np.uint64)]
    low, high = seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    for _ in range(10):
        first, second = counters[0] * np.uint64(0xD2511F53), counters[2] * np.uint64(0xCD9E8D57)
        counters = [
            second >> shift ^ counters[1] ^ np.uint64(low), second & mask,
            first >> shift ^ counters[3] ^ np.uint64(high), first & mask,
        ]  # fmt: skip
        low, high = (low + 0x9E3779B9) & 0xFFFFFFFF, (high + 0xBB67AE85) & 0xFFFFFFFF
    uniform = ((counters[0] >> np.uint64(9)).astype(np.float32) + np.float32(0.5)) * np.float32(2**-23)
    return -np.log(-np.log(uniform))
