"""CartesianMerge: the product of a language and the pairs of tokens that a tokenizer writes.

::

    spelled = Automaton(ways=[{b"a": 1, b"ab": 2}, {b"b": 2}, {}], accepting=frozenset({2}))
    cartesian_merge(spelled, lambda a, b: (a, b) != (b"a", b"b")).edges     # 1: `ab`

A state is a pair: a state of the language, and the token before it. An edge is a token that the language allows and
that may follow the token before it. Only *live* pairs are kept, those on a path to an end: a token may be allowed by
the language, follow the one before it, and yet lead to a pair that no token may follow.

Cost: states of the language times tokens before them. For a tokenizer that cuts texts into pieces, ``may_follow``
must know where pieces end; here all of a text is one piece.
"""

from __future__ import annotations

from collections.abc import Callable

from formwright.reference.canonical.automata import Automaton

__all__ = ["cartesian_merge"]


def cartesian_merge(spelled: Automaton, may_follow: Callable[[bytes, bytes], bool]) -> Automaton:
    """Keep the spellings whose neighbouring tokens may all be side by side.

    Args:
        spelled: An automaton over tokens, of all spellings.
        may_follow: Whether the second of two tokens may follow the first.
    """
    start: tuple[int, bytes | None] = (0, None)
    numbers = {start: 0}
    pending = [start]
    ways: list[dict[bytes, int]] = []
    for at, last in pending:
        found: dict[bytes, int] = {}
        for token, to in spelled.ways[at].items():
            if last is None or may_follow(last, token):
                target = (to, token)
                if target not in numbers:
                    numbers[target] = len(numbers)
                    pending.append(target)
                found[token] = numbers[target]
        ways.append(found)
    accepting = frozenset(number for (at, _), number in numbers.items() if at in spelled.accepting)
    return Automaton(ways=ways, accepting=accepting).trim()
