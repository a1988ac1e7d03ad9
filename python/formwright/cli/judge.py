"""``formwright judge``: what engines do with schemas, wrong or right."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from formwright.algebra.judging import Judgement, Summary
from formwright.algebra.judging import judge as try_engines
from formwright.algebra.peers import ENGINES

__all__ = ["judge"]


@click.command()
@click.argument("schemas", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--engine",
    "engines",
    multiple=True,
    help=f"Repeat the option. There are {', '.join(ENGINES)}, and module:function for your own.",
)
@click.option("--timeout", type=click.FloatRange(0.1), default=10.0, show_default=True, help="Seconds for one schema.")
@click.option("--limit", type=click.IntRange(1), help="Schemas at most.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def judge(schemas: tuple[Path, ...], engines: tuple[str, ...], timeout: float, limit: int | None, format_: str) -> None:
    """Try SCHEMAS on engines: invalid texts that one admits, valid texts that it rejects, schemas that it refuses.

    SCHEMAS are files of JSON Schema, folders of them, or lines of JSON with a "schema" each (.jsonl, .jsonl.gz). Texts
    are the smallest that one keyword decides; formwright is tried as well, and validators that are installed are
    asked too. Exits with 1 if formwright is wrong about a text.
    """
    chosen = dict(list(_read_schemas(schemas))[:limit])
    if not chosen:
        raise click.UsageError("There are no schemas in these files and folders.")
    is_text = format_ == "text"
    findings, summaries = try_engines(chosen, engines, timeout=timeout, tell=_tell if is_text else None)
    if is_text:
        click.echo("\n".join(_show_table(summaries)))
    else:
        rows = [finding._asdict() for finding in findings]
        click.echo(json.dumps({"findings": rows, "engines": [row._asdict() for row in summaries]}, ensure_ascii=False))
    own = summaries[0]
    if own.admits or own.rejects:
        raise SystemExit(1)


def _read_schemas(paths: Sequence[Path]) -> Iterator[tuple[str, Any]]:
    """Names and schemas."""
    for path in paths:
        if path.is_dir():
            yield from _read_schemas(sorted(path.rglob("*.json")))
        elif path.name.endswith((".jsonl", ".jsonl.gz")):
            with gzip.open(path, "rt") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
                yield from map(_read_row, enumerate(lines))
        else:
            try:
                yield str(path), json.loads(path.read_bytes())
            except ValueError as error:
                raise click.UsageError(f"{path} is not JSON: {error}") from error


def _read_row(numbered: tuple[int, str]) -> tuple[str, Any]:
    """The name and the schema of a line."""
    at, line = numbered
    try:
        row = json.loads(line)
        return str(row.get("name", at)), row["schema"]
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise click.UsageError(f"line {at + 1} has no schema: {error!r}") from error


def _tell(finding: Judgement) -> None:
    click.echo(str(finding).replace("\n", " ")[:400])


def _show_table(summaries: Sequence[Summary]) -> Iterator[str]:
    """The lines of a Markdown table."""
    yield "| engine | schemas | refused | failed | texts | invalid admitted | valid rejected | wrong schemas |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for row in summaries:
        yield f"| {row.engine} {row.version} | " + " | ".join(map(str, row[2:])) + " |"
