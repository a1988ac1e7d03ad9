"""The options of JSON: their names, types and defaults, and the environment variables that stand for four of them.

=============================  ===================================================================
variable                       the default of
=============================  ===================================================================
``FORMWRIGHT_ORDER``           ``order=``: ``schema`` or ``model``
``FORMWRIGHT_MAX_WHITESPACE``  ``max_whitespace=``, with ``whitespace="free"`` if neither is given
``FORMWRIGHT_MAX_ITEMS``       ``max_items=``
``FORMWRIGHT_ALPHABET``        ``alphabet=``: its characters, in any order
=============================  ===================================================================

::

    def records(**options: Unpack[JsonOptions]) -> Form[list[Record]]: ...

    complete_options({"order": "model"})[0]["whitespace"]       # 'flexible'

A variable is read whenever a form of JSON is made, and only if the caller has not given its option. An empty one counts
as not set. A form keeps its options: it never reads a variable later, nor does the check of what a service wrote.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypedDict

from formwright._kernel import environment
from formwright._options import check_names
from formwright.errors import ArgumentError
from formwright.forms.explain import Reading
from formwright.forms.notations import Notation, spell_notation
from formwright.forms.text_checks import check_text, shorten

__all__ = ["DEFAULTS", "JsonOptions", "JsonTextOptions", "complete_options", "key_of_options"]


class JsonTextOptions(TypedDict, total=False):
    """How JSON is written, whatever its schema; `json_schema` describes the options."""

    whitespace: str | None
    max_whitespace: int | None
    max_items: int | None
    alphabet: str | None
    escapes: Literal["natural", "any"]
    numbers: Literal["double", "exact"]
    max_digits: int


class JsonOptions(JsonTextOptions, total=False):
    """The options of every function that makes a form of JSON; `json_schema` describes them."""

    notation: Notation | None
    order: Literal["schema", "model"] | None
    integers: Literal["plain", "decimal"]
    unknown_keywords: Literal["error", "ignore"]
    format: Literal["assert", "annotation"]
    formats: Mapping[str, str] | None
    dialect: str | None
    registry: Mapping[str, str] | None


DEFAULTS: Mapping[str, Any] = {
    "notation": None,
    "order": None,
    "whitespace": None,
    "max_whitespace": None,
    "max_items": None,
    "alphabet": None,
    "escapes": "natural",
    "integers": "plain",
    "numbers": "double",
    "max_digits": 24,
    "unknown_keywords": "error",
    "format": "assert",
    "formats": None,
    "dialect": None,
    "registry": None,
}
"""What each option is if it is not given. For the first five, ``None`` leaves it to the environment."""

_PLAIN: Mapping[str, str] = {"order": "schema", "whitespace": "flexible"}
"""What the kernel is given where neither the caller nor the environment says otherwise."""


def complete_options(
    options: Mapping[str, Any], known: Iterable[str] = DEFAULTS
) -> tuple[dict[str, Any], tuple[Reading, ...]]:
    """Return all options as the kernel takes them, and rows of `explain` for those that come from the environment.

    Args:
        options: Those that the caller gave.
        known: The names of those that there are.

    Raises:
        ArgumentError: There is no such option; one, or its environment variable, has a value that it cannot have.
    """
    check_names(options, known)
    completed, sources = _read_environment({**{name: DEFAULTS[name] for name in known}, **options})
    if completed.get("max_whitespace") is not None and completed["whitespace"] is None:
        completed["whitespace"] = "free"
    if completed.get("alphabet") is not None:
        check_text(completed["alphabet"], "alphabet")
    if completed.get("notation") not in (None, "json"):
        _check_notation(options)
    if "notation" in completed:
        completed["notation"] = spell_notation(completed["notation"])
    for name, plain in _PLAIN.items():
        if name in completed and completed[name] is None:
            completed[name] = plain
    rows = (Reading("", variable, "default", shorten(f"{option}={value!r}")) for variable, option, value in sources)
    return completed, tuple(rows)


_OF_JSON = ("order", "whitespace", "max_whitespace", "escapes", "integers")
"""Options that say how JSON is written."""


def _check_notation(options: Mapping[str, Any]) -> None:
    """Refuse options that another notation than JSON has no place for. Raises ArgumentError."""
    given = [name for name in _OF_JSON if options.get(name, DEFAULTS[name]) != DEFAULTS[name]]
    if given:
        raise ArgumentError(
            f"{given[0]}= says how JSON is written, and the notation is {options['notation']!r}",
            hint="leave out one of the two; a notation has options of its own, as in fw.Yaml(indent=4)",
            argument=given[0],
        )


def key_of_options(options: Mapping[str, Any]) -> Hashable | None:
    """What tells options from others, the environment included; ``None`` if there are mappings among them."""
    key = tuple((name, type(value), value) for name, value in options.items())
    try:
        hash(key)
    except TypeError:
        return None
    return key, *environment(_NAMES)


class _Source(NamedTuple):
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


_NAMES = [variable for variable, _ in _VARIABLES.values()]


def _read_environment(options: Mapping[str, Any]) -> tuple[dict[str, Any], list[_Source]]:
    """Return the options with the values of the environment in place of ``None``, and where these come from.

    Raises:
        ArgumentError: A variable has a value that its option cannot have; its name is the attribute ``argument``.
    """
    filled, sources = dict(options), []
    for (option, (variable, read)), text in zip(_VARIABLES.items(), environment(_NAMES), strict=True):
        if not text or options.get(option) is not None or option not in options:
            continue
        if option == "max_whitespace" and options.get("whitespace") not in (None, "free"):
            continue  # another whitespace was asked for, and has bounds of its own
        filled[option] = _read(variable, text, read)
        sources.append(_Source(variable, option, filled[option]))
        if option == "max_whitespace" and options.get("whitespace") is None:
            filled["whitespace"] = "free"
            sources.append(_Source(variable, "whitespace", "free"))
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
