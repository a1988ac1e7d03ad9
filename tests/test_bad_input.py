"""Wrong input is a typed error that says where, what and what next; nothing else ever comes out."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import formwright as fw
from formwright import errors


@pytest.mark.parametrize(
    ("schema", "error", "pointer", "says"),
    [
        ("{", errors.SchemaError, "", ""),
        ('{"type": "integer",}', errors.SchemaError, "", ""),
        ("", errors.SchemaError, "", ""),
        ("[]", errors.SchemaError, "", ""),
        ({"type": "integr"}, errors.SchemaError, "/type", "integr"),
        ({"properties": {"a": {"minimum": "3"}}}, errors.SchemaError, "/properties/a/minimum", "minimum"),
        ({"properties": {"a": {"maxLenght": 3}}}, errors.SchemaError, "/properties/a/maxLenght", "maxLength"),
        ({"$ref": "#/$defs/missing"}, errors.SchemaError, "/$ref", "missing"),
        ({"$ref": "https://example.com/other.json"}, errors.SchemaError, "/$ref", "example.com"),
        ({"$ref": "#"}, errors.SchemaError, "", ""),
        ({"type": "integer", "minimum": 5, "maximum": 4}, errors.UnsatisfiableSchema, "", ""),
        ({"properties": {"a": {"$ref": "#"}}, "required": ["a"], "type": "object"}, errors.UnsatisfiableSchema, "", ""),
        (False, errors.UnsatisfiableSchema, "", ""),
        (
            {
                "type": "object",
                "minProperties": 2,
                "patternProperties": {"^$": {}},
                "additionalProperties": {"if": True, "then": False},
            },
            errors.UnsatisfiableSchema,
            "/additionalProperties",
            "",
        ),
        ({"type": "string", "pattern": "["}, errors.SchemaError, "/pattern", ""),
        ({"type": "string", "pattern": "^a$", "minLength": 3}, errors.UnsatisfiableSchema, "", ""),
        ({"properties": {"title": "x"}}, errors.SchemaError, "/properties/title", "not a string"),
        ({"dependencies": {"$comment": "x"}}, errors.SchemaError, "/dependencies/$comment", "not a string"),
        ({"title": "x", "$ref": "#/title"}, errors.SchemaError, "/title", "not a string"),
        ('{"title": "x", "title": "y"}', errors.SchemaError, "", "title"),
        (
            {"items": {"$id": "http://x/y", "title": "y", "$defs": {"z": {"type": "int"}}, "$ref": "#/$defs/z"}},
            errors.SchemaError,
            "/items/$defs/z/type",
            "int",
        ),
        ({"items": {"$ref": "#a"}, "not": {"$anchor": "a", "type": "int"}}, errors.SchemaError, "/not/type", "int"),
        (
            {"properties": {"/~": {"type": "int"}}, "$ref": "#/properties/~1~0"},
            errors.SchemaError,
            "/properties/~1~0/type",
            "",
        ),
    ],
)
def test_schemas(schema: Any, error: type[errors.SchemaError], pointer: str, says: str) -> None:
    with pytest.raises(error) as caught:
        fw.json_schema(schema)
    assert isinstance(caught.value, errors.SchemaError)
    assert caught.value.pointer == pointer
    assert says in str(caught.value) + str(caught.value.hint)


def test_a_near_miss_is_ignored_only_by_choice() -> None:
    schema = {"type": "string", "maxLenght": 3}
    assert fw.json_schema(schema, unknown_keywords="ignore").matches(b'"abcd"')
    assert ("", "x-origin") in [row[:2] for row in fw.json_schema({"type": "string", "x-origin": "form"}).explain()]


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "[b-a]", "*", "(?<n>a", "\\"])
def test_regular_expressions_show_the_place(pattern: str) -> None:
    with pytest.raises(errors.RegexError) as caught:
        fw.regex(pattern)
    assert caught.value.source == pattern
    assert caught.value.span is not None
    start, end = caught.value.span
    assert 0 <= start <= end <= len(pattern)
    assert "^" in str(caught.value)


@pytest.mark.parametrize("options", [[], [""]])
def test_a_choice_of_nothing_is_refused_and_of_the_empty_text_is_not(options: list[str]) -> None:
    if options:
        assert fw.choice(options).matches(b"")
    else:
        with pytest.raises(errors.ArgumentError, match="no options"):
            fw.choice(options)


@pytest.mark.parametrize(
    "option",
    [
        {"order": "random"},
        {"whitespace": "no("},
        {"max_whitespace": -1},
        {"max_whitespace": 1_001},
        {"whitespace": "compact", "max_whitespace": 2},
        {"whitespace": "[ ]*", "max_whitespace": 2},
        {"max_items": -1},
        {"max_items": 2**32 - 1},
        {"alphabet": ""},
        {"alphabet": "\ud800"},
        {"escapes": "all"},
        {"integers": "whole"},
        {"max_digits": 0},
    ],
)
def test_options_are_checked(option: dict[str, Any]) -> None:
    with pytest.raises((errors.FormwrightError, ValueError), match=r"\w"):
        fw.json_schema({}, **option)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"tokens": [b"a"], "eos_token_ids": []}, "end"),
        ({"tokens": [b"a"], "eos_token_ids": [5]}, "5"),
        ({"tokens": [b"a", None], "eos_token_ids": [1], "logits_size": 1}, "1"),
        ({"tokens": [b"a", None], "eos_token_ids": [1], "special_tokens": {"<s>": 9}}, "9"),
    ],
)
def test_vocabularies(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(errors.VocabularyError) as caught:
        fw.Vocabulary(**arguments)
    assert says in str(caught.value)


@pytest.fixture
def matcher(byte_vocabulary: fw.Vocabulary) -> fw.Matcher:
    return fw.compile(fw.literal("ab") | fw.literal("ac"), byte_vocabulary).matcher()


@pytest.mark.parametrize("token", [257, 1 << 31])
def test_unknown_tokens(matcher: fw.Matcher, byte_vocabulary: fw.Vocabulary, token: int) -> None:
    with pytest.raises(errors.VocabularyError, match=str(token)):
        matcher.accept_token(token)
    with pytest.raises(errors.VocabularyError, match=str(token)):
        byte_vocabulary.token(token)
    assert matcher.accepted_bytes == b""


def test_a_rejected_token_says_where_and_what_could_have_come(matcher: fw.Matcher) -> None:
    matcher.accept_token(ord("a"))
    with pytest.raises(errors.TokenRejected) as caught:
        matcher.accept_token(ord("x"))
    assert (caught.value.token_id, caught.value.token, caught.value.position) == (ord("x"), b"x", 1)
    assert "b" in caught.value.expected
    assert "c" in caught.value.expected
    assert matcher.accepted_bytes == b"a"


def test_rejected_runs_change_nothing(matcher: fw.Matcher) -> None:
    with pytest.raises(errors.TokenRejected):
        matcher.accept_tokens([ord("a"), ord("x")])
    with pytest.raises(errors.TokenRejected) as caught:
        matcher.accept_bytes(b"ax")
    assert (caught.value.token_id, caught.value.token, caught.value.position) == (None, b"ax", 0)
    assert matcher.accepted_bytes == b""
    assert matcher.validate_tokens([ord("a"), ord("x")]) == 1


def test_an_end_of_text_is_rejected_inside_one_and_final_after_it(matcher: fw.Matcher) -> None:
    with pytest.raises(errors.TokenRejected):
        matcher.accept_token(256)
    matcher.accept_tokens([ord("a"), ord("b"), 256])
    assert matcher.is_finished
    with pytest.raises(errors.MatchError):
        matcher.accept_token(ord("a"))


@pytest.mark.parametrize(
    "mask",
    [
        np.zeros((1, 8), dtype=np.int32),
        np.zeros((1, 10), dtype=np.int32),
        np.zeros((1, 9), dtype=np.int64),
        np.zeros((1, 9), dtype=np.float32),
        np.zeros((1, 18), dtype=np.int32)[:, ::2],
        np.zeros((1, 1, 9), dtype=np.int32),
        bytes(36),
        [0] * 9,
        None,
    ],
    ids=["narrow", "wide", "int64", "float32", "strided", "cube", "bytes", "list", "None"],
)
def test_masks_that_do_not_fit(matcher: fw.Matcher, mask: Any) -> None:
    with pytest.raises((ValueError, TypeError, BufferError)):
        matcher.fill_bitmask(mask)


def test_a_read_only_mask_is_refused(matcher: fw.Matcher) -> None:
    mask = np.zeros((1, 9), dtype=np.int32)
    mask.flags.writeable = False
    with pytest.raises((ValueError, TypeError, BufferError)):
        matcher.fill_bitmask(mask)
    assert not mask.any()


@pytest.mark.parametrize("row", [1, 7])
def test_rows_that_are_not_there(matcher: fw.Matcher, row: int) -> None:
    with pytest.raises((ValueError, IndexError), match=str(row)):
        matcher.fill_bitmask(np.zeros((1, 9), dtype=np.int32), row)


def test_a_budget_too_small_for_any_text(matcher: fw.Matcher) -> None:
    with pytest.raises(errors.LimitExceeded) as caught:
        matcher.fill_bitmask(np.zeros((1, 9), dtype=np.int32), budget=1)
    assert caught.value.value > caught.value.allowed


@pytest.mark.parametrize("depth", [200, 5000])
def test_deep_nesting_is_no_crash(depth: int) -> None:
    schema = '{"items":' * depth + "{}" + "}" * depth
    with contextlib.suppress(errors.FormwrightError):
        fw.json_schema(schema)
    text = b"[" * depth
    assert fw.json().check(text)[:2] == (depth, False)


def test_a_schema_that_nests_too_deep_is_a_limit() -> None:
    schema = '{"allOf":[' * 64 + "{}" + "]}" * 64
    with pytest.raises(errors.LimitExceeded, match="values inside one another") as caught:
        fw.json_schema(schema)
    assert caught.value.limit == "schema_nesting"


@pytest.mark.parametrize("keyword", ["minLength", "minItems", "minProperties"])
def test_a_text_that_must_be_too_long_is_a_limit_and_not_a_contradiction(keyword: str) -> None:
    with pytest.raises(errors.LimitExceeded, match="bytes of the shortest text"):
        fw.json_schema({"properties": {"a": {keyword: 2**31}}})


@pytest.mark.parametrize(
    "build",
    [
        lambda text: fw.json_schema({"properties": {text: {}}}),
        lambda text: fw.json_schema({"enum": ["a", text]}),
        lambda text: fw.choice([text, "b"]),
        lambda text: fw.literal(text),
    ],
)
def test_texts_too_long_for_a_tree(build: Callable[[str], object]) -> None:
    build("a" * 65_000)
    with pytest.raises(errors.LimitExceeded, match="at most 65534"):
        build("a" * 70_000)


def test_many_numbers_are_all_kept() -> None:
    language = fw.json_schema({"enum": list(range(1001))})
    assert all(language.check(str(number)).is_complete for number in range(1001))
    assert not language.matches("1001")


@pytest.mark.timeout(60)
def test_many_divisors_are_no_hang() -> None:
    divisors = [{"multipleOf": 999_983 - 17 * n} for n in range(300)]
    with pytest.raises(errors.LimitExceeded, match="deciding whether a combination of patterns is empty"):
        fw.json_schema({"type": "number", "allOf": divisors})
    with pytest.raises(errors.UnsupportedKeyword, match="too many digits"):
        fw.json_schema({"type": "number", "allOf": [{"multipleOf": 10**300 + n} for n in range(200)]})
    fw.json_schema({"type": "integer", "allOf": [{"not": {"multipleOf": n}} for n in range(2, 302)]})


def test_a_matcher_stands_once_in_a_batch(matcher: fw.Matcher, byte_vocabulary: fw.Vocabulary) -> None:
    mask = fw.allocate_bitmask(2, byte_vocabulary)
    with pytest.raises(errors.ArgumentError, match="index 1 is in the list twice") as caught:
        fw.fill_bitmasks([matcher, matcher], mask)
    assert "fork" in str(caught.value.hint)
    assert not mask.any()
    fw.fill_bitmasks([matcher, matcher.fork()], mask)
    assert (mask[0] == mask[1]).all()


@pytest.mark.parametrize("row", [-1, 2, -(1 << 40), 1 << 40])
def test_rows_are_counted_from_0(matcher: fw.Matcher, byte_vocabulary: fw.Vocabulary, row: int) -> None:
    mask = fw.allocate_bitmask(2, byte_vocabulary)
    for fill in (
        lambda: matcher.fill_bitmask(mask, row),
        lambda: fw.fill_bitmasks([matcher], mask, rows=[row]),
        lambda: fw.apply_bitmask(np.zeros((2, 257), dtype=np.float32), mask, rows=[row]),
    ):
        with pytest.raises(errors.ArgumentError, match=f"no row {row}"):
            fill()


@pytest.mark.parametrize("token", [-1, 257, 1 << 31, -(1 << 40), 1 << 40])
def test_ids_that_are_none(matcher: fw.Matcher, byte_vocabulary: fw.Vocabulary, token: int) -> None:
    for use in (
        matcher.accept_token,
        byte_vocabulary.token,
        lambda token: matcher.accept_tokens([97, token]),
        lambda token: matcher.validate_tokens([97, token]),
    ):
        with pytest.raises(errors.VocabularyError, match=f"unknown token id {token}"):
            use(token)
    assert matcher.accepted_bytes == b""


def test_numbers_of_any_size_are_errors_of_ours(matcher: fw.Matcher, byte_vocabulary: fw.Vocabulary) -> None:
    mask = fw.allocate_bitmask(1, byte_vocabulary)
    for huge in (10**30, -(10**30)):
        for use in (
            lambda huge=huge: matcher.fill_bitmask(mask, huge),
            lambda huge=huge: matcher.fill_bitmask(mask, budget=huge),
            lambda huge=huge: matcher.accept_token(huge),
            lambda huge=huge: byte_vocabulary.token(huge),
            lambda huge=huge: matcher.rollback(huge),
            lambda huge=huge: fw.json_schema({}, max_digits=huge),
            lambda huge=huge: fw.json_schema({}, max_whitespace=huge),
            lambda huge=huge: fw.json_schema({}, max_items=huge),
            lambda huge=huge: fw.literal("a").repeat(huge),
            lambda huge=huge: fw.Vocabulary([b"a"], eos_token_ids=[huge]),
            lambda huge=huge: fw.Vocabulary([b"a", None], eos_token_ids=[1], special_tokens={"x": huge}),
        ):
            with pytest.raises(errors.FormwrightError):
                use()


def test_a_text_too_long_to_count_is_a_limit_and_not_a_contradiction() -> None:
    for form in (fw.form(int), fw.literal("ab")):
        with pytest.raises(errors.LimitExceeded, match="bytes of the shortest text"):
            form.repeat(10**9)
    assert fw.form(int).repeat(1, 10**9).matches("1")


@pytest.mark.parametrize("pattern", [r"a$b", r"[^\s\S]"])
def test_a_pattern_that_matches_nothing_is_an_error_of_the_pattern(pattern: str) -> None:
    with pytest.raises(errors.RegexError, match="no text matches it") as caught:
        fw.regex(pattern)
    assert caught.value.source == pattern


def test_a_row_stands_once_in_a_batch(matcher: fw.Matcher, byte_vocabulary: fw.Vocabulary) -> None:
    with pytest.raises(errors.ArgumentError, match="two matchers have row 1"):
        fw.fill_bitmasks([matcher, matcher.fork()], fw.allocate_bitmask(2, byte_vocabulary), rows=[1, 1])


def test_a_mask_of_another_type_is_named(matcher: fw.Matcher) -> None:
    with pytest.raises(TypeError, match="got ndarray of int64"):
        matcher.fill_bitmask(np.zeros((1, 9), dtype=np.int64))


def test_counts_are_0_or_more(matcher: fw.Matcher, byte_vocabulary: fw.Vocabulary) -> None:
    mask = fw.allocate_bitmask(1, byte_vocabulary)
    for use in (
        lambda: matcher.fill_bitmask(mask, budget=-1),
        lambda: matcher.allowed_token_ids(budget=-1),
        lambda: fw.fill_bitmasks([matcher], mask, budgets=[-1]),
        lambda: matcher.rollback(-1),
        lambda: fw.allocate_bitmask(-1, byte_vocabulary),
    ):
        with pytest.raises(errors.ArgumentError, match=r"0 or more, (not|got) -1"):
            use()


def test_a_vocabulary_that_cannot_spell_the_form_is_a_dead_end_when_it_is_compiled() -> None:
    vocabulary = fw.Vocabulary([b"a", b"ab", None], eos_token_ids=[2])
    with pytest.raises(errors.DeadEnd, match="cannot spell any text of this form") as caught:
        fw.compile(fw.literal("b"), vocabulary)
    assert caught.value.hint is not None
    with pytest.raises(errors.DeadEnd):
        fw.compile(fw.regex("a*c"), vocabulary)
    # No shortest text, "ab" and then "c", can be spelled, but a longer one can.
    assert fw.compile(fw.regex("ab(c|aab)"), vocabulary).matcher().allowed_token_ids() == [0, 1]


def test_a_mask_of_several_rows_has_no_one_list_of_ids(byte_vocabulary: fw.Vocabulary) -> None:
    mask = fw.allocate_bitmask(2, byte_vocabulary)
    mask[:] = -1
    with pytest.raises(errors.ArgumentError, match="one row"):
        fw.allowed_tokens(mask)
    assert len(fw.allowed_tokens(mask[:1])) == len(fw.allowed_tokens(mask[0])) == 9 * 32


def test_allowed_token_ids_are_those_of_the_mask(matcher: fw.Matcher, byte_vocabulary: fw.Vocabulary) -> None:
    matcher.accept_bytes(b"a")
    assert matcher.allowed_token_ids() == [ord("b"), ord("c")]
    mask = fw.allocate_bitmask(1, byte_vocabulary)
    matcher.fill_bitmask(mask)
    assert fw.allowed_tokens(mask).tolist() == matcher.allowed_token_ids()


def test_no_error_speaks_of_a_grammar() -> None:
    for use in (lambda: fw.choice([]), lambda: fw.literal("a").repeat(2, 1), lambda: fw.json(whitespace="x")):
        with pytest.raises(errors.ArgumentError) as caught:
            use()
        assert "grammar" not in f"{caught.value} {caught.value.hint}".lower()


def test_every_error_is_raised_somewhere() -> None:
    """An exported class that nothing raises is a promise without a check."""
    root = Path(__file__).parent.parent
    sources = [*root.glob("python/**/*.py"), *root.glob("crates/formwright-python/src/*.rs")]
    text = "\n".join(source.read_text("utf-8") for source in sources)
    bases = {"FormwrightError"}
    for name in set(errors.__all__) - bases:
        assert re.search(rf"(raise|return|=) {name}\(|python::{name}", text), name
