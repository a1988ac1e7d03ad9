"""``formwright check``: is this instance in form, and if not, where it leaves it."""

from __future__ import annotations

import re
from itertools import combinations
from typing import IO, Any

import click
from rich.cells import cell_len

import formwright as fw
from formwright.cli.shared import FILE, is_stdin, json_options, read_text, without_final_newline
from formwright.forms.explain import Check
from formwright.forms.json_options import complete_options

__all__ = ["check"]

_MARGIN = 36
"""Characters of the line shown on either side of the place."""

_WIDER: dict[str, dict[str, Any]] = {
    "out of order (--order model writes it)": {"order": "model"},
    "with other whitespace": {"whitespace": "free", "max_whitespace": 1_000},
    "with more items than are written": {"max_items": 2**32 - 2},
    "with escapes that JSON does not need": {"escapes": "any"},
    "with integers that have a fraction": {"integers": "decimal"},
}
"""What an instance may be beside what a model writes by default, and the options that allow it."""


@click.command()
@click.argument("schema", type=FILE)
@click.argument("instance", type=FILE)
@json_options
def check(schema: IO[bytes], instance: IO[bytes], **options: Any) -> None:
    """Tell whether INSTANCE is a text that SCHEMA lets a model write.

    Both are files; - is stdin. The final newline of INSTANCE does not belong to it. If it is
    not in form, shows the place and what could be there, and exits with 1; also if it
    is valid, but written in a way that the options do not allow.
    """
    if is_stdin(schema) and is_stdin(instance):
        raise click.UsageError("Give SCHEMA or INSTANCE on stdin, not both.")
    source = read_text(schema)
    form = fw.json_schema(source, **options)
    text = without_final_newline(read_text(instance))
    found = form.check(text)
    if found.is_complete:
        click.echo("in form")
        return
    verdict = _but(source, text, options) or f"not in form: {_complaint(text, found)}"
    click.echo(f"{verdict}\n{_excerpt(text, found.position)}")
    raise SystemExit(1)


def _but(source: str, text: str, options: dict[str, Any]) -> str | None:
    """What is unusual about a valid instance, with the fewest words; ``None`` for an invalid one."""
    all_ways = dict(_WIDER)
    if complete_options(options)[0]["alphabet"] is not None:
        all_ways["with characters that the alphabet lacks"] = {"alphabet": _characters(text)}
    for count in range(1, len(all_ways) + 1):
        for ways in combinations(all_ways, count):
            wider = {name: value for way in ways for name, value in all_ways[way].items()}
            if fw.json_schema(source, **(options | wider)).matches(text):
                return f"valid, but {' and '.join(ways)}"
    return None


def _characters(text: str) -> str:
    """The characters that a string in a JSON text may hold: those that are there, and those of escapes."""
    pairs = "".join(re.findall(r"\\u([0-9a-fA-F]{4})", text))
    return text + '"\\\b\f\n\r\t/' + bytes.fromhex(pairs).decode("utf-16-be", "replace")


def _complaint(text: str, found: Check) -> str:
    before = text[: found.position]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    what = "the text ends too soon" if found.position == len(text) else "this is not allowed here"
    return f"line {line}, column {column}: {what}" + (f"; expected {found.expected}" if found.expected else "")


def _excerpt(text: str, position: int) -> str:
    """The line around ``position``, with a caret below it."""
    before = text[:position].rpartition("\n")[2][-_MARGIN:]
    after = text[position:].partition("\n")[0]
    padding = "".join(character if character == "\t" else " " * cell_len(character) for character in before)
    return f"  {before}{after[:_MARGIN]}\n  {padding}^"
