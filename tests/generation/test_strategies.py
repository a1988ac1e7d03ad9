"""Beams, exact draws, particles and batches against brute force over small random languages."""

from __future__ import annotations

import math
import multiprocessing
import os
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, Literal

import numpy as np
import pytest
from pydantic import BaseModel, field_validator
from random_languages import END, Case, Tokens, distance, shares
from toys import RuleRuntime

import formwright as fw
from formwright.generation import Complete, Failed, Truncated
from formwright.models import LocalModel

LANGUAGES = 220


def plain_beam_search(case: Case, width: int) -> Iterator[tuple[Tokens, float]]:
    """The definition: the best ``width`` continuations at each length; every text that may end is kept."""
    live: list[tuple[Tokens, float]] = [((), 0.0)]
    while live:
        continued = []
        for token_ids, score in live:
            said = case.log_probabilities(token_ids)
            for token_id in case.allowed(token_ids):
                if token_id == END:
                    yield token_ids, score + said[END]
                else:
                    continued.append(((*token_ids, token_id), score + said[token_id]))
        live = sorted(continued, key=lambda entry: -entry[1])[:width]


@pytest.mark.parametrize("width", [2, 3])
def test_beams_are_those_of_a_plain_beam_search(toy: Any, width: int) -> None:
    for seed in range(LANGUAGES):
        case = Case(seed, toy)
        expected = case.best(plain_beam_search(case, width))[:width]
        found = case.model.generate(case.prompt, case.form, beams=width, returns=width)
        got = [(alternative.text, alternative.log_probability) for alternative in found.alternatives]
        assert [text for text, _ in got] == [text for text, _ in expected], seed
        assert np.allclose([score for _, score in got], [score for _, score in expected], atol=1e-5)
        assert (found.text, found.log_probability) == got[0]


def test_wide_beams_find_the_best_texts_of_all(toy: Any) -> None:
    for seed in range(LANGUAGES):
        case = Case(seed, toy)
        expected = case.best(case.spellings())[:3]
        found = case.model.generate(case.prompt, case.form, beams=500, returns=3)
        got = [(alternative.text, alternative.log_probability) for alternative in found.alternatives]
        assert [text for text, _ in got] == [text for text, _ in expected], seed
        assert np.allclose([score for _, score in got], [score for _, score in expected], atol=1e-5)


def test_exact_draws_have_the_models_own_distribution(toy: Any) -> None:
    for seed in range(LANGUAGES):
        case = Case(seed, toy)
        result = case.model.generate(case.prompt, case.form, fidelity="exact", seed=seed)
        spellings = list(case.spellings())
        total = np.logaddexp.reduce([score for _, score in spellings])
        expected: defaultdict[str, float] = defaultdict(float)
        for token_ids, score in spellings:
            expected[case.text(token_ids)] += math.exp(score - total)
        drawn = shares(result.particles.texts, result.particles.log_weights)
        assert distance(drawn, expected) < 1e-6
        assert abs(result.particles.log_form_probability - total) < 1e-6
        assert result.text in expected
        greedy = case.model.generate(case.prompt, case.form, fidelity="exact", temperature=0)
        assert greedy.token_ids == max(spellings, key=lambda entry: entry[1])[0]


def test_more_particles_are_nearer_to_the_models_own_distribution(toy: Any) -> None:
    case = Case(3, toy)
    exact = case.model.generate(case.prompt, case.form, fidelity="exact")
    expected = shares(exact.particles.texts, exact.particles.log_weights)
    far = {}
    for count, runs in ((1, 600), (8, 150), (64, 60)):
        sums: defaultdict[str, float] = defaultdict(float)
        estimates = []
        for seed in range(runs):
            result = case.model.generate(case.prompt, case.form, fidelity="smc", particles=count, seed=seed)
            estimates.append(math.exp(result.particles.log_form_probability))
            for text, share in shares(result.particles.texts, result.particles.log_weights).items():
                sums[text] += share / runs
        far[count] = distance(sums, expected)
        error = np.std(estimates) / math.sqrt(runs)
        assert abs(np.mean(estimates) - math.exp(exact.particles.log_form_probability)) < 4 * error + 1e-12
    assert far[64] < far[8] < far[1]
    assert far[64] < 0.03


def test_rows_are_what_they_are_alone(toy: Any) -> None:
    for seed in range(40):
        case = Case(seed, toy)
        prompts = [[1, 2], [3], [2, 2, 1], [1]]
        forms = [case.form, fw.regex("[abc]{3}"), fw.literal("abc"), fw.regex("(ab|c)*")]
        for options in ({}, {"temperature": 1.0}, {"temperature": 1.0, "trace": True}):
            results = case.model.generate_many(
                prompts, forms, seed=seed, max_tokens=8, batch_size=2, progress=False, **options
            )
            for row, (prompt, form) in enumerate(zip(prompts, forms, strict=True)):
                alone = case.model.generate(prompt, form, seed=seed + row, max_tokens=8, **options)
                assert results[row] == alone


def test_a_failure_stands_in_its_place(toy: Any) -> None:
    case = Case(0, toy)
    forms = [case.form, fw.literal("abcabc"), {"type": "never"}, case.form]
    results = case.model.generate_many([[1], [1], [1], "\ud800"], forms, max_tokens=5, progress=False)
    assert [type(result) for result in results] == [Complete, Failed, Failed, Failed]
    names = ["LimitExceeded", "SchemaError", "PromptError"]
    assert [type(result.error).__name__ for result in results[1:]] == names
    assert not results[1]
    with pytest.raises(fw.errors.LimitExceeded):
        _ = results[1].value


def test_an_error_in_one_row_leaves_the_others(toy: Any) -> None:
    case = Case(0, toy)
    asked: list[int] = []

    def cancel() -> bool:
        asked.append(1)
        if len(asked) == 5:
            raise RuntimeError("no more")
        return False

    many = case.model.generate_many([[1]] * 4, fw.regex("[abc]{4}"), cancel=cancel, temperature=1, progress=False)
    assert [type(result) for result in many].count(Failed) == 1
    assert [type(result) for result in many].count(Complete) == 3


@pytest.mark.parametrize("seed", range(30))
def test_every_strategy_is_complete_within_the_budget(toy: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    case = Case(seed, toy)
    form = fw.form(list[int], whitespace="compact") if seed % 2 else fw.regex("a(b|ca)*c")
    vocabulary = fw.Vocabulary(
        [b"", *(bytes([byte]) for byte in b'abc[],0123456789-"'), b"ca", b"12"], eos_token_ids=[0]
    )
    model = LocalModel("toy", toy(vocabulary.logits_size, seed), vocabulary, case.model.encode)
    least = fw.compile(form, vocabulary).matcher().min_tokens_to_finish
    budget = least + int(random.integers(0, 6))
    for options in ({}, {"temperature": 1.0}, {"beams": 4}, {"fidelity": "smc"}, {"temperature": 1.0, "trace": True}):
        for result in (
            model.generate([1], form, max_tokens=budget, seed=seed, **options),
            *model.generate_many([[1], [2]], form, max_tokens=budget, seed=seed, progress=False, **options),
        ):
            assert isinstance(result, Complete)
            assert len(result.token_ids) <= budget


def test_wrong_options_are_errors(toy: Any) -> None:
    model, form = Case(0, toy).model, Case(0, toy).form
    for options, name in (
        ({"beams": 0}, "beams"),
        ({"beams": 2.5}, "beams"),
        ({"beams": 2, "returns": 3}, "returns"),
        ({"returns": 2}, "returns"),
        ({"beams": 2, "temperature": 1.0}, "temperature"),
        ({"beams": 2, "stop": "a"}, "stop"),
        ({"beams": 2, "fidelity": "smc"}, "beams"),
        ({"fidelity": "best"}, "fidelity"),
        ({"fidelity": "smc", "particles": 0}, "particles"),
        ({"fidelity": "smc", "returns": 3}, "returns"),
        ({"fidelity": "exact", "returns": 2}, "returns"),
        ({"fidelity": "smc", "temperature": 0}, "temperature"),
        ({"fidelity": "smc", "finish": False}, "finish"),
        ({"fidelity": "exact", "top_k": 3}, "top_k"),
        ({"fidelity": "adaptive", "temperature": 0}, "temperature"),
        ({"fidelity": "adaptive", "top_k": 3}, "top_k"),
        ({"fidelity": "adaptive", "stop": "a"}, "stop"),
        ({"fidelity": "adaptive", "finish": False}, "finish"),
        ({"fidelity": "adaptive", "beams": 2}, "beams"),
        ({"fidelity": "adaptive", "returns": 0}, "returns"),
        ({"fidelity": "adaptive", "returns": True}, "returns"),
        ({"fidelity": "adaptive", "max_calls": 0}, "max_calls"),
        ({"fidelity": "adaptive", "max_calls": 2.5}, "max_calls"),
        ({"fidelity": "smc", "max_calls": 9}, "max_calls"),
        ({"max_calls": 9}, "max_calls"),
        ({"fidelity": "exact", "temperature": -1}, "temperature"),
    ):
        with pytest.raises(fw.errors.ArgumentError) as caught:
            model.generate([1], form, **options)
        assert caught.value.argument == name, options
        assert "fidelity" not in options or "beams" in options or "beams look" not in str(caught.value), options
    for prompts, forms, options, name in (
        ("abc", form, {}, "prompts"),
        ([[1]], [form, form], {}, "forms"),
        ([[1]], form, {"batch_size": 0}, "batch_size"),
    ):
        with pytest.raises(fw.errors.ArgumentError) as caught:
            model.generate_many(prompts, forms, **options)
        assert caught.value.argument == name


def test_what_is_too_much_to_score_is_refused(toy: Any) -> None:
    model = Case(0, toy).model
    with pytest.raises(fw.errors.LimitExceeded) as caught:
        model.generate([1], fw.regex("[abc]*"), fidelity="exact", max_tokens=40)
    assert caught.value.limit == "spellings"
    with pytest.raises(fw.errors.LimitExceeded):
        model.generate([1], fw.regex("[abc]{9}"), beams=3, max_tokens=2)


class Even(BaseModel):
    """A type that checks what its form cannot say."""

    n: Literal[1, 2, 3, 4, 5, 6]

    @field_validator("n")
    @classmethod
    def is_even(cls, n: int) -> int:
        if n % 2:
            raise ValueError("odd")
        return n


class Refusing(BaseModel):
    """A type that takes nothing."""

    n: Literal[1, 2]

    @field_validator("n")
    @classmethod
    def is_right(cls, n: int) -> int:
        raise ValueError("never right")


def test_beams_leave_out_what_the_type_refuses() -> None:
    found = fw.load("formwright-tiny").generate("How many?", fw.form(Even, whitespace="compact"), beams=8, returns=3)
    assert isinstance(found, Complete)
    assert sorted(alternative.value.n for alternative in found.alternatives) == [2, 4, 6]
    assert found.value == found.alternatives[0].value


def test_beams_that_find_only_what_the_type_refuses_say_why() -> None:
    with pytest.raises(fw.errors.OutputInvalid, match="never right"):
        fw.load("formwright-tiny").generate("How many?", Refusing, beams=4, returns=2)


def test_fewer_texts_than_beams(toy: Any) -> None:
    case = Case(0, toy)
    result = case.model.generate([1], fw.choice("a", "b"), beams=8, returns=8)
    assert sorted(alternative.text for alternative in result.alternatives) == ["a", "b"]


def test_a_search_that_is_cut(toy: Any) -> None:
    model = Case(0, toy).model
    cut = model.generate([1], fw.regex("[abc]{9}"), beams=3, max_tokens=2, finish=False)
    assert isinstance(cut, Truncated)
    assert (cut.reason, len(cut.token_ids)) == ("max_tokens", 2)
    for options in ({"beams": 3}, {"fidelity": "smc"}, {"fidelity": "exact"}, {"fidelity": "adaptive"}):
        cancelled = model.generate([1], fw.choice("abc", "b"), cancel=lambda: True, **options)
        assert isinstance(cancelled, Truncated)
        assert cancelled.reason == "cancel"


def test_scores_are_those_of_the_spellings(toy: Any) -> None:
    for seed in range(40):
        case = Case(seed, toy)
        if not all(case.texts):
            continue
        found = case.model.score(case.prompt, case.texts, canonical=False)
        expected: dict[str, float] = dict.fromkeys(case.texts, -math.inf)
        for token_ids, score in case.spellings():
            text = case.text(token_ids)
            expected[text] = float(np.logaddexp(expected[text], score))
        assert list(found) == case.texts
        assert np.allclose(list(found.values()), list(expected.values()))


def test_the_embedded_model_writes_rows_as_it_writes_them_alone(tiny: LocalModel) -> None:
    prompts = ["Ada is 36 years old.", "I loved it.", "The number is 12.", "Is the sky blue?", "Name two colours."]
    forms: list[Any] = [
        fw.json_schema(
            {"properties": {"name": {"type": "string"}, "age": {"type": "integer"}}, "required": ["name", "age"]}
        ),
        fw.choice("positive", "negative"),
        int,
        bool,
        list[str],
    ]
    for options in ({}, {"temperature": 1.0}):
        together = tiny.generate_many(prompts, forms, seed=1, max_tokens=40, batch_size=3, progress=False, **options)
        alone = [
            tiny.generate(prompt, form, seed=1 + row, max_tokens=40, **options)
            for row, (prompt, form) in enumerate(zip(prompts, forms, strict=True))
        ]
        assert [result.token_ids for result in together] == [result.token_ids for result in alone]
        assert together == alone


def test_canonical_scores_need_merges(tiny: LocalModel) -> None:
    found = tiny.score("Is the sky blue?", ["yes", "no"])
    assert list(found) == ["yes", "no"]
    assert all(score < 0 for score in found.values())
    drawn = tiny.generate("Is the sky blue?", fw.choice("yes", "no"), fidelity="exact", canonical=True, seed=0)
    exact = shares(drawn.particles.texts, drawn.particles.log_weights)
    total = np.logaddexp.reduce(list(found.values()))
    assert math.isclose(exact["yes"], math.exp(found["yes"] - total), rel_tol=1e-9)


SEARCHES: list[dict[str, Any]] = [
    {"beams": 2},
    {"fidelity": "exact"},
    {"fidelity": "smc", "particles": 8, "seed": 0},
    {"fidelity": "adaptive", "seed": 0},
]


def fixed(rows: Sequence[Sequence[float]], tokens: list[bytes], ends: list[int]) -> LocalModel:
    """A model that says the same after every text of a length."""
    runtime = RuleRuntime(lambda length, _: rows[min(length, len(rows)) - 1], context=64)
    return LocalModel("fixed", runtime, fw.Vocabulary(tokens, eos_token_ids=ends), lambda text: [1])


@pytest.mark.parametrize("options", SEARCHES, ids=str)
def test_what_the_model_excludes_is_not_found(options: dict[str, Any]) -> None:
    model = fixed([[0, 1, 1, 1], [0, 0, -math.inf, 0]], [b"", b"a", b"b", b"c"], [0])
    assert model.generate([1], fw.choice("ab", "cc"), **options).text == "cc"
    with pytest.raises(fw.errors.DeadEnd):
        model.generate([1], fw.literal("ab"), **options)


@pytest.mark.parametrize("options", [{}, *SEARCHES], ids=str)
@pytest.mark.parametrize("width", [3, 90])
def test_logits_of_another_model_are_refused(options: dict[str, Any], width: int) -> None:
    model = fixed([[0.0] * width], [b"", b"a", b"b", b"c"] * 10, [0])
    with pytest.raises(fw.errors.VocabularyError):
        model.generate([1], fw.choice("ab", "cc"), **options)


@pytest.mark.parametrize("options", [{}, {"beams": 2}], ids=str)
def test_the_likeliest_end_is_traced(options: dict[str, Any]) -> None:
    model = fixed([[1, 0, 0, 0], [0, 0, 0, 9]], [b"a", b"b", b"", b""], [2, 3])
    last = model.generate([1], fw.literal("a"), trace=True, **options).trace.rows[-1]
    assert (last.token_id, last.is_forced) == (3, True)
    assert last.probability > 0.99


def test_a_search_that_was_cut_has_a_trace(tiny: LocalModel) -> None:
    cut = tiny.generate("Ada", fw.regex("[a-z ]{60,80}"), beams=2, finish=False, max_tokens=4, trace=True)
    assert isinstance(cut, Truncated)
    assert cut.trace is not None
    assert len(cut.trace) == 4


def test_wrong_options_are_raised_before_anything_is_written(tiny: LocalModel) -> None:
    for options in (
        {"max_tokens": -1},
        {"stop": 3},
        {"cancel": 3},
        {"beams": 0},
        {"returns": 2},
        {"particles": 0},
        {"fidelity": "smc", "finish": False},
        {"fidelity": "smc", "temperature": 0},
        {"seed": "x"},
        {"seed": -1, "fidelity": "exact"},
        {"fidelity": "adaptive", "max_calls": 0},
        {"fidelity": "adaptive", "temperature": 0},
    ):
        with pytest.raises(fw.errors.ArgumentError):
            tiny.generate_many(["a"], fw.choice("a", "b"), progress=False, **options)
    small = tiny.generate_many(["a"] * 3, fw.regex("[a-z]{4}"), progress=False, seed=np.uint8(254), temperature=1)
    large = tiny.generate_many(["a"] * 3, fw.regex("[a-z]{4}"), progress=False, seed=254, temperature=1)
    assert small == large


def test_texts_begin_when_there_is_room_for_them(tiny: LocalModel) -> None:
    began = time.perf_counter()
    results = tiny.generate_many(["a"] * 40, fw.regex("[a-z]{20}"), progress=False, batch_size=2)
    took = time.perf_counter() - began
    # Two at a time; of texts that all began at once, the mean would take half of it.
    assert sum(result.seconds for result in results) < 3 * took


def forked(seed: int) -> str:
    result: str = fw.load("formwright-tiny").generate_many(["a", "b"], fw.regex("[a-z]{6}"), progress=False)[0].text
    return result


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_forked_process_writes_too() -> None:
    expected = forked(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(forked, [1, 2]).get(timeout=60) == [expected] * 2


def test_choices_of_score_are_texts_of_a_list_or_a_type(tiny: LocalModel) -> None:
    expected = tiny.score("Is it?", ["yes", "no"])
    for choices in (iter(["yes", "no"]), Enum("Answer", {"YES": "yes", "NO": "no"}), Literal["yes", "no"]):
        assert tiny.score("Is it?", choices) == expected
    for wrong in ("yes", fw.choice("yes"), 5, [], ["yes", 5], Enum("Number", {"ONE": 1})):
        with pytest.raises(fw.errors.ArgumentError):
            tiny.score("Is it?", wrong)  # type: ignore[arg-type]
    with pytest.raises(fw.errors.ArgumentError, match="canonical"):
        tiny.score("Is it?", ["yes"], canonical="forced")  # type: ignore[arg-type]


def test_a_text_that_does_not_fit_the_context_is_not_scored(tiny: LocalModel) -> None:
    for texts in (["word " * 3000], ["yes", "word " * 3000]):
        with pytest.raises(fw.errors.LimitExceeded) as caught:
            tiny.score("Is it?", texts)
        assert caught.value.limit == "context"


def test_a_text_that_no_tokens_spell_is_never_written(toy: Any) -> None:
    vocabulary = fw.Vocabulary([b"", b"a", b"b"], eos_token_ids=[END])
    model = LocalModel("toy", toy(3, 1), vocabulary, lambda text: [1])
    found = model.score([1], ["z", "a"], canonical=False)
    assert found == {"z": -math.inf, "a": model.score([1], ["a"], canonical=False)["a"]}
    assert math.isfinite(found["a"])
