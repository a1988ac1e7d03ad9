"""How often a field of some probability is right, measured on questions whose answers are known.

::

    from formwright.evaluation.built_in import make_built_in_task

    rows = measure_fields(model, make_built_in_task("extraction", "en", 20, missing=0.2), "fields.jsonl", name="tiny")
    calibration, verdicts = calibrate(rows)
    verdicts[0].right.questions               # 10

Half of the questions fit the map, an isotonic regression (`sklearn.isotonic.IsotonicRegression`) for each field with at
least 50 answers and one for all together; the other half judge it:

====================  =============================================================================================
calibration error     the mean distance between probability and share of right values, over ten bins of equal mass
                      (Naeini et al. 2015, "Obtaining well calibrated probabilities using Bayesian binning", with
                      equal mass instead of equal width)
errors at coverage    the share of all errors among the most probable 80 % of the fields
abstention            how often the most probable value would have been wrong, where it is below a bound
====================  =============================================================================================

Intervals are 95 % of 1,000 bootstrap samples of questions, since the fields of one answer depend on each other. A
calibration error of few answers is too large, for chance alone moves shares away from probabilities.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from formwright._extras import needs
from formwright.errors import ArgumentError
from formwright.evaluation.report import write_svg
from formwright.evaluation.statistics import Estimate
from formwright.evaluation.tasks import Item, Task, is_same
from formwright.forms.json_forms import json_schema
from formwright.forms.pointers import value_at
from formwright.generation.fields.calibration import Calibration, name_field
from formwright.generation.many import progress_of
from formwright.generation.result import Complete
from formwright.jobs.finished import FinishedRows

with needs("evaluate", "a calibration"):
    import matplotlib
    from matplotlib.figure import Figure
    from sklearn.isotonic import IsotonicRegression

__all__ = [
    "FieldVerdict",
    "JudgedField",
    "calibrate",
    "draw_reliability",
    "measure_fields",
    "write_calibration_table",
]

_ALL = "*"
_LEAST_ANSWERS = 50
"""Answers of a field at least, for a map of its own."""

_BINS = 10
_COVERAGE = 0.8
_SAMPLES = 1_000
_MOST_TOKENS = 256

Floats = NDArray[np.float64]


class JudgedField(NamedTuple):
    """A field of an answer.

    Attributes:
        question: The id of the question.
        pointer: Where the field is in the answer.
        probability: Its probability, as the model gives it.
        is_right: Whether its value is the right one.
        is_none: Whether its value is ``None``.
    """

    question: str
    pointer: str
    probability: float
    is_right: bool
    is_none: bool


@dataclass(frozen=True, slots=True)
class FieldVerdict:
    """What was measured of a field, on the questions that did not fit its map.

    Attributes:
        name: The pointer of the field; ``*`` for all fields together.
        right: The share of right values.
        error_before: The calibration error of the model's own probabilities.
        error: The calibration error after the map.
        errors_left: The share of all errors among the most probable 80 % of the values.
        doubted: Of the values below ``bound``: the share that is wrong.
        bound: The bound of ``doubted``.
        points: Mean probability and share of right values of each bin, after the map.
    """

    name: str
    right: Estimate
    error_before: Estimate
    error: Estimate
    errors_left: Estimate
    doubted: Estimate
    bound: float
    points: tuple[tuple[float, float], ...]


def measure_fields(
    model: Any,
    task: Task,
    path: str | Path,
    *,
    name: str,
    instruct: bool | str = False,
    progress: bool | None = None,
) -> list[JudgedField]:
    """Ask the questions that have no row yet, and judge the fields of all answers.

    Args:
        model: A model with ``generate``.
        task: The questions; the answer is an object or an array.
        path: The file of the rows; it is made if it does not exist.
        name: The model, as the rows call it.
        instruct: Whether the prompt describes the form, as `LocalModel.generate` takes it.
        progress: Whether to show a bar on stderr; ``None`` shows it if that is a terminal.

    Raises:
        ArgumentError: The file holds something else, or rows of another model or other prompts.
        OptionUnsupported: The model gives no probabilities.
    """
    form = json_schema(json.dumps(task.answer))
    prompts = {item.id: f"{item.question}\n{task.about[0]}" for item in task.items}
    with FinishedRows(path) as finished:
        missing = [item.id for item in task.items if item.id not in finished]
        rows = [row for row in _read_rows(path) if row["id"] in prompts]
        for row in rows:
            if (row["model"], row["prompt"]) != (name, prompts[row["id"]]):
                raise ArgumentError(
                    f"{path} has answers of another model or to other prompts",
                    hint="give each model and task a folder of its own",
                    argument="out",
                )
        with progress_of(len(missing), progress) as done:
            for id_ in missing:
                options: dict[str, Any] = {"fields": True, "max_tokens": _MOST_TOKENS, "instruct": instruct}
                fields = _list_fields(model.generate(prompts[id_], form, **options))
                rows.append({"id": id_, "model": name, "prompt": prompts[id_], "fields": fields})
                finished.add(rows[-1])
                done()
    items = {item.id: item for item in task.items}
    return [field for row in rows for field in _judge_row(row, items[row["id"]])]


def _read_rows(path: str | Path) -> list[dict[str, Any]]:
    with Path(path).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _list_fields(result: Complete[Any]) -> dict[str, Any]:
    return {
        pointer: {"value": field.value, "probability": field.probability, "basis": field.basis}
        for pointer, field in result.fields.items()
    }


def _judge_row(row: Mapping[str, Any], item: Item) -> Iterable[JudgedField]:
    for pointer, field in row["fields"].items():
        try:
            is_right = is_same(field["value"], value_at(item.answer, pointer))
        except (LookupError, ValueError, TypeError):
            is_right = False
        yield JudgedField(row["id"], pointer, field["probability"], is_right, field["value"] is None)


def calibrate(
    rows: Sequence[JudgedField], *, bound: float = 0.5, seed: int = 0
) -> tuple[Calibration, list[FieldVerdict]]:
    """Fit maps on half of the questions and judge them on the others, all fields together first.

    Args:
        rows: The fields.
        bound: Values of a smaller probability are judged as doubted.
        seed: Of the halves and of the bootstrap samples.

    Raises:
        ArgumentError: There are fewer than 20 questions.
    """
    questions = sorted({row.question for row in rows})
    if len(questions) < 20:
        raise ArgumentError(f"calibrate: expected 20 questions or more, got {len(questions)}", argument="n")
    random = np.random.default_rng(seed)
    fitting = set(random.permutation(questions)[: len(questions) // 2].tolist())
    fitted = [row for row in rows if row.question in fitting]
    judged = [row for row in rows if row.question not in fitting]
    calibration = Calibration({name: _fit_map(group) for name, group in _group_by_name(fitted, _LEAST_ANSWERS)})
    verdicts = [_judge_group(name, group, calibration, bound, random) for name, group in _group_by_name(judged, 1)]
    return calibration, verdicts


def _group_by_name(rows: Sequence[JudgedField], least: int) -> list[tuple[str, list[JudgedField]]]:
    """The rows of all fields together, then of each with ``least`` rows or more."""
    groups: dict[str, list[JudgedField]] = {}
    for row in rows:
        groups.setdefault(name_field(row.pointer), []).append(row)
    return [(_ALL, list(rows)), *((name, group) for name, group in groups.items() if len(group) >= least)]


def _fit_map(rows: Sequence[JudgedField]) -> tuple[list[float], list[float]]:
    regression = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    regression.fit([row.probability for row in rows], [float(row.is_right) for row in rows])
    return regression.X_thresholds_.tolist(), regression.y_thresholds_.tolist()


def _judge_group(
    name: str, rows: Sequence[JudgedField], calibration: Calibration, bound: float, random: np.random.Generator
) -> FieldVerdict:
    before = np.array([row.probability for row in rows])
    after = np.array([calibration.map_probability(row.pointer, row.probability) for row in rows])
    right = np.array([row.is_right for row in rows], np.float64)
    samples = _sample_questions([row.question for row in rows], random)

    def estimate(measure: Callable[[NDArray[np.intp]], float]) -> Estimate:
        drawn = [value for sample in samples if np.isfinite(value := measure(sample))] or [np.nan]
        low, high = np.quantile(drawn, [0.025, 0.975])
        return Estimate(measure(np.arange(len(rows))), float(low), float(high), len({row.question for row in rows}))

    return FieldVerdict(
        name,
        estimate(lambda chosen: float(right[chosen].mean())),
        estimate(lambda chosen: _measure_error(before[chosen], right[chosen])),
        estimate(lambda chosen: _measure_error(after[chosen], right[chosen])),
        estimate(lambda chosen: _count_errors_left(after[chosen], right[chosen])),
        estimate(lambda chosen: _count_doubted(after[chosen], right[chosen], bound)),
        bound,
        tuple((float(low.mean()), float(share.mean())) for low, share in _split_into_bins(after, right)),
    )


def _sample_questions(questions: Sequence[str], random: np.random.Generator) -> list[NDArray[np.intp]]:
    """Bootstrap samples: the rows of as many questions as there are, drawn with repetition."""
    _, numbers = np.unique(np.array(questions), return_inverse=True)
    rows_of = [np.flatnonzero(numbers == number) for number in range(numbers.max() + 1)]
    return [
        np.concatenate([rows_of[number] for number in random.integers(len(rows_of), size=len(rows_of))])
        for _ in range(_SAMPLES)
    ]


def _split_into_bins(probabilities: Floats, right: Floats) -> list[tuple[Floats, Floats]]:
    """Bins of equal mass, from the least probable values to the most probable ones."""
    order = np.argsort(probabilities, kind="stable")
    return [(probabilities[part], right[part]) for part in np.array_split(order, _BINS) if len(part)]


def _measure_error(probabilities: Floats, right: Floats) -> float:
    bins = _split_into_bins(probabilities, right)
    return float(sum(len(low) * abs(low.mean() - share.mean()) for low, share in bins) / len(right))


def _count_errors_left(probabilities: Floats, right: Floats) -> float:
    """The share of all errors that the most probable values have; not a number without errors."""
    kept = np.argsort(-probabilities, kind="stable")[: int(np.ceil(_COVERAGE * len(right)))]
    errors = float((1 - right).sum())
    return float((1 - right[kept]).sum()) / errors if errors else float("nan")


def _count_doubted(probabilities: Floats, right: Floats, bound: float) -> float:
    doubted = right[probabilities < bound]
    return float(1 - doubted.mean()) if len(doubted) else float("nan")


def write_calibration_table(verdicts: Sequence[FieldVerdict]) -> str:
    """Write the verdicts as a table in Markdown."""
    bound = f"{verdicts[0].bound:g}"
    head = [
        "field", "answers", "right", "calibration error", "after the map", "errors left at 80 % coverage",
        f"wrong below {bound}",
    ]  # fmt: skip
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for verdict in verdicts:
        name = "all" if verdict.name == _ALL else f"`{verdict.name}`"
        shown = [verdict.right, verdict.error_before, verdict.error, verdict.errors_left, verdict.doubted]
        cells = [name, str(verdict.right.questions), *map(_show_estimate, shown)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def draw_reliability(verdicts: Sequence[FieldVerdict]) -> str:
    """Draw the bins of all fields after the map, as SVG: shares of right values over probabilities."""
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "calibration"}):
        figure = Figure(figsize=(4.4, 4.2), layout="constrained")
        axes = figure.subplots()
        axes.plot([0, 100], [0, 100], color="#888888", linewidth=1)
        axes.plot(*zip(*((100 * low, 100 * share) for low, share in verdicts[0].points), strict=True), "o-")
        axes.set_xlabel("probability in %")
        axes.set_ylabel("right values in %")
        return write_svg(figure)


def _show_estimate(estimate: Estimate) -> str:
    if not np.isfinite(estimate.share):
        return "none"
    return f"{100 * estimate.share:.1f} % ({100 * estimate.low:.1f} to {100 * estimate.high:.1f})"
