r"""JSON Schema to a regular expression: JSON inside a text, which ``Json[T]`` of pydantic reads.

::

    >>> json_pattern({"type": "array", "items": {"type": "boolean"}}, {})
    '^\\[(?:(?:true|false)(?:,(?:true|false))*)?\\]$'

The texts are compact, and members come in the order in which the schema declares them. In that form, what has no
recursion is a regular language.

Cost: the length of the expression, which doubles with each level of lists, and grows with the square of the number of
optional members of one object.

Inside a text, a string is read by rules of its own, so a pattern of it is only kept where its texts need
no escapes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from formwright._kernel import Language
from formwright.errors import NotAForm, UnsatisfiableSchema
from formwright.forms import type_patterns as patterns

__all__ = ["JSON_INSIDE", "json_pattern"]

JSON_INSIDE = "x-formwright-json"
"""The keyword of a text that holds JSON; its value is the schema of that."""

_CHARACTER = r'(?:[^"\\\x00-\x1f]|\\["\\/bfnrt])'
_INTEGER = "-?(?:0|[1-9][0-9]{0,31})"
_NUMBER = rf"{_INTEGER}(?:\.[0-9]{{1,16}})?(?:[eE][+-]?[0-9]{{1,2}})?"
_IGNORED_KEYWORDS = frozenset(
    ("title", "description", "default", "examples", "deprecated", "type", "$defs", "discriminator")
)
_MOST_BYTES = 1 << 20


def json_pattern(schema: Any, definitions: Mapping[str, Any]) -> str:
    """The anchored pattern, in the syntax of ECMA-262, of the compact JSON texts that are valid against a schema.

    Args:
        schema: The schema.
        definitions: By name: the schemas under ``$defs``.

    Raises:
        NotAForm: A part of it is recursive, or has a keyword that no pattern is made of here.
    """
    return f"^{_Writer(definitions).any_value(schema, ())}$"


class _Writer:
    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.definitions = definitions

    def any_value(self, schema: Any, above: tuple[str, ...]) -> str:
        """The pattern of values; ``above`` are the definitions that it is a part of."""
        written = self._value(schema, above)
        if len(written) > _MOST_BYTES:
            raise _refusal_of("a type of this size")
        return written

    def _value(self, schema: Any, above: tuple[str, ...]) -> str:
        if not isinstance(schema, dict):
            raise _refusal_of("any JSON")
        if "$ref" in schema:
            return self._follow_reference(schema, above)
        if "const" in schema or "enum" in schema:
            _only(schema, "const", "enum")
            return _any_of([_constant(value) for value in schema.get("enum", [schema.get("const")])])
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                _only(schema, keyword)
                return _any_of([self.any_value(option, above) for option in schema[keyword]])
        if JSON_INSIDE in schema:
            raise _refusal_of("another Json[...]")
        kind = schema.get("type")
        if kind == "array":
            return self._array(schema, above)
        if kind == "object":
            return self._object(schema, above)
        if kind not in _SCALARS:
            raise _refusal_of("any JSON")
        return _SCALARS[kind](schema)

    def _follow_reference(self, schema: Mapping[str, Any], above: tuple[str, ...]) -> str:
        _only(schema, "$ref")
        name = schema["$ref"].rpartition("/")[2]
        if name in above:
            raise _refusal_of(f"{name}, which contains itself")
        return self.any_value(self.definitions[name], (*above, name))

    def _array(self, schema: Mapping[str, Any], above: tuple[str, ...]) -> str:
        _only(schema, "items", "prefixItems", "minItems", "maxItems")
        first = [self.any_value(item, above) for item in schema.get("prefixItems", [])]
        low, high = schema.get("minItems", 0), schema.get("maxItems")
        if first:
            if not low == high == len(first):
                raise _refusal_of("a tuple of any length")
            return rf"\[{','.join(first)}\]"
        return rf"\[{_repeat_item(self.any_value(schema.get('items', True), above), low, high)}\]"

    def _object(self, schema: Mapping[str, Any], above: tuple[str, ...]) -> str:
        _only(
            schema, "properties", "required", "additionalProperties", "propertyNames", "minProperties", "maxProperties"
        )
        required, further = schema.get("required", ()), schema.get("additionalProperties", True)
        members = [
            (f"{_constant(name)}:{self.any_value(value, above)}", name in required)
            for name, value in schema.get("properties", {}).items()
        ]
        if further is False:
            return rf"\{{{_join_members(members)}\}}"
        if members:
            raise _refusal_of("an object with declared and other members")
        name = _string(schema.get("propertyNames", {}))
        low, high = schema.get("minProperties", 0), schema.get("maxProperties")
        if low > 1:
            raise _refusal_of("a dict of several members")  # two may have the same name
        return rf"\{{{_repeat_item(f'{name}:{self.any_value(further, above)}', low, high)}\}}"


def _join_members(members: Sequence[tuple[str, bool]]) -> str:
    """Members in this order; each is required or not."""
    rest, ways = "", [""]  # what may come after a member, and from the last member looked at
    for member, is_required in reversed(members):
        ways = [f"{member}{rest}"] if is_required else [f"{member}{rest}", *ways]
        rest = f",{member}{rest}" if is_required else f"(?:,{member})?{rest}"
    return _any_of(ways)


def _repeat_item(item: str, low: int, high: int | None) -> str:
    """``low`` to ``high`` items with commas between them."""
    if high is not None and high < max(low, 1):
        if low:
            raise _refusal_of("a type without a value")
        return ""
    several = f"{item}(?:,{item}){{{max(low - 1, 0)},{'' if high is None else high - 1}}}"
    return several if low else f"(?:{several})?"


def _string(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return _any_of([_constant(value) for value in schema["enum"]])
    _only(schema, "minLength", "maxLength", "pattern")
    low, high = schema.get("minLength", 0), schema.get("maxLength", "")
    if "pattern" not in schema:
        return f'"{_CHARACTER}{{{low},{high}}}"'
    body = re.fullmatch(r"\^\(\?:(.*)\)\$", schema["pattern"], re.DOTALL)
    if body is None or "$" in body[1] or low or high or not _needs_no_escapes(schema["pattern"]):
        raise _refusal_of("a text with a pattern")
    return f'"(?:{body[1]})"'


def _needs_no_escapes(pattern: str) -> bool:
    schema = {"type": "string", "allOf": [{"pattern": pattern}, {"pattern": '["\\\\\\x00-\\x1f]'}]}
    try:
        Language.json_schema(json.dumps(schema))
    except UnsatisfiableSchema:
        return True
    return False


def _integer(schema: Mapping[str, Any]) -> str:
    _only(schema, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
    lows = [schema[key] + more for key, more in (("minimum", 0), ("exclusiveMinimum", 1)) if key in schema]
    highs = [schema[key] - less for key, less in (("maximum", 0), ("exclusiveMaximum", 1)) if key in schema]
    if not lows and not highs:
        return _INTEGER
    return patterns.integer(max(lows, default=None), min(highs, default=None)).removeprefix("^").removesuffix("$")


def _number(schema: Mapping[str, Any]) -> str:
    _only(schema)
    return _NUMBER


def _constant(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub(r"[\\^$.|?*+()\[\]{}/]", r"\\\g<0>", text)


def _any_of(patterns: Sequence[str]) -> str:
    return f"(?:{'|'.join(dict.fromkeys(patterns))})" if len(patterns) > 1 else f"(?:{patterns[0]})"


def _only(schema: Mapping[str, Any], *keywords: str) -> None:
    """Fails if there is another keyword that says something of texts."""
    if others := sorted(schema.keys() - _IGNORED_KEYWORDS - set(keywords)):
        raise _refusal_of(f"a type with {others[0]}")


def _refusal_of(what: str) -> NotAForm:
    return NotAForm(
        f"Json[...] is JSON inside a text, and {what} cannot be said there",
        hint="pass the type inside of it, Json[T] as T",
    )


_SCALARS = {
    "boolean": lambda _: "(?:true|false)",
    "integer": _integer,
    "null": lambda _: "null",
    "number": _number,
    "string": _string,
}
