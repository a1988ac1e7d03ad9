r"""What docstrings say of classes and their fields, in a JSON Schema.

::

    from pydantic import BaseModel

    class Box(BaseModel):
        "What is sent.\n\n:param size: Its length in metres."
        size: float

    schema = with_docstrings(Box, {"type": "object", "properties": {"size": {"type": "number"}}})
    schema["properties"]["size"]["description"]      # 'Its length in metres.'

Parameters are read in the styles of Google, numpy and reST, for nested classes too; a field of a subclass may be
described by the class that declares it. What a field says of itself (``Field(description=...)``) stands.

Cost: the schema of the type is made twice more. The wrinkle: text that nobody wrote, such as the signature that is the
docstring of a dataclass, does not count.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, NamedTuple

from formwright._extras import needs

__all__ = ["with_docstrings"]

_FIELDS = {"ivar", "var", "cvar"}
"""What reST calls fields that `docstring_parser` does not take for parameters."""


class _Docstring(NamedTuple):
    """What a docstring says of a class and of its fields."""

    description: str
    fields: Mapping[str, str]


def with_docstrings(type_: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    """``schema``, which is that of ``type_``, with the descriptions that are in docstrings.

    Args:
        type_: A Python type.
        schema: Its JSON Schema; it is not changed.

    Raises:
        NotAForm: ``type_`` is no type.
        MissingDependency: A docstring has several parts, and ``docstring-parser`` is not installed.
    """
    from formwright.forms.python_types import described_schema, schema_text

    plain = json.loads(schema_text(type_))
    return dict(_with_descriptions(schema, plain, described_schema(type_, _describe_class)))


def _describe_class(cls: type) -> tuple[str, Mapping[str, str]]:
    """The description of a class, and those of its fields, also of the ones that it inherits."""
    fields: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.partition(".")[0] not in ("builtins", "pydantic", "typing", "enum"):
            fields |= _read(_docstring(base)).fields
    return _read(_docstring(cls)).description, fields


def _docstring(cls: type) -> str:
    """What somebody has written; a dataclass or named tuple without a docstring has its signature there."""
    text = inspect.cleandoc(vars(cls).get("__doc__") or "")
    is_generated = (is_dataclass(cls) or issubclass(cls, tuple)) and text.startswith(f"{cls.__name__}(")
    return "" if is_generated else text


def _read(text: str) -> _Docstring:
    if "\n" not in text and not re.match(r"[:@]\w", text):
        return _Docstring(text, {})
    with needs("client", "a docstring with parts"):
        import docstring_parser
    try:
        read = docstring_parser.parse(f"\n{text}")  # it dedents all lines but the first
    except docstring_parser.ParseError:
        return _Docstring(text, {})
    fields = {parameter.arg_name: parameter.description for parameter in read.params}
    fields |= {meta.args[-1]: meta.description for meta in read.meta if meta.args and meta.args[0] in _FIELDS}
    said = {name: " ".join(text.split()) for name, text in fields.items() if text}
    return _Docstring((read.description or ("" if said else text)).strip(), said)


def _with_descriptions(schema: Any, plain: Any, described: Any) -> Any:
    """``schema`` with the descriptions in which ``described`` differs from ``plain``, where all have the same place."""
    if isinstance(schema, list) and isinstance(described, list) and len(schema) == len(plain) == len(described):
        return [_with_descriptions(*items) for items in zip(schema, plain, described, strict=True)]
    if not (isinstance(schema, Mapping) and isinstance(plain, dict) and isinstance(described, dict)):
        return schema
    shared = plain.keys() & described.keys()
    changed = {
        key: _with_descriptions(value, plain[key], described[key]) if key in shared else value
        for key, value in schema.items()
    }
    old, new = plain.get("description"), described.get("description")
    if new != old and schema.get("description") in (None, old) and not isinstance(new, dict):
        changed.pop("description", None)
        changed |= {"description": new} if new else {}
    return changed
