"""The keywords of a JSON Schema in words.

::

    remarks({"type": "string", "minLength": 1, "pattern": "^[a-z]"})
    # ['at least 1 character', 'matches the regular expression ^[a-z]']

A type, what is inside objects and arrays, and unions are said by whoever asks, in code or in lines; these are the
constraints beside them. What words cannot say well is quoted as JSON Schema, so that nothing is left out.

Cost: none. The wrinkle: patterns are those of JSON Schema, which match anywhere in a string unless they are anchored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from formwright.schemas.rendering.gathering import compact

__all__ = ["description_of", "list_values", "remarks", "show_name"]

_COUNTS = (
    ("minLength", "maxLength", "character"),
    ("minItems", "maxItems", "item"),
    ("minProperties", "maxProperties", "field"),
)

_BOUNDS = (
    ("minimum", "at least"),
    ("exclusiveMinimum", "more than"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "less than"),
    ("multipleOf", "a multiple of"),
)

_SAID = (
    ("format", "format {}"),
    ("pattern", "matches the regular expression {}"),
    ("contentEncoding", "encoded as {}"),
    ("contentMediaType", "content type {}"),
)

_QUOTED = (
    *("not", "if", "then", "else", "contains", "minContains", "maxContains", "propertyNames", "dependentSchemas"),
    *("unevaluatedProperties", "unevaluatedItems"),
)
"""What is quoted as JSON Schema."""

_PIECES = {"char": "a piece", "word": "a piece of whole words", "sentence": "a piece of whole sentences"}


def remarks(schema: Mapping[str, Any]) -> list[str]:
    """The constraints of a schema beside its type and what is inside it; its default and examples."""
    said = [_count(schema.get(low), schema.get(high), unit) for low, high, unit in _COUNTS]
    said += [f"{words} {compact(schema[keyword])}" for keyword, words in _BOUNDS if keyword in schema]
    said += [words.format(show_name(schema[keyword])) for keyword, words in _SAID if keyword in schema]
    said += ["no two items alike"] if schema.get("uniqueItems") else []
    said += [_piece(schema["x-one-of-text"])] if "x-one-of-text" in schema else []
    said += [
        f"with {show_name(name)} also {', '.join(map(show_name, needed))}"
        for name, needed in schema.get("dependentRequired", {}).items()
        if needed
    ]
    said += [_quote_schema({keyword: schema[keyword] for keyword in _QUOTED if keyword in schema})]
    said += [f"default {compact(schema['default'])}"] if "default" in schema else []
    examples = [*schema.get("examples", ()), *([schema["example"]] if "example" in schema else [])]
    said += [f"for example {list_values(examples)}"] if examples else []
    return [words for words in said if words]


def list_values(values: Any) -> str:
    """Values as JSON, in a row."""
    return ", ".join(map(compact, values))


def show_name(text: str) -> str:
    """A name or a pattern inside a line: as it is, or quoted where a reader could not see its end."""
    return text if text.isprintable() and text == text.strip() and text else compact(text)


def description_of(schema: Any) -> str:
    """What a schema says of itself to a reader, in one line."""
    said = (schema.get("description") or schema.get("title") or "") if isinstance(schema, dict) else ""
    return " ".join(str(said).split())


def _count(low: Any, high: Any, unit: str) -> str:
    low = low or None  # at least none says nothing
    if low is None and high is None:
        return ""
    units = unit if (high if high is not None else low) == 1 else f"{unit}s"
    if low == high:
        return f"exactly {low} {units}"
    if high is None:
        return f"at least {low} {units}"
    return f"at most {high} {units}" if low is None else f"{low} to {high} {units}"


def _piece(value: Any) -> str:
    source, unit = (value, "char") if isinstance(value, str) else (value["source"], value.get("unit", "char"))
    return f"{_PIECES[unit]} of this text: {compact(source)}"


def _quote_schema(schema: Mapping[str, Any]) -> str:
    return f"valid by the JSON Schema {compact(schema)}" if schema else ""
