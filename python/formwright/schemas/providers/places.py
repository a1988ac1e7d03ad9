"""The given schema, read as sets of places that speak of one value.

::

    document = Document({"allOf": [{"$ref": "#/$defs/named"}], "$defs": {"named": {"type": "object"}}})
    list(document.parts([""]))      # ['', '/allOf/0', '/$defs/named']

A schema, the target of its ``$ref``, its ``allOf`` and the branch taken of its ``anyOf`` all
describe the same value. So to merge them is to look at several places, to recur is to meet the
same places again, and a pointer into the given document is at hand for every remark.

What needs reasoning about values - does this constant fit, can two branches hold at once, is
this name matched - is asked of the kernel, which knows the whole of JSON Schema.

Cost: one compilation for each question that was not asked before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from functools import cache
from itertools import chain
from typing import Any
from urllib.parse import quote, unquote

from formwright._kernel import Language
from formwright.errors import FormwrightError, UnsatisfiableSchema, UnsupportedKeyword
from formwright.forms.form import Form
from formwright.forms.pointers import escape_step, value_at
from formwright.forms.text_checks import read_json

__all__ = [
    "Document",
    "Forms",
    "Node",
    "Parts",
    "compile_checker",
    "refusal",
    "spell",
    "types_of",
    "with_integer",
]

Node = dict[str, Any]
Parts = dict[str, Node]
"""The places that speak of one value, and the keywords there."""

_URI = "urn:formwright:schema"
_OLD = ("draft-03", "draft-04", "draft-06", "draft-07")
"""Dialects in which a ``$ref`` hides the keywords beside it."""


def refusal(pointer: str, what: str, hint: str) -> UnsupportedKeyword:
    """The error for a place that no provider's subset can express."""
    message = f"schema at {pointer or 'the root'}: {what} cannot be told to the provider"
    return UnsupportedKeyword(message, hint=hint, pointer=pointer)


class Document:
    """The given schema."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.at = cache(self._at)
        self._forms = Forms(root)
        self._is_old = any(dialect in root.get("$schema", "") for dialect in _OLD)

    def parts(self, places: Iterable[str]) -> Parts:
        """The schemas at ``places`` with what they refer to and are made of."""
        todo, parts = list(places), Parts()
        for place in todo:  # grows while it is walked
            if place not in parts:
                parts[place] = schema = self.at(place)
                todo += [self._target(place, schema["$ref"])] if "$ref" in schema else []
                todo += (f"{place}/allOf/{number}" for number in range(len(schema.get("allOf", ()))))
        return parts

    def _at(self, pointer: str) -> Node:
        """The keywords at ``pointer``; the schema ``false`` is the keyword ``never``."""
        schema = value_at(self.root, pointer)
        if isinstance(schema, bool):
            return {} if schema else {"never": True}
        for keyword in ("$dynamicRef", "$recursiveRef"):
            if keyword in schema:
                raise refusal(f"{pointer}/{keyword}", "a dynamic reference", "write a `$ref`")
        return {"$ref": schema["$ref"]} if "$ref" in schema and self._is_old else schema

    def _target(self, place: str, reference: str) -> str:
        local = reference.removeprefix(str(self.root.get("$id", self.root.get("id", ""))).rstrip("#"))
        steps = place.split("/")
        inside = (value_at(self.root, "/".join(steps[:end])) for end in range(2, len(steps) + 1))
        rebased = any(isinstance(schema, dict) and isinstance(schema.get("$id"), str) for schema in inside)
        if rebased or (local != "#" and not local.startswith("#/")):
            raise refusal(f"{place}/$ref", f"the reference {reference!r}", "refer to `#` or `#/$defs/...`")
        return unquote(local.removeprefix("#"))

    def list_properties(self, parts: Parts) -> dict[str, None]:
        """The names of the properties that ``parts`` declare, in their order."""
        return dict.fromkeys(name for schema in parts.values() for name in schema.get("properties", ()))

    def of_property(self, parts: Parts, name: str) -> list[str]:
        """The places that speak of the property ``name``."""
        places: list[str] = []
        for place, schema in parts.items():
            found = [f"{place}/properties/{escape_step(name)}"] if name in schema.get("properties", ()) else []
            patterns = [pattern for pattern in schema.get("patternProperties", ()) if _searches(pattern, name)]
            found += (f"{place}/patternProperties/{escape_step(pattern)}" for pattern in patterns)
            if not found and schema.get("additionalProperties", True) is not True:
                found = [f"{place}/additionalProperties"]
            places += found
        return places

    def allows(self, places: Iterable[str], value: Any) -> bool:
        """Whether ``value`` fits all of ``places``."""
        try:
            return self._forms(*places).matches(spell(value))
        except UnsatisfiableSchema:
            return False

    def apart(self, *pair: str) -> bool:
        """Whether it is proven that no object fits both places, if it has only members that one of them declares."""
        for place in pair:
            try:
                self._forms(*pair, propertyNames={"enum": list(self.list_properties(self.parts([place])))})
            except UnsatisfiableSchema:
                continue
            except FormwrightError:
                return False
            return False
        return True


class Forms:
    """The forms of places inside one document, compiled when asked for and kept."""

    def __init__(self, document: Any) -> None:
        self._registry = {_URI: json.dumps(document)}
        self._known: dict[str, Form[Any]] = {}

    def __call__(self, *pointers: str, **more: Any) -> Form[Any]:
        """What all of ``pointers`` allow, under the keywords of ``more``."""
        references = [{"$ref": f"{_URI}#{quote(pointer)}"} for pointer in pointers]
        schema = json.dumps({"allOf": references, **more})
        if schema not in self._known:
            self._known[schema] = compile_checker(schema, registry=self._registry)
        return self._known[schema]


def compile_checker(schema: str, **options: Any) -> Form[Any]:
    """A form to check values with: whatever is only a matter of spelling is left open."""
    language = Language.json_schema(schema, order="model", escapes="any", max_digits=400, **options)
    return Form(language, read_json, "JSON", "value")


def types_of(parts: Parts) -> list[str] | None:
    """The types that all of ``parts`` allow, in the order of the first; ``None`` if none speaks of types."""
    allowed = [with_integer(schema["type"]) for schema in parts.values() if "type" in schema]
    if not allowed:
        return None
    types = [kind for kind in dict.fromkeys(chain(*allowed)) if all(kind in others for others in allowed)]
    return [kind for kind in types if kind != "integer" or "number" not in types]


def with_integer(types: str | list[str]) -> list[str]:
    """``types`` as a list in which a number may be an integer."""
    listed = [types] if isinstance(types, str) else types
    return [*listed, "integer"] if "number" in listed else listed


@cache
def _searches(pattern: str, name: str) -> bool:
    """Whether ``pattern`` is found in ``name``, in the dialect of JSON Schema."""
    return compile_checker(json.dumps({"type": "string", "pattern": pattern})).matches(spell(name))


def spell(value: Any) -> bytes:
    """``value`` as compact JSON, each number in the spelling that every form with this number takes."""
    if isinstance(value, dict):
        return b"{" + b",".join(spell(name) + b":" + spell(member) for name, member in value.items()) + b"}"
    if isinstance(value, list):
        return b"[" + b",".join(map(spell, value)) + b"]"
    if isinstance(value, float) and 1e-30 < abs(value) < 1e30:
        whole, _, fraction = format(Decimal(repr(value)), "f").partition(".")
        return f"{whole}.{fraction}".rstrip("0").rstrip(".").encode()
    text = "0" if isinstance(value, float) and value == 0 else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")
