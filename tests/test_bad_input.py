"""Wrong input is a typed error that says where, what and what next; nothing else ever comes out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
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
    "option", [{"order": "random"}, {"whitespace": "no("}, {"escapes": "all"}, {"integers": "whole"}, {"max_digits": 0}]
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


def test_a_vocabulary_that_cannot_go_on_is_a_dead_end() -> None:
    vocabulary = fw.Vocabulary([b"a", None], eos_token_ids=[1])
    with pytest.raises(errors.DeadEnd):
        fw.compile(fw.literal("b"), vocabulary).matcher().fill_bitmask(np.zeros((1, 1), dtype=np.int32))


@pytest.mark.parametrize("depth", [200, 5000])
def test_deep_nesting_is_no_crash(depth: int) -> None:
    schema = '{"items":' * depth + "{}" + "}" * depth
    with contextlib.suppress(errors.FormwrightError):
        fw.json_schema(schema)
    text = b"[" * depth
    assert fw.json().check(text)[:2] == (depth, False)


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
