"""Vegas delimiters: what happens between them stays there, so a part is merged once, wherever it occurs.

::

    from formwright.reference.canonical import direct_merge, form_automaton

    seams = Seams([b"a", b"b", b"ab", b" ", b" a"])
    seams.between(b"b", b" ")                 # True: no token holds `b` and a space side by side
    seams.between(b" ", b"a")                 # False
    key, value = form_automaton(fw.regex(" ab:")), form_automaton(fw.regex(" b"))
    merge = Parts(seams, lambda texts: direct_merge(texts, [(b"a", b"b")]))
    merge([key, value, key, value]).accepts([b" ", b"ab", b":", b" ", b"b"] * 2)     # True
    merge.merges                              # 2

A *seam* is a place between two bytes that no token holds side by side. No merge crosses it: whatever stands on one
side, the other is spelled alike. So of an expression with a seam between its parts, each part is merged by itself; one
that occurs again, or one that is kept in a library of common types, need not be merged again. Here all of a text is one
piece.

Cost: the pairs of bytes of a vocabulary; and of each part, its own merge, once. Wrinkle: parts with no seam between
them are merged as one part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from formwright.reference.canonical.automata import Automaton

__all__ = ["Parts", "Seams", "concatenate"]


class Seams:
    """Where no merge of a vocabulary can cross.

    Args:
        tokens: All tokens that merging makes.
    """

    def __init__(self, tokens: Iterable[bytes]) -> None:
        self._held = {token[at : at + 2] for token in tokens for at in range(len(token) - 1)}

    def between(self, left: bytes, right: bytes) -> bool:
        """Whether there is a seam between two texts, neither of them empty."""
        return left[-1:] + right[:1] not in self._held

    def openings(self) -> frozenset[bytes]:
        """Bytes with a seam before them, whatever other byte stands there; of two equal bytes, `between` tells."""
        return frozenset(map(_byte, range(256))) - {pair[1:] for pair in self._held if pair[0] != pair[1]}

    def closings(self) -> frozenset[bytes]:
        """Bytes with a seam behind them, whatever other byte stands there; of two equal bytes, `between` tells."""
        return frozenset(map(_byte, range(256))) - {pair[:1] for pair in self._held if pair[0] != pair[1]}

    def parts(self, texts: Sequence[Automaton]) -> list[Automaton]:
        """The same texts one after the other, in parts with a seam between each two of them."""
        joined = list(texts[:1])
        for part in texts[1:]:
            ends, begins = _last(joined[-1]), _first(part)
            is_seam = all(self.between(left, right) for left in ends for right in begins)
            if is_seam and 0 not in part.accepting and 0 not in joined[-1].accepting:
                joined.append(part)
            else:
                joined[-1] = concatenate([joined[-1], part]).minimal()
        return joined


class Parts:
    """Merges texts part by part, each part once.

    Args:
        seams: Those of the vocabulary.
        merge: From an automaton over bytes to one over the tokens that the tokenizer writes of it.
        library: Parts that are merged right away, such as a string, a number, a date.
    """

    def __init__(
        self, seams: Seams, merge: Callable[[Automaton], Automaton], library: Iterable[Automaton] = ()
    ) -> None:
        self.seams, self.merges = seams, 0
        self._merge = merge
        self._merged: dict[tuple[object, ...], Automaton] = {}
        for part in library:
            self._once(part)

    def __call__(self, texts: Sequence[Automaton]) -> Automaton:
        """What the tokenizer writes of some texts, one after the other."""
        return concatenate([self._once(part) for part in self.seams.parts(texts)])

    def _once(self, part: Automaton) -> Automaton:
        smallest = part.minimal()
        key = (*(tuple(sorted(ways.items())) for ways in smallest.ways), smallest.accepting)
        if key not in self._merged:
            self.merges += 1
            self._merged[key] = self._merge(part)
        return self._merged[key]


def concatenate(parts: Sequence[Automaton]) -> Automaton:
    """A text of each of some automata, one after the other; by sets of states (Rabin and Scott 1959)."""
    if not parts:
        return Automaton(ways=[{}], accepting=frozenset({0}))

    def close_states(states: Iterable[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        pending = list(states)
        for part, at in pending:
            if at in parts[part].accepting and part + 1 < len(parts):
                pending.append((part + 1, 0))
        return frozenset(pending)

    start = close_states([(0, 0)])
    numbers, pending, ways = {start: 0}, [start], []
    for states in pending:
        found: dict[bytes, set[tuple[int, int]]] = {}
        for part, at in states:
            for letter, to in parts[part].ways[at].items():
                found.setdefault(letter, set()).add((part, to))
        targets = {letter: close_states(reached) for letter, reached in found.items()}
        pending += dict.fromkeys(target for target in targets.values() if target not in numbers)
        for target in targets.values():
            numbers.setdefault(target, len(numbers))
        ways.append({letter: numbers[target] for letter, target in targets.items()})
    last = len(parts) - 1
    ends = (
        number for states, number in numbers.items() if any(p == last and at in parts[p].accepting for p, at in states)
    )
    return Automaton(ways=ways, accepting=frozenset(ends)).trimmed()


def _byte(number: int) -> bytes:
    return bytes([number])


def _first(texts: Automaton) -> set[bytes]:
    return set(texts.ways[0])


def _last(texts: Automaton) -> set[bytes]:
    return {letter for ways in texts.ways for letter, to in ways.items() if to in texts.accepting}
