"""``formwright check``: whether an instance conforms, and if not, where it leaves its form."""

from __future__ import annotations

import re
from itertools import combinations
from typing import IO, Any

import click
from rich.cells import cell_len

import formwright as fw
from formwright.cli.shared import (
    FILE,
    GRAMMAR_OPTIONS,
    add_grammar_options,
    add_json_options,
    choose_form,
    is_grammar,
    is_stdin,
    read_text,
    remove_final_newline,
)
from formwright.forms.explain import Check
from formwright.forms.json_options import complete_options

__all__ = ["check"]

_MARGIN = 36
"""Characters of the line to show on each side of the place."""

_DEVIATIONS: dict[str, dict[str, Any]] = {
    "out of order (--order model writes it)": {"order": "model"},
    "with other whitespace": {"whitespace": "free", "max_whitespace": 1_000},
    "with more items than are written": {"max_items": 2**32 - 2},
    "with escapes that JSON does not need": {"escapes": "any"},
    "with integers that have a fraction": {"integers": "decimal"},
}
"""How a valid instance may differ from what a model writes by default, and the options that allow it."""


@click.command()
@click.argument("schema", type=FILE)
@click.argument("instance", type=FILE)
@add_json_options
@add_grammar_options
def check(schema: IO[bytes], instance: IO[bytes], **options: Any) -> None:
    """Tell whether INSTANCE is a text that SCHEMA lets a model write.

    Both are files; - is stdin. A SCHEMA whose name ends in .lark, .gbnf or .ebnf is a grammar. The final newline of
    INSTANCE does not belong to it. If it does not conform, shows the place and what could be there, and exits with 1;
    also if it is valid, but written in a way that the options do not allow.
    """
    if is_stdin(schema) and is_stdin(instance):
        raise click.UsageError("Give SCHEMA or INSTANCE on stdin, not both.")
    rules = {name: options.pop(name) for name in GRAMMAR_OPTIONS}
    file, grammar = (None, schema) if is_grammar(schema) else (schema, None)
    form = choose_form(file, None, grammar, (), None, options | rules)
    text = remove_final_newline(read_text(instance))
    found = form.check(text)
    if found.is_complete:
        click.echo("conforms")
        return
    verdict = _describe_deviation(form, text, options) or f"does not conform: {_describe_place(text, found)}"
    click.echo(f"{verdict}\n{_show_excerpt(text, found.position)}")
    raise SystemExit(1)


def _describe_deviation(form: fw.Form[Any], text: str, options: dict[str, Any]) -> str | None:
    """Describe how a valid instance differs from what a model writes, in few words; ``None`` for an invalid one."""
    if form.origin is None or form.origin.kind != "schema":
        return None
    source = form.origin.what
    deviations = dict(_DEVIATIONS)
    if complete_options(options)[0]["alphabet"] is not None:
        deviations["with characters that the alphabet lacks"] = {"alphabet": _list_characters(text)}
    for count in range(1, len(deviations) + 1):
        for ways in combinations(deviations, count):
            wider = {name: value for way in ways for name, value in deviations[way].items()}
            if fw.json_schema(source, **(options | wider)).matches(text):
                return f"valid, but {' and '.join(ways)}"
    return None


def _list_characters(text: str) -> str:
    """List the characters that strings of a JSON text hold, as characters or as escapes."""
    pairs = "".join(re.findall(r"\\u([0-9a-fA-F]{4})", text))
    return text + '"\\\b\f\n\r\t/' + bytes.fromhex(pairs).decode("utf-16-be", "replace")


def _describe_place(text: str, found: Check) -> str:
    """Describe where a text leaves its form, and what was expected there."""
    before = text[: found.position]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    what = "the text ends too early" if found.position == len(text) else "this is not allowed here"
    return f"line {line}, column {column}: {what}" + (f"; expected {found.expected}" if found.expected else "")


def _show_excerpt(text: str, position: int) -> str:
    """Show the line around ``position``, with a caret below it."""
    before = text[:position].rpartition("\n")[2][-_MARGIN:]
    after = text[position:].partition("\n")[0]
    padding = "".join(character if character == "\t" else " " * cell_len(character) for character in before)
    return f"  {before}{after[:_MARGIN]}\n  {padding}^"
