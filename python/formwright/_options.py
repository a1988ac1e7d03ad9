"""Options that functions take as ``**options``: their names are checked, and shown where Python shows signatures.

::

    check_names({"order": "model"}, ["order", "whitespace"])
    suggest_name("ordr", ["order", "whitespace"])            # "; did you mean 'order'?"

A type checker reads the names from the ``TypedDict``. `check_names` refuses others at run time, and `spell_out` makes
``help()`` and notebooks list them.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from formwright.errors import UnknownOption

__all__ = ["check_names", "spell_out", "suggest_name"]

F = TypeVar("F", bound=Callable[..., Any])

_ALIKE = 0.6
"""How similar a name must be to be suggested, as difflib measures it."""


def suggest_name(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the known name that is most like the given one, or an empty text."""
    near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=_ALIKE)
    return f"; did you mean {near[0]!r}?" if near else ""


def check_names(options: Iterable[str], known: Iterable[str]) -> None:
    """Refuse names that are not those of options.

    Raises:
        UnknownOption: With the name that is most like it.
    """
    known = set(known)
    for name in options:
        if name not in known:
            raise UnknownOption(f"there is no option {name}={suggest_name(name, known)}", argument=name)


def spell_out(options: type, defaults: Mapping[str, Any]) -> Callable[[F], F]:
    """List the keys of a ``TypedDict`` in the signature of a function, in place of its ``**options``."""

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        annotations = options.__annotations__
        shown = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=_text_of(annotations[name])
            )
            for name in defaults
            if name in annotations and name not in signature.parameters
        ]
        function.__signature__ = signature.replace(parameters=[*own, *shown])  # type: ignore[attr-defined]
        return function

    return decorate


def _text_of(annotation: Any) -> Any:
    """The text of an annotation, as signatures have it where annotations are not evaluated."""
    return getattr(annotation, "__forward_arg__", annotation)
