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
    JSON_OPTIONS,
    form_options,
    is_stdin,
    model_option,
    one_form,
    read_text,
    without_final_newline,
)
from formwright.generation import MAX_TOKENS
from formwright.models import LocalModel
from formwright.schemas.instructions import STYLES

if TYPE_CHECKING:
    from formwright.client import RemoteModel

__all__ = ["generate"]


@click.command()
@form_options("JSON Schema file: the text is JSON for this schema; - is stdin.")
@click.option("--prompt", help="The prompt.")
@click.option("--prompt-file", type=FILE, help="File with the prompt. Without either option, stdin.")
@click.option("--max-tokens", type=click.IntRange(1), default=MAX_TOKENS, show_default=True, help="Tokens at most.")
@click.option(
    "--temperature",
    type=click.FloatRange(0),
    help="0 is greedy, as without it here (a service has its own); 1 is the model's own.",
)
@click.option("--top-k", type=click.IntRange(1), help="Draw among this many of the likeliest allowed tokens.")
@click.option("--top-p", type=click.FloatRange(0, 1, min_open=True), default=1.0, help="Draw among the likeliest ones.")
@click.option("--min-p", type=click.FloatRange(0, 1), default=0.0, help="Draw among tokens not much less likely.")
@click.option(
    "--repetition-penalty",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    help="Divide the logits of tokens that were there before by this.",
)
@click.option("--min-tokens", type=click.IntRange(0), default=0, help="Tokens at least, if the form allows so many.")
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
@click.option(
    "--instruct",
    type=click.Choice(list(STYLES)),
    is_flag=False,
    flag_value="schema",
    help="Describe the form after the prompt too; without a style, as JSON Schema.",
)
@click.option("--beams", type=click.IntRange(1), default=1, help="Search with this many beams for the likeliest text.")
@click.option("--returns", type=click.IntRange(1), default=1, help="Print so many texts of the beams.")
@click.option(
    "--fidelity",
    type=click.Choice(["mask", "exact", "smc"]),
    default="mask",
    show_default=True,
    help="Whose distribution is drawn from: masked tokens', or the model's own over the texts in form.",
)
@click.option("--particles", type=click.IntRange(1), default=16, help="Texts that --fidelity smc weighs.")
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
    help="Of a model behind an API: how the form is asked for.  [default: auto]",
)
@click.option("--max-retries", type=click.IntRange(0), default=0, help="Ask again so often for a text that is refused.")
@model_option
def generate(
    schema: IO[bytes] | None,
    regex: str | None,
    choices: tuple[str, ...],
    choice_file: Path | None,
    prompt: str | None,
    prompt_file: IO[bytes] | None,
    canonical: str,
    instruct: str | None,
    trace: Path | None,
    stream: bool,
    as_json: bool,
    model: str,
    **options: Any,
) -> None:
    """Write one conforming text and print it."""
    if trace is not None and (str(trace) == "-" or not trace.parent.is_dir()):
        raise click.UsageError(
            f"--trace {trace}: there is no such folder." if str(trace) != "-" else "--trace is a file."
        )
    if stream and as_json:
        raise click.UsageError("Give --stream or --json, not both.")
    if prompt is not None and prompt_file is not None:
        raise click.UsageError("Give --prompt or --prompt-file, not both.")
    if schema is not None and is_stdin(schema) and prompt is None and (prompt_file is None or is_stdin(prompt_file)):
        raise click.UsageError("Give the schema or the prompt on stdin, not both.")
    form = one_form(schema, regex, choices, choice_file, {name: options.pop(name) for name in JSON_OPTIONS})
    text = _prompt(prompt, prompt_file)
    options["canonical"] = {"none": False, "forced": "forced", "all": True}[canonical]
    options["instruct"] = instruct or False
    options["trace"] = trace is not None
    loaded = fw.load(model)
    if not isinstance(loaded, LocalModel):
        options = _of_service(options)
    elif options.pop("mode") is not None:
        raise click.UsageError("--mode is for a model behind an API: --model URL#name.")
    result = _write_result(loaded, text, form, options, shown=stream)
    if trace is not None:
        result.trace.save(trace)
    for alternative in () if stream else getattr(result, "alternatives", ()) or (result,):
        click.echo(_as_json(alternative) if as_json else alternative.text)
    if isinstance(result, fw.Truncated):
        click.echo(f"the text was cut: {result.reason}", err=True)
        raise SystemExit(1)


def _prompt(prompt: str | None, file: IO[bytes] | None) -> str:
    """The prompt; the final newline of a file or of stdin does not belong to it."""
    if prompt is not None:
        return prompt
    if file is None and sys.stdin.isatty():
        click.echo("the prompt, then Ctrl-D:", err=True)
    return without_final_newline(read_text(file or sys.stdin.buffer))


_SEVERAL = {"beams": 1, "returns": 1, "fidelity": "mask", "particles": 16}
"""The options of strategies that look at several texts, and what they are without one."""


_SAMPLING = {"min_p": 0.0, "repetition_penalty": 1.0, "min_tokens": 0}
"""The options of sampling that services do not have, and what they are where nobody gives them."""

_HERE = {**_SEVERAL, **_SAMPLING, "canonical": False, "heal": False, "trace": False}
"""The options of models that run here, and what they are where nobody gives them."""


def _of_service(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a model behind an API, which refuses those of others that were given."""
    return {name: value for name, value in options.items() if name not in _HERE or value != _HERE[name]}


def _write_result(
    model: LocalModel | RemoteModel, text: str, form: fw.Form[Any], options: dict[str, Any], shown: bool
) -> Any:
    """The result, by a stream where one text is written token by token."""
    several = any(options.get(name, value) != value for name, value in _SEVERAL.items() if name != "particles")
    if not several and not options["max_retries"]:
        alone = {name: value for name, value in options.items() if name not in (*_SEVERAL, "max_retries")}
        return _write(model.stream(text, form, **alone), shown)
    if shown:
        raise click.UsageError(
            "--stream is for one text, token by token: without --beams, --fidelity and --max-retries."
        )
    options["stop"] = options["stop"] or None
    return model.generate(text, form, **options)


def _write(stream: Any, shown: bool) -> Any:
    """Drive the stream to its result: its text on stdout, or a running count where someone is looking."""
    with stream:
        if shown:
            for piece in stream:
                click.echo(piece.text, nl=False)
            click.echo()
        else:
            _count(stream)
    return stream.result


def _count(pieces: Iterable[object]) -> None:
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
    if result.log_probability is not None:
        written["log_probability"] = result.log_probability
    said = {"is_complete": is_complete, **outcome, **written}
    try:
        return json.dumps(said, ensure_ascii=False, allow_nan=False)
    except ValueError:  # a number beyond those of Python, such as 1e999: the text has it
        return json.dumps(said | {"value": None}, ensure_ascii=False)
