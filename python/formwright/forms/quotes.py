"""Strings of a type that must be pieces of a source which is known only when the text is written.

::

    form = fw.form(tuple[int, fw.Quote], source="It works, she said.")
    quote = form.parse('[1, "works"]')[1]
    quote, quote.start, quote.end                # ('works', 3, 8)

`formwright.one_of_text` makes such a string for a source that is known when the type is written.

Cost: as `formwright.one_of_text`, for each source.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Self

from formwright._kernel import places
from formwright.errors import ArgumentError
from formwright.forms.text_checks import check_text

__all__ = ["Quote", "complete_quotes", "current_source", "source_given"]

_KEYWORD = "x-one-of-text"

_SOURCE: ContextVar[str | None] = ContextVar("the source of quotes", default=None)


def current_source() -> str | None:
    """The source that quotes are pieces of, if one is given."""
    return _SOURCE.get()


@contextmanager
def source_given(source: str | None) -> Iterator[None]:
    """Read types and texts with this source inside the block; ``None`` leaves what is given.

    Raises:
        ArgumentError: ``source`` is not a str, or empty.
    """
    if source is None:
        yield
        return
    check_text(source, "source")
    if not source:
        raise ArgumentError("source: the text is empty, and has no pieces", argument="source")
    token = _SOURCE.set(source)
    try:
        yield
    finally:
        _SOURCE.reset(token)


class Quote(str):
    """A string that must be a piece of the ``source`` that `generate` is given: from any character to any other.

    Attributes:
        start: Where it begins in the source, in characters: the first place where it occurs. ``None`` for a quote that
            was made without a source.
        end: Where it ends.
    """

    start: int | None
    end: int | None

    def __new__(cls, text: str, start: int | None = None, end: int | None = None) -> Self:
        """Make a quote of a text and its place in the source."""
        quote = super().__new__(cls, text)
        quote.start, quote.end = start, end
        return quote

    @classmethod
    def __get_pydantic_core_schema__(cls, annotated: Any, handler: Any) -> Any:
        """Strings that are a piece of the source; pydantic asks for it."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(cls._find, core_schema.str_schema())

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        """The schema of such strings; pydantic asks for it."""
        found: dict[str, Any] = handler(schema)
        source = current_source()
        found[_KEYWORD] = {"unit": "char"} if source is None else {"source": source, "unit": "char"}
        return found

    @classmethod
    def _find(cls, text: str) -> Self:
        source = current_source()
        if source is None:
            return cls(text)
        found = places(source, "char", text)
        if not found:
            raise ValueError("it is not a piece of the source")
        return cls(text, *found[0])


def complete_quotes(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type with one definition for all its quotes, so that the source is in it once.

    Raises:
        ArgumentError: It has quotes, and no source is given.
    """
    found = list(_find_quotes(schema))
    if found and current_source() is None:
        raise ArgumentError(
            "a Quote is a piece of a source, and no source is given",
            hint="pass source= to generate, or make the form with fw.form(type, source=...)",
            argument="source",
        )
    if len(found) > 1:
        schema.setdefault("$defs", {})["Quote"] = {"type": "string", _KEYWORD: found[0][_KEYWORD]}
        for part in found:
            del part[_KEYWORD], part["type"]
            part["$ref"] = "#/$defs/Quote"
    return schema


def _find_quotes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The parts of a schema that `Quote` has made."""
    source, pending = current_source(), list[Any]([schema])
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending += part
        elif isinstance(part, dict):
            said = part.get(_KEYWORD)
            if isinstance(said, dict) and said.get("unit") == "char" and said.get("source") is source:
                yield part
            pending += [value for key, value in part.items() if key != _KEYWORD]
