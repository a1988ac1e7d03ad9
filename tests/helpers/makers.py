"""Tokenizers that several tests compare with: those that are installed, and small ones made here."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mistral_common
import sentencepiece
import tiktoken
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

import formwright

FILES = Path(mistral_common.__file__).parent / "data"
TINY = Path(formwright.__file__).parent / "models" / "formwright_tiny" / "tokenizer.json"

CHECKOUT_MODEL = Path(__file__).parents[2] / "python" / "formwright" / "models" / "formwright_tiny"
"""The embedded model as the checkout has it: its float weights are not in the wheel."""

CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s"
)
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)

PARTS = (
    *(
        "a",
        "x",
        "the",
        " the",
        "The",
        "THE",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "'s",
        "'S",
        "'ſ",
        "'ll",
        "don't",
        "12",
        "3",
    ),
    *("1234", "\u0661", "$", "{", '"', '":', "é", "e\u0301", "ǅ", "ʰ", "日本", "語", "ABC", "d", "/", "//", "\u3000"),
    *(
        "\u00a0",
        "\u2003",
        "😀",
        "👩‍👩‍👧",
        "한국",
        "İ",
        "\u05c8",
        "\u05c9",
        "-",
        "==",
        "ºª",
        "Ⅳ",
        "²",
        "\x00",
        "\x85",
        "▁",
    ),
    *("<tool>", "<tool>x", "[REFERENCE_DOC_1]", "[REFERENCE_DOC_19]"),
)

AFTER = (" x", "\n x", "aa", "..", "l", "e", "s", "t")


def tekken() -> Any:
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer  # late: importing it takes a second

    return MistralTokenizer.v3(is_tekken=True).instruct_tokenizer.tokenizer


def with_pattern(pattern: str) -> tiktoken.Encoding:
    """Tekken's merges, cut otherwise."""
    return tiktoken.Encoding(
        "other", pat_str=pattern, mergeable_ranks=tekken()._model._mergeable_ranks, special_tokens={}
    )


def pieces(name: str) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_file=str(FILES / name))


def byte_level(pattern: str | None) -> Tokenizer:
    """A small tokenizer of the tokenizers library, with words of its own."""
    tokenizer = Tokenizer(models.BPE())
    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern is None)
    split = [pre_tokenizers.Split(Regex(pattern), "isolated")] if pattern else []
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*split, bytes_])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=900, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=["<|end|>"]
    )
    tokenizer.train_from_iterator(["".join(random.Random(seed).choices(PARTS, k=9)) for seed in range(900)], trainer)
    tokenizer.add_tokens([AddedToken("<tool>", normalized=False), AddedToken("<tool>x", normalized=False)])
    return tokenizer


def with_digits(individual: bool, use_regex: bool = True) -> Tokenizer:
    """Digits are cut out before the rest is cut, as SmolLM2 does."""
    tokenizer = byte_level(None)
    digits = pre_tokenizers.Digits(individual_digits=individual)
    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, bytes_])
    return tokenizer


def with_whole_pieces() -> Tokenizer:
    """Some tokens are made by no merges, and are looked up."""
    config = json.loads(byte_level(LLAMA3).to_str())
    config["model"]["ignore_merges"] = True
    config["model"]["merges"] = [merge for at, merge in enumerate(config["model"]["merges"]) if at % 5]
    return Tokenizer.from_str(json.dumps(config))


def in_any_order() -> Tokenizer:
    """Its merges are not listed in the order in which they are taken."""
    config = json.loads(byte_level(LLAMA3).to_str())
    random.Random(3).shuffle(config["model"]["merges"])
    return Tokenizer.from_str(json.dumps(config))


def not_cut() -> Tokenizer:
    """A text is one piece."""
    config = json.loads(byte_level(None).to_str())
    config["pre_tokenizer"]["pretokenizers"][0]["use_regex"] = False
    return Tokenizer.from_str(json.dumps(config))


def with_more_ranks() -> tiktoken.Encoding:
    """The same of tiktoken, which looks up every piece."""
    ranks: dict[bytes, int] = {bytes([byte]): byte for byte in range(256)}
    for text in ("th", "he", " the", "The", "dont", "12", "1234", "  ", "\n\n", '{"', "日本", "ABC", "'s", " x", "aa"):
        ranks.setdefault(text.encode(), len(ranks))
    return tiktoken.Encoding("more", pat_str=O200K, mergeable_ranks=ranks, special_tokens={})


def of_characters() -> Tokenizer:
    """The pieces of a SentencePiece model as a list of merges, as converters write it."""
    processor = pieces("tokenizer.model.v1")
    ids = {processor.id_to_piece(token): token for token in range(processor.get_piece_size())}
    ordinary = [piece for piece, token in ids.items() if not processor.is_byte(token) and token > 2]
    halves = [sorted((ids.get(p[:at], -1), ids.get(p[at:], -1)) for at in range(1, len(p))) for p in ordinary]
    names = list(ids)
    merges = [(names[left], names[right]) for all_ in halves for left, right in all_ if min(left, right) >= 0]
    merges = [pair for pair in merges if "".join(pair) in ids]
    tokenizer = Tokenizer(models.BPE(vocab=ids, merges=merges, byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.add_special_tokens(["<s>", "</s>", "<unk>"])
    return tokenizer


MAKERS: dict[str, Callable[[], Any]] = {
    "tekken": tekken,
    "cl100k": lambda: with_pattern(CL100K),
    "o200k": lambda: with_pattern(O200K),
    "sentencepiece v1": lambda: pieces("tokenizer.model.v1"),
    "sentencepiece v3": lambda: pieces("mistral_instruct_tokenizer_240323.model.v3"),
    "formwright-tiny": lambda: Tokenizer.from_file(str(TINY)),
    "gpt2": lambda: byte_level(None),
    "llama3": lambda: byte_level(LLAMA3),
    "llama2": of_characters,
    "whole pieces": with_whole_pieces,
    "more ranks": with_more_ranks,
    "any order": in_any_order,
    "not cut": not_cut,
    "single digits": lambda: with_digits(individual=True),
    "digits": lambda: with_digits(individual=False),
    "digits only": lambda: with_digits(individual=True, use_regex=False),
}
