"""What describes no texts: it is refused, and the error says what may have been meant.

A bare ``str`` could be a text, a pattern or a schema; a function could be called; an instance is one value.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, NoReturn, Union, get_args, get_origin

from formwright._kernel import Constraint
from formwright.errors import NotAForm
from formwright.forms.form import Form, Kind
from formwright.forms.text_checks import shorten

__all__ = ["check_is_type", "kind_of_type", "name_of_type"]


_GRAMMAR = re.compile(r"\s*([?!]?start\s*:|\w+\s*::=)")
"""How a grammar begins."""


def check_is_type(form: Any) -> None:
    """Raise a NotAForm unless it is a type. Pydantic would call a function with what the model wrote."""
    if isinstance(form, str | bytes):
        _refuse_text(form)
    if inspect.isroutine(form) or (callable(form) and not _is_type(form)):
        raise NotAForm(
            f"{form!r} is a function, not a form",
            hint="to let the model call it, pass fw.tools([function])",
        )
    if not _is_type(form):
        raise NotAForm(
            f"{shorten(repr(form))} is an instance of {type(form).__name__}, not a form", hint=_hint_for(form)
        )


def _hint_for(form: Any) -> str:
    """What may have been meant by an instance."""
    if isinstance(form, Form | Constraint):
        return "it is a form already: ask it itself, or pass the schema it was made of"
    if isinstance(getattr(form, "source_grammar", None), str):
        return "pass its grammar: fw.grammar(parser.source_grammar)"
    if isinstance(form, Iterable):
        return "pass fw.choice(...) for one of several texts, or a type such as list[str]"
    if isinstance(form, Enum):
        return f"pass the class {type(form).__name__} for any of its members"
    if isinstance(form, int | float) or (hasattr(form, "__dict__") and not inspect.ismodule(form)):
        return f"pass the class {type(form).__name__} for any value of it, or Literal[...] for some values"
    return "pass a type, a JSON Schema (dict or bool), a compiled re.Pattern or a Form"


def _is_type(form: Any) -> bool:
    """Whether it is a class, or one of the objects with which ``typing`` says types."""
    spoken = type(form).__module__ in ("types", "typing", "typing_extensions")
    return form is None or isinstance(form, type) or get_origin(form) is not None or spoken


def _refuse_text(form: str | bytes) -> NoReturn:
    shown = shorten(repr(form))
    if isinstance(form, bytes):
        raise NotAForm(f"bytes are not a form: {shown}", hint="decode them: fw.literal(...) writes a text")
    if _GRAMMAR.match(form):
        raise NotAForm(f"a bare str is not a form: {shown}", hint="pass fw.grammar(...) for the texts of a grammar")
    raise NotAForm(
        f"a bare {type(form).__name__} is not a form: {shown} could be a text, a pattern or a schema",
        hint=f"pass fw.literal({shown}) for this text, fw.regex({shown}) for the texts it matches, "
        f"or fw.json_schema({shown}) for JSON by this schema",
    )


def kind_of_type(type_: Any) -> Kind:
    """Whether a type checker takes values of a type for ``str``."""
    return "string" if _is_string(type_) else "value"


def _is_string(type_: Any) -> bool:
    for wrapper in ("__supertype__", "__value__"):  # NewType, and a type alias
        if hasattr(type_, wrapper) and not isinstance(type_, type):
            return _is_string(getattr(type_, wrapper))
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is Annotated:
        return _is_string(arguments[0])
    if origin is Literal:
        return all(isinstance(value, str) for value in arguments)
    if origin in (Union, UnionType):
        return all(map(_is_string, arguments))
    return isinstance(type_, type) and issubclass(type_, str)


def name_of_type(type_: Any) -> str:
    """Return the name of a type as users write it."""
    return type_.__qualname__ if isinstance(type_, type) and not get_args(type_) else repr(type_)
