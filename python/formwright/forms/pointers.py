"""JSON Pointers (RFC 6901): the names of members and indices of items on the way to a place in a document.

::

    pointer_of(["a/b", 0])                   # '/a~1b/0'
    steps_of("/a~1b/0")                      # ['a/b', '0']
    value_at({"a/b": ["x"]}, "/a~1b/0")      # 'x'
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["escape_step", "pointer_of", "steps_of", "value_at"]


def escape_step(step: object) -> str:
    """Return a name or an index as it is spelled within a pointer."""
    return str(step).replace("~", "~0").replace("/", "~1")


def pointer_of(steps: Iterable[object]) -> str:
    """Return the pointer to the place that these names and indices lead to."""
    return "".join(f"/{escape_step(step)}" for step in steps)


def steps_of(pointer: str) -> list[str]:
    """Return the names and indices of a pointer, all as text; of the root, none."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def value_at(document: Any, pointer: str) -> Any:
    """Return what a pointer leads to.

    Raises:
        LookupError, ValueError: There is no such place.
    """
    for step in steps_of(pointer):
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document
