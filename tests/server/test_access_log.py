"""Each request is a line of the access log, without its key and its text."""

from __future__ import annotations

import logging
from typing import Any

import pytest

import formwright as fw

httpx = pytest.importorskip("httpx")

from formwright.server import Settings, running  # noqa: E402

LOG = "formwright.server.access"


def test_each_request_is_a_line(caplog: pytest.LogCaptureFixture, tiny: fw.models.LocalModel) -> None:
    caplog.set_level(logging.INFO, logger=LOG)
    with running(tiny, Settings(api_key="the key")) as server:
        body: dict[str, Any] = {"model": "formwright-tiny", "prompt": "a prompt", "max_tokens": 1}
        headers = {"Authorization": "Bearer the key"}
        assert httpx.post(f"{server.base_url}/completions", json=body, headers=headers).status_code == 200
        assert httpx.get(f"{server.base_url}/models").status_code == 401
    lines = [record.getMessage() for record in caplog.records if record.name == LOG]
    assert ['"POST /v1/completions" 200 ' in lines[0], '"GET /v1/models" 401 ' in lines[1]] == [True, True]
    assert lines[0].startswith("127.0.0.1:")
    assert all("key" not in line and "a prompt" not in line for line in lines)
