"""Rows that share calls of a model: what a turn says, and who waits for whom."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import formwright as fw
from formwright.generation import Engine, Limits, Sampler, Separate, Writing


@pytest.fixture
def writing(byte_vocabulary: fw.Vocabulary) -> Callable[..., Writing]:
    def made(pattern: str, sampler: Any = None) -> Writing:
        constraint = fw.compile(fw.regex(pattern), byte_vocabulary)
        return Writing(constraint, [65], Limits(max_tokens=60), sampler or Sampler())

    return made


def engine_of(toy: Callable[..., Any], width: int) -> Engine:
    return Engine(Separate(toy(width)), rows=8)


def test_a_turn_is_over_only_if_its_text_was_when_it_was_made(
    toy: Callable[..., Any], byte_vocabulary: fw.Vocabulary, writing: Callable[..., Writing]
) -> None:
    engine = engine_of(toy, byte_vocabulary.logits_size)
    text = writing("forced[ab]")
    engine.submit("key", lambda: text)
    turns = [turn for _ in range(5) if not engine.is_idle for turn in engine.step()]
    assert [turn.is_over for turn in turns] == [False] * (len(turns) - 1) + [True]
    assert [turn.result is None for turn in turns] == [True] * (len(turns) - 1) + [False]
    assert "".join(turn.text for turn in turns) == text.result.text


def test_a_slow_row_waits_for_the_others(
    toy: Callable[..., Any], byte_vocabulary: fw.Vocabulary, writing: Callable[..., Writing]
) -> None:
    def slow(logits: np.ndarray) -> int:
        time.sleep(0.02)
        return int(np.argmax(logits))

    engine = engine_of(toy, byte_vocabulary.logits_size)
    texts = {"slow": writing("[a-z]{20}", slow), "fast": writing("[a-z]{20}")}
    for key, text in texts.items():
        engine.submit(key, lambda text=text: text)  # type: ignore[misc]
    order = []
    while not engine.is_idle:
        order += [turn.key for turn in engine.step() if turn.is_over]
    assert order == ["fast", "slow"]
    alone = engine_of(toy, byte_vocabulary.logits_size)
    again = writing("[a-z]{20}")
    alone.submit("again", lambda: again)
    while not alone.is_idle:
        alone.step()
    assert texts["slow"].result.text == texts["fast"].result.text == again.result.text
