r"""Arguments as MiniMax M3 writes them: a tag for each member and each item, one inside the other.

``]<]minimax[>[<tags>]<]minimax[>[<item>a]<]minimax[>[</item>]<]minimax[>[</tags>`` is a member with one item.

`formwright.tools.xml_schemas` makes the language; a value is read by its schema, which says whether ``3`` is a string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from formwright.errors import UnsupportedKeyword
from formwright.forms.form import Form
from formwright.forms.json_forms import json_schema
from formwright.forms.readers import plain
from formwright.tools.custom import INPUT
from formwright.tools.sources import Tool
from formwright.tools.speller import Speller
from formwright.tools.tagged import resolve_reference
from formwright.tools.xml_schemas import kind_of, make_xml_language, options_of

__all__ = ["make_nested_tags"]

_MARK = "]<]minimax[>["
_TAG = re.compile(re.escape(_MARK) + "<(/?)([^>]+)>")
_STYLE = "minimax_m3_xml"


def make_nested_tags(tool: Tool, speller: Speller) -> Form[Any]:
    """The arguments of a tool.

    Raises:
        UnsupportedKeyword: A part of the schema cannot be written in tags.
        LanguageError: As `json_schema`; as `formwright.grammar`, for the input of a custom tool.
    """
    if tool.custom is not None and tool.custom.has_grammar:
        return tool.custom.make_arguments(f"{_MARK}<{INPUT}>", f"{_MARK}</{INPUT}>")
    json_schema(tool.schema)  # which tells what is wrong with it
    if odd := [name for name in tool.schema.get("properties", ()) if not re.fullmatch(r"[^<>/\s]+", name)]:
        raise UnsupportedKeyword(f"tools: the argument {odd[0]!r} cannot be named in a tag", pointer="/properties")
    language = make_xml_language(tool.schema, _STYLE, whitespace="(?:)", spell=speller.spell)
    return Form(language, _Reader(tool), f"arguments of {tool.name}", "value")


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads arguments as JSON, by their schema."""

    tool: Tool

    def __call__(self, text: str) -> Any:
        return self.tool.read(json.dumps(self._read(plain(text), self.tool.schema)))

    def _read(self, text: str, schema: Any) -> Any:
        """The value of what is between two tags."""
        found = resolve_reference(self.tool.schema, schema)
        options = (options_of(found) if isinstance(found, Mapping) else []) or [found]
        kinds = {kind_of(option): option for option in options if isinstance(option, Mapping)}
        if text.startswith(_MARK) or not text:
            if "array" in kinds and (not text or text.startswith(f"{_MARK}<item>") or "object" not in kinds):
                return [self._read(part, kinds["array"].get("items", True)) for _, part in _cut(text)]
            if "object" in kinds:
                members = kinds["object"].get("properties", {})
                return {name: self._read(part, members.get(name, True)) for name, part in _cut(text)}
        return text if "string" in kinds else json.loads(text)


def _cut(text: str) -> list[tuple[str, str]]:
    """The tags of a text that are in no other one, each with its name and what is in it."""
    parts, depth, begun, name = [], 0, 0, ""
    for found in _TAG.finditer(text):
        if not found[1]:
            begun, name = (begun, name) if depth else (found.end(), found[2])
            depth += 1
        else:
            depth -= 1
            parts += [(name, text[begun : found.start()])] if not depth else []
    return parts
