"""Patterns over two letters, whose texts can be listed."""

from __future__ import annotations

import random


def draw_pattern(random_: random.Random, depth: int = 3) -> str:
    """A pattern over the letters a and b."""
    if depth == 0:
        return random_.choice(["a", "b", "[ab]", ""])
    inner = [draw_pattern(random_, depth - 1) for _ in range(2)]
    return random_.choice(
        [f"(?:{inner[0]}|{inner[1]})", f"{inner[0]}{inner[1]}", f"(?:{inner[0]})*", f"(?:{inner[0]}){{1,2}}", inner[0]]
    )
