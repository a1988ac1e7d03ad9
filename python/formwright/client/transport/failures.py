"""Turn responses that are failures into errors: what the service said, and whether the failure is temporary.

::

    read_failure(Response(429, b'{"error": {"message": "slow down"}}', {"retry-after": "2"})).retry_after    # 2.0
    read_failure(Response(200, b"{}"))                                                                     # None

What a service says may repeat what was sent, so of its body only the beginning is kept, and
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

from formwright.client.flow.steps import Response
from formwright.errors import LimitExceeded, Refused, RequestFailed

__all__ = [
    "add_header_details",
    "decode_body",
    "is_error",
    "make_event_failure",
    "make_filter_error",
    "make_size_error",
    "read_failure",
    "read_retry_after",
    "read_stamp",
]

_MAX_SHOWN = 2000

_HINTS = {
    401: (
        "the key is missing or wrong: pass api_key=, or set the variable of the service's own SDK;"
        " for a server of your own, FORMWRIGHT_API_KEY"
    ),
    403: "the key does not allow this",
    404: "look at base_url and at the name of the model",
    413: "the prompt is larger than the service takes",
    429: "there are too many requests, or the quota is used up",
}

_NO_QUOTA = "the quota of the account is used up: look at its plan and its bills"

_TEMPORARY = (408, 409, 425, 429)
"""Statuses below 500 that are temporary."""

_TEMPORARY_NAMES = ("api_error", "overloaded_error", "rate_limit_error", "rate_limit_exceeded", "server_error")
"""Codes and types that are temporary, for errors inside a stream, which have no status."""

_QUOTA = re.compile(r"quota|billing|insufficient.?(balance|credit|fund)", re.IGNORECASE)
"""In the code or type of an error: waiting does not help."""

_FILTER = re.compile(r"content.?filter|content.?policy|data.?inspection|responsible.?ai|^safety", re.IGNORECASE)
"""In the code or type of an error: a content filter found something."""

_FILTERED = re.compile(
    r"content filter|content management policy|Content Exists Risk"
    r"|violat\w+ (our )?(usage|content) (policy|policies|guidelines)",
    re.IGNORECASE,
)
"""In the message of services that have no code for it."""

_REQUEST_IDS = ("x-request-id", "request-id", "apim-request-id", "x-goog-request-id", "x-amzn-requestid")


def read_failure(response: Response) -> RequestFailed | Refused | None:
    """Read the failure that the status of a response shows; ``None`` if it is a success."""
    if 200 <= response.status < 300:
        return None
    if 300 <= response.status < 400:
        return RequestFailed(
            f"the service answered with a redirect ({response.status}), which is not followed",
            hint="use the URL that it leads to as base_url, if you trust it",
            status=response.status,
        )
    what = "refused the request" if response.status < 500 else "failed"
    return _make_failure(_parse_body(response.body), f"the service {what} ({response.status})", response)


def make_event_failure(event: Mapping[str, Any]) -> RequestFailed | Refused:
    """Make the error of a failure inside a stream or an answer."""
    return _make_failure(event, "the service failed in the middle of its answer", Response(200, event))


@contextmanager
def add_header_details(response: Response) -> Iterator[None]:
    """Add to failures in a body or a stream what only the headers of the response say."""
    try:
        yield
    except (RequestFailed, Refused) as error:
        failure = error if isinstance(error, RequestFailed) else error.__cause__
        if isinstance(failure, RequestFailed):
            failure.request_id = failure.request_id or _find_request_id(response, {}, {})
            failure.retry_after = (
                read_retry_after(response.headers) if failure.retry_after is None else failure.retry_after
            )
        raise


def is_error(body: Mapping[str, Any]) -> bool:
    """Whether a body holds an error, whatever its status says."""
    return bool(body.get("error")) or body.get("object") == "error"


def decode_body(response: Response) -> Mapping[str, Any]:
    """Decode the body of a response.

    Raises:
        RequestFailed: It is not a JSON object, or it is an error in spite of its status.
        Refused: It is the error of a content filter.
    """
    body = _parse_body(response.body)
    if not isinstance(body, Mapping):
        shown = bytes(response.body)[:_MAX_SHOWN].decode(errors="replace")  # type: ignore[arg-type]
        raise RequestFailed(
            f"the service answered with something else than a JSON object: {shown[:100]!r}",
            hint="look at base_url: is it the root of the API, such as https://host/v1?",
            status=response.status,
            body=shown,
        )
    if is_error(body):
        raise _make_failure(body, f"the service answered with {response.status}, and an error", response)
    return body


def _make_failure(said: Any, what: str, response: Response) -> RequestFailed | Refused:
    """Make the error for what a service says; that of a content filter is `Refused`.

    A hint of the service is about this very request, so it has priority over the one for the status.
    """
    error, message = _find_error(said), _find_message(said)
    status = _find_status(error, response.status)
    code, kind = _find_names(error, said)
    is_quota = bool(_QUOTA.search(f"{code} {kind}")) or _is_daily(error)
    original = response.original if isinstance(response.original, Exception) else None
    hint, wait = _find_text(error, "hint"), read_retry_after(response.headers)
    failure = RequestFailed(
        f"{what}: {message[:300]}",
        hint=_NO_QUOTA if is_quota else (hint and hint[:300]) or _HINTS.get(status or 0),
        status=status,
        body=message[:_MAX_SHOWN],
        retry_after=_find_delay(error) if wait is None else wait,
        may_pass=not is_quota and (_is_temporary(status) or code in _TEMPORARY_NAMES or kind in _TEMPORARY_NAMES),
        code=code,
        type=kind,
        request_id=_find_request_id(response, said, error),
    )
    failure.__cause__ = original
    if not _FILTER.search(f"{code} {kind} {_find_inner_code(error)}") and not _FILTERED.search(message):
        return failure
    refused = make_filter_error(message)
    refused.__cause__ = failure
    return refused


def make_filter_error(said: str = "", text: str = "") -> Refused:
    """Make the error of an answer that a content filter removed, with what was written until then."""
    return Refused(
        f"the content filter of the service removed the answer{said and f': {said[:300]}'}",
        hint="look at the prompt, or at the settings of the filter",
        reason="content_filter",
        text=text,
    )


def _parse_body(body: bytes | Mapping[str, Any]) -> Any:
    """Parse a body as JSON; bytes that are not JSON are returned unchanged."""
    if isinstance(body, Mapping):
        return body
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body


def _find_error(said: Any) -> Mapping[str, Any]:
    """Find the object that describes an error; some services write it at the root, or in a list of one."""
    body = said[0] if isinstance(said, list) and said else said
    if not isinstance(body, Mapping):
        return {}
    error = body.get("error") or body
    return error if isinstance(error, Mapping) else body


def _find_status(error: Mapping[str, Any], status: int) -> int | None:
    """Return the HTTP status, or the one that an error which came with 200 names."""
    if status >= 400:
        return status
    named = str(error.get("code") or error.get("status_code"))
    return int(named) if re.fullmatch(r"[45]\d\d", named) else status


def _find_names(error: Mapping[str, Any], said: Any) -> tuple[str | None, str | None]:
    """Find the code and the type of an error. Where the code repeats the status, a name is better: Gemini has one."""
    code, kind, name = error.get("code"), error.get("type"), error.get("status")
    if isinstance(name, str) and isinstance(code, int):
        code = name
    is_marker = kind == "error" and error is said
    return (None if code is None else str(code)), (kind if isinstance(kind, str) and not is_marker else None)


def _find_inner_code(error: Mapping[str, Any]) -> str:
    """Find the more precise code of Azure."""
    inner = error.get("innererror") or error.get("inner_error")
    return str(inner.get("code")) if isinstance(inner, Mapping) else ""


def _is_daily(error: Mapping[str, Any]) -> bool:
    """Whether Gemini says that what is used up is a quota for a day: with the same code as one for a minute."""
    details = error.get("details")
    return isinstance(details, list) and "PerDay" in json.dumps(details, default=str)


def _find_request_id(response: Response, said: Any, error: Mapping[str, Any]) -> str | None:
    """Find the id of a request: in a header, or in the body."""
    headers = _lower_names(response.headers)
    found = next((headers[name] for name in _REQUEST_IDS if headers.get(name)), None)
    return (
        found
        or getattr(response.original, "request_id", None)
        or _find_text(said, "request_id")
        or _find_text(error, "request_id")
    )


def _find_text(body: Any, name: str) -> str | None:
    value = body.get(name) if isinstance(body, Mapping) else None
    return value if isinstance(value, str) and value else None


def _find_delay(error: Mapping[str, Any]) -> float | None:
    """Find the seconds to wait in a body: a number, or the RetryInfo of Gemini (``"retryDelay": "34.5s"``)."""
    details = error.get("details")
    delays = (
        [detail.get("retryDelay") for detail in details if isinstance(detail, Mapping)]
        if isinstance(details, list)
        else []
    )
    delay = next((delay for delay in delays if isinstance(delay, str)), None)
    if delay is not None and re.fullmatch(r"\d{1,9}(\.\d{1,9})?s", delay):
        return float(delay[:-1])
    value = error.get("retry_after")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if isfinite(value) and value >= 0 else None


def _is_temporary(status: int | None) -> bool:
    return status is not None and (status in _TEMPORARY or status >= 500)


def read_retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Read the seconds to wait from the headers, which have a number or a date; ``None`` if they have neither."""
    lowered = _lower_names(headers)
    if (milliseconds := lowered.get("retry-after-ms", "")).isdigit():
        return int(milliseconds) / 1000
    value = lowered.get("retry-after", "").strip()
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


def read_stamp(response: Response) -> str:
    """Read who enforced the form, as the service says in a header; empty without it."""
    return _lower_names(response.headers).get("formwright-enforced", "").strip()


def _lower_names(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def make_size_error(allowed: int) -> LimitExceeded:
    """Make the error of an answer with more bytes than allowed."""
    return LimitExceeded(
        f"the answer has more than {allowed} bytes",
        hint="if such answers are expected, pass a larger max_bytes to fw.connect",
        limit="max_bytes",
        value=allowed + 1,
        allowed=allowed,
    )


def _find_message(said: Any) -> str:
    """Find the message of an error, wherever its API puts it."""
    if isinstance(said, bytes):
        return said[:_MAX_SHOWN].decode(errors="replace")
    if not isinstance(said, Mapping | list):
        return str(said)
    message = said.get("error") if isinstance(said, Mapping) else None
    if isinstance(message, str):
        return message
    error = _find_error(said)
    message, param = error.get("message", error.get("detail")), error.get("param")
    shown = message if isinstance(message, str) else json.dumps(error or said, default=str)
    return f"{shown} ({param})" if param else shown
