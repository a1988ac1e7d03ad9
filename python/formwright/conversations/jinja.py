"""Messages with Jinja in them, filled in from the context.

::

    messages = [{"role": "user", "content": "Hi {{ name }}"}]
    render_messages(messages, {"name": "Ada"})           # [{'role': 'user', 'content': 'Hi Ada'}]

Cost: compiling each text that has braces. Templates run in Jinja's sandbox, and a name that the context
does not have is an error rather than nothing. What is in the context is text, never a template.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from formwright._extras import needs
from formwright.errors import PromptError

__all__ = ["render_messages"]


def render_messages(
    messages: Sequence[Mapping[str, Any]], context: Mapping[str, Any] | None
) -> list[Mapping[str, Any]]:
    """New messages with their texts filled in; without a context, the same ones.

    Raises:
        PromptError: A template is broken, or wants a name that the context does not have.
    """
    if context is None:
        return list(messages)
    context = context if isinstance(context, Mapping) else {}  # what is not a mapping offers no variables
    return [_fill_message(message, number, context) for number, message in enumerate(messages)]


def _fill_message(message: Mapping[str, Any], number: int, context: Mapping[str, Any]) -> Mapping[str, Any]:
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        return {**message, "content": _text(content, number, context)}
    if isinstance(content, list):
        return {**message, "content": [_part(part, number, context) for part in content]}
    return message


def _part(part: Any, number: int, context: Mapping[str, Any]) -> Any:
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return {**part, "text": _text(part["text"], number, context)}
    return part


def _text(text: str, number: int, context: Mapping[str, Any]) -> str:
    if "{{" not in text and "{%" not in text and "{#" not in text:
        return text
    environment = _environment()
    try:
        return str(environment.from_string(text).render(context))
    except Exception as error:  # of the template, or of what it does with the context
        raise PromptError(
            f"message {number} is a template that cannot be filled in: {type(error).__name__}: {error}",
            hint="give the context every name, or write {{ '{{' }} for braces that are meant",
        ) from error


@lru_cache
def _environment() -> Any:
    with needs("client", "a message with Jinja in it"):
        from jinja2 import StrictUndefined
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    return ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
