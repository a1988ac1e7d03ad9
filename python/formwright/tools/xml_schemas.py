r"""Arguments in the tags of a family of models: each by its name, its value as text, as JSON, or in tags again.

::

    make_xml_language({"properties": {"city": {"type": "string"}}}, "qwen_xml")
    # <parameter=city>New York</parameter>, with white space before and after each tag

The rows of `STYLES` are the styles of structural tags. A string has no quotes, so it cannot hold the tag that ends it;
where a schema allows a string and something else, the string is what is written, unless the tag says the type.

Cost: one language for each argument.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, or_
from typing import Any

from formwright._kernel import Language
from formwright.errors import SchemaError, UnsupportedKeyword
from formwright.forms.form import Form
from formwright.forms.grammars import grammar
from formwright.forms.json_forms import json_schema
from formwright.forms.pointers import escape_step
from formwright.forms.readers import plain
from formwright.forms.texts import regex
from formwright.tools.tag_schemas import close_objects, exclude_texts
from formwright.tools.tagged import ANNOTATIONS, SAYS_STRING, SAYS_TYPE, make_raw_string, resolve_reference

__all__ = ["STYLES", "XmlStyle", "check_keywords", "kind_of", "make_xml_language", "options_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class XmlStyle:
    """How one family writes arguments.

    Attributes:
        head: What is before a value: texts with white space between them. ``{name}`` stands for its name, ``{type}``
            for its type, which ``types`` spells.
        tail: What is after the value.
        stop: What a string cannot hold, if that is not ``tail``.
        types: How the type of a value is said: by the type of JSON, for ``""`` the others.
        says_one: Whether a value that may have several types says the type it has; if not, it may say any.
        pads_strings: Whether white space may be around a string that is not any string.
        pads: Whether white space may be around other values.
        item: What is before an item of an array, where objects and arrays are tags, too.
        names: A pattern of names that are not declared.
        escapes: Characters of names that are written in another way.
    """

    head: tuple[str, ...]
    tail: str
    stop: str = ""
    types: Mapping[str, str] | None = None
    says_one: bool = True
    pads_strings: bool = True
    pads: bool = True
    item: str = ""
    names: str = "[a-zA-Z_][a-zA-Z0-9_]*"
    escapes: Mapping[str, str] | None = None

    def say_types(self, kind: str | None) -> list[str]:
        """What may stand for ``{type}`` where a value is of a type of JSON, or of several (``None``)."""
        types = self.types or {"": ""}
        if kind is None and not self.says_one:
            return list(_KINDS)
        return [types.get(kind or "", types[""])]


_KINDS = ("string", "number", "integer", "boolean", "object", "array", "null")


def _make_dsml(space: str) -> XmlStyle:
    """DeepSeek's tags, which have a space after their mark in the later version."""
    return XmlStyle(
        head=(f'<｜DSML｜{space}parameter name="{{name}}" string="{{type}}">',),
        tail=f"</｜DSML｜{space}parameter>",
        types=SAYS_STRING,
        pads_strings=False,
    )


STYLES: Mapping[str, XmlStyle] = {
    "qwen_xml": XmlStyle(head=("<parameter={name}>",), tail="</parameter>"),
    "minimax_xml": XmlStyle(head=('<parameter name="{name}">',), tail="</parameter>"),
    "minimax_m3_xml": XmlStyle(
        head=("]<]minimax[>[<{name}>",),
        tail="]<]minimax[>[</{name}>",
        stop="]<]minimax[>[",
        pads=False,
        pads_strings=False,
        item="item",
    ),
    "deepseek_xml": _make_dsml(""),
    "deepseek_v4_1_xml": _make_dsml(" "),
    "glm_xml": XmlStyle(head=("<arg_key>{name}</arg_key>", "<arg_value>"), tail="</arg_value>"),
    "cohere_xml": XmlStyle(
        head=('<cofl:value name="{name}" type="{type}">',),
        tail="</cofl:value>",
        types={"string": "raw", "object": "dict", "array": "list", "": "json"},
        item='<cofl:value type="{type}">',
        names=r'([^\x00"&<>]|&amp;|&lt;|&gt;|&quot;)+',
        escapes={"&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;"},
    ),
    "kimi_k3_xml": XmlStyle(
        head=('<|open|>argument key="{name}" type="{type}"<|sep|>',),
        tail="<|close|>argument<|sep|>",
        types={**SAYS_TYPE, "": ""},
        says_one=False,
    ),
}
"""The styles by name."""

_REMARKS = ANNOTATIONS - {"type"}
_SCALAR = {"type": ["number", "boolean", "null"]}
_NESTED = """
object: (@gap member)* @gap
array: item*
member: @member_string @text @tail | @member_ @gap @scalar @gap @tail
      | @member_object @gap object @gap @tail | @member_array @gap array @gap @tail
item: @item_string @text @tail | @item_ @gap @scalar @gap @tail
    | @item_object @gap object @gap @tail | @item_array @gap array @gap @tail
"""
"""Any object or array in tags, for `formwright.grammar`."""

_COUNTS = ("minProperties", "maxProperties")
_OBJECT_KEYS = {"properties", "required", "additionalProperties", "$defs", "definitions", "$schema", *_COUNTS}
_ARRAY_KEYS = {"items", "minItems", "maxItems"}
_MOST_NESTED = 16


def make_xml_language(
    schema: Any,
    style: str,
    *,
    any_order: bool = False,
    whitespace: str = r"[ \n\r\t]{0,12}",
    json_options: Mapping[str, Any] | None = None,
    excludes: Sequence[str] = (),
    spell: Callable[[str], Language] = lambda text: Language.choice([text]),
) -> Language:
    """The language of arguments in the tags of a style.

    Args:
        schema: The schema of the arguments; anything but an object is refused.
        style: A name of `STYLES`.
        any_order: Whether the arguments may come in any order. Then each may come several times, and of those that are
            required as many must come as there are, whichever.
        whitespace: A pattern of what may be between tags.
        json_options: Those of `formwright.json_schema`, for values that are JSON.
        excludes: What strings cannot hold.
        spell: Makes the language of a fixed text.

    Raises:
        UnsupportedKeyword: A part of the schema cannot be written in such tags; with its pointer.
        LanguageError: As `json_schema`, for a value.
    """
    if texts := [text for text in excludes if text != text.strip()]:
        raise UnsupportedKeyword(f"{texts[0]!r} begins or ends with white space, which may be around values")
    row = STYLES[style]
    if excludes and row.item:
        raise UnsupportedKeyword(f"texts cannot be excluded from {style}")
    schema = close_objects({} if schema is True else schema)
    gap = regex(whitespace).language
    writer = _Writer(row, schema, any_order, gap, dict(json_options or {}), tuple(excludes), spell)
    return writer.write_root(schema)


@dataclass(frozen=True, slots=True)
class _Writer:
    """Makes the languages of one schema."""

    style: XmlStyle
    root: Any
    any_order: bool
    gap: Language
    json_options: Mapping[str, Any]
    excludes: tuple[str, ...]
    spell: Callable[[str], Language]

    def write_root(self, schema: Any) -> Language:
        """All arguments."""
        found = resolve_reference(self.root, schema)
        if isinstance(found, Mapping) and set(found) - _REMARKS - {"$defs", "definitions", "$schema"} == {"anyOf"}:
            return reduce(or_, map(self.write_root, found["anyOf"]))
        if not isinstance(found, Mapping) or found.get("type", "object") != "object":
            raise UnsupportedKeyword("arguments in tags are an object", pointer="/type")
        if "{name}" in self.style.tail and not set(found) - _REMARKS:
            raise UnsupportedKeyword("arguments that are not described cannot be written in these tags")
        return self._write_object(found, "", 0)

    def _write_object(self, schema: Mapping[str, Any], pointer: str, depth: int) -> Language:
        """The members of an object, with white space around them."""
        check_keywords(schema, _OBJECT_KEYS, "an object", pointer)
        if depth > _MOST_NESTED:
            raise UnsupportedKeyword("a schema that refers to itself cannot be written in tags", pointer=pointer)
        properties, required = schema.get("properties", {}), schema.get("required", [])
        if undeclared := [name for name in required if name not in properties]:
            raise UnsupportedKeyword(f"{undeclared[0]!r} is required, but not declared", pointer=f"{pointer}/required")
        members = {
            name: self._write_member(name, value, f"{pointer}/properties/{escape_step(name)}", depth)
            for name, value in properties.items()
        }
        rest = self._write_undeclared(schema, pointer, depth)
        if self.any_order:
            return self._write_in_any_order(schema, [*members.values(), *([rest] if rest is not None else [])])
        if counts := [name for name in _COUNTS if name in schema]:
            raise UnsupportedKeyword(f"{counts[0]} cannot be enforced in tags", pointer=f"{pointer}/{counts[0]}")
        parts = [(self.gap + one).repeat(int(name in required), 1) for name, one in members.items()]
        parts += [(self.gap + rest).repeat(0, None)] if rest is not None else []
        is_empty = not parts and self.style.item and not self.style.pads
        return Language.choice([""]) if is_empty else reduce(add, [*parts, self.gap])

    def _write_in_any_order(self, schema: Mapping[str, Any], members: Sequence[Language]) -> Language:
        least = max(schema.get("minProperties", 0), len(schema.get("required", [])))
        if not members:
            return self.gap
        return (self.gap + reduce(or_, members)).repeat(least, schema.get("maxProperties")) + self.gap

    def _write_undeclared(self, schema: Mapping[str, Any], pointer: str, depth: int) -> Language | None:
        """A member that is not declared, if there may be one."""
        has_fixed_names = "{name}" in self.style.tail
        value = schema.get("additionalProperties", "properties" not in schema and not has_fixed_names)
        if value is False:
            return None
        if has_fixed_names:
            where = f"{pointer}/additionalProperties"
            raise UnsupportedKeyword("names that are not declared cannot be written in these tags", pointer=where)
        names = regex(self.style.names)
        if declared := list(map(self._escape, schema.get("properties", ()))):
            names = names & ~regex("|".join(map(re.escape, declared)))
        return self._write_member(names.language, value, f"{pointer}/additionalProperties", depth)

    def _write_member(self, name: str | Language, value: Any, pointer: str, depth: int) -> Language:
        """One member: its name, and its value."""
        tail = self.style.tail
        if isinstance(name, str):
            name = self._escape(name)
            tail = tail.replace("{name}", name)
        return self._write_in_tags(self.style.head, name, tail, value, pointer, depth)

    def _escape(self, name: str) -> str:
        return "".join((self.style.escapes or {}).get(letter, letter) for letter in name)

    def _write_in_tags(
        self, head: Sequence[str], name: str | Language, tail: str, value: Any, pointer: str, depth: int
    ) -> Language:
        cases = self._find_cases(value, pointer, depth)
        ends = self.spell(tail)
        if self.style.types is not None and not self.style.says_one:
            kind = cases[0][0] if len(cases) == 1 and not _is_indirect(value) else None
            cases = [(kind, reduce(or_, (language for _, language in cases)))]
        return reduce(or_, [self._write_heads(head, name, kind) + language + ends for kind, language in cases])

    def _write_heads(self, head: Sequence[str], name: str | Language, kind: str | None) -> Language:
        """What is before a value of a type."""
        found = [self._write_head(head, name, said) for said in self.style.say_types(kind)]
        return reduce(or_, found)

    def _write_head(self, head: Sequence[str], name: str | Language, said: str) -> Language:
        parts: list[Language] = []
        for text in head:
            before, named, after = text.replace("{type}", said).partition("{name}")
            parts += [self.gap] * bool(parts)
            if isinstance(name, str):
                parts.append(self.spell(before + (name + after if named else "")))
            else:
                parts += [self.spell(before), *([name, self.spell(after)] if named else [])]
        return reduce(add, parts)

    def _find_cases(self, value: Any, pointer: str, depth: int) -> list[tuple[str | None, Language]]:
        """The types that a value may have, each with what is written."""
        found = resolve_reference(self.root, value)
        if found is True or (isinstance(found, Mapping) and not set(found) - _REMARKS):
            return self._write_any(pointer)
        if not isinstance(found, Mapping):
            raise UnsupportedKeyword("no value conforms to it", pointer=pointer)
        if options := options_of(found):
            kinds = [kind_of(one) for one in (resolve_reference(self.root, option) for option in options)]
            if not self.style.item and not {"string", None} & set(kinds):
                return [(None, self._pad(self._write_json(found, pointer), is_padded=self.style.pads))]
            if "oneOf" in found and len(set(kinds)) < len(kinds):
                where = f"{pointer}/oneOf"
                raise UnsupportedKeyword("values of one type cannot be told apart in tags", pointer=where)
            return [case for option in options for case in self._find_cases(option, pointer, depth)]
        kind = kind_of(found)
        if kind is None:
            raise UnsupportedKeyword("its type is not said, so it cannot be written in tags", pointer=pointer)
        return [(kind, self._write_value(kind, found, pointer, depth))]

    def _write_value(self, kind: str, schema: Mapping[str, Any], pointer: str, depth: int) -> Language:
        if kind == "string":
            return self._write_string(schema, pointer)
        if self.style.item and kind in ("object", "array"):
            nested = self._write_object if kind == "object" else self._write_array
            return self._pad(nested(schema, pointer, depth + 1), is_padded=self.style.pads)
        return self._pad(self._write_json(schema, pointer), is_padded=self.style.pads)

    def _write_array(self, schema: Mapping[str, Any], pointer: str, depth: int) -> Language:
        """The items of an array, each in tags."""
        check_keywords(schema, _ARRAY_KEYS, "an array", pointer)
        least, most, items = schema.get("minItems", 0), schema.get("maxItems"), schema.get("items", True)
        if "{name}" in self.style.tail:
            item = self.gap + self._write_member(self.style.item, items, f"{pointer}/items", depth)
            many = item.repeat(max(least, 1), most) + self.gap
            return many if least else many | Language.choice([""])
        item = self._write_in_tags([self.style.item], "", self.style.tail, items, f"{pointer}/items", depth)
        return item.repeat(least, most)

    def _write_any(self, pointer: str) -> list[tuple[str | None, Language]]:
        """A value of any type."""
        if "{name}" in self.style.tail:
            raise UnsupportedKeyword("its type is not said, so it cannot be written in tags", pointer=pointer)
        text = self._write_string({}, pointer)
        if self.style.item:
            nested = [(kind, self._pad(self._write_nested(kind), is_padded=True)) for kind in ("object", "array")]
            return [("string", text), (None, self._pad(self._write_json(_SCALAR), is_padded=True)), *nested]
        if self.style.types is None or not self.style.says_one:
            return [(None, text)]
        other = self._write_json({"type": ["number", "boolean", "null", "array", "object"]})
        return [("string", text), (None if self.style.types is None else "object", self._pad(other, is_padded=True))]

    def _write_nested(self, kind: str) -> Language:
        """Any object or array in tags."""
        forms = {"text": self._write_string({}, ""), "scalar": self._write_json(_SCALAR), "gap": self.gap}
        forms["tail"] = self.spell(self.style.tail)
        names = regex(self.style.names).language
        for of in ("string", "object", "array", ""):
            forms[f"member_{of}"] = self._write_heads(self.style.head, names, of or None)
            forms[f"item_{of}"] = self._write_heads([self.style.item], "", of or None)
        made = {name: Form(language, plain, name, "text") for name, language in forms.items()}
        return grammar(_NESTED, forms=made, start=kind, lexing="any").language

    def _write_string(self, schema: Mapping[str, Any], pointer: str) -> Language:
        stops = (self.style.stop or self.style.tail, *self.excludes)
        if not set(schema) - ANNOTATIONS:
            return make_raw_string(schema, pointer, *stops)
        if self.style.stop and not {"enum", "const"} & set(schema):
            raise UnsupportedKeyword("a string in these tags can only be any string, or one of some", pointer=pointer)
        return self._pad(make_raw_string(schema, pointer, *stops), is_padded=self.style.pads_strings)

    def _write_json(self, schema: Mapping[str, Any], pointer: str = "") -> Language:
        """A value as JSON."""
        root = self.root if isinstance(self.root, Mapping) else {}
        definitions = {key: root[key] for key in ("$defs", "definitions") if key in root}
        try:
            return json_schema(exclude_texts({**definitions, **schema}, self.excludes), **self.json_options).language
        except SchemaError as error:
            error.pointer = pointer + error.pointer
            raise

    def _pad(self, language: Language, *, is_padded: bool) -> Language:
        return self.gap + language + self.gap if is_padded else language


def check_keywords(schema: Mapping[str, Any], known: set[str], what: str, pointer: str) -> None:
    """Refuse keywords that are not enforced. Raises UnsupportedKeyword."""
    if unknown := sorted(set(schema) - ANNOTATIONS - known):
        where = f"{pointer}/{escape_step(unknown[0])}"
        raise UnsupportedKeyword(f"{unknown[0]} of {what} cannot be enforced in tags", pointer=where)


def _is_indirect(value: Any) -> bool:
    """Whether a value is described elsewhere, so that its tag may say any type."""
    return isinstance(value, Mapping) and bool({"$ref", "allOf", "anyOf", "oneOf"} & set(value))


def options_of(schema: Mapping[str, Any]) -> list[Any]:
    """The schemas of which a value conforms to one, if there are several."""
    for keyword in ("anyOf", "oneOf"):
        if set(schema) - _REMARKS == {keyword}:
            return list(schema[keyword])
    if isinstance(schema.get("type"), list):
        return [{**schema, "type": kind} for kind in schema["type"]]
    if "enum" in schema and len(schema["enum"]) > 1 and len({kind_of({"const": one}) for one in schema["enum"]}) > 1:
        return [{"const": one} for one in schema["enum"]]
    return []


def kind_of(schema: Any) -> str | None:
    """The type of JSON that a schema says, or its values have."""
    if not isinstance(schema, Mapping):
        return None
    if isinstance(schema.get("type"), str):
        return str(schema["type"])
    value = schema["const"] if "const" in schema else schema["enum"][0] if schema.get("enum") else None
    if "const" not in schema and not schema.get("enum"):
        return "object" if "properties" in schema else "array" if "items" in schema else None
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "boolean"
    kinds = {str: "string", int: "integer", float: "number", list: "array"}
    return next((kind for type_, kind in kinds.items() if isinstance(value, type_)), "object")
