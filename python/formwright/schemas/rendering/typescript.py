r"""A JSON Schema as TypeScript: interfaces and types, with comments for what a type cannot say.

::

    from formwright.schemas.rendering import gather

    schema = '{"title": "Box", "type": "object", "properties": {"size": {"type": "integer", "minimum": 0}}}'
    typescript(gather(schema, {}))    # 'interface Box {\n  size?: number; // integer, at least 0\n}'

Cost: a walk over the schema. Whether an object may have other fields is said in a comment, unless all are
closed, which the text around it says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from formwright.schemas.rendering.gathering import Document, Schema, compact, types_of
from formwright.schemas.rendering.outline import closes_all
from formwright.schemas.rendering.words import description_of, remarks, show_name

__all__ = ["typescript"]

_PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}
_APPLICATORS = ("$ref", "allOf", "anyOf", "oneOf", "const", "enum")


def typescript(document: Document) -> str:
    """The types of a document, the root first."""
    writer = _Writer(document, closes_all(document))
    named = {document.name: document.root, **document.definitions}
    return "\n\n".join(writer.declare_type(name, schema) for name, schema in named.items())


@dataclass(frozen=True, slots=True)
class _Typed:
    """A type, and what it cannot say."""

    text: str
    remarks: tuple[str, ...] = ()
    is_simple: bool = True
    is_union: bool = False

    @property
    def operand(self) -> str:
        """The type as a part of another one."""
        return self.text if self.is_simple else f"({self.text})"

    @property
    def short(self) -> str:
        """The type in a comment."""
        return "object" if "\n" in self.text else self.text


@dataclass(frozen=True, slots=True)
class _Writer:
    document: Document
    closes_all: bool

    def declare_type(self, name: str, schema: Schema) -> str:
        """A named type."""
        typed = self.write_type(schema)
        is_object = isinstance(schema, dict) and types_of(schema) == ["object"] and "properties" in schema
        if is_object and not any(keyword in schema for keyword in _APPLICATORS):  # type: ignore[operator]
            first, _, rest = typed.text.partition("\n")
            text = f"interface {name} {_add_remarks(first, typed.remarks)}" + (f"\n{rest}" if rest else "")
        else:
            text = _add_remarks(f"type {name} = {typed.text};", typed.remarks)
        described = description_of(schema)
        return f"// {described}\n{text}" if described else text

    def write_type(self, schema: Schema) -> _Typed:
        """A schema as a type."""
        if isinstance(schema, bool):
            return _Typed("unknown" if schema else "never")
        parts = [_Typed(self._name(schema["$ref"]))] if "$ref" in schema else []
        parts += [self._own(schema)]
        parts += [self.write_type(part) for part in schema.get("allOf", ())]
        if "anyOf" in schema:
            parts += [_union([self.write_type(part) for part in schema["anyOf"]])]
        if "oneOf" in schema:
            parts += [_exactly_one(_union([self.write_type(part) for part in schema["oneOf"]]), len(schema["oneOf"]))]
        return _intersection(parts)

    def _name(self, reference: str) -> str:
        if self.document.target(reference) is None:  # such as a meta-schema
            return f"unknown /* {reference} */"
        return self.document.name_of(reference)

    def _own(self, schema: Mapping[str, Any]) -> _Typed:
        said = tuple(remarks(schema))
        if "const" in schema:
            return _Typed(compact(schema["const"]), said)
        if "enum" in schema:
            values = schema["enum"]
            return _Typed(" | ".join(map(compact, values)) or "never", said, len(values) < 2, is_union=True)
        types = types_of(schema)
        if not types:
            return _Typed("unknown", said)
        typed = [self._of_type(type_, schema) for type_ in types]
        whole = _union(typed) if len(typed) > 1 else typed[0]
        return replace(whole, remarks=(*said, *whole.remarks) if "array" in types else (*whole.remarks, *said))

    def _of_type(self, type_: str, schema: Mapping[str, Any]) -> _Typed:
        if type_ == "object":
            return self._object(schema)
        if type_ == "array":
            return self._tuple(schema) if "prefixItems" in schema else self._array(schema)
        return _Typed(_PLAIN[type_], ("integer",) if type_ == "integer" else ())

    def _object(self, schema: Mapping[str, Any]) -> _Typed:
        properties, required = schema.get("properties", {}), schema.get("required", ())
        members = [self._member(_key(name), inner, name in required) for name, inner in properties.items()]
        for pattern, inner in schema.get("patternProperties", {}).items():
            members += [self._member("[key: string]", inner, True, f"names that match {show_name(pattern)}")]
        said = tuple(f"has the field {show_name(name)}" for name in required if name not in properties)
        others = schema.get("additionalProperties", True)
        if isinstance(others, dict):
            members += [self._member("[key: string]", others, True, *(["all other names"] if members else []))]
        elif not others and not (self.closes_all and properties):
            said += ("no other fields",)
        if not members:
            return _Typed("Record<string, unknown>" if others else "{}", said)
        return _Typed("{\n" + "\n".join(map(_indent, members)) + "\n}", said)

    def _member(self, key: str, schema: Schema, is_required: bool, *more: str) -> str:
        typed = self.write_type(schema)
        line = _add_remarks(f"{key}{'' if is_required else '?'}: {typed.text};", (*more, *typed.remarks))
        described = description_of(schema)
        return f"// {described}\n{line}" if described else line

    def _array(self, schema: Mapping[str, Any]) -> _Typed:
        items = schema.get("items", True)
        typed = self.write_type(items)
        said = tuple(f"each item {remark}" for remark in typed.remarks)
        described = description_of(items)
        return _Typed(f"{typed.operand}[]", (*said, f"each item: {described}") if described else said)

    def _tuple(self, schema: Mapping[str, Any]) -> _Typed:
        typed = [self.write_type(item) for item in schema["prefixItems"]]
        least = schema.get("minItems", 0)
        texts = [item.operand + ("" if at < least else "?") for at, item in enumerate(typed)]
        described = [description_of(item) for item in schema["prefixItems"]]
        said = [f"item {at} {remark}" for at, item in enumerate(typed, 1) for remark in item.remarks]
        said += [f"item {at}: {text}" for at, text in enumerate(described, 1) if text]
        items = schema.get("items", True)
        if items is not False and schema.get("maxItems") != len(typed):
            further = self.write_type(items)
            texts += [f"...{further.operand}[]"]
            said += [f"each further item {remark}" for remark in further.remarks]
        return _Typed(f"[{', '.join(texts)}]", tuple(said))


def _union(types: Sequence[_Typed]) -> _Typed:
    """One of some types. A remark on one of several says which."""
    some = [typed for typed in types if typed.text != "null"]
    texts = list(dict.fromkeys(typed.text for typed in [*some, *(typed for typed in types if typed.text == "null")]))
    if len(some) == 1:
        said = some[0].remarks
    else:
        said = tuple(f"as {typed.short}: {', '.join(typed.remarks)}" for typed in some if typed.remarks)
    return _Typed(" | ".join(texts), said, is_simple=len(texts) == 1 and types[0].is_simple, is_union=True)


def _exactly_one(typed: _Typed, count: int) -> _Typed:
    return replace(typed, remarks=(*typed.remarks, "exactly one of these")) if count > 1 else typed


def _intersection(types: Sequence[_Typed]) -> _Typed:
    """All of some types at once."""
    some = {typed.text: typed for typed in types if typed.text != "unknown"}
    said = tuple(dict.fromkeys(remark for typed in types for remark in typed.remarks))
    if len(some) < 2:
        return replace(next(iter(some.values()), _Typed("unknown")), remarks=said)
    texts = (typed.operand if typed.is_union else typed.text for typed in some.values())
    return _Typed(" & ".join(texts), said, is_simple=False)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_$][\w$]*", name, re.ASCII) else compact(name)


def _add_remarks(line: str, said: Sequence[str]) -> str:
    """A line with a comment."""
    return f"{line} // {', '.join(said)}" if said else line


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
