"""The options of `generate`, `stream` and `generate_many`, once for all signatures.

What each means is written in the docstring of `formwright.models.LocalModel.generate`.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

from formwright.forms.coerce import Canonical

__all__ = ["Fidelity", "ManyOptions", "Options", "StreamOptions"]

Fidelity: TypeAlias = Literal["mask", "exact", "smc"]
"""Whose distribution is drawn from: what masks make of the model's, or the model's own over the texts in form."""


class StreamOptions(TypedDict, total=False):
    """What one text has as options, token by token."""

    max_tokens: int
    temperature: float | None
    top_k: int | None
    top_p: float
    min_p: float
    repetition_penalty: float
    min_tokens: int
    seed: int | None
    canonical: Canonical | None
    heal: bool
    instruct: bool | str
    context: Any
    trace: bool


class Options(StreamOptions, total=False):
    """What one text has as options."""

    beams: int
    returns: int
    fidelity: Fidelity
    particles: int
    max_retries: Any


class ManyOptions(Options, total=False):
    """What many texts have as options."""

    batch_size: int
    progress: bool | None
