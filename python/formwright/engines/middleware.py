"""Replies of an engine's server say that they conform to the forms of their requests: a middleware of its server.

::

    formwright-enforced: checked
    {"choices": [...], "formwright": {"enforced": "checked", "form": "f8d4de2e20953729", "provenance": {...}}}

A whole reply that was read again, and conforms, has the header, and a field with what a receipt is made of
(`formwright.receipts.from_reply`); its other bytes are as they were. A stream is on its way before it is complete; it
has ``formwright-backend`` with the version, where formwright enforces the forms of this server. Everything else
passes as it is: other endpoints, requests without a form, replies that do not conform.

Cost: a copy of each request and of each reply with a form, up to `MOST_BYTES`, and reading the text in another thread;
the vocabulary, once for each set of ends of text.
"""

from __future__ import annotations

import asyncio
import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from importlib import metadata
from typing import Any, TypeAlias

from formwright._kernel import Vocabulary
from formwright.engines.asked_forms import ReplyCheck, find_check
from formwright.engines.grammar_backend import Vocabularies, read_canonical
from formwright.forms.form import Form
from formwright.receipts.receipt import respell_form
from formwright.receipts.stamped_replies import describe_provenance

__all__ = ["MOST_BYTES", "App", "Message", "StampingMiddleware"]

MOST_BYTES = 1 << 22
"""Bytes of a request and of a reply at most: larger ones pass without a stamp."""

_ENDPOINTS = ("/v1/chat/completions", "/v1/completions")
_LIMITS = ("max_completion_tokens", "max_tokens")

_log = logging.getLogger("formwright.engines")

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]


class StampingMiddleware(ABC):
    """An ASGI middleware; each engine has its own.

    Args:
        app: What answers the requests.
    """

    plain_fields: Mapping[str, str] = {}
    """Fields of requests whose value is the text of a form, each with the kind of it."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._vocabularies: Vocabularies | None = None
        self._ends = list[int]()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on, and its reply back."""
        if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].endswith(_ENDPOINTS):
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(self, scope, receive, send)
        await self._app(scope, exchange.receive, exchange.send)
        await exchange.pass_held()

    @abstractmethod
    def is_backend(self) -> bool:
        """Whether formwright enforces the forms of this server."""

    @abstractmethod
    def name_versions(self) -> dict[str, str]:
        """The version of the engine, by its name."""

    @abstractmethod
    def read_vocabularies(self, app: Any) -> tuple[Vocabularies, list[int]]:
        """The tokenizer of the engine, and the ids that its configuration adds to the ends of a text.

        Args:
            app: The application that answers, with the state of the engine.
        """

    def make_stamp(self, request: Mapping[str, Any], form: Form[Any] | None, app: Any) -> dict[str, Any]:
        """Make the stamp of a reply that conforms to the form of its request."""
        named = {} if form is None else {"form": respell_form(form).digest}
        return {"enforced": "checked", **named, "complete": True, "provenance": self._describe(request, app)}

    def _describe(self, request: Mapping[str, Any], app: Any) -> dict[str, Any]:
        limits = (request.get(name) for name in _LIMITS)
        vocabulary = self._find_vocabulary(request, app)
        is_canonical = vocabulary is not None and self.is_backend()
        return describe_provenance(
            vocabulary,
            canonical=read_canonical() if is_canonical else False,
            max_tokens=next((limit for limit in limits if type(limit) is int), None),
            **self.name_versions(),
        )

    def _find_vocabulary(self, request: Mapping[str, Any], app: Any) -> Vocabulary | None:
        """The vocabulary of a request; ``None`` if it cannot be found, which is logged, since the reply must pass."""
        try:
            if self._vocabularies is None:
                vocabularies, self._ends = self.read_vocabularies(app)
                self._vocabularies = vocabularies  # last, for other threads
            return self._vocabularies.with_ends([*self._ends, *(request.get("stop_token_ids") or [])])
        except Exception as error:
            _log.warning("the stamp does not name the vocabulary: %s: %s", type(error).__name__, error)
            return None


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

    @property
    def data(self) -> bytes:
        """The bytes; none if there were too many."""
        return b"".join(self._chunks)

    def decode(self) -> Any:
        """The JSON of the body; ``None`` if it is not JSON in UTF-8, or too large."""
        try:
            return json.loads(self.data.decode())
        except (ValueError, RecursionError):
            return None


class _Exchange:
    """A request under way: its messages pass, and those of a reply that is to be read again are held until its end."""

    def __init__(self, stamping: StampingMiddleware, scope: Message, receive: Receive, send: Send) -> None:
        self._stamping, self._scope, self._receive, self._send = stamping, scope, receive, send
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
        if kind == b"text/event-stream" and self._stamping.is_backend() and await asyncio.to_thread(self._find_check):
            message = _with_header(message, b"formwright-backend", metadata.version("formwright").encode())
        await self._send(message)

    async def _continue(self, message: Message) -> None:
        """Hold a part of a whole reply; after the last one, pass it, with a stamp if it conforms."""
        self._held.append(message)
        self._reply.add(message)
        if self._reply.size > MOST_BYTES:
            await self.pass_held()
        elif not message.get("more_body", False):
            if (stamp := await asyncio.to_thread(self._find_stamp)) is not None:
                self._held = _put_stamp(self._held, self._reply.data, stamp)
            await self.pass_held()

    def _find_check(self) -> ReplyCheck | None:
        return find_check(self._request.decode(), self._stamping.plain_fields)

    def _find_stamp(self) -> dict[str, Any] | None:
        """The stamp of the reply; ``None`` if the request has no form, or the reply does not conform; empty where the
        reply has another one.
        """
        check, reply = self._find_check(), self._reply.decode()
        if check is None or not check(reply):
            return None
        if "formwright" in reply:
            return {}
        return self._stamping.make_stamp(self._request.decode(), check.find_form(reply), self._scope.get("app"))


def _put_stamp(held: list[Message], data: bytes, stamp: Mapping[str, Any]) -> list[Message]:
    """The messages of a reply with a header and a field more; all other bytes are as they were."""
    start = _with_header(held[0], b"formwright-enforced", b"checked")
    if not stamp:
        return [start, *held[1:]]
    data = data.rstrip().removesuffix(b"}") + b',"formwright":' + json.dumps(stamp).encode() + b"}"
    others = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
    size = (b"content-length", str(len(data)).encode())
    return [{**start, "headers": [*others, size]}, {"type": "http.response.body", "body": data, "more_body": False}]


def _with_header(message: Message, name: bytes, value: bytes) -> Message:
    return {**message, "headers": [*message.get("headers", ()), (name, value)]}
