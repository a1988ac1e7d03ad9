"""Structural tags: free text in which tags hold values in form, as vLLM's clients send them.

::

    tag = {"begin": "<f>", "schema": {"type": "integer"}, "end": "</f>"}
    structural_form({"structures": [tag], "triggers": ["<f>"]}, "response_format")

Cost: reading the schemas. The wrinkle: free text holds no trigger, so a trigger always begins one of its tags.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

from formwright.forms import Form, chained, literal
from formwright.free_text import text
from formwright.languages import json_schema, regex
from formwright.server.errors import BadRequest

__all__ = ["structural_form"]


def structural_form(tag: Any, param: str) -> Form[Any]:
    """The form of a structural tag.

    Raises:
        BadRequest: It is none, or of a kind that is not served.
        NotAForm, LanguageError, ArgumentError: A part of it cannot be enforced.
    """
    if isinstance(tag, str):
        try:
            tag = json.loads(tag)
        except (ValueError, RecursionError) as error:
            raise BadRequest(f"{param} is no JSON: {error}", param=param) from None
    tag = _mapping(tag, param)
    if tag.get("format") is not None:
        return _format(tag["format"], f"{param}.format")
    tags = [
        (_text(entry, "begin", where), json_schema(entry.get("schema", True)), _text(entry, "end", where))
        for where, entry in _entries(tag, "structures", param)
    ]
    return _triggered(tag, tags, param, most=None)


def _format(format_: Any, param: str) -> Form[Any]:
    """A format by its type."""
    entry = _mapping(format_, param)
    kind = entry.get("type")
    if not isinstance(kind, str) or kind not in _FORMATS:
        served = ", ".join(_FORMATS)
        raise BadRequest(f"{param}: formats of the type {kind!r} are not served, but {served} are", param=param)
    return _FORMATS[kind](entry, param)


def _tag(entry: Mapping[str, Any], param: str) -> tuple[str, Form[Any], str]:
    """What stands before, in and behind a tag; free text in it ends where the tag does."""
    begin, end = _text(entry, "begin", param), _text(entry, "end", param)
    content = _mapping(entry.get("content"), f"{param}.content")
    if content.get("type") == "any_text":
        return begin, text(until=end), ""
    return begin, _format(content, f"{param}.content"), end


def _closed(tag: tuple[str, Form[Any], str]) -> Form[Any]:
    begin, content, end = tag
    parts = [literal(begin), content, *([literal(end)] if end else [])]
    return chained("a tag", tuple(parts), takes=-1)


def _triggered_tags(entry: Mapping[str, Any], param: str) -> Form[Any]:
    tags = [_tag(tag, where) for where, tag in _entries(entry, "tags", param)]
    most = 1 if entry.get("stop_after_first") else None
    return _triggered(entry, tags, param, most=most, least=int(bool(entry.get("at_least_one"))))


def _triggered(
    entry: Mapping[str, Any],
    tags: Sequence[tuple[str, Form[Any], str]],
    param: str,
    *,
    most: int | None,
    least: int = 0,
) -> Form[Any]:
    """Free text in which each trigger begins a tag."""
    triggers = entry.get("triggers")
    if not isinstance(triggers, list) or not triggers or not all(isinstance(one, str) and one for one in triggers):
        raise BadRequest(f"{param}.triggers is a list of texts", param=f"{param}.triggers")
    if unreached := [begin for begin, _, _ in tags if not begin.startswith(tuple(triggers))]:
        raise BadRequest(f"{param}: no trigger begins the tag {unreached[0]!r}", param=param)
    if not tags:
        raise BadRequest(f"{param}: there are no tags", param=param)
    free = text(until=triggers, include=False)
    span = chained("text and a tag", (free, reduce(or_, map(_closed, tags))), takes=-1)
    if most == 1:
        return chained("tags", (span,), takes=-1) if least else chained("tags", (span.repeat(0, 1), free), takes=-1)
    return chained("tags", (span.repeat(least, most), free), takes=-1)


def _sequence(entry: Mapping[str, Any], param: str) -> Form[Any]:
    parts = [_format(part, where) for where, part in _entries(entry, "elements", param)]
    return chained("a sequence", tuple(parts), takes=-1)


def _or(entry: Mapping[str, Any], param: str) -> Form[Any]:
    return reduce(or_, [_format(part, where) for where, part in _entries(entry, "elements", param)])


_FORMATS: Mapping[str, Callable[[Mapping[str, Any], str], Form[Any]]] = {
    "const_string": lambda entry, param: literal(_text(entry, "value", param)),
    "json_schema": lambda entry, _: json_schema(entry.get("json_schema", True)),
    "regex": lambda entry, param: regex(_text(entry, "pattern", param)),
    "any_text": lambda entry, param: text(),
    "sequence": _sequence,
    "or": _or,
    "tag": lambda entry, param: _closed(_tag(entry, param)),
    "triggered_tags": _triggered_tags,
}


def _entries(entry: Mapping[str, Any], name: str, param: str) -> list[tuple[str, Mapping[str, Any]]]:
    """The items of a list, each with its place."""
    found = entry.get(name)
    if not isinstance(found, list) or not found:
        raise BadRequest(f"{param}.{name} is a list with one item at least", param=f"{param}.{name}")
    places = [f"{param}.{name}[{number}]" for number in range(len(found))]
    return [(where, _mapping(item, where)) for where, item in zip(places, found, strict=True)]


def _mapping(value: Any, param: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise BadRequest(f"{param} is an object", param=param)
    return value


def _text(entry: Mapping[str, Any], name: str, param: str) -> str:
    value = entry.get(name)
    if not isinstance(value, str) or not value:
        raise BadRequest(f"{param}.{name} is a text", param=f"{param}.{name}")
    return value
