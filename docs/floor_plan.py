"""Draws the rooms of the package from the layers that import-linter checks: `python docs/floor_plan.py`.

A room is a folder of ``python/formwright``, and its line is the first sentence of its docstring. Each floor may import
from the floors below it, and from no other room of its own floor. A test compares the picture with the layers.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "pictures" / "floor_plan.svg"
PACKAGE = ROOT / "python" / "formwright"

WIDTH, ROOM, GAP, MARGIN = 960, 46, 8, 12


def read_floors() -> list[list[str]]:
    """The rooms of each floor, from the top; the single files on the ground floor are not rooms."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers: list[str] = config["tool"]["importlinter"]["contracts"][0]["layers"]
    floors = [[room.strip() for room in layer.split("|")] for layer in layers]
    return [rooms for floor in floors if (rooms := [room for room in floor if (PACKAGE / room).is_dir()])]


def read_line(room: str) -> str:
    """What a room holds: the first sentence of its docstring."""
    text = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text("utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ").replace("`", "").rstrip(".")


def draw_rooms(floors: list[list[str]]) -> Iterator[str]:
    """The boxes of all rooms."""
    for number, rooms in enumerate(floors):
        width = (WIDTH - 2 * MARGIN - GAP * (len(rooms) - 1)) / len(rooms)
        top = MARGIN + number * (ROOM + GAP)
        for place, room in enumerate(rooms):
            left = MARGIN + place * (width + GAP)
            yield f'<rect x="{left:.0f}" y="{top}" width="{width:.0f}" height="{ROOM}" rx="5"/>'
            yield f'<text x="{left + 12:.0f}" y="{top + 19}" class="room">{room}</text>'
            yield f'<text x="{left + 12:.0f}" y="{top + 36}">{escape(shorten(read_line(room), width))}</text>'


def shorten(line: str, width: float) -> str:
    """A line that fits a box of some width, or else its beginning up to a colon, a comma or a full stop."""
    most = int((width - 24) / 6.4)
    ends = [len(line), *(line.rfind(mark, 0, most) for mark in (". ", ": ", ", "))]
    return line[: next(end for end in ends if 0 < end <= most)]


def draw() -> str:
    """The picture, as SVG."""
    floors = read_floors()
    height = 2 * MARGIN + len(floors) * (ROOM + GAP) - GAP
    style = (
        "rect{fill:#eef3f8;stroke:#5b7da3}text{font:12px sans-serif;fill:#24384f}"
        ".room{font:bold 13px monospace}"
        "@media(prefers-color-scheme:dark){rect{fill:#1d2a38;stroke:#7fa6d1}text{fill:#dbe7f3}}"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
    title = "<title>The rooms of formwright: each floor imports from the floors below it</title>"
    return "\n".join([head, title, f"<style>{style}</style>", *draw_rooms(floors), "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
