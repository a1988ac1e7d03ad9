"""How many texts a form has up to a length, and texts drawn from them with equal probability.

::

    fw.regex("[ab]{1,3}").count()                   # 14
    fw.json_schema({"type": "integer"}).count(max_bytes=3)
    fw.form(Person).sample(100, seed=1, max_bytes=40)

The states of the form, byte by byte, are listed once; texts of exactly so many bytes are then counted from each state,
the shortest first. A number below their sum names one text: the texts are ordered by their length, and those of one
length by their bytes. So a uniform number gives a uniform text, and nothing is ever rejected (Goldwurm 1995, for
unambiguous descriptions; here the states are deterministic).

Cost: states times bytes, once; then a step for each byte of a text.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from typing import Any

from formwright._extras import needs
from formwright._kernel import Language
from formwright.errors import ArgumentError, LimitExceeded, OutputInvalid

__all__ = ["Texts", "count_texts", "make_strategy", "sample_texts"]

_MOST_STATES = 100_000
"""States of a form that are listed, at most."""

_MOST_COUNTS = 10_000_000
"""Words of 64 bits of the numbers that are kept, at most: one number for each state and length."""

_SHORTER = "give a smaller max_bytes="

_MORE = 16
"""Bytes beyond the shortest text that a strategy's texts may have."""


class Texts:
    """The texts of a language of at most so many bytes, in order: by length, then by their bytes.

    ``len`` is not offered, since there may be more than it can say: `total` is their number, and ``texts[index]`` is
    the text at a place.

    Args:
        language: The language.
        max_bytes: The length of the longest text; ``None`` if the language has finitely many.

    Raises:
        ArgumentError: It has infinitely many texts; they hold control tokens, or a part with a bound on its tokens;
            ``max_bytes`` is negative.
        LimitExceeded: It has too many states.
    """

    def __init__(self, language: Language, max_bytes: int | None) -> None:
        if language.control_tokens:
            raise ArgumentError("a text with control tokens has no bytes to be counted")
        if max_bytes is not None and (not isinstance(max_bytes, int) or max_bytes < 0):
            raise ArgumentError(f"max_bytes is a number of bytes, not {max_bytes!r}", argument="max_bytes")
        states = _list_states(language, max_bytes)
        self._accepting = [accepting for accepting, _ in states]
        self._edges = [edges for _, edges in states]
        self._counts = self._count(_longest(self._edges) if max_bytes is None else max_bytes)
        self._starts = [0, *accumulate(counts[0] for counts in self._counts)]
        self.total = self._starts[-1]

    def _count(self, max_bytes: int) -> list[list[int]]:
        """By length and state: how many texts go on from the state for exactly so many bytes."""
        if len(self._edges) * (max_bytes + 1) * (max_bytes // 64 + 1) > _MOST_COUNTS:
            raise LimitExceeded(
                f"limit reached: {len(self._edges)} states and {max_bytes} bytes are too many to count",
                hint=_SHORTER,
                limit="counts",
                value=len(self._edges) * (max_bytes + 1),
                allowed=_MOST_COUNTS,
            )
        ways = [list(Counter(target for _, target in edges).items()) for edges in self._edges]
        counts = [[int(accepting) for accepting in self._accepting]]
        for _ in range(max_bytes):
            last = counts[-1]
            counts.append([sum(last[target] * times for target, times in targets) for targets in ways])
        return counts

    def __getitem__(self, index: int) -> str:
        if not 0 <= index < self.total:
            raise IndexError(index)
        length = bisect_right(self._starts, index) - 1
        index -= self._starts[length]
        data, state = bytearray(), 0
        for left in reversed(range(length)):
            byte, state, index = self._step(state, left, index)
            data.append(byte)
        return data.decode()

    def _step(self, state: int, left: int, index: int) -> tuple[int, int, int]:
        """The next byte of the text at an index among those that go on for ``left`` more bytes, and what is left."""
        for byte, target in self._edges[state]:
            if index < self._counts[left][target]:
                return byte, target, index
            index -= self._counts[left][target]
        raise AssertionError("an index is below the number of texts")


def _list_states(language: Language, max_bytes: int | None) -> list[tuple[bool, list[tuple[int, int]]]]:
    """The states of a language, byte by byte. Raises LimitExceeded, and ArgumentError where they hold tokens."""
    try:
        return language.byte_automaton(_MOST_STATES, None if max_bytes is None else min(max_bytes, 2**32))
    except LimitExceeded as error:
        error.hint = error.hint or _SHORTER
        raise


def _longest(edges: list[list[tuple[int, int]]]) -> int:
    """The length of the longest way from the first state. Raises ArgumentError where there is none."""
    degrees = Counter(target for targets in edges for _, target in targets)
    longest, waiting, seen = [0] * len(edges), [0] if not degrees[0] else [], 0
    for state in waiting:
        seen += 1
        for _, target in edges[state]:
            longest[target] = max(longest[target], longest[state] + 1)
            degrees[target] -= 1
            if not degrees[target]:
                waiting.append(target)
    if seen < len(edges):
        raise ArgumentError("the form has infinitely many texts", hint="give max_bytes=", argument="max_bytes")
    return max(longest)


def count_texts(language: Language, max_bytes: int | None) -> int:
    """Return how many texts of at most so many bytes there are. Raises as `Texts`."""
    return Texts(language, max_bytes).total


def sample_texts(language: Language, number: int, seed: int | None, max_bytes: int | None) -> list[str]:
    """Return texts drawn independently, each with the same probability. Raises as `Texts`, or ArgumentError if none."""
    if not isinstance(number, int) or number < 0:
        raise ArgumentError(f"expected a number of texts, got {number!r}", argument="n")
    texts, random_ = _some_texts(language, max_bytes), random.Random(seed)
    return [texts[random_.randrange(texts.total)] for _ in range(number)]


def _some_texts(language: Language, max_bytes: int | None) -> Texts:
    """The texts, of which there is one at least. Raises as `Texts`, or ArgumentError if there is none."""
    texts = Texts(language, max_bytes)
    if not texts.total:
        shortest = len(language.example())
        raise ArgumentError(f"no text has at most {max_bytes} bytes: the shortest has {shortest}", argument="max_bytes")
    return texts


def make_strategy(form: Any, max_bytes: int | None) -> Any:
    """Return a strategy of hypothesis: values of a form, which shrink to the value of its shortest text.

    Raises:
        MissingDependency: hypothesis is not installed.
    """
    with needs("test", "a strategy of hypothesis"):
        from hypothesis import strategies
    most = len(form.language.example()) + _MORE if max_bytes is None else max_bytes
    texts = _some_texts(form.language, most)
    drawn = strategies.integers(0, texts.total - 1).map(texts.__getitem__)
    read = drawn.filter(lambda text: _is_read(form, text)).map(form.read)

    @strategies.composite
    def values_of(draw: Any, form: str, max_bytes: int) -> Any:  # the strategy is shown as this call
        return draw(read)

    return values_of(form.title, most)


def _is_read(form: Any, text: str) -> bool:
    """Whether the validators of a type accept a text of its form."""
    try:
        form.read(text)
    except OutputInvalid:
        return False
    return True
