"""Measure whether structure helps, on a task of one's own.

::

    from formwright.evaluation.arms import choose_arms
    from formwright.evaluation.built_in import make_built_in_task
    from formwright.evaluation.runs import Grid

    grid = Grid(task=make_built_in_task("classification", "en", 40), arms=choose_arms("free,schema"), max_tokens=60)
    found = evaluate(grid, {"formwright-tiny": model}, "out", progress=False)
    print(found.models[0].sentences[0])

`tasks` are questions with answers: `built_in` makes some, and `files` reads one's own. `arms` are the ways to ask, and
`prompts` writes the prompt of each. `runs` asks, `reading` reads the answers, and `rows` describes the store of them.
`verdicts` judges the answers by `statistics`; `tables` and `report` show the verdicts. `simulated` is a model for
tests. A run writes ``out/answers.jsonl``, and everything else is computed from that file.

Cost: the calls of the models; everything else adds less than 2 %.

A result holds for one model and one task, not for others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from formwright.errors import ArgumentError
from formwright.evaluation.rows import AnswerRow
from formwright.evaluation.runs import Grid, fill_store
from formwright.generation.many import progress_of
from formwright.jobs.finished import FinishedRows

if TYPE_CHECKING:
    from formwright.evaluation.verdicts import Verdict

__all__ = ["Evaluation", "Grid", "evaluate", "make_folder", "read_rows"]

STORE = "answers.jsonl"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results of an evaluation.

    Attributes:
        rows: The answers.
        models: The verdict on each model.
        missing: The number of answers that could not be got, by error.
    """

    rows: list[AnswerRow]
    models: list[Verdict]
    missing: Mapping[str, int]

    def markdown(self) -> str:
        """Write warnings, sentences and tables as Markdown."""
        from formwright.evaluation.tables import write_markdown

        return write_markdown(self.models)

    def save(self, path: str | Path) -> None:
        """Write the report as one HTML page without external resources."""
        from formwright.evaluation.report import write_page

        # "replace": half a surrogate pair, which JSON can hold and UTF-8 cannot
        Path(path).write_text(write_page(self.rows, self.models), encoding="utf-8", errors="replace")


def evaluate(
    grid: Grid,
    models: Mapping[str, Any],
    folder: str | Path,
    *,
    baseline: str = "free",
    progress: bool | None = None,
) -> Evaluation:
    """Ask the questions that have no answer yet, and judge all answers.

    Args:
        grid: The questions, and the ways to ask them.
        models: Models with ``generate_many``, by their names.
        folder: The folder of the answers; it is made if it does not exist.
        baseline: The arm that the others are compared with.
        progress: Whether to show a bar on stderr; ``None`` shows it if that is a terminal.

    Raises:
        MissingDependency: formwright[evaluate] is not installed.
        ArgumentError: The baseline is not among the arms, or the folder holds answers to other prompts or cannot be
            made.
        OptionUnsupported: A model cannot do what an arm needs.
    """
    from formwright.evaluation.verdicts import judge  # first, since its dependencies may be missing

    if baseline not in [arm.name for arm in grid.arms]:
        raise ArgumentError(f"the baseline {baseline!r} is not among the arms", argument="baseline")
    path = make_folder(folder)
    with FinishedRows(path / STORE) as finished:
        row_ids = {
            cell.make_id(grid.task.name, name, item.id)
            for name in models
            for cell in grid.list_cells()
            for item in grid.task.items
        }
        with progress_of(sum(row not in finished for row in row_ids), progress) as done:
            missing = fill_store(finished, grid, models, done)
        rows = [row for row in read_rows(path / STORE) if row["id"] in row_ids]
    answered = {row["model"] for row in rows if row["arm"] == baseline}
    judged = [judge(rows, name, baseline=baseline, unfair=grid.unfair) for name in models if name in answered]
    return Evaluation(rows, judged, missing)


def make_folder(folder: str | Path) -> Path:
    """Make the folder of an evaluation, if it does not exist. Raises ArgumentError."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{path} cannot be made: {error.strerror}", argument="out") from None
    return path


def read_rows(path: str | Path) -> list[AnswerRow]:
    """Read the rows of a store."""
    with Path(path).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
