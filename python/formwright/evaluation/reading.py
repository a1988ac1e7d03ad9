r"""Read the answer in what a model has written in an arm: by rule, never by a second model.

::

    read_by_rule("17 + 25 = 42.\nAnswer: 42", {"type": "integer"}).answer        # 42
    read_by_rule("I do not know.", {"type": "integer"}).is_readable             # False

Free text is read by the rule of its kind of answer (`RULES`), which every report prints. JSON that nothing has enforced
is found as by the client: the complete text, a code fence, or the one JSON value with an answer in it.

Cost: microseconds. An answer that cannot be read is wrong, and also counted as unreadable: an arm that is read
worse than another looks worse.
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
from formwright.evaluation.arms import Arm, make_answer_schema, make_arm_form
from formwright.evaluation.tasks import find_kind, is_same
from formwright.forms.form import Form
from formwright.forms.json_forms import json_schema

__all__ = ["RULES", "AnswerReading", "has_steps", "read_answer", "read_by_rule"]

RULES: Mapping[str, str] = {
    "number": "the last number after the last “Answer:”, or of the whole text if there is none",
    "text": "the rest of the line after the last “Answer:”, or the last line if there is none",
    "list": "the rest of the line after the last “Answer:”, or the last line, split at commas",
    "fields": "after the last “Answer:”, or in the whole text, the last line “name: value” of each field",
    "json": "the one conforming JSON value after the last “Answer:”, or in the whole text",
}
"""How free text is read, by the kind of the answer."""

_MARK = re.compile(r"(?:answer|答案)\s*[:：]", re.IGNORECASE)
_REASONED = re.compile(r'"?\breasoning"?\s*:\s*(?!["\']?\s*["\']?$|"\s*")\S', re.MULTILINE)
_NUMBER = re.compile(r"[-\u2212]?\d+(?:,\d{3})*(?:\.\d+)?")
"""A number, with a hyphen or a minus sign."""


@lru_cache(maxsize=64)
def _make_form(schema: str) -> Form[Any]:
    return json_schema(schema, order="model")


class AnswerReading(NamedTuple):
    """What was read in a text.

    Attributes:
        answer: The answer; ``None`` if there is none.
        is_readable: Whether there is one.
    """

    answer: Any
    is_readable: bool


_NOTHING = AnswerReading(None, False)


def read_answer(arm: Arm, text: str, schema: Mapping[str, Any], *, unfair: bool = False) -> AnswerReading:
    r"""Read the answer in what a model has written in an arm.

    Args:
        arm: The arm.
        text: What was written.
        schema: JSON Schema of an answer.
        unfair: Whether free text is read by a rule that errs: the first line or number instead of the last.
    """
    if arm.reads == "rule":
        return read_by_rule(text, schema, unfair=unfair)
    if arm.notation != "json":
        return _read_notation(arm, text, schema)
    form = _make_form(json.dumps({**make_answer_schema(schema, reasons=False), "additionalProperties": True}))
    written = text.rpartition("</think>")[2] if arm.enforces == "thought" else text
    if arm.reads == "whole":
        return AnswerReading(json.loads(written)["answer"], True) if form.matches(written.strip()) else _NOTHING
    try:
        return AnswerReading(json.loads(extract(form, written).text)["answer"], True)
    except OutputInvalid:
        return _NOTHING


def _read_notation(arm: Arm, text: str, schema: Mapping[str, Any]) -> AnswerReading:
    try:
        return AnswerReading(make_arm_form(arm, schema, 0).parse(text)["answer"], True)
    except OutputInvalid:
        return _NOTHING


def has_steps(arm: Arm, text: str) -> bool:
    """Whether a text, of an arm that requests steps, has any before the answer."""
    if arm.asks == "thought":
        return bool(text.rpartition("</think>")[0].replace("<think>", "").strip())
    if arm.asks == "json":
        return _REASONED.search(text) is not None
    *before, last = _MARK.split(text)
    return bool("".join(before).strip()) if before else len(last.strip().splitlines()) > 1


def read_by_rule(text: str, schema: Mapping[str, Any], *, unfair: bool = False) -> AnswerReading:
    """Read the answer in free text."""
    normal = unicodedata.normalize("NFKC", text)
    after = _MARK.split(normal)[-1] if not unfair else normal
    kind = find_kind(schema)
    if kind == "number":
        numbers = _NUMBER.findall(after)
        return _read_number(numbers[0 if unfair else -1]) if numbers else _NOTHING
    if kind == "fields":
        return _read_fields(after, schema)
    if kind == "json":
        return _read_json(after, schema)
    lines = [line.strip() for line in after.splitlines() if line.strip()]
    is_marked = _MARK.search(normal) is not None
    if not lines:
        return AnswerReading([], True) if kind == "list" and is_marked else _NOTHING  # an empty list after "Answer:"
    line = lines[0] if unfair or is_marked else lines[-1]
    if kind == "list":
        return AnswerReading([part.strip() for part in re.split("[,、]", line)], True)
    value = line.strip("\"'“”‘’`*").rstrip(".。").strip()
    options = schema.get("enum")
    if options is not None:
        return next((AnswerReading(option, True) for option in options if is_same(value, option)), _NOTHING)
    return AnswerReading(value, True) if _is_text(value, schema) else _NOTHING


def _read_number(written: str) -> AnswerReading:
    plain = written.replace(",", "").replace("\u2212", "-")
    try:
        return AnswerReading(float(plain) if "." in plain else int(plain), True)
    except ValueError:  # more digits than int() reads
        return _NOTHING


def _is_text(value: str, schema: Mapping[str, Any]) -> bool:
    """Whether a text is an answer, whatever the case of its letters."""
    if schema.get("type") != "string":
        return True
    form = _make_form(json.dumps(schema))
    return any(form.matches(json.dumps(each, ensure_ascii=False)) for each in (value, value.lower()))


def _read_fields(text: str, schema: Mapping[str, Any]) -> AnswerReading:
    fields = {}
    for name in schema["properties"]:
        lines = re.findall(rf"^\W*{re.escape(name)}\W*?:[ \t]*(.+)$", text, re.MULTILINE | re.IGNORECASE)
        if lines:
            fields[name] = lines[-1].strip()
    required = schema.get("required", schema["properties"])
    return AnswerReading(fields or None, all(name in fields for name in required))


def _read_json(text: str, schema: Mapping[str, Any]) -> AnswerReading:
    try:
        return AnswerReading(json.loads(extract(_make_form(json.dumps(schema)), text).text), True)
    except OutputInvalid:
        return _NOTHING
