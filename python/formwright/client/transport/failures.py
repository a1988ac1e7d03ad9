"""Answers that are failures, as errors: what the service said, and whether it may pass.

::

    failure_of(Answer(429, b'{"error": {"message": "slow down"}}', {"retry-after": "2"})).retry_after    # 2.0
    failure_of(Answer(200, b"{}"))                                                                     # None

Cost: nothing. The wrinkle: what a service says may repeat what was sent, so of its body only the beginning is kept, and
nothing of the headers of the request is ever part of an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any

from formwright.client.flow.exchange import Answer
from formwright.errors import LimitExceeded, Refused, RequestFailed

__all__ = [
    "error_of_filter",
    "failed_event",
    "failure_of",
    "is_error",
    "json_of",
    "retry_after",
    "too_large",
    "with_headers",
]

_SHOWN = 2000

_HINTS = {
    401: "the key is missing or wrong: pass api_key=, or set the variable of the service's own SDK",
    403: "the key does not allow this",
    404: "look at base_url and at the name of the model",
    413: "the prompt is larger than the service takes",
    429: "the service is asked too often, or its quota is used up",
}

_NO_QUOTA = "the quota of the account is used up: look at its plan and its bills"

_PASSING = (408, 409, 425, 429)
"""Statuses below 500 that may go away by themselves."""

_PASSING_NAMES = ("api_error", "overloaded_error", "rate_limit_error", "rate_limit_exceeded", "server_error")
"""Codes and types that may go away by themselves, for errors inside a stream, which have no status."""

_QUOTA = re.compile(r"quota|billing|insufficient.?(balance|credit|fund)", re.IGNORECASE)
"""In the code or type of an error: nothing helps but money."""

_FILTER = re.compile(r"content.?filter|content.?policy|data.?inspection|responsible.?ai|^safety", re.IGNORECASE)
"""In the code or type of an error: a content filter found something."""

_FILTERED = re.compile(
    r"content filter|content management policy|Content Exists Risk"
    r"|violat\w+ (our )?(usage|content) (policy|policies|guidelines)",
    re.IGNORECASE,
)
"""In the message of services whose codes do not tell."""

_REQUEST_IDS = ("x-request-id", "request-id", "apim-request-id", "x-goog-request-id", "x-amzn-requestid")


def failure_of(answer: Answer) -> RequestFailed | Refused | None:
    """The error that an answer is by its status, if it is one."""
    if 200 <= answer.status < 300:
        return None
    if 300 <= answer.status < 400:
        return RequestFailed(
            f"the service answered with a redirect ({answer.status}), which is not followed",
            hint="use the URL that it leads to as base_url, if you trust it",
            status=answer.status,
        )
    what = "refused the request" if answer.status < 500 else "failed"
    return _failure(_decode_body(answer.body), f"the service {what} ({answer.status})", answer)


def failed_event(event: Mapping[str, Any]) -> RequestFailed | Refused:
    """The error that a stream or an answer holds."""
    return _failure(event, "the service failed in the middle of its answer", Answer(200, event))


@contextmanager
def with_headers(answer: Answer) -> Iterator[None]:
    """Give failures that a body or a stream holds what only the headers of its answer say."""
    try:
        yield
    except (RequestFailed, Refused) as error:
        failure = error if isinstance(error, RequestFailed) else error.__cause__
        if isinstance(failure, RequestFailed):
            failure.request_id = failure.request_id or _request_id(answer, {}, {})
            failure.retry_after = retry_after(answer.headers) if failure.retry_after is None else failure.retry_after
        raise


def is_error(body: Mapping[str, Any]) -> bool:
    """Whether a body holds an error, whatever its status says."""
    return bool(body.get("error")) or body.get("object") == "error"


def json_of(answer: Answer) -> Mapping[str, Any]:
    """The body of an answer.

    Raises:
        RequestFailed: It is not a JSON object, or it is an error in spite of its status.
        Refused: It is the error of a content filter.
    """
    body = _decode_body(answer.body)
    if not isinstance(body, Mapping):
        shown = bytes(answer.body)[:_SHOWN].decode(errors="replace")  # type: ignore[arg-type]
        raise RequestFailed(
            f"the service answered with something else than a JSON object: {shown[:100]!r}",
            hint="look at base_url: is it the root of the API, such as https://host/v1?",
            status=answer.status,
            body=shown,
        )
    if is_error(body):
        raise _failure(body, f"the service answered with {answer.status}, and an error", answer)
    return body


def _failure(said: Any, what: str, answer: Answer) -> RequestFailed | Refused:
    """What a service says of an error, with all that tells errors apart; a content filter refuses.

    A hint of the service is about this very request, so it comes before the one for the status.
    """
    error, message = _error_of(said), _message(said)
    status = _status(error, answer.status)
    code, kind = _names(error, said)
    is_quota = bool(_QUOTA.search(f"{code} {kind}")) or _is_daily(error)
    original = answer.original if isinstance(answer.original, Exception) else None
    hint, wait = _text_in(error, "hint"), retry_after(answer.headers)
    failure = RequestFailed(
        f"{what}: {message[:300]}",
        hint=_NO_QUOTA if is_quota else (hint and hint[:300]) or _HINTS.get(status or 0),
        status=status,
        body=message[:_SHOWN],
        retry_after=_delay(error) if wait is None else wait,
        may_pass=not is_quota and (_is_passing(status) or code in _PASSING_NAMES or kind in _PASSING_NAMES),
        code=code,
        type=kind,
        request_id=_request_id(answer, said, error),
    )
    failure.__cause__ = original
    if not _FILTER.search(f"{code} {kind} {_inner_code(error)}") and not _FILTERED.search(message):
        return failure
    refused = error_of_filter(message)
    refused.__cause__ = failure
    return refused


def error_of_filter(said: str = "", text: str = "") -> Refused:
    """The error of an answer that a content filter took away, with what was written until then."""
    return Refused(
        f"the content filter of the service took the answer away{said and f': {said[:300]}'}",
        hint="look at the prompt, or at the settings of the filter",
        reason="content_filter",
        text=text,
    )


def _decode_body(body: bytes | Mapping[str, Any]) -> Any:
    """A body as JSON; bytes that are not JSON as they are."""
    if isinstance(body, Mapping):
        return body
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body


def _error_of(said: Any) -> Mapping[str, Any]:
    """The object that describes an error; some services write it at the root, or in a list of one."""
    body = said[0] if isinstance(said, list) and said else said
    if not isinstance(body, Mapping):
        return {}
    error = body.get("error") or body
    return error if isinstance(error, Mapping) else body


def _status(error: Mapping[str, Any], status: int) -> int | None:
    """The HTTP status, or the one that an error names which came with 200."""
    if status >= 400:
        return status
    named = str(error.get("code") or error.get("status_code"))
    return int(named) if re.fullmatch(r"[45]\d\d", named) else status


def _names(error: Mapping[str, Any], said: Any) -> tuple[str | None, str | None]:
    """The code and the type of an error. Where the code repeats the status, a name is better: Gemini has one."""
    code, kind, name = error.get("code"), error.get("type"), error.get("status")
    if isinstance(name, str) and isinstance(code, int):
        code = name
    is_marker = kind == "error" and error is said
    return (None if code is None else str(code)), (kind if isinstance(kind, str) and not is_marker else None)


def _inner_code(error: Mapping[str, Any]) -> str:
    """Azure's own code."""
    inner = error.get("innererror") or error.get("inner_error")
    return str(inner.get("code")) if isinstance(inner, Mapping) else ""


def _is_daily(error: Mapping[str, Any]) -> bool:
    """Whether Gemini says that what is used up is a quota for a day: with the same code as one for a minute."""
    details = error.get("details")
    return isinstance(details, list) and "PerDay" in json.dumps(details, default=str)


def _request_id(answer: Answer, said: Any, error: Mapping[str, Any]) -> str | None:
    """What a service calls a request: in a header, or in the body."""
    headers = {name.lower(): value for name, value in answer.headers.items()}
    found = next((headers[name] for name in _REQUEST_IDS if headers.get(name)), None)
    return (
        found
        or getattr(answer.original, "request_id", None)
        or _text_in(said, "request_id")
        or _text_in(error, "request_id")
    )


def _text_in(body: Any, name: str) -> str | None:
    value = body.get(name) if isinstance(body, Mapping) else None
    return value if isinstance(value, str) and value else None


def _delay(error: Mapping[str, Any]) -> float | None:
    """Seconds that the body wants to be waited: a number, or the RetryInfo of Gemini (``"retryDelay": "34.5s"``)."""
    details = error.get("details")
    told = (
        [detail.get("retryDelay") for detail in details if isinstance(detail, Mapping)]
        if isinstance(details, list)
        else []
    )
    said = next((delay for delay in told if isinstance(delay, str)), None)
    if said is not None and re.fullmatch(r"\d{1,9}(\.\d{1,9})?s", said):
        return float(said[:-1])
    value = error.get("retry_after")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if isfinite(value) and value >= 0 else None


def _is_passing(status: int | None) -> bool:
    return status is not None and (status in _PASSING or status >= 500)


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


def _message(said: Any) -> str:
    """The message of an error, wherever its API puts it."""
    if isinstance(said, bytes):
        return said[:_SHOWN].decode(errors="replace")
    if not isinstance(said, Mapping | list):
        return str(said)
    whole = said.get("error") if isinstance(said, Mapping) else None
    if isinstance(whole, str):
        return whole
    error = _error_of(said)
    message, param = error.get("message", error.get("detail")), error.get("param")
    shown = message if isinstance(message, str) else json.dumps(error or said, default=str)
    return f"{shown} ({param})" if param else shown
