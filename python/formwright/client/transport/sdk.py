"""Requests by a client object of an SDK: whatever has ``chat.completions.create`` or ``responses.create``.

::

    transport = SdkTransport(creates_of(OpenAI()))
    transport.send(Request("chat/completions", body), timeout=None).status      # 200

Nothing is imported: an answer is a mapping, or something with ``model_dump()``; an error with a ``status_code`` is one
of the service. So the versions of SDKs do not matter, and neither does whose SDK it is.

Cost: what the SDK costs, and one ``model_dump()``. Fields that the SDK has no parameter for go into its
``extra_body``. The SDK sends requests again by itself (its ``max_retries``), so the client does not.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import copy, deepcopy
from typing import Any, Self

from formwright.client.flow.exchange import Answer, Request
from formwright.client.transport.failures import failure_of
from formwright.errors import ArgumentError, RequestFailed

__all__ = ["AsyncSdkTransport", "SdkTransport", "creates_of", "is_async"]

_PARAMETERS = {
    "chat/completions": (
        *("model", "messages", "response_format", "tools", "tool_choice", "parallel_tool_calls"),
        *("max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "stop", "stream", "stream_options"),
    ),
    "responses": (
        *("model", "input", "text", "tools", "tool_choice", "parallel_tool_calls"),
        *("max_output_tokens", "temperature", "top_p", "stream", "store"),
    ),
}
"""What SDKs have parameters for."""

_CONNECTION = {"APIConnectionError", "APITimeoutError"}


def creates_of(client: Any) -> dict[str, Callable[..., Any]]:
    """The functions of a client object that send requests, by path."""
    found: dict[str, Callable[..., Any]] = {}
    for path in _PARAMETERS:
        node = client
        for name in (*path.split("/"), "create"):
            node = getattr(node, name, None)
        if callable(node):
            found[path] = node
    if not found:
        raise ArgumentError(
            f"{type(client).__name__} is not a client: it has neither chat.completions.create nor responses.create",
            hint="pass a client object such as openai.OpenAI(); for a URL, use fw.connect",
            argument="client",
        )
    return found


def is_async(create: Callable[..., Any]) -> bool:
    """Whether a function is to be awaited."""
    inner = inspect.unwrap(create)
    called = getattr(inner, "__call__", None)  # noqa: B004 (of an object, its method)
    if inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(called):
        return True
    return type(getattr(inner, "__self__", None)).__name__.startswith("Async")


class _Sdk:
    """What both transports know."""

    def __init__(self, creates: Mapping[str, Callable[..., Any]], more: Mapping[str, Any] | None = None) -> None:
        self._creates, self._more = creates, more or {}
        self._passed: Mapping[str, Any] = {}

    def passing(self, given: Mapping[str, Any]) -> Self:
        """The same, for a request of which the caller has given these arguments of ``create``: they are passed on."""
        other = copy(self)
        other._passed = given
        return other

    def _call(self, request: Request, timeout: float | None) -> tuple[Callable[..., Any], dict[str, Any]]:
        if request.path not in self._creates:
            raise ArgumentError(f"the client has no {request.path.replace('/', '.')}.create", argument="api")
        names = {*_PARAMETERS[request.path], *self._passed}
        known = {name: deepcopy(value) for name, value in request.body.items() if name in names}
        unknown = {name: value for name, value in request.body.items() if name not in names}
        more = {**self._more, **known}
        if unknown:
            more["extra_body"] = {**(more.get("extra_body") or {}), **unknown}
        if timeout is not None:
            more["timeout"] = timeout
        return self._creates[request.path], more


class SdkTransport(_Sdk):
    """Requests by a client object for threads."""

    def send(self, request: Request, timeout: float | None) -> Answer:
        """The whole answer."""
        create, arguments = self._call(request, timeout)
        try:
            answer = create(**arguments)
            return Answer(200, _plain(answer), original=answer)
        except Exception as error:
            return _answer_of_error(error)

    def open(self, request: Request, timeout: float | None) -> tuple[Answer, _Stream | None]:
        """The head of an answer that is a stream, and the stream; of an error, all of it."""
        create, arguments = self._call(request, timeout)
        try:
            return Answer(200, {}), _Stream(create(**arguments))
        except Exception as error:
            return _answer_of_error(error), None


class AsyncSdkTransport(_Sdk):
    """Requests by a client object for event loops."""

    async def send(self, request: Request, timeout: float | None) -> Answer:
        """The whole answer."""
        create, arguments = self._call(request, timeout)
        try:
            answer = await create(**arguments)
            return Answer(200, _plain(answer), original=answer)
        except Exception as error:
            return _answer_of_error(error)

    async def open(self, request: Request, timeout: float | None) -> tuple[Answer, _AsyncStream | None]:
        """The head of an answer that is a stream, and the stream; of an error, all of it."""
        create, arguments = self._call(request, timeout)
        try:
            return Answer(200, {}), _AsyncStream(await create(**arguments))
        except Exception as error:
            return _answer_of_error(error), None


def _plain(answer: Any) -> Mapping[str, Any]:
    """An answer or an event as JSON has it."""
    plain = answer if isinstance(answer, Mapping) else None
    if plain is None and hasattr(answer, "model_dump"):
        plain = answer.model_dump(warnings=False)
    if not isinstance(plain, Mapping):
        raise RequestFailed(f"the client gave a {type(answer).__name__}, which is not an answer of an API")
    return plain


def _answer_of_error(error: Exception) -> Answer:
    """An answer that is an error. Raises RequestFailed if there is no answer, and what is not an error of an API."""
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        body = getattr(error, "body", None)
        headers = getattr(getattr(error, "response", None), "headers", {})
        return Answer(status, body if isinstance(body, Mapping) else str(error).encode(), dict(headers), original=error)
    if _CONNECTION & {cls.__name__ for cls in type(error).__mro__}:
        raise RequestFailed(
            f"the service could not be asked: {type(error).__name__}: {error}",
            hint="look at the base_url of the client, and whether the service runs",
            may_pass=True,
        ) from error
    raise error


class _Stream:
    """A stream of an SDK."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._events = stream, iter(stream)

    def read(self, timeout: float | None) -> Mapping[str, Any] | None:
        try:
            event = next(self._events, None)
        except Exception as error:
            raise _broken(error) from error
        return None if event is None else _plain(event)

    def close(self) -> None:
        if hasattr(self._stream, "close"):
            self._stream.close()


class _AsyncStream:
    """The same in an event loop."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._events = stream, aiter(stream)

    async def read(self, timeout: float | None) -> Mapping[str, Any] | None:
        try:
            event = await anext(self._events, None)
        except Exception as error:
            raise _broken(error) from error
        return None if event is None else _plain(event)

    async def close(self) -> None:
        if hasattr(self._stream, "close"):
            await self._stream.close()


def _broken(error: Exception) -> Exception:
    """A stream that ended in an error of the SDK, of its HTTP library, or of its JSON."""
    answer = None
    if isinstance(getattr(error, "status_code", None), int):
        answer = failure_of(_answer_of_error(error))
    return answer or RequestFailed(
        f"the service failed in the middle of its answer: {type(error).__name__}: {error}", may_pass=True
    )
