"""Canonical tokens against the tokenizers themselves: what they write, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import tiktoken
from makers import AFTER, MAKERS, PARTS, byte_level, of_characters
from parameters import slow_except
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

import formwright as fw
from formwright.errors import RegexError, VocabularyError
from formwright.tokenizers import Merges, merges_from, read
from formwright.tokenizers.spelling import Spelling


@cache
def read_all(name: str) -> tuple[Spelling, Merges, bool]:
    """What a tokenizer spells, how, and whether it puts a space before a text."""
    tokenizer = MAKERS[name]()
    spelling = read(tokenizer)
    assert spelling.encode
    return spelling, merges_from(tokenizer), spelling.join(list(spelling.encode("a"))) == b" a"


def sequences(spelling: Spelling, rounds: int) -> Iterator[list[int]]:
    """Encoded texts, the same cut otherwise, and any tokens."""
    choose = random.Random(1)
    ids: dict[bytes, list[int]] = {}
    for token, spelled in enumerate(spelling.tokens):
        ids.setdefault(spelled or b"", []).append(token)
    ids.pop(b"", None)
    every = [token for tokens in ids.values() for token in tokens]

    def encoded() -> list[int]:
        assert spelling.encode
        return list(spelling.encode("".join(choose.choices(PARTS, k=choose.randint(0, 8)))))

    def recut(text: bytes) -> Iterator[int]:
        at = 0
        while at < len(text):
            lengths = [n for n in (1, 2, 3, 4, 6, 9) if text[at : at + n] in ids] or [1]
            length = choose.choice(lengths)
            yield choose.choice(ids.get(text[at : at + length], [0]))
            at += length

    for _ in range(rounds):
        yield encoded()
        yield encoded() + encoded()
        yield list(recut(spelling.join(encoded()) or b""))
        yield choose.choices(every, k=choose.randint(1, 3))


@pytest.mark.parametrize("name", slow_except(["formwright-tiny", "sentencepiece v1"], MAKERS))
def test_what_is_canonical_is_what_the_tokenizer_writes(name: str) -> None:
    spelling, merges, has_prefix = read_all(name)
    assert spelling.encode
    counts = {True: 0, False: 0}
    for ids in sequences(spelling, 700):
        spelled = spelling.join(ids)
        if spelled is None:
            continue  # a token that spells nothing
        try:
            text = spelled.decode()
        except UnicodeDecodeError:
            written = None
        else:
            shown = text.removeprefix(" ") if has_prefix else text
            written = list(spelling.encode(shown)) if shown or not text else None
            if spelling.join(written or []) is not None:
                assert merges.encode(shown) == written or written is None
        assert merges.is_canonical(ids) == (written == ids), (spelled, ids)
        counts[written == ids] += 1
    assert min(counts.values()) > 300, counts


@pytest.mark.parametrize(
    "name", ["formwright-tiny", *slow_except([], ["tekken", "cl100k", "sentencepiece v1", "more ranks"])]
)
def test_what_is_viable_can_be_continued_and_nothing_else(name: str) -> None:
    """Of sequences that end with a character, against the encodings of their text with others behind it."""
    spelling, merges, has_prefix = read_all(name)
    assert spelling.encode
    counts = {True: 0, False: 0}
    for ids in sequences(spelling, 150):
        for end in range(len(ids) + 1):
            spelled = spelling.join(ids[:end])
            if spelled is None or b"<tool" in spelled or b"[REF" in spelled:
                continue
            try:
                text = spelled.decode()
            except UnicodeDecodeError:
                continue
            shown = text.removeprefix(" ") if has_prefix else text
            if not ids[:end] or (has_prefix and shown == text):
                continue
            written = (list(spelling.encode(shown + after)) for after in ("", *PARTS, *AFTER))
            continued = any(tokens[:end] == ids[:end] for tokens in written)
            assert merges.is_viable_prefix(ids[:end]) == continued, (spelled, ids[:end])
            counts[continued] += 1
    assert min(counts.values()) > 100, counts


@pytest.mark.parametrize(
    "name", ["formwright-tiny", *slow_except([], ["gpt2", "llama3", "llama2", "whole pieces", "more ranks"])]
)
def test_the_tokens_that_may_come_are_all_that_keep_a_prefix_viable(name: str) -> None:
    spelling, merges, _ = read_all(name)
    every = range(len(spelling.tokens))
    for ids in sequences(spelling, 2 if name == "llama2" else 12):
        for end in range(min(len(ids), 4) + 1):
            begun = ids[:end]
            expected = [token for token in every if merges.is_viable_prefix([*begun, token])]
            assert merges.allowed_token_ids(begun) == expected, begun


def test_pieces_matter() -> None:
    """Without the pattern, some sequences are taken for canonical and some are not that are."""
    spelling, merges, _ = read_all("tekken")
    whole = Merges(spelling.tokens, priorities=list(range(len(spelling.tokens))))
    differ = [ids for ids in sequences(spelling, 100) if merges.is_canonical(ids) != whole.is_canonical(ids)]
    assert len(differ) > 20


def test_an_unknown_id_is_not_canonical() -> None:
    _, merges, _ = read_all("formwright-tiny")
    assert merges.is_canonical([])
    for ids in ([-1], [10**9], [0]):
        assert not merges.is_canonical(ids)


def test_texts_with_a_rare_byte_may_be_without_tokens() -> None:
    lacking = {0x04, 0x7F, 0xF1, 0xFF}
    tokens = [None if byte in lacking else bytes([byte]) for byte in range(256)]
    merges = Merges([*tokens, b"ab"], priorities=list(range(257)))
    assert merges.encode("ab\x05") == [256, 5]
    assert merges.encode("ab\x04") is None
    spelled = [token or b"" for token in tokens]
    vocabulary = fw.Vocabulary([*spelled, b"ab", b""], eos_token_ids=[257], merges=merges)
    for form in (fw.regex(".*"), fw.json_schema({}), fw.text(), fw.regex("[\x03\x04]+")):
        matcher = fw.compile(form, vocabulary, canonical=True).matcher()
        assert matcher.min_tokens_to_finish < 3
    for form in (fw.choice("a", "b\x04"), fw.regex("a\x04?"), fw.json_schema({"const": "\x7f"})):
        with pytest.raises(VocabularyError, match="no token: 0x04 0x7F 0xF1 0xFF"):
            fw.compile(form, vocabulary, canonical=True)


def test_contradictions_are_refused() -> None:
    tokens: list[bytes | None] = [bytes([byte]) for byte in range(256)]
    with pytest.raises(VocabularyError, match="either"):
        Merges(tokens)
    with pytest.raises(VocabularyError, match="have the same bytes"):
        Merges([*tokens, b"a"], priorities=list(range(257)))
    with pytest.raises(VocabularyError, match="no token is the byte 0x61"):
        Merges([token if token != b"a" else None for token in tokens], priorities=list(range(256)))
    with pytest.raises(VocabularyError, match="token 256 is not 97 and 98 together"):
        Merges([*tokens, b"ba"], merges=[(97, 98, 256)])
    with pytest.raises(VocabularyError, match="spell nothing"):
        Merges(tokens, merges=[(97, 98, 999)])
    with pytest.raises(VocabularyError, match="which no merges make"):
        Merges([*tokens, b"abc"], priorities=list(range(257)), whole_pieces=True)
    with pytest.raises(VocabularyError, match="256 priorities below"):
        Merges(tokens, priorities=[1])
    with pytest.raises(VocabularyError, match="a token of its own"):
        Merges([b"a"], priorities=[0], fallback=[10**6] * 256)
    for words in ([("", 300)], [("x", 97)], [("x", 300), ("y", 300)], [("x", 300), ("x", 301)]):
        with pytest.raises(VocabularyError, match="words"):
            Merges(tokens, priorities=list(range(256)), words=words)
    with pytest.raises(RegexError, match="too deep"):
        Merges.class_names("[" * 100_000)
    with pytest.raises(RegexError, match="no such class"):
        Merges(tokens, priorities=list(range(256)), pattern=r"\p{Nothing}")


def test_the_prefix_alone_is_not_written() -> None:
    spelling, merges, _ = read_all("sentencepiece v1")
    space = spelling.tokens.index(b" ")
    assert merges.encode("") == []
    assert not merges.is_canonical([space])
    assert merges.encode(" ") == [spelling.tokens.index(b"  ")]


def test_case_is_folded_before_complements_and_intersections() -> None:
    for pattern, text, expected in (
        (r"(?i:\P{Lu})b|\s|\S", "xb", ["x", "b"]),
        (r"(?i:[a&&A])b|\s|\S", "Ab", ["Ab"]),
        (r"(?i:[^k])b|\s|\S", "Kb", ["K", "b"]),
    ):
        ranks: dict[bytes, int] = {bytes([byte]): byte for byte in range(256)} | {text.encode(): 256}
        encoding = tiktoken.Encoding("case", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        assert [encoding.decode([token]) for token in encoding.encode_ordinary(text)] == expected
        assert merges_from(encoding).encode(text) == encoding.encode_ordinary(text)


def test_any_number_of_states_takes_bounded_memory() -> None:
    """A pattern with exponentially many states: what is found of them is forgotten, and the answers stay the same."""
    ranks: dict[bytes, int] = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    encoding = tiktoken.Encoding("states", pat_str=r"[ab]*a[ab]{17}c|[\s\S]", mergeable_ranks=ranks, special_tokens={})
    merges = merges_from(encoding)
    text = "".join(random.Random(1).choices("ab", k=3_000))
    ids = encoding.encode_ordinary(text)
    assert merges.encode(text) == ids
    assert merges.is_canonical(ids)
    assert not merges.is_canonical([*ids, 256])


def test_other_tokenizers_are_refused() -> None:
    def refused(tokenizer: Any, reason: str) -> None:
        with pytest.raises(VocabularyError, match=reason):
            merges_from(tokenizer)

    tokenizer = byte_level(None)
    tokenizer.normalizer = normalizers.NFC()
    refused(tokenizer, "normalizer NFC changes texts")
    tokenizer = byte_level(None)
    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([bytes_, pre_tokenizers.Digits()])
    refused(tokenizer, "Digits")
    tokenizer = byte_level(r"(?i:ss)b|\s|\S")
    refused(tokenizer, "without case")
    refused(byte_level(r"\p{N}{1,3}+|\s|\S"), "repeats a repetition")
    refused(byte_level(r"x.|\s|\S"), r"a `\$` or a `.`")
    for flag in ("lstrip", "rstrip", "single_word"):
        tokenizer = byte_level(None)
        tokenizer.add_tokens([AddedToken("<other>", normalized=False, **{flag: True})])
        refused(tokenizer, "depending on the text around it")
    tokenizer = byte_level(None)
    tokenizer.add_tokens([AddedToken("<other>", normalized=True)])
    refused(tokenizer, "before and after")
    tokenizer = byte_level(None)
    tokenizer.enable_truncation(200)
    refused(tokenizer, "truncates")
    tokenizer = of_characters()
    tokenizer.add_tokens([AddedToken("<other>", normalized=False)])
    refused(tokenizer, "normalizes texts and has added tokens")
    tokenizer = of_characters()
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁")] * 2 + [normalizers.Replace(" ", "▁")])
    refused(tokenizer, "Prepend and Prepend and Replace")
    tokenizer = of_characters()
    tokenizer.normalizer = None
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="_", prepend_scheme="never", split=False)
    refused(tokenizer, "Metaspace")
    unigram = Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0), ("▁", -1.0)], unk_id=0))
    refused(unigram, "Unigram")
