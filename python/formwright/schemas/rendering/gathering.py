"""A JSON Schema as one flat document without noise.

::

    schema = '{"items": {"$ref": "#/definitions/B"}, "definitions": {"B": {"title": "b", "const": 1}}}'
    gather(schema, {}).schema()   # {'items': {'$ref': '#/$defs/B'}, '$defs': {'B': {'const': 1}}}

Every reference, by pointer, anchor, id or through the registry, leads to ``#/$defs/<name>`` or to the root, ``#``. All
dialects are said in the keywords of 2020-12. What says nothing about an answer is left out: titles that repeat a name,
empty defaults, ids, unknown keys.

Cost: a walk over the schema. A dynamic reference is followed to where it leads by itself, whatever the
schemas around it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urljoin

from formwright._kernel import json_schema_keywords
from formwright.forms.pointers import steps_of

__all__ = ["Document", "Schema", "compact", "gather", "inside", "types_of"]

Schema = dict[str, Any] | bool

_ONE = (
    "items",
    "additionalProperties",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
)
_LIST = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "dependentSchemas")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_NOISE = {
    *("$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$comment", "$vocabulary"),
    *("$defs", "definitions", "readOnly", "writeOnly", "deprecated", "discriminator"),
}
_KEPT = {keyword for keyword, *_ in json_schema_keywords()} - _NOISE
_ANNOTATIONS = {"title", "description", "default", "examples", "example"}
_LEGACY = re.compile(r"draft-?0?[3467]\b|^0?[3467]$")

_KEYWORDS_OF: Mapping[str, tuple[str, ...]] = {
    "object": (
        *("properties", "required", "patternProperties", "additionalProperties", "minProperties", "maxProperties"),
        *("propertyNames", "dependentRequired", "dependentSchemas", "unevaluatedProperties"),
    ),
    "array": (*("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems"),),
    "string": ("minLength", "maxLength", "pattern", "format", "x-one-of-text", "contentEncoding", "contentMediaType"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""Which keywords speak of which type: what a schema without ``type`` is about."""


@dataclass(frozen=True, slots=True)
class Document:
    """A schema and the definitions it refers to.

    Attributes:
        root: The schema.
        definitions: Those that something refers to, by name.
        name: What the root is called; no definition has this name.
        title: The title of the root, if it has one.
    """

    root: Schema
    definitions: Mapping[str, Schema]
    name: str
    title: str = ""

    def target(self, reference: str) -> Schema | None:
        """What a reference of this document leads to; ``None`` if it leads out of it."""
        if reference == "#":
            return self.root
        return self.definitions.get(reference.removeprefix("#/$defs/"))

    def name_of(self, reference: str) -> str:
        """What it is called."""
        return self.name if reference == "#" else reference.removeprefix("#/$defs/")

    def schema(self) -> Schema:
        """All of it as one JSON Schema."""
        if isinstance(self.root, bool):
            return self.root
        titled = {"title": self.title} if self.title else {}
        return {**titled, **self.root, **({"$defs": dict(self.definitions)} if self.definitions else {})}

    def walk(self) -> Iterator[dict[str, Any]]:
        """Every schema in it that is an object."""
        for schema in (self.root, *self.definitions.values()):
            yield from _walk(schema)


def compact(value: Any) -> str:
    """JSON in one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def types_of(schema: Mapping[str, Any]) -> list[str]:
    """The types that a schema is about; empty if it is about all of them."""
    given = schema.get("type", [])
    if given:
        return [given] if isinstance(given, str) else list(given)
    return [type_ for type_, keywords in _KEYWORDS_OF.items() if any(keyword in schema for keyword in keywords)]


def inside(schema: Mapping[str, Any]) -> Iterator[Schema]:
    """The schemas directly inside a schema."""
    for keyword, value in schema.items():
        if keyword in _ONE:
            yield value
        elif keyword in _LIST:
            yield from value
        elif keyword in _NAMED:
            yield from value.values()


def _walk(schema: Schema) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for inner in inside(schema):
            yield from _walk(inner)


def gather(text: str, options: Mapping[str, Any]) -> Document:
    """The schema ``text``, which the kernel has read with ``options``, as one document."""
    whole = json.loads(text)
    if isinstance(whole, bool):
        return Document(whole, {}, "Answer")
    gatherer = _Gatherer(options, dialect=str(whole.get("$schema") or options.get("dialect") or ""))
    gatherer.index(whole, "")
    root, base, name = gatherer.root(whole)
    name = _identifier(root.get("title") or name) or "Answer"
    gatherer.names[id(root)] = "#"
    gatherer.used.add(name)
    return Document(gatherer.read(root, base, name), gatherer.definitions, name, root.get("title") or "")


def _identifier(text: str) -> str:
    """A text as a name of a type."""
    name = re.sub(r"\W+", "_", text).strip("_")
    return f"_{name}" if name[:1].isdigit() else name


@dataclass(slots=True)
class _Gatherer:
    """Reads schemas, and gives what they refer to a name.

    Attributes:
        names: The reference to a schema that has one, by its identity.
        resources: Schemas by their URI.
        anchors: Schemas by URI and anchor.
    """

    options: Mapping[str, Any]
    dialect: str
    names: dict[int, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    definitions: dict[str, Schema] = field(default_factory=dict)
    resources: dict[str, Any] = field(default_factory=dict)
    anchors: dict[tuple[str, str], Any] = field(default_factory=dict)

    @property
    def is_legacy(self) -> bool:
        """Whether the dialect is one in which nothing beside a ``$ref`` has an effect."""
        return bool(_LEGACY.search(self.dialect))

    @property
    def id_keyword(self) -> str:
        """The keyword that moves the base."""
        return "id" if re.search(r"draft-?0?4\b|^0?4$", self.dialect) else "$id"

    def find_base(self, node: Any, base: str) -> str:
        """The base inside a schema."""
        own = node.get(self.id_keyword) if isinstance(node, dict) else None
        is_base = isinstance(own, str) and not own.startswith("#")
        return urljoin(base, own).removesuffix("#") if is_base else base

    def index(self, node: Any, base: str) -> None:
        """Note the ids and anchors of a schema and of all inside it."""
        if isinstance(node, list):
            for item in node:
                self.index(item, base)
        if not isinstance(node, dict):
            return
        if not base:
            self.resources.setdefault(base, node)
        base = self.find_base(node, base)
        self.resources.setdefault(base, node)
        for keyword in ("$anchor", "$dynamicAnchor", "$id", "id"):
            anchor = node.get(keyword)
            if isinstance(anchor, str) and (keyword.endswith("nchor") or anchor.startswith("#")):
                self.anchors.setdefault((base, anchor.removeprefix("#")), node)
        for keyword, value in node.items():
            if keyword not in ("enum", "const", "default", "examples", "example"):
                self.index(value, base)

    def root(self, node: dict[str, Any]) -> tuple[dict[str, Any], str, str]:
        """What is meant by a whole schema, its base and name: a definition, if it does nothing but refer to one."""
        base = self.find_base(node, "")
        if node.keys() & _KEPT != {"$ref"}:
            return node, base, ""
        target, where = self._resolve(node["$ref"], base)
        is_other = isinstance(target, dict) and target is not node
        return (target, where, _last(node["$ref"])) if is_other else (node, base, "")

    def read(self, node: Any, base: str, name: str = "") -> Schema:
        """A schema without noise; ``name`` is what it is called where it is."""
        if isinstance(node, bool):
            return node
        base = self.find_base(node, base)
        read: dict[str, Any] = {}
        only = _ANNOTATIONS | {"$ref"} if self.is_legacy and "$ref" in node else _KEPT  # all else has no effect there
        for keyword, value in node.items():
            if keyword in only and keyword not in _REFERENCES:
                self._keyword(read, keyword, value, base)
        for keyword in _REFERENCES:
            if keyword in node and keyword in only:
                self._reference(read, node[keyword], base)
        return self._tidy(read, name)

    def _keyword(self, read: dict[str, Any], keyword: str, value: Any, base: str) -> None:
        if keyword == "items" and isinstance(value, list):
            read["prefixItems"] = [self.read(item, base) for item in value]
        elif keyword == "additionalItems":
            if "prefixItems" in read:
                read["items"] = self.read(value, base)
        elif keyword == "dependencies":
            for name, needed in value.items():
                if isinstance(needed, list):
                    read.setdefault("dependentRequired", {})[name] = needed
                else:
                    read.setdefault("dependentSchemas", {})[name] = self.read(needed, base)
        elif keyword in _ONE:
            read[keyword] = self.read(value, base)
        elif keyword in _LIST:
            read[keyword] = [self.read(item, base) for item in value]
        elif keyword in _NAMED:
            named = keyword == "properties"
            read[keyword] = {name: self.read(item, base, name if named else "") for name, item in value.items()}
        else:
            read[keyword] = value

    def _reference(self, read: dict[str, Any], reference: str, base: str) -> None:
        target, where = self._resolve(reference, base)
        if isinstance(target, bool):
            if not target:
                read["not"] = {}
            return
        name = reference if target is None else self._reference_to(target, where, reference)
        if "$ref" in read:
            read.setdefault("allOf", []).append({"$ref": name})
        else:
            read["$ref"] = name

    def _reference_to(self, target: Any, base: str, reference: str) -> str:
        """The reference to a definition, which is read when it is first met."""
        if id(target) not in self.names:
            wanted = _identifier(_last(reference)) or _identifier(target.get("title") or "") or "Definition"
            numbered = (f"{wanted}{number or ''}" for number in [0, *range(2, len(self.used) + 3)])
            name = next(name for name in numbered if name not in self.used)
            self.used.add(name)
            self.names[id(target)] = f"#/$defs/{name}"
            self.definitions[name] = True  # its place, in the order in which definitions are met
            self.definitions[name] = self.read(target, base, name)
        return self.names[id(target)]

    def _resolve(self, reference: str, base: str) -> tuple[Any, str]:
        """What a reference leads to and the base there; ``None`` if that is not at hand, such as a meta-schema."""
        uri, _, fragment = reference.partition("#")
        where = urljoin(base, uri) if uri else base
        if where not in self.resources:
            registry = self.options.get("registry") or {}
            text = registry.get(where, registry.get(f"{where}#"))
            if text is None:
                return None, where
            document = json.loads(text)
            self.resources[where] = document
            self.index(document, where)
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self.anchors.get((where, fragment)), where
        return self._at(self.resources[where], fragment, where)

    def _at(self, node: Any, pointer: str, base: str) -> tuple[Any, str]:
        """What a JSON Pointer leads to, and the base there."""
        for name in steps_of(pointer):
            node = node[int(name)] if isinstance(node, list) else node.get(name)
            base = self.find_base(node, base)
        return node, base

    def _tidy(self, read: dict[str, Any], name: str) -> dict[str, Any]:
        if "title" in read and _bare(read["title"]) == _bare(name):
            del read["title"]
        if "default" in read and read["default"] in (None, "", [], {}) and read["default"] is not False:
            del read["default"]
        for bound, other in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if isinstance(read.get(bound), bool):  # draft 4
                exclusive = read.pop(bound)
                if exclusive and other in read:
                    read[bound] = read.pop(other)
        pattern = (self.options.get("formats") or {}).get(read.get("format"))
        if pattern is not None and "pattern" in read:
            read.setdefault("allOf", []).append({"pattern": f"^(?:{pattern})$"})
        elif pattern is not None:
            read["pattern"] = f"^(?:{pattern})$"
        most = self.options.get("max_items")
        if most is not None and "array" in types_of(read):
            read.setdefault("maxItems", most)
        return read


def _last(reference: str) -> str:
    """What a reference calls its target."""
    return re.split(r"[/#:]", unquote(reference).rstrip("#/"))[-1]


def _bare(text: Any) -> str:
    return re.sub(r"[\W_]+", "", str(text)).casefold()
