"""Options of sampling that engines have: ``min_p``, ``repetition_penalty``, ``min_tokens``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import formwright as fw

pytest.importorskip("starlette")
pytest.importorskip("openai")

from formwright.generation.adjusted import Adjusted

from .test_requests import BASE, CHAT, RESPONSES


def text_of(post: Callable[..., Any], **fields: Any) -> str:
    status, answer = post(CHAT, BASE[CHAT] | fields)
    assert status == 200, answer
    found: str = answer["choices"][0]["message"]["content"]
    return found


def test_min_p_draws_only_tokens_with_a_share_of_the_best() -> None:
    logits = np.log(np.array([0.5, 0.3, 0.15, 0.05]))
    for min_p, kept in ((0.0, {0, 1, 2, 3}), (0.11, {0, 1, 2}), (0.59, {0, 1}), (0.61, {0}), (1.0, {0})):
        sampler = fw.generation.Sampler(temperature=1.0, min_p=min_p, seed=1)
        assert {sampler(logits) for _ in range(400)} == kept


@pytest.mark.parametrize("min_p", [-0.1, 1.1, float("nan")])
def test_min_p_is_a_share(min_p: float) -> None:
    with pytest.raises(fw.errors.ArgumentError, match="min_p: expected a number from 0 to 1"):
        fw.generation.Sampler(min_p=min_p)


def test_min_p_1_is_greedy(post: Callable[..., Any]) -> None:
    form = {"guided_regex": "[a-z]{12}", "seed": 3}
    greedy = text_of(post, **form, temperature=0)
    assert text_of(post, **form, temperature=1, min_p=1) == greedy
    assert text_of(post, **form, temperature=1) != greedy


def test_a_repetition_is_penalised_as_engines_do() -> None:
    chosen = Adjusted(fw.generation.Sampler(), repetition_penalty=2.0, prompt=[0], written=[2])
    assert chosen(np.array([4.0, 2.5, 3.0, -np.inf])) == 1
    assert chosen(np.array([-1.0, -1.5, -1.0, -np.inf])) == 1
    assert Adjusted(fw.generation.Sampler(), repetition_penalty=2.0, prompt=[0])(np.array([4.0, 1.5])) == 0


def test_repetition_penalty_changes_the_text(post: Callable[..., Any]) -> None:
    form = {"guided_regex": "(ab|cd|ef|gh){6}", "temperature": 0}
    assert text_of(post, **form, repetition_penalty=1.0) == text_of(post, **form)
    assert len(set(text_of(post, **form, repetition_penalty=10.0))) > len(set(text_of(post, **form)))


@pytest.mark.parametrize("least", [1, 5, 20])
def test_a_text_has_min_tokens(post: Callable[..., Any], least: int) -> None:
    for fields in ({"guided_regex": "[a-z]*"}, {}, {"guided_regex": "[a-z]*", "n": 3, "temperature": 1, "seed": 1}):
        status, answer = post(CHAT, BASE[CHAT] | {"temperature": 0, "max_tokens": 40, "min_tokens": least} | fields)
        assert status == 200
        assert answer["usage"]["completion_tokens"] >= least * len(answer["choices"])
        assert "notes" not in answer.get("formwright", {})


def test_min_tokens_of_responses(post: Callable[..., Any]) -> None:
    _, answer = post(RESPONSES, BASE[RESPONSES] | {"guided_regex": "[a-z]*", "min_tokens": 9, "max_output_tokens": 20})
    assert answer["usage"]["output_tokens"] >= 9


def test_a_form_that_allows_no_more_ends_before_min_tokens_and_the_stamp_says_so(post: Callable[..., Any]) -> None:
    _, answer = post(CHAT, BASE[CHAT] | {"guided_choice": ["yes"], "min_tokens": 50})
    assert answer["choices"][0]["message"]["content"] == "yes"
    (note,) = answer["formwright"]["notes"]
    assert note.startswith("min_tokens: ")


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"min_p": 1.5}, "min_p"),
        ({"min_p": -1}, "min_p"),
        ({"repetition_penalty": 0}, "repetition_penalty"),
        ({"min_tokens": -1}, "min_tokens"),
        ({"min_tokens": 9, "max_tokens": 8}, "min_tokens"),
        ({"min_tokens": 5000}, "min_tokens"),
    ],
)
def test_values_out_of_range_are_refused(post: Callable[..., Any], fields: dict[str, Any], param: str) -> None:
    status, answer = post(CHAT, BASE[CHAT] | fields)
    assert (status, answer["error"]["param"]) == (400, param)
