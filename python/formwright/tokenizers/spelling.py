"""What a foreign tokenizer spells, in one neutral shape, and the proof that it was read right.

Each adapter in this package reads one family of tokenizers into a `Spelling`:
the bytes of every id, the control tokens, the ids that end a text, and the
tokenizer's own encoder. The encoder is used once: `prove` encodes a few probe texts
and checks that the bytes of the resulting ids, joined, spell the probe again. A
table read by the wrong rule (a ``▁`` taken for a letter, byte-mapped characters taken
as they are) fails at once instead of producing text without spaces.

Cost: a handful of short encodings.

Encoders of the SentencePiece kind put one space in front of a text, so a single leading space is
ignored. A tokenizer that normalises its input (Unicode forms, case, runs of spaces) is compared
after the same normalisation. A probe that the tokenizer itself cannot encode without its unknown
token proves nothing and is skipped.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from formwright._kernel import Merges
from formwright.errors import VocabularyError

__all__ = ["ENDS", "PROBES", "Spelling", "checked_size", "prove", "prove_merges"]

_WIDEST = 1 << 24
"""Ids of a vocabulary at most, as the kernel has it."""


def checked_size(largest: int) -> int:
    """How many ids there are up to the largest. Raises VocabularyError where that is more than any vocabulary has."""
    if largest >= _WIDEST:
        raise VocabularyError(f"the tokenizer has the id {largest:,}, and ids are below {_WIDEST:,}")
    return largest + 1


ENDS = frozenset(
    {
        "</s>",
        "<eos>",
        "<end_of_turn>",
        "<|end|>",
        "<|end_of_text|>",
        "<|endoftext|>",
        "<|eom_id|>",
        "<|eot_id|>",
        "<|im_end|>",
        "<|return|>",
        "[EOS]",
    }
)
"""Control tokens that end a text or a turn wherever they exist. A model trained on a chat format ends with
its turn's end, which often only the chat template knows; as a control token it is never part of a text anyway."""

PROBES = (
    "the quick brown fox jumps over the lazy dog",
    "a  b   c\n\td\r\n  e",
    '{"name": "Ada", "tags": ["x", "y"], "n": -12.5e+3, "ok": true, "none": null}',
    "Größe, naïve café, Ελλάδα, Привет",
    "你好,世界。日本語の文 한국어",
    "emoji 😀👩‍👩‍👧 end",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """A tokenizer's vocabulary: what `formwright.Vocabulary` is built from.

    Attributes:
        tokens: Bytes per id; ``None`` for control tokens, unknown tokens and holes.
        special_tokens: Name to id of the control tokens.
        ends: Ids the tokenizer itself declares as end of text.
        encode: Text to ids, without control tokens added; ``None`` where there is no encoder.
        faithful: Whether the encoder leaves the text as it is (no normalisation).
    """

    tokens: list[bytes | None]
    special_tokens: dict[str, int]
    ends: frozenset[int] = frozenset()
    encode: Callable[[str], Sequence[int]] | None = field(default=None, repr=False)
    faithful: bool = True

    def all_ends(self) -> frozenset[int]:
        """The declared ends and every control token named in `ENDS`."""
        return self.ends | {token for name, token in self.special_tokens.items() if name in ENDS}

    def join(self, ids: Sequence[int]) -> bytes | None:
        """The text that ``ids`` spell, or ``None`` if one of them spells nothing."""
        pieces = [self.tokens[token] if token < len(self.tokens) else None for token in ids]
        return None if None in pieces else b"".join(piece for piece in pieces if piece)


def prove(spelling: Spelling) -> None:
    """Check the table against the tokenizer's own encoder.

    Raises:
        VocabularyError: A probe comes back as another text; or no probe can be encoded at all.
    """
    if spelling.encode is None:
        return
    comparable = 0
    for probe in PROBES:
        spelled = spelling.join(list(spelling.encode(probe)))
        if spelled is not None:
            comparable += 1
            _compare(probe, spelled, spelling.faithful)
    if not comparable:
        raise VocabularyError(
            "the tokenizer encodes none of the probe texts without its unknown token",
            hint="a vocabulary for writing needs at least the letters of some alphabet; is this a text tokenizer?",
        )


def prove_merges(merges: Merges, spelling: Spelling) -> None:
    """Check the merges against the tokenizer's own encoder.

    Raises:
        VocabularyError: A probe is encoded to other tokens; or none can be compared.
    """
    comparable = 0
    for probe in PROBES if spelling.encode else ():
        written = list(spelling.encode(probe)) if spelling.encode else []
        if spelling.join(written) is None:
            continue  # a token of it spells nothing
        comparable += 1
        if merges.encode(probe) != written or not merges.is_canonical(written):
            raise VocabularyError(
                f"the tokenizer encodes {probe!r} to other tokens than its merges make",
                hint="it spells by a rule formwright does not know; its vocabulary can be used without its merges",
            )
    if not comparable:
        raise VocabularyError(
            "the tokenizer encodes none of the probe texts to tokens that all spell something",
            hint="its merges cannot be checked; its vocabulary can be used without them",
        )


def _compare(probe: str, spelled: bytes, faithful: bool) -> None:
    text = spelled.decode("utf-8", "replace")
    same = text in (probe, " " + probe) if faithful else _loose(text) == _loose(probe)
    if not same:
        raise VocabularyError(
            f"the tokenizer encodes {probe!r} to tokens that spell {text!r}",
            hint="its tokens are written by a rule formwright does not know, or it drops part of the text; "
            "build Vocabulary(tokens=...) from the true bytes of each id",
        )


def _loose(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
