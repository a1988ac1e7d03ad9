"""`fw.grammar`: its notations and options, how texts are cut, and grammars as forms among others.

What each construct is read as, `testdata/grammars.json` says, which the kernel's own tests read.
"""

from __future__ import annotations

import itertools
import pickle
import re
from dataclasses import dataclass
from typing import Any, Literal

import pytest

import formwright as fw
from formwright import errors

SUMS = r"""
    start: sum
    sum: part | sum ("+" | "-") part
    part: NUMBER | "(" sum ")"
    NUMBER: /[0-9]{1,4}/
    %ignore " "
"""
NESTED = 'start: "a" start "b" | "c"'


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('start: "a" start | "b"', {}),
        ('start: "a" start | "b"', {"syntax": "lark"}),
        ('root: "a" root | "b"', {}),
        ('root ::= "a" root | "b"', {}),
        ('root ::= "a" root | "b"', {"syntax": "gbnf"}),
        ("root ::= 'a' root | #x62", {"syntax": "ebnf"}),
        ('begin: "a" begin | "b"', {"start": "begin"}),
        ('start: "x"\nbegin: "a" begin | "b"', {"start": "begin"}),
        ('begin ::= "a" begin | "b"', {"start": "begin"}),
        ("start: start2\nstart2: /a*b/", {}),
    ],
)
def test_one_language_in_several_notations(text: str, options: dict[str, Any]) -> None:
    form = fw.grammar(text, **options)
    assert [sample for sample in ("", "a", "b", "ab", "aab", "ba", "abb") if form.matches(sample)] == ["b", "ab", "aab"]


def test_the_value_is_the_text() -> None:
    form = fw.grammar(SUMS)
    assert form.parse("1 + (2-3)") == "1 + (2-3)"
    with pytest.raises(errors.OutputInvalid, match="character 4; expected") as raised:
        form.parse("1 + +")
    assert raised.value.position == 4


@pytest.mark.parametrize("text", ["start: start start | | /[ab]/", "root ::= root root | [ab] |"])
def test_left_recursion_and_ambiguity_are_allowed(text: str) -> None:
    form = fw.grammar(text)
    assert form.matches("")
    assert form.matches("abba" * 20)
    assert not form.matches("abc")


LEXED: list[tuple[str, str, list[str]]] = [
    ('start: NAME NAME | "x"', "ab", ["any"]),
    ('start: NAME NAME | "x"\n%ignore " "', "a b", ["longest", "basic", "any"]),
    ('start: "not" NAME\n%ignore " "', "notx", ["longest", "any"]),
    ('start: NAME "=" NAME | "if" NAME', "if=a", ["any"]),
    ('start: NAME "=" NAME | "if" NAME\n%ignore " "', "if a", ["longest", "basic", "any"]),
    ('start: "if" NAME\n%ignore " "', "if if", ["longest", "any"]),
    ('start: INT ".." INT | FLOAT\nINT: /[0-9]+/\nFLOAT: /[0-9]+[.][0-9]*/', "1..2", ["any"]),
    ('start: INT ".." INT | FLOAT\nINT: /[0-9]+/\nFLOAT: /[0-9]+[.][0-9]+/', "1..2", ["longest", "basic", "any"]),
    ('start: IF NAME | NAME\nIF.2: "if"', "if", ["any"]),
    ('start: IF NAME | NAME\nIF.2: "if"', "ifx", ["longest", "basic", "any"]),
    ('start: (A | B)+\nA: "a"\nB: "ab"\n%ignore "b"', "ab", ["longest", "basic", "any"]),
    ('start: A "b"\nA: "a" "b"?', "abb", ["longest", "basic", "any"]),
    ('start: A "b"\nA: "a" "b"?', "ab", ["any"]),
]


@pytest.mark.parametrize("lexing", ["longest", "basic", "any"])
@pytest.mark.parametrize(("text", "sample", "accepted"), LEXED)
def test_lexing_decides_how_a_text_is_cut(text: str, sample: str, accepted: list[str], lexing: Any) -> None:
    form = fw.grammar(f"{text}\nNAME: /[a-z]+/" if "NAME" in text else text, lexing=lexing)
    assert form.matches(sample) == (lexing in accepted)


@pytest.mark.parametrize(
    ("text", "conform", "depart"),
    [
        ('start: A "b"?\nA: /a(?=b)/', ["ab"], ["a", "b"]),
        ('start: IF NAME | NAME "="\nIF.1: /if\\b/\nNAME: /[a-z]+/\n%ignore " "', ["if x", "ifx ="], ["ifx", "if ="]),
        ("start: EQ ANY\nEQ: /=(?!=|>)/\nANY: /.+/", ["=a", "= ="], ["==", "=>", "="]),
        ('start: A "1"?\nA: "0" /(?![1-9])/ | "x"', ["0", "x", "x1"], ["01", ""]),
        ("start: A A\nA: /a(?!a)|b/", ["ab", "ba", "bb"], ["aa", "a"]),
        ('start: A "a"~2\nA: /a(?=aa)/', ["aaa"], ["aa", "aaaa"]),
        ("start: LINE+\nLINE: /[a-z]+$/m\n%ignore /\\n/", ["a", "ab\nc", "ab\n"], ["a1"]),
        ("start: S\nS: /(?:(?!\\$\\{)[^§])+/", ["a$b", "$$"], ["${", "a${"]),
        ("start: (NUMBER | WORD)+\nNUMBER: /[0-9]+(?![a-z])/\nWORD: /[0-9a-z]+/", ["1", "1a"], ["", "+"]),
        ('start: %lark {\nstart: A "b"\nA: /a+(?=b)/\n} "c"', ["aabc"], ["aab"]),
    ],
)
def test_terminals_ask_what_follows_them(text: str, conform: list[str], depart: list[str]) -> None:
    form = fw.grammar(text)
    assert [sample for sample in conform if not form.matches(sample)] == []
    assert [sample for sample in depart if form.matches(sample)] == []
    trees = [fw.grammar(text, read="tree").parse(sample) for sample in conform]
    assert [tree.rule for tree in trees] == ["start"] * len(conform)
    assert pickle.loads(pickle.dumps(form)).matches(conform[0])


def test_no_token_leads_to_what_a_look_ahead_refuses() -> None:
    vocabulary = fw.Vocabulary([b"a", b"b", b"=", b"==", b"=a", b"ab", None], eos_token_ids=[6])
    form = fw.grammar('start: A "=" B? | A "b"\nA: /a(?!=a)/\nB: "b"')
    matcher = fw.compile(form, vocabulary).matcher()
    assert matcher.allowed_token_ids() == [0, 5]
    matcher.accept_token(0)
    assert matcher.allowed_token_ids() == [1, 2]
    matcher.accept_token(2)
    assert matcher.allowed_token_ids() == [1, 6]


def test_without_a_lexer_nothing_asks_what_follows() -> None:
    with pytest.raises(errors.UnsupportedConstruct, match="only a lexer") as raised:
        fw.grammar("start: A\nA: /a(?=b)/", lexing="any")
    assert (raised.value.line, raised.value.column) == (2, 4)


def test_lark_has_a_lexer_and_the_others_have_none() -> None:
    lark, gbnf = 'start: n n | "1"\nn: NAME\nNAME: /[a-z]+/', 'root ::= n n | "1"\nn ::= [a-z]+'
    assert not fw.grammar(lark).matches("ab")
    assert fw.grammar(gbnf).matches("ab")


def test_a_terminal_that_may_be_empty_hands_a_guard_on() -> None:
    form = fw.grammar('start: "a" MARK "b" | "ab" "c"\nMARK: /x?/\n')
    assert [form.matches(text) for text in ("axb", "abc", "ab")] == [True, True, False]


def test_a_string_beside_a_name_is_followed_by_what_follows_either() -> None:
    tokens = [*(bytes([byte]) for byte in range(256)), b'":', None]
    vocabulary = fw.Vocabulary(tokens, eos_token_ids=[257])
    names = {"text": fw.form(str), "table": fw.form(dict[str, int])}
    form = fw.grammar('start: @text | @table | "(" start ")"\n', syntax="lark", lexing="any", forms=names)
    matcher = fw.compile(form, vocabulary).matcher()
    for byte in b'{"a':
        matcher.accept_token(byte)
    mask = fw.allocate_bitmask(1, vocabulary)
    matcher.fill_bitmask(mask)
    assert mask[0][256 // 32] & 1


def test_shortest_matches_are_asked_for() -> None:
    greedy, lazy = (fw.grammar(f'start: C\nC{how}: "/*" /(.|\\n)*/ "*/"') for how in ("", "[lazy]"))
    assert greedy.matches("/* a */ b */")
    assert not lazy.matches("/* a */ b */")
    assert lazy.matches("/* a */")


def test_regular_expressions_are_those_of_re_or_of_rust() -> None:
    assert fw.grammar(r"start: /\w+/").matches("é٣")
    assert fw.grammar(r"start: /a b # c/x").matches("ab")
    assert fw.grammar(r"start: /\p{Lu}+/").matches("É")
    assert not fw.grammar(r"start: /\p{Lu}+/").matches("e")


def test_forms_stand_for_names() -> None:
    forms = {"day": fw.format("date"), "count": fw.json_schema({"type": "integer", "minimum": 2})}
    form = fw.grammar(
        'start: @day ", " A\nA: "x"? @word\n// unused\nlate: %form count', forms=forms | {"word": fw.choice("y")}
    )
    assert form.matches("2026-01-31, xy")
    assert not form.matches("2026-01-32, xy")
    assert fw.grammar('start: "n=" @count', forms=forms).matches("n=2")
    assert not fw.grammar('start: "n=" @count', forms=forms).matches("n=1")


def test_a_grammar_is_a_form_of_another() -> None:
    inner = fw.grammar(NESTED)
    outer = fw.grammar('start: "<" @inner ">" ["," start]', forms={"inner": inner})
    assert outer.matches("<aacbb>,<c>")
    assert not outer.matches("<aacb>")


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


def test_a_parser_is_a_form_of_a_grammar() -> None:
    form = fw.grammar('start: "(" (@even | start) ")"', forms={"even": Even() | "y"})
    assert form.matches("((xx))")
    assert form.matches("(y)")
    assert not form.matches("(x)")


NEST = fw.grammar('start: "b" | "(" start ")"\n%ignore " "')
SPACED = fw.grammar('root ::= " "* nest\nnest ::= "b" " "* | "(" " "* nest ")" " "*', syntax="gbnf")


@pytest.mark.parametrize("form", [NEST, SPACED])
@pytest.mark.parametrize(
    ("text", "same"),
    [
        ('start: "a" (";" @nest)?\n%ignore " "', r" *a *(?:; *NEST)?"),
        ('start: ("a" @nest)+\n%ignore / +/', r" *(?:a *NEST)+"),
        ("start: A @nest\nA: /[ a]+/", r"[ a]+NEST"),
        ("start: A @nest\nA: / a /", r" a  *NEST"),
    ],
)
def test_a_form_may_begin_with_what_the_text_before_it_could_go_on_with(
    form: fw.Form[str], text: str, same: str
) -> None:
    nest = r"(?:b *|\( *b *\) *|\( *\( *b *\) *\) *)"
    outer, trees = (fw.grammar(text, forms={"nest": form}, read=read) for read in (None, "tree"))
    expected = re.compile(same.replace("NEST", nest))
    for letters in itertools.chain.from_iterable(itertools.product("ab; ()", repeat=length) for length in range(7)):
        said = "".join(letters)
        assert outer.matches(said) == bool(expected.fullmatch(said)), said
        assert outer.matches(said) == trees.matches(said), said


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('start: "a" @form\n%ignore / +/', 'start: "b" | " " start "c"?'),
        ("start: A @form\nA: /[ab]+/", 'start: " " | "b" start'),
        ("start: A @form\nA: /a( a)*/", 'root ::= " "* nest\nnest ::= ";" | "(" nest ")"'),
    ],
)
def test_other_forms_may_not(text: str, form: str) -> None:
    with pytest.raises(errors.UnsupportedConstruct, match="the text before it could go on with its first characters"):
        fw.grammar(text, forms={"form": fw.grammar(form, lexing="any")})


def test_alternatives_that_never_end_are_left_out(byte_vocabulary: fw.Vocabulary) -> None:
    matcher = fw.compile(fw.grammar('start: "a" | b\nb: "x" b'), byte_vocabulary).matcher()
    assert matcher.allowed_token_ids() == [ord("a")]


@pytest.mark.parametrize(
    "form",
    [
        fw.grammar(NESTED),
        fw.grammar(SUMS, lexing="basic"),
        fw.grammar('root ::= "x" | item\nitem ::= "y" root', start="item"),
        fw.grammar('start: @f "," start | @f', forms={"f": fw.regex("[0-9]")}),
        "(" + fw.grammar(NESTED) + ")",
    ],
    ids=str,
)
def test_grammars_are_stored(form: fw.Form[Any], byte_vocabulary: fw.Vocabulary) -> None:
    assert fw.Form.from_bytes(form.to_bytes()).digest == form.digest
    assert pickle.loads(pickle.dumps(form)).digest == form.digest
    constraint = fw.compile(form, byte_vocabulary)
    stored = fw.Constraint.from_bytes(constraint.to_bytes(), byte_vocabulary)
    pickled = pickle.loads(pickle.dumps(constraint))
    expected = constraint.matcher().allowed_token_ids()
    assert expected == stored.matcher().allowed_token_ids() == pickled.matcher().allowed_token_ids()


def test_options_make_another_form() -> None:
    digests = {fw.grammar(SUMS, lexing=lexing).digest for lexing in ("longest", "basic", "any")}
    assert len(digests) == 3
    assert fw.grammar(SUMS).digest == fw.grammar(SUMS).digest


def test_grammars_compose() -> None:
    nested = fw.grammar(NESTED)
    assert ("<" + nested + ">").parse("<acb>") == "<acb>"
    assert (nested | "none").matches("none")
    assert (nested | "none").matches("acb")
    assert nested.repeat(2, 3).matches("cacbc")
    assert not nested.repeat(2, 3).matches("c")
    assert fw.template("{x} = {y}", x=nested, y=int).parse("acb = 5") == {"x": "acb", "y": 5}
    assert fw.optional(nested).matches("")
    assert fw.many(nested, sep=",").parse("c,acb") == ["c", "acb"]
    assert fw.text(until={"<sum>": fw.grammar(SUMS)}).matches("it is <sum>1 + 2")
    assert not fw.text(until={"<sum>": fw.grammar(SUMS)}).matches("it is <sum>1 +")


def test_only_a_regular_grammar_has_a_complement() -> None:
    regular = fw.grammar('start: A "b"\nA: /a+/')
    assert (~regular).matches("ba")
    with pytest.raises(errors.ArgumentError, match="is not a pattern"):
        ~fw.grammar(NESTED)


def test_instructions_show_the_grammar() -> None:
    said = fw.instructions(fw.grammar(f"\n{NESTED}\n"))
    assert said == f"Answer with a text that conforms to this grammar, and nothing else:\n{NESTED}"
    assert f"is a text that conforms to this grammar:\n{NESTED}" in fw.instructions(fw.grammar(NESTED) | fw.form(int))


def test_explain_and_repr() -> None:
    form = fw.grammar("start: a\n  a: 'x'".replace("'", '"'))
    assert repr(form) == 'Form(grammar start: a a: "x")'
    assert list(form.explain()) == []


@pytest.mark.parametrize(
    ("text", "lexing", "said"),
    [
        ('start: A | B\nA.2: "x"\nB: /x/', None, ["1:12: B never comes here: A is taken for each of its texts"]),
        ('start: A | B\nA.2: "x"\nB: /xy*/', None, ["1:12: B never comes here: A is taken for each of its texts"]),
        (
            'start: A\nA: /"(\\\\.|.)*?"/',
            None,
            ["2:1: A: texts are left out that are the match only if no end comes anywhere later"],
        ),
        ('start: A | B "y"\nA: "x"\nB: /x/', None, ["1:12: B never comes here: A is taken for each of its texts"]),
        ('start: A | B\nA: "x"\nB: /xy*/', None, []),
        ('start: "x" A | "y" B\nA.2: "x"\nB: /x/', None, []),
        (
            'start: "-" A | "y" B\nA.2: "x"\nB: /x/',
            "basic",
            ["1:20: B never comes here: A is taken for each of its texts"],
        ),
        ('start: A | B\nA.2: "x"\nB: /x/', "any", []),
        (
            'start: "a" | b\nb: "(" c\nc: b ")"',
            None,
            ["2:1: the rule 'b' never ends, and is left out", "3:1: the rule 'c' never ends, and is left out"],
        ),
        ('root ::= "a" | b\nb ::= "(" b', None, ["2:1: the rule 'b' never ends, and is left out"]),
        ('start: @name | "x" "x"', None, []),
    ],
)
def test_explain_tells_what_never_comes(text: str, lexing: Any, said: list[str]) -> None:
    form = fw.grammar(text, lexing=lexing, forms={"name": fw.regex("[a-w]+")} if "@name" in text else {})
    assert str(form.explain()).split("\n")[: len(said) or 1] == (said or [""])


def test_texts_end_within_the_budget(tiny: fw.models.LocalModel) -> None:
    for limit in (1, 3, 9):
        result = tiny.generate("Add some numbers.", fw.grammar(SUMS), max_tokens=limit, temperature=1.0, seed=limit)
        assert fw.grammar(SUMS).matches(result.text)
        assert len(result.token_ids) <= limit
    with pytest.raises(errors.LimitExceeded, match="max_tokens"):
        tiny.generate("Add.", fw.grammar('start: "(" start ")" | "a long, long text with many words"'), max_tokens=3)


@pytest.mark.parametrize(
    ("terminals", "conform", "depart"),
    [
        (r'T: /".*?"/', ['""', '"a"'], ['"a"b"', '"']),
        (r"T: /\/\*(.|\n)*?\*\//", ["/**/", "/*\n*/"], ["/*a*/*/"]),
        (r'T: "<" /.+?/ ">"', ["<a>", "<>>"], ["<a>>", "<>"]),
        (r"""T: /".*?"/ | /'.*?'/""", ['"a"', "'\"'"], ["'a'a'"]),
        (r"T: /[a-z]+\{.*?\}/", ["a{}", "ab{{}"], ["a{}}"]),
        ("T: Q \"x\"\nQ: /'.*?'/", ["''x", "'a'b'x"], ["''xx"]),  # one expression, whose `re` goes on to an `x`
        (r'T: /"(\\.|.)*?"/', [r'"\""', r'"a"'], ['"']),  # another alternative than the shortest may match first
        (r'T: /"(\\.|.)*?"/', [], ['"a" + "b"', r'"\"']),  # the last one ends only if no quote comes later
        (r"T: /a+?b*/", ["ab"], ["b", "aabb"]),
        (r"T: /a|ab/", ["a"], ["ab"]),
        (r'T: "a" | "ab"', ["a", "ab"], []),  # Lark puts the widest first
        (r'T: "a" | /ab|b+/', ["a", "ab", "bb"], []),
        (r'T: "q" /.*?/ /(?<!x)(xx)*?/ "q"', ["qq", "qaq", "qxxq", "qxqq"], ["qxq", "qaqq"]),
        (r'T: /a(?=b)/ "b"', ["ab"], ["a"]),
        (r"T: /a(?=c|$)/", ["a"], ["ab", "ac"]),
    ],
)
def test_lazy_repetitions_end_as_soon_as_they_can(terminals: str, conform: list[str], depart: list[str]) -> None:
    form = fw.grammar(f"start: T\n{terminals}")
    assert [text for text in conform + depart if form.matches(text)] == conform


def test_a_comment_ends_at_its_first_end() -> None:
    text = "start: N+\nN: /[a-z]+/\nC: /\\/\\*(.|\\n)*?\\*\\//\n%ignore C"
    form = fw.grammar(text)
    assert form.matches("b/*a*/c/*x*/d")
    assert not form.matches("b/*a*/(*/c")
    assert fw.grammar(text, lexing="any").matches("b/*a*/(*/c")


@pytest.mark.parametrize("lexing", ["longest", "basic", "any"])
def test_terminals_that_may_be_empty_may_be_left_out(lexing: Literal["longest", "basic", "any"]) -> None:
    form = fw.grammar('start: "<" T ">" | T "!"\nT: /a*/', lexing=lexing)
    assert [text for text in ("<>", "<a>", "<aa>", "!", "a!", "<b>", "") if form.matches(text)] == [
        "<>",
        "<a>",
        "<aa>",
        "!",
        "a!",
    ]
    tree = fw.grammar('start: "<" T ">"\nT: /a*/', read="tree").parse("<>")
    assert tree == fw.Tree("start", ())


def test_explain_tells_where_escapes_are_those_of_lark() -> None:
    form = fw.grammar(
        r"""start: A B C D "." E
A: /[\\"]/
  B: "b" /\x2e/
C: /\n(a|\\\\"|b)/x
D: /\\\"\t/
E: /\p{Lu}\\"\//
"""
    )
    said = "Lark reads escapes of its own before those of `re`: to it, this expression is"
    assert str(form.explain()).split("\n") == [
        rf"2:4: {said} /[\"]/",
        f"3:10: {said} /./",
        rf"4:4: {said} /\n(a|\\\"|b)/",
    ]
    assert form.matches('"b!\\"\\"\t.É\\"/')


def test_explain_tells_what_is_hardly_meant() -> None:
    form = fw.grammar('start: a\na: "x"\nunused: "y"\n%llguidance {"no_forcing": true}\n')
    assert str(form.explain()).split("\n") == [
        "3:1: the rule 'unused' is never used",
        "4:13: the option 'no_forcing' has no effect here",
    ]
    assert [row.status for row in fw.grammar('start: "x"', read="tree").explain()] == []
    assert "<td>3:1</td>" in form.explain()._repr_html_()


@pytest.mark.parametrize(
    ("text", "conform", "depart", "said"),
    [
        ("root ::= [#x20_]", " _", "x#20", "is a character, here U+0020"),
        ("root ::= '<' [^#x00-#x20<>]* '>'", ["<http://x2.org/0>"], ["< >", "<\n>"], "is a character, here U+0000"),
        ("root ::= [^#x22a]", 'a2#x"', ["\u022a"], "is a character, here U+022A"),
        ("root ::= [#x61-#x7A_]", "az_", "A#9", "is a character, here U+0061"),
        ("root ::= [#x61_] | #x0A", "a_\n", "#x6", "is a character, here U+0061"),
        ('root ::= [#x61_] | "\\n"', "#x61_\n", "a", "is its characters, as for llama.cpp"),
        ("root ::= [#x0-9a-f]", "#x019af", ["\x00", "/", "g"], "is its characters, as for llama.cpp"),
        ("root ::= [#x61_]{1}  # of llama.cpp", "#x61_", "a", "write '\\x61'"),
    ],
)
def test_a_number_in_a_class_is_one_character_or_its_own(text: str, conform: Any, depart: Any, said: str) -> None:
    """As for the W3C, or as for llama.cpp: all classes of a grammar are read alike, and `explain` says how."""
    form = fw.grammar(text)
    assert [sample for sample in conform if not form.matches(sample)] == []
    assert [sample for sample in depart if form.matches(sample)] == []
    (remark,) = form.explain()
    assert said in remark.note
