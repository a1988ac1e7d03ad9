r"""Templates: fixed text with fields to be filled, parts that may be missing, parts that come several times.

::

    person = fw.template("Name: {name}\nAge: {age}", name=fw.regex("[A-Z][a-z]+"), age=int)
    person.parse("Name: Ada\nAge: 36")                  # {'name': 'Ada', 'age': 36}
    fw.template("{name}, {age}", into=Person)           # a Person, whose fields say what they are

    fw.optional(fw.regex("[a-z]+")).parse("")           # None
    fw.many(int, sep=", ").parse("1, 2, 3")             # [1, 2, 3]

The fixed text is written without asking the model. A field is anything `form` takes: ``int`` is written as JSON writes
it, and so is ``str``, in quotes; for bare text say which, by a pattern, a choice or `text`.

Cost: as the forms it is made of. Where one field could end in several places, it takes as much as it can.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints, overload

from formwright._kernel import Constraint, Language
from formwright.errors import ArgumentError, OutputInvalid
from formwright.forms.coerce import form
from formwright.forms.form import Form, in_a_row, literal
from formwright.forms.readers import Chain, Cut, Repetition, cut_of, decode_text, encode_text, plain
from formwright.forms.text_checks import check_text, is_of_call, shorten

__all__ = ["many", "optional", "template"]

T = TypeVar("T")

if TYPE_CHECKING:
    from typing_extensions import TypeForm

_form = form


@overload
def template(pattern: str, /, *, into: Callable[..., T], **fields: Any) -> Form[T]: ...
@overload
def template(pattern: str, /, *, into: None = None, **fields: Any) -> Form[dict[str, Any]]: ...
def template(pattern: str, /, *, into: Callable[..., Any] | None = None, **fields: Any) -> Form[Any]:
    """Make a form of fixed text with fields.

    Args:
        pattern: The text; ``{name}`` is a field, ``{{`` and ``}}`` are braces.
        into: What the value is made by, called with the fields by name: a class with these fields. ``None``: a dict.
            The annotations of a class say what its fields are, where ``fields`` do not.
        **fields: What each field is: anything `form` takes.

    Raises:
        ArgumentError: A field has no form, is twice or is not in the pattern, or the pattern cannot be read.
        NotAForm, LanguageError: As `form`, for a field.
    """
    check_text(pattern, "pattern")
    if into is not None and not callable(into):
        raise ArgumentError(f"template: into={into!r} is neither a class nor a function", argument="into")
    hints = _hints(into)
    parts: list[Form[Any]] = []
    names: list[str] = []
    for fixed, name in _pieces(pattern):
        if fixed:
            parts.append(literal(fixed))
        if name is None:
            continue
        if name in names:
            raise ArgumentError(f"template: the field {name!r} occurs twice", argument=name)
        if name not in fields and name not in hints:
            raise ArgumentError(
                f"template: the field {name!r} has no form",
                hint=f"pass {name}=: a type, a pattern, a choice; write {{{{{name}}}}} for the text itself",
                argument=name,
            )
        names.append(name)
        parts.append(_form(fields[name] if name in fields else hints[name]).named(name))
    if unknown := [name for name in fields if name not in names]:
        raise ArgumentError(
            f"template: {unknown[0]!r} is not a field of {shorten(repr(pattern))}",
            hint=f"its fields are {', '.join(map(repr, names))}" if names else "it has none: write {name}",
            argument=unknown[0],
        )
    chain = Chain(tuple(parts), (False,) * len(parts))
    return Form(in_a_row(parts), _Fields(chain, into), f"template {shorten(repr(pattern))}", "value")


@overload
def optional(form: TypeForm[T], /) -> Form[T | None]: ...
@overload
def optional(form: Form[T] | Constraint[T], /) -> Form[T | None]: ...
@overload
def optional(form: re.Pattern[str], /) -> Form[str | None]: ...
@overload
def optional(form: Any, /) -> Form[Any]: ...
def optional(form: Any, /) -> Form[Any]:
    """Allow ``form``, or nothing: then the value is ``None``.

    Raises:
        NotAForm, LanguageError: As `form`.
    """
    target = _form(form)
    language = target.language | Language.choice([""])
    return Form(language, _Optional(target), f"optional {target.title}", "value")


@overload
def many(
    form: TypeForm[T], /, *, sep: str | Form[str] = "", low: int = 0, high: int | None = None
) -> Form[list[T]]: ...
@overload
def many(
    form: Form[T] | Constraint[T], /, *, sep: str | Form[str] = "", low: int = 0, high: int | None = None
) -> Form[list[T]]: ...
@overload
def many(
    form: re.Pattern[str], /, *, sep: str | Form[str] = "", low: int = 0, high: int | None = None
) -> Form[list[str]]: ...
@overload
def many(form: Any, /, *, sep: str | Form[str] = "", low: int = 0, high: int | None = None) -> Form[list[Any]]: ...
def many(form: Any, /, *, sep: str | Form[str] = "", low: int = 0, high: int | None = None) -> Form[list[Any]]:
    """Repeat ``form``, with ``sep`` between; the value is a list of its values.

    Args:
        form: Anything `form` takes.
        sep: What is between two of them: a text, or a form of text.
        low: How often at least.
        high: How often at most; ``None`` for no upper bound.

    Raises:
        ArgumentError: ``low`` is negative or more than ``high``; ``sep`` is not text.
        NotAForm, LanguageError: As `form`.
    """
    target = _form(form)
    between = sep if isinstance(sep, Form) else literal(sep) if sep != "" else None
    if between is not None and between.kind != "text":
        raise ArgumentError(f"many: sep is not a text but {between.title}: its value would be lost", argument="sep")
    if low < 0 or (high is not None and high < low):
        raise ArgumentError(f"many: low={low} and high={high} are not bounds", argument="low" if low < 0 else "high")
    read = Repetition(target, low, high, between)
    title = f"many {target.title}"
    if between is None:
        return Form(target.language.repeat(low, high), read, title, "value")
    language = Language.choice([""])
    if high != 0:
        rest = (between.language + target.language).repeat(max(low - 1, 0), None if high is None else high - 1)
        language = target.language + rest if low else (target.language + rest) | language
    return Form(language, read, title, "value")


def _pieces(pattern: str) -> Iterator[tuple[str, str | None]]:
    """Fixed text and the name of the field after it, one after the other."""
    hint = "write {{ and }} for braces"
    try:
        pieces = list(string.Formatter().parse(pattern))
    except ValueError as error:
        raise ArgumentError(f"template: {error}", hint=hint, argument="pattern") from None
    for fixed, name, spec, conversion in pieces:
        if name is not None and (not name.isidentifier() or spec or conversion):
            shown = name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
            raise ArgumentError(
                f"template: {{{shown}}} is not a field: a field is a name in braces", hint=hint, argument="pattern"
            )
        yield fixed, name


def _hints(into: Callable[..., Any] | None) -> Mapping[str, Any]:
    """What the annotations of a class say of its fields."""
    if not isinstance(into, type):
        return {}
    try:
        return get_type_hints(into, include_extras=True)
    except NameError as error:
        raise ArgumentError(f"template: {error}, which {into.__name__} uses", argument="into") from error


@dataclass(frozen=True, slots=True)
class _Fields:
    """Reads the fields of a template."""

    chain: Chain
    into: Callable[..., Any] | None

    def cut(self, data: bytes, *, is_open: bool = False) -> Cut | None:
        """The fixed texts and the fields."""
        return self.chain.cut(data, is_open=is_open)

    def __call__(self, text: str) -> Any:
        data = encode_text(text)
        found = cut_of(self.chain, data)
        values = {
            form.name: form.read(decode_text(data[start:end])) for form, start, end in found if form.name is not None
        }
        if self.into is None:
            return values
        try:
            return self.into(**values)
        except (TypeError, ValueError) as error:
            if is_of_call(error):
                raise
            shown = plain(text)
            message = f"the text conforms, but {self.into!r} rejects its fields: {error}"
            raise OutputInvalid(message, text=shown, position=len(shown)) from error


@dataclass(frozen=True, slots=True)
class _Optional:
    """Reads a text, or nothing as ``None``."""

    form: Form[Any]

    def cut(self, data: bytes, *, is_open: bool = False) -> Cut | None:
        """The one part, if there is any."""
        return [(self.form, 0, len(data))] if data else []

    def __call__(self, text: str) -> Any:
        return self.form.read(text) if text else None
