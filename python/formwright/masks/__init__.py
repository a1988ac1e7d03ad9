"""Which tokens may come next, as bits: arrays of them, and what they do to logits."""

from __future__ import annotations

from formwright.masks.arrays import allocate_bitmask, allowed_tokens, apply_bitmask

__all__ = ["allocate_bitmask", "allowed_tokens", "apply_bitmask"]
