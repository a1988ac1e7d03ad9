r"""Encodings of tiktoken.

The simplest family: an encoding gives the bytes of an id directly. Ids between the
ordinary and the special ones may be holes; they spell nothing::

    ranks = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"the": 257}
    encoding = tiktoken.Encoding("tiny", pat_str=r"\w+|\W", mergeable_ranks=ranks, special_tokens={"<|end|>": 300})
    read(encoding).tokens[257]     # b"the"

Ids that are special also have bytes there (their own names), which must
not become text.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from formwright._extras import needs
from formwright._kernel import Merges
from formwright.tokenizers.characters import EVERY_CHARACTER, Ranges, ranges_of
from formwright.tokenizers.spelling import Spelling, checked_size

__all__ = ["read", "read_merges"]


def read(encoding: Any) -> Spelling:
    """Read a ``tiktoken.Encoding``."""
    special = {name: encoding.encode_single_token(name) for name in encoding.special_tokens_set}
    control = set(special.values())
    return Spelling(
        tokens=[
            None if token in control else _bytes_of(encoding, token)
            for token in range(checked_size(encoding.max_token_value))
        ],
        special_tokens=special,
        encode=encoding.encode_ordinary,
    )


def read_merges(encoding: Any, *, offset: int = 0) -> Merges:
    """How a ``tiktoken.Encoding`` spells.

    Args:
        encoding: The encoding.
        offset: What is added to its ids.
    """
    ranks: dict[bytes, int] = encoding._mergeable_ranks
    tokens: list[bytes | None] = [None] * checked_size(offset + max(ranks.values()))
    for spelled, rank in ranks.items():
        tokens[offset + rank] = spelled
    pattern: str = encoding._pat_str
    return Merges(
        tokens,
        priorities=list(range(len(tokens))),
        pattern=pattern,
        classes={name: _characters(name) for name in Merges.class_names(pattern)},
        whole_pieces=True,
    )


@cache
def _characters(name: str) -> Ranges:
    """The characters of a class, as tiktoken's engine reads it: what its pattern does not match is passed over."""
    with needs("tiktoken", "a tiktoken encoding"):
        import tiktoken
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("class", pat_str=name, mergeable_ranks=ranks, special_tokens={})
    return ranges_of(bytes(encoding.encode_ordinary(EVERY_CHARACTER)).decode())


def _bytes_of(encoding: Any, token: int) -> bytes | None:
    try:
        spelled: bytes = encoding.decode_single_token_bytes(token)
    except KeyError:
        return None
    return spelled
