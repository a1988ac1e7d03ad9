"""Answers that are failures, as errors: what the service said, and whether it may pass.

::

    failure_of(Answer(429, b'{"error": {"message": "slow down"}}', {"retry-after": "2"})).retry_after    # 2.0
    failure_of(Answer(200, b"{}"))                                                                     # None

Cost: nothing. The wrinkle: what a service says may repeat what was sent, so of its body only the beginning is kept, and
nothing of the headers of the request is ever part of an error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any

from formwright.client.exchange import Answer
from formwright.errors import LimitExceeded, RequestFailed

__all__ = ["failure_of", "json_of", "retry_after", "too_large"]

_SHOWN = 2000

_HINTS = {
    401: "the key is missing or wrong: pass api_key=, or set the variable of the service's own SDK",
    403: "the key does not allow this",
    404: "look at base_url and at the name of the model",
    413: "the prompt is larger than the service takes",
    429: "the service is asked too often, or its quota is used up",
}


def failure_of(answer: Answer) -> RequestFailed | None:
    """The error that an answer is, if it is one."""
    if 200 <= answer.status < 300:
        return None
    said = _said(answer.body)
    if 300 <= answer.status < 400:
        return RequestFailed(
            f"the service answered with a redirect ({answer.status}), which is not followed",
            hint="use the URL that it leads to as base_url, if you trust it",
            status=answer.status,
        )
    return RequestFailed(
        f"the service refused the request ({answer.status}): {said[:300]}"
        if answer.status < 500
        else f"the service failed ({answer.status}): {said[:300]}",
        hint=_HINTS.get(answer.status),
        status=answer.status,
        body=said[:_SHOWN],
        retry_after=retry_after(answer.headers),
    )


def json_of(answer: Answer) -> Mapping[str, Any]:
    """The body of an answer. Raises RequestFailed where it is no JSON object."""
    if isinstance(answer.body, Mapping):
        return answer.body
    try:
        body = json.loads(answer.body)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        shown = answer.body[:_SHOWN].decode(errors="replace")
        raise RequestFailed(
            f"the service answered with something else than a JSON object: {shown[:100]!r}",
            hint="look at base_url: is it the root of the API, such as https://host/v1?",
            status=answer.status,
            body=shown,
        )
    return body


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that a service wants to be left alone: a number, or a date."""
    said = {name.lower(): value for name, value in headers.items()}
    if (milliseconds := said.get("retry-after-ms", "")).isdigit():
        return int(milliseconds) / 1000
    value = said.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if isfinite(seconds) else None
    try:
        return max(0.0, (parsedate_to_datetime(value) - (now or datetime.now(UTC))).total_seconds())
    except (ValueError, TypeError):
        return None


def too_large(most: int) -> LimitExceeded:
    """The error of an answer that is larger than is read."""
    return LimitExceeded(
        f"the answer has more than {most} bytes",
        hint="if such answers are meant, pass a larger max_bytes to fw.connect",
        limit="max_bytes",
        value=most + 1,
        allowed=most,
    )


def _said(body: bytes | Mapping[str, Any]) -> str:
    """The message of an error, wherever its API puts it."""
    if isinstance(body, bytes):
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            return bytes(body)[:_SHOWN].decode(errors="replace")  # type: ignore[arg-type]
    error = body.get("error", body) if isinstance(body, Mapping) else body
    message = error.get("message", error.get("detail")) if isinstance(error, Mapping) else error
    param = error.get("param") if isinstance(error, Mapping) else None
    return f"{message if isinstance(message, str) else json.dumps(error, default=str)}" + (
        f" ({param})" if param else ""
    )
