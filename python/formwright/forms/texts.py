"""Forms of plain texts: a pattern, or one of some texts.

::

    fw.regex("[A-Z]{2}[0-9]{3}").matches("AB123")       # True
    fw.choice("yes", "no").parse("no")                 # 'no'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, overload

from formwright._kernel import Language
from formwright.errors import ArgumentError, NotAForm, RegexError
from formwright.forms import patterns
from formwright.forms.form import Form, Kind, Origin
from formwright.forms.kept import find_form
from formwright.forms.not_forms import name_of_type
from formwright.forms.text_checks import check_text, shorten

__all__ = ["choice", "regex", "spelled_form", "spellings_of"]

_FEW = 1_000
"""Options of a choice that is kept for the next request, at most."""

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

if TYPE_CHECKING:
    from typing_extensions import TypeForm


def regex(pattern: str | re.Pattern[str], *, unicode: bool = False) -> Form[str]:
    r"""Make a form of the texts that ``pattern`` matches from start to end.

    A compiled pattern means what ``re.fullmatch`` means. A text is in the dialect of Rust's regex library, but that
    ``\d``, ``\w``, ``\s`` and ``\b`` are about ASCII: ``\d`` is one of 0 to 9. Neither has back-references. The page on
    patterns tells their differences.

    Args:
        pattern: A text, or a compiled pattern with its flags.
        unicode: Whether ``\d``, ``\w``, ``\s`` and ``\b`` of a text are about all of Unicode; a pattern can say it of
            its parts too, with ``(?u:...)``. Compiled patterns have ``re.ASCII``.

    Raises:
        RegexError: With the place in the pattern.
        UnsupportedPattern: It is valid, but cannot be enforced; the hint says what to write instead.
        NotAForm: ``pattern`` is none.
        ArgumentError: ``unicode`` is given for a compiled pattern.
    """
    if isinstance(pattern, re.Pattern):
        if unicode:
            raise ArgumentError(
                f"unicode= is an option of texts, and {shorten(repr(pattern))} is compiled",
                hint="a compiled pattern is about all of Unicode unless it has re.ASCII",
                argument="unicode",
            )
        if isinstance(pattern.pattern, str):
            check_text(pattern.pattern, "pattern")
        title, origin = f"regex {shorten(repr(pattern.pattern))}", Origin("regex", _with_flags(pattern))
        return find_form(("regex", pattern), lambda: Form(_compile_pattern(pattern), str, title, "text", origin=origin))
    if not isinstance(pattern, str):
        raise NotAForm(f"regex: expected a pattern (str or re.Pattern), got {type(pattern).__name__}")
    check_text(pattern, "pattern")

    def make() -> Form[str]:
        language = Language.regex(pattern, dialect="unicode" if unicode else "ascii")
        return Form(language, str, f"regex {shorten(repr(pattern))}", "text", origin=Origin("regex", pattern))

    return find_form(("regex", pattern, unicode), make)


def _with_flags(pattern: re.Pattern[str]) -> str:
    """The text of a compiled pattern, with the flags that it was given beside it."""
    text = pattern.pattern
    letters = "".join(letter for letter in "aimsx" if pattern.flags & re.RegexFlag[letter.upper()])
    return text if not letters or re.match(r"\(\?[aiLmsux]+\)", text) else f"(?{letters}:{text})"


def _compile_pattern(pattern: re.Pattern[str]) -> Language:
    """The language of a compiled pattern. Errors show the user's pattern, not its translation."""
    text = patterns.write_pattern(pattern)
    try:
        return Language.regex(text, dialect="python")
    except RegexError as error:
        what = str(error).splitlines()[0]
        raise type(error)(f"{what}\n    {pattern.pattern}", hint=error.hint, source=pattern.pattern) from None


@overload
def choice(options: type[E], /) -> Form[E]: ...  # type: ignore[overload-overlap]
@overload
def choice(options: Iterable[str] | PathLike[str], /) -> Form[str]: ...
@overload
def choice(*options: str) -> Form[str]: ...
@overload
def choice(options: TypeForm[T], /) -> Form[T]: ...
def choice(*options: Any) -> Form[Any]:
    """Make a form of a few given texts: ``choice("yes", "no")``, ``choice(["yes", "no"])``, or an ``Enum`` of strings.

    A ``Literal`` of strings is such a choice too. There may be millions of texts. A text that is given twice is one
    option, and options have no order.

    A path, ``choice(Path("names.txt"))``, names a file of UTF-8 with one option on each line. Lines end with LF or
    CRLF, the last one perhaps with the file; all else is part of its option, but for a byte order mark at the beginning
    of the file. No line may be empty.

    Raises:
        ArgumentError: There is no option, or one is not a str; a line of a file is empty or not UTF-8.
        LimitExceeded: A text has more than 65,534 bytes, or all have more than 2 ** 30.
        OSError: The file cannot be read.
    """
    if len(options) == 1 and spellings_of(options[0]):
        return spelled_form(options[0])
    if len(options) == 1 and isinstance(options[0], PathLike):
        return _choice_of_file(Path(options[0]))
    texts = list(options[0]) if len(options) == 1 and _is_several(options[0]) else list(options)

    def make() -> Form[str]:
        return Form(
            _choice_language(texts), str, f"choice {_list_options(texts)}", "text", origin=Origin("choice", texts)
        )

    is_kept = len(texts) <= _FEW and all(type(text) is str for text in texts)
    return find_form(("choice", *texts) if is_kept else None, make)


def _choice_language(texts: list[Any]) -> Language:
    """The language of some options. Each one is checked only after the kernel has refused: there may be millions."""
    try:
        return Language.choice(texts)
    except (TypeError, UnicodeEncodeError):
        for text in texts:
            check_text(text, "options")
        raise


def _choice_of_file(path: Path) -> Form[str]:
    """One of the lines of a file."""
    try:
        language = Language.choice_of_lines(path.read_bytes())
    except ArgumentError as error:
        raise ArgumentError(f"{path}: {error}", hint=error.hint, argument=error.argument) from None
    return Form(language, str, f"choice of {shorten(path.name)}", "text")


def _list_options(texts: list[str], most: int = 30) -> str:
    """The options with commas; of a long list only its two ends, since `shorten` cuts the middle anyway."""
    shown = texts if len(texts) <= 2 * most else texts[:most] + texts[-most:]
    return shorten(", ".join(map(repr, shown)))


def _is_several(options: object) -> bool:
    """Whether it is a collection of texts. Neither a schema nor a type is, though both can be iterated over."""
    is_other = isinstance(options, str | bytes | Mapping | type) or get_origin(options) is not None
    return isinstance(options, Iterable) and not is_other


def spellings_of(form: Any) -> dict[str, Any]:
    """Text to value, for a ``Literal`` or ``Enum`` of strings only; empty for everything else."""
    if isinstance(form, type) and issubclass(form, Enum):
        values: tuple[Any, ...] = tuple(form)
        texts = [member.value for member in form]
    elif get_origin(form) is Literal:
        values = get_args(form)
        texts = list(values)
    else:
        return {}
    return dict(zip(texts, values, strict=True)) if all(type(text) is str for text in texts) else {}


@dataclass(frozen=True, slots=True)
class _Spelled:
    """Reads the texts of a ``Literal`` or ``Enum``; pickled as the type."""

    type_: Any

    def __call__(self, text: str) -> Any:
        return spellings_of(self.type_)[text]


def spelled_form(form: Any) -> Form[Any]:
    """The form of a ``Literal`` or ``Enum`` of strings."""
    spellings = spellings_of(form)
    for text in spellings:
        check_text(text, "options")
    is_text = all(value is text for text, value in spellings.items())
    is_string = all(isinstance(value, str) for value in spellings.values())
    kind: Kind = "text" if is_text else "string" if is_string else "value"
    read = str if is_text else _Spelled(form)
    texts = list(spellings)
    return Form(Language.choice(texts), read, name_of_type(form), kind, origin=Origin("choice", texts))
