"""Who is let in, and the count of requests: a layer around the application.

::

    from formwright.server import Settings, create_app

    app = create_app(model, Settings(api_key="secret"))    # `Keys` stands around its routes

Cost: microseconds a request. The wrinkle: it stands around everything, so it counts what never reaches a route too.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse, Response

from formwright.server.errors import Refusal
from formwright.server.metrics import Metrics

__all__ = ["ENDPOINTS", "Keys"]

ENDPOINTS = {"/chat/completions": "chat", "/responses": "responses", "/completions": "completions"}
"""How a path ends, and the name under which it is counted."""


class Keys:
    """Lets in who sends the key, and counts; what says nothing of the model is open."""

    OPEN = ("/", "/health")

    def __init__(self, app: Any, api_key: str | None, metrics: Metrics) -> None:
        self._app, self._key, self._metrics = app, api_key, metrics

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        app, sent = self._app, _key_of(dict(scope["headers"]))
        if self._key is not None and scope["path"] not in self.OPEN:
            app = app if hmac.compare_digest(sent, self._key.encode()) else _no_key(sent)
        endpoint = next((name for tail, name in ENDPOINTS.items() if scope["path"].endswith(tail)), "other")
        await self._counted(app, endpoint, scope, receive, send)

    async def _counted(self, app: Any, endpoint: str, scope: Any, receive: Any, send: Any) -> None:
        """Run an application; a request counts with its status, one that is not answered to its end with 499."""
        status, is_whole = 499, False

        async def watched(message: Any) -> None:
            nonlocal status, is_whole
            if message["type"] == "http.response.start":
                status = message["status"]
            elif not message.get("more_body"):
                is_whole = True
                self._metrics.requests.labels(endpoint, str(status)).inc()
            await send(message)

        try:
            await app(scope, receive, watched)
        except Exception:
            status, is_whole = 500, True
            self._metrics.requests.labels(endpoint, str(status)).inc()
            raise
        finally:
            if not is_whole:
                self._metrics.requests.labels(endpoint, "499").inc()


def _key_of(headers: Mapping[bytes, bytes]) -> bytes:
    kind, _, key = headers.get(b"authorization", b"").partition(b" ")
    return headers.get(b"api-key") or (key.strip() if kind.lower() == b"bearer" else b"")


def _no_key(sent: bytes) -> Response:
    said = "the key is wrong" if sent else "there is no key: send it as Authorization: Bearer KEY, or as api-key: KEY"
    refusal = Refusal(401, said, type="authentication_error", code="invalid_api_key")
    return JSONResponse(refusal.body, 401, {"WWW-Authenticate": "Bearer"})
