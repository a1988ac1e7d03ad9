r"""Describe to a model what was wrong with its answer: the places as JSON Pointers, with the values there.

::

    try:
        person.parse('{"age": -3}')
    except OutputInvalid as error:
        write_complaint(error)  # 'Your answer is not valid:\n- at /age: ...'

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

__all__ = ["Fault", "find_faults", "find_place", "spell_faults", "write_complaint"]

_MAX_SHOWN = 200


class Fault(NamedTuple):
    """A place of a text, what is there, what is wrong with it, and in which call of a tool, if in any."""

    pointer: str
    value: str
    message: str
    call: str = ""


def write_complaint(error: Exception, form: Form[Any] | None = None) -> str:
    """Describe to a model what is wrong with its answer, which should conform to ``form``."""
    if isinstance(error, OutputTruncated):
        return "Your answer was cut because it is too long. Answer again, and shorter."
    return spell_faults(find_faults(error, form))


def spell_faults(faults: Iterable[Fault]) -> str:
    """Describe faults to a model."""
    lines = []
    for fault in faults:
        place = f"{fault.call and f'{fault.call}: '}at {fault.pointer or 'the root'}"
        lines.append(f"- {place}: {_shorten_value(fault.value)}{fault.message}")
    return "\n".join(["Your answer is not valid:", *lines, "Answer again, with the complete corrected answer only."])


def find_faults(error: Exception, form: Form[Any] | None = None) -> list[Fault]:
    """Find the places where an answer is wrong: all that its type names, or where the text departs from the form."""
    listed = _list_pydantic_errors(error) or (
        _list_pydantic_errors(_validate_by_type(error, form)) if isinstance(error, OutputInvalid) else []
    )
    if listed:
        return [_make_fault(entry) for entry in listed]
    if isinstance(error, OutputInvalid):
        pointer, value = find_place(error.text, error.position)
        return [Fault(pointer, value, str(error))]
    return [Fault("", "", str(error))]


def _list_pydantic_errors(error: Exception | None) -> list[dict[str, Any]]:
    """Return the errors of the pydantic error that caused this one, if one did."""
    errors = getattr(error.__cause__ if error is not None else None, "errors", None)
    return list(errors(include_url=False, include_context=False)) if callable(errors) else []


def _validate_by_type(error: OutputInvalid, form: Form[Any] | None) -> Exception | None:
    """Validate a text that does not conform by its type, which names every fault, also missing members."""
    if form is None or python_type_of(form) is None:
        return None
    try:
        form.read(error.text)
    except Exception as refusal:
        return refusal
    return None


def _make_fault(entry: dict[str, Any]) -> Fault:
    value = json.dumps(entry["input"], ensure_ascii=False, default=str)
    return Fault(pointer_of(entry["loc"]), value, entry["msg"])


def _shorten_value(value: str) -> str:
    value = value if len(value) <= _MAX_SHOWN else f"{value[:_MAX_SHOWN]}..."
    return f"{value}: " if value else ""


def find_place(text: str, position: int) -> tuple[str, str]:
    """Find the JSON Pointer of the value at a position of a text, and that value; else the root and the text."""
    scanner = Scanner()
    with suppress(OutputInvalid):
        scanner.feed(text)
    node = scanner.root
    if node is None:
        return "", text
    while inside := [child for child in node.children if child.start <= position < child.closed]:
        node = inside[-1]
    return node.pointer, text[node.start : min(node.end, len(text))]
