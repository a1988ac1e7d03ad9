"""The oracle itself, against definitions simpler than it."""

from __future__ import annotations

import doctest
import itertools
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formwright.reference import languages
from formwright.reference.languages import (
    EMPTY,
    NOTHING,
    Both,
    Characters,
    Not,
    after,
    allowed_tokens,
    alternative,
    choice,
    json_array,
    json_object,
    json_string,
    json_value,
    literal,
    matches,
    repeat,
    sequence,
)

ANY = Characters(((0, 0x10FFFF),))


def test_its_examples() -> None:
    assert doctest.testmod(languages).failed == 0


@given(st.characters(exclude_categories=["Cs"]))
def test_every_character_is_one_character(character: str) -> None:
    assert matches(ANY, character.encode())
    assert not matches(ANY, (character + "a").encode())


@given(st.binary(min_size=1, max_size=4))
def test_bytes_live_exactly_if_some_text_begins_with_them(text: bytes) -> None:
    tails = (b"", b"\x80", b"\xbf", b"\x80\x80", b"\xbf\xbf", b"\x80\x80\x80", b"\xbf\xbf\xbf", b"\x9f", b"\x90")
    grids = itertools.product(tails, (b"", b"\x80", b"\x80\x80", b"\xbf", b"\xbf\xbf"))

    def decodes(candidate: bytes) -> bool:
        try:
            candidate.decode()
        except UnicodeDecodeError:
            return False
        return True

    expected = any(decodes(text + one + two) for one, two in grids)
    assert after(repeat(ANY), text).is_alive() is expected


@given(st.text("ab", max_size=6))
def test_operations_agree_with_re(text: str) -> None:
    language = sequence(repeat(choice(["a", "ba"]), 1, 3), alternative(literal("b"), EMPTY))
    assert matches(language, text.encode()) is bool(re.fullmatch("(?:a|ba){1,3}b?", text))


@given(st.text("ab", max_size=5))
def test_both_and_not(text: str) -> None:
    left, right = repeat(choice(["a", "b"]), 0, 4), sequence(literal("a"), repeat(ANY))
    assert matches(Both(left, Not(right)), text.encode()) is bool(re.fullmatch("[ab]{0,4}", text) and text[:1] != "a")


def test_a_dead_end_under_not_is_seen() -> None:
    words = choice(["a", "ab"])
    assert not Both(words, Not(words)).is_alive()
    assert Both(words, Not(literal("a"))).is_alive()
    assert sorted(allowed_tokens(Both(words, Not(literal("ab"))), b"a", {0: b"b"}, ends={1})) == [1]


def test_tokens_may_stop_inside_a_character() -> None:
    vocabulary = dict(enumerate([b"\xe4\xbd", b"\xe4\xbe", b"\xa0", b"\xbd\xa0", b"\xe4\xbd\xa0\xe5", b"x"]))
    assert allowed_tokens(literal("你"), b"", vocabulary) == {0}
    assert allowed_tokens(literal("你"), b"\xe4", vocabulary) == {3}
    assert allowed_tokens(literal("你好"), b"", vocabulary) == {0, 4}


@pytest.mark.parametrize(
    "value", [{}, [], "", 'a"\\\n\x01é😀', 0, -12.5, [1, [2, {"a": None}], True], {"k": {"k": []}}]
)
def test_json_values(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    assert matches(json_value(), text)
    assert all(after(json_value(), text[:end]).is_alive() for end in range(len(text)))


@pytest.mark.parametrize("text", ["", "01", "+1", "1.", "{,}", "[1,]", '{"a"}', "'a'", '"\n"', '"\\x"', "tru", "[]]"])
def test_no_json_values(text: str) -> None:
    assert not matches(json_value(), text.encode())


def test_json_parts() -> None:
    pair = json_object(('"a"', json_array(choice(["1"]), 1, 2), True), ('"b"', json_string(1, 1), False))
    assert matches(pair, b'{"a":[1]}')
    assert matches(pair, b'{"a":[1,1],"b":"x"}')
    assert not matches(pair, b'{"b":"x"}')
    assert not matches(pair, b'{"a":[1,1,1]}')
    assert after(pair, b'{"b') == NOTHING
