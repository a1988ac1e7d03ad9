r"""Arguments between tags: each by its name, strings as they are, all else as JSON.

==============  ===========================================================  ===============================
``parameters``  ``<parameter=city>\nNew York\n</parameter>\n``               as Qwen's coding models write
``keys``        ``<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n``   as GLM writes
==============  ===========================================================  ===============================

Names and types are those of the schema: required arguments are there, no other ones are, and each value is one that the
schema allows.

Cost: one form for each argument. A string has no quotes, so it cannot hold the tag that ends it, and where
a schema allows a string or null, the string is what is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from formwright._kernel import Language
from formwright.errors import UnsupportedKeyword
from formwright.forms.form import Form
from formwright.forms.json_forms import json_schema
from formwright.forms.pointers import value_at
from formwright.forms.texts import choice, regex
from formwright.tools.custom import INPUT
from formwright.tools.sources import Tool

__all__ = ["ANNOTATIONS", "raw_string", "resolve_reference", "tagged_arguments"]

_TAGS = {
    "parameters": ("<parameter={}>\n", "\n</parameter>", "\n"),
    "keys": ("<arg_key>{}</arg_key>\n<arg_value>", "</arg_value>", "\n"),
    "keys in a row": ("<arg_key>{}</arg_key><arg_value>", "</arg_value>", ""),
}
"""What is before a value, what ends it, and what comes after that."""

_LENGTHS = ("minLength", "maxLength")
ANNOTATIONS = {"type", "title", "description", "default", "examples", "$comment", "deprecated"}


def tagged_arguments(tool: Tool, kind: str) -> Form[Any]:
    """The arguments of a tool, between tags.

    Raises:
        UnsupportedKeyword: The schema of the arguments, or of a string, cannot be written between tags.
        LanguageError: As `json_schema`, for a value; as `formwright.grammar`, for the input of a custom tool.
    """
    schema = tool.schema
    if tool.custom is not None and tool.custom.has_grammar:
        before, end, after = _TAGS[kind]
        return tool.custom.make_arguments(before.format(INPUT), end + after)
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
    if odd := [name for name in properties if not re.fullmatch(r"[^<>\s]+", name)]:
        raise UnsupportedKeyword(
            f"tools: {tool.name!r}: the argument {odd[0]!r} cannot be named in a tag",
            hint="take a style that writes JSON",
            pointer="/properties",
        )
    language = Language.choice([""])
    raw: list[str] = []
    for name, value in properties.items():
        before, end, after = _TAGS[kind]
        body, is_raw = _value(schema, name, value, end)
        raw += [name] if is_raw else []
        one = Language.choice([before.format(name)]) + body + Language.choice([after])
        language = language + (one if name in required else one | Language.choice([""]))
    return Form(language, _Tagged(tool, kind, tuple(raw)), f"arguments of {tool.name}", "value")


def _value(schema: Mapping[str, Any], name: str, value: Any, end: str) -> tuple[Language, bool]:
    """The value of one argument with the tag that ends it, and whether it is a raw string."""
    resolved = resolve_reference(schema, value)
    string = _as_string(resolved)
    if string is None:
        definitions = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
        whole = {**definitions, **value} if isinstance(value, Mapping) else value
        return json_schema(whole).language + Language.choice([end]), False
    return raw_string(string, f"/properties/{name}", end) + Language.choice([end]), True


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


def raw_string(schema: Mapping[str, Any], pointer: str, end: str) -> Language:
    """A string of a schema without quotes, which does not hold the tag that ends it."""
    asked = set(schema) - ANNOTATIONS
    if "enum" in asked or "const" in asked:
        values = schema.get("enum", [schema.get("const")])
        valid = json_schema({**schema, "type": "string"}).matches
        texts = [text for text in values if isinstance(text, str) and end not in text and valid(json.dumps(text))]
        if not texts:
            raise UnsupportedKeyword(
                "tools: no string of the schema can be written between tags", hint="", pointer=pointer
            )
        return choice(texts).language
    body = Language.text([end], included=False)
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


def _search_pattern(pattern: str) -> Form[str]:
    """The texts in which a pattern is found, as JSON Schema means it."""
    before = "" if pattern.startswith("^") else r"(?s:.)*"
    after = "" if pattern.endswith("$") and not pattern.endswith(r"\$") else r"(?s:.)*"
    return regex(f"{before}(?:{pattern.removeprefix('^') if not before else pattern}){after}")


@dataclass(frozen=True, slots=True)
class _Tagged:
    """Reads arguments between tags."""

    tool: Tool
    kind: str
    raw: tuple[str, ...]

    def __call__(self, text: str) -> Any:
        before, end, after = _TAGS[self.kind]
        head, tail = before.split("{}")
        pattern = f"{re.escape(head)}(.*?){re.escape(tail)}(.*?){re.escape(end + after)}"
        found = re.findall(pattern, text, re.DOTALL)
        values = (json.dumps(value) if name in self.raw else value for name, value in found)
        members = (f"{json.dumps(name)}: {value}" for (name, _), value in zip(found, values, strict=True))
        return self.tool.read("{" + ", ".join(members) + "}")
