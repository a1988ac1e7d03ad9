"""Send requests with a client object of an SDK: whatever has ``chat.completions.create`` or ``responses.create``.

::

    transport = SdkTransport(find_creates(OpenAI()))
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

from formwright.client.flow.steps import Request, Response
from formwright.client.transport.failures import read_failure
from formwright.errors import ArgumentError, RequestFailed

__all__ = ["AsyncSdkTransport", "SdkTransport", "find_creates", "is_async"]

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
"""The fields for which SDKs have parameters."""

_CONNECTION = {"APIConnectionError", "APITimeoutError"}


def find_creates(client: Any) -> dict[str, Callable[..., Any]]:
    """Find the functions of a client object that send requests, by path. Raises ArgumentError."""
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
    """Whether a function must be awaited."""
    inner = inspect.unwrap(create)
    called = getattr(inner, "__call__", None)  # noqa: B004 (of an object, its method)
    if inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(called):
        return True
    return type(getattr(inner, "__self__", None)).__name__.startswith("Async")


class _SdkBase:
    """What both transports have in common."""

    def __init__(self, creates: Mapping[str, Callable[..., Any]], more: Mapping[str, Any] | None = None) -> None:
        self._creates, self._more = creates, more or {}
        self._passed: Mapping[str, Any] = {}

    def pass_through(self, given: Mapping[str, Any]) -> Self:
        """Return a copy that passes the names of these arguments, which the caller gave for ``create``, as they are."""
        other = copy(self)
        other._passed = given
        return other

    def _prepare_call(self, request: Request, timeout: float | None) -> tuple[Callable[..., Any], dict[str, Any]]:
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


class SdkTransport(_SdkBase):
    """Sends requests with a client object for threads."""

    def send(self, request: Request, timeout: float | None) -> Response:
        """Send a request, and return its complete response."""
        create, arguments = self._prepare_call(request, timeout)
        try:
            answer = create(**arguments)
            return Response(200, _dump_answer(answer), original=answer)
        except Exception as error:
            return _convert_error(error)

    def open(self, request: Request, timeout: float | None) -> tuple[Response, _SdkStream | None]:
        """Send a request, and return the head of its response with its stream; or all of an error, with ``None``."""
        create, arguments = self._prepare_call(request, timeout)
        try:
            return Response(200, {}), _SdkStream(create(**arguments))
        except Exception as error:
            return _convert_error(error), None


class AsyncSdkTransport(_SdkBase):
    """Sends requests with a client object for event loops."""

    async def send(self, request: Request, timeout: float | None) -> Response:
        """Send a request, and return its complete response."""
        create, arguments = self._prepare_call(request, timeout)
        try:
            answer = await create(**arguments)
            return Response(200, _dump_answer(answer), original=answer)
        except Exception as error:
            return _convert_error(error)

    async def open(self, request: Request, timeout: float | None) -> tuple[Response, _AsyncSdkStream | None]:
        """Send a request, and return the head of its response with its stream; or all of an error, with ``None``."""
        create, arguments = self._prepare_call(request, timeout)
        try:
            return Response(200, {}), _AsyncSdkStream(await create(**arguments))
        except Exception as error:
            return _convert_error(error), None


def _dump_answer(answer: Any) -> Mapping[str, Any]:
    """Turn an answer or an event of an SDK into a mapping. Raises RequestFailed."""
    plain = answer if isinstance(answer, Mapping) else None
    if plain is None and hasattr(answer, "model_dump"):
        plain = answer.model_dump(warnings=False)
    if not isinstance(plain, Mapping):
        raise RequestFailed(f"the client gave a {type(answer).__name__}, which is not an answer of an API")
    return plain


def _convert_error(error: Exception) -> Response:
    """Turn an error of an SDK into a response.

    Raises:
        RequestFailed: There was no response.
        Exception: The error itself, if it is not an error of an API.
    """
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        body = getattr(error, "body", None)
        headers = getattr(getattr(error, "response", None), "headers", {})
        return Response(
            status, body if isinstance(body, Mapping) else str(error).encode(), dict(headers), original=error
        )
    if _CONNECTION & {cls.__name__ for cls in type(error).__mro__}:
        raise RequestFailed(
            f"the service could not be reached: {type(error).__name__}: {error}",
            hint="look at the base_url of the client, and whether the service runs",
            may_pass=True,
        ) from error
    raise error


class _SdkStream:
    """A stream of an SDK."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._events = stream, iter(stream)

    def read(self, timeout: float | None) -> Mapping[str, Any] | None:
        try:
            event = next(self._events, None)
        except Exception as error:
            raise _make_stream_error(error) from error
        return None if event is None else _dump_answer(event)

    def close(self) -> None:
        if hasattr(self._stream, "close"):
            self._stream.close()


class _AsyncSdkStream:
    """The same in an event loop."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._events = stream, aiter(stream)

    async def read(self, timeout: float | None) -> Mapping[str, Any] | None:
        try:
            event = await anext(self._events, None)
        except Exception as error:
            raise _make_stream_error(error) from error
        return None if event is None else _dump_answer(event)

    async def close(self) -> None:
        if hasattr(self._stream, "close"):
            await self._stream.close()


def _make_stream_error(error: Exception) -> Exception:
    """Make the error of a stream that failed in the SDK, its HTTP library, or its JSON."""
    answer = None
    if isinstance(getattr(error, "status_code", None), int):
        answer = read_failure(_convert_error(error))
    return answer or RequestFailed(
        f"the service failed in the middle of its answer: {type(error).__name__}: {error}", may_pass=True
    )
