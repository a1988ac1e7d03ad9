"""What a text of a grammar is read as: trees, those of texts that arrive, and what becomes of several trees.

That trees are those of Lark, `tests/kernel/test_grammars_lark.py` tests.
"""

from __future__ import annotations

import copy
import pickle
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any

import pytest
from sums import SUMS, Add

import formwright as fw
from formwright import errors


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


def test_what_is_in_brackets_has_no_blanks_beside_its_text() -> None:
    text = r"""
        ?!start: ["aa" ["bb" T3?] | ["bb" | start T2 "bb"*]] | "aa" "bb" T3
        T2: /[ab]/
        T3: /b+/
    """
    tree = fw.grammar(text, read="tree").parse("bba")
    assert [str(child) for child in tree.children] == ["bb", "a"]


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
