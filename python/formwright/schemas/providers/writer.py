"""A JSON Schema in the words of a provider, with a note for each thing that these cannot say.

::

    schema = {"type": "object", "properties": {"name": {"type": "string", "pattern": "a|b", "minLength": 1}},
              "required": ["name"], "additionalProperties": False}
    [(note.kind, note.keyword) for note in convert(schema, to="openai").notes]      # [('checked', 'minLength')]

What cannot be said is left out, which makes the converted schema wider, and noted as
*checked*; or it is shut, which makes it narrower, and noted as *narrowed*. Where next to
nothing would be left to write, the schema is refused.

Cost: proportional to the schema written. A union beside other keywords is written out branch
by branch, so unions side by side multiply, until `_MOST_NODES`.

An optional property that may be null anyway has one null for two meanings. It
stays null, since that is what was written.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import chain, combinations, count
from typing import Any

from formwright.errors import ArgumentError, FormwrightError, LimitExceeded, UnsatisfiableSchema
from formwright.forms.json_forms import schema_text
from formwright.forms.texts import regex
from formwright.schemas.providers.converted import Converted, Note
from formwright.schemas.providers.nodes import absent, any_of, check_limits, kind_of, nullable, optional
from formwright.schemas.providers.places import (
    Document,
    Forms,
    Node,
    Parts,
    compile_checker,
    refusal,
    spell,
    types_of,
    with_integer,
)
from formwright.schemas.providers.rules import ANNOTATIONS, ASSERTIONS, CHECKED, FORMATS, PROVIDERS, Provider

__all__ = ["convert"]

_TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")
_UNIONS = ("anyOf", "oneOf")
_SHAPES = {
    "object": ("properties", "required", "additionalProperties", "patternProperties"),
    "array": ("items", "prefixItems"),
}
"""The keywords that are written by a method of their own, for each type."""

_STRICTER: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minItems"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxItems"), min),
}
_CLASSES = re.compile(r"\\[bBdDsSwW]")
"""Escapes that are ASCII to some engines and Unicode to others."""

_MOST_NODES = 20_000
_MOST_PAIRS = 28


def convert(schema: Any, *, to: str) -> Converted:
    """The schema that a provider takes in place of ``schema``, and the way back.

    Args:
        schema: A JSON Schema (dict or text), or a Python type.
        to: The name of the provider, one of `PROVIDERS`.

    Raises:
        UnsupportedKeyword: With the place of what the provider cannot be told, and what to write instead.
        LimitExceeded: The converted schema is larger than the provider takes.
        SchemaError: The given schema is broken, or allows nothing that the provider could write.
    """
    if to not in PROVIDERS:
        raise ArgumentError(
            f"there is no provider {to!r}", hint=f"known providers: {', '.join(PROVIDERS)}", argument="to"
        )
    text = schema_text(schema)
    given = compile_checker(text)
    writer = _Writer(json.loads(text), PROVIDERS[to])
    try:
        converted = writer.whole()
    except RecursionError as error:
        hint = "make the schema flatter"
        raise LimitExceeded("the schema refers on and on", hint=hint, limit="depth") from error
    check_limits(converted, PROVIDERS[to])
    places = Forms(converted)
    try:
        places("")
    except UnsatisfiableSchema as error:
        hint = "declare every member that is required, and let every recursion end"
        raise UnsatisfiableSchema("schema at the root: no object with only declared members fits", hint=hint) from error
    for pointer, keyword, status, why in given.explain():
        # Digits are bounded by the kernel, not by the provider.
        if status == "narrowed" and keyword != "format" and "max_digits" not in why:
            writer.note("narrowed", pointer, keyword, why)
    return Converted(to, converted, tuple(writer.notes), absent(converted), given, _parser(schema), places)


def _parser(schema: Any) -> Callable[[Any], Any]:
    """From a restored value to what `Converted.read` returns."""
    if isinstance(schema, str | dict | bool):
        return lambda value: value
    from formwright.forms import python_types

    read = python_types.Reader(schema)
    return lambda value: read(json.dumps(value))


class _Writer:
    """Writes what places of the given document allow as one schema, ``None`` if they allow nothing."""

    def __init__(self, root: Any, provider: Provider) -> None:
        self.given = Document(root if isinstance(root, dict) else {})
        self.provider = provider
        self.notes: dict[Note, None] = {}
        self.names: dict[frozenset[str], str] = {}
        self.definitions: dict[str, Node | None] = {}
        self.optional: list[tuple[dict[str, Node], str, list[str]]] = []
        self.nodes = 0
        self.open = ["#"]
        """The definitions that are being written."""

    def whole(self) -> Node:
        """The converted schema. What is nullable is known only at the end, so optional properties wait for it."""
        parts = self.given.parts([""])
        self.names[_identity(parts, frozenset())] = "#"
        node = self.body(parts, frozenset())
        if node is None or node.get("type") != "object":
            what = "a union at the root" if node and "anyOf" in node else "a root that is not an object"
            raise refusal("", what, "put it inside an object, as its only property")
        definitions = {reference: body for reference, body in self.definitions.items() if body is not None}
        for properties, name, places in () if self.provider.leaves_out else self.optional:
            if nullable(properties[name], definitions) and self.given.allows(places, None):
                self.note("narrowed", places[0], "type", f"{name!r} may be null or left out: both are written as null")
            else:
                properties[name] = {**_annotations(self.given.at(places[0])), **optional(properties[name])}
        named = {reference.rpartition("/")[2]: body for reference, body in definitions.items()}
        return {**node, "$defs": named} if named else node

    def write(self, places: list[str], decided: frozenset[str] = frozenset(), base: Parts | None = None) -> Node | None:
        """What ``places`` and ``base`` allow together; ``decided`` are the unions of which a branch is among them."""
        fresh = self.given.parts(places)
        parts = {**(base or {}), **fresh}
        targets = [schema["$ref"] for schema in fresh.values() if "$ref" in schema]
        return self.make_reference(parts, decided, targets[-1]) if targets else self.body(parts, decided)

    def make_reference(self, parts: Parts, decided: frozenset[str], target: str) -> Node | None:
        """A reference to the definition that says what ``parts`` say."""
        identity = _identity(parts, decided)
        if identity not in self.names:
            stem = re.sub(r"[^\w.-]", "_", target.rpartition("/")[2].strip("#")) or "root"
            numbered = chain([stem], (f"{stem}_{number}" for number in count(2)))
            reference = next(name for name in (f"#/$defs/{name}" for name in numbered) if name not in self.definitions)
            self.open.append(reference)
            self.names[identity] = reference
            self.definitions[reference] = {}  # meanwhile
            self.definitions[reference] = self.body(_without_description(parts), decided)
            self.open.pop()
        reference = self.names[identity]
        if reference in self.open and not self.provider.recurs:
            hint = "write out as many levels as you need"
            raise refusal(next(iter(parts)), "a schema that refers to itself", hint)
        return None if self.definitions.get(reference, {}) is None else {"$ref": reference}

    def body(self, parts: Parts, decided: frozenset[str]) -> Node | None:
        """What ``parts`` allow, written out."""
        self.nodes += 1
        if self.nodes > _MOST_NODES:
            hint = "write fewer `anyOf` and `oneOf` side by side"
            raise LimitExceeded(
                "the converted schema grows too large", hint=hint, limit="nodes", value=self.nodes, allowed=_MOST_NODES
            )
        if any("never" in schema for schema in parts.values()):
            return None
        unions = ((place, keyword) for place, schema in parts.items() for keyword in _UNIONS if keyword in schema)
        open_union = next((union for union in unions if "/".join(union) not in decided), None)
        node = self.union(parts, *open_union, decided) if open_union else self.plain(parts)
        if node is None or "$ref" in node:
            return node
        for schema in parts.values():
            node = {**_annotations(schema), **node}
        return node

    def union(self, parts: Parts, place: str, keyword: str, decided: frozenset[str]) -> Node | None:
        """One schema for each branch, merged with the keywords beside the union."""
        branches = [f"{place}/{keyword}/{number}" for number in range(len(parts[place][keyword]))]
        decided |= {f"{place}/{keyword}"}
        if self.given.list_properties(parts) and all(self.restricts(branch, parts) for branch in branches):
            self.note("checked", place, keyword, "which branch holds: none declares a property of its own")
            return self.body(parts, decided)
        pairs = list(combinations(branches, 2))
        if keyword == "oneOf" and (len(pairs) > _MOST_PAIRS or not all(self.given.apart(*pair) for pair in pairs)):
            self.note("checked", place, keyword, "that only one branch holds")
        bare = {place: _without(schema, *ANNOTATIONS) for place, schema in parts.items()}
        return any_of([self.write([branch], decided, bare) for branch in branches])

    def restricts(self, branch: str, base: Parts) -> bool:
        """Whether the schema at ``branch`` only chooses among objects that ``base`` describes."""
        parts = self.given.parts([branch])
        nested = any(keyword in schema for schema in parts.values() for keyword in (*_UNIONS, "never"))
        names = self.given.list_properties(parts).keys()
        return not nested and types_of(parts) in (None, ["object"]) and names <= self.given.list_properties(base).keys()

    def plain(self, parts: Parts) -> Node | None:
        """A value that no union speaks of."""
        if any("enum" in schema or "const" in schema for schema in parts.values()):
            return self.constants(parts)
        types = types_of(parts)
        types = self.guess(parts) if types is None else types
        writers = {"object": self.object, "array": self.array}
        return any_of([writers.get(kind, self.scalar)(parts, kind) for kind in types])

    def guess(self, parts: Parts) -> list[str]:
        """The types that the keywords of ``parts`` speak of, where none says ``type``."""
        used = [keyword for schema in parts.values() for keyword in schema]
        spoken = {CHECKED.get(keyword) for keyword in used}
        types = [kind for kind in _TYPES if kind in spoken or any(key in used for key in _SHAPES.get(kind, ()))]
        if not types:
            raise refusal(next(iter(parts)), "a value of any type", "say which `type` it has")
        self.note("narrowed", next(iter(parts)), "type", f"only {' and '.join(types)}: no type is given")
        return types

    def constants(self, parts: Parts) -> Node | None:
        """Those values of one ``enum`` or ``const`` that all of ``parts`` allow."""
        said = [(place, key) for place, schema in parts.items() for key in schema if key in ASSERTIONS - {"type"}]
        place, keyword = next((place, key) for place, key in said if key in ("enum", "const"))
        values = parts[place]["enum"] if keyword == "enum" else [parts[place]["const"]]
        if any(isinstance(value, dict | list) for value in values):
            hint = "write it as an object whose properties are constants"
            raise refusal(f"{place}/{keyword}", "a constant that is an array or object", hint)
        types = types_of(parts)
        values = [value for value in values if types is None or kind_of(value) in with_integer(types)]
        if len(said) > 1:
            values = [value for value in values if self.given.allows(parts, value)]
        values = list({spell(value): value for value in values}.values())
        kinds = [kind for kind in _TYPES if kind in map(kind_of, values)]
        node: Node = {"type": kinds[0] if len(kinds) == 1 else kinds}
        if not set(kinds) <= self.provider.enums:
            if len(values) < (2 if kinds == ["boolean"] else 1 if kinds == ["null"] else math.inf):
                self.note("checked", place, keyword, f"{self.provider.name} takes no such values")
            return node if values else None
        return {**node, "enum": values} if values else None

    def scalar(self, parts: Parts, kind: str) -> Node | None:
        """A string, a number, a boolean or null."""
        return {"type": kind, **self.assertions(parts, kind)}

    def object(self, parts: Parts, kind: str) -> Node | None:
        """An object, closed, with every property required; `optional` collects those that are not."""
        required = {name: place for place, schema in parts.items() for name in schema.get("required", ())}
        names = self.given.list_properties(parts) | dict.fromkeys(required)
        self.close(parts, names)
        properties: dict[str, Node] = {}
        for name in names:
            places = self.given.of_property(parts, name)
            if not places:
                where = f"{required[name]}/required"
                raise refusal(where, f"{name!r}, required and not declared,", "declare it in `properties`")
            node = self.write(places)
            if node is None and name in required:
                return None
            if node is not None:
                properties[name] = node
                self.optional += [] if name in required else [(properties, name, places)]
        self.assertions(parts, kind)
        needed = [name for name in properties if name in required or not self.provider.leaves_out]
        rest = self.map(parts) if self.provider.has_maps else None
        named = {"properties": properties} if properties or rest is None else {}
        return {"type": kind, **named, "required": needed, "additionalProperties": False if rest is None else rest}

    def map(self, parts: Parts) -> Node | None:
        """What members of other names are, if one schema says so."""
        if not self.is_map(parts):
            return None
        place = next(place for place, schema in parts.items() if "additionalProperties" in schema)
        return self.write([f"{place}/additionalProperties"])

    def is_map(self, parts: Parts) -> bool:
        """Whether one schema says what members of other names are, and no other speaks of them."""
        saying = [schema for schema in parts.values() if schema.keys() & {"additionalProperties", "patternProperties"}]
        return (
            len(saying) == 1
            and isinstance(saying[0].get("additionalProperties"), dict)
            and ("patternProperties" not in saying[0])
        )

    def close(self, parts: Parts, names: Mapping[str, None]) -> None:
        """Say which members are not written because the object is closed."""
        if any(_is_closed(schema) for schema in parts.values()) or (self.provider.has_maps and self.is_map(parts)):
            return
        speaking = [place for place, schema in parts.items() if any(key in schema for key in _SHAPES["object"])]
        place = next(iter(speaking or parts))
        keyword = "patternProperties" if parts[place].get("patternProperties") else "additionalProperties"
        if not names:
            hint = "declare its `properties`, or write an array of objects with `key` and `value`"
            raise refusal(f"{place}/{keyword}" if keyword in parts[place] else place, "an object of any names", hint)
        self.note("narrowed", place, keyword, "only declared properties are written")

    def array(self, parts: Parts, kind: str) -> Node | None:
        """An array of one kind of item."""
        tuples = {place: keyword for place, schema in parts.items() if (keyword := _tuple_keyword(schema))}
        kinds, most = self.items(parts, tuples)
        nodes = {_sameness(node): node for node in map(self.write, kinds) if node is not None}
        node: Node = {"type": kind, "items": any_of(nodes.values()) or {"type": "null"}, **self.assertions(parts, kind)}
        if len(nodes) > 1 or len(tuples) > 1:
            for place, keyword in tuples.items():
                self.note("checked", place, keyword, "which item is at which position")
        most = most if nodes else 0
        if most is not None:
            node["maxItems"] = min(node.get("maxItems", most), most)
        if node.get("minItems", 0) > node.get("maxItems", node.get("minItems", 0)):
            return None
        if "maxItems" in node and "maxItems" not in self.provider.keywords["array"]:
            bound = node.pop("maxItems")
            place, keyword = next(iter(tuples.items()), (next(iter(parts)), "items"))
            self.note("checked", place, keyword, f"that there are at most {bound} items")
        return node

    def items(self, parts: Parts, tuples: Mapping[str, str]) -> tuple[list[list[str]], int | None]:
        """The places that speak of an item, for each kind of item, and how many items there are at most."""
        common = [f"{place}/items" for place, schema in parts.items() if "items" in schema and place not in tuples]
        if not tuples and not common:
            raise refusal(next(iter(parts)), "an array of anything", "say in `items` what an item is")
        if not tuples:
            return [common], None
        place, keyword = next(iter(tuples.items()))
        rest = "items" if keyword == "prefixItems" else "additionalItems"
        length = len(parts[place][keyword])
        steps = [f"{keyword}/{number}" for number in range(length)]
        if isinstance(parts[place].get(rest), dict):
            return [[f"{place}/{step}", *common] for step in [*steps, rest]], None
        ends = any(schema.get("maxItems", length + 1) <= length for schema in parts.values())
        if parts[place].get(rest) is not False and not ends:
            self.note("narrowed", place, keyword, f"at most {length} items: nothing says what the others are")
        return [[f"{place}/{step}", *common] for step in steps], length

    def assertions(self, parts: Parts, kind: str) -> Node:
        """The keywords about a ``kind`` that the provider reads; the others are noted."""
        kept: Node = {}
        abouts = ("", "number" if kind == "integer" else kind)
        for place, schema in parts.items():
            for keyword, value in schema.items():
                spoken = CHECKED.get(keyword) in abouts and not _says_nothing(keyword, value, alone=len(parts) == 1)
                if spoken and not self.keep(kept, kind, keyword, value):
                    how = "may read it otherwise" if kept.get(keyword) == value else "is not told"
                    self.note("checked", place, keyword, f"{self.provider.name} {how}: {json.dumps(value)[:60]}")
        return kept

    def keep(self, kept: Node, kind: str, keyword: str, value: Any) -> bool:
        """Whether the provider can be told, and reads it as we do; then ``kept`` tells it."""
        if keyword == "format" and value not in self.provider.formats:
            return value not in FORMATS
        if keyword == "minItems" and self.provider.fewest is not None and value not in self.provider.fewest:
            return False
        told = keyword in self.provider.keywords.get(kind, ()) and not (keyword in _STRICTER and value is True)
        if not told or (keyword == "pattern" and not _is_portable(value)):
            return False
        if keyword in kept and keyword in _STRICTER:
            value = kept[keyword] = _STRICTER[keyword](kept[keyword], value)
        return bool(kept.setdefault(keyword, value) == value) and not (keyword == "pattern" and _CLASSES.search(value))

    def note(self, kind: str, pointer: str, keyword: str, why: str) -> None:
        self.notes[Note(pointer, keyword, kind, why)] = None


def _annotations(schema: Node) -> Node:
    return {keyword: schema[keyword] for keyword in ANNOTATIONS if keyword in schema}


def _without_description(parts: Parts) -> Parts:
    """``parts`` as a definition for all who refer to it: without the description of one of them."""
    return {
        place: schema if schema.keys() & ASSERTIONS else _without(schema, *ANNOTATIONS)
        for place, schema in parts.items()
    }


def _identity(parts: Parts, decided: frozenset[str]) -> frozenset[str]:
    """What ``parts`` say, to know it again: the keywords that say something, and the unions that are decided."""
    keywords = {
        place: {f"{place}/{key}" for key in schema.keys() & {*ASSERTIONS, "never"}} for place, schema in parts.items()
    }
    saying = {place: unions & decided for place, unions in keywords.items() if unions - decided}
    return frozenset(saying).union(*saying.values())


def _without(schema: Node, *keywords: str) -> Node:
    return {keyword: value for keyword, value in schema.items() if keyword not in keywords}


def _sameness(node: Node) -> str:
    """Equal for equal nodes without objects, whose optional properties are not known yet."""
    text = json.dumps(node)
    return f"{id(node)}" if '"properties"' in text else text


def _tuple_keyword(schema: Node) -> str | None:
    """The keyword that speaks of items by their place."""
    if isinstance(schema.get("items"), list):
        return "items"
    return "prefixItems" if schema.get("prefixItems") else None


def _is_closed(schema: Node) -> bool:
    rest = schema.get("additionalProperties", schema.get("unevaluatedProperties", True))
    return rest is False and not schema.get("patternProperties")


def _says_nothing(keyword: str, value: Any, *, alone: bool) -> bool:
    """Whether the keyword forbids nothing; what is ``unevaluated`` is shut out anyway where no other place speaks."""
    if value is False:
        return keyword in ("uniqueItems", "not", *_STRICTER) or (keyword.startswith("unevaluated") and alone)
    return value == 0 and keyword in ("minLength", "minProperties")


@cache
def _is_portable(pattern: str) -> bool:
    """Whether an engine without look-around reads the pattern."""
    try:
        regex(pattern)
    except FormwrightError:
        return False
    return True
