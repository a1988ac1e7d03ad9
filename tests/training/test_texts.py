"""The texts that the embedded model learns from: reproducible, true to their prompts, apart from what measures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "training"
if not FOLDER.is_dir():
    pytest.skip("the training folder is not here", allow_module_level=True)
sys.path.insert(0, str(FOLDER))
from texts import words  # type: ignore[import-not-found]  # noqa: E402
from texts.drills import DRILLS  # type: ignore[import-not-found]  # noqa: E402
from texts.examples import Example, joined  # type: ignore[import-not-found]  # noqa: E402
from texts.loops import LOOPS, RIVALS, TALK  # type: ignore[import-not-found]  # noqa: E402
from texts.tasks import FULL_MIXTURE, FURTHER, MAKERS, PHASES, TASKS  # type: ignore[import-not-found]  # noqa: E402
from texts.tools import TOOLS  # type: ignore[import-not-found]  # noqa: E402
from texts.world import World, alternatives  # type: ignore[import-not-found]  # noqa: E402

COPIED = ("record_en", "record_zh", "lookup", "groups", "orders_en", "orders_zh", "views", "tool_en", "tool_zh")
SIDES: list[dict[str, Any]] = [{}, {"held_out": True}, {"held_out": True, "held_sentences": True}]


def whole(example: Example) -> str:
    """All that is read and written."""
    return example.system + "".join(joined(turn.prompt) + joined(turn.answer) for turn in example.turns)


def read(example: Example) -> str:
    """All that stands before the last answer."""
    return whole(example).removesuffix(example.answer)


def test_shares_are_of_tasks_that_exist() -> None:
    assert all({*phase.shares} <= {*MAKERS} for phase in [*PHASES, *FURTHER])
    assert [phase.until for phase in PHASES] == sorted(phase.until for phase in PHASES)
    assert PHASES[-1].until == 1.0
    assert {*FULL_MIXTURE} == {*TASKS, *DRILLS}
    (further,) = FURTHER
    assert {*further.shares} == {*MAKERS}
    assert 0.3 < sum(further.shares[task] for task in LOOPS) / sum(further.shares.values()) < 0.5


@pytest.mark.parametrize("task", MAKERS)
@pytest.mark.parametrize("side", SIDES)
def test_a_seed_gives_the_same_texts(task: str, side: dict[str, Any]) -> None:
    first, again = (World(5, **side), World(5, **side))
    for _ in range(20):
        assert whole(MAKERS[task](first)) == whole(MAKERS[task](again))


def test_the_texts_do_not_hang_on_the_process() -> None:
    """Sets of strings have another order in every process; nothing may be drawn by it."""
    script = (
        "from texts.tasks import FULL_MIXTURE, draw\nfrom texts.world import World\nworld = World(5)\n"
        "print([[draw(world, FULL_MIXTURE) for _ in range(600)]])"
    )
    first, again = (
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=FOLDER,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "12"
    )
    assert first == again


def strings(value: Any) -> Iterator[str]:
    """All texts in a JSON value."""
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list):
        for child in value:
            yield from strings(child)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("task", COPIED)
@pytest.mark.parametrize("side", SIDES)
def test_what_is_to_be_copied_stands_in_the_prompt(task: str, side: dict[str, Any]) -> None:
    world, seen = World(7, **side), 0
    for _ in range(60):
        example = MAKERS[task](world)
        copied = [segment.text for segment in example.segments if segment.kind == "string"]
        seen += len(copied)
        assert [text for text in copied if json.loads(f'"{text}"') not in read(example)] == []
    assert seen > 20


@pytest.mark.parametrize("task", [task for task in MAKERS if task.startswith(("choice", "tool"))])
def test_the_right_label_is_one_of_the_options(task: str) -> None:
    world = World(3)
    for _ in range(100):
        for segment in MAKERS[task](world).segments:
            assert segment.kind != "choice" or segment.text in segment.options


def test_answers_that_look_like_json_are_json() -> None:
    world, found = World(11), 0
    for task in MAKERS:
        for _ in range(30):
            answer = MAKERS[task](world).answer
            if answer.startswith("{") and "\n{" not in answer:
                found += sum(1 for _ in strings(json.loads(answer)))
    assert found > 500


def test_names_that_measure_are_never_learnt() -> None:
    world = World(1)
    held = {name for index, name in enumerate(words.LAST_NAMES) if index % 8 == 7 and len(name) > 5}
    learnt = {name for index, name in enumerate(words.LAST_NAMES) if index % 8 != 7 and len(name) > 5}
    seen = {world.pick(words.LAST_NAMES) for _ in range(20_000)}
    assert not seen & held
    assert learnt <= seen
    measured = World(1, held_out=True)
    assert {measured.pick(words.LAST_NAMES) for _ in range(2_000)} >= held


def test_alternatives_are_all_sentences_once() -> None:
    found = alternatives("{S} [lives in|is from] {v}[ now|].", "{S} is from {v}.")
    assert sorted(found) == ["{S} is from {v} now.", "{S} is from {v}.", "{S} lives in {v} now.", "{S} lives in {v}."]


LOOPS_WITH_RESULTS = [task for task in LOOPS if not task.startswith("unneeded")]


@pytest.mark.parametrize("task", LOOPS_WITH_RESULTS)
@pytest.mark.parametrize("side", SIDES)
def test_the_answer_of_a_loop_holds_what_was_given_back(task: str, side: dict[str, Any]) -> None:
    world, seen = World(13, **side), 0
    for _ in range(60):
        example = MAKERS[task](world)
        values = [segment.text for segment in example.segments if segment.kind != "forced"]
        seen += len(values)
        assert [text for text in values if text not in read(example)] == []
        assert "<tool_call>" not in example.answer
        assert "<tool_call>" in whole(example)
        assert joined(example.turns[-1].prompt).startswith("Result: ")
    assert seen >= 60


@pytest.mark.parametrize("task", ["unneeded_en", "unneeded_zh"])
def test_no_call_is_made_where_none_is_needed(task: str) -> None:
    world, listed = World(17), 0
    for _ in range(200):
        example = MAKERS[task](world)
        listed += "Tools:\n{" in example.system
        assert "<tool_call>" not in example.answer
    assert listed > 120


def test_sentences_that_measure_loops_are_never_learnt() -> None:
    for ways, _ in TALK["en"] + TALK["zh"]:
        assert len(ways) >= 8
        learnt, measured = World(1), World(1, held_out=True, held_sentences=True)
        seen = {learnt.from_side(ways, learnt.held_sentences) for _ in range(500)}
        assert not seen & {measured.from_side(ways, measured.held_sentences) for _ in range(100)}


def test_rivals_are_tools() -> None:
    names = {tool.names[0] for tools in TOOLS.values() for tool in tools}
    assert set.union(*RIVALS) <= names
