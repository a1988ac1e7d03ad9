"""Parse the JSON of a request in bounded time; refuse values that no answer could repeat.

::

    parse_json(b'{"model": "m"}')        # {'model': 'm'}

Cost: that of the JSON reader. No other thread runs while the values are made, so their number is bounded.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from math import isinf
from typing import Any

from formwright.server.errors import BadRequest

__all__ = ["parse_json"]

_MOST_VALUES = 1 << 19
"""Values of a body at most. No other thread runs while they are made, and a million arrays take half a second."""


def parse_json(data: bytes | bytearray) -> Any:
    """Parse the JSON of a body.

    Raises:
        BadRequest: It is not JSON, it has too many values, or an answer could not repeat one: a lone surrogate, an
            infinite number.
    """
    if json.detect_encoding(data) not in ("utf-8", "utf-8-sig"):  # the checks below know no other encoding
        raise BadRequest("the body is not JSON: its encoding is not UTF-8", code="invalid_json")
    if _count_values(data) > _MOST_VALUES and _count_values(_remove_strings(data)) > _MOST_VALUES:
        raise BadRequest(f"the body holds more than {_MOST_VALUES:,} values")
    try:
        with _pause_collector():
            sent = json.loads(data, parse_constant=_refuse_number, parse_float=_read_float)
    except (ValueError, RecursionError) as error:
        said = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise BadRequest(f"the body is not JSON: {said}", code="invalid_json") from None
    if b"\\u" in data or b"\xed" in data:  # how surrogates are spelled
        for name, value in sent.items() if isinstance(sent, dict) else ():
            _check_surrogates(name, None)
            _check_surrogates(value, name)
    return sent


def _count_values(data: bytes | bytearray) -> int:
    """Count the values of a JSON text, or more: each is the first one, the first of a container, or follows a comma."""
    return 1 + len(data) - len(data.translate(None, b",[{"))


def _remove_strings(data: bytes | bytearray) -> bytes:
    """Remove the strings of a JSON text."""
    without_escaped_quotes = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    return b"".join(without_escaped_quotes.split(b'"')[::2])


@contextmanager
def _pause_collector() -> Iterator[None]:
    """Pause the garbage collector, which would scan a million new lists again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _read_float(text: str) -> float:
    number = float(text)
    if isinf(number):
        _refuse_number(text)
    return number


def _refuse_number(text: str) -> None:
    raise ValueError(f"{text} is not a number in JSON")


def _check_surrogates(value: Any, param: str | None) -> None:
    """Refuse a lone surrogate, which no answer can hold. Raises BadRequest."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        where = param or "the name of a field"
        said = f"{where} holds a lone surrogate: {error.object[error.start]!r}"
        raise BadRequest(said, param=param, code="invalid_json") from None
