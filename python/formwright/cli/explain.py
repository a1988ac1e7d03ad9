"""``formwright explain``: how each keyword of a schema was read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import IO, Any

import click
from rich.console import Console
from rich.table import Table

import formwright as fw
from formwright.cli.shared import FILE, add_json_options, is_grammar, read_grammar

__all__ = ["explain"]

_COLUMNS = ("where", "keyword", "status", "note")
_COLORS = {
    "default": "magenta",
    "enforced": "green",
    "narrowed": "yellow",
    "never": "yellow",
    "redundant": "cyan",
    "annotation": "dim",
    "refused": "red",
    "broken": "red",
}


@click.command()
@click.argument("schema", type=FILE)
@add_json_options
def explain(schema: IO[bytes], **options: Any) -> None:
    """Show how each keyword of SCHEMA is read, and every reason why it is refused, if it is.

    A table on a terminal, tab-separated lines elsewhere. SCHEMA is a file; - is stdin. Of a grammar (a file named
    .lark, .gbnf or .ebnf): what is allowed but hardly meant.
    """
    text, imports = read_grammar(schema)
    explanation = fw.grammar(text, imports=imports).explain() if is_grammar(schema) else fw.explain(text, **options)
    rows = [(row.place, *row[1:]) for row in explanation]
    if sys.stdout.isatty():
        Console().print(_make_table(rows))
    else:
        lines = ("\t".join(_join_lines(cell) for cell in row) for row in (_COLUMNS, *rows))
        click.echo("\n".join(lines))
    if not is_grammar(schema):
        fw.json_schema(text, **options)  # raises the refusal that the rows show


def _join_lines(cell: str) -> str:
    """Replace the characters of a cell that separate cells and lines."""
    return cell.replace("\n", " ").replace("\t", " ")


def _make_table(rows: Sequence[tuple[str, ...]]) -> Table:
    table = Table(*_COLUMNS)
    for row in rows:
        table.add_row(*row, style=_COLORS.get(row[2], ""))
    return table
