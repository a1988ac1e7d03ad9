"""What answers to the same questions say about the arms that gave them, and what they do not.

::

    answers = [Outcome(arm, str(q), q % 4 < good) for q in range(100) for arm, good in (("free", 2), ("schema", 3))]
    accuracy(answers, "free").share                  # 0.5
    compared(answers, [("schema", "free")])          # [Difference(points=0.25, p=6e-08, ...)]

Arms see the same questions, so they are compared question by question: what is hard for one is mostly hard for
the other, and that cancels. Where a question is asked several times (other wordings, other seeds), its answers are no
independent ones; its mean counts once.

==================  ===================================================================================
`accuracy`          Wilson's interval where a question has one answer, else the bootstrap over questions
`compared`          the mean difference with its bootstrap interval (BCa, over questions); McNemar's exact
                    test where a question has one answer in each arm, else random flips of sign; Holm's
                    correction for all pairs together
`needed`            how many questions show a difference of so many points (the normal approximation)
`split`             how much of the variance is between questions, wordings, seeds (analysis of variance)
==================  ===================================================================================

All of it is scipy's and statsmodels' own. Cost: some 2,000 resamplings for each interval, about ten milliseconds.

The wrinkle: an interval of a difference holds the truth in 95 of 100 evaluations; that two arms do not differ is not
shown by it. `needed` says what could have been seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._dependencies import needs
from formwright.errors import ArgumentError

with needs("evaluate", "statistics of an evaluation"):
    import pandas
    from scipy import stats
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm
    from statsmodels.stats.contingency_tables import mcnemar
    from statsmodels.stats.multitest import multipletests
    from statsmodels.stats.power import normal_sample_size_one_tail
    from statsmodels.stats.proportion import proportion_confint

__all__ = ["ALPHA", "Difference", "Estimate", "Outcome", "accuracy", "compared", "needed", "split"]

Floats = NDArray[np.float64]

ALPHA = 0.05
_RESAMPLED = 2000


@dataclass(frozen=True, slots=True)
class Outcome:
    """One answer of an arm.

    Attributes:
        arm: Which arm.
        question: Which question.
        is_right: Whether the answer is right.
        wording: Which wording of the prompt.
        seed: Which draw.
    """

    arm: str
    question: str
    is_right: bool
    wording: str = ""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share of right answers.

    Attributes:
        share: From 0 to 1.
        low: Of the 95 % interval.
        high: Of the 95 % interval.
        questions: How many questions it rests on.
    """

    share: float
    low: float
    high: float
    questions: int


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more of the questions one arm answers than another one.

    Attributes:
        arm: The one.
        other: The other one.
        points: The difference, from -1 to 1; above 0 the first is better.
        low: Of the 95 % interval.
        high: Of the 95 % interval.
        p: How likely a difference as large is where there is none; corrected for all that were compared with it.
        questions: How many questions both have answered.
        needed: Questions that would show a difference as large in 80 of 100 evaluations; ``None`` if there is none.
    """

    arm: str
    other: str
    points: float
    low: float
    high: float
    p: float
    questions: int
    needed: int | None

    @property
    def is_called(self) -> bool:
        """Whether it may be said that the arms differ."""
        return self.p < ALPHA


def accuracy(outcomes: Iterable[Outcome], arm: str) -> Estimate:
    """How many of the questions an arm answers.

    Raises:
        ArgumentError: It has answered none.
    """
    means, single = _means(outcomes, arm)
    values = np.array(list(means.values()))
    if not len(values):
        raise ArgumentError(f"the arm {arm!r} has answered no question", argument="arm")
    if single:
        low, high = proportion_confint(int(values.sum()), len(values), ALPHA, "wilson")
    else:
        low, high = _interval(values)
    return Estimate(float(values.mean()), float(low), float(high), len(values))


def compared(outcomes: Iterable[Outcome], pairs: Sequence[tuple[str, str]], *, seed: int = 0) -> list[Difference]:
    """The differences of pairs of arms, corrected for how many there are.

    Args:
        outcomes: The answers.
        pairs: The arms, the first beside the second.
        seed: Of the resampling.

    Raises:
        ArgumentError: Two arms have fewer than two questions in common.
    """
    outcomes = list(outcomes)
    found = [_difference(outcomes, arm, other, seed) for arm, other in pairs]
    if not found:
        return []
    corrected = multipletests([each.p for each in found], ALPHA, "holm")[1]
    return [replace(each, p=float(p)) for each, p in zip(found, corrected, strict=True)]


def needed(deviation: float, points: float, *, power: float = 0.8) -> int | None:
    """How many questions show a difference.

    Args:
        deviation: The standard deviation of the differences of single questions.
        points: The difference to be seen, from 0 to 1.
        power: In what share of evaluations it is to be seen.

    Returns:
        The number; ``None`` where there is no difference to be seen.
    """
    if not points:
        return None
    return max(2, math.ceil(float(normal_sample_size_one_tail(abs(points), power, ALPHA / 2, deviation))))


def split(outcomes: Iterable[Outcome], arm: str) -> dict[str, float]:
    """How an arm's variance splits: shares of question, wording, seed, and of the rest."""
    names = ("question", "wording", "seed")
    rows = [each for each in outcomes if each.arm == arm]
    frame = pandas.DataFrame({name: [str(getattr(each, name)) for each in rows] for name in names})
    frame["right"] = [float(each.is_right) for each in rows]
    several = [name for name in names if frame[name].nunique() > 1]
    if not several or frame["right"].nunique() < 2:
        return dict.fromkeys((*names, "rest"), 0.0)
    fitted: Any = ols("right ~ " + " + ".join(f"C({name})" for name in several), frame).fit()
    squares = anova_lm(fitted, typ=2)["sum_sq"]
    total = float(squares.sum())
    shares = {name: float(squares.get(f"C({name})", 0.0)) / total for name in names}
    return {**shares, "rest": float(squares["Residual"]) / total}


def _difference(outcomes: Sequence[Outcome], arm: str, other: str, seed: int) -> Difference:
    (ours, single), (theirs, also_single) = _means(outcomes, arm), _means(outcomes, other)
    shared = sorted(ours.keys() & theirs.keys())
    if len(shared) < 2:
        raise ArgumentError(f"the arms {arm!r} and {other!r} have {len(shared)} questions in common", argument="pairs")
    first, second = (np.array([means[question] for question in shared]) for means in (ours, theirs))
    differences = first - second
    p = _mcnemar(first, second) if single and also_single else _flipped(differences, seed)
    low, high = _interval(differences, seed)
    points = float(differences.mean())
    many = needed(float(differences.std(ddof=1)), points)
    return Difference(arm, other, points, low, high, p, len(shared), many)


def _means(outcomes: Iterable[Outcome], arm: str) -> tuple[dict[str, float], bool]:
    """The share of right answers to each question, and whether each has one answer only."""
    answers: dict[str, list[bool]] = {}
    for each in outcomes:
        if each.arm == arm:
            answers.setdefault(each.question, []).append(each.is_right)
    means = {question: sum(right) / len(right) for question, right in answers.items()}
    return means, all(len(right) == 1 for right in answers.values())


def _interval(values: Floats, seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of a mean."""
    if np.ptp(values) == 0:  # nothing to resample: all questions are alike
        return float(values[0]), float(values[0])
    found = stats.bootstrap(
        (values,), np.mean, confidence_level=1 - ALPHA, n_resamples=_RESAMPLED, method="BCa", rng=seed
    ).confidence_interval
    return float(found.low), float(found.high)


def _mcnemar(first: Floats, second: Floats) -> float:
    """McNemar's exact test: of the questions that one arm alone answers, how many are the one's."""
    table = [[int(((first == one) & (second == two)).sum()) for two in (1, 0)] for one in (1, 0)]
    return float(mcnemar(table, exact=True).pvalue)


def _flipped(differences: Floats, seed: int) -> float:
    """How often a mean as far from 0 comes out, where the sign of each question's difference is drawn."""
    if not differences.any():
        return 1.0
    found = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=_RESAMPLED, rng=seed, vectorized=True
    )
    return float(found.pvalue)
