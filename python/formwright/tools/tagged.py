r"""Arguments between tags: each by its name, strings as they are, all else as JSON.

==========================  ===================================================================  ==================
``parameters``              ``<parameter=city>\nNew York\n</parameter>\n``                       Qwen's coding models
``parameters in a row``     ``<parameter=city>Oslo</parameter>``                                 MiMo
``named parameters``        ``<parameter name="city">Oslo</parameter>\n``                        MiniMax
``parameters with a type``  ``<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n``  DeepSeek
``arguments with a type``   ``<|open|>argument key="city" type="string"<|sep|>Oslo<|close|>...``  Kimi K3
``keys``                    ``<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n``           GLM
``keys in a row``           ``<arg_key>city</arg_key><arg_value>Oslo</arg_value>``               GLM from 4.7 on
==========================  ===================================================================  ==================

Names and types are those of the schema: required arguments are there, no other ones are, and each value is one that the
schema allows.

Cost: one form for each argument. A string has no quotes, so it cannot hold the tag that ends it, and where
a schema allows a string or null, the string is what is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from formwright._kernel import Language
from formwright.errors import UnsupportedKeyword
from formwright.forms.form import Form
from formwright.forms.json_forms import json_schema
from formwright.forms.pointers import value_at
from formwright.forms.readers import plain
from formwright.forms.texts import choice, regex
from formwright.tools.custom import INPUT
from formwright.tools.sources import Tool
from formwright.tools.speller import Speller

__all__ = [
    "ANNOTATIONS",
    "SAYS_STRING",
    "SAYS_TYPE",
    "drop_longer",
    "make_raw_string",
    "resolve_reference",
    "tagged_arguments",
]

SAYS_STRING: Mapping[str, str] = {"string": "true", "": "false"}
SAYS_TYPE: Mapping[str, str] = {
    "string": "string",
    "integer": "number",
    **{kind: kind for kind in ("number", "boolean", "object", "array", "null")},
}
"""What a tag says of the type of its value: of a string and of others, and by the type of JSON."""


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to write arguments.

    Attributes:
        before: What is before a value; its name and its type are said by ``{name}`` and ``{type}``.
        end: What ends it.
        after: What comes after that.
        types: How the type is said.
    """

    before: str
    end: str
    after: str = ""
    types: Mapping[str, str] | None = None

    def spell_types(self, kind: str | None) -> list[str]:
        """What is said of a value of a type of JSON, or of one that may have several (``None``)."""
        types = self.types or {"": ""}
        return [types.get(kind or "", types[""])] if "" in types else [types[kind]] if kind else list(types.values())


_WAYS = {
    "parameters": _Way("<parameter={name}>\n", "\n</parameter>", "\n"),
    "parameters in a row": _Way("<parameter={name}>", "</parameter>"),
    "named parameters": _Way('<parameter name="{name}">', "</parameter>", "\n"),
    "parameters with a type": _Way(
        '<｜DSML｜parameter name="{name}" string="{type}">', "</｜DSML｜parameter>", "\n", SAYS_STRING
    ),
    "arguments with a type": _Way(
        '<|open|>argument key="{name}" type="{type}"<|sep|>', "<|close|>argument<|sep|>", "", SAYS_TYPE
    ),
    "keys": _Way("<arg_key>{name}</arg_key>\n<arg_value>", "</arg_value>", "\n"),
    "keys in a row": _Way("<arg_key>{name}</arg_key><arg_value>", "</arg_value>"),
}

_LENGTHS = ("minLength", "maxLength")
ANNOTATIONS = {"type", "title", "description", "default", "examples", "$comment", "deprecated"}


def tagged_arguments(tool: Tool, kind: str, speller: Speller) -> Form[Any]:
    """The arguments of a tool, between tags.

    Raises:
        UnsupportedKeyword: The schema of the arguments, or of a string, cannot be written between tags.
        LanguageError: As `json_schema`, for a value; as `formwright.grammar`, for the input of a custom tool.
    """
    schema, way = tool.schema, _WAYS[kind]
    if tool.custom is not None and tool.custom.has_grammar:
        head = way.before.replace("{name}", INPUT).replace("{type}", way.spell_types("string")[0])
        return tool.custom.make_arguments(head, way.end + way.after)
    if (
        unknown := set(schema)
        - ANNOTATIONS
        - {"properties", "required", "additionalProperties", "$defs", "definitions"}
    ):
        keyword = sorted(unknown)[0]
        raise UnsupportedKeyword(
            f"tools: {tool.name!r}: {keyword} of the arguments cannot be enforced between tags",
            hint='describe the arguments by "properties" and "required", or take a style that writes JSON',
            pointer=f"/{keyword}",
        )
    json_schema(schema)  # which tells what is wrong with it
    required, properties = schema.get("required", []), schema.get("properties", {})
    if schema.get("type", "object") != "object" or not set(required) <= set(properties):
        raise UnsupportedKeyword(
            f"tools: {tool.name!r}: arguments between tags are an object whose required members are declared",
            hint='declare each by "properties"',
            pointer="/required",
        )
    if odd := [name for name in properties if not re.fullmatch(r"[^<>\"\s]+", name)]:
        raise UnsupportedKeyword(
            f"tools: {tool.name!r}: the argument {odd[0]!r} cannot be named in a tag",
            hint="take a style that writes JSON",
            pointer="/properties",
        )
    language = Language.choice([""])
    raw: list[str] = []
    for name, value in properties.items():
        kind_of_value, body = _value(schema, name, value, way.end)
        raw += [name] if kind_of_value == "string" else []
        heads = [
            speller.spell(way.before.replace("{name}", name).replace("{type}", said))
            for said in way.spell_types(kind_of_value)
        ]
        one = reduce(or_, heads) + body + speller.spell(way.end + way.after)
        language = language + (one if name in required else one | Language.choice([""]))
    return Form(language, _Tagged(tool, way, tuple(raw)), f"arguments of {tool.name}", "value")


def _value(schema: Mapping[str, Any], name: str, value: Any, end: str) -> tuple[str | None, Language]:
    """The value of one argument, and its type, if it can have only one; a string has no quotes."""
    resolved = resolve_reference(schema, value)
    string = _as_string(resolved)
    if string is not None:
        return "string", make_raw_string(string, f"/properties/{name}", end)
    definitions = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    whole = {**definitions, **value} if isinstance(value, Mapping) else value
    kind = resolved.get("type") if isinstance(resolved, Mapping) else None
    return kind if isinstance(kind, str) else None, json_schema(whole).language


def resolve_reference(schema: Mapping[str, Any], value: Any) -> Any:
    """What a reference into the definitions stands for."""
    seen = 0
    while isinstance(value, Mapping) and set(value) - ANNOTATIONS == {"$ref"} and seen < 32:
        _, _, pointer = value["$ref"].partition("#")
        try:
            value, seen = value_at(schema, pointer), seen + 1
        except (LookupError, TypeError, ValueError):
            return None
    return value


def _as_string(value: Any) -> Mapping[str, Any] | None:
    """The schema of a string, or of a string or null; ``None`` for all else."""
    if not isinstance(value, Mapping):
        return None
    if value.get("type") == "string" or value.get("type") == ["string", "null"]:
        return value
    if "type" not in value and isinstance(value.get("enum"), list) and all(isinstance(x, str) for x in value["enum"]):
        return value
    if "type" not in value and isinstance(value.get("const"), str):
        return value
    options = value.get("anyOf")
    if isinstance(options, list) and set(value) - ANNOTATIONS == {"anyOf"}:
        strings = [option for option in options if isinstance(option, Mapping) and option.get("type") != "null"]
        if len(strings) == 1 and len(options) == 2:
            return _as_string(strings[0])
    return None


def make_raw_string(schema: Mapping[str, Any], pointer: str, *stops: str) -> Language:
    """A string of a schema without quotes, which does not hold the tag that ends it, nor another one of some texts."""
    asked = set(schema) - ANNOTATIONS
    if "enum" in asked or "const" in asked:
        values = schema.get("enum", [schema.get("const")])
        valid = json_schema({**schema, "type": "string"}).matches
        texts = [text for text in values if isinstance(text, str) and valid(json.dumps(text))]
        texts = [text for text in texts if not any(stop in text for stop in stops)]
        if not texts:
            raise UnsupportedKeyword(
                "tools: no string of the schema can be written between tags", hint="", pointer=pointer
            )
        return choice(texts).language
    body = Language.text(drop_longer(stops), included=False)
    if "format" in asked:
        body = body & Language.format(schema["format"])
    if asked & set(_LENGTHS):
        low, high = int(schema.get("minLength", 0)), int(schema["maxLength"]) if "maxLength" in schema else ""
        body = body & regex(f"(?s:.){{{low},{high}}}").language
    if "pattern" in asked:
        body = body & _search_pattern(schema["pattern"]).language
    if unknown := asked - {"format", "pattern", *_LENGTHS}:
        keyword = sorted(unknown)[0]
        raise UnsupportedKeyword(
            f"tools: {keyword} of a string cannot be enforced between tags",
            hint="take a style that writes JSON",
            pointer=f"{pointer}/{keyword}",
        )
    return body


def drop_longer(texts: Iterable[str]) -> list[str]:
    """The texts that hold no other one: what has none of these has none of them."""
    found = list(dict.fromkeys(texts))
    return [text for text in found if not any(one in text for one in found if one != text)]


def _search_pattern(pattern: str) -> Form[str]:
    """The texts in which a pattern is found, as JSON Schema means it."""
    before = "" if pattern.startswith("^") else r"(?s:.)*"
    after = "" if pattern.endswith("$") and not pattern.endswith(r"\$") else r"(?s:.)*"
    return regex(f"{before}(?:{pattern.removeprefix('^') if not before else pattern}){after}")


@dataclass(frozen=True, slots=True)
class _Tagged:
    """Reads arguments between tags."""

    tool: Tool
    way: _Way
    raw: tuple[str, ...]

    def __call__(self, text: str) -> Any:
        head, tail = re.escape(self.way.before.replace("{type}", "\0")).replace("\0", '[^"]*').split(r"\{name\}")
        pattern = f"{head}(.*?){tail}(.*?){re.escape(self.way.end + self.way.after)}"
        found = re.findall(pattern, plain(text), re.DOTALL)
        values = (json.dumps(value) if name in self.raw else value for name, value in found)
        members = (f"{json.dumps(name)}: {value}" for (name, _), value in zip(found, values, strict=True))
        return self.tool.read("{" + ", ".join(members) + "}")
