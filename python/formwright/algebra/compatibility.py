"""What a new version of a form breaks: each place of the schemas where the two differ, with a smallest value.

::

    found = fw.compat({"type": "integer"}, {"type": "integer", "minimum": 0})
    found.is_compatible                      # False
    found.changes[0].text                    # '-1'

What the old form allowed and the new one rejects breaks *writers*: texts that are still written, or lie in a file, are
no longer accepted. What the new form allows and the old one rejected breaks *readers*: programs that know the old form
meet texts that they do not expect.

All places are found one after the other: of the values that make the difference a shortest one is taken, the keywords
that reject it are a change, and without them the two are compared again. So no place hides another. Without a keyword
a schema may also become stricter, as below ``not``; a text that the whole schema allows is not a change, and ends the
list.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from formwright.errors import ArgumentError, LimitExceeded, Undecided, UnsupportedKeyword
from formwright.forms.coerce import form
from formwright.forms.form import Form
from formwright.forms.pointers import value_at
from formwright.forms.rejections import Rejection, find_rejection
from formwright.forms.schema_sets import SchemaSource, find_text_outside, holds
from formwright.forms.sets import find_outside, source_of

__all__ = ["Change", "Compatibility", "Direction", "compat"]

Direction = Literal["read", "write", "both"]
"""Whom a change may break: those who read by the old form, those who write by it, or either."""

_MOST_CHANGES = 200
"""Changes in one direction that are listed, at most."""


class Change(NamedTuple):
    """A place where two forms differ.

    Attributes:
        breaks: ``"writers"``: the old form allows ``text``, and the new one does not; ``"readers"``: the reverse.
        pointer: JSON Pointer of the place in the schema that rejects ``text``: for writers in the new schema, for
            readers in the old one. ``""`` for its root, and for forms that are not JSON.
        keywords: The keywords there that reject it; none for forms that are not JSON.
        text: A shortest text that shows the change.
    """

    breaks: Literal["writers", "readers"]
    pointer: str
    keywords: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        """One line: whom it breaks, where, and the text."""
        which, does = ("new", "rejects") if self.breaks == "writers" else ("old", "rejected")
        keywords = f" ({', '.join(self.keywords)})" if self.keywords else ""
        return f"breaks {self.breaks}: at #{self.pointer}{keywords} the {which} form {does} {self.text}"


class Compatibility(NamedTuple):
    """How two versions of a form differ; true if nothing breaks.

    Attributes:
        changes: What breaks, in the directions that were asked for; those of writers come first.
        is_complete: Whether these are all: false where there are more than are listed, or where the keywords that
            reject a value cannot be told.
    """

    changes: tuple[Change, ...]
    is_complete: bool = True

    @property
    def is_compatible(self) -> bool:
        """Whether nothing breaks."""
        return not self.changes and self.is_complete

    def __bool__(self) -> bool:
        return self.is_compatible


def compat(old: Any, new: Any, *, direction: Direction = "both") -> Compatibility:
    """Tell what a new version of a form breaks.

    Args:
        old: A form of JSON or a regular form, or what `formwright.form` makes one of.
        new: Another of the same kind.
        direction: ``"write"`` looks for what the old form allows and the new one does not, ``"read"`` for the
            reverse.

    Raises:
        ArgumentError: There is no such direction; the forms are of different kinds, or their options differ.
        Undecided: A bound of work was reached.
        LanguageError: One of them cannot be read.
    """
    if direction not in ("read", "write", "both"):
        raise ArgumentError(f'direction is "read", "write" or "both", not {direction!r}', argument="direction")
    forms = form(old), form(new)
    rows: list[Change | None] = []
    if direction != "read":
        rows += _list_changes("writers", *forms)
    if direction != "write":
        rows += _list_changes("readers", *reversed(forms))
    changes = tuple(row for row in rows if row is not None)
    return Compatibility(changes, is_complete=len(changes) == len(rows))


def _list_changes(
    breaks: Literal["writers", "readers"], allowing: Form[Any], rejecting: Form[Any]
) -> Iterator[Change | None]:
    """What the first form allows and the second does not, place by place; at the end ``None`` if there is more."""
    text = find_outside(allowing, rejecting)
    if text is None:
        return
    first, second = source_of(allowing), source_of(rejecting)
    if first is None or second is None:
        yield Change(breaks, "", (), text)
        return
    relaxed, names = second, set(_declared_names(first.document))
    for _ in range(_MOST_CHANGES):
        if not _rejects(second, text):  # relaxing has made the schema stricter
            break
        rejection = find_rejection(relaxed, text)
        yield Change(breaks, rejection.pointer, rejection.keywords, text)
        if not rejection.keywords:
            break
        relaxed = SchemaSource(json.dumps(_relax(relaxed.document, rejection, names)), second.options)
        try:
            following = find_text_outside(first, relaxed)
        except Undecided:
            break
        if following is None:
            return
        text = following
    yield None


def _rejects(source: SchemaSource, text: str) -> bool:
    """Whether a schema is known to reject a value."""
    try:
        return not holds(source, text)
    except (UnsupportedKeyword, LimitExceeded):
        return False


def _declared_names(document: Any) -> Iterator[str]:
    """The names of members that a schema declares anywhere."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            properties = value.get("properties")
            yield from properties if isinstance(properties, dict) else ()
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _relax(document: Any, rejection: Rejection, names: set[str]) -> Any:
    """A schema without what rejects a value.

    Where declared names of members are rejected or missed, only these are allowed, or no longer demanded: others are
    changes of their own.
    """
    relaxed = json.loads(json.dumps(document))
    schema = value_at(relaxed, rejection.pointer)
    for keyword in rejection.keywords:
        if not _relax_names(schema, keyword, rejection.part, names):
            _relax_keyword(schema, keyword)
    return relaxed


def _relax_names(schema: Any, keyword: str, part: Any, names: set[str]) -> bool:
    """Relax a keyword for the names that a value has or lacks; whether that is possible."""
    if not isinstance(part, dict):
        return False
    if keyword == "required":
        schema["required"] = [name for name in schema["required"] if name in part]
        return True
    if keyword in ("additionalProperties", "unevaluatedProperties"):
        declared = schema.setdefault("properties", {})
        new = [name for name in part if name not in declared and name in names]
        declared.update(dict.fromkeys(new, True))
        return bool(new)
    return False


def _relax_keyword(schema: Any, keyword: str) -> None:
    """Remove a keyword, or allow everything where a schema was ``false``."""
    if isinstance(schema, list):
        schema[int(keyword)] = True
    elif schema[keyword] is False and keyword not in ("const", "if"):
        schema[keyword] = True
    else:
        del schema[keyword]
