"""Processors of SentencePiece.

A piece writes a space as ``▁``; a byte piece ``<0x0A>`` is one byte; control, unknown
and unused pieces spell nothing::

    read(SentencePieceProcessor(model_file="tokenizer.model")).tokens[272]    # b" the"

One text can have several ids (``a`` as a letter and as a byte). Both are
kept; a mask allows either. The encoder puts a space in front of a text, which is not
part of any token's spelling rule and is forgiven by the check in `spelling`.
"""

from __future__ import annotations

from typing import Any

from formwright._extras import needs
from formwright._kernel import Merges
from formwright.errors import VocabularyError
from formwright.tokenizers.spelling import Spelling

__all__ = ["from_file", "read", "read_merges"]

_SPACE = "\u2581"


def read(processor: Any) -> Spelling:
    """Read a ``sentencepiece.SentencePieceProcessor``."""
    ids = range(processor.get_piece_size())
    end = processor.eos_id()
    return Spelling(
        tokens=[_bytes_of(processor, token) for token in ids],
        special_tokens={processor.id_to_piece(token): token for token in ids if processor.is_control(token)},
        ends=frozenset({end} - {-1}),
        encode=lambda text: processor.encode(
            text, out_type=int, add_bos=False, add_eos=False, reverse=False, enable_sampling=False
        ),
        faithful=_is_faithful(processor),
    )


def from_file(path: str) -> Any:
    """The model in a file."""
    with needs("sentencepiece", "a SentencePiece model"):
        from sentencepiece import SentencePieceProcessor
    try:
        return SentencePieceProcessor(model_file=path)
    except Exception as error:  # the library raises RuntimeError and others
        raise VocabularyError(f"{path} is not a model of SentencePiece: {error}") from error


def read_merges(processor: Any) -> Merges:
    """How a ``sentencepiece.SentencePieceProcessor`` spells, if it is one of byte pairs."""
    with needs("sentencepiece", "the merges of a SentencePiece model"):
        from sentencepiece.sentencepiece_model_pb2 import ModelProto
    model = ModelProto()
    model.ParseFromString(processor.serialized_model_proto())
    _refuse_others(model)
    # Of two pieces the one of the higher score is merged first.
    order = {score: place for place, score in enumerate(sorted({piece.score for piece in model.pieces}, reverse=True))}
    kinds = model.SentencePiece
    fallback: list[int | None] = [None] * 256
    for token, piece in enumerate(model.pieces):
        if piece.type == kinds.BYTE:
            fallback[int(piece.piece[3:5], 16)] = token
    return Merges(
        [piece.piece.replace(_SPACE, " ").encode() if piece.type == kinds.NORMAL else None for piece in model.pieces],
        priorities=[order[piece.score] for piece in model.pieces],
        fallback=fallback,
        prefix=" " if model.normalizer_spec.add_dummy_prefix else None,
        space=_SPACE,
        words=[
            (piece.piece.replace(_SPACE, " "), token)
            for token, piece in enumerate(model.pieces)
            if piece.type == kinds.USER_DEFINED
        ],
    )


def _refuse_others(model: Any) -> None:
    """Refuses what is not spelled by merging, or not as it is written."""
    kinds = model.SentencePiece
    reasons = {
        "it is not a model of byte pairs": model.trainer_spec.model_type != model.trainer_spec.BPE,
        "its normalizer changes texts": bool(model.normalizer_spec.precompiled_charsmap),
        "it removes whitespace": model.normalizer_spec.remove_extra_whitespaces,
        "it does not write spaces as ▁": not model.normalizer_spec.escape_whitespaces,
        "spaces end its words": model.trainer_spec.treat_whitespace_as_suffix,
        "a word of it has a space that is not written as ▁": any(
            piece.type == kinds.USER_DEFINED and " " in piece.piece for piece in model.pieces
        ),
        "it has unused pieces": any(piece.type == kinds.UNUSED for piece in model.pieces),
    }
    for reason, holds in reasons.items():
        if holds:
            raise VocabularyError(
                f"the SentencePiece model does not spell by merges alone: {reason}",
                hint="its merges cannot be used; `vocabulary_from` still reads its tokens",
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
