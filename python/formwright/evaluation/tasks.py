"""The questions of an evaluation, with their right answers and the schema of an answer.

::

    from formwright.evaluation.built_in import make_built_in_task

    task = make_built_in_task("arithmetic", "en", 2)
    task.items[0].answer                 # 34
    task.is_right("34.0", task.items[0])         # True

A JSON Schema describes an answer, and decides how answers are compared:

==================  ======================================================================
numbers             as numbers; integers to the last digit
text                without case, and without white space, quotes or a full stop around it
arrays              without order; the number of equal items counts
objects             field by field; the answer is right if all fields are
==================  ======================================================================

The same comparison serves all arms: ``42`` and ``"42"`` are the same answer. Cost: microseconds for each answer.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

__all__ = ["Item", "Task", "find_kind", "is_same"]


@dataclass(frozen=True, slots=True)
class Item:
    """A question.

    Attributes:
        id: Identifies it in its task.
        question: Its text.
        answer: The right answer: JSON.
        reasoning: The steps to it, for examples of arms that reason; may be empty.
    """

    id: str
    question: str
    answer: Any
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """Questions of one kind.

    Attributes:
        name: Its name in rows and reports.
        about: The sentence that says what to do, in several wordings.
        answer: JSON Schema of an answer.
        items: The questions.
        examples: Questions that are not asked, which prompts may show with their answers.
        language: The language of the prompts: ``"en"`` or ``"zh"``.
    """

    name: str
    about: Sequence[str]
    answer: Mapping[str, Any]
    items: Sequence[Item]
    examples: Sequence[Item] = ()
    language: str = "en"

    def is_right(self, given: Any, item: Item) -> bool:
        """Whether an answer is the right one."""
        return is_same(given, item.answer)

    def compare_fields(self, given: Any, item: Item) -> dict[str, bool]:
        """Compare the fields of an answer with the right ones; empty for answers without fields."""
        if find_kind(self.answer) != "fields" or not isinstance(item.answer, Mapping):
            return {}
        given = given if isinstance(given, Mapping) else {}
        return {name: name in given and is_same(given[name], value) for name, value in item.answer.items()}


def find_kind(schema: Mapping[str, Any]) -> str:
    """Find the kind of answer of a schema: ``"number"``, ``"text"``, ``"list"``, ``"fields"`` or ``"json"``."""
    if schema.get("type") in ("integer", "number"):
        return "number"
    if schema.get("type") in ("string", "boolean") or "enum" in schema or "const" in schema:
        return "text"
    if schema.get("type") == "array" and _is_plain(schema.get("items")):
        return "list"
    fields = schema.get("properties", {})
    is_flat = isinstance(fields, Mapping) and bool(fields) and all(map(_is_plain, fields.values()))
    return "fields" if schema.get("type") == "object" and is_flat else "json"


def _is_plain(schema: Any) -> bool:
    return isinstance(schema, Mapping) and find_kind(schema) in ("number", "text")


def is_same(given: Any, right: Any) -> bool:
    """Whether two answers are the same."""
    if isinstance(right, bool) or right is None:
        return _normalize_text(given) == _normalize_text(right)
    if isinstance(right, int | float):
        number = _read_number(given)
        return number is not None and _is_same_number(number, right)
    if isinstance(right, list):
        return isinstance(given, list) and _has_same_items(given, right)
    if isinstance(right, Mapping):
        return (
            isinstance(given, Mapping)
            and given.keys() == right.keys()
            and all(is_same(given[name], value) for name, value in right.items())
        )
    return _normalize_text(given) == _normalize_text(right)


def _has_same_items(given: list[Any], right: list[Any]) -> bool:
    rest = list(given)
    for expected in right:
        at = next((number for number, each in enumerate(rest) if is_same(each, expected)), None)
        if at is None:
            return False
        del rest[at]
    return not rest


def _read_number(given: Any) -> Decimal | None:
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    try:
        number = Decimal(given.replace(",", "") if isinstance(given, str) else repr(given))
    except (InvalidOperation, ValueError):  # not a number, or one with more digits than Python writes
        return None
    return number if number.is_finite() else None


def _is_same_number(given: Decimal, right: float) -> bool:
    """Whether two numbers are the same: integers may be ids, which must agree exactly; others may have been rounded."""
    if isinstance(right, int):
        return given == right
    exact = Decimal(repr(right))
    return abs(given - exact) <= Decimal("1e-9") * max(abs(exact), Decimal(1))


def _normalize_text(given: Any) -> str:
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    text = unicodedata.normalize("NFKC", text).strip().strip("\"'“”‘’`*")
    return text.rstrip(".。").strip().casefold()
