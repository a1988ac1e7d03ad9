"""DirectMerge: edit an automaton, merge by merge, until it spells its texts as a tokenizer does.

::

    merge_all([b"a", b"b", b"a", b"a"], [(b"a", b"b"), (b"a", b"a")])     # [b"ab", b"aa"]
    texts = Automaton(ways=[{b"a": 1}, {b"b": 2}, {}], accepting=frozenset({2}))
    direct_merge(texts, [(b"a", b"b")]).edges                             # 1: `ab`

The textbook way to merge a text: for each pair (a, b) of the table, in order, one pass from left to right that joins
each a with a b after it. `direct_merge` makes the same pass over all texts at once.

Of two different letters: where an a leads into a state that a b leaves, the a must then be followed by something
else, and the b preceded by something else. So the state is split by the letter that led into it.

Of equal letters, pairs are taken from the left: in a run of a's every second one ends a pair. So first states are
split by whether an even or an odd number of a's came last, and then a pair begins in even states alone.

Cost: for each merge, the states that one of its letters leads into. A loop of a's must lead into the copy of
its state, so edges are redirected before they are copied. And a table has an order: where a tokenizer gives several
merges the same priority, as SentencePiece does to runs of spaces, it takes the leftmost pair of all of them, which no
table can express.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from formwright.reference.canonical.automata import Automaton

__all__ = ["direct_merge", "merge_all"]

Pair = tuple[bytes, bytes]


def merge_all(letters: Iterable[bytes], merges: Iterable[Pair]) -> list[bytes]:
    """Merge the letters of one text, as in the textbook: for each pair in turn, one pass from left to right."""
    text = list(letters)
    for a, b in merges:
        merged: list[bytes] = []
        for letter in text:
            # What was just merged is longer than `a`, so it is not a beginning of another pair.
            if letter == b and merged and merged[-1] == a:
                merged[-1] = a + b
            else:
                merged.append(letter)
        text = merged
    return text


def direct_merge(automaton: Automaton, merges: Iterable[Pair]) -> Automaton:
    """Make the automaton of all texts of ``automaton``, each spelled as `merge_all` spells it."""
    editor = _Editor(automaton)
    for a, b in merges:
        if a == b:
            editor.join_equal_pairs(a)
        else:
            editor.join_pairs(a, b, editor.find_targets(a))
    return editor.build_automaton()


class _Editor:
    """An automaton that is being changed, with its edges by letter."""

    def __init__(self, automaton: Automaton) -> None:
        self.ways: list[dict[bytes, int]] = [dict(ways) for ways in automaton.ways]
        self.accepting = set(automaton.accepting)
        self.into: list[set[tuple[int, bytes]]] = [set() for _ in self.ways]
        self.by_letter: dict[bytes, set[int]] = {}
        for source, ways in enumerate(self.ways):
            for letter, target in ways.items():
                self._index_edge(source, letter, target)

    def build_automaton(self) -> Automaton:
        return Automaton(ways=self.ways, accepting=frozenset(self.accepting)).trim()

    def find_targets(self, letter: bytes) -> list[int]:
        """Find the states that a letter leads into."""
        return sorted({self.ways[source][letter] for source in self.by_letter.get(letter, ())})

    def _index_edge(self, source: int, letter: bytes, target: int) -> None:
        self.into[target].add((source, letter))
        self.by_letter.setdefault(letter, set()).add(source)

    def add_edge(self, source: int, letter: bytes, target: int) -> None:
        self.remove_edge(source, letter)
        self.ways[source][letter] = target
        self._index_edge(source, letter, target)

    def remove_edge(self, source: int, letter: bytes) -> None:
        target = self.ways[source].pop(letter, None)
        if target is not None:
            self.into[target].discard((source, letter))
            self.by_letter[letter].discard(source)

    def add_state(self, like: int) -> int:
        """Add a state without edges, which accepts if another one does."""
        state = len(self.ways)
        self.ways.append({})
        self.into.append(set())
        if like in self.accepting:
            self.accepting.add(state)
        return state

    def join_pairs(self, a: bytes, b: bytes, states: Sequence[int]) -> None:
        """Join each ``a`` that leads into one of some states with the ``b`` after it."""
        for state in states:
            after = self.ways[state].get(b)
            sources = [source for source, letter in self.into[state] if letter == a]
            if after is None or not sources:
                continue
            for source in sources:
                self.add_edge(source, a + b, after)
            has_other_source = state == 0 or any(letter != a for _, letter in self.into[state])
            has_other_end = state in self.accepting or any(letter != b for letter in self.ways[state])
            if has_other_end and has_other_source:
                copy = self.add_state(state)
                for source in sources:
                    self.add_edge(source, a, copy)
                for letter, target in list(self.ways[state].items()):
                    if letter != b:
                        self.add_edge(copy, letter, target)
            elif has_other_end:
                self.remove_edge(state, b)
            else:
                for source in sources:
                    self.remove_edge(source, a)
                for letter in () if has_other_source else list(self.ways[state]):
                    self.remove_edge(state, letter)  # the state can no longer be reached

    def join_equal_pairs(self, a: bytes) -> None:
        """Join pairs of ``a``, from the left."""
        sources = self.by_letter.get(a, set())
        even = [state for state in self.find_targets(a) if state in sources]
        odd = {state: self.add_state(state) for state in even}
        for state in even:
            for letter, target in list(self.ways[state].items()):
                self.add_edge(odd[state], letter, target)
        for source in list(self.by_letter.get(a, ())):
            target = self.ways[source][a]
            if target in odd and source not in odd.values():
                self.add_edge(source, a, odd[target])
        self.join_pairs(a, a, list(odd.values()))
