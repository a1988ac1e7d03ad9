r"""Ranges of characters, which the readers of tokenizers share.

Two engines with tables of different versions of Unicode put some characters into different classes, and then cut some
texts in different places. So a reader asks the engine itself, for each class that its pattern names, about every
character, and keeps the answers as ranges::

    ranges_of("abcx")       # [("a", "c"), ("x", "x")]

Cost: about 0.1 s a class, once a process.
"""

from __future__ import annotations

__all__ = ["EVERY_CHARACTER", "Ranges", "ranges_of"]

Ranges = list[tuple[str, str]]

EVERY_CHARACTER = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
"""All characters, in order."""


def ranges_of(characters: str) -> Ranges:
    """Runs of neighbours, each from its first to its last character. ``characters`` are ascending."""
    ranges: Ranges = []
    for character in characters:
        if ranges and ord(character) == ord(ranges[-1][1]) + 1:
            ranges[-1] = (ranges[-1][0], character)
        else:
            ranges.append((character, character))
    return ranges
