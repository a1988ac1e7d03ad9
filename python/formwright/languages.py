"""Anything a user may pass, as a language and the way to read its texts back.

================================  =======================  ==========================
what is passed                    what the model writes    what the text is read as
================================  =======================  ==========================
`Language`                        a text of it             ``str``
``re.compile(...)``               a text it matches whole  ``str``
``Literal`` or ``Enum`` of str    one of the strings       the string, the member
``dict``, ``bool``, ``str``       JSON for that schema     ``json.loads``
any other type                    JSON for that type       an instance of the type
================================  =======================  ==========================

::

    language({"type": "integer"}).matches(b"12")         # True
    form_of(Literal["yes", "no"]).language.example()     # b"no"

One table, `_READERS`, decides; its first match wins. Python types other than
``Literal`` and ``Enum`` need pydantic.

The wrinkle: a ``str`` is read as JSON Schema text, never as a text to be written;
that one is ``literal(...)``.
"""

from __future__ import annotations

import json as _json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from formwright._kernel import Constraint, Language, Vocabulary
from formwright.errors import RegexError, SchemaError

__all__ = ["Form", "choice", "compile", "form_of", "json", "json_schema", "language", "literal", "regex", "schema_text"]


@dataclass(frozen=True, slots=True)
class Form:
    """A language together with the reading of its texts."""

    language: Language
    parse: Callable[[str], Any]


def language(form: Any) -> Language:
    """The language of anything in the table above.

    Raises:
        LanguageError: With the place; see `formwright.errors`.
    """
    return form_of(form).language


def form_of(form: Any) -> Form:
    """The language of ``form`` and the function that reads a text of it."""
    if isinstance(form, Form):
        return form
    return next(read(form) for applies, read in _READERS if applies(form))


def compile(form: Any, vocabulary: Vocabulary) -> Constraint:
    """Compile ``form`` for ``vocabulary``: frozen, to be shared by threads and sequences."""
    return Constraint(language(form), vocabulary)


def json_schema(schema: Any, **options: Any) -> Language:
    """The JSON texts that ``schema`` allows.

    Args:
        schema: A dict, a bool, JSON Schema text, or a Python type.
        options: See `Language.json_schema`: ``order``, ``whitespace``, ``escapes``, ``formats``, ...

    Raises:
        SchemaError, UnsupportedKeyword, UnsatisfiableSchema, LimitExceeded: With a JSON Pointer.
    """
    return Language.json_schema(schema_text(schema), **options)


def regex(pattern: str | re.Pattern[str]) -> Language:
    r"""The texts that ``pattern`` matches from their first character to their last.

    The dialect is that of Rust's regex library, which reads what it shares with Python's in the same way (only ``\s``
    leaves out U+001C to U+001F). Look-around and back-references are refused. A compiled pattern brings its flags.

    Raises:
        RegexError: With the place in the pattern.
    """
    return Language.regex(_with_flags(pattern) if isinstance(pattern, re.Pattern) else pattern)


def choice(options: Iterable[str]) -> Language:
    """Exactly one of ``options``."""
    return Language.choice(list(options))


def literal(text: str) -> Language:
    """Exactly ``text``."""
    return Language.literal(text)


def json(*, whitespace: str = "flexible", escapes: str = "natural", max_digits: int = 24) -> Language:
    """Any JSON value."""
    return Language.json(whitespace=whitespace, escapes=escapes, max_digits=max_digits)


_FLAGS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x"}
_HARMLESS_FLAGS = re.UNICODE | re.NOFLAG


def _with_flags(pattern: re.Pattern[str]) -> str:
    """The pattern's text with its flags written in front, ``(?i)...``."""
    known = sum(_FLAGS, start=_HARMLESS_FLAGS)
    if not isinstance(pattern.pattern, str) or pattern.flags & ~known:
        raise RegexError(
            f"{pattern!r} cannot be used: a pattern over str with flags I, M, S and X only is needed",
            hint="write the pattern over str and leave out re.ASCII, re.LOCALE and re.DEBUG",
            source=str(pattern.pattern),
        )
    letters = "".join(letter for flag, letter in _FLAGS.items() if pattern.flags & flag)
    return f"(?{letters}){pattern.pattern}" if letters else pattern.pattern


def schema_text(schema: Any) -> str:
    """JSON Schema text for a dict, a bool, such a text or a Python type."""
    if isinstance(schema, str):
        return schema
    if isinstance(schema, dict | bool):
        return _dumps(schema)
    from formwright import types

    return types.schema_text(schema)


def _dumps(schema: Mapping[str, Any] | bool) -> str:
    try:
        text = _json.dumps(schema, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise SchemaError(
            f"the schema cannot be written as JSON: {error}",
            hint="a schema holds only dict, list, str, int, float, bool and None; no NaN, no cycle, no lone surrogate",
        ) from error
    return text


def _spellings(form: Any) -> dict[str, Any]:
    """Text to value, for a ``Literal`` or ``Enum`` of strings only; empty for everything else."""
    if isinstance(form, type) and issubclass(form, Enum):
        values: Sequence[Any] = list(form)
        texts = [member.value for member in form]
    elif get_origin(form) is Literal:
        values = get_args(form)
        texts = list(values)
    else:
        return {}
    return dict(zip(texts, values, strict=True)) if all(type(text) is str for text in texts) else {}


def _read_spellings(form: Any) -> Form:
    spellings = _spellings(form)
    return Form(choice(spellings), spellings.__getitem__)


def _read_schema(form: Any) -> Form:
    return Form(json_schema(form), _json.loads)


def _read_type(form: Any) -> Form:
    from formwright import types

    text, parse = types.reader(form)
    return Form(Language.json_schema(text), parse)


def _is(*classes: type) -> Callable[[Any], bool]:
    return lambda form: isinstance(form, classes)


_READERS: tuple[tuple[Callable[[Any], object], Callable[[Any], Form]], ...] = (
    (_is(Language), lambda form: Form(form, str)),
    (_is(re.Pattern), lambda form: Form(regex(form), str)),
    (_is(dict, bool, str), _read_schema),
    (_spellings, _read_spellings),
    (lambda form: True, _read_type),
)
