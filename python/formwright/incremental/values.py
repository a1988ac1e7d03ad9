"""A value while it is written: what is there, what is under way, what is missing.

::

    reader = fw.partial(Person)
    reader.feed('{"name": "Ada", "a')
    reader.value.name.state                     # 'complete'
    reader.value.name.value                     # 'Ada'
    reader.value.age.state                      # 'missing'

A `Partial` is a snapshot: it shows the text as it was when the snapshot was taken, whatever has come since. Every
kind of form has a `PartialReader` of its own, which takes the text and the snapshots.

Cost: a snapshot is a place in the text, so taking one costs the same for every text; asking it for its `value` costs
the length of that value's text.

Fields of the names ``state``, ``value`` and ``is_complete`` are reached with brackets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Protocol

from formwright.forms.text_checks import shorten

__all__ = ["Partial", "PartialReader", "State"]

State = Literal["missing", "partial", "complete"]


class Partial:
    """A value as far as its text came; ``str()`` of it is that text.

    Truth is whether it has begun. Iterating over an array gives its items, over an object the names of its members.
    """

    __slots__ = ()

    @property
    def state(self) -> State:
        """``"missing"``: nothing of it is there; ``"partial"``: it has begun; ``"complete"``: it will not change."""
        raise NotImplementedError

    @property
    def value(self) -> Any:
        """What is known of the value: ``None`` if it is missing.

        A complete value is read as its type says, and its validators have run. A partial one is plain data, as far as
        it is certain: the characters of a string, the items of a list, the members of a dict. A number, ``true``,
        ``false`` and ``null`` are not certain until they are complete: ``None``.

        Raises:
            OutputInvalid: The value is complete, and its type refuses it.
        """
        raise NotImplementedError

    @property
    def is_complete(self) -> bool:
        """Whether it is whole."""
        return self.state == "complete"

    def __getattr__(self, name: str) -> Partial:
        raise AttributeError(f"{self!r} has no fields, so no {name!r}")

    def __getitem__(self, key: str | int, /) -> Partial:
        raise TypeError(f"{self!r} has no items")

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"{self!r} has no items")

    def __len__(self) -> int:
        raise TypeError(f"{self!r} has no length")

    def __bool__(self) -> bool:
        return self.state != "missing"

    def _plain(self) -> Any:
        """The value without its type: never an error."""
        return self.value

    def __repr__(self) -> str:
        state = self.state
        if state == "missing":
            return "Partial(missing)"
        plain = self._plain()
        return f"Partial({state}, {shorten(str(self) if plain is None else repr(plain))})"


class PartialReader(Protocol):
    """Consumes a text of one form piece by piece, and takes snapshots of its value.

    A form whose ``read`` has a method ``partial_reader()`` is read by what that returns.
    """

    @property
    def length(self) -> int:
        """How many characters have come."""
        ...

    def feed(self, piece: str, /) -> None:
        """Continue with the text, which is the beginning of one that conforms."""
        ...

    def finish(self, value: Any, /) -> None:
        """The text is over, and spells ``value``."""
        ...

    def at(self, position: int, /) -> Partial:
        """The value when ``position`` characters had come; from ``length + 1`` on, when the text was over."""
        ...
