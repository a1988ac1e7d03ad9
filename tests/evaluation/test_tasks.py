"""Questions of the built-in tasks, judged by other code than what made them; comparing answers; files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import formwright as fw
from formwright.errors import ArgumentError
from formwright.evaluation.arms import ARMS, make_arm_form
from formwright.evaluation.built_in import LANGUAGES, TASKS, make_built_in_task
from formwright.evaluation.files import read_answer_schema, read_task
from formwright.evaluation.prompts import write_answer
from formwright.evaluation.reading import read_answer
from formwright.evaluation.tasks import is_same


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TASKS)
def test_questions_are_different_and_stay_the_same(name: str, language: str) -> None:
    task = make_built_in_task(name, language, 300)
    questions = [item.question for item in (*task.items, *task.examples)]
    assert len(set(questions)) == len(questions) == 308
    assert list(task.items[:20]) == list(make_built_in_task(name, language, 20).items)
    assert [item.id for item in task.items] == list(map(str, range(300)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TASKS)
def test_the_right_answer_is_in_form_and_read_as_right_in_every_arm(name: str, language: str) -> None:
    task = make_built_in_task(name, language, 20)
    for arm in ARMS.values():
        form = make_arm_form(arm, task.answer, 200)
        for item in task.items:
            text = write_answer(task, arm, item)
            assert form.matches(text), (arm.name, text)
            reading = read_answer(arm, text, task.answer)
            assert reading.is_readable, (arm.name, text)
            assert task.is_right(reading.answer, item), (arm.name, text, reading)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sums_of_stories(language: str) -> None:
    words = {"en": {"-": "gives \\d+ to|loses|sells", "*": "times"}, "zh": {"-": "给了\\D+\\d|丢|卖", "*": "倍"}}[
        language
    ]
    for item in make_built_in_task("arithmetic", language, 200).items:
        sentences = re.split(r"(?<=[.。])\s*", item.question)
        value = int(re.findall(r"\d+", sentences[0])[0])
        for sentence in sentences[1:]:
            for number in map(int, re.findall(r"\d+", sentence)):
                if re.search(words["*"], sentence):
                    value *= number
                elif re.search(words["-"], sentence) and "又给" not in sentence:
                    value -= number
                else:
                    value += number
        assert value == item.answer, item


def test_last_letters() -> None:
    for item in make_built_in_task("last_letters", "en", 100).items:
        steps = re.findall(r"(\w+): (\w)", item.reasoning)
        assert all(word in item.question and word.lower().endswith(letter) for word, letter in steps)
        assert item.answer == "".join(letter for _, letter in steps)


def test_swaps() -> None:
    for item in make_built_in_task("shuffled_objects", "en", 100).items:
        first, *rest = item.question.split(". ")
        held = dict(re.findall(r"(\w+) has a (\w+ \w+)", first))
        assert len(held) == 3
        for sentence in rest[:-1]:
            one, two = (name for name in re.findall(r"[A-Z]\w+", sentence) if name in held)
            held[one], held[two] = held[two], held[one]
        (asked,) = (name for name in held if name in rest[-1])
        assert held[asked] == item.answer


@pytest.mark.parametrize(
    ("given", "right", "same"),
    [
        ("42.0", 42, True),
        (" 1,234 ", 1234, True),
        ("forty", 40, False),
        (1_000_000_001, 1_000_000_002, False),  # ids differ in their last digit
        ("12345678901234567891", 12345678901234567890, False),
        (0.1 + 0.2, 0.3, True),
        (0.31, 0.3, False),
        (10**400, 34, False),
        (34, 10**400, False),
        ("nan", 34, False),
        (True, 1, False),
        (None, 0, False),
        ("Red Ball.", "red ball", True),
        ("“是”", "是", True),
        ("red", "red ball", False),
        ("true", True, True),
        (1, True, False),
        (["b", "a"], ["a", "b"], True),
        (["a", "a"], ["a", "b"], False),
        (["a"], ["a", "a"], False),
        ("a", ["a"], False),
        ({"n": "1", "t": "X"}, {"n": 1, "t": "x"}, True),
        ({"n": 1}, {"n": 1, "t": "x"}, False),
        ({"n": 1, "t": "x", "u": 2}, {"n": 1, "t": "x"}, False),
    ],
)
def test_comparing(given: Any, right: Any, same: bool) -> None:
    assert is_same(given, right) is same


def test_fields_are_judged_one_by_one() -> None:
    task = make_built_in_task("extraction", "en", 2)
    item = task.items[0]
    assert task.compare_fields({**item.answer, "age": -1}, item) == {
        "name": True,
        "age": False,
        "city": True,
        "occupation": True,
    }
    assert not any(task.compare_fields(None, item).values())


@pytest.mark.parametrize(
    ("name", "language", "count"), [("poetry", "en", 2), ("arithmetic", "fr", 2), ("classification", "en", 10**5)]
)
def test_tasks_that_are_not_there(name: str, language: str, count: int) -> None:
    with pytest.raises(ArgumentError):
        make_built_in_task(name, language, count)


def test_files_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps({"question": f"{n}?", "answer": n, "id": f"q{n}"}) + "\n" for n in range(5)))
    task = read_task(file, {"type": "integer"}, examples=2, count=2)
    assert [item.id for item in task.examples] == ["q0", "q1"]
    assert [item.id for item in task.items] == ["q2", "q3"]
    for schema, said in (({"type": "string"}, "does not conform"), (None, "the schema of an answer is missing")):
        with pytest.raises(ArgumentError, match=said):
            read_task(file, schema)
    file.write_text('{"question": "a?", "answer": 1}\n{"question": "", "answer": 1}\n')
    with pytest.raises(ArgumentError, match="record 2"):
        read_task(file, {"type": "integer"})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"question": "a?", "answer": ', "line 2 is not JSON"),
        (b'{"question": "a?"}', "record 2 has no 'answer'"),
        (b"[1]", "record 2 is not in this format"),
        (b'{"question": "a?", "answer": 1, "reasoning": 5}', "the reasoning of record 2"),
        (b"\xff", "not in UTF-8"),
    ],
)
def test_broken_records_are_told(line: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    whole = '\ufeff{"question": "a\u2028b?", "answer": 1}\r\n'.encode()
    file.write_bytes(whole + line + b"\n")
    with pytest.raises(ArgumentError, match=said):
        read_task(file, {"type": "integer"})
    file.write_bytes(whole + b'{"question": "c?", "answer": 2}\n')
    assert [item.question for item in read_task(file, {"type": "integer"}).items] == ["a\u2028b?", "c?"]


def test_data_sets(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    record = {"question": "How many?", "answer": "2 * 521 = <<2*521=1042>>1042\n#### 1,042"}
    file.write_text(f"{json.dumps(record)}\n" * 2)
    item = read_task(file, format="gsm8k").items[0]
    assert (item.answer, item.reasoning) == (1042, "2 * 521 = <<2*521=1042>>1042")
    file.write_text(json.dumps({"examples": [{"input": "Options: (A) red", "target": "(A)"}] * 2}))
    assert read_task(file, format="shuffled_objects").items[0].answer == "A"
    file.write_text(json.dumps({"examples": [{"question": "Last letters?", "answer": "ab"}] * 2}))
    assert read_task(file, format="last_letters").items[1].answer == "ab"
    with pytest.raises(ArgumentError, match="record 1"):
        read_task(file, format="gsm8k")


def test_types_of_answers() -> None:
    assert read_answer_schema({"type": "integer"}) == {"type": "integer"}
    assert read_answer_schema(int)["type"] == "integer"
    task = make_built_in_task("arithmetic", "en", 2)
    nested = {"$defs": {"n": {"type": "integer"}}, "type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}}
    assert make_arm_form(ARMS["schema"], nested, 100).matches('{"reasoning": "", "answer": {"n": 1}}')
    with pytest.raises(ArgumentError):
        read_answer_schema({"type": "object", "properties": {"self": {"$ref": "#"}}})
    assert isinstance(make_arm_form(ARMS["free"], task.answer, 100), fw.Form)
