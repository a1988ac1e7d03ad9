"""The trees of Lark, for its transformers."""

from __future__ import annotations

from typing import Any

from formwright._extras import needs
from formwright.forms.trees import REFUSALS, Nodes, Token, Tree, fold, refusal

with needs("lark", "a Lark Transformer as read="):
    import lark

__all__ = ["transform"]


def transform(transformer: Any, nodes: Nodes, text: str) -> Any:
    """What a Lark Transformer makes of a derivation.

    Raises:
        OutputInvalid: A method refuses a part of the text.
    """
    try:
        return transformer.transform(fold(nodes, text, _token, _tree))
    except lark.exceptions.VisitError as error:
        if not isinstance(error.orig_exc, REFUSALS):
            raise error.orig_exc from error
        place = error.obj.meta if isinstance(error.obj, lark.Tree) else error.obj
        span = (getattr(place, "start_pos", 0), getattr(place, "end_pos", len(text)))
        raise refusal(error.orig_exc, error.rule, text, span) from error.orig_exc


def _token(token: Token) -> Any:
    return lark.Token(token.name, str(token), start_pos=token.start, end_pos=token.end)


def _tree(tree: Tree) -> Any:
    meta = lark.tree.Meta()
    meta.empty, meta.start_pos, meta.end_pos = False, tree.start, tree.end
    return lark.Tree(tree.rule, list(tree.children), meta)
