"""What a tool is made of: a function, a type, a JSON description, or one that an MCP server lists.

::

    from formwright.tools import tool_of

    def f(city: str) -> None: ...

    tool_of(f)                                               # name, docstring and signature of a function
    tool_of(Person)                                          # a pydantic model, a dataclass, a TypedDict
    tool_of({"name": "f", "parameters": {"type": "object"}}) # as APIs list them, also under "function"
    tool_of({"name": "f", "inputSchema": {"type": "object"}})   # as MCP lists them, also as an object
    tool_of({"type": "custom", "name": "f"})                 # a custom tool, also under "custom": see ``custom.py``

The annotations of a function describe its arguments, so each parameter needs one; those with a default may be left out.
If the schema of a description does not say whether undeclared arguments are allowed, they are not: a model would invent
some.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from formwright._kernel import Language
from formwright.errors import ArgumentError
from formwright.forms.form import Form, Origin
from formwright.forms.json_forms import schema_text
from formwright.forms.text_checks import read_json, shorten
from formwright.tools.custom import INPUT, CustomInput, read_custom

__all__ = ["Tool", "closed_arguments", "tool_of"]

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_CLOSING_KEYWORDS = ("additionalProperties", "unevaluatedProperties", "patternProperties")
_APPLICATORS = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a model may call.

    Attributes:
        name: Its name.
        description: What it is for, or ``""``.
        schema: The JSON Schema of its arguments.
        read: The arguments, of JSON text.
        origin: What it was made of.
        custom: What its input may be, if it is a custom tool.
    """

    name: str
    description: str
    schema: dict[str, Any]
    read: Callable[[str], Any]
    origin: Any
    custom: CustomInput | None = None

    @property
    def has_raw_input(self) -> bool:
        """Whether its input is written without the escapes of JSON."""
        return self.custom is not None and self.custom.has_grammar

    def arguments(self, options: Mapping[str, Any]) -> Form[Any]:
        """The form of its arguments as JSON, with these options of JSON; a text of a grammar has no escapes."""
        if self.custom is not None and self.custom.has_grammar:
            return self.custom.make_arguments(f'{{"{INPUT}": "', '"}')
        text = schema_text(self.schema)
        language, origin = Language.json_schema(text, **options), Origin("schema", text, options)
        return Form(language, self.read, f"arguments of {self.name}", "value", origin=origin)

    def described(self) -> dict[str, Any]:
        """As APIs list a tool."""
        if self.custom is None:
            return self.describe_function()
        custom = {"name": self.name, "description": self.description, "format": self.custom.format}
        return {"type": "custom", "custom": custom}

    def describe_function(self) -> dict[str, Any]:
        """As chat templates list a tool: they know no custom tools, so it is a function there."""
        function = {"name": self.name, "description": self.description, "parameters": self.schema}
        return {"type": "function", "function": function}


def tool_of(origin: Any, /) -> Tool:
    """A tool, of anything that describes one.

    Raises:
        ArgumentError: It has no name, no schema, or a name that tools cannot have.
        NotAForm, LanguageError: Its arguments cannot be said in JSON Schema.
    """
    if isinstance(origin, Tool):
        return origin
    if isinstance(origin, Mapping):
        return _of_description(origin, origin)
    if hasattr(origin, "inputSchema"):
        fields = {name: getattr(origin, name, None) for name in ("name", "description", "inputSchema")}
        return _of_description(fields, origin)
    if inspect.isroutine(origin):
        return _of_function(origin)
    if isinstance(origin, type):
        return _of_type(origin)
    raise ArgumentError(
        f"tools: {shorten(repr(origin))} is not a tool",
        hint="pass a function, a type with fields, or a description with name and parameters",
        argument="tools",
    )


def _of_description(description: Mapping[str, Any], origin: Any) -> Tool:
    kind = "custom" if description.get("type") == "custom" else "function"
    function = description.get(kind, description)
    if not isinstance(function, Mapping):
        raise ArgumentError(f"tools: {shorten(repr(origin))}: its {kind} is not a mapping", argument="tools")
    name = _name_of(function.get("name"), origin)
    if kind == "custom":
        custom = read_custom(function)
        return Tool(name, function.get("description") or "", custom.make_schema(), read_json, origin, custom)
    schema = function.get("parameters", function.get("inputSchema", function.get("input_schema")))
    if not isinstance(schema, Mapping | None):
        raise ArgumentError(
            f"tools: the schema of {name!r} is not a mapping",
            hint='"parameters" is the JSON Schema of its arguments; a tool without any needs none',
            argument="tools",
        )
    return Tool(name, function.get("description") or "", closed_arguments(schema), read_json, origin)


def closed_arguments(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """The schema of the arguments that a tool declares, and of no others unless it says so; without one, of none."""
    closed = {"type": "object"} | dict(schema or {})
    if any(key in closed for key in _CLOSING_KEYWORDS):
        return closed
    if not any(key in closed for key in _APPLICATORS):
        return closed | {"additionalProperties": False}
    # Before draft 2019-09, nothing could say what is declared in other places.
    is_old = "draft-0" in str(closed.get("$schema", ""))
    return closed if is_old else closed | {"unevaluatedProperties": False}


def _of_function(function: Callable[..., Any]) -> Tool:
    from formwright.forms import python_types

    name = _name_of(getattr(function, "__name__", None), function)
    arguments = python_types.Arguments(function)
    return Tool(name, inspect.getdoc(function) or "", read_json(arguments.schema_text), arguments, function)


def _of_type(type_: type) -> Tool:
    from formwright.forms import python_types

    reader = python_types.Reader(type_)
    schema = read_json(reader.schema_text)
    if schema.get("type") != "object" and "$ref" not in schema:
        raise ArgumentError(
            f"tools: {type_.__qualname__} has no fields, so it describes no arguments",
            hint="pass a function, or a type with fields: a pydantic model, a dataclass, a TypedDict",
            argument="tools",
        )
    own = type_.__doc__ or ""
    description = "" if own.startswith(f"{type_.__name__}(") else inspect.cleandoc(own)  # as a dataclass makes it
    return Tool(_name_of(type_.__name__, type_), description, schema, reader, type_)


def _name_of(name: object, origin: Any) -> str:
    if isinstance(name, str) and _NAME.fullmatch(name):
        return name
    what = "has no name" if not name else f"has the name {name!r}, which no tool can have"
    raise ArgumentError(
        f"tools: {shorten(repr(origin))} {what}",
        hint="a name is letters, digits, _, - and ., at most 128",
        argument="tools",
    )
