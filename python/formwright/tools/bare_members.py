r"""Arguments as Gemma writes them: members without quotes, in the order of their names, and strings between ``<|"|>``.

``{city:<|"|>New York<|"|>,days:3,where:{lat:59.9}}`` is an object of three members. All else is as in JSON, without
white space. A string has no escapes, so it cannot hold ``<|"|>``.

Cost: one language for each member; for two members that need not come, each is there twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from formwright._kernel import Language
from formwright.errors import UnsupportedKeyword
from formwright.forms.form import Form
from formwright.forms.grammars import grammar
from formwright.forms.json_forms import json_schema
from formwright.forms.pointers import escape_step
from formwright.forms.readers import plain
from formwright.tools.custom import INPUT
from formwright.tools.sources import Tool
from formwright.tools.speller import Speller
from formwright.tools.tagged import make_raw_string, resolve_reference
from formwright.tools.xml_schemas import check_keywords, kind_of, options_of

__all__ = ["make_bare_members"]

_QUOTE = '<|"|>'
_NAME = r'[^{}\[\]:,<>"\s]+'
_MOST_NESTED = 16
_OBJECT_KEYS = {"properties", "required", "additionalProperties", "$defs", "definitions", "$schema"}
_ARRAY_KEYS = {"items", "minItems", "maxItems"}
_ANY = r"""
value: @string | @scalar | object | array
object: "{" (member ("," member)*)? "}"
member: @name ":" value
array: "[" (value ("," value)*)? "]"
"""


def make_bare_members(tool: Tool, speller: Speller) -> Form[Any]:
    """The arguments of a tool.

    Raises:
        UnsupportedKeyword: A part of the schema cannot be written so.
        LanguageError: As `json_schema`, for a value; as `formwright.grammar`, for the input of a custom tool.
    """
    if tool.custom is not None and tool.custom.has_grammar:
        return tool.custom.make_arguments(f"{{{INPUT}:{_QUOTE}", f"{_QUOTE}}}")
    json_schema(tool.schema)  # which tells what is wrong with it
    language = _Writer(tool.schema, speller.spell(_QUOTE)).write(tool.schema, "", 0)
    return Form(language, _Reader(tool), f"arguments of {tool.name}", "value")


@dataclass(frozen=True, slots=True)
class _Writer:
    """Makes the languages of one schema."""

    root: Mapping[str, Any]
    quote: Language

    def write(self, schema: Any, pointer: str, depth: int) -> Language:
        """A value."""
        if depth > _MOST_NESTED:
            raise UnsupportedKeyword("tools: a schema that refers to itself cannot be written so", pointer=pointer)
        found = resolve_reference(self.root, schema)
        if isinstance(found, Mapping) and (options := options_of(found)):
            return reduce(or_, [self.write(option, pointer, depth + 1) for option in options])
        kind = kind_of(found) if isinstance(found, Mapping) else None
        if kind == "object":
            return self._write_object(found, pointer, depth)
        if kind == "array":
            return self._write_array(found, pointer, depth)
        if kind == "string":
            return self.quote + make_raw_string(found, pointer, _QUOTE) + self.quote
        return json_schema(found).language if kind is not None else self._write_anything("value")

    def _write_anything(self, start: str) -> Language:
        string = self.quote + Language.text([_QUOTE], included=False) + self.quote
        scalar = json_schema({"type": ["number", "boolean", "null"]}).language
        made = {"string": string, "scalar": scalar, "name": Language.regex(_NAME)}
        forms = {name: Form(language, plain, name, "text") for name, language in made.items()}
        return grammar(_ANY, forms=forms, start=start, lexing="any").language

    def _write_object(self, schema: Mapping[str, Any], pointer: str, depth: int) -> Language:
        check_keywords(schema, _OBJECT_KEYS, "an object", pointer)
        properties, required = schema.get("properties", {}), schema.get("required", [])
        if not properties and schema.get("additionalProperties", True) is not False:
            return self._write_anything("object")
        if schema.get("additionalProperties", False) is not False or not set(required) <= set(properties):
            where = f"{pointer}/additionalProperties"
            raise UnsupportedKeyword("tools: members that are not declared cannot be written so", pointer=where)
        if odd := [name for name in properties if not re.fullmatch(_NAME, name)]:
            raise UnsupportedKeyword(
                f"tools: the name {odd[0]!r} cannot be written so", pointer=f"{pointer}/properties"
            )
        first = after = Language.choice([""])  # the members from one on: as the first ones, and after others
        for name in sorted(properties, reverse=True):
            value = self.write(properties[name], f"{pointer}/properties/{escape_step(name)}", depth + 1)
            member = Language.choice([f"{name}:"]) + value + after
            later = Language.choice([","]) + member
            first, after = (member, later) if name in required else (member | first, later | after)
        return Language.choice(["{"]) + first + Language.choice(["}"])

    def _write_array(self, schema: Mapping[str, Any], pointer: str, depth: int) -> Language:
        check_keywords(schema, _ARRAY_KEYS, "an array", pointer)
        item = self.write(schema.get("items", True), f"{pointer}/items", depth + 1)
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        more = (Language.choice([","]) + item).repeat(max(least - 1, 0), None if most is None else max(most - 1, 0))
        many = Language.choice([""]) if most == 0 else item + more
        many = many if least else many | Language.choice([""])
        return Language.choice(["["]) + many + Language.choice(["]"])


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads arguments by writing them as JSON."""

    tool: Tool

    def __call__(self, text: str) -> Any:
        parts = plain(text).split(_QUOTE)
        written = (
            json.dumps(part) if at % 2 else re.sub(rf"(?<=[{{,])({_NAME}):", r'"\1":', part)
            for at, part in enumerate(parts)
        )
        return self.tool.read("".join(written))
