"""``formwright evaluate``: whether structure helps, on a built-in task or one's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import formwright as fw
from formwright.cli.shared import PATH, import_type
from formwright.errors import ArgumentError

__all__ = ["evaluate"]


@click.command()
@click.argument("task")
@click.option(
    "--model", "models", multiple=True, default=("formwright-tiny",), show_default=True, help="Repeat the option."
)
@click.option("--arms", default="free,schema", show_default=True, help="Ways to ask, with commas between them.")
@click.option("--baseline", help="The arm that the others are compared with.  [default: free, or the first arm]")
@click.option("--n", "count", type=click.IntRange(2), default=300, show_default=True, help="Questions at most.")
@click.option("--wordings", type=click.IntRange(1), default=3, show_default=True, help="Wordings of each prompt.")
@click.option("--shots", default="0", show_default=True, help="Examples in a prompt; several numbers with commas.")
@click.option("--seeds", type=click.IntRange(1), default=1, show_default=True, help="Draws; they need a temperature.")
@click.option("--temperature", type=click.FloatRange(0), default=0.0, show_default=True, help="0 is greedy.")
@click.option("--max-tokens", type=click.IntRange(8), default=256, show_default=True, help="Of an answer, at most.")
@click.option("--batch-size", type=click.IntRange(1), default=64, show_default=True, help="Questions at a time.")
@click.option("--language", type=click.Choice(["en", "zh"]), default="en", show_default=True, help="Of the prompts.")
@click.option("--type", "type_", metavar="MODULE:TYPE", help="Of the answers in a file of one's own.")
@click.option("--schema", type=PATH, help="JSON Schema of the answers in a file of one's own.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["records", "gsm8k", "last_letters", "shuffled_objects"]),
    default="records",
    show_default=True,
    help="Of a file.",
)
@click.option("--prompts", type=PATH, help="Sentences of one's own: TOML or JSON.")
@click.option("--show-prompts", is_flag=True, help="Print the prompts of the first question, and ask nothing.")
@click.option("--trace", is_flag=True, help="Keep what forms leave to the model, and draw some answers as heat maps.")
@click.option(
    "--unfair",
    multiple=True,
    type=click.Choice(["prompts", "parser", "wording"]),
    help="Make the comparison unfair, to see what that does.",
)
@click.option(
    "--calibrate",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Ask with the schema alone, and write to this file how often fields of some probability are right.",
)
@click.option(
    "--missing",
    type=click.FloatRange(0, 0.75),
    default=0.0,
    show_default=True,
    help="Of extraction: the share of fields that the text does not tell.",
)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder of answers and report.")
def evaluate(
    task: str,
    models: tuple[str, ...],
    show_prompts: bool,
    calibrate: Path | None,
    out: Path | None,
    baseline: str | None,
    **options: Any,
) -> None:
    """Ask the same questions in several ways, and say which is better, by how much, and how sure that is.

    TASK is arithmetic, last_letters, shuffled_objects, extraction, classification, tool_choice, or a file. Answers
    go to answers.jsonl in the folder, the report to report.html and report.md. The same command again continues with
    what is missing.

    With --calibrate, answers go to fields.jsonl, and the report to calibration.md and calibration.svg.
    """
    from formwright.evaluation import evaluate as run
    from formwright.evaluation import report, verdicts  # noqa: F401 (raises MissingDependency before anything is asked)

    if calibrate is not None:
        _check_calibrated(models)
    grid = _make_grid(task, options)
    if show_prompts:
        _show_prompts(grid)
        return
    if out is None:
        raise click.UsageError("Missing option '--out'.")
    if calibrate is not None:
        _calibrate(grid.task, models[0], calibrate, out)
        return
    arms = [arm.name for arm in grid.arms]
    against = baseline or ("free" if "free" in arms else arms[0])
    found = run(grid, {name: fw.load(name) for name in models}, out, baseline=against)
    _write_report(found, out)
    click.echo(found.markdown(), nl=False)
    for error, times in found.missing.items():
        click.echo(f"{times} answers could not be got: {error}; the same command asks again", err=True)
    if found.missing:
        raise SystemExit(1)


def _check_calibrated(models: tuple[str, ...]) -> None:
    """Refuse several models, and options of the arms, of which a calibration has none. Raises click.UsageError."""
    if len(models) > 1:
        raise click.UsageError("--calibrate is for one model.")
    context = click.get_current_context()
    for name in ("arms", "baseline", "shots", "seeds", "temperature", "trace", "unfair", "wordings"):
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} cannot be combined with --calibrate, which asks with the schema alone.")


def _calibrate(task: Any, model: str, path: Path, out: Path) -> None:
    """Measure the fields of answers, and write the map of their probabilities and the report."""
    from formwright.evaluation import make_folder, reliability

    rows = reliability.measure_fields(fw.load(model), task, make_folder(out) / "fields.jsonl", name=model)
    found, verdicts = reliability.calibrate(rows)
    table = reliability.write_calibration_table(verdicts)
    with _reporting():
        found.save(path, model=model, task=task.name)
        (out / "calibration.md").write_text(table, encoding="utf-8")
        (out / "calibration.svg").write_text(reliability.draw_reliability(verdicts), encoding="utf-8")
    click.echo(table, nl=False)


def _write_report(found: Any, out: Path) -> None:
    with _reporting():
        (out / "report.md").write_text(found.markdown(), encoding="utf-8", errors="replace")
        found.save(out / "report.html")


@contextmanager
def _reporting() -> Iterator[None]:
    """Say which file of a report cannot be written. Raises ArgumentError."""
    try:
        yield
    except OSError as error:
        message = f"the report cannot be written: {error.filename}: {error.strerror}"
        raise ArgumentError(message, hint="the answers are kept: the same command writes it", argument="out") from None


def _make_grid(task: str, options: dict[str, Any]) -> Any:
    """Make the grid of the options."""
    from formwright.evaluation.arms import choose_arms
    from formwright.evaluation.prompts import read_prompts
    from formwright.evaluation.runs import Grid

    sentences = None if options["prompts"] is None else read_prompts(options["prompts"])
    shots = _read_shots(options["shots"])
    about = list(sentences.pop("about")) if sentences and "about" in sentences else None
    return Grid(
        task=_make_task(task, options, max(shots), about),
        arms=choose_arms(options["arms"]),
        shots=shots,
        sentences=sentences,
        unfair=frozenset(options["unfair"]),
        **{name: options[name] for name in ("wordings", "seeds", "temperature", "max_tokens", "batch_size", "trace")},
    )


def _make_task(name: str, options: dict[str, Any], examples: int, about: list[str] | None) -> Any:
    from dataclasses import replace

    from formwright.evaluation.built_in import TASKS, make_built_in_task
    from formwright.evaluation.files import read_task

    if name in TASKS or not Path(name).is_file():
        if name in TASKS:
            _check_unused(name, options)
        made = make_built_in_task(name, options["language"], options["count"], options["missing"])
        return made if about is None else replace(made, about=about)
    if options["missing"]:
        raise click.UsageError("--missing is for the task extraction; a file says itself what is missing.")
    how = {"format": options["format_"], "language": options["language"], "count": options["count"]}
    return read_task(Path(name), _read_answer_schema_option(options), about=about, examples=examples, **how)


def _check_unused(name: str, options: dict[str, Any]) -> None:
    """Refuse options that a built-in task does not use. Raises click.UsageError."""
    given = {"--type": options["type_"], "--schema": options["schema"]}
    given["--format"] = None if options["format_"] == "records" else options["format_"]
    for option, value in given.items():
        if value is not None:
            raise click.UsageError(f"{option} is for a file of one's own, and {name} is built in.")


def _read_answer_schema_option(options: dict[str, Any]) -> dict[str, Any] | None:
    """Read the JSON Schema of an answer from --type or --schema; ``None`` without either."""
    from formwright.evaluation.files import read_answer_schema

    if options["type_"] is not None and options["schema"] is not None:
        raise click.UsageError("Give --type or --schema, not both.")
    if options["schema"] is not None:
        return read_answer_schema(_read_schema(options["schema"]))
    return None if options["type_"] is None else read_answer_schema(import_type(options["type_"], "--type"))


def _read_schema(path: Path) -> Any:
    from formwright.evaluation.prompts import read_text

    try:
        return json.loads(read_text(path, "schema"))
    except json.JSONDecodeError as error:
        raise ArgumentError(f"{path} is not JSON: {error}", argument="schema") from None


def _read_shots(text: str) -> list[int]:
    """Read the numbers of --shots. Raises click.UsageError."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 0 or len(set(numbers)) < len(numbers):
        raise click.UsageError(f"--shots: expected different numbers from 0 on, with commas between them, got {text}.")
    return numbers


def _show_prompts(grid: Any) -> None:
    """Print the prompts of the first question."""
    from formwright.evaluation.runs import write_cell_prompt

    for cell in grid.list_cells():
        click.echo(f"--- {cell.arm.name}, wording {cell.wording}, {cell.shots} examples\n")
        click.echo(write_cell_prompt(grid, cell, grid.task.items[0]) + "\n")
