"""Readers of the texts of grammars: callables by name, methods of objects, and transformers of Lark."""

from __future__ import annotations

import operator
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from sums import SUMS, Add

import formwright as fw
from formwright import errors

lark = pytest.importorskip("lark")


def test_readers_are_called_from_the_leaves_up() -> None:
    readers = {"NUMBER": int, "number": lambda value: value, "add": Add, "start": lambda value: value}
    form = fw.grammar(SUMS, read=readers)
    assert form.parse("1+(2+3)") == Add(1, Add(2, 3))
    assert form.parse("1+a") == Add(1, fw.Tree("name", (fw.Token("a"),)))
    assert fw.grammar(SUMS, read=readers | {"add": operator.add}).parse("1+2+3") == 6


class Values:
    """Methods of rules and terminals, and of what else there is."""

    def NUMBER(self, token: fw.Token) -> int:
        return int(token)

    def add(self, children: list[Any]) -> Any:
        return ("add", *children)

    def __default__(self, rule: str, children: list[Any], meta: Any) -> Any:
        return rule, meta.start, meta.end, children

    def __default_token__(self, token: fw.Token) -> str:
        return token.upper()


def test_methods_get_lists() -> None:
    assert fw.grammar(SUMS, read=Values()).parse("1+a") == (
        "start",
        0,
        3,
        [("add", ("number", 0, 1, [1]), ("name", 2, 3, ["A"]))],
    )


class Calculator(lark.Transformer):  # type: ignore[misc]
    """As the documentation of Lark writes them."""

    NUMBER = int

    def start(self, children: list[Any]) -> Any:
        return children[0]

    @lark.v_args(inline=True)
    def add(self, left: Any, right: Any) -> Any:
        return left + right

    @lark.v_args(meta=True)
    def number(self, meta: Any, children: list[Any]) -> Any:
        return children[0] * 10 + meta.start_pos

    def name(self, children: list[Any]) -> Any:
        token = children[0]
        assert (token.type, token.start_pos) == ("NAME", 0)
        if token == "drop":
            return lark.Discard
        raise KeyError(token)


class Double(lark.Transformer):  # type: ignore[misc]
    def add(self, children: list[Any]) -> Any:
        return lark.Tree("double", children)


def test_a_transformer_of_lark_works() -> None:
    form = fw.grammar(SUMS, read=Calculator())
    assert form.parse("1+(2+3)") == 10 + 23 + 35
    assert fw.grammar(SUMS, read=Double() * Calculator()).parse("1+2") == lark.Tree("double", [10, 22])


def test_a_transformer_of_lark_gives_what_it_gives_there() -> None:
    parser = lark.Lark(SUMS, parser="lalr", propagate_positions=True)
    form = fw.grammar(SUMS, read=Calculator())
    for text in ("1", "1+2+3", "(1+2)+34"):
        assert form.parse(text) == Calculator().transform(parser.parse(text))


@pytest.mark.parametrize("read", [{"name": lambda token: {}[token], "add": Add}, Calculator()])
def test_what_a_reader_refuses_has_its_place(read: Any) -> None:
    with pytest.raises(errors.OutputInvalid, match="the reader of 'name' rejects 'xyz', from character 0") as raised:
        fw.grammar(SUMS, read=read).parse("xyz+1")
    assert (raised.value.text, raised.value.position, raised.value.span) == ("xyz+1", 5, (0, 3))
    assert isinstance(raised.value.__cause__, KeyError)


def test_a_terminal_may_be_refused() -> None:
    with pytest.raises(errors.OutputInvalid, match="the reader of 'NUMBER' rejects '7'") as raised:
        fw.grammar(SUMS, read={"NUMBER": {"1": 1}.__getitem__}).parse("1 + 7")
    assert raised.value.span == (4, 5)


def test_a_fault_of_a_reader_passes() -> None:
    def fail(*_: Any) -> None:
        raise AttributeError("mine")

    with pytest.raises(AttributeError, match="mine"):
        fw.grammar(SUMS, read={"add": fail}).parse("1+1")


@dataclass
class Positive:
    value: int

    def __post_init__(self) -> None:
        if self.value == 0:
            raise TypeError("not zero")


class TwoArguments(lark.Transformer):  # type: ignore[misc]
    def add(self, left: Any, right: Any) -> Any:
        return left, right


@pytest.mark.parametrize(
    "read",
    [{"add": lambda only: only}, {"add": Positive}, {"NUMBER": pow}, TwoArguments()],
)
def test_a_reader_that_cannot_be_called_is_not_the_fault_of_the_text(read: Any) -> None:
    with pytest.raises(TypeError) as raised:
        fw.grammar(SUMS, read=read).parse("1+a")
    assert not isinstance(raised.value, errors.FormwrightError)


def test_a_type_error_inside_a_reader_refuses_the_text() -> None:
    form = fw.grammar(SUMS, read={"NUMBER": lambda token: Positive(int(token))})
    assert next(form.parse("1").find("number")).children == (Positive(1),)
    with pytest.raises(errors.OutputInvalid, match="not zero"):
        form.parse("0")


class Methods:
    """A method that gets too much, and what is not a method."""

    def add(self, left: Any, right: Any) -> Any:
        return left, right

    number = staticmethod(lambda children: children)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("add", Methods.add, "the method 'add' is called with 1 argument: "),
        ("number", 3, "expected a method 'number', got 3"),
        ("__default__", lambda self, rule: rule, "the method '__default__' is called with 3 arguments: "),
    ],
)
def test_methods_are_checked_when_the_form_is_made(name: str, value: Any, said: str) -> None:
    owner = type("Owner", (), {name: value, "NUMBER": int})()
    with pytest.raises(errors.ArgumentError, match=f"read: {said}") as raised:
        fw.grammar(SUMS, read=owner)
    assert raised.value.argument == "read"


class Catalogue:
    """Not of Lark, though it has its method."""

    def transform(self, children: list[Any]) -> Any:
        return children

    def add(self, children: list[Any]) -> Any:
        return tuple(children)


def test_only_a_transformer_of_lark_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fw.grammar(SUMS, read=Catalogue()).parse("1+2").children == (
        (fw.Tree("number", (fw.Token("1"),)), fw.Tree("number", (fw.Token("2"),))),
    )
    monkeypatch.setitem(sys.modules, "lark.visitors", None)
    assert fw.grammar(SUMS, read=Catalogue()).parse("1").rule == "start"


@pytest.mark.parametrize("text", ["1", "1 +\n (a\n\n+ bc) + 4\n", "\n\n1+ \n2"])
def test_trees_of_lark_have_their_lines_and_columns(text: str) -> None:
    class Places(lark.Transformer):  # type: ignore[misc]
        def __default__(self, rule: str, children: list[Any], meta: Any) -> Any:
            return [rule, vars(meta)["line"], meta.column, meta.end_line, meta.end_column, children]

        def __default_token__(self, token: Any) -> Any:
            return token.type, token.line, token.column, token.end_line, token.end_column, token.end_pos

    grammar = SUMS.replace('%ignore " "', "%ignore /[ \\n]/")
    expected = lark.Lark(grammar, parser="lalr", propagate_positions=True).parse(text)
    assert fw.grammar(grammar, read=Places()).parse(text) == Places().transform(expected)


WORDS = """
    !start: "let" NAME ("(" args ")")? ["+=" value] end
    args: NAME* -> names
    value: /[0-9]/ | pair{NAME}
    pair{x}: x ":" x
    end: nothing "."?
    nothing:
    NAME: /[a-z]/
"""


def _describe(tree: Any) -> Any:
    place = getattr(tree.meta, "line", None), getattr(tree.meta, "column", None)
    return str(tree.data), getattr(tree.data, "type", None), tree.meta.empty, place, tree.children


@pytest.mark.parametrize("text", ["letx", "letx()", "letx(ab)+=1.", "letx+=a:b"])
def test_a_transformer_of_lark_gets_its_tokens_and_trees(text: str) -> None:
    """Also tokens that have no name in the grammar, and trees that have no text."""

    class Described(lark.Transformer):  # type: ignore[misc]
        def LET(self, token: Any) -> Any:
            return "LET", token

        def LPAR(self, token: Any) -> Any:
            return "LPAR", token

        def __default_token__(self, token: Any) -> Any:
            return token.type, token

        def __default__(self, data: Any, children: list[Any], meta: Any) -> Any:
            return _describe(lark.Tree(data, children, meta))

        @lark.v_args(tree=True)
        def nothing(self, tree: Any) -> Any:
            return _describe(tree)

        args = names = nothing

    expected = lark.Lark(WORDS, parser="lalr", propagate_positions=True).parse(text)
    found = fw.grammar(WORDS, read=Described()).parse(text)
    assert found == Described().transform(expected)
    assert "('nothing', 'RULE', True, (None, None), [])" in str(found)


def test_an_empty_tree_of_lark_is_refused_at_its_place() -> None:
    class Refusing(lark.Transformer):  # type: ignore[misc]
        def nothing(self, _: Any) -> Any:
            raise ValueError("no")

    with pytest.raises(errors.OutputInvalid, match="the reader of 'nothing' rejects") as raised:
        fw.grammar(WORDS, read=Refusing()).parse("letx+=1.")
    assert raised.value.span == (7, 7)


def test_readers_of_terminals_without_names_have_those_of_lark() -> None:
    assert fw.grammar('!start: "let" "("', read={"LET": str.upper, "LPAR": "[".join}).parse("let(").children == (
        "LET",
        "(",
    )
    tree = fw.grammar('!start: "let" "+=" /x/ "let"i "ü" "_y" "("\nLPAR: "z"', read="tree").parse("let+=xLETü_y(")
    names = ["LET", "__ANON_0", "__ANON_1", "__ANON_2", "Ü", "_Y", "__ANON_3"]
    assert [child.name for child in tree.children if isinstance(child, fw.Token)] == names
    with pytest.raises(errors.ArgumentError, match="the grammar has no 'LET'"):
        fw.grammar('start: "let" /x/', read={"LET": str})  # it is left out of the tree, so the reader never runs
    (only,) = fw.grammar("root ::= 'a'", read="tree").parse("a").children
    assert isinstance(only, fw.Token)
    assert only.name == ""


@pytest.mark.parametrize(
    ("read", "said"),
    [
        ("trees", 'expected "tree", a mapping'),
        (len, 'expected "tree", a mapping'),
        (Values, 'expected "tree", a mapping'),
        ({"adds": Add}, "the grammar has no 'adds'"),
        ({"add": 3}, "read\\['add'\\]: expected a callable, got 3"),
    ],
)
def test_what_cannot_read_is_refused(read: Any, said: str) -> None:
    with pytest.raises(errors.ArgumentError, match=said) as raised:
        fw.grammar(SUMS, read=read)
    assert raised.value.argument == "read"
