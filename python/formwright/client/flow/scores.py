"""Request the log probabilities of given texts from `formwright serve`, by its own field ``score``.

::

    flow = score_texts("formwright-tiny", [{"role": "user", "content": "Is the sky blue?"}], ["yes", "no"])
    next(flow).request.body["score"]             # ['yes', 'no']

The driver sends the request, and passes the `Response` into the flow, until ``StopIteration`` holds the scores.

Cost: one request; there is no cheaper way to find out whether a server supports the field. A server that does not may
ignore it and write a text instead, so ``max_tokens`` limits that to one token. Only an answer with scores for exactly
these texts is accepted; anything else is `OptionUnsupported`.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from math import inf
from sys import float_info
from typing import Any

from formwright._retries import request_policy, retry
from formwright.client.flow.steps import Request, Send, Step
from formwright.client.transport.failures import decode_body, read_failure
from formwright.errors import OptionUnsupported, RequestFailed

__all__ = ["Scores", "make_unsupported_error", "score_texts"]

Scores = Generator[Step, Any, Any]
"""Yields steps, is sent what they bring, and returns the log probability of each text."""

_UNKNOWN = re.compile(
    r"there is no field|unknown|unrecogni[sz]ed|unexpected|unsupported|not permitted|not allowed|extra", re.IGNORECASE
)
"""What servers say of fields that they do not know."""

_ROUNDING = 1e-6
"""By how much a sum of log probabilities may be above 0."""


def score_texts(
    model: str,
    messages: Sequence[Mapping[str, Any]],
    texts: Sequence[str],
    *,
    canonical: bool = True,
    request_retries: int = 2,
) -> Scores:
    """Yield the steps to the log probabilities of some texts, by text, in their order.

    Raises:
        OptionUnsupported: The server does not score texts.
        RequestFailed: It could not be reached, or refused the request.
    """
    body = {"model": model, "messages": messages, "score": texts, "canonical": canonical, "max_tokens": 1}
    request = Request("chat/completions", body)

    def attempt(_: int) -> Scores:
        answer = yield Send(request)
        if (failure := read_failure(answer)) is not None:
            raise failure
        return decode_body(answer)

    try:
        found = yield from retry(request_policy(request_retries), attempt)
    except RequestFailed as error:
        if error.status in (400, 422) and re.search(r"\bscore\b", error.body) and _UNKNOWN.search(error.body):
            raise make_unsupported_error(model, "the server does not know the field") from error
        raise
    return _read_scores(found, model, texts)


def make_unsupported_error(model: str, why: str) -> OptionUnsupported:
    """Make the error of a service that cannot score texts."""
    return OptionUnsupported(
        f"{model} does not support score(): {why}",
        hint="score with a model that runs here or in `formwright serve`; to choose one of several texts, generate "
        "with fw.choice(...)",
        argument="choices",
    )


def _read_scores(body: Mapping[str, Any], model: str, texts: Sequence[str]) -> dict[str, float]:
    """Read the scores in an answer. Raises OptionUnsupported if it does not have one for each text."""
    stamp = body.get("formwright")
    scores = stamp.get("scores") if isinstance(stamp, Mapping) else None
    if not isinstance(scores, Mapping):
        raise make_unsupported_error(model, "the server has answered, but scored nothing")
    if scores.keys() != set(texts) or not all(map(_is_score, scores.values())):
        raise make_unsupported_error(model, f"expected a score for each text, got {scores!r:.200}")
    return {text: -inf if scores[text] is None else float(scores[text]) for text in texts}


def _is_score(value: Any) -> bool:
    """Whether it is a log probability; null is minus infinity, which JSON does not have."""
    return value is None or (type(value) in (int, float) and -float_info.max <= value <= _ROUNDING)
