"""Encode prompts for a model with a tokenizer of transformers, by its chat template.

::

    encode = make_encoder(tokenizer)
    encode("How are you?")            # the ids of one message of a user, templated

Cost: that of the template. Without a template, text is the prompt as it is, and messages are refused.
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

__all__ = ["Encode", "WithTools", "make_encoder", "make_text_encoder", "make_tool_encoder", "make_variants"]

Encode = Callable[[str | Sequence[PromptMessage]], list[int]]
"""Encodes a text or a conversation."""

WithTools = Callable[[Sequence[PromptMessage], Sequence[Mapping[str, Any]]], list[int]]
"""Encodes a conversation and the tools that may be called."""

Variants = Callable[[Mapping[str, Any]], tuple[Encode, WithTools | None]]
"""Makes the encoders for variables of a chat template."""

NO_VARIABLES: Mapping[str, Any] = MappingProxyType({})


def make_encoder(tokenizer: Any, variables: Mapping[str, Any] = NO_VARIABLES) -> Encode:
    """Make the encoder of texts and conversations; these variables are passed to the chat template."""

    def encode(prompt: str | Sequence[PromptMessage]) -> list[int]:
        if not tokenizer.chat_template:
            return make_text_encoder(tokenizer)(_check_plain(prompt))
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
        return _apply_template(tokenizer, messages, variables)

    return encode


def make_text_encoder(tokenizer: Any) -> Callable[[str], list[int]]:
    """Make the encoder of texts that the model continues, without the chat template."""

    def encode_text(text: str) -> list[int]:
        ids: list[int] = tokenizer(text)["input_ids"]
        return ids

    return encode_text


def make_tool_encoder(tokenizer: Any, variables: Mapping[str, Any] = NO_VARIABLES) -> tuple[str, WithTools | None]:
    """Find the style of a template's tool calls, and make the encoder of conversations with tools, if it knows any."""
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
        ArgumentError: For the first such variable.
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
    """Find the variables that a chat template reads. Raises ArgumentError if it is not a template of Jinja."""
    from jinja2 import Environment, TemplateSyntaxError, meta

    try:
        parsed = Environment(extensions=["jinja2.ext.loopcontrols"]).parse(_GENERATION_TAG.sub("", template))
    except TemplateSyntaxError as error:
        raise ArgumentError(
            f"the chat template of this model cannot be read: {error}", argument="chat_template_kwargs"
        ) from error
    return meta.find_undeclared_variables(parsed)


def make_variants(tokenizer: Any) -> Variants | None:
    """Return the maker of encoders with variables of the chat template; ``None`` without a template."""
    if not tokenizer.chat_template:
        return None

    def variant(variables: Mapping[str, Any]) -> tuple[Encode, WithTools | None]:
        _check_variables(tokenizer, variables)
        return make_encoder(tokenizer, variables), make_tool_encoder(tokenizer, variables)[1]

    return variant


def _apply_template(tokenizer: Any, messages: Any, variables: Mapping[str, Any], **more: Any) -> list[int]:
    """Encode a conversation by the chat template. Raises PromptError."""
    try:
        templated = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, return_dict=True, **more, **variables
        )
    except Exception as error:  # what the author of a template refuses
        raise PromptError(f"the chat template refuses the conversation: {error}") from error
    ids: list[int] = templated["input_ids"]
    return ids


def _check_plain(prompt: str | Sequence[PromptMessage]) -> str:
    """Return a prompt that is a text. Raises PromptError for a conversation."""
    if isinstance(prompt, str):
        return prompt
    raise PromptError(
        "the tokenizer has no chat template, so messages cannot be written for this model",
        hint="pass the prompt as a str, or set tokenizer.chat_template",
    )
