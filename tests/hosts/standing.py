"""Models that answer as a script says, for what the embedded model is too small for: loops of tools.

::

    model = local(['{"name": "add", "arguments": {"a": 1, "b": 2}}', "3"])       # a LocalModel: masks, samplers, all
    with remote([("calls", [("add", '{"a": 1, "b": 2}')]), ("text", "3")]) as (model, requests): ...

The local one is the embedded model with a runtime that wants the next text of the script; what it may write is for the
form to say. The remote one is a server of chat completions, streams included. `answering` is either of them, for what
must go the same way with both.
"""

from __future__ import annotations

import contextlib
import copy
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import formwright as fw

sys.path += [str(Path(__file__).parent.parent / "client"), str(Path(__file__).parent.parent / "clients")]
import parts
from scripted import DONE, Received, Scripted, answer, call, chat, chunk, error_body, event, head, ok, usage

LOOP = [("calls", [("add", '{"a": 2, "b": 3}')]), ("calls", [("multiply", '{"a": 5, "b": 4}')]), ("text", parts.RESULT)]
"""The answers that compute `parts.COMPUTE`: each call needs the result of the one before."""


class ScriptedRuntime:
    """Wants one text after the other: each fork of the empty one the next."""

    context = 4096

    def __init__(self, texts: list[str], vocabulary: fw.Vocabulary) -> None:
        self.texts, self.vocabulary = texts, vocabulary
        self.wanted, self.ids = b"", list[int]()
        self._turn = vocabulary.special_tokens["<|assistant|>"]
        self._tokens = [(vocabulary.token(token_id) or b"", token_id) for token_id in range(len(vocabulary))]

    @property
    def length(self) -> int:
        return len(self.ids)

    def prefill(self, token_ids: Sequence[int]) -> np.ndarray:
        self.ids = [*self.ids, *token_ids]
        begun = len(self.ids) - self.ids[::-1].index(self._turn)  # tokens of the form may come with the prompt
        written = b"".join(self.vocabulary.token(token_id) or b"" for token_id in self.ids[begun:])
        rest = self.wanted[len(written) :] if self.wanted.startswith(written) else b""
        logits = np.zeros(self.vocabulary.logits_size, np.float32)
        logits[list(self.vocabulary.eos_token_ids)] = 0 if rest else 100
        for spelled, token_id in self._tokens:
            if spelled and rest.startswith(spelled):
                logits[token_id] = 10 + len(spelled)
        return logits

    def step(self, token_id: int) -> np.ndarray:
        return self.prefill([token_id])

    def fork(self) -> ScriptedRuntime:
        twin = copy.copy(self)
        if not self.ids:
            twin.wanted = self.texts.pop(0).encode()
        return twin


def local(texts: Sequence[str]) -> fw.models.LocalModel:
    """A model that runs here and wants these texts, one for each question."""
    tiny = fw.load("formwright-tiny")
    runtime = ScriptedRuntime(list(texts), tiny.vocabulary)
    return replace(tiny, name="scripted", runtime=runtime, style="json_lines", list_tools=None)


class IdleRuntime:
    """Costs nothing, and always wants the same token: what is measured with it is what stands around a model."""

    context = 4096

    def __init__(self, vocabulary: fw.Vocabulary) -> None:
        self.length, self._logits = 0, np.zeros(vocabulary.logits_size, np.float32)
        self._logits[list(vocabulary.eos_token_ids)] = -1
        self._logits[next(at for at in range(len(vocabulary)) if vocabulary.token(at) == b"a")] = 1

    def prefill(self, token_ids: Sequence[int]) -> np.ndarray:
        self.length += len(token_ids)
        return self._logits

    def step(self, token_id: int) -> np.ndarray:
        return self.prefill([token_id])

    def fork(self) -> IdleRuntime:
        return copy.copy(self)


def idle() -> fw.models.LocalModel:
    """A model that runs here and costs nothing."""
    tiny = fw.load("formwright-tiny")
    return replace(tiny, name="idle", runtime=IdleRuntime(tiny.vocabulary))


@contextlib.contextmanager
def remote(answers: Sequence[tuple[str, Any]], *, asynchronous: bool = False) -> Iterator[tuple[Any, list[Received]]]:
    """A model behind an API that gives these answers, one for each request; and the requests.

    The kinds of answers are ``"text"``, ``"calls"``, ``"refusal"`` of the model, and ``"error"`` of the service.
    """
    left = list(answers)

    def script(request: Received) -> list[bytes]:
        kind, said = left.pop(0)
        if kind == "error":
            return [answer(400, error_body(said))]
        if kind == "refusal":
            return [ok(chat(None, refusal=said))]
        calls = [call(name, text, number) for number, (name, text) in enumerate(said)] if kind == "calls" else []
        text = None if calls else said
        if not request.json.get("stream"):
            return [ok(chat(text, "tool_calls" if calls else "stop", **({"tool_calls": calls} if calls else {})))]
        deltas = [{"tool_calls": [{"index": at, **one} for at, one in enumerate(calls)]}] if calls else []
        pieces = [chunk(text[:2]), chunk(text[2:])] if text else [chunk(None, None, **delta) for delta in deltas]
        last = chunk("", "tool_calls" if calls else "stop")
        return [head(), *map(event, pieces), event(last), event(usage(10, 5)), DONE]

    with Scripted(script) as server:
        yield fw.connect(server.url, "scripted", asynchronous=asynchronous), server.requests


@contextlib.contextmanager
def answering(answers: Sequence[tuple[str, Any]], *, is_local: bool) -> Iterator[Any]:
    """A model that gives these answers: one that runs here, or one behind an API."""
    if not is_local:
        with remote(answers) as (model, _):
            yield model
        return
    written = [
        "\n".join(json.dumps({"name": name, "arguments": json.loads(text)}) for name, text in said)
        if kind == "calls"
        else said
        for kind, said in answers
    ]
    yield local(written)
