"""The arguments of a call, in each way in which a style writes them: one row for each family of ways."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from formwright.forms.form import Form
from formwright.tools.bare_members import make_bare_members
from formwright.tools.nested_tags import make_nested_tags
from formwright.tools.sources import Tool
from formwright.tools.speller import Speller
from formwright.tools.styles import Style
from formwright.tools.tagged import tagged_arguments

__all__ = ["make_arguments"]

_OTHERS: Mapping[str, Callable[[Tool, Speller], Form[Any]]] = {
    "bare members": make_bare_members,
    "nested tags": make_nested_tags,
}
"""What makes the arguments of ways other than JSON and tags in a row."""


def make_arguments(tool: Tool, style: Style, options: Mapping[str, Any]) -> Form[Any]:
    """The form of the arguments of a tool; ``options`` are those of JSON."""
    if style.arguments == "json":
        return tool.arguments(options)
    speller = Speller(style.markers)
    if style.arguments in _OTHERS:
        return _OTHERS[style.arguments](tool, speller)
    return tagged_arguments(tool, style.arguments, speller)
