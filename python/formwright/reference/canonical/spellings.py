"""All spellings of a language: an edge for each token, from each state it can be read in.

::

    texts = Automaton(ways=[{b"a": 1}, {b"b": 2}, {}], accepting=frozenset({2}))
    token_automaton(texts, [b"a", b"b", b"ab", b"ba"]).edges     # 3

This is what constrained decoding with a finite-state machine does (Willard and Louf 2023): a token may come if its
bytes lead from the state to another one. It lets every spelling through, also those that the tokenizer never writes.

Cost: each token of bytes that occur in the texts is walked from each state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from formwright.reference.canonical.automata import Automaton

__all__ = ["token_automaton"]


def token_automaton(texts: Automaton, tokens: Iterable[bytes]) -> Automaton:
    """The automaton of all sequences of ``tokens`` that spell a text of an automaton over bytes."""
    letters = {letter[0] for ways in texts.ways for letter in ways}
    spelled = [token for token in dict.fromkeys(tokens) if token and letters.issuperset(token)]
    ways = [
        {token: to for token in spelled if (to := _read(texts, at, token)) is not None} for at in range(texts.states)
    ]
    return Automaton(ways=ways, accepting=texts.accepting).trimmed()


def _read(texts: Automaton, state: int, token: bytes) -> int | None:
    at: int | None = state
    for byte in token:
        ways: Mapping[bytes, int] = texts.ways[at] if at is not None else {}
        at = ways.get(bytes([byte]))
    return at
