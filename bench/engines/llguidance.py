"""llguidance with flexible whitespace, ``oneOf`` read as ``anyOf``, and its slices for JSON.

``no_forcing`` makes it offer every valid token where text is forced, as all the others do; by default it offers only
the canonical one. Masks are written through a raw pointer. Limits are the library's defaults.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

from engines import words

NO_FORCING = '%llguidance {"no_forcing": true}\n'
JSON_OPTIONS = {"whitespace_flexible": True, "coerce_one_of": True}


class _Tokenizer:
    """What ``TokenizerWrapper`` reads. A call, which only canonical tokenization needs, spells bytes."""

    bos_token_id = None

    def __init__(self, tokens: Sequence[bytes], eos: int) -> None:
        self.eos_token_id = eos
        self.special_token_ids = [index for index, token in enumerate(tokens) if not token]
        self.tokens = [token or b"\xff<%d>" % index for index, token in enumerate(tokens)]

    def __call__(self, text: str | bytes) -> list[int]:
        return list(text.encode() if isinstance(text, str) else text)


class Llguidance:
    """``LLMatcher`` over a raw pointer."""

    def __init__(self, tokens: Sequence[bytes], eos: int) -> None:
        general = LLTokenizer(TokenizerWrapper(_Tokenizer(tokens, eos)))
        self.tokenizers = {"regex": general, "json_schema": general.with_slices(LLTokenizer.json_slices())}
        self.row = words(tokens)
        self.pointer, self.size = self.row.ctypes.data, self.row.nbytes

    def compile(self, kind: str, source: str) -> LLMatcher:
        matcher = LLMatcher(self.tokenizers[kind], NO_FORCING + _start(kind, source), log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def fill(self, matcher: LLMatcher) -> None:
        matcher.unsafe_compute_mask_ptr(self.pointer, self.size)

    def accept(self, matcher: LLMatcher, token: int) -> bool:
        return bool(matcher.consume_token(token))

    def reset(self, matcher: LLMatcher) -> LLMatcher:
        if matcher.is_error():  # a mask that hit a limit
            raise ValueError(matcher.get_error())
        matcher.reset()
        return matcher


def _start(kind: str, source: str) -> str:
    if kind == "regex":
        return "start: /" + source.replace("/", r"\/") + "/"
    body = json.loads(source)
    if isinstance(body, dict):
        body["x-guidance"] = JSON_OPTIONS
    return "start: %json " + json.dumps(body)
