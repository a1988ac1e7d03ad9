"""The prompts of an evaluation: the same content in every arm, in several wordings.

::

    from formwright.evaluation.arms import ARMS
    from formwright.evaluation.built_in import built_in

    task = built_in("arithmetic", "en", 1)
    print(prompt_of(task, ARMS["free"], task.items[0], wording=0, shots=1))

A prompt has a sentence about the task, what is to be given at the end, some examples and the question. Arms differ in
what is to be given (`Arm.asks`) alone, and all of them are told the same about it: what the schema says is in the
prompt of free text in words. Examples are the same questions, with the same steps and answers, written as the arm
is asked to write.

With an odd wording, what is to be given comes after the question instead of before the
examples, so that wordings differ in more than words.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from formwright.errors import ArgumentError
from formwright.evaluation.arms import Arm, Asks, answer_schema
from formwright.evaluation.tasks import Item, Task, kind_of

__all__ = ["ANSWER_INSTRUCTIONS", "MARKS", "describe_answer", "prompt_of", "read_prompts", "read_text", "write_answer"]

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
"""What is to be given, by language and by what an arm asks for, in three wordings."""

MARKS: Mapping[str, tuple[str, str]] = {"en": ("Question: ", "Answer: "), "zh": ("问题：", "答案：")}
"""What is before a question, and before an answer in free text."""

_SAID: Mapping[str, Mapping[str, str]] = {
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


def prompt_of(
    task: Task,
    arm: Arm,
    item: Item,
    *,
    wording: int = 0,
    shots: int = 0,
    tells: Mapping[str, Sequence[str]] | None = None,
    bare: bool = False,
) -> str:
    """The prompt that an arm gets for a question.

    Args:
        task: The task.
        arm: The arm.
        item: The question.
        wording: Which wording.
        shots: How many examples are shown.
        tells: What is to be given, by `Arm.asks`; without it, `ANSWER_INSTRUCTIONS`.
        bare: Whether the prompt holds the question and the word JSON only: what makes a comparison unfair.
    """
    question, _ = MARKS[task.language]
    if bare:
        return f"{item.question} JSON."
    said = {**ANSWER_INSTRUCTIONS[task.language], **(tells or {})}[arm.asks]
    told = _fill_template(said[wording % len(said)], task, arm)
    about = task.about[wording % len(task.about)]
    examples = [f"{question}{each.question}\n{write_answer(task, arm, each)}" for each in task.examples[:shots]]
    asked = f"{question}{item.question}"
    parts = [about, *examples, asked, told] if wording % 2 else [f"{about} {told}", *examples, asked]
    return "\n\n".join(parts)


def write_answer(task: Task, arm: Arm, item: Item) -> str:
    """The right answer to a question, as an arm is asked to write it."""
    if arm.asks == "text":
        answer = _plain(item.answer, task.answer)
        return "\n".join(filter(None, [item.reasoning, f"{MARKS[task.language][1]}{answer}"]))
    fields = {"reasoning": item.reasoning} if arm.asks == "json" else {}
    said = json.dumps({**fields, "answer": item.answer}, ensure_ascii=False)
    return f"<think>{item.reasoning}</think>\n{said}" if arm.asks == "thought" else said


def _plain(answer: Any, schema: Mapping[str, Any]) -> str:
    """An answer in free text."""
    kind = kind_of(schema)
    if kind == "fields":
        return "".join(f"\n{name}: {value}" for name, value in answer.items())
    if kind == "list":
        return ", ".join(map(str, answer))
    return answer if isinstance(answer, str) and kind == "text" else json.dumps(answer, ensure_ascii=False)


def _fill_template(told: str, task: Task, arm: Arm) -> str:
    schema = json.dumps(answer_schema(task.answer, reasons=arm.asks == "json"), ensure_ascii=False)
    return told.replace("{schema}", schema).replace("{answer}", describe_answer(task.answer, task.language))


def describe_answer(schema: Mapping[str, Any], language: str = "en") -> str:
    """What an answer is, in words: all that its schema says, for arms that do not see the schema."""
    said, kind = _SAID[language], kind_of(schema)
    if kind == "json":
        return said["json"].format(json.dumps(schema, ensure_ascii=False))
    if kind == "fields":
        fields = (f"{name} ({describe_answer(each, language)})" for name, each in schema["properties"].items())
        return said["fields"].format(", ".join(fields))
    if kind == "list":
        return said["list"].format(describe_answer(schema["items"], language))
    if "enum" in schema or "const" in schema:
        return said["enum"].format(", ".join(map(str, schema.get("enum", [schema.get("const")]))))
    text = said[schema["type"]]
    for name in ("pattern", "maxLength"):
        text = said[name].format(text, schema[name]) if name in schema else text
    rest = {name: value for name, value in schema.items() if name not in ("type", "pattern", "maxLength", "title")}
    return f"{text} {json.dumps(rest, ensure_ascii=False)}" if rest else text


def read_text(path: Path, argument: str) -> str:
    """What is in a file. Raises ArgumentError, for the argument that named it."""
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    except UnicodeDecodeError as error:
        raise ArgumentError(f"{path} is not in UTF-8: byte {error.start}", argument=argument) from None
    except OSError as error:
        raise ArgumentError(f"{path} cannot be read: {error.strerror}", argument=argument) from None


def read_prompts(path: Path) -> dict[str, Sequence[str]]:
    """Sentences of one's own, from TOML or JSON: lists ``about``, ``text``, ``json``, ``answer`` and ``thought``.

    Each has one sentence for each wording; those that are not there are the built-in ones. ``{schema}`` and
    ``{answer}`` stand for the JSON Schema of what is to be given and for the answer in words.

    Raises:
        ArgumentError: The file is none of these, or its lists are of different lengths.
    """
    raw = read_text(path, "prompts")
    try:
        said = json.loads(raw) if path.suffix == ".json" else tomllib.loads(raw)
    except ValueError as error:
        raise ArgumentError(f"{path} cannot be read: {error}", argument="prompts") from None
    known = ("about", *get_args(Asks))
    for name, sentences in said.items() if isinstance(said, dict) else [("", None)]:
        is_list = isinstance(sentences, list) and bool(sentences) and all(isinstance(each, str) for each in sentences)
        if name not in known or not is_list:
            raise ArgumentError(
                f"{path}: {name!r} is not a list of sentences", hint=f"lists of {', '.join(known)}", argument="prompts"
            )
    if len({len(sentences) for sentences in said.values()}) != 1:
        raise ArgumentError(
            f"{path}: the lists have one sentence for each wording, and so one length", argument="prompts"
        )
    return said
