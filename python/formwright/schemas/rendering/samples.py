"""An instance of a JSON Schema whose values stand for others.

::

    from formwright.schemas.rendering import gathered

    document = gathered('{"properties": {"name": {"type": "string"}, "born": {"format": "date"}}}', {})
    sample(document)    # {'name': '...', 'born': '2026-01-31'}

Every field is there, optional ones too, and one item in each list, so that a reader sees where everything stands.

Cost: a walk over the schema; patterns are asked for their shortest text. The wrinkle: nothing is solved here. Keywords
that speak of each other may refuse the instance, so whoever shows it asks the form first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from formwright.errors import FormwrightError
from formwright.forms.json_forms import json_schema
from formwright.schemas.rendering.gathering import Document, Schema, compact, types_of

__all__ = ["sample"]

_FORMATS: Mapping[str, str] = {
    "date": "2026-01-31",
    "time": "09:30:00Z",
    "date-time": "2026-01-31T09:30:00Z",
    "duration": "P1DT2H",
    "email": "name@example.com",
    "idn-email": "name@example.com",
    "hostname": "example.com",
    "idn-hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com",
    "iri": "https://example.com",
    "uri-reference": "/path",
    "iri-reference": "/path",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
}


class _NoSample(Exception):
    """There is no instance here: the definition is inside itself, or nothing is allowed."""


def sample(document: Document, *, optional: bool = True) -> Any:
    """An instance, with or without the fields that are optional; ``None`` if none is found.

    It mostly is valid, which the caller checks.
    """
    try:
        return _Sampler(document, optional).of(document.root, ("#",))
    except _NoSample:
        return None


@dataclass(frozen=True, slots=True)
class _Sampler:
    document: Document
    optional: bool

    def of(self, schema: Schema, within: tuple[str, ...]) -> Any:
        """An instance of a schema inside some definitions. Raises _NoSample."""
        if isinstance(schema, bool):
            if not schema:
                raise _NoSample
            return "..."
        for keyword, values in (("const", [schema.get("const")]), ("enum", schema.get("enum"))):
            if keyword in schema:
                return _first(values)
        if schema.keys() & {"$ref", "allOf", "anyOf", "oneOf"}:
            return self._merge(schema, within)
        return self._own(schema, within)

    def _merge(self, schema: Mapping[str, Any], within: tuple[str, ...]) -> Any:
        """What the parts of a schema say together: all fields of objects, else what the most telling part says."""
        own = {key: value for key, value in schema.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")}
        found = [self._target(schema["$ref"], within)] if "$ref" in schema else []
        found += [self.of(part, within) for part in schema.get("allOf", ())]
        found += [self._one_of(schema[key], within) for key in ("anyOf", "oneOf") if key in schema]
        found += [self._own(own, within)] if types_of(own) else []
        objects = [value for value in found if isinstance(value, dict)]
        return {name: value for part in objects for name, value in part.items()} if objects else found[-1]

    def _target(self, reference: str, within: tuple[str, ...]) -> Any:
        target = self.document.target(reference)
        if target is None or reference in within:
            raise _NoSample
        return self.of(target, (*within, reference))

    def _one_of(self, schemas: Sequence[Schema], within: tuple[str, ...]) -> Any:
        """An instance of the first branch that has one; null is the last choice."""
        for schema in sorted(schemas, key=lambda schema: isinstance(schema, dict) and schema.get("type") == "null"):
            try:
                return self.of(schema, within)
            except _NoSample:
                continue
        raise _NoSample

    def _own(self, schema: Mapping[str, Any], within: tuple[str, ...]) -> Any:
        types = types_of(schema) or ["string"]
        type_ = next((type_ for type_ in types if type_ != "null"), "null")
        if type_ == "object":
            return self._object(schema, within)
        if type_ == "array":
            return self._array(schema, within)
        if type_ == "string":
            return _string(schema)
        return {"boolean": True, "null": None}[type_] if type_ in ("boolean", "null") else _number(schema)

    def _object(self, schema: Mapping[str, Any], within: tuple[str, ...]) -> dict[str, Any]:
        properties, required = schema.get("properties", {}), schema.get("required", ())
        found: dict[str, Any] = {}
        for name in [*properties, *(name for name in required if name not in properties)]:
            if name in required or self.optional:
                self._put(found, name, properties.get(name, True), within, must=name in required)
        others = schema.get("additionalProperties")
        if isinstance(others, dict) and not properties and self.optional:
            self._put(found, "...", others, within, must=False)
        return found

    def _put(self, found: dict[str, Any], name: str, schema: Schema, within: tuple[str, ...], *, must: bool) -> None:
        try:
            found[name] = self.of(schema, within)
        except _NoSample:
            if must:
                raise

    def _array(self, schema: Mapping[str, Any], within: tuple[str, ...]) -> list[Any]:
        first, items, least = schema.get("prefixItems", []), schema.get("items", True), schema.get("minItems", 0)
        found = [self.of(item, within) for item in first]
        wanted = min(max(least, 0 if first else 1), schema.get("maxItems", math.inf))
        while len(found) < wanted:
            try:
                found.append(self.of(items, within))
            except _NoSample:
                if least > len(found):
                    raise
                break
        return found[: int(wanted)] if len(found) > schema.get("maxItems", math.inf) else found


def _first(values: Any) -> Any:
    if not values:
        raise _NoSample
    return values[0]


def _string(schema: Mapping[str, Any]) -> Any:
    low, high = schema.get("minLength", 0), schema.get("maxLength", math.inf)
    known = list(schema.get("examples", ()))
    if "pattern" not in schema:
        known += [_FORMATS.get(schema.get("format", ""))]
    if not schema.keys() & {"pattern", "format", "x-one-of-text"}:
        known += ["." * int(min(max(low, 3), high))]
    fitting = (text for text in known if isinstance(text, str) and low <= len(text) <= high)
    found = next(fitting, None)
    return _shortest(schema) if found is None else found


def _shortest(schema: Mapping[str, Any]) -> Any:
    """The shortest text that the kernel finds."""
    try:
        form = json_schema(compact({**schema, "type": "string"}), whitespace="compact")
        return form.parse(form.example())
    except FormwrightError as error:
        raise _NoSample from error


def _number(schema: Mapping[str, Any]) -> Any:
    """A small number in bounds."""
    step = schema.get("multipleOf") or 1
    is_integer = "integer" in types_of(schema)
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    start = low if low is not None else min(0, high) if high is not None else 0
    if "exclusiveMinimum" in schema or "exclusiveMaximum" in schema or start % step:
        start = (math.floor(start / step) + (1 if low is not None else -1)) * step
    return math.ceil(start) if is_integer else start
