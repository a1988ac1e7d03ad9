"""``formwright generate``: write one text in form."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import click
from rich.console import Console

import formwright as fw
from formwright.cli.shared import FILE, JSON_OPTIONS, is_stdin, json_options, read_text, without_final_newline
from formwright.generation import MAX_TOKENS, Piece

__all__ = ["generate"]

PATH = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.option("--schema", type=FILE, help="JSON Schema file: the text is JSON for this schema; - is stdin.")
@click.option("--regex", help=r"Regular expression that the whole text matches; \d is 0 to 9, (?u)\d any digit.")
@click.option("--choice", "choices", multiple=True, help="One of these texts; repeat the option.")
@click.option("--choice-file", type=PATH, help="File of UTF-8 with one text on each line: the text is one of them.")
@json_options
@click.option("--prompt", help="The prompt.")
@click.option("--prompt-file", type=FILE, help="File with the prompt. Without either option, stdin.")
@click.option("--max-tokens", type=click.IntRange(1), default=MAX_TOKENS, show_default=True, help="Tokens at most.")
@click.option("--temperature", type=click.FloatRange(0), default=0.0, show_default=True, help="0 is greedy.")
@click.option("--top-k", type=click.IntRange(1), help="Draw among this many of the likeliest allowed tokens.")
@click.option("--top-p", type=click.FloatRange(0, 1, min_open=True), default=1.0, help="Draw among the likeliest ones.")
@click.option("--seed", type=int, help="Makes random draws repeatable.")
@click.option("--stop", multiple=True, help="Cut the text before this one; repeat the option.")
@click.option("--finish/--no-finish", default=True, show_default=True, help="Whether to steer to a complete end.")
@click.option(
    "--canonical",
    type=click.Choice(["none", "forced", "all"]),
    default="none",
    show_default=True,
    help="Which tokens must be those that the tokenizer itself writes.",
)
@click.option("--heal", is_flag=True, help="Write the last tokens of the prompt anew: it ends inside a word.")
@click.option("--stream", is_flag=True, help="Print the text while it is written.")
@click.option("--json", "as_json", is_flag=True, help="Print value, text, token ids and seconds as JSON, for programs.")
@click.option("--model", default="formwright-tiny", show_default=True, help="Name of the model.")
def generate(
    schema: IO[bytes] | None,
    regex: str | None,
    choices: tuple[str, ...],
    choice_file: Path | None,
    prompt: str | None,
    prompt_file: IO[bytes] | None,
    canonical: str,
    stream: bool,
    as_json: bool,
    model: str,
    **options: Any,
) -> None:
    """Write one text in form and print it."""
    if choices and choice_file is not None:
        raise click.UsageError("Give --choice or --choice-file, not both.")
    if stream and as_json:
        raise click.UsageError("Give --stream or --json, not both.")
    if prompt is not None and prompt_file is not None:
        raise click.UsageError("Give --prompt or --prompt-file, not both.")
    if schema is not None and is_stdin(schema) and prompt is None and (prompt_file is None or is_stdin(prompt_file)):
        raise click.UsageError("Give the schema or the prompt on stdin, not both.")
    form = _form(schema, regex, choice_file or choices, {name: options.pop(name) for name in JSON_OPTIONS})
    text = _prompt(prompt, prompt_file)
    options["canonical"] = {"none": False, "forced": "forced", "all": True}[canonical]
    result = _write(fw.load(model).stream(text, form, **options), shown=stream)
    if not stream:
        click.echo(_as_json(result) if as_json else result.text)
    if isinstance(result, fw.Truncated):
        click.echo(f"the text was cut: {result.reason}", err=True)
        raise SystemExit(1)


def _form(
    schema: IO[bytes] | None, regex: str | None, choices: Path | tuple[str, ...], options: dict[str, Any]
) -> fw.Form[Any]:
    if (schema is not None) + (regex is not None) + bool(choices) != 1:
        raise click.UsageError("Give exactly one form: --schema, --regex, --choice or --choice-file.")
    if schema is not None:
        return fw.json_schema(read_text(schema), **options)
    if given := [name for name, value in options.items() if value is not None]:
        option = given[0].replace("_", "-")
        raise click.UsageError(f"--{option} is for --schema: other texts have no JSON in them.")
    return fw.regex(regex) if regex is not None else fw.choice(choices)


def _prompt(prompt: str | None, file: IO[bytes] | None) -> str:
    """The prompt; the final newline of a file or of stdin is no part of it."""
    if prompt is not None:
        return prompt
    if file is None and sys.stdin.isatty():
        click.echo("the prompt, then Ctrl-D:", err=True)
    return without_final_newline(read_text(file or sys.stdin.buffer))


def _write(stream: fw.Stream[Any], shown: bool) -> Any:
    """Drive the stream to its result: its text on stdout, or a running count where someone is looking."""
    with stream:
        if shown:
            for piece in stream:
                click.echo(piece.text, nl=False)
            click.echo()
        else:
            _count(stream)
    return stream.result


def _count(pieces: Iterable[Piece]) -> None:
    """Read the pieces, with a running count where someone is looking."""
    waiting = Console(stderr=True).status("reading the prompt") if sys.stderr.isatty() else None
    with waiting or contextlib.nullcontext():
        for number, _ in enumerate(pieces, 1):
            if waiting is not None:
                waiting.update(f"{number} tokens written")


def _as_json(result: Any) -> str:
    """A result as one line of JSON; a text that was cut has a reason instead of a value."""
    is_complete = isinstance(result, fw.Complete)
    outcome = {"value": result.value} if is_complete else {"reason": result.reason}
    written = {"text": result.text, "token_ids": result.token_ids, "seconds": result.seconds}
    said = {"is_complete": is_complete, **outcome, **written}
    try:
        return json.dumps(said, ensure_ascii=False, allow_nan=False)
    except ValueError:  # a number beyond those of Python, such as 1e999: the text has it
        return json.dumps(said | {"value": None}, ensure_ascii=False)
