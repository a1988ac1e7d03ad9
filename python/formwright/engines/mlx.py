"""Forms in MLX-LM's own ``generate_step``, ``stream_generate``, ``batch_generate`` and speculative decoding.

::

    model = fw.from_mlx(*mlx_lm.load("some-model"))
    processor = model.logits_processor({"type": "integer"}, max_tokens=8)
    mlx_lm.generate(model.network, model.tokenizer, prompt, max_tokens=8, logits_processors=[processor])

Cost: a mask, and a wait for the token before it, which MLX would otherwise compute beside the next step. Where only
one token could come, it is known, and nothing is waited for.

One processor for each text, since such a token is assumed, and verified when the next one is waited for. Where calls
do not follow one another as those of one text do (drafts, or a batch with one processor for all its rows), every
token is waited for. MLX evaluates one step more than it gives back; after the end only an end may come.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._hosts import import_host
from formwright._kernel import Constraint, first_allowed
from formwright.errors import HostMismatch, VocabularyError
from formwright.generation.rows import Rows
from formwright.masks.arrays import allocate_bitmask

with import_host("mlx"):
    import mlx.core as mx

__all__ = ["FormProcessor"]

Ids = NDArray[np.int64]


class FormProcessor:
    """A logits processor that constrains a text; one for each text.

    Args:
        constraint: The form, compiled for the model's vocabulary.
        max_tokens: The ``max_tokens`` of the call: the text is then complete within it. ``None`` lets the call cut it.

    Attributes:
        waits: How often it had to wait for the token before.
    """

    def __init__(self, constraint: Constraint[Any], *, max_tokens: int | None = None) -> None:
        self.waits = 0
        self._rows = Rows([constraint], max_tokens=max_tokens)
        self._mask = allocate_bitmask(1, constraint.vocabulary)
        self._ids: Ids = np.zeros(0, np.int64)
        self._next: int | None = None
        """The only token that may follow these ids; None if there are several, or if the text may end."""
        self._grown = 0
        """How often the ids were read and found to be one more; minus infinity once they were others."""
        self._believed = False

    def __call__(self, tokens: mx.array, logits: mx.array) -> mx.array:
        """The logits of shape ``(1, vocabulary)``, forbidden tokens at minus infinity.

        Raises:
            VocabularyError: The logits are narrower than the vocabulary.
            HostMismatch: Another token came than the one that could.
            LimitExceeded: ``max_tokens`` is too small for any text.
        """
        width, size = logits.shape[-1], self._rows.vocabulary.logits_size
        if width < size:
            raise VocabularyError(f"the logits are {width} wide, and the form was compiled for {size} tokens")
        self._ids = self._read_ids(tokens)
        self._rows.fill(self._ids[None], self._mask)
        self._next = self._only()
        return _mask_logits(mx.array(self._mask[0].view(np.uint32)), logits)

    def _only(self) -> int | None:
        """The token that the mask allows, if it is one only."""
        allowed = first_allowed(self._mask, 0, most=2)
        ends = self._rows.vocabulary.eos_token_ids
        return allowed[0] if len(allowed) == 1 and allowed[0] not in ends else None

    def _read_ids(self, tokens: mx.array) -> Ids:
        """The ids so far; they are read, and so waited for, unless only one token could come in this text."""
        is_next = len(tokens) == len(self._ids) + 1
        if is_next and self._grown > 0 and self._next is not None:
            self._believed = True
            return np.append(self._ids, self._next)
        self.waits += 1
        ids = np.array(tokens, dtype=np.int64)
        common = min(len(ids), len(self._ids))
        is_same = np.array_equal(ids[:common], self._ids[:common])
        if self._believed and (not is_same or len(ids) == len(self._ids)):
            raise HostMismatch(
                "other tokens came than those that could come in this text",
                hint="make a processor for each text",
                host="MLX-LM",
            )
        self._believed = False
        if len(self._ids):
            self._grown = self._grown + 1 if is_next and is_same else -sys.maxsize
        return ids


@mx.compile  # type: ignore[untyped-decorator]  # mlx is not typed for us
def _mask_logits(words: mx.array, logits: mx.array) -> mx.array:
    """Logits, minus infinity where a bit of the words is not set, or there is none; compiled, it is one operation."""
    width = logits.shape[-1]
    bits = ((words[:, None] >> mx.arange(32, dtype=mx.uint32)) & 1).reshape(1, -1)[:, :width]
    if bits.shape[-1] < width:
        bits = mx.pad(bits, [(0, 0), (0, width - bits.shape[-1])])
    return mx.where(bits == 1, logits, -mx.inf)
