"""Names of hosts against the package ``idna``: what the formats allow, it can encode.

The other way round is not true: the formats leave out what ``docs/reference/json_schema.md`` says.
"""

from __future__ import annotations

import json
import random
import unicodedata
from typing import Any

import idna
import pytest
from hypothesis import given
from hypothesis import strategies as st

import formwright as fw
from formwright import allowed_tokens

TOKENS = [bytes([byte]) for byte in range(256)] + [b""]
FORMS = ["hostname", "idn-hostname"]


def language(form: str) -> fw.Form[Any]:
    return fw.json_schema(f'{{"type": "string", "format": "{form}"}}')


LANGUAGES = {form: language(form) for form in FORMS}


def names(form: str, begin: str, seed: int, steps: int) -> list[str]:
    """Every name on a random way through the language that starts with ``begin``."""
    # Nothing is shared between examples: what random ways leave in an automaton adds up.
    vocabulary = fw.Vocabulary(TOKENS, eos_token_ids=[256])
    matcher, mask = fw.Constraint(language(form), vocabulary).matcher(), fw.allocate_bitmask(1, vocabulary)
    choose, text, found = random.Random(seed), bytearray(f'"{begin}'.encode()), []
    matcher.accept_tokens(text)
    for _ in range(steps):
        matcher.fill_bitmask(mask)
        allowed = allowed_tokens(mask[0]).tolist()
        if ord('"') in allowed:
            found.append(text[1:].decode())
        going_on = [token for token in allowed if token not in (ord('"'), 256)]
        if not going_on:
            break
        text.append(choose.choice(going_on))
        matcher.accept_token(text[-1])
    return found


def known(name: str) -> bool:
    """Whether Python's Unicode has every code point of it: the package asks Python for directions."""
    labels = [label[4:].encode().decode("punycode") if label.startswith("xn--") else label for label in name.split(".")]
    return all(unicodedata.category(c) != "Cn" for label in labels for c in label)


@pytest.mark.parametrize(
    ("form", "begin"),
    [
        ("hostname", ""),
        ("hostname", "xn--"),
        ("hostname", "xn--h"),
        ("hostname", "xn--e1a"),
        ("idn-hostname", ""),
        ("idn-hostname", "ü"),
        ("idn-hostname", "l·l"),
        ("idn-hostname", "क्"),
        ("idn-hostname", "ア・"),
        ("idn-hostname", "ب"),
        ("idn-hostname", "א"),
        ("idn-hostname", "ผู้"),
    ],
)
@given(seed=st.integers(0, 1 << 32))
def test_a_name_in_form_can_be_encoded(form: str, begin: str, seed: int) -> None:
    for name in filter(known, names(form, begin, seed, 16)):
        assert len(idna.encode(name)) <= 253, name


@given(label=st.text(min_size=1, max_size=12))
def test_a_random_label_in_form_can_be_encoded(label: str) -> None:
    if known(label) and LANGUAGES["idn-hostname"].matches(json.dumps(label, ensure_ascii=False).encode()):
        idna.encode(label)


WORDS = [
    "münchen",
    "straße",
    "παράδειγμα",
    "пример",
    "उदाहरण",
    "תבנית",
    "موقع",
    "カタカナ",
    "ひらがな",
    "ไทย",
    "հայ",
    "ქართული",
]


@pytest.mark.parametrize("word", WORDS)
def test_words_are_names_in_both_spellings(word: str) -> None:
    a_label = idna.encode(word).decode()
    assert LANGUAGES["idn-hostname"].matches(f'"{word}.example"'.encode())
    assert LANGUAGES["hostname"].matches(f'"{a_label}.example"'.encode())
