"""What a provider reads of JSON Schema: one table each.

::

    sorted(PROVIDERS["openai"].formats)[:3]
    keyword_table(PROVIDERS["openai"])[0]

A provider is a `Provider`. What all of them share is `_REWRITTEN`: the keywords that shape
a closed object. A keyword that formwright enforces and neither table names is checked
afterwards, so a new keyword of the kernel cannot be forgotten.

Providers publish their subset as prose and change it. The rows follow the guides
to structured outputs of 2026; OpenAI's speaks of models that are not fine-tuned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from formwright._kernel import json_schema_formats, json_schema_keywords

__all__ = ["ANNOTATIONS", "ASSERTIONS", "CHECKED", "FORMATS", "PROVIDERS", "Provider", "keyword_table"]


@dataclass(frozen=True, slots=True)
class Provider:
    """The subset of JSON Schema that a provider enforces.

    Attributes:
        name: As given to ``convert(..., to=name)``.
        keywords: The assertions it reads, for each type.
        formats: The values of ``format`` it reads.
        limits: The most it takes; the names are those of `nodes.check_limits`.
        leaves_out: Whether a property may be left out; if not, null stands for that.
        recurs: Whether a schema may refer to itself.
        has_maps: Whether an object may have members of any names.
        enums: The types whose values it takes in ``enum``.
        fewest: The values of ``minItems`` that it reads; ``None`` is all of them.
    """

    name: str
    keywords: Mapping[str, tuple[str, ...]]
    formats: frozenset[str]
    limits: Mapping[str, int]
    leaves_out: bool = False
    recurs: bool = True
    has_maps: bool = False
    enums: frozenset[str] = frozenset({"string", "integer", "number", "boolean", "null"})
    fewest: tuple[int, ...] | None = None


_BOUNDS = ("multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")

PROVIDERS = {
    "openai": Provider(
        name="openai",
        keywords={
            "string": ("pattern", "format"),
            "number": _BOUNDS,
            "integer": _BOUNDS,
            "array": ("minItems", "maxItems"),
        },
        formats=frozenset(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]),
        limits={
            "properties": 5_000,
            "levels of objects": 10,
            "characters of names and values": 120_000,
            "enum values": 1_000,
            "characters of an enum of more than 250 strings": 15_000,
        },
    ),
    "anthropic": Provider(
        name="anthropic",
        keywords={"string": ("format",), "array": ("minItems",)},
        formats=frozenset(
            ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]
        ),
        limits={"optional properties": 24, "unions": 16},
        leaves_out=True,
        recurs=False,
        fewest=(0, 1),
    ),
    "gemini": Provider(
        name="gemini",
        keywords={
            "string": ("format",),
            "number": ("minimum", "maximum"),
            "integer": ("minimum", "maximum"),
            "array": ("minItems", "maxItems"),
        },
        formats=frozenset(["date-time", "date", "time"]),
        limits={},
        leaves_out=True,
        has_maps=True,
        enums=frozenset({"string", "integer", "number"}),
    ),
}

_REWRITTEN = {
    "$ref": "local JSON Pointers; recursion stays; a target becomes a definition",
    "$defs": "only what is referred to",
    "definitions": "become `$defs`",
    "type": "several types become `anyOf`; without it, the types its neighbours speak of",
    "enum": "scalars; refused with arrays or objects in it",
    "const": "scalars; refused for arrays and objects; becomes `enum`",
    "properties": "optional ones may be null, which `read` takes out again",
    "required": "every property is listed",
    "additionalProperties": "always false; otherwise narrowed, or refused where only `{}` would be left",
    "patternProperties": "applied to declared properties; otherwise narrowed",
    "items": "must say what an item is",
    "prefixItems": "any item in any place; the places are checked afterwards",
    "additionalItems": "as `items` after `prefixItems`",
    "allOf": "merged",
    "anyOf": "merged with its neighbours; branches that declare no property of their own are checked afterwards",
    "oneOf": "becomes `anyOf`; checked afterwards unless the branches exclude each other",
}

_REFUSED = {
    "$dynamicRef": "write a `$ref`",
    "$recursiveRef": "write a `$ref`",
}

ANNOTATIONS = ("title", "description")
"""Annotations that a model is shown; the others are left out."""

_APPLIES = {
    "string": ("minLength", "maxLength", "pattern", "format", "x-one-of-text"),
    "number": _BOUNDS,
    "array": ("minItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems"),
    "object": (
        *("minProperties", "maxProperties", "propertyNames", "unevaluatedProperties"),
        *("dependentRequired", "dependentSchemas", "dependencies"),
    ),
    "": ("not", "if"),
}
_MODIFIERS = {"minContains": "contains", "maxContains": "contains", "then": "if", "else": "if"}
"""Keywords that only say more about another one."""

_ENFORCED = [keyword for keyword, status, _ in json_schema_keywords() if status == "enforced"]
_TYPE_OF = {keyword: kind for kind, keywords in _APPLIES.items() for keyword in keywords}

ASSERTIONS = frozenset(_ENFORCED) - {"$ref", "allOf"}
"""Keywords that say something themselves about a value."""

CHECKED = {
    keyword: _TYPE_OF.get(keyword, "")
    for keyword in _ENFORCED
    if keyword not in _REWRITTEN and keyword not in _REFUSED and keyword not in _MODIFIERS
}
"""Assertions that are copied if the provider reads them, and checked afterwards if not; the type each speaks of."""

FORMATS = frozenset(name for name, _ in json_schema_formats())
"""The formats that formwright asserts; others are annotations."""


def keyword_table(provider: Provider) -> list[tuple[str, str, str]]:
    """For each keyword that formwright knows: what becomes of it, and how."""
    return [(keyword, *_fate(provider, keyword, status)) for keyword, status, _ in json_schema_keywords()]


def _fate(provider: Provider, keyword: str, status: str) -> tuple[str, str]:
    if keyword in _REWRITTEN:
        return "rewritten", _special(provider).get(keyword, _REWRITTEN[keyword])
    if keyword in _REFUSED:
        return "refused", _REFUSED[keyword]
    if keyword in ANNOTATIONS:
        return "kept", "not beside `$ref`"
    if any(keyword in keywords for keywords in provider.keywords.values()):
        how = "0 and 1; others are checked afterwards" if keyword == "minItems" and provider.fewest else ""
        return "kept", _KEPT.get(keyword, how).format(formats=", ".join(sorted(provider.formats)))
    if status == "enforced":
        return "checked afterwards", f"with `{_MODIFIERS[keyword]}`" if keyword in _MODIFIERS else ""
    return ("refused", "") if status == "refused" else ("left out", "")


def _special(provider: Provider) -> dict[str, str]:
    """What a provider's rows say of rewritten keywords that the others do not."""
    said: dict[str, str] = {}
    if provider.leaves_out:
        said |= {"properties": "as they are", "required": "as it is"}
    if not provider.recurs:
        said["$ref"] = "local JSON Pointers; recursion is refused; a target becomes a definition"
    if provider.has_maps:
        said["additionalProperties"] = "a schema stays; true is narrowed, or refused where only `{}` would be left"
    if "boolean" not in provider.enums:
        said |= {name: f"{_REWRITTEN[name]}; of booleans checked afterwards" for name in ("enum", "const")}
    return said


_KEPT = {
    "format": "{formats}; others are checked afterwards",
    "pattern": "with look-around, or `\\d`, `\\w`, `\\s` or `\\b`, also checked afterwards",
    "exclusiveMinimum": "draft 4's boolean is checked afterwards",
    "exclusiveMaximum": "draft 4's boolean is checked afterwards",
}
