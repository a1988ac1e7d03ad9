"""Random grammars against Lark: what conforms to a form is what Lark's contextual LALR parser parses, into equal trees.

A grammar that has conflicts, or whose lexer would take a shorter match because of the order of its terminals, says
something else to Lark; such grammars are passed over.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
from collections import Counter
from typing import Literal

import pytest
from lark_grammars import ALL, parsers, parses, random_escapes, random_labels, random_pattern
from lark_trees import check_tree, lark

import formwright as fw

COUNT, SEED = int(os.environ.get("GRAMMARS", "150")), int(os.environ.get("SEED", "1"))
SAID = "some texts that Lark reads do not conform"


@pytest.mark.parametrize("asks_ahead", [False, True])
def test_what_conforms_is_what_lark_parses(asks_ahead: bool) -> None:
    seen: Counter[str] = Counter()
    for grammar, parser, form in parsers(COUNT, SEED, asks_ahead=asks_ahead):
        ours = {text for text in ALL if form is not None and form.matches(text)}
        theirs = {text for text in ALL if parses(parser, text)}
        assert ours <= theirs, f"{grammar}\n{sorted(ours - theirs)[:5]}"
        if ours < theirs:
            said = str(form.explain() if form else "")
            assert SAID in said or "texts are left out" in said, f"{grammar}\n{sorted(theirs - ours)[:5]}"
        seen["equal" if ours == theirs else "fewer"] += 1
        seen["empty"] += not ours
    print(dict(seen))
    assert seen["equal"] > (20 if asks_ahead else 100) * seen["fewer"]  # texts are left out of some lazy terminals


@pytest.mark.parametrize("lexing", ["longest", "basic"])
def test_a_lexer_looks_for_no_terminal_that_rules_do_not_use(lexing: Literal["longest", "basic"]) -> None:
    seen: Counter[str] = Counter()
    for grammar, parser, form in parsers(COUNT, SEED, has_unused=True, lexing=lexing):
        for text in ALL:
            conforms = form is not None and form.matches(text)
            assert conforms == parses(parser, text), f"{grammar}\n{text!r}"
            seen["conform"] += conforms
    assert seen["conform"] > COUNT


@pytest.mark.parametrize("has_shapes", [False, True])
def test_trees_are_those_of_lark(has_shapes: bool) -> None:
    seen: Counter[str] = Counter()
    for grammar, parser, form in parsers(2 * COUNT, SEED, has_shapes=has_shapes):
        seen["grammars"] += 1
        for text in ALL:
            if form is None or not form.matches(text) or not parses(parser, text):
                continue
            said = f"{grammar}\n{text!r}"
            try:
                check_tree(form.parse(text), parser.parse(text), said)
                seen["trees"] += 1
            except AssertionError:
                if has_one_tree(grammar, text):  # else a conflict of which Lark says nothing, as in `start: start? |`
                    check_tree(form.parse(text), parser.parse(text), said, has_blanks=False)  # `[B*]`: is it there?
                seen["otherwise"] += 1
    print(dict(seen))
    assert seen["trees"] > 3 * seen["grammars"]
    assert seen["trees"] > 100 * seen["otherwise"]


def test_explain_tells_where_lark_takes_a_shorter_match() -> None:
    texts = ["".join(some) for count in range(1, 6) for some in itertools.product("ab.", repeat=count)]
    pool = [
        "/a+/",
        "/b+/",
        "/[ab]+/",
        "/ab?/",
        "/ba*/",
        "/a*b/",
        "/[ab]/",
        "/[a.]+/",
        "/(ab)+/",
        "/b+[.]?/",
        '"ab"',
        '"a."',
    ]
    dice, seen = random.Random(SEED), Counter[str]()
    for _ in range(2 * COUNT):
        chosen = dice.sample(pool, dice.randint(2, 4))
        lines = [f"T{at}{dice.choice(['', '', '', '.1'])}: {written}" for at, written in enumerate(chosen)]
        grammar = "\n".join([f"start: ({' | '.join(f'T{at}' for at in range(len(chosen)))})*", *lines])
        parser, form = lark.Lark(grammar, parser="lalr"), fw.grammar(grammar, read="tree")
        differs = any(tokens_of(form, text) != lark_tokens(parser, text) for text in texts)
        said = "to Lark, T" in str(form.explain())
        assert said == differs, f"{grammar}\n{form.explain()}"
        seen["said" if said else "not said"] += 1
    print(dict(seen))
    assert min(seen["said"], seen["not said"]) > COUNT / 10


def tokens_of(form: fw.Form[fw.Tree], text: str) -> list[tuple[str, str]] | None:
    if not form.matches(text):
        return None
    return [(child.name, str(child)) for child in form.parse(text).children if isinstance(child, fw.Token)]


def lark_tokens(parser: lark.Lark, text: str) -> list[tuple[str, str]] | None:
    try:
        return [(token.type, str(token)) for token in parser.parse(text).children]
    except lark.exceptions.LarkError:
        return None


def test_the_shorter_match_of_lark_may_be_what_is_ignored() -> None:
    (remark,) = fw.grammar('start: (NL "x" | WS)*\nNL: /(\\r?\\n)+/\nWS: /[ \\n]+/').explain()
    assert remark.note.startswith("to Lark, NL comes before WS, also where its match is shorter")
    assert (remark.pointer, remark.status) == ("2:1", "remark")
    ignored = 'start: (NL "x")*\nNL: /(\\r?\\n)+/\nWS: /[ \\n]+/\n%ignore WS'
    assert "to Lark, NL comes before WS" in str(fw.grammar(ignored).explain())
    apart = 'start: NL "x" WS\nNL: /(\\r?\\n)+/\nWS: /[ \\n]+/'
    assert not fw.grammar(apart).explain()
    assert fw.grammar(apart, lexing="basic").explain()
    assert not fw.grammar(apart, lexing="any").explain()


def test_terminals_without_names_are_called_as_in_lark() -> None:
    dice, seen = random.Random(SEED), Counter[str]()
    for _ in range(4 * COUNT):
        grammar, text = random_labels(dice)
        try:
            theirs = lark.Lark(grammar, parser="lalr").parse(text)
        except lark.exceptions.LarkError:
            seen["of no text, or ambiguous"] += 1
            continue
        form = fw.grammar(grammar, read="tree")
        if form.matches(text):  # else a lexer takes a longer match
            check_tree(form.parse(text), theirs, f"{grammar}\n{text!r}")
            seen["trees"] += 1
            seen["numbered"] += "__ANON" in str(theirs)
    print(dict(seen))
    assert seen["trees"] > COUNT / 2
    assert seen["numbered"] > COUNT / 4


def test_of_two_terminals_with_one_text_that_of_lark_is_taken() -> None:
    dice = random.Random(SEED)
    seen: Counter[str] = Counter()
    while seen["grammars"] < 2 * COUNT:
        lines = ["%import common (LETTER, INT, WORD)"]
        names = ["LETTER", "INT", "WORD"]
        for name in dice.sample(["A", "_B", "C", "_D"], 4):
            lines.append(f"{name}: {random_pattern(dice, names)}")
            names.append(name)
        first, second = names[-1], dice.choice([names[-2], names[-2], "/[a-y]/", "/[.a]/i", '"q"', "WORD"])
        grammar = "\n".join([f'start: {first} "§" | {second} "¶"', *lines])
        try:
            parser = lark.Lark(grammar, parser="lalr")
            form = fw.grammar(grammar)
        except (lark.exceptions.LarkError, fw.errors.LanguageError, fw.errors.LimitExceeded):
            continue
        seen["grammars"] += 1
        for text in (letter + sign for letter in 'aAqQz.+\t\n"/1 ' for sign in "§¶"):
            assert form.matches(text) == parses(parser, text), f"{grammar}\n{text!r}"
            seen["taken"] += form.matches(text)
    assert seen["taken"] > seen["grammars"]


def test_texts_beside_expressions_that_ask_what_follows_are_those_of_lark_or_are_said_to_be_fewer() -> None:
    """Lark looks for a text in place of an expression that also matches it."""
    texts = ["".join(some) for count in range(1, 4) for some in itertools.product("abc", repeat=count)]
    asking = [r"/a\B/", "/a(?=a)/", "/a(?!b)/", "/a(?=.)/", "/a(?=ab|c)/", r"/a\b/"]
    matching = ["/ab?/", "/[ac]/", "/a+/", "/a(?!c)/", "/ca|a/", '"a" | "c"', r"/a\b/"]
    seen: Counter[str] = Counter()
    for first, second, order in itertools.product(asking, matching, ("AB", "BA")):
        rules = f'start: {order[0]} "c" | {order[1]} "b" | "a" "a" "c"? | "cc"'
        grammar = f"{rules}\nA: {first}\nB: {second}"
        form, parser = fw.grammar(grammar), lark.Lark(grammar, parser="lalr")
        for text in texts:
            ours, theirs = form.matches(text), parses(parser, text)
            assert ours <= theirs, f"{grammar}\n{text!r}"
            assert ours == theirs or SAID in str(form.explain()), f"{grammar}\n{text!r}"
            seen["conform"] += ours
    assert seen["conform"] > len(asking) * len(matching)


def test_a_text_in_any_case_takes_the_place_of_expressions_that_match_it_as_it_is_written() -> None:
    """Of `"SELECT"i` and `/[a-z]+/`, the latter comes first for `select`, as it does not match `SELECT`."""
    chance, agreed = random.Random(3), 0
    for text, expression in itertools.product(
        ("select", "SELECT", "Select", "a"), ("[a-z]+", "[a-zA-Z]+", "[A-Z]+", "[a]")
    ):
        flag, after = chance.choice(["", "i"]), chance.choice(["", "(?!=)"])
        grammar = f'start: (KW NAME | NAME "=" NAME)+\nKW: "{text}"i\nNAME: /{expression}{after}/{flag}\n%ignore " "'
        form, parser = fw.grammar(grammar), lark.Lark(grammar, parser="lalr")
        for words in itertools.product(("select", "SELECT", "a", "A", "x"), ("", " = "), ("select", "A", "x")):
            sample = " ".join(filter(None, words))
            assert form.matches(sample) == parses(parser, sample), (grammar, sample)
            agreed += form.matches(sample)
    assert agreed > 40
    circle = 'start: (T0|T1|T3)+\nT0: "Ab"i\nT1: /[aBA]+/\nT3: "AB"'
    assert not fw.grammar(circle).matches("AB")
    assert "only in another case" in str(fw.grammar(circle).explain())


def test_a_rule_that_ends_with_rounds_leaves_what_may_come_after_these() -> None:
    """After rounds of `"a"` it is an `"a"` again, and no NAME; after the other alternative it is a NAME."""
    texts = ["".join(some) for count in range(1, 6) for some in itertools.product("abcd", repeat=count)]
    rounds = [
        '"a"+',
        '("a" "c")+',
        '("a" "c"?)+',
        '"a"~2..3',
        '"a" "a"*',
        '("a" | "c")+',
        '("a" | "c" "c")+',
        '"c" "a"*',
    ]
    others = ['NAME "b"', 'NAME start "b"', '"d" NAME', '"d"']
    seen: Counter[str] = Counter()
    for some, other, end in itertools.product(rounds, others, ['"d"', '"a"', '"c"+']):
        grammar = f"start: r NAME {end}\nr: {some} | {other}\nNAME: /[ac]b?/"
        with contextlib.suppress(lark.exceptions.GrammarError):
            form, parser = fw.grammar(grammar), lark.Lark(grammar, parser="lalr")
            for text in texts:
                assert form.matches(text) == parses(parser, text), f"{grammar}\n{text!r}"
                seen["conform"] += form.matches(text)
            seen["grammars"] += 1
    assert seen["grammars"] > len(rounds) * len(others)
    assert seen["conform"] > seen["grammars"]


def test_escapes_of_expressions_are_those_of_lark() -> None:
    texts = ["".join(some) for count in range(1, 4) for some in itertools.product("\\\"a]\n'", repeat=count)]
    dice = random.Random(SEED)
    seen: Counter[str] = Counter()
    while seen["grammars"] < 2 * COUNT:
        grammar = f"start: A\nA: /{random_escapes(dice)}/{dice.choice(['', '', '', 'x', 'i', 's'])}"
        try:
            parser = lark.Lark(grammar, parser="lalr")
        except lark.exceptions.LarkError:
            continue
        try:
            form = fw.grammar(grammar)
        except fw.errors.UnsatisfiableSchema:
            form = None
        except fw.errors.UnsupportedConstruct:
            assert ")++" in grammar or ")*+" in grammar or ")?+" in grammar, grammar
            continue
        seen["grammars"] += 1
        for text in texts:
            conforms = form is not None and form.matches(text)
            assert conforms == parses(parser, text), f"{grammar}\n{text!r}"
            seen["conform"] += conforms
        seen["said"] += "Lark reads escapes" in str(form.explain() if form else "")
    assert seen["conform"] > seen["grammars"]
    assert seen["said"] > COUNT / 5


def has_one_tree(grammar: str, text: str) -> bool:
    try:
        fw.grammar(grammar, read="tree", ambiguous="error").parse(text)
    except fw.errors.OutputAmbiguous:
        return False
    return True


CONTEXTS = [
    # The closing brace of a block, and that of a value inside a text.
    (
        'start: (N "=" e)*\ne: N | s | "{" e "}"\ns: "\'" (C | "<" e "}")* "\'"\nC: /[^\'<{}=]+/\nN: /[a-z]+/\n',
        ["", "a=b", "a={b}", "a='x'", "a='x<y}z'", "a={b}c=d", "a='<{b}}c'", "a='<'x'}'", "a={'<b}'}c=d"],
        ["a", "a='", "a='x<y'", "a={b", "a=b}", "a='{b}'"],
    ),
    # Templates in texts in expressions.
    (
        'start: e\n?e: e "+" t | t\n?t: N | "(" e ")" | "`" (P | "${" e "}")* "`" | "{" [e (";" e)*] "}"\n'
        "N: /[0-9]+/\nP: /[^`$]+/\n%ignore / +/\n",
        ["1", "`1`", "`a} b`", "`${1}`", "` ${ 1 + {2;3} } 4`+{5}", "{`${`${1}`}`}", "{}", "``+1"],
        ["`", "`${1`", "`$1`", "{1", "{1}}", "`${}`"],
    ),
    # Equal repetitions in two places.
    (
        'start: "x" ("a" ("if" "b" | NAME) ";")* | "y" ("a" ("if" "b" | NAME) ";")*\nNAME: /[a-z]+/\n',
        ["x", "y", "xaifb;", "yaifb;", "xazz;ac;", "yazz;aifb;"],
        ["xaif;", "yaif;", "yaifb", "xazz;aif;", "yazz;aif;"],
    ),
    # Text with elements.
    (
        'start: x\nx: "<" N (N "=" V)* ">" (x | C | "{" e "}")* "</" N ">"\ne: N | x | V\nN: /[a-z]+/\nV: /"[^"]*"/\n'
        "C: /[^<>{}]+/\nW: / +/\n%ignore W\n",
        ["<a></a>", '<a b="c">d = e</a>', "<a>{b}c d</a>", "<a>{<b>x</b>}y<c></c></a>", '<a>"b"{"c"}d</a>'],
        ["<a>", "<a>}</a>", "<a b>c</a>", "<a>{b c}</a>"],
    ),
    # A rule that begins where a keyword may come, and elsewhere.
    (
        'start: ("if" e ";" | e ";")*\ne: NAME\nNAME: /[a-z]+/\n%ignore " "\n',
        ["if if;", "x; if y;", "if x; if if; y;"],
        ["if;", "if if", "if if if;"],
    ),
    # Aliases and brackets in rules that have copies.
    (
        'start: (s ";")*\n?s: "do" [A] x -> call | x "=" e -> set\nx: NAME -> name | NAME "." NAME -> field\n'
        'e: x | "do"\nA: "!"\nNAME: /[a-z]+/\n%ignore / +/\n',
        ["do x;", "do ! do.do;", "x = do;", "do do;", "do do.a; x.do = do;"],
        ["do;", "do = x;", "do.x = x;", "a.do = do.x;"],
    ),
    # A repetition whose first round begins otherwise than those after it.
    (
        'start: ("a" n)+\nn: [N] "b" | N\nN: /[a-z]/\n',
        ["aab", "ab", "aa", "abab", "aaaa", "aaabab"],
        ["a", "b"],
    ),
    # Choices that begin equally, after which other terminals may come.
    (
        'start: "a" | (T* | "a" (T T+ "a" | T)) T\nT: /[ab]/\n%ignore " "\n',
        ["a", "ba", "baa", "b a b"],
        ["", "c"],
    ),
]


@pytest.mark.parametrize(("grammar", "conforms", "departs"), CONTEXTS)
def test_a_lexer_looks_for_what_the_parser_can_read(grammar: str, conforms: list[str], departs: list[str]) -> None:
    parser, form = lark.Lark(grammar, parser="lalr"), fw.grammar(grammar, read="tree")
    for text in conforms:
        check_tree(form.parse(text), parser.parse(text), text)
    for text in departs:
        assert not form.matches(text), text
        assert not parses(parser, text), text


def test_explain_tells_where_contexts_are_too_many() -> None:
    ways = " | ".join(f'"p{at}" "(" (e | "k{at}") ")"' for at in range(40))
    grammar = f"start: {ways}\ne: NAME\nNAME: /[a-z][0-9]+/\n"
    parser, form = lark.Lark(grammar, parser="lalr"), fw.grammar(grammar)
    (remark,) = form.explain()
    assert (remark.pointer, remark.status) == ("2:4", "remark")
    assert remark.note.startswith("NAME competes with all terminals")
    assert SAID in remark.note
    texts = ["p1(k1)", "p1(x2)", "p1(k2)"]
    assert [form.matches(text) for text in texts] == [True, True, False]
    assert [parses(parser, text) for text in texts] == [True, True, True]


LETTERS = "\n".join(f'{letter}: "{letter.lower()}"' for letter in "ABCD")
SHAPES = [
    ('start: "a" B "c"\nB: "b"', ["abc"]),
    ('!start: "a" B _C\nB: "b"\n_C: "c"', ["abc"]),
    ('start: (B | _C)+\nB: "b"\n_C: "c"', ["b", "cbc", "cc"]),
    ('start: PLUS "+" /x/ "y"i "a".."c"\nPLUS: "+"', ["++xYb"]),
    ("?start: N\nN: /[0-9]/", ["1"]),
    ('start: e\n?e: e "+" t | t\n?t: N | "(" e ")"\nN: /[0-9]/', ["1", "1+2", "(1+2)+3", "((1))"]),
    ('start: e\n?e: e "+" N -> add | N -> one | "()"\nN: /[0-9]/', ["1", "1+2+3", "()", "()+1"]),
    ('start: _list\n_list: N ("," N)*\nN: /[0-9]/', ["1", "1,2,3"]),
    ('start: list{N} [";" list{M}]\nlist{x}: x ("," x)*\nN: /[0-9]/\nM: /[a-z]/', ["1", "1,2;a", "1;a,b"]),
    ('start: _list{N} pair{"x", N}?\n_list{x}: x ("," x)*\npair{x, y}: x y\nN: /[0-9]/', ["1,2", "1x2"]),
    ('!start: both{"x"} "-" X\nboth{x}: x "x"?\nX: "x"', ["x-x", "xx-x"]),
    ("start: [A] [B C] [A A | D] D\n" + LETTERS, ["aad", "bcdd", "d", "ad", "bcaad"]),
    (
        'start: [A [B] _c] ["x"] ([A] D)~2 C\n_c: C\n' + LETTERS,
        ["ddc", "abcxaddc", "acadadc"],
    ),
    ('!start: ["x" A] B?\nA: "a"\nB: "b"', ["", "b", "xa", "xab"]),
    ("start: (A [B])* C~1..2 D+\n" + LETTERS, ["cd", "aabaccdd"]),
    ('start: a*\n?a: A [B]\nA: "a"\nB: "b"', ["", "aab"]),
    ('_start: A b\nstart: _start _start\nb: [B]\nA: "a"\nB: "b"', ["aa", "aba"]),
    ('start: W "!" | S "?"\nS: /[a-z.;]+/\nL: "a".."z"\nW: L+', ["q!", ".?"]),
    ('start: A "!" | N "?"\nA: B\nB: "if"\nN: /[a-z]+/', ["if!", "iff?"]),
    ('start: a b\na: "x" |\nb: "y"? A\nA: "a"\n%ignore / +/', ["a", " x  y a "]),
]


@pytest.mark.parametrize(("grammar", "texts"), SHAPES)
def test_every_shape_is_that_of_lark(grammar: str, texts: list[str]) -> None:
    parser = lark.Lark(grammar, parser="lalr")
    form = fw.grammar(grammar, read="tree")
    for text in texts:
        check_tree(form.parse(text), parser.parse(text), text)
