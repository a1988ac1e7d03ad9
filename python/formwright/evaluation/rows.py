"""The rows of a store of answers, as types.

::

    cost: AnswerCost = {
        "tokens": 12, "prompt_tokens": 80, "model_calls": 12, "forced_tokens": 3, "is_cut": False
    }
    cost["tokens"]                        # 12

A row is written once, and a report reads nothing else. So whoever adds a member here adds it in
`formwright.evaluation.runs`, and decides what older rows without it mean.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

__all__ = ["AnswerCost", "AnswerRow", "AskedQuestion", "JudgedAnswer", "KeptTrace", "TraceSummary"]


class AskedQuestion(TypedDict):
    """What was asked, and how.

    Attributes:
        task: The name of the task.
        language: The language of the prompt.
        arm: The name of the arm.
        wording: The number of the wording.
        shots: The number of examples in the prompt.
        seed: The number of the draw.
        question: The id of the question.
        asked: Its text.
        expected: Its right answer.
        prompt: The complete prompt.
        unfair: The switches that make the comparison unfair.
        digest: Identifies everything that the answer depends on, except the model.
    """

    task: str
    language: str
    arm: str
    wording: int
    shots: int
    seed: int
    question: str
    asked: str
    expected: Any
    prompt: str
    unfair: list[str]
    digest: str


class JudgedAnswer(TypedDict):
    """What was written, what was read in it, and whether that is right.

    Attributes:
        text: What the model wrote.
        answer: The answer in it; ``None`` if it has none.
        is_readable: Whether it has one.
        is_right: Whether the answer is right.
        fields_right: Whether each field is right, for answers with fields.
    """

    text: str
    answer: Any
    is_readable: bool
    is_right: bool
    fields_right: dict[str, bool]


class AnswerCost(TypedDict):
    """What an answer cost; ``None`` is unknown, as for an answer that failed.

    Attributes:
        tokens: The number of tokens.
        prompt_tokens: The number of tokens of the prompt.
        model_calls: The number of calls of the model.
        forced_tokens: The number of tokens without an alternative.
        is_cut: Whether the answer reached the limit of tokens.
    """

    tokens: int | None
    prompt_tokens: int | None
    model_calls: int | None
    forced_tokens: int | None
    is_cut: bool


class KeptTrace(TypedDict):
    """A trace in a row, with bytes as hexadecimal digits."""

    rows: list[dict[str, Any]]
    text: str
    is_json: bool


class TraceSummary(TypedDict, total=False):
    """What a row has of a trace, where traces were requested.

    Attributes:
        allowed_mass: The mean probability of the allowed tokens.
        trace: The complete trace, for a few answers.
    """

    allowed_mass: float
    trace: KeptTrace


class AnswerRow(AskedQuestion, JudgedAnswer, AnswerCost):
    """One answer of one model.

    Attributes:
        id: Identifies the row in its store.
        model: The name of the model.
        seconds: The share of the answer in the time of its batch.
        enforced: Who enforced the form, as in `Complete.enforced`; ``None`` for an answer that failed.
        error: The error of an answer that failed.
        allowed_mass: See `TraceSummary`.
        trace: See `TraceSummary`.
    """

    id: str
    model: str
    seconds: float
    enforced: str | None
    error: str | None
    allowed_mass: NotRequired[float]
    trace: NotRequired[KeptTrace]
