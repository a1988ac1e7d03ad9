"""The options of the verbs of a local model, written once for all signatures.

The docstring of `formwright.models.LocalModel.generate` describes each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

from formwright.forms.coerce import Canonical

__all__ = [
    "OF_REMOTE_MODELS",
    "BeginOptions",
    "CutGenerateOptions",
    "CutManyOptions",
    "CutStreamOptions",
    "Fidelity",
    "GenerateManyOptions",
    "GenerateOptions",
    "ObserveOptions",
    "StreamOptions",
    "UncutGenerateOptions",
    "UncutManyOptions",
    "UncutStreamOptions",
]

Fidelity: TypeAlias = Literal["mask", "exact", "smc", "adaptive"]
"""Whose distribution is sampled: what masks make of the model's, or the model's own over the conforming texts."""

OF_REMOTE_MODELS = ("mode", "token_budget", "time_budget", "concurrency")
"""Options of models behind an API."""


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
    source: str | None


class GenerateOptions(StreamOptions, total=False):
    """Options of `LocalModel.generate`."""

    beams: int
    returns: int
    fidelity: Fidelity
    particles: int | None
    max_calls: int | None
    fields: bool
    calibration: str | os.PathLike[str] | None
    abstain: float | None
    max_retries: Any


class GenerateManyOptions(GenerateOptions, total=False):
    """Options of `LocalModel.generate_many`."""

    batch_size: int
    progress: bool | None


class UncutOptions(TypedDict, total=False):
    """The options that may cut a text, with the values that do not."""

    finish: Literal[True]
    stop: None
    cancel: None


class CutOptions(TypedDict, total=False):
    """The options that may cut a text."""

    finish: bool
    stop: str | Sequence[str] | None
    cancel: Callable[[], bool] | None


class UncutStreamOptions(StreamOptions, UncutOptions, total=False):
    """Options of `LocalModel.stream` for a text that is complete."""


class CutStreamOptions(StreamOptions, CutOptions, total=False):
    """Options of `LocalModel.stream` for a text that may be cut."""


class UncutGenerateOptions(GenerateOptions, UncutOptions, total=False):
    """Options of `LocalModel.generate` for a text that is complete."""


class CutGenerateOptions(GenerateOptions, CutOptions, total=False):
    """Options of `LocalModel.generate` for a text that may be cut."""


class UncutManyOptions(GenerateManyOptions, UncutOptions, total=False):
    """Options of `LocalModel.generate_many` for texts that are complete."""


class CutManyOptions(GenerateManyOptions, CutOptions, total=False):
    """Options of `LocalModel.generate_many` for texts that may be cut."""
