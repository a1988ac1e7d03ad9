"""Generating: the decode loop, the sampler, the results.

`loop` turns a runtime, a constraint and a prompt into a stream of tokens; `sampler`
chooses among allowed tokens; `result` is what comes out. None of it knows where the
model comes from; see `formwright.models`.
"""

from __future__ import annotations

from formwright.generation.loop import Piece, Runtime, generate, stream
from formwright.generation.result import Complete, Result, Truncated
from formwright.generation.sampler import Sampler

__all__ = ["Complete", "Piece", "Result", "Runtime", "Sampler", "Truncated", "generate", "stream"]
