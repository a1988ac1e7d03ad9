r"""Tasks of one's own, and data sets on the disk.

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

The first questions are the examples that prompts may show; they are not asked.
Every answer is first checked against the schema: a question that no arm can answer correctly would look like a hard
one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from formwright.errors import ArgumentError
from formwright.evaluation.prompts import read_text
from formwright.evaluation.tasks import Item, Task
from formwright.forms.form import Form
from formwright.forms.json_forms import json_schema

__all__ = ["FORMATS", "read_task", "schema_of"]

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
    """A task from a file.

    Args:
        path: The file.
        answer: JSON Schema of an answer; data sets bring their own.
        format: One of `FORMATS`.
        language: Of the prompts.
        about: What is to be done, a sentence for each wording.
        count: How many questions at most; ``None`` is all.
        examples: How many of the first questions are examples.

    Raises:
        ArgumentError: The file is not in this format, an answer is not in its schema, or there are too few questions.
    """
    if format not in FORMATS:
        raise ArgumentError(f"there is no format {format!r}", hint=f"one of {', '.join(FORMATS)}", argument="format")
    read, schema = FORMATS[format]
    schema = schema if answer is None else dict(answer)
    if schema is None:
        raise ArgumentError("what is an answer?", hint="give its type or its JSON Schema", argument="type")
    items = [_item(line, at, read, path) for at, line in enumerate(_lines(path), 1)]
    if len({item.id for item in items}) < len(items):
        raise ArgumentError(f"{path}: two records have the same id", argument="task")
    form = json_schema(json.dumps(schema))
    for item in items:
        if not form.matches(json.dumps(item.answer, ensure_ascii=False)):
            said = json.dumps(item.answer, ensure_ascii=False)
            raise ArgumentError(f"{path}: the answer {said} of question {item.id} is not in form", argument="task")
    asked = items[examples:][:count]
    if len(asked) < 2:
        raise ArgumentError(f"{path} has {len(asked)} questions after the {examples} examples", argument="task")
    return Task(path.stem, about or [_ABOUT[language]], schema, asked, items[:examples], language)


def schema_of(type_: Any) -> dict[str, Any]:
    """The JSON Schema of a type, or of anything else `formwright.json_schema` takes.

    Raises:
        NotAForm, LanguageError: It cannot be read or enforced.
    """
    form: Form[Any] = json_schema(type_)
    schema: dict[str, Any] = json.loads(form.origin.what) if form.origin else {}
    references = json.dumps(schema).count('"$ref"') - json.dumps(schema).count('"$ref": "#/$defs/')
    if references:
        raise ArgumentError(
            "the schema of an answer refers to more than its $defs", hint="write it out", argument="type"
        )
    return schema


def _lines(path: Path) -> list[Any]:
    """The records of JSON lines, or of ``{"examples": [...]}``."""
    text = read_text(path, "task")
    try:
        whole = json.loads(text)
        if isinstance(whole, dict) and isinstance(whole.get("examples"), list):
            return list(whole["examples"])
    except ValueError:
        pass
    return [_parse_line(line, at, path) for at, line in enumerate(text.split("\n"), 1) if line.strip()]


def _parse_line(line: str, number: int, path: Path) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        said = f"{path}: line {number} is not JSON: {error}"
        raise ArgumentError(said, hint="write one record on each line", argument="task") from None


def _item(record: Any, number: int, read: Callable[[Mapping[str, Any]], tuple[str, Any, str]], path: Path) -> Item:
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


def _record(record: Mapping[str, Any]) -> tuple[str, Any, str]:
    return record["question"], record["answer"], record.get("reasoning", "")


def _gsm8k(record: Mapping[str, Any]) -> tuple[str, Any, str]:
    steps, mark, answer = record["answer"].rpartition("####")
    if not mark:
        raise ValueError("no ####")
    return record["question"], int(answer.replace(",", "")), steps.strip()


def _last_letters(record: Mapping[str, Any]) -> tuple[str, Any, str]:
    return record["question"], record["answer"].strip().lower(), ""


def _shuffle_record(record: Mapping[str, Any]) -> tuple[str, Any, str]:
    return record["input"], record["target"].strip("() "), ""


FORMATS: Mapping[str, tuple[Callable[[Mapping[str, Any]], tuple[str, Any, str]], dict[str, Any] | None]] = {
    "records": (_record, None),
    "gsm8k": (_gsm8k, {"type": "integer"}),
    "last_letters": (_last_letters, {"type": "string", "pattern": "^[a-z]+$"}),
    "shuffled_objects": (_shuffle_record, {"type": "string", "enum": list("ABCDEFG")}),
}
"""How a record is read in each format, and what its answer is."""
