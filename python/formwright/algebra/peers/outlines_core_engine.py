"""outlines-core: the regular expression that it makes of a schema, with any whitespace."""

from __future__ import annotations

from importlib.metadata import version

from outlines_core import Guide, Index, Vocabulary
from outlines_core.json_schema import build_regex_from_schema

from formwright.algebra.peers import EOS, TOKENS

__all__ = ["make_engine"]

_WHITESPACE = r"[ \t\n\r]*"


class _Reader:
    def __init__(self, index: Index) -> None:
        self.index = index

    def admits(self, data: bytes) -> bool:
        guide = Guide(self.index)
        try:
            for token in data:
                guide.advance(token, return_tokens=False)
        except ValueError:
            return False
        return bool(guide.is_finished())


class _Engine:
    version = version("outlines-core")

    def __init__(self) -> None:
        self.vocabulary = Vocabulary(EOS, {token: [index] for index, token in enumerate(TOKENS) if token})

    def read(self, schema: str) -> _Reader:
        return _Reader(Index(build_regex_from_schema(schema, _WHITESPACE), self.vocabulary))


def make_engine() -> _Engine:
    """Make the engine."""
    return _Engine()
