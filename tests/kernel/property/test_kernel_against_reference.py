"""The kernel's masks are the reference's allowed tokens, on random languages and random vocabularies.

A strategy draws the same language in two notations, one for each side. A walk then
goes token by token through the language; at each state it compares the mask with what
the reference allows, and everything else the matcher says with what follows from that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from hypothesis import given, note
from hypothesis import strategies as st

import formwright as fw
from formwright import allowed_tokens
from formwright.reference import languages as ref

ALPHABET = 'ab0"\\{,é你😀'
END = 0


@dataclass(frozen=True)
class Twin:
    """One language, three times: for the reference, as a regular expression, and composed from kernel parts."""

    oracle: ref.Language
    pattern: str
    language: fw.Form[Any]


def exactly(text: str) -> Twin:
    return Twin(ref.literal(text), re.escape(text), fw.literal(text))


def one_of(characters: str) -> Twin:
    inside = "".join(map(re.escape, characters))
    oracle = ref.Characters(tuple((ord(character), ord(character)) for character in characters))
    return Twin(oracle, f"[{inside}]", fw.choice(list(characters)))


def between(low: str, high: str) -> Twin:
    low, high = sorted((low, high))
    pattern = f"[{re.escape(low)}-{re.escape(high)}]"
    return Twin(ref.Characters(((ord(low), ord(high)),)), pattern, fw.regex(pattern))


def followed(one: Twin, two: Twin) -> Twin:
    return Twin(ref.sequence(one.oracle, two.oracle), one.pattern + two.pattern, one.language + two.language)


def either(one: Twin, two: Twin) -> Twin:
    pattern = f"(?:{one.pattern}|{two.pattern})"
    return Twin(ref.alternative(one.oracle, two.oracle), pattern, one.language | two.language)


def repeated(body: Twin, low: int, more: int | None) -> Twin:
    high = None if more is None else low + more
    pattern = f"(?:{body.pattern}){{{low},{'' if high is None else high}}}"
    return Twin(ref.repeat(body.oracle, low, high), pattern, body.language.repeat(low, high))


characters = st.sampled_from(ALPHABET)
leaves = st.one_of(
    st.builds(exactly, st.text(characters, min_size=1, max_size=4)),
    st.builds(one_of, st.text(characters, min_size=1, max_size=4).map(lambda text: "".join(dict.fromkeys(text)))),
    st.builds(between, characters, characters),
)
twins = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(followed, inner, inner),
        st.builds(either, inner, inner),
        st.builds(repeated, inner, st.integers(0, 3), st.none() | st.integers(0, 3)),
    ),
    max_leaves=6,
)


@st.composite
def fragments(draw: st.DrawFn) -> bytes:
    """A piece of a text, cut anywhere, also inside a character."""
    text = draw(st.text(characters, min_size=1, max_size=4)).encode()
    start = draw(st.integers(0, len(text) - 1))
    return text[start : draw(st.integers(start + 1, len(text)))]


# A vocabulary is refused if no token of it can be in a text, so one of them is a piece of one.
vocabularies = st.builds(
    lambda piece, others: [piece, *others],
    fragments(),
    st.lists(fragments() | st.binary(min_size=1, max_size=2), max_size=29),
)


def spelled(tokens: list[bytes], every_byte: bool) -> dict[int, bytes]:
    singles = [bytes([byte]) for byte in range(256)] if every_byte else []
    return dict(enumerate([*tokens, *singles], start=1))


def build(tokens: dict[int, bytes]) -> fw.Vocabulary:
    return fw.Vocabulary([None, *tokens.values()], eos_token_ids=[END])


def mask_of(matcher: fw.Matcher, vocabulary: fw.Vocabulary) -> set[int]:
    """The allowed tokens; none where the matcher reports a dead end."""
    mask = fw.allocate_bitmask(1, vocabulary)
    try:
        matcher.fill_bitmask(mask)
    except fw.errors.DeadEnd:
        return set()
    return set(allowed_tokens(mask[0]).tolist())


def can_be_spelled(oracle: ref.Language, tokens: dict[int, bytes]) -> bool:
    """Whether some tokens in a row are a complete text, as far as the first hundred states show."""
    seen, waiting = {oracle}, [oracle]
    while waiting and len(seen) < 100:
        state = waiting.pop()
        allowed = ref.allowed_tokens(state, b"", tokens, ends=[END])
        if END in allowed:
            return True
        following = {ref.after(state, tokens[token]) for token in allowed} - seen
        seen |= following
        waiting += following
    return False


def walk(oracle: ref.Language, language: fw.Form[Any], tokens: dict[int, bytes], data: st.DataObject) -> None:
    """Compare at every state of a random walk of up to eight tokens."""
    vocabulary = build(tokens)
    try:
        matcher = fw.compile(language, vocabulary).matcher()
    except fw.errors.DeadEnd:
        assert not can_be_spelled(oracle, tokens)
        return
    text = b""
    for _ in range(8):
        expected = ref.allowed_tokens(oracle, text, tokens, ends=[END])
        assert mask_of(matcher, vocabulary) == expected, text
        assert matcher.accepted_bytes == text
        assert matcher.is_complete is (END in expected) is ref.matches(oracle, text)
        if not expected - {END}:
            break
        token = data.draw(st.sampled_from(sorted(expected - {END})))
        matcher.accept_token(token)
        text += tokens[token]
    note(repr(text))


@given(twins, vocabularies, st.booleans(), st.data())
def test_regular_expressions(twin: Twin, tokens: list[bytes], every_byte: bool, data: st.DataObject) -> None:
    walk(twin.oracle, fw.regex(twin.pattern), spelled(tokens, every_byte), data)


@given(twins, vocabularies, st.booleans(), st.data())
def test_composed_languages(twin: Twin, tokens: list[bytes], every_byte: bool, data: st.DataObject) -> None:
    walk(twin.oracle, twin.language, spelled(tokens, every_byte), data)


@given(st.lists(st.text(characters, min_size=1, max_size=4), min_size=1, max_size=6), vocabularies, st.data())
def test_choices(options: list[str], tokens: list[bytes], data: st.DataObject) -> None:
    walk(ref.choice(options), fw.choice(options), spelled(tokens, True), data)


@dataclass(frozen=True)
class Schema:
    """A schema and its language without whitespace."""

    schema: dict[str, object]
    oracle: ref.Language


def a_string(low: int, more: int | None) -> Schema:
    high = None if more is None else low + more
    bound = {} if high is None else {"maxLength": high}
    return Schema({"type": "string", "minLength": low} | bound, ref.json_string(low, high))


def an_array(item: Schema, low: int, more: int | None) -> Schema:
    high = None if more is None else low + more
    bound = {} if high is None else {"maxItems": high}
    return Schema(
        {"type": "array", "items": item.schema, "minItems": low} | bound, ref.json_array(item.oracle, low, high)
    )


def an_object(members: list[tuple[Schema, bool]]) -> Schema:
    named = [(f'k"{rank}' if rank else "é", value, needed) for rank, (value, needed) in enumerate(members)]
    schema = {
        "type": "object",
        "properties": {name: value.schema for name, value, _ in named},
        "required": [name for name, _, needed in named if needed],
        "additionalProperties": False,
    }
    quoted = ((f'"{name}"'.replace('k"', 'k\\"'), value.oracle, needed) for name, value, needed in named)
    return Schema(schema, ref.json_object(*quoted))


def any_of(one: Schema, two: Schema) -> Schema:
    return Schema({"anyOf": [one.schema, two.schema]}, ref.alternative(one.oracle, two.oracle))


def all_of(one: Schema, two: Schema) -> Schema:
    return Schema({"allOf": [one.schema, two.schema]}, ref.Both(one.oracle, two.oracle))


def but_not(one: Schema, other: Schema) -> Schema:
    return Schema({"allOf": [one.schema], "not": other.schema}, ref.Both(one.oracle, ref.Not(other.oracle)))


def nested(leaf: Schema) -> Schema:
    """Arrays of arrays of ... the leaf: the language refers to itself."""

    def value() -> ref.Language:
        return ref.alternative(leaf.oracle, ref.json_array(ref.Rule(value)))

    either = {"anyOf": [leaf.schema, {"type": "array", "items": {"$ref": "#"}}]}
    return Schema(either, value())


DIGITS = 3
"""Few enough for numbers to reach the bound."""

strings = st.builds(a_string, st.integers(0, 2), st.none() | st.integers(0, 2))
texts = st.sampled_from(["", "a", "ab", "é"])
enums = st.lists(texts, min_size=1, max_size=2, unique=True).map(
    lambda texts: Schema({"enum": texts}, ref.choice([f'"{text}"' for text in texts]))
)
integer = Schema({"type": "integer"}, ref.json_integer(DIGITS))
number = Schema({"type": "number"}, ref.json_number(DIGITS))
some_numbers = Schema({"enum": [1, -12, 120]}, ref.choice(["1", "-12", "120"]))
letters = ref.repeat(ref.Characters(((ord("a"), ord("b")),)), 0, 3)
word = Schema({"type": "string", "pattern": "^[ab]{0,3}$"}, ref.sequence(ref.literal('"'), letters, ref.literal('"')))
# What is met or excluded is of few characters: the oracle tries all bytes to see whether something is left.
scalars = st.one_of(
    strings,
    enums,
    st.sampled_from([integer, number]),
    st.builds(all_of, enums, strings),
    st.builds(all_of, st.just(word), enums),
    st.builds(all_of, st.just(number), st.sampled_from([integer, some_numbers])),
    st.builds(but_not, st.just(word), enums),
    # Not of all integers: a set with gaps has 0, but not its second spelling, -0.
    st.builds(but_not, st.just(some_numbers), st.just(Schema({"enum": [-12, 5]}, ref.choice(["-12", "5"])))),
)
schemas = st.recursive(
    st.one_of(
        scalars,
        st.just(Schema({"type": "boolean"}, ref.choice(["true", "false"]))),
        st.just(Schema({"enum": [None, "a", [1, {}]]}, ref.choice(["null", '"a"', "[1,{}]"]))),
    ),
    lambda inner: st.one_of(
        st.builds(an_array, inner, st.integers(0, 2), st.none() | st.integers(0, 2)),
        st.builds(an_object, st.lists(st.tuples(inner, st.booleans()), max_size=3)),
        st.builds(any_of, inner, inner),
    ),
    max_leaves=5,
)
json_tokens = st.lists(
    st.sampled_from(
        [
            '{"',
            "-1",
            "0.",
            "12e",
            "99",
            '":',
            '",',
            '"}',
            "},",
            "[[",
            '"]',
            "true",
            "fal",
            '\\"',
            "\\u00",
            '"k\\"1"',
            '{"é":',
        ]
    ).map(str.encode)
    | fragments(),
    max_size=25,
)


@given(schemas, json_tokens, st.data())
def test_json_schemas(schema: Schema, tokens: list[bytes], data: st.DataObject) -> None:
    walk_schema(schema, tokens, data)


@given(scalars.map(nested), json_tokens, st.data())
def test_schemas_that_refer_to_themselves(schema: Schema, tokens: list[bytes], data: st.DataObject) -> None:
    walk_schema(schema, tokens, data)


def walk_schema(schema: Schema, tokens: list[bytes], data: st.DataObject) -> None:
    try:
        form = fw.json_schema(schema.schema, whitespace="compact", numbers="exact", max_digits=DIGITS)
    except fw.errors.UnsatisfiableSchema:
        assert not schema.oracle.is_alive()
        return
    walk(schema.oracle, form, spelled(tokens, True), data)
