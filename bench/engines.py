"""One small class an engine: compile a schema, fill a mask, accept a token.

Each engine is imported only in a process of its own.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np


class Engine(Protocol):
    """What the harness asks of an engine."""

    row: np.ndarray

    def __init__(self, tokens: Sequence[bytes]) -> None: ...
    def compile(self, schema: str) -> Any:
        """A fresh matcher, or an exception when the engine refuses the schema."""

    def fill(self, matcher: Any) -> None:
        """Write the mask into ``row``."""

    def accept(self, matcher: Any, token: int) -> bool: ...
    def restart(self, matcher: Any) -> None: ...


def read_vocabulary(data: bytes) -> list[bytes]:
    """The tokens of ``vocabulary.bin``."""
    tokens, at = [], 0
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at)
        tokens.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return tokens


class Formwright:
    """This project."""

    def __init__(self, tokens: Sequence[bytes]) -> None:
        import formwright as fw

        self.fw = fw
        self.vocabulary = fw.Vocabulary(list(tokens), eos_token_ids=[2])
        self.row = fw.allocate_bitmask(1, self.vocabulary)

    def compile(self, schema: str) -> Any:
        return self.fw.Constraint(self.fw.Language.json_schema(schema), self.vocabulary).matcher()

    def fill(self, matcher: Any) -> None:
        matcher.fill_bitmask(self.row, 0)

    def accept(self, matcher: Any, token: int) -> bool:
        try:
            matcher.accept_token(token)
        except self.fw.errors.TokenRejected:
            return False
        return True

    def restart(self, matcher: Any) -> None:
        matcher.reset()


class Llguidance:
    """llguidance with every valid token offered (``no_forcing``)."""

    def __init__(self, tokens: Sequence[bytes]) -> None:
        import llguidance
        import llguidance.numpy

        special = [index for index, token in enumerate(tokens) if not token]
        spelled = [token or b"\xff<%d>" % index for index, token in enumerate(tokens)]
        wrapper = type(
            "Tokenizer", (), {"eos_token_id": 2, "bos_token_id": 1, "tokens": spelled, "special_token_ids": special}
        )
        wrapper.__call__ = lambda self, text: list(text.encode() if isinstance(text, str) else text)
        self.lib = llguidance
        self.tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(wrapper()))
        self.row = np.zeros((1, (len(tokens) + 31) // 32), np.int32)

    def compile(self, schema: str) -> Any:
        body = json.loads(schema)
        if not isinstance(body, dict):
            raise ValueError("boolean schema")
        body["x-guidance"] = {"whitespace_flexible": True, "coerce_one_of": True}
        grammar = '%llguidance {"no_forcing": true}\nstart: %json ' + json.dumps(body)
        matcher = self.lib.LLMatcher(self.tokenizer, grammar, log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def fill(self, matcher: Any) -> None:
        self.lib.numpy.fill_next_token_bitmask(matcher, self.row, 0)

    def accept(self, matcher: Any, token: int) -> bool:
        return bool(matcher.consume_token(token))

    def restart(self, matcher: Any) -> None:
        matcher.reset()


class Xgrammar:
    """xgrammar in its default (strict) mode."""

    def __init__(self, tokens: Sequence[bytes]) -> None:
        import xgrammar

        self.lib = xgrammar
        info = xgrammar.TokenizerInfo(list(tokens), xgrammar.VocabType.RAW, vocab_size=len(tokens), stop_token_ids=[2])
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        self.bits = xgrammar.allocate_token_bitmask(1, len(tokens))
        self.row = self.bits.numpy()

    def compile(self, schema: str) -> Any:
        return self.lib.GrammarMatcher(self.compiler.compile_json_schema(schema))

    def fill(self, matcher: Any) -> None:
        matcher.fill_next_token_bitmask(self.bits, 0)

    def accept(self, matcher: Any, token: int) -> bool:
        return bool(matcher.accept_token(token))

    def restart(self, matcher: Any) -> None:
        matcher.reset()


ENGINES: dict[str, type[Engine]] = {"formwright": Formwright, "llguidance": Llguidance, "xgrammar": Xgrammar}
