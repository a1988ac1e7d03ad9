"""What subcommands share: files as text, and the options of JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Any, TypeVar

import click

__all__ = ["FILE", "is_stdin", "json_options", "read_text", "without_final_newline"]

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.File("rb")
"""A file that is read as bytes; - is stdin. `read_text` makes it text."""


def is_stdin(file: IO[bytes]) -> bool:
    """Whether a file is the standard input."""
    return getattr(file, "name", "<stdin>") == "<stdin>"


def read_text(file: IO[bytes]) -> str:
    """The text of a file.

    Raises:
        click.UsageError: It is not UTF-8.
    """
    try:
        return file.read().decode()
    except UnicodeDecodeError as error:
        name = getattr(file, "name", "-")
        byte = error.object[error.start]
        raise click.UsageError(f"{name} is not UTF-8 text: byte 0x{byte:02x} at offset {error.start}.") from error


def without_final_newline(text: str) -> str:
    """A text without the line break that editors put at its end."""
    return text.removesuffix("\n").removesuffix("\r")


def json_options(command: Command) -> Command:
    """Adds ``--order`` and ``--whitespace``: how JSON is written."""
    order = click.option(
        "--order",
        type=click.Choice(["schema", "model"]),
        default="schema",
        show_default=True,
        help="Who orders the properties.",
    )
    whitespace = click.option(
        "--whitespace",
        default="flexible",
        show_default=True,
        metavar="flexible|compact|pretty|REGEX",
        help="Whitespace between the parts of JSON.",
    )
    return order(whitespace(command))
