"""Custom tools, whose input is a text: any, one that matches a regular expression, or one of a grammar.

::

    custom = read_custom({"name": "ask", "format": {"type": "grammar", "syntax": "regex", "definition": "[a-z]+"}})
    custom.make_schema()["properties"]   # {'input': {'type': 'string', 'pattern': '^(?:[a-z]+)$'}}

A model writes the input as the one argument of a function, ``input``: a JSON string. A text of a grammar is written
there as it is, without the escapes of JSON, so that the grammar decides about each of its characters. The form decides
where it ends.

Cost: of a grammar, making its form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from formwright.errors import ArgumentError
from formwright.forms.form import Form, literal
from formwright.forms.free_text import text
from formwright.forms.grammars import grammar
from formwright.forms.readers import plain
from formwright.forms.texts import regex

__all__ = ["INPUT", "CustomInput", "read_custom"]

INPUT = "input"
"""The argument that is the input of a custom tool."""

_SYNTAXES = ("lark", "regex")


@dataclass(frozen=True, slots=True)
class CustomInput:
    """What the input of a custom tool may be.

    Attributes:
        syntax: ``"lark"`` or ``"regex"``; ``None`` for any text.
        definition: The grammar, or the regular expression.
    """

    syntax: str | None = None
    definition: str = ""

    @property
    def has_grammar(self) -> bool:
        """Whether the input is a text of a grammar, which is written without escapes."""
        return self.syntax == "lark"

    @property
    def format(self) -> dict[str, Any]:
        """As chat completions list it."""
        if self.syntax is None:
            return {"type": "text"}
        return {"type": "grammar", "grammar": {"syntax": self.syntax, "definition": self.definition}}

    def make_schema(self, *, is_escaped: bool = False) -> dict[str, Any]:
        """Make the JSON Schema of the arguments of the function that stands for the tool.

        Args:
            is_escaped: Whether a text of a grammar is a string of JSON like any other.
        """
        kind: dict[str, Any] = {"type": "string"}
        if self.syntax == "regex":
            kind["pattern"] = f"^(?:{self.definition})$"
        if self.has_grammar:
            how = "" if is_escaped else ", written as it is, without the escapes of JSON"
            kind["description"] = f"A text of this grammar{how}:\n{self.definition.strip()}"
        return {"type": "object", "properties": {INPUT: kind}, "required": [INPUT], "additionalProperties": False}

    def make_arguments(self, before: str, after: str) -> Form[Any]:
        """Make the form of the arguments: the input as it is, between two fixed texts.

        Raises:
            LanguageError, LimitExceeded: As `formwright.grammar` and `formwright.regex`.
        """
        form = literal(before) + self._make_input() + after
        return Form(form.language, _InputReader(len(before), len(after)), f"an input, {form.title}", "value")

    def _make_input(self) -> Form[str]:
        if self.syntax is None:
            return text()
        return grammar(self.definition, syntax="lark") if self.has_grammar else regex(self.definition)


@dataclass(frozen=True, slots=True)
class _InputReader:
    """Reads the input between two fixed texts."""

    before: int
    after: int

    def __call__(self, written: str, /) -> dict[str, str]:
        """The arguments."""
        return {INPUT: plain(written[self.before : len(written) - self.after])}


def read_custom(tool: Mapping[str, Any]) -> CustomInput:
    """Read the format of a custom tool, nested as in chat completions or flat as in responses.

    Raises:
        ArgumentError: It is not a format.
    """
    format_ = tool.get("format") or {"type": "text"}
    kind = format_.get("type") if isinstance(format_, Mapping) else None
    if kind == "text":
        return CustomInput()
    inner = format_.get("grammar", format_) if kind == "grammar" else None
    syntax, definition = (inner.get("syntax"), inner.get("definition")) if isinstance(inner, Mapping) else (None, None)
    if syntax in _SYNTAXES and isinstance(definition, str):
        return CustomInput(syntax, definition)
    raise ArgumentError(
        f"tools: the format of {tool.get('name')!r}: expected a text, or a grammar with a syntax and a definition",
        hint='pass {"type": "grammar", "syntax": "lark", "definition": "..."}, or the syntax "regex"',
        argument="tools",
    )
