"""The validators of the places inside a type: its fields and items, each by itself.

::

    from pydantic import TypeAdapter

    place = Validator(TypeAdapter(list[int]).core_schema).item(0)
    place.validate("12", {})                    # 12

A field is validated as pydantic does it inside its model: by its annotation and its own validators
(``@field_validator``), which find the fields declared before it in ``info.data``. To do so, it takes pydantic's schema
of the model, leaves out all other fields, and reads an object with this one member. What a model validates as a
whole is left to the whole.

Cost: pydantic builds one validator for each place that is asked for a value, tens of microseconds, once for each form.

After a union of several types nothing is known of the members until the whole is complete; ``X | None``
is not such a union. And where a model may write fields in any order, one that is not there yet counts as left out: a
validator of another field may see its default.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from itertools import takewhile
from typing import Any

from formwright._extras import needs
from formwright.forms.context import current_context

with needs("pydantic", "a Python type as a form"):
    from pydantic_core import SchemaValidator

__all__ = ["Validator", "json_name"]

_WRAPPERS = {"json-or-python": "json_schema", "lax-or-strict": "lax_schema"}
_FIELDS = ("model-fields", "dataclass-args", "typed-dict")


class Validator:
    """Reads the JSON text of one place of a type.

    Args:
        schema: Pydantic's schema of the place.
        definitions: Those that it refers to.
        config: Pydantic's configuration around it.
    """

    wants_siblings = False

    def __init__(
        self, schema: Mapping[str, Any], definitions: Mapping[str, Any] | None = None, config: Any = None
    ) -> None:
        self._schema = schema
        self._definitions, self._config = dict(definitions or {}), config
        if schema["type"] == "definitions":
            self._definitions |= {entry["ref"]: entry for entry in schema["definitions"]}
        self._members: dict[str, Validator | None] = {}
        self._items: dict[int, Validator | None] = {}

    def validate(self, text: str, siblings: dict[str, str]) -> Any:
        """The value that ``text`` spells. Raises ValueError."""
        return self._schema_validator.validate_json(text, context=current_context())

    def member(self, name: str) -> Validator | None:
        """That of the member of this name, if there is one and it is known."""
        if name not in self._members:
            self._members[name] = self._made_member(name)
        return self._members[name]

    def item(self, index: int) -> Validator | None:
        """That of an item, if it is known."""
        if self._structure["type"] != "tuple":
            index = 0
        if index not in self._items:
            self._items[index] = self._made_item(index)
        return self._items[index]

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of the fields: of the attribute, and in JSON."""
        return {field: name for name, field in self._fields_by_name.items()}

    @cached_property
    def is_open(self) -> bool:
        """Whether there may be other members than the fields."""
        return self._structure["type"] not in _FIELDS or self._structure.get("extra_behavior") == "allow" or self._extra

    @property
    def _extra(self) -> bool:
        config = self._inner[1]
        return bool(config) and config.get("extra_fields_behavior") == "allow"

    def has_default(self, field: str) -> bool:
        """Whether the value of a field is known where it is left out."""
        return bool(self._fields[field]["schema"]["type"] == "default")

    @cached_property
    def _inner(self) -> tuple[Mapping[str, Any], Any]:
        """What holds the fields or items, without what is wrapped around it, and the configuration there."""
        schema, config, seen = self._schema, self._config, set[int]()
        while id(schema) not in seen:
            seen.add(id(schema))
            config = schema.get("config", config)
            if schema["type"] == "definition-ref":
                schema = self._definitions[schema["schema_ref"]]
            elif schema["type"] not in _FIELDS and isinstance(inner := _unwrap(schema), Mapping):
                schema = inner
        return schema, config

    @property
    def _structure(self) -> Mapping[str, Any]:
        return self._inner[0]

    @cached_property
    def _fields(self) -> dict[str, Mapping[str, Any]]:
        """The fields, in the order of their declaration."""
        if self._structure["type"] not in _FIELDS:
            return {}
        fields = self._structure["fields"]
        return dict(fields) if isinstance(fields, Mapping) else {field["name"]: field for field in fields}

    @cached_property
    def _fields_by_name(self) -> dict[str, str]:
        """Fields by their names in JSON."""
        config = self._inner[1] or {}
        if config.get("validate_by_alias") is False:
            return {name: name for name in self._fields}
        return {json_name(name, field): name for name, field in self._fields.items()}

    def _made_member(self, name: str) -> Validator | None:
        if (field := self._fields_by_name.get(name)) is not None:
            return _FieldValidator(self, name, field)
        if self._structure["type"] == "dict":
            return self._inside(self._structure.get("values_schema"))
        return self._inside(self._structure.get("extras_schema"))

    def _made_item(self, index: int) -> Validator | None:
        items: Any = self._structure.get("items_schema")
        if self._structure["type"] != "tuple":
            return self._inside(items)
        variadic = self._structure.get("variadic_item_index")
        if variadic is None or index < variadic:
            return self._inside(items[index]) if index < len(items) else None
        # Which items come after those of any number is known only at the end.
        return self._inside(items[variadic]) if variadic == len(items) - 1 else None

    def _inside(self, schema: Any) -> Validator | None:
        return Validator(schema, self._definitions, self._inner[1]) if isinstance(schema, Mapping) else None

    @cached_property
    def _schema_validator(self) -> SchemaValidator:
        return _build(self._schema, self._definitions, self._config)


class _FieldValidator(Validator):
    """A field of a model, dataclass or TypedDict."""

    def __init__(self, owner: Validator, name: str, field: str) -> None:
        super().__init__(owner._fields[field]["schema"], owner._definitions, owner._inner[1])
        self._owner, self._name, self._field = owner, name, field
        self._with: dict[tuple[str, ...], SchemaValidator] = {}
        self.wants_siblings = _looks_around(self._schema)

    def validate(self, text: str, siblings: dict[str, str]) -> Any:
        texts = {self._name: text}
        fields = [self._field]
        if self.wants_siblings:
            names = self._owner.names
            before = list(takewhile(lambda field: field != self._field, names))
            texts |= {names[field]: siblings[names[field]] for field in before if names[field] in siblings}
            fields = [field for field in before if names[field] in texts or self._owner.has_default(field)] + fields
        read = self._validator(tuple(fields))
        members = ",".join(f"{json.dumps(name)}:{member}" for name, member in texts.items())
        value = read.validate_json(f"{{{members}}}", context=current_context())
        return (value[0] if isinstance(value, tuple) else value)[self._field]

    def _validator(self, fields: tuple[str, ...]) -> SchemaValidator:
        """That of an object with these fields only."""
        if fields not in self._with:
            structure, config = self._owner._inner
            few = {name: self._owner._fields[name] for name in fields}
            kept = {key: structure[key] for key in ("type", "model_name", "dataclass_name") if key in structure}
            schema = kept | {"fields": few if isinstance(structure["fields"], Mapping) else list(few.values())}
            self._with[fields] = _build(schema, self._definitions, config)
        return self._with[fields]


def _build(schema: Mapping[str, Any], definitions: Mapping[str, Any], config: Any) -> SchemaValidator:
    whole: Any = schema
    if definitions and schema["type"] != "definitions":
        whole = {"type": "definitions", "schema": schema, "definitions": list(definitions.values())}
    return SchemaValidator(whole, config)


def _unwrap(schema: Mapping[str, Any]) -> Any:
    return schema.get(_WRAPPERS.get(schema["type"], "schema"))


def _looks_around(schema: Any) -> bool:
    """Whether a validator of a field wants to know of others."""
    while isinstance(schema, Mapping):
        function = schema.get("function")
        if isinstance(function, Mapping) and function.get("type") == "with-info":
            return True
        schema = _unwrap(schema) if schema["type"] not in _FIELDS else None
    return False


def json_name(name: str, field: Mapping[str, Any]) -> str:
    """The name under which a field is written: of several the first, as in pydantic's JSON Schema."""
    alias = field.get("validation_alias")
    if isinstance(alias, list):
        alias = next((path[0] for path in alias if isinstance(path, list) and len(path) == 1), name)
    return alias if isinstance(alias, str) else name
