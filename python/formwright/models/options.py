"""The options of `generate`, `stream` and `generate_many`, once for all signatures.

The docstring of `formwright.models.LocalModel.generate` describes each.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

from formwright.forms.coerce import Canonical

__all__ = ["BeginOptions", "Fidelity", "ManyOptions", "ObserveOptions", "Options", "StreamOptions"]

Fidelity: TypeAlias = Literal["mask", "exact", "smc"]
"""Whose distribution is drawn from: what masks make of the model's, or the model's own over the conforming texts."""


class BeginOptions(TypedDict, total=False):
    """Options of `LocalModel.begin`."""

    max_tokens: int
    temperature: float | None
    top_k: int | None
    top_p: float
    min_p: float
    seed: int | None


class ObserveOptions(BeginOptions, total=False):
    """Options of `LocalModel.observe`."""

    repetition_penalty: float
    min_tokens: int
    canonical: Canonical | None
    instruct: bool | str


class StreamOptions(ObserveOptions, total=False):
    """Options of `LocalModel.stream`."""

    heal: bool
    context: Any
    trace: bool


class Options(StreamOptions, total=False):
    """Options of `LocalModel.generate`."""

    beams: int
    returns: int
    fidelity: Fidelity
    particles: int
    max_retries: Any


class ManyOptions(Options, total=False):
    """Options of `LocalModel.generate_many`."""

    batch_size: int
    progress: bool | None
