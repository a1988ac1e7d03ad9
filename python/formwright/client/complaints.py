r"""What was wrong with an answer, as a model is told it: the places as JSON Pointers, with the values there.

::

    try:
        person.parse('{"age": -3}')
    except OutputInvalid as error:
        complaint(error)        # 'Your answer is not in form.\n- at /age: ...'

Cost: a look at the text. The wrinkle: where a text leaves its form, the rest of it is unknown, so one place is told;
a type that refuses a text in form tells all places.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, NamedTuple

from formwright.errors import OutputInvalid, OutputTruncated
from formwright.incremental.scanner import Scanner

__all__ = ["Fault", "complaint", "faults", "pointer_at"]

_SHOWN = 200


class Fault(NamedTuple):
    """A place of a text, what stands there, and what is wrong with it."""

    pointer: str
    value: str
    message: str


def complaint(error: Exception) -> str:
    """What is said to a model about its answer."""
    if isinstance(error, OutputTruncated):
        return "Your answer was cut because it is too long. Answer again, and shorter."
    lines = [f"- at {fault.pointer or 'the root'}: {_shown(fault.value)} {fault.message}" for fault in faults(error)]
    return "\n".join(["Your answer is not valid:", *lines, "Answer again, with the whole corrected answer only."])


def faults(error: Exception) -> list[Fault]:
    """The places where an answer is wrong."""
    listed = getattr(error.__cause__, "errors", None)
    if callable(listed):  # a ValidationError of pydantic
        return [_validated(entry) for entry in listed(include_url=False, include_context=False)]
    if isinstance(error, OutputInvalid):
        return [Fault(pointer_at(error.text, error.position), error.text[error.position :], str(error))]
    return [Fault("", "", str(error))]


def _validated(entry: dict[str, Any]) -> Fault:
    pointer = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in entry["loc"])
    value = json.dumps(entry["input"], ensure_ascii=False, default=str)
    return Fault(pointer, value, entry["msg"])


def _shown(value: str) -> str:
    value = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}..."
    return f"{value}:" if value else ""


def pointer_at(text: str, position: int) -> str:
    """The JSON Pointer of the value in which a position of a text lies; of what is no JSON, the root."""
    scanner = Scanner()
    with suppress(OutputInvalid):
        scanner.feed(text[: position + 1])  # with the character there, since it may begin a value
    node = scanner.root
    if node is None:
        return ""
    while node.children and node.children[-1].closed > position:
        node = node.children[-1]
    return node.pointer
