"""Read the tools of a request, and which of them may or must be called.

::

    tool = {"type": "function", "function": {"name": "get_weather"}}
    offered = read_chat_tools(ChatBody(model="m", messages=[{}], tools=[tool]))
    offered.mode                     # 'auto'

Chat completions nest what responses write flat; this module makes both the same. The input of a custom tool is text:
the model writes it as the only argument, ``input``, of a function (`formwright.tools.custom`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from formwright.server.errors import BadRequest
from formwright.server.reading.body_parts import (
    CustomGrammar,
    CustomTool,
    FlatCustomGrammar,
    FlatFunctionTool,
    Function,
    FunctionTool,
)
from formwright.server.reading.requests import ChatBody, ResponsesBody
from formwright.tools import closed_arguments
from formwright.tools.custom import CustomInput
from formwright.tools.offered import Offered

__all__ = ["RequestTool", "read_chat_tools", "read_response_tools"]


@dataclass(frozen=True, slots=True)
class RequestTool:
    """A tool of a request.

    Attributes:
        name: Its name.
        description: What it is for.
        schema: The JSON Schema of its arguments.
        param: The field that describes its arguments or its input.
        custom: What its input may be, if it is a custom tool.
    """

    name: str
    description: str
    schema: dict[str, Any]
    param: str
    custom: CustomInput | None = None

    @property
    def has_raw_input(self) -> bool:
        """Whether its input is written without the escapes of JSON."""
        return self.custom is not None and self.custom.has_grammar

    def described(self) -> dict[str, Any]:
        """Describe the tool as chat completions list it."""
        if self.custom is None:
            return self.describe_function()
        return {"type": "custom", "custom": {"name": self.name, "format": self.custom.format}}

    def describe_function(self) -> dict[str, Any]:
        """Describe the tool as chat templates list it: a function."""
        function = {"name": self.name, "description": self.description, "parameters": self.schema}
        return {"type": "function", "function": function}


def read_chat_tools(body: ChatBody) -> Offered:
    """Read the tools of a chat completion. Raises BadRequest."""
    offers = []
    for number, tool in enumerate(body.tools or ()):
        if isinstance(tool, FunctionTool):
            offers.append(_read_function(tool.function, f"tools[{number}].function.parameters"))
        else:
            format_, where = tool.custom.format, f"tools[{number}].custom.format.grammar"
            offers.append(_read_custom(tool, _read_input(format_, where), where))
    return _apply_choice(offers, body.tool_choice, body.parallel_tool_calls, "function", "allowed_tools")


def read_response_tools(body: ResponsesBody) -> Offered:
    """Read the tools of a response. Raises BadRequest."""
    offers = []
    for number, tool in enumerate(body.tools or ()):
        if isinstance(tool, FlatFunctionTool):
            offers.append(_read_function(tool, f"tools[{number}].parameters"))
        else:
            where = f"tools[{number}].format"
            offers.append(_read_custom(tool, _read_input(tool.format, where), where))
    return _apply_choice(offers, body.tool_choice, body.parallel_tool_calls, None, None)


def _read_function(function: Function, param: str) -> RequestTool:
    schema = closed_arguments(function.parameters)
    if schema["type"] not in ("object", ["object"]):
        said = f'expected a schema of the type "object", got {json.dumps(schema["type"])}'
        raise BadRequest(f"{param}: {said}", param=param, code="invalid_form")
    return RequestTool(function.name, function.description or "", schema, param)


def _read_custom(tool: Any, custom: CustomInput, param: str) -> RequestTool:
    given = tool.custom if isinstance(tool, CustomTool) else tool
    return RequestTool(given.name, given.description or "", custom.make_schema(), param, custom)


def _read_input(format_: CustomGrammar | FlatCustomGrammar | None, where: str) -> CustomInput:
    """Read what the input of a custom tool may be. Raises BadRequest."""
    if format_ is None:
        return CustomInput()
    grammar: Any = format_.grammar if isinstance(format_, CustomGrammar) else format_
    if format_.type == "text":
        if format_.model_fields_set - {"type"}:
            raise BadRequest(
                f'{where}: a format of the type "text" has no grammar: set the type to "grammar"', param=where
            )
        return CustomInput()
    if grammar is None or grammar.syntax is None or grammar.definition is None:
        raise BadRequest(f"{where}: expected a grammar with a syntax and a definition", param=where)
    return CustomInput(grammar.syntax, grammar.definition)


def _apply_choice(
    offers: list[RequestTool], choice: Any, several: bool, nested: str | None, allowed_key: str | None
) -> Offered:
    """Offer the tools that ``tool_choice`` leaves. Raises BadRequest."""
    for number, offer in enumerate(offers):
        if offer.name in [other.name for other in offers[:number]]:
            raise BadRequest(f"tools: two tools have the name {offer.name!r}", param=f"tools[{number}]")
    if choice is None:
        choice = "auto" if offers else "none"
    if choice in ("none", "auto", "required"):
        if choice == "required" and not offers:
            raise BadRequest("tool_choice: expected tools as well, because one must be called", param="tool_choice")
        return Offered.of(offers, choice, several)
    kind = choice.get("type") if isinstance(choice, Mapping) else None
    if kind in ("function", "custom"):
        return Offered.of(_find_tools([choice], offers, nested), "one")
    if kind == "allowed_tools":
        inner = choice.get(allowed_key) if allowed_key else choice
        if isinstance(inner, Mapping) and inner.get("mode") in ("auto", "required"):
            tools = inner.get("tools")
            if isinstance(tools, Sequence) and tools:
                return Offered.of(_find_tools(tools, offers, nested), inner["mode"], several)
    raise BadRequest(
        "tool_choice: expected 'none', 'auto', 'required', the name of a tool, or allowed_tools with a mode and tools",
        param="tool_choice",
    )


def _find_tools(choices: Sequence[Any], offers: list[RequestTool], nested: str | None) -> tuple[RequestTool, ...]:
    """Find the tools that have these names. Raises BadRequest."""
    known = {offer.name: offer for offer in offers}
    found = []
    for choice in choices:
        kind = choice.get("type") if isinstance(choice, Mapping) else None
        inner = choice.get(kind) if nested and kind else choice
        name = inner.get("name") if isinstance(inner, Mapping) else None
        if not isinstance(name, str):
            kind = kind if kind in ("function", "custom") else "function"
            wanted: dict[str, Any] = {"type": kind, kind: {"name": "..."}} if nested else {"type": kind, "name": "..."}
            raise BadRequest(f"tool_choice: expected a tool by its name, as {json.dumps(wanted)}", param="tool_choice")
        if name not in known:
            raise BadRequest(f"tool_choice: there is no tool {name!r} in tools", param="tool_choice")
        found.append(known[name])
    return tuple(found)
