"""Mutation: valid instances are changed at random places, and keywords taken out of schemas; the verdicts must follow.

A changed instance gets the verdict of an independent validator: none that is invalid is accepted, and one that is valid
may be rejected only for a documented reason (`Case.excuse`). A schema without one of its keywords must judge some
instance otherwise than before. ``FORMWRIGHT_SAMPLES`` sets how many changed instances are tried: 10,000 take some
seconds, a million two minutes.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import formwright as fw
from formwright._kernel import json_schema_keywords

PLAIN = [None, True, False, 0, -1, 1.5, 7, 100, "", "x", "é😀", [], {}, [1, 1], {"x": 0}]
PIECES = ["", "a", "Z", "é", "0", "1", "-", ".", "/", " ", ":", "@", '"', "\n", "T"]


class Mutator:
    """Random changes of instances, with the words and numbers of a schema at hand."""

    def __init__(self, schema: Any, seed: str) -> None:
        self.chance = random.Random(seed)
        self.words = [*leaves(schema), "x"]

    def instance(self, starts: list[Any], most: int = 3) -> Any:
        """One of ``starts`` after at least one change."""
        value = self.chance.choice(starts)
        for _ in range(self.chance.randint(1, most)):
            value = self.changed(value)
        return value

    def changed(self, value: Any) -> Any:
        """``value`` with a change at one random place."""
        if self.chance.random() < 0.3 or not (isinstance(value, dict | list) and value):
            return self.edited(value)
        if isinstance(value, dict):
            name = self.chance.choice(list(value))
            return value | {name: self.changed(value[name])}
        place = self.chance.randrange(len(value))
        return [*value[:place], self.changed(value[place]), *value[place + 1 :]]

    def edited(self, value: Any) -> Any:
        """Another value, or this one with something more, less or otherwise."""
        match value:
            case _ if value is None or isinstance(value, bool) or self.chance.random() < 0.3:
                return self.other()
            case dict():
                return self.members(value)
            case list():
                return self.items(value)
            case str():
                return self.text(value)
        return self.chance.choice([value + 1, value - 1, -value, value * 10, value / 4, value + 0.5])

    def other(self) -> Any:
        return self.chance.choice([*PLAIN, self.chance.choice(self.words)])

    def members(self, value: dict[str, Any]) -> dict[str, Any]:
        members = list(value.items())
        self.chance.shuffle(members)
        return dict(members[self.chance.randint(0, 1) :]) | self.chance.choice(
            [{}, {str(self.chance.choice(self.words)): self.other()}]
        )

    def items(self, value: list[Any]) -> list[Any]:
        place = self.chance.randint(0, len(value))
        more = self.chance.choice([[], [self.other()], value])
        return [*value[:place], *more, *value[place + self.chance.randint(0, 1) :]]

    def text(self, value: str) -> str:
        start = self.chance.randint(0, len(value))
        return value[:start] + self.chance.choice(PIECES) + value[start + self.chance.randint(0, 2) :]


def leaves(schema: Any) -> Iterator[Any]:
    """The names, words and numbers that stand in a schema."""
    if isinstance(schema, dict):
        yield from schema
        schema = list(schema.values())
    if isinstance(schema, list):
        for inner in schema:
            yield from leaves(inner)
    else:
        yield schema


def judge(case: Any, instance: Any) -> str:
    """How the verdicts on one instance compare."""
    text = json.dumps(instance, ensure_ascii=False)
    try:
        accepted, valid = case.language.matches(text.encode()), case.valid(text)
    except fw.errors.LimitExceeded:
        return "out of limits"
    if accepted is valid:
        return "both accept" if accepted else "both reject"
    return (
        f"accepted, though invalid: {text}" if accepted else case.excuse(instance) or f"rejected, though valid: {text}"
    )


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("which", "share"), [("keywords", 20), pytest.param("cases", 1, marks=pytest.mark.slow)])
def test_changed_instances(
    which: str, share: int, samples: int, request: pytest.FixtureRequest, record_property: Any
) -> None:
    cases, samples = request.getfixturevalue(which), samples // share
    counts: Counter[str] = Counter()
    wrong: list[tuple[str, str]] = []
    for case in cases:
        mutator = Mutator(case.schema, case.name)
        starts = [*case.instances, json.loads(case.language.example())]
        verdicts = [judge(case, mutator.instance(starts)) for _ in range(-(-samples // len(cases)))]
        counts.update(verdict.partition(":")[0] for verdict in verdicts)
        wrong += [(case.name, verdict) for verdict in verdicts if "though" in verdict]
    record_property("counts", dict(counts))
    assert not wrong, counts
    assert counts["out of limits"] <= 0.003 * samples, counts
    assert counts["both accept"] > 0.1 * samples, counts


def test_the_table_of_keywords_is_complete(keywords: list[Any]) -> None:
    enforced = [name for name, role, _ in json_schema_keywords() if role == "enforced"]
    assert [case.name for case in keywords] == [name for name in enforced if not name.startswith("x-")]
    assert all(without(case.schema, case.name) != case.schema for case in keywords)


def test_a_schema_without_a_keyword_is_another_language(keywords: list[Any]) -> None:
    assert [case.name for case in keywords if not differs(case)] == []


def without(schema: Any, keyword: str) -> Any:
    """``schema`` with ``keyword`` taken out everywhere."""
    return json.loads(json.dumps(schema), object_hook=lambda node: {key: node[key] for key in node if key != keyword})


def differs(case: Any) -> bool:
    """Whether some changed instance is judged otherwise when the keyword is taken out."""
    other = fw.json_schema(without(case.schema, case.name), order="model")
    mutator = Mutator(case.schema, case.name)
    starts = [json.loads(language.example()) for language in (case.language, other)]
    for _ in range(20_000):
        text = json.dumps(mutator.instance(starts, most=6)).encode()
        if case.language.matches(text) is not other.matches(text):
            return True
    return False
