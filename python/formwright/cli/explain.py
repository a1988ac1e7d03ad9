"""``formwright explain``: how each keyword of a schema was read."""

from __future__ import annotations

from typing import IO

import click
from rich.console import Console
from rich.table import Table

import formwright as fw

__all__ = ["explain"]

_COLUMNS = ("where", "keyword", "status", "note")
_COLORS = {"enforced": "green", "narrowed": "yellow", "redundant": "cyan", "annotation": "dim"}


@click.command()
@click.argument("schema", type=click.File("r", encoding="utf-8"))
def explain(schema: IO[str]) -> None:
    """Show how each keyword of SCHEMA is read: enforced, annotation, redundant or narrowed.

    A table on a terminal, tab-separated lines elsewhere. SCHEMA is a file; - is stdin.
    """
    rows = [(f"#{pointer}", *rest) for pointer, *rest in fw.json_schema(schema.read()).explain()]
    console = Console()
    if console.is_terminal:
        console.print(_table(rows))
    else:
        click.echo("\n".join("\t".join(row) for row in (_COLUMNS, *rows)))


def _table(rows: list[tuple[str, ...]]) -> Table:
    table = Table(*_COLUMNS)
    for row in rows:
        table.add_row(*row, style=_COLORS.get(row[2], ""))
    return table
