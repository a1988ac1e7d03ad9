"""The trees of Lark, for its transformers."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import lark

from formwright.forms.text_checks import is_of_call
from formwright.forms.trees import REFUSALS, Nodes, Token, Tree, fold, refusal

__all__ = ["transform"]


def transform(transformer: Any, nodes: Nodes, text: str, rules: frozenset[str]) -> Any:
    """What a Lark Transformer makes of a derivation.

    Args:
        transformer: The transformer.
        nodes: The derivation.
        text: The text that it is of.
        rules: The names of rules; other names of nodes are those of alternatives.

    Raises:
        OutputInvalid: A method refuses a part of the text.
    """
    places = _Places(text, rules)
    try:
        return transformer.transform(fold(nodes, text, places.token, places.tree))
    except lark.exceptions.VisitError as error:
        if not isinstance(error.orig_exc, REFUSALS) or is_of_call(error.orig_exc):
            raise error.orig_exc from error
        span = _span(error.obj, text)
        raise refusal(error.orig_exc, str(error.rule), text, span) from error.orig_exc


class _Meta(lark.tree.Meta):  # type: ignore[misc]
    """The place of a tree without a text: nothing, as in Lark. But what it refuses has a place in the text."""

    at: int


def _span(node: Any, text: str) -> tuple[int, int]:
    """The characters that a tree or token of Lark is of."""
    place = node.meta if isinstance(node, lark.Tree) else node
    if isinstance(place, _Meta):
        return place.at, place.at
    return getattr(place, "start_pos", 0), getattr(place, "end_pos", len(text))


class _Places:
    """Makes Lark's trees and tokens, with their lines and columns in a text; both are counted from 1."""

    def __init__(self, text: str, rules: frozenset[str]) -> None:
        self._ends = [at for at, character in enumerate(text) if character == "\n"]
        self._names = {name: lark.Token("RULE", name) for name in rules}

    def token(self, token: Token) -> Any:
        return lark.Token(token.name, str(token), **self._place(token))

    def tree(self, tree: Tree) -> Any:
        return lark.Tree(self._names.get(tree.rule, tree.rule), list(tree.children), self._meta(tree))

    def _meta(self, tree: Tree) -> Any:
        if tree.start == tree.end:
            meta = _Meta()
            meta.at = tree.start
        else:
            meta = lark.tree.Meta()
            vars(meta).update(self._place(tree), empty=False)
        return meta

    def _place(self, node: Token | Tree) -> dict[str, int]:
        line, column = self._line_and_column(node.start)
        end_line, end_column = self._line_and_column(node.end)
        place = {"start_pos": node.start, "line": line, "column": column}
        return place | {"end_pos": node.end, "end_line": end_line, "end_column": end_column}

    def _line_and_column(self, at: int) -> tuple[int, int]:
        line = bisect_left(self._ends, at)
        return line + 1, at - (self._ends[line - 1] if line else -1)
