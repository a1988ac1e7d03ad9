"""Small steps that every form takes with texts: check them, read them as JSON, tell whose fault an error is."""

from __future__ import annotations

import json
from typing import Any

from formwright.errors import ArgumentError, OutputInvalid

__all__ = ["check_text", "dump_json", "is_of_call", "read_json", "shorten", "utf8_of"]


def check_text(text: object, argument: str) -> None:
    """Fails unless ``text`` is a str that can be written as UTF-8."""
    if not isinstance(text, str):
        raise ArgumentError(f"{argument}: expected a str, got {type(text).__name__}", argument=argument)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        raise ArgumentError(f"{argument}: {half!r} at {error.start} is a lone surrogate", argument=argument) from None


def read_json(text: str) -> Any:
    """``json.loads``, whose recursion is an error of ours.

    Raises:
        OutputInvalid: The text is nested too deep for Python.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise OutputInvalid(
            "the text is nested deeper than Python's json reads", text=text, position=len(text)
        ) from error


def dump_json(value: Any) -> str:
    """``json.dumps``, whose errors are ours. Raises ArgumentError."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"the value cannot be written as JSON: {error}", argument="value") from error


def is_of_call(error: Exception) -> bool:
    """Whether it is a TypeError of the call of a reader, as for a wrong number of arguments; no text causes it."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    caller = place.tb_frame.f_globals.get("__name__", "") if place is not None else ""
    return isinstance(error, TypeError) and caller.startswith(("formwright.forms.", "lark."))


def shorten(text: str, width: int = 60) -> str:
    """``text`` with its middle left out where it is long."""
    return text if len(text) <= width else f"{text[: width - 20]} ... {text[-15:]}"


def utf8_of(text: str | bytes) -> bytes:
    """UTF-8; a lone surrogate becomes bytes that are in no text."""
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    if isinstance(text, bytes):
        return text
    raise ArgumentError(f"a text is str or bytes, not {type(text).__name__}", argument="text")
