"""Make the built-in tasks, in English and Chinese: any number of questions, made by code.

::

    task = make_built_in_task("last_letters", "en", 100)
    task.items[0].question               # 'What do the last letters of "Katrin Yannick Soren" spell?'

=====================  ===========================================================
`arithmetic`           stories of one to three sums
`last_letters`         the last letters of two to four words
`shuffled_objects`     three people swap what they have
`extraction`           name, age, city and occupation in a short text, all of them or some
`classification`       whether a review is positive, negative or neutral
`tool_choice`          which of five tools a request needs, and with what
=====================  ===========================================================

Question 17 is the same for every number of questions, so a run can be extended. The names were kept out of the training
data of ``formwright-tiny``, but it was trained on similar sentences.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from random import Random
from typing import Any

from formwright.errors import ArgumentError
from formwright.evaluation.question_words import ABOUT, WORDS, Words
from formwright.evaluation.tasks import Item, Task

__all__ = ["EXAMPLES", "LANGUAGES", "TASKS", "make_built_in_task"]

MakeQuestion = Callable[[Random, Words], tuple[str, Any, str]]
"""Makes a question, its answer, and the steps to it."""

LANGUAGES = ("en", "zh")
EXAMPLES = 8
"""The number of examples of a task."""

_MAX_REPEATS = 50


def make_built_in_task(name: str, language: str = "en", count: int = 300, missing: float = 0.0) -> Task:
    """Make a built-in task.

    Args:
        name: One of `TASKS`.
        language: ``"en"`` or ``"zh"``.
        count: The number of questions.
        missing: Of ``extraction``: the share of fields, up to 0.75, that the text does not tell, whose right value is
            ``None``.

    Raises:
        ArgumentError: There is no such task or language, it has fewer different questions, or it has no fields that
            could be missing.
    """
    if name not in TASKS:
        hint = f"one of {', '.join(TASKS)}, or a file of JSON lines"
        raise ArgumentError(f"there is no task {name!r}", hint=hint, argument="task")
    if language not in LANGUAGES:
        raise ArgumentError(f"there are no questions in {language!r}", hint="en or zh", argument="language")
    make, answer = TASKS[name]
    if missing:
        if name != "extraction" or not 0 < missing <= 0.75:
            raise ArgumentError(
                f"missing: expected a share of the fields of extraction, 0.75 at most, got {missing!r} of {name}",
                argument="missing",
            )
        make, answer = partial(_make_partial_extraction, missing / 0.75), _describe_partial_person
    items = list(islice(_make_distinct_items(make, name, language), EXAMPLES + count))
    if len(items) < EXAMPLES + count:
        raise ArgumentError(
            f"{name}: expected at most {len(items) - EXAMPLES} different questions, got {count}", argument="n"
        )
    return Task(name, ABOUT[language][name], answer(WORDS[language]), items[EXAMPLES:], items[:EXAMPLES], language)


def _make_distinct_items(make: MakeQuestion, name: str, language: str) -> Iterator[Item]:
    """Make different questions until `_MAX_REPEATS` in a row were seen before."""
    seen: set[str] = set()
    random, fruitless = Random(f"{name} {language}"), 0
    while fruitless < _MAX_REPEATS:
        question, answer, steps = make(random, WORDS[language])
        fruitless = fruitless + 1 if question in seen else 0
        if question not in seen:
            seen.add(question)
            yield Item(str(len(seen) - 1 - EXAMPLES), question, answer, steps)


def _make_arithmetic(random: Random, words: Words) -> tuple[str, Any, str]:
    name, other = random.sample(words.names, 2)
    value, thing = random.randint(3, 40), random.choice(words.things)
    said, steps = [random.choice(words.starts).format(n=name, a=value, o=thing)], []
    for _ in range(random.randint(1, 3)):
        operator = random.choice("++--*" if value <= 12 else "+-")
        amount = {"+": lambda: random.randint(2, 30), "*": lambda: random.randint(2, 5)}.get(
            operator, lambda value=value: random.randint(1, max(1, value - 1))
        )()
        result = {"+": value + amount, "-": value - amount, "*": value * amount}[operator]
        said.append(random.choice(words.changes[operator]).format(n=name, m=other, b=amount, o=thing))
        steps.append(f"{value} {operator} {amount} = {result}")
        value = result
    said.append(random.choice(words.how_many).format(n=name, o=thing))
    return words.join_sentences(said), value, words.join_steps(steps)


def _make_last_letters(random: Random, words: Words) -> tuple[str, Any, str]:
    chosen = random.sample(words.spelled, random.randint(2, 4))
    letters = [word[-1].lower() for word in chosen]
    steps = words.join_steps([f"{word}: {letter}" for word, letter in zip(chosen, letters, strict=True)])
    return random.choice(words.letters).format(w=" ".join(chosen)), "".join(letters), steps


def _make_shuffled_objects(random: Random, words: Words) -> tuple[str, Any, str]:
    names, objects = random.sample(words.names, 3), random.sample(words.objects, 3)
    held = dict(zip(names, objects, strict=True))
    said = [words.holds.format(*(part for pair in held.items() for part in pair))]
    steps = [words.describe_state(held)]
    for _ in range(random.randint(1, 3)):
        one, two = random.sample(names, 2)
        held[one], held[two] = held[two], held[one]
        said.append(random.choice(words.swaps).format(a=one, b=two))
        steps.append(words.swapped.format(one, two, words.describe_state(held)))
    asked = random.choice(names)
    said.append(random.choice(words.what_has).format(n=asked))
    return words.join_sentences(said), held[asked], words.join_steps(steps)


def _make_extraction(random: Random, words: Words) -> tuple[str, Any, str]:
    person = {
        "name": random.choice(words.full_names),
        "age": random.randint(18, 90),
        "city": random.choice(words.cities),
        "occupation": random.choice(words.jobs),
    }
    found = [f"{field}: {value}" for field, value in person.items()]
    return random.choice(words.lives).format(**person), person, words.join_steps(found)


def _make_partial_extraction(missing: float, random: Random, words: Words) -> tuple[str, Any, str]:
    """A text that tells less than is asked for: each field but the name is missing with this probability."""
    _, person, _ = _make_extraction(random, words)
    told = [field for field in ("age", "city", "occupation") if random.random() >= missing]
    random.shuffle(told)
    found = {field: value if field in ("name", *told) else None for field, value in person.items()}
    said = [words.facts[field].format(**person) for field in told or ["name"]]
    steps = [f"{field}: {json.dumps(value, ensure_ascii=False)}" for field, value in found.items()]
    return words.join_sentences(said), found, words.join_steps(steps)


def _describe_partial_person(_: Words) -> dict[str, Any]:
    return _make_object_schema(
        name=_SHORT,
        age={"type": ["integer", "null"]},
        city=_SHORT | {"type": ["string", "null"]},
        occupation=_SHORT | {"type": ["string", "null"]},
    )


def _make_classification(random: Random, words: Words) -> tuple[str, Any, str]:
    label = random.choice(list(words.reviews))
    thing, place = random.choice(words.products), random.choice(words.cities)
    review = random.choice(words.reviews[label]).format(x=thing)
    said = words.join_sentences([random.choice(words.bought).format(x=thing, c=place), review])
    return said, label, words.join_steps([words.feels.format(review.rstrip(".。"), label)])


def _make_tool_choice(random: Random, words: Words) -> tuple[str, Any, str]:
    tool = random.choice(list(words.requests))
    slot = {"weather": words.cities, "message": words.names, "translate": words.phrases, "search": words.things}
    what = random.choice(slot[tool]) if tool in slot else str(random.randint(2, 90))
    said = random.choice(words.requests[tool]).format(x=what)
    return said, {"tool": tool, "argument": what}, words.join_steps([words.needs.format(tool, what)])


def _make_object_schema(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


_SHORT = {"type": "string", "minLength": 1, "maxLength": 40}

TASKS: dict[str, tuple[MakeQuestion, Callable[[Words], dict[str, Any]]]] = {
    "arithmetic": (_make_arithmetic, lambda words: {"type": "integer"}),
    "last_letters": (_make_last_letters, lambda words: {"type": "string", "pattern": "^[a-z]{1,8}$"}),
    "shuffled_objects": (_make_shuffled_objects, lambda words: {"type": "string", "enum": list(words.objects)}),
    "extraction": (
        _make_extraction,
        lambda words: _make_object_schema(name=_SHORT, age={"type": "integer"}, city=_SHORT, occupation=_SHORT),
    ),
    "classification": (_make_classification, lambda words: {"type": "string", "enum": list(words.reviews)}),
    "tool_choice": (
        _make_tool_choice,
        lambda words: _make_object_schema(tool={"type": "string", "enum": list(words.requests)}, argument=_SHORT),
    ),
}
"""By name: how a question of the task is made, and the JSON Schema of its answer."""
