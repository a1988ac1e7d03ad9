"""Servers that run while a test does, and the clients that ask them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import formwright as fw

pytest.importorskip("starlette", reason="formwright[server] is not installed")
openai = pytest.importorskip("openai", reason="the openai SDK is not installed")

from formwright.server import running  # noqa: E402

MODEL = "formwright-tiny"
ADA = [{"role": "user", "content": "Ada is 36 years old."}]


@pytest.fixture(scope="session")
def served(tiny: fw.models.LocalModel) -> Iterator[Any]:
    """The embedded model."""
    with running(tiny) as server:
        yield server


@pytest.fixture(scope="session")
def client(served: Any) -> Iterator[Any]:
    with openai.OpenAI(base_url=served.base_url, api_key="none", max_retries=0) as client:
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
