"""Find the end of a text that may begin a marker, and so has to be held back until more text comes.

::

    count_marker_start("I see. <tool", "<tool_call>")        # 5
"""

from __future__ import annotations

__all__ = ["count_marker_start"]


def count_marker_start(text: str, marker: str) -> int:
    """Count the characters at the end of a text that may begin a marker, but are not all of it."""
    longest = min(len(text), len(marker) - 1)
    return next((size for size in range(longest, 0, -1) if text.endswith(marker[:size])), 0)
