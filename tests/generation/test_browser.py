"""Pages in a real browser: that of a trace, what it shows and what hovering does; and the report of an evaluation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import formwright as fw
from formwright.evaluation import evaluate
from formwright.evaluation.arms import choose_arms
from formwright.evaluation.built_in import make_built_in_task
from formwright.evaluation.runs import Grid
from formwright.evaluation.simulated import SimulatedModel
from formwright.models import LocalModel

MICHAEL = fw.regex(r"Michael Jordan was Born in (\d)+\.")
PROMPT = "Tell me about Michael Jordan. When was he born?"


@pytest.fixture(scope="module")
def traced(tiny: LocalModel) -> Any:
    return tiny.generate(PROMPT, MICHAEL, max_tokens=20, trace=True)


@pytest.fixture
def page(browser: Any, traced: Any, tmp_path: Path) -> Iterator[Any]:
    traced.trace.save(tmp_path / "trace.html")
    opened = browser.new_page(viewport={"width": 900, "height": 760})
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda request: request.url.startswith("file:") or complaints.append(request.url))
    opened.goto((tmp_path / "trace.html").as_uri())
    yield opened
    opened.close()
    assert complaints == []


def test_the_text_is_there_token_by_token(page: Any, traced: Any) -> None:
    tokens = page.locator(".token")
    assert tokens.count() == len(traced.trace)
    shown = [tokens.nth(index).text_content() for index in range(tokens.count())]
    assert "".join(shown).removesuffix("\u23f9") == traced.text
    hints = page.locator(".hints td").all_text_contents()
    assert hints == traced.trace.hints()


def test_colours_tell_the_probability(page: Any, traced: Any) -> None:
    tokens = page.locator(".token")
    for index, row in enumerate(traced.trace):
        token = tokens.nth(index)
        red, green, blue = map(int, re.findall(r"\d+", token.evaluate("e => getComputedStyle(e).backgroundColor"))[:3])
        if row.probability < 0.001:
            assert red > green  # red
        if row.probability > 0.9:
            assert green > red  # green
        assert blue < max(red, green)
        assert ("pushed" in token.get_attribute("class")) == row.is_pushed
        assert ("forced" in token.get_attribute("class").split()) == row.is_forced


def test_hover_click_and_keyboard_show_the_numbers(page: Any, traced: Any) -> None:
    details, tokens = page.locator(".details"), page.locator(".token")
    assert details.text_content() == ""
    first = traced.trace.rows[0]
    tokens.nth(0).hover()
    assert f"{first.probability:.6f} free" in details.text_content()
    assert f"{first.leading_text!r} ({first.leading_token_id})" in details.text_content()
    tokens.nth(5).click()
    assert f"{traced.trace.rows[5].allowed_tokens} tokens, mass" in details.text_content()
    assert "chosen" in tokens.nth(5).get_attribute("class")
    page.keyboard.press("Tab")
    assert "chosen" in tokens.nth(6).get_attribute("class")
    assert page.locator(".chosen").count() == 1
    assert page.screenshot()[:4] == b"\x89PNG"


def test_fields_of_json(browser: Any, tiny: LocalModel, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    result = tiny.generate("Ada is 36 years old.", schema, max_tokens=40, trace=True)
    result.trace.save(tmp_path / "trace.html")
    page = browser.new_page()
    page.goto((tmp_path / "trace.html").as_uri())
    assert page.locator(".fields th").all_text_contents() == [entry.pointer for entry in result.trace.fields]
    page.close()


@pytest.mark.parametrize("width", [390, 1200])
def test_a_report_with_long_answers_is_no_wider_than_the_window(browser: Any, tmp_path: Path, width: int) -> None:
    task = make_built_in_task("classification", "en", 20)
    grid = Grid(task=task, arms=choose_arms("free,schema"))
    found = evaluate(grid, {"m": SimulatedModel(task, lambda _: 0.5)}, tmp_path, progress=False)
    for row in found.rows:
        row |= {"answer": {"tool": "message,of," * 200}, "text": "of" * 900, "asked": "x" * 500}
    found.save(tmp_path / "report.html")
    opened = browser.new_page(viewport={"width": width, "height": 760})
    opened.goto((tmp_path / "report.html").as_uri())
    assert opened.locator(".answers div").count() > 4
    overhang = "element => element.scrollWidth - element.clientWidth"
    assert max(opened.locator(".answers, .answers div, summary").evaluate_all(f"all => all.map({overhang})")) <= 0
    opened.close()
