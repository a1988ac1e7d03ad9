"""kbnf: regular expressions only; a schema needs a front end that it does not have itself.

It stops at the first complete text and has no end token, so a newline ends the text, as its documents advise, and the
bit of the newline is read as that of the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from kbnf import AcceptTokenResult, Engine, Token, Vocabulary

from engines import Refused, words


class Kbnf:
    """``Engine`` over a raw pointer."""

    def __init__(self, tokens: Sequence[bytes], eos: int) -> None:
        spelled = {index: token for index, token in enumerate(tokens) if token}
        texts = {index: token.decode("utf-8", "replace") for index, token in spelled.items()}
        self.vocabulary = Vocabulary({index: Token(token) for index, token in spelled.items()}, texts)
        self.row = words(tokens)
        self.pointer, self.eos, self.newline = self.row.ctypes.data, eos, tokens.index(b"\n")

    def compile(self, kind: str, source: str) -> Engine:
        if kind != "regex":
            raise Refused("no JSON Schema")
        pattern = source.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return Engine(f'start ::= #"{pattern}" "\\n";', self.vocabulary)

    def fill(self, matcher: Engine) -> None:
        matcher.compute_allowed_token_ids()
        matcher.fill_torch_bitmask(self.pointer)
        if self.row[self.newline >> 5] >> (self.newline & 31) & 1:
            self.row[self.eos >> 5] |= np.int32(1 << (self.eos & 31))

    def accept(self, matcher: Engine, token: int) -> bool:
        try:
            return matcher.try_accept_new_token(token) != AcceptTokenResult.Finished
        except Exception:
            return False

    def reset(self, matcher: Engine) -> Engine:
        matcher.reset()
        return matcher
