"""A grammar of sums, and what one of them is read as."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["SUMS", "Add"]

SUMS = r"""
    start: sum
    ?sum: sum "+" part -> add
        | part
    ?part: NUMBER -> number
        | NAME -> name
        | "(" sum ")"
    NUMBER: /[0-9]+/
    NAME: /[a-z]+/
    %ignore " "
"""


@dataclass(frozen=True)
class Add:
    left: Any
    right: Any
