"""Orders: what a request has written, and the stamp that says who enforced what.

::

    spec = PromptSpec(Offered(), lambda: [3, 17, 4], "prompt")
    spec.text                            # None: the prompt is token ids
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

from formwright.generation import Complete, Writing
from formwright.generation.strategies.scoring import PromptScoring, Scoring
from formwright.models.writing_tasks import WritingTask
from formwright.server.reading.requests import Body
from formwright.server.reading.shapes import CompiledShape
from formwright.server.writing.echo import Echo
from formwright.server.writing.events import Done
from formwright.tools.offered import Offered

__all__ = ["Order", "PromptSpec", "TokenCounts", "sum_tokens"]


@dataclass(frozen=True, slots=True)
class PromptSpec:
    """One prompt of a request, as its endpoint spells it.

    Attributes:
        offered: The tools.
        prompt: Returns the tokens of the prompt.
        field: The field that holds the prompt.
        text: The prompt, if it is a text that the model continues.
    """

    offered: Offered
    prompt: Callable[[], list[int]]
    field: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """One prompt of a request, and the texts to write after it.

    Attributes:
        body: The request.
        compiled: Its form.
        task: The prompt, the budget, and the form after the prompt.
        writings: The texts to write, none of them begun, or those to score.
        echo: The prompt, if the answer repeats it.
    """

    body: Body
    compiled: CompiledShape
    task: WritingTask
    writings: Sequence[Writing | Scoring]
    echo: Echo | None = None

    @property
    def has_open_thought(self) -> bool:
        """Whether the prompt has opened the thought already."""
        return self.task.constraint is not self.compiled.constraint

    @property
    def prompt_scoring(self) -> PromptScoring | None:
        """What scores the tokens of the prompt, if the client requests that."""
        return None if self.echo is None else self.echo.scoring

    @property
    def prompt_tokens(self) -> int:
        """How many tokens the prompt has."""
        return len(self.task.prompt_ids)

    def make_stamp(self, ends: Sequence[Done]) -> dict[str, Any] | None:
        """Make the stamp: who enforced what, with notes; ``None`` for free text without notes."""
        shape = self.compiled.shape
        notes = [*shape.notes, *self.body.notes, *self._list_notes(ends)]
        noted: dict[str, Any] = {"notes": notes} if notes else {}
        if shape.offered.is_text and not shape.offered.tools:
            return noted or None
        results = [end.result for end in ends]
        stamp: dict[str, Any] = {
            "enforced": "kernel",
            "form": self.compiled.digest,
            "complete": all(isinstance(end.result, Complete) and end.reason != "length" for end in ends),
            "tokens": {
                "written": sum(len(result.token_ids) for result in results),
                "forced": sum(result.forced_tokens for result in results),
            },
            "model_calls": sum(result.model_calls for result in results),
        }
        if isinstance(scoring := self.writings[0], Scoring):
            stamp["scores"] = {text: score if isfinite(score) else None for text, score in scoring.scores.items()}
        return stamp | noted

    def _list_notes(self, ends: Sequence[Done]) -> Iterator[str]:
        """List what the client should know about its answer."""
        if any(len(end.result.token_ids) < self.body.min_tokens for end in ends):
            yield "min_tokens: a text has fewer tokens, because its form allows no more or a stop text has cut it"
        if self.body.stop_texts and not self.compiled.shape.has_free_text:
            yield "stop has no effect: the answer has no free text"
        thought, budget = self.compiled.shape.thought_tokens, int(self.task.limits.max_tokens)
        if budget <= thought:
            yield f"the thought may take {thought} tokens and the answer has {budget} with it, so it may be cut short"


class TokenCounts(NamedTuple):
    """The tokens of a request: those of the prompts whose texts have begun, and those of the texts."""

    prompt: int
    written: int
    forced: int
    scored: int


def sum_tokens(orders: Sequence[Order]) -> TokenCounts:
    """Sum the tokens of a request that is over or was abandoned."""
    by_order = [[*order.writings, *filter(None, [order.prompt_scoring])] for order in orders]
    all_ = [each for texts in by_order for each in texts]
    writings = [each for each in all_ if isinstance(each, Writing)]
    scorings = [each for each in all_ if not isinstance(each, Writing)]
    begun = [order for order, texts in zip(orders, by_order, strict=True) if any(each.is_begun for each in texts)]
    return TokenCounts(
        prompt=sum(order.prompt_tokens for order in begun),
        written=sum(len(writing.token_ids) for writing in writings),
        forced=sum(writing.forced_tokens for writing in writings),
        scored=sum(scoring.scored_tokens for scoring in scorings),
    )
