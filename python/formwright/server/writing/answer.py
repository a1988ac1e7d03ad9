"""One text of an answer, gathered from its events: text, thought, calls, and the numbers that all protocols send.

::

    answer = Answer()
    answer.add([Text("Os"), Text("lo")])
    answer.text                      # 'Oslo'

A log probability is that of the token among the allowed ones, before temperature, bias and penalties; the one among
all tokens is given beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log
from typing import Any

from formwright.generation.trace.recorder import Likely, Row
from formwright.server.reading.orders import Order
from formwright.server.writing.echo import Echo
from formwright.server.writing.events import Done, Echoed, Event, Tokens
from formwright.tools.events import CallArguments, CallBegun, Text, Thought

__all__ = ["Answer", "among_allowed", "count_tokens", "log_probability", "logprobs", "make_trace", "spell_token"]

_LEAST = -9999.0
"""Stands for minus infinity, which JSON has not."""


@dataclass
class Answer:
    """One text, as far as it has come."""

    text: str = ""
    thought: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    done: Done | None = None
    echo: Echo | None = None

    def add(self, events: Sequence[Event]) -> None:
        """Add the next events."""
        for event in events:
            match event:
                case Echoed(echo):
                    self.echo = echo
                case Text(text):
                    self.text += text
                case Thought(text):
                    self.thought += text
                case CallBegun(_, id_, name, is_custom):
                    self.calls.append({"id": id_, "name": name, "is_custom": is_custom, "arguments": ""})
                case CallArguments(index, text):
                    self.calls[index]["arguments"] += text
                case Tokens(rows, _):
                    self.rows += rows
                case Done():
                    self.done = event

    @property
    def over(self) -> Done:
        """How it ended."""
        assert self.done is not None  # the loop over the events is over
        return self.done

    @property
    def answer_rows(self) -> list[Row]:
        """The rows of the tokens after the thought."""
        return self.rows[self.over.thought_tokens :]


def logprobs(rows: Sequence[Row], count: int) -> list[dict[str, Any]]:
    """Tokens with their log probabilities, as chat completions and responses list them."""
    return [_logprob(row, count) for row in rows]


def _logprob(row: Row, count: int) -> dict[str, Any]:
    allowed = [likely for likely in row.likeliest if likely.is_allowed][:count]
    entry = _entry(row.token, row.masked_probability)
    entry["top_logprobs"] = [_entry(likely.token, among_allowed(likely, row)) for likely in allowed]
    entry["unmasked_logprob"] = log_probability(row.probability)
    entry["unmasked_top_logprobs"] = [_entry(likely.token, likely.probability) for likely in row.likeliest[:count]]
    return entry


def spell_token(token: bytes) -> str:
    """Spell a token as text; if it is not valid UTF-8 by itself, with its bytes."""
    return token.decode("utf-8", "backslashreplace") or "(end)"


def among_allowed(likely: Likely, row: Row) -> float:
    """The probability of a token among those that were allowed."""
    return likely.probability / row.allowed_mass if row.allowed_mass else 0.0


def _entry(token: bytes, probability: float) -> dict[str, Any]:
    return {
        "token": token.decode("utf-8", "replace"),
        "logprob": log_probability(probability),
        "bytes": list(token),
    }


def log_probability(probability: float) -> float:
    """The natural logarithm, bounded so that JSON can hold it."""
    return max(log(probability), _LEAST) if probability > 0 else _LEAST


def make_trace(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """What the form did at each token, as JSON."""
    return [
        {
            "token_id": row.token_id,
            "token": row.text,
            "probability": row.probability,
            "masked_probability": row.masked_probability,
            "allowed_mass": row.allowed_mass,
            "allowed_tokens": row.allowed_tokens,
            "forced": row.is_forced,
            "pushed": row.is_pushed,
            "likeliest": [
                {
                    "token": spell_token(likely.token),
                    "probability": likely.probability,
                    "allowed": likely.is_allowed,
                }
                for likely in row.likeliest
            ],
        }
        for row in rows
    ]


def count_tokens(orders: Sequence[Order], answers: Sequence[Answer]) -> tuple[int, int, int]:
    """Tokens of the prompts, of what was written, and of the thoughts among them."""
    written = sum(len(answer.over.result.token_ids) for answer in answers)
    return sum(order.prompt_tokens for order in orders), written, sum(answer.over.thought_tokens for answer in answers)
