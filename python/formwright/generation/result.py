"""What a generation gives: a complete value, or a text that was cut.

::

    match model.generate(prompt, Person):
        case Complete(value=person):
            ...
        case Truncated(text=text, reason=reason):
            ...

There is no third case and no repaired text: a `Complete` is in form from its first
byte to its last, a `Truncated` is the beginning of a text in form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

__all__ = ["Complete", "Reason", "Result", "Truncated"]

T = TypeVar("T", covariant=True)
Reason = Literal["max_tokens", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """What every generation reports.

    Attributes:
        text: The text written.
        tokens: Its token ids, the end-of-text token not included.
        prompt_tokens: How many tokens the prompt had.
        model_calls: How often the model was run; tokens that could only be one are not asked for.
        seconds: Wall-clock time.
    """

    text: str
    tokens: tuple[int, ...]
    prompt_tokens: int
    model_calls: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Complete(_Written, Generic[T]):
    """A complete text in form, and the value it spells."""

    value: T


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncated(_Written):
    """The beginning of a text in form, and why it ends there."""

    reason: Reason


Result = Complete[T] | Truncated
