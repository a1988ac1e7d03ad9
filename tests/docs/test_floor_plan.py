"""The picture of the rooms is drawn from the layers that import-linter checks."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def floor_plan(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return import_module("floor_plan")


def test_the_picture_is_that_of_the_layers(floor_plan: Any) -> None:
    assert floor_plan.PICTURE.read_text("utf-8") == floor_plan.draw(), "run: python docs/floor_plan.py"


def test_every_folder_is_a_room(floor_plan: Any) -> None:
    folders = {path.parent.name for path in floor_plan.PACKAGE.glob("*/__init__.py")}
    assert folders == {room for floor in floor_plan.read_floors() for room in floor}
