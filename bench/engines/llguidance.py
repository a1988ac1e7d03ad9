"""llguidance with flexible whitespace and its slices for JSON, in two modes.

``llguidance`` reads ``oneOf`` as ``anyOf``; ``llguidance-exact``, its default, refuses ``oneOf`` where options overlap.

``no_forcing`` makes it offer every valid token where text is forced, as all the others do; by default it offers only
the canonical one. Masks are written through a raw pointer. Limits are the library's defaults.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

from engines import words

NO_FORCING = '%llguidance {"no_forcing": true}\n'


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

    json_options: Mapping[str, bool] = {"whitespace_flexible": True, "coerce_one_of": True}

    def __init__(self, tokens: Sequence[bytes], eos: int) -> None:
        general = LLTokenizer(TokenizerWrapper(_Tokenizer(tokens, eos)))
        self.tokenizers = {
            "regex": general,
            "lark": general,
            "json_schema": general.with_slices(LLTokenizer.json_slices()),
        }
        self.row = words(tokens)
        self.pointer, self.size = self.row.ctypes.data, self.row.nbytes

    def compile(self, kind: str, source: str) -> LLMatcher:
        matcher = LLMatcher(self.tokenizers[kind], NO_FORCING + _start(kind, source, self.json_options), log_level=0)
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


class LlguidanceExact(Llguidance):
    """Its default mode."""

    json_options: Mapping[str, bool] = {"whitespace_flexible": True}


def _start(kind: str, source: str, json_options: Mapping[str, bool]) -> str:
    if kind == "lark":
        return source
    if kind == "regex":
        return "start: /" + source.replace("/", r"\/") + "/"
    body = json.loads(source)
    if isinstance(body, dict):
        body["x-guidance"] = dict(json_options)
    return "start: %json " + json.dumps(body)
