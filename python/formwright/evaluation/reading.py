r"""The answer in what an arm has written: by rule, by code, never by a second model.

::

    read_by_rule("17 + 25 = 42.\nAnswer: 42", {"type": "integer"}).answer        # 42
    read_by_rule("I do not know.", {"type": "integer"}).is_readable             # False

Free text is read by the rule of its kind of answer (`RULES`), which every report prints. JSON that nothing has enforced
is found as by the client: the whole text, a code fence, or the one JSON value with an answer in it.

Cost: microseconds. What cannot be read is wrong, and counted as unreadable too: of two arms with the same
model, the one that is read worse looks worse.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from formwright.client.plans.extraction import extract
from formwright.errors import OutputInvalid
from formwright.evaluation.arms import Arm, answer_schema
from formwright.evaluation.tasks import is_same, kind_of
from formwright.forms.form import Form
from formwright.forms.json_forms import json_schema

__all__ = ["RULES", "Reading", "has_steps", "read", "read_by_rule"]

RULES: Mapping[str, str] = {
    "number": "the last number after the last “Answer:”, or of the whole text where there is none",
    "text": "the rest of the line after the last “Answer:”, or the last line where there is none",
    "list": "the rest of the line after the last “Answer:”, or the last line, split at commas",
    "fields": "after the last “Answer:”, or in the whole text, the last line “name: value” of each field",
    "json": "the one JSON value in form after the last “Answer:”, or in the whole text",
}
"""How free text is read, by the kind of the answer."""

_MARK = re.compile(r"(?:answer|答案)\s*[:：]", re.IGNORECASE)
_REASONED = re.compile(r'"reasoning"\s*:\s*"(?!\s*")')
_NUMBER = re.compile(r"[-\u2212]?\d+(?:,\d{3})*(?:\.\d+)?")
"""A number, with the minus of keyboards or that of typesetters."""


@lru_cache(maxsize=64)
def _form(schema: str) -> Form[Any]:
    return json_schema(schema, order="model")


class Reading(NamedTuple):
    """What was read.

    Attributes:
        answer: The answer; ``None`` where there is none.
        is_readable: Whether there is one.
    """

    answer: Any
    is_readable: bool


_NOTHING = Reading(None, False)


def read(arm: Arm, text: str, schema: Mapping[str, Any], *, unfair: bool = False) -> Reading:
    r"""The answer in what an arm has written.

    Args:
        arm: The arm.
        text: What it has written.
        schema: JSON Schema of an answer.
        unfair: Whether free text is read by a rule that errs: the first line or number instead of the last.
    """
    if arm.reads == "rule":
        return read_by_rule(text, schema, unfair=unfair)
    form = _form(json.dumps({**answer_schema(schema, reasons=False), "additionalProperties": True}))
    written = text.rpartition("</think>")[2] if arm.enforces == "thought" else text
    if arm.reads == "whole":
        return Reading(json.loads(written)["answer"], True) if form.matches(written.strip()) else _NOTHING
    try:
        return Reading(json.loads(extract(form, written).text)["answer"], True)
    except OutputInvalid:
        return _NOTHING


def has_steps(arm: Arm, text: str) -> bool:
    """Whether an arm that is asked for steps has written any before the answer."""
    if arm.asks == "thought":
        return bool(text.rpartition("</think>")[0].replace("<think>", "").strip())
    if arm.asks == "json":
        return _REASONED.search(text) is not None
    *before, last = _MARK.split(text)
    return bool("".join(before).strip()) if before else len(last.strip().splitlines()) > 1


def read_by_rule(text: str, schema: Mapping[str, Any], *, unfair: bool = False) -> Reading:
    """The answer in free text."""
    said = unicodedata.normalize("NFKC", text)
    after = _MARK.split(said)[-1] if not unfair else said
    kind = kind_of(schema)
    if kind == "number":
        numbers = _NUMBER.findall(after)
        return _number(numbers[0 if unfair else -1]) if numbers else _NOTHING
    if kind == "fields":
        return _fields(after, schema)
    if kind == "json":
        return _json(after, schema)
    lines = [line.strip() for line in after.splitlines() if line.strip()]
    is_marked = _MARK.search(said) is not None
    if not lines:
        return Reading([], True) if kind == "list" and is_marked else _NOTHING  # "Answer:" and no item
    line = lines[0] if unfair or is_marked else lines[-1]
    if kind == "list":
        return Reading([part.strip() for part in re.split("[,、]", line)], True)
    said = line.strip("\"'“”‘’`*").rstrip(".。").strip()
    options = schema.get("enum")
    if options is not None:
        return next((Reading(option, True) for option in options if is_same(said, option)), _NOTHING)
    return Reading(said, True) if _is_text(said, schema) else _NOTHING


def _number(said: str) -> Reading:
    plain = said.replace(",", "").replace("\u2212", "-")
    try:
        return Reading(float(plain) if "." in plain else int(plain), True)
    except ValueError:  # thousands of digits
        return _NOTHING


def _is_text(said: str, schema: Mapping[str, Any]) -> bool:
    """Whether a text is an answer, whatever the case of its letters."""
    if schema.get("type") != "string":
        return True
    form = _form(json.dumps(schema))
    return any(form.matches(json.dumps(each, ensure_ascii=False)) for each in (said, said.lower()))


def _fields(text: str, schema: Mapping[str, Any]) -> Reading:
    fields = {}
    for name in schema["properties"]:
        lines = re.findall(rf"^\W*{re.escape(name)}\W*?:[ \t]*(.+)$", text, re.MULTILINE | re.IGNORECASE)
        if lines:
            fields[name] = lines[-1].strip()
    required = schema.get("required", schema["properties"])
    return Reading(fields or None, all(name in fields for name in required))


def _json(text: str, schema: Mapping[str, Any]) -> Reading:
    try:
        return Reading(json.loads(extract(_form(json.dumps(schema)), text).text), True)
    except OutputInvalid:
        return _NOTHING
