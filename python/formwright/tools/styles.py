r"""How models write tool calls: one table, a row for each dialect.

===========  ======================================================================================
``hermes``   ``<tool_call>\n{"name": "f", "arguments": {...}}\n</tool_call>``
``mistral``  ``[TOOL_CALLS][{"name": "f", "arguments": {...}}, {"name": ...}]``
``glm``      ``<tool_call>f\n<arg_key>k</arg_key>\n<arg_value>v</arg_value>\n</tool_call>``
===========  ======================================================================================

A row says what is around the calls, and around the name and the arguments of each. It is what the chat template of
such a model writes when a conversation has tool calls in it, so it is what the model was trained to write.

In some vocabularies a marker is a control token, in others it is ordinary text; a row names
the markers, and a form takes either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from formwright.errors import ArgumentError

__all__ = ["NUMBER", "STYLES", "Style", "register_style", "style_of"]

NUMBER = "{number}"
"""Where a style numbers its calls."""


Ways = Literal[
    "json",
    "parameters",
    "parameters in a row",
    "named parameters",
    "parameters with a type",
    "arguments with a type",
    "keys",
    "keys in a row",
    "nested tags",
    "bare members",
]
"""How arguments are written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """A dialect of tool calls.

    Attributes:
        begin: What is before the first call.
        before: What is before the name of a tool. In it and in ``between``, ``{number}`` is the number of the call.
        between: What is between the name and the arguments.
        after: What comes after the arguments.
        separator: What is between two calls.
        end: What comes after the last call.
        arguments: How they are written: as JSON, or in a way of `formwright.tools.arguments`.
        first_number: The number of the first call.
        trigger: How calls begin after free text: the beginning of ``begin`` and ``before``; ``""`` if free text
            has a beginning of its own.
        text: What free text begins with.
        most: How many calls a text can have, if there is a bound.
        has_ids: Whether the model may write an id for each call.
        markers: Texts that are control tokens in some vocabularies.
        signs: What tells a chat template of this style: all of these texts are in it.
    """

    begin: str = ""
    before: str
    between: str
    after: str = ""
    separator: str = ""
    end: str = ""
    arguments: Ways = "json"
    first_number: int = 0
    trigger: str = ""
    text: str = ""
    most: int | None = None
    has_ids: bool = False
    markers: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()

    @property
    def is_list(self) -> bool:
        """Whether the calls are one list, so that no text can be between them."""
        return bool(self.begin or self.end)


_HERMES = Style(
    before='<tool_call>\n{"name": "',
    between='", "arguments": ',
    after="}\n</tool_call>",
    separator="\n",
    trigger="<tool_call>",
    markers=("<tool_call>", "</tool_call>"),
    signs=("<tool_call>",),
)

_KIMI = (
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
)


def _make_dsml(name: str) -> Style:
    """How DeepSeek writes calls from version 3.2 on; the name of their list changed with version 4."""
    return Style(
        begin=f"<｜DSML｜{name}>\n",
        before='<｜DSML｜invoke name="',
        between='">\n',
        after="</｜DSML｜invoke>",
        separator="\n",
        end=f"\n</｜DSML｜{name}>",
        arguments="parameters with a type",
        trigger=f"<｜DSML｜{name}>",
        markers=("｜DSML｜",),
        signs=("｜DSML｜", name),
    )


_DEEPSEEK = (
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁end｜>",
)

STYLES: dict[str, Style] = {
    "json": Style(
        begin="[",
        before='{"name": "',
        between='", "arguments": ',
        after="}",
        separator=", ",
        end="]",
        trigger='[{"name": "',
    ),
    "json_lines": Style(
        before='{"name": "',
        between='", "arguments": ',
        after="}",
        separator="\n",
        trigger='{"name": "',
    ),
    "hermes": _HERMES,
    "qwen": _HERMES,
    "qwen_xml": Style(
        before="<tool_call>\n<function=",
        between=">\n",
        after="</function>\n</tool_call>",
        separator="\n",
        arguments="parameters",
        trigger="<tool_call>",
        markers=("<tool_call>", "</tool_call>"),
        signs=("<function=", "<parameter="),
    ),
    "glm": Style(
        before="<tool_call>",
        between="\n",
        after="</tool_call>",
        separator="\n",
        arguments="keys",
        trigger="<tool_call>",
        markers=("<tool_call>", "</tool_call>"),
        signs=("<arg_key>",),
    ),
    "glm_flat": Style(
        before="<tool_call>",
        between="",
        after="</tool_call>",
        arguments="keys in a row",
        trigger="<tool_call>",
        markers=("<tool_call>", "</tool_call>"),
        signs=("</arg_key><arg_value>",),
    ),
    "llama3": Style(
        before='{"name": "',
        between='", "parameters": ',
        after="}",
        trigger='{"name": "',
        most=1,
        signs=('"parameters": ', "<|start_header_id|>"),
    ),
    "mistral": Style(
        begin="[TOOL_CALLS][",
        before='{"name": "',
        between='", "arguments": ',
        after="}",
        separator=", ",
        end="]",
        trigger="[TOOL_CALLS]",
        has_ids=True,
        markers=("[TOOL_CALLS]",),
        signs=("[TOOL_CALLS]",),
    ),
    "mistral_args": Style(
        before="[TOOL_CALLS]",
        between="[ARGS]",
        trigger="[TOOL_CALLS]",
        markers=("[TOOL_CALLS]", "[ARGS]"),
        signs=("[TOOL_CALLS]", "[ARGS]"),
    ),
    "deepseek": Style(
        begin="<｜tool▁calls▁begin｜>",
        before="<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
        between="\n```json\n",
        after="\n```<｜tool▁call▁end｜>",
        separator="\n",
        end="<｜tool▁calls▁end｜>",
        trigger="<｜tool▁calls▁begin｜>",
        markers=_DEEPSEEK,
        signs=("<｜tool▁calls▁begin｜>", "```json"),
    ),
    "deepseek_v3": Style(
        begin="<｜tool▁calls▁begin｜>",
        before="<｜tool▁call▁begin｜>",
        between="<｜tool▁sep｜>",
        after="<｜tool▁call▁end｜>",
        end="<｜tool▁calls▁end｜>",
        trigger="<｜tool▁calls▁begin｜>",
        markers=_DEEPSEEK,
        signs=("<｜tool▁calls▁begin｜>",),
    ),
    "deepseek_v3_2": _make_dsml("function_calls"),
    "deepseek_v4": _make_dsml("tool_calls"),
    "kimi_k2": Style(
        begin="<|tool_calls_section_begin|>",
        before="<|tool_call_begin|>functions.",
        between=":{number}<|tool_call_argument_begin|>",
        after="<|tool_call_end|>",
        end="<|tool_calls_section_end|>",
        trigger="<|tool_calls_section_begin|>",
        markers=_KIMI,
        signs=("<|tool_calls_section_begin|>",),
    ),
    "kimi_k3": Style(
        begin="<|open|>tools<|sep|>",
        before='<|open|>call tool="',
        between='" index="{number}"<|sep|>',
        after="<|close|>call<|sep|>",
        end="<|close|>tools<|sep|>",
        arguments="arguments with a type",
        first_number=1,
        trigger="<|open|>tools<|sep|>",
        markers=("<|open|>", "<|close|>", "<|sep|>"),
        signs=("<|open|>", "<|sep|>"),
    ),
    "minimax_m1": Style(
        begin="<tool_calls>\n",
        before='{"name": "',
        between='", "arguments": ',
        after="}",
        separator="\n",
        end="\n</tool_calls>",
        trigger="<tool_calls>",
        markers=("<tool_calls>", "</tool_calls>"),
        signs=("<tool_calls>", "<beginning_of_sentence>"),
    ),
    "minimax": Style(
        begin="<minimax:tool_call>\n",
        before='<invoke name="',
        between='">\n',
        after="</invoke>",
        separator="\n",
        end="\n</minimax:tool_call>",
        arguments="named parameters",
        trigger="<minimax:tool_call>",
        markers=("<minimax:tool_call>", "</minimax:tool_call>"),
        signs=("minimax:tool_call", "<invoke"),
    ),
    "minimax_m3": Style(
        begin="]<]minimax[>[<tool_call>\n",
        before=']<]minimax[>[<invoke name="',
        between='">',
        after="]<]minimax[>[</invoke>\n",
        end="]<]minimax[>[</tool_call>",
        arguments="nested tags",
        trigger="]<]minimax[>[<tool_call>",
        markers=("]<]minimax[>[",),
        signs=("]<]minimax[>[",),
    ),
    "cohere": Style(
        begin="<|START_ACTION|>[\n    ",
        before='{"tool_call_id": "{number}", "tool_name": "',
        between='", "parameters": ',
        after="}",
        separator=",\n    ",
        end="\n]<|END_ACTION|>",
        trigger="<|START_ACTION|>",
        markers=("<|START_ACTION|>", "<|END_ACTION|>"),
        signs=("<|START_ACTION|>", "tool_call_id"),
    ),
    "exaone": Style(
        before='<tool_call>{"name": "',
        between='", "arguments": ',
        after="}</tool_call>",
        separator="\n",
        trigger="<tool_call>",
        markers=("<tool_call>", "</tool_call>"),
    ),
    "mimo": Style(
        before="<tool_call><function=",
        between=">",
        after="</function></tool_call>",
        arguments="parameters in a row",
        trigger="<tool_call>",
        markers=("<tool_call>", "</tool_call>"),
    ),
    "gemma4": Style(
        before="<|tool_call>call:",
        between="",
        after="<tool_call|>",
        arguments="bare members",
        trigger="<|tool_call>",
        markers=("<|tool_call>", "<tool_call|>", '<|"|>'),
        signs=("<|tool_call>call:", '<|"|>'),
    ),
    "harmony": Style(
        before="<|channel|>commentary to=functions.",
        between=" <|constrain|>json<|message|>",
        text="<|channel|>final<|message|>",
        most=1,
        markers=("<|channel|>", "<|constrain|>", "<|message|>"),
        signs=("<|channel|>",),
    ),
}
"""The styles by name."""

_DETECTION_ORDER = (
    "minimax_m3",
    "kimi_k3",
    "kimi_k2",
    "gemma4",
    "cohere",
    "deepseek_v3_2",
    "deepseek_v4",
    "minimax",
    "minimax_m1",
    "harmony",
    "deepseek",
    "deepseek_v3",
    "mistral_args",
    "mistral",
    "glm_flat",
    "glm",
    "qwen_xml",
    "hermes",
    "llama3",
)
"""The order in which a chat template is searched for signs of a style: the most specific one first."""


_REGISTERED: list[str] = []
"""Styles of users, which are looked for before those that are built in."""


def register_style(name: str, style: Style) -> None:
    """Let ``style=`` name one more way in which a model writes calls, and chat templates be recognised by its signs.

    Raises:
        ArgumentError: ``name`` is not text, or ``style`` is not a `Style`.
    """
    if not isinstance(name, str) or not name or "{" in name:
        raise ArgumentError(f"name: expected a name without braces, got {name!r}", argument="name")
    if not isinstance(style, Style):
        raise ArgumentError(f"style: expected a formwright.tools.Style, got {style!r}", argument="style")
    STYLES[name] = style
    _REGISTERED.append(name)


def style_of(template: Any, /) -> str:
    """The name of the style that a chat template writes.

    Args:
        template: The template as text, or a tokenizer that has a ``chat_template``.

    Raises:
        ArgumentError: There is no template, or it shows no sign of a known style.
    """
    text = template if isinstance(template, str) else getattr(template, "chat_template", None)
    if isinstance(text, Mapping):  # several, by what they are for
        text = text.get("tool_use", text.get("default"))
    if isinstance(text, str):
        for name in (*reversed(_REGISTERED), *_DETECTION_ORDER):
            if STYLES[name].signs and all(sign in text for sign in STYLES[name].signs):
                return name
    raise ArgumentError(
        "the chat template shows no style of tool calls" if isinstance(text, str) else "there is no chat template",
        hint=f"pass style=: one of {', '.join(map(repr, STYLES))}",
        argument="style",
    )
