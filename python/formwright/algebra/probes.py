"""Texts that tell engines apart: for each keyword of a schema a smallest value that only this keyword rejects, and a
smallest value that a stricter keyword would reject. For a schema of an age that is 0 or more, one of them is
``Probe('{"age":-1}', False, '/properties/age', 'minimum')``.

Both are differences of two schemas: of the schema and one in which the keyword is removed, and of the schema and one in
which it is stricter. So every probe is as short as it can be and is about one place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from formwright.errors import FormwrightError
from formwright.forms.pointers import pointer_of
from formwright.forms.rejections import ANNOTATIONS, SURROUNDINGS, replace_part
from formwright.forms.schema_sets import SchemaSource, find_text, find_text_outside

__all__ = ["Probe", "find_probes"]

_MOST_PLACES = 60
"""Schemas of a document whose keywords are tried, at most."""

_MOST_BYTES = 1_000_000
"""Bytes of all schemas together that are read to find probes: of a large schema, fewer keywords are tried."""

Steps = list[str | int]


class Probe(NamedTuple):
    """A text to try.

    Attributes:
        text: Compact JSON.
        is_valid: Whether the schema allows its value.
        pointer: JSON Pointer of the schema that it is about.
        keyword: The keyword that it is about; ``""`` for the shortest text of the whole schema.
    """

    text: str
    is_valid: bool
    pointer: str
    keyword: str


def find_probes(source: SchemaSource) -> Iterator[Probe]:
    """Find the probes of a schema, each text once.

    Raises:
        LanguageError: The schema cannot be read or enforced.
        LimitExceeded: It is too large.
    """
    shortest, seen = find_text(source), set[str]()
    if shortest is not None:
        seen.add(shortest)
        yield Probe(shortest, True, "", "")
    most = _MOST_BYTES // len(source.text) + 1
    for steps, keyword, changed, is_valid in islice(_list_changes(source.document), most):
        other = SchemaSource(json.dumps(changed), source.options)
        try:
            text = find_text_outside(*((source, other) if is_valid else (other, source)))
        except FormwrightError:
            continue  # of this change nothing is known
        if text is not None and text not in seen:
            seen.add(text)
            yield Probe(text, is_valid, pointer_of(steps), keyword)


def _list_changes(document: Any) -> Iterator[tuple[Steps, str, Any, bool]]:
    """Schemas with one keyword removed, or stricter: the place, the keyword, the document, whether it is stricter."""
    for steps, schema in _list_places(document):
        for keyword in schema:
            if keyword in SURROUNDINGS or keyword in ANNOTATIONS or keyword == "properties":
                continue
            if keyword != "format":  # a reader may take it as an annotation
                without = {name: value for name, value in schema.items() if name != keyword}
                yield steps, keyword, replace_part(document, steps, without), False
            for stricter in _STRICTER.get(keyword, _nothing)(schema[keyword]):
                yield steps, keyword, replace_part(document, steps, schema | {keyword: stricter}), True
        for name in schema.get("properties") or ():
            required = [*(schema.get("required") or ()), name]
            yield steps, "required", replace_part(document, steps, schema | {"required": required}), True
            without_name = {"required": required, "not": {"required": [name]}}
            yield steps, "properties", replace_part(document, steps, {"allOf": [schema, without_name]}), True
        if schema.get("properties") and "additionalProperties" not in schema:
            yield (
                steps,
                "additionalProperties",
                replace_part(document, steps, schema | {"additionalProperties": False}),
                True,
            )


def _list_places(document: Any) -> Iterator[tuple[Steps, dict[str, Any]]]:
    """The schemas of a document, the outer ones first."""
    waiting: list[tuple[Steps, Any]] = [([], document)]
    for count, (steps, schema) in enumerate(waiting):
        if not isinstance(schema, dict) or count >= _MOST_PLACES:
            continue
        yield steps, schema
        for keyword in ("properties", "$defs", "definitions", "patternProperties"):
            inner = schema.get(keyword)
            waiting += (
                [([*steps, keyword, name], child) for name, child in inner.items()] if isinstance(inner, dict) else []
            )
        for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
            inner = schema.get(keyword)
            waiting += (
                [([*steps, keyword, at], child) for at, child in enumerate(inner)] if isinstance(inner, list) else []
            )
        waiting += [([*steps, keyword], schema.get(keyword)) for keyword in ("items", "additionalProperties")]


def _nothing(_: Any) -> list[Any]:
    return []


def _without_each(values: Any) -> list[Any]:
    """A list without each of its values in turn, if one is left."""
    return [values[:at] + values[at + 1 :] for at in range(min(len(values), 8))] if len(values) > 1 else []


def _step(size: int) -> Callable[[Any], list[Any]]:
    return lambda value: [value + size] if isinstance(value, int) and not isinstance(value, bool) else []


_STRICTER: Mapping[str, Callable[[Any], list[Any]]] = {
    "minimum": _step(1),
    "maximum": _step(-1),
    "minLength": _step(1),
    "maxLength": _step(-1),
    "minItems": _step(1),
    "maxItems": _step(-1),
    "minProperties": _step(1),
    "maxProperties": _step(-1),
    "enum": _without_each,
    "anyOf": _without_each,
    "oneOf": _without_each,
    "type": lambda value: _without_each(value) if isinstance(value, list) else [],
}
"""For a keyword, values of it that allow less."""
