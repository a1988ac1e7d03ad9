"""Any model of ours, and the options that it has.

::

    check_options(model, {"max_tokens": 60})             # {'max_tokens': 60}

GenerateOptions are those of the model's `generate`, under the same names, and ``time_budget``, in seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from formwright.errors import ArgumentError, LimitExceeded, OptionUnsupported
from formwright.models import LocalModel, load
from formwright.models.options import GenerateOptions, StreamOptions

__all__ = ["Model", "check_options", "check_seconds", "is_local", "make_deadline", "model_of"]

Model: TypeAlias = Any
"""A `LocalModel`, a `RemoteModel` or an `AsyncRemoteModel`."""

_CUTS = frozenset({"finish", "stop", "cancel"})
_HERE = frozenset(GenerateOptions.__annotations__) | frozenset(StreamOptions.__annotations__) | _CUTS | {"time_budget"}
_THERE = frozenset({"max_tokens", "temperature", "top_k", "top_p", "seed", "mode", "instruct", "context"}) | _CUTS
_THERE |= {"max_retries", "token_budget", "time_budget"}
_WHOLE = frozenset({"beams", "returns", "fidelity", "particles", "max_retries", "token_budget"})
"""GenerateOptions that a stream of a model which runs here does not have."""


def is_local(model: Model) -> bool:
    """Whether a model runs here."""
    return isinstance(model, LocalModel)


def model_of(model: Any) -> Model:
    """A model, or the one of a name as `formwright.load` takes it.

    Raises:
        ArgumentError: It is not a model.
        UnknownModel, MissingDependency: As `formwright.load`.
    """
    if isinstance(model, str | Path):
        return load(model)
    if is_local(model):
        return model
    from formwright.client import AsyncRemoteModel, RemoteModel

    if isinstance(model, RemoteModel | AsyncRemoteModel):
        return model
    raise ArgumentError(
        f"model is {type(model).__name__}, not a model of formwright",
        hint="pass fw.load(...), fw.from_...(...), fw.connect(...), or a name as fw.load takes it",
        argument="model",
    )


def check_options(model: Model, options: Mapping[str, Any], *, is_stream: bool = False) -> dict[str, Any]:
    """The options that are given, if the model has them.

    Raises:
        ArgumentError: No model has an option of this name.
        OptionUnsupported: This model does not have it, or a stream does not.
    """
    known = _HERE if is_local(model) else _THERE
    hint = f"there are {', '.join(sorted(known))}"
    for name in options:
        if name not in _HERE | _THERE:
            raise ArgumentError(f"there is no option {name!r}", hint=hint, argument=name)
        if name not in known:
            raise OptionUnsupported(f"{name}= does not go with {model.name}", hint=hint, argument=name)
        if is_stream and name in _WHOLE and is_local(model):
            raise OptionUnsupported(
                f"{name}= does not go with a stream: what was shown cannot be taken back",
                hint="ask for the whole answer",
                argument=name,
            )
    check_seconds(options.get("time_budget"), "time_budget")
    return dict(options)


def check_seconds(seconds: Any, argument: str) -> None:
    """Refuse what is not a positive number of seconds; ``None`` is not a limit. Raises ArgumentError."""
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if seconds is not None and not (is_number and seconds > 0):
        raise ArgumentError(f"{argument}= is a positive number of seconds, not {seconds!r}", argument=argument)


def make_deadline(seconds: float, is_cut: Callable[[], bool] | None) -> Callable[[], bool]:
    """What a model that runs here asks before every token; raises LimitExceeded once the seconds are over."""
    ends = time.monotonic() + seconds

    def is_over() -> bool:
        if time.monotonic() > ends:
            raise LimitExceeded(f"time_budget allows {seconds:g} seconds, and they are over", limit="time_budget")
        return is_cut is not None and is_cut()

    return is_over
