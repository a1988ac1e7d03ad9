"""Small things that tests of several rooms ask: a type, a vocabulary of bytes, models without a network."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel

import formwright as fw


class Person(BaseModel):
    name: str
    age: int


def byte_vocabulary() -> fw.Vocabulary:
    """Every byte, and one end of text: the smallest vocabulary that can write anything."""
    return fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[256])


class ToyRuntime:
    """A model with random opinions: the logits depend on every token before, and on nothing else."""

    context = 4096

    def __init__(self, width: int, seed: int = 0) -> None:
        self.width, self.seed = width, seed
        self.seen: list[int] = []
        self.calls: list[int] = []

    @property
    def length(self) -> int:
        return len(self.seen)

    def prefill(self, token_ids: Sequence[int]) -> np.ndarray:
        self.seen += token_ids
        self.calls.append(len(token_ids))
        history = zlib.crc32(np.array(self.seen, dtype=np.int64).tobytes())
        return np.random.default_rng([self.seed, history]).normal(size=self.width).astype(np.float32)

    def step(self, token_id: int) -> np.ndarray:
        return self.prefill([token_id])

    def fork(self) -> ToyRuntime:
        twin = ToyRuntime(self.width, self.seed)
        twin.seen = list(self.seen)
        return twin


class RuleRuntime:
    """A model whose logits a rule tells: of how many tokens there are, and of the last of them."""

    def __init__(self, rule: Callable[[int, int], Any], context: int = 4096, length: int = 0) -> None:
        self.rule, self.context, self.length = rule, context, length

    def prefill(self, token_ids: Sequence[int], /) -> np.ndarray:
        self.length += len(token_ids)
        return np.asarray(self.rule(self.length, int(token_ids[-1])), np.float32)

    def step(self, token_id: int, /) -> np.ndarray:
        return self.prefill([token_id])

    def fork(self) -> RuleRuntime:
        return RuleRuntime(self.rule, self.context, self.length)
