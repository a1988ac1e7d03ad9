"""Measuring the fields of a given text, one call of the model at a time, so that others can be served in between.

::

    scoring = model.make_field_scoring(model.make_task(prompt, constraint, limits), "yes")
    while not scoring.is_over:
        scoring.step()
    scoring.fields[""].value                     # 'yes'
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from formwright.generation.fields.evidence import Evidence
from formwright.generation.fields.field import Field
from formwright.generation.fields.measuring import Measured, Measuring
from formwright.generation.result import Complete

__all__ = ["FieldScoring"]


class FieldScoring:
    """The fields of a text as an answer to a prompt, as far as they are measured.

    Args:
        make_measuring: Asks the model for what it says after the prompt.
        text: The text.
        value: What it spells.
        token_ids: Its tokens.
        prompt_tokens: How many tokens the prompt has.
    """

    def __init__(
        self,
        make_measuring: Callable[[], Measuring],
        text: str,
        value: Any,
        token_ids: list[int],
        prompt_tokens: int,
    ) -> None:
        self._started = time.perf_counter()
        self._make_measuring, self._token_ids = make_measuring, token_ids
        self._text, self._value, self._prompt_tokens = text, value, prompt_tokens
        self._steps: Iterator[Measured | None] | None = None
        self.fields: dict[str, Field] = {}
        self.calls = self.scored_tokens = 0
        self.is_over = False

    @property
    def is_begun(self) -> bool:
        """Whether the model was asked."""
        return self.calls > 0

    def step(self) -> None:
        """Ask the model once at most: for the prompt, for the text, then for other values of each field."""
        self.calls += 1
        if self._steps is None:
            self._steps = self._make_measuring().measure_in_steps(self._token_ids)
            return
        try:
            measured = next(self._steps)
        except StopIteration:
            self.is_over, self.scored_tokens = True, len(self._token_ids)
            return
        if measured is not None:
            self.fields[measured.place.pointer] = measured.field

    @property
    def result(self) -> Complete[Any] | None:
        """The text, of which nothing was written; ``None`` while a field is not measured."""
        if not self.is_over:
            return None
        return Complete(
            value=self._value,
            text=self._text,
            token_ids=(),
            prompt_tokens=self._prompt_tokens,
            model_calls=self.calls,
            forced_tokens=0,
            seconds=time.perf_counter() - self._started,
            evidence=Evidence.of(self.fields),
        )
