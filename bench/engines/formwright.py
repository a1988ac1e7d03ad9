"""formwright in two modes, both with bounded flexible whitespace.

``formwright`` is its default: members in the order of the schema; an unknown keyword that looks misspelt is an error.
``formwright-any-order`` lets the model choose the order of members, and ignores unknown keywords, as validators do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import formwright as fw
from engines import words
from formwright.forms.kept import forget_forms

FORMS: Mapping[str, Callable[..., fw.Form[Any]]] = {
    "json_schema": fw.json_schema,
    "regex": fw.regex,
    "lark": fw.grammar,
}


class Formwright:
    """The kernel as the Python package offers it."""

    options: Mapping[str, Any] = {}

    def __init__(self, tokens: Sequence[bytes], eos: int) -> None:
        self.vocabulary = fw.Vocabulary(list(tokens), eos_token_ids=[eos])
        self.row = words(tokens)
        self.rows = fw.RowBuffer(self.row)

    def form(self, kind: str, source: str) -> fw.Form[Any]:
        """What the text says, whatever the vocabulary."""
        options = self.options if kind == "json_schema" else {}
        return FORMS[kind](source, **options)

    def compile(self, kind: str, source: str) -> fw.Matcher:
        return fw.compile(self.form(kind, source), self.vocabulary).matcher()

    def forget(self) -> None:
        forget_forms()
        self.vocabulary.forget_constraints()

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


class FormwrightAnyOrder(Formwright):
    """Members in any order; unknown keywords are ignored, as a validator does."""

    options: Mapping[str, Any] = {"order": "model", "unknown_keywords": "ignore"}
