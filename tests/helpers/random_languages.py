"""Random finite languages with random vocabularies and models of random opinions, and their exact distributions."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import formwright as fw
from formwright.models import LocalModel
from formwright.reference import languages as ref

END = 0
Tokens = tuple[int, ...]


class Case:
    """A random finite language, a random vocabulary over its letters, and a model with random opinions."""

    def __init__(self, seed: int, toy: Any) -> None:
        random = np.random.default_rng(seed)
        letters = "abc"
        words = {
            "".join(random.choice(list(letters), int(random.integers(1, 5)))) for _ in range(random.integers(1, 7))
        }
        self.texts = sorted(words | ({""} if random.random() < 0.2 else set()))
        longer = {"".join(random.choice(list(letters), int(random.integers(2, 4)))) for _ in range(4)}
        tokens = [b"", *(letter.encode() for letter in letters), *sorted(token.encode() for token in longer)]
        self.tokens = {index: token for index, token in enumerate(tokens) if token}
        self.vocabulary = fw.Vocabulary(tokens, eos_token_ids=[END])
        self.oracle = ref.choice(self.texts)
        self.form = fw.choice(self.texts)
        self.runtime = toy(len(tokens), seed)
        self.model = LocalModel("toy", self.runtime, self.vocabulary, lambda text: list(text.encode()))
        self.prompt = [1, 2]
        self.longest = max(map(len, self.texts))

    def log_probabilities(self, token_ids: Sequence[int]) -> np.ndarray:
        """What the model says after the prompt and these tokens."""
        logits = self.runtime.fork().prefill([*self.prompt, *token_ids]).astype(np.float64)
        return np.asarray(logits - math.log(np.exp(logits).sum()))

    def allowed(self, token_ids: Sequence[int]) -> list[int]:
        text = b"".join(self.tokens[token_id] for token_id in token_ids)
        return sorted(ref.allowed_tokens(self.oracle, text, self.tokens, ends={END}))

    def spellings(self) -> Iterator[tuple[Tokens, float]]:
        """Every spelling of every text with the log probability of it and its end."""
        pending: list[tuple[Tokens, float]] = [((), 0.0)]
        while pending:
            token_ids, score = pending.pop()
            said = self.log_probabilities(token_ids)
            for token_id in self.allowed(token_ids):
                if token_id == END:
                    yield token_ids, score + said[END]
                else:
                    pending.append(((*token_ids, token_id), score + said[token_id]))

    def text(self, token_ids: Sequence[int]) -> str:
        return b"".join(self.tokens[token_id] for token_id in token_ids).decode()

    def best(self, found: Iterator[tuple[Tokens, float]]) -> list[tuple[str, float]]:
        """Texts with the score of their best spelling, best first."""
        scores: dict[str, float] = {}
        for token_ids, score in found:
            text = self.text(token_ids)
            scores[text] = max(score, scores.get(text, -math.inf))
        return sorted(scores.items(), key=lambda entry: -entry[1])


def shares(texts: Sequence[str], log_weights: Sequence[float]) -> defaultdict[str, float]:
    found: defaultdict[str, float] = defaultdict(float)
    for text, log_weight in zip(texts, log_weights, strict=True):
        found[text] += math.exp(log_weight)
    return found


def distance(one: defaultdict[str, float], other: defaultdict[str, float]) -> float:
    """Total variation."""
    return sum(abs(one[text] - other[text]) for text in {*one, *other}) / 2
