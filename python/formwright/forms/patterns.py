r"""A compiled pattern of `re` as a text that says the same without a dialect.

::

    print(write_pattern(re.compile("(?i)k$")))
    # [Kk\u{212A}]       the class \p{0}: what re takes for a k
    # \p{0}(?=\n?$)      the pattern

``re`` parses, with its flags and all it has of its own (``[[:alpha:]]``, octal escapes, ``\N{BULLET}``), and this
writes its tree down. What a class means to ``re`` is asked of ``re``: which characters are ``\w``, and which a letter
matches without regard to case, depends on the Unicode of the interpreter and on a table of exceptions.

Cost: some microseconds for an item. The first ``\w``, ``\d`` or ``\s`` of a process takes 40 ms, the first pattern
without regard to case 20 ms: every code point is looked at.

The tree is that of a module of ``re`` which has no promises. An item that is not known here is refused.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from functools import cache, lru_cache
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

import numpy as np

from formwright.errors import RegexError, UnsupportedPattern

if TYPE_CHECKING:
    from typing import TypeAlias

    Item: TypeAlias = tuple[Any, Any]
    Ranges: TypeAlias = tuple[tuple[int, int], ...]

_READ = re.ASCII | re.DEBUG | re.DOTALL | re.IGNORECASE | re.MULTILINE | re.UNICODE | re.VERBOSE
_CODE_POINTS = 0x110000
_SURROGATES = (0xD800, 0xDFFF)

_SHORTHANDS = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}
_ATOMS = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN, op.BRANCH, op.SUBPATTERN)
_CHARACTERS = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)
_REFUSED = {
    op.ATOMIC_GROUP: ("atomic groups", "write an ordinary group, (?:...), if the same texts match it"),
    op.GROUPREF: (
        "back-references",
        "remove back-references; lookbehind may only cover one character",
    ),
    op.GROUPREF_EXISTS: ("conditional groups", "write both cases as alternatives: (?:A|B)"),
}
"""What is valid in a pattern but cannot be enforced, and what to write instead."""

_IS_INSIDE_NOTHING = re.match(r"\B", "") is not None
r"""Whether ``\B`` matches the empty text: from Python 3.14 on."""


def write_pattern(pattern: re.Pattern[str]) -> str:
    """What the kernel reads as the dialect ``"python"``: a line for each class, and the pattern.

    Raises:
        RegexError: The pattern is over bytes, or holds what cannot be compiled.
    """
    source = pattern.pattern
    if not isinstance(source, str) or pattern.flags & ~_READ:
        raise RegexError(
            f"{pattern!r} cannot be used: a pattern over str is needed", hint="write it over str", source=str(source)
        )
    flags = pattern.flags & ~re.DEBUG
    writer = _Writer(source)
    try:
        with warnings.catch_warnings():  # what is unclear in it was said when it was compiled
            warnings.simplefilter("ignore")
            text = writer.sequence(parser.parse(source, flags), flags)
    except RecursionError:
        raise writer.failure("groups are nested too deep") from None
    return "\n".join([*writer.classes, text])


class _Writer:
    """Writes the items of a tree, and collects the classes that they name."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.classes: dict[str, int] = {}

    def failure(self, what: str) -> RegexError:
        return RegexError(f"regular expression: {what}\n    {self.source}", source=self.source)

    def refusal(self, what: str, instead: str) -> UnsupportedPattern:
        message = f"regular expression: {what} cannot be compiled\n    {self.source}"
        return UnsupportedPattern(message, hint=instead, source=self.source)

    def sequence(self, items: Iterable[Item], flags: int) -> str:
        return "".join(self.item(item, flags) for item in items)

    def item(self, item: Item, flags: int) -> str:
        kind, argument = item
        if kind in _CHARACTERS:
            return self.character(item, flags)
        write = getattr(self, f"_{kind.name.lower()}", None)
        if write is None:
            raise (
                self.refusal(*_REFUSED[kind]) if kind in _REFUSED else self.failure(f"{kind.name.lower()} is not known")
            )
        return str(write(argument, flags))

    def character(self, item: Item, flags: int) -> str:
        """One character: itself, or a class."""
        kind, argument = item
        if kind is op.ANY:
            return "[^]" if flags & re.DOTALL else r"[^\n]"
        if kind is op.LITERAL and not flags & re.IGNORECASE:
            return _spell_ranges(((argument, argument),)) or "[]"
        members: list[Item] = argument if kind is op.IN else [(op.LITERAL, argument)]
        if kind is op.NOT_LITERAL:
            members.insert(0, (op.NEGATE, None))
        if flags & re.IGNORECASE:
            return self.name_class(_without_case(tuple(members), flags & re.ASCII))
        is_negated = members[0][0] is op.NEGATE
        return f"[{'^' * is_negated}{''.join(self.member(*member, flags) for member in members[is_negated:])}]"

    def member(self, kind: Any, argument: Any, flags: int) -> str:
        """A member of a class."""
        if kind is op.CATEGORY:
            return self.shorthand(_SHORTHANDS[argument], flags)
        return _spell_ranges((argument if kind is op.RANGE else (argument, argument),))

    def shorthand(self, letter: str, flags: int) -> str:
        r"""``\w`` and its like, as the class of a line; ``\W`` is what is not in it."""
        name = self.name_class(_shorthand(letter.lower(), flags & re.ASCII))
        return name.replace("p", "P") if letter.isupper() else name

    def name_class(self, ranges: Ranges) -> str:
        text = f"[{_spell_ranges(ranges)}]"
        return rf"\p{{{self.classes.setdefault(text, len(self.classes))}}}"

    def _branch(self, argument: Any, flags: int) -> str:
        return f"(?:{'|'.join(self.sequence(option, flags) for option in argument[1])})"

    def _subpattern(self, argument: Any, flags: int) -> str:
        _, added, removed, items = argument
        if added & (re.ASCII | re.UNICODE):
            flags &= ~(re.ASCII | re.UNICODE)
        flags = (flags | added) & ~removed
        return self.one(items, flags)

    def one(self, items: Any, flags: int) -> str:
        """Items as something that a count may follow."""
        text = self.sequence(items, flags)
        return text if len(items) == 1 and items[0][0] in _ATOMS else f"(?:{text})"

    def _max_repeat(self, argument: Any, flags: int) -> str:
        low, high, items = argument
        return f"{self.one(items, flags)}{{{low},{'' if high is op.MAXREPEAT else high}}}"

    def _min_repeat(self, argument: Any, flags: int) -> str:
        return f"{self._max_repeat(argument, flags)}?"

    def _possessive_repeat(self, argument: Any, flags: int) -> str:
        """As many as there are, and never fewer: either the most that may come, or none of them comes next."""
        low, high, items = argument
        if len(items) != 1 or items[0][0] not in _CHARACTERS:
            raise self.refusal(
                "possessive repetitions of more than one character",
                "write the repetition without the last plus, if the same texts match it",
            )
        one = self.one(items, flags)
        if high is op.MAXREPEAT:
            return f"(?:{one}{{{low},}}(?!{one}))"
        fewer = f"|{one}{{{low},{high - 1}}}(?!{one})" if low < high else ""
        return f"(?:{one}{{{high}}}{fewer})"

    def _assert(self, argument: Any, flags: int, sign: str = "=") -> str:
        direction, items = argument
        return f"(?{'<' if direction < 0 else ''}{sign}{self.sequence(items, flags)})"

    def _assert_not(self, argument: Any, flags: int) -> str:
        return self._assert(argument, flags, "!")

    def _failure(self, _: Any, __: int) -> str:
        return "[]"

    def _at(self, place: Any, flags: int) -> str:
        if place in (op.AT_BOUNDARY, op.AT_NON_BOUNDARY):
            return self.boundary(self.shorthand(r"\w", flags), negated=place is op.AT_NON_BOUNDARY)
        in_lines = bool(flags & re.MULTILINE)
        if place is op.AT_BEGINNING:
            return r"(?<![^\n])" if in_lines else "^"
        if place is op.AT_END:
            return r"(?=\n|$)" if in_lines else r"(?=\n?$)"
        return {op.AT_BEGINNING_STRING: "^", op.AT_END_STRING: "$"}[place]

    def boundary(self, word: str, *, negated: bool) -> str:
        if not negated:
            return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
        if _IS_INSIDE_NOTHING:
            return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"
        other = word.replace("p", "P")
        return f"(?:(?<={word})(?={word})|(?<={other})(?!{word})|^(?={other}))"


def _spell_ranges(ranges: Ranges) -> str:
    """Ranges as members of a class; surrogates are not characters of a text."""
    low, high = _SURROGATES
    text = []
    for first, last in ranges:
        first, last = high + 1 if low <= first <= high else first, low - 1 if low <= last <= high else last
        if first <= last:
            text.append(_escape_code(first) if first == last else f"{_escape_code(first)}-{_escape_code(last)}")
    return "".join(text)


def _escape_code(code: int) -> str:
    c = chr(code)
    return c if c.isascii() and c.isalnum() else rf"\u{{{code:X}}}"


@cache
def _shorthand(letter: str, ascii: int) -> Ranges:
    r"""The characters of ``\w``, ``\d`` or ``\s``."""
    codes = np.arange(128 if ascii else _CODE_POINTS)
    return _ranges_of(_find_matching(letter, re.RegexFlag(ascii), codes))


@lru_cache(maxsize=4096)
def _without_case(members: tuple[Item, ...], ascii: int) -> Ranges:
    """The characters of a class whose case does not matter."""
    is_in = np.zeros(_CODE_POINTS, bool)
    for kind, argument in members:
        if kind is op.CATEGORY:
            letter = _SHORTHANDS[argument]
            is_one = np.zeros(_CODE_POINTS, bool)
            for first, last in _shorthand(letter.lower(), ascii):
                is_one[first : last + 1] = True
            is_in |= is_one != letter.isupper()
        elif kind is not op.NEGATE:
            first, last = argument if kind is op.RANGE else (argument, argument)
            is_in[first : last + 1] = True
    if members[0][0] is op.NEGATE:
        is_in = ~is_in
    cased = _codes_with_case()
    is_in[cased] = _find_matching(_write_class(members), re.RegexFlag(ascii) | re.IGNORECASE, cased)[cased]
    return _ranges_of(is_in)


def _write_class(members: tuple[Item, ...]) -> str:
    """A class as it is written for ``re``."""
    text = ""
    for kind, argument in members:
        if kind is op.NEGATE:
            text += "^"
        elif kind is op.CATEGORY:
            text += _SHORTHANDS[argument]
        else:
            text += "-".join(rf"\U{code:08x}" for code in (argument if kind is op.RANGE else [argument]))
    return f"[{text}]"


def _find_matching(source: str, flags: re.RegexFlag, codes: Any) -> Any:
    """Of the code points ``codes``, which ``source`` matches: an array with a place for every code point."""
    low, high = _SURROGATES
    codes = codes[(codes < low) | (codes > high)]
    text = codes.astype("<u4").tobytes().decode("utf-32-le")
    is_in = np.zeros(_CODE_POINTS, bool)
    for match in re.compile(f"{source}+", flags).finditer(text):
        is_in[codes[match.start() : match.end()]] = True
    return is_in


def _ranges_of(is_in: Any) -> Ranges:
    edges = np.flatnonzero(np.diff(is_in, prepend=False, append=False)).tolist()
    return tuple((first, end - 1) for first, end in zip(edges[::2], edges[1::2], strict=True))


@cache
def _codes_with_case() -> Any:
    """The code points of all blocks of 256 in which one has another case."""
    codes = np.arange(_CODE_POINTS, dtype="<u4").reshape(-1, 256)
    texts = (block.tobytes().decode("utf-32-le", "surrogatepass") for block in codes)
    return codes[[text.lower() != text.upper() for text in texts]].ravel()
