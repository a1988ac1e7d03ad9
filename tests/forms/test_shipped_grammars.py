"""The grammars of `examples/grammars`: what conforms to each of them, and what does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest
from lark_grammars import parses
from lark_trees import check_tree, lark

import formwright as fw

FOLDER = Path(__file__).parents[2] / "examples" / "grammars"

CONFORM = {
    "json.lark": [
        "{}",
        "[]",
        "null",
        "-0.5e+10",
        ' {"a" : [1, 2.5, true, false], "b": {"c": null}}\n',
        '"\\u00e9 \\"quoted\\" \\/"',
        "[[[[]]]]",
        '{"": ""}',
        '["é", "\\n"]',
    ],
    "arithmetic.lark": [
        "1",
        "1 + 2*3",
        "8 - 4 - 2",
        "-x",
        "2^-3^y",
        "-2 * (x + 1) ^ 3 / max(a, 0.5)",
        "f()",
        "((((1))))",
        "- - 1",
        "Sin(pi/2)+cos(0)",
    ],
    "sql.lark": [
        "select * from t",
        "SELECT DISTINCT name FROM people AS p",
        "select a, b.c as d from t where a = 1 and not b <> 'x'",
        "select count(*) from orders group by customer having count(*) > 3",
        "select a from t left join u on t.id = u.id join v on u.v = v.id",
        "select sum(price * amount) + 1.5 as total from sales order by total desc, day limit 10 offset 20",
        "select a from t where (a in (1, 2, null) or b not like 'it''s %') and c is not null",
        "select a from t where a between 1 and 5 and b not between 2 and c + 3",
        "Select\n  count(distinct a)\nFrom t",
        "select 'x' from t where t.a<=t.b",
    ],
    "query.lark": [
        "error",
        "two words",
        '"a phrase" AND word',
        "status:open",
        "status:open OR status:closed NOT stale",
        'status:open (author:ann OR author:"Bo Li") NOT stale created:2026-01-01..2026-03-31 size:>10',
        "size:10..20",
        "created:>=2026-01-01",
        "NOT NOT (a b OR c)",
        "year:2026",
    ],
    "diff.gbnf": [
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n",
        "--- /dev/null\n+++ b/new file.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n",
        "--- a/x\t2026-01-01\n+++ b/x\t2026-01-02\n@@ -1,3 +1,3 @@ def f():\n a\n-b\n+c\n d\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n@@ -10,2 +10,2 @@\n \n-q\n+r\n",
        "--- a\n+++ b\n@@ -1 +0,0 @@\n-x\n--- c\n+++ d\n@@ -0,0 +1 @@\n+y\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n--- this removes a line\n+++ this adds one\n",
        "--- a\n+++ b\n@@ -1000,12 +1003,15 @@\n é\n",
    ],
    "chess.gbnf": [
        "1. e4",
        "1. e4 e5",
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6",
        "1. f3 e5 2. g4 Qh4# 0-1",
        "12. O-O O-O-O",
        "40. bxa8=Q+ Kd2",
        "7. Nbd7 R1e2",
        "9. Qh4xe1 exd5 *",
        "1. d4 d5 1/2-1/2",
    ],
}

LEXING: dict[str, Literal["basic"]] = {"sql.lark": "basic"}
"""How the texts of a grammar are cut, if not as its notation has it."""

DEPART = {
    "json.lark": ["", "[1,]", "{a: 1}", "{'a': 1}", "01", "1.", "+1", '"\t"', "[1 2]", '"\\x41"', "nul", "[] []"],
    "arithmetic.lark": ["", "1 +", "2x", "(1", "1)", "f(,)", "1..2", "* 2", ".5", "1 2", "x y", "f(1,)"],
    "sql.lark": [
        "",
        "select from t",
        "select a",
        "select a from",
        "select a b from t",
        "select a, from t",
        "select * from t where",
        "select * from t where a",
        "select * from t limit x",
        "select a from t where a in ()",
        "select a from t; drop table t",
        "select 'x from t",
        "selecta from t",
        "select from from t",
        "delete from t",
    ],
    "query.lark": [
        "",
        "OR a",
        "a AND",
        "()",
        "(a",
        '"open',
        "status:",
        ":open",
        "status::open",
        "size:1..",
        "size:2026-01-01..5",
        "created:2026-1-1",
        "Upper",
        ">10",
    ],
    "diff.gbnf": [
        "",
        "--- a\n+++ b\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-x",
        "+++ b\n--- a\n@@ -1 +1 @@\n-x\n",
        "--- a\n+++ b\n@@ -1 1 @@\n-x\n",
        "--- a\n+++ b\n@@ -01 +1 @@\n-x\n",
        "--- a\n+++ b\n@@ -1 +1 @@\nx\n",
        "diff --git a b\n--- a\n+++ b\n@@ -1 +1 @@\n-x\n",
        "--- \n+++ b\n@@ -1 +1 @@\n-x\n",
    ],
    "chess.gbnf": [
        "",
        "e4",
        "1.e4",
        "0. e4",
        "1. e9",
        "1. e8",
        "1. e4=Q",
        "1. i4",
        "1. Pe4",
        "1. 0-0",
        "1. e4 2. d4",
        "1. e4 e5 1-0 2. d4",
        "1. e4 ",
    ],
}


def test_every_shipped_grammar_is_tried() -> None:
    files = {file.name for file in FOLDER.iterdir()}
    assert files == CONFORM.keys() == DEPART.keys()
    assert min(len(texts) for cases in (CONFORM, DEPART) for texts in cases.values()) >= 8


def read_grammar(name: str) -> fw.Form[str]:
    return fw.grammar((FOLDER / name).read_text("utf-8"), lexing=LEXING.get(name))


@pytest.fixture(scope="module", params=sorted(CONFORM))
def shipped(request: pytest.FixtureRequest) -> tuple[str, fw.Form[str]]:
    return request.param, read_grammar(request.param)


def test_texts_conform(shipped: tuple[str, fw.Form[str]]) -> None:
    name, form = shipped
    assert [text for text in CONFORM[name] if not form.matches(text)] == []


def test_nothing_is_remarked_on(shipped: tuple[str, fw.Form[str]]) -> None:
    _, form = shipped
    assert not form.explain()


def test_texts_depart(shipped: tuple[str, fw.Form[str]]) -> None:
    name, form = shipped
    assert [text for text in DEPART[name] if form.matches(text)] == []


def test_a_text_ends_within_the_smallest_budget(
    shipped: tuple[str, fw.Form[str]], byte_vocabulary: fw.Vocabulary
) -> None:
    _, form = shipped
    matcher = fw.compile(form, byte_vocabulary).matcher()
    mask = fw.allocate_bitmask(1, byte_vocabulary)
    for left in range(matcher.min_tokens_to_finish, 0, -1):
        matcher.fill_bitmask(mask, budget=left)
        matcher.accept_token(int(fw.allowed_tokens(mask)[-1]))
    assert form.matches(matcher.accepted_bytes)


def test_the_grammar_of_json_takes_what_json_takes() -> None:
    form = read_grammar("json.lark")
    for text in CONFORM["json.lark"]:
        json.loads(text)
    for text in DEPART["json.lark"]:
        with pytest.raises(json.JSONDecodeError):
            json.loads(text)
    assert form.matches(json.dumps({"a": [1, None, {"b": "\x00é"}]}, indent=2))


@pytest.mark.parametrize("name", sorted(name for name in CONFORM if name.endswith(".lark")))
def test_trees_are_those_of_lark(name: str) -> None:
    grammar, lexing = (FOLDER / name).read_text("utf-8"), LEXING.get(name)
    form = fw.grammar(grammar, read="tree", lexing=lexing)
    parser = lark.Lark(grammar, parser="lalr", lexer=lexing or "contextual")
    for text in CONFORM[name]:
        check_tree(form.parse(text), parser.parse(text), text)
    assert [text for text in DEPART[name] if parses(parser, text)] == []


@pytest.mark.parametrize("name", sorted(name for name in CONFORM if name.endswith(".gbnf")))
def test_every_text_has_a_tree(name: str) -> None:
    form = fw.grammar((FOLDER / name).read_text("utf-8"), read="tree")
    for text in CONFORM[name]:
        tree = form.parse(text)
        assert (tree.start, tree.end) == (0, len(text))
