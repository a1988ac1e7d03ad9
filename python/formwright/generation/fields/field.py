"""A value inside a result, with the evidence for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self, TypeAlias

__all__ = ["Basis", "Field", "OtherValue"]

Basis: TypeAlias = Literal["exact", "particles", "logprobs"]
"""Where a probability comes from."""


class OtherValue(NamedTuple):
    """Another value that the form allows at the place of a field.

    Attributes:
        value: The value.
        probability: How likely it is there, on the basis of the field.
    """

    value: Any
    probability: float


@dataclass(frozen=True, slots=True)
class Field:
    """A value inside a result, with the evidence for it.

    The probability is that of the value among all values that the form allows at this place, given the prompt and the
    text before it, and each value counts by the tokens that the tokenizer itself writes for it. `basis` says how it is
    known:

    * ``"exact"``: the values were counted, up to one part in five million. Where the form has at most 1,000 texts, what
      follows the value counts too: the probabilities are those of `LocalModel.score`, summed over the texts that have
      the value.
    * ``"particles"``: an estimate from weighted samples of the values.
    * ``"logprobs"``: a lower bound, from the probabilities of the tokens that were written.

    Attributes:
        value: The value, as JSON has it; of a form that is not JSON, its text.
        text: What was written for it.
        span: Where the value, a text or a number, is found in ``source``: where it begins and ends, in characters, the
            first such place. ``None`` if there is no source or it does not contain the value.
        probability: The probability, from 0 to 1; with ``calibration``, how often such a value is right.
        basis: How the probability is known.
        alternatives: The next likeliest values, best first, as far as known. With ``abstain``, a value that was
            replaced comes first.
    """

    value: Any
    text: str
    span: tuple[int, int] | None
    probability: float
    basis: Basis
    alternatives: tuple[OtherValue, ...] = ()

    @classmethod
    def at(
        cls,
        value: Any,
        text: str,
        source: str | None,
        probability: float,
        basis: Basis,
        alternatives: tuple[OtherValue, ...] = (),
    ) -> Self:
        """The field with this value, whose span is looked for in ``source``."""
        return cls(value, text, _find_span(value, text, source), probability, basis, alternatives)

    def describe(self) -> dict[str, Any]:
        """The field as an object of JSON."""
        members = {name: getattr(self, name) for name in ("value", "text", "span", "probability", "basis")}
        return {**members, "alternatives": [other._asdict() for other in self.alternatives]}


def _find_span(value: object, text: str, source: str | None) -> tuple[int, int] | None:
    """Where a source has a text, or a number that is not a part of a longer one; the first such place."""
    if source is None or value is None or value == "" or isinstance(value, bool):
        return None
    sought = re.escape(value) if isinstance(value, str) else rf"(?<![\w.]){re.escape(text)}(?!\w|\.\d)"
    found = re.search(sought, source)
    return found.span() if found else None
