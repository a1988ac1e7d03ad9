"""Read the values of a service's text, while it arrives, as the requested type.

::

    plan = make_plan(fw.form(list[Person]), "strict", SERVICES["openai"])
    incoming = Incoming(plan.wire_form)                                 # of {"value": [...]}
    incoming.feed('{"value": [{"name": "Ada"')["value"][0].name.value   # 'Ada'

A service may write an object around the value, and null for missing members. So the text has another form on the wire.
The validators of the type (`formwright.forms.validators`) read its places: one member deeper, and without the nulls of
the conversion.

Cost: a place that holds such nulls is parsed and written again when it is complete and read.

The type of a member of a union is not known until all of it is complete, as for local models.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from formwright.forms.form import Form
from formwright.forms.pointers import escape_step
from formwright.forms.readers import validator_of
from formwright.forms.text_checks import read_json
from formwright.incremental.json_reader import Validator
from formwright.schemas.providers import Converted

__all__ = ["make_wire_form"]


def make_wire_form(
    schema: Form[Any], given: Form[Any], read: Callable[[str], Any], key: str | None, converted: Converted | None
) -> Form[Any]:
    """Make the form of what a service writes, whose values are those of ``given``.

    Args:
        schema: The texts of the schema that is sent.
        given: The requested form.
        read: Reads the value from what the service wrote.
        key: The member under which it is, if it is not the root.
        converted: The schema as the service's subset has it.
    """
    inner: Validator | None = validator_of(given)
    if converted is not None and converted.optional:
        inner = _Place(inner, converted, "" if key is None else f"/properties/{key}")
    return Form(
        schema.language, _WireReader(read, inner if key is None else _RootObject(key, inner), key), given.title, "value"
    )


@dataclass(frozen=True)
class _WireReader:
    """Reads a complete text, and has the validator of its places."""

    read: Callable[[str], Any]
    validator: Validator | None
    key: str | None

    def __call__(self, text: str) -> Any:
        value = self.read(text)
        return value if self.key is None else {self.key: value}


@dataclass(frozen=True)
class _RootObject:
    """The object around a value."""

    key: str
    inner: Validator | None
    wants_siblings = False
    is_open = False

    @property
    def names(self) -> dict[str, str]:
        return {self.key: self.key}

    def validate(self, text: str, siblings: dict[str, str]) -> Any:
        return read_json(text)

    def member(self, name: str) -> Validator | None:
        return self.inner if name == self.key else None

    def item(self, index: int) -> Validator | None:
        return None


class _Place:
    """A place of the type, at a pointer of the converted schema."""

    def __init__(self, inner: Validator | None, converted: Converted, pointer: str) -> None:
        self._inner, self._converted, self._pointer = inner, converted, pointer

    @property
    def names(self) -> dict[str, str]:
        return {} if self._inner is None else self._inner.names

    @property
    def is_open(self) -> bool:
        return self._inner is None or self._inner.is_open

    @property
    def wants_siblings(self) -> bool:
        return self._inner is not None and self._inner.wants_siblings

    def validate(self, text: str, siblings: dict[str, str]) -> Any:
        value = read_json(text)
        if value is None and self._converted.is_optional(self._pointer):
            return None
        restored = self._converted.restore_value(self._pointer, value)
        if self._inner is None:
            return restored
        before = self._pointer.rpartition("/")[0]
        kept = {
            name: sibling
            for name, sibling in siblings.items()
            if sibling != "null" or not self._converted.is_optional(f"{before}/{escape_step(name)}")
        }
        return self._inner.validate(text if restored == value else json.dumps(restored), kept)

    def member(self, name: str) -> Validator | None:
        place = self._converted.inside(self._pointer)
        if place is None or name not in _list_properties(self._converted, place):
            return None
        inner = None if self._inner is None else self._inner.member(name)
        return _Place(inner, self._converted, f"{place}/properties/{escape_step(name)}")

    def item(self, index: int) -> Validator | None:
        place = self._converted.inside(self._pointer)
        inner = None if self._inner is None else self._inner.item(index)
        return None if place is None else _Place(inner, self._converted, f"{place}/items")


def _list_properties(converted: Converted, place: str) -> Mapping[str, Any]:
    """Return the properties that the converted schema has at a place."""
    properties: Mapping[str, Any] = converted.at(place).get("properties", {})
    return properties
