r"""Encodings of tiktoken.

The simplest family: an encoding gives the bytes of an id directly. Ids between the
ordinary and the special ones may be holes; they spell nothing::

    ranks = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"the": 257}
    encoding = tiktoken.Encoding("tiny", pat_str=r"\w+|\W", mergeable_ranks=ranks, special_tokens={"<|end|>": 300})
    read(encoding).tokens[257]     # b"the"

The wrinkle: ids that are special also have bytes there (their own names), which must
not become text.
"""

from __future__ import annotations

from typing import Any

from formwright.tokenizers.spelling import Spelling

__all__ = ["read"]


def read(encoding: Any) -> Spelling:
    """Read a ``tiktoken.Encoding``."""
    special = {name: encoding.encode_single_token(name) for name in encoding.special_tokens_set}
    control = set(special.values())
    return Spelling(
        tokens=[None if token in control else _bytes_of(encoding, token) for token in range(encoding.n_vocab)],
        special_tokens=special,
        encode=encoding.encode_ordinary,
    )


def _bytes_of(encoding: Any, token: int) -> bytes | None:
    try:
        spelled: bytes = encoding.decode_single_token_bytes(token)
    except KeyError:
        return None
    return spelled
