"""Tokenizers of mistral-common: Tekken, SentencePiece, and the chat tokenizer around either.

Tekken gives the bytes of an id directly; its control tokens are the first thousand
ids. Its SentencePiece tokenizer is read from the same model file by
`formwright.tokenizers.sentencepiece`::

    read(MistralTokenizer.v3(is_tekken=True)).tokens[1278]      # b" the"

The object people hold is the chat tokenizer (``MistralTokenizer``, or
transformers' wrapper of it); the real one is two attributes down.
"""

from __future__ import annotations

from typing import Any

from formwright._extras import needs
from formwright._kernel import Merges
from formwright.errors import VocabularyError
from formwright.tokenizers import sentencepiece, tiktoken
from formwright.tokenizers.spelling import Spelling

with needs("mistral", "a mistral-common tokenizer"):
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
    from mistral_common.tokens.tokenizers.sentencepiece import SentencePieceTokenizer
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

__all__ = ["read", "read_merges"]


def read(tokenizer: Any) -> Spelling:
    """Read a ``MistralTokenizer``, ``Tekkenizer`` or mistral-common ``SentencePieceTokenizer``."""
    tokenizer = _inner(tokenizer)
    if isinstance(tokenizer, Tekkenizer):
        return _read_tekken(tokenizer)
    return sentencepiece.read(_processor(tokenizer))


def read_merges(tokenizer: Any) -> Merges:
    """How a ``MistralTokenizer``, ``Tekkenizer`` or mistral-common ``SentencePieceTokenizer`` spells."""
    tokenizer = _inner(tokenizer)
    if isinstance(tokenizer, Tekkenizer):
        return tiktoken.read_merges(tokenizer._model, offset=tokenizer.num_special_tokens)
    return sentencepiece.read_merges(_processor(tokenizer))


def _inner(tokenizer: Any) -> Any:
    if isinstance(tokenizer, MistralTokenizer):
        tokenizer = tokenizer.instruct_tokenizer.tokenizer
    if isinstance(tokenizer, Tekkenizer | SentencePieceTokenizer):
        return tokenizer
    raise VocabularyError(
        f"{type(tokenizer).__qualname__} is not a tokenizer of mistral-common that formwright knows",
        hint="pass a MistralTokenizer, a Tekkenizer or a SentencePieceTokenizer",
    )


def _read_tekken(tokenizer: Any) -> Spelling:
    special = {tokenizer.id_to_piece(token): token for token in sorted(tokenizer.special_ids)}
    return Spelling(
        tokens=[tokenizer.id_to_byte_piece(token) or None for token in range(tokenizer.n_words)],
        special_tokens=special,
        ends=frozenset({tokenizer.eos_id}),
        encode=lambda text: tokenizer.encode(text, bos=False, eos=False),
    )


def _processor(tokenizer: Any) -> Any:
    with needs("sentencepiece", "a SentencePiece tokenizer of mistral-common"):
        from sentencepiece import SentencePieceProcessor
    return SentencePieceProcessor(model_file=str(tokenizer.file_path))
