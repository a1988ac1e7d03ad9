"""The picture of the rooms is drawn from the layers that import-linter checks."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import floor_plan  # noqa: E402


def test_the_picture_is_that_of_the_layers() -> None:
    assert floor_plan.PICTURE.read_text("utf-8") == floor_plan.draw(), "run python docs/floor_plan.py"


def test_every_folder_is_a_room() -> None:
    folders = {path.parent.name for path in floor_plan.PACKAGE.glob("*/__init__.py")}
    assert folders == {room for floor in floor_plan.read_floors() for room in floor}
