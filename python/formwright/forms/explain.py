"""What `explain` and `check` answer: how each keyword is read, and how far a text conforms to a form.

::

    print(fw.explain({"type": "integer", "minimum": 0}))      # #/type: enforced, #/minimum: enforced
    fw.form(int).check("12a")                                 # Check(position=2, is_complete=False, expected=...)
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import starmap
from typing import NamedTuple, Self

__all__ = ["Check", "Explanation", "Reading"]


class Check(NamedTuple):
    """How far a text conforms.

    Attributes:
        position: How many characters (of bytes: bytes) are the beginning of a conforming text.
        is_complete: Whether all of them are, and a conforming text ends there.
        expected: What could be at ``position``, in words; ``""`` if the text is complete.
    """

    position: int
    is_complete: bool
    expected: str


class Reading(NamedTuple):
    """How one keyword of a JSON Schema was read.

    Attributes:
        pointer: JSON Pointer of the schema that holds it, ``""`` for the root; of a grammar, line and column, in a
            module that it imports after the name of that: ``4:8``, ``dates:4:8``.
        keyword: The keyword.
        status: ``default``: no keyword, but a variable of the environment that gives an option its value; ``enforced``;
            ``annotation``: says nothing about texts; ``redundant``: without effect here;
            ``narrowed``: fewer texts are written than it allows; ``never``: what it speaks of can never be written;
            ``refused``: it cannot be enforced, so the schema is refused; ``broken``: it is not a JSON Schema;
            ``validated``: no keyword, but what a Python type checks once a text is complete; ``remark``: on a grammar,
            what is allowed but hardly meant.
        note: What was done, or why not.
    """

    pointer: str
    keyword: str
    status: str
    note: str

    @property
    def place(self) -> str:
        """The pointer as a fragment, ``#/type``; of a grammar, line and column, as there."""
        return self.pointer if self.status == "remark" else f"#{self.pointer}"


class Explanation(tuple[Reading, ...]):
    """How every keyword of a form was read, in the order of the schema, or remarks; a table in notebooks."""

    __slots__ = ()

    @classmethod
    def of(cls, own: Iterable[Reading], rows: Iterable[tuple[str, str, str, str]]) -> Self:
        """The rows of the kernel after a form's own; a format that a type enforces is not an annotation."""
        own = tuple(own)
        enforced = {row[:2]: row for row in own if row.status == "enforced"}
        read = (enforced.get(row[:2], row) if row.status == "annotation" else row for row in starmap(Reading, rows))
        return cls((*(row for row in own if row.status != "enforced"), *read))

    def __str__(self) -> str:
        return "\n".join(
            f"{row.pointer}: {row.note}"
            if row.status == "remark"
            else ("" if row.status == "default" else f"#{row.pointer}/")
            + (f"{row.keyword}: " if row.keyword else "")
            + row.status
            + (f" ({row.note})" if row.note else "")
            for row in self
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in (row.place, *row[1:])) + "</tr>" for row in self
        )
        return f"<table><tr><th>where</th><th>keyword</th><th>status</th><th>note</th></tr>{rows}</table>"
