"""Generating: the decode loop, the sampler, the results.

`loop` turns a runtime, a constraint and a prompt into a stream of tokens; `held` makes
their bytes text; `sampler` chooses among allowed tokens; `result` is what comes out.
None of it knows where the model comes from; see `formwright.models`.
"""

from __future__ import annotations

from formwright.generation.held import Piece
from formwright.generation.loop import MAX_TOKENS, Runtime, Stream, generate
from formwright.generation.result import Complete, Reason, Result, Truncated
from formwright.generation.sampler import Sampler

__all__ = [
    "MAX_TOKENS",
    "Complete",
    "Piece",
    "Reason",
    "Result",
    "Runtime",
    "Sampler",
    "Stream",
    "Truncated",
    "generate",
]
