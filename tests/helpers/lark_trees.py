"""Trees of Lark, to compare ours with."""

from __future__ import annotations

from typing import Any

import pytest

import formwright as fw

lark = pytest.importorskip("lark")

__all__ = ["check_tree", "lark"]


def check_tree(ours: fw.Tree, theirs: Any, said: str, *, has_blanks: bool = True) -> None:
    """Fails unless a tree is that of Lark, with the same names of tokens.

    Where Lark has a token or nothing in place of the root, ours is its only child. Without blanks, what is not there is
    left out of both.
    """
    expected = _tree_of(theirs)
    if not isinstance(expected, fw.Tree):
        expected = fw.Tree(ours.rule, (expected,))
    if not has_blanks:
        ours, expected = _without_blanks(ours), _without_blanks(expected)
    assert ours == expected, f"{said}\n{ours.pretty()}\n--\n{expected.pretty()}"
    pairs = zip(_tokens_of(ours), _tokens_of(expected), strict=True)
    for mine, other in pairs:
        assert mine.name == other.name, f"{said}\n{mine!r} is {other.name}"


def _tree_of(node: Any) -> Any:
    if isinstance(node, lark.Tree):
        return fw.Tree(str(node.data), tuple(_tree_of(child) for child in node.children))
    return None if node is None else fw.Token(str(node), str(node.type))


def _without_blanks(node: Any) -> Any:
    if not isinstance(node, fw.Tree):
        return node
    return fw.Tree(node.rule, tuple(_without_blanks(child) for child in node.children if child is not None))


def _tokens_of(tree: fw.Tree) -> list[fw.Token]:
    open_nodes: list[Any] = [tree]
    found = []
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, fw.Tree):
            open_nodes += node.children
        elif node is not None:
            found.append(node)
    return found
