"""Structural tags: free text in which tags hold conforming values, as vLLM's clients send them.

::

    tag = {"begin": "<f>", "schema": {"type": "integer"}, "end": "</f>"}
    structural_form({"structures": [tag], "triggers": ["<f>"]}, "response_format")

The formats are those of xgrammar, read in `formwright.tools.tag_formats`. A key that is not read would force another
text than the one that was meant, so it is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from formwright._kernel import Vocabulary
from formwright.errors import StructuralTagError
from formwright.forms.controls import read_control_tokens
from formwright.forms.form import Form, byte_matcher
from formwright.forms.readers import Alternative, Chain, Composition, Repetition, encode_text
from formwright.incremental.markers import count_marker_start
from formwright.tools.speller import Speller
from formwright.tools.tag_entries import Entry
from formwright.tools.tag_formats import FormatReader, FreeText, OneOfTags

__all__ = ["ends_in_free_text", "has_free_text", "structural_form"]


def has_free_text(form: Form[Any]) -> bool:
    """Whether a structural form has text outside of its tags."""
    read = form.read
    return isinstance(read, FreeText) or any(map(has_free_text, _parts_of(read)))


def _parts_of(read: Any) -> list[Form[Any]]:
    match read:
        case Chain(forms):
            return list(forms)
        case Alternative(first, second):
            return [first, second]
        case Repetition(body):
            return [body]
        case OneOfTags(tags):
            return [tag.rest for tag in tags]
        case _:
            return []


def ends_in_free_text(form: Form[Any], text: str) -> bool:
    """Whether a text of a structural form, as far as it is written, ends outside of its tags and of their triggers."""
    data = encode_text(text)
    if form.language.control_tokens:
        data = read_control_tokens(form.language, data, partial(byte_matcher, form))[0]
    while isinstance(form.read, Composition):
        parts = form.read.cut(data, is_open=True)
        if not parts:
            return False
        form, start, end = parts[-1]
        data = data[start:end]
    read = form.read
    return isinstance(read, FreeText) and not any(count_marker_start(text, stop) for stop in read.stops)


def structural_form(tag: Any, param: str, vocabulary: Vocabulary | None = None) -> Form[Any]:
    """The form of a structural tag.

    Args:
        tag: The tag, or its JSON.
        param: The field of the request that holds it.
        vocabulary: Whose control tokens it names; ``None`` if it is not known yet. Tokens are then not looked up.

    Raises:
        StructuralTagError: It is none, or has a part that cannot be enforced.
    """
    if isinstance(tag, str):
        try:
            tag = json.loads(tag)
        except (ValueError, RecursionError) as error:
            raise StructuralTagError(f"{param} is not JSON: {error}", field=param) from None
    if not isinstance(tag, Mapping):
        raise StructuralTagError(f"{param}: expected an object", field=param)
    entry = Entry(tag, param)
    if tag.get("type") not in (None, "structural_tag"):
        raise entry.make_fault("type", f"{param}.type: expected 'structural_tag', got {tag['type']!r}")
    reader = FormatReader(vocabulary, Speller(vocabulary.special_tokens if vocabulary is not None else ()))
    if tag.get("format") is not None:
        entry.check_keys("format")
        return reader.read(entry.read_entry("format"))
    entry.check_keys("structures", "triggers")
    return reader.read_structures(entry)
