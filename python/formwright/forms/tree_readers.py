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

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import signature
from typing import Any, Self

from formwright._kernel import Derivations, Language
from formwright.errors import ArgumentError, LimitExceeded, OutputAmbiguous, OutputInvalid
from formwright.forms.readers import encode_text, plain, spell_text
from formwright.forms.text_checks import is_of_call, shorten
from formwright.forms.trees import REFUSALS, Captures, Nodes, Token, Tree, fold, refusal

__all__ = ["CaptureReader", "TreeReader"]


class CaptureReader:
    """Reads a text as itself; its captured rules and terminals are named parts.

    Args:
        text: The grammar.
        source: How it is read, as arguments of the kernel.
    """

    __slots__ = ("_derivations", "_source", "_text")

    def __init__(self, text: str, source: Mapping[str, Any]) -> None:
        self._text, self._source = text, source
        self._derivations = Derivations(text, **source)

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), (self._text, self._source)

    @property
    def grammar(self) -> str:
        """The text of the grammar."""
        return self._text

    @property
    def language(self) -> Language:
        """The texts of the grammar."""
        return self._derivations.language

    @property
    def has_captures(self) -> bool:
        """Whether a rule or terminal is captured."""
        return self._derivations.has_captures

    def __call__(self, text: str) -> Any:
        """The value of a text that conforms."""
        return plain(text)

    def find_parts(self, data: bytes, *, is_open: bool = False) -> Captures:
        """The captured parts of a text, in the order in which they begin.

        Raises:
            LimitExceeded: Finding its tree takes too much work.
        """
        if not self.has_captures:
            return []
        found = self._derivations.read_begun(data) if is_open else self._derive(data)
        return found[2] if found else []

    def _derive(self, data: bytes, *, asks: bool = False) -> tuple[Nodes, tuple[int, int] | None, Captures] | None:
        try:
            return self._derivations.read(data, asks)
        except LimitExceeded as error:
            error.text = spell_text(data)
            raise


class TreeReader(CaptureReader):
    """Reads a text as its tree, or as what readers make of it; pickled with them.

    Args:
        text: The grammar.
        source: How it is read, as arguments of the kernel.
        read: ``"tree"``, a mapping, or an object with methods.
        ambiguous: ``"resolve"`` or ``"error"``.

    Raises:
        ArgumentError: There is no such ``read``, or it has a name that the grammar does not have.
    """

    __slots__ = ("_ambiguous", "_read", "_read_nodes", "_start")

    def __init__(self, text: str, source: Mapping[str, Any], read: Any, ambiguous: str) -> None:
        super().__init__(text, source)
        self._read, self._ambiguous = read, ambiguous
        names = self._derivations.names()
        self._start = names[0]
        self._read_nodes = _reader_of(read, names, frozenset(self._derivations.rules()))

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), (self._text, self._source, self._read, self._ambiguous)

    def __call__(self, text: str) -> Any:
        """The value of a text that conforms.

        Raises:
            OutputInvalid: A reader refuses a piece of it.
            OutputAmbiguous: It has several trees, which is an error.
            LimitExceeded: Finding its tree takes too much work.
        """
        found, shown = self._derive(encode_text(text), asks=self._ambiguous == "error"), plain(text)
        if found is None:
            raise OutputInvalid("the grammar does not derive the text", text=shown)
        nodes, span, _ = found
        if span is not None:
            raise _ambiguity(shown, span)
        return self._read_nodes(nodes, shown)

    def snapshot(self, text: str) -> Tree | None:
        """The tree of a text that is still being written, without what has not begun; readers are not called yet.

        What ends where the text ends so far may go on. It is the tree of one of the shortest ways to complete the text.
        A text with control tokens, whose names are plain text while it is written, has none.
        """
        if self.language.control_tokens:
            return None
        found = self._derivations.read_begun(encode_text(text))
        if found is None:
            return None
        tree = fold(found[0], text, read_tree=lambda tree: replace(tree, is_complete=tree.end < len(text)))
        return replace(_root(tree, self._start), is_complete=False)


def _ambiguity(text: str, span: tuple[int, int]) -> OutputAmbiguous:
    piece = shorten(text[span[0] : span[1]])
    message = f"the grammar derives {piece!r}, from character {span[0]}, in several ways"
    hint = 'change the grammar, or pass ambiguous="resolve" to take the first'
    return OutputAmbiguous(message, hint=hint, text=text, position=len(text), span=span)


def _reader_of(read: Any, names: list[str], rules: frozenset[str]) -> Callable[[Nodes, str], Any]:
    if read == "tree":
        return lambda nodes, text: _root(fold(nodes, text), names[0])
    if isinstance(read, Mapping):
        _check_readers(read, names)
        return lambda nodes, text: _fold_with(_ArgumentReaders(read), nodes, text)
    if isinstance(read, str | type) or callable(read):
        message = f'read: expected "tree", a mapping from names to readers, or an object with methods, got {read!r}'
        raise ArgumentError(message, argument="read")
    if _is_transformer(read):
        from formwright.forms.lark_trees import transform

        return lambda nodes, text: transform(read, nodes, text, rules)
    _check_methods(read, names)
    return lambda nodes, text: _fold_with(_MethodReaders(read), nodes, text)


def _is_transformer(read: object) -> bool:
    """Whether it is a Transformer of Lark, or several in a row; nothing is, where Lark has not been imported."""
    visitors = sys.modules.get("lark.visitors")
    return visitors is not None and isinstance(read, visitors.Transformer | visitors.TransformerChain)


def _check_methods(owner: object, names: list[str]) -> None:
    for name, count in [*((name, 1) for name in names), ("__default__", 3), ("__default_token__", 1)]:
        method = getattr(owner, name, None)
        if method is None:
            continue
        if not callable(method):
            raise ArgumentError(f"read: expected a method {name!r}, got {method!r}", argument="read")
        try:
            signature(method).bind(*[None] * count)
        except TypeError as error:
            message = f"read: the method {name!r} is called with {count} argument{'s' * (count > 1)}: {error}"
            raise ArgumentError(message, argument="read") from error
        except ValueError:
            continue  # written in C, without a signature


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
        TypeError: One cannot be called with these arguments.
    """

    def read_token(token: Token) -> Any:
        try:
            return readers.read_token(token)
        except REFUSALS as error:
            if is_of_call(error):
                raise
            raise refusal(error, token.name, text, (token.start, token.end)) from error

    def read_tree(tree: Tree) -> Any:
        try:
            return readers.read_tree(tree)
        except REFUSALS as error:
            if is_of_call(error):
                raise
            raise refusal(error, tree.rule, text, (tree.start, tree.end)) from error

    return fold(nodes, text, read_token, read_tree)
