"""Masks applied to torch tensors, wherever they live.

::

    mask = formwright.allocate_bitmask(batch, vocabulary)
    formwright.fill_bitmasks(matchers, mask)
    formwright.apply_bitmask(logits, mask)        # logits: a tensor of shape (batch, width), on any device

A tensor in host memory goes to the kernel as a numpy view of itself. On a device, the mask is
copied from pinned memory without waiting, and what follows is tensor operations whose shapes do
not depend on data: the host never waits for the device, and the mask may be filled anew at once.

Cost on a device: the mask's words, one byte a token for the unpacked bits and one for their
test, and one masked fill.

A tensor that records gradients is written by tensor operations in host memory too, so that autograd sees
the write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from formwright.masks.arrays import apply_to_array, check_shapes, float_bits, known_rows

__all__ = ["apply_by_tensor_operations", "apply_to_tensor"]


def apply_to_tensor(logits: torch.Tensor, mask: Any, rows: Sequence[int] | None) -> None:
    """`formwright.apply_bitmask` for a tensor."""
    kind = str(logits.dtype).removeprefix("torch.")
    unsigned, _ = float_bits(kind)
    if logits.device.type != "cpu" or logits.requires_grad:
        apply_by_tensor_operations(logits, mask, rows)
        return
    same_size = getattr(torch, np.dtype(unsigned).name.removeprefix("u"))
    apply_to_array(logits.view(same_size).numpy(), kind, _on_host(mask), rows)


def apply_by_tensor_operations(logits: torch.Tensor, mask: Any, rows: Sequence[int] | None) -> None:
    """Apply a mask by tensor operations only, on the logits' device and without waiting for it."""
    words = mask if isinstance(mask, torch.Tensor) else torch.from_numpy(np.asarray(mask))
    check_shapes(logits.shape, words.shape, str(words.dtype).removeprefix("torch."))
    grid, words = torch.atleast_2d(logits), _to_device(torch.atleast_2d(words), logits.device)
    powers = 1 << torch.arange(8, dtype=torch.uint8, device=logits.device)
    bits = words.contiguous().view(torch.uint8).unsqueeze(-1) & powers
    forbidden = (bits == 0).flatten(1)[:, : grid.shape[1]]
    forbidden = torch.nn.functional.pad(forbidden, (0, grid.shape[1] - forbidden.shape[1]), value=True)
    if rows is not None:
        forbidden = forbidden & _to_device(_flags(rows, len(grid)), logits.device)
    grid.masked_fill_(forbidden, -torch.inf)


def _flags(rows: Sequence[int], count: int) -> torch.Tensor:
    """A column that is true in ``rows``."""
    flags = torch.zeros((count, 1), dtype=torch.bool)
    flags[known_rows(rows, count)] = True
    return flags


def _to_device(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A copy that the host does not wait for; pinned memory is kept by torch until the device has read it."""
    if device.type == "cuda" and tensor.device.type == "cpu":
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)


def _on_host(mask: Any) -> Any:
    return mask.cpu() if isinstance(mask, torch.Tensor) else mask
