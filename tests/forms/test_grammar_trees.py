"""What a text of a grammar is read as: trees, readers, transformers of Lark, and what becomes of several trees.

That trees are those of Lark, `tests/kernel/test_grammars_lark.py` tests.
"""

from __future__ import annotations

import copy
import operator
import pickle
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any

import pytest

import formwright as fw
from formwright import errors

lark = pytest.importorskip("lark")

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


def test_a_tree_has_rules_tokens_and_places() -> None:
    text = " 12 + (a+b) "
    tree = fw.grammar(SUMS, read="tree").parse(text)
    number = fw.Tree("number", (fw.Token("12", "NUMBER"),))
    inner = fw.Tree("add", (fw.Tree("name", (fw.Token("a"),)), fw.Tree("name", (fw.Token("b"),))))
    assert tree == fw.Tree("start", (fw.Tree("add", (number, inner)),))
    assert [(found.rule, text[found.start : found.end]) for found in tree.find("add")] == [
        ("add", "12 + (a+b)"),
        ("add", "a+b"),
    ]
    names = [name.children[0] for name in tree.find("name")]
    assert [(token, token.name, text[token.start : token.end]) for token in names if isinstance(token, fw.Token)] == [
        ("a", "NAME", "a"),
        ("b", "NAME", "b"),
    ]
    assert tree.pretty().splitlines() == [
        "start",
        "  add",
        "    number",
        "      NUMBER '12'",
        "    add",
        "      name",
        "        NAME 'a'",
        "      name",
        "        NAME 'b'",
    ]


def test_trees_are_values() -> None:
    form = fw.grammar(SUMS, read="tree")
    tree, other = form.parse("1+a"), form.parse("1 +  a")
    assert tree == other
    assert hash(tree) == hash(other)
    assert tree != form.parse("1+b")
    assert tree != form.parse("(1+a)+a")
    assert tree != "1+a"
    assert eval(repr(tree), {"Tree": fw.Tree, "Token": fw.Token}) == tree
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree == copy.deepcopy(tree)
    token = next(again.find("name")).children[0]
    assert (token.name, token.start, token.end) == ("NAME", 2, 3)
    with pytest.raises(AttributeError):
        tree.rule = "x"  # type: ignore[misc]


def test_the_root_is_a_tree() -> None:
    assert fw.grammar("?start: A\nA: /a+/", read="tree").parse("aa") == fw.Tree("start", (fw.Token("aa"),))
    assert fw.grammar("?start: [A]\nA: /a+/", read="tree").parse("") == fw.Tree("start", (None,))
    assert fw.grammar("?start: A\nA: /1+/", read={"A": int}).parse("11") == 11


def test_gbnf_has_a_tree_for_every_rule_and_a_token_for_every_terminal() -> None:
    tree = fw.grammar('root ::= item ("," item)*\nitem ::= [a-z]+', read="tree").parse("ab,c")
    items = fw.Tree("item", (fw.Token("a"), fw.Token("b"))), fw.Tree("item", (fw.Token("c"),))
    assert tree == fw.Tree("root", (items[0], fw.Token(","), items[1]))


def test_other_forms_are_tokens_by_their_names() -> None:
    forms = {"day": fw.format("date")}
    grammar = 'start: @day "," %json {"type": "integer"}'
    tree = fw.grammar(grammar, forms=forms, read="tree").parse("2026-01-31,-5")
    assert [(str(child), child.name) for child in tree.children if isinstance(child, fw.Token)] == [
        ("2026-01-31", "@day"),
        ("-5", "%json"),
    ]
    assert (
        fw.grammar(grammar, forms=forms, read={"%json": int, "start": lambda _, count: count}).parse("2026-01-31,-5")
        == -5
    )


def test_a_guard_that_another_form_cuts_short_does_not_keep_a_text_from_its_tree() -> None:
    grammar = 'start: INT @dot INT "!" | FLOAT\nINT: /[0-9]+/\nFLOAT: /[0-9]+[.][0-9]+/'
    form = fw.grammar(grammar, forms={"dot": fw.choice(".")}, read="tree")
    assert spell(form.parse("1.5")) == "start(1.5)"
    assert form.matches("1.5!")  # though a lexer would take the number
    assert spell(form.parse("1.5!")) == "start(1 . 5)"


@dataclass(frozen=True)
class Even(fw.CharacterParser):
    """An even number of the letter x."""

    odd: bool = False

    def allowed_characters(self) -> str:
        return "x"

    def add_character(self, character: str) -> Even:
        return Even(not self.odd)

    def can_end(self) -> bool:
        return not self.odd


def test_a_parser_in_a_grammar_is_a_token() -> None:
    form = fw.grammar('start: "(" (@even | start) ")"', forms={"even": Even() | "y"}, read="tree")
    assert spell(form.parse("((xxxx))")) == "start(start(xxxx))"


def test_control_tokens_are_tokens() -> None:
    form = fw.grammar("root ::= <think> [a-z] </think> end\nend ::= 'é'", read="tree")
    tree = form.parse("<think>x</think>é")
    assert [(str(child), child.start) for child in tree.children if isinstance(child, fw.Token)] == [
        ("<think>", 0),
        ("x", 7),
        ("</think>", 8),
    ]
    assert (next(tree.find("end")).start, tree.end) == (16, 17)


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


AMBIGUOUS = [
    ('start: s\ns: s s | A\nA: "a"', "aaa", "start(s(s(s(a) s(a)) s(a)))", (0, 3)),
    ('start: low | high\nlow: A\nhigh.2: A\nA: "a"', "a", "start(high(a))", (0, 1)),
    ('start: X a* b*\na: A\nb: A\nX: "x"\nA: "a"', "xaa", "start(x a(a) a(a))", (0, 3)),
    ('start: X pair\npair: [A] [A]\nX: "x"\nA: "a"', "xa", "start(x pair(a -))", (1, 2)),
]


def spell(node: Any) -> str:
    if isinstance(node, fw.Tree):
        return f"{node.rule}({' '.join(map(spell, node.children))})"
    return "-" if node is None else str(node)


@pytest.mark.parametrize(("grammar", "text", "first", "span"), AMBIGUOUS)
def test_of_several_trees_the_first_is_taken_or_none(
    grammar: str, text: str, first: str, span: tuple[int, int]
) -> None:
    assert spell(fw.grammar(grammar, read="tree").parse(text)) == first
    form = fw.grammar(grammar, read="tree", ambiguous="error")
    with pytest.raises(errors.OutputAmbiguous, match="in several ways") as raised:
        form.parse(text)
    assert (raised.value.span, raised.value.text) == (span, text)
    assert raised.value.hint is not None


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        ('start: word*\nword: WORD | WORD\nWORD: /[a-z]+/\n%ignore " "', "a bc " * 40),
        ('start: "a" | "a"', "a"),
        ('start: "a" "b"? "b"?', "ab"),
        ('root ::= "a" ("b" | "b" | b)*\nb ::= "c"', "abcb"),
    ],
)
def test_two_ways_to_one_tree_are_not_ambiguous(grammar: str, text: str) -> None:
    form = fw.grammar(grammar, read="tree", ambiguous="error")
    assert form.parse(text) == fw.grammar(grammar, read="tree").parse(text)


def test_two_ways_to_cut_what_is_ignored_are_not_ambiguous() -> None:
    options: dict[str, Any] = {"lexing": "any", "read": "tree", "ambiguous": "error"}
    form = fw.grammar('start: "a" @b\n%ignore " "', forms={"b": fw.regex("b*")}, **options)
    assert form.parse("a  ") == fw.Tree("start", (fw.Token("", "@b"),))
    form = fw.grammar('start: "a" @b\n%ignore " "', forms={"b": fw.regex(" *")}, **options)
    with pytest.raises(errors.OutputAmbiguous):  # what the form takes is in the tree
        form.parse("a  ")


def test_a_text_with_one_tree_is_not_ambiguous() -> None:
    form = fw.grammar(SUMS, read="tree", ambiguous="error")
    assert form.parse("1 + (2+3)") == fw.grammar(SUMS, read="tree").parse("1+(2+3)")


@pytest.mark.parametrize(
    ("options", "argument"), [({"ambiguous": "error"}, "ambiguous"), ({"ambiguous": "no"}, "ambiguous")]
)
def test_what_becomes_of_several_trees_is_checked(options: dict[str, Any], argument: str) -> None:
    with pytest.raises(errors.ArgumentError) as raised:
        fw.grammar(SUMS, **options)
    assert raised.value.argument == argument


def test_too_many_trees_are_a_limit_that_keeps_the_text() -> None:
    form = fw.grammar('start: s\ns: s s | "a"', read="tree")
    with pytest.raises(errors.LimitExceeded) as raised:
        form.parse("a" * 3000)
    assert raised.value.text == "a" * 3000


def test_forms_keep_their_readers() -> None:
    form = fw.grammar(SUMS, read="tree")
    again = pickle.loads(pickle.dumps(form))
    assert again.parse("1+2") == form.parse("1+2")
    assert pickle.loads(pickle.dumps(fw.grammar(SUMS, read={"add": Add}))).parse("a+b").children[0].left.rule == "name"
    assert fw.Form.from_bytes(form.to_bytes()).parse("1+2") == "1+2"
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(fw.grammar(SUMS, read={"add": lambda *_: None}))


def test_trees_are_values_of_compositions() -> None:
    form = "=" + fw.grammar(SUMS, read={"NUMBER": int, "number": int, "start": int}) + ";"
    assert form.parse("=12;") == 12
    both = fw.grammar(SUMS, read="tree") + fw.form(bool)
    tree, flag = both.parse("1true")
    assert (tree.rule, flag) == ("start", True)


DEEP = 'start: "[" start "]" | A\nA: "a"'


def test_deep_texts_have_deep_trees() -> None:
    form, deep = fw.grammar(DEEP, read="tree"), sys.getrecursionlimit() * 2
    text = "[" * deep + "a" + "]" * deep
    trees: list[fw.Tree] = []
    threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=lambda: trees.append(form.parse(text)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(0)
    assert sum(1 for _ in trees[0].find("start")) == deep + 1
    assert trees[0] == form.parse(text)
    assert repr(trees[0]).count("Tree(") == deep + 1
    assert len(trees[0].pretty(indent="").splitlines()) == deep + 2


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        ('start: NUMBER ("," NUMBER)*\nNUMBER: /[0-9]+/', "12," * 5000 + "1"),
        ('start: list\nlist: NUMBER "," list | NUMBER\nNUMBER: /[0-9]+/', "12," * 5000 + "1"),
        (SUMS, "1 + (a+2) + " * 1500 + "3"),
    ],
)
def test_long_texts_are_read_at_once(grammar: str, text: str) -> None:
    read = fw.grammar(grammar, read="tree").read
    begin = time.perf_counter()
    tree = read(text)
    assert time.perf_counter() - begin < 2  # 0.1 on an idle machine
    assert tree.end == len(text)


def test_a_model_writes_a_tree() -> None:
    model = fw.load("formwright-tiny")
    form = fw.grammar(SUMS, read="tree")
    result = model.generate("Ada adds.", form, max_tokens=16)
    assert result.value == form.parse(result.text)
    with model.stream("Ada adds.", form, max_tokens=16) as stream:
        snapshots = [(piece.text, piece.partial.value) for piece in stream]
    assert all(isinstance(tree, fw.Tree) and not tree.is_complete for _, tree in snapshots)
    assert isinstance(stream.result, fw.Complete)
    assert stream.result.value == form.parse("".join(text for text, _ in snapshots))


def test_a_text_that_arrives_has_the_tree_so_far() -> None:
    incoming = fw.partial(fw.grammar(SUMS, read={"NUMBER": int}))
    assert incoming.value.value is None
    value = incoming.feed("(12+ 3").value
    assert value.pretty().splitlines()[1:4] == ["  add", "    number", "      NUMBER '12'"]
    twelve, three = value.find("number")
    assert (twelve.is_complete, three.is_complete, value.is_complete) == (True, False, False)
    assert incoming.feed(")").state == "partial"
    assert [child.is_complete for child in incoming.value.value.find("add")] == [True]
    whole = incoming.finish()
    assert whole == fw.grammar(SUMS, read={"NUMBER": int}).parse("(12+3)")
    assert incoming.value.value == whole


def test_the_trees_of_all_beginnings_of_a_text_grow() -> None:
    form = fw.grammar(SUMS, read="tree")
    text = "(a + 12) + (3+b)"
    for length in range(1, len(text) + 1):
        incoming = fw.partial(form)
        tree = incoming.feed(text[:length]).value
        assert tree.start == 0
        assert len(text[:length].rstrip()) <= tree.end <= length
        tokens = [child for node in tree.find("number") for child in node.children if isinstance(child, fw.Token)]
        assert all(text[token.start : token.end] == token for token in tokens)


def test_what_is_complete_in_a_tree_so_far_may_be_wrapped_or_replaced() -> None:
    form = fw.grammar('start: sum\nsum: sum "+" N | N\nN: /[0-9]+/\n%ignore " "', read="tree")
    incoming = fw.partial(form)
    (one,) = incoming.feed("1 ").value.find("sum")
    (start, wrapped, again) = (*incoming.feed("+").value.find("start"), *incoming.value.value.find("sum"))
    assert (start.is_complete, wrapped.is_complete) == (False, False)
    assert (one.is_complete, again.is_complete) == (True, True)
    assert (one, one.start, one.end) == (again, again.start, again.end)
    decided_later = fw.partial(fw.grammar('start: a "x" | b "yy"\na: N\nb: N\nN: /[0-9]/\n%ignore " "', read="tree"))
    assert [child.is_complete for child in decided_later.feed("1 ").value.find("a")] == [True]
    assert list(decided_later.feed("y").value.find("a")) == []


CAPTURES = r"""
    start: pair (";" pair)*
    pair[capture]: KEY "=" value
    value[capture="v"]: NUMBER | "(" value ")"
    KEY[capture="key"]: /[a-zé]+/
    NUMBER: /[0-9]+/
    %ignore " "
"""


@pytest.mark.parametrize("read", [None, "tree"])
def test_captured_rules_are_parts(read: Any) -> None:
    form = fw.grammar(CAPTURES, read=read)
    text = "é = (1);b=22 "
    assert [(part.name, part.text, part.is_complete) for part in form.parts(text)] == [
        ("pair", "é = (1)", True),
        ("key", "é", True),
        ("v", "(1)", True),
        ("v", "1", True),
        ("pair", "b=22", True),
        ("key", "b", True),
        ("v", "22", True),
    ]
    assert all(text.encode()[part.start : part.end].decode() == part.text for part in form.parts(text))
    assert form.parse(text) == (text if read is None else form.read(text))
    assert [(part.name, part.text, part.is_complete) for part in form.parts("é = (1")] == [
        ("pair", "é = (1", False),
        ("key", "é", True),
        ("v", "(1", False),
        ("v", "1", False),
    ]


def test_captured_parts_are_found_in_compositions_runs_and_streams() -> None:
    form = "<" + fw.grammar(CAPTURES) + "><" + fw.grammar(CAPTURES) + ">"
    assert [part[:4] for part in form.parts("<a=1><b=2>") if part.name == "v"] == [("v", "1", 3, 4), ("v", "2", 8, 9)]
    assert form.parse("<a=1><b=2>") == "<a=1><b=2>"
    matcher = fw.compile(
        form, fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[256])
    ).matcher()
    matcher.accept_bytes(b"<a=1>")
    assert [part.name for part in matcher.parts()] == ["pair", "key", "v"]
    model = fw.load("formwright-tiny")
    captures = fw.grammar('start: "Sum: " total\ntotal[capture]: /[0-9]{1,3}/')
    result = model.generate("Ada adds.", captures, max_tokens=12)
    assert (result.parts[0].name, "Sum: " + result.parts[0].text) == ("total", result.value)
    again = pickle.loads(pickle.dumps(captures))
    assert again.parts("Sum: 12") == captures.parts("Sum: 12") == (("total", "12", 5, 7, True),)


def test_captured_parts_are_found_in_each_repetition() -> None:
    twice = fw.grammar('start: "(" key ")"\nkey[capture]: /[a-z]*/').repeat(1, 2)
    assert [part[:4] for part in twice.parts("(a)(b)")] == [("key", "a", 1, 2), ("key", "b", 4, 5)]
    assert [(part.text, part.is_complete) for part in twice.parts("(a)(b")] == [("a", True), ("b", False)]
    assert twice.parse("(a)(b)") == "(a)(b)"
    assert ("- " + twice + "\n").repeat(2).parts("- (a)\n- (b)(c)\n")[-1].text == "c"
    assert [part.text for part in fw.many(twice, sep=", ").parts("(a)(b), (c)")] == ["a", "b", "c"]
    assert pickle.loads(pickle.dumps(twice)).parts("(a)") == twice.parts("(a)")


def test_gbnf_captures_and_a_word_that_is_not_an_attribute() -> None:
    form = fw.grammar('root ::= "<" a ">"\na[capture="x"] ::= [a-z]+ ')
    assert form.parts("<ab>") == (("x", "ab", 1, 3, True),)
    assert fw.grammar('root ::= "capture"').parts("capture") == ()


def test_a_grammar_inside_is_a_tree_in_the_tree() -> None:
    form = fw.grammar('start: A %lark { start: (B | C)+\nB: "b"\nC: "c" } A\nA: "a"', read="tree")
    inner = fw.Tree("%lark", (fw.Tree("start", (fw.Token("b"), fw.Token("c"))),))
    assert form.parse("abca") == fw.Tree("start", (fw.Token("a"), inner, fw.Token("a")))
    read = {"%lark": lambda child: child, "start": lambda *children: list(children), "C": str.upper}
    assert fw.grammar('start: A %lark { start: (B | C)+\nB: "b"\nC: "c" } A\nA: "a"', read=read).parse("abca") == [
        "a",
        ["b", "C"],
        "a",
    ]
