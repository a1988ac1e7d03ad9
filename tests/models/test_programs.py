"""Programs: Python and the model write a text in turns."""

from __future__ import annotations

import asyncio

import pytest

import formwright as fw
from formwright.errors import ArgumentError, LimitExceeded, VocabularyError


def test_parts_are_written_in_turns(tiny: fw.models.LocalModel) -> None:
    run = tiny.begin("Clara Novak, 34, works in Prague.", max_tokens=60)
    run.append("Name: ")
    name = run.generate(fw.regex("[A-Z][a-z]+ [A-Z][a-z]+"))
    run.append("\nAge: ")
    age = run.generate(int, max_tokens=3)
    assert run.text == f"Name: {name}\nAge: {age}"
    assert isinstance(age, int)
    assert run.left < 60
    assert run.result.value == age


def test_a_run_is_what_one_prompt_would_be(tiny: fw.models.LocalModel) -> None:
    prompt = "Clara Novak, 34, works in Prague."
    alone = tiny.generate(prompt, fw.regex("[A-Z][a-z]+"))
    run = tiny.begin(prompt)
    assert run.generate(fw.regex("[A-Z][a-z]+")) == alone.value
    assert run.result.token_ids == alone.token_ids
    further = run.generate(fw.regex(", [a-z]{2,8}"))
    ids = [*tiny.encode(prompt), *alone.token_ids]
    assert further == tiny.generate(ids, fw.regex(", [a-z]{2,8}")).value


def test_appended_text_is_healed(tiny: fw.models.LocalModel) -> None:
    run = tiny.begin("Say it.").append("The na")
    assert run.generate(fw.literal("me is")) == "me is"
    assert run.text == "The name is"
    assert run.result.text == "me is"


def test_forks_go_on_independently(tiny: fw.models.LocalModel) -> None:
    run = tiny.begin("Say a word.", max_tokens=20)
    run.append("Word: ")
    twin = run.fork()
    first = run.generate(fw.regex("[a-z]{3,6}"))
    assert twin.text == "Word: "
    assert twin.left == 20
    assert twin.generate(fw.regex("[a-z]{3,6}")) == first
    twin.append("!")
    assert run.text == f"Word: {first}"
    assert twin.text == f"Word: {first}!"


def test_control_tokens_are_appended_by_form(tiny: fw.models.LocalModel) -> None:
    run = tiny.begin("x").append(fw.special("<|user|>"))
    assert run.generate(fw.choice("a", "b")) in ("a", "b")
    assert run.text.startswith("<|user|>")
    with pytest.raises(VocabularyError, match="nowhere"):
        run.append(fw.special("<nowhere>"))
    with pytest.raises(ArgumentError, match="special"):
        run.append(fw.choice("a", "b"))
    with pytest.raises(ArgumentError, match="str"):
        run.append(3)  # type: ignore[arg-type]


def test_the_budget_is_one_for_all_parts(tiny: fw.models.LocalModel) -> None:
    run = tiny.begin("x", max_tokens=8)
    run.generate(fw.regex("[0-9]{5}"))
    with pytest.raises(LimitExceeded):
        run.generate(fw.regex("[0-9]{50}"))
    assert len(run.text) == 5
    assert run.left >= 0
    assert "tokens left" in repr(run)


def test_a_part_is_streamed(tiny: fw.models.LocalModel) -> None:
    run = tiny.begin("x")
    pieces = [piece.text for piece in run.stream(fw.regex("[a-z]{4}"))]
    assert "".join(pieces) == run.text == run.result.text


def test_a_part_is_streamed_in_an_event_loop(tiny: fw.models.LocalModel) -> None:
    async def written() -> tuple[str, str]:
        run = tiny.begin("Say something.", max_tokens=20)
        async with run.stream(fw.regex("[a-z]{4}")) as part:
            pieces = [piece.text async for piece in part]
        return "".join(pieces), run.text

    text, whole = asyncio.run(written())
    assert text == whole == tiny.begin("Say something.", max_tokens=20).generate(fw.regex("[a-z]{4}"))


def test_a_part_that_is_left_early_leaves_the_program_as_it_was(tiny: fw.models.LocalModel) -> None:
    left, plain = (tiny.begin("Ada is 36 years old.", max_tokens=40) for _ in range(2))
    for run in (left, plain):
        run.append("Name: ")
        run.generate(fw.regex("[A-Z][a-z]{1,5}"))
        run.append(" Age: ")
    with left.stream(fw.regex("[a-z]{20}")) as part:
        next(part)
        next(part)
    assert left.text == plain.text
    assert left.left == plain.left
    assert left.generate(int) == plain.generate(int)
    assert left.result.token_ids == plain.result.token_ids
    assert left.text == plain.text
