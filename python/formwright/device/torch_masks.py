"""Masks applied where the logits are, and brought there: see `apply` and `Upload`."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._extras import needs
from formwright.errors import ArgumentError, VocabularyError

with needs("device", "masks on a device"):
    import torch

__all__ = ["Upload", "apply"]

KINDS = (torch.float32, torch.bfloat16, torch.float16)
"""The types of logits that the kernels read."""


def apply(logits: torch.Tensor, masks: torch.Tensor, rows: torch.Tensor | None = None) -> None:
    """Set the logits of forbidden tokens to minus infinity, in place.

    Nothing is allocated on the device, and the host does not wait for it: the call may be part of a CUDA graph.

    Args:
        logits: float32, bfloat16 or float16 of shape ``(count, width)``, with any strides. Columns beyond the mask are
            forbidden.
        masks: int32 words of shape ``(masks, words)`` on the same device; token ``t`` is bit ``t & 31`` of word
            ``t >> 5``, and 1 means allowed.
        rows: int32 or int64 of shape ``(count,)`` on the same device: for each row of the logits, its row of the masks;
            -1 if it has none. A row of masks that is not there allows nothing. ``None`` if row ``i`` is for row ``i``.

    Raises:
        TypeError: A tensor is of another type.
        ArgumentError: A tensor has another shape, or is on another device.
        VocabularyError: A row of the masks is wider than the logits, or the numbers of rows differ.
        MissingDependency: The logits are on a CUDA device, and Triton is not installed.
    """
    check_logits(logits)
    _check_masks(logits, masks, rows)
    if not logits.numel():
        return
    kernels = kernels_for(logits)
    if kernels is None:
        _apply_by_torch(logits, masks, rows)
    else:
        apply_by_kernel(kernels, logits, masks, rows)


def apply_by_kernel(
    kernels: ModuleType, logits: torch.Tensor, masks: torch.Tensor, rows: torch.Tensor | None, select: bool = True
) -> None:
    """`apply` by the kernel. Mixed blocks are selected and stored whole, or stored where they are forbidden."""
    count, width = logits.shape
    given = masks if rows is None else rows
    kernels.apply_kernel[count, -(-width // kernels.BLOCK)](
        logits, logits.stride(0), logits.stride(1), width,
        masks, masks.stride(0), masks.stride(1), masks.shape[0], masks.shape[1], given, given.stride(0),
        HAS_ROWS=rows is not None, SELECT=select, BLOCK=kernels.BLOCK, num_warps=8,
    )  # fmt: skip


def _apply_by_torch(logits: torch.Tensor, masks: torch.Tensor, rows: torch.Tensor | None) -> None:
    """`apply` by operations of torch, which allocate one byte a token."""
    width = logits.shape[1]
    allowed = unpack_bits(masks, width)
    if rows is not None:
        is_there = (rows >= 0) & (rows < len(masks))
        chosen = torch.where(is_there, rows, 0).long()
        allowed = allowed[chosen] & is_there[:, None] if len(masks) else allowed.new_zeros((len(rows), width))
        allowed |= (rows == -1)[:, None]
    logits.masked_fill_(~allowed, -torch.inf)


def unpack_bits(masks: torch.Tensor, width: int) -> torch.Tensor:
    """The bits of some rows of masks as booleans of shape ``(rows, width)``; those beyond the masks are false."""
    places = torch.arange(32, dtype=torch.int32, device=masks.device)
    bits = ((masks[:, :, None] >> places) & 1).bool().flatten(1)[:, :width]
    return torch.nn.functional.pad(bits, (0, width - bits.shape[1]))


def kernels_for(tensor: torch.Tensor) -> ModuleType | None:
    """The kernels, for a tensor that they run on; ``None`` where operations of torch do."""
    may_be_interpreted = tensor.device.type == "cpu" and os.environ.get("TRITON_INTERPRET") == "1"
    if tensor.device.type != "cuda" and not may_be_interpreted:
        return None
    with needs("device", "masks by kernels"):
        from formwright.device import triton_kernels
    return triton_kernels if tensor.device.type == "cuda" or triton_kernels.ARE_INTERPRETED else None


def check_logits(logits: Any) -> None:
    """Refuse what cannot be logits."""
    if not isinstance(logits, torch.Tensor):
        raise TypeError(f"logits: expected a torch tensor, got {type(logits).__name__}")
    if logits.dtype not in KINDS:
        raise TypeError(f"logits: expected float32, bfloat16 or float16, got {logits.dtype}")
    if logits.ndim != 2:
        raise ArgumentError(f"logits: expected the shape (rows, width), got {tuple(logits.shape)}", argument="logits")


def _check_masks(logits: torch.Tensor, masks: Any, rows: Any) -> None:
    if not isinstance(masks, torch.Tensor) or masks.dtype != torch.int32:
        raise TypeError(f"masks: expected a torch tensor of int32 words, got {getattr(masks, 'dtype', type(masks))}")
    count, width = logits.shape
    if masks.ndim != 2:
        raise ArgumentError(f"masks: expected the shape (rows, words), got {tuple(masks.shape)}", argument="masks")
    if masks.shape[1] > -(-width // 32):
        raise VocabularyError(
            f"logits {width} wide have at most {-(-width // 32)} words in a row of masks, these have {masks.shape[1]}",
            hint="build the Vocabulary with logits_size at most the width of the model's logits",
        )
    if rows is None and len(masks) != count:
        raise VocabularyError(
            f"{count} rows of logits and {len(masks)} of masks do not pair",
            hint="pass rows=, a tensor that names the row of the masks for each row of the logits",
        )
    if rows is not None and (not isinstance(rows, torch.Tensor) or rows.dtype not in (torch.int32, torch.int64)):
        raise TypeError(f"rows: expected a tensor of int32 or int64, got {getattr(rows, 'dtype', type(rows))}")
    if rows is not None and rows.shape != (count,):
        raise ArgumentError(f"rows: expected the shape ({count},), got {tuple(rows.shape)}", argument="rows")
    for name, tensor in (("masks", masks), ("rows", rows)):
        if tensor is not None and tensor.device != logits.device:
            raise ArgumentError(f"{name} are on {tensor.device}, the logits on {logits.device}", argument=name)


class Upload:
    """Masks on their way to a device, while the model runs: two buffers in pinned memory, and a stream of their own.

    ::

        upload = Upload(batch, vocabulary.mask_words, logits.device)
        formwright.fill_bitmasks(matchers, upload.mask)   # on the host, while the device runs the model
        apply(logits, upload.send())                      # the model's stream waits for the copy
        upload.release()                                  # the next copy waits for no more than this

    The host waits for a copy only where it is two masks ahead of the device. On a CPU the copies are plain ones. Its
    methods are called where the model's stream is the current one.

    Args:
        rows: How many rows the masks have.
        words: int32 words of a row: ``vocabulary.mask_words``.
        device: Where to.
    """

    def __init__(self, rows: int, words: int, device: str | torch.device) -> None:
        self.device = torch.device(device)
        is_cuda = self.device.type == "cuda"
        shape = {"size": (rows, words), "dtype": torch.int32}
        self._host = [torch.zeros(**shape, pin_memory=is_cuda) for _ in range(2)]
        self._arrays: list[NDArray[np.int32]] = [buffer.numpy() for buffer in self._host]
        self._turn = 0
        self.masks = torch.zeros(**shape, device=self.device)
        """On the device: what was sent last. It stays the same tensor, as a CUDA graph needs it."""
        self._side = torch.cuda.Stream(self.device) if is_cuda else None
        self._sent = [torch.cuda.Event() for _ in range(2)] if is_cuda else []
        self._is_released = True

    @property
    def mask(self) -> NDArray[np.int32]:
        """The mask to fill on the host, of shape ``(rows, words)``; another one after each `send`.

        What it held is a mask that was sent before: each row has to be filled.
        """
        if self._sent:
            self._sent[self._turn].synchronize()
        return self._arrays[self._turn]

    def send(self) -> torch.Tensor:
        """Copy the mask to the device. Work queued there from now on sees it; the host does not wait.

        The copy begins after what was queued up to `release`; where that was not called, up to now.

        Returns:
            `masks`.
        """
        if not self._is_released:
            self.release()
        self._is_released = False
        turn, self._turn = self._turn, 1 - self._turn
        if self._side is None:
            return self.masks.copy_(self._host[turn])
        with torch.cuda.stream(self._side):
            self.masks.copy_(self._host[turn], non_blocking=True)
            self._sent[turn].record(self._side)
        torch.cuda.current_stream(self.device).wait_stream(self._side)
        return self.masks

    def release(self) -> None:
        """Say that the work queued so far is the last to read the mask: the next copy need not wait for more."""
        self._is_released = True
        if self._side is not None:
            self._side.wait_stream(torch.cuda.current_stream(self.device))
