"""The bits that say which tokens may come next, and what they do to logits."""

from __future__ import annotations

from formwright.masks.arrays import allocate_bitmask, allowed_tokens, apply_bitmask

__all__ = ["allocate_bitmask", "allowed_tokens", "apply_bitmask"]
