"""The names of control tokens in texts, read as control tokens wherever a form expects one.

A text from elsewhere spells a control token by its name, and the same characters may be plain text. Both readings are
followed, and one that makes the text complete wins.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from formwright._kernel import Language, Matcher, Vocabulary
from formwright.errors import TokenRejected

__all__ = ["byte_vocabulary", "read_control_tokens"]

_MOST_READINGS = 64
"""How many ways to take names for control tokens are followed at a time."""


def read_control_tokens(language: Language, data: bytes, start: Callable[[], Matcher]) -> tuple[bytes, int, bool]:
    """Read the names of control tokens in a text as control tokens wherever the language expects one.

    Args:
        language: The language.
        data: The text.
        start: Makes a matcher of the language that takes single bytes.

    Returns:
        The text with its control tokens, each a name between two bytes 0xFF; how many of its bytes conform to the
        language; whether it is complete.
    """
    names = [name.encode() for name in language.control_tokens]
    if not names:
        return data, *language.check(data)
    data = data.replace(b"\xff", b"\xfe")  # a user cannot mark control tokens: text has no such byte
    readings = [(b"", start())]
    at = 0
    while (place := min((found for name in names if (found := data.find(name, at)) >= 0), default=-1)) >= 0:
        # Of several names that begin there, the longest.
        name = max((name for name in names if data.startswith(name, place)), key=len)
        between, end = data[at:place], place + len(name)
        options = [between + b"\xff" + name + b"\xff", between + name]
        longer = [further for read in readings for option in options if (further := _read_on(*read, option))]
        if not longer:
            break
        readings, at = longer[:_MOST_READINGS], end
    tails = [data[at:]]  # and with a name that has only begun
    starts = range(max(at, len(data) - max(map(len, names)) + 1), len(data))
    tails += [data[at:k] + b"\xff" + data[k:] for k in starts if any(name.startswith(data[k:]) for name in names)]
    checked = []
    for read, matcher in readings:
        for tail in tails:
            whole = _read_on(read, matcher, tail)
            if whole is not None and whole[1].is_complete:
                return whole[0], len(whole[0]), True
            checked.append((read + tail, *language.check(read + tail)))
    return max(checked, key=lambda found: (found[2], found[1] - found[0][: found[1]].count(b"\xff")))


def _read_on(read: bytes, matcher: Matcher, text: bytes) -> tuple[bytes, Matcher] | None:
    """Read some more text: all that was read and its matcher, or ``None`` if the text cannot come next."""
    after = matcher.fork()
    try:
        after.accept_bytes(text)
    except TokenRejected:
        return None
    return read + text, after


@lru_cache(maxsize=64)
def byte_vocabulary(names: tuple[str, ...]) -> Vocabulary:
    """A vocabulary of all bytes, some control tokens and an end: enough to run any form over a text."""
    tokens = [*(bytes([byte]) for byte in range(256)), None, *(None for _ in names)]
    return Vocabulary(tokens, eos_token_ids=[256], special_tokens={name: 257 + at for at, name in enumerate(names)})
