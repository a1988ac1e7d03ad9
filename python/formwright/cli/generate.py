"""``formwright generate``: write one text in form."""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import IO, Any

import click
from rich.console import Console

import formwright as fw
from formwright.generation.loop import Piece, drain

__all__ = ["generate"]

_File = click.File("r", encoding="utf-8")


@click.command()
@click.option("--schema", type=_File, help="JSON Schema file: the text is JSON for this schema.")
@click.option("--regex", help="Regular expression that the whole text matches.")
@click.option("--choice", "choices", multiple=True, help="One of these texts; repeat the option.")
@click.option("--prompt", help="The prompt.")
@click.option("--prompt-file", type=_File, help="File with the prompt. Without either option, stdin.")
@click.option("--max-tokens", type=click.IntRange(1), default=512, show_default=True, help="Tokens at most.")
@click.option("--temperature", type=click.FloatRange(0), default=0.0, show_default=True, help="0 is greedy.")
@click.option("--seed", type=int, help="Makes random draws repeatable.")
@click.option("--model", default="formwright-tiny", show_default=True, help="Name of the model.")
def generate(
    schema: IO[str] | None,
    regex: str | None,
    choices: tuple[str, ...],
    prompt: str | None,
    prompt_file: IO[str] | None,
    model: str,
    **options: Any,
) -> None:
    """Write one text in form and print it."""
    form = _form(schema, regex, choices)
    text = _prompt(prompt, prompt_file)
    result = _watch(fw.load(model).stream(text, form, **options))
    click.echo(result.text)
    if isinstance(result, fw.Truncated):
        click.echo(f"the text was cut: {result.reason}", err=True)
        raise SystemExit(1)


def _form(schema: IO[str] | None, regex: str | None, choices: tuple[str, ...]) -> fw.Language:
    given: list[fw.Language] = [
        *([fw.json_schema(schema.read())] if schema is not None else ()),
        *([fw.regex(regex)] if regex is not None else ()),
        *([fw.choice(choices)] if choices else ()),
    ]
    if len(given) != 1:
        raise click.UsageError("Give exactly one form: --schema, --regex or --choice.")
    return given[0]


def _prompt(prompt: str | None, prompt_file: IO[str] | None) -> str:
    """The prompt; the final newline of a file or of stdin is no part of it."""
    if prompt is not None and prompt_file is not None:
        raise click.UsageError("Give --prompt or --prompt-file, not both.")
    return (prompt_file or sys.stdin).read().rstrip("\n") if prompt is None else prompt


def _watch(pieces: Generator[Piece, None, fw.Result[Any]]) -> fw.Result[Any]:
    """Drive the stream to its result, with a running count where someone is looking."""
    console = Console(stderr=True)
    if not console.is_terminal:
        return drain(pieces)
    with console.status("reading the prompt") as status:
        return drain(pieces, lambda count: status.update(f"{count} tokens written"))
