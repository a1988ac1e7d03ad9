"""Deterministic automata whose letters are byte strings: characters, or trimmed tokens.

::

    automaton = make_form_automaton(fw.regex("(a|b)c"))
    automaton.accepts([b"a", b"c"])       # True
    automaton.states, automaton.edges     # (3, 3)

State 0 is the start. Only states on a path from the start to an accepting state are kept.

Cost: plain dictionaries; a few hundred thousand edges are fine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from formwright.forms.coerce import form as as_form

__all__ = ["Automaton", "make_form_automaton"]

MAX_STATES = 10_000


@dataclass(frozen=True)
class Automaton:
    """An automaton over byte strings.

    Attributes:
        ways: By state: where each letter leads.
        accepting: The states in which a text may end.
    """

    ways: Sequence[Mapping[bytes, int]]
    accepting: frozenset[int]

    @property
    def states(self) -> int:
        """How many states there are."""
        return len(self.ways)

    @property
    def edges(self) -> int:
        """How many edges there are."""
        return sum(map(len, self.ways))

    def accepts(self, letters: Iterable[bytes]) -> bool:
        """Whether a sequence of letters leads from the start to an accepting state."""
        state: int | None = 0
        for letter in letters:
            state = self.ways[state].get(letter) if state is not None else None
        return state in self.accepting

    def trim(self) -> Automaton:
        """Keep the states on accepting paths, numbered as they are first reached, letters in order."""
        before: list[list[int]] = [[] for _ in self.ways]
        for state, ways in enumerate(self.ways):
            for target in ways.values():
                before[target].append(state)
        live = _find_reachable(self.accepting, before)
        after = [[to for _, to in sorted(ways.items())] for ways in self.ways]
        order = [state for state in _find_reachable([0], after) if state in live]
        number = {state: at for at, state in enumerate(order)}
        if 0 not in number:
            return Automaton(ways=[{}], accepting=frozenset())
        kept = [{letter: number[to] for letter, to in self.ways[at].items() if to in number} for at in order]
        return Automaton(ways=kept, accepting=frozenset(number[state] for state in self.accepting if state in number))

    def minimize(self) -> Automaton:
        """Make the smallest automaton of the same texts: split classes of states until none is split (Moore 1956).

        Two automata of the same texts have equal smallest ones.
        """
        trimmed = self.trim()
        classes = [int(state in trimmed.accepting) for state in range(trimmed.states)]
        while True:
            seen = [
                (classes[at], tuple(sorted((letter, classes[to]) for letter, to in ways.items())))
                for at, ways in enumerate(trimmed.ways)
            ]
            numbers = {signature: number for number, signature in enumerate(dict.fromkeys(seen))}
            split = [numbers[signature] for signature in seen]
            if len(numbers) == len(set(classes)):
                break
            classes = split
        first = {number: at for at, number in reversed(list(enumerate(split)))}
        ways = [{letter: split[to] for letter, to in trimmed.ways[first[at]].items()} for at in range(len(numbers))]
        return Automaton(ways=ways, accepting=frozenset(split[at] for at in trimmed.accepting)).trim()


def make_form_automaton(form: Any, *, most_states: int = MAX_STATES) -> Automaton:
    """Make the smallest automaton over bytes of a form with finitely many states.

    Args:
        form: Anything `formwright.form` takes that has finitely many states: a regular expression, a choice, a schema
            without recursion.
        most_states: The limit of states.

    Raises:
        LimitExceeded: The form has more states.
    """
    states = as_form(form).language.byte_automaton(most_states)
    ways = [{bytes([byte]): to for byte, to in edges} for _, edges in states]
    accepting = frozenset(at for at, (is_end, _) in enumerate(states) if is_end)
    return Automaton(ways=ways, accepting=accepting).minimize()


def _find_reachable(start: Iterable[int], ways: Sequence[Sequence[int]]) -> dict[int, None]:
    """Find all states that some states lead to, in the order in which they are met."""
    reached = dict.fromkeys(start)
    pending = list(reached)
    for state in pending:
        new = dict.fromkeys(to for to in ways[state] if to not in reached)
        reached |= new
        pending += new
    return reached
