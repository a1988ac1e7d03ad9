"""formwright, in any order and with any whitespace, as the others write."""

from __future__ import annotations

import json

from formwright import __version__
from formwright._kernel import Constraint, Vocabulary
from formwright.algebra.peers import EOS, TOKENS
from formwright.errors import MatchError
from formwright.forms.json_forms import json_schema

__all__ = ["make_engine"]


class _Reader:
    def __init__(self, constraint: Constraint[object]) -> None:
        self.constraint = constraint

    def admits(self, data: bytes) -> bool:
        matcher = self.constraint.matcher()
        try:
            matcher.accept_tokens([*data, EOS])
        except MatchError:
            return False
        return True


class _Engine:
    version = __version__

    def __init__(self) -> None:
        self.vocabulary = Vocabulary([token or None for token in TOKENS], eos_token_ids=[EOS])

    def read(self, schema: str) -> _Reader:
        form = json_schema(json.loads(schema), order="model", unknown_keywords="ignore")
        return _Reader(Constraint(form, self.vocabulary))


def make_engine() -> _Engine:
    """Make the engine."""
    return _Engine()
