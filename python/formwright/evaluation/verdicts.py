"""Judge the answers of a store: shares, differences, sentences and warnings, computed from its rows alone.

::

    rows = [
        {"model": "m", "arm": arm, "question": str(q), "wording": 0, "shots": 0, "seed": 0, "is_right": q % 4 < good}
        for q in range(100)
        for arm, good in (("free", 2), ("schema", 3))
    ]
    judged = judge(rows, "m", baseline="free")
    judged.sentences[0]          # 'schema is better than free by 16 to 33 points (25; p < 0.001).'

A sentence claims no more than its interval: "better by 4 to 11 points", or that no difference was seen, and how many
questions would show a difference of `SOUGHT`.

Cost: some milliseconds for each pair of arms. Intervals are of single differences; p is corrected for all
pairs of a model, and a difference is significant only if both agree.
"""

from __future__ import annotations

import statistics as plain
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from formwright.errors import ArgumentError
from formwright.evaluation.arms import ARMS
from formwright.evaluation.reading import has_steps
from formwright.evaluation.rows import AnswerRow
from formwright.evaluation.statistics import (
    Difference,
    Estimate,
    Outcome,
    compare_arms,
    count_needed_questions,
    estimate_accuracy,
    split_variance,
)

__all__ = ["SOUGHT", "Cost", "Verdict", "judge", "write_sentence"]

SOUGHT = 0.05
"""The smallest difference that matters, as a share."""

_Number: TypeAlias = Literal["tokens", "model_calls", "forced_tokens", "seconds", "allowed_mass"]
"""The members of a row that are averaged."""

_MAX_SHARE, _FEW_QUESTIONS = 0.05, 30
"""From where on a report warns: the share of answers that were cut or unreadable, and the number of questions."""
_MAX_STEP_DIFFERENCE = 0.5
"""The largest difference in the shares of answers with steps at which arms are comparable."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What an answer of an arm costs, on average.

    Attributes:
        tokens: Tokens written.
        model_calls: Calls of the model.
        forced_tokens: Tokens without an alternative.
        seconds: Its share of the time of a batch.
    """

    tokens: float
    model_calls: float
    forced_tokens: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the rows of a model show.

    Attributes:
        model: The model.
        baseline: The arm that the others are compared with.
        estimates: The share of right answers by arm.
        unreadable: The share of answers that could not be read.
        masses: The mean probability of the tokens that an arm allowed, where it is known.
        costs: What an answer costs.
        splits: Where the variance lies.
        fields: The share of right values for each field of an answer.
        differences: The pairs of arms; by default every other arm compared with the baseline.
        sentences: The differences in words.
        warnings: What makes the comparison less reliable.
        wordings: The wordings of its rows.
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
    rows: Iterable[AnswerRow],
    model: str,
    *,
    baseline: str = "free",
    unfair: Iterable[str] = (),
    pairs: Iterable[tuple[str, str]] | None = None,
) -> Verdict:
    """Judge the rows of a model.

    Args:
        rows: Rows of a store; those of other models are ignored.
        model: The model.
        baseline: The arm that the others are compared with.
        unfair: With ``"wording"``, only the wording counts with which the other arms look best.
        pairs: The arms to compare, the first with the second; by default every other arm with the baseline.

    Raises:
        ArgumentError: The model has no rows, or the baseline has none.
    """
    own = [row for row in rows if row["model"] == model]
    arms = [name for name in ARMS if any(row["arm"] == name for row in own)]
    if baseline not in arms:
        hint = f"the arms are {', '.join(arms)}" if arms else None
        raise ArgumentError(f"{model} has no answers in the arm {baseline!r}", hint=hint, argument="baseline")
    own = _select_best_wording(own, baseline) if "wording" in unfair else own
    by_arm = {arm: [row for row in own if row["arm"] == arm] for arm in arms}
    outcomes = _make_outcomes(own)
    wanted = [(arm, baseline) for arm in arms if arm != baseline] if pairs is None else pairs
    known = [pair for pair in wanted if {*pair} <= by_arm.keys() and _has_shared_questions(by_arm, *pair)]
    differences = compare_arms(outcomes, known)
    return Verdict(
        model=model,
        baseline=baseline,
        estimates={arm: estimate_accuracy(outcomes, arm) for arm in arms},
        unreadable={arm: _average(not row.get("is_readable", True) for row in some) for arm, some in by_arm.items()},
        masses={arm: _average(mass) for arm, some in by_arm.items() if (mass := _collect_values(some, "allowed_mass"))},
        costs={arm: _average_cost(some) for arm, some in by_arm.items()},
        splits={arm: split_variance(outcomes, arm) for arm in arms},
        fields={arm: _average_fields(some) for arm, some in by_arm.items()},
        differences=differences,
        sentences=[write_sentence(each) for each in differences],
        warnings=[
            *_list_warnings(own, by_arm, unfair),
            *_warn_of_incomparable(by_arm, baseline),
            *_warn_of_different_steps(by_arm, baseline),
        ],
        wordings=sorted({row["wording"] for row in own}),
    )


def write_sentence(difference: Difference) -> str:
    """Write what a difference shows."""
    arm, other = difference.arm, difference.other
    low, high = sorted((abs(difference.low), abs(difference.high)))
    p = "p < 0.001" if difference.p < 0.001 else f"p = {difference.p:.3f}"
    if difference.is_significant:
        how = "better" if difference.points > 0 else "worse"
        span = f"{_format_points(low)} to {_format_points(high)} points ({_format_points(abs(difference.points))}; {p})"
        return f"{arm} is {how} than {other} by {span}."
    deviation = max(difference.deviation, difference.questions**-0.5)  # few questions may agree by chance
    many = count_needed_questions(deviation, SOUGHT, answers=difference.answers, level=difference.level) or 0
    span = f"{_format_signed_points(difference.low)} to {_format_signed_points(difference.high)} points"
    seen = f"No difference between {arm} and {other} was seen ({span}; {p})"
    if many <= difference.questions:
        return f"{seen}; {difference.questions:,} questions are enough to see one of {_format_points(SOUGHT)} points."
    return f"{seen}; one of {_format_points(SOUGHT)} points or more would need {many:,} questions."


def _format_points(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.0995 else f"{100 * share:.1f}".removesuffix(".0")


def _format_signed_points(share: float) -> str:
    points = _format_points(abs(share))
    return points if points == "0" else f"{'-' if share < 0 else '+'}{points}"


def _make_outcomes(rows: Iterable[AnswerRow]) -> list[Outcome]:
    return [
        Outcome(row["arm"], row["question"], row["is_right"], str(row["wording"]), row["seed"], row["shots"])
        for row in rows
    ]


def _make_question_key(row: AnswerRow) -> tuple[Any, ...]:
    """Return the question and how it was asked, without the arm."""
    return row["question"], row["wording"], row["shots"], row["seed"]


def _has_shared_questions(by_arm: Mapping[str, Sequence[AnswerRow]], arm: str, baseline: str) -> bool:
    """Whether at least two questions were answered in both arms: a service may fail in one."""
    shared = set(map(_make_question_key, by_arm[arm])) & set(map(_make_question_key, by_arm[baseline]))
    return len({question for question, *_ in shared}) > 1


def _warn_of_incomparable(by_arm: Mapping[str, Sequence[AnswerRow]], baseline: str) -> list[str]:
    """Warn of arms that cannot be compared with the baseline."""
    arms = [arm for arm in by_arm if arm != baseline and not _has_shared_questions(by_arm, arm, baseline)]
    return [
        f"{arm} and {baseline} have fewer than two answered questions in common: they are not compared." for arm in arms
    ]


def _warn_of_different_steps(by_arm: Mapping[str, Sequence[AnswerRow]], baseline: str) -> list[str]:
    """Warn of arms that request steps, as the baseline does, where only one of the two got them."""
    written = {arm: [row["text"] for row in rows if row.get("text")] for arm, rows in by_arm.items() if arm in ARMS}
    shares = {
        arm: _average(has_steps(ARMS[arm], text) for text in texts)
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
        if abs(share - shares[baseline]) > _MAX_STEP_DIFFERENCE
    ]


def _select_best_wording(rows: list[AnswerRow], baseline: str) -> list[AnswerRow]:
    """Select the rows of the wording with which the other arms look best compared with the baseline."""

    def measure_lead(wording: int) -> float:
        some = [row for row in rows if row["wording"] == wording]
        ours = [row["is_right"] for row in some if row["arm"] != baseline]
        return _average(ours) - _average(row["is_right"] for row in some if row["arm"] == baseline)

    best = max(sorted({row["wording"] for row in rows}), key=measure_lead)
    return [row for row in rows if row["wording"] == best]


def _average(values: Iterable[float]) -> float:
    listed = [float(value) for value in values]
    return plain.fmean(listed) if listed else 0.0


def _collect_values(rows: Iterable[AnswerRow], name: _Number) -> list[float]:
    """Collect the known values of a member."""
    return [value for row in rows if (value := row.get(name)) is not None]


def _average_cost(rows: Sequence[AnswerRow]) -> Cost:
    return Cost(
        tokens=_average(_collect_values(rows, "tokens")),
        model_calls=_average(_collect_values(rows, "model_calls")),
        forced_tokens=_average(_collect_values(rows, "forced_tokens")),
        seconds=_average(_collect_values(rows, "seconds")),
    )


def _average_fields(rows: Sequence[AnswerRow]) -> dict[str, float]:
    names = {name: None for row in rows for name in row.get("fields_right", {})}
    return {name: _average(row["fields_right"].get(name, False) for row in rows) for name in names}


_UNFAIR_EFFECTS = {
    "prompts": "structured arms got bare prompts, without the task, the schema, the request for steps and the examples",
    "parser": "the answer of free text was read by a rule that errs: the first number or line instead of the last",
    "wording": "of several wordings only the one counts with which the other arms look best",
}


def _list_warnings(
    rows: Sequence[AnswerRow], by_arm: Mapping[str, Sequence[AnswerRow]], unfair: Iterable[str]
) -> list[str]:
    """List what makes a comparison less reliable."""
    switched = {*unfair, *(name for row in rows for name in row.get("unfair", ()))}
    warnings = [
        f"UNFAIR ({name}): {_UNFAIR_EFFECTS[name]}. Do not conclude from this report." for name in sorted(switched)
    ]
    if len({row["wording"] for row in rows}) == 1 and "wording" not in switched:
        warnings.append("One wording: another one may turn the result. Ask in several (--wordings 3).")
    if (count := len({row["question"] for row in rows})) < _FEW_QUESTIONS:
        warnings.append(f"{count} questions: only large differences can be seen.")
    for arm, some in by_arm.items():
        cut, failed = (
            _average(row.get("is_cut", False) for row in some),
            [row["error"] for row in some if row.get("error")],
        )
        unread = _average(not row.get("is_readable", True) for row in some)
        if unread > _MAX_SHARE:
            warnings.append(f"{arm}: {100 * unread:.0f} % of the answers could not be read, and count as wrong.")
        if cut > _MAX_SHARE:
            warnings.append(
                f"{arm}: {100 * cut:.0f} % of the answers are as long as --max-tokens allows; give it more."
            )
        if failed:
            warnings.append(f"{arm}: {len(failed)} answers failed and count as wrong, such as {failed[0]}")
        if arm in ARMS and ARMS[arm].enforces != "text" and any(_is_unenforced(row) for row in some):
            warnings.append(
                f"{arm}: the service does not enforce its form; answers that do not conform count as wrong."
            )
        if len(set(map(_make_question_key, some))) < len(set(map(_make_question_key, rows))):
            warnings.append(f"{arm}: not all questions are answered; differences rest on what both arms were asked.")
        if arm in ARMS and not ARMS[arm].reasons:
            warnings.append(f"{arm} is asked for no steps: its difference is that of reasoning and structure together.")
    return warnings


def _is_unenforced(row: AnswerRow) -> bool:
    """Whether nobody enforced the form of an answer."""
    return row.get("enforced") == "checked" or (row.get("error") or "").startswith("OutputInvalid")
