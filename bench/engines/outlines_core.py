"""outlines-core: a regular expression, or the one it makes of a schema, as an index of all states by all tokens.

The whitespace of a schema is set to any run of JSON's four spaces, as the others allow.
"""

from __future__ import annotations

from collections.abc import Sequence

from outlines_core import Guide, Index, Vocabulary
from outlines_core.json_schema import build_regex_from_schema

from engines import words

WHITESPACE = r"[ \t\n\r]*"


class OutlinesCore:
    """``Guide`` over a raw pointer."""

    def __init__(self, tokens: Sequence[bytes], eos: int) -> None:
        self.vocabulary = Vocabulary(eos, _ids(tokens, eos))
        self.row = words(tokens)
        self.where = self.row.ctypes.data, self.row.size, self.row.itemsize

    def compile(self, kind: str, source: str) -> Guide:
        pattern = source if kind == "regex" else build_regex_from_schema(source, WHITESPACE)
        return Guide(Index(pattern, self.vocabulary))

    def fill(self, matcher: Guide) -> None:
        matcher.write_mask_into(*self.where)

    def accept(self, matcher: Guide, token: int) -> bool:
        try:
            matcher.advance(token, return_tokens=False)
        except ValueError:
            return False
        return True

    def reset(self, matcher: Guide) -> Guide:
        matcher.reset()
        return matcher


def _ids(tokens: Sequence[bytes], eos: int) -> dict[bytes, list[int]]:
    ids: dict[bytes, list[int]] = {}
    for index, token in enumerate(tokens):
        if token and index != eos:
            ids.setdefault(token, []).append(index)
    return ids
