"""Compare arms by their answers to the same questions, and say how certain the comparison is.

::

    answers = [Outcome(arm, str(q), q % 4 < good) for q in range(100) for arm, good in (("free", 2), ("schema", 3))]
    estimate_accuracy(answers, "free").share                  # 0.5
    compare_arms(answers, [("schema", "free")])          # [Difference(points=0.25, p=6e-08, ...)]

Arms answer the same questions, so they are compared question by question: a question that is hard for one is mostly
hard for the other, and this cancels. Where a question is asked several times (other wordings, other seeds), its
answers are not independent, so only its mean counts.

========================  =============================================================================
`estimate_accuracy`       Wilson's interval; if a question has several answers, for the number of
                          independent answers that they are worth (the design effect)
`compare_arms`            the mean difference, with Student's interval over questions, to which one question
                          for each arm is added (Bonett and Price), so that rare differences count; McNemar's
                          exact test if each arm has one answer to a question, else random flips of sign;
                          Holm's correction for all pairs together
`count_needed_questions`  the number of questions that show a difference (the normal approximation), at the
                          level that Holm's correction leaves to a pair, and at least as many as a test of
                          signs needs
`split_variance`          the shares of the variance between questions, wordings, examples and seeds (analysis
                          of variance, without the part of chance: epsilon squared)
========================  =============================================================================

Intervals and tests are scipy's and statsmodels' own; ``bench/evaluation.py`` measures how often they hold. Cost: some
tenths of a second for each pair.

The interval of a difference contains the true difference in 95 of 100 evaluations. It cannot show that two arms are
equal; `count_needed_questions` says which difference could have been seen. All of this is over questions: it says
nothing about other wordings than those that were used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._extras import needs
from formwright.errors import ArgumentError

with needs("evaluate", "statistics of an evaluation"):
    import pandas
    from scipy import stats
    from statsmodels.stats.contingency_tables import mcnemar
    from statsmodels.stats.multitest import multipletests
    from statsmodels.stats.power import normal_sample_size_one_tail
    from statsmodels.stats.proportion import proportion_confint
    from statsmodels.stats.weightstats import DescrStatsW

__all__ = [
    "ALPHA",
    "Difference",
    "Estimate",
    "Outcome",
    "compare_arms",
    "count_needed_questions",
    "estimate_accuracy",
    "split_variance",
]

Floats = NDArray[np.float64]

ALPHA = 0.05
_RESAMPLES = 4999
_MAX_BATCH = 1 << 22
"""Numbers to resample at a time: 32 MB."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One answer of an arm.

    Attributes:
        arm: The name of the arm.
        question: The id of the question.
        is_right: Whether the answer is right.
        wording: The wording of the prompt.
        seed: The seed of the draw.
        shots: The number of examples in the prompt.
    """

    arm: str
    question: str
    is_right: bool
    wording: str = ""
    seed: int = 0
    shots: int = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share of right answers.

    Attributes:
        share: From 0 to 1.
        low: The lower end of the 95 % interval.
        high: The upper end of the 95 % interval.
        questions: The number of questions.
    """

    share: float
    low: float
    high: float
    questions: int


@dataclass(frozen=True, slots=True)
class Difference:
    """How much larger the share of right answers of one arm is than that of another.

    Attributes:
        arm: The first arm.
        other: The second arm.
        points: The difference of shares, from -1 to 1; above 0 the first arm is better.
        low: The lower end of the 95 % interval.
        high: The upper end of the 95 % interval.
        p: The p-value of the test, corrected for all pairs that were compared together.
        questions: The number of questions that both have answered.
        needed: Questions that would show a difference as large in 80 of 100 evaluations; ``None`` if there is none.
        deviation: The standard deviation of the differences of single questions, for `count_needed_questions`.
        answers: The largest number of answers to a question, for `count_needed_questions`.
        level: The significance level for the uncorrected p, that of Holm's first step, for `count_needed_questions`.
    """

    arm: str
    other: str
    points: float
    low: float
    high: float
    p: float
    questions: int
    needed: int | None
    deviation: float = 0.0
    answers: int = 1
    level: float = ALPHA

    @property
    def is_significant(self) -> bool:
        """Whether the arms differ significantly: by the test, and by an interval that does not contain 0."""
        return self.p < ALPHA and not self.low <= 0 <= self.high


def estimate_accuracy(outcomes: Iterable[Outcome], arm: str) -> Estimate:
    """Estimate the share of questions that an arm answers rightly.

    Raises:
        ArgumentError: The arm has answered no question.
    """
    means, most = _average_answers(_group_by_arm(outcomes).get(arm, {}))
    values = np.array(list(means.values()))
    if not len(values):
        raise ArgumentError(f"the arm {arm!r} has answered no question", argument="arm")
    share, count = float(values.mean()), _estimate_sample_size(values, most)
    low, high = proportion_confint(share * count, count, ALPHA, "wilson")
    return Estimate(share, float(low), float(high), len(values))


def compare_arms(outcomes: Iterable[Outcome], pairs: Sequence[tuple[str, str]], *, seed: int = 0) -> list[Difference]:
    """Compare pairs of arms, with p corrected for the number of pairs.

    Args:
        outcomes: The answers.
        pairs: Pairs of arms; a difference is the first minus the second.
        seed: The seed of the resampling.

    Raises:
        ArgumentError: Two arms have fewer than two questions in common.
    """
    cells, level = _group_by_arm(outcomes), ALPHA / max(1, len(pairs))
    found = [_compare_pair(cells.get(arm, {}), cells.get(other, {}), (arm, other), level, seed) for arm, other in pairs]
    if not found:
        return []
    corrected = multipletests([each.p for each in found], ALPHA, "holm")[1]
    return [replace(each, p=float(p)) for each, p in zip(found, corrected, strict=True)]


def count_needed_questions(
    deviation: float, points: float, *, answers: int = 1, level: float = ALPHA, power: float = 0.8
) -> int | None:
    """Count the questions that would show a difference.

    Args:
        deviation: The standard deviation of the differences of single questions.
        points: The difference to show, from 0 to 1.
        answers: The number of answers of each arm to a question.
        level: The significance level.
        power: The share of evaluations that should show it.

    Returns:
        The number; ``None`` if ``points`` is 0.
    """
    if not points:
        return None
    spread = max(deviation, _find_least_deviation(abs(points), answers))
    fewest = (
        math.floor(math.log2(2 / level)) + 1
    )  # with fewer questions, p is not below the level even if one arm wins all of them
    return max(fewest, math.ceil(float(normal_sample_size_one_tail(abs(points), power, level / 2, spread))))


def _find_least_deviation(points: float, answers: int) -> float:
    """Find the least deviation of differences with this mean, since they are multiples of ``1 / answers``."""
    below = math.floor(points * answers) / answers
    return math.sqrt(max(0.0, (points - below) * (below + 1 / answers - points)))


def split_variance(outcomes: Iterable[Outcome], arm: str) -> dict[str, float]:
    """Split the variance of an arm into shares of question, wording, examples, seed, and the rest.

    The rest is particular to an answer, such as a question that only one wording makes hard. The part of the rest that
    is in the means of questions by chance (a third, with three answers to each) counts as rest too.
    Questions that were not asked in all ways are left out, so the shares add up to 1.
    """
    answers = _group_by_arm(outcomes).get(arm, {})
    frame = pandas.DataFrame([(*key, float(right)) for key, right in answers.items()], columns=[*_KEY, "right"])
    ways = len(frame[["wording", "shots", "seed"]].drop_duplicates())
    frame = frame[frame.groupby("question")["right"].transform("size") == ways]
    total = float(((frame["right"] - frame["right"].mean()) ** 2).sum())
    if ways < 2 or not total:
        return dict.fromkeys((*_KEY, "rest"), 0.0)
    means = {name: frame.groupby(name)["right"].transform("mean") for name in _KEY}
    squares = {name: float(((mean - frame["right"].mean()) ** 2).sum()) for name, mean in means.items()}
    freedom = {name: int(frame[name].nunique()) - 1 for name in _KEY}
    chance = max(0.0, total - sum(squares.values())) / max(1, len(frame) - 1 - sum(freedom.values()))
    shares = {name: max(0.0, squares[name] - freedom[name] * chance) / total for name in _KEY}
    return {**shares, "rest": max(0.0, 1 - sum(shares.values()))}


_KEY = ("question", "wording", "shots", "seed")
_ArmAnswers = dict[tuple[str, str, int, int], bool]
"""Whether an answer is right, by question, wording, examples and seed."""


def _group_by_arm(outcomes: Iterable[Outcome]) -> dict[str, _ArmAnswers]:
    """Group answers by arm. Raises ArgumentError if an arm has two answers to the same prompt."""
    cells: dict[str, _ArmAnswers] = {}
    for each in outcomes:
        key = (each.question, each.wording, each.shots, each.seed)
        if key in cells.setdefault(each.arm, {}):
            raise ArgumentError(f"the arm {each.arm!r} has two answers to {key}", argument="outcomes")
        cells[each.arm][key] = each.is_right
    return cells


def _compare_pair(
    ours: _ArmAnswers, theirs: _ArmAnswers, names: tuple[str, str], level: float, seed: int
) -> Difference:
    """Compare two arms over the prompts that both have answered. Raises ArgumentError."""
    shared = ours.keys() & theirs.keys()
    (first, most), (second, _) = (
        _average_answers({key: cells[key] for key in sorted(shared)}) for cells in (ours, theirs)
    )
    if len(first) < 2:
        raise ArgumentError(
            f"the arms {names[0]!r} and {names[1]!r}: expected at least two questions in common, got {len(first)}",
            argument="pairs",
        )
    one, two = (np.array(list(means.values())) for means in (first, second))
    differences = one - two
    p = _run_mcnemar_test(one, two) if most == 1 else _run_sign_flip_test(differences, seed)
    low, high = _compute_interval(differences, most)
    points, deviation = float(differences.mean()), float(differences.std(ddof=1))
    many = count_needed_questions(deviation, points, answers=most, level=level)
    return Difference(*names, points, low, high, p, len(first), many, deviation, most, level)


def _average_answers(cells: _ArmAnswers) -> tuple[dict[str, float], int]:
    """Average the answers to each question, and count the most answers to a question."""
    answers: dict[str, list[bool]] = {}
    for (question, *_), is_right in cells.items():
        answers.setdefault(question, []).append(is_right)
    means = {question: sum(right) / len(right) for question, right in answers.items()}
    return means, max(map(len, answers.values()), default=0)


def _estimate_sample_size(values: Floats, most: int) -> float:
    """Estimate the number of independent answers with the same information, at least one for each question."""
    share, count = float(values.mean()), len(values)
    variance = float(values.var(ddof=1)) if count > 1 else 0.0
    if most == 1 or not variance:
        return float(count)
    return float(np.clip(share * (1 - share) * count / variance, count, count * most))


def _compute_interval(differences: Floats, most: int) -> tuple[float, float]:
    """Compute the 95 % interval of a mean difference, with two questions added, one that each arm alone answers."""
    values = np.append(differences, [1 / most, -1 / most])
    interval = DescrStatsW(values).tconfint_mean(ALPHA)
    low, high = (float(np.clip(end, -1.0, 1.0)) for end in interval)
    return low, high


def _run_mcnemar_test(first: Floats, second: Floats) -> float:
    """Run McNemar's exact test, on the questions that only one of the arms answers, and return p."""
    table = [[int(((first == one) & (second == two)).sum()) for two in (1, 0)] for one in (1, 0)]
    return float(mcnemar(table, exact=True).pvalue)


def _run_sign_flip_test(differences: Floats, seed: int) -> float:
    """Run a test with random signs of the differences, and return p: how often the mean is as far from 0."""
    moved = differences[differences != 0]
    if len(moved) < 2:  # both signs are as far from 0
        return 1.0
    batch = max(1, _MAX_BATCH // len(moved))
    how: dict[str, Any] = {"permutation_type": "samples", "n_resamples": _RESAMPLES, "batch": batch, "rng": seed}
    return float(stats.permutation_test((moved,), np.sum, vectorized=True, **how).pvalue)
