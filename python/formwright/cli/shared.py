"""What subcommands share: files as text, and the options of JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Any, TypeVar

import click

__all__ = ["FILE", "JSON_OPTIONS", "is_stdin", "json_options", "read_text", "without_final_newline"]

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.File("rb")
"""A file that is read as bytes; - is stdin. `read_text` makes it text."""

JSON_OPTIONS = ("order", "whitespace", "max_whitespace", "max_items")
"""The parameters that `json_options` adds."""


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
    """Adds the options that say how JSON is written; what is not given is ``None``, and left to the environment."""
    order = click.option(
        "--order",
        type=click.Choice(["schema", "model"]),
        help="Who orders the properties.  [default: $FORMWRIGHT_ORDER, or schema]",
    )
    whitespace = click.option(
        "--whitespace",
        metavar="flexible|compact|pretty|free|REGEX",
        help="Whitespace between the parts of JSON.  [default: free where a bound is given, or flexible]",
    )
    max_whitespace = click.option(
        "--max-whitespace",
        type=int,
        metavar="N",
        help="Whitespace characters in a row, where it is free.  [default: $FORMWRIGHT_MAX_WHITESPACE, or 12]",
    )
    max_items = click.option(
        "--max-items",
        type=int,
        metavar="N",
        help="Items of an array whose schema gives no maximum.  [default: $FORMWRIGHT_MAX_ITEMS, or no bound]",
    )
    return order(whitespace(max_whitespace(max_items(command))))
