r"""Trees of texts, as a grammar derives them.

::

    sums = fw.grammar('''
        start: sum
        sum: sum "+" NUMBER | NUMBER
        NUMBER: /[0-9]+/
    ''', read="tree")
    tree = sums.parse("1+2")
    print(tree.pretty())
    # start
    #   sum
    #     sum
    #       NUMBER '1'
    #     NUMBER '2'

Nothing here calls itself, so a tree may be as deep as its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from formwright.errors import OutputInvalid
from formwright.forms.text_checks import shorten

__all__ = ["REFUSALS", "Captures", "Nodes", "Token", "Tree", "fold", "refusal"]

REFUSALS = (ArithmeticError, AssertionError, LookupError, TypeError, ValueError)
"""What a reader raises that refuses a piece of a text; anything else is a fault of the reader, and passes.

So does a TypeError of the call itself: see `formwright.forms.text_checks.is_of_call`.
"""

Nodes = Sequence[tuple[str, int, int, int]]
"""The nodes of a derivation, children before their parents: name, start, end, and how many children there are."""

Captures = Sequence[tuple[str, int, int]]
"""The captured parts of a text, in the order in which they begin: name, start, end, in bytes."""

_TOKEN, _BLANK = -1, -2


class Token(str):
    """A piece of a text that a terminal of a grammar has read: a ``str``.

    Attributes:
        name: The name of the terminal; of one without a name, what Lark calls it: ``"LPAR"`` for ``"("``, ``"LET"`` for
            ``"let"``, ``"__ANON_0"``; ``""`` in GBNF and EBNF. ``"@name"`` for a form of ``forms=``.
        start: Where it begins in the text, in characters.
        end: Where it ends.
    """

    __slots__ = ("end", "name", "start")

    name: str
    start: int
    end: int

    def __new__(cls, text: str, name: str = "", start: int = 0, end: int | None = None) -> Token:
        """A token that begins at ``start``."""
        token = super().__new__(cls, text)
        token.name, token.start = name, start
        token.end = start + len(text) if end is None else end
        return token

    def __reduce__(self) -> tuple[type[Token], tuple[str, str, int, int]]:
        return Token, (str(self), self.name, self.start, self.end)

    def __repr__(self) -> str:
        return f"Token({str(self)!r}, {self.name!r})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tree:
    """A piece of a text that a rule of a grammar derives.

    Two trees are equal if their rules and children are, wherever they were read.

    Attributes:
        rule: The name of the rule, or of its alternative (``-> name``).
        children: Trees and tokens in the order of the text; ``None`` where Lark's ``[x]`` has nothing.
        start: Where it begins in the text, in characters.
        end: Where it ends, without what the grammar ignores.
        is_complete: Whether it ends before the text does, or the text is over. What follows may still make it a child
            of another tree, or show that the text has another tree.
    """

    rule: str
    children: tuple[Tree | Token | None, ...] = ()
    start: int = 0
    end: int = 0
    is_complete: bool = True

    def find(self, rule: str) -> Iterator[Tree]:
        """The trees of a rule among this one and all inside it, in the order in which they begin."""
        return (tree for tree, _ in _walk(self) if isinstance(tree, Tree) and tree.rule == rule)

    def rules(self) -> Iterator[str]:
        """The rules of this tree and of all inside it, in the order in which they begin."""
        return (tree.rule for tree, _ in _walk(self) if isinstance(tree, Tree))

    def pretty(self, indent: str = "  ") -> str:
        """The tree as lines, a node each, indented by its depth."""
        return "\n".join(indent * depth + _line(node) for node, depth in _walk(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self is other or _contents(self) == _contents(other)

    def __hash__(self) -> int:
        return hash(tuple(_contents(self)))

    def __repr__(self) -> str:
        done: list[str] = []
        for node, _ in reversed(list(_walk(self))):
            if not isinstance(node, Tree):
                done.append(repr(node))
                continue
            first = len(done) - len(node.children)
            children = ", ".join(reversed(done[first:])) + ("," if len(node.children) == 1 else "")
            done[first:] = [f"Tree({node.rule!r}, ({children}))"]
        return done[0]


def _walk(tree: Tree) -> Iterator[tuple[Tree | Token | None, int]]:
    """A tree and all inside it, each with its depth."""
    pending: list[tuple[Tree | Token | None, int]] = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        yield node, depth
        if isinstance(node, Tree):
            pending += [(child, depth + 1) for child in reversed(node.children)]


def _line(node: Tree | Token | None) -> str:
    if isinstance(node, Token):
        return f"{node.name} {str(node)!r}".lstrip()
    return "None" if node is None else node.rule


def _contents(tree: Tree) -> list[tuple[str | None, int]]:
    """What a tree is compared by: of each node its rule and how many children it has, or its text."""
    return [(node.rule, len(node.children)) if isinstance(node, Tree) else (node, -1) for node, _ in _walk(tree)]


def fold(
    nodes: Nodes,
    text: str,
    read_token: Callable[[Token], Any] = lambda token: token,
    read_tree: Callable[[Tree], Any] = lambda tree: tree,
) -> Any:
    """What the nodes of a derivation come to, from the leaves up.

    Args:
        nodes: The nodes.
        text: The text that they are of.
        read_token: Makes something of each token.
        read_tree: Makes something of each tree, whose children have become something already.
    """
    done: list[Any] = []
    for name, start, end, count in nodes:
        if count == _BLANK:
            done.append(None)
        elif count == _TOKEN:
            done.append(read_token(Token(text[start:end], name, start, end)))
        else:
            first = len(done) - count
            children = tuple(done[first:])
            done[first:] = [read_tree(Tree(name, children, start, end))]
    return done[0]


def refusal(error: Exception, name: str, text: str, span: tuple[int, int]) -> OutputInvalid:
    """What is raised where the reader of a rule or terminal refuses a piece of a text."""
    piece = shorten(text[span[0] : span[1]])
    message = f"the text conforms, but the reader of {name!r} rejects {piece!r}, from character {span[0]}: {error!r}"
    return OutputInvalid(message, text=text, position=len(text), span=span)
