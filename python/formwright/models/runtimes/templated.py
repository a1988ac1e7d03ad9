"""Prompts for a model whose tokenizer is one of transformers: its chat template writes them.

::

    encode = encoder_of(tokenizer)
    encode("How are you?")            # the ids of one message of a user, templated

Cost: that of the template. The wrinkle: without a template, text is the prompt as it stands, and messages are refused.
Some templates read variables of their own, such as ``enable_thinking``: those of a caller are passed on, and one that
the template does not read is refused, since it would change nothing.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from formwright.conversations.prompts import PromptMessage
from formwright.errors import ArgumentError, PromptError
from formwright.tools import style_of

__all__ = ["Encode", "WithTools", "encoder_of", "text_encoder_of", "tools_of", "variants_of"]

Encode = Callable[[str | Sequence[PromptMessage]], list[int]]
"""What writes a text or a conversation."""

WithTools = Callable[[Sequence[PromptMessage], Sequence[Mapping[str, Any]]], list[int]]
"""What writes a conversation and the tools that may be called."""

Variants = Callable[[Mapping[str, Any]], tuple[Encode, WithTools | None]]
"""Variables of a chat template to what writes conversations with them."""

NO_VARIABLES: Mapping[str, Any] = MappingProxyType({})


def encoder_of(tokenizer: Any, variables: Mapping[str, Any] = NO_VARIABLES) -> Encode:
    """What makes token ids of a text or a conversation; the chat template is given these variables."""

    def encode(prompt: str | Sequence[PromptMessage]) -> list[int]:
        if not tokenizer.chat_template:
            return text_encoder_of(tokenizer)(_plain(prompt))
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
        return _apply_template(tokenizer, messages, variables)

    return encode


def text_encoder_of(tokenizer: Any) -> Callable[[str], list[int]]:
    """What makes token ids of a text that the model continues, without the chat template."""

    def encode_text(text: str) -> list[int]:
        ids: list[int] = tokenizer(text)["input_ids"]
        return ids

    return encode_text


def tools_of(tokenizer: Any, variables: Mapping[str, Any] = NO_VARIABLES) -> tuple[str, WithTools | None]:
    """How a chat template writes tool calls, and what writes a conversation with tools; none if it knows none."""
    try:
        style = style_of(tokenizer)
    except ArgumentError:
        return "json_lines", None

    def with_tools(messages: Sequence[PromptMessage], tools: Sequence[Mapping[str, Any]]) -> list[int]:
        return _apply_template(tokenizer, list(messages), variables, tools=[dict(tool) for tool in tools] or None)

    return style, with_tools


def _check_variables(tokenizer: Any, variables: Mapping[str, Any]) -> None:
    """Refuse variables that the chat template does not read, or that are not for a caller to set.

    Raises:
        ArgumentError: It names the first of them.
    """
    template = tokenizer.chat_template
    read = set().union(*map(_find_variables, [template] if isinstance(template, str) else template.values()))
    own = {"messages", *inspect.signature(tokenizer.apply_chat_template).parameters}
    for name in variables:
        if name in own or name not in read:
            raise ArgumentError(
                f"{name!r} is not a variable that the chat template of this model reads",
                argument="chat_template_kwargs",
            )


_GENERATION_TAG = re.compile(r"\{%-?\s*(?:end)?generation\s*-?%\}")
"""A tag that transformers adds to Jinja."""


def _find_variables(template: str) -> set[str]:
    """The variables that a chat template reads. Raises ArgumentError where it is not a template of Jinja."""
    from jinja2 import Environment, TemplateSyntaxError, meta

    try:
        parsed = Environment(extensions=["jinja2.ext.loopcontrols"]).parse(_GENERATION_TAG.sub("", template))
    except TemplateSyntaxError as error:
        raise ArgumentError(
            f"the chat template of this model cannot be read: {error}", argument="chat_template_kwargs"
        ) from error
    return meta.find_undeclared_variables(parsed)


def variants_of(tokenizer: Any) -> Variants | None:
    """What writes conversations with variables of the chat template; ``None`` without one."""
    if not tokenizer.chat_template:
        return None

    def variant(variables: Mapping[str, Any]) -> tuple[Encode, WithTools | None]:
        _check_variables(tokenizer, variables)
        return encoder_of(tokenizer, variables), tools_of(tokenizer, variables)[1]

    return variant


def _apply_template(tokenizer: Any, messages: Any, variables: Mapping[str, Any], **more: Any) -> list[int]:
    """The tokens of a conversation as the chat template writes it. Raises PromptError."""
    try:
        templated = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, return_dict=True, **more, **variables
        )
    except Exception as error:  # what the author of a template refuses
        raise PromptError(f"the chat template refuses the conversation: {error}") from error
    ids: list[int] = templated["input_ids"]
    return ids


def _plain(prompt: str | Sequence[PromptMessage]) -> str:
    if isinstance(prompt, str):
        return prompt
    raise PromptError(
        "the tokenizer has no chat template, so messages cannot be written for this model",
        hint="pass the prompt as a str, or set tokenizer.chat_template",
    )
