"""The vocabulary inside a model file of llama.cpp (GGUF).

::

    read(llama).tokens[token]        # the bytes of an id, or None for a control token

llama.cpp says itself which bytes an id writes, which ids are control tokens, and which end a text.

``Llama.detokenize`` truncates tokens of more than 32 bytes, so the library's own function is called, and called again
with the size that it asks for. The merges of the file cannot be read, so canonical tokens are refused.
"""

from __future__ import annotations

import ctypes
from typing import Any

from formwright._hosts import import_host
from formwright._kernel import Merges
from formwright.errors import VocabularyError
from formwright.tokenizers.spelling import Spelling

with import_host("llama_cpp"):
    import llama_cpp

__all__ = ["read", "read_merges"]

_SILENT = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN | llama_cpp.LLAMA_TOKEN_ATTR_UNUSED
"""What marks ids that spell nothing."""


def read(llama: Any) -> Spelling:
    """Read the vocabulary of a ``llama_cpp.Llama``."""
    vocabulary = llama_cpp.llama_model_get_vocab(llama.model)
    kind = llama_cpp.llama_vocab_type(vocabulary)
    ids = range(llama_cpp.llama_vocab_n_tokens(vocabulary))
    attributes = [llama_cpp.llama_vocab_get_attr(vocabulary, token) for token in ids]
    control = [token for token in ids if attributes[token] & llama_cpp.LLAMA_TOKEN_ATTR_CONTROL]
    return Spelling(
        tokens=[None if attributes[token] & _SILENT else _piece(vocabulary, token) for token in ids],
        special_tokens={llama_cpp.llama_vocab_get_text(vocabulary, token).decode(): token for token in control},
        ends=frozenset(token for token in ids if llama_cpp.llama_vocab_is_eog(vocabulary, token)),
        encode=None if kind == llama_cpp.LLAMA_VOCAB_TYPE_NONE else _encoder(llama),
        faithful=kind in (llama_cpp.LLAMA_VOCAB_TYPE_SPM, llama_cpp.LLAMA_VOCAB_TYPE_BPE),
    )


def read_merges(llama: Any) -> Merges:
    """Refuse: the library does not tell the merges of a file. Raises VocabularyError."""
    raise VocabularyError(
        "canonical tokens: llama.cpp does not tell the merges of a model file",
        hint="leave canonical= out, or load the model with its tokenizer by fw.from_transformers(...)",
    )


def _encoder(llama: Any) -> Any:
    return lambda text: llama.tokenize(text.encode(), add_bos=False, special=False)


def _piece(vocabulary: Any, token: int, size: int = 64) -> bytes:
    """The bytes that an id writes."""
    buffer = ctypes.create_string_buffer(size)
    length = llama_cpp.llama_token_to_piece(vocabulary, token, buffer, size, 0, False)
    return _piece(vocabulary, token, -length) if length < 0 else buffer.raw[:length]
