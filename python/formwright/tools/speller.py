"""Fixed texts in which the names of control tokens may be control tokens.

::

    speller = Speller(["<tool_call>"])
    speller.cut("<tool_call>f(")                     # (Control('<tool_call>', or_text=True), 'f(')
    speller.spell("<tool_call>f(")                   # a Language: the control token or its name, then "f("

Where a vocabulary has a control token of this name, that is what a model writes; where it has none, the name is text.

Cost: a look at each place of a text where a name could begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add, or_
from typing import NamedTuple

from formwright._kernel import Language

__all__ = ["Control", "Piece", "Speller", "join_branches", "spell_pieces"]


class Control(NamedTuple):
    """A control token in a text.

    Attributes:
        name: Its name.
        or_text: Whether the name, spelled as text, may stand for it.
    """

    name: str
    or_text: bool


Piece = str | Control
"""A part of a fixed text."""


class Speller:
    """Finds the names of control tokens in texts.

    Args:
        names: The names.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = frozenset(names)
        lengths: dict[str, set[int]] = {}
        for name in self._names:
            lengths.setdefault(name[0], set()).add(len(name))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}
        self._starts = re.compile(f"[{re.escape(''.join(lengths))}]") if lengths else None
        self._spelled: dict[str, Language] = {}

    def cut(self, text: str) -> tuple[Piece, ...]:
        """The control tokens of a text, of several names the longest, and what is between them."""
        pieces: list[Piece] = []
        begun = 0
        for found in self._starts.finditer(text) if self._starts is not None else ():
            at = found.start()
            if at >= begun and (name := self._find_name(text, at)):
                pieces += [text[begun:at]] * (begun < at)
                pieces.append(Control(name, or_text=True))
                begun = at + len(name)
        return (*pieces, text[begun:]) if begun < len(text) else tuple(pieces)

    def _find_name(self, text: str, at: int) -> str | None:
        """The longest name that begins at a place."""
        begun_here = (text[at : at + length] for length in self._lengths[text[at]])
        return next((name for name in begun_here if name in self._names), None)

    def spell(self, text: str) -> Language:
        """The text."""
        if text not in self._spelled:
            self._spelled[text] = spell_pieces(self.cut(text))
        return self._spelled[text]


def spell_pieces(pieces: Sequence[Piece]) -> Language:
    """The text of some pieces."""
    if not pieces:
        return Language.choice([""])
    return reduce(add, (Language.choice([one]) if isinstance(one, str) else Language.control(*one) for one in pieces))


def join_branches(branches: Iterable[tuple[Sequence[Piece], Language]]) -> Language:
    """Any of some texts, each with what follows it; what several begin with is there once."""
    whole: list[Language] = []
    groups: dict[Piece, list[tuple[Sequence[Piece], Language]]] = {}
    for pieces, follows in branches:
        if pieces:
            groups.setdefault(pieces[0], []).append((pieces[1:], follows))
        else:
            whole.append(follows)
    after = {piece: join_branches(group) for piece, group in groups.items()}
    if texts := [(piece, language) for piece, language in after.items() if isinstance(piece, str)]:
        whole.append(Language.branches(texts))
    whole += [Language.control(*piece) + language for piece, language in after.items() if isinstance(piece, Control)]
    return reduce(or_, whole)
