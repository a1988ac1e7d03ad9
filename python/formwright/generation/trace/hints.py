"""A trace in words: where the form pushed the model, where the model ran in circles, and what helps.

::

    for hint in result.trace.hints():
        hint      # such as: the form forced ' Born', the model wanted ' born': lower-case it in the pattern

Cost: one pass over the rows, and a reading of the text if it is JSON.

One word that is spelled by several tokens is one push, told at its first token.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from formwright.generation.trace.fields import values_of

if TYPE_CHECKING:
    from formwright.generation.trace.recorder import Row, Trace

__all__ = ["hints"]

_FEWEST = 4
"""Items of an array from which on a repetition is one."""


def hints(trace: Trace) -> list[str]:
    """All hints of a trace: pushes in the order of the text, then repetitions."""
    return [*_pushes(trace), *_repetitions(trace)]


def _pushes(trace: Trace) -> Iterator[str]:
    before = None
    for index, row in enumerate(trace.rows):
        if row.is_pushed and (before is None or row.is_closed != before.is_closed):
            yield _push(row, is_first=index == 0)
        before = row if row.is_pushed else None
        if not row.is_allowed:
            count = "one token" if row.allowed_tokens == 1 else f"{row.allowed_tokens} tokens"
            said = repr(row.text) if row.token else "the end of the text"
            yield f"the text left the form with {said}, where the form allows {count} of mass {row.allowed_mass:.2g}"


def _push(row: Row, is_first: bool) -> str:
    wanted = f"the model wanted {row.leading_text!r}" if row.leading_token else "the model wanted to end the text"
    if row.is_closed:
        return f"the budget closed the text with {row.text!r}, {wanted}: pass a larger max_tokens, or bound the form"
    if not row.token:
        return f"the form ended the text, {wanted}"
    choice = "" if row.is_forced else f", one of {row.allowed_tokens} tokens"
    said = f"the form {'forced' if row.is_forced else 'allowed'} {row.text!r}{choice}, {wanted}"
    written, leading = row.text, row.leading_text
    if leading != written and written.lower() == leading.lower():
        change = "lower-case" if leading.islower() else "upper-case" if leading.isupper() else "capitalize"
        return f"{said}: {change} it in the pattern"
    if leading.strip() and leading != written and written.strip() == leading.strip():
        return f"{said}: allow that whitespace"
    if is_first:
        return f"{said}: say in the prompt how the answer begins, or let the form begin so"
    return said


def _repetitions(trace: Trace) -> Iterator[str]:
    if not trace.is_json:
        return
    try:
        arrays = [(pointer, value) for pointer, _, _, value in values_of(trace.text) if isinstance(value, list)]
    except (ValueError, RecursionError):
        return  # a text that was cut
    spent = trace.max_tokens is not None and sum(bool(row.token) for row in trace.rows) >= 0.9 * trace.max_tokens
    for pointer, value in arrays:
        if (period := _period(value)) is not None:
            items = "one item" if period == 1 else f"{_NUMBERS[period]} items"
            until = " until the budget closed it" if spent else ""
            name = pointer.rpartition("/")[2] or "the array"
            yield (
                f"`{name}` repeated {items}{until}: say how many there may be (maxItems), that they differ "
                f"(uniqueItems), or draw with a temperature"
            )


_NUMBERS = ("no", "one", "two", "three", "four")


def _period(items: list[Any]) -> int | None:
    """After how many items an array repeats itself to its end, at least twice over; ``None`` if it does not."""
    for period in range(1, len(_NUMBERS)):
        tail = items[-max(_FEWEST, 3 * period) :]
        if len(tail) >= max(_FEWEST, 3 * period) and all(map(_same, tail[period:], tail)):
            return period
    return None


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)
