"""Servers that run while a test does, and the clients that ask them."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import formwright as fw

pytest.importorskip("starlette", reason="formwright[server] is not installed")
openai = pytest.importorskip("openai", reason="the openai SDK is not installed")

import uvicorn  # noqa: E402

from formwright.server import Settings, create_app  # noqa: E402

MODEL = "formwright-tiny"


@contextlib.contextmanager
def running(model: fw.models.LocalModel, settings: Settings | None = None) -> Iterator[Any]:
    """A server in a thread: its ``url``, and its ``app``."""
    app = create_app(model, settings)
    server = uvicorn.Server(
        uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", timeout_graceful_shutdown=5)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    app.state.url = f"http://127.0.0.1:{port}"
    try:
        yield app.state
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def tiny() -> fw.models.LocalModel:
    return fw.load(MODEL)


@pytest.fixture(scope="session")
def served(tiny: fw.models.LocalModel) -> Iterator[Any]:
    """The embedded model."""
    with running(tiny) as state:
        yield state


@pytest.fixture(scope="session")
def client(served: Any) -> Iterator[Any]:
    with openai.OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture(scope="session")
def post(served: Any) -> Iterator[Callable[..., Any]]:
    """Send JSON; the status and the JSON that comes back."""
    import httpx

    with httpx.Client(base_url=served.url, timeout=60) as http:

        def send(path: str, body: Any, **more: Any) -> tuple[int, Any]:
            answer = http.post(path, json=body, **more)
            return answer.status_code, answer.json()

        yield send
