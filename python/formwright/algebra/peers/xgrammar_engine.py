"""xgrammar with any whitespace; ``strict_mode`` is off, so that an object that does not say so is open."""

from __future__ import annotations

from importlib.metadata import version

import xgrammar

from formwright.algebra.peers import EOS, TOKENS

__all__ = ["make_engine"]


class _Reader:
    def __init__(self, grammar: xgrammar.CompiledGrammar) -> None:
        self.grammar = grammar

    def admits(self, data: bytes) -> bool:
        matcher = xgrammar.GrammarMatcher(self.grammar)
        return all(matcher.accept_token(token) for token in (*data, EOS))


class _Engine:
    version = version("xgrammar")

    def __init__(self) -> None:
        info = xgrammar.TokenizerInfo(
            list(TOKENS), xgrammar.VocabType.RAW, vocab_size=len(TOKENS), stop_token_ids=[EOS]
        )
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def read(self, schema: str) -> _Reader:
        return _Reader(self.compiler.compile_json_schema(schema, any_whitespace=True, strict_mode=False))


def make_engine() -> _Engine:
    """Make the engine."""
    return _Engine()
