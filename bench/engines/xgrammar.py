"""xgrammar, one thread and no cache between compiles, in two modes.

``xgrammar`` is the same class of languages as the others: any whitespace, ``strict_mode`` off (an object that does not
say so is open). ``xgrammar-strict`` is its default, which closes every object and array and so rejects valid texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import xgrammar as xg


class Xgrammar:
    """``GrammarMatcher`` over its own tensor."""

    strict = False
    is_cached = False

    def __init__(self, tokens: Sequence[bytes], eos: int) -> None:
        info = xg.TokenizerInfo(list(tokens), xg.VocabType.RAW, vocab_size=len(tokens), stop_token_ids=[eos])
        self.compiler = xg.GrammarCompiler(info, max_threads=1, cache_enabled=self.is_cached)
        self.bits = xg.allocate_token_bitmask(1, len(tokens))
        self.row = self.bits.numpy()[0]

    def compile(self, kind: str, source: str) -> xg.GrammarMatcher:
        if kind == "regex":
            return xg.GrammarMatcher(self.compiler.compile_regex(source))
        if kind == "lark":
            return xg.GrammarMatcher(self.compiler.compile_grammar(xg.Grammar.from_lark(source)))
        return xg.GrammarMatcher(
            self.compiler.compile_json_schema(source, any_whitespace=True, strict_mode=self.strict)
        )

    def fill(self, matcher: xg.GrammarMatcher) -> None:
        if not matcher.fill_next_token_bitmask(self.bits):
            self.row.fill(-1)  # its way to say that everything is allowed

    def accept(self, matcher: xg.GrammarMatcher, token: int) -> bool:
        return bool(matcher.accept_token(token))

    def reset(self, matcher: xg.GrammarMatcher) -> xg.GrammarMatcher:
        matcher.reset()
        return matcher


class XgrammarCached(Xgrammar):
    """With its cache of compiled grammars."""

    is_cached = True

    def forget(self) -> None:
        self.compiler.clear_cache()


class XgrammarStrict(Xgrammar):
    """Its default mode."""

    strict = True
