"""Prompts: the same content for every arm; what is to be given, in words or as a schema; reading answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from formwright.errors import ArgumentError
from formwright.evaluation.arms import ARMS, choose_arms
from formwright.evaluation.built_in import LANGUAGES, TASKS, make_built_in_task
from formwright.evaluation.prompts import describe_answer, read_prompts, write_prompt
from formwright.evaluation.reading import read_answer, read_by_rule


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TASKS)
def test_every_arm_is_told_the_same(name: str, language: str) -> None:
    task = make_built_in_task(name, language, 2)
    for wording in range(3):
        for arm in ARMS.values():
            prompt = write_prompt(task, arm, task.items[0], wording=wording, shots=2)
            assert task.about[wording] in prompt
            assert prompt.count(task.items[0].question) == 1
            for example in task.examples[:2]:
                assert example.question in prompt
                assert (example.reasoning in prompt or json.dumps(example.reasoning)[1:-1] in prompt) is arm.reasons
            for option in task.answer.get("enum", ()):
                assert option in prompt
            assert "{" not in prompt.replace('{"', "").replace("{1,8}", ""), "a place that was not filled"


def test_arms_that_differ_in_what_is_enforced_have_the_same_prompts() -> None:
    task = make_built_in_task("arithmetic", "en", 2)
    prompts = {
        name: write_prompt(task, ARMS[name], task.items[0], shots=1)
        for name in ("instructions", "json", "schema", "canonical", "order_model")
    }
    assert len(set(prompts.values())) == 1
    assert write_prompt(task, ARMS["fair"], task.items[0]) == write_prompt(task, ARMS["answer_only"], task.items[0])
    others = {write_prompt(task, ARMS[name], task.items[0], shots=1) for name in ("free", "answer_only", "thinking")}
    assert len(others | set(prompts.values())) == 4


def test_wordings_differ() -> None:
    task = make_built_in_task("arithmetic", "zh", 2)
    for arm in ARMS.values():
        assert len({write_prompt(task, arm, task.items[0], wording=wording) for wording in range(3)}) == 3


def test_bare_prompts_say_next_to_nothing() -> None:
    task = make_built_in_task("arithmetic", "en", 2)
    assert write_prompt(task, ARMS["schema"], task.items[0], bare=True) == f"{task.items[0].question} JSON."


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 3}, 'a whole number {"minimum": 3}'),
        ({"enum": ["a", "b"]}, "one of: a, b"),
        ({"type": "array", "items": {"type": "number"}}, "its items with commas between them, each a number"),
        (
            {"type": "object", "properties": {"n": {"type": "string", "maxLength": 4}}},
            "a line for each field: n (a text, 4 characters at most)",
        ),
        ({"type": "array", "items": {"type": "array"}}, 'JSON valid by {"type": "array", "items": {"type": "array"}}'),
    ],
)
def test_answers_in_words(schema: dict[str, Any], words: str) -> None:
    assert describe_answer(schema) == words


def test_sentences_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "prompts.toml"
    file.write_text('about = ["Rechne."]\ntext = ["Zuletzt “Answer:” und {answer}."]')
    said = read_prompts(file)
    task = make_built_in_task("arithmetic", "en", 2)
    assert "Zuletzt “Answer:” und a whole number." in write_prompt(task, ARMS["free"], task.items[0], sentences=said)
    assert "Write the steps first" in write_prompt(task, ARMS["schema"], task.items[0], sentences=said)
    for text, what in (
        ("text = 3", "not a list"),
        ('prose = ["a"]', "not a list"),
        ('text = ["a"]\njson = ["a", "b"]', "length"),
        ("text = [", "read"),
    ):
        file.write_text(text)
        with pytest.raises(ArgumentError, match=what):
            read_prompts(file)


@pytest.mark.parametrize("names", ["", "free,poem", "free,free"])
def test_arms_that_are_not_there(names: str) -> None:
    with pytest.raises(ArgumentError):
        choose_arms(names)


INTEGER, COLOUR, WORD = {"type": "integer"}, {"enum": ["red", "blue"]}, {"type": "string", "pattern": "^[a-z]+$"}
PERSON = {"type": "object", "properties": {"name": {"type": "string"}, "age": INTEGER}, "required": ["name", "age"]}


@pytest.mark.parametrize(
    ("text", "schema", "answer"),
    [
        ("3 + 4 = 7.\nAnswer: 7", INTEGER, 7),
        ("Answer: 5? No.\nAnswer: 7 apples", INTEGER, 7),
        ("It is 1,024 in all, not 3", INTEGER, 3),
        ("Answer: -12.50", {"type": "number"}, -12.5),
        ("答案：42", INTEGER, 42),
        ("Answer: \u22125", INTEGER, -5),
        ("Answer: 12345678901234567890", INTEGER, 12345678901234567890),
        (f"Answer: {'9' * 5000}", INTEGER, None),
        ("none", INTEGER, None),
        ("I say\nAnswer: Red.", COLOUR, "red"),
        ("Answer: green", COLOUR, None),
        ("Hm.\nblue", COLOUR, "blue"),
        ("Answer: ABC", WORD, "ABC"),
        ('{"reasoning": "a", "answer": "b"}', WORD, None),
        ("Answer: a, b", {"type": "array", "items": WORD}, ["a", "b"]),
        ("There is none.\nAnswer:", {"type": "array", "items": WORD}, []),
        ("Answer:\nname: Ada\n- age: 36", PERSON, {"name": "Ada", "age": "36"}),
        ("Answer: name: Ada", PERSON, None),
        ("So.\nAnswer: [[1], [2]]", {"type": "array", "items": {"type": "array"}}, [[1], [2]]),
        ("", COLOUR, None),
    ],
)
def test_rules_of_free_text(text: str, schema: dict[str, Any], answer: Any) -> None:
    reading = read_by_rule(text, schema)
    assert reading.is_readable is (answer is not None)
    if answer is not None:
        assert reading.answer == answer


def test_the_unfair_rule_errs() -> None:
    assert read_by_rule("3 + 4 = 7.\nAnswer: 7", INTEGER, unfair=True).answer == 3


@pytest.mark.parametrize(
    ("arm", "text", "answer"),
    [
        ("instructions", 'Sure:\n```json\n{"reasoning": "x", "answer": 7}\n```', 7),
        ("instructions", '{"answer": "7"}', None),
        ("instructions", '{"answer": 7} or {"answer": 8}', None),
        ("json", '{"type": "bug"}', None),
        ("schema", '{"reasoning": "x", "answer": 7}', 7),
        ("thinking", '<think>{"answer": 3}</think>\n{"answer": 7}', 7),
        ("order_model", '{"answer": 7, "reasoning": "x"}', 7),
        ("yaml", "reasoning: x\nanswer: 7", 7),
        ("toon", "reasoning: x\nanswer: 7", 7),
        ("yaml", "answer: 7", None),
        ("schema", '{"reasoning": "x', None),
        ("thinking", '{"type": "bug"}', None),
    ],
)
def test_json_is_read_and_never_repaired(arm: str, text: str, answer: int | None) -> None:
    assert read_answer(ARMS[arm], text, INTEGER) == (answer, answer is not None)
