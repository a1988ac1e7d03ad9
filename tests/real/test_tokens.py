"""Tokens of the model: bytes that none of them spells, and texts of canonical tokens."""

from __future__ import annotations

import random
from typing import Any

import pytest

import formwright as fw

MISSING = bytes([0x04, 0x06, 0x13, 0x14, 0x16, 0x1D, 0xC0, 0xC1, 0xF1, 0xF2, *range(0xF5, 0x100)])
"""Bytes without a token: control characters, first bytes of U+40000 to U+BFFFF, and what UTF-8 never has."""

FORMS = [
    fw.json_schema(
        {
            "type": "object",
            "properties": {"name": {"type": "string", "maxLength": 12}, "age": {"type": "integer", "maximum": 150}},
            "required": ["name", "age"],
            "additionalProperties": False,
        }
    ),
    fw.json_schema({"type": "array", "items": {"type": "number", "minimum": -5, "maximum": 500}, "maxItems": 5}),
    fw.regex(r"[A-Z][a-z]{1,8} [0-9]{1,6} {1,4}[a-z0-9]{1,10}"),
    fw.regex(r"(?:[a-zé世😀]{1,4}\s{1,3}|\d{1,3}[.,!?']{1,3}){1,5}"),
    fw.choice("positive", "the neutral", "it's 100 %", "  indented"),
]


def retokenized(model: Any, text: str) -> list[int]:
    """What the tokenizer of the model itself makes of a text."""
    ids: list[int] = model.llama.tokenize(text.encode(), add_bos=False, special=False)
    return ids


def test_bytes_without_a_token(model: Any) -> None:
    vocabulary = model.vocabulary
    special = set(vocabulary.special_tokens.values())
    spelled = b"".join(vocabulary.token(token) for token in range(len(vocabulary)) if token not in special)
    single = {vocabulary.token(token) for token in range(len(vocabulary)) if token not in special}
    assert bytes(byte for byte in range(256) if bytes([byte]) not in single) == MISSING
    assert not set(spelled) & set(MISSING)  # longer tokens do not spell them either


@pytest.mark.parametrize("text", ["a\x04b", "\x1d", "\U00050000"])
def test_a_text_that_needs_them_is_refused(model: Any, text: str) -> None:
    with pytest.raises(fw.errors.DeadEnd, match="cannot spell"):
        fw.compile(fw.literal(text), model.vocabulary)
    with pytest.raises(fw.errors.DeadEnd, match="cannot spell"):
        model.generate("Write.", fw.regex(f"x{text}|{text}y"))


def test_a_form_that_does_not_need_them_is_narrowed(model: Any) -> None:
    constraint = fw.compile(fw.regex("[\x03-\x06]{2}"), model.vocabulary)
    mask = fw.allocate_bitmask(1, model.vocabulary)
    constraint.matcher().fill_bitmask(mask)
    spelled = {model.vocabulary.token(token) for token in fw.allowed_tokens(mask)}
    assert spelled == {b"\x03", b"\x05"}
    for seed in range(20):
        assert model.generate("Write.", fw.choice("yes", "\x04no"), temperature=5.0, seed=seed).text == "yes"


@pytest.mark.parametrize("number", range(len(FORMS)))
def test_masks_allow_canonical_tokens_only(model: Any, number: int) -> None:
    """Forty random texts of each form, drawn from the masks alone, are encoded to the same tokens again."""
    vocabulary = model.vocabulary
    constraint = fw.compile(FORMS[number], vocabulary, canonical=True)
    chance, ends, texts = random.Random(number), set(vocabulary.eos_token_ids), set()
    for _ in range(40):
        matcher, ids = constraint.matcher(), list[int]()
        while (token := chance.choice(matcher.allowed_token_ids(budget=100 - len(ids)))) not in ends:
            matcher.accept_token(token)
            ids.append(token)
        text = b"".join(map(vocabulary.token, ids)).decode()
        assert retokenized(model, text) == ids, text
        texts.add(text)
    assert len(texts) > (2 if number == 4 else 30)


def test_without_canonical_masks_some_are_others(model: Any) -> None:
    """The test above can fail."""
    constraint = fw.compile(fw.literal("the neutral"), model.vocabulary)
    letters = {model.vocabulary.token(token): token for token in range(300)}
    ids = [letters[bytes([byte])] for byte in b"the neutral"]
    constraint.matcher().accept_tokens(ids)
    assert retokenized(model, "the neutral") != ids
    with pytest.raises(fw.errors.MatchError):
        fw.compile(fw.literal("the neutral"), model.vocabulary, canonical=True).matcher().accept_tokens(ids)


def test_the_merges_are_those_of_the_model(model: Any) -> None:
    chance, merges = random.Random(7), model.vocabulary.merges
    parts = [
        "a b  c",
        "x9 12  3",
        "\n\n  ",
        " 7",
        "\xa0",
        "é",
        "日本",
        "😀",
        "'s",
        "'S",
        "!?",
        "\t",
        "Ⅷ",
        "²",
        "\u0301",
        "\u2028",
    ]
    compared = 0
    for _ in range(2000):
        text = "".join(
            chance.choice(parts) if chance.random() < 0.7 else chr(chance.randrange(32, 0x3000)) for _ in range(8)
        )
        if (ids := merges.encode(text)) is not None:
            compared += 1
            assert ids == retokenized(model, text), ascii(text)
    assert compared > 1000
