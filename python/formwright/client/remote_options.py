"""The options of `generate`, `stream` and `generate_many` of a remote model, once for all signatures.

The docstring of `formwright.client.RemoteModel.generate` describes each.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypedDict

from formwright.generation.result import Mode

__all__ = ["DEFAULTS", "OF_LOCAL_MODELS", "OF_ONE_ANSWER", "OF_SAMPLING", "ManyRemoteOptions", "RemoteOptions"]


DEFAULTS: Mapping[str, Any] = {
    "max_tokens": None,
    "temperature": None,
    "top_k": None,
    "top_p": 1.0,
    "seed": None,
    "finish": True,
    "stop": None,
    "cancel": None,
    "mode": None,
    "instruct": False,
    "source": None,
    "fields": False,
    "calibration": None,
    "max_retries": 0,
    "context": None,
    "token_budget": None,
    "time_budget": None,
    "concurrency": 8,
    "progress": None,
}
"""The defaults of the options."""

OF_SAMPLING = ("min_p", "repetition_penalty", "min_tokens")
OF_LOCAL_MODELS = (
    "canonical",
    "heal",
    "beams",
    "returns",
    "fidelity",
    "particles",
    "max_calls",
    "abstain",
    "trace",
    "batch_size",
    *OF_SAMPLING,
)
"""Options of models whose tokens are chosen here; some services read those of sampling as fields of the request."""

OF_ONE_ANSWER = tuple(name for name in DEFAULTS if name not in ("concurrency", "progress"))
"""Options of one answer."""


class RemoteOptions(TypedDict, total=False):
    """Options of `RemoteModel.generate` and `stream`."""

    max_tokens: int | None
    temperature: float | None
    top_k: int | None
    top_p: float
    seed: int | None
    mode: Mode | str | None
    instruct: bool | str
    source: str | None
    fields: bool
    calibration: str | os.PathLike[str] | None
    context: Any
    max_retries: Any
    token_budget: int | None
    time_budget: float | None


class ManyRemoteOptions(RemoteOptions, total=False):
    """Options of `RemoteModel.generate_many`."""

    concurrency: int
    progress: bool | None
