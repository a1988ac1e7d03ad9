"""Real vocabularies of mistral-common, and small ones of tiktoken and sentencepiece."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import mistral_common
import numpy as np
import pytest
import sentencepiece
import tiktoken

import formwright as fw
from formwright.tokenizers import read

FILES = Path(mistral_common.__file__).parent / "data"
TEXT = 'the name is "Ada", 你好 😀\n'


def mistral_tokenizer() -> Any:
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer  # late: importing it takes a second

    return MistralTokenizer


def test_tekken(tekken: Any) -> None:
    spelling = read(tekken)
    assert len(spelling.tokens) == 131_072
    assert spelling.join(tekken.encode(TEXT, bos=False, eos=False)) == TEXT.encode()
    assert spelling.special_tokens["[INST]"] == tekken.get_special_token("[INST]")
    assert sum(spelled is None for spelled in spelling.tokens) == 1000
    assert read(mistral_tokenizer().v3(is_tekken=True)).tokens == spelling.tokens


def test_a_mask_over_131072_tokens(tekken_vocabulary: fw.Vocabulary) -> None:
    vocabulary = tekken_vocabulary
    assert vocabulary.mask_words == 4096
    matcher = fw.compile(fw.choice(["yes", "no"]), vocabulary).matcher()
    mask = fw.allocate_bitmask(1, vocabulary)
    matcher.fill_bitmask(mask)
    logits = np.zeros(131_072, dtype=np.float32)
    fw.apply_bitmask(logits, mask)
    spelled = {vocabulary.token(int(token)) for token in np.flatnonzero(np.isfinite(logits))}
    assert spelled == {b"y", b"ye", b"yes", b"n", b"no"}


@pytest.mark.parametrize(("version", "size"), [("v1", 32_000), ("v3", 32_768)])
def test_mistral_sentencepiece(version: str, size: int) -> None:
    tokenizer = getattr(mistral_tokenizer(), version)()
    spelling = read(tokenizer)
    assert len(spelling.tokens) == size
    ids = tokenizer.instruct_tokenizer.tokenizer.encode(TEXT, bos=False, eos=False)
    assert spelling.join(ids) == b" " + TEXT.encode()
    assert spelling.all_ends() == {2}


def test_sentencepiece_keeps_both_ids_of_a_byte() -> None:
    processor = sentencepiece.SentencePieceProcessor(model_file=str(FILES / "tokenizer.model.v1"))
    spelling = read(processor)
    assert [token for token, spelled in enumerate(spelling.tokens) if spelled == b"a"] == [100, 28708]
    assert spelling.special_tokens == {"<s>": 1, "</s>": 2}
    assert spelling.tokens[0] is None
    vocabulary = fw.Vocabulary.from_tokenizer(processor)
    mask = fw.allocate_bitmask(1, vocabulary)
    fw.compile(fw.literal("a"), vocabulary).matcher().fill_bitmask(mask)
    assert fw.masks.allowed_tokens(mask[0]).tolist() == [100, 28708]


def test_a_sentencepiece_model_that_normalises() -> None:
    model = io.BytesIO()
    sentences = iter(["the quick brown fox jumps over the lazy dog", "Pack my box with five dozen jugs"] * 50)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=sentences, model_writer=model, vocab_size=290, byte_fallback=True, minloglevel=2
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    spelling = read(processor)
    assert not spelling.faithful
    assert spelling.join(processor.encode("the quick")) == b" the quick"
    assert set(spelling.tokens) >= {bytes([byte]) for byte in range(256)}


def encoding(**changes: Any) -> tiktoken.Encoding:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"the": 257, b" the": 258}
    settings = {"pat_str": r" ?\w+|\s|[^\w\s]", "mergeable_ranks": ranks, "special_tokens": {"<|endoftext|>": 300}}
    return tiktoken.Encoding("small", **settings | changes)


def test_tiktoken_with_holes() -> None:
    spelling = read(encoding())
    assert len(spelling.tokens) == 301
    assert spelling.tokens[256:260] == [b"th", b"the", b" the", None]
    assert spelling.tokens[300] is None
    assert spelling.all_ends() == {300}
    vocabulary = fw.Vocabulary.from_tokenizer(encoding())
    assert vocabulary.eos_token_ids == [300]
    assert vocabulary.token(258) == b" the"


def test_an_encoder_that_drops_text_is_refused() -> None:
    with pytest.raises(fw.errors.VocabularyError, match="thequickbrown"):
        read(encoding(pat_str=r"\w+"))
