"""Pieces of text: one for each token, held back where a stop text may begin."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formwright.errors import ArgumentError
from formwright.generation.held_text import Held


def run(stop: Any, tokens: list[bytes]) -> tuple[list[str], str, bool]:
    held = Held(stop)
    texts = []
    for token_id, token in enumerate(tokens):
        texts += [piece.text for piece in held.add(token_id, token)]
        if held.is_stopped:
            break
    texts += [piece.text for piece in held.rest()]
    return texts, held.text, held.is_stopped


@pytest.mark.parametrize(
    ("stop", "tokens", "expected"),
    [
        (None, [b"a", b"b"], (["a", "b"], "ab", False)),
        (None, ["é".encode()[:1], "é".encode()[1:]], (["", "é"], "é", False)),
        ("END", [b"some E", b"ND", b"x"], (["some ", ""], "some ", True)),
        ("END", [b"some E", b"ach"], (["some E", "ach"], "some Each", False)),
        ("END", [b"some E"], (["some E"], "some E", False)),
        (["\n", "b"], [b"ab\n"], (["a"], "a", True)),
        ("aab", [b"a", b"a", b"a", b"b"], (["a", "", "", ""], "a", True)),
        ("a", [b"a"], ([""], "", True)),
    ],
)
def test_pieces(stop: Any, tokens: list[bytes], expected: Any) -> None:
    assert run(stop, tokens) == expected


@given(st.lists(st.text("ab\n", max_size=3), max_size=8), st.lists(st.text("ab\n", min_size=1, max_size=3), max_size=2))
def test_pieces_join_to_the_text_before_the_first_stop(tokens: list[str], stop: list[str]) -> None:
    texts, text, is_stopped = run(stop, [token.encode() for token in tokens])
    assert "".join(texts) == text
    whole = "".join(tokens)
    found = [whole.find(one) for one in stop if one in whole]
    assert is_stopped is bool(found)
    if not found:
        assert text == whole
    else:  # of several, the one that is complete first counts
        assert whole.startswith(text)
        assert any(whole.startswith(one, len(text)) for one in stop)


@pytest.mark.parametrize("stop", ["", ["a", ""], [b"a"], 5, lambda: True])
def test_stop_is_texts(stop: Any) -> None:
    with pytest.raises((ArgumentError, TypeError)):
        Held(stop)
