"""Requests over HTTP, by httpx.

::

    transport = HttpTransport(Endpoint("http://127.0.0.1:8000/v1", {"authorization": "Bearer ..."}))
    transport.send(Request("chat/completions", body), timeout=None).status      # 200

Cost: that of httpx; connections are kept and shared by threads. Redirects are not followed, since another
host would receive the key; nothing of the headers is shown or raised; and an answer is read up to a size and a time.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

from formwright._extras import needs
from formwright.client.flow.steps import Request, Response
from formwright.client.transport.failures import make_size_error
from formwright.errors import ArgumentError, RequestFailed

with needs("client", "a remote model"):
    import httpx

__all__ = ["AsyncHttpTransport", "Endpoint", "HttpTransport"]

_CONNECT = 10.0
"""Seconds for a connection."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go.

    Attributes:
        base_url: The root of the API.
        headers: Of every request, the key among them.
        timeout: Seconds that the service may be silent.
        max_bytes: Bytes of one answer at most.
        key: Removed from all that a service says about an error.
    """

    base_url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 600.0
    max_bytes: int = 1 << 26
    key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not _is_url(self.base_url):
            shown = "" if "@" in str(self.base_url) else f", not {self.base_url!r}"
            raise ArgumentError(
                f"base_url is the root of an API, such as http://127.0.0.1:8000/v1{shown}", argument="base_url"
            )
        for name in ("timeout", "max_bytes"):
            bound = getattr(self, name)
            if not isinstance(bound, int | float) or isinstance(bound, bool) or not bound > 0:
                raise ArgumentError(f"{name}: expected a number above 0, got {bound!r}", argument=name)
        if not _is_headers(self.headers):  # which no message shows
            raise ArgumentError("headers: expected a mapping of str to str that HTTP can send", argument="headers")

    @property
    def host(self) -> str:
        """Host and port for messages: the URL may hold a password."""
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        parts = urlsplit(self.base_url)
        return str(parts.hostname), parts.port or (443 if parts.scheme == "https" else 80)

    def build_url(self, request: Request) -> str:
        """Build the URL of a request."""
        base, mark, query = self.base_url.partition("?")
        url = f"{base.rstrip('/')}/{request.path}"
        return f"{url}{'&' if '?' in request.path else '?'}{query}" if mark else url

    def limit_time(self, timeout: float | None) -> httpx.Timeout:
        """Limit the seconds for connecting, and between two reads."""
        each = self.timeout if timeout is None else min(self.timeout, timeout)
        return httpx.Timeout(each, connect=min(_CONNECT, each))

    def build_request(
        self, client: httpx.Client | httpx.AsyncClient, request: Request, timeout: float | None
    ) -> httpx.Request:
        """Build a request for httpx. Raises ArgumentError."""
        try:
            content = json.dumps(request.body, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"the request cannot be written as JSON: {error}", argument="prompt") from error
        headers = {"content-type": "application/json", **self.headers}
        return client.build_request(
            "POST", self.build_url(request), content=content, headers=headers, timeout=self.limit_time(timeout)
        )

    def make_response(self, response: httpx.Response, body: bytes = b"") -> Response:
        """Make a response; one that is an error does not repeat the key."""
        if self.key and response.status_code >= 300:
            body = body.replace(self.key.encode(), b"***")
        return Response(response.status_code, body, dict(response.headers))

    def make_failure(self, error: Exception, timeout: float | None) -> RequestFailed:
        """Make the error of a request that got no response."""
        if isinstance(error, httpx.TimeoutException):
            seconds = self.timeout if timeout is None else min(self.timeout, timeout)
            what = f"{self.host} did not answer within {seconds:g} seconds"
        else:
            what = f"{self.host} could not be reached: {type(error).__name__}: {error}"
        return RequestFailed(what, hint="look at base_url, and whether the service runs", may_pass=True)


class _Budget:
    """The bytes and seconds that are left for reading a response."""

    def __init__(self, endpoint: Endpoint, timeout: float | None) -> None:
        self._endpoint, self._timeout = endpoint, timeout
        self._left = endpoint.max_bytes
        self._ends = None if timeout is None else time.monotonic() + timeout

    def take(self, chunk: bytes) -> bytes:
        """Count bytes. Raises LimitExceeded, RequestFailed."""
        self._left -= len(chunk)
        if self._left < 0:
            raise make_size_error(self._endpoint.max_bytes)
        if self._ends is not None and time.monotonic() > self._ends:
            raise RequestFailed(f"{self._endpoint.host} did not answer within {self._timeout:g} seconds", may_pass=True)
        return chunk


class HttpTransport:
    """Sends requests of threads."""

    _client: httpx.Client | None = None
    _finalizer: Callable[[], object] | None = None

    def __init__(self, endpoint: Endpoint, client: httpx.Client | None = None) -> None:
        self.endpoint, self._given = endpoint, _check_client(client, httpx.Client)

    @property
    def client(self) -> httpx.Client:
        """The connections, made when they are first needed. Raises RequestFailed where the environment forbids them."""
        if self._given is not None:
            return self._given
        with _MAKING:
            if self._client is None:
                self._client = _make_client(httpx.Client)
                # Not __del__: the collector may come to the sockets first, which warn that nobody closed them.
                self._finalizer = weakref.finalize(self, self._client.close)
            return self._client

    def send(self, request: Request, timeout: float | None) -> Response:
        """Send a request, and return its complete response."""
        try:
            response = self._send(request, timeout)
            with closing(response):
                return self.endpoint.make_response(response, _read_body(response, _Budget(self.endpoint, timeout)))
        except _ERRORS as error:
            raise self.endpoint.make_failure(error, timeout) from error

    def open(self, request: Request, timeout: float | None) -> tuple[Response, _HttpStream | None]:
        """Send a request, and return the head of its response with its stream; or all of an error, with ``None``."""
        try:
            response = self._send(request, timeout)
            if response.status_code == 200:
                return self.endpoint.make_response(response), _HttpStream(response, self.endpoint)
            with closing(response):
                return self.endpoint.make_response(
                    response, _read_body(response, _Budget(self.endpoint, timeout))
                ), None
        except _ERRORS as error:
            raise self.endpoint.make_failure(error, timeout) from error

    def _send(self, request: Request, timeout: float | None) -> httpx.Response:
        built = self.endpoint.build_request(self.client, request, timeout)
        return self.client.send(built, stream=True, follow_redirects=False)

    def close(self) -> None:
        """Close the connections; the next request makes new ones."""
        with _MAKING:
            finalizer, self._finalizer, self._client = self._finalizer, None, None
        if finalizer is not None:
            finalizer()


class AsyncHttpTransport:
    """Sends requests of an event loop."""

    def __init__(self, endpoint: Endpoint, client: httpx.AsyncClient | None = None) -> None:
        self.endpoint, self._given = endpoint, _check_client(client, httpx.AsyncClient)
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def client(self) -> httpx.AsyncClient:
        """The connections, made when they are first needed, anew in each event loop."""
        if self._given is not None:
            return self._given
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = _make_client(httpx.AsyncClient), loop
        return self._client

    async def send(self, request: Request, timeout: float | None) -> Response:
        """Send a request, and return its complete response."""
        try:
            response = await self._send(request, timeout)
            try:
                return self.endpoint.make_response(
                    response, await _read_body_async(response, _Budget(self.endpoint, timeout))
                )
            finally:
                await response.aclose()
        except _ERRORS as error:
            raise self.endpoint.make_failure(error, timeout) from error

    async def open(self, request: Request, timeout: float | None) -> tuple[Response, _AsyncHttpStream | None]:
        """Send a request, and return the head of its response with its stream; or all of an error, with ``None``."""
        try:
            response = await self._send(request, timeout)
            if response.status_code == 200:
                return self.endpoint.make_response(response), _AsyncHttpStream(response, self.endpoint)
            try:
                return self.endpoint.make_response(
                    response, await _read_body_async(response, _Budget(self.endpoint, timeout))
                ), None
            finally:
                await response.aclose()
        except _ERRORS as error:
            raise self.endpoint.make_failure(error, timeout) from error

    async def _send(self, request: Request, timeout: float | None) -> httpx.Response:
        built = self.endpoint.build_request(self.client, request, timeout)
        return await self.client.send(built, stream=True, follow_redirects=False)

    async def close(self) -> None:
        """Close the connections; the next request makes new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()


_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=100)

_MAKING = threading.Lock()
"""Held while a client is made: a second one, made by another thread, would be dropped with its connections open."""

_ERRORS = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError)
"""What httpx raises for a request; the classes have no common base."""

C = TypeVar("C", httpx.Client, httpx.AsyncClient)


def _make_client(kind: type[C]) -> C:
    """Make a client with the proxies and certificates of the environment. Raises RequestFailed if they are wrong."""
    try:
        return kind(follow_redirects=False, limits=_LIMITS)
    except Exception as error:  # of URLs, of files, of ssl, of a package that a proxy needs
        shown = type(error).__name__ if "@" in str(error) else error  # a proxy may have a password
        raise RequestFailed(
            f"no connection can be made with the proxies and certificates of the environment: {shown}",
            hint="look at HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR, or pass http=",
        ) from error


def _check_client(client: Any, kind: type[C]) -> C | None:
    """Return the client that the user has passed. Raises ArgumentError if it is another object."""
    if client is not None and not isinstance(client, kind):
        hint = "with asynchronous=True it is an httpx.AsyncClient, else an httpx.Client"
        raise ArgumentError(
            f"http: expected an httpx.{kind.__name__}, got {type(client).__name__}", hint=hint, argument="http"
        )
    return client


_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def _is_headers(headers: Any) -> bool:
    """Whether names and values are text that HTTP can send."""
    return isinstance(headers, Mapping) and all(
        isinstance(name, str)
        and _NAME.fullmatch(name) is not None
        and isinstance(value, str)
        and value.isascii()
        and value.replace("\t", " ").isprintable()
        for name, value in headers.items()
    )


def _is_url(url: Any) -> bool:
    """Whether it is the URL of a host."""
    try:
        parts, read = urlsplit(url), httpx.URL(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname and read.host) and parts.port == read.port
    except (AttributeError, TypeError, ValueError, httpx.InvalidURL):
        return False


def _read_body(response: httpx.Response, budget: _Budget) -> bytes:
    return b"".join(map(budget.take, response.iter_bytes()))


async def _read_body_async(response: httpx.Response, budget: _Budget) -> bytes:
    return b"".join([budget.take(chunk) async for chunk in response.aiter_bytes()])


class _HttpStream:
    """A response that is being read."""

    def __init__(self, response: httpx.Response, endpoint: Endpoint) -> None:
        self._response, self._endpoint = response, endpoint
        self._chunks: Iterator[bytes] = response.iter_bytes()

    def read(self, timeout: float | None) -> bytes | None:
        try:
            return next(self._chunks, None)
        except _ERRORS as error:
            raise self._endpoint.make_failure(error, timeout) from error

    def close(self) -> None:
        self._response.close()


class _AsyncHttpStream:
    """The same in an event loop."""

    def __init__(self, response: httpx.Response, endpoint: Endpoint) -> None:
        self._response, self._endpoint = response, endpoint
        self._chunks: AsyncIterator[bytes] = response.aiter_bytes()

    async def read(self, timeout: float | None) -> bytes | None:
        try:
            return await anext(self._chunks, None)
        except _ERRORS as error:
            raise self._endpoint.make_failure(error, timeout) from error

    async def close(self) -> None:
        await self._response.aclose()
