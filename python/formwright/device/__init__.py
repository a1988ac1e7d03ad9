"""Masks and choices on a device: no upload and no wait in the loop.

::

    from formwright.device import Decoder, apply

    apply(logits, masks)                   # forbidden logits become minus infinity, in place
    tables = constraint.device_tables()    # a form with finitely many states; None for others
    decoder = Decoder(tables, rows=batch, width=logits.shape[1], device=logits.device)
    token_ids = decoder.take(logits)       # the best allowed token of each row, and a step of its form

``apply`` takes masks that matchers filled; `Upload` brings these to the device while the model runs. With tables,
matchers are not needed at all: the states of the texts live on the device, and forward and choice are one CUDA graph.

On a CUDA device these are Triton kernels, elsewhere operations of torch with the same results. Tables are numpy arrays;
torch is loaded when something else is asked for: ``pip install "formwright[device]"``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from formwright.device.device_tables import DeviceTables

if TYPE_CHECKING:
    from formwright.device.torch_decoder import Decoder
    from formwright.device.torch_masks import Upload, apply

__all__ = ["Decoder", "DeviceTables", "Upload", "apply"]

_LAZY = {
    "Decoder": "formwright.device.torch_decoder",
    "Upload": "formwright.device.torch_masks",
    "apply": "formwright.device.torch_masks",
}


def __getattr__(name: str) -> Any:
    """Load torch when it is first needed."""
    if name not in _LAZY:
        raise AttributeError(f"module 'formwright.device' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
