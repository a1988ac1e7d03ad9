"""Writing ``null`` where the model is not sure enough of any value.

The text is written as always, and its fields are measured from the first on. At the first one whose probability is
below the bound, another value is written if that reaches the bound, or ``null`` if the form allows it; and the model
writes what follows anew, after what is there now. A field without such a way out is doubtful. No value is repaired:
what the text holds is either the model's own choice, or ``null``.

Cost: beside measuring, what follows a field that was changed is written once more.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from typing import Any, cast

from formwright._kernel import Matcher
from formwright.errors import ArgumentError, LimitExceeded, TokenRejected
from formwright.forms.form import Form
from formwright.forms.readers import Composition, HasChain
from formwright.generation.fields.evidence import Evidence
from formwright.generation.fields.field import Field, OtherValue
from formwright.generation.fields.measuring import Measured, Measuring
from formwright.generation.fields.weights import PlaceSearch
from formwright.generation.result import Complete, Truncated

__all__ = ["check_may_abstain", "write_confidently"]

Write = Callable[[Sequence[int]], Complete[Any] | Truncated]
"""Writes a text that begins with these tokens."""


def write_confidently(
    write: Write, measuring: Measuring, bound: float, source: str | None = None
) -> Complete[Any] | Truncated:
    """Write a text whose fields reach a probability, are ``null``, or are listed as doubtful.

    Args:
        write: Writes the text. Raises LimitExceeded where no text with such a beginning fits, and TokenRejected where
            its constraint has other tokens.
        measuring: Measures its fields.
        bound: The probability that a value must reach.
        source: Where spans are looked for.
    """
    fields, doubtful = dict[str, Field](), list[str]()
    since, decided, calls, seconds = 0, -1, 0, time.perf_counter()
    result = write(())
    while isinstance(result, Complete):
        calls += result.model_calls
        for measured in measuring.measure_places(result.token_ids, source, since):
            place, field = measured.place, measured.field
            if place.start == decided:
                fields[place.pointer] = _add_refused(field, fields[place.pointer])
                continue
            fields[place.pointer] = field
            if field.probability >= bound:
                continue
            rewritten = _write_other_value(write, measured, bound)
            if rewritten is not None:
                result, since, decided = rewritten, place.start, place.start
                break
            if field.value is not None:
                doubtful.append(place.pointer)
        else:
            evidence, seconds = Evidence.of(fields, tuple(doubtful)), time.perf_counter() - seconds
            return replace(result, evidence=evidence, model_calls=calls, seconds=seconds)
    return result


def _add_refused(field: Field, refused: Field) -> Field:
    """The field that was written in the end, with the value that it replaced as its first alternative."""
    others = [other for other in field.alternatives if other.value != refused.value]
    return replace(field, alternatives=(OtherValue(refused.value, refused.probability), *others))


def check_may_abstain(form: Form[Any]) -> None:
    """Refuse a form no part of which may be ``null``. Raises ArgumentError."""
    pending: list[object] = [form]
    while pending:
        part = pending.pop()
        if isinstance(part, Form):
            pending += [part.read]
            if part.language.is_json and (part.origin is None or _allows_null(part.origin.what)):
                return
        elif isinstance(part, tuple):
            pending += part
        elif isinstance(part, HasChain | Composition):
            pending += [getattr(part, entry.name) for entry in dataclass_fields(cast(Any, part))]
    raise ArgumentError(
        f"abstain= has no effect: no field of {form.title} may be None",
        hint="let the type of a field allow it, such as `str | None`; result.fields has the probabilities of all",
        argument="abstain",
    )


def _allows_null(schema: object) -> bool:
    """Whether ``null`` may be allowed somewhere in what a schema describes, as far as its keywords say."""
    pending = [json.loads(schema) if isinstance(schema, str) else schema]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending += part
        elif isinstance(part, dict):
            if part.get("type") == "null" or "null" in part.get("type", ()) or None in part.get("enum", ()):
                return True
            if part.get("const", 0) is None:
                return True
            pending += part.values()
        elif part is True:
            return True
    return False


def _write_other_value(write: Write, measured: Measured, bound: float) -> Complete[Any] | Truncated | None:
    """Write another value that reaches the bound, or else ``null``; ``None`` if the form has no such text."""
    if not measured.place.is_json:
        return None
    likely = [other.value for other in measured.field.alternatives if other.probability >= bound]
    value = likely[0] if likely else None
    if value == measured.field.value and type(value) is type(measured.field.value):
        return None
    spelled = _spell_value(measured.search, json.dumps(value, ensure_ascii=False).encode())
    if spelled is None:
        return None
    try:
        return write((*measured.before, *spelled))
    except (LimitExceeded, TokenRejected):
        return None


def _spell_value(search: PlaceSearch, value: bytes) -> tuple[int, ...] | None:
    """Tokens that complete a value at its place; ``None`` if the form does not allow it. A number is never complete."""
    target = search.skip + value
    pending: list[tuple[Matcher, tuple[int, ...], bytes]] = [(search.matcher, (), b"")]
    while pending:
        matcher, token_ids, data = pending.pop()
        children: list[tuple[Matcher, tuple[int, ...], bytes]] = []
        for token_id in search.allow(matcher, data):
            longer, complete = search.read_value(data, token_id)
            if complete == value and token_id not in search.ends:
                return (*token_ids, token_id)
            if complete is None and target.startswith(longer):
                child = matcher.fork()
                child.accept_token(token_id)
                children.append((child, (*token_ids, token_id), longer))
        pending += sorted(children, key=lambda child: len(child[2]))
    return None
