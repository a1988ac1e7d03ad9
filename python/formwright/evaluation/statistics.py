"""What answers to the same questions say about the arms that gave them, and what they do not.

::

    answers = [Outcome(arm, str(q), q % 4 < good) for q in range(100) for arm, good in (("free", 2), ("schema", 3))]
    accuracy(answers, "free").share                  # 0.5
    compare_arms(answers, [("schema", "free")])          # [Difference(points=0.25, p=6e-08, ...)]

Arms see the same questions, so they are compared question by question: what is hard for one is mostly hard for
the other, and that cancels. Where a question is asked several times (other wordings, other seeds), its answers are
not independent; its mean counts once.

==================  ===================================================================================
`accuracy`          Wilson's interval; where a question has several answers, of as many independent answers as they
                    are worth (the design effect)
`compare_arms`      the mean difference with Student's interval over questions, to which one question more for each
                    arm is added (Bonett and Price), so that rare differences are not taken for none; McNemar's exact
                    test where a question has one answer in each arm, else random flips of sign; Holm's
                    correction for all pairs together
`count_needed`      how many questions show a difference of so many points (the normal approximation), at the level
                    that Holm's correction leaves to a pair, and never fewer than a test of signs could call
`split`             how much of the variance is between questions, wordings, examples, seeds (analysis of variance,
                    less what chance alone puts there: epsilon squared)
==================  ===================================================================================

Intervals and tests are scipy's and statsmodels' own; ``bench/evaluation.py`` measures what they are worth. Cost: some
tenths of a second for each pair.

An interval of a difference holds the truth in 95 of 100 evaluations; that two arms do not differ is not
shown by it. `count_needed` says what could have been seen. All of it is over questions: of other wordings than those
that were asked, nothing is said.
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

__all__ = ["ALPHA", "Difference", "Estimate", "Outcome", "accuracy", "compare_arms", "count_needed", "split"]

Floats = NDArray[np.float64]

ALPHA = 0.05
_RESAMPLED = 4999
_AT_A_TIME = 1 << 22
"""Numbers that are resampled at a time: 32 MB."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One answer of an arm.

    Attributes:
        arm: Which arm.
        question: Which question.
        is_right: Whether the answer is right.
        wording: Which wording of the prompt.
        seed: Which draw.
        shots: How many examples the prompt had.
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
        deviation: The standard deviation of the differences of single questions, for `count_needed`.
        answers: How many answers an arm has to a question at most, for `count_needed`.
        level: What p, not corrected, must be below to be called for certain: Holm's first step; for `count_needed`.
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
    def is_called(self) -> bool:
        """Whether it may be said that the arms differ: the test says so, and the interval does not hold 0."""
        return self.p < ALPHA and not self.low <= 0 <= self.high


def accuracy(outcomes: Iterable[Outcome], arm: str) -> Estimate:
    """How many of the questions an arm answers.

    Raises:
        ArgumentError: It has answered none.
    """
    means, most = _means(_cells(outcomes).get(arm, {}))
    values = np.array(list(means.values()))
    if not len(values):
        raise ArgumentError(f"the arm {arm!r} has answered no question", argument="arm")
    share, count = float(values.mean()), _effective_sample_size(values, most)
    low, high = proportion_confint(share * count, count, ALPHA, "wilson")
    return Estimate(share, float(low), float(high), len(values))


def compare_arms(outcomes: Iterable[Outcome], pairs: Sequence[tuple[str, str]], *, seed: int = 0) -> list[Difference]:
    """The differences of pairs of arms, corrected for how many there are.

    Args:
        outcomes: The answers.
        pairs: The arms, the first beside the second.
        seed: Of the resampling.

    Raises:
        ArgumentError: Two arms have fewer than two questions in common.
    """
    cells, level = _cells(outcomes), ALPHA / max(1, len(pairs))
    found = [_difference(cells.get(arm, {}), cells.get(other, {}), (arm, other), level, seed) for arm, other in pairs]
    if not found:
        return []
    corrected = multipletests([each.p for each in found], ALPHA, "holm")[1]
    return [replace(each, p=float(p)) for each, p in zip(found, corrected, strict=True)]


def count_needed(
    deviation: float, points: float, *, answers: int = 1, level: float = ALPHA, power: float = 0.8
) -> int | None:
    """How many questions show a difference.

    Args:
        deviation: The standard deviation of the differences of single questions.
        points: The difference to be seen, from 0 to 1.
        answers: How many answers each arm has to a question.
        level: What p must be below.
        power: In what share of evaluations it is to be seen.

    Returns:
        The number; ``None`` where there is no difference to be seen.
    """
    if not points:
        return None
    spread = max(deviation, _least_deviation(abs(points), answers))
    fewest = math.floor(math.log2(2 / level)) + 1  # all of fewer questions could be won, and p would not be below level
    return max(fewest, math.ceil(float(normal_sample_size_one_tail(abs(points), power, level / 2, spread))))


def _least_deviation(points: float, answers: int) -> float:
    """The least deviation that differences of this mean can have, since they are whole answers: all lie beside it."""
    below = math.floor(points * answers) / answers
    return math.sqrt(max(0.0, (points - below) * (below + 1 / answers - points)))


def split(outcomes: Iterable[Outcome], arm: str) -> dict[str, float]:
    """How an arm's variance splits: shares of question, wording, examples, seed, and of the rest.

    The rest is what is particular to an answer, such as a question that one wording alone makes hard. What the rest
    puts into the means of questions by chance (a third of it, with three answers to each) is counted as rest too.
    Questions that were not asked in all ways are left out, so the shares add up to 1.
    """
    cells = _cells(outcomes).get(arm, {})
    frame = pandas.DataFrame([(*key, float(right)) for key, right in cells.items()], columns=[*_KEY, "right"])
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
_Cells = dict[tuple[str, str, int, int], bool]
"""Whether an answer is right, by question, wording, examples and seed."""


def _cells(outcomes: Iterable[Outcome]) -> dict[str, _Cells]:
    """The answers of each arm. Raises ArgumentError where one is twice."""
    cells: dict[str, _Cells] = {}
    for each in outcomes:
        key = (each.question, each.wording, each.shots, each.seed)
        if key in cells.setdefault(each.arm, {}):
            raise ArgumentError(f"the arm {each.arm!r} has two answers to {key}", argument="outcomes")
        cells[each.arm][key] = each.is_right
    return cells


def _difference(ours: _Cells, theirs: _Cells, names: tuple[str, str], level: float, seed: int) -> Difference:
    """The difference over what both were asked."""
    shared = ours.keys() & theirs.keys()
    (first, most), (second, _) = (_means({key: cells[key] for key in sorted(shared)}) for cells in (ours, theirs))
    if len(first) < 2:
        said = f"the arms {names[0]!r} and {names[1]!r} have {len(first)} questions in common: two are needed"
        raise ArgumentError(said, argument="pairs")
    one, two = (np.array(list(means.values())) for means in (first, second))
    differences = one - two
    p = _mcnemar(one, two) if most == 1 else _sign_flip_p_value(differences, seed)
    low, high = _interval(differences, most)
    points, deviation = float(differences.mean()), float(differences.std(ddof=1))
    many = count_needed(deviation, points, answers=most, level=level)
    return Difference(*names, points, low, high, p, len(first), many, deviation, most, level)


def _means(cells: _Cells) -> tuple[dict[str, float], int]:
    """The share of right answers to each question, and how many answers a question has at most."""
    answers: dict[str, list[bool]] = {}
    for (question, *_), is_right in cells.items():
        answers.setdefault(question, []).append(is_right)
    means = {question: sum(right) / len(right) for question, right in answers.items()}
    return means, max(map(len, answers.values()), default=0)


def _effective_sample_size(values: Floats, most: int) -> float:
    """How many independent answers tell as much as the means of questions: from one for each on."""
    share, count = float(values.mean()), len(values)
    variance = float(values.var(ddof=1)) if count > 1 else 0.0
    if most == 1 or not variance:
        return float(count)
    return float(np.clip(share * (1 - share) * count / variance, count, count * most))


def _interval(differences: Floats, most: int) -> tuple[float, float]:
    """The 95 % interval of a mean difference, with a question more in which each arm has one answer more."""
    values = np.append(differences, [1 / most, -1 / most])
    interval = DescrStatsW(values).tconfint_mean(ALPHA)
    low, high = (float(np.clip(end, -1.0, 1.0)) for end in interval)
    return low, high


def _mcnemar(first: Floats, second: Floats) -> float:
    """McNemar's exact test: of the questions that one arm alone answers, how many are the one's."""
    table = [[int(((first == one) & (second == two)).sum()) for two in (1, 0)] for one in (1, 0)]
    return float(mcnemar(table, exact=True).pvalue)


def _sign_flip_p_value(differences: Floats, seed: int) -> float:
    """How often a mean as far from 0 comes out, where the sign of each question's difference is drawn."""
    moved = differences[differences != 0]
    if len(moved) < 2:  # either sign is as far from 0
        return 1.0
    batch = max(1, _AT_A_TIME // len(moved))
    how: dict[str, Any] = {"permutation_type": "samples", "n_resamples": _RESAMPLED, "batch": batch, "rng": seed}
    return float(stats.permutation_test((moved,), np.sum, vectorized=True, **how).pvalue)
