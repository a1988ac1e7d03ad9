"""Structural tags: free text in which tags hold conforming values, as vLLM's clients send them.

::

    tag = {"begin": "<f>", "schema": {"type": "integer"}, "end": "</f>"}
    structural_form({"structures": [tag], "triggers": ["<f>"]}, "response_format")

Cost: reading the schemas. Free text holds no trigger, so a trigger always begins one of its tags. A key
that is not read would force another text than the one that was meant, so it is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

from formwright._options import suggest_name
from formwright.errors import StructuralTagError
from formwright.forms.form import Form, chain, literal
from formwright.forms.free_text import text
from formwright.forms.grammars import grammar
from formwright.forms.json_forms import json_schema
from formwright.forms.readers import Alternative, Chain, Composition, Repetition, encode_text, plain
from formwright.forms.texts import regex
from formwright.incremental.markers import count_marker_start

__all__ = ["ends_in_free_text", "has_free_text", "structural_form"]


@dataclass(frozen=True, slots=True)
class _FreeText:
    """Reads text outside of tags, in which none of these triggers can come."""

    triggers: tuple[str, ...]

    def __call__(self, text: str) -> str:
        return plain(text)


def has_free_text(form: Form[Any]) -> bool:
    """Whether a structural form has text outside of its tags."""
    read = form.read
    return isinstance(read, _FreeText) or any(map(has_free_text, _parts_of(read)))


def _parts_of(read: Any) -> list[Form[Any]]:
    match read:
        case Chain(forms):
            return list(forms)
        case Alternative(first, second):
            return [first, second]
        case Repetition(body):
            return [body]
        case _:
            return []


def ends_in_free_text(form: Form[Any], text: str) -> bool:
    """Whether a text of a structural form, as far as it is written, ends outside of its tags and of their triggers."""
    data = encode_text(text)
    while isinstance(form.read, Composition):
        parts = form.read.cut(data, is_open=True)
        if not parts:
            return False
        form, start, end = parts[-1]
        data = data[start:end]
    read = form.read
    return isinstance(read, _FreeText) and not any(count_marker_start(text, trigger) for trigger in read.triggers)


def _free_text(*triggers: str) -> Form[Any]:
    """Text outside of tags, before the next trigger."""
    form = text(until=triggers, include=False) if triggers else text()
    return replace(form, read=_FreeText(triggers), kind="value")


def structural_form(tag: Any, param: str) -> Form[Any]:
    """The form of a structural tag.

    Raises:
        StructuralTagError: It is none, or of a kind that is not served.
        NotAForm, LanguageError, ArgumentError: A part of it cannot be enforced.
    """
    if isinstance(tag, str):
        try:
            tag = json.loads(tag)
        except (ValueError, RecursionError) as error:
            raise StructuralTagError(f"{param} is not JSON: {error}", field=param) from None
    tag = _mapping(tag, param)
    if tag.get("type") not in (None, "structural_tag"):
        raise StructuralTagError(f"{param}.type: {tag['type']!r} is not 'structural_tag'", field=f"{param}.type")
    if tag.get("format") is not None:
        _check_keys(tag, param, "type", "format")
        return _format(tag["format"], f"{param}.format")
    _check_keys(tag, param, "type", "structures", "triggers")
    tags = [_structure(entry, where) for where, entry in _entries(tag, "structures", param)]
    return _form_of_triggered_tags(tag, tags, param, most=None)


def _structure(entry: Mapping[str, Any], param: str) -> tuple[str, Form[Any], str]:
    """A tag of the older kind, whose content is JSON."""
    _check_keys(entry, param, "begin", "schema", "end")
    return _text(entry, "begin", param), _json(entry, "schema", param), _text(entry, "end", param)


def _format(format_: Any, param: str) -> Form[Any]:
    """A format by its type."""
    entry = _mapping(format_, param)
    kind = entry.get("type")
    if not isinstance(kind, str) or kind not in _FORMATS:
        served = ", ".join(_FORMATS)
        raise StructuralTagError(f"{param}: formats of the type {kind!r} are not served, but {served} are", field=param)
    names, make = _FORMATS[kind]
    _check_keys(entry, param, "type", *names)
    return make(entry, param)


def _tag(entry: Mapping[str, Any], param: str) -> tuple[str, Form[Any], str]:
    """What is before, in and after a tag; free text in it ends where the tag does."""
    begin, end = _text(entry, "begin", param), _text(entry, "end", param)
    content = _mapping(entry.get("content"), f"{param}.content")
    if content.get("type") == "any_text":
        return begin, text(until=end), ""
    return begin, _format(content, f"{param}.content"), end


def _close_tag(tag: tuple[str, Form[Any], str]) -> Form[Any]:
    begin, content, end = tag
    parts = [literal(begin), content, *([literal(end)] if end else [])]
    return chain("a tag", tuple(parts), takes=-1)


def _read_triggered_tags(entry: Mapping[str, Any], param: str) -> Form[Any]:
    tags = []
    for where, tag in _entries(entry, "tags", param):
        _check_keys(tag, where, "type", *_TAG)
        tags.append(_tag(tag, where))
    most = 1 if _flag(entry, "stop_after_first", param) else None
    return _form_of_triggered_tags(entry, tags, param, most=most, least=int(_flag(entry, "at_least_one", param)))


def _form_of_triggered_tags(
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
        raise StructuralTagError(f"{param}.triggers is a list of texts", field=f"{param}.triggers")
    if unreached := [begin for begin, _, _ in tags if not begin.startswith(tuple(triggers))]:
        raise StructuralTagError(f"{param}: no trigger begins the tag {unreached[0]!r}", field=param)
    if not tags:
        raise StructuralTagError(f"{param}: there are no tags", field=param)
    free = _free_text(*triggers)
    span = chain("text and a tag", (free, reduce(or_, map(_close_tag, tags))), takes=-1)
    if most == 1:
        return chain("tags", (span,), takes=-1) if least else chain("tags", (span.repeat(0, 1), free), takes=-1)
    return chain("tags", (span.repeat(least, most), free), takes=-1)


def _sequence(entry: Mapping[str, Any], param: str) -> Form[Any]:
    parts = [_format(part, where) for where, part in _entries(entry, "elements", param)]
    return chain("a sequence", tuple(parts), takes=-1)


def _or(entry: Mapping[str, Any], param: str) -> Form[Any]:
    return reduce(or_, [_format(part, where) for where, part in _entries(entry, "elements", param)])


_TAG = ("begin", "content", "end")

_FORMATS: Mapping[str, tuple[Sequence[str], Callable[[Mapping[str, Any], str], Form[Any]]]] = {
    "const_string": (["value"], lambda entry, param: literal(_text(entry, "value", param))),
    "json_schema": (["json_schema"], lambda entry, param: _json(entry, "json_schema", param)),
    "grammar": (["grammar"], lambda entry, param: grammar(_text(entry, "grammar", param))),
    "regex": (["pattern"], lambda entry, param: regex(_text(entry, "pattern", param))),
    "any_text": ([], lambda entry, param: _free_text()),
    "sequence": (["elements"], _sequence),
    "or": (["elements"], _or),
    "tag": (_TAG, lambda entry, param: _close_tag(_tag(entry, param))),
    "triggered_tags": (["triggers", "tags", "at_least_one", "stop_after_first"], _read_triggered_tags),
}
"""The keys of each type of format, and what makes its form."""

_NEUTRAL: Mapping[str, Any] = {"any_order": False, "excludes": [], "style": "json"}
"""Keys of other engines, with the value that changes nothing."""


def _check_keys(entry: Mapping[str, Any], param: str, *known: str) -> None:
    """Refuse keys that are not read. Raises StructuralTagError."""
    for name, value in entry.items():
        if name in known or value is None:
            continue
        where = f"{param}.{name}"
        if name not in _NEUTRAL:
            said = f"there is no field {where!r}{suggest_name(name, known)}"
            raise StructuralTagError(said, field=where, code="unknown_parameter")
        if value != _NEUTRAL[name]:
            said = f"{where} is not served, except {json.dumps(_NEUTRAL[name])}"
            raise StructuralTagError(said, field=where, code="unsupported_parameter")


def _flag(entry: Mapping[str, Any], name: str, param: str) -> bool:
    value = entry.get(name)
    if value is not None and not isinstance(value, bool):
        raise StructuralTagError(f"{param}.{name} is true or false", field=f"{param}.{name}")
    return bool(value)


def _json(entry: Mapping[str, Any], name: str, param: str) -> Form[Any]:
    if entry.get(name) is None:
        raise StructuralTagError(
            f"{param}.{name} is missing", field=f"{param}.{name}", code="missing_required_parameter"
        )
    return json_schema(entry[name])


def _entries(entry: Mapping[str, Any], name: str, param: str) -> list[tuple[str, Mapping[str, Any]]]:
    """The items of a list, each with its place."""
    found = entry.get(name)
    if not isinstance(found, list) or not found:
        raise StructuralTagError(f"{param}.{name} is a list with one item at least", field=f"{param}.{name}")
    places = [f"{param}.{name}[{number}]" for number in range(len(found))]
    return [(where, _mapping(item, where)) for where, item in zip(places, found, strict=True)]


def _mapping(value: Any, param: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise StructuralTagError(f"{param} is an object", field=param)
    return value


def _text(entry: Mapping[str, Any], name: str, param: str) -> str:
    value = entry.get(name)
    if not isinstance(value, str) or not value:
        raise StructuralTagError(f"{param}.{name} is a text", field=f"{param}.{name}")
    return value
