"""What happens to a request is told to hooks, and logged for those who look."""

from __future__ import annotations

import logging
from typing import Any

import pytest

import formwright as fw
from formwright.client import AnswerCache, Hooks
from formwright.errors import ArgumentError, OutputInvalid

from .scripted import answer, call, chat, error_body, ok

ADA = '{"value": 36}'
PROMPT = "How old is Ada?"


def test_hooks_of_a_model_are_told_of_each_request(driven: Any, scripted: Any) -> None:
    told: list[tuple[str, Any]] = []
    hooks = Hooks()
    hooks.on("completion:kwargs", lambda **body: told.append(("kwargs", body["model"])))
    hooks.on("completion:usage", lambda usage: told.append(("usage", usage.total_tokens > 0)))
    hooks.on("parse:error", lambda error: told.append(("error", type(error))))
    server = scripted(ok(chat("no number")), ok(chat("36")))
    model = driven.connect(server.url, hooks=hooks, mode="instructions")
    assert model.generate(PROMPT, int, max_retries=1).value == 36
    kinds = [kind for kind, _ in told]
    assert kinds == ["kwargs", "usage", "error", "kwargs", "usage"]
    assert told[2][1] is OutputInvalid


def test_what_is_not_hooks_is_refused() -> None:
    with pytest.raises(ArgumentError, match="hooks: expected"):
        fw.connect("http://127.0.0.1:9/v1", "m", hooks=print)  # type: ignore[call-overload]


def logged(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(record.getMessage() for record in caplog.records if record.name == "formwright.client")


def test_retries_and_other_modes_are_logged(driven: Any, scripted: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="formwright.client")
    called = chat(None, "tool_calls", tool_calls=[call("int", '{"value": 36}')])
    refused = answer(400, error_body("response_format is not supported"))
    server = scripted(answer(503, error_body("busy")), refused, ok(called))
    assert driven.connect(server.url, request_retries=1).generate(PROMPT, int).value == 36
    assert "attempt 1 failed, the next begins in" in logged(caplog)
    assert "refused mode 'strict'" in logged(caplog)


def test_what_the_cache_knows_is_logged(
    driven: Any, scripted: Any, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="formwright.client")
    model = driven.connect(scripted(ok(chat(ADA))).url, cache=AnswerCache(tmp_path))
    assert [model.generate(PROMPT, int).value for _ in range(2)] == [36, 36]
    assert logged(caplog).count("found in the cache") == 1


def test_nothing_is_logged_unless_somebody_looks(driven: Any, scripted: Any, capfd: pytest.CaptureFixture[str]) -> None:
    model = driven.connect(scripted(answer(503, error_body("busy")), ok(chat(ADA))).url, request_retries=1)
    assert model.generate(PROMPT, int).value == 36
    assert capfd.readouterr() == ("", "")
