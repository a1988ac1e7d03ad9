"""Separate the thought before an answer from the answer while a text is written, and count its tokens.

::

    reader = ThoughtReader(is_open=False)
    reader.feed("<think>It is in Norway.</think>Oslo")       # ('It is in Norway.', 'Oslo')

The prompt may have opened the thought already.
"""

from __future__ import annotations

from typing import Any

from formwright.generation import Complete, Truncated, Writing
from formwright.incremental.markers import count_marker_start

__all__ = ["ThoughtReader", "count_thought_tokens"]


class ThoughtReader:
    """Separates a thought from the text after it.

    Args:
        is_open: Whether the prompt has opened the thought already.
    """

    OPEN, CLOSE, BLANK = "<think>", "</think>", " \n"

    def __init__(self, is_open: bool) -> None:
        self._buffer, self._is_opened, self._is_closed = "", is_open, False
        self.is_over = False

    def feed(self, text: str) -> tuple[str, str]:
        """Read the next piece. Returns what is now known to belong to the thought, and to the text after it."""
        self._buffer += text
        if not self._is_opened:
            if len(self._buffer) < len(self.OPEN):
                return "", ""
            self._buffer, self._is_opened = self._buffer[len(self.OPEN) :], True
        if self._is_closed:
            return "", self._take_answer()
        at = self._buffer.find(self.CLOSE)
        if at >= 0:
            thought, self._buffer, self._is_closed = self._buffer[:at], self._buffer[at + len(self.CLOSE) :], True
            return thought, self._take_answer()
        end = len(self._buffer) - count_marker_start(self._buffer, self.CLOSE)
        thought, self._buffer = self._buffer[:end], self._buffer[end:]
        return thought, ""

    def _take_answer(self) -> str:
        """Return the text after the thought, without the whitespace between them."""
        rest = self._buffer.lstrip(self.BLANK)
        self._buffer = ""
        self.is_over = bool(rest)
        return rest


def count_thought_tokens(result: Complete[Any] | Truncated, writing: Writing) -> int:
    """Count the tokens of the thought and its markers."""
    end = result.text.find(ThoughtReader.CLOSE)
    if end < 0:
        return len(result.token_ids)
    left = len(result.text[: end + len(ThoughtReader.CLOSE)].encode())
    vocabulary = writing.matcher.constraint.vocabulary
    names = {token_id: name for name, token_id in vocabulary.special_tokens.items()}
    count = 0
    for token_id in result.token_ids:
        if left <= 0:
            break
        left -= len(vocabulary.token(token_id) or names.get(token_id, "").encode())
        count += 1
    return count
