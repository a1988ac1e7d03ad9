"""The work that a profile-guided build of the kernel is guided by: ``tests/programs/profiled_wheel`` runs it.

::

    python bench/profiled_work.py

It is what requests ask for: schemas, patterns and grammars of this repository are read, compiled, and followed along
their texts and along random ones, with a budget and without. The schemas of the benchmarks are not among them.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from cases import Case, suite
from vocabularies import VOCABULARIES, Vocabulary

import formwright as fw
from formwright.forms.kept import forget_forms

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "programs"))

from random_schemas import Maker  # noqa: E402

SCHEMAS = 600
MOST = 150
"""Tokens of a text that are followed."""


def forms() -> Iterator[tuple[fw.Form[object], list[str]]]:
    """Forms, and texts of them."""
    for name in ("stress", "regex", "length"):
        for case in suite(name):
            yield _read_case(case), [*case.valid]
    for seed in range(SCHEMAS):
        try:
            yield fw.json_schema(Maker(random.Random(seed)).document(), unknown_keywords="ignore"), []
        except fw.errors.FormwrightError:
            continue
    for path in sorted((ROOT / "testdata" / "public_grammars").rglob("*.lark")):
        try:
            yield fw.grammar(path.read_text(encoding="utf-8"), syntax="lark"), []
        except fw.errors.FormwrightError:
            continue


def _read_case(case: Case) -> fw.Form[object]:
    return fw.json_schema(case.source) if case.kind == "json_schema" else fw.regex(case.source)


def follow(constraint: fw.Constraint[object], token_ids: list[int], budget: int | None) -> None:
    """Masks along a text, as far as it conforms."""
    matcher, mask = constraint.matcher(), fw.allocate_bitmask(1, constraint.vocabulary)
    try:
        for place, token_id in enumerate(token_ids[:MOST]):
            matcher.fill_bitmask(mask, budget=None if budget is None else budget - place)
            matcher.accept_token(token_id)
        matcher.fill_bitmask(mask)
    except fw.errors.FormwrightError:
        return


def wander(constraint: fw.Constraint[object], seed: int) -> None:
    """A text by random logits."""
    matcher, mask = constraint.matcher(), fw.allocate_bitmask(1, constraint.vocabulary)
    chance, left = np.random.default_rng(seed), MOST + matcher.min_tokens_to_finish
    try:
        taken, is_over = matcher.take_forced(mask, most=left)
        while not is_over and left > len(taken):
            left -= len(taken)
            logits = chance.standard_normal(constraint.vocabulary.logits_size, np.float32)
            taken, _, is_over = matcher.take(logits, mask, left=left)
    except fw.errors.FormwrightError:
        return


def work(tokens: Vocabulary) -> int:
    """All of it, with a vocabulary; how many forms there were."""
    vocabulary, count = fw.Vocabulary(tokens.tokens, eos_token_ids=[tokens.eos]), 0
    for count, (form, texts) in enumerate(forms(), 1):
        constraint = fw.compile(form, vocabulary)
        for text in texts[:2]:
            token_ids = tokens.ids(text[: 20 * MOST])
            follow(constraint, token_ids, None)
            follow(constraint, token_ids, len(token_ids) + 50)
        wander(constraint, count)
        forget_forms()
        vocabulary.forget_constraints()
    return count


if __name__ == "__main__":
    print(f"{work(VOCABULARIES['tekken']())} forms")
