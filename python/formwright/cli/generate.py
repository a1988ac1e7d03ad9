"""``formwright generate``: write one conforming text."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
from rich.console import Console

import formwright as fw
from formwright.cli.shared import (
    FILE,
    FORM_OPTIONS,
    add_form_options,
    add_model_option,
    choose_form,
    is_stdin,
    read_text,
    remove_final_newline,
)
from formwright.generation import MAX_TOKENS
from formwright.models import LocalModel
from formwright.schemas.instructions import STYLES

if TYPE_CHECKING:
    from formwright.client import RemoteModel

__all__ = ["generate"]


@click.command()
@add_form_options("JSON Schema file: the text is JSON for this schema; - is stdin.")
@click.option(
    "--prefix",
    type=FILE,
    help="File with the beginning of a text of the form: what comes after it is written, and printed alone. The final "
    "newline of the file is left out.",
)
@click.option(
    "--suffix",
    type=FILE,
    help="File with the end of a text of the form, likewise: what comes before it is written.",
)
@click.option("--prompt", help="The prompt.")
@click.option("--prompt-file", type=FILE, help="File with the prompt. Without either option, stdin.")
@click.option("--max-tokens", type=click.IntRange(1), default=MAX_TOKENS, show_default=True, help="Tokens at most.")
@click.option(
    "--temperature",
    type=click.FloatRange(0),
    help="0 is greedy, as without it here (a service has its own); 1 is the model's own.",
)
@click.option("--top-k", type=click.IntRange(1), help="Sample from this many of the most likely allowed tokens.")
@click.option(
    "--top-p",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    help="Sample from the most likely tokens that reach this probability.",
)
@click.option(
    "--min-p",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Sample tokens at least this likely, relative to the most likely one.",
)
@click.option(
    "--repetition-penalty",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    help="Divide the logits of tokens that occurred before by this.",
)
@click.option("--min-tokens", type=click.IntRange(0), default=0, help="Tokens at least, if the form allows so many.")
@click.option("--seed", type=int, help="Makes sampling repeatable.")
@click.option("--stop", multiple=True, help="Cut the text before this one; repeat the option.")
@click.option("--finish/--no-finish", default=True, show_default=True, help="Whether to steer to a complete end.")
@click.option(
    "--canonical",
    type=click.Choice(["none", "forced", "all"]),
    default="none",
    show_default=True,
    help="Which tokens must be those that the tokenizer itself writes.",
)
@click.option("--heal", is_flag=True, help="Write the last tokens of the prompt again, which ends inside a word.")
@click.option(
    "--instruct",
    type=click.Choice(list(STYLES)),
    is_flag=False,
    flag_value="schema",
    help="Also describe the form after the prompt; without a style, as JSON Schema.",
)
@click.option(
    "--beams", type=click.IntRange(1), default=1, help="Search with this many beams for the most likely text."
)
@click.option("--returns", type=click.IntRange(1), default=1, help="Print this many texts of the beams, or draws.")
@click.option(
    "--fidelity",
    type=click.Choice(["mask", "exact", "smc", "adaptive"]),
    default="mask",
    show_default=True,
    help="Distribution to sample from: that of masked tokens, or the model's own over the conforming texts.",
)
@click.option(
    "--particles",
    type=click.IntRange(1),
    help="Texts that --fidelity smc weights (default 16); else values that estimate the probability of a field.",
)
@click.option(
    "--max-calls",
    type=click.IntRange(1),
    help="How often --fidelity adaptive may run the model for all its draws (default 1000).",
)
@click.option("--fields", is_flag=True, help="With --json: also print each field with its probability.")
@click.option(
    "--abstain",
    type=click.FloatRange(0, 1, min_open=True),
    help="Write null where no value of a field has this probability and its type allows null.",
)
@click.option(
    "--source",
    type=click.File("rb"),
    help="A text file that comes before a prompt without it; fields have the places where they occur in it.",
)
@click.option(
    "--trace",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write what the form did to the model to this file, as one HTML page.",
)
@click.option("--stream", is_flag=True, help="Print the text while it is written.")
@click.option("--json", "as_json", is_flag=True, help="Print value, text, token ids and seconds as JSON, for programs.")
@click.option(
    "--mode",
    type=click.Choice(["auto", "strict", "tools", "json_object", "instructions"]),
    help="For a remote model: how the form is requested.  [default: auto]",
)
@click.option(
    "--max-retries", type=click.IntRange(0), default=0, help="How often to request another text if one is refused."
)
@add_model_option
def generate(
    schema: IO[bytes] | None,
    regex: str | None,
    grammar: IO[bytes] | None,
    choices: tuple[str, ...],
    choice_file: Path | None,
    prefix: IO[bytes] | None,
    suffix: IO[bytes] | None,
    prompt: str | None,
    prompt_file: IO[bytes] | None,
    canonical: str,
    instruct: str | None,
    trace: Path | None,
    source: IO[bytes] | None,
    stream: bool,
    as_json: bool,
    model: str,
    **options: Any,
) -> None:
    """Write one conforming text and print it."""
    if stream and as_json:
        raise click.UsageError("Give --stream or --json, not both.")
    if options["fields"] and not as_json:
        raise click.UsageError("--fields is for --json.")
    _check_trace(trace)
    if prompt is not None and prompt_file is not None:
        raise click.UsageError("Give --prompt or --prompt-file, not both.")
    files = {"schema": schema, "grammar": grammar, "prefix": prefix, "suffix": suffix, "source": source}
    _check_stdin(files if prompt is not None else {**files, "prompt": prompt_file or sys.stdin.buffer})
    form = choose_form(schema, regex, grammar, choices, choice_file, {name: options.pop(name) for name in FORM_OPTIONS})
    if prefix is not None or suffix is not None:
        form = form.between(_read_part(prefix), _read_part(suffix))
    text = _read_prompt(prompt, prompt_file)
    options["canonical"] = {"none": False, "forced": "forced", "all": True}[canonical]
    options["instruct"] = instruct or False
    options["trace"] = trace is not None
    options["source"] = None if source is None else read_text(source)
    shows_fields = options["fields"] or options["abstain"] is not None
    loaded = fw.load(model)
    if not isinstance(loaded, LocalModel):
        options = _select_service_options(options)
    elif options.pop("mode") is not None:
        raise click.UsageError("--mode is for a remote model: --model URL#name.")
    result = _write_result(loaded, text, form, options, is_shown=stream)
    if trace is not None:
        result.trace.save(trace)
    for alternative in () if stream else getattr(result, "alternatives", ()) or (result,):
        click.echo(_write_json(alternative, shows_fields) if as_json else alternative.text)
    if isinstance(result, fw.Truncated):
        click.echo(f"the text was cut: {result.reason}", err=True)
        raise SystemExit(1)


def _check_trace(trace: Path | None) -> None:
    """Refuse a trace that cannot be written, before anything is generated. Raises click.UsageError."""
    if trace is None:
        return
    if str(trace) == "-":
        raise click.UsageError("--trace is a file.")
    if not trace.parent.is_dir():
        raise click.UsageError(f"--trace {trace}: there is no such folder.")


def _check_stdin(files: dict[str, IO[bytes] | None]) -> None:
    """Refuse two files that are both read from stdin. Raises click.UsageError."""
    names = [name for name, file in files.items() if file is not None and is_stdin(file)]
    if len(names) > 1:
        raise click.UsageError(f"Give the {names[0]} or the {names[1]} on stdin, not both.")


def _read_prompt(prompt: str | None, file: IO[bytes] | None) -> str:
    """Read the prompt; the final newline of a file or of stdin does not belong to it."""
    if prompt is not None:
        return prompt
    if file is None and sys.stdin.isatty():
        click.echo("the prompt, then Ctrl-D:", err=True)
    return remove_final_newline(read_text(file or sys.stdin.buffer))


def _read_part(file: IO[bytes] | None) -> str:
    """Read the beginning or the end of a text; without a file it is empty."""
    return "" if file is None else remove_final_newline(read_text(file))


_UNSTREAMED_DEFAULTS = {
    "beams": 1,
    "returns": 1,
    "fidelity": "mask",
    "particles": None,
    "max_calls": None,
    "fields": False,
    "abstain": None,
}
"""The options that streams do not have, with their defaults."""

_SAMPLING_DEFAULTS = {"min_p": 0.0, "repetition_penalty": 1.0, "min_tokens": 0}
"""The options of sampling that services do not have, with their defaults."""

_LOCAL_DEFAULTS = {**_UNSTREAMED_DEFAULTS, **_SAMPLING_DEFAULTS, "canonical": False, "heal": False, "trace": False}
"""The options of local models, with their defaults."""


def _select_service_options(options: dict[str, Any]) -> dict[str, Any]:
    """Select the options for a remote model; those of local models only if they were given, so that it refuses them."""
    return {
        name: value for name, value in options.items() if name not in _LOCAL_DEFAULTS or value != _LOCAL_DEFAULTS[name]
    }


def _write_result(
    model: LocalModel | RemoteModel, text: str, form: fw.Form[Any], options: dict[str, Any], is_shown: bool
) -> Any:
    """Write the result: as a stream, or at once with options that streams do not have."""
    is_unstreamed = any(options.get(name, value) != value for name, value in _UNSTREAMED_DEFAULTS.items())
    if not is_unstreamed and not options["max_retries"]:
        stream_options = {
            name: value for name, value in options.items() if name not in (*_UNSTREAMED_DEFAULTS, "max_retries")
        }
        return _drive_stream(model.stream(text, form, **stream_options), is_shown)
    if is_shown:
        raise click.UsageError(
            "--stream is for one text, token by token: without --beams, --fidelity, --particles, --max-calls, "
            "--abstain and --max-retries."
        )
    options["stop"] = options["stop"] or None
    return model.generate(text, form, **options)


def _drive_stream(stream: Any, is_shown: bool) -> Any:
    """Read a stream to its result, and print its text, or a count of tokens on a terminal."""
    with stream:
        if is_shown:
            for piece in stream:
                click.echo(piece.text, nl=False)
            click.echo()
        else:
            _count_tokens(stream)
    return stream.result


def _count_tokens(pieces: Iterable[object]) -> None:
    """Read the pieces, with a count of tokens on a terminal."""
    waiting = Console(stderr=True).status("reading the prompt") if sys.stderr.isatty() else None
    with waiting or contextlib.nullcontext():
        for number, _ in enumerate(pieces, 1):
            if waiting is not None:
                waiting.update(f"{number} tokens written")


def _write_json(result: Any, shows_fields: bool) -> str:
    """Write a result as one line of JSON; a truncated text has a reason instead of a value."""
    is_complete = isinstance(result, fw.Complete)
    outcome = {"value": result.value} if is_complete else {"reason": result.reason}
    written = {"text": result.text, "token_ids": result.token_ids, "seconds": result.seconds}
    if result.log_probability is not None:
        written["log_probability"] = result.log_probability
    if is_complete and shows_fields:
        written["fields"] = {pointer: field.describe() for pointer, field in result.fields.items()}
        written["doubtful"] = result.doubtful
    members = {"is_complete": is_complete, **outcome, **written}
    try:
        return json.dumps(members, ensure_ascii=False, allow_nan=False)
    except ValueError:  # a number that Python does not have, such as 1e999; the text shows it
        return json.dumps(members | {"value": None}, ensure_ascii=False)
