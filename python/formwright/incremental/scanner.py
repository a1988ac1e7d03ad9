"""Where the values of a JSON text begin and end, found while the text arrives.

::

    scanner = Scanner()
    scanner.feed('{"name": "A')
    scanner.root.members["name"].start          # 9: the string has begun, and is open
    scanner.feed('da"}')
    scanner.root.members["name"].closed         # 14
    scanner.text.read(9, 14)                        # '"Ada"'

A `Node` is a value that has begun. Nothing is decoded here but the names of members: what a value is follows from its
text, once somebody asks.

Cost: each character is looked at once, runs of characters by one regular expression; a stack of Python frames is never
built, however deep the text.

The text is taken to be the beginning of JSON, which is what a form has checked. A number is known to be
complete only when the next character has come.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Final

from formwright.errors import OutputInvalid
from formwright.forms.pointers import pointer_of
from formwright.incremental.text import Text

__all__ = ["ARRAY", "NUMBER", "OBJECT", "STRING", "UNREAD", "WORD", "Node", "Scanner"]

OBJECT, ARRAY, STRING, NUMBER, WORD = range(5)
"""The kinds of values; a word is ``true``, ``false`` or ``null``."""

UNREAD: Final = object()
"""The value of a node that nobody has asked for."""

_OPEN = sys.maxsize
_BETWEEN = re.compile(r"[ \t\r\n:]*+")
_IN_STRING = re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL)
_IN_NUMBER = re.compile(r"[-+.0-9eE]*+")
_KINDS = {"{": OBJECT, "[": ARRAY, '"': STRING, **dict.fromkeys("-0123456789", NUMBER), **dict.fromkeys("tfn", WORD)}
_WORD_LENGTHS = {"t": 4, "f": 5, "n": 4}


class Node:
    """A value of the text.

    Attributes:
        kind: One of the kinds above.
        start: Where its text begins.
        closed: How much of the text must be there to know that the value is complete.
        parent: The object or array that it is in, ``None`` for the whole text.
        name: Its name or index there.
        children: The values in it, in the order of the text.
        members: Of an object: by name, the last one of each name.
        shadowed: An earlier member of the same name.
        value: What it was read as, or `UNREAD`.
    """

    __slots__ = ("children", "closed", "kind", "members", "name", "parent", "shadowed", "start", "value")

    def __init__(self, kind: int, start: int, parent: Node | None, name: str | int) -> None:
        self.kind, self.start, self.closed = kind, start, _OPEN
        self.parent, self.name = parent, name
        self.children: list[Node] = [] if kind in (OBJECT, ARRAY) else _NO_CHILDREN
        self.members: dict[str, Node] = {} if kind == OBJECT else _NO_MEMBERS
        self.shadowed: Node | None = None
        self.value: Any = UNREAD

    @property
    def end(self) -> int:
        """Where the text of a complete value ends."""
        return self.closed - (self.kind == NUMBER)

    @property
    def pointer(self) -> str:
        """Where it is, as a JSON Pointer."""
        names, node = list[object](), self
        while node.parent is not None:
            names.append(node.name)
            node = node.parent
        return pointer_of(reversed(names))


_NO_CHILDREN: Final[list[Node]] = []
_NO_MEMBERS: Final[dict[str, Node]] = {}
"""Those of all values that have none."""


class Scanner:
    """A JSON text as far as it came.

    Attributes:
        root: Its value, ``None`` before it has begun.
        text: The text.
        length: How many characters of it were looked at.
    """

    __slots__ = ("_container", "_escaped", "_expects_name", "_name", "_name_start", "_scalar", "length", "root", "text")

    def __init__(self) -> None:
        self.root: Node | None = None
        self.length = 0
        self.text = Text()
        self._container: Node | None = None
        self._scalar: Node | None = None  # the string, number or word that has not ended
        self._name: str | int = ""
        self._name_start = -1  # where the name begins that has not ended
        self._expects_name = self._escaped = False

    def feed(self, piece: str) -> None:
        """Go on with the text.

        Raises:
            OutputInvalid: A character cannot be in JSON at its place. Most faults are not noticed.
        """
        at, end = 0, len(piece)
        self.text.append(piece)
        while at < end:
            if self._scalar is None and self._name_start < 0:
                at = self._between_values(piece, at)
            elif self._scalar is None or self._scalar.kind == STRING:
                at = self._in_string(piece, at)
            else:
                at = self._in_number(piece, at) if self._scalar.kind == NUMBER else self._in_word(piece, at)
        self.length += end

    def end(self) -> None:
        """The text is over: a number at its end is complete, which snapshots after the end show."""
        if self._scalar is not None and self._scalar.kind == NUMBER:
            self._close(self._scalar, self.length + 1)

    def _between_values(self, piece: str, at: int) -> int:
        at = _BETWEEN.match(piece, at).end()  # type: ignore[union-attr] # it matches nothing, too
        if at == len(piece):
            return at
        character = piece[at]
        if character == ",":
            self._expects_name = self._container is not None and self._container.kind == OBJECT
        elif character in "}]" and self._container is not None:
            self._close(self._container, self.length + at + 1)
        elif character == '"' and self._expects_name:
            self._name_start = self.length + at
        elif (kind := _KINDS.get(character)) is not None:
            self._begin(kind, self.length + at)
        else:
            raise OutputInvalid(
                f"{character!r} at {self.length + at} is not JSON",
                text=str(self.text),
                position=self.length + at,
            )
        return at + 1

    def _begin(self, kind: int, start: int) -> None:
        inside = self._container
        if inside is None:
            node = self.root = Node(kind, start, None, "")
        else:
            node = Node(kind, start, inside, self._name if inside.kind == OBJECT else len(inside.children))
            inside.children.append(node)
            if inside.kind == OBJECT:
                name = str(self._name)
                node.shadowed = inside.members.get(name)
                inside.members[name] = node
        if kind in (OBJECT, ARRAY):
            self._container, self._expects_name = node, kind == OBJECT
        else:
            self._scalar = node

    def _close(self, node: Node, closed: int) -> None:
        node.closed = closed
        if node is self._container:
            self._container = node.parent
        self._scalar = None

    def _in_string(self, piece: str, at: int) -> int:
        """Go on with a string or a name. A backslash at the end of a piece waits for its character."""
        if self._escaped:
            self._escaped, at = False, at + 1
        at = _IN_STRING.match(piece, at).end()  # type: ignore[union-attr]
        if at == len(piece):
            return at
        if piece[at] == "\\":
            self._escaped = True
        elif self._scalar is not None:
            self._close(self._scalar, self.length + at + 1)
        else:
            text = self.text.read(self._name_start, self.length + at + 1)
            self._name = json.loads(text) if "\\" in text else text[1:-1]
            self._name_start, self._expects_name = -1, False
        return at + 1

    def _in_number(self, piece: str, at: int) -> int:
        at = _IN_NUMBER.match(piece, at).end()  # type: ignore[union-attr]
        if at < len(piece) and self._scalar is not None:
            self._close(self._scalar, self.length + at + 1)
        return at

    def _in_word(self, piece: str, at: int) -> int:
        node = self._scalar
        if node is None:
            return at
        first = (
            piece[node.start - self.length] if node.start >= self.length else self.text.read(node.start, node.start + 1)
        )
        end = node.start + _WORD_LENGTHS[first]
        if end <= self.length + len(piece):
            self._close(node, end)
            return end - self.length
        return len(piece)
