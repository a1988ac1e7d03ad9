"""Laws of the matcher that need no oracle: what undoes, what is independent, what is contained in what."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import formwright as fw
from formwright.masks import allowed_tokens

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
    assert matcher.text == witness.text
    assert np.array_equal(mask_of(matcher), mask_of(witness))
    assert matcher.validate_tokens(taken[len(taken) - back :]) == back
    with pytest.raises(fw.errors.MatchError):
        matcher.rollback(len(taken) - back + 1)


@given(forms, seeds)
def test_forks_are_independent(word_vocabulary: fw.Vocabulary, form: str, seed: int) -> None:
    matcher = fw.compile(FORMS[form], word_vocabulary).matcher()
    stroll(matcher, seed, 5)
    before, text = mask_of(matcher), matcher.text
    stroll(matcher.fork(), seed + 1, 8)
    assert matcher.text == text
    assert np.array_equal(mask_of(matcher), before)
    matcher.reset()
    assert matcher.text == b""


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
    assert matcher.is_accepting
    assert FORMS[form].matches(matcher.text)


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
    assert FORMS[form].check(example) == (len(example), True)
    good, complete = FORMS[form].check(example + b"\xff")
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
