"""``formwright check``: is this instance in form, and if not, where it leaves it."""

from __future__ import annotations

from typing import IO

import click
from rich.cells import cell_len

import formwright as fw

__all__ = ["check"]

_File = click.File("rb")
_MARGIN = 36
"""Characters of the line shown on either side of the place."""


@click.command()
@click.argument("schema", type=_File)
@click.argument("instance", type=_File)
@click.option(
    "--order", type=click.Choice(["schema", "model"]), default="schema", show_default=True, help="Order of properties."
)
def check(schema: IO[bytes], instance: IO[bytes], order: str) -> None:
    """Tell whether INSTANCE is a text that SCHEMA lets a model write.

    Both are files; - is stdin. The final newline of INSTANCE is no part of it. If it is
    not in form, shows the place and what could stand there, and exits with 1.
    """
    language = fw.json_schema(schema.read().decode(), order=order)
    text = instance.read().rstrip(b"\r\n")
    good, complete = language.check(text)
    if good == len(text) and complete:
        click.echo("in form")
        return
    click.echo(f"not in form: {_complaint(language, text, good)}\n{_excerpt(text, good)}")
    raise SystemExit(1)


def _complaint(language: fw.Language, text: bytes, good: int) -> str:
    before = text[:good].decode(errors="ignore")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    what = "the text ends too soon" if good == len(text) else "this cannot stand here"
    expected = _expected(language, text[:good], text[good : good + 1] or b"\0")
    return f"line {line}, column {column}: {what}" + (f"; expected {expected}" if expected else "")


def _expected(language: fw.Language, before: bytes, wrong: bytes) -> str:
    """What could have come instead of ``wrong``, in the kernel's words."""
    vocabulary = fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[256])
    matcher = fw.compile(language, vocabulary).matcher()
    matcher.accept_bytes(before)
    try:
        matcher.accept_bytes(wrong)
    except fw.errors.TokenRejected as error:
        return error.expected
    return ""


def _excerpt(text: bytes, good: int) -> str:
    """The line around byte ``good``, with a caret below it."""
    before = text[:good].decode(errors="ignore").rpartition("\n")[2][-_MARGIN:]
    behind = text[len(text[:good].decode(errors="ignore").encode()) :].decode(errors="replace").partition("\n")[0]
    return f"  {before}{behind[:_MARGIN]}\n  {' ' * cell_len(before)}^"
