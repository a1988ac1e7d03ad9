"""Options of JSON by environment variables, for hosts whose code nobody can change.

=============================  ==================================================================
variable                       what it is the default of
=============================  ==================================================================
``FORMWRIGHT_ORDER``           ``order=``: ``schema`` or ``model``
``FORMWRIGHT_MAX_WHITESPACE``  ``max_whitespace=``, and ``whitespace="free"`` where neither is given
``FORMWRIGHT_MAX_ITEMS``       ``max_items=``
``FORMWRIGHT_ALPHABET``        ``alphabet=``: its characters, in any order
=============================  ==================================================================

::

    with_defaults({"order": "model", "max_items": 5})    # ({'order': 'model', 'max_items': 5}, [])

A variable is read whenever a form of JSON is made, and only where the caller has not given its option. An empty one
counts as not set. A form that is made keeps its options: what is stored or compiled never asks again.

The wrinkle: checks of what a provider wrote ask no variable. They tell whether a text is valid, not how one is written.
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from formwright.errors import ArgumentError

__all__ = ["Source", "with_defaults"]


class Source(NamedTuple):
    """Where the value of an option comes from.

    Attributes:
        variable: The environment variable.
        option: The option that it gives a value.
        value: The value.
    """

    variable: str
    option: str
    value: Any


def _order(text: str) -> str:
    if text not in ("schema", "model"):
        raise ValueError("it must be schema or model")
    return text


def _count(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= most):
            raise ValueError(f"it must be an integer from 0 to {most}")
        return int(text)

    return read


def _characters(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("it must be text in the encoding of the environment") from None
    return text


_VARIABLES: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "order": ("FORMWRIGHT_ORDER", _order),
    "max_whitespace": ("FORMWRIGHT_MAX_WHITESPACE", _count(1_000)),
    "max_items": ("FORMWRIGHT_MAX_ITEMS", _count(2**32 - 2)),
    "alphabet": ("FORMWRIGHT_ALPHABET", _characters),
}


def with_defaults(options: Mapping[str, Any]) -> tuple[dict[str, Any], list[Source]]:
    """``options`` with the values that the environment has for those that are ``None``, and where these come from.

    Raises:
        ArgumentError: A variable has a value that its option cannot have; its name is the attribute ``argument``.
    """
    filled, sources = dict(options), []
    for option, (variable, read) in _VARIABLES.items():
        text = os.environ.get(variable, "")
        if not text or options.get(option) is not None or option not in options:
            continue
        if option == "max_whitespace" and options.get("whitespace") not in (None, "free"):
            continue  # another whitespace was asked for, and has bounds of its own
        filled[option] = _read(variable, text, read)
        sources.append(Source(variable, option, filled[option]))
        if option == "max_whitespace" and options.get("whitespace") is None:
            filled["whitespace"] = "free"
            sources.append(Source(variable, "whitespace", "free"))
    return filled, sources


def _read(variable: str, text: str, read: Callable[[str], Any]) -> Any:
    try:
        return read(text)
    except ValueError as error:
        raise ArgumentError(
            f"{variable} is {reprlib.repr(text)}: {error}",
            hint=f"change the environment variable {variable}, or unset it",
            argument=variable,
        ) from None
