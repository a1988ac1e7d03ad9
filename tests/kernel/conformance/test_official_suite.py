"""The official JSON-Schema-Test-Suite, every instance fed as text: nothing invalid is accepted, and little is refused.

An instance is written in the order of its own members (``order="model"``), integers also as ``1.0``. A schema counts as
exact when every instance gets the right answer, or when it is refused as unsatisfiable and no instance is valid. Every
other one is refused, for a reason given in ``docs/reference/json_schema.md``. ``refRemote`` tests find their documents
in a registry.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from parameters import slow_except

import formwright as fw

EXACT = {"draft2020-12": 381, "draft2019-09": 368, "draft7": 256, "draft6": 231, "draft4": 159}
"""So many schemas are exact, of 383, 372, 257, 232 and 160."""

OUTSIDE = "leads outside this schema"
"""The reason for one schema of 2019-09, with a relative reference."""

FORMATS = 0.95
"""At least so much of the valid instances of formats is accepted."""


@pytest.fixture
def suite(data: Path) -> Path:
    return data / "json-schema-test-suite"


def registry(suite: Path, draft: str) -> dict[str, str]:
    remotes = suite / "remotes"
    files = [file for file in remotes.rglob("*.json") if not file.relative_to(remotes).parts[0].startswith("draft")]
    files += (remotes / draft).rglob("*.json")
    return {f"http://localhost:1234/{file.relative_to(remotes).as_posix()}": file.read_text("utf-8") for file in files}


def groups(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted(folder.glob("*.json")):
        for group in json.loads(file.read_text("utf-8")):
            yield f"{file.name}: {group['description']}", group


@pytest.fixture
def reasons() -> dict[str, str]:
    """The table of the documentation: refused schemas of 2020-12, and why."""
    page = (Path(__file__).parents[3] / "docs" / "reference" / "json_schema.md").read_text("utf-8")
    rows = page.split("| schema of the suite | reason |")[1].splitlines()[2:]
    return dict(row.strip("| ").split(" | ") for row in rows if row)


def judge(group: dict[str, Any], wrong: list[str], right: list[bool], **options: Any) -> str:
    """``exact``, ``narrowed`` or the reason of a refusal; invalid instances that are accepted go to ``wrong``, and for
    every valid one goes to ``right`` whether it is accepted."""
    try:
        language = fw.json_schema(
            json.dumps(group["schema"]), order="model", integers="decimal", unknown_keywords="ignore", **options
        )
        verdicts = [language.matches(json.dumps(test["data"], ensure_ascii=False).encode()) for test in group["tests"]]
    except fw.errors.FormwrightError as error:
        valid = [test for test in group["tests"] if test["valid"]]
        right += [False for _ in valid]
        return "exact" if isinstance(error, fw.errors.UnsatisfiableSchema) and not valid else str(error)
    right += [accepted for test, accepted in zip(group["tests"], verdicts, strict=True) if test["valid"]]
    wrong += [
        test["description"]
        for test, accepted in zip(group["tests"], verdicts, strict=True)
        if accepted and not test["valid"]
    ]
    return (
        "exact"
        if all(test["valid"] == accepted for test, accepted in zip(group["tests"], verdicts, strict=True))
        else "narrowed"
    )


@pytest.mark.parametrize("draft", slow_except(["draft2020-12"], EXACT))
def test_required_part_is_exact_or_refused(suite: Path, draft: str, reasons: dict[str, str]) -> None:
    options = {"format": "annotation", "dialect": draft, "registry": registry(suite, draft)}
    wrong: list[str] = []
    verdicts = {name: judge(group, wrong, [], **options) for name, group in groups(suite / draft)}
    refused = {name: verdict for name, verdict in verdicts.items() if verdict != "exact"}
    assert wrong == []
    for name, verdict in refused.items():
        assert any(reason in verdict for reason in [*reasons.values(), OUTSIDE]), (name, verdict)
    if draft == "draft2020-12":
        assert all(reasons[name] in verdict for name, verdict in refused.items())
        assert refused.keys() == reasons.keys()
    assert len(verdicts) - len(refused) == EXACT[draft]


@pytest.mark.parametrize("draft", slow_except(["draft2020-12"], EXACT))
def test_formats_accept_nothing_invalid_and_little_is_left_out(suite: Path, draft: str) -> None:
    wrong: list[str] = []
    right: list[bool] = []
    for _, group in groups(suite / draft / "optional" / "format"):
        judge(group, wrong, right, format="assert", dialect=draft)
    assert wrong == []
    assert sum(right) >= FORMATS * len(right), f"{sum(right)} of {len(right)}"
