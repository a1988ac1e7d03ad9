"""Find any model of formwright, and check the options that it has.

::

    check_options(model, {"max_tokens": 60})             # {'max_tokens': 60}

Options are those of the model's `generate`, under the same names, and ``time_budget``, in seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from formwright.errors import ArgumentError, LimitExceeded, OptionUnsupported
from formwright.models import LocalModel, load
from formwright.models.options import GenerateOptions, StreamOptions

__all__ = ["Model", "check_options", "check_seconds", "find_model", "is_local", "make_deadline"]

Model: TypeAlias = Any
"""A `LocalModel`, a `RemoteModel` or an `AsyncRemoteModel`."""

_CUTS = frozenset({"finish", "stop", "cancel"})
_LOCAL = frozenset(GenerateOptions.__annotations__) | frozenset(StreamOptions.__annotations__) | _CUTS | {"time_budget"}
_REMOTE = (
    frozenset(
        {
            "max_tokens",
            "temperature",
            "top_k",
            "top_p",
            "seed",
            "mode",
            "instruct",
            "source",
            "fields",
            "calibration",
            "context",
        }
    )
    | _CUTS
)
_REMOTE |= {"max_retries", "token_budget", "time_budget"}
_NOT_STREAMED = frozenset(
    {
        "beams",
        "returns",
        "fidelity",
        "particles",
        "max_calls",
        "fields",
        "abstain",
        "calibration",
        "max_retries",
        "token_budget",
    }
)
"""Options that a stream of a model that runs here does not have."""


def is_local(model: Model) -> bool:
    """Whether a model runs here."""
    return isinstance(model, LocalModel)


def find_model(model: Any) -> Model:
    """Return a model, or load the one of a name as `formwright.load` takes it.

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
        f"expected a model of formwright, got {type(model).__name__}",
        hint="pass fw.load(...), fw.from_...(...), fw.connect(...), or a name as fw.load takes it",
        argument="model",
    )


def check_options(model: Model, options: Mapping[str, Any], *, is_stream: bool = False) -> dict[str, Any]:
    """Return the given options, if the model has them.

    Raises:
        ArgumentError: No model has an option of this name.
        OptionUnsupported: This model does not have it, or a stream does not.
    """
    known = _LOCAL if is_local(model) else _REMOTE
    hint = f"there are {', '.join(sorted(known))}"
    for name in options:
        if name not in _LOCAL | _REMOTE:
            raise ArgumentError(f"there is no option {name!r}", hint=hint, argument=name)
        if name not in known:
            raise OptionUnsupported(f"{model.name} has no option {name!r}", hint=hint, argument=name)
        if is_stream and name in _NOT_STREAMED and is_local(model):
            raise OptionUnsupported(
                f"{name}= cannot be combined with a stream: what was shown cannot be taken back",
                hint="leave it out, or request the complete answer instead of a stream",
                argument=name,
            )
    check_seconds(options.get("time_budget"), "time_budget")
    return dict(options)


def check_seconds(seconds: Any, argument: str) -> None:
    """Refuse what is not a positive number of seconds; ``None`` sets no limit. Raises ArgumentError."""
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if seconds is not None and not (is_number and seconds > 0):
        raise ArgumentError(f"{argument}: expected a positive number of seconds, got {seconds!r}", argument=argument)


def make_deadline(seconds: float, is_cut: Callable[[], bool] | None) -> Callable[[], bool]:
    """Make the ``cancel`` of a model that runs here: it raises LimitExceeded once the seconds are over."""
    ends = time.monotonic() + seconds

    def is_over() -> bool:
        if time.monotonic() > ends:
            raise LimitExceeded(f"the time_budget of {seconds:g} seconds is used up", limit="time_budget")
        return is_cut is not None and is_cut()

    return is_over
