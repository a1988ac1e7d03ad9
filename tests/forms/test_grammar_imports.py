"""Imports: what a grammar takes from other ones."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

import formwright as fw
from formwright import errors
from formwright.forms.grammar_imports import find_modules, join_imports

DATES = """
// a year, a month and a day
DATE: YEAR "-" _TWO "-" _TWO
YEAR: /[0-9]{4}/ | DIGIT "BC"
_TWO: DIGIT~2
range{x}: x sign x | single{x}
?single{x}: "YEAR" x -> year
sign: "/" | ".."
%import common.DIGIT
%ignore "?"
"""


def test_a_name_comes_with_what_it_refers_to() -> None:
    form = fw.grammar("start: DATE\n%import .dates.DATE", imports={"dates": DATES})
    assert form.matches("2026-11-28")
    assert form.matches("4BC-01-01")
    assert not form.matches("2026-11-8")
    assert not form.matches("?2026-11-28")


def test_several_names_aliases_and_templates() -> None:
    text = "start: range{DAY} YEAR?\n%import .dates (range, YEAR)\n%import .dates.DATE -> DAY"
    form = fw.grammar(text, imports={"dates": DATES}, read="tree")
    tree = form.parse("2026-11-28/2026-11-29")
    (dates,) = tree.children
    assert isinstance(dates, fw.Tree)
    names = [child.rule if isinstance(child, fw.Tree) else child and child.name for child in dates.children]
    assert (dates.rule, names) == ("range", ["DAY", "dates__sign", "DAY"])
    assert form.matches("YEAR2026-11-28")


def test_an_alias_has_the_name_of_its_module_as_in_lark(tmp_path: Path) -> None:
    lark = pytest.importorskip("lark")
    module = 'sum: NUMBER "+" NUMBER -> add\n    | single\nsingle: NUMBER -> _one\nNUMBER: /[0-9]/\n'
    text = "start: sum\n%import .numbers.sum"
    (tmp_path / "numbers.lark").write_text(module)
    theirs = lark.Lark(text, import_paths=[str(tmp_path)], source_path=str(tmp_path / "text.lark"), parser="lalr")
    ours = fw.grammar(text, imports={"numbers": module}, read="tree")
    for written, rules in {"1+2": ["start", "numbers__add"], "1": ["start", "sum", "_numbers__one"]}.items():
        assert [*map(str, _rules(ours.parse(written)))] == rules
        assert [node.data for node in reversed([*theirs.parse(written).iter_subtrees()])] == rules


def _rules(tree: object) -> list[str]:
    if not isinstance(tree, fw.Tree):
        return []
    return [tree.rule, *(rule for child in tree.children for rule in _rules(child))]


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ({"m": 'x: Y\nY: "a"\nY: "b"'}, "module 'm' at 3:1: 'M__Y' is defined twice, first at m:2:1"),
        (
            {"m": 'x: Y\nY: "a"\n%import .n.Y', "n": 'Y: "b"'},
            "module 'm' at 3:1: 'M__Y' is defined twice, first at m:2:1",
        ),
        (
            {"m": "x: Y\n%import .n.Y\n%import common.INT -> Y", "n": 'Y: "b"'},
            "module 'm' at 3:1: 'M__Y' is defined twice",
        ),
    ],
)
def test_a_name_that_a_module_defines_twice_is_refused(modules: dict[str, str], said: str) -> None:
    with pytest.raises(errors.GrammarError) as caught:
        fw.grammar("start: x\n%import .m.x", imports=modules)
    assert said in str(caught.value)


def test_a_module_may_import_a_name_again() -> None:
    modules = {"m": "x: Y\n%import .n.Y\n%import .n (Y)", "n": 'Y: "b"'}
    assert fw.grammar("start: x\n%import .m.x", imports=modules).matches("b")


def test_modules_import_from_each_other() -> None:
    modules = {"a.b": "x: y\n%import .c.y\n", "a.c": "y: /[a-z]/ | z\n%import .c (z)", "z": ""}
    modules["a.c"] = "y: W\n%import common.LETTER -> W"
    form = fw.grammar("start: x+\n%import .a.b.x", imports=modules)
    assert form.matches("ab")
    assert find_modules("%import .a.b.x\n%import common.INT\n%import d (e, f)") == ["a.b", "d"]
    assert find_modules('// %import .x.y\nstart: "a"') == []


def test_a_definition_goes_on_in_brackets_and_at_the_next_line() -> None:
    module = """
x: ("("
    y [z]
    /[(]/ "."
    ")"
) \\
  y [z]
  | "[" // (
y: "y"
z: "z"
"""
    form = fw.grammar("start: x\n%import .m.x", imports={"m": module})
    conform = ["(yz(.)yz", "(y(.)y", "["]
    assert [text for text in [*conform, "(yz)", "(y(.)"] if form.matches(text)] == conform


def test_places_are_those_of_the_grammar() -> None:
    with pytest.raises(errors.GrammarError) as raised:
        fw.grammar("%import .dates.DATE\nstart: DATE )", imports={"dates": DATES})
    assert (raised.value.line, raised.value.column) == (2, 13)


@pytest.mark.parametrize(
    ("modules", "place", "said"),
    [
        ({"x": '\n\n\nb: "q" NOPE'}, ("x", 4, 8, "NOPE"), "'NOPE' is not defined"),
        ({"x": 'a: "ü"\nb: a Q\nQ: "é" /(a)\\1/'}, ("x", 3, 9, "("), 'back-references .*\n    Q: "é" /\\(a'),
        ({"x": "b: Q\nQ: W\n  W: Q"}, ("x", 3, 6, "Q"), "defined at x:2:1, is inside itself"),
        ({"x": 'b: a+\n\na: (\n  a "x"\n| a )) '}, ("x", 5, 6, ")"), "expected a part .*\n    \\| a \\)\\)"),
        ({"x": "b: c\n%import .y.c", "y": '// é\nc: "a" D'}, ("y", 2, 8, "D"), "'D' is not defined"),
        ({"x": "b: c\n%import .y.c", "y": 'd: "a"'}, ("x", 2, 1, "%"), "the module 'y' does not define 'c'"),
        ({"x": "b: c\n%import .z.c"}, ("x", 2, 1, "%"), "there is no module 'z'"),
        ({"x": 'b: "x"\n%extend c: "y"'}, ("x", 2, 1, "%"), "which cannot be imported"),
        ({"x": 'c: "x"'}, ("", 1, 1, "%"), "the module 'x' does not define 'b'"),
        ({"x": 'b: "x"\n\n# c'}, ("", 4, 11, "c"), "'c' is not defined"),
    ],
)
def test_an_error_in_a_module_names_it(modules: dict[str, str], place: tuple[str, int, int, str], said: str) -> None:
    text = '%import .x (\n  b\n)\nstart: b+ "é"' if place[0] else "%import .x (\n  b\n)\nstart: b+ c"
    with pytest.raises(errors.GrammarError, match=said) as raised:
        fw.grammar(text, imports=modules)
    error = raised.value
    assert (error.module, error.line, error.column) == place[:3]
    assert error.source == modules.get(error.module, text)
    assert error.span is not None
    assert error.source.encode()[slice(*error.span)].decode() == place[3]
    named = f"module {error.module!r}" if error.module else "grammar"
    assert str(error).startswith(f"{named} at {error.line}:{error.column}: ")


def test_bounds_and_rules_without_end_in_a_module_have_its_places() -> None:
    with pytest.raises(errors.LimitExceeded, match="module 'x' at 2:205: limit reached"):
        fw.grammar("start: b\n%import .x.b", imports={"x": "\nb: " + "(" * 300})
    with pytest.raises(errors.UnsatisfiableSchema, match="module 'x' at 2:1: no text conforms"):
        fw.grammar("start: b\n%import .x.b", imports={"x": "\nb: a\na: b"})


def test_remarks_on_a_module_name_it() -> None:
    module = '\n\nb: ("z" | Q | "z") KEY?\nKEY: /[a-z]+/\nQ: "q"'
    text = 'start: b | b d\n%import .x.b\nd: "d" d'
    for read in (None, "tree"):
        form = fw.grammar(text, imports={"x": module}, read=read)
        said = [(row.pointer, row.note) for row in form.explain()]
        assert said == [
            ("x:3:15", "this alternative is never taken: the one at x:3:5 has the same parts"),
            ("3:1", "the rule 'd' never ends, and is left out"),
        ]
    moved = fw.grammar(text, imports={"x": "\n" + module}).explain()
    assert [row.pointer for row in moved] == ["x:4:15", "3:1"]
    assert "x:3:15" in str(pickle.loads(pickle.dumps(form)).explain())


def test_what_is_missing_is_named() -> None:
    with pytest.raises(errors.GrammarError, match="the module 'dates' does not define 'DAY'"):
        fw.grammar("start: DAY\n%import .dates.DAY", imports={"dates": DATES})
    with pytest.raises(errors.GrammarError, match="there is no module 'z'"):
        fw.grammar("start: x\n%import .a.x", imports={"a": "x: y\n%import .z.y"})
    with pytest.raises(errors.ArgumentError, match="imports\\['dates'\\]: expected a str, got int"):
        fw.grammar("start: DATE\n%import .dates.DATE", imports={"dates": 3})  # type: ignore[dict-item]
    with pytest.raises(errors.UnsupportedConstruct, match="only the module 'common' comes with the library"):
        fw.grammar("start: DATE\n%import .dates.DATE", imports={"days": DATES})


def test_a_grammar_without_imports_stays_as_it_is() -> None:
    text = 'start: "a" INT\n%import common.INT'
    assert join_imports(text, {"dates": DATES}).text == text


def test_lark_takes_the_same_texts(tmp_path: Path) -> None:
    lark = pytest.importorskip("lark")
    text = "start: range{DATE} | NUMBER+\n%import .dates (range, DATE)\n%import .dates.YEAR -> NUMBER"
    (tmp_path / "dates.lark").write_text(DATES)
    (tmp_path / "main.lark").write_text(text)
    parser = lark.Lark.open(str(tmp_path / "main.lark"), parser="lalr")
    form = fw.grammar(text, imports={"dates": DATES})
    for sample in [
        "2026-11-28/2026-11-29",
        "20261BC",
        "YEAR4BC-01-01",
        "2026-11-28",
        "..",
        "1BC2026",
        "2026-11-28..1BC-00-00",
    ]:
        try:
            parser.parse(sample)
            conforms = True
        except lark.exceptions.LarkError:
            conforms = False
        assert form.matches(sample) == conforms, sample


def test_the_command_line_reads_the_grammars_beside_a_file(tmp_path: Path) -> None:
    import subprocess

    (tmp_path / "dates.lark").write_text(DATES)
    (tmp_path / "main.lark").write_text("start: DATE\n%import .dates.DATE")
    (tmp_path / "text").write_text("2026-11-28")
    command = [sys.executable, "-m", "formwright", "check", str(tmp_path / "main.lark"), str(tmp_path / "text")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "conforms\n"), done.stderr
