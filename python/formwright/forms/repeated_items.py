"""``uniqueItems`` in comparisons: its negation is no schema, so two rules stand in for it.

* Where both schemas demand it at the same place, it makes no difference: the second one need not demand it.
* Else an array with one item twice may show the difference: an item that is allowed there is asked for twice.

::

    without_shared_uniqueness(first, second)      # the second schema without the keyword where the first has it, too
    find_repeated_items(first, second, ...)       # '[0,0]', or None if no such array was found

A *place* is a way through ``properties``, ``items`` and ``prefixItems``, and through references to the same document.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from formwright.forms.pointers import pointer_of, value_at

__all__ = ["find_repeated_items", "without_shared_uniqueness"]

D = TypeVar("D")

_DEPTH = 12
"""Steps to a place, at most: a recursive schema has no end of them."""

_PLACES = 200
"""Places that are looked at, at most."""


_ITEM = -1
"""The step to any item, which stands for all."""


class _Place(NamedTuple):
    """A schema in a document, where it is, the steps that lead a value to it, and whether no other way leads there."""

    schema: dict[str, Any]
    pointer: str
    steps: tuple[str | int, ...]
    is_alone: bool


def without_shared_uniqueness(first: Any, second: Any) -> Any:
    """Return the second schema; without ``uniqueItems`` where the first demands it of the same part of a value."""
    copied = json.loads(json.dumps(second))
    demanded = {place.steps for place in _unique_places(first)}
    for place in list(_unique_places(copied)):
        if place.steps in demanded and place.is_alone:
            del place.schema["uniqueItems"]
    return copied


def find_repeated_items(
    first: D, second: D, *, find_text: Callable[[D, Any], str | None], holds: Callable[[D, str], bool]
) -> str | None:
    """Return a text with an item twice that ``first`` allows and ``second`` does not; ``None`` if none was found.

    Args:
        first: A schema as `formwright.forms.schema_sets.Described` has it.
        second: Another.
        find_text: Finds a text of a value that a schema allows, and another schema, too.
        holds: Whether a schema allows the value of a text.
    """
    for place in _unique_places(second.document):  # type: ignore[attr-defined]
        two = find_text(first, _lead(place.steps, {"type": "array", "minItems": 2}))
        if two is None:
            continue
        item = {"const": _value(json.loads(two), place.steps)[0]}
        repeated = {"type": "array", "minItems": 2, "prefixItems": [item, item]}
        found = find_text(first, _lead(place.steps, repeated))
        if found is not None and not holds(second, found):
            return found
    return None


def _unique_places(document: Any) -> Iterator[_Place]:
    """The places whose items must differ."""
    for count, place in enumerate(_places(document)):
        if place.schema.get("uniqueItems") is True:
            yield place
        if count >= _PLACES:
            return


def _places(document: Any) -> Iterator[_Place]:
    """Places breadth first, up to `_DEPTH` steps. Beside a reference nothing is looked at: old dialects ignore it."""
    references, is_plain = _references(document)
    waiting: list[tuple[Any, str, tuple[str | int, ...], int, bool]] = [(document, "", (), 0, is_plain)]
    for schema, pointer, steps, followed, is_alone in waiting:
        if not isinstance(schema, dict) or len(steps) > _DEPTH or len(waiting) > _PLACES:
            continue
        reference = schema.get("$ref")
        if reference is not None:
            target = _target(document, reference)
            alone = is_alone and sum(_begins(reference[1:], other) for other in references) == 1
            waiting.append((target, str(reference)[1:], steps, 1, alone))
            continue
        yield _Place(
            schema, pointer, steps, is_alone and sum(_begins(pointer, other) for other in references) == followed
        )
        waiting += [
            (child, f"{pointer}{pointer_of(path)}", (*steps, *step), followed, is_alone)
            for path, step, child in _parts(schema)
        ]


def _parts(schema: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], tuple[str | int, ...], Any]]:
    """The schemas that a value, a member or an item must conform to: the way in the document, the step, the schema."""
    for name, child in _dict(schema.get("properties")).items():
        yield ("properties", name), (name,), child
    for at, child in enumerate(_list(schema.get("allOf"))):
        yield ("allOf", at), (), child
    prefix = _list(schema.get("prefixItems"))
    for at, child in enumerate(prefix):
        yield ("prefixItems", at), (at,), child
    if not prefix:
        yield ("items",), (_ITEM,), schema.get("items")


def _references(document: Any) -> tuple[list[str], bool]:
    """The pointers that references of a document lead to, and whether all its references are pointers."""
    found, is_plain, waiting = [], True, [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            for key in ("$ref", "$dynamicRef", "$recursiveRef"):
                reference = value.get(key)
                if isinstance(reference, str):
                    is_plain &= key == "$ref" and reference[:2] in ("#", "#/")
                    found.append(reference[1:])
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return found, is_plain


def _begins(pointer: str, other: str) -> bool:
    """Whether a pointer leads to what another one leads to, or into it."""
    return pointer == other or pointer.startswith(f"{other}/")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _target(document: Any, reference: Any) -> Any:
    """What a reference by pointer leads to, ``None`` for any other."""
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
        return None
    try:
        return value_at(document, reference[1:])
    except (LookupError, ValueError, TypeError):
        return None


def _lead(steps: tuple[str | int, ...], schema: Any) -> Any:
    """A schema of values that have a part, which conforms to ``schema``, at the end of some steps."""
    for step in reversed(steps):
        if isinstance(step, int):
            at = max(step, 0)
            schema = {"type": "array", "minItems": at + 1, "prefixItems": [True] * at + [schema]}
        else:
            schema = {"type": "object", "required": [step], "properties": {step: schema}}
    return schema


def _value(value: Any, steps: tuple[str | int, ...]) -> Any:
    for step in steps:
        value = value[0 if step == _ITEM else step]
    return value
