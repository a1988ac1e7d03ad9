"""Processors of SentencePiece.

A piece writes a space as ``▁``; a byte piece ``<0x0A>`` is one byte; control, unknown
and unused pieces spell nothing::

    read(SentencePieceProcessor(model_file="tokenizer.model")).tokens[272]    # b" the"

The wrinkle: one text can have several ids (``a`` as a letter and as a byte). Both are
kept; a mask allows either. The encoder puts a space in front of a text, which is not
part of any token's spelling rule and is forgiven by the check in `spelling`.
"""

from __future__ import annotations

from typing import Any

from formwright.tokenizers.spelling import Spelling

__all__ = ["read"]

_SPACE = "\u2581"


def read(processor: Any) -> Spelling:
    """Read a ``sentencepiece.SentencePieceProcessor``."""
    ids = range(processor.get_piece_size())
    end = processor.eos_id()
    return Spelling(
        tokens=[_bytes_of(processor, token) for token in ids],
        special_tokens={processor.id_to_piece(token): token for token in ids if processor.is_control(token)},
        ends=frozenset({end} - {-1}),
        encode=processor.encode,
        faithful=_is_faithful(processor),
    )


def _bytes_of(processor: Any, token: int) -> bytes | None:
    if processor.is_control(token) or processor.is_unknown(token) or processor.is_unused(token):
        return None
    piece: str = processor.id_to_piece(token)
    return bytes([int(piece[3:5], 16)]) if processor.is_byte(token) else piece.replace(_SPACE, " ").encode()


def _is_faithful(processor: Any) -> bool:
    """Whether the encoder leaves case, Unicode forms and runs of spaces alone."""
    sample = "Ａ  ﬁ\n"
    return bool(processor.decode(processor.encode(sample)) == sample)
