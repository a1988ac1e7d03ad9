"""Forms as services are told them, and the way back from what they write."""

from __future__ import annotations

import enum
import gzip
import json
from pathlib import Path
from typing import Any, Literal, get_args

import pytest
from pydantic import BaseModel, Field, TypeAdapter
from toys import Person

import formwright as fw
from formwright.client.flow.pieces import Pieces
from formwright.client.flow.steps import Reply, UncheckedCall
from formwright.client.plans.plan import Plan, make_plan
from formwright.client.plans.services import SERVICES
from formwright.errors import FormwrightError
from formwright.generation.result import Mode

MODES = get_args(Mode)
CASES = [(service, mode) for service in SERVICES for mode in SERVICES[service].modes]


class Pet(BaseModel):
    name: str
    kind: Literal["cat", "dog"] = "cat"
    nickname: str | None = None


class Owner(BaseModel):
    """Somebody with pets."""

    person: Person
    pets: list[Pet] = []
    email: str | None = Field(default=None, alias="e-mail")


class Tree(BaseModel):
    value: int
    children: list[Tree] = []


class Color(enum.Enum):
    RED = "red"
    BLUE = "dark blue"


ADA = {"name": "Ada", "age": 36}
VALUES: list[tuple[Any, Any]] = [
    (Person, ADA),
    (Owner, {"person": ADA}),
    (Owner, {"person": ADA, "pets": [{"name": "Tom"}, {"name": 'é"\\', "kind": "dog", "nickname": "R"}]}),
    (Owner, {"person": ADA, "pets": [], "e-mail": "a@b.c"}),
    (Tree, {"value": 1, "children": [{"value": 2, "children": []}, {"value": 3, "children": [{"value": 4}]}]}),
    (list[int], [1, -2, 30]),
    (list[Person], [ADA, ADA]),
    (dict[str, Person], {"a": ADA}),
    (int | None, None),
    (Person | Pet, {"name": "Tom", "kind": "dog"}),
    (bool, True),
    (str, 'Say "hi"\n'),
]
TEXTS: list[tuple[Any, str, Any]] = [
    (fw.choice(["yes", "no"]), "yes", "yes"),
    (fw.regex(r"[a-z]+@\w+\.com"), "ada@x.com", "ada@x.com"),
    (fw.regex(r'"[^"]*"\\?'), '"a b"\\', '"a b"\\'),
]


def planned(form: Any, mode: Mode, service: str) -> Plan:
    """A plan; skips where the service cannot be told the form in this mode."""
    try:
        return make_plan(fw.form(form), mode, SERVICES[service])
    except FormwrightError as error:
        pytest.skip(f"not told: {error}")


def as_the_service_writes(plan: Plan, value: Any, *, is_null_legal: bool = True) -> str:
    """JSON of the schema that the service was told: wrapped, and with nulls for what is left out."""
    wrapped = value if plan.key is None else {plan.key: value}
    if plan._converted is not None:
        wrapped = filled(plan.schema, plan.schema, plan._converted.optional, "", wrapped, is_null_legal)
    return json.dumps(wrapped, indent=1)


def filled(schema: Any, node: Any, optional: Any, pointer: str, value: Any, is_null_legal: bool) -> Any:
    """The value with a null for each property that the service must write."""
    while "$ref" in node or "anyOf" in node:
        if "$ref" in node:
            pointer = node["$ref"].removeprefix("#")
        else:
            pointer = f"{pointer}/anyOf/{_branch(schema, node['anyOf'], value)}"
        node = schema
        for token in pointer.split("/")[1:]:
            token = token.replace("~1", "/").replace("~0", "~")
            node = node[int(token)] if isinstance(node, list) else node[token]
    if isinstance(value, list) and isinstance(node.get("items"), dict):
        return [filled(schema, node["items"], optional, f"{pointer}/items", item, is_null_legal) for item in value]
    if not isinstance(value, dict):
        return value
    written = dict(value)
    for name, inner in node.get("properties", {}).items():
        place = f"{pointer}/properties/{name.replace('~', '~0').replace('/', '~1')}"
        if name in value:
            written[name] = filled(schema, inner, optional, place, value[name], is_null_legal)
        elif place in optional or (is_null_legal and optional and name in node.get("required", ())):
            written[name] = None
    return written


def _branch(schema: Any, branches: list[Any], value: Any) -> int:
    """The branch of a type: null, or the first whose properties are those of the value."""
    for number, branch in enumerate(branches):
        while "$ref" in branch:
            branch = schema["$defs"][branch["$ref"].removeprefix("#/$defs/")]
        names = branch.get("properties", {}) if isinstance(value, dict) else ()
        if (branch.get("type") == "null") == (value is None) and (
            not isinstance(value, dict) or set(value) <= set(names)
        ):
            return number
    return len(branches) - 1


def reply(plan: Plan, text: str) -> Reply:
    return Reply("", (UncheckedCall(plan.name, text, "c"),)) if plan.mode == "tools" else Reply(text)


@pytest.mark.parametrize(("service", "mode"), CASES)
@pytest.mark.parametrize(("type_", "value"), VALUES, ids=str)
def test_values_come_back(type_: Any, value: Any, service: str, mode: Mode) -> None:
    plan = planned(type_, mode, service)
    written = json.dumps(value) if mode == "instructions" else as_the_service_writes(plan, value)
    text = plan.find_text(reply(plan, written)).text
    assert plan.form.parse(text) == TypeAdapter(type_).validate_python(value)


@pytest.mark.parametrize(("service", "mode"), CASES)
@pytest.mark.parametrize(("form", "text", "value"), TEXTS, ids=str)
def test_texts_come_back(form: Any, text: str, value: Any, service: str, mode: Mode) -> None:
    plan = planned(form, mode, service)
    written = text if mode == "instructions" else as_the_service_writes(plan, text)
    found = plan.find_text(reply(plan, written)).text
    assert (found, plan.form.parse(found)) == (text, value)


@pytest.mark.parametrize(("service", "mode"), CASES)
def test_an_enum_comes_back(service: str, mode: Mode) -> None:
    plan = planned(Color, mode, service)
    written = "dark blue" if mode == "instructions" else as_the_service_writes(plan, "dark blue")
    assert plan.form.parse(plan.find_text(reply(plan, written)).text) is Color.BLUE


@pytest.mark.parametrize(("service", "mode"), CASES)
@pytest.mark.parametrize(("type_", "value"), [case for case in VALUES if isinstance(case[1], dict | list)], ids=str)
def test_values_on_the_way(type_: Any, value: Any, service: str, mode: Mode) -> None:
    """Each piece adds to the value, and what is complete is of its type."""
    plan = planned(type_, mode, service)
    written = json.dumps(value) if mode == "instructions" else as_the_service_writes(plan, value)
    pieces = Pieces(plan)
    for character in written:
        last = pieces.feed(character)
    assert last.partial.is_complete
    assert last.partial.value == TypeAdapter(type_).validate_python(value)


@pytest.mark.parametrize(("service", "mode"), CASES)
def test_members_have_their_types_on_the_way(service: str, mode: Mode) -> None:
    plan = planned(list[Owner], mode, service)
    value = [{"person": ADA, "pets": [{"name": "Tom"}]}, {"person": ADA}]
    written = json.dumps(value) if mode == "instructions" else as_the_service_writes(plan, value)
    pieces, at = Pieces(plan), written.rindex("Ada")
    partial = pieces.feed(written[:at]).partial
    assert partial[0].is_complete
    assert partial[0].value == Owner(person=Person(**ADA), pets=[Pet(name="Tom")])
    assert not partial[1].is_complete
    assert partial[0]["person"].value == Person(**ADA)
    assert partial[0]["pets"][0].value == Pet(name="Tom")


def sample(data: Path) -> list[Any]:
    with gzip.open(data / "maskbench" / "sample.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for number, line in enumerate(lines) if number % 5 == 0]


@pytest.mark.slow
@pytest.mark.parametrize(("service", "mode"), CASES)
def test_real_instances_come_back(data: Path, service: str, mode: Mode) -> None:
    wrong, told = [], 0
    for case in sample(data):
        try:
            form = fw.json_schema(case["schema"])
            plan = make_plan(form, mode, SERVICES[service])
        except FormwrightError:
            continue
        told += 1
        for value in [test["data"] for test in case["tests"] if test["valid"]][:2]:
            if not plan.form.matches(json.dumps(value)):
                continue
            try:
                is_bare = mode == "instructions"
                written = json.dumps(value) if is_bare else as_the_service_writes(plan, value, is_null_legal=False)
                read = plan.form.parse(plan.find_text(reply(plan, written)).text)
            except FormwrightError as error:
                read = error
            if read != value:
                wrong.append((case["name"], read))
    assert told > 20
    assert wrong == []
