"""``formwright map``: write a result for each prompt of a file; a run that was killed can be resumed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import click

import formwright as fw
from formwright.cli.shared import (
    FORM_OPTIONS,
    PATH,
    add_form_options,
    add_model_option,
    choose_form,
)
from formwright.errors import ArgumentError, LimitExceeded
from formwright.generation import MAX_TOKENS
from formwright.generation.many import progress_of
from formwright.jobs.finished import FinishedRows, check_id
from formwright.jobs.mapping import Mapper, make_failed_row, split_chunks
from formwright.models import LocalModel

__all__ = ["map_"]


@click.command("map")
@click.option(
    "--input", "source", type=PATH, required=True, help="JSON lines with id, prompt and perhaps schema in each."
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    required=True,
    help="JSON lines of results; rows that it already has are left out.",
)
@add_form_options("JSON Schema file: the form of rows that have no schema of their own.")
@click.option("--max-tokens", type=click.IntRange(1), default=MAX_TOKENS, show_default=True, help="Tokens at most.")
@click.option("--temperature", type=click.FloatRange(0), help="0 is greedy; 1 is the model's own.")
@click.option("--batch-size", type=click.IntRange(1), default=64, show_default=True, help="Texts written at a time.")
@click.option("--retry-failed", is_flag=True, help="Write rows again that failed in an earlier run.")
@click.option("--ray", "address", help="Address of a Ray cluster that does the work; local starts one here.")
@click.option("--workers", type=click.IntRange(1), help="Workers of the cluster.  [default: 2]")
@add_model_option
def map_(
    source: Path,
    output: Path,
    schema: IO[bytes] | None,
    regex: str | None,
    grammar: IO[bytes] | None,
    choices: tuple[str, ...],
    choice_file: Path | None,
    max_tokens: int,
    temperature: float | None,
    batch_size: int,
    retry_failed: bool,
    address: str | None,
    workers: int | None,
    model: str,
    **options: Any,
) -> None:
    """Write a conforming text for each row of a file.

    Results are in the order in which they are finished. A run that was interrupted resumes: the same command again
    writes the rows that are missing.
    """
    if output.exists() and output.samefile(source):
        raise ArgumentError("the output is the input: its rows would be taken for finished ones", argument="output")
    if workers is not None and address is None:
        raise click.UsageError("--workers is for --ray: without it, one process does the work.")
    form = None
    if schema is not None or regex is not None or grammar is not None or choices or choice_file is not None:
        form = choose_form(schema, regex, grammar, choices, choice_file, {name: options[name] for name in FORM_OPTIONS})
    how: dict[str, Any] = {"max_tokens": max_tokens}
    how |= {} if temperature is None else {"temperature": temperature}
    with FinishedRows(output, retry_failed=retry_failed) as finished:
        total = _count_unwritten(source, finished, needs_schema=form is None)
        rows = (row for row in _read_rows(source) if row["id"] not in finished)
        if address is None:
            results = _write_results(fw.load(model), rows, form, batch_size, how)
        else:
            from formwright.jobs.ray import map_on_cluster

            results = map_on_cluster(address, rows, model, form, workers=workers or 2, batch_size=batch_size, **how)
        _keep_results(results, finished, total)


def _keep_results(results: Iterable[dict[str, Any]], finished: FinishedRows, total: int) -> None:
    """Keep results as they come, and print how many failed; a row that a service did not answer is not finished."""
    failed, unanswered = 0, list[str]()
    with progress_of(total, None) as done:
        for result in results:
            if result["status"] == "failed" and result["error"]["kind"] == "RequestFailed":
                unanswered.append(result["error"]["message"])
            else:
                result = _add_result(result, finished)
            failed += result["status"] == "failed"
            done()
    if unanswered:
        message = f"{len(unanswered)} rows were not answered ({unanswered[0]}); the same command tries them again"
        click.echo(message, err=True)
    if failed > len(unanswered):
        click.echo(f"rows that failed: {failed - len(unanswered)}; each row says why", err=True)
    if finished.failed:
        message = f"rows that failed in an earlier run: {finished.failed}; --retry-failed writes them again"
        click.echo(message, err=True)
    if failed or finished.failed:
        raise SystemExit(1)


def _add_result(result: dict[str, Any], finished: FinishedRows) -> dict[str, Any]:
    """Keep a result, and return it; one that is nested too deeply is replaced by a failure."""
    try:
        finished.add(result)
    except LimitExceeded as error:
        result = make_failed_row(result, error)
        finished.add(result)
    return result


def _write_results(
    model: Any, rows: Iterable[dict[str, Any]], form: Any, batch_size: int, how: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Write the results of rows; a remote model has that many requests at a time."""
    name = "batch_size" if isinstance(model, LocalModel) else "concurrency"
    mapper = Mapper(model, form, **how, **{name: batch_size})
    for some in split_chunks(rows, 4 * batch_size):
        yield from mapper(some)


def _count_unwritten(source: Path, finished: FinishedRows, *, needs_schema: bool) -> int:
    """Check the rows, and count those without a result.

    Raises:
        ArgumentError: An id is missing, or occurs twice; or a row has no schema, and there is no form for all.
    """
    seen: set[str | int] = set()
    for number, row in enumerate(_read_rows(source), 1):
        row_id = check_id(row.get("id"), f"row {number} of {source}")
        if row_id in seen:
            raise ArgumentError(f"{source} holds the id {row_id!r} twice, again in row {number}", argument="id")
        if needs_schema and row.get("schema") is None:
            raise ArgumentError(
                f"row {number} of {source} has no schema, and there is no form for all rows",
                hint="pass --schema, --regex, --grammar, --choice or --choice-file",
                argument="schema",
            )
        seen.add(row_id)
    missing = sum(row_id not in finished for row_id in seen)
    if missing < len(seen):
        click.echo(f"{len(seen) - missing} of {len(seen)} rows are written already and stay as they are", err=True)
    return missing


def _read_rows(source: Path) -> Iterator[dict[str, Any]]:
    """Read the rows of a file. Raises ArgumentError."""
    with source.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ArgumentError(f"line {number} of {source} is not JSON: {error}", argument="input") from None
            if not isinstance(row, dict):
                raise ArgumentError(f"line {number} of {source} is not an object with id and prompt", argument="input")
            yield row
