"""``formwright judge``: what engines do with schemas, wrong or right."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from formwright.algebra.judging import judge as try_engines
from formwright.algebra.peers import ENGINES
from formwright.cli.judge_services import FIELDS, JudgeReport, ask_service, is_url, list_lines, load_services, tell

__all__ = ["judge"]

_SECONDS = 10.0
"""Seconds for one schema on one engine."""


@click.command()
@click.argument("schemas", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--engine",
    "engines",
    multiple=True,
    help=f"Repeat the option. There are {', '.join(ENGINES)}, module:function for your own, and the URL of a service, "
    "as http://host/v1#model.",
)
@click.option("--timeout", type=click.FloatRange(0.1), help="Seconds for one schema; for one answer of a service.")
@click.option("--limit", type=click.IntRange(1), help="Schemas at most.")
@click.option("--model", help="The model of a service whose URL names none.")
@click.option(
    "--field", type=click.Choice(FIELDS), default=FIELDS[0], show_default=True, help="Where it reads schemas."
)
@click.option("--answers", type=click.IntRange(1), default=6, show_default=True, help="Answers of it to each schema.")
@click.option("--max-tokens", type=click.IntRange(1), default=512, show_default=True, help="Tokens of an answer.")
@click.option("--concurrency", type=click.IntRange(1), default=4, show_default=True, help="Schemas at the same time.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def judge(schemas: tuple[Path, ...], engines: tuple[str, ...], limit: int | None, format_: str, **options: Any) -> None:
    """Try SCHEMAS on engines: invalid texts that one admits, valid texts that it rejects, schemas that it refuses.

    SCHEMAS are files of JSON Schema, folders of them, or lines of JSON with a "schema" each (.jsonl, .jsonl.gz). Texts
    are the smallest that one keyword decides; formwright is tried as well, and validators that are installed are
    asked too. Exits with 1 if formwright is wrong about a text.

    A service is asked for such texts, and its answers are judged: it shows no masks, so valid texts that it would not
    write cannot be seen. Exits with 1 if an answer does not conform.
    """
    chosen = dict(list(_read_schemas(schemas))[:limit])
    if not chosen:
        raise click.UsageError("There are no schemas in these files and folders.")
    is_text = format_ == "text"
    urls = [engine for engine in engines if is_url(engine)]
    libraries = [engine for engine in engines if not is_url(engine)]
    found = JudgeReport()
    services = load_services(urls, options)  # what is not there is said at once
    if libraries or not urls:
        timeout = options["timeout"] or _SECONDS
        findings, found.engines = try_engines(chosen, libraries, timeout=timeout, tell=tell if is_text else None)
        found.findings += findings
    for service in services:
        ask_service(chosen, service, options, found, tell if is_text else None)
    click.echo("\n".join(list_lines(found)) if is_text else found.to_json())
    if found.is_wrong:
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
