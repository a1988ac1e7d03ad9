"""A server whose model follows a script, for what the embedded model is too small for: loops of tools that end.

::

    python calculator.py 8766

* "Describe Ada." is answered with Ada as JSON, or with a call of a tool that takes a person.
* "Greet Ada." is answered with a text.
* "Compute (2 + 3) * 4." leads to a call of ``add``, then of ``multiply``, then to the result.

The model only wants these texts: what it may write is for the form of the request to say.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import formwright as fw
from formwright.conversations.prompts import ROLES
from formwright.models import LocalModel
from formwright.server import serve

ADA = {"name": "Ada", "age": 36}
GREETING = "Good morning, Ada."
RESULT = "The result is 20."


def spellings(value: Any) -> list[str]:
    """A value as JSON with spaces and without."""
    return [json.dumps(value), json.dumps(value, separators=(",", ":"))]


def calls(*names: str, **arguments: Any) -> list[str]:
    """Calls of the first tool of these that there is."""
    return [text for name in names for text in spellings({"name": name, "arguments": arguments})]


PERSON_TOOLS = ("final_result", "Person", "PartialPerson")
SCRIPT: list[list[str]] = [
    [*spellings(ADA), *calls(*PERSON_TOOLS, **ADA)],
    [GREETING],
    calls("add", a=2, b=3),
    calls("multiply", a=5, b=4),
    [RESULT, *calls("final_answer", answer=RESULT)],
]
"""For each turn the texts that the model wants, the dearest first."""

QUESTIONS = {"Describe": 0, "Greet": 1, "Compute": 2}


class ScriptedRuntime:
    """Wants the texts of the turn that the first token of the prompt names."""

    context = 4096

    def __init__(self, vocabulary: fw.Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._turn, self._written, self.length = 0, b"", 0
        self._tokens = [(vocabulary.token(at) or b"", at) for at in range(len(vocabulary))]

    def prefill(self, token_ids: Sequence[int]) -> np.ndarray:
        ids = list(token_ids)
        if not self.length:
            self._turn = ids.pop(0)
        self.length += len(token_ids)
        self._written += b"".join(self._vocabulary.token(token_id) or b"" for token_id in ids)
        return self._logits()

    def step(self, token_id: int) -> np.ndarray:
        return self.prefill([token_id])

    def fork(self) -> ScriptedRuntime:
        return copy.copy(self)

    def _logits(self) -> np.ndarray:
        logits = np.zeros(self._vocabulary.logits_size, np.float32)
        texts = [text.encode() for text in SCRIPT[self._turn]]
        logits[list(self._vocabulary.eos_token_ids)] = 100 if self._written in (b"", *texts) else 1
        for rank, text in enumerate(reversed(texts)):
            if not text.startswith(self._written):
                continue
            rest = text[len(self._written) :]
            for spelled, token_id in self._tokens:
                if spelled and rest.startswith(spelled):
                    logits[token_id] = 200 + 100 * rank + len(spelled)
        return logits


def turn_of(conversation: Any) -> int:
    """Which turn of the script answers a conversation."""
    if isinstance(conversation, str):
        conversation = [{"role": "user", "content": conversation}]
    asked = [message["content"] for message in conversation if message["role"] == "user"]
    found = [QUESTIONS[word] for text in asked for word in QUESTIONS if word in text]
    results = [message for message in conversation if message["role"] == "tool"]
    told = [text for text in asked if "Observation:" in text]  # as smolagents tells results
    return found[0] + len(results) + len(told)


def scripted() -> LocalModel:
    """The model."""
    tiny = fw.load("formwright-tiny")
    runtime = ScriptedRuntime(tiny.vocabulary)
    encode = lambda conversation: [turn_of(conversation)]  # noqa: E731
    like = {"runtime": runtime, "encode": encode, "roles": ROLES, "style": "json_lines", "list_tools": None}
    return replace(tiny, name="scripted", **like)


if __name__ == "__main__":
    serve(scripted(), port=int(sys.argv[1]), log_level="error")
