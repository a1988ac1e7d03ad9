r"""Read tasks of one's own, and data sets on disk.

::

    from pathlib import Path

    lines = ['{"question": "Is 7 prime?", "answer": "yes"}', '{"question": "Is 8 prime?", "answer": "no"}']
    Path("mine.jsonl").write_text("\n".join(lines))
    task = read_task(Path("mine.jsonl"), {"enum": ["yes", "no"]})
    len(task.items)                      # 2

=====================  ===================================================================================
``records``            JSON lines with ``question`` and ``answer``, perhaps ``reasoning`` and ``id``
``gsm8k``              JSON lines with ``question`` and ``answer``, the latter ending in ``#### 42``
``last_letters``       ``{"examples": [{"question": ..., "answer": ...}]}``, or JSON lines of them
``shuffled_objects``   ``{"examples": [{"input": ..., "target": "(A)"}]}``
=====================  ===================================================================================

The first questions can serve as examples in prompts; they are not asked. Every answer is first checked against the
schema: a question that no arm can answer correctly would only look hard.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from formwright.errors import ArgumentError
from formwright.evaluation.prompts import read_text
from formwright.evaluation.tasks import Item, Task
from formwright.forms.form import Form
from formwright.forms.json_forms import json_schema

__all__ = ["FORMATS", "read_answer_schema", "read_task"]

ReadRecord = Callable[[Mapping[str, Any]], tuple[str, Any, str]]
"""Reads the question, the answer and the steps of a record. Raises KeyError, TypeError, ValueError."""

_ABOUT = {"en": "Answer the question.", "zh": "回答问题。"}


def read_task(
    path: Path,
    answer: Mapping[str, Any] | None = None,
    *,
    format: str = "records",
    language: str = "en",
    about: list[str] | None = None,
    count: int | None = None,
    examples: int = 0,
) -> Task:
    """Read a task from a file.

    Args:
        path: The file.
        answer: JSON Schema of an answer; data sets bring their own.
        format: One of `FORMATS`.
        language: The language of the prompts.
        about: What to do, in a sentence for each wording.
        count: The most questions; ``None`` for all.
        examples: The number of examples, which are the first questions.

    Raises:
        ArgumentError: The file is not in this format, an answer does not conform, or there are too few questions.
    """
    if format not in FORMATS:
        raise ArgumentError(f"there is no format {format!r}", hint=f"one of {', '.join(FORMATS)}", argument="format")
    read, schema = FORMATS[format]
    schema = schema if answer is None else dict(answer)
    if schema is None:
        raise ArgumentError(
            "the schema of an answer is missing", hint="pass its type or its JSON Schema", argument="type"
        )
    items = [_read_item(line, at, read, path) for at, line in enumerate(_read_records(path), 1)]
    _check_items(items, schema, path)
    questions = items[examples:][:count]
    if len(questions) < 2:
        raise ArgumentError(
            f"{path}: expected at least 2 questions after the {examples} examples, got {len(questions)}",
            argument="task",
        )
    return Task(path.stem, about or [_ABOUT[language]], schema, questions, items[:examples], language)


def _check_items(items: Sequence[Item], schema: Mapping[str, Any], path: Path) -> None:
    """Refuse equal ids, and answers that do not conform. Raises ArgumentError."""
    if len({item.id for item in items}) < len(items):
        raise ArgumentError(f"{path}: two records have the same id", argument="task")
    form = json_schema(json.dumps(schema))
    for item in items:
        if not form.matches(json.dumps(item.answer, ensure_ascii=False)):
            shown = json.dumps(item.answer, ensure_ascii=False)
            raise ArgumentError(f"{path}: the answer {shown} of question {item.id} does not conform", argument="task")


def read_answer_schema(type_: Any) -> dict[str, Any]:
    """Return the JSON Schema of a type, or of anything else `formwright.json_schema` takes.

    Raises:
        NotAForm, LanguageError: It cannot be read or enforced.
        ArgumentError: It has references to other places than its ``$defs``.
    """
    form: Form[Any] = json_schema(type_)
    schema: dict[str, Any] = json.loads(form.origin.what) if form.origin else {}
    references = json.dumps(schema).count('"$ref"') - json.dumps(schema).count('"$ref": "#/$defs/')
    if references:
        raise ArgumentError(
            "the schema of an answer refers to more than its $defs", hint="write it out", argument="type"
        )
    return schema


def _read_records(path: Path) -> list[Any]:
    """Read the records of JSON lines, or of ``{"examples": [...]}``."""
    text = read_text(path, "task")
    try:
        document = json.loads(text)
        if isinstance(document, dict) and isinstance(document.get("examples"), list):
            return list(document["examples"])
    except ValueError:
        pass
    return [_parse_line(line, at, path) for at, line in enumerate(text.split("\n"), 1) if line.strip()]


def _parse_line(line: str, number: int, path: Path) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        message = f"{path}: line {number} is not JSON: {error}"
        raise ArgumentError(message, hint="write one record on each line", argument="task") from None


def _read_item(record: Any, number: int, read: ReadRecord, path: Path) -> Item:
    try:
        question, answer, reasoning = read(record)
    except KeyError as error:
        raise ArgumentError(f"{path}: record {number} has no {error.args[0]!r}", argument="task") from None
    except (AttributeError, TypeError, ValueError) as error:
        raise ArgumentError(f"{path}: record {number} is not in this format: {error}", argument="task") from None
    if not isinstance(reasoning, str):
        raise ArgumentError(f"{path}: the reasoning of record {number} is not a text", argument="task")
    if not isinstance(question, str) or not question.strip():
        raise ArgumentError(f"{path}: record {number} has no question", argument="task")
    return Item(str(record.get("id", number)), question, answer, reasoning)


def _read_record(record: Mapping[str, Any]) -> tuple[str, Any, str]:
    return record["question"], record["answer"], record.get("reasoning", "")


def _read_gsm8k(record: Mapping[str, Any]) -> tuple[str, Any, str]:
    steps, mark, answer = record["answer"].rpartition("####")
    if not mark:
        raise ValueError("no ####")
    return record["question"], int(answer.replace(",", "")), steps.strip()


def _read_last_letters(record: Mapping[str, Any]) -> tuple[str, Any, str]:
    return record["question"], record["answer"].strip().lower(), ""


def _read_shuffled_objects(record: Mapping[str, Any]) -> tuple[str, Any, str]:
    return record["input"], record["target"].strip("() "), ""


FORMATS: Mapping[str, tuple[ReadRecord, dict[str, Any] | None]] = {
    "records": (_read_record, None),
    "gsm8k": (_read_gsm8k, {"type": "integer"}),
    "last_letters": (_read_last_letters, {"type": "string", "pattern": "^[a-z]+$"}),
    "shuffled_objects": (_read_shuffled_objects, {"type": "string", "enum": list("ABCDEFG")}),
}
"""By format: how a record is read, and the JSON Schema of its answer."""
