r"""Tool calls: which tools a model may call, how it writes that, and the calls with their arguments.

::

    def get_weather(city: str, days: int = 1) -> str:
        "The weather in a city."

    form = fw.tools([get_weather], calls="one")
    (call,) = form.parse('{"name": "get_weather", "arguments": {"city": "Oslo"}}')
    call.name, call.arguments                            # 'get_weather', {'city': 'Oslo'}
    call.run()                                           # get_weather(city='Oslo')

Tools are functions, types with fields, and the lists of APIs and MCP servers (read in ``sources.py``). What a
model writes depends on its chat template: the rows of ``styles.py``. Names, required arguments and the type
of each value are enforced in all of them.

Cost: compiling the schema of each tool; up to where their names differ, all tools are one alternative.
With ``calls="auto"`` the model may write text instead, and text between calls; the value is then the text or the calls.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import count
from typing import Any, Literal

from formwright._extras import needs
from formwright._kernel import Language
from formwright.errors import ArgumentError
from formwright.forms.form import Form, Origin, chain, literal
from formwright.forms.free_text import special, text
from formwright.forms.json_options import complete_options, key_of_options
from formwright.forms.kept import find_form
from formwright.forms.readers import Chain, Cut, plain
from formwright.forms.templates import many
from formwright.tools.arguments import make_arguments
from formwright.tools.sources import Tool, closed_arguments, tool_of
from formwright.tools.speller import Speller
from formwright.tools.styles import NUMBER, STYLES, Style, register_style, style_of

__all__ = [
    "STYLES",
    "Call",
    "Offer",
    "Style",
    "Tool",
    "as_json",
    "closed_arguments",
    "register_style",
    "style_of",
    "tool_of",
    "tools",
    "with_ids",
]

Calls = Literal["auto", "required", "one"]


@dataclass(frozen=True, slots=True)
class Call:
    """A call that a model has written.

    Attributes:
        name: The name of the tool.
        arguments: Its arguments: an instance of the type, for a function a dict of typed values, else what JSON says.
        id: Tells it from the other calls of its text.
        tool: The tool.
    """

    name: str
    arguments: Any
    id: str
    tool: Tool = field(repr=False)

    def described(self) -> dict[str, Any]:
        """As the APIs list it under ``tool_calls`` of the assistant's message."""
        if self.tool.custom is not None:
            return {"id": self.id, "type": "custom", "custom": {"name": self.name, **self.arguments}}
        arguments = as_json(self.arguments)
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": arguments}}

    def run(self) -> Any:
        """Call the function that the tool was made of.

        Raises:
            ArgumentError: It was made of no function.
        """
        if isinstance(self.tool.origin, type) or not callable(self.tool.origin):
            raise ArgumentError(
                f"the tool {self.name!r} is not a function", hint="use the arguments of the call", argument="tools"
            )
        return self.tool.origin(**self.arguments)


def as_json(value: Any) -> str:
    """The JSON of arguments as they were read: typed values, or what JSON says."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        with needs("pydantic", "typed arguments as JSON"):
            from pydantic_core import to_json
        return to_json(value, by_alias=True).decode()


@dataclass(frozen=True, slots=True)
class Offer:
    """What a form of tools was made of, apart from how a model writes calls.

    Attributes:
        tools: The tools.
        calls: Whether the model may call them, or must, or must call one once.
        most: How many calls there may be, if that was said.
        call: The form of one call, from the name of its tool on.
        style: How the model writes calls.
    """

    tools: tuple[Tool, ...]
    calls: Calls
    most: int | None
    call: Form[Any] = field(repr=False, compare=False)
    style: Style = field(repr=False)

    @property
    def one(self) -> Form[Any]:
        """The form of one call alone, as the model writes it."""
        return _make_form(self.call, self.style, "one" if self.calls == "one" else "required", 1)


def tools(
    tools: Iterable[Any],
    /,
    *,
    calls: Calls = "auto",
    style: Any = "json",
    max_calls: int | None = None,
    **options: Any,
) -> Form[Any]:
    """Make a form of calls of some tools. The value is a list of `Call`, or with ``calls="auto"`` perhaps a text.

    Args:
        tools: Functions, types with fields, and descriptions as APIs and MCP servers list them, those of custom tools
            too: the arguments of their calls are ``{"input": text}``.
        calls: ``"one"``: one call; ``"required"``: one or more; ``"auto"``: as many as the model wants, with text
            before and between them, or text alone.
        style: How the model writes calls: a name of `STYLES`, or its chat template, or a tokenizer that has one.
        max_calls: How many calls there may be.
        **options: Those of `formwright.json_schema`, for the arguments; not for styles without JSON.

    Raises:
        ArgumentError: There is no tool, or two have one name; a schema is not a mapping; another argument is wrong.
        NotAForm, LanguageError: The arguments of a tool cannot be enforced.
    """
    if isinstance(tools, str | Mapping | type) or not isinstance(tools, Iterable):
        raise ArgumentError(
            f"tools: expected a list of tools, got {type(tools).__name__}", hint="pass [tool] for one", argument="tools"
        )
    row = STYLES[style] if isinstance(style, str) and style in STYLES else STYLES[_style_name(style)]
    listed = list(tools)
    text = _text_of(listed)
    if text is None:
        return _offer(listed, calls, row, max_calls, options)
    own = key_of_options(options)
    key = own and ("tools", text, calls, row, max_calls, own)
    return find_form(key, lambda: _offer(json.loads(text), calls, row, max_calls, options))


def _text_of(tools: Sequence[Any]) -> str | None:
    """Descriptions as one text, by which their form is found again; ``None`` of functions and types."""
    if not tools or not all(isinstance(tool, dict) for tool in tools):
        return None
    try:
        return json.dumps(tools, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):  # not JSON: what makes the form says where
        return None


def _offer(
    tools: Sequence[Any], calls: Calls, style: Style, max_calls: int | None, options: dict[str, Any]
) -> Form[Any]:
    """The form of `tools`."""
    known = [tool_of(tool) for tool in tools]
    names = [tool.name for tool in known]
    if not known:
        raise ArgumentError("tools: there are none", argument="tools")
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise ArgumentError(f"tools: two tools have the name {twice[0]!r}", argument="tools")
    most = _most(calls, style, max_calls)
    call = _call_form(known, style, options)
    title = f"tools {', '.join(names[:4])}{', ...' if len(names) > 4 else ''}"
    form = _make_form(call, style, calls, most)
    offer = Offer(tuple(known), calls, 1 if calls == "one" else max_calls, call, style)
    origin = Origin("tools", offer, complete_options(options)[0])
    return Form(form.language, _Calls(form, takes_text=calls == "auto"), title, "value", origin=origin)


def _make_form(call: Form[Any], style: Style, calls: Calls, most: int | None) -> Form[Any]:
    """The form of all calls, and of text around them."""
    if calls == "auto":
        return _auto(call, style, most)
    if calls == "one" and style == STYLES["json"]:
        return _mark_text(style.before, style) + call
    return _list_of_calls(call, style, most)


def _style_name(style: Any) -> str:
    if isinstance(style, str) and "{" not in style:
        raise ArgumentError(
            f"there is no style {style!r}", hint=f"there are {', '.join(map(repr, STYLES))}", argument="style"
        )
    return style_of(style)


def _most(calls: str, style: Style, max_calls: int | None) -> int | None:
    if calls not in ("auto", "required", "one"):
        raise ArgumentError(f'calls: expected "auto", "required" or "one", got {calls!r}', argument="calls")
    if max_calls is not None and (max_calls < 1 or (calls == "one" and max_calls != 1)):
        raise ArgumentError(f"max_calls={max_calls} cannot be combined with calls={calls!r}", argument="max_calls")
    if calls == "one":
        return 1
    bounds = [bound for bound in (max_calls, style.most) if bound is not None]
    return min(bounds, default=None)


def _call_form(tools: Sequence[Tool], style: Style, options: dict[str, Any]) -> Form[Any]:
    """One call, from the name of its tool on."""
    if style.arguments != "json" and options:
        raise ArgumentError(
            f"{next(iter(options))}= is an option of JSON, which this style does not write",
            argument=next(iter(options)),
        )
    tail = _mark_text(style.after, style)
    if style.has_ids:
        tail = _literal(', "id": "', Language.regex("[a-zA-Z0-9]{9}"), '"') + tail | tail
    marks = (*style.markers, NUMBER)
    place = min((found for mark in marks if (found := style.between.find(mark)) >= 0), default=None)
    fixed, middle = style.between[:place], _mark_text("" if place is None else style.between[place:], style)
    filled = complete_options(options)[0]
    arguments = {tool.name: (tool, make_arguments(tool, style, filled)) for tool in tools}
    branches = [
        (name + fixed, form.language if place is None else middle.language + form.language)
        for name, (_, form) in arguments.items()
    ]
    reader = _OneCall(arguments, fixed, middle, tail, style.has_ids)
    return Form(Language.branches(branches) + tail.language, reader, "a call", "value")


def _literal(before: str, middle: Language, after: str) -> Form[str]:
    return Form(literal(before).language + middle + literal(after).language, plain, "an id", "text")


def _list_of_calls(call: Form[Any], style: Style, most: int | None) -> Form[Any]:
    """One call or more, with nothing else."""
    calls = many(call, sep=_mark_text(style.separator + style.before, style), low=1, high=most)
    return _mark_text(style.begin + style.before, style) + calls + _mark_text(style.end, style)


def _auto(call: Form[Any], style: Style, most: int | None) -> Form[Any]:
    """Calls with text before and between them, or text alone."""
    if not style.trigger:
        header, alone = _mark_text(style.text, style), text().named("text")
        return _list_of_calls(call, style, most) | chain("text", (header, alone), takes=1)
    triggers = _marker(style.trigger, style)
    before = text(until=triggers, include=False).named("text")
    rest = text(until=triggers, include=False).named("text")
    if style.is_list:
        return before + _list_of_calls(call, style, most) | rest
    span = before + _mark_text(style.before, style) + call
    return chain("calls and text", (span.repeat(0, most), rest), takes=0)


def _marker(trigger: str, style: Style) -> list[str | Form[str]]:
    """What begins calls: a text, and the control token of the same name, if there may be one."""
    return [trigger, special(trigger, or_text=True)] if trigger in style.markers else [trigger]


def _mark_text(text: str, style: Style) -> Form[str]:
    """Fixed text; each of its markers may be a control token, and where calls are numbered, it has a number."""
    speller, number = Speller(style.markers), Language.regex("0|[1-9][0-9]*")
    first, *others = map(speller.spell, text.split(NUMBER))
    return Form(reduce(lambda before, after: before + number + after, others, first), plain, repr(text), "text")


@dataclass(frozen=True, slots=True)
class _OneCall:
    """Reads a call, from the name of its tool on."""

    arguments: dict[str, tuple[Tool, Form[Any]]]
    fixed: str
    middle: Form[str]
    tail: Form[Any]
    has_ids: bool

    def __call__(self, text: str) -> Call:
        fitting = (name for name in self.arguments if text.startswith(name + self.fixed))
        name = max(fitting, key=len)  # one may be the beginning of another, where nothing comes after a name
        tool, arguments = self.arguments[name]
        after = text[len(name + self.fixed) :]
        value = Chain((self.middle, arguments, self.tail), (False, True, False))(after)
        return Call(name, value, _written_id(after) if self.has_ids else "", tool)


def _written_id(text: str) -> str:
    """The id that is at the end of a call, if there is one."""
    before, found, after = text.rpartition(', "id": "')
    return after[:9] if found and after[9:] == '"}' and before.endswith("}") else ""


def with_ids(calls: Iterable[Call]) -> list[Call]:
    """The calls, each with an id of its own: what it has, if no other one has it."""
    used: set[str] = set()
    named = []
    for number, call in enumerate(calls):
        free = (name for at in count(number) if (name := f"call_{at}") not in used)
        own = call.id if call.id and call.id not in used else next(free)
        used.add(own)
        named.append(replace(call, id=own))
    return named


@dataclass(frozen=True, slots=True)
class _Calls:
    """Reads all calls of a text, each with an id of its own."""

    form: Form[Any]
    takes_text: bool

    def cut(self, data: bytes, *, is_open: bool = False) -> Cut | None:
        """The one part."""
        return [(self.form, 0, len(data))]

    def __call__(self, text: str) -> Any:
        found = self.form.read(text)
        calls = found if isinstance(found, list) else [found] if isinstance(found, Call) else []
        if not calls and self.takes_text:
            return found if isinstance(found, str) else plain(text)
        return with_ids(calls)
