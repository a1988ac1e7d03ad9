"""Real vocabularies, that libraries ship or can fetch, as the bytes of every id.

==============  ========  =================================================================
name            ids       comes with
==============  ========  =================================================================
``tekken``      131,072   ``mistral-common``
``spm32k``      32,768    ``mistral-common`` (a sentencepiece model)
``o200k``       200,019   ``tiktoken``, which downloads it once or reads its cache folder
==============  ========  =================================================================
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Vocabulary:
    """``tokens[i]`` is what id ``i`` spells, ``b""`` for control tokens; ``encode`` is the tokenizer's own."""

    name: str
    tokens: list[bytes]
    eos: int
    encode: Callable[[str], list[int]]

    def ids(self, text: str) -> list[int]:
        """The tokens of ``text``, by the tokenizer, or by longest match where it changes the text."""
        ids = self.encode(text)
        data = text.encode()
        return ids if b"".join(self.tokens[i] for i in ids) == data else self._longest(data)

    def _longest(self, data: bytes) -> list[int]:
        known = {token: index for index, token in enumerate(self.tokens) if token}
        longest, ids, at = max(map(len, known)), [], 0
        while at < len(data):
            size = next(size for size in range(longest, 0, -1) if data[at : at + size] in known)
            ids.append(known[data[at : at + size]])
            at += size
        return ids

    def write(self, path: Path) -> None:
        """Little-endian u32s: the end of text; for each id its length, then its bytes."""
        records = (struct.pack("<I", len(token)) + token for token in self.tokens)
        path.write_bytes(struct.pack("<I", self.eos) + b"".join(records))


def read(path: Path) -> tuple[list[bytes], int]:
    """Tokens and end of text of a file that `Vocabulary.write` wrote."""
    data, tokens, at = path.read_bytes(), [], 4
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at)
        tokens.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return tokens, struct.unpack_from("<I", data)[0]


def tekken() -> Vocabulary:
    from mistral_common.tokens.tokenizers.tekken import SpecialTokenPolicy, Tekkenizer

    tokenizer = Tekkenizer.from_file(_find_shipped("tekken_240911.json"))
    special = tokenizer.num_special_tokens
    tokens = [b""] * special + [
        tokenizer.id_to_byte_piece(index, SpecialTokenPolicy.IGNORE) for index in range(special, tokenizer.n_words)
    ]
    return Vocabulary("tekken", tokens, 2, lambda text: tokenizer.encode(text, bos=False, eos=False))


def spm32k() -> Vocabulary:
    from sentencepiece import SentencePieceProcessor

    model = SentencePieceProcessor(model_file=str(_find_shipped("mistral_instruct_tokenizer_240323.model.v3")))
    tokens = [_piece(model, index) for index in range(model.get_piece_size())]
    start = model.encode("\n")  # a newline merges with nothing, so what follows has no space put before it
    return Vocabulary("spm32k", tokens, model.eos_id(), lambda text: model.encode("\n" + text)[len(start) :])


def _piece(model: Any, index: int) -> bytes:
    if model.is_byte(index):
        return bytes([int(model.id_to_piece(index)[3:-1], 16)])
    if model.is_control(index) or model.is_unknown(index):
        return b""
    return model.id_to_piece(index).replace("▁", " ").encode()


def o200k() -> Vocabulary:
    import tiktoken

    encoding = tiktoken.get_encoding("o200k_base")
    tokens = [b""] * encoding.n_vocab
    for token in encoding.token_byte_values():
        tokens[encoding.encode_single_token(token)] = token
    return Vocabulary("o200k", tokens, encoding.eot_token, encoding.encode_ordinary)


def _find_shipped(name: str) -> Path:
    import mistral_common

    return Path(mistral_common.__file__).parent / "data" / name


VOCABULARIES = {"tekken": tekken, "spm32k": spm32k, "o200k": o200k}
