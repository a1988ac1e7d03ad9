"""llguidance with its defaults: it refuses ``oneOf`` where options overlap."""

from __future__ import annotations

import json
from importlib.metadata import version

from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

from formwright.algebra.peers import EOS, TOKENS

__all__ = ["make_engine"]

_NO_FORCING = '%llguidance {"no_forcing": true}\n'
"""Every valid token is offered, not only the canonical one where text is forced."""


class _Tokenizer:
    """What ``TokenizerWrapper`` reads."""

    bos_token_id = None
    eos_token_id = EOS
    special_token_ids = (EOS,)
    tokens = [token or b"\xff<end>" for token in TOKENS]  # noqa: RUF012

    def __call__(self, text: str | bytes) -> list[int]:
        return list(text.encode() if isinstance(text, str) else text)


class _Reader:
    def __init__(self, matcher: LLMatcher) -> None:
        self.matcher = matcher

    def admits(self, data: bytes) -> bool:
        matcher = self.matcher.deep_copy()  # one that has rejected a token takes no other, even after a reset
        return all(matcher.consume_token(byte) for byte in data) and bool(matcher.is_accepting())


class _Engine:
    version = version("llguidance")

    def __init__(self) -> None:
        self.tokenizer = LLTokenizer(TokenizerWrapper(_Tokenizer()))

    def read(self, schema: str) -> _Reader:
        grammar = f"{_NO_FORCING}start: %json {json.dumps(json.loads(schema))}"
        matcher = LLMatcher(self.tokenizer, grammar, log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return _Reader(matcher)


def make_engine() -> _Engine:
    """Make the engine."""
    return _Engine()
