"""Grammars that are refused: where an error points, what it says, and what it suggests."""

from __future__ import annotations

import pickle
import string
from typing import Any

import pytest

import formwright as fw
from formwright import errors


@pytest.mark.parametrize("ahead", [r"(?!\b)", "(?=^a)", "(?=a(?<=a))", r"(?=a\B)"])
def test_a_look_ahead_that_asks_what_came_before_is_refused_as_such(ahead: str) -> None:
    with pytest.raises(errors.UnsupportedConstruct, match="a look-ahead that asks what came before") as raised:
        fw.grammar(f'start: A "b"\nA: /b{ahead}/')
    assert (raised.value.line, raised.value.column) == (2, 4)


@pytest.mark.parametrize(
    ("text", "said", "line", "column", "expected", "hint"),
    [
        ('start: a\n\na = "x"', "got '='", 3, 3, "':' or a priority after the name", None),
        ("start: exprr\nexpr: /é/", "'exprr' is not defined", 1, 8, "", "did you mean 'expr'?"),
        ('start: "é" wrod\nword: "x"', "'wrod' is not defined", 1, 12, "", "did you mean 'word'?"),
        ("start: A\nA: /a(b/", "unclosed group", 2, 5, "", None),
        ('root ::= ("a"', "never closed", 1, 10, "", None),
        ("root ::= wrod\nword ::= 'x'", "'wrod' is not defined", 1, 10, "", "did you mean 'word'?"),
        ("begin: 'x'", "got '''", 1, 8, "a rule, a terminal, a text or a regular expression", "double quotes"),
        ('start: %json {"type": "strin"}', 'unknown type "strin"', 1, 8, "", "types are null, boolean"),
        ("start: @day", "no form 'day'", 1, 9, "", "forms="),
        ("start: A\nA: A", "'A', defined at 2:1, is inside itself", 2, 4, "", "only rules may be recursive"),
        ("", "no rule 'start' or 'root'", 1, 1, "", "there are no rules"),
    ],
)
def test_an_error_shows_its_place(
    text: str, said: str, line: int, column: int, expected: str, hint: str | None
) -> None:
    with pytest.raises(errors.GrammarError) as raised:
        fw.grammar(text)
    error = raised.value
    assert said in str(error)
    assert f"grammar at {line}:{column}:" in str(error)
    assert (error.line, error.column, error.expected) == (line, column, expected)
    assert (error.hint is None) if hint is None else (hint in (error.hint or ""))
    assert error.source == text
    assert error.span is not None
    assert error.span[0] == len(
        "\n".join([*text.split("\n")[: line - 1], text.split("\n")[line - 1][: column - 1]]).encode()
    )
    assert error.url is not None
    assert error.url.endswith("/errors/#grammarerror")
    assert not isinstance(error, errors.UnsupportedConstruct)


def test_an_error_points_at_the_line() -> None:
    with pytest.raises(errors.GrammarError) as raised:
        fw.grammar('start: a\na = "x"\n')
    assert str(raised.value).split("\n")[1:3] == ['    a = "x"', "      ^"]


@pytest.mark.parametrize(
    ("text", "line", "column", "hint"),
    [
        ("start: A\n%declare A", 2, 1, "forms="),
        ("start: A\nA: /(?<!b)c/", 2, 4, "what may come before the terminal"),
        ("start: A\nA: /a|\\bc/", 2, 4, "what may come before the terminal"),
        ('start: A\nA: /a(?=b)/ & "a"', 2, 4, "one regular expression"),
        ("start: A\nA[lazy]: /a+(?=b)/", 2, 10, "leave one of them out"),
        ("start: A\nA: /(a)\\1/", 2, 5, "remove back-references"),
        ("start: A\nA: /(?>a+)b/", 2, 5, "an ordinary group"),
        ("start: A\nA: /(ab)++/", 2, 5, "without the last plus"),
        ("start: A\n// \x0b \u2028\nA: /(ab)++/", 3, 5, "without the last plus"),
        ('start: a\na[stop="x"]: /y*/', 2, 3, "suffix"),
        ("start: a::0x0\na::_: 'x'", 1, 9, "a rule for each value"),
        ('start: x\n%import other.x\nx: "y"', 2, 1, "imports="),
        ('start: "a" <[7]>', 1, 12, "name the control token"),
        ("root ::= !<end>", 1, 10, "free text"),
        ("root ::= TagDispatch(('a', b))\nb ::= 'x'", 1, 10, "structural tag"),
        ('root = "a", "b";', 1, 6, "::="),
    ],
)
def test_what_cannot_be_enforced_is_refused_with_what_to_write(text: str, line: int, column: int, hint: str) -> None:
    with pytest.raises(errors.UnsupportedConstruct) as raised:
        fw.grammar(text)
    assert (raised.value.line, raised.value.column) == (line, column)
    assert hint in (raised.value.hint or "")
    assert raised.value.url is not None
    assert raised.value.url.endswith("/errors/#unsupportedconstruct")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("root ::= [^]", "the class has no characters"),
        ('root ::= "a" (="b")', "asks what follows"),
        ("root ::= Token(7)", "means nothing without its vocabulary"),
        ("root ::= ExcludeToken(7)", "'ExcludeToken' is not supported"),
        ("root ::= TokenTagDispatch((7, a))\na ::= 'x'", "'TokenTagDispatch' is not supported"),
        ("root ::= a\na[temperature=0.7] ::= 'x'", "got 'temperature'"),
        ("root ::= a.b\na.b ::= 'x'", "'a' is not defined"),
        ("root ::= <[1000]>", "means nothing without its vocabulary"),
        ('start: <[^7]> "x"', "one token of any kind"),
        ('start: %regex {"substring_chunks": ["a", "b"]}', "runs of chunks are not supported"),
        ('start: "x" %if is_ones(1)', "parametric rules are not supported"),
        ("start: S\n%import common.UNESCAPED_STRING -> S", "no 'UNESCAPED_STRING'"),
    ],
)
def test_what_the_guide_lists_as_refused_is_refused(text: str, said: str) -> None:
    with pytest.raises(errors.GrammarError, match=said):
        fw.grammar(text)


@pytest.mark.parametrize(
    "text",
    [
        'start: "(" start',
        "start: start",
        "start: NAME NAME\nNAME: /[a-z]+/",
        'start: A\nA: "a" & "b"',
        'root ::= "x" root',
    ],
)
def test_a_grammar_without_texts_is_an_error(text: str) -> None:
    with pytest.raises(errors.UnsatisfiableSchema, match="no text conforms"):
        fw.grammar(text)


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ('start: x\nx: "(" x', "2:1", "'x' never ends: x -> x\n"),
        ('start: "a" start | b start\nb: "b"', "1:1", "'start' never ends: start -> start\n"),
        ('start: (b | "x"? c)+\nb: "b" c~2\nc: ["c"] b', "2:1", "'b' never ends: b -> c -> b\n"),
        ('root ::= [a-z] list{2,}\nlist ::= "(" list* list', "2:1", "'list' never ends: list -> list\n"),
    ],
)
def test_rules_that_never_end_are_told(text: str, place: str, says: str) -> None:
    with pytest.raises(errors.UnsatisfiableSchema) as raised:
        fw.grammar(text)
    assert str(raised.value).startswith(f"grammar at {place}: no text conforms to it, since {says}")
    assert raised.value.hint == "give one of these rules an alternative that ends"


def test_a_limit_names_the_rule_that_needs_more() -> None:
    pairs = " | ".join(f'"{first}" s "{last}"?' for first in string.ascii_lowercase for last in string.ascii_lowercase)
    with pytest.raises(errors.LimitExceeded, match=r"^grammar at 2:1: .* and the rule 's' needs more\n") as raised:
        fw.grammar(f"start: s*\ns: {pairs} | N | C\nN: /[a-z_]+/\nC: /\\/\\*(.|\\n)*\\*\\//\n%ignore C")
    assert raised.value.limit == "work"


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"syntax": "bnf"}, "syntax"),
        ({"lexing": "shortest"}, "lexing"),
        ({"forms": {"x": "y"}}, "forms"),
    ],
)
def test_a_wrong_option_is_an_error(options: dict[str, Any], argument: str) -> None:
    with pytest.raises(errors.ArgumentError, match=argument):
        fw.grammar('start: "a"', **options)


@pytest.mark.parametrize("text", [5, None, b"start: 'a'", "start: '\ud800'"])
def test_the_text_is_a_str(text: Any) -> None:
    with pytest.raises(errors.ArgumentError, match="text: "):
        fw.grammar(text)


def test_a_start_that_is_missing_is_an_error() -> None:
    with pytest.raises(errors.GrammarError, match="no rule 'sum' to start with") as raised:
        fw.grammar('start: "a"', start="sum")
    assert "the rules are start" in (raised.value.hint or "")


def test_a_large_text_is_refused() -> None:
    with pytest.raises(errors.LimitExceeded, match="bytes of a grammar"):
        fw.grammar('start: "a"\n//' + "x" * (1 << 22))


@pytest.mark.parametrize("error", [errors.GrammarError, errors.UnsupportedConstruct])
def test_errors_survive_a_pickle(error: type[errors.GrammarError]) -> None:
    raised = error("grammar at 1:2: x", hint="y", source="z", span=(1, 2), line=3, column=4, expected="':'")
    again = pickle.loads(pickle.dumps(raised))
    assert type(again) is error
    assert (str(again), again.hint, vars(again)) == (str(raised), "y", vars(raised))
