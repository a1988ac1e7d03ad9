"""Logits processors of TensorRT-LLM, for a request or for a batch.

::

    processor = FormProcessor(fw.compile(Person, vocabulary), max_tokens=64)
    llm.generate(prompt, SamplingParams(max_tokens=64, logits_processor=processor))

    processors = FormProcessors()                          # LLM(..., batched_logits_processor=processors)
    processors.add(client_id, fw.compile(Person, vocabulary))

TensorRT-LLM chooses its grammar back ends by an enumeration that nobody else can join, but calls processors of the
user with the logits on the device, and the ids of every beam, the prompt included.

Cost: a mask for each beam, copied to the device without waiting, and tensor operations on the stream that is told.

The vocabulary must be as wide as the logits (``Vocabulary.from_tokenizer(tokenizer, logits_size=...)``).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from formwright._hosts import import_host
from formwright._kernel import Constraint, RowBuffer
from formwright.errors import HostMismatch, VocabularyError
from formwright.generation.rows import Rows
from formwright.masks.arrays import apply_bitmask

with import_host("tensorrt_llm"):
    import torch
    from tensorrt_llm.sampling_params import BatchedLogitsProcessor, LogitsProcessor

__all__ = ["FormProcessor", "FormProcessors"]


class FormProcessor(LogitsProcessor):  # type: ignore[misc]  # tensorrt_llm is not typed for us
    """The processor of one request.

    Args:
        constraint: The form, compiled for the model's vocabulary.
        max_tokens: The ``max_tokens`` of the request: texts are then complete within it.
    """

    def __init__(self, constraint: Constraint[Any], *, max_tokens: int | None = None) -> None:
        self._rows = Rows([constraint], max_tokens=max_tokens)

    def __call__(
        self,
        req_id: int,
        logits: torch.Tensor,
        token_ids: list[list[int]],
        stream_ptr: int | None,
        client_id: int | None,
    ) -> None:
        """Set forbidden tokens to minus infinity, in place.

        Args:
            req_id: Which request it is.
            logits: Of shape ``(..., beams, width)``.
            token_ids: Of each beam, the prompt included.
            stream_ptr: The stream on which it is to be done.
            client_id: What the user calls the request.

        Raises:
            VocabularyError: The logits are narrower than the vocabulary.
            HostMismatch: There are other rows of logits than beams.
        """
        keep(self._rows, logits, token_ids, stream_ptr)


class FormProcessors(BatchedLogitsProcessor):  # type: ignore[misc]
    """The processor of an engine: a request has the form that was added for its client id, or none."""

    def __init__(self) -> None:
        self._rows: dict[int | None, Rows] = {}

    def add(self, client_id: int, constraint: Constraint[Any], *, max_tokens: int | None = None) -> None:
        """Constrain the request of this client id, until `remove`."""
        self._rows[client_id] = Rows([constraint], max_tokens=max_tokens)

    def remove(self, client_id: int) -> None:
        """Forget a request, which is over."""
        self._rows.pop(client_id, None)

    def __call__(
        self,
        req_ids: list[int],
        logits: list[torch.Tensor],
        token_ids: list[list[list[int]]],
        stream_ptr: int | None,
        client_ids: list[int | None],
    ) -> None:
        """Set forbidden tokens to minus infinity, in place; see `FormProcessor`."""
        for scores, beams, client_id in zip(logits, token_ids, client_ids, strict=True):
            if (rows := self._rows.get(client_id)) is not None:
                keep(rows, scores, beams, stream_ptr)


def keep(rows: Rows, logits: torch.Tensor, token_ids: Sequence[Sequence[int]], stream_ptr: int | None) -> None:
    """Set the forbidden tokens of some beams to minus infinity, in place, on a stream of the device."""
    grid = logits.view(-1, logits.shape[-1])
    if len(grid) != len(token_ids):
        raise HostMismatch(f"there are {len(grid)} rows of logits for {len(token_ids)} beams", host="TensorRT-LLM")
    if grid.shape[1] < rows.vocabulary.logits_size:
        raise VocabularyError(
            f"the logits are {grid.shape[1]} wide, and the form was compiled for {rows.vocabulary.logits_size} tokens"
        )
    mask = RowBuffer(np.empty((len(grid), rows.vocabulary.mask_words), np.int32))
    rows.fill(token_ids, mask)
    on_stream = stream_ptr and logits.device.type == "cuda"
    with torch.cuda.stream(torch.cuda.ExternalStream(stream_ptr)) if on_stream else nullcontext():
        apply_bitmask(grid, mask.mask)
