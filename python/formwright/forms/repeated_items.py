"""``uniqueItems`` in comparisons: its negation cannot be said by a schema, so other rules are used.

* Where both schemas demand it at the same place, it makes no difference: the second one need not demand it.
* A difference that does not need it is found without it, and is checked.
* An array with one item twice may show the difference: an item that is allowed at a place is asked for twice.
* Where the first schema has no array of two items at any place that the second demands it of, it makes no difference.

A *place* is a way through ``properties``, ``items`` and ``prefixItems``, and through references to the same document.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from formwright.forms.pointers import pointer_of, value_at

__all__ = [
    "Steps",
    "array_places",
    "find_repeated_items",
    "lead",
    "unique_places",
    "without_shared_uniqueness",
    "without_uniqueness",
]

Steps = tuple[str | int, ...]
"""Names of members and indices of items on the way to a part of a value; -1 is any item."""

_DEPTH = 12
"""Steps to a place, at most: a recursive schema has no end of them."""

_PLACES = 200
"""Places that are looked at, at most."""

_ITEMS = (0, "", None, True)
"""Items that are tried."""

_ITEM = -1
"""The step to any item, which stands for all."""


class _Place(NamedTuple):
    """A schema in a document, where it is, the steps that lead a value to it, and whether no other way leads there."""

    schema: dict[str, Any]
    pointer: str
    steps: Steps
    is_alone: bool


def without_shared_uniqueness(first: Any, second: Any) -> Any:
    """Return the second schema; without ``uniqueItems`` where the first demands it of the same part of a value."""
    copied = json.loads(json.dumps(second))
    demanded = {place.steps for place in _unique_places(first)}
    for place in list(_unique_places(copied)):
        if place.steps in demanded and place.is_alone:
            del place.schema["uniqueItems"]
    return copied


def without_uniqueness(document: Any) -> Any:
    """Return a schema without any ``uniqueItems``."""
    if isinstance(document, dict):
        return {
            key: without_uniqueness(value)
            for key, value in document.items()
            if key != "uniqueItems" or value is not True
        }
    return [without_uniqueness(item) for item in document] if isinstance(document, list) else document


def find_repeated_items(places: Iterable[Steps], find_text: Callable[[Any], str | None]) -> Iterator[str]:
    """Yield texts in which an item comes twice at one of some places.

    Args:
        places: The places.
        find_text: Finds a text of a value of the first schema that another schema allows, too.
    """
    for steps in places:
        two = find_text(lead(steps, {"type": "array", "minItems": 2}))
        for item in [*(_value(json.loads(two), steps)[:1] if two else ()), *_ITEMS]:
            repeated = {"type": "array", "minItems": 2, "prefixItems": [{"const": item}] * 2}
            found = find_text(lead(steps, repeated)) if two else None
            if found is not None:
                yield found


def array_places(document: Any) -> list[Steps]:
    """Return the places of a schema, each once."""
    return list(dict.fromkeys(place.steps for place in _places(document)))


def unique_places(document: Any) -> list[Steps] | None:
    """Return the places whose items must differ, ``None`` if items must differ elsewhere, too."""
    found = list(_unique_places(document))
    counted = json.dumps(document).count('"uniqueItems": true')
    return [place.steps for place in found] if len({place.pointer for place in found}) == counted else None


def _unique_places(document: Any) -> Iterator[_Place]:
    return (place for place in _places(document) if place.schema.get("uniqueItems") is True)


def _places(document: Any) -> Iterator[_Place]:
    """Places breadth first, up to `_DEPTH` steps. Beside a reference nothing is looked at: old dialects ignore it."""
    references, is_plain = _references(document)
    waiting: list[tuple[Any, str, Steps, int, bool]] = [(document, "", (), 0, is_plain)]
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


def _parts(schema: dict[str, Any]) -> Iterator[tuple[Steps, Steps, Any]]:
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


def lead(steps: Steps, schema: Any) -> Any:
    """Return a schema of values that have a part, which conforms to ``schema``, at the end of some steps."""
    for step in reversed(steps):
        if isinstance(step, int):
            at = max(step, 0)
            schema = {"type": "array", "minItems": at + 1, "prefixItems": [True] * at + [schema]}
        else:
            schema = {"type": "object", "required": [step], "properties": {step: schema}}
    return schema


def _value(value: Any, steps: Steps) -> Any:
    for step in steps:
        value = value[0 if step == _ITEM else step]
    return value
