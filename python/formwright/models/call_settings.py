"""The options of one call of a verb, as values: how to choose tokens, where to end the text, and the rest.

::

    from formwright.models.options import GenerateOptions

    settings = CallSettings.of(GenerateOptions, {"temperature": 0.7, "seed": 1})
    settings.sampling.temperature        # 0.7
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

from formwright._options import check_names
from formwright.errors import ArgumentError, OptionUnsupported
from formwright.forms.coerce import Canonical
from formwright.generation.fields.calibration import read_calibration
from formwright.generation.sampler import is_real
from formwright.generation.writing import MAX_TOKENS, Limits
from formwright.models.options import OF_REMOTE_MODELS, Fidelity, GenerateOptions
from formwright.models.writing_tasks import Sampling, Strategy

__all__ = ["DEFAULTS", "CallSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSettings:
    """All options of `formwright.models.LocalModel.generate_many`, of which the other verbs have some."""

    max_tokens: int = MAX_TOKENS
    temperature: float | None = None
    top_k: int | None = None
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    min_tokens: int = 0
    seed: int | None = None
    finish: bool = True
    stop: str | Sequence[str] | None = None
    cancel: Callable[[], bool] | None = None
    canonical: Canonical | None = None
    heal: bool = False
    instruct: bool | str = False
    beams: int = 1
    returns: int = 1
    fidelity: Fidelity = "mask"
    particles: int | None = None
    max_calls: int | None = None
    fields: bool = False
    abstain: float | None = None
    source: str | None = None
    calibration: str | os.PathLike[str] | None = None
    trace: bool = False
    max_retries: Any = 0
    context: Any = None
    batch_size: int = 64
    progress: bool | None = None

    @classmethod
    def of(cls, known: type, options: Mapping[str, Any], **fixed: Any) -> Self:
        """Read the options that a caller gave.

        Args:
            known: The ``TypedDict`` of the options that the verb takes.
            options: Names and values.
            fixed: Values that the verb itself sets.

        Raises:
            OptionUnsupported: Only remote models have the option, or only other verbs.
            UnknownOption: The verb has no option of this name.
        """
        for name in options:
            if name in OF_REMOTE_MODELS:
                raise _make_unsupported_error(name)
            if name in DEFAULTS and name not in known.__annotations__:
                raise _make_misplaced_error(name)
        check_names(options, known.__annotations__)
        return cls(**options, **fixed)

    @property
    def sampling(self) -> Sampling:
        """How tokens are chosen."""
        return Sampling(
            temperature=self.temperature,
            top_k=self.top_k,
            top_p=self.top_p,
            min_p=self.min_p,
            repetition_penalty=self.repetition_penalty,
            min_tokens=self.min_tokens,
            seed=self.seed,
        )

    @property
    def strategy(self) -> Strategy:
        """How the text is chosen. Raises ArgumentError."""
        return Strategy(self.beams, self.returns, self.fidelity, self.particles, self.max_calls)

    @property
    def measures_fields(self) -> bool:
        """Whether the fields of the text are measured at once."""
        is_asked = self.fields or self.abstain is not None or self.calibration is not None
        return is_asked or (self.particles is not None and self.fidelity != "smc")

    def check_fields(self) -> None:
        """Refuse options of fields that cannot be, before anything is written. Raises ArgumentError."""
        read_calibration(self.calibration)
        if self.abstain is None:
            return
        if not is_real(self.abstain) or isinstance(self.abstain, bool) or not 0 < self.abstain <= 1:
            raise ArgumentError(
                f"abstain: expected a probability above 0 and at most 1, got {self.abstain!r}", argument="abstain"
            )
        if not self.strategy.is_plain:
            raise ArgumentError(
                "abstain= cannot be combined with beams= or fidelity=: it decides while one text is written",
                argument="abstain",
            )

    @property
    def limits(self) -> Limits:
        """Where the text ends. Raises ArgumentError."""
        return Limits(max_tokens=self.max_tokens, finish=self.finish, stop=self.stop, cancel=self.cancel)


def _make_unsupported_error(name: str) -> OptionUnsupported:
    return OptionUnsupported(
        f"a model in your process does not support {name}=",
        hint=f"models behind an API, such as fw.connect(...), have {name}",
        argument=name,
    )


def _make_misplaced_error(name: str) -> OptionUnsupported:
    verb = "generate" if name in GenerateOptions.__annotations__ else "generate_many"
    return OptionUnsupported(f"this call does not support {name}=", hint=f"`{verb}` has {name}", argument=name)


DEFAULTS: Mapping[str, Any] = {field.name: field.default for field in fields(CallSettings)}
"""The value of each option that is not given."""
