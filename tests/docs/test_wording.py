"""Phrases and names that make our English hard to read may only become fewer."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def wording(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return import_module("wording")


def test_no_count_grows(wording: Any) -> None:
    counts, bounds = Counter(place.rule for place in wording.find_all()), wording.read_bounds()
    assert counts.keys() <= bounds.keys()
    grown = {rule: count for rule, count in counts.items() if count > bounds[rule]}
    assert not grown, "python docs/wording.py RULE shows where"


@pytest.mark.parametrize(
    ("name", "is_bare"),
    [("_told", True), ("started", True), ("written", True), ("read", False), ("told_tools", False), ("feed", False)],
)
def test_participles_are_told_from_verbs(wording: Any, name: str, is_bare: bool) -> None:
    assert wording.is_participle(name) is is_bare
