"""Tokenizers made here, of every kind the adapter reads, and of the kinds it refuses."""

from __future__ import annotations

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

import formwright as fw
from formwright.tokenizers import read

CORPUS = ['the quick brown fox jumps over the lazy dog {"name": "Ada", "tags": ["x"]}', "你好世界 größe 😀"] * 20
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=330, initial_alphabet=alphabet, special_tokens=["<|end|>", "<|user|>"])
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def sentencepiece_style() -> Tokenizer:
    """Llama 2's arrangement: spaces as ▁, bytes as <0x..>, one space put in front."""
    letters = sorted({character for text in CORPUS for character in text if character.isascii() and character != " "})
    pieces = ["<unk>", "<s>", "</s>", *BYTES, "▁", "▁t", "th", "he", "▁the", *letters]
    vocab = {piece: token for token, piece in enumerate(dict.fromkeys(pieces))}
    merges = [("▁", "t"), ("h", "e"), ("▁t", "he")]
    tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = decoders.Sequence(steps)
    tokenizer.add_special_tokens(["<s>", "</s>"])
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer


def metaspace_unigram() -> Tokenizer:
    letters = sorted({character for text in CORPUS for character in text if character.isascii() and character != " "})
    pieces = [("<unk>", 0.0), ("</s>", 0.0), ("▁", -2.0), ("▁the", -1.0), *((letter, -4.0) for letter in letters)]
    tokenizer = Tokenizer(models.Unigram(pieces, 0, False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(["</s>"])
    return tokenizer


@pytest.mark.parametrize("make", [byte_level, sentencepiece_style, metaspace_unigram])
def test_encoded_text_is_spelled_again(make: object) -> None:
    tokenizer = make()
    spelling = read(tokenizer)
    text = "the lazy dog jumps over"
    assert spelling.join(tokenizer.encode(text, add_special_tokens=False).ids).decode().removeprefix(" ") == text


def test_byte_level_tokens_are_bytes() -> None:
    spelling = read(byte_level())
    assert {bytes([byte]) for byte in range(256)} <= set(spelling.tokens)
    assert b" the" in spelling.tokens
    assert spelling.special_tokens == {"<|end|>": 0, "<|user|>": 1}
    assert spelling.tokens[:2] == [None, None]
    assert spelling.all_ends() == {0}


def test_added_tokens_are_plain_text_and_special_ones_are_control() -> None:
    tokenizer = byte_level()
    tokenizer.add_tokens(["<think>", "思考"])
    tokenizer.add_special_tokens([AddedToken("<|pad|>", special=True)])
    spelling = read(tokenizer)
    assert spelling.tokens[-3:] == [b"<think>", "思考".encode(), None]
    assert "<|pad|>" in spelling.special_tokens


def test_byte_fallback_and_spaces() -> None:
    spelling = read(sentencepiece_style())
    assert spelling.tokens[3 : 3 + 256] == [bytes([byte]) for byte in range(256)]
    assert b" the" in spelling.tokens
    assert spelling.tokens[0] is None  # the unknown token spells nothing
    assert spelling.all_ends() == {2}


def test_byte_names_are_text_without_byte_fallback() -> None:
    tokenizer = metaspace_unigram()
    tokenizer.add_tokens(["<0x0A>"])
    assert read(tokenizer).tokens[-1] == b"<0x0A>"


def test_a_vocabulary_from_it() -> None:
    tokenizer = byte_level()
    vocabulary = fw.Vocabulary.from_tokenizer(tokenizer, logits_size=384)
    assert len(vocabulary) == tokenizer.get_vocab_size()
    assert vocabulary.logits_size == 384
    assert vocabulary.mask_words == 12
    assert vocabulary.eos_token_ids == [0]
    assert vocabulary.token(tokenizer.encode(" the").ids[0]) == b" the"


def test_given_ends_join_the_declared_ones() -> None:
    vocabulary = fw.Vocabulary.from_tokenizer(byte_level(), eos_token_ids=[1])
    assert sorted(vocabulary.eos_token_ids) == [0, 1]


def test_a_normalizer_that_changes_case_is_compared_without_case() -> None:
    tokenizer = byte_level()
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    assert b" the" in read(tokenizer).tokens


def wordpiece() -> Tokenizer:
    return Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2}, unk_token="[UNK]"))


def word_ends() -> Tokenizer:
    return Tokenizer(models.BPE({"a</w>": 0}, [], end_of_word_suffix="</w>"))


def strange_decoder() -> Tokenizer:
    tokenizer = byte_level()
    tokenizer.decoder = decoders.CTC()
    return tokenizer


def spaces_lost() -> Tokenizer:
    tokenizer = byte_level()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), tokenizer.pre_tokenizer])
    return tokenizer


def read_raw() -> Tokenizer:
    tokenizer = sentencepiece_style()
    tokenizer.decoder = decoders.Fuse()
    return tokenizer


def knows_no_letter() -> Tokenizer:
    return Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))


@pytest.mark.parametrize(
    ("make", "seen"),
    [
        (wordpiece, "continuing_subword_prefix '##'"),
        (word_ends, "end_of_word_suffix '</w>'"),
        (strange_decoder, "'CTC'"),
        (spaces_lost, "spell 'thequickbrown"),
        (read_raw, "spell '▁the▁"),
        (knows_no_letter, "none of the probe texts"),
    ],
)
def test_what_cannot_be_represented_says_what_was_seen(make: object, seen: str) -> None:
    with pytest.raises(fw.errors.VocabularyError) as caught:
        fw.Vocabulary.from_tokenizer(make())
    assert seen in str(caught.value)
    assert caught.value.hint


def test_no_end_of_text_is_refused() -> None:
    tokenizer = byte_level()
    tokenizer = Tokenizer.from_str(tokenizer.to_str().replace("<|end|>", "<|fin|>"))
    with pytest.raises(fw.errors.VocabularyError, match="no end-of-text"):
        fw.Vocabulary.from_tokenizer(tokenizer)
    assert fw.Vocabulary.from_tokenizer(tokenizer, eos_token_ids=[0]).eos_token_ids == [0]


@pytest.mark.parametrize("thing", [42, "tokenizer.json", object()])
def test_an_unknown_thing_is_refused(thing: object) -> None:
    with pytest.raises(fw.errors.VocabularyError, match="no known family"):
        fw.Vocabulary.from_tokenizer(thing)
