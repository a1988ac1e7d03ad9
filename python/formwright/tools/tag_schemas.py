r"""The schemas of structural tags, as engines read them, and JSON without some texts.

::

    close_objects({"properties": {"a": {}}})         # ... "additionalProperties": False
    exclude_texts({"type": "string"}, ["<|end|>"])   # ... "not": {"pattern": "<\\|end\\|>"}

An object holds what its schema declares, unless it says more; `formwright.json_schema` reads such an object as JSON
Schema does, where it holds anything else, too. Schemas with ``allOf``, ``if`` or ``not`` stay as they are: there, what
one part does not declare another one may.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from formwright.errors import UnsupportedKeyword

__all__ = ["close_objects", "exclude_texts"]

_BY_NAME = {"properties", "patternProperties", "$defs", "definitions"}
_PARTS = {"items", "prefixItems", "additionalItems", "additionalProperties", "anyOf", "oneOf", "contains"}
_MIXED = frozenset(["allOf", "if", "not", "dependentSchemas", "unevaluatedProperties"])

_OUTSIDE_STRINGS = re.compile(r"""[{}\[\]:,0-9+\-.eE \n\r\ttrufalsn]*""")
"""What may be outside of the strings of JSON."""


def close_objects(schema: Any) -> Any:
    """The schema whose objects hold only what they declare, unless they say more."""
    if _find_mixed(schema):
        return schema
    return _map_schemas(schema, _close)


def _close(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    is_open = {"properties", "patternProperties"} & set(schema) and "additionalProperties" not in schema
    return {**schema, "additionalProperties": False} if is_open else schema


def _find_mixed(schema: Any) -> str | None:
    """A keyword that describes one object in several places, or a key of its name anywhere in a schema."""
    if isinstance(schema, dict):
        if not _MIXED.isdisjoint(schema):
            return min(_MIXED.intersection(schema))
        parts: Iterable[Any] = schema.values()
    else:
        parts = schema if isinstance(schema, list) else ()
    return next((found for part in parts if (found := _find_mixed(part)) is not None), None)


def _map_schemas(schema: Any, change: Callable[[Mapping[str, Any]], Any]) -> Any:
    """The schema with ``change`` done to it and to each schema in it, the inner ones first."""
    if isinstance(schema, list):
        return [_map_schemas(part, change) for part in schema]
    if schema is True:
        return change({})
    if not isinstance(schema, Mapping):
        return schema
    parts = {}
    for key, part in schema.items():
        if key in _BY_NAME and isinstance(part, Mapping):
            parts[key] = {name: _map_schemas(named, change) for name, named in part.items()}
        else:
            parts[key] = _map_schemas(part, change) if key in _PARTS else part
    return change(parts)


def exclude_texts(schema: Any, excludes: Sequence[str]) -> Any:
    """The schema without strings and names that hold one of some texts; strings with a pattern or format may.

    Raises:
        UnsupportedKeyword: Such a text could be partly outside of a string, or the schema is mixed.
    """
    if not excludes:
        return schema
    for text in excludes:
        if '"' in text or "\\" in text or _OUTSIDE_STRINGS.fullmatch(text) or not text.isprintable():
            raise UnsupportedKeyword(f"{text!r} cannot be told from the JSON around a string")
    if mixed := _find_mixed(schema):
        raise UnsupportedKeyword(f"texts cannot be excluded from a schema with {mixed}")
    without = {"not": {"type": "string", "pattern": "|".join(map(re.escape, excludes))}}
    anything = {"propertyNames": without, "items": _ANYTHING, "additionalProperties": _ANYTHING, **without}

    def exclude(part: Mapping[str, Any]) -> Mapping[str, Any]:
        if "enum" in part:
            return {**part, "enum": [value for value in part["enum"] if not _has_text(value, excludes)]}
        if part.keys() & {"const", "$ref", "anyOf", "oneOf"}:
            return part
        return {**anything, **part} if not part.keys() & {"pattern", "format"} else part

    found = _map_schemas({} if schema is True else schema, exclude)
    return {**found, "$defs": {**found.get("$defs", {}), _NAME: anything}}


_NAME = "any value"
_ANYTHING = {"$ref": f"#/$defs/{_NAME}"}


def _has_text(value: Any, texts: Sequence[str]) -> bool:
    """Whether the JSON of a value holds one of some texts."""
    written = json.dumps(value, ensure_ascii=False)
    return any(text in written for text in texts)
