"""Forms as sets of texts: what two have in common, what one has and the other does not, and whether that is nothing.

::

    digits, short = fw.regex("[0-9]+"), fw.regex(".{1,3}")
    digits & short; digits - short; ~digits                     # forms
    digits.is_subset(short)                                     # False
    fw.difference(digits, short).text                           # 'a'

=====================  =========================================  ========================================
forms                  sets of                                    decided
=====================  =========================================  ========================================
patterns, choices,     texts                                      always, up to the states of an automaton
formats, free text
a grammar and a        texts                                      whether the grammar's texts are in the
pattern                                                           pattern; the other way round, texts are
                                                                  tried, the shortest first
two grammars           texts                                      never in common; differences are looked
                                                                  for among the shortest texts
JSON Schema, types     values: order, whitespace and escapes do   all but the negation of ``uniqueItems``,
                       not matter                                 up to the kernel's bounds of work
=====================  =========================================  ========================================

A grammar here is one whose rules lead to themselves; any other is a pattern. Where something is not decided,
`formwright.errors.Undecided` is raised. What a Python type checks after a text is complete is
no part of its form, and takes no part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from formwright._kernel import Language
from formwright.errors import ArgumentError, LimitExceeded, Undecided, UnsatisfiableSchema
from formwright.forms.form import Form, Origin
from formwright.forms.rejections import find_rejection
from formwright.forms.schema_sets import (
    SchemaSource,
    combine,
    combine_difference,
    find_common_text,
    find_text_outside,
    with_exact_formats,
)

__all__ = [
    "Witness",
    "are_disjoint",
    "complement",
    "difference",
    "find_outside",
    "intersect",
    "source_of",
    "subtract_forms",
]


class Witness(NamedTuple):
    """A shortest text that one of two forms has and the other has not.

    Attributes:
        text: The text; of forms of JSON, compact.
        side: Which form has it: ``"first"`` or ``"second"``.
        pointer: Of forms of JSON: the JSON Pointer of the place in the schema of the other form that rejects it.
        keywords: The keywords there that do.
    """

    text: str
    side: Literal["first", "second"]
    pointer: str = ""
    keywords: tuple[str, ...] = ()


def difference(a: Any, b: Any, /) -> Witness | None:
    """Return a shortest text that one of two forms has and the other has not; ``None`` if they have the same.

    Args:
        a: A form of texts or a form of JSON, or what `formwright.form` makes one of.
        b: Another of the same kind.

    Raises:
        NotAForm, LanguageError: One of them is not a form, or cannot be read.
        ArgumentError: They are of different kinds, of a kind that is not compared, or their options differ.
        Undecided: A bound of work was reached.
    """
    a, b = _as_form(a), _as_form(b)
    found = _find_either(a, b)
    if found is None:
        return None
    text, side = found
    other = b if side == "first" else a
    source = source_of(other)
    if source is None:
        return Witness(text, side)
    pointer, keywords, _ = find_rejection(source, text)
    return Witness(text, side, pointer, keywords)


def _find_either(a: Form[Any], b: Form[Any]) -> tuple[str, Literal["first", "second"]] | None:
    """A shortest text that one form has and the other has not, and which one has it. Raises as `difference`."""
    ways: list[tuple[Form[Any], Form[Any], Literal["first", "second"]]] = [(a, b, "first"), (b, a, "second")]
    if not b.language.is_regular:
        ways.reverse()  # what is decided comes first: then a search knows how long a text may be
    found: list[tuple[int, str, Literal["first", "second"]]] = []
    for place, (form, other, side) in enumerate(ways):
        try:
            text = find_outside(form, other, max_bytes=found[0][0] if found else None)
        except Undecided:
            if place > 0:
                raise
            ways.append(ways[0])  # what the other form has bounds how long a text may be
            continue
        if text is not None:
            found.append((len(text.encode()), text, side))
    shortest = min(found, key=lambda row: (row[0], row[2]), default=None)
    return shortest and shortest[1:]


def find_outside(a: Form[Any], b: Any, *, max_bytes: int | None = None) -> str | None:
    """Return a shortest text that ``a`` has and ``b`` has not, ``None`` if there is none. Raises as `difference`.

    A search, where ``b`` is a grammar, ends at texts of ``max_bytes``.
    """
    b = _as_form(b)
    first, second = _pair(a, b)
    if first is not None and second is not None:
        return find_text_outside(first, second)
    if b.language.is_regular:
        return _find_example(lambda: a.language & ~b.language)
    if a.language.to_bytes() == b.language.to_bytes():
        return None  # no algorithm decides this of every pair of grammars, but of a grammar and itself it is clear
    try:
        text = a.language.shortest_outside(b.language, max_bytes)
    except LimitExceeded as error:
        raise _make_undecided(error) from error
    return None if text is None else text.decode()


def are_disjoint(a: Form[Any], b: Any) -> bool:
    """Whether no text is in both. Raises as `difference`."""
    b = _as_form(b)
    first, second = _pair(a, b)
    if first is None or second is None:
        return _find_example(lambda: a.language & b.language) is None
    return find_common_text(first, second) is None


def intersect(a: Form[Any], b: Form[Any]) -> Form[Any]:
    """The texts, of forms of JSON the values, of both, read as ``a`` reads them. Raises as ``a & b``."""
    title = f"({a.title} & {b.title})"
    first, second = _pair(a, b)
    if first is not None and second is not None:
        return _form_of(combine(first, second, lambda x, y: {"allOf": [x, y]}), a, title)
    try:
        return _read_like(a, a.language & b.language, title)
    except UnsatisfiableSchema as error:
        raise UnsatisfiableSchema(f"no text is in both {a.title} and {b.title}") from error


def subtract_forms(a: Form[Any], b: Form[Any]) -> Form[Any]:
    """The texts, of forms of JSON the values, of ``a`` that are not in ``b``. Raises as ``a - b``."""
    title = f"({a.title} - {b.title})"
    first, second = _pair(a, b)
    if first is not None and second is not None:
        return _form_of(combine_difference(first, second), a, title)
    try:
        return _read_like(a, a.language & ~b.language, title)
    except UnsatisfiableSchema as error:
        raise UnsatisfiableSchema(f"every text of {a.title} is in {b.title}") from error


def complement(a: Form[Any]) -> Form[Any]:
    """The texts, of a form of JSON the values, that are not in ``a``. Raises as ``~a``."""
    source = source_of(a)
    if source is None:
        return Form(~a.language, str, f"~{a.title}", "text")
    from formwright.forms.text_checks import read_json

    negated = with_exact_formats(combine(source, source, lambda x, _: {"not": x}))
    language = Language.json_schema(negated.text, **negated.options)
    return Form(language, read_json, f"~{a.title}", "value", origin=Origin("schema", negated.text, negated.options))


def _read_like(form: Form[Any], language: Language, title: str) -> Form[Any]:
    """The form of some texts of another one, which are read as that reads them."""
    return Form(language, form.read, title, form.kind, form.defaults)


def _form_of(source: SchemaSource, like: Form[Any], title: str) -> Form[Any]:
    """The form of a schema whose texts are read as another form reads them."""
    language = Language.json_schema(source.text, **source.options)
    origin = Origin("schema", source.text, source.options)
    return Form(language, like.read, title, like.kind, like.defaults, origin=origin)


def _as_form(form: Any) -> Form[Any]:
    """The form of a type, schema or pattern. Raises NotAForm."""
    from formwright.forms.coerce import form as as_form

    return as_form(form)


def source_of(form: Form[Any]) -> SchemaSource | None:
    """Return the schema of a form of JSON, ``None`` for any other."""
    origin = form.origin
    if origin is None or origin.kind != "schema":
        return None
    return SchemaSource(origin.what, origin.options or {})


def _pair(a: Form[Any], b: Form[Any]) -> tuple[SchemaSource | None, SchemaSource | None]:
    """The schemas of two forms of JSON, or twice ``None``. Raises ArgumentError if only one is of JSON."""
    first, second = source_of(a), source_of(b)
    if (first is None) != (second is None):
        json, other = (a, b) if second is None else (b, a)
        raise ArgumentError(
            f"{json.title} is JSON, and {other.title} is not: forms of different kinds have no texts to be compared",
            hint="turn the other one into a type or schema, such as {'enum': [...]} or {'pattern': ...}",
        )
    return first, second


def _find_example(make: Callable[[], Language]) -> str | None:
    """The shortest text of a language, ``None`` if there is none."""
    try:
        return make().example().decode()
    except UnsatisfiableSchema:
        return None
    except LimitExceeded as error:
        raise _make_undecided(error) from error


def _make_undecided(error: LimitExceeded) -> Undecided:
    return Undecided(f"not decided: {error}", hint=error.hint, bound=error.limit)
