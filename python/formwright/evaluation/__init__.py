"""Whether structure helps, measured on a task of one's own.

::

    from formwright.evaluation.arms import chosen
    from formwright.evaluation.built_in import built_in
    from formwright.evaluation.runs import Grid

    grid = Grid(task=built_in("classification", "en", 40), arms=chosen("free,schema"), max_tokens=60)
    found = evaluate(grid, {"formwright-tiny": model}, "out", progress=False)
    print(found.models[0].sentences[0])

`tasks` are questions with answers, `built_in` makes some and `files` reads one's own; `arms` are the ways to ask,
`prompts` what each of them is told; `runs` asks and keeps; `reading` reads answers; `verdicts` says what they show by
`statistics`, `tables` and `report` show it. `simulated` is a model for tests. What a run has found is in
``out/answers.jsonl``, and everything else is computed from that.

Cost: that of asking; everything else adds less than 2 %.

What holds for one model and one task says nothing
of another one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from formwright.errors import ArgumentError
from formwright.evaluation.runs import Grid, fill
from formwright.generation.many import progress_of
from formwright.jobs.finished import Finished

if TYPE_CHECKING:
    from formwright.evaluation.verdicts import Judged

__all__ = ["Evaluation", "Grid", "evaluate", "read_rows"]

STORE = "answers.jsonl"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation has found.

    Attributes:
        rows: The answers.
        models: What they say, for each model.
        missing: How many answers could not be got, by the error.
    """

    rows: list[dict[str, Any]]
    models: list[Judged]
    missing: Mapping[str, int]

    def markdown(self) -> str:
        """Warnings, sentences and tables."""
        from formwright.evaluation.tables import markdown

        return markdown(self.models)

    def save(self, path: str | Path) -> None:
        """Write the report as one HTML page that needs nothing else."""
        from formwright.evaluation.report import page

        # "replace": half a surrogate pair, which JSON can hold and UTF-8 cannot
        Path(path).write_text(page(self.rows, self.models), encoding="utf-8", errors="replace")


def evaluate(
    grid: Grid,
    models: Mapping[str, Any],
    folder: str | Path,
    *,
    baseline: str = "free",
    progress: bool | None = None,
) -> Evaluation:
    """Ask what is not answered yet, and judge all that is.

    Args:
        grid: What is asked, and how.
        models: Models with ``generate_many``, by their names.
        folder: Where the answers are kept; made where there is none.
        baseline: The arm that the others are compared with.
        progress: Whether to show a bar on stderr; ``None`` shows it if that is a terminal.

    Raises:
        MissingDependency: formwright[evaluate] is not installed.
        ArgumentError: The baseline is not among the arms, or the folder holds answers to other prompts or cannot be
            made.
        OptionUnsupported: A model cannot do what an arm needs.
    """
    from formwright.evaluation.verdicts import judge  # before anything is asked: it may be missing

    if baseline not in [arm.name for arm in grid.arms]:
        raise ArgumentError(f"the baseline {baseline!r} is not among the arms", argument="baseline")
    path = _make_folder(folder)
    with Finished(path / STORE) as finished:
        wanted = {
            cell.id(grid.task.name, name, item.id)
            for name in models
            for cell in grid.cells()
            for item in grid.task.items
        }
        with progress_of(sum(row not in finished for row in wanted), progress) as done:
            missing = fill(finished, grid, models, done)
        rows = [row for row in read_rows(path / STORE) if row["id"] in wanted]
    answered = {row["model"] for row in rows if row["arm"] == baseline}
    judged = [judge(rows, name, baseline=baseline, unfair=grid.unfair) for name in models if name in answered]
    return Evaluation(rows, judged, missing)


def _make_folder(folder: str | Path) -> Path:
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{path} cannot be made: {error.strerror}", argument="out") from None
    return path


def read_rows(path: str | Path) -> list[dict[str, Any]]:
    """The rows of a store."""
    with Path(path).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
