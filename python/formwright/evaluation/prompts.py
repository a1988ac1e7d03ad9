"""Write the prompts of an evaluation: the same content in every arm, in several wordings.

::

    from formwright.evaluation.arms import ARMS
    from formwright.evaluation.built_in import make_built_in_task

    task = make_built_in_task("arithmetic", "en", 1)
    print(write_prompt(task, ARMS["free"], task.items[0], wording=0, shots=1))

A prompt has a sentence about the task, the answer instruction, some examples and the question. Arms differ only in the
answer instruction (`Arm.asks`), and each instruction says the same about the answer: free text describes the schema in
words. Examples are the same questions, with the same steps and answers, in the form that the arm requests. In the arm
of a notation, its name replaces JSON.

In odd wordings, the answer instruction comes after the question instead of before the examples, so that wordings
differ in more than words.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from formwright.errors import ArgumentError
from formwright.evaluation.arms import Arm, Asks, make_answer_schema, make_arm_form
from formwright.evaluation.tasks import Item, Task, find_kind

__all__ = [
    "ANSWER_INSTRUCTIONS",
    "MARKS",
    "describe_answer",
    "read_prompts",
    "read_text",
    "write_answer",
    "write_prompt",
]

ANSWER_INSTRUCTIONS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "en": {
        "text": [
            "Write the steps first. End with a line that begins with “Answer:”, followed by {answer}.",
            "Think step by step. The last line begins with “Answer:” and holds {answer}.",
            "Explain how you get there. The last line is “Answer:” and {answer}.",
        ],
        "json": [
            "Write the steps first. Give JSON only, steps in “reasoning” and the result in “answer”, valid by {schema}",
            "Think step by step. Answer with a JSON object: steps in “reasoning”, then “answer”. Its schema: {schema}",
            "Explain how you get there, as JSON with “reasoning” and then “answer”, in the form of {schema}",
        ],
        "answer": [
            "Give JSON only, the result in “answer”, valid by {schema}",
            "Answer with a JSON object: “answer” holds the result. Its schema: {schema}",
            "Answer as JSON with “answer”, in the form of {schema}",
        ],
        "thought": [
            "Write the steps first, between <think> and </think>. Then give JSON only, the result in “answer”, "
            "valid by {schema}",
            "Think step by step between <think> and </think>. Then answer with a JSON object: the result in “answer”. "
            "Its schema: {schema}",
            "Explain how you get there between <think> and </think>, then JSON with “answer”, in the form of {schema}",
        ],
    },
    "zh": {
        "text": [
            "先写步骤。最后一行以“答案：”开头，后面是{answer}。",
            "一步一步思考，最后另起一行写“答案：”和{answer}。",
            "说明推理过程。最后一行是“答案：”和{answer}。",
        ],
        "json": [
            "先写步骤。只给出 JSON，步骤放在 “reasoning”，结果放在 “answer”，符合 {schema}",
            "一步一步思考。用 JSON 对象回答：先 “reasoning” 放步骤，再 “answer”。模式：{schema}",
            "说明推理过程，用 JSON 写，先 “reasoning” 后 “answer”，格式为 {schema}",
        ],
        "answer": [
            "只给出 JSON，结果放在 “answer”，符合 {schema}",
            "用 JSON 对象回答：“answer” 放结果。模式：{schema}",
            "用 JSON 写，含 “answer”，格式为 {schema}",
        ],
        "thought": [
            "先在 <think> 和 </think> 之间写步骤。然后只给出 JSON，结果放在 “answer”，符合 {schema}",
            "在 <think> 和 </think> 之间一步一步思考。然后用 JSON 对象回答：“answer” 放结果。模式：{schema}",
            "在 <think> 和 </think> 之间说明推理过程，然后用 JSON 写 “answer”，格式为 {schema}",
        ],
    },
}
"""Answer instructions by language and `Arm.asks`, in three wordings."""

MARKS: Mapping[str, tuple[str, str]] = {"en": ("Question: ", "Answer: "), "zh": ("问题：", "答案：")}
"""What precedes a question, and an answer in free text."""

_ANSWER_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "string": "a text",
        "enum": "one of: {}",
        "pattern": "{}, matching {}",
        "maxLength": "{}, {} characters at most",
        "list": "its items with commas between them, each {}",
        "fields": "a line for each field: {}",
        "json": "JSON valid by {}",
    },
    "zh": {
        "integer": "一个整数",
        "number": "一个数",
        "boolean": "true 或 false",
        "string": "一段文本",
        "enum": "其中之一：{}",
        "pattern": "{}，匹配 {}",
        "maxLength": "{}，最多 {} 个字符",
        "list": "用逗号分隔的各项，每项为{}",
        "fields": "每个字段一行：{}",
        "json": "符合此模式的 JSON：{}",
    },
}


def write_prompt(
    task: Task,
    arm: Arm,
    item: Item,
    *,
    wording: int = 0,
    shots: int = 0,
    sentences: Mapping[str, Sequence[str]] | None = None,
    bare: bool = False,
) -> str:
    """Write the prompt of an arm for a question.

    Args:
        task: The task.
        arm: The arm.
        item: The question.
        wording: The number of the wording.
        shots: The number of examples.
        sentences: Answer instructions by `Arm.asks`; by default `ANSWER_INSTRUCTIONS`.
        bare: Whether the prompt has only the question and the word JSON, which makes a comparison unfair.
    """
    question, _ = MARKS[task.language]
    if bare:
        return f"{item.question} JSON."
    templates = {**ANSWER_INSTRUCTIONS[task.language], **(sentences or {})}[arm.asks]
    instruction = _fill_template(templates[wording % len(templates)], task, arm)
    about = task.about[wording % len(task.about)]
    examples = [f"{question}{each.question}\n{write_answer(task, arm, each)}" for each in task.examples[:shots]]
    asked = f"{question}{item.question}"
    parts = [about, *examples, asked, instruction] if wording % 2 else [f"{about} {instruction}", *examples, asked]
    return "\n\n".join(parts)


def write_answer(task: Task, arm: Arm, item: Item) -> str:
    """Write the right answer to a question in the form that an arm requests."""
    if arm.asks == "text":
        answer = _write_plain(item.answer, task.answer)
        return "\n".join(filter(None, [item.reasoning, f"{MARKS[task.language][1]}{answer}"]))
    fields = {"reasoning": item.reasoning} if arm.asks == "json" else {}
    if arm.notation != "json":
        return make_arm_form(arm, task.answer, 0).write({**fields, "answer": item.answer})
    written = json.dumps({**fields, "answer": item.answer}, ensure_ascii=False)
    return f"<think>{item.reasoning}</think>\n{written}" if arm.asks == "thought" else written


def _write_plain(answer: Any, schema: Mapping[str, Any]) -> str:
    """Write an answer in free text."""
    kind = find_kind(schema)
    if kind == "fields":
        return "".join(f"\n{name}: {value}" for name, value in answer.items())
    if kind == "list":
        return ", ".join(map(str, answer))
    return answer if isinstance(answer, str) and kind == "text" else json.dumps(answer, ensure_ascii=False)


def _fill_template(template: str, task: Task, arm: Arm) -> str:
    schema = json.dumps(make_answer_schema(task.answer, reasons=arm.asks == "json"), ensure_ascii=False)
    named = template.replace("JSON", arm.notation.upper())
    return named.replace("{schema}", schema).replace("{answer}", describe_answer(task.answer, task.language))


def describe_answer(schema: Mapping[str, Any], language: str = "en") -> str:
    """Describe an answer in words: all that its schema says, for arms that do not show the schema."""
    words, kind = _ANSWER_WORDS[language], find_kind(schema)
    if kind == "json":
        return words["json"].format(json.dumps(schema, ensure_ascii=False))
    if kind == "fields":
        fields = (f"{name} ({describe_answer(each, language)})" for name, each in schema["properties"].items())
        return words["fields"].format(", ".join(fields))
    if kind == "list":
        return words["list"].format(describe_answer(schema["items"], language))
    if "enum" in schema or "const" in schema:
        return words["enum"].format(", ".join(map(str, schema.get("enum", [schema.get("const")]))))
    text = words[schema["type"]]
    for name in ("pattern", "maxLength"):
        text = words[name].format(text, schema[name]) if name in schema else text
    rest = {name: value for name, value in schema.items() if name not in ("type", "pattern", "maxLength", "title")}
    return f"{text} {json.dumps(rest, ensure_ascii=False)}" if rest else text


def read_text(path: Path, argument: str) -> str:
    """Read the text of a file. Raises ArgumentError, for the argument that named it."""
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors write a byte order mark first
    except UnicodeDecodeError as error:
        raise ArgumentError(f"{path} is not in UTF-8: byte {error.start}", argument=argument) from None
    except OSError as error:
        raise ArgumentError(f"{path} cannot be read: {error.strerror}", argument=argument) from None


def read_prompts(path: Path) -> dict[str, Sequence[str]]:
    """Read sentences of one's own from TOML or JSON: lists ``about``, ``text``, ``json``, ``answer`` and ``thought``.

    Each has one sentence for each wording; built-in sentences replace missing lists. ``{schema}`` is replaced by the
    JSON Schema of the requested JSON, and ``{answer}`` by the answer in words.

    Raises:
        ArgumentError: The file cannot be read, or its lists are not of one length.
    """
    raw = read_text(path, "prompts")
    try:
        lists = json.loads(raw) if path.suffix == ".json" else tomllib.loads(raw)
    except ValueError as error:
        raise ArgumentError(f"{path} cannot be read: {error}", argument="prompts") from None
    known = ("about", *get_args(Asks))
    for name, sentences in lists.items() if isinstance(lists, dict) else [("", None)]:
        is_list = isinstance(sentences, list) and bool(sentences) and all(isinstance(each, str) for each in sentences)
        if name not in known or not is_list:
            raise ArgumentError(
                f"{path}: {name!r} is not a list of sentences", hint=f"lists of {', '.join(known)}", argument="prompts"
            )
    if len({len(sentences) for sentences in lists.values()}) != 1:
        raise ArgumentError(f"{path}: expected lists of one length, a sentence for each wording", argument="prompts")
    return lists
