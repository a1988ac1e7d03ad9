"""Where the fields of a text are: its JSON scalars by pointer, the fields of a template by name, or the whole text.

::

    [place.pointer for place in find_places(fw.form(Person), b'{"name": "Ada", "age": 36}')]     # ['/name', '/age']
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from formwright.forms.form import Form
from formwright.forms.pointers import pointer_of
from formwright.forms.readers import Chain, Composition, Repetition, decode_text, spell_text
from formwright.incremental.scanner import ARRAY, OBJECT, Node, Scanner

__all__ = ["FieldPlace", "find_places", "find_scalar", "read_place"]

_SCALAR = re.compile(rb'"(?:[^"\\]|\\.)*"|true|false|null|[\[{]|-?[0-9][-+.0-9eE]*(?=[^-+.0-9eE])', re.DOTALL)
"""A JSON scalar that is known to be complete, or the beginning of a container."""


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A field of a text.

    Attributes:
        pointer: Its JSON Pointer.
        start: Where its text begins, in bytes of what the matcher accepted.
        end: Where its text ends.
        text: Its text.
        form: What it is in, unless it is a JSON scalar.
    """

    pointer: str
    start: int
    end: int
    text: str
    form: Form[Any] | None = None

    @property
    def is_json(self) -> bool:
        """Whether it is a JSON scalar."""
        return self.form is None

    def find_value(self, data: bytes) -> bytes | None:
        """The value that bytes from the place on begin with; ``None`` while it is not known to be complete."""
        if self.form is None:
            return find_scalar(data)
        length, _ = self.form.language.check(data)
        if length == len(data):
            return None
        return data[: max(self.form.language.ends(data[:length]), default=length)]


def find_places(form: Form[Any], data: bytes) -> list[FieldPlace]:
    """The fields of a text that conforms, in the order of the text.

    Args:
        form: The form.
        data: The text, as `Matcher.accepted_bytes` has it.
    """
    found: list[FieldPlace] = []
    pending: list[_Part] = [(form, (), 0, len(data))]
    while pending:
        at, path, start, end = pending.pop()
        inside = _find_parts(at, path, data, start, end)
        if inside is not None:
            pending += reversed(inside)
        elif at.language.is_json:
            found += _find_scalars(data[start:end], path, start)
        else:
            found.append(FieldPlace(pointer_of(path), start, end, spell_text(data[start:end]), at))
    return found


_Part = tuple[Form[Any], tuple[object, ...], int, int]
"""A form inside another one, the steps to it, and where its text begins and ends."""


def _find_parts(form: Form[Any], path: tuple[object, ...], data: bytes, start: int, end: int) -> list[_Part] | None:
    """The parts of a composition that its value is made of; ``None`` where that is the text."""
    read = form.read
    cut = read.cut(data[start:end]) if isinstance(read, Composition) else None
    if cut is None or (isinstance(read, Chain) and not any(read.takes)):
        return None
    if isinstance(read, Chain):
        cut = [part for part, is_taken in zip(cut, read.takes, strict=True) if is_taken]
    elif isinstance(read, Repetition):
        cut = [part for part in cut if part[0] is not read.between]
    elif any(part.name is not None for part, _, _ in cut):
        cut = [part for part in cut if part[0].name is not None]
    parts: list[_Part] = []
    for number, (part, low, high) in enumerate(cut):
        step = (number,) if isinstance(read, Repetition) else () if part.name is None else (part.name,)
        parts.append((part, (*path, *step), start + low, start + high))
    return parts


def _find_scalars(data: bytes, path: tuple[object, ...], offset: int) -> Iterator[FieldPlace]:
    text, scanner = decode_text(data), Scanner()
    scanner.feed(text)
    scanner.end()
    pending = [] if scanner.root is None else [scanner.root]
    while pending:
        node: Node = pending.pop()
        if node.kind in (OBJECT, ARRAY):
            pending += [child for child in reversed(node.children) if not _is_shadowed(node, child)]
            continue
        own = text[node.start : node.end]
        start = offset + len(text[: node.start].encode())
        pointer = pointer_of(path) + node.pointer
        yield FieldPlace(pointer, start, start + len(own.encode()), own)


def _is_shadowed(container: Node, child: Node) -> bool:
    """Whether a later member has the same name."""
    return container.kind == OBJECT and container.members[str(child.name)] is not child


def find_scalar(data: bytes) -> bytes | None:
    """The JSON scalar that ``data`` begins with; ``None`` while it is not known to be complete.

    An object or array counts as its bracket.
    """
    found = _SCALAR.match(data)
    return found[0] if found else None


def read_place(place: FieldPlace, text: str | None = None) -> Any:
    """The value at a place, or what another text there would spell: JSON, or the text; a container is its bracket."""
    text = place.text if text is None else text
    return json.loads(text) if place.is_json and text not in ("[", "{") else text
