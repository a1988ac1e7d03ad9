"""Scripted servers, and models behind them for threads and for event loops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("httpx", reason="formwright[client] is not installed")
pytest.importorskip("tenacity", reason="formwright[client] is not installed")

import formwright as fw

from .scripted import Scripted


class Driven:
    """A model behind an API, asked with or without an event loop: every test is run with both."""

    def __init__(self, is_async: bool) -> None:
        self.is_async = is_async

    def connect(self, url: str, **options: Any) -> _Model:
        options = {"request_retries": 0, "timeout": 10.0, "model": "m"} | options
        return _Model(fw.connect(url, asynchronous=self.is_async, **options), self.is_async)

    def wrapped(self, model: Any, client: Any) -> _Model:
        """A model behind a client object, which is closed with it."""
        return _Model(model, self.is_async, client)


class _Model:
    def __init__(self, model: Any, is_async: bool, client: Any = None) -> None:
        self.model, self._is_async, self._client = model, is_async, client or model

    def generate(self, *args: Any, **options: Any) -> Any:
        return self._run(lambda: self.model.generate(*args, **options))

    def generate_many(self, *args: Any, **options: Any) -> Any:
        return self._run(lambda: self.model.generate_many(*args, **options))

    def score(self, *args: Any, **options: Any) -> Any:
        return self._run(lambda: self.model.score(*args, **options))

    def stream(self, *args: Any, **options: Any) -> tuple[list[Any], Any]:
        """The pieces, and the result."""
        if not self._is_async:
            with self._client, self.model.stream(*args, **options) as stream:
                return list(stream), stream.result

        async def read() -> tuple[list[Any], Any]:
            async with self._client, self.model.stream(*args, **options) as stream:
                return [piece async for piece in stream], stream.result

        return asyncio.run(read())

    def _run(self, asked: Callable[[], Any]) -> Any:
        if not self._is_async:
            with self._client:
                return asked()

        async def wait() -> Any:
            async with self.model:
                return await asked()

        return asyncio.run(wait())


@pytest.fixture(params=["threads", "event loop"])
def driven(request: pytest.FixtureRequest) -> Driven:
    return Driven(request.param == "event loop")


@pytest.fixture
def scripted() -> Iterator[Callable[..., Scripted]]:
    """Servers that end with the test. Each argument is a script or an answer, for one request after the other."""
    servers: list[Scripted] = []

    def start(*answers: Any) -> Scripted:
        left = list(answers)

        def script(request: Any) -> Any:
            step = left.pop(0) if len(left) > 1 else left[0]
            step = step(request) if callable(step) else step
            return [step] if isinstance(step, bytes) else step

        servers.append(Scripted(script))
        return servers[-1].__enter__()

    yield start
    for server in servers:
        server.__exit__()
