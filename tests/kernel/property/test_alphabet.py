"""An alphabet: it takes the texts away whose open strings or names have another character, and no others.

A strategy draws a schema together with a judge, which tells whether the open strings of a value are spelled with an
alphabet. A text is in form exactly if it is without the alphabet, and the judge says so. Masks are those of the
reference, and any JSON is judged by all its strings.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import formwright as fw
from formwright.reference import languages as ref

END = 0
LETTERS = 'ab "\\\n\x01/é𝄞'
alphabets = st.text(LETTERS, min_size=1, max_size=6)
texts = st.text(LETTERS, max_size=4)
values = st.recursive(
    st.none() | st.integers(0, 9) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


def is_spelled(value: Any, alphabet: str) -> bool:
    """Whether every string in a value, names included, has only characters of an alphabet."""
    if isinstance(value, dict):
        return is_spelled(list(value), alphabet) and is_spelled(list(value.values()), alphabet)
    if isinstance(value, list):
        return all(is_spelled(item, alphabet) for item in value)
    return not isinstance(value, str) or set(value) <= set(alphabet)


@dataclass(frozen=True)
class Judged:
    """A schema, values of it, and whether the open strings of one are spelled with an alphabet."""

    schema: dict[str, Any]
    values: st.SearchStrategy[Any]
    judge: Callable[[Any, str], bool]


def listed(*options: str) -> Judged:
    return Judged({"enum": [*options]}, st.sampled_from(options), lambda value, alphabet: True)


def open_or_listed(*options: str) -> Judged:
    schema = {"anyOf": [{"enum": [*options]}, {"type": "string"}]}
    return Judged(schema, texts | st.sampled_from(options), lambda v, alphabet: v in options or is_spelled(v, alphabet))


def an_array(item: Judged) -> Judged:
    def judge(value: Any, alphabet: str) -> bool:
        return all(item.judge(one, alphabet) for one in value)

    return Judged({"type": "array", "items": item.schema}, st.lists(item.values, max_size=3), judge)


def an_object(declared: Judged, further: Judged) -> Judged:
    """Of a declared name, which no alphabet concerns, and of others."""

    def judge(value: Any, alphabet: str) -> bool:
        others = {name: one for name, one in value.items() if name != "é!"}
        spelled = is_spelled(list(others), alphabet) and all(further.judge(one, alphabet) for one in others.values())
        return spelled and ("é!" not in value or declared.judge(value["é!"], alphabet))

    schema = {"type": "object", "properties": {"é!": declared.schema}, "additionalProperties": further.schema}
    members = st.builds(
        lambda first, others: first | others,
        st.fixed_dictionaries({}, optional={"é!": declared.values}),
        st.dictionaries(texts, further.values, max_size=2),
    )
    return Judged(schema, members, judge)


leaves = st.sampled_from(
    [
        Judged({"type": "string"}, texts, is_spelled),
        Judged({"type": "string", "minLength": 2, "maxLength": 9}, texts, is_spelled),
        Judged({"type": "string", "pattern": '^[a-zé"]{1,300}$'}, texts, is_spelled),
        Judged({"type": "string", "pattern": "é"}, texts.map(lambda text: text + "é"), is_spelled),
        Judged({"type": "string", "not": {"enum": ["a", "é"]}}, texts, is_spelled),
        Judged({}, values, is_spelled),
        listed("é", "a", "\n"),
        open_or_listed("é", "𝄞a"),
    ]
)
schemas = st.recursive(
    leaves, lambda inner: st.builds(an_array, inner) | st.builds(an_object, inner, inner), max_leaves=4
)


@given(schemas, alphabets, st.sampled_from(["natural", "any"]), st.booleans(), st.data())
def test_an_alphabet_takes_away_what_is_not_spelled_with_it(
    drawn: Judged, alphabet: str, escapes: Any, is_ascii: bool, data: st.DataObject
) -> None:
    value = data.draw(drawn.values)
    text = json.dumps(value, ensure_ascii=is_ascii)
    every = fw.json_schema(drawn.schema, escapes=escapes)
    try:
        form = fw.json_schema(drawn.schema, escapes=escapes, alphabet=alphabet)
    except fw.errors.UnsatisfiableSchema:
        assert not (every.matches(text) and drawn.judge(value, alphabet))
        return
    assert form.matches(text) is (every.matches(text) and drawn.judge(value, alphabet))
    assert every.matches(form.example())
    assert drawn.judge(json.loads(form.example()), alphabet)


@given(values, alphabets, st.sampled_from(["natural", "any"]), st.booleans())
def test_any_json_is_judged_by_all_its_strings(value: Any, alphabet: str, escapes: Any, is_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii)
    form = fw.json(escapes=escapes, alphabet=alphabet)
    assert form.matches(text) is (fw.json(escapes=escapes).matches(text) and is_spelled(value, alphabet))


TOKENS = [
    "ab",
    '"a',
    'b"',
    "é",
    "𝄞",
    "\\",
    '\\"',
    "\\\\",
    "\\n",
    "\\u00",
    "\\u000",
    "a\\",
    '"]',
    '["',
    '","',
    "aé",
    '\\""',
]
tokens = st.lists(st.sampled_from(TOKENS).map(str.encode), max_size=12, unique=True)


@given(alphabets, st.sampled_from([(0, None), (1, 3), (2, 8)]), tokens, st.data())
def test_masks_are_what_the_reference_allows(
    alphabet: str, bounds: tuple[int, int | None], tokens: list[bytes], data: st.DataObject
) -> None:
    low, high = bounds
    schema = {"type": "string", "minLength": low} | ({} if high is None else {"maxLength": high})
    form = fw.json_schema({"type": "array", "items": schema}, whitespace="compact", alphabet=alphabet)
    oracle = ref.json_array(ref.json_string(low, high, alphabet))
    spelled = dict(enumerate([*tokens, *(bytes([byte]) for byte in range(256))], start=1))
    matcher = fw.compile(form, fw.Vocabulary([None, *spelled.values()], eos_token_ids=[END])).matcher()
    text = b""
    for _ in range(10):
        expected = ref.allowed_tokens(oracle, text, spelled, ends=[END])
        assert set(matcher.allowed_token_ids()) == expected, text
        if not expected - {END}:
            break
        token = data.draw(st.sampled_from(sorted(expected - {END})))
        matcher.accept_token(token)
        text += spelled[token]
