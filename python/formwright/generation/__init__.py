"""Generating: what happens at one token, for one text and for many, and what comes out.

`writing` is one text under way; `loop` asks a model for it, `batch` for many at a time, `items` for the items of an
array; `asynchronous` waits for it in an event loop. `sampler`
chooses among allowed tokens, `beams` follows the best texts, `fidelity` draws from the model's own
distribution. `held` makes bytes text; `trace` and its pictures tell what the form did to the model;
`result` is what comes out. None of it knows where the model comes from; see `formwright.models`.
"""

from __future__ import annotations

from formwright.generation.batch import Batch, Engine, Separate
from formwright.generation.held_text import Piece
from formwright.generation.items import Items
from formwright.generation.loop import Runtime, Stream, generate
from formwright.generation.result import Complete, Failed, Observed, Particles, Reason, Result, Truncated
from formwright.generation.sampler import Sampler
from formwright.generation.strategies.beams import beam_search
from formwright.generation.strategies.fidelity import draw_by_particles, draw_exactly
from formwright.generation.trace.recorder import Trace
from formwright.generation.writing import MAX_TOKENS, Limits, Writing

__all__ = [
    "MAX_TOKENS",
    "Batch",
    "Complete",
    "Engine",
    "Failed",
    "Items",
    "Limits",
    "Observed",
    "Particles",
    "Piece",
    "Reason",
    "Result",
    "Runtime",
    "Sampler",
    "Separate",
    "Stream",
    "Trace",
    "Truncated",
    "Writing",
    "beam_search",
    "draw_by_particles",
    "draw_exactly",
    "generate",
]
