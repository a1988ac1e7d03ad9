"""Captured parts of the texts of grammars."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import formwright as fw

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
