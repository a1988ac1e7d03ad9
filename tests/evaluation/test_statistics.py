"""Statistics of answers against formulas written out, and against truths that are known."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from formwright.errors import ArgumentError
from formwright.evaluation.statistics import (
    Outcome,
    compare_arms,
    count_needed_questions,
    estimate_accuracy,
    split_variance,
)


def answers(arm: str, right: list[bool], wordings: int = 1) -> Iterator[Outcome]:
    for number, is_right in enumerate(right):
        yield Outcome(arm, str(number // wordings), is_right, str(number % wordings))


def test_shares_have_wilsons_interval() -> None:
    found = estimate_accuracy(answers("free", [True] * 70 + [False] * 30), "free")
    z, p, n = 1.959964, 0.7, 100
    middle, half = (p + z * z / 2 / n), z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    assert found.share == pytest.approx(0.7)
    assert (found.low, found.high) == pytest.approx(
        ((middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n))
    )


def test_answers_to_the_same_question_are_no_new_questions() -> None:
    one = estimate_accuracy(answers("free", [n % 2 == 0 for n in range(60)]), "free")
    copied = estimate_accuracy(answers("free", [n // 3 % 2 == 0 for n in range(180)], 3), "free")
    assert (one.share, one.questions) == (copied.share, copied.questions) == (0.5, 60)
    assert (one.low, one.high) == pytest.approx((copied.low, copied.high), abs=0.005)
    rng = np.random.default_rng(1)
    other = estimate_accuracy(answers("free", list(rng.random(180) < 0.5), 3), "free")
    assert other.high - other.low < one.high - one.low  # where the wordings do differ, they tell more


@pytest.mark.parametrize("wordings", [1, 3])
def test_nothing_is_certain_where_all_answers_are_alike(wordings: int) -> None:
    found = estimate_accuracy(answers("free", [True] * 30 * wordings, wordings), "free")
    assert found.share == found.high == 1
    assert found.low < 0.95
    both = [*answers("free", [True] * 30 * wordings, wordings), *answers("schema", [True] * 30 * wordings, wordings)]
    (same,) = compare_arms(both, [("schema", "free")])
    assert (same.points, same.p, same.needed, same.is_significant) == (0, 1, None, False)
    assert same.low < 0 < same.high


def test_pairs_have_mcnemars_exact_test() -> None:
    first = [True] * 12 + [False] * 2 + [True] * 20
    second = [False] * 12 + [True] * 2 + [True] * 20
    (found,) = compare_arms([*answers("a", first), *answers("b", second)], [("a", "b")])
    exact = 2 * sum(math.comb(14, k) for k in range(3)) / 2**14
    assert found.p == pytest.approx(exact)
    assert found.points == pytest.approx(10 / 34)


def test_signs_are_flipped_where_questions_have_several_answers() -> None:
    first, second = [True] * 10 + [False] * 10, [False] * 20
    (found,) = compare_arms([*answers("a", first, 2), *answers("b", second, 2)], [("a", "b")])
    assert found.p == pytest.approx(2 / 2**5)  # five questions moved: all one way, or all the other
    assert not found.is_significant


def test_holm_makes_several_pairs_pay() -> None:
    base = [False] * 40
    arms = {"a": [True] * 8 + base[8:], "b": [True] * 6 + base[6:], "c": base}
    outcomes = [each for arm, right in arms.items() for each in answers(arm, right)] + [*answers("free", base)]
    alone = {arm: compare_arms(outcomes, [(arm, "free")])[0].p for arm in arms}
    together = {each.arm: each.p for each in compare_arms(outcomes, [(arm, "free") for arm in arms])}
    assert together == pytest.approx({"a": 3 * alone["a"], "b": 2 * alone["b"], "c": 1.0})


def test_only_what_both_were_asked_is_compared() -> None:
    outcomes = [Outcome("a", str(n), True, wording) for n, wording in product(range(10), "01")]
    outcomes += [Outcome("b", str(n), True, "0") for n in range(10)] + [Outcome("b", "0", False, "1")]
    (found,) = compare_arms(outcomes, [("b", "a")])
    assert found.points == pytest.approx(-0.05)
    with pytest.raises(ArgumentError, match="two answers"):
        compare_arms([*outcomes, outcomes[0]], [("b", "a")])
    with pytest.raises(ArgumentError, match="in common"):
        compare_arms([Outcome("a", "1", True), Outcome("b", "2", True)], [("a", "b")])


def test_how_many_questions_are_needed() -> None:
    assert count_needed_questions(0.5, 0.05) == math.ceil((0.5 / 0.05 * (1.959964 + 0.841621)) ** 2)
    assert count_needed_questions(0.5, 0.0) is None


def test_fewer_questions_than_a_test_can_call_are_never_enough() -> None:
    assert count_needed_questions(0.0, 1.0) == 6  # p of five questions, all won, is 1/16
    assert count_needed_questions(0.0, 1.0, level=0.05 / 7) == 9
    (found,) = compare_arms([*answers("a", [True] * 4), *answers("b", [False] * 4)], [("a", "b")])
    assert (found.is_significant, found.needed) == (False, 6)


def test_differences_are_whole_answers_and_so_vary() -> None:
    assert count_needed_questions(0.0, 0.05) == count_needed_questions(
        math.sqrt(0.05 * 0.95), 0.05
    )  # 5 of 100 questions are won, the others are not
    assert count_needed_questions(0.0, 0.05, answers=3) == count_needed_questions(
        math.sqrt(0.05 / 3 - 0.05**2), 0.05, answers=3
    )


def test_more_pairs_need_more_questions() -> None:
    outcomes = [
        each for arm, by in (("a", 3), ("b", 4), ("c", 5)) for each in answers(arm, [n % by == 0 for n in range(60)])
    ]
    (alone,) = compare_arms(outcomes, [("a", "c")])
    first, _ = compare_arms(outcomes, [("a", "c"), ("b", "c")])
    assert alone.needed == count_needed_questions(alone.deviation, alone.points)
    assert first.needed == count_needed_questions(alone.deviation, alone.points, level=0.025)


def test_variance_lies_where_it_was_put() -> None:
    cells = list(product(range(40), range(3)))
    by_wording = split_variance([Outcome("a", str(q), w == 0, str(w)) for q, w in cells], "a")
    assert by_wording["wording"] == pytest.approx(1)
    by_question = split_variance([Outcome("a", str(q), q % 2 == 0, str(w)) for q, w in cells], "a")
    assert by_question["question"] == pytest.approx(1)
    rng = np.random.default_rng(0)
    noise = split_variance([Outcome("a", str(q), bool(rng.random() < 0.5), str(w)) for q, w in cells], "a")
    assert sum(noise.values()) == pytest.approx(1)
    assert noise["rest"] > 0.9  # a third of it is in the means of questions, by chance


def test_variance_is_that_of_statsmodels() -> None:
    import pandas
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    rng = np.random.default_rng(3)
    rows = [
        Outcome("a", str(q), bool(rng.random() < q / 20), str(w), s)
        for q in range(20)
        for w in range(3)
        for s in (0, 1)
    ]
    frame = pandas.DataFrame([(row.question, row.wording, row.seed, float(row.is_right)) for row in rows])
    frame.columns = ["question", "wording", "seed", "right"]
    table = anova_lm(ols("right ~ C(question) + C(wording) + C(seed)", frame).fit(), typ=2)
    squares = table["sum_sq"] - table["df"] * table["sum_sq"]["Residual"] / table["df"]["Residual"]  # epsilon squared
    found = split_variance([*rows, Outcome("a", "20", True, "0", 0)], "a")  # a question that was not asked in all ways
    for name in ("question", "wording", "seed"):
        assert found[name] == pytest.approx(max(0, squares[f"C({name})"]) / table["sum_sq"].sum())


@pytest.mark.parametrize(("wordings", "good", "gain"), [(1, 0.5, 0.1), (3, 0.5, 0.1), (1, 0.93, 0.03)])
def test_intervals_hold_the_truth(wordings: int, good: float, gain: float) -> None:
    """A small sample of what ``bench/evaluation.py`` does with 2,000 evaluations."""
    gc.freeze()  # statsmodels calls the collector in every correction
    rng, held, runs = np.random.default_rng(2), 0, 20
    for _ in range(runs):
        level = np.repeat(rng.normal(0, 0.02, 80), wordings)
        right = {arm: list(rng.random(80 * wordings) < p + level) for arm, p in (("a", good + gain), ("b", good))}
        outcomes = [each for arm, some in right.items() for each in answers(arm, some, wordings)]
        (found,) = compare_arms(outcomes, [("a", "b")])
        held += found.low <= gain <= found.high
    gc.unfreeze()
    assert held >= 17  # 19 are expected
