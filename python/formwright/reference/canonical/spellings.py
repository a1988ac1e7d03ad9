"""Make the automaton of all spellings of a language: an edge for each token, from each state that can read it.

::

    texts = Automaton(ways=[{b"a": 1}, {b"b": 2}, {}], accepting=frozenset({2}))
    make_token_automaton(texts, [b"a", b"b", b"ab", b"ba"]).edges     # 3

This is what constrained decoding with a finite-state machine does (Willard and Louf 2023): a token may come if its
bytes lead from the state to another one. It lets every spelling through, also those that the tokenizer never writes.

Cost: each token of bytes that occur in the texts is walked from each state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from formwright.reference.canonical.automata import Automaton

__all__ = ["make_token_automaton"]


def make_token_automaton(texts: Automaton, tokens: Iterable[bytes]) -> Automaton:
    """Make the automaton of all sequences of ``tokens`` that spell a text of an automaton over bytes."""
    letters = {letter[0] for ways in texts.ways for letter in ways}
    spelled = [token for token in dict.fromkeys(tokens) if token and letters.issuperset(token)]
    ways = [
        {token: to for token in spelled if (to := _read_token(texts, at, token)) is not None}
        for at in range(texts.states)
    ]
    return Automaton(ways=ways, accepting=texts.accepting).trim()


def _read_token(texts: Automaton, state: int, token: bytes) -> int | None:
    """Return the state after the bytes of a token; ``None`` if the automaton cannot read them."""
    at: int | None = state
    for byte in token:
        ways: Mapping[bytes, int] = texts.ways[at] if at is not None else {}
        at = ways.get(bytes([byte]))
    return at
