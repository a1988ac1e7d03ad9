"""Masks along draft trees: the same as walking to each guess and back."""

from __future__ import annotations

import numpy as np
import pytest

import formwright as fw
from formwright.errors import ArgumentError, LimitExceeded, VocabularyError

FORMS = [
    fw.regex("(ab|ac|bca?)*d?"),
    fw.choice("abc", "abd", "b", "bcd"),
    fw.json_schema({"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 3}, whitespace="compact"),
]
VOCABULARY = fw.Vocabulary(
    [b"a", b"b", b"c", b"d", b"ab", b"bc", b"ca", b'"', b'["', b"]", b'","', b"[", b",", b""], eos_token_ids=[13]
)


def by_walking(
    matcher: fw.Matcher, token_ids: list[int], parents: list[int], budget: int | None
) -> tuple[list[bool], np.ndarray]:
    """The oracle: each guess reached from the root by a fork."""
    mask = fw.allocate_bitmask(len(token_ids) + 1, VOCABULARY)
    matcher.fork().fill_bitmask(mask, 0, budget=budget)
    valid = []
    for guess in range(len(token_ids)):
        path, at = [], guess
        while at >= 0:
            path.append(token_ids[at])
            at = parents[at]
        walked, left, comes = matcher.fork(), budget, True
        for token_id in reversed(path):
            comes = comes and token_id in (walked.allowed_token_ids(budget=left) if not walked.is_finished else [])
            if comes:
                walked.accept_token(token_id)
                left = None if left is None else left - 1
        valid.append(comes)
        if comes and not walked.is_finished:
            walked.fill_bitmask(mask, guess + 1, budget=left)
    return valid, mask


@pytest.mark.parametrize("form", FORMS, ids=repr)
@pytest.mark.parametrize("budget", [None, 2, 4, 7])
def test_a_tree_is_what_walking_gives(form: fw.Form[object], budget: int | None) -> None:
    random = np.random.default_rng(0)
    for _ in range(60):
        matcher = fw.compile(form, VOCABULARY).matcher()
        for _ in range(int(random.integers(3))):
            matcher.accept_token(int(random.choice([t for t in matcher.allowed_token_ids() if t != 13] or [13])))
            if matcher.is_finished:
                break
        if matcher.is_finished or (budget is not None and matcher.min_tokens_to_finish > budget):
            continue
        text = matcher.accepted_bytes
        count = int(random.integers(1, 12))
        tokens = random.integers(0, 14, count).tolist()
        parents = [int(random.integers(-1, guess)) for guess in range(count)]
        mask = np.full((count + 1, VOCABULARY.mask_words), -1, np.int32)
        valid = matcher.mask_tree(tokens, parents, mask, budget=budget)
        expected, rows = by_walking(matcher, tokens, parents, budget)
        assert valid == expected
        assert (mask == rows).all()
        assert matcher.accepted_bytes == text


def test_what_cannot_be_a_tree_is_refused() -> None:
    matcher = fw.compile(FORMS[1], VOCABULARY).matcher()
    mask = fw.allocate_bitmask(3, VOCABULARY)
    for parents in ([0, -1], [-1, 1], [-1], [-2, -1]):
        with pytest.raises(ArgumentError):
            matcher.mask_tree([0, 1], parents, mask)
    with pytest.raises(ArgumentError, match="no row 3"):
        matcher.mask_tree([0, 1, 2], [-1, 0, 1], mask)
    with pytest.raises(VocabularyError):
        matcher.mask_tree([99], [-1], mask)
    with pytest.raises(LimitExceeded):
        matcher.mask_tree([0], [-1], mask, budget=0)
    assert not mask.any()


def test_the_first_allowed_tokens() -> None:
    mask = fw.allocate_bitmask(2, VOCABULARY)
    fw.compile(FORMS[1], VOCABULARY).matcher().fill_bitmask(mask, 1)
    allowed = fw.allowed_tokens(mask[1]).tolist()
    from formwright._kernel import first_allowed

    assert first_allowed(mask, 1) == allowed[:2]
    assert first_allowed(mask, 1, most=99) == allowed
    assert first_allowed(mask, 0) == []
    with pytest.raises(ArgumentError):
        first_allowed(mask, 2)
