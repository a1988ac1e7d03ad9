"""Texts that a type refuses, written again: without the values that were refused.

::

    result = model.generate(prompt, Person, max_retries=2, context={"oldest": 120})

A validator may say no to a text that is in form. The next attempt has a form that lacks what was refused: the value at
each place that the validator names, or the whole value where it names none. So it cannot be written again, whatever the
model wants; draws have another seed, too.

Cost: a form more for each attempt, which is compiled anew. The wrinkle: a place inside an array is not taken out alone,
but with the whole text; and a composition is written again as it is.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from formwright._kernel import Constraint, Language
from formwright.errors import ArgumentError, AttemptsExhausted, FormwrightError, OutputInvalid
from formwright.forms import literal
from formwright.generation.result import Attempt

__all__ = ["attempted", "check_retries", "without"]

T = TypeVar("T")


def check_retries(max_retries: Any) -> None:
    """Fails unless it is a number, or a policy of tenacity. Raises ArgumentError."""
    is_number = isinstance(max_retries, int) and not isinstance(max_retries, bool) and max_retries >= 0
    if not is_number and not callable(getattr(max_retries, "iter", None)):
        raise ArgumentError(
            f"max_retries is a number from 0 on or a Retrying of tenacity, not {max_retries!r}", argument="max_retries"
        )


def attempted(form: Any, max_retries: Any, written: Callable[[Any, int], T]) -> T:
    """What ``written`` gives for a form and the number of the attempt, tried again while a type refuses it.

    Raises:
        AttemptsExhausted: It was refused each time, or nothing is left that could be written.
    """
    check_retries(max_retries)
    attempts: list[Attempt] = []

    def attempt(_: int) -> Generator[Any, Any, T]:
        nonlocal form
        yield from ()
        try:
            return written(form, len(attempts))
        except OutputInvalid as error:
            attempts.append(Attempt(len(attempts) + 1, error.text, error))
            form = without(form, error)
            raise

    try:
        return _driven(attempt, max_retries)
    except FormwrightError as error:
        if not attempts or max_retries == 0:
            raise
        raise exhausted(attempts, error) from error


def exhausted(attempts: Sequence[Attempt], error: Exception) -> AttemptsExhausted:
    """The error after the last attempt."""
    count = len(attempts)
    said = f"{count} attempt{'s' if count > 1 else ''} gave no value: {error}"
    return AttemptsExhausted(said, hint=getattr(error, "hint", None), attempts=attempts)


def _driven(attempt: Callable[[int], Generator[Any, Any, T]], max_retries: Any) -> T:
    """The attempts, one after the other; a policy of tenacity says how many, and how long to wait."""
    if not isinstance(max_retries, int):
        from formwright.client.retries import output_policy, retried

        steps = retried(output_policy(max_retries), attempt)
    else:
        steps = _counted(max_retries, attempt)
    while True:
        try:
            time.sleep(next(steps).seconds)
        except StopIteration as end:
            result: T = end.value
            return result


def _counted(retries: int, attempt: Callable[[int], Generator[Any, Any, T]]) -> Generator[Any, Any, T]:
    for number in range(retries):
        try:
            return (yield from attempt(number))
        except OutputInvalid:
            continue
    return (yield from attempt(retries))


def without(form: Any, error: OutputInvalid) -> Any:
    """The form without what a type has refused.

    Raises:
        UnsatisfiableSchema: Nothing is left.
    """
    if isinstance(form, Constraint):
        smaller = without(form.form, error)
        return form if smaller is form.form else Constraint(smaller, form.vocabulary, canonical=form.canonical)
    origin = form.origin
    if origin is None:
        return form
    if origin.kind != "schema":
        return replace(form, language=form.language & (~literal(error.text)).language)
    schema = _excluding(json.loads(origin.what), error)
    text = json.dumps(schema, ensure_ascii=False)
    language = Language.json_schema(text, **(origin.options or {}))
    return replace(form, language=language, origin=origin._replace(what=text))


def _excluding(schema: Any, error: OutputInvalid) -> dict[str, Any]:
    """A schema without the values that may not come: those at the places of the error, or the whole one."""
    listed = getattr(error.__cause__, "errors", None)
    faults = listed(include_url=False, include_context=False) if callable(listed) else []
    value, base = json.loads(error.text), schema if isinstance(schema, dict) else {}
    excluded = [found for fault in faults if (found := _excluded(value, fault["loc"])) is not None]
    return {**base, "allOf": [*base.get("allOf", ()), *(excluded or [{"not": {"enum": [value]}}])]}


def _excluded(value: Any, place: Sequence[Any]) -> dict[str, Any] | None:
    """What forbids the value at a place of members; ``None`` for any other place."""
    for step in place:
        if not isinstance(value, dict) or step not in value:
            return None
        value = value[step]
    schema: dict[str, Any] = {"not": {"enum": [value]}}
    for step in reversed(place):
        schema = {"properties": {step: schema}}
    return schema if place else None
