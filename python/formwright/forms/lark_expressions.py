r"""The regular expressions of Lark: those of `re`, but Lark reads some escapes itself before.

* ``\n``, ``\t``, ``\r``, ``\f``, ``\x41``, ``\u0041`` and ``\U00000041`` are their character. So ``\x2e`` is a dot,
  which is any character to `re`.
* Backslashes before a quote lose one, so ``\"`` and ``\\"`` are both a quote.
* All others are left to `re`: ``\\``, ``\d``, ``\.``.
"""

from __future__ import annotations

import codecs
import contextlib
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache

from formwright.errors import RegexError, UnsupportedConstruct, UnsupportedPattern
from formwright.forms.patterns import write_pattern
from formwright.forms.text_checks import shorten

__all__ = ["remark_escapes", "translate_expression", "translate_expressions"]

_LETTERS = {letter: re.RegexFlag[letter.upper()] for letter in "imsux"}
_ESCAPES = re.compile(
    r"""(?P<backslashes>\\+)(?=")
      | (?P<character>\\([nftr] | x[0-9A-Fa-f]{2} | u[0-9A-Fa-f]{4} | U00(0[0-9A-Fa-f]|10)[0-9A-Fa-f]{4}))
      | \\.""",
    re.DOTALL | re.VERBOSE,
)

_LONGEST_KEPT = 1000
"""Characters of the longest expression whose translation is kept."""


def translate_expression(regex: str, flags: str) -> str | None:
    """An expression in the dialect ``"python"`` of the kernel; ``None`` if `re` cannot read it.

    Where only what is written can be read, and not what Lark makes of it, that is meant.

    Raises:
        UnsupportedPattern: `re` can read it, but it cannot be enforced.
    """
    read = _read_escapes(regex)
    translated = _translate(read, flags)
    return _translate(regex, flags) if translated is None and read != regex else translated


def translate_expressions(text: str, regexes: Iterable[tuple[str, str, int, int]]) -> list[tuple[str, str, str]]:
    """The expressions of a grammar that `re` can read, with their flags and in the dialect of the kernel.

    Raises:
        UnsupportedConstruct: With the place of one that cannot be enforced.
    """
    found = []
    for regex, flags, line, slash in regexes:
        try:
            translated = translate_expression(regex, flags)
        except UnsupportedPattern as refusal:
            said, whole = str(refusal.args[0]).split("\n")[0], text.split("\n")[line - 1]
            column = slash + 1
            raise UnsupportedConstruct(
                f"grammar at {line}:{column}: {said}\n    {whole}\n    {' ' * slash}^",
                hint=refusal.hint,
                source=text,
                line=line,
                column=column,
            ) from None
        if translated is not None:
            found.append((regex, flags, translated))
    return found


def remark_escapes(regexes: Iterable[tuple[str, str, int, int]]) -> Iterator[tuple[int, int, str]]:
    """Remarks on expressions, given with flags and places, that mean something else to Lark than to `re`."""
    for regex, flags, line, column in regexes:
        read = _read_escapes(regex)
        if read == regex or (meant := _translate(read, flags)) is None:
            continue
        with contextlib.suppress(UnsupportedPattern):
            if meant == _translate(regex, flags):
                continue
        spelled = shorten(read.encode("unicode_escape").decode().replace("\\\\", "\\"))
        yield line, column, f"Lark reads escapes of its own before those of `re`: to it, this expression is /{spelled}/"


def _read_escapes(regex: str) -> str:
    """What Lark gives to `re`."""

    def read(escape: re.Match[str]) -> str:
        if escape["backslashes"]:
            return escape[0][1:]
        return codecs.decode(escape[0], "unicode_escape") if escape["character"] else escape[0]

    return _ESCAPES.sub(read, regex)


def _translate(regex: str, flags: str) -> str | None:
    translate = _translate_anew.__wrapped__ if len(regex) > _LONGEST_KEPT else _translate_anew
    try:
        return translate(regex, flags)
    except RecursionError:  # depends on who calls, so it is not kept
        return None


@lru_cache(maxsize=256)  # grammars have terminals in common, and each is asked about several times
def _translate_anew(regex: str, flags: str) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return write_pattern(re.compile(regex, sum(_LETTERS[letter] for letter in set(flags))))
    except UnsupportedPattern:
        raise  # it must not be read as what it means to others
    except (re.error, RegexError):
        return None
