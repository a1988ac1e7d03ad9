"""A value of a type as JSON that the type reads back, as far as there is one.

::

    >>> from datetime import date
    >>> from pydantic import TypeAdapter
    >>> next(TypeDumps(TypeAdapter(dict[date, int])).spell({date(2024, 2, 29): 1}))
    '{"2024-02-29": 1}'

Pydantic writes values for people: by other names than it reads, with computed fields, without excluded ones, and as a
serializer of the type likes. So a value has several texts here, the usual one first, and the caller takes the first
that is read as the value.

Cost: as pydantic's; a serializer of the type is built once, where its own one does not write what the type reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from formwright._extras import needs
from formwright.forms.validators import json_name

with needs("pydantic", "a Python type as a form"):
    from pydantic import TypeAdapter
    from pydantic_core import SchemaSerializer, to_jsonable_python

__all__ = ["TypeDumps"]

_FIELDS = ("model-field", "dataclass-field", "typed-dict-field")
_SERIALIZERS = ("function-plain", "function-wrap")
_OPAQUE = ("default", "metadata", "cls", "config")
"""What a schema holds beside schemas."""


class TypeDumps:
    """Writes values of a type.

    Args:
        adapter: The type.
    """

    def __init__(self, adapter: TypeAdapter[Any]) -> None:
        self._adapter = adapter

    def spell(self, value: Any) -> Iterator[str]:
        """The texts of a value, the usual one first. Members that have their default may be left out."""
        seen = set()
        for less, mode in product(({}, {"exclude_defaults": True}), ("python", "json")):
            options: dict[str, Any] = {"by_alias": True, "round_trip": True, "warnings": False, "mode": mode, **less}
            for dump in (self._adapter.dump_python, self._dump_plainly):
                text = _spell_with(dump, value, options)
                if text is not None and text not in seen:
                    seen.add(text)
                    yield text

    def _dump_plainly(self, value: Any, **options: Any) -> Any:
        return self._plain_serializer.to_python(value, **options)

    @cached_property
    def _plain_serializer(self) -> Any:
        """Writes fields by the names that are read, all of them, and no value as a function of the type says."""
        schema: Any = _without_serializers(self._adapter.core_schema)
        build: Any = SchemaSerializer
        try:
            return build(schema, None, _use_prebuilt=False)
        except TypeError:  # pydantic before 2.12
            return build(schema)


def _spell_with(dump: Callable[..., Any], value: Any, options: Mapping[str, Any]) -> str | None:
    try:
        plain = dump(value, **options)
        text = json.dumps(_with_named_members(plain), ensure_ascii=False, allow_nan=False, default=_dump_one)
        text.encode()
    except Exception:  # functions of the type may raise anything
        return None
    return text


def _without_serializers(part: Any) -> Any:
    if isinstance(part, list | tuple):
        return type(part)(map(_without_serializers, part))
    if not isinstance(part, dict):
        return part
    if part.get("type") == "fraction":  # which pydantic writes as a text
        return {"type": "any", "serialization": {"type": "function-plain", "function": _dump_fraction}}
    kept = {key: value for key, value in part.items() if not _says_how_to_write(key, value)}
    copied = {key: value if key in _OPAQUE else _copy_inside(key, value) for key, value in kept.items()}
    alias = part.get("validation_alias") if part.get("type") in _FIELDS else None
    if alias is not None:
        copied["serialization_alias"] = json_name("", part)
    return {key: value for key, value in copied.items() if key != "serialization_alias" or value}


def _says_how_to_write(key: str, value: Any) -> bool:
    if key == "serialization":
        return isinstance(value, dict) and value.get("type") in _SERIALIZERS
    return key in ("computed_fields", "serialization_exclude", "serialization_exclude_if") or (
        key == "serialization_alias" and isinstance(value, str)
    )


def _copy_inside(key: str, value: Any) -> Any:
    if key == "fields" and isinstance(value, dict):  # by the names of users
        return {name: _without_serializers(field) for name, field in value.items()}
    return _without_serializers(value)


def _with_named_members(plain: Any) -> Any:
    """The same with a text for each name that is none, such as a date. Raises RecursionError where it is too deep."""
    if isinstance(plain, dict):
        return {
            name if isinstance(name, str) else _name_of(name): _with_named_members(each) for name, each in plain.items()
        }
    return [*map(_with_named_members, plain)] if type(plain) in (list, tuple) else plain


def _name_of(key: Any) -> str:
    if isinstance(key, timedelta):
        return _duration(key)
    return str(next(iter(to_jsonable_python({key: None}))))


def _dump_fraction(value: Any) -> Any:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else str(value)


def _dump_one(value: Any) -> Any:
    """What JSON has for one value that is not plain data. Raises ValueError."""
    if isinstance(value, timedelta):
        return _duration(value)
    if isinstance(value, Decimal):
        number = int(value) if value == value.to_integral_value() else float(value)
        if Decimal(str(number)) != value:
            raise ValueError(f"{value} has more digits than a number of JSON is read with")
        return number
    return to_jsonable_python(value)


def _duration(value: timedelta) -> str:
    """A duration without years, which pydantic takes for 365 days each."""

    def count_days(found: re.Match[str]) -> str:
        return f"P{365 * int(found[1]) + int(found[2] or 0)}D"

    return re.sub(r"P(\d+)Y(?:(\d+)D)?", count_days, str(to_jsonable_python(value)))
