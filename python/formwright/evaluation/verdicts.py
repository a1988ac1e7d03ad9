"""What a store of answers says: shares, differences, sentences and warnings, computed from its rows alone.

::

    rows = [
        {"model": "m", "arm": arm, "question": str(q), "wording": 0, "shots": 0, "seed": 0, "is_right": q % 4 < good}
        for q in range(100)
        for arm, good in (("free", 2), ("schema", 3))
    ]
    judged = judge(rows, "m", baseline="free")
    judged.sentences[0]          # 'schema is better than free by 16 to 33 points (25; p < 0.001).'

A sentence says no more than its interval: "better by 4 to 11 points", or that no difference was seen, and then how
many questions would show one of `SOUGHT` points.

Cost: some milliseconds for each pair of arms. Intervals are of single differences; p is corrected for all
pairs of a model, and a difference is called only where both agree.
"""

from __future__ import annotations

import statistics as plain
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from formwright.errors import ArgumentError
from formwright.evaluation.arms import ARMS
from formwright.evaluation.reading import has_steps
from formwright.evaluation.statistics import Difference, Estimate, Outcome, accuracy, compare_arms, count_needed, split

__all__ = ["SOUGHT", "Cost", "Judged", "judge", "sentence"]

SOUGHT = 0.05
"""The difference that is worth seeing."""

_CUT, _FEW = 0.05, 30
_UNLIKE = 0.5
"""By how much the shares of answers with steps differ, where arms are not asked for the same."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What an answer of an arm costs, on the average.

    Attributes:
        tokens: Tokens written.
        model_calls: Calls of the model.
        forced_tokens: Tokens that could only be one.
        seconds: Its share of the time of a batch.
    """

    tokens: float
    model_calls: float
    forced_tokens: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the rows of a model say.

    Attributes:
        model: The model.
        baseline: The arm that the others are compared with.
        estimates: The share of right answers by arm.
        unreadable: The share of answers that could not be read.
        masses: The probability that an arm allowed, on the average, where it is known.
        costs: What an answer costs.
        splits: Where the variance lies.
        fields: The share of right values for each field of an answer.
        differences: Every other arm beside the baseline.
        sentences: The same in words.
        warnings: What makes the comparison worth less.
        wordings: Which wordings it rests on.
    """

    model: str
    baseline: str
    estimates: Mapping[str, Estimate]
    unreadable: Mapping[str, float]
    masses: Mapping[str, float]
    costs: Mapping[str, Cost]
    splits: Mapping[str, Mapping[str, float]]
    fields: Mapping[str, Mapping[str, float]]
    differences: Sequence[Difference]
    sentences: Sequence[str]
    warnings: Sequence[str] = field(default=())
    wordings: Sequence[int] = ()


def judge(
    rows: Iterable[Mapping[str, Any]], model: str, *, baseline: str = "free", unfair: Iterable[str] = ()
) -> Judged:
    """What the rows of a model say.

    Args:
        rows: Rows of a store; those of other models are passed over.
        model: The model.
        baseline: The arm that the others are compared with.
        unfair: With ``"wording"``, the one wording counts at which the other arms look best.

    Raises:
        ArgumentError: The model has no rows, or the baseline has none.
    """
    own = [row for row in rows if row["model"] == model]
    arms = [name for name in ARMS if any(row["arm"] == name for row in own)]
    if baseline not in arms:
        hint = f"the arms are {', '.join(arms)}" if arms else None
        raise ArgumentError(f"{model} has no answers in the arm {baseline!r}", hint=hint, argument="baseline")
    own = _rows_of_best_wording(own, baseline) if "wording" in unfair else own
    by_arm = {arm: [row for row in own if row["arm"] == arm] for arm in arms}
    outcomes = _outcomes(own)
    pairs = [(arm, baseline) for arm in arms if arm != baseline and _share_questions(by_arm, arm, baseline)]
    differences = compare_arms(outcomes, pairs)
    return Judged(
        model=model,
        baseline=baseline,
        estimates={arm: accuracy(outcomes, arm) for arm in arms},
        unreadable={arm: _mean(not row.get("is_readable", True) for row in some) for arm, some in by_arm.items()},
        masses={arm: _mean(known) for arm, some in by_arm.items() if (known := _values_of(some, "allowed_mass"))},
        costs={arm: _cost(some) for arm, some in by_arm.items()},
        splits={arm: split(outcomes, arm) for arm in arms},
        fields={arm: _fields(some) for arm, some in by_arm.items()},
        differences=differences,
        sentences=[sentence(each) for each in differences],
        warnings=[
            *_warnings(own, by_arm, unfair),
            *_warn_of_incomparable(by_arm, baseline),
            *_warn_of_unlike_steps(by_arm, baseline),
        ],
        wordings=sorted({row["wording"] for row in own}),
    )


def sentence(difference: Difference) -> str:
    """What may be said of a difference."""
    arm, other = difference.arm, difference.other
    low, high = sorted((abs(difference.low), abs(difference.high)))
    p = "p < 0.001" if difference.p < 0.001 else f"p = {difference.p:.3f}"
    if difference.is_called:
        how = "better" if difference.points > 0 else "worse"
        span = f"{_points(low)} to {_points(high)} points ({_points(abs(difference.points))}; {p})"
        return f"{arm} is {how} than {other} by {span}."
    deviation = max(difference.deviation, difference.questions**-0.5)  # few questions may be alike by chance
    many = count_needed(deviation, SOUGHT, answers=difference.answers, level=difference.level) or 0
    span = f"{_show_sign(difference.low)} to {_show_sign(difference.high)} points"
    seen = f"No difference between {arm} and {other} was seen ({span}; {p})"
    if many <= difference.questions:
        return f"{seen}; {difference.questions:,} questions are enough to see one of {_points(SOUGHT)} points."
    return f"{seen}; one of {_points(SOUGHT)} points or more would need {many:,} questions."


def _points(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.0995 else f"{100 * share:.1f}".removesuffix(".0")


def _show_sign(share: float) -> str:
    said = _points(abs(share))
    return said if said == "0" else f"{'-' if share < 0 else '+'}{said}"


def _outcomes(rows: Iterable[Mapping[str, Any]]) -> list[Outcome]:
    return [
        Outcome(row["arm"], row["question"], row["is_right"], str(row["wording"]), row["seed"], row["shots"])
        for row in rows
    ]


def _question_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Which question, and how it was asked but for the arm."""
    return row["question"], row["wording"], row["shots"], row["seed"]


def _share_questions(by_arm: Mapping[str, Sequence[Mapping[str, Any]]], arm: str, baseline: str) -> bool:
    """Whether two questions at least were answered in both arms: a service may have answered none in one."""
    shared = set(map(_question_key, by_arm[arm])) & set(map(_question_key, by_arm[baseline]))
    return len({question for question, *_ in shared}) > 1


def _warn_of_incomparable(by_arm: Mapping[str, Sequence[Mapping[str, Any]]], baseline: str) -> list[str]:
    """Arms of which no difference can be told."""
    arms = [arm for arm in by_arm if arm != baseline and not _share_questions(by_arm, arm, baseline)]
    return [f"{arm} and {baseline} have not two answered questions in common: no difference is told." for arm in arms]


def _warn_of_unlike_steps(by_arm: Mapping[str, Sequence[Mapping[str, Any]]], baseline: str) -> list[str]:
    """Arms that are asked for steps, as the baseline is, and of which only one has written them."""
    written = {arm: [row["text"] for row in rows if row.get("text")] for arm, rows in by_arm.items() if arm in ARMS}
    shares = {
        arm: _mean(has_steps(ARMS[arm], text) for text in texts)
        for arm, texts in written.items()
        if texts and ARMS[arm].reasons
    }
    if baseline not in shares:
        return []
    own = f"{baseline}: {100 * shares[baseline]:.0f} % of the answers have steps"
    return [
        f"{own}, and {100 * share:.0f} % of those of {arm}: "
        "their difference is that of reasoning and structure together."
        for arm, share in shares.items()
        if abs(share - shares[baseline]) > _UNLIKE
    ]


def _rows_of_best_wording(rows: list[Mapping[str, Any]], baseline: str) -> list[Mapping[str, Any]]:
    """The rows of the wording at which the other arms look best beside the baseline."""

    def lead(wording: int) -> float:
        some = [row for row in rows if row["wording"] == wording]
        ours = [row["is_right"] for row in some if row["arm"] != baseline]
        return _mean(ours) - _mean(row["is_right"] for row in some if row["arm"] == baseline)

    best = max(sorted({row["wording"] for row in rows}), key=lead)
    return [row for row in rows if row["wording"] == best]


def _mean(values: Iterable[float]) -> float:
    listed = [float(value) for value in values]
    return plain.fmean(listed) if listed else 0.0


def _values_of(rows: Iterable[Mapping[str, Any]], name: str) -> list[float]:
    return [row[name] for row in rows if row.get(name) is not None]


def _cost(rows: Sequence[Mapping[str, Any]]) -> Cost:
    return Cost(*(_mean(_values_of(rows, name)) for name in ("tokens", "model_calls", "forced_tokens", "seconds")))


def _fields(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    names = {name: None for row in rows for name in row.get("fields_right", {})}
    return {name: _mean(row["fields_right"].get(name, False) for row in rows) for name in names}


_UNFAIR = {
    "prompts": "structured arms got bare prompts, without the task, the schema, the request for steps and the examples",
    "parser": "the answer of free text was read by a rule that errs: the first number or line instead of the last",
    "wording": "of several wordings only the one counts at which the other arms look best beside the baseline",
}


def _warnings(
    rows: Sequence[Mapping[str, Any]], by_arm: Mapping[str, Sequence[Mapping[str, Any]]], unfair: Iterable[str]
) -> list[str]:
    """What makes a comparison worth less."""
    switched = {*unfair, *(name for row in rows for name in row.get("unfair", ()))}
    said = [f"UNFAIR ({name}): {_UNFAIR[name]}. Do not conclude from this report." for name in sorted(switched)]
    if len({row["wording"] for row in rows}) == 1 and "wording" not in switched:
        said.append("One wording: another one may turn the result. Ask in several (--wordings 3).")
    if (count := len({row["question"] for row in rows})) < _FEW:
        said.append(f"{count} questions: only large differences can be seen.")
    for arm, some in by_arm.items():
        cut, failed = (
            _mean(row.get("is_cut", False) for row in some),
            [row["error"] for row in some if row.get("error")],
        )
        unread = _mean(not row.get("is_readable", True) for row in some)
        if unread > _CUT:
            said.append(f"{arm}: {100 * unread:.0f} % of the answers could not be read, and count as wrong.")
        if cut > _CUT:
            said.append(f"{arm}: {100 * cut:.0f} % of the answers are as long as --max-tokens allows; give it more.")
        if failed:
            said.append(f"{arm}: {len(failed)} answers failed and count as wrong, such as {failed[0]}")
        if arm in ARMS and ARMS[arm].enforces != "text" and any(_is_unenforced(row) for row in some):
            said.append(f"{arm}: the service does not enforce its form; answers out of form count as wrong.")
        if len(set(map(_question_key, some))) < len(set(map(_question_key, rows))):
            said.append(f"{arm}: not all questions are answered; differences rest on what both arms were asked.")
        if arm in ARMS and not ARMS[arm].reasons:
            said.append(f"{arm} is asked for no steps: its difference is that of reasoning and structure together.")
    return said


def _is_unenforced(row: Mapping[str, Any]) -> bool:
    """Whether nobody held an answer to its form."""
    return row.get("enforced") == "checked" or (row.get("error") or "").startswith("OutputInvalid")
