"""Schemas as sets of values: two of them in one document, and a text that one allows and the other does not.

::

    first, second = SchemaSource('{"type": "integer"}', {}), SchemaSource('{"minimum": 1}', {})
    combine_difference(first, second)                   # a schema: first without second
    find_text_outside(first, second)                    # '0'

The kernel has intersections and complements of schemas, knows whether one has a text, and which is the shortest. So a
difference is a schema to it: nothing here decides anything by itself. A schema keeps its own dialect, base and
references beside another one.

Numbers are compared as decimals, and formats by the texts that formwright writes for them, since both forms mean the
same by them. How a value is written (order, whitespace, escapes) does not matter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urldefrag, urljoin

from formwright._kernel import Language
from formwright.errors import ArgumentError, LimitExceeded, Undecided, UnsatisfiableSchema, UnsupportedKeyword
from formwright.forms.repeated_items import (
    array_places,
    find_repeated_items,
    lead,
    unique_places,
    without_shared_uniqueness,
    without_uniqueness,
)

__all__ = [
    "SchemaSource",
    "combine",
    "combine_difference",
    "find_common_text",
    "find_text",
    "find_text_outside",
    "holds",
    "with_exact_formats",
]

_MEANING = ("alphabet", "max_items", "max_digits", "formats", "format")
"""Options that say which values a schema allows. The others say how a value is written, or how a schema is read."""

_COMPARED: Mapping[str, Any] = {
    "order": "schema",
    "whitespace": "compact",
    "max_whitespace": None,
    "escapes": "natural",
    "integers": "plain",
    "numbers": "exact",
    "max_digits": 400,
    "notation": None,
}
"""How values are written where only values count."""

_LITERAL = frozenset({"const", "enum", "default", "examples"})
"""Keywords whose values are not schemas."""

_TABLES = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
"""Keywords whose values are schemas by name: a name is not a keyword."""


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """A schema as JSON text, with the options of its form, as the kernel takes them."""

    text: str
    options: Mapping[str, Any]

    @property
    def document(self) -> Any:
        """The schema; its dialect is said in it where the options say it."""
        document, dialect = json.loads(self.text), self.options.get("dialect")
        if dialect and isinstance(document, dict):
            return {"$schema": dialect, **document}
        return document


def combine(first: SchemaSource, second: SchemaSource, make: Callable[[Any, Any], Any]) -> SchemaSource:
    """Put two schemas into one, which ``make`` makes of references to them; the first one's options say how to write.

    Raises:
        ArgumentError: The options of the two give the same schema different meanings.
    """
    for name in _MEANING:
        if _meaning(first, name) != _meaning(second, name):
            raise ArgumentError(
                f"the two forms differ in the option {name}, which says what values a schema allows",
                hint=f"make both with the same {name}=",
                argument=name,
            )
    registry = _merge_registries(first, second)
    elsewhere = {uri for text in registry.values() for uri in _ids(json.loads(text))} | registry.keys()
    references = []
    for source, other in ((first, second), (second, first)):
        document = source.document
        others = elsewhere | (_ids(other.document) if other.text != source.text else set())
        text = json.dumps(_isolate(document) if _ids(document) & others else document, ensure_ascii=False)
        uri = f"urn:formwright:{hashlib.sha256(text.encode()).hexdigest()[:20]}"
        registry[uri] = text
        references.append({"$ref": uri})
    ignore = "ignore" in (first.options.get("unknown_keywords"), second.options.get("unknown_keywords"))
    options = {**first.options, "registry": registry, "dialect": None}
    options["unknown_keywords"] = "ignore" if ignore else "error"
    return SchemaSource(json.dumps(make(*references)), options)


def _meaning(source: SchemaSource, name: str) -> Any:
    """What an option says of the values that a schema allows."""
    value = source.options.get(name) or None
    return "assert" if value == "exact" else value


def _merge_registries(first: SchemaSource, second: SchemaSource) -> dict[str, str]:
    """The documents of both registries, each with its dialect. Raises ArgumentError where two have one address."""
    merged: dict[str, str] = {}
    owners: dict[str, str] = {}
    for source in (first, second):
        for uri, given in (source.options.get("registry") or {}).items():
            document = json.loads(given)
            if source.options.get("dialect") and isinstance(document, dict):
                document = {"$schema": source.options["dialect"], **document}
            text = json.dumps(document, ensure_ascii=False)
            for address in {uri, *_ids(document)}:
                if owners.setdefault(address, text) != text:
                    raise ArgumentError(
                        f"the registries of the two forms have different documents at {address}", argument="registry"
                    )
            merged[uri] = text
    return merged


def find_text_outside(first: SchemaSource, second: SchemaSource) -> str | None:
    """Return a shortest text of a value that ``first`` allows and ``second`` does not, ``None`` if there is none.

    Raises:
        Undecided: A bound of work was reached, or ``second`` holds what the kernel cannot negate.
    """
    try:
        return find_text(combine_difference(first, second))
    except LimitExceeded as error:
        raise _make_undecided(error) from error
    except UnsupportedKeyword as error:
        found = _find_text_outside_unique(first, second)
        if found is None:
            raise _make_undecided(error) from error
        return found or None


def _find_text_outside_unique(first: SchemaSource, second: SchemaSource) -> str | None:
    """As `find_text_outside`, where the second demands unique items: ``""`` if there is none, ``None`` if unknown."""
    places = unique_places(second.document)
    try:
        without = SchemaSource(json.dumps(without_uniqueness(second.document)), second.options)
        others = find_text(combine_difference(first, without))
        if others is not None and not holds(second, others):
            return others
        tried = [*(places or ()), *array_places(first.document)]
        repeated = find_repeated_items(tried, lambda schema: _find_within(first, schema))
        found = next((text for text in repeated if not holds(second, text)), None)
        if found is not None or others is not None or places is None:
            return found
        two = {"type": "array", "minItems": 2}
        narrowed = (_narrow(first, lead(steps, two, any_item=True)) for steps in places)
        return None if any(find_text(each) is not None for each in narrowed) else ""
    except (UnsupportedKeyword, LimitExceeded):
        return None


def find_common_text(first: SchemaSource, second: SchemaSource) -> str | None:
    """Return a shortest text of a value that both allow, ``None`` if there is none. Raises as `find_text_outside`."""
    try:
        return find_text(combine(first, second, lambda a, b: {"allOf": [a, b]}))
    except (UnsupportedKeyword, LimitExceeded) as error:
        raise _make_undecided(error) from error


def find_text(source: SchemaSource) -> str | None:
    """Return a shortest text of a value that a schema allows, ``None`` if it allows none."""
    try:
        return _language(source).example().decode()
    except UnsatisfiableSchema:
        return None


def holds(source: SchemaSource, text: str) -> bool:
    """Whether a schema allows the value that a JSON text spells."""
    try:
        language = _language(source, order="model", integers="decimal", whitespace="flexible", escapes="any")
    except UnsatisfiableSchema:
        return False
    return language.check(text.encode())[1]


def _make_undecided(error: UnsupportedKeyword | LimitExceeded) -> Undecided:
    bound = error.limit if isinstance(error, LimitExceeded) else "unsupported"
    return Undecided(f"not decided: {error}", hint=error.hint, bound=bound)


def combine_difference(first: SchemaSource, second: SchemaSource) -> SchemaSource:
    """Put into one schema what ``first`` allows and ``second`` does not. Raises as `combine`."""
    relaxed = SchemaSource(json.dumps(without_shared_uniqueness(first.document, second.document)), second.options)
    return with_exact_formats(combine(first, relaxed, lambda a, b: {"allOf": [a, {"not": b}]}))


def with_exact_formats(source: SchemaSource) -> SchemaSource:
    """Return the same schema; what it negates of a format are the texts that are not written, no more and no less."""
    if source.options.get("format") != "assert":
        return source
    return SchemaSource(source.text, {**source.options, "format": "exact"})


def _find_within(source: SchemaSource, schema: Any) -> str | None:
    """A shortest text of a value that a schema allows, and this one, too; ``None`` if the kernel knows of none."""
    try:
        return find_text(_narrow(source, schema))
    except (UnsupportedKeyword, LimitExceeded):
        return None


def _narrow(source: SchemaSource, schema: Any) -> SchemaSource:
    """The values that a schema allows, and this one, too."""
    other = SchemaSource(json.dumps(schema), source.options)
    return combine(source, other, lambda a, b: {"allOf": [a, b]})


def _language(source: SchemaSource, **options: Any) -> Language:
    """The values of a schema, each written in one way, or as the options say."""
    means = "exact" if source.options.get("format") == "assert" else source.options.get("format", "exact")
    return Language.json_schema(source.text, **{**source.options, **_COMPARED, "format": means, **options})


def _ids(document: Any) -> set[str]:
    """The absolute addresses of the schemas that a document names."""
    return {uri for schema, base in _schemas(document, "") if (uri := _own_id(schema, base))}


def _own_id(schema: Mapping[str, Any], base: str) -> str:
    """The address that a schema gives itself, ``""`` if it gives none."""
    given = schema.get("$id", schema.get("id"))
    return urldefrag(urljoin(base, given)).url if isinstance(given, str) and not given.startswith("#") else ""


def _schemas(document: Any, base: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Every object of a document that may be a schema, with the base of its references before its own address."""
    waiting = [(document, base, False)]
    while waiting:
        value, base, is_table = waiting.pop()
        if isinstance(value, dict) and is_table:
            waiting += [(child, base, False) for child in value.values()]
        elif isinstance(value, dict):
            yield value, base
            inner = _own_id(value, base) or base
            waiting += [(child, inner, key in _TABLES) for key, child in value.items() if key not in _LITERAL]
        elif isinstance(value, list):
            waiting += [(child, base, False) for child in value]


def _isolate(document: Any) -> Any:
    """A document whose own addresses are its own alone, so that another version of it can be beside it."""
    copied = json.loads(json.dumps(document))
    own = _ids(copied)
    mark = hashlib.sha256(json.dumps(document).encode()).hexdigest()[:20]
    for schema, base in list(_schemas(copied, "")):
        inner = _own_id(schema, base) or base
        for key in ("$ref", "$dynamicRef", "$recursiveRef"):
            reference = schema.get(key)
            if isinstance(reference, str) and not reference.startswith("#"):
                target, fragment = urldefrag(urljoin(inner, reference))
                schema[key] = (_mark_uri(target, mark) if target in own else target) + (
                    f"#{fragment}" if fragment else ""
                )
    for schema, base in list(_schemas(copied, "")):
        if uri := _own_id(schema, base):
            schema["$id" if "$id" in schema else "id"] = _mark_uri(uri, mark)
    return copied


def _mark_uri(uri: str, mark: str) -> str:
    return f"urn:formwright:{mark}:{hashlib.sha256(uri.encode()).hexdigest()[:12]}"
