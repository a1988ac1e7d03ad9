r"""The partial value of a JSON text: a tree that is shown as it was at any length of the text.

::

    reader = JsonReader(fw.form(list[str]))
    reader.feed('["a", "b')
    reader.at(9).value                          # ['a', 'b']
    reader.at(5).value                          # ['a']
    reader.at(9)[1].state                       # 'partial'

The text is scanned once (`scanner`); a snapshot filters that tree by a position. What is open there is closed, so that
plain data is what ``json.loads`` makes of it.

Cost: a snapshot is a node and a number. A complete value is read when somebody asks for it, once for all snapshots.

An escape sequence counts when it is whole, and so does a surrogate pair: after ``"\\ud83d`` a string is
still empty.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, Protocol

from formwright.errors import OR_RETRY, OutputInvalid
from formwright.forms.context import current_context, validation_context
from formwright.forms.form import Form
from formwright.forms.readers import validator_of
from formwright.forms.text_checks import read_json
from formwright.incremental.scanner import ARRAY, NUMBER, OBJECT, STRING, UNREAD, WORD, Node, Scanner
from formwright.incremental.values import Partial, State

__all__ = ["JsonReader", "Validator"]

_START = attrgetter("start")
_UNFINISHED = re.compile(
    r"""(?<!\\)(?:\\\\)*+                                       # no backslash is left over in front of
    (?P<tail>(?:\\u[dD][89abAB][0-9a-fA-F]{2})?               # the first half of a pair, then
    (?:\\(?:u[0-9a-fA-F]{0,3})?)?)\Z                          # an escape sequence that has not ended""",
    re.VERBOSE,
)
_LONGEST_TAIL = len(r"\ud83d\ude0")


class Validator(Protocol):
    """Reads the JSON text of one place of a type."""

    @property
    def names(self) -> dict[str, str]:
        """The names of fields: of the attribute, and in JSON. Empty if they are not declared."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether there may be other members than those."""
        ...

    def validate(self, text: str, siblings: dict[str, str], /) -> Any:
        """The value. Raises ValueError. Siblings are the texts of the complete members of the same object."""
        ...

    @property
    def wants_siblings(self) -> bool:
        """Whether a validator of this place looks at other fields."""
        ...

    def member(self, name: str, /) -> Validator | None:
        """That of a member, if it is known."""
        ...

    def item(self, index: int, /) -> Validator | None:
        """That of an item, if it is known."""
        ...


class JsonReader:
    """Reads texts of one form of JSON: a `PartialReader`.

    Attributes:
        feed: Goes on with the text.
        read: Gives a part of it.
    """

    __slots__ = ("_context", "_form", "_scanner", "_validator", "feed", "read")

    def __init__(self, form: Form[Any]) -> None:
        self._form, self._scanner, self._context = form, Scanner(), current_context()
        self._validator = validator_of(form)
        self.feed, self.read = self._scanner.feed, self._scanner.text.read

    @property
    def length(self) -> int:
        """How many characters have come."""
        return self._scanner.length

    def finish(self, value: Any, /) -> None:
        """The text is over, and spells ``value``."""
        self._scanner.end()
        root = self._scanner.root
        if root is not None and root.value is UNREAD:
            root.value = value

    def at(self, position: int, /) -> Partial:
        """The value when so much of the text had come."""
        root = self._scanner.root
        if root is not None and root.start >= position:
            root = None
        return _JsonPartial(self, root, position, self._validator)

    def value(self, node: Node, validator: Validator | None) -> Any:
        """A complete value, as its type reads it."""
        if node.value is UNREAD:
            with validation_context(self._context):
                node.value = self._read(node, validator)
        return node.value

    def _read(self, node: Node, validator: Validator | None) -> Any:
        text = self.read(node.start, node.end)
        if node.parent is None:
            return self._form.read(text)
        if validator is None:
            return read_json(text)
        siblings = self._siblings(node) if validator.wants_siblings else {}
        try:
            return validator.validate(text, siblings)
        except ValueError as error:
            raise OutputInvalid(
                f"the value at {node.pointer} conforms, but its type rejects it: {error}",
                hint=f"state the check as a bound, pattern or Literal{OR_RETRY}",
                text=self.read(0, self.length),
                position=node.end,
            ) from error

    def _siblings(self, node: Node) -> dict[str, str]:
        others = () if node.parent is None else node.parent.members.items()
        return {name: self.read(other.start, other.end) for name, other in others if other.closed < node.start}


class _JsonPartial(Partial):
    __slots__ = ("_node", "_position", "_reader", "_validator")

    def __init__(self, reader: JsonReader, node: Node | None, position: int, validator: Validator | None) -> None:
        self._reader, self._node, self._position, self._validator = reader, node, position, validator

    @property
    def state(self) -> State:
        if self._node is None:
            return "missing"
        return "complete" if self._node.closed <= self._position else "partial"

    @property
    def value(self) -> Any:
        if self._node is not None and self._node.closed <= self._position:
            return self._reader.value(self._node, self._validator)
        return self._plain()

    def _plain(self) -> Any:
        node = self._node
        if node is None or (node.kind in (NUMBER, WORD) and node.closed > self._position):
            return None
        return read_json(_close_text(self._reader, node, self._position))

    def __str__(self) -> str:
        node = self._node
        if node is None:
            return ""
        complete = node.closed <= self._position
        return self._reader.read(node.start, node.end if complete else self._position)

    def __getattr__(self, name: str) -> Partial:
        names = {} if self._validator is None else self._validator.names
        if name in names:
            return self._member(names[name])
        if name.startswith("_") or (self._validator is not None and not self._validator.is_open):
            declared = f"; there are {', '.join(names)}" if names else ""
            raise AttributeError(f"there is no field {name!r}{declared}", name=name, obj=None)
        return self._member(name)

    def __getitem__(self, key: str | int, /) -> Partial:
        if isinstance(key, int):
            return self._item(key)
        if not isinstance(key, str):
            raise TypeError(f"a member has a name, an item an index, not {key!r}")
        known = self._validator
        if known is not None and not known.is_open and key not in known.names.values():
            raise KeyError(key)
        return self._member(key)

    def __iter__(self) -> Iterator[Any]:
        count = len(self)
        if self._node is not None and self._node.kind == OBJECT:
            return iter(dict.fromkeys(child.name for child in self._node.children[:count]))
        return map(self._item, range(count))

    def __len__(self) -> int:
        node = self._node
        if node is not None and node.kind not in (ARRAY, OBJECT):
            raise TypeError(f"{self!r} has no length")
        return 0 if node is None else _count_begun(node, self._position)

    def _member(self, name: str) -> Partial:
        node = None if self._node is None else self._node.members.get(name)
        while node is not None and node.start >= self._position:
            node = node.shadowed
        known = None if self._validator is None else self._validator.member(name)
        return _JsonPartial(self._reader, node, self._position, known)

    def _item(self, index: int) -> Partial:
        count = len(self) if self._node is None or self._node.kind == ARRAY else 0
        index += count if index < 0 else 0
        node = self._node.children[index] if self._node is not None and 0 <= index < count else None
        known = None if self._validator is None or index < 0 else self._validator.item(index)
        return _JsonPartial(self._reader, node, self._position, known)


def _count_begun(node: Node, position: int) -> int:
    """How many of the values in a node had begun."""
    children = node.children
    if not children or children[-1].start < position:
        return len(children)
    return bisect_left(children, position, key=_START)


def _close_text(reader: JsonReader, node: Node, position: int) -> str:
    """The text of a value up to a position, with all that is open there closed, and what is uncertain left out."""
    start, closers = node.start, ""
    while True:
        if node.closed <= position:
            return reader.read(start, node.end) + closers
        if node.kind == STRING:
            return reader.read(start, node.start) + _drop_open_escape(reader.read(node.start, position)) + '"' + closers
        closers = ("}" if node.kind == OBJECT else "]") + closers
        count = _count_begun(node, position)
        last = node.children[count - 1] if count else None
        if last is not None and last.kind in (NUMBER, WORD) and last.closed > position:
            last = node.children[count - 2] if count > 1 else None
        if last is None:
            return reader.read(start, node.start + 1) + closers
        node = last


def _drop_open_escape(text: str) -> str:
    """The beginning of a string without an escape sequence that has not ended."""
    if "\\" not in text[-_LONGEST_TAIL:]:
        return text
    match = _UNFINISHED.search(text)
    return text if match is None else text[: match.start("tail")]
