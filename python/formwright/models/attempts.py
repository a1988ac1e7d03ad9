"""Write a text again if its type refuses it, without the refused values.

::

    result = model.generate(prompt, Person, max_retries=2, context={"oldest": 120})

A validator may refuse a text that conforms. The form of the next attempt excludes what was refused: the value at each
place that the validator names, or the complete value if it names none. So the model cannot write it again. Sampling
also gets another seed.

Cost: another form for each attempt, which has to be compiled. A value inside an array cannot be excluded alone, so the
complete text is; compositions are retried unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar, cast

from formwright._kernel import Constraint, Language
from formwright.errors import ArgumentError, OutputInvalid
from formwright.forms.form import literal
from formwright.generation.result import Attempt, Failed, error_after_attempts

__all__ = ["RowAttempts", "attempt_until_valid", "exclude_refused"]

T = TypeVar("T")


def _check_max_retries(max_retries: Any) -> None:
    """Refuse what is neither a number nor a policy of tenacity. Raises ArgumentError."""
    is_number = isinstance(max_retries, int) and not isinstance(max_retries, bool) and max_retries >= 0
    if not is_number and not callable(getattr(max_retries, "iter", None)):
        raise ArgumentError(
            f"max_retries: expected a number from 0 on or a Retrying of tenacity, got {max_retries!r}",
            argument="max_retries",
        )


def attempt_until_valid(form: Any, max_retries: Any, write: Callable[[Any, int], T]) -> T:
    """Call ``write`` with a form and the number of the attempt, until the type accepts the result.

    Raises:
        AttemptsExhausted: Every attempt was refused, or no other text is left.
    """
    _check_max_retries(max_retries)
    attempts: list[Attempt] = []

    def attempt() -> T:
        nonlocal form
        if attempts:
            form = exclude_refused(form, cast(OutputInvalid, attempts[-1].error))
        try:
            return write(form, len(attempts))
        except OutputInvalid as error:
            attempts.append(Attempt(len(attempts) + 1, error.text, error))
            raise

    try:
        return _repeat_attempt(attempt, max_retries)
    except Exception as error:
        last = getattr(error, "last_attempt", None)  # a RetryError of tenacity
        cause = error if last is None else last.exception()
        if not attempts or max_retries == 0:
            raise cause from cause.__cause__
        raise error_after_attempts(attempts, cause) from cause


class RowAttempts:
    """The attempts of many texts: what was refused, and how many are left.

    Args:
        rows: How many texts there are.
        max_retries: How often each of them may be written again.

    Raises:
        ArgumentError: ``max_retries`` is not a number from 0 on.
    """

    def __init__(self, rows: int, max_retries: int) -> None:
        if not isinstance(max_retries, int):
            raise ArgumentError(
                f"max_retries of many texts: expected a number, got {max_retries!r}", argument="max_retries"
            )
        _check_max_retries(max_retries)
        self._rows, self._retries = rows, max_retries
        self._attempts: dict[int, list[Attempt]] = {}

    def count_refused(self, row: int) -> int:
        """Count how often a text was refused."""
        return len(self._attempts.get(row, ()))

    def narrow_form(self, row: int, form: Any) -> Any:
        """Exclude from the form of a text what was refused. Raises UnsatisfiableSchema."""
        for attempt in self._attempts.get(row, ()):
            form = exclude_refused(form, cast(OutputInvalid, attempt.error))
        return form

    def write_until_valid(self, write_rows: Callable[[Sequence[int]], list[Any]]) -> list[Any]:
        """Write all rows, and refused ones again while attempts are left. Returns the results."""
        rows: Sequence[int] = range(self._rows)
        results = write_rows(rows)
        for _ in range(self._retries):
            rows = [row for row in range(self._rows) if self._note_refused(row, results[row])]
            if not rows:
                break
            for row, result in zip(rows, write_rows(rows), strict=True):
                results[row] = result
        return [self._add_attempts(row, result) for row, result in enumerate(results)]

    def _note_refused(self, row: int, result: Any) -> bool:
        """Note a text that its type has refused. Returns whether it has."""
        error = result.error if isinstance(result, Failed) else None
        if not isinstance(error, OutputInvalid):
            return False
        attempts = self._attempts.setdefault(row, [])
        attempts.append(Attempt(len(attempts) + 1, error.text, error))
        return True

    def _add_attempts(self, row: int, result: Any) -> Any:
        """Add all attempts to a failure."""
        if (
            not isinstance(result, Failed)
            or not self._retries
            or not (self._note_refused(row, result) or row in self._attempts)
        ):
            return result
        error = error_after_attempts(self._attempts[row], result.error)
        error.__cause__ = result.error
        return Failed(error)


def _repeat_attempt(attempt: Callable[[], T], max_retries: Any) -> T:
    """Make attempts until one succeeds, the number of retries is used up, or the policy of tenacity says no."""
    if isinstance(max_retries, int):
        for _ in range(max_retries):
            with suppress(OutputInvalid):
                return attempt()
        return attempt()
    from formwright._retries import output_policy

    result: T = output_policy(max_retries)(attempt)
    return result


def exclude_refused(form: Any, error: OutputInvalid) -> Any:
    """Exclude from a form what its type has refused.

    Raises:
        UnsatisfiableSchema: Nothing is left.
    """
    if isinstance(form, Constraint):
        smaller = exclude_refused(form.form, error)
        return form if smaller is form.form else Constraint(smaller, form.vocabulary, canonical=form.canonical)
    origin = form.origin
    if origin is None or origin.kind == "tools":
        return form
    if origin.kind != "schema":
        return replace(form, language=form.language & (~literal(error.text)).language)
    schema = _exclude_values(json.loads(origin.what), error)
    text = json.dumps(schema, ensure_ascii=False)
    language = Language.json_schema(text, **(origin.options or {}))
    return replace(form, language=language, origin=origin._replace(what=text))


def _exclude_values(schema: Any, error: OutputInvalid) -> dict[str, Any]:
    """Exclude values from a schema: those at the places of the error, or the complete value."""
    listed = getattr(error.__cause__, "errors", None)
    faults = listed(include_url=False, include_context=False) if callable(listed) else []
    value, base = json.loads(error.text), schema if isinstance(schema, dict) else {}
    excluded = [found for fault in faults if (found := _make_excluding_schema(value, fault["loc"])) is not None]
    return {**base, "allOf": [*base.get("allOf", ()), *(excluded or [{"not": {"enum": [value]}}])]}


def _make_excluding_schema(value: Any, place: Sequence[Any]) -> dict[str, Any] | None:
    """Make the schema that excludes the value at a place of members; ``None`` for any other place."""
    for step in place:
        if not isinstance(value, dict) or step not in value:
            return None
        value = value[step]
    schema: dict[str, Any] = {"not": {"enum": [value]}}
    for step in reversed(place):
        schema = {"properties": {step: schema}}
    return schema if place else None
