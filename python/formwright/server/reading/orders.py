"""Orders: the texts that a request asks for, ready to be written.

::

    spec = PromptSpec(Offered(), lambda: [3, 17, 4], "prompt")
    spec.text                            # None: the prompt is token ids
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from formwright.generation import Writing
from formwright.generation.fields import FieldScoring
from formwright.generation.strategies.scoring import PromptScoring, Scoring
from formwright.models.writing_tasks import WritingTask
from formwright.server.reading.requests import Body
from formwright.server.reading.shapes import CompiledShape
from formwright.server.writing.echo import Echo
from formwright.tools.offered import Offered

__all__ = ["Order", "PromptSpec", "TokenCounts", "sum_tokens"]


@dataclass(frozen=True, slots=True)
class PromptSpec:
    """One prompt of a request, as its endpoint spells it.

    Attributes:
        offered: The tools.
        encode_prompt: Checks the length of the prompt and returns its tokens. Raises BadRequest.
        field: The field that holds the prompt.
        text: The prompt, if it is a text that the model continues.
    """

    offered: Offered
    encode_prompt: Callable[[], list[int]]
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
    writings: Sequence[Writing | Scoring | FieldScoring]
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
