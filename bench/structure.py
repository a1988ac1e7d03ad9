"""Whether structure makes a model reason worse: one command for any model, within minutes.

::

    python bench/structure.py FOLDER --out build/structure             # of transformers; on a GPU if there is one
    python bench/structure.py model.gguf --out build/structure         # a file of llama.cpp
    python bench/structure.py smollm2 --minutes 30 --out build/structure
    python bench/structure.py http://127.0.0.1:8000/v1#name --out build/structure
    python bench/structure.py --dry                                    # the embedded model, two questions of each task

The same command continues a run that was interrupted, until its minutes are used up; then it only writes the report.

The protocol, which is not changed after results were seen (``docs/explanation/structure.md`` gives the reasons):

*Tasks*      Stories of sums, last letters, shuffled objects; the built-in questions in their order, no examples.
             ``--data FOLDER`` replaces them by ``gsm8k.jsonl``, ``last_letters.jsonl`` and ``shuffled_objects.json``.
*Arms*       ``free``, ``instructions``, ``schema``, ``thinking``, ``canonical``: those of ``formwright evaluate``.
             A service has no ``canonical``.
*Wordings*   Three. Greedy, 384 tokens at most.
*Questions*  In rounds: a block of questions of each task, in every arm, in one wording; then the same block in the
             second and third wording; then the next block. A round begins if it is expected to end in time. So time
             alone decides how many questions there are, and all arms have the same.
*Rows*       Only those of complete rounds count.
*Result*     Four differences over the three tasks together, p corrected for four (Holm): schema - free (the price of
             structure), instructions - free (of asking for it only), thinking - schema (what free thought brings
             back), canonical - schema (what the tokens matter). Single tasks are shown, and decide nothing.
*Statistics* Those of ``formwright evaluate``. A difference is one if interval and test agree.

What it does not show: other models, other tasks, prompts that were tuned for an arm, sampling with a temperature.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import formwright as fw
from formwright.evaluation import STORE, read_rows
from formwright.evaluation.arms import Arm, choose_arms
from formwright.evaluation.built_in import make_built_in_task
from formwright.evaluation.files import read_task
from formwright.evaluation.rows import AnswerRow
from formwright.evaluation.runs import Grid, fill_store
from formwright.evaluation.tables import write_markdown
from formwright.evaluation.tasks import Task
from formwright.evaluation.verdicts import judge
from formwright.jobs.finished import FinishedRows

ARMS = ("free", "instructions", "schema", "thinking", "canonical")
PAIRS = (("schema", "free"), ("instructions", "free"), ("thinking", "schema"), ("canonical", "schema"))
TASKS = {  # built in, and the file and the format that replace it
    "arithmetic": ("gsm8k.jsonl", "gsm8k"),
    "last_letters": ("last_letters.jsonl", "last_letters"),
    "shuffled_objects": ("shuffled_objects.json", "shuffled_objects"),
}
WORDINGS = 3
MOST_QUESTIONS = 300
MARGIN = 1.25
"""How much longer than the rounds before it a round may take."""


@dataclass(frozen=True)
class Round:
    """A block of questions of each task, in one wording.

    Attributes:
        grids: One for each task. They have the earlier wordings of the block too, which are answered before.
        ids: The ids of the rows of this wording.
    """

    grids: Sequence[Grid]
    ids: frozenset[str]


def main() -> None:
    options = read_options()
    began = time.monotonic()
    model = load_model(options.model)
    arms = [arm for arm in choose_arms(ARMS) if is_local(model) or not arm.needs_tokens]
    block = options.block or (64 if is_fast(model) else 8)
    tasks = make_tasks(options.data, options.questions)
    rounds = list(list_rounds(tasks, arms, options, block))
    with TemporaryDirectory() if options.out is None else nullcontext(options.out) as folder:
        store = Path(folder, STORE)
        store.parent.mkdir(parents=True, exist_ok=True)
        with FinishedRows(store) as finished:
            missing = ask_rounds(rounds, options.model, model, finished, began + 60 * options.minutes)
        report = write_report(read_rows(store), rounds, options.model)
        Path(folder, "report.md").write_text(report, encoding="utf-8")
    print(report, end="")
    for error, times in missing.items():
        print(f"{times} answers could not be got: {error}; the same command asks again")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Whether structure makes a model reason worse.")
    parser.add_argument("model", nargs="?", help="what fw.load takes: a folder, a .gguf file, a name, or URL#name")
    parser.add_argument("--out", type=Path, help="folder of answers.jsonl and report.md")
    parser.add_argument("--minutes", type=float, default=9.0, help="for all runs of this folder, loading included")
    parser.add_argument("--questions", type=int, default=MOST_QUESTIONS, help="of each task, at most")
    parser.add_argument("--block", type=int, help="questions of a task in a round (64; on a CPU 8)")
    parser.add_argument("--max-tokens", type=int, default=384, help="of an answer, at most")
    parser.add_argument("--data", type=Path, help="folder of data sets in place of the built-in tasks")
    parser.add_argument("--dry", action="store_true", help="two questions of each task, in one wording, 48 tokens")
    options = parser.parse_args()
    if options.dry:
        options.model = options.model or "formwright-tiny"
        options.questions, options.block, options.max_tokens = 2, 2, 48
    if options.model is None or (options.out is None and not options.dry):
        parser.error("name a model, and a folder by --out")
    return options


def load_model(name: str) -> Any:
    """Load a model; one of transformers goes to the GPU if there is one, in bfloat16."""
    model = fw.load(name)
    if (network := getattr(model, "network", None)) is not None:
        import torch

        if torch.cuda.is_available():
            network.to("cuda", torch.bfloat16)
    return model


def is_local(model: Any) -> bool:
    return getattr(model, "vocabulary", None) is not None


def is_fast(model: Any) -> bool:
    """Whether a model answers many questions in the time of one: on a GPU, or by a service."""
    network = getattr(model, "network", None)
    return not is_local(model) or (network is not None and network.device.type != "cpu")


def make_tasks(data: Path | None, questions: int) -> list[Task]:
    """Make the three tasks, of data sets where the folder has them."""
    tasks = []
    for name, (file, format) in TASKS.items():
        if data is not None and (data / file).exists():
            tasks.append(read_task(data / file, format=format, count=questions))
        else:
            tasks.append(make_built_in_task(name, "en", questions))
    return tasks


def list_rounds(tasks: Sequence[Task], arms: Sequence[Arm], options: argparse.Namespace, block: int) -> Iterator[Round]:
    """List the rounds in their order."""
    how: dict[str, Any] = {"arms": arms, "max_tokens": options.max_tokens, "batch_size": block}
    for start in range(0, min(len(task.items) for task in tasks), block):
        parts = [replace(task, items=task.items[start : start + block]) for task in tasks]
        for wording in range(1 if options.dry else WORDINGS):
            grids = [Grid(task=part, wordings=wording + 1, **how) for part in parts]
            ids = (
                cell.make_id(grid.task.name, options.model, item.id)
                for grid in grids
                for cell in grid.list_cells()
                for item in grid.task.items
                if cell.wording == wording
            )
            yield Round(grids, frozenset(ids))


def ask_rounds(rounds: Sequence[Round], name: str, model: Any, finished: FinishedRows, end: float) -> dict[str, int]:
    """Ask round after round while the next one is expected to end in time.

    Returns:
        The number of answers that could not be got, by error.
    """
    seconds = [row["seconds"] for row in read_rows(finished.path)]
    end -= sum(seconds)  # what earlier runs have used
    for each in rounds:
        missing = sum(row not in finished for row in each.ids)
        expected = MARGIN * missing * sum(seconds) / max(1, len(seconds))
        if missing and time.monotonic() + expected > end:
            break
        for grid in each.grids if missing else ():
            if time.monotonic() > end:  # the round is slower than expected: the next run completes it
                return {}
            if errors := fill_store(finished, grid, {name: model}):
                return errors
        seconds = [row["seconds"] for row in read_rows(finished.path)]
    return {}


def write_report(rows: Sequence[AnswerRow], rounds: Sequence[Round], name: str) -> str:
    """Write the report of the complete rounds: the three tasks together, then each."""
    asked = {row["id"] for row in rows}
    complete = [each for each in rounds if each.ids <= asked]
    counted = [row for row in rows if any(row["id"] in each.ids for each in complete)]
    if not counted:
        return f"No round of {name} is complete: give it more --minutes.\n"
    verdicts = [replace(judge(join_tasks(counted), name, pairs=PAIRS), model=f"{name}, the tasks together")]
    for task in {row["task"]: None for row in counted}:
        alone = judge([row for row in counted if row["task"] == task], name, pairs=())
        verdicts.append(replace(alone, model=f"{name}, {task} alone", warnings=(), splits={}))
    return f"{len(complete)} rounds, {len(counted):,} answers.\n\n{write_markdown(verdicts)}"


def join_tasks(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """Give each question an id that no other task has, to judge rows of several tasks together."""
    return [{**row, "question": f"{row['task']}/{row['question']}"} for row in rows]


if __name__ == "__main__":
    main()
