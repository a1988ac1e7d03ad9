"""The group of subcommands, which turns every error into a message and an exit code."""

from __future__ import annotations

from functools import reduce
from typing import IO, Any

import click

from formwright import __version__
from formwright.cli.automaton import automaton
from formwright.cli.check import check
from formwright.cli.compat import compat
from formwright.cli.convert import convert
from formwright.cli.distortion import distortion
from formwright.cli.doctor import doctor
from formwright.cli.evaluate import evaluate
from formwright.cli.explain import explain
from formwright.cli.generate import generate
from formwright.cli.judge import judge
from formwright.cli.main import INTERRUPTED
from formwright.cli.map import map_
from formwright.cli.next import next_
from formwright.cli.serve import serve
from formwright.cli.verify import verify
from formwright.errors import ArgumentError, FormwrightError

__all__ = ["app"]

_OPTION_NAMES = {
    "start=": "--start",
    "lexing=": "--lexing",
    "max_tokens=": "--max-tokens ",
    "finish=False": "--no-finish",
    "max_tokens": "--max-tokens",
}


def _rename_options(hint: str) -> str:
    """Replace the names of Python options in a hint by those of the command line."""
    return reduce(lambda text, name: text.replace(name, _OPTION_NAMES[name]), _OPTION_NAMES, hint)


class _Refusal(click.ClickException):
    """An error of formwright, as click shows it."""

    exit_code = 3

    def __init__(self, error: FormwrightError) -> None:
        super().__init__(str(error))
        self.hint = _rename_options(error.hint or "")

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"error: {self.message}", err=True)
        if self.hint:
            click.echo(f"hint: {self.hint}", err=True)


class _Commands(click.Group):
    """A group whose commands raise errors of formwright."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ArgumentError as error:
            raise click.UsageError(f"{error}" + (f" ({error.hint})" if error.hint else "")) from error
        except FormwrightError as error:
            raise _Refusal(error) from error
        except KeyboardInterrupt:
            click.echo("error: interrupted", err=True)
            raise SystemExit(INTERRUPTED) from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="formwright")
def app() -> None:  # \b keeps click from wrapping the lines below it
    """Let a language model write conforming texts: JSON Schema, regular expressions, grammars, choices.

    Results go to stdout, everything else to stderr.

    \b
    Exit codes:
      0    done
      1    the answer is negative: an instance that does not conform, a text that was cut, a change that breaks
      2    a wrong command line, or input that is not UTF-8
      3    a form, tokenizer or model that formwright refuses, with the reason
      130  interrupted by Ctrl-C
    """  # noqa: D301


for command in (
    automaton,
    check,
    compat,
    convert,
    distortion,
    doctor,
    evaluate,
    explain,
    generate,
    judge,
    map_,
    next_,
    serve,
    verify,
):
    app.add_command(command)
