"""Carry out the steps of a flow: one loop for threads, one for event loops.

::

    result = run(flow, transport)                   # or: await run_async(flow, transport)
    with Arriving(flow, transport) as stream:       # or: async with ... async for
        for piece in stream:
            print(piece.text)
    stream.result

A *transport* sends requests: `formwright.client.transport.http` with httpx, `formwright.client.transport.sdk` with a
client object of an SDK. Errors of a transport are raised inside the flow, at the step that caused them, so the flow
decides what they mean.

Leaving the ``with`` block of a stream, by an error, a ``break`` or the cancellation of its task, closes the stream: its
connection is reused or dropped.
"""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from formwright._retries import Sleep
from formwright.client.flow.pieces import Piece
from formwright.client.flow.request_flow import Flow
from formwright.client.flow.steps import Close, Enter, Keep, Next, Open, Recall, Request, Response, Send, Step
from formwright.errors import StreamUnfinished
from formwright.generation.spans import GenerationSpan
from formwright.incremental import Partial

__all__ = ["Arriving", "ArrivingAsync", "AsyncTransport", "Cache", "OpenStream", "Transport", "run", "run_async"]

R_co = TypeVar("R_co", covariant=True)


class OpenStream(Protocol):
    """A response that is being read; in an event loop, both methods are awaited."""

    def read(self, timeout: float | None, /) -> Any:
        """Bytes, or an event that is decoded; ``None`` at the end."""
        ...

    def close(self) -> Any:
        """Close the stream."""
        ...


class Transport(Protocol):
    """Sends requests.

    Raises:
        RequestFailed: There is no response.
        LimitExceeded: The response is too large.
    """

    def send(self, request: Request, timeout: float | None, /) -> Response:
        """Send a request, and return its complete response."""
        ...

    def open(self, request: Request, timeout: float | None, /) -> tuple[Response, OpenStream | None]:
        """Send a request, and return the head of its response with its stream; or all of an error, with ``None``."""
        ...


class AsyncTransport(Protocol):
    """The same in an event loop."""

    def send(self, request: Request, timeout: float | None, /) -> Awaitable[Response]:
        """Send a request, and return its complete response."""
        ...

    def open(self, request: Request, timeout: float | None, /) -> Awaitable[tuple[Response, OpenStream | None]]:
        """Send a request, and return the head of its response with its stream; or all of an error, with ``None``."""
        ...


class Cache(Protocol):
    """Keeps the bodies of answers."""

    def get(self, key: str, /) -> Mapping[str, Any] | None:
        """A body, or ``None``."""
        ...

    def set(self, key: str, body: Mapping[str, Any], /) -> None:
        """Keep a body."""
        ...


class _Driver:
    """Carries out the steps of one flow."""

    def __init__(self, transport: Transport, cache: Cache | None) -> None:
        self._transport, self._cache = transport, cache
        self._stream: OpenStream | None = None
        self._span = GenerationSpan()

    def do(self, step: Step) -> Any:
        """Carry out a step, and return its result."""
        with self._span.activate():
            return self._do_in_span(step)

    def _do_in_span(self, step: Step) -> Any:
        if isinstance(step, Enter):
            self._span = step.span
            return None
        if isinstance(step, Next):
            return self._stream.read(step.timeout) if self._stream is not None else None
        if isinstance(step, Send):
            return self._transport.send(step.request, step.timeout)
        if isinstance(step, Open):
            self.close()
            answer, self._stream = self._transport.open(step.request, step.timeout)
            return answer
        if isinstance(step, Sleep):
            return time.sleep(step.seconds)
        if isinstance(step, Close):
            return self.close()
        return _use_cache(self._cache, step)

    def close(self) -> None:
        """Close the open stream, if there is one."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()


class _AsyncDriver:
    """The same in an event loop."""

    def __init__(self, transport: AsyncTransport, cache: Cache | None) -> None:
        self._transport, self._cache = transport, cache
        self._stream: OpenStream | None = None
        self._span = GenerationSpan()

    async def do(self, step: Step) -> Any:
        with self._span.activate():
            return await self._do_in_span(step)

    async def _do_in_span(self, step: Step) -> Any:
        if isinstance(step, Enter):
            self._span = step.span
            return None
        if isinstance(step, Next):
            return await self._stream.read(step.timeout) if self._stream is not None else None
        if isinstance(step, Send):
            return await self._transport.send(step.request, step.timeout)
        if isinstance(step, Open):
            await self.close()
            answer, self._stream = await self._transport.open(step.request, step.timeout)
            return answer
        if isinstance(step, Sleep):
            return await asyncio.sleep(step.seconds)
        if isinstance(step, Close):
            return await self.close()
        return await asyncio.to_thread(_use_cache, self._cache, step)  # the cache may be a file

    async def close(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.close()


def _use_cache(cache: Cache | None, step: Recall | Keep) -> Any:
    """Carry out a step of the cache; an error becomes a warning."""
    if cache is None:
        return None
    try:
        return cache.get(step.key) if isinstance(step, Recall) else cache.set(step.key, step.body)
    except Exception as error:  # a cache that fails costs a request, never an answer
        warnings.warn(f"the cache of answers failed: {error!r}", stacklevel=2)
        return None


def run(flow: Flow, transport: Transport, cache: Cache | None = None) -> Any:
    """Carry out a flow, and return its result. Raises what the flow raises."""
    with Arriving[Any](flow, transport, cache) as stream:
        for _ in stream:
            pass
    return stream.result


async def run_async(flow: Flow, transport: AsyncTransport, cache: Cache | None = None) -> Any:
    """Carry out a flow, and return its result. Raises what the flow raises."""
    async with ArrivingAsync[Any](flow, transport, cache) as stream:
        async for _ in stream:
            pass
    return stream.result


class _PieceStream(Generic[R_co]):
    """What `Arriving` and `ArrivingAsync` have in common."""

    _result: Any = None
    _partial: Partial | None = None
    _is_over = _is_closed = False

    @property
    def result(self) -> R_co:
        """What was written, once the loop over the stream has ended.

        Raises:
            StreamUnfinished: It has not.
        """
        if not self._is_over:
            raise StreamUnfinished(
                "the stream has no result: it was not read to its end",
                hint="read `result` after the loop over the stream",
            )
        result: R_co = self._result
        return result

    @property
    def partial(self) -> Partial | None:
        """The value so far; ``None`` before the first piece."""
        return self._partial

    def _keep_piece(self, piece: Piece) -> Piece:
        self._partial = piece.partial
        return piece

    def _keep_result(self, end: StopIteration) -> None:
        self._is_over, self._result = True, end.value


class Arriving(_PieceStream[R_co]):
    """An answer piece by piece: iterate over it, then read `result`. A context manager, which closes it."""

    def __init__(self, flow: Flow, transport: Transport, cache: Cache | None = None) -> None:
        self._flow, self._driver, self._resume = flow, _Driver(transport, cache), _START

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Piece:
        try:
            while True:
                step = self._resume(self._flow)
                if isinstance(step, Piece):
                    self._resume = _START
                    return self._keep_piece(step)
                self._resume = self._do_step(step)
        except StopIteration as end:
            if not self._is_over and not self._is_closed:
                self._keep_result(end)
            self.close()
            raise StopIteration from None
        except BaseException:
            self.close()
            raise

    def _do_step(self, step: Step) -> Callable[[Flow], Step | Piece]:
        """Carry out a step, and return the function that resumes the flow with its result or error."""
        try:
            brought = self._driver.do(step)
        except Exception as error:
            return _make_thrower(error)
        return _make_sender(brought)

    def close(self) -> None:
        """Close the stream and the flow."""
        self._is_closed = True
        self._flow.close()
        self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()


class ArrivingAsync(_PieceStream[R_co]):
    """The same in an event loop: ``async with`` and ``async for``."""

    def __init__(self, flow: Flow, transport: AsyncTransport, cache: Cache | None = None) -> None:
        self._flow, self._driver, self._resume = flow, _AsyncDriver(transport, cache), _START

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Piece:
        try:
            while True:
                step = self._resume(self._flow)
                if isinstance(step, Piece):
                    self._resume = _START
                    return self._keep_piece(step)
                self._resume = await self._do_step(step)
        except StopIteration as end:
            if not self._is_over and not self._is_closed:
                self._keep_result(end)
            await self.close()
            raise StopAsyncIteration from None
        except BaseException:
            await self.close()
            raise

    async def _do_step(self, step: Step) -> Callable[[Flow], Step | Piece]:
        try:
            brought = await self._driver.do(step)
        except Exception as error:
            return _make_thrower(error)
        return _make_sender(brought)

    async def close(self) -> None:
        """Close the stream and the flow."""
        self._is_closed = True
        self._flow.close()
        await self._driver.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        await self.close()


def _make_sender(brought: Any) -> Callable[[Flow], Step | Piece]:
    return lambda flow: flow.send(brought)


def _make_thrower(error: Exception) -> Callable[[Flow], Step | Piece]:
    return lambda flow: flow.throw(error)


_START = _make_sender(None)
"""Starts a flow, and resumes it after a piece."""
