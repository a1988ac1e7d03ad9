"""What an answer may be made of: text, calls of tools, or a text that conforms to a form.

::

    from formwright.tools import tool_of

    offered = Offered.of([tool_of({"name": "add"}), tool_of({"name": "who"})], "required", several=False)
    offered.mode                         # 'one'
    offered.make_form("json").matches('{"name": "who", "arguments": {}}')        # True

A server and a framework read the same ``tool_choice`` from requests of their own; from here on there is one way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from formwright.forms.form import Form
from formwright.tools import tools as tools_form

__all__ = ["Described", "Mode", "Offered"]

Mode = Literal["none", "auto", "required", "one"]


class Described(Protocol):
    """A tool that can be listed."""

    @property
    def has_raw_input(self) -> bool:
        """Whether its input is written without the escapes of JSON."""
        ...

    def described(self) -> dict[str, Any]:
        """As APIs list a tool."""
        ...

    def describe_function(self) -> dict[str, Any]:
        """As chat templates list a tool."""
        ...


@dataclass(frozen=True, slots=True)
class Offered:
    """The tools that may be called, and what else the answer may be.

    Attributes:
        tools: The tools that may be called.
        mode: Whether one must be called: ``"one"`` is exactly one call, ``"none"`` means that there are no tools.
        several: Whether there may be more than one call.
        has_form: Whether there is a form beside the tools. With ``"auto"``, the answer is calls or conforms to it.
        has_hidden_tools: Whether tools were given, none of which may be called.
    """

    tools: tuple[Any, ...] = ()
    mode: Mode = "none"
    several: bool = True
    has_form: bool = False
    has_hidden_tools: bool = False

    @classmethod
    def of(cls, tools: Iterable[Described], mode: Mode, several: bool = True) -> Offered:
        """Offer some tools, by the choice that a request makes."""
        tools = tuple(tools)
        if mode == "none" or not tools:
            return cls(has_hidden_tools=bool(tools))
        mode = "one" if mode == "required" and not several else mode
        return cls(tools, mode, several and mode != "one")

    @property
    def descriptions(self) -> list[dict[str, Any]]:
        """The tools as chat templates list them."""
        return [tool.describe_function() for tool in self.tools]

    @property
    def is_either(self) -> bool:
        """Whether the answer is calls, or a text that conforms to the form."""
        return self.has_form and self.mode == "auto"

    @property
    def is_text(self) -> bool:
        """Whether the answer is free text, perhaps with calls in it, which may end anywhere."""
        return not self.has_form and self.mode in ("none", "auto")

    def is_bare(self, style: str) -> bool:
        """Whether the calls are one call, without the brackets of a list."""
        return style == "json" and self._calls == "one"

    @property
    def _calls(self) -> Any:
        """The ``calls`` of `formwright.tools`; text beside them is left to the form, if there is one."""
        if self.is_either:
            return "required" if self.several else "one"
        return self.mode

    def make_form(self, style: str) -> Form[Any]:
        """The form of the calls, and of the text beside them. Raises as `formwright.tools`."""
        listed = [tool.described() for tool in self.tools]
        return tools_form(listed, calls=self._calls, style=style, max_calls=None if self.several else 1)

    def find_finish_reason(self, *, has_calls: bool, cut: str | None, is_spent: bool) -> str:
        """Why an answer ends, as APIs say it.

        Args:
            has_calls: Whether there are calls in it.
            cut: The option that cut it; ``None`` if it is complete.
            is_spent: Whether it has all the tokens that it may have.
        """
        if has_calls:
            return "tool_calls"
        if cut is not None:
            return "length" if cut == "max_tokens" else cut
        return "length" if self.is_text and is_spent else "stop"
