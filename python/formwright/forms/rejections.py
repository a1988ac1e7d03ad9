"""Which keywords of a schema reject a value, and where they are: the deepest place that explains it.

::

    adult = SchemaSource('{"properties": {"age": {"type": "integer", "minimum": 18}}}', {})
    find_rejection(adult, '{"age":3}').pointer          # '/properties/age'

A keyword is asked alone: the schema at its place is reduced to that keyword and those that it depends on, and the
kernel says whether the rest allows the value. So what a keyword means is defined once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from formwright.errors import FormwrightError
from formwright.forms.pointers import pointer_of, steps_of, value_at
from formwright.forms.schema_sets import SchemaSource, holds
from formwright.forms.text_checks import dump_json

__all__ = ["ANNOTATIONS", "SURROUNDINGS", "Rejection", "find_rejection", "replace_part"]

_DEPTH = 64
"""Places on the way to the deepest one, at most: a recursive schema may go on as deep as its value."""

_TOGETHER = (
    ("additionalProperties", ("properties", "patternProperties")),
    ("items", ("prefixItems",)),
    ("additionalItems", ("items",)),
    ("contains", ("minContains", "maxContains")),
    ("if", ("then", "else")),
    ("minimum", ("exclusiveMinimum",)),
    ("maximum", ("exclusiveMaximum",)),
)
"""Keywords, and those without which they mean something else."""

SURROUNDINGS = ("$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$defs", "definitions")
"""Keywords that reject nothing, and that references need."""

ANNOTATIONS = ("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment")

_UNASKED = frozenset((*SURROUNDINGS, *ANNOTATIONS, "$vocabulary", "minContains", "maxContains", "then", "else"))
"""Keywords that reject nothing, or not by themselves."""


class Rejection(NamedTuple):
    """Why a schema does not allow a value.

    Attributes:
        pointer: JSON Pointer of the place in the schema, ``""`` for the root.
        keywords: The keywords there that reject the value or its part; of ``false``, the step that leads to it.
        part: What they reject: the value, or a member or an item within it.
    """

    pointer: str
    keywords: tuple[str, ...]
    part: Any


def find_rejection(source: SchemaSource, text: str) -> Rejection:
    """Return the deepest place of a schema whose keywords reject a value.

    Args:
        source: The schema.
        text: JSON text of a value that it does not allow.
    """
    document, value = source.document, json.loads(text)
    steps: list[str | int] = []
    for _ in range(_DEPTH):
        schema = value_at(document, pointer_of(steps))
        if not isinstance(schema, dict):
            return Rejection(pointer_of(steps[:-1]), (str(steps[-1]),) if steps else (), value)
        deeper = _find_deeper(source, document, steps, value)
        if deeper is None:
            break
        steps, value = deeper
    return Rejection(pointer_of(steps), tuple(_rejecting(source, document, steps, value)), value)


def _find_deeper(
    source: SchemaSource, document: Any, steps: list[str | int], value: Any
) -> tuple[list[str | int], Any] | None:
    """A part of a schema that rejects the value, or the part of the value that it is about."""
    for path, part in _parts(document, steps, value):
        if not _allows(source, document, path, part):
            return path, part
    return None


def _parts(document: Any, steps: list[str | int], value: Any) -> Iterator[tuple[list[str | int], Any]]:
    """The schemas within a schema that a value, a member or an item must conform to, each with what it is about."""
    schema = value_at(document, pointer_of(steps))
    reference = schema.get("$ref")
    if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
        yield list(steps_of(reference[1:])), value
    for at in range(len(schema.get("allOf") or ())):
        yield [*steps, "allOf", at], value
    if isinstance(value, dict):
        declared = schema.get("properties") or {}
        yield from (([*steps, "properties", name], value[name]) for name in declared if name in value)
        if isinstance(schema.get("additionalProperties"), dict) and not schema.get("patternProperties"):
            others = (name for name in value if name not in declared)
            yield from (([*steps, "additionalProperties"], value[name]) for name in others)
    if isinstance(value, list):
        prefix, items = schema.get("prefixItems") or (), schema.get("items")
        yield from (([*steps, "prefixItems", at], item) for at, item in zip(range(len(prefix)), value, strict=False))
        if isinstance(items, dict):
            yield from (([*steps, "items"], item) for item in value[len(prefix) :])


def _rejecting(source: SchemaSource, document: Any, steps: list[str | int], value: Any) -> Iterator[str]:
    """The keywords of a schema that reject a value, each by itself."""
    schema = value_at(document, pointer_of(steps))
    together = dict(_TOGETHER)
    for keyword in schema:
        if keyword in _UNASKED:
            continue
        kept = {keyword, *together.get(keyword, ()), *SURROUNDINGS}
        reduced = replace_part(document, steps, {name: schema[name] for name in schema if name in kept})
        if not _allows(source, reduced, steps, value):
            yield keyword


def replace_part(document: Any, steps: list[str | int], schema: Any) -> Any:
    """Return a document with another schema at a place."""
    if not steps:
        return schema
    copied = json.loads(json.dumps(document))
    parent = value_at(copied, pointer_of(steps[:-1]))
    parent[int(steps[-1]) if isinstance(parent, list) else steps[-1]] = schema
    return copied


def _allows(source: SchemaSource, document: Any, steps: list[str | int], value: Any) -> bool:
    """Whether the schema at a place of a document allows a value; what cannot be read alone is taken to allow it."""
    uri = "urn:formwright:whole"
    registry = {**(source.options.get("registry") or {}), uri: json.dumps(document)}
    part = {"$ref": f"{uri}#{pointer_of(steps)}"}
    try:
        return holds(SchemaSource(json.dumps(part), {**source.options, "registry": registry}), dump_json(value))
    except FormwrightError:
        return True
