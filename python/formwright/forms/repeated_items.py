"""``uniqueItems`` in comparisons: its negation cannot be said by a schema, so other rules are used.

* If both schemas demand it at the same place, the second one need not: it makes no difference there.
* A difference that does not depend on it is found without it, and is checked.
* An array with one item twice may show the difference: an item that is allowed at a place is asked for twice.
* If the first schema has no array of two items at any place that the second demands it of, it makes no difference.

A *place* is a way through ``properties``, ``items``, ``prefixItems`` and ``allOf``. What is only tried may also follow
references; what is a proof may not, and no reference may lead to the place by another way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from formwright.forms.pointers import pointer_of, steps_of, value_at

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
"""The step to any item."""


class _Place(NamedTuple):
    """A schema in a document, where it is, and the steps that lead a value to it."""

    schema: dict[str, Any]
    pointer: str
    steps: Steps


def without_shared_uniqueness(first: Any, second: Any) -> Any:
    """Return the second schema; without ``uniqueItems`` where the first demands it of the same part of a value."""
    copied = json.loads(json.dumps(second))
    demanded = {place.steps for place in _unique_places(first)}
    for place in list(_lone_places(copied)):
        if place.steps in demanded:
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
    """Return places that may be tried, each once."""
    return list(dict.fromkeys(place.steps for place in _places(document, follow=True)))


def unique_places(document: Any) -> list[Steps] | None:
    """Return the places whose items must differ; ``None`` if there may be others."""
    found = list(_lone_places(document))
    counted = json.dumps(document).count('"uniqueItems": true')
    return [place.steps for place in found] if len(found) == counted else None


def _unique_places(document: Any) -> Iterator[_Place]:
    """The places whose items must differ, without those that only references lead to."""
    return (place for place in _places(document) if place.schema.get("uniqueItems") is True)


def _lone_places(document: Any) -> Iterator[_Place]:
    """Those of them to which no reference leads: what is there is said of no other part of a value."""
    targets = _list_targets(document)
    if targets is None:
        return
    for place in _unique_places(document):
        if not any(_begins(place.pointer, target) for target in targets):
            yield place


def _places(document: Any, *, follow: bool = False) -> Iterator[_Place]:
    """Places breadth first, up to `_DEPTH` steps. Beside a reference nothing is looked at: old dialects ignore it."""
    waiting: list[tuple[Any, str, Steps]] = [(document, "", ())]
    for schema, pointer, steps in waiting:
        if not isinstance(schema, dict) or len(steps) > _DEPTH or len(waiting) > _PLACES:
            continue
        reference = schema.get("$ref")
        if reference is not None:
            if follow:
                waiting.append((_target(document, reference), str(reference)[1:], steps))
            continue
        yield _Place(schema, pointer, steps)
        waiting += [(child, f"{pointer}{pointer_of(path)}", (*steps, *step)) for path, step, child in _parts(schema)]


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


def _list_targets(document: Any) -> list[str] | None:
    """The pointers that the references of a document lead to; ``None`` if some may lead elsewhere."""
    found: list[str] = []
    waiting = [(document, True)]
    while waiting:
        value, is_root = waiting.pop()
        if isinstance(value, dict):
            if not is_root and ("$id" in value or "id" in value):
                return None
            for key in ("$ref", "$dynamicRef", "$recursiveRef"):
                if key in value:
                    if key != "$ref" or not _is_pointer(value[key]):
                        return None
                    found.append(value[key][1:])
            waiting += [(child, False) for child in value.values()]
        elif isinstance(value, list):
            waiting += [(child, False) for child in value]
    return found


def _is_pointer(reference: Any) -> bool:
    """Whether a reference is a pointer into its own document, spelled in the one plain way."""
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
        return False
    return "%" not in reference and reference[1:] == pointer_of(steps_of(reference[1:]))


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


def lead(steps: Steps, schema: Any, *, any_item: bool = False) -> Any:
    """Return a schema of values that have a part, which conforms to ``schema``, at the end of some steps.

    Args:
        steps: The steps.
        schema: What the part conforms to.
        any_item: Whether the step to any item leads to whichever; else to the first one.
    """
    for step in reversed(steps):
        if isinstance(step, str):
            schema = {"type": "object", "required": [step], "properties": {step: schema}}
        elif step == _ITEM and any_item:
            schema = {"type": "array", "contains": schema}
        else:
            at = max(step, 0)
            schema = {"type": "array", "minItems": at + 1, "prefixItems": [True] * at + [schema]}
    return schema


def _value(value: Any, steps: Steps) -> Any:
    for step in steps:
        value = value[0 if step == _ITEM else step]
    return value
