"""Every row of ``testdata/dialects.toml``, which docs/reference/patterns.md shows, and the figures of its sentences."""

from __future__ import annotations

import functools
import json
import re
import sys
import tomllib
import unicodedata
import warnings
from pathlib import Path
from typing import Any

import pytest
from parameters import slow_except

import formwright as fw
from formwright.errors import ArgumentError, RegexError, SchemaError, UnsupportedKeyword, UnsupportedPattern
from formwright.forms import patterns

FILE = Path(__file__).parents[2] / "testdata" / "dialects.toml"
ROWS = tomllib.loads(FILE.read_text("utf-8"))["construct"]


@functools.cache
def every_character() -> str:
    return "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF)


def compiled(pattern: str, flags: int = 0) -> fw.Form[str]:
    with warnings.catch_warnings():  # `re` warns of [[:alpha:]] and its like
        warnings.simplefilter("ignore", FutureWarning)
        return fw.regex(re.compile(pattern, flags))


def of_json(pattern: str) -> fw.Form[Any]:
    # Beside a null, a pattern that nothing matches is a schema like another.
    return fw.json_schema({"type": ["null", "string"], "pattern": f"^(?:{pattern})$"})


READERS = {
    "text": fw.regex,
    "unicode": lambda pattern: fw.regex(pattern, unicode=True),
    "python": compiled,
    "ecma": of_json,
}


@pytest.mark.parametrize("dialect", READERS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["pattern"])
def test_what_a_construct_means(row: dict[str, Any], dialect: str) -> None:
    meaning = row.get(dialect, row["text"])
    if "refused" in meaning:
        with pytest.raises((RegexError, SchemaError, re.error), match=re.escape(meaning["refused"])):
            READERS[dialect](row["pattern"])
        return
    form = READERS[dialect](row["pattern"])
    for texts, is_in in [(meaning.get("accepts", []), True), (meaning.get("rejects", []), False)]:
        for text in texts:
            written = json.dumps(text, ensure_ascii=False) if dialect == "ecma" else text
            assert form.matches(written.encode()) == is_in, text


@pytest.mark.filterwarnings("ignore:Possible:FutureWarning")
@pytest.mark.parametrize("row", [row for row in ROWS if "refused" not in row["python"]], ids=lambda row: row["pattern"])
def test_what_the_table_says_of_python_is_what_python_does(row: dict[str, Any]) -> None:
    meaning = row["python"]
    assert all(re.fullmatch(row["pattern"], text) for text in meaning["accepts"])
    assert not any(re.fullmatch(row["pattern"], text) for text in meaning["rejects"])


@pytest.mark.parametrize(
    "flags", slow_except([0, re.IGNORECASE], [0, re.ASCII, re.IGNORECASE, re.ASCII | re.IGNORECASE])
)
@pytest.mark.parametrize(
    "member", [r"\w", r"\d", r"\s", r"[^\W_]", "[^a-z]", "[a-zß-ÿ]", "k", "[^kſ]", "ΐ", "[А-я]", "ﬅ"]
)
def test_a_class_of_re_has_the_same_code_points(member: str, flags: int) -> None:
    """All code points that match, in one text; and each that does not, next to one that does."""
    one, many = (fw.regex(re.compile(f"(?:{member}){count}", flags)) for count in ["", "*"])
    every = every_character()
    runs = list(re.finditer(f"(?:{member})+", every, flags))
    assert many.matches("".join(run[0] for run in runs).encode())
    for run in runs:
        for c in every[run.start() - 1 : run.start()] + every[run.end() : run.end() + 1]:
            assert not one.matches(c.encode()), c


def test_a_literal_that_has_no_case_needs_no_table() -> None:
    """What is without case is in no block that is looked at, so the blocks must hold everything that has one."""
    cased = {chr(code) for code in patterns._codes_with_case()}
    assert all(c.lower() == c.upper() == c.casefold() == c for c in set(every_character()) - cased)
    assert len(cased) < 20_000


@pytest.mark.parametrize(
    ("pattern", "flags", "accepts", "rejects"),
    [
        (r"a b # blank", re.VERBOSE, ["ab"], ["a b"]),
        (r"a.b", re.DOTALL, ["a\nb"], ["ab"]),
        (r"^a$\n^b$", re.MULTILINE, ["a\nb"], ["a\n\nb"]),
        (r"(?s:.).", 0, ["\na"], ["a\n"]),
        (r"(?i:a)b(?-i:c)", re.IGNORECASE, ["ABc", "abc"], ["abC"]),
        (r"\N{BULLET}\x41\u0042\103", 0, ["•ABC"], ["ABC"]),
        (r"[^\ud800]", 0, ["a"], [""]),
        (r"\w+", re.ASCII | re.DEBUG, ["ab"], ["é"]),
        (r"a|(?!)", 0, ["a"], [""]),
    ],
)
def test_flags_and_escapes_are_those_of_re(pattern: str, flags: int, accepts: list[str], rejects: list[str]) -> None:
    form = fw.regex(re.compile(pattern, flags))
    assert all(form.matches(text.encode()) for text in accepts)
    assert not any(form.matches(text.encode()) for text in rejects)


@pytest.mark.parametrize("pattern", ["(?>ab)", "(?:ab)++", r"(a)\1", "(a)?(?(1)b|c)", "(?<=ab)c", "[^\x00-\U0010ffff]"])
def test_what_cannot_be_enforced_is_refused_with_the_pattern_of_the_user(pattern: str) -> None:
    with pytest.raises(UnsupportedPattern) as caught:
        fw.regex(re.compile(pattern))
    assert caught.value.source == pattern
    assert str(caught.value).endswith(f"\n    {pattern}")
    assert caught.value.hint is not None


@pytest.mark.parametrize("pattern", [r"(a)\1", "(?P<x>a)(?P=x)"])
def test_a_back_reference_has_the_hint_of_a_schema_wherever_a_pattern_is_read(pattern: str) -> None:
    schema = {"type": "string", "format": "f"}
    readers = [
        lambda: fw.regex(pattern),
        lambda: fw.form(re.compile(pattern)),
        lambda: fw.json_schema(schema, formats={"f": pattern}),
        lambda: fw.explain(schema, formats={"f": pattern}),
        lambda: fw.json_schema(schema, whitespace=pattern),
    ]
    with pytest.raises(UnsupportedKeyword) as known:
        fw.json_schema({"type": "string", "pattern": pattern})
    for read in readers:
        with pytest.raises(UnsupportedPattern) as caught:
            read()
        assert caught.value.hint == known.value.hint
        assert caught.value.source == pattern


def test_the_hint_for_look_around_names_what_reads_it() -> None:
    with pytest.raises(UnsupportedPattern, match="look-around") as caught:
        fw.regex("a(?=b)b")
    assert "re.compile" in str(caught.value.hint)
    assert fw.regex(re.compile("a(?=b)b")).matches("ab")
    assert of_json("a(?=b)b").matches('"ab"')


@pytest.mark.parametrize("pattern", ["(a", "[", "a{2,1}", r"\G"])
def test_a_pattern_that_cannot_be_read_is_not_called_unsupported(pattern: str) -> None:
    with pytest.raises(RegexError) as caught:
        fw.regex(pattern)
    assert type(caught.value) is RegexError


def test_assertions_may_stand_in_repetitions() -> None:
    """Each asks about the character before it, and so may all of its copies: they are decided when they are met."""
    for pattern in [r"(?:^a)*", r"([a-z ]\b){30}", r"(?:\b.){40}", r"((?:\b|\B|.)[^a]){30}", r"(?:a\b ?)*"]:
        form = fw.regex(re.compile(pattern))
        for text in ["", "a", "aa", "a b" * 10, "ab" * 20, "a " * 15, "a" * 40, ". " * 20, "a a a"]:
            assert form.matches(text) == bool(re.fullmatch(pattern, text)), (pattern, text)


def test_a_stored_pattern_keeps_its_classes() -> None:
    form = fw.regex(re.compile(r"(?i)²\w+")) | fw.regex(r"\d", unicode=True) | fw.regex(r"x\d")
    again = fw.Form.from_bytes(form.to_bytes())
    assert all(again.matches(text.encode()) for text in ["²é²", "٣", "x1"])
    assert not any(again.matches(text.encode()) for text in ["x٣", "²\u0300", "é"])


def test_formats_and_flags_can_ask_for_unicode() -> None:
    schema = {"type": "string", "format": "digit"}
    assert not fw.json_schema(schema, formats={"digit": r"\d"}).matches('"٣"'.encode())
    assert fw.json_schema(schema, formats={"digit": r"(?u)\d"}).matches('"٣"'.encode())


def test_an_empty_format_names_its_pattern() -> None:
    with pytest.raises(RegexError, match=r"no text matches it\n    \[a&&b\]"):
        fw.json_schema({"type": "string", "format": "f"}, formats={"f": "[a&&b]"})


def test_unicode_is_an_option_of_texts() -> None:
    with pytest.raises(ArgumentError, match="unicode= is an option of texts") as caught:
        fw.regex(re.compile("a"), unicode=True)
    assert caught.value.argument == "unicode"


@pytest.mark.parametrize("letter", ["d", "w", "s"])
def test_unicode_classes_are_those_of_the_database(letter: str) -> None:
    """The kernel has a Unicode of its own: what both know, they agree on."""
    form = fw.regex(rf"\{letter}", unicode=True)
    kinds = {
        "d": ["Nd"],
        "w": ["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"],
        "s": ["Zs", "Zl", "Zp"],
    }
    for c in every_character()[::97]:
        if unicodedata.category(c) in kinds[letter]:
            assert form.matches(c.encode()), c
