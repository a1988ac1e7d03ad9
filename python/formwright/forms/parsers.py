"""A parser of your own as a form: code that reads a text character by character.

::

    class Palindrome(fw.CharacterParser):               # abba, and as long as you like
        def __init__(self, text: str = "") -> None:
            self.text = text

        def allowed_characters(self) -> str:
            return "abc"

        def add_character(self, character: str) -> "Palindrome":
            return Palindrome(self.text + character)

        def can_end(self) -> bool:
            return self.text == self.text[::-1]

        def key(self) -> str:
            return self.text

    ("It reads: " + Palindrome()).matches("It reads: abba")     # True

A `CharacterParser` says which characters may come, what it is after one of them, and whether the text may end. The
kernel asks it about the states that texts meet, remembers the answers by ``key``, and makes masks as for other forms.

Cost: for each state one call of ``allowed_characters``, ``can_end`` and, where there is one, ``shortest``; for each
character that a token asks about one of ``add_character``. What is known is kept with the form, for all its texts.

The wrinkle: a parser is code, so a form with one can be neither pickled nor stored.
"""

from __future__ import annotations

import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable
from functools import lru_cache
from typing import Any, TypeVar

from formwright._kernel import Language, character_ranges
from formwright.errors import NotAForm, ParserFailed, UnsatisfiableSchema
from formwright.forms import patterns
from formwright.forms.form import Form
from formwright.forms.text_checks import shorten

__all__ = ["CharacterParser", "Exploration", "parser_form"]

T = TypeVar("T")


class CharacterParser(ABC):
    """One state of a parser: what may come after the text that was read so far.

    States do not change: `add_character` returns another one. The state that is passed as a form is the one before the
    first character.
    """

    @abstractmethod
    def allowed_characters(self) -> str | re.Pattern[str] | Collection[str | re.Pattern[str]]:
        """The characters that may come next.

        Either a ``str`` of them, or a collection of single characters. Large sets are compiled patterns of one
        character, alone or in the collection: ``re.compile("[^<]")``. All characters of one pattern must lead to the
        same state, so that one of them is asked for all; those that are also listed are asked by themselves.

        Only characters after which some text can end may be allowed.
        """

    @abstractmethod
    def add_character(self, character: str) -> CharacterParser:
        """The state after ``character``, which is one of those allowed."""

    @abstractmethod
    def can_end(self) -> bool:
        """Whether the text may end here."""

    def key(self) -> Hashable:
        """What tells this state from others: after states with equal keys, the same texts may come.

        The state itself, unless a parser says otherwise: equal dataclasses (``frozen=True``) are one state, other
        objects a state each.
        """
        return self

    def shortest(self) -> str | None:
        """A completion that no other one has fewer bytes (UTF-8) than; ``None`` if there is none.

        A parser that does not define it has no budget, unless it has few states: at most 1,024, with 8,192 characters
        to go on by, counting a pattern as one. Each answer is checked against those of the following states.
        """
        raise NotImplementedError

    def value(self, text: str) -> Any:
        """What a complete text is read as, asked of the first state; the text, unless a parser says otherwise."""
        return text

    def __add__(self, other: Any) -> Form[Any]:
        return _combine_as_forms(operator.add, parser_form(self), other)

    def __radd__(self, other: Any) -> Form[Any]:
        return _combine_as_forms(operator.add, other, parser_form(self))

    def __or__(self, other: Any) -> Form[Any]:
        return _combine_as_forms(operator.or_, parser_form(self), other)

    def __ror__(self, other: Any) -> Form[Any]:
        return _combine_as_forms(operator.or_, other, parser_form(self))


def parser_form(parser: CharacterParser) -> Form[Any]:
    """A parser as a form.

    Raises:
        ParserFailed: The parser raised, or contradicts itself.
        NotAForm: It has no text.
    """
    knows_shortest = type(parser).shortest is not CharacterParser.shortest
    try:
        language = Language.parser(lambda: Exploration(parser), knows_shortest)
    except UnsatisfiableSchema:
        raise NotAForm(f"{_show_parser(parser)} reads no text: none of its states can end") from None
    is_text = type(parser).value is CharacterParser.value
    return Form(language, parser.value, f"parser {_show_parser(parser)}", "text" if is_text else "value")


class Exploration:
    """The states of a parser that were met so far, by number: what the kernel asks."""

    def __init__(self, parser: CharacterParser) -> None:
        self._states: list[CharacterParser] = []
        self._numbers: dict[Hashable, int] = {}
        self._number(parser)

    def outlook(self, state: int) -> tuple[str, list[list[tuple[str, str]]], bool]:
        """Characters that lead to a state each, ranges of characters that lead to the same one, and `can_end`."""
        parser = self._states[state]
        allowed = _ask_parser(parser, "allowed_characters", parser.allowed_characters)
        listed, alike = [], []
        for item in [allowed] if isinstance(allowed, str | re.Pattern) else _items(parser, allowed):
            if isinstance(item, re.Pattern):
                alike.append(_ranges(parser, item))
            elif isinstance(item, str) and (item is allowed or len(item) == 1):
                listed.append(item)
            else:
                raise _mistaken(parser, "allowed_characters", "single characters, or patterns of one", item)
        return _encodable(parser, "".join(listed)), alike, self._can_end(parser)

    def after(self, state: int, character: str) -> int:
        """The state after a character."""
        parser = self._states[state]
        after = _ask_parser(parser, "add_character", lambda: parser.add_character(character), character)
        if not isinstance(after, CharacterParser):
            raise _mistaken(parser, "add_character", "a CharacterParser", after)
        return self._number(after)

    def shortest(self, state: int) -> str | None:
        """The shortest completion."""
        parser = self._states[state]
        shortest = _ask_parser(parser, "shortest", parser.shortest)
        if shortest is None:
            return None
        if not isinstance(shortest, str):
            raise _mistaken(parser, "shortest", "a str or None", shortest)
        return _encodable(parser, shortest)

    def _can_end(self, parser: CharacterParser) -> bool:
        can_end = _ask_parser(parser, "can_end", parser.can_end)
        if not isinstance(can_end, bool):
            raise _mistaken(parser, "can_end", "a bool", can_end)
        return can_end

    def _number(self, parser: CharacterParser) -> int:
        """The number of the state with this key. The first state with it stands for all."""

        def look_up() -> int:
            return self._numbers.setdefault(parser.key(), len(self._states))

        number = _ask_parser(parser, "key", look_up)
        if number == len(self._states):
            self._states.append(parser)
        return number


def _ask_parser(parser: CharacterParser, method: str, ask: Callable[[], T], *arguments: object) -> T:
    """What a method answers. What it raises becomes the cause of an error of ours."""
    try:
        return ask()
    except Exception as error:
        call = f"{method}({', '.join(map(repr, arguments))})"
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise ParserFailed(f"{_show_parser(parser)}.{call} raised {what}") from error


def _items(parser: CharacterParser, allowed: object) -> Collection[object]:
    if isinstance(allowed, Collection) and not isinstance(allowed, bytes | bytearray):
        return _ask_parser(parser, "allowed_characters", lambda: list(allowed))
    raise _mistaken(parser, "allowed_characters", "a str, a pattern or a collection of these", allowed)


def _mistaken(parser: CharacterParser, method: str, wanted: str, given: object) -> ParserFailed:
    what = f"{type(given).__name__} {shorten(_repr(given))}"
    return ParserFailed(f"{_show_parser(parser)}.{method}() must return {wanted}, not {what}")


def _encodable(parser: CharacterParser, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ParserFailed(
            f"{_show_parser(parser)}: {text[error.start]!r} is a lone surrogate, no character"
        ) from error
    return text


def _ranges(parser: CharacterParser, pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    ranges = _ask_parser(parser, "allowed_characters", lambda: _ranges_of(pattern))
    if ranges is None:
        raise _mistaken(parser, "allowed_characters", "patterns of one character", pattern)
    return ranges


@lru_cache(maxsize=256)
def _ranges_of(pattern: re.Pattern[str]) -> list[tuple[str, str]] | None:
    return character_ranges(patterns.write_pattern(pattern))


def _show_parser(parser: CharacterParser) -> str:
    return shorten(_repr(parser))


def _repr(value: object) -> str:
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__qualname__}>"


def _combine_as_forms(combine: Callable[[Any, Any], Any], first: object, second: object) -> Form[Any]:
    """Two operands, of which the one that is a parser is taken for its form."""
    first, second = (parser_form(one) if isinstance(one, CharacterParser) else one for one in (first, second))
    combined: Form[Any] = combine(first, second)
    return combined
