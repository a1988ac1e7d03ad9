"""Replies of vLLM say that they conform to the forms of their requests: a middleware of its server.

::

    FORMWRIGHT_VLLM=1 vllm serve some-model --middleware formwright.engines.vllm.stamp.Stamp

A whole reply that was read again, and conforms, has the header ``formwright-enforced: checked``. A stream is on its
way before it is complete; it has ``formwright-backend`` with the version, where formwright enforces the forms of this
server. Everything else passes as it is: other endpoints, requests without a form, replies that do not conform.

Cost: a copy of each request and of each reply with a form, up to `MOST_BYTES`, and reading the text in another thread.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, MutableMapping
from importlib import metadata
from typing import Any, TypeAlias

from formwright.engines.vllm.plugin import VARIABLE
from formwright.engines.vllm.replies import find_check

__all__ = ["MOST_BYTES", "Stamp"]

MOST_BYTES = 1 << 22
"""Bytes of a request and of a reply at most: larger ones pass without a stamp."""

_ENDPOINTS = ("/v1/chat/completions", "/v1/completions")

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]


class Stamp:
    """An ASGI middleware.

    Args:
        app: What answers the requests.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on, and its reply back."""
        if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].endswith(_ENDPOINTS):
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(receive, send)
        await self._app(scope, exchange.receive, exchange.send)
        await exchange.pass_held()


class _Copy:
    """The bytes of a body, as long as they are few."""

    def __init__(self) -> None:
        self._chunks, self.size = list[bytes](), 0

    def add(self, message: Message) -> None:
        chunk = message.get("body", b"")
        self.size += len(chunk)
        if self.size <= MOST_BYTES:
            self._chunks.append(chunk)
        else:
            self._chunks.clear()

    def decode(self) -> Any:
        """The JSON of the body; ``None`` if it is none, or too large."""
        try:
            return json.loads(b"".join(self._chunks))
        except (ValueError, RecursionError):
            return None


class _Exchange:
    """A request under way: its messages pass, and those of a reply that is to be read again are held until its end."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._request, self._reply = _Copy(), _Copy()
        self._held: list[Message] = []
        """The reply so far, from its start on, while it is held."""

    async def receive(self) -> Message:
        """The next message of the request."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._request.add(message)
        return message

    async def send(self, message: Message) -> None:
        """Pass a message of the reply, or hold it."""
        if message["type"] == "http.response.start":
            await self._start(message)
        elif not self._held or message["type"] != "http.response.body":
            await self.pass_held()
            await self._send(message)
        else:
            await self._continue(message)

    async def pass_held(self) -> None:
        """Pass what is held as it is."""
        held, self._held = self._held, []
        for message in held:
            await self._send(message)

    async def _start(self, message: Message) -> None:
        """Hold the start of a whole reply; mark that of a stream."""
        headers = {name.lower(): value for name, value in message.get("headers", ())}
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        is_whole = kind == b"application/json" and b"content-encoding" not in headers
        if message["status"] == 200 and is_whole:
            self._held = [message]
            return
        if kind == b"text/event-stream" and _is_backend() and await self._find_check() is not None:
            message = _with_header(message, b"formwright-backend", metadata.version("formwright").encode())
        await self._send(message)

    async def _continue(self, message: Message) -> None:
        """Hold a part of a whole reply; after the last one, pass it, with a stamp if it conforms."""
        self._held.append(message)
        self._reply.add(message)
        if self._reply.size > MOST_BYTES:
            await self.pass_held()
        elif not message.get("more_body", False):
            if await self._is_conforming():
                self._held[0] = _with_header(self._held[0], b"formwright-enforced", b"checked")
            await self.pass_held()

    async def _find_check(self) -> Callable[[Any], bool] | None:
        return await asyncio.to_thread(lambda: find_check(self._request.decode()))

    async def _is_conforming(self) -> bool:
        """Whether the request has a form, and the reply conforms."""
        if (check := await self._find_check()) is None:
            return False
        return await asyncio.to_thread(lambda: check(self._reply.decode()))


def _is_backend() -> bool:
    """Whether formwright enforces the forms of this server: its engine does not start otherwise."""
    return os.environ.get(VARIABLE) == "1"


def _with_header(message: Message, name: bytes, value: bytes) -> Message:
    return {**message, "headers": [*message.get("headers", ()), (name, value)]}
