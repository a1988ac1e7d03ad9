"""One text under way, and many: what happens at a token, and what comes out.

`writing` is one text; `loop` asks a model for it token by token, `batch` asks for many at a time, `items` gives the
items of an array as they come. `sampler` chooses among the allowed tokens; `strategies` look at several texts;
`held_text` turns bytes into text; `trace` tells what the form did to the model; `fields` how likely each value is;
`result` is what comes out; `spans` tell OpenTelemetry of it. None of it knows where the model comes from; see
`formwright.models`.
"""

from __future__ import annotations

from formwright.generation.batch import Batch, Engine, Separate
from formwright.generation.fields.field import Field
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
    "Field",
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
