"""Counted and drawn texts, against enumeration."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
from collections import Counter
from typing import Annotated, Any

import pytest
from hypothesis import given, settings, strategies
from pydantic import AfterValidator
from scipy import stats
from small_patterns import draw_pattern

import formwright as fw

DRAWS = int(os.environ.get("FORMWRIGHT_DRAWS", "20000"))

TEXTS = ["".join(letters) for length in range(7) for letters in itertools.product("ab", repeat=length)]

PAIR = {
    "type": "object",
    "properties": {"a": {"type": "boolean"}, "b": {"enum": [1, 2, 3]}},
    "additionalProperties": False,
}

SMALL: dict[str, tuple[fw.Form[Any], int | None]] = {
    "letters": (fw.regex("[ab]{1,3}"), None),
    "choice": (fw.choice("yes", "no", "maybe"), None),
    "ambiguous": (fw.regex("(a|aa|ab?)*b?"), 5),
    "characters of two bytes": (fw.regex("[aéß]{0,3}"), None),
    "joined": (fw.regex("[0-4]") + fw.choice("", "a", "aa"), None),
    "either": (fw.regex("a*") | fw.regex("[ab]{2}"), 4),
    "repeated": (fw.choice("a", "ab", "ba").repeat(0, 3), None),
    "difference": (fw.regex("[ab]*") - fw.regex(".*aa.*"), 6),
    "bits": (fw.json_schema({"type": "array", "items": {"enum": [0, 1]}, "maxItems": 3}, whitespace="compact"), None),
    "object": (fw.json_schema(PAIR, whitespace="compact"), None),
    "object in any order": (fw.json_schema(PAIR, order="model", whitespace="compact"), None),
    "integers": (fw.json_schema({"type": "integer", "minimum": -3, "maximum": 12}), None),
    "numbers": (fw.json_schema({"type": "number"}, whitespace="compact"), 3),
    "strings": (fw.json_schema({"type": "string", "pattern": "^[ab]*$"}), 5),
    "recursion": (fw.json_schema({"type": "array", "items": {"$ref": "#"}}, whitespace="compact"), 10),
    "whitespace": (fw.json_schema({"type": "array", "items": {"const": 1}, "maxItems": 2}), 9),
    "brackets": (fw.grammar('start: ("(" start ")")*'), 8),
    "ambiguous sums": (fw.grammar('start: start "+" start | /[01]/', lexing="any"), 5),
    "dates": (fw.format("date") & fw.regex("2024-0[12]-[0-9]{2}"), None),
    "one": (fw.literal("once"), None),
}


@pytest.mark.parametrize("name", SMALL)
def test_texts_are_all_and_each_as_likely(name: str) -> None:
    form, max_bytes = SMALL[name]
    total = form.count(max_bytes=max_bytes)
    drawn = Counter(form.sample(max(DRAWS, 20 * total), seed=7, max_bytes=max_bytes))
    assert len(drawn) == total
    assert all(form.matches(text) for text in drawn)
    assert max(len(text.encode()) for text in drawn) <= (max_bytes or 99)
    assert total == 1 or stats.chisquare(list(drawn.values())).pvalue > 1e-4


@pytest.mark.parametrize("seed", range(60))
def test_counts_are_those_of_enumeration(seed: int) -> None:
    pattern = draw_pattern(random.Random(seed))
    found = [text for text in TEXTS if re.fullmatch(pattern, text)]
    for length in range(7):
        assert fw.regex(pattern).count(max_bytes=length) == sum(len(text) <= length for text in found), pattern


def test_large_counts_are_exact() -> None:
    assert fw.regex("[a-z]{1,40}").count() == sum(26**length for length in range(1, 41))
    assert fw.regex(".{3}", unicode=True).count(max_bytes=12) == (0x110000 - 0x800 - 1) ** 3


@given(fw.json_schema(PAIR, order="model").hypothesis())
@settings(max_examples=30)
def test_a_strategy_draws_values(value: Any) -> None:
    assert set(value) <= {"a", "b"}


def test_a_strategy_and_what_it_has_drawn_are_shown_as_they_are() -> None:
    drawn = fw.json_schema(PAIR, order="model").hypothesis(max_bytes=20)
    assert re.fullmatch(r"lists\(values_of\(form='JSON Schema .*', max_bytes=20\)\)", repr(strategies.lists(drawn)))

    @given(strategies.lists(drawn, min_size=1))
    @settings(derandomize=True, database=None)
    def fail(values: Any) -> None:
        raise AssertionError("always")

    with pytest.raises(AssertionError) as raised:
        fail()
    assert "values=[{" in raised.value.__notes__[0]


def is_even(value: int) -> int:
    if value % 2:
        raise ValueError("odd")
    return value


@given(fw.form(Annotated[int, AfterValidator(is_even)]).hypothesis(max_bytes=3))
@settings(max_examples=30)
def test_a_strategy_draws_what_the_validators_accept(value: int) -> None:
    assert value % 2 == 0


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(fw.errors.ArgumentError, match="max_tokens"):
        fw.text(until=".", max_tokens=5).count(max_bytes=3)
    with pytest.raises(fw.errors.ArgumentError, match="infinitely many"):
        fw.regex("a*").count()
    with pytest.raises(fw.errors.ArgumentError, match="no text has at most 3 bytes: the shortest has 4"):
        fw.literal("once").sample(1, max_bytes=3)
    with pytest.raises(fw.errors.ArgumentError, match="max_bytes"):
        fw.regex("a*").count(max_bytes=-1)
    with pytest.raises(fw.errors.ArgumentError, match="control"):
        (fw.special("<x>") + "a").count()
    with pytest.raises(fw.errors.LimitExceeded) as caught:
        fw.json().count(max_bytes=400)
    assert "max_bytes" in str(caught.value.hint)
    names = {"type": "object", "patternProperties": {"^[ab]$": {"const": 1}}, "additionalProperties": False}
    with pytest.raises(fw.errors.LimitExceeded):
        fw.json_schema(names).count(max_bytes=30)


def test_the_same_seed_draws_the_same() -> None:
    form = fw.json_schema(PAIR)
    assert form.sample(5, seed=1, max_bytes=40) == form.sample(5, seed=1, max_bytes=40)
    assert all(isinstance(json.loads(text), dict) for text in form.sample(5, max_bytes=40))
