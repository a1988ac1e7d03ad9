"""Prompts for a model whose tokenizer is one of transformers: its chat template writes them.

::

    encode = encoder_of(tokenizer)
    encode("How are you?")            # the ids of one message of a user, templated

Cost: that of the template. The wrinkle: without a template, text is the prompt as it stands, and messages are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from formwright.errors import ArgumentError, PromptError
from formwright.models.prompts import Message
from formwright.tools import style_of

__all__ = ["WithTools", "encoder_of", "text_encoder_of", "tools_of"]

WithTools = Callable[[Sequence[Message], Sequence[Mapping[str, Any]]], list[int]]
"""What writes a conversation and the tools that may be called."""


def encoder_of(tokenizer: Any) -> Callable[[str | Sequence[Message]], list[int]]:
    """What makes token ids of a text or a conversation."""

    def encode(prompt: str | Sequence[Message]) -> list[int]:
        if not tokenizer.chat_template:
            return text_encoder_of(tokenizer)(_plain(prompt))
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
        templated = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)
        ids: list[int] = templated["input_ids"]
        return ids

    return encode


def text_encoder_of(tokenizer: Any) -> Callable[[str], list[int]]:
    """What makes token ids of a text that the model continues, without the chat template."""

    def encode_text(text: str) -> list[int]:
        ids: list[int] = tokenizer(text)["input_ids"]
        return ids

    return encode_text


def tools_of(tokenizer: Any) -> tuple[str, WithTools | None]:
    """How a chat template writes tool calls, and what writes a conversation with tools; none if it knows none."""
    try:
        style = style_of(tokenizer)
    except ArgumentError:
        return "json_lines", None

    def with_tools(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> list[int]:
        listed: Any = [dict(tool) for tool in tools] or None
        try:
            templated = tokenizer.apply_chat_template(
                list(messages), tools=listed, add_generation_prompt=True, return_dict=True
            )
        except Exception as error:  # what the author of a template refuses
            raise PromptError(f"the chat template refuses the conversation: {error}") from error
        ids: list[int] = templated["input_ids"]
        return ids

    return style, with_tools


def _plain(prompt: str | Sequence[Message]) -> str:
    if isinstance(prompt, str):
        return prompt
    raise PromptError(
        "the tokenizer has no chat template, so messages cannot be written for this model",
        hint="pass the prompt as a str, or set tokenizer.chat_template",
    )
