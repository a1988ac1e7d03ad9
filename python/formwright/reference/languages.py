"""The idea of formwright in naive Python: its explanation, and the oracle of the tests.

A *language* is a set of texts. Brzozowski's observation (1964) makes it run: after
reading one byte, what may follow is again a language, the *derivative*. So a state is
simply a language, and it answers three questions:

* ``derivative(byte)``: what may follow this byte;
* ``is_nullable``: whether the text may end here;
* ``is_alive()``: whether any text is left, or this is a dead end.

A language model writes tokens, and a token is several bytes. The tokens allowed next
are those whose bytes keep the language alive. Walking the vocabulary as a *prefix
tree* computes each derivative once for all tokens that share a beginning::

    >>> words = choice(["yes", "yesterday"])
    >>> vocabulary = {0: b"y", 1: b"yes", 2: b"es", 3: b"no", 4: b"ter"}
    >>> sorted(allowed_tokens(words, b"", vocabulary))
    [0, 1]
    >>> sorted(allowed_tokens(words, b"yes", vocabulary, ends={9}))
    [4, 9]

Texts are UTF-8, tokens may stop in the middle of a character, and so may a state: a
`Characters` remembers the bytes of the character it has begun.

Cost: everything is rebuilt at every step; a state is a tree that can grow with the
text. The kernel does the same by hash-consing states, by caching what a vocabulary does
to a leaf, and by visiting no state twice.

With `Both` and `Not` a state can look alive and contain nothing, as in
``Both(a, Not(a))``. `is_alive` then searches the derivatives for an ending; that search ends
for regular languages, so `Rule` (recursion) must not be under `Both` or `Not`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from typing import Any

__all__ = [
    "EMPTY",
    "NOTHING",
    "Both",
    "Characters",
    "Either",
    "Empty",
    "Language",
    "Not",
    "Nothing",
    "Repeat",
    "Rule",
    "Sequence",
    "after",
    "allowed_tokens",
    "alternative",
    "choice",
    "json_array",
    "json_blank",
    "json_object",
    "json_string",
    "json_value",
    "literal",
    "matches",
    "repeat",
    "sequence",
]


class Language:
    """A set of texts. Subclasses are frozen dataclasses, so equal states compare equal."""

    @property
    def is_nullable(self) -> bool:
        """Whether the text may end here."""
        return False

    def derivative(self, byte: int) -> Language:
        """The texts that may follow ``byte``."""
        raise NotImplementedError

    def is_alive(self) -> bool:
        """Whether the language holds any text. The functions below make no other languages but `NOTHING`."""
        return True


@dataclass(frozen=True)
class Nothing(Language):
    """No text at all: the dead end."""

    def derivative(self, byte: int) -> Language:
        return self

    def is_alive(self) -> bool:
        return False


@dataclass(frozen=True)
class Empty(Language):
    """Only the empty text: what is left when a text is complete."""

    @property
    def is_nullable(self) -> bool:
        return True

    def derivative(self, byte: int) -> Language:
        return NOTHING


NOTHING = Nothing()
EMPTY = Empty()


@dataclass(frozen=True)
class Characters(Language):
    """One character in ``ranges`` of code points, of which the bytes ``begun`` are already written."""

    ranges: tuple[tuple[int, int], ...]
    begun: bytes = b""

    def derivative(self, byte: int) -> Language:
        begun = self.begun + bytes([byte])
        reachable = _find_code_points(begun)
        if reachable is None or not any(low <= reachable[1] and reachable[0] <= high for low, high in self.ranges):
            return NOTHING
        return EMPTY if len(begun) == _find_length(begun[0]) else Characters(self.ranges, begun)


def _find_length(lead: int) -> int:
    """Return the number of bytes of a character whose first byte is ``lead``; 0 if there is none."""
    bounds = ((0x00, 0x7F, 1), (0xC2, 0xDF, 2), (0xE0, 0xEF, 3), (0xF0, 0xF4, 4))
    return next((length for low, high, length in bounds if low <= lead <= high), 0)


def _find_code_points(begun: bytes) -> tuple[int, int] | None:
    """Find the least and the greatest code point whose UTF-8 begins with ``begun``; ``None`` if there is none."""
    length = _find_length(begun[0])
    if length < len(begun) or any(byte & 0xC0 != 0x80 for byte in begun[1:]):
        return None
    lead = begun[0] if length == 1 else begun[0] & (0x7F >> length)
    known = reduce(lambda value, byte: value << 6 | byte & 0x3F, begun[1:], lead)
    missing = 6 * (length - len(begun))
    low, high = known << missing, (known + 1 << missing) - 1
    low = max(low, (0, 0x80, 0x800, 0x10000)[length - 1])  # no overlong forms
    low, high = (0xE000 if 0xD800 <= low <= 0xDFFF else low), (0xD7FF if 0xD800 <= high <= 0xDFFF else high)
    return (low, min(high, 0x10FFFF)) if low <= min(high, 0x10FFFF) else None


@dataclass(frozen=True)
class Sequence(Language):
    """A text of ``first`` followed by a text of ``then``. Build it with `sequence`."""

    first: Language
    then: Language

    @property
    def is_nullable(self) -> bool:
        return self.first.is_nullable and self.then.is_nullable

    def derivative(self, byte: int) -> Language:
        inside = sequence(self.first.derivative(byte), self.then)
        return alternative(inside, self.then.derivative(byte)) if self.first.is_nullable else inside

    def is_alive(self) -> bool:
        return self.first.is_alive() and self.then.is_alive()


@dataclass(frozen=True)
class Either(Language):
    """A text of any of ``options``. Build it with `alternative`."""

    options: frozenset[Language]

    @property
    def is_nullable(self) -> bool:
        return any(option.is_nullable for option in self.options)

    def derivative(self, byte: int) -> Language:
        return alternative(*(option.derivative(byte) for option in self.options))

    def is_alive(self) -> bool:
        return any(option.is_alive() for option in self.options)


@dataclass(frozen=True)
class Repeat(Language):
    """``low`` to ``high`` texts of ``body`` in a row; ``None`` for no upper bound. Build it with `repeat`."""

    body: Language
    low: int
    high: int | None

    @property
    def is_nullable(self) -> bool:
        return self.low == 0 or self.body.is_nullable

    def derivative(self, byte: int) -> Language:
        fewer = repeat(self.body, max(0, self.low - 1), None if self.high is None else self.high - 1)
        return sequence(self.body.derivative(byte), fewer)

    def is_alive(self) -> bool:
        return self.low == 0 or self.body.is_alive()


@dataclass(frozen=True)
class Both(Language):
    """A text of ``left`` that is also a text of ``right``."""

    left: Language
    right: Language

    @property
    def is_nullable(self) -> bool:
        return self.left.is_nullable and self.right.is_nullable

    def derivative(self, byte: int) -> Language:
        left, right = self.left.derivative(byte), self.right.derivative(byte)
        return NOTHING if NOTHING in (left, right) else Both(left, right)

    def is_alive(self) -> bool:
        return _has_text(self)


@dataclass(frozen=True)
class Not(Language):
    """Every byte string that is not a text of ``body``. Use it in `Both`, with a language of well-formed texts."""

    body: Language

    @property
    def is_nullable(self) -> bool:
        return not self.body.is_nullable

    def derivative(self, byte: int) -> Language:
        return Not(self.body.derivative(byte))

    def is_alive(self) -> bool:
        return _has_text(self)


@lru_cache(maxsize=100_000)
def _has_text(start: Language) -> bool:
    """Whether a language holds any text: a search, nearest states first."""
    seen, waiting = {start}, deque([start])
    while waiting:
        state = waiting.popleft()
        if state.is_nullable:
            return True
        following = {state.derivative(byte) for byte in range(256)} - seen - {NOTHING}
        seen |= following
        waiting += following
    return False


@dataclass(frozen=True)
class Rule(Language):
    """A language that may refer to itself: ``make`` is called when a text reaches it. Its texts must not be empty."""

    make: Callable[[], Language]

    def derivative(self, byte: int) -> Language:
        return self.make().derivative(byte)


def sequence(*parts: Language) -> Language:
    """One text of each part, in order."""
    language: Language = EMPTY
    for part in reversed(parts):
        language = _join_parts(part, language)
    return language


def _join_parts(first: Language, then: Language) -> Language:
    if NOTHING in (first, then):
        return NOTHING
    if isinstance(first, Sequence):  # lean to the right, so that equal states look equal
        return sequence(first.first, first.then, then)
    return then if first == EMPTY else first if then == EMPTY else Sequence(first, then)


def alternative(*options: Language) -> Language:
    """A text of any of the options."""
    flat = frozenset(leaf for option in options for leaf in _list_options(option)) - {NOTHING}
    return next(iter(flat)) if len(flat) == 1 else Either(flat) if flat else NOTHING


def _list_options(option: Language) -> Iterable[Language]:
    return option.options if isinstance(option, Either) else (option,)


def repeat(body: Language, low: int = 0, high: int | None = None) -> Language:
    """``low`` to ``high`` texts of ``body`` in a row."""
    if high == 0 or body == EMPTY:
        return EMPTY
    if body == NOTHING:
        return NOTHING if low else EMPTY
    return Repeat(body, low, high)


def literal(text: str) -> Language:
    """Exactly ``text``."""
    return sequence(*(Characters(((ord(character), ord(character)),)) for character in text))


def choice(options: Iterable[str]) -> Language:
    """Exactly one of ``options``."""
    return alternative(*map(literal, options))


def after(language: Language, text: bytes) -> Language:
    """Return the language of what may follow ``text``."""
    return reduce(lambda state, byte: state.derivative(byte), text, language)


def matches(language: Language, text: bytes) -> bool:
    """Whether ``text`` is a complete text."""
    return after(language, text).is_nullable


# ---- tokens ----------------------------------------------------------------------------------------------------

Tree = dict[int, Any]
"""Byte to subtree; the key -1 holds the ids of the tokens that end here."""


def make_prefix_tree(vocabulary: Mapping[int, bytes]) -> Tree:
    """Make the prefix tree of a vocabulary; tokens without bytes are left out."""
    root: Tree = {}
    for token, spelled in vocabulary.items():
        node = reduce(lambda at, byte: at.setdefault(byte, {}), spelled, root)
        node.setdefault(-1, []).append(token)
    root.pop(-1, None)
    return root


def allowed_tokens(
    language: Language, prefix: bytes, vocabulary: Mapping[int, bytes], ends: Iterable[int] = ()
) -> set[int]:
    """Find the ids that may follow ``prefix``: those that keep the language alive, and ``ends`` if the text may end."""
    state = after(language, prefix)
    return set(_walk_tree(state, make_prefix_tree(vocabulary))) | (set(ends) if state.is_nullable else set())


def _walk_tree(state: Language, node: Tree) -> Iterator[int]:
    yield from node.get(-1, ())
    for byte, child in node.items():
        if byte >= 0 and (following := state.derivative(byte)).is_alive():
            yield from _walk_tree(following, child)


# ---- JSON ------------------------------------------------------------------------------------------------------
#
# ``blank`` is the language of what may be written where JSON allows whitespace; by default nothing.

_DIGIT = Characters(((0x30, 0x39),))
_NONZERO = Characters(((0x31, 0x39),))
_HEX_DIGIT = Characters(((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)))


def json_string(low: int = 0, high: int | None = None, alphabet: str | None = None) -> Language:
    """A JSON string of ``low`` to ``high`` characters, with the escapes that JSON needs, in each of their spellings.

    Args:
        low: Least characters.
        high: Most characters; ``None`` for any number.
        alphabet: The characters that may occur; ``None`` for all.
    """
    if alphabet is not None:
        character = alternative(*map(_spell_character, alphabet))
        return sequence(literal('"'), repeat(character, low, high), literal('"'))
    plain = Characters(((0x20, 0x21), (0x23, 0x5B), (0x5D, 0x10FFFF)))
    short = choice(rf"\{letter}" for letter in '"\\bfnrt')
    control = sequence(literal(r"\u00"), choice("01"), _HEX_DIGIT)
    return sequence(literal('"'), repeat(alternative(plain, short, control), low, high), literal('"'))


def _spell_character(character: str) -> Language:
    short = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", '"': '"', "\\": "\\"}
    spellings = {f"\\{short[character]}"} if character in short else set()
    if character < " ":
        spellings |= {f"\\u{ord(character):04x}", f"\\u{ord(character):04X}"}
    return choice(spellings or {character})


def json_integer(max_digits: int = 24) -> Language:
    """A JSON integer of at most ``max_digits`` digits."""
    digits = alternative(literal("0"), sequence(_NONZERO, repeat(_DIGIT, 0, max_digits - 1)))
    return sequence(repeat(literal("-"), 0, 1), digits)


def json_number(max_digits: int = 24) -> Language:
    """A JSON number of at most ``max_digits`` digits before the point, after it, and in an exponent (there, nine)."""
    fraction = sequence(literal("."), repeat(_DIGIT, 1, max_digits))
    exponent = sequence(choice("eE"), repeat(choice("+-"), 0, 1), repeat(_DIGIT, 1, min(max_digits, 9)))
    return sequence(json_integer(max_digits), repeat(fraction, 0, 1), repeat(exponent, 0, 1))


def json_blank(most: int) -> Language:
    """At most ``most`` characters of JSON whitespace."""
    return repeat(choice(" \t\r\n"), 0, most)


def json_array(item: Language, low: int = 0, high: int | None = None, blank: Language = EMPTY) -> Language:
    """An array of ``low`` to ``high`` items."""
    padded = sequence(blank, item, blank)
    more = None if high is None else max(high - 1, 0)
    filled = sequence(padded, repeat(sequence(literal(","), padded), max(low - 1, 0), more))
    inside = blank if high == 0 else alternative(filled, blank) if low == 0 else filled
    return sequence(literal("["), inside, literal("]"))


def json_object(*members: tuple[str, Language, bool], blank: Language = EMPTY) -> Language:
    """An object of ``(key as JSON text, value, required)`` in this order, nothing else."""
    return sequence(literal("{"), _join_members(members, "", blank), literal("}"))


def _join_members(members: tuple[tuple[str, Language, bool], ...], comma: str, blank: Language) -> Language:
    if not members:
        return EMPTY if comma else blank
    (key, value, required), *rest = members
    member = sequence(literal(comma), blank, literal(key), blank, literal(":"), blank, value, blank)
    present = sequence(member, _join_members(tuple(rest), ",", blank))
    return present if required else alternative(present, _join_members(tuple(rest), comma, blank))


def json_value(blank: Language = EMPTY) -> Language:
    """Any JSON value: the recursive language, by a rule that refers to itself."""
    value = Rule(partial(json_value, blank))
    member = sequence(blank, json_string(), blank, literal(":"), blank, value, blank)
    members = alternative(blank, sequence(member, repeat(sequence(literal(","), member))))
    object_ = sequence(literal("{"), members, literal("}"))
    scalar = alternative(json_string(), json_number(), choice(["true", "false", "null"]))
    return alternative(object_, json_array(value, blank=blank), scalar)
