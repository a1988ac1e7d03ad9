"""What a generation gives: a complete value, or a text that was cut.

::

    match model.generate(prompt, Person, finish=False):
        case Complete(value=person):
            print(person)
        case Truncated(text=text, reason=reason):
            print(reason, text)

There is no third case and no repaired text: a `Complete` is in form from its first
byte to its last, a `Truncated` is the beginning of a text in form. Only who allows a
cut (``finish=False``, ``stop=``, ``cancel=``) can be given one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from html import escape
from typing import Generic, Literal, TypeVar

__all__ = ["Complete", "Reason", "Result", "Truncated"]

T = TypeVar("T", covariant=True)
Reason = Literal["max_tokens", "stop", "cancel"]
"""Which argument cut the text."""

_IDS_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Written:
    """What every generation reports."""

    text: str
    token_ids: tuple[int, ...]
    prompt_tokens: int
    model_calls: int
    forced_tokens: int
    seconds: float = field(compare=False)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={shown}' for name, shown in self._shown())})"

    def _repr_html_(self) -> str:
        cells = (f"<tr><th>{name}</th><td><pre>{escape(shown)}</pre></td></tr>" for name, shown in self._shown())
        return f"<table><caption>{type(self).__name__}</caption>{''.join(cells)}</table>"

    def _shown(self) -> list[tuple[str, str]]:
        """Names and values, what matters most first."""
        names = [entry.name for entry in fields(self)]
        return [(name, _shown_value(name, getattr(self, name))) for name in names[-1:] + names[:-1]]


def _shown_value(name: str, value: object) -> str:
    if name == "seconds":
        return f"{value:.3f}"
    if isinstance(value, tuple) and name == "token_ids" and len(value) > _IDS_SHOWN:
        return f"({', '.join(map(str, value[:_IDS_SHOWN]))}, ... {len(value)} in all)"
    return repr(value)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Complete(_Written, Generic[T]):
    """A complete text in form, and the value it spells.

    Attributes:
        value: What the text spells, as the form reads it.
        text: The text written.
        token_ids: The tokens written, the end-of-text token not included; those that spell a ``stop`` text are among
            them, though ``text`` ends before it.
        prompt_tokens: How many tokens the prompt had.
        model_calls: How often the model was run.
        forced_tokens: How many tokens could only be one, so that the model was not asked for them.
        seconds: Wall-clock time; two results are equal whatever it says.
    """

    value: T


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Truncated(_Written):
    """The beginning of a text in form, and why it ends there.

    Attributes:
        reason: Which argument cut it: ``"max_tokens"``, ``"stop"`` or ``"cancel"``.
        text: The text written, as far as its bytes are whole characters.
        token_ids: The tokens written; those that spell a ``stop`` text are among them, though ``text`` ends before it.
        prompt_tokens: How many tokens the prompt had.
        model_calls: How often the model was run.
        forced_tokens: How many tokens could only be one, so that the model was not asked for them.
        seconds: Wall-clock time; two results are equal whatever it says.
    """

    reason: Reason


Result = Complete[T] | Truncated
"""What a generation that may be cut gives."""
