"""Small steps that every form takes with texts: check them, read them as JSON, tell whose fault an error is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any

from formwright.errors import ArgumentError, OutputInvalid

__all__ = ["check_text", "dump_json", "is_alike", "is_of_call", "read_json", "shorten", "spell_json", "utf8_of"]


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
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
        return text
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"the value cannot be written as JSON: {error}", argument="value") from error


def spell_json(value: Any) -> Iterator[tuple[Any, str]]:
    """The JSON of plain data, with the value that it should be read as. Raises ArgumentError."""
    yield value, dump_json(value)


def is_alike(read: Any, value: Any) -> bool:
    """Whether what a text is read as equals a value; objects that equal only themselves are compared by their parts.

    A tuple in plain data equals the list that JSON has for it.
    """
    pending, met = [(read, value)], set[tuple[int, int]]()
    while pending:
        one, other = pending.pop()
        if isinstance(one, list | tuple) and isinstance(other, type(one) if isinstance(one, tuple) else list | tuple):
            if len(one) != len(other):
                return False
            pending.extend(zip(one, other, strict=True))
        elif isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pending.extend((each, other[name]) for name, each in one.items())
        elif isinstance(one, bool) is not isinstance(other, bool):
            return False
        elif (id(one), id(other)) not in met and one != other:
            parts = _parts_of(one)
            if type(one) is not type(other) or not parts:
                return False
            met.add((id(one), id(other)))
            pending.append((parts, _parts_of(other)))
    return True


def _parts_of(value: Any) -> dict[str, Any]:
    """The attributes of a record, or of an object that equals only itself."""
    is_record = is_dataclass(value) or hasattr(type(value), "__pydantic_fields__")
    has_equality: bool = any("__eq__" in vars(base) for base in type(value).__mro__[:-1])
    if has_equality and not is_record:
        return {}
    slots = {name: getattr(value, name) for name in getattr(type(value), "__slots__", ()) if hasattr(value, name)}
    return {**slots, **getattr(value, "__dict__", {}), **(getattr(value, "__pydantic_extra__", None) or {})}


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
