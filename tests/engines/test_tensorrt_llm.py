"""Processors of TensorRT-LLM, called as its documentation says; the script of the host lets them write whole texts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import formwright as fw
from formwright.errors import HostMismatch, VocabularyError

torch = pytest.importorskip("torch", reason="torch is not installed")
NAME = "formwright.engines.tensorrt_llm"
PROMPT = [65, 66]


@pytest.fixture
def processors() -> Iterator[ModuleType]:
    """The module, with a stand-in for the library."""
    from importlib import import_module

    from hosts.tensorrt_double import installed

    with installed():
        yield import_module(NAME)
    sys.modules.pop(NAME, None)


@pytest.fixture
def digits(byte_vocabulary: fw.Vocabulary) -> fw.Constraint[str]:
    return fw.compile(fw.regex("[0-9]{2}x?"), byte_vocabulary)


def allowed(logits: Any) -> list[list[int]]:
    return [row.isfinite().nonzero().flatten().tolist() for row in logits.view(-1, logits.shape[-1])]


DIGITS = list(range(48, 58))


def test_the_beams_of_a_request(processors: ModuleType, digits: fw.Constraint[str]) -> None:
    processor = processors.FormProcessor(digits, max_tokens=8)
    logits = torch.zeros((1, 1, 257))
    processor(7, logits, [PROMPT], None, None)
    assert allowed(logits) == [DIGITS]
    logits = torch.zeros((1, 2, 257))
    processor(7, logits, [[*PROMPT, 49], [*PROMPT, 50]], None, None)
    assert allowed(logits) == [DIGITS, DIGITS]
    logits = torch.zeros((1, 3, 257))  # two of the first, and the second one on
    processor(7, logits, [[*PROMPT, 49, 57], [*PROMPT, 49, 48], [*PROMPT, 50, 49]], None, None)
    assert allowed(logits) == [[120, 256]] * 3
    logits = torch.zeros((1, 3, 257))  # ended, a letter on, and one with a token that was forbidden
    processor(7, logits, [[*PROMPT, 49, 57, 256], [*PROMPT, 49, 48, 120], [*PROMPT, 50, 49, 65]], None, None)
    assert allowed(logits) == [[256], [256], [256]]


def test_allowed_scores_stay_as_they_are(processors: ModuleType, digits: fw.Constraint[str]) -> None:
    scores = torch.randn((1, 1, 257), generator=torch.Generator().manual_seed(1))
    before = scores.clone()
    processors.FormProcessor(digits)(1, scores, [PROMPT], 0, 1)
    assert torch.equal(scores[..., DIGITS], before[..., DIGITS])
    assert scores.isfinite().sum() == len(DIGITS)


def test_requests_of_a_batch_come_and_go(processors: ModuleType, digits: fw.Constraint[str]) -> None:
    batch = processors.FormProcessors()
    batch.add(1, digits, max_tokens=8)
    batch.add(2, fw.compile(fw.choice("yes", "no"), digits.vocabulary))
    logits = [torch.zeros((1, 1, 257)) for _ in range(3)]
    batch([10, 11, 12], logits, [[PROMPT]] * 3, None, [2, None, 1])
    assert allowed(logits[0]) == [[110, 121]]
    assert allowed(logits[1]) == [list(range(257))]  # of nobody
    assert allowed(logits[2]) == [DIGITS]
    batch.remove(2)
    batch.remove(2)
    logits = [torch.zeros((1, 1, 257)) for _ in range(2)]
    batch([10, 12], logits, [[[*PROMPT, 110]], [[*PROMPT, 49]]], None, [2, 1])
    assert allowed(logits[0]) == [list(range(257))]
    assert allowed(logits[1]) == [DIGITS]


def test_a_budget_is_kept_to(processors: ModuleType, byte_vocabulary: fw.Vocabulary) -> None:
    processor = processors.FormProcessor(fw.compile(fw.regex("a{1,9}"), byte_vocabulary), max_tokens=2)
    logits = torch.zeros((1, 1, 257))
    processor(1, logits, [PROMPT], None, None)
    logits = torch.zeros((1, 1, 257))
    processor(1, logits, [[*PROMPT, 97, 97]], None, None)
    assert allowed(logits) == [[256]]


def test_what_does_not_fit_is_refused(processors: ModuleType, digits: fw.Constraint[str]) -> None:
    processor = processors.FormProcessor(digits)
    with pytest.raises(HostMismatch, match="3 rows of logits for 2 beams"):
        processor(1, torch.zeros((1, 3, 257)), [PROMPT, PROMPT], None, None)
    with pytest.raises(VocabularyError, match="256 wide"):
        processor(1, torch.zeros((1, 1, 256)), [PROMPT], None, None)
    wider = torch.zeros((1, 1, 300))
    processor(1, wider, [PROMPT], None, None)
    assert allowed(wider) == [DIGITS]  # ids beyond the vocabulary never come
