"""lm-format-enforcer: its character parser, without a tokenizer."""

from __future__ import annotations

import json
from importlib.metadata import version

from lmformatenforcer import CharacterLevelParser, JsonSchemaParser

__all__ = ["make_engine"]


class _Reader:
    def __init__(self, parser: CharacterLevelParser) -> None:
        self.parser = parser

    def admits(self, data: bytes) -> bool:
        parser = self.parser
        for character in data.decode():
            if character not in parser.get_allowed_characters():
                return False
            parser = parser.add_character(character)
        return bool(parser.can_end())


class _Engine:
    version = version("lm-format-enforcer")

    def read(self, schema: str) -> _Reader:
        return _Reader(JsonSchemaParser(json.loads(schema)))


def make_engine() -> _Engine:
    """Make the engine."""
    return _Engine()
