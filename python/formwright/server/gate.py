"""Check keys and hosts, count requests, and log them, in a layer around the application.

::

    from formwright.server import Settings, create_app

    app = create_app(model, Settings(api_key="secret"))    # `Gate` wraps its routes

Cost: microseconds for each request. The layer is around everything, so it also counts requests that reach no route.
The page and the health of the server are open to all, because they tell nothing about the model.
"""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
import logging
import time
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.responses import JSONResponse, Response

from formwright.generation.spans import Generation, Operation, span_of_generation
from formwright.server.errors import Refusal
from formwright.server.metrics import Metrics

__all__ = ["ENDPOINTS", "SPAN_KEY", "Gate", "describe_request"]

_access_log = logging.getLogger("formwright.server.access")

ENDPOINTS = {"/chat/completions": "chat", "/responses": "responses", "/completions": "completions"}
"""How a path ends, and the name under which it is counted."""


_OPERATIONS: Mapping[str, Operation] = {"chat": "chat", "responses": "chat", "completions": "text_completion"}
"""OpenTelemetry's name for what an endpoint does."""

SPAN_KEY = "formwright.span"
"""The key of a request's span in its ASGI scope."""


def describe_request(endpoint: str, model: str = "") -> Generation:
    """Describe the span of a request."""
    return Generation(model=model, operation=_OPERATIONS[endpoint], kind="SERVER")


class Gate:
    """Passes on requests with the right key and host; counts and logs all of them, and begins their spans.

    Args:
        app: The application.
        api_key: The key; ``None`` admits everyone.
        hosts: Names of the server that a ``Host`` may have, besides addresses and ``localhost``; ``None`` is any.
        metrics: Counts the requests.
    """

    OPEN_PATHS = ("/", "/health")

    def __init__(self, app: Any, api_key: str | None, hosts: Collection[str] | None, metrics: Metrics) -> None:
        self._app, self._key, self._metrics = app, api_key, metrics
        self._hosts = None if hosts is None else {host.lower() for host in hosts}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        app, sent, host = self._app, _read_key(headers), headers.get(b"host", b"").decode("latin-1")
        if self._key is not None and scope["path"] not in self.OPEN_PATHS:
            app = app if hmac.compare_digest(sent, self._key.encode()) else _refuse_key(sent)
        if self._hosts is not None and not _is_own_host(host, self._hosts):
            app = _refuse_host(host)
        endpoint = next((name for tail, name in ENDPOINTS.items() if scope["path"].endswith(tail)), "other")
        generation = describe_request(endpoint) if endpoint in _OPERATIONS else None
        with span_of_generation(generation, scope["headers"]) as span, span.activate():
            scope[SPAN_KEY] = span
            await self._count_request(app, endpoint, scope, receive, send)

    async def _count_request(self, app: Any, endpoint: str, scope: Any, receive: Any, send: Any) -> None:
        """Run an application, and count the request by its status, or as 499 if its answer was not finished."""
        status, is_finished, began = 499, False, time.perf_counter()

        async def watch_message(message: Any) -> None:
            nonlocal status, is_finished
            if message["type"] == "http.response.start":
                status = message["status"]
            elif not message.get("more_body"):
                is_finished = True
                self._metrics.requests.labels(endpoint, str(status)).inc()
            await send(message)

        try:
            await app(scope, receive, watch_message)
        except Exception:
            status, is_finished = 500, True
            self._metrics.requests.labels(endpoint, str(status)).inc()
            raise
        finally:
            if not is_finished:
                self._metrics.requests.labels(endpoint, "499").inc()
            status = status if is_finished else 499
            scope[SPAN_KEY].record_status(status)
            self._log_access(scope, status, time.perf_counter() - began)

    @staticmethod
    def _log_access(scope: Any, status: int, seconds: float) -> None:
        """Write a line of the access log: the client, the request, the status, and the seconds it took."""
        host, port = scope.get("client") or ("-", 0)
        _access_log.info('%s:%s "%s %s" %d %.3f s', host, port, scope["method"], scope["path"], status, seconds)


def _read_key(headers: Mapping[bytes, bytes]) -> bytes:
    kind, _, key = headers.get(b"authorization", b"").partition(b" ")
    return headers.get(b"api-key") or (key.strip() if kind.lower() == b"bearer" else b"")


def _is_own_host(host: str, names: Collection[str]) -> bool:
    """Whether this is a name of the server.

    A page whose name is made to point here (DNS rebinding) sends that name. An address cannot be such a name, and a
    request without a host is not a browser's.
    """
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return False
    with contextlib.suppress(ValueError):
        return bool(ipaddress.ip_address(name))
    return not host or name == "localhost" or name.endswith(".localhost") or name in names


def _refuse_host(host: str) -> Response:
    said = f"this server is not called {host!r}: start it with --allow-host to serve it by that name"
    return JSONResponse(Refusal(421, said, code="unknown_host").body, 421)


def _refuse_key(sent: bytes) -> Response:
    said = "the key is wrong" if sent else "there is no key: send it as Authorization: Bearer KEY, or as api-key: KEY"
    refusal = Refusal(401, said, type="authentication_error", code="invalid_api_key")
    return JSONResponse(refusal.body, 401, {"WWW-Authenticate": "Bearer"})
