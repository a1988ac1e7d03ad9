"""Gather one text of an answer from its events: text, thought, calls, and the numbers that all protocols send.

::

    gathered = GatheredText()
    gathered.add([Text("Os"), Text("lo")])
    gathered.text                    # 'Oslo'

A log probability is that of the token among the allowed ones, before temperature, bias and penalties. The one among
all tokens is sent too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, log
from typing import Any, Protocol, TypedDict

from formwright.generation import Complete
from formwright.generation.fields import FieldScoring
from formwright.generation.strategies.scoring import Scoring
from formwright.generation.trace.recorder import Likely, Row
from formwright.receipts.receipt import digest_prompt
from formwright.receipts.stamped_replies import describe_provenance
from formwright.server.reading.orders import Order
from formwright.server.writing.echo import Echo
from formwright.server.writing.events import Done, Echoed, Event, Tokens
from formwright.tools.events import CallArguments, CallBegun, Text, Thought

__all__ = [
    "AnswerStream",
    "GatheredCall",
    "GatheredText",
    "compute_allowed_share",
    "compute_logprob",
    "count_tokens",
    "list_logprobs",
    "make_stamp",
    "make_stamp_field",
    "make_trace",
    "spell_token",
]

_LEAST = -9999.0
"""Sent instead of minus infinity, which JSON cannot write."""


class AnswerStream(Protocol):
    """Turns the events of an answer into the objects that are sent, as one protocol writes them."""

    def start(self) -> Iterator[Mapping[str, Any]]:
        """Yield what is sent before anything is written."""
        ...

    def add_events(self, number: int, events: Sequence[Event], /) -> Iterator[Mapping[str, Any]]:
        """Yield what is sent for the next events of a text."""
        ...

    def end(self) -> Iterator[Mapping[str, Any]]:
        """Yield what is sent when all is written."""
        ...


class GatheredCall(TypedDict):
    """A call of a tool, as far as it has been written; ``arguments`` is the input of a custom tool."""

    id: str
    name: str
    is_custom: bool
    arguments: str


@dataclass
class GatheredText:
    """One text, as far as it has been written."""

    text: str = ""
    thought: str = ""
    calls: list[GatheredCall] = field(default_factory=list)
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
    def ending(self) -> Done:
        """How it ended."""
        assert self.done is not None  # nobody reads it before the last event
        return self.done

    @property
    def answer_rows(self) -> list[Row]:
        """The rows of the tokens after the thought."""
        return self.rows[self.ending.thought_tokens :]


def list_logprobs(rows: Sequence[Row], count: int) -> list[dict[str, Any]]:
    """List tokens with their log probabilities, as chat completions and responses do."""
    return [_make_logprob(row, count) for row in rows]


def _make_logprob(row: Row, count: int) -> dict[str, Any]:
    allowed = [likely for likely in row.likeliest if likely.is_allowed][:count]
    entry = _make_entry(row.token, row.masked_probability)
    entry["top_logprobs"] = [_make_entry(likely.token, compute_allowed_share(likely, row)) for likely in allowed]
    entry["unmasked_logprob"] = compute_logprob(row.probability)
    entry["unmasked_top_logprobs"] = [_make_entry(likely.token, likely.probability) for likely in row.likeliest[:count]]
    return entry


def spell_token(token: bytes) -> str:
    """Spell a token as text; if it is not valid UTF-8 by itself, with its bytes."""
    return token.decode("utf-8", "backslashreplace") or "(end)"


def compute_allowed_share(likely: Likely, row: Row) -> float:
    """Compute the probability of a token among those that were allowed."""
    return likely.probability / row.allowed_mass if row.allowed_mass else 0.0


def _make_entry(token: bytes, probability: float) -> dict[str, Any]:
    return {
        "token": token.decode("utf-8", "replace"),
        "logprob": compute_logprob(probability),
        "bytes": list(token),
    }


def compute_logprob(probability: float) -> float:
    """Compute the logarithm of a probability, bounded so that JSON can hold it."""
    return max(log(probability), _LEAST) if probability > 0 else _LEAST


def make_trace(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """List what the form did at each token, as JSON."""
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


def make_stamp_field(order: Order, answers: Sequence[GatheredText]) -> dict[str, Any]:
    """Make the field with the stamp of an order whose texts are over, if it has a stamp."""
    stamp = make_stamp(order, answers)
    return {} if stamp is None else {"formwright": stamp}


def make_stamp(order: Order, answers: Sequence[GatheredText]) -> dict[str, Any] | None:
    """Make the stamp: who enforced what, with notes; ``None`` for free text without notes."""
    ends = [answer.ending for answer in answers]
    shape = order.compiled.shape
    notes = [*shape.notes, *order.body.notes, *_list_notes(order, ends)]
    noted: dict[str, Any] = {"notes": notes} if notes else {}
    if shape.offered.is_text and not shape.offered.tools:
        return noted or None
    results = [end.result for end in ends]
    stamp: dict[str, Any] = {
        "enforced": "kernel",
        "form": order.compiled.digest,
        "complete": all(isinstance(end.result, Complete) and end.reason != "length" for end in ends),
        "tokens": {
            "written": sum(len(result.token_ids) for result in results),
            "forced": sum(result.forced_tokens for result in results),
        },
        "model_calls": sum(result.model_calls for result in results),
    }
    if isinstance(scoring := order.writings[0], Scoring):
        stamp["scores"] = {text: score if isfinite(score) else None for text, score in scoring.scores.items()}
    if isinstance(scoring, FieldScoring):
        stamp["fields"] = {pointer: field.describe() for pointer, field in scoring.fields.items()}
    written = [result for result in results if result.provenance is not None]
    if written:
        stamp["provenance"] = _describe_provenance([result.provenance for result in written])
    if order.body.formwright.receipt:
        stamp["receipts"] = [json.loads(result.receipt.to_json()) for result in written]
    return stamp | noted


def _describe_provenance(provenances: Sequence[Any]) -> dict[str, Any]:
    """Describe what the texts were written under; texts of one prompt share it."""
    digests = {id(prompt): digest_prompt(prompt) for prompt in (each.prompt_ids for each in provenances)}
    first = provenances[0]
    return describe_provenance(
        first.constraint.vocabulary,
        canonical=first.constraint.canonical,
        max_tokens=first.max_tokens,
        prompts=[digests[id(each.prompt_ids)] for each in provenances],
    )


def _list_notes(order: Order, ends: Sequence[Done]) -> Iterator[str]:
    """List what the client should know about its answer."""
    shape = order.compiled.shape
    if any(len(end.result.token_ids) < order.body.min_tokens for end in ends):
        yield "min_tokens: a text has fewer tokens, because its form allows no more or a stop text has cut it"
    if order.body.stop_texts and not shape.has_free_text:
        yield "stop has no effect: the answer has no free text"
    thought, budget = shape.thought_tokens, int(order.task.limits.max_tokens)
    if budget <= thought:
        yield f"the thought may take {thought} tokens and the answer has {budget} with it, so it may be cut short"


def count_tokens(orders: Sequence[Order], answers: Sequence[GatheredText]) -> tuple[int, int, int]:
    """Count the tokens of the prompts, of the texts, and of the thoughts in them."""
    written = sum(len(answer.ending.result.token_ids) for answer in answers)
    return (
        sum(order.prompt_tokens for order in orders),
        written,
        sum(answer.ending.thought_tokens for answer in answers),
    )
