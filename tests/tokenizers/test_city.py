"""`city`: masks step by step over 32,000 SentencePiece tokens, with at most 12 characters of whitespace.

The published ids are those of Llama 2. Its model is not at hand, so the pieces that the example names stand at their
ids in a vocabulary that has nothing else but the byte tokens. Mistral's first vocabulary has the same byte tokens, the
same pieces at other ids, and one more: there the masks are compared with the reference and with every single token.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mistral_common
import pytest
import sentencepiece
from parameters import slow_except

import formwright as fw
from formwright.reference import languages as ref
from formwright.tokenizers import Spelling, read

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "Name of the city."}},
    "required": ["city"],
    "additionalProperties": False,
}
FORM = fw.json_schema(SCHEMA, whitespace="free", max_whitespace=12)

BLANK = ref.json_blank(12)
ORACLE = ref.sequence(BLANK, ref.json_object(('"city"', ref.json_string(), True), blank=BLANK), BLANK)

SPACES = [29871, 259, 1678, 268, 418, 539, 4706, 308, 3986, 965, 9651, 632]
"""The pieces of 1 to 12 spaces in Llama 2."""

START = {
    **{byte.to_bytes(): [byte + 3] for byte in b" \t\n\r{"},
    **{b" " * (count + 1): [token] for count, token in enumerate(SPACES)},
    b" \r": [6756],
    b" {": [426],
    b" {\r": [3336],
    b"{\r": [14626],
    b' {"': [8853],
    b'{"': [6377],
}
START[b" "] = [35, 29871]
START[b"\r"] = [16, 30004]
START[b"{"] = [126, 29912]
NAME = {b"c": [102, 29883], b"ci": [455], b"cit": [20752], b"city": [12690]}
OTHERS = {b" " * 15: [462], b"a": [29874], b"ar": [279], b"are": [598], b"Y": [29979], b"You": [3492], b"O": [29949]}
OTHERS[b"OK"] = [8949]


@pytest.fixture(scope="module")
def llama() -> fw.Vocabulary:
    tokens: list[bytes | None] = [None] * 32_000
    tokens[3:259] = [bytes([byte]) for byte in range(256)]
    for spelled, ids in [*START.items(), *NAME.items(), *OTHERS.items()]:
        for token in ids:
            assert tokens[token] in (None, spelled)
            tokens[token] = spelled
    return fw.Vocabulary(tokens, eos_token_ids=[2])


@pytest.fixture(scope="module")
def mistral() -> Spelling:
    folder = Path(mistral_common.__file__).parent / "data"
    return read(sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model.v1")))


@pytest.fixture(scope="module")
def vocabulary(mistral: Spelling) -> fw.Vocabulary:
    return fw.Vocabulary(mistral.tokens, eos_token_ids=[2])


def allowed_after(text: bytes, vocabulary: fw.Vocabulary, form: fw.Form[Any] = FORM) -> list[int]:
    matcher = fw.compile(form, vocabulary).matcher()
    matcher.accept_bytes(text)
    return matcher.allowed_token_ids()


def test_seven_tokens_are_a_tree() -> None:
    words = {token: spelled for spelled, ids in OTHERS.items() for token in ids if spelled.strip()}
    assert ref.make_prefix_tree(words) == {
        ord("a"): {-1: [29874], ord("r"): {-1: [279], ord("e"): {-1: [598]}}},
        ord("Y"): {-1: [29979], ord("o"): {ord("u"): {-1: [3492]}}},
        ord("O"): {-1: [29949], ord("K"): {-1: [8949]}},
    }


def test_published_ids(llama: fw.Vocabulary) -> None:
    first = allowed_after(b"", llama)
    assert first == sorted(token for ids in START.values() for token in ids)
    assert len(first) == 25
    assert allowed_after(b'\n\n\n{\n"', llama) == sorted(token for ids in NAME.values() for token in ids)
    assert 462 not in first  # 15 spaces


def test_the_same_pieces_of_another_vocabulary(mistral: Spelling, vocabulary: fw.Vocabulary) -> None:
    spelled = [mistral.tokens[token] for token in allowed_after(b"", vocabulary)]
    published = [repr(text) for text, ids in START.items() for _ in ids]
    assert sorted(map(repr, spelled)) == sorted([*published, repr(b"\r\r")])  # which Llama 2 has no piece for
    spelled = [mistral.tokens[token] for token in allowed_after(b'\n\n\n{\n"', vocabulary)]
    assert sorted(map(repr, spelled)) == sorted(repr(text) for text, ids in NAME.items() for _ in ids)


TEXT = b'\n\n\n{\n"city": "Par\\u0000is" \t}\r\n'
ENDS = (3, 6, 10, 11, 13, 14, 21, 25, 26, 28)
PLACES = [b"", b" " * 11, b"\n" * 12, *(TEXT[:end] for end in ENDS), TEXT]
"""Inside the string, where nearly every token may come, the reference takes seconds."""


@pytest.mark.parametrize("place", slow_except([TEXT[:21], TEXT[:26]], PLACES), ids=repr)
def test_masks_equal_brute_force(place: bytes, mistral: Spelling, vocabulary: fw.Vocabulary) -> None:
    tokens = {token: spelled for token, spelled in enumerate(mistral.tokens) if spelled}
    allowed = allowed_after(place, vocabulary)
    assert set(allowed) == ref.allowed_tokens(ORACLE, place, tokens, ends=[2])
    tried = [
        token for token, spelled in tokens.items() if FORM.check(place + spelled).position > len(place + spelled) - 1
    ]
    assert [token for token in allowed if token != 2] == tried
    assert (2 in allowed) is FORM.matches(place)


def test_inside_a_string_nearly_every_token_is_allowed(mistral: Spelling, vocabulary: fw.Vocabulary) -> None:
    allowed = allowed_after(b'{"city": "', vocabulary)
    spelled = [spelling for spelling in mistral.tokens if spelling]
    assert len(allowed) / len(spelled) > 0.98
    other = fw.json_schema({"type": "object", "properties": {"x": {"type": "string"}}}, whitespace="free")
    same = set(allowed_after(b'{"x": "', vocabulary, other)) ^ set(allowed)
    # What differs is what leaves the string: there another member may come.
    assert {token for token in same if b'"' not in (mistral.tokens[token] or b"")} == set()


def test_a_description_says_nothing_about_texts(vocabulary: fw.Vocabulary) -> None:
    plain = SCHEMA | {"properties": {"city": {"type": "string"}}}
    form = fw.json_schema(plain, whitespace="free")
    for place in (b"", b'\n{"', b'{"city": "'):
        assert allowed_after(place, vocabulary, form) == allowed_after(place, vocabulary)
