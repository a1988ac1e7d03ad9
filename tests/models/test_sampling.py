"""Options of sampling that the server has too: `min_p`, `repetition_penalty`, `min_tokens`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from toys import RuleRuntime, byte_vocabulary

import formwright as fw


def model(end: float = -9.0, prompt: bytes = b"?") -> fw.models.LocalModel:
    """It always says the same: "a" is most likely, then "b", then "c"; an end is as likely as is given."""
    scores = np.full(257, -5.0)
    scores[[*b"abc", 256]] = 2.0, 1.5, 0.5, end
    runtime = RuleRuntime(lambda *_: scores, context=64)
    return fw.models.LocalModel("m", runtime, byte_vocabulary(), lambda _: list(prompt))


LETTERS = fw.regex("[a-z]{1,30}")


def texts(options: dict[str, Any], made: fw.models.LocalModel | None = None) -> list[str]:
    """What all methods write, which is the same."""
    made = made or model()
    whole = made.generate("p", LETTERS, **options).text
    stream = made.stream("p", LETTERS, **options)
    streamed = "".join(piece.text for piece in stream)
    (many,) = made.generate_many(["p"], LETTERS, **options)
    assert isinstance(many, fw.Complete)
    return [whole, streamed, many.text]


@pytest.mark.parametrize(("min_p", "letters"), [(0.7, {"a"}), (0.4, {"a", "b"}), (0.1, {"a", "b", "c"})])
def test_min_p_leaves_the_likely_ones(min_p: float, letters: set[str]) -> None:
    found = texts({"temperature": 1, "seed": 3, "max_tokens": 30, "min_p": min_p})
    assert len(set(found)) == 1
    assert set(found[0]) == letters


def test_a_repetition_penalty_counts_prompt_and_text() -> None:
    greedy = {"max_tokens": 3, "repetition_penalty": 8.0}
    assert set(texts(greedy)) == {"abc"}
    assert set(texts(greedy, model(prompt=b"a"))) == {"bca"}
    assert set(texts({"max_tokens": 3})) == {"aaa"}


def test_min_tokens_come_before_the_end() -> None:
    ending = model(end=9.0)
    assert set(texts({}, ending)) == {"a"}
    assert set(texts({"min_tokens": 4}, ending)) == {"aaaa"}
    assert ending.generate("p", fw.regex("[ab]{2}"), min_tokens=9).text == "aa"


def test_what_is_observed_is_sampled_in_the_same_way() -> None:
    observed = model(end=9.0).observe("p", LETTERS, min_tokens=3, repetition_penalty=8.0)
    assert observed.text == "abc"
    drawn = model().observe("p", LETTERS, temperature=1, min_p=0.7, max_tokens=20, seed=1)
    assert set(drawn.text) == {"a"}


def test_a_program_draws_by_min_p() -> None:
    run = model().begin("p", temperature=1, min_p=0.7, seed=1)
    assert set(run.generate(fw.regex("[a-z]{9}"))) == {"a"}


@pytest.mark.parametrize(
    "option",
    [
        *({"min_p": value} for value in (-0.1, 1.1, "1", float("nan"))),
        *({"repetition_penalty": value} for value in (0, -1, "1", float("inf"))),
        *({"min_tokens": value} for value in (-1, 1.5, "1", 600)),
    ],
)
@pytest.mark.parametrize("method", ["generate", "stream"])
def test_a_wrong_option_is_named(option: dict[str, Any], method: str) -> None:
    with pytest.raises(fw.errors.ArgumentError) as caught:
        getattr(model(), method)("p", LETTERS, **option)
    assert caught.value.argument in option


@pytest.mark.parametrize(
    "strategy", [{"beams": 2}, {"fidelity": "exact"}, {"fidelity": "smc"}, {"fidelity": "adaptive"}]
)
@pytest.mark.parametrize("option", [{"min_p": 0.1}, {"repetition_penalty": 1.1}, {"min_tokens": 2}])
def test_strategies_of_several_texts_refuse_them(strategy: dict[str, Any], option: dict[str, Any]) -> None:
    (name,) = option
    for write in (model().generate, lambda prompt, *more, **options: model().generate_many([prompt], *more, **options)):
        with pytest.raises(fw.errors.ArgumentError, match=f"{name}=.* cannot be combined with") as caught:
            write("p", fw.choice("a", "b"), **strategy, **option)
        assert caught.value.argument == name
