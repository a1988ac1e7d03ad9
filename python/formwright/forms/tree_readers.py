r"""What a text of a grammar is read as, from its tree.

::

    from operator import add

    sums = fw.grammar('''
        start: sum
        sum: sum "+" NUMBER -> add | NUMBER
        NUMBER: /[0-9]+/
    ''', read={"NUMBER": int, "add": add, "sum": int, "start": int})
    sums.parse("1+2+3")                    # 6

The kernel derives the text from the grammar as it is written. Readers are then called from the leaves up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Self

from formwright._kernel import Derivations, Language
from formwright.errors import ArgumentError, LimitExceeded, OutputAmbiguous, OutputInvalid
from formwright.forms.readers import encode_text, plain
from formwright.forms.text_checks import shorten
from formwright.forms.trees import REFUSALS, Nodes, Token, Tree, fold, refusal

__all__ = ["TreeReader"]


class TreeReader:
    """Reads a text as its tree, or as what readers make of it; pickled with them.

    Args:
        language: The language of the grammar.
        text: The grammar.
        source: How it is read, as arguments of the kernel.
        read: ``"tree"``, a mapping, or an object with methods.
        ambiguous: ``"resolve"`` or ``"error"``.

    Raises:
        ArgumentError: There is no such ``read``, or it has a name that the grammar does not have.
    """

    __slots__ = ("_arguments", "_asks", "_derivations", "_language", "_read_nodes", "_start")

    def __init__(self, language: Language, text: str, source: Mapping[str, Any], read: Any, ambiguous: str) -> None:
        self._arguments = (language, text, source, read, ambiguous)
        self._asks, self._language = ambiguous == "error", language
        self._derivations = Derivations(text, **source)
        names = self._derivations.names()
        self._start, self._read_nodes = names[0], _reader_of(read, names)

    def __reduce__(self) -> tuple[type[Self], tuple[Language, str, Mapping[str, Any], Any, str]]:
        return type(self), self._arguments

    def __call__(self, text: str) -> Any:
        """The value of a text that conforms.

        Raises:
            OutputInvalid: A reader refuses a piece of it.
            OutputAmbiguous: It has several trees, which is an error.
            LimitExceeded: Finding its tree takes too much work.
        """
        data, shown = encode_text(text), plain(text)
        try:
            found = self._derivations.read(data, self._asks)
        except LimitExceeded as error:
            error.text = shown
            raise
        if found is None:
            raise OutputInvalid("the grammar does not derive the text", text=shown)
        nodes, span = found
        if span is not None:
            raise _ambiguity(shown, span)
        return self._read_nodes(nodes, shown)

    def snapshot(self, text: str) -> Tree | None:
        """The tree of a text that is still being written, without what has not begun; readers are not called yet.

        What ends where the text ends so far may go on. It is the tree of one of the shortest ways to complete the text.
        A text with control tokens, whose names are plain text while it is written, has none.
        """
        if self._language.control_tokens:
            return None
        found = self._derivations.read_begun(self._language, encode_text(text))
        if found is None:
            return None
        tree = fold(found[0], text, read_tree=lambda tree: replace(tree, is_complete=tree.end < len(text)))
        return replace(_root(tree, self._start), is_complete=False)


def _ambiguity(text: str, span: tuple[int, int]) -> OutputAmbiguous:
    piece = shorten(text[span[0] : span[1]])
    message = f"the grammar derives {piece!r}, from character {span[0]}, in several ways"
    hint = 'change the grammar, or pass ambiguous="resolve" to take the first'
    return OutputAmbiguous(message, hint=hint, text=text, position=len(text), span=span)


def _reader_of(read: Any, names: list[str]) -> Callable[[Nodes, str], Any]:
    if read == "tree":
        return lambda nodes, text: _root(fold(nodes, text), names[0])
    if isinstance(read, Mapping):
        _check_readers(read, names)
        return lambda nodes, text: _fold_with(_ArgumentReaders(read), nodes, text)
    if isinstance(read, str | type) or callable(read):
        message = f'read: expected "tree", a mapping from names to readers, or an object with methods, got {read!r}'
        raise ArgumentError(message, argument="read")
    if callable(getattr(read, "transform", None)):
        from formwright.forms.lark_trees import transform

        return lambda nodes, text: transform(read, nodes, text)
    return lambda nodes, text: _fold_with(_MethodReaders(read), nodes, text)


def _check_readers(readers: Mapping[str, Any], names: list[str]) -> None:
    for name, reader in readers.items():
        if name not in names:
            hint = f"its names are {', '.join(known for known in names if known)}"
            raise ArgumentError(f"read: the grammar has no {name!r}", hint=shorten(hint, 200), argument="read")
        if not callable(reader):
            raise ArgumentError(f"read[{name!r}]: expected a callable, got {reader!r}", argument="read")


def _root(tree: Tree | Token | None, start: str) -> Tree:
    """The tree of the start rule, where ``?start`` was replaced by its only child."""
    if isinstance(tree, Tree):
        return tree
    place = (tree.start, tree.end) if isinstance(tree, Token) else (0, 0)
    return Tree(start, (tree,), *place)


class _ArgumentReaders:
    """Readers by name, which get the children of a rule as arguments."""

    def __init__(self, readers: Mapping[str, Callable[..., Any]]) -> None:
        self._readers = readers

    def read_token(self, token: Token) -> Any:
        reader = self._readers.get(token.name)
        return token if reader is None else reader(token)

    def read_tree(self, tree: Tree) -> Any:
        reader = self._readers.get(tree.rule)
        return tree if reader is None else reader(*tree.children)


class _MethodReaders:
    """Methods of an object, which get the children of a rule as a list."""

    def __init__(self, owner: object) -> None:
        self._owner = owner

    def read_token(self, token: Token) -> Any:
        read = getattr(self._owner, token.name or "__default_token__", None)
        read = read or getattr(self._owner, "__default_token__", None)
        return token if read is None else read(token)

    def read_tree(self, tree: Tree) -> Any:
        read = getattr(self._owner, tree.rule, None)
        if read is not None:
            return read(list(tree.children))
        read = getattr(self._owner, "__default__", None)
        return tree if read is None else read(tree.rule, list(tree.children), tree)


def _fold_with(readers: _ArgumentReaders | _MethodReaders, nodes: Nodes, text: str) -> Any:
    """What readers make of a derivation, from the leaves up.

    Raises:
        OutputInvalid: One of them refuses a piece of the text.
    """

    def read_token(token: Token) -> Any:
        try:
            return readers.read_token(token)
        except REFUSALS as error:
            raise refusal(error, token.name, text, (token.start, token.end)) from error

    def read_tree(tree: Tree) -> Any:
        try:
            return readers.read_tree(tree)
        except REFUSALS as error:
            raise refusal(error, tree.rule, text, (tree.start, tree.end)) from error

    return fold(nodes, text, read_token, read_tree)
