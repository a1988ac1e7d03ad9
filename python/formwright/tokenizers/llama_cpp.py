"""The vocabulary inside a model file of llama.cpp (GGUF).

::

    read(llama).tokens[token]        # the bytes of an id, or None for a control token

llama.cpp says itself which bytes an id writes, which ids are control tokens, and which end a text.

``Llama.detokenize`` truncates tokens of more than 32 bytes, so the library's own function is called, and called again
with the size that it asks for.

The library does not expose the merges of a file, so they are read from the file itself. Canonical tokens are refused
for files whose way to cut a text is none of those that are known here.
"""

from __future__ import annotations

import ctypes
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

from formwright._hosts import import_host
from formwright._kernel import Merges
from formwright.errors import VocabularyError
from formwright.tokenizers import gguf
from formwright.tokenizers.characters import EVERY_CHARACTER, Ranges, ranges_of
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


_WORDS = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+"
_PATTERNS = {
    "gpt-2": _WORDS + r"| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    # Each digit is a piece of its own, cut out first: spaces before it are at the end of their text.
    "smollm": r"\p{N}|" + _WORDS + r"| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+",
}
"""How texts are cut into pieces, by the name that a file gives to it."""

_SPACES = [("\t", "\r"), (" ", " "), ("\x85", "\x85"), ("\xa0", "\xa0"), ("\u1680", "\u1680"), ("\u2000", "\u200a")]
_SPACES += [("\u2028", "\u2029"), ("\u202f", "\u202f"), ("\u205f", "\u205f"), ("\u3000", "\u3000")]


def read_merges(llama: Any) -> Merges:
    """Read the merges in the file of a ``llama_cpp.Llama``.

    llama.cpp puts characters into classes by a table of Unicode, as Python does. Characters that only one of the two
    tables has may be cut otherwise, which matters where a token spells more than the one character.

    Raises:
        VocabularyError: The file has none, or cuts texts in a way that is not known here.
    """
    cut = llama.metadata.get("tokenizer.ggml.pre", "")
    if llama.metadata.get("tokenizer.ggml.model") != "gpt2" or cut not in _PATTERNS:
        raise _make_error(f"how this model file cuts texts is not known ({cut or 'it has no name'})")
    pairs = gguf.read_entry(Path(llama.model_path), "tokenizer.ggml.merges")
    if not pairs:
        raise _make_error("this model file has no merges")
    vocabulary = llama_cpp.llama_model_get_vocab(llama.model)
    size = llama_cpp.llama_vocab_n_tokens(vocabulary)
    ids = {llama_cpp.llama_vocab_get_text(vocabulary, token).decode(): token for token in range(size)}
    tokens = read(llama).tokens
    return Merges(
        tokens,
        merges=[_find_merge(ids, *pair.split(" ", 1)) for pair in pairs],
        words=[(_as_text(tokens[token]), token) for token in range(size) if _is_word(vocabulary, token)],
        pattern=_PATTERNS[cut],
        classes={name: _characters(name) for name in Merges.class_names(_PATTERNS[cut])},
    )


def _find_merge(ids: dict[str, int], left: str, right: str) -> tuple[int, int, int]:
    """Find the ids of a merge: of its two sides and of what it makes."""
    try:
        return ids[left], ids[right], ids[left + right]
    except KeyError as missing:
        raise VocabularyError(f"the merge of {left!r} and {right!r} needs {missing}, which is not a token") from missing


def _is_word(vocabulary: Any, token: int) -> bool:
    """Whether a token is cut out of texts before anything else."""
    return bool(llama_cpp.llama_vocab_get_attr(vocabulary, token) & llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED)


def _as_text(spelled: bytes | None) -> str:
    """Decode a token that is a word."""
    try:
        return (spelled or b"").decode()
    except UnicodeDecodeError as error:
        raise _make_error(f"the token {spelled!r} is cut out of texts and is not UTF-8") from error


@cache
def _characters(name: str) -> Ranges:
    """The characters of a class."""
    if name == r"\s":
        return _SPACES
    letter = name.removeprefix(r"\p{").removesuffix("}")
    return ranges_of("".join(char for char in EVERY_CHARACTER if unicodedata.category(char).startswith(letter)))


def _make_error(reason: str) -> VocabularyError:
    return VocabularyError(
        f"canonical tokens: {reason}",
        hint="leave canonical= out, or pass canonical=False; or load the model by fw.from_transformers(...)",
    )


def _encoder(llama: Any) -> Any:
    return lambda text: llama.tokenize(text.encode(), add_bos=False, special=False)


def _piece(vocabulary: Any, token: int, size: int = 64) -> bytes:
    """The bytes that an id writes."""
    buffer = ctypes.create_string_buffer(size)
    length = llama_cpp.llama_token_to_piece(vocabulary, token, buffer, size, 0, False)
    return _piece(vocabulary, token, -length) if length < 0 else buffer.raw[:length]
