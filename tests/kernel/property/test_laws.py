"""Laws of the matcher that need no oracle: what undoes, what is independent, what is contained in what."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import formwright as fw
from formwright import allowed_tokens

FORMS = {
    "object": fw.json_schema({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}),
    "recursion": fw.json_schema({"type": "array", "items": {"anyOf": [{"$ref": "#"}, {"type": "boolean"}]}}),
    "pattern": fw.json_schema({"type": "string", "pattern": "^[a-z]{2,5}-[0-9]+$", "maxLength": 9}),
    "json": fw.json(),
    "regex": fw.regex("(?:ab|a[^b]){0,3}é*"),
    "choice": fw.choice(["yes", "yesterday", "no", "你好"]),
}
forms = st.sampled_from(sorted(FORMS))
seeds = st.integers(0, 1 << 32)


def mask_of(matcher: fw.Matcher) -> np.ndarray:
    mask = fw.allocate_bitmask(1, matcher.constraint.vocabulary)
    matcher.fill_bitmask(mask)
    return mask[0]


def stroll(matcher: fw.Matcher, seed: int, steps: int) -> list[int]:
    """Accept up to ``steps`` random allowed tokens."""
    choose, taken = random.Random(seed), []
    ends = matcher.constraint.vocabulary.eos_token_ids
    for _ in range(steps):
        allowed = [token for token in allowed_tokens(mask_of(matcher)).tolist() if token not in ends]
        if not allowed:
            break
        taken.append(choose.choice(allowed))
        matcher.accept_token(taken[-1])
    return taken


@given(forms, seeds, st.integers(0, 12))
def test_rollback_undoes(word_vocabulary: fw.Vocabulary, form: str, seed: int, back: int) -> None:
    matcher = fw.compile(FORMS[form], word_vocabulary).matcher()
    taken = stroll(matcher, seed, 12)
    back = min(back, len(taken))
    witness = fw.compile(FORMS[form], word_vocabulary).matcher()
    witness.accept_tokens(taken[: len(taken) - back])
    matcher.rollback(back)
    assert matcher.accepted_bytes == witness.accepted_bytes
    assert np.array_equal(mask_of(matcher), mask_of(witness))
    assert matcher.validate_tokens(taken[len(taken) - back :]) == back
    with pytest.raises(fw.errors.MatchError):
        matcher.rollback(len(taken) - back + 1)


@given(forms, seeds)
def test_forks_are_independent(word_vocabulary: fw.Vocabulary, form: str, seed: int) -> None:
    matcher = fw.compile(FORMS[form], word_vocabulary).matcher()
    stroll(matcher, seed, 5)
    before, text = mask_of(matcher), matcher.accepted_bytes
    stroll(matcher.fork(), seed + 1, 8)
    assert matcher.accepted_bytes == text
    assert np.array_equal(mask_of(matcher), before)
    matcher.reset()
    assert matcher.accepted_bytes == b""


@given(forms, seeds)
def test_a_token_is_allowed_exactly_if_it_is_accepted(word_vocabulary: fw.Vocabulary, form: str, seed: int) -> None:
    matcher = fw.compile(FORMS[form], word_vocabulary).matcher()
    stroll(matcher, seed, 6)
    allowed = set(allowed_tokens(mask_of(matcher)).tolist())
    accepted = {token for token in range(len(word_vocabulary)) if matcher.validate_tokens([token])}
    assert allowed == accepted


@given(forms, seeds)
def test_forced_bytes_are_in_form_and_the_only_way(word_vocabulary: fw.Vocabulary, form: str, seed: int) -> None:
    matcher = fw.compile(FORMS[form], word_vocabulary).matcher()
    stroll(matcher, seed, 6)
    forced = matcher.forced_bytes()
    if not forced:
        return
    allowed = [word_vocabulary.token(token) for token in allowed_tokens(mask_of(matcher)).tolist()]
    assert allowed
    assert all(forced.startswith(text) or text.startswith(forced) for text in allowed)
    matcher.accept_bytes(forced)
    assert not matcher.forced_bytes()


@given(forms, seeds, st.integers(0, 30))
def test_a_budget_is_always_enough(word_vocabulary: fw.Vocabulary, form: str, seed: int, extra: int) -> None:
    matcher = fw.compile(FORMS[form], word_vocabulary).matcher()
    choose, ends = random.Random(seed), set(word_vocabulary.eos_token_ids)
    mask = fw.allocate_bitmask(1, word_vocabulary)
    for left in range(matcher.min_tokens_to_finish + extra, 0, -1):
        free = set(allowed_tokens(mask_of(matcher)).tolist())
        matcher.fill_bitmask(mask, 0, budget=left)
        allowed = set(allowed_tokens(mask[0]).tolist())
        assert allowed <= free
        token = choose.choice(sorted(allowed))
        if token in ends:
            break
        matcher.accept_token(token)
        assert matcher.min_tokens_to_finish <= left - 1
    assert matcher.is_complete
    assert FORMS[form].matches(matcher.accepted_bytes)


@pytest.mark.parametrize("form", FORMS)
def test_the_example_is_a_shortest_text(byte_vocabulary: fw.Vocabulary, form: str) -> None:
    constraint = fw.compile(FORMS[form], byte_vocabulary)
    example = constraint.example()
    assert FORMS[form].matches(example)
    assert len(example) == constraint.matcher().min_tokens_to_finish
    assert len(FORMS[form].example()) == len(example)


@pytest.mark.parametrize("form", FORMS)
def test_check_counts_what_is_in_form(form: str) -> None:
    example = FORMS[form].example()
    assert FORMS[form].check(example) == (len(example), True, "")
    good, complete, _ = FORMS[form].check(example.encode() + b"\xff")
    assert (good, complete) == (len(example), False)


def test_a_batch_is_its_rows(word_vocabulary: fw.Vocabulary) -> None:
    matchers = [fw.compile(language, word_vocabulary).matcher() for language in FORMS.values()]
    for seed, matcher in enumerate(matchers):
        stroll(matcher, seed, 3)
    batch = fw.allocate_bitmask(len(matchers) + 2, word_vocabulary)
    fw.fill_bitmasks([*matchers, None], batch, rows=[*range(1, len(matchers) + 1), 0])
    assert all(np.array_equal(batch[row], mask_of(matcher)) for row, matcher in enumerate(matchers, start=1))
    assert (batch[0] == -1).all()
    assert (batch[-1] == 0).all()


def allowed_in(schema: object, text: bytes, vocabulary: fw.Vocabulary, budget: int | None = None) -> list[int]:
    matcher = fw.compile(fw.json_schema(schema), vocabulary).matcher()
    matcher.accept_bytes(text)
    mask = fw.allocate_bitmask(1, vocabulary)
    matcher.fill_bitmask(mask, budget=budget)
    allowed: list[int] = allowed_tokens(mask[0]).tolist()
    return allowed


def test_without_a_budget_a_complete_text_may_end(byte_vocabulary: fw.Vocabulary) -> None:
    assert allowed_in({"type": "boolean"}, b"true", byte_vocabulary, budget=0) == byte_vocabulary.eos_token_ids


@pytest.mark.parametrize("begun", ['{"é'.encode()[:-1], b'{"\\u00'])
def test_an_exact_budget_is_enough_inside_a_name(begun: bytes) -> None:
    vocabulary = fw.Vocabulary(
        [*(bytes([byte]) for byte in range(256)), b'":"', b'"}', b"12", None], eos_token_ids=[259]
    )
    matcher = fw.compile(fw.json_schema({"type": "object"}), vocabulary).matcher()
    matcher.accept_bytes(begun)
    assert allowed_in({"type": "object"}, begun, vocabulary, budget=matcher.min_tokens_to_finish)


def test_a_token_leaves_enough_of_an_exact_budget() -> None:
    vocabulary = fw.Vocabulary([*(bytes([byte]) for byte in range(256)), b"12", None], eos_token_ids=[257])
    matcher = fw.compile(fw.regex("[0-9]{8}"), vocabulary).matcher()
    matcher.accept_bytes(b"33")
    mask = fw.allocate_bitmask(1, vocabulary)
    matcher.fill_bitmask(mask, budget=3)
    assert [vocabulary.token(token) for token in allowed_tokens(mask[0])] == [b"12"]


@pytest.mark.parametrize("many", [32, 200])
def test_a_long_shortest_end_is_told(byte_vocabulary: fw.Vocabulary, many: int) -> None:
    language = fw.json_schema({"type": "array", "items": {"type": "boolean"}, "minItems": many})
    assert fw.compile(language, byte_vocabulary).matcher().min_tokens_to_finish == len(language.example())


def test_no_comma_is_offered_when_every_name_is_used(byte_vocabulary: fw.Vocabulary) -> None:
    schema = {"type": "object", "patternProperties": {"^[ab]$": {}}, "additionalProperties": False}
    assert ord(",") not in allowed_in(schema, b'{"a":1,"b":true', byte_vocabulary)


def test_no_name_is_written_that_leaves_no_room_for_a_needed_one(byte_vocabulary: fw.Vocabulary) -> None:
    schema = {"type": "object", "maxProperties": 1, "not": {"propertyNames": {"not": {"pattern": "a"}}}}
    assert ord('"') in allowed_in(schema, b'{"xa', byte_vocabulary)
    assert ord('"') not in allowed_in(schema, b'{"x', byte_vocabulary)


def in_order_of_length(alphabet: str, most: int) -> Iterator[str]:
    for length in range(most + 1):
        yield from map("".join, itertools.product(alphabet, repeat=length))


SHORT = {
    "items that differ": ({"items": {"type": "integer"}, "minItems": 2, "uniqueItems": True}, "[]01, "),
    "three items that differ": ({"items": {"enum": [0, 1, 11]}, "minItems": 3, "uniqueItems": True}, "[]01, "),
    "strings that differ": ({"items": {"type": "string"}, "minItems": 2, "uniqueItems": True}, '[]"a, '),
    "an item of a kind": ({"contains": {"const": 10}, "items": {"type": "integer"}, "minItems": 2}, "[]01, "),
    "a number between": ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, "01.-e "),
    "a multiple": ({"type": "number", "multipleOf": 0.05, "exclusiveMinimum": 0.1, "maximum": 0.2}, "0125.-e"),
    "an undeclared name": ({"type": "object", "minProperties": 1, "additionalProperties": {"const": 0}}, '{}":0a '),
    "a pattern of spaces": ({"type": "string", "pattern": "^( a|abbb)$"}, '" ab'),
}


@pytest.mark.parametrize("name", SHORT)
def test_no_text_is_shorter_than_the_example(name: str) -> None:
    schema, alphabet = SHORT[name]
    types = {"type": "array"} if "items" in schema else {}
    form = fw.json_schema(types | schema)
    example = form.example()
    assert form.matches(example)
    assert not any(map(form.matches, in_order_of_length(alphabet, len(example) - 1)))
