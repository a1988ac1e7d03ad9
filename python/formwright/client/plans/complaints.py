r"""Tell a model what was wrong with its answer: the places as JSON Pointers, with the values there.

::

    try:
        person.parse('{"age": -3}')
    except OutputInvalid as error:
        complaint(error)        # 'Your answer is not valid:\n- at /age: ...'

If a text does not conform to its form, the rest of it cannot be judged, so only the first place is named. A type that
refuses a conforming text names all places.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from formwright.errors import OutputInvalid, OutputTruncated
from formwright.forms.form import Form
from formwright.forms.pointers import pointer_of
from formwright.forms.readers import python_type_of
from formwright.incremental.scanner import Scanner

__all__ = ["Fault", "complaint", "faults", "place_at", "write_complaint"]

_SHOWN = 200


class Fault(NamedTuple):
    """A place of a text, what is there, what is wrong with it, and in which call of a tool, if in any."""

    pointer: str
    value: str
    message: str
    call: str = ""


def complaint(error: Exception, form: Form[Any] | None = None) -> str:
    """Tell a model what is wrong with its answer, which should conform to ``form``."""
    if isinstance(error, OutputTruncated):
        return "Your answer was cut because it is too long. Answer again, and shorter."
    return write_complaint(faults(error, form))


def write_complaint(faults: Iterable[Fault]) -> str:
    """Describe faults to a model."""
    lines = []
    for fault in faults:
        place = f"{fault.call and f'{fault.call}: '}at {fault.pointer or 'the root'}"
        lines.append(f"- {place}: {_shorten_value(fault.value)}{fault.message}")
    return "\n".join(["Your answer is not valid:", *lines, "Answer again, with the whole corrected answer only."])


def faults(error: Exception, form: Form[Any] | None = None) -> list[Fault]:
    """Find the places where an answer is wrong: all that its type names, or the one where the text leaves the form."""
    listed = _list_of_pydantic(error) or (
        _list_of_pydantic(_of_type(error, form)) if isinstance(error, OutputInvalid) else []
    )
    if listed:
        return [_fault_of_entry(entry) for entry in listed]
    if isinstance(error, OutputInvalid):
        pointer, value = place_at(error.text, error.position)
        return [Fault(pointer, value, str(error))]
    return [Fault("", "", str(error))]


def _list_of_pydantic(error: Exception | None) -> list[dict[str, Any]]:
    """What pydantic says is wrong, if it does."""
    errors = getattr(error.__cause__ if error is not None else None, "errors", None)
    return list(errors(include_url=False, include_context=False)) if callable(errors) else []


def _of_type(error: OutputInvalid, form: Form[Any] | None) -> Exception | None:
    """Validate a text that does not conform by its type, which names every fault, and what is missing."""
    if form is None or python_type_of(form) is None:
        return None
    try:
        form.read(error.text)
    except Exception as said:
        return said
    return None


def _fault_of_entry(entry: dict[str, Any]) -> Fault:
    value = json.dumps(entry["input"], ensure_ascii=False, default=str)
    return Fault(pointer_of(entry["loc"]), value, entry["msg"])


def _shorten_value(value: str) -> str:
    value = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}..."
    return f"{value}: " if value else ""


def place_at(text: str, position: int) -> tuple[str, str]:
    """The JSON Pointer of the value in which a position of a text lies, and what is there; else the root."""
    scanner = Scanner()
    with suppress(OutputInvalid):
        scanner.feed(text)
    node = scanner.root
    if node is None:
        return "", text
    while inside := [child for child in node.children if child.start <= position < child.closed]:
        node = inside[-1]
    return node.pointer, text[node.start : min(node.end, len(text))]
