"""Free whitespace and bounded arrays: the kernel's masks are the reference's allowed tokens.

A strategy draws a bound on whitespace, a bound on arrays, and a schema in both notations. A second test spells random
values with random whitespace: such a text is in form exactly if no run of whitespace is too long.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hypothesis import given, note
from hypothesis import strategies as st

import formwright as fw
from formwright.reference import languages as ref

END = 0
WHITESPACE = " \t\r\n"


@dataclass(frozen=True)
class Style:
    """The bounds of one example."""

    max_whitespace: int
    max_items: int | None

    @property
    def blank(self) -> ref.Language:
        return ref.json_blank(self.max_whitespace)


@dataclass(frozen=True)
class Twin:
    """A schema and its language, in some style."""

    schema: dict[str, Any]
    oracle: ref.Language


def an_array(style: Style, item: Twin, low: int, more: int | None) -> Twin:
    bound = {} if more is None else {"maxItems": low + more}
    high = low + more if more is not None else None if style.max_items is None else max(style.max_items, low)
    schema = {"type": "array", "items": item.schema, "minItems": low} | bound
    return Twin(schema, ref.json_array(item.oracle, low, high, blank=style.blank))


def an_object(style: Style, members: list[tuple[Twin, bool]]) -> Twin:
    named = [(f"k{rank}", value, needed) for rank, (value, needed) in enumerate(members)]
    schema = {
        "type": "object",
        "properties": {name: value.schema for name, value, _ in named},
        "required": [name for name, _, needed in named if needed],
        "additionalProperties": False,
    }
    quoted = ((f'"{name}"', value.oracle, needed) for name, value, needed in named)
    return Twin(schema, ref.json_object(*quoted, blank=style.blank))


def either(one: Twin, two: Twin) -> Twin:
    return Twin({"anyOf": [one.schema, two.schema]}, ref.alternative(one.oracle, two.oracle))


styles = st.builds(Style, st.integers(0, 3), st.none() | st.integers(0, 2))
scalars = st.sampled_from(
    [
        Twin({"type": "integer"}, ref.json_integer()),
        Twin({"type": "string", "maxLength": 2}, ref.json_string(0, 2)),
        Twin({"enum": [None, True, "a "]}, ref.choice(["null", "true", '"a "'])),
    ]
)


def twins(style: Style) -> st.SearchStrategy[Twin]:
    return st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.builds(an_array, st.just(style), inner, st.integers(0, 2), st.none() | st.integers(0, 2)),
            st.builds(an_object, st.just(style), st.lists(st.tuples(inner, st.booleans()), max_size=3)),
            st.builds(either, inner, inner),
        ),
        max_leaves=4,
    )


TOKENS = [*WHITESPACE, "  ", "   ", "\n\n", "\r\n", "\n  ", " \t", " {", "{ ", '{"', "{\n", " [", "[ ", "[]", "[ ]"]
TOKENS += ["{}", " :", ": ", '":', '": ', '" : "', " ,", ", ", ",\n", "] ", " ]", "],", "} ", "}\n", " }", "12", "12 "]
TOKENS += [" 1", "1,", 'a "', '" ', "null ", " null", 'k0"', '"k1"', ' "k1" : ', "1 , 2", "] ]", "}\n}", "\n\n\n\n"]
tokens = st.lists(st.sampled_from(TOKENS).map(str.encode), max_size=25, unique=True)


@given(styles.flatmap(lambda style: st.tuples(st.just(style), twins(style))), tokens, st.data())
def test_masks_are_what_the_reference_allows(
    drawn: tuple[Style, Twin], tokens: list[bytes], data: st.DataObject
) -> None:
    style, twin = drawn
    form = fw.json_schema(
        twin.schema, whitespace="free", max_whitespace=style.max_whitespace, max_items=style.max_items
    )
    spelled = dict(enumerate([*tokens, *(bytes([byte]) for byte in range(256))], start=1))
    matcher = fw.compile(form, fw.Vocabulary([None, *spelled.values()], eos_token_ids=[END])).matcher()
    oracle = ref.sequence(style.blank, twin.oracle, style.blank)
    text = b""
    for _ in range(10):
        expected = ref.allowed_tokens(oracle, text, spelled, ends=[END])
        assert set(matcher.allowed_token_ids()) == expected, text
        assert matcher.is_complete is (END in expected)
        if not expected - {END}:
            break
        token = data.draw(st.sampled_from(sorted(expected - {END})))
        matcher.accept_token(token)
        text += spelled[token]
    note(repr(text))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('a \t"\\,:é'), max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab ", max_size=2), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def spaced(draw: st.DrawFn) -> tuple[str, int, Any]:
    """A value, its text with whitespace wherever JSON allows it, and the longest run."""
    value, longest = draw(values), 0

    def blank() -> str:
        nonlocal longest
        run = draw(st.text(WHITESPACE, max_size=4))
        longest = max(longest, len(run))
        return run

    def text(value: Any) -> str:
        if isinstance(value, list):
            inside = ",".join(blank() + text(item) + blank() for item in value) if value else blank()
            return f"[{inside}]"
        if isinstance(value, dict):
            members = (
                blank() + json.dumps(name) + blank() + ":" + blank() + text(item) + blank()
                for name, item in value.items()
            )
            return f"{{{','.join(members) if value else blank()}}}"
        return json.dumps(value, ensure_ascii=False)

    whole = blank() + text(value) + blank()
    return whole, longest, value


@given(spaced(), st.integers(0, 4))
def test_a_text_is_in_form_exactly_if_no_run_is_too_long(drawn: tuple[str, int, Any], most: int) -> None:
    text, longest, value = drawn
    form = fw.json(whitespace="free", max_whitespace=most, max_digits=400)
    assert form.matches(text) is (longest <= most)
    if longest <= most:
        assert form.parse(text) == value
