"""LangChain's own tests of chat models, against a model that runs here and one behind `formwright serve`.

::

    tests/hosts/run langchain

What a model does not have is a property of its class here; nothing else is skipped. The embedded model answers, except
where a test looks at what is said: for that it is too small, so these answers are scripted.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from langchain_tests.integration_tests import ChatModelIntegrationTests
from langchain_tests.unit_tests import ChatModelUnitTests
from standing import ScriptedRuntime

import formwright as fw
from formwright.frameworks.langchain import FormwrightChatModel
from formwright.server import running

SCRIPT = {
    b"magic_function(3)": '{"name": "magic_function", "arguments": {"input": 3}}',
    b"Return nothing other than JSON": '{"setup": "Why do cats purr?", "punchline": "Nobody has told them to stop."}',
}
"""What is answered to prompts with these words."""


class Prompted:
    """The embedded model, and for the prompts of the script one that wants its answers."""

    def __init__(self, embedded: Any, scripted: ScriptedRuntime) -> None:
        self._embedded, self._scripted = embedded, scripted
        self._now: Any = embedded

    @property
    def context(self) -> int:
        return int(self._embedded.context)

    @property
    def length(self) -> int:
        return int(self._now.length)

    def prefill(self, token_ids: Sequence[int]) -> np.ndarray:
        if not self.length:
            vocabulary = self._scripted.vocabulary
            prompt = b"".join(vocabulary.token(token_id) or b"" for token_id in token_ids)
            for words, answer in SCRIPT.items():
                if words in prompt:
                    self._now, self._scripted.wanted = self._scripted, answer.encode()
        return np.asarray(self._now.prefill(token_ids))

    def step(self, token_id: int) -> np.ndarray:
        return np.asarray(self._now.step(token_id))

    def fork(self) -> Prompted:
        twin = Prompted(self._embedded.fork(), copy.copy(self._scripted))
        twin._now = twin._embedded if self._now is self._embedded else twin._scripted
        return twin


@pytest.fixture(scope="session", autouse=True)
def models() -> Iterator[None]:
    """The models, one of them behind a server."""
    tiny = fw.load("formwright-tiny")
    runtime = Prompted(tiny.runtime, ScriptedRuntime([], tiny.vocabulary))
    OfLocal.tested = replace(tiny, runtime=runtime, style="json_lines")
    with running(OfLocal.tested) as server, fw.connect(server.base_url, "formwright-tiny") as OfRemote.tested:
        yield


class OfLocal:
    """A model that runs here."""

    tested: Any = None
    chat_model_class = FormwrightChatModel
    supports_json_mode = True
    supports_model_override = False

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": self.tested}

    @property
    def standard_chat_model_params(self) -> dict[str, Any]:
        """Those of LangChain but two: a key belongs to `fw.connect`, and ``max_retries`` asks a model again."""
        return {"temperature": 0, "max_tokens": 200, "timeout": 60, "stop": []}


class OfRemote(OfLocal):
    """A model behind an API."""

    tested: Any = None


class TestLocalUnits(OfLocal, ChatModelUnitTests): ...


class TestLocal(OfLocal, ChatModelIntegrationTests): ...


class TestRemoteUnits(OfRemote, ChatModelUnitTests): ...


class TestRemote(OfRemote, ChatModelIntegrationTests): ...
