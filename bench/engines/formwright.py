"""formwright with its defaults: schema order, bounded flexible whitespace."""

from __future__ import annotations

from collections.abc import Sequence

import formwright as fw
from engines import words

FORMS = {"json_schema": fw.json_schema, "regex": fw.regex}


class Formwright:
    """The kernel as the Python package offers it."""

    def __init__(self, tokens: Sequence[bytes], eos: int) -> None:
        self.vocabulary = fw.Vocabulary(list(tokens), eos_token_ids=[eos])
        self.row = words(tokens)
        self.rows = fw.RowBuffer(self.row)

    def compile(self, kind: str, source: str) -> fw.Matcher:
        return fw.compile(FORMS[kind](source), self.vocabulary).matcher()

    def fill(self, matcher: fw.Matcher) -> None:
        matcher.fill_bitmask(self.rows)

    def accept(self, matcher: fw.Matcher, token: int) -> bool:
        try:
            matcher.accept_token(token)
        except fw.errors.TokenRejected:
            return False
        return True

    def reset(self, matcher: fw.Matcher) -> fw.Matcher:
        matcher.reset()
        return matcher
