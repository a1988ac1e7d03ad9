"""A JSON Schema as lines in words.

::

    from formwright.schemas.rendering import gather

    schema = '{"properties": {"name": {"type": "string"}, "age": {"minimum": 0}}, "required": ["name"]}'
    outline = outline_of(gather(schema, {}))
    [line.text for line in outline.root.children]   # ['name (string)', 'age (number, at least 0, optional)']

A line is a field, an item of a tuple or a branch of a union, with the lines of what is inside it. A definition that is
used once is where it is used; one that is used more often, or inside itself, has lines of its own, and is called
by its name.

Cost: a walk over the schema. All parts of an ``allOf`` are told one after the other, so a field may have
two lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from formwright.schemas.rendering.gathering import Document, Schema, compact, types_of
from formwright.schemas.rendering.words import description_of, list_values, remarks, show_name

__all__ = ["PLAIN", "Line", "Outline", "closes_all", "outline_of", "paths"]

PLAIN = ("string", "integer", "number", "boolean", "object", "array")
"""The types that have one word."""

_ANY = "any JSON value"
_QUOTED_REFERENCE = re.compile(r'"\$ref":"#/\$defs/(\w+)"')


@dataclass(frozen=True, slots=True)
class Line:
    """A field, an item or a branch.

    Attributes:
        name: What it is called.
        what: Its type.
        remarks: Its constraints.
        description: What it is for, or ``""``.
        children: What is inside it.
        is_branch: Whether it is one of several that the line above it may be.
        is_list: Whether the children are inside each of its items.
    """

    name: str = ""
    what: str = _ANY
    remarks: tuple[str, ...] = ()
    description: str = ""
    children: tuple[Line, ...] = ()
    is_branch: bool = False
    is_list: bool = False

    @property
    def text(self) -> str:
        """The line, without what is inside."""
        said = ", ".join((self.what, *self.remarks))
        head = f"{self.name} ({said})" if self.name else said
        return f"{head}: {self.description}" if self.description else head


@dataclass(frozen=True, slots=True)
class Outline:
    """A schema in lines: the root, and the definitions that have lines of their own."""

    root: Line
    definitions: tuple[Line, ...]


def outline_of(document: Document) -> Outline:
    """The lines of a document."""
    teller = _Teller(document, _told_apart(document), closes_all(document))
    root = replace(teller.describe_schema(document.root), name="")
    own = [
        replace(teller.describe_schema(document.definitions[name]), name=name)
        for name in teller.apart
        if name != document.name
    ]
    return Outline(root, tuple(own))


def closes_all(document: Document) -> bool:
    """Whether no object with declared fields has others."""
    objects = [schema for schema in document.walk() if "properties" in schema]
    return bool(objects) and all(schema.get("additionalProperties") is False for schema in objects)


def _told_apart(document: Document) -> list[str]:
    """The definitions that have lines of their own: those used more than once, inside themselves, or in a quotation."""
    uses = Counter(schema["$ref"] for schema in document.walk() if "$ref" in schema)
    inside_of = {name: _references(schema) for name, schema in document.definitions.items()}
    quoted = set(_QUOTED_REFERENCE.findall(" ".join(said for schema in document.walk() for said in remarks(schema))))

    def is_apart(name: str) -> bool:
        return uses[f"#/$defs/{name}"] > 1 or name in quoted or _meets_itself(name, inside_of)

    return [name for name in document.definitions if is_apart(name)]


def _references(schema: Schema) -> set[str]:
    """The names of the definitions that a schema refers to."""
    found = (inner["$ref"] for inner in Document(schema, {}, "").walk() if "$ref" in inner)
    return {reference.removeprefix("#/$defs/") for reference in found}


def _meets_itself(name: str, inside_of: Mapping[str, set[str]]) -> bool:
    """Whether a definition is inside itself."""
    seen, waiting = {name}, [name]
    while waiting:
        found = inside_of.get(waiting.pop(), set())
        if name in found:
            return True
        waiting += found - seen
        seen |= found
    return False


@dataclass(frozen=True, slots=True)
class _Teller:
    document: Document
    apart: Sequence[str]
    closes_all: bool

    def describe_schema(self, schema: Schema) -> Line:
        """A schema as a line without a name."""
        if isinstance(schema, bool):
            return Line() if schema else Line(what="never")
        own = {key: value for key, value in schema.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")}
        lines = [self._reference(schema["$ref"])] if "$ref" in schema else []
        lines += [self._own(own)]
        lines += [self.describe_schema(part) for part in schema.get("allOf", ())]
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                lines += [self._union(schema[keyword], exactly=keyword == "oneOf")]
        return _together(lines, description_of(schema))

    def _reference(self, reference: str) -> Line:
        target, name = self.document.target(reference), self.document.name_of(reference)
        if target is None or reference == "#" or name in self.apart:
            return Line(what=name)
        return replace(self.describe_schema(target), name=name)

    def _own(self, schema: Mapping[str, Any]) -> Line:
        """What the keywords say that are about this value itself."""
        said = tuple(remarks(schema))
        if "const" in schema:
            return Line(what=compact(schema["const"]), remarks=said)
        if "enum" in schema:
            return Line(what=f"one of {list_values(schema['enum'])}", remarks=said)
        lines = [self._of_type(type_, schema) for type_ in types_of(schema)]
        if not lines:
            return Line(remarks=said)
        whole = _either(lines) if len(lines) > 1 else lines[0]
        return replace(whole, remarks=(*said, *whole.remarks))

    def _of_type(self, type_: str, schema: Mapping[str, Any]) -> Line:
        if type_ == "object":
            return self._object(schema)
        return self._array(schema) if type_ == "array" else Line(what=type_)

    def _object(self, schema: Mapping[str, Any]) -> Line:
        properties, required = schema.get("properties", {}), schema.get("required", ())
        fields = [self._field(name, inner, name in required) for name, inner in properties.items()]
        for pattern, inner in schema.get("patternProperties", {}).items():
            fields += [replace(self.describe_schema(inner), name=f"any field whose name matches {show_name(pattern)}")]
        said = [f"has the field {show_name(name)}" for name in required if name not in properties]
        others = schema.get("additionalProperties", True)
        if others is False and not (self.closes_all and properties):
            said += ["no other fields" if fields else "no fields"]
        elif isinstance(others, dict):
            told = self.describe_schema(others)
            if not fields and not told.children:
                each = tuple(f"each value {remark}" for remark in told.remarks)
                return Line(what=_of("object", "value", told.what), remarks=(*said, *each))
            fields += [replace(told, name="any other field" if fields else "any field")]
        return Line(what="object", remarks=tuple(said), children=tuple(fields))

    def _field(self, name: str, schema: Schema, is_required: bool) -> Line:
        line = self.describe_schema(schema)
        said = line.remarks if is_required else (*line.remarks, "optional")
        return replace(line, name=show_name(name), remarks=said)

    def _array(self, schema: Mapping[str, Any]) -> Line:
        items = schema.get("items", True)
        if "prefixItems" in schema:
            named = [
                replace(self.describe_schema(item), name=f"item {at}")
                for at, item in enumerate(schema["prefixItems"], 1)
            ]
            further = (
                [] if isinstance(items, bool) else [replace(self.describe_schema(items), name="each further item")]
            )
            return Line("", "array", ("no further items",) if items is False else (), "", (*named, *further))
        told = self.describe_schema(items)
        if items is True:
            return Line(what="array")
        each = tuple(f"each item {remark}" for remark in told.remarks)
        each += (f"each item: {told.description}",) if told.description else ()
        return Line(
            what=_of("array", "item", told.what), remarks=each, children=told.children, is_list=bool(told.children)
        )

    def _union(self, schemas: Sequence[Schema], *, exactly: bool) -> Line:
        lines = [self.describe_schema(schema) for schema in schemas]
        line = _either(lines)
        return replace(line, remarks=(*line.remarks, "exactly one of these")) if exactly and len(lines) > 1 else line


def _of(whole: str, part: str, what: str) -> str:
    """A whole whose parts are all of one type: ``array of strings``, ``array, each item string or null``."""
    named = f"{what}s" if what in PLAIN else what
    return f"{whole}, each {part} {what}" if " " in what and what != _ANY else f"{whole} of {named}"


def _either(lines: Sequence[Line]) -> Line:
    """One of some lines: in one line where that is clear, else a line for each."""
    some = [line for line in lines if line.what != "null"]
    null = " or null" if len(some) < len(lines) else ""
    if len(some) == 1:
        return replace(some[0], what=some[0].what + null)
    if not any(line.children or line.description for line in some):
        told = [f"{line.what} ({', '.join(line.remarks)})" if line.remarks else line.what for line in some]
        return Line(what=" or ".join(told) + null)
    branches = tuple(replace(line, is_branch=True) for line in some)
    return Line(what=f"one of the following{null}", children=branches)


def _together(lines: Sequence[Line], description: str) -> Line:
    """All of some lines at once."""
    whats = list(dict.fromkeys(line.what for line in lines if line.what != _ANY))
    if "integer" in whats and "number" in whats:
        whats.remove("number")
    return Line(
        name=next((line.name for line in lines if line.name), ""),
        what=" and ".join(whats) or _ANY,
        remarks=tuple(dict.fromkeys(remark for line in lines for remark in line.remarks)),
        description=description or next((line.description for line in lines if line.description), ""),
        children=tuple(child for line in lines for child in line.children),
        is_list=any(line.is_list for line in lines),
    )


def paths(line: Line, prefix: str = "") -> Iterator[tuple[str, Line]]:
    """Every line below a line, with its path; a branch is ``as`` its name there."""
    for child in line.children:
        path = (
            f"{prefix} as {child.name or child.what}".strip()
            if child.is_branch
            else f"{prefix}.{child.name}".removeprefix(".")
        )
        yield path, child
        yield from paths(child, f"{path}[]" if child.is_list else path)
