"""What is asked in an evaluation: questions with the answers that are right, and what an answer is.

::

    from formwright.evaluation.built_in import built_in

    task = built_in("arithmetic", "en", 2)
    task.items[0].answer                 # 34
    task.is_right("34.0", task.items[0])         # True

An answer is described by a JSON Schema, which says how it is compared too:

==================  ======================================================================
numbers             as numbers; whole ones to the last digit
text                without the case of letters, the white space around, and quotes or a full stop around
arrays              as sets: the order does not matter, how often something is there does
objects             field by field; the answer is right if all fields are
==================  ======================================================================

Cost: nothing is asked here. The same comparison serves all arms. An arm that writes ``42`` and one that
writes ``"42"`` have said the same.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

__all__ = ["Item", "Task", "is_same", "kind_of"]


@dataclass(frozen=True, slots=True)
class Item:
    """A question.

    Attributes:
        id: What tells it from the others.
        question: Its text.
        answer: What is right: JSON.
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
        name: For rows and reports.
        about: The sentence that says what is to be done, in several wordings.
        answer: JSON Schema of an answer.
        items: The questions.
        examples: Questions that are not asked: prompts may show them with their answers.
        language: ``"en"`` or ``"zh"``: that of the prompts.
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

    def fields_right(self, given: Any, item: Item) -> dict[str, bool]:
        """Which fields of an answer are right; empty where an answer has none."""
        if kind_of(self.answer) != "fields" or not isinstance(item.answer, Mapping):
            return {}
        given = given if isinstance(given, Mapping) else {}
        return {name: name in given and is_same(given[name], value) for name, value in item.answer.items()}


def kind_of(schema: Mapping[str, Any]) -> str:
    """What an answer of this schema is: ``"number"``, ``"text"``, ``"list"``, ``"fields"`` or ``"json"``."""
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
    return isinstance(schema, Mapping) and kind_of(schema) in ("number", "text")


def is_same(given: Any, right: Any) -> bool:
    """Whether two answers say the same."""
    if isinstance(right, bool) or right is None:
        return _text(given) == _text(right)
    if isinstance(right, int | float):
        number = _number(given)
        return number is not None and _is_same_number(number, right)
    if isinstance(right, list):
        return isinstance(given, list) and _same_items(given, right)
    if isinstance(right, Mapping):
        return (
            isinstance(given, Mapping)
            and given.keys() == right.keys()
            and all(is_same(given[name], value) for name, value in right.items())
        )
    return _text(given) == _text(right)


def _same_items(given: list[Any], right: list[Any]) -> bool:
    rest = list(given)
    for wanted in right:
        at = next((number for number, each in enumerate(rest) if is_same(each, wanted)), None)
        if at is None:
            return False
        del rest[at]
    return not rest


def _number(given: Any) -> Decimal | None:
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    try:
        number = Decimal(given.replace(",", "") if isinstance(given, str) else repr(given))
    except (InvalidOperation, ValueError):  # no number; one of more digits than Python writes
        return None
    return number if number.is_finite() else None


def _is_same_number(given: Decimal, right: float) -> bool:
    """Whole numbers may be ids, which differ in their last digit; others may have been rounded."""
    if isinstance(right, int):
        return given == right
    exact = Decimal(repr(right))
    return abs(given - exact) <= Decimal("1e-9") * max(abs(exact), Decimal(1))


def _text(given: Any) -> str:
    said = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    said = unicodedata.normalize("NFKC", said).strip().strip("\"'“”‘’`*")
    return said.rstrip(".。").strip().casefold()
