"""What the JSON Schema of a type does not say of it.

A part of a schema keeps its remarks under a key of its own while the schema is made, because pydantic has hooks that
replace, copy and merge parts; in the end they are taken out, each with the pointer of its part::

    >>> schema = {"items": add_remark({"type": "string"}, "validated", "whether the file exists")}
    >>> [remark.pointer for remark in take_remarks(schema)], schema
    (['/items'], {'items': {'type': 'string'}})
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from formwright.forms.pointers import escape_step

__all__ = ["Remark", "add_remark", "find_validator", "name_check", "take_remarks"]

_REMARKS = "x-formwright-remarks"
"""Where a part of a schema keeps its remarks, as status and text; taken out of the schema that is returned."""

_PYDANTIC_CHECKS = {
    "import_string": "whether it can be imported",
    "PaymentCardNumber.validate": "its check digit",
    "PathType.validate_new": "whether there is no such file, in a directory that exists",
    "PathType.validate_socket": "whether the socket exists",
}
"""What validators of pydantic check that no schema says, by their names."""

_TRUSTED_PACKAGES = frozenset(
    (
        "pydantic",
        "pydantic_core",
        "annotated_types",
        "builtins",
        "collections",
        "ipaddress",
        "operator",
        "pathlib",
        "re",
    )
)
"""Packages whose validators only make values of types that are exact here."""


class Remark(NamedTuple):
    """What a schema does not say of a type.

    Attributes:
        pointer: JSON Pointer of the part of the schema.
        status: ``validated``: the type checks it once a text is complete; ``narrowed``: the type reads it, and the
            schema does not allow it; ``enforced``: the rest of the schema says what the keyword means.
        what: What is checked, or never written.
        keyword: The keyword that it is about, if it is about one.
    """

    pointer: str
    status: str
    what: str
    keyword: str = ""


def add_remark(written: dict[str, Any], status: str, what: str) -> dict[str, Any]:
    """The schema with another remark; hooks have a part read more than once."""
    remarks = written.get(_REMARKS, [])
    return written if (status, what) in remarks else written | {_REMARKS: [*remarks, (status, what)]}


def take_remarks(schema: dict[str, Any]) -> Iterator[Remark]:
    """Take the remarks out of a schema."""
    stack: list[tuple[str, Any]] = [("", schema)]
    while stack:
        pointer, part = stack.pop()
        if isinstance(part, dict):
            for status, what in part.pop(_REMARKS, []):
                if status != "enforced":
                    yield Remark(pointer, status, what)
                elif part.get("format") == what:  # a hook may have put another one there
                    yield Remark(pointer, status, "", "format")
            inside = [(escape_step(key), value) for key, value in part.items()]
        else:
            inside = [(str(index), value) for index, value in enumerate(part)]
        stack.extend((f"{pointer}/{key}", value) for key, value in reversed(inside) if isinstance(value, dict | list))


def find_validator(schema: Any) -> Any:
    """The function that a part is validated by, if there is one."""
    if not schema["type"].startswith("function-"):
        return None
    function = schema["function"]["function"]
    while isinstance(function, partial):
        function = function.func
    return getattr(function, "__func__", function)


def name_check(function: Any) -> str | None:
    """What a validator checks that the schema does not say."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    if known := _PYDANTIC_CHECKS.get(name):
        return known
    package = (getattr(function, "__module__", "") or "").partition(".")[0]
    return None if package in _TRUSTED_PACKAGES else f"the validator {name.rpartition('<locals>.')[2]}"
