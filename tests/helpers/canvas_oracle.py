"""What a canvas says, by brute force: every filling of a small one, and a form as all of its texts."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import formwright as fw
from formwright.masks.canvas import Canvas

Filling = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """A form whose texts can be listed up to a length, a small vocabulary with two ends of text, and a canvas."""

    pattern: str
    tokens: tuple[bytes, ...]
    length: int
    after: int

    @classmethod
    def draw(cls, seed: int) -> Case:
        """A random one."""
        chance = random.Random(seed)
        letters = "abc"[: chance.randint(1, 3)]
        words = {"".join(chance.choices(letters, k=chance.choice([2, 2, 3]))) for _ in range(chance.randint(0, 4))}
        kept = [letter for letter in letters if chance.random() < 0.9]
        tokens = tuple(sorted(word.encode() for word in {*words, *kept})) or (b"a",)
        after = chance.choice([0, 0, 1, 2])
        return cls(_pattern(chance, letters, 3), tokens, chance.randint(1, 4), after)

    @cached_property
    def vocabulary(self) -> fw.Vocabulary:
        """The ends of text come first and last, and there is a logit that belongs to no token."""
        ends = [0, len(self.tokens) + 1]
        return fw.Vocabulary([None, *self.tokens, None], eos_token_ids=ends, logits_size=len(self.tokens) + 3)

    @property
    def form(self) -> fw.Form[str]:
        return fw.regex(self.pattern)

    @property
    def states(self) -> list[tuple[bool, list[tuple[int, int]]]]:
        """By state of the bytes of the form: whether a text may end there, and the bytes that lead to other states."""
        return self.form.language.byte_automaton(10_000)

    @cached_property
    def steps(self) -> list[dict[int, int]]:
        """By state: the state after each token; -1 is after the end of a text."""
        states = self.states
        edges = [dict(out) for _, out in states]
        steps: list[dict[int, int]] = []
        for state, (may_end, _) in enumerate(states):
            steps.append({0: -1, len(self.tokens) + 1: -1} if may_end else {})
            for token, text in enumerate(self.tokens, 1):
                at: int | None = state
                for byte in text:
                    at = edges[at].get(byte) if at is not None else None
                if at is not None:
                    steps[-1][token] = at
        return [*steps, {0: -1, len(self.tokens) + 1: -1}]  # the last one is steps[-1]

    def ends_within(self, state: int, tokens: int) -> bool:
        """Whether at most so many tokens lead from a state to the end of a text."""
        reached = {state}
        for _ in range(tokens):
            reached |= {to for at in reached for to in self.steps[at].values()}
        return any(at == -1 or 0 in self.steps[at] for at in reached)

    def fillings(self, known: Sequence[int | None]) -> Iterator[Filling]:
        """All of them, by going from left to right."""
        open_: list[tuple[Filling, int]] = [((), 0)]
        while open_:
            filling, state = open_.pop()
            if len(filling) == self.length:
                if self.ends_within(state, self.after):
                    yield filling
                continue
            wanted = known[len(filling)]
            for token, to in self.steps[state].items():
                if wanted in (None, token):
                    open_.append(((*filling, token), to))


Rules = dict[str, list[list[str]]]


@dataclass(frozen=True)
class NestedCase(Case):
    """The same of a grammar, whose pattern is its text in the notation of Lark."""

    rules: Rules

    @classmethod
    def draw(cls, seed: int) -> NestedCase:
        """A random one."""
        chance = random.Random(seed)
        drawn = Case.draw(seed)
        names = ["start", "x", "y"][: chance.randint(1, 3)]
        parts = [*"abc"[: chance.randint(1, 3)], *names]
        rules = {
            name: [chance.choices(parts, k=chance.randint(0, 3)) for _ in range(chance.randint(2, 3))] for name in names
        }
        rules["start"].append(["a", "start", chance.choice("ab")])
        text = "\n".join(f"{name}: {' | '.join(_alternative(parts) for parts in rules[name])}" for name in names)
        repeated = chance.choice("ab") * chance.randint(3, 4)
        length = min(drawn.length, 4 - drawn.after)
        longest = 8 // (length + drawn.after)  # else there are too many texts
        tokens = sorted(token for token in {*drawn.tokens, repeated.encode()} if len(token) <= longest)
        return cls(text, tuple(tokens) or (b"a",), length, drawn.after, rules)

    @property
    def form(self) -> fw.Form[Any]:
        return fw.grammar(self.pattern)

    @property
    def states(self) -> list[tuple[bool, list[tuple[int, int]]]]:
        """A state for each beginning of a text that has room."""
        texts = self.texts((self.length + self.after) * max(map(len, self.tokens)))
        beginnings = sorted(
            {text[:end] for text in texts for end in range(len(text) + 1)}, key=lambda text: (len(text), text)
        )
        numbers = {beginning: number for number, beginning in enumerate(beginnings)}
        edges: list[list[tuple[int, int]]] = [[] for _ in beginnings]
        for beginning in beginnings[1:]:
            edges[numbers[beginning[:-1]]].append((ord(beginning[-1]), numbers[beginning]))
        return [(beginning in texts, edges[number]) for number, beginning in enumerate(beginnings)] or [(False, [])]

    def texts(self, most: int) -> set[str]:
        """All texts of at most so many bytes, as the least fixpoint of the rules."""
        found: dict[str, set[str]] = {name: set() for name in self.rules}
        while True:
            made = {
                name: {text for parts in alternatives for text in _concatenate(parts, found, most)}
                for name, alternatives in self.rules.items()
            }
            if made == found:
                return found["start"]
            found = made


def _alternative(parts: list[str]) -> str:
    return " ".join(part if len(part) > 1 or part in "xy" else f'"{part}"' for part in parts)


def _concatenate(parts: list[str], found: dict[str, set[str]], most: int) -> set[str]:
    texts = {""}
    for part in parts:
        # Shortest first: what follows a text that leaves no more room is not even looked at.
        following = sorted(found.get(part, {part}), key=len)
        texts = {text + more for text in texts for more in _up_to(most - len(text), following)}
    return texts


def _up_to(room: int, texts: list[str]) -> Iterator[str]:
    return itertools.takewhile(lambda text: len(text) <= room, texts)


def _pattern(chance: random.Random, letters: str, depth: int) -> str:
    """A random regular expression over some letters."""
    kind = chance.randrange(5) if depth else 0
    if kind == 0:
        return "".join(chance.choices(letters, k=chance.randint(1, 2)))
    one, other = (_pattern(chance, letters, depth - 1) for _ in range(2))
    if kind == 1:
        return f"({one}|{other})"
    if kind == 2:
        return f"({one}){chance.choice(['*', '?', '+', '{0,2}', '{2,3}'])}"
    return one + other


def rows_of(canvas: Canvas, vocabulary: fw.Vocabulary) -> list[set[int] | None]:
    """By position: the tokens that a canvas allows in a hole."""
    mask = np.full((len(canvas), vocabulary.mask_words), -1, dtype=np.int32)
    index = canvas.fill_bitmasks(mask)
    bits = np.unpackbits(mask.view(np.uint8), axis=1, bitorder="little")
    assert len(np.unique(mask[: index.max() + 1], axis=0)) == index.max() + 1, "rows are distinct"
    return [set(np.flatnonzero(bits[row]).tolist()) if row >= 0 else None for row in index]


def wanted_rows(fillings: Sequence[Filling], known: Sequence[int | None]) -> list[set[int] | None]:
    """The same of all fillings."""
    return [{filling[at] for filling in fillings} if token is None else None for at, token in enumerate(known)]
