"""Anything a user may pass, as a form: a language and what its texts are read as.

================================  =======================  ==========================
what is passed                    what the model writes    what the text is read as
================================  =======================  ==========================
`Form`, `Constraint`              a text of it             as it says
``re.compile(...)``               a text it matches whole  ``str``
``Literal`` or ``Enum`` of str    one of the strings       the string, the member
`CharacterParser`                 a text it reads          as it says, else ``str``
``dict``, ``bool``                JSON for that schema     ``json.loads``
any other type                    JSON for that type       an instance of the type
================================  =======================  ==========================

::

    fw.form({"type": "integer"}).parse("12")             # 12
    fw.form(Literal["yes", "no"]).example()              # 'no'
    fw.form(Person, whitespace="compact", order="model") # Form[Person], with options of JSON

One table, `_READERS`, decides; its first match wins. Python types other than
``Literal`` and ``Enum`` need pydantic.

What describes no texts is a `NotAForm`, see `not_forms`: nothing is guessed.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from formwright._kernel import Constraint, Vocabulary
from formwright._options import check_names, spell_out
from formwright.errors import ArgumentError
from formwright.forms.form import Form
from formwright.forms.json_forms import schema_form, type_form
from formwright.forms.json_options import DEFAULTS, JsonOptions
from formwright.forms.parsers import CharacterParser, parser_form
from formwright.forms.quotes import source_given
from formwright.forms.text_checks import shorten
from formwright.forms.texts import regex, spelled_form, spellings_of

__all__ = ["Canonical", "compile", "form"]

T = TypeVar("T")

if TYPE_CHECKING:
    from typing_extensions import TypeForm, Unpack

    from formwright.forms.json_forms import Schema

Canonical = bool | Literal["forced"]

_log = logging.getLogger("formwright.forms")

_SLOW = 0.05
"""Seconds from which on the compilation of a form is logged."""


@overload
def form(form: TypeForm[T], /, *, source: str | None = None, **options: Unpack[JsonOptions]) -> Form[T]: ...
@overload
def form(form: Form[T] | Constraint[T], /) -> Form[T]: ...
@overload
def form(form: re.Pattern[str], /) -> Form[str]: ...
@overload
def form(form: CharacterParser, /) -> Form[Any]: ...
@overload
def form(form: Schema, /, **options: Unpack[JsonOptions]) -> Form[Any]: ...
@spell_out(JsonOptions, DEFAULTS)
def form(form: Any, /, *, source: str | None = None, **options: Unpack[JsonOptions]) -> Form[Any]:
    """Turn a type, schema, pattern or choice into a form. Forms of JSON take the options of `json_schema`.

    Args:
        form: What is turned into a form.
        source: What each `formwright.Quote` of a type is a piece of.

    Raises:
        NotAForm: It describes no texts: a bare string, a function, an instance, a type that nothing can be read as.
        LanguageError: It cannot be read or enforced; see `formwright.errors`.
        ArgumentError: An option, or its environment variable, has a value that it cannot have; or an option is given
            for a form without JSON.
    """
    check_names(options, DEFAULTS)
    with source_given(source):
        return next(read(form, options) for applies, read in _READERS if applies(form))


@overload
def compile(form: TypeForm[T], vocabulary: Vocabulary, *, canonical: Canonical = False) -> Constraint[T]: ...
@overload
def compile(
    form: Form[T] | Constraint[T], vocabulary: Vocabulary, *, canonical: Canonical = False
) -> Constraint[T]: ...
@overload
def compile(form: re.Pattern[str], vocabulary: Vocabulary, *, canonical: Canonical = False) -> Constraint[str]: ...
@overload
def compile(form: CharacterParser, vocabulary: Vocabulary, *, canonical: Canonical = False) -> Constraint[Any]: ...
@overload
def compile(form: Schema, vocabulary: Vocabulary, *, canonical: Canonical = False) -> Constraint[Any]: ...
def compile(form: Any, vocabulary: Vocabulary, *, canonical: Canonical = False) -> Constraint[Any]:
    """Compile ``form`` for ``vocabulary``: frozen, to be shared by threads and sequences.

    The vocabulary keeps what was compiled last, with the masks that its texts have found: a form that is made again of
    the same schema, type, pattern or grammar costs some microseconds (`Vocabulary.kept_constraints`).

    Args:
        form: Anything `formwright.form` takes. A `Constraint` for this vocabulary is returned as it is.
        vocabulary: What the tokens of the model spell.
        canonical: Whether only canonical tokens may come, those that the tokenizer itself writes; ``"forced"``: only
            tokens that must come are taken from these.

    Raises:
        NotAForm, LanguageError: As `formwright.form`.
        VocabularyError: It is not known what the tokenizer merges, or that cannot be followed exactly.
        DeadEnd: The vocabulary cannot spell any text of the form.
        LimitExceeded: An automaton of the form is too large.
    """
    if isinstance(form, Constraint) and form.vocabulary is vocabulary and form.canonical == canonical:
        return form
    began = time.perf_counter()
    constraint = Constraint(form if isinstance(form, Form) else _form(form), vocabulary, canonical=canonical)
    if (seconds := time.perf_counter() - began) > _SLOW:
        _log.info("%s was compiled in %.0f ms", constraint.form.title, seconds * 1000)
    return constraint


_form = form  # `compile` has a parameter of this name


def compile_again(form: Form[T], vocabulary: Vocabulary, canonical: Canonical) -> Constraint[T]:
    """What a pickled constraint is made by again."""
    return Constraint(form, vocabulary, canonical=canonical)


def _without_options(read: Callable[[Any], Form[Any]]) -> Callable[[Any, Mapping[str, Any]], Form[Any]]:
    """A row for what takes no options of JSON: it is not JSON, or a form already."""

    def reader(form: Any, options: Mapping[str, Any]) -> Form[Any]:
        if given := [name for name, value in options.items() if value != DEFAULTS[name]]:
            raise ArgumentError(
                f"{given[0]}= is an option of JSON, and {shorten(repr(form))} takes none",
                hint="pass it where the form is made: json_schema(...) writes any type as JSON",
                argument=given[0],
            )
        return read(form)

    return reader


def _is(*classes: type) -> Callable[[Any], bool]:
    return lambda form: isinstance(form, classes)


_READERS: tuple[tuple[Callable[[Any], object], Callable[[Any, Mapping[str, Any]], Form[Any]]], ...] = (
    (_is(Form), _without_options(lambda form: form)),
    (_is(Constraint), _without_options(lambda constraint: constraint.form)),
    (_is(re.Pattern), _without_options(regex)),
    (_is(CharacterParser), _without_options(parser_form)),
    (_is(dict, bool), schema_form),
    (spellings_of, _without_options(spelled_form)),
    (lambda form: True, type_form),
)
