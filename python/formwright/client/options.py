"""The options of `generate`, `stream` and `generate_many` of a model behind an API, once for all signatures.

What each means is written in the docstring of `formwright.client.RemoteModel.generate`.
"""

from __future__ import annotations

from typing import Any, TypedDict

from formwright.generation.result import Mode

__all__ = ["ManyOptions", "Options"]


class Options(TypedDict, total=False):
    """What one text has as options, whole or piece by piece."""

    max_tokens: int | None
    temperature: float | None
    top_k: int | None
    top_p: float
    seed: int | None
    mode: Mode | str | None
    instruct: bool | str
    context: Any
    max_retries: Any
    token_budget: int | None
    time_budget: float | None


class ManyOptions(Options, total=False):
    """What many texts have as options."""

    concurrency: int
    progress: bool | None
