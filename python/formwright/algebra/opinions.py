"""What installed validators say of a value: opinions beside that of formwright.

::

    [ask(is_valid, -1) for is_valid in load_validators({"minimum": 0})]       # [False, False]

A validator that cannot read a schema, or fails over a value, has no opinion. Nor has one whose verdict depends on
whether it asserts formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

__all__ = ["Opinion", "ask", "load_validators"]

Opinion = bool | None
"""Whether a value is valid; ``None`` if that is not known."""


def load_validators(schema: Any) -> Iterator[Callable[[Any], Opinion]]:
    """Load the validators that are installed, as functions of a value."""
    with suppress(Exception):  # one that cannot read the schema has no opinion
        import jsonschema

        kind = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
        yield _agree(kind(schema, format_checker=kind.FORMAT_CHECKER).is_valid, kind(schema).is_valid)
    with suppress(Exception):
        import jsonschema_rs

        readings = (jsonschema_rs.validator_for(schema, validate_formats=formats) for formats in (True, False))
        yield _agree(*(validator.is_valid for validator in readings))


def ask(is_valid: Callable[[Any], Opinion], value: Any) -> Opinion:
    """Return what a validator says; ``None`` if it fails, as over a pattern that it cannot read."""
    try:
        return is_valid(value)
    except Exception:
        return None


def _agree(asserting: Callable[[Any], bool], ignoring: Callable[[Any], bool]) -> Callable[[Any], Opinion]:
    """What two readings of formats have in common."""

    def is_valid(value: Any) -> Opinion:
        verdict = asserting(value)
        return verdict if ignoring(value) == verdict else None

    return is_valid
