"""Vegas delimiters: what happens between them stays there, so a part is merged once, wherever it occurs.

::

    from formwright.reference.canonical import direct_merge, make_form_automaton

    seams = Seams([b"a", b"b", b"ab", b" ", b" a"])
    seams.is_seam(b"b", b" ")                 # True: no token holds `b` and a space side by side
    seams.is_seam(b" ", b"a")                 # False
    key, value = make_form_automaton(fw.regex(" ab:")), make_form_automaton(fw.regex(" b"))
    merge = PartMerger(seams, lambda texts: direct_merge(texts, [(b"a", b"b")]))
    merge([key, value, key, value]).accepts([b" ", b"ab", b":", b" ", b"b"] * 2)     # True
    merge.merges                              # 2

A *seam* is a place between two bytes that no token holds side by side. No merge crosses it, so the spelling
of one side does not depend on the other. So the parts of an expression with seams between them are merged separately,
and a part that occurs again, or that is in a library of common types, is not merged again. Here all of a text is one
piece.

Cost: the pairs of bytes of a vocabulary, and one merge for each different part. Parts without a seam between them are
merged as one part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from formwright.reference.canonical.automata import Automaton

__all__ = ["PartMerger", "Seams", "concatenate"]


class Seams:
    """The places that no merge of a vocabulary can cross.

    Args:
        tokens: All tokens that merges make.
    """

    def __init__(self, tokens: Iterable[bytes]) -> None:
        self._held = {token[at : at + 2] for token in tokens for at in range(len(token) - 1)}

    def is_seam(self, left: bytes, right: bytes) -> bool:
        """Whether there is a seam between two texts, neither of them empty."""
        return left[-1:] + right[:1] not in self._held

    def find_openings(self) -> frozenset[bytes]:
        """Find the bytes with a seam before them, after every other byte; see `is_seam` for two equal bytes."""
        return frozenset(map(_make_byte, range(256))) - {pair[1:] for pair in self._held if pair[0] != pair[1]}

    def find_closings(self) -> frozenset[bytes]:
        """Find the bytes with a seam after them, before every other byte; see `is_seam` for two equal bytes."""
        return frozenset(map(_make_byte, range(256))) - {pair[:1] for pair in self._held if pair[0] != pair[1]}

    def split_parts(self, texts: Sequence[Automaton]) -> list[Automaton]:
        """Join neighbouring texts until there is a seam between each two."""
        joined = list(texts[:1])
        for part in texts[1:]:
            ends, begins = _list_last(joined[-1]), _list_first(part)
            are_apart = all(self.is_seam(left, right) for left in ends for right in begins)
            if are_apart and 0 not in part.accepting and 0 not in joined[-1].accepting:
                joined.append(part)
            else:
                joined[-1] = concatenate([joined[-1], part]).minimize()
        return joined


class PartMerger:
    """Merges texts part by part, each part once.

    Args:
        seams: Those of the vocabulary.
        merge: Turns an automaton over bytes into one over the tokens that the tokenizer writes for it.
        library: Parts to merge at once, such as a string, a number, a date.
    """

    def __init__(
        self, seams: Seams, merge: Callable[[Automaton], Automaton], library: Iterable[Automaton] = ()
    ) -> None:
        self.seams, self.merges = seams, 0
        self._merge = merge
        self._merged: dict[tuple[object, ...], Automaton] = {}
        for part in library:
            self._merge_once(part)

    def __call__(self, texts: Sequence[Automaton]) -> Automaton:
        """Make the automaton of what the tokenizer writes for some texts, one after the other."""
        return concatenate([self._merge_once(part) for part in self.seams.split_parts(texts)])

    def _merge_once(self, part: Automaton) -> Automaton:
        smallest = part.minimize()
        key = (*(tuple(sorted(ways.items())) for ways in smallest.ways), smallest.accepting)
        if key not in self._merged:
            self.merges += 1
            self._merged[key] = self._merge(part)
        return self._merged[key]


def concatenate(parts: Sequence[Automaton]) -> Automaton:
    """Join automata: a text of each, one after the other; by sets of states (Rabin and Scott 1959)."""
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
    return Automaton(ways=ways, accepting=frozenset(ends)).trim()


def _make_byte(number: int) -> bytes:
    return bytes([number])


def _list_first(texts: Automaton) -> set[bytes]:
    return set(texts.ways[0])


def _list_last(texts: Automaton) -> set[bytes]:
    return {letter for ways in texts.ways for letter, to in ways.items() if to in texts.accepting}
