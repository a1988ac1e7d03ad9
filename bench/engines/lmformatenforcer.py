"""lm-format-enforcer with its bit masks. Tokens are texts to it, as in its own integrations: halves of a character are
replaced, and a text is a list of all ids so far.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from lmformatenforcer import CharacterLevelParser, JsonSchemaParser, RegexParser, TokenEnforcer
from lmformatenforcer.tokenenforcer import TokenEnforcerTokenizerData

from engines import words


@dataclass
class Running:
    """An enforcer and the tokens it was given."""

    parser: CharacterLevelParser
    enforcer: TokenEnforcer
    tokens: list[int] = field(default_factory=list)


class LmFormatEnforcer:
    """``TokenEnforcer``; the mask it returns is copied into the row."""

    def __init__(self, tokens: Sequence[bytes], eos: int) -> None:
        texts = [token.decode("utf-8", "replace") for token in tokens]
        regular = [(index, text, text.startswith(" ")) for index, text in enumerate(texts) if text]
        self.data = TokenEnforcerTokenizerData(
            regular, lambda ids: b"".join(tokens[i] for i in ids).decode("utf-8", "replace"), eos, True, len(tokens)
        )
        self.row = words(tokens)

    def compile(self, kind: str, source: str) -> Running:
        parser = RegexParser(source) if kind == "regex" else JsonSchemaParser(json.loads(source))
        return Running(parser, TokenEnforcer(self.data, parser))

    def fill(self, matcher: Running) -> None:
        self.row[:] = matcher.enforcer.get_allowed_tokens(matcher.tokens).allowed_tokens.numpy()

    def accept(self, matcher: Running, token: int) -> bool:
        matcher.tokens.append(token)
        return True  # a wrong token shows in the next mask

    def reset(self, matcher: Running) -> Running:
        return Running(matcher.parser, TokenEnforcer(self.data, matcher.parser))
