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

The wrinkle: what describes no texts is refused rather than guessed at. A bare ``str``
could be a text, a pattern or a schema; a function could be called; an instance is one
value: each is a `NotAForm` that says what may have been meant.
"""

from __future__ import annotations

import inspect
import json as _json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, overload

from formwright import environment, patterns
from formwright._kernel import Constraint, Language, Vocabulary
from formwright.errors import ArgumentError, NotAForm, RegexError, SchemaError
from formwright.forms import Explanation, Form, Kind, Origin, Reading, check_text, literal, read_json, shortened
from formwright.parsers import CharacterParser, parser_form

__all__ = ["choice", "compile", "explain", "form", "json", "json_schema", "literal", "regex", "schema_text"]

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

if TYPE_CHECKING:
    from typing import TypeAlias

    from typing_extensions import TypeForm

    Schema: TypeAlias = dict[str, Any] | bool

Order = Literal["schema", "model"]
Escapes = Literal["natural", "any"]
Numbers = Literal["double", "exact"]
Canonical = bool | Literal["forced"]

_DEFAULTS: Mapping[str, Any] = {
    "order": None,
    "whitespace": None,
    "max_whitespace": None,
    "max_items": None,
    "alphabet": None,
    "escapes": "natural",
    "integers": "plain",
    "numbers": "double",
    "max_digits": 24,
    "unknown_keywords": "error",
    "format": "assert",
    "formats": None,
    "dialect": None,
    "registry": None,
}
"""The options of JSON. `form`, `json_schema` and `explain` spell them out; the kernel reads them.

Where one of the first is ``None``, the environment decides, and then `_PLAIN`.
"""

_PLAIN: Mapping[str, str] = {"order": "schema", "whitespace": "flexible"}
"""What the kernel is given where nobody says otherwise."""

_SCHEMAS = (str, dict, bool)
_FORMS = (Form, Constraint, re.Pattern)


@overload
def form(
    form: TypeForm[T],
    /,
    *,
    order: Order | None = None,
    whitespace: str | None = None,
    max_whitespace: int | None = None,
    max_items: int | None = None,
    alphabet: str | None = None,
    escapes: Escapes = "natural",
    integers: Literal["plain", "decimal"] = "plain",
    numbers: Numbers = "double",
    max_digits: int = 24,
    unknown_keywords: Literal["error", "ignore"] = "error",
    format: Literal["assert", "annotation"] = "assert",
    formats: Mapping[str, str] | None = None,
    dialect: str | None = None,
    registry: Mapping[str, str] | None = None,
) -> Form[T]: ...
@overload
def form(form: Form[T] | Constraint[T], /) -> Form[T]: ...
@overload
def form(form: re.Pattern[str], /) -> Form[str]: ...
@overload
def form(form: CharacterParser, /) -> Form[Any]: ...
@overload
def form(
    form: Schema,
    /,
    *,
    order: Order | None = None,
    whitespace: str | None = None,
    max_whitespace: int | None = None,
    max_items: int | None = None,
    alphabet: str | None = None,
    escapes: Escapes = "natural",
    integers: Literal["plain", "decimal"] = "plain",
    numbers: Numbers = "double",
    max_digits: int = 24,
    unknown_keywords: Literal["error", "ignore"] = "error",
    format: Literal["assert", "annotation"] = "assert",
    formats: Mapping[str, str] | None = None,
    dialect: str | None = None,
    registry: Mapping[str, str] | None = None,
) -> Form[Any]: ...
def form(
    form: Any,
    /,
    *,
    order: str | None = None,
    whitespace: str | None = None,
    max_whitespace: int | None = None,
    max_items: int | None = None,
    alphabet: str | None = None,
    escapes: str = "natural",
    integers: str = "plain",
    numbers: str = "double",
    max_digits: int = 24,
    unknown_keywords: str = "error",
    format: str = "assert",
    formats: Mapping[str, str] | None = None,
    dialect: str | None = None,
    registry: Mapping[str, str] | None = None,
) -> Form[Any]:
    """Anything of the table above as a form; the options are those of `json_schema` and only for forms of JSON.

    Raises:
        NotAForm: It describes no texts: a bare string, a function, an instance, a type that nothing can be read as.
        LanguageError: It cannot be read or enforced; see `formwright.errors`.
        ArgumentError: An option, or its environment variable, has a value that it cannot have; or an option is given
            for a form without JSON.
    """
    options = locals()
    form = options.pop("form")
    return next(read(form, options) for applies, read in _READERS if applies(form))


@overload
def json_schema(
    schema: TypeForm[T],
    *,
    order: Order | None = None,
    whitespace: str | None = None,
    max_whitespace: int | None = None,
    max_items: int | None = None,
    alphabet: str | None = None,
    escapes: Escapes = "natural",
    integers: Literal["plain", "decimal"] = "plain",
    numbers: Numbers = "double",
    max_digits: int = 24,
    unknown_keywords: Literal["error", "ignore"] = "error",
    format: Literal["assert", "annotation"] = "assert",
    formats: Mapping[str, str] | None = None,
    dialect: str | None = None,
    registry: Mapping[str, str] | None = None,
) -> Form[T]: ...
@overload
def json_schema(
    schema: Schema | str,
    *,
    order: Order | None = None,
    whitespace: str | None = None,
    max_whitespace: int | None = None,
    max_items: int | None = None,
    alphabet: str | None = None,
    escapes: Escapes = "natural",
    integers: Literal["plain", "decimal"] = "plain",
    numbers: Numbers = "double",
    max_digits: int = 24,
    unknown_keywords: Literal["error", "ignore"] = "error",
    format: Literal["assert", "annotation"] = "assert",
    formats: Mapping[str, str] | None = None,
    dialect: str | None = None,
    registry: Mapping[str, str] | None = None,
) -> Form[Any]: ...
def json_schema(
    schema: Any,
    *,
    order: str | None = None,
    whitespace: str | None = None,
    max_whitespace: int | None = None,
    max_items: int | None = None,
    alphabet: str | None = None,
    escapes: str = "natural",
    integers: str = "plain",
    numbers: str = "double",
    max_digits: int = 24,
    unknown_keywords: str = "error",
    format: str = "assert",
    formats: Mapping[str, str] | None = None,
    dialect: str | None = None,
    registry: Mapping[str, str] | None = None,
) -> Form[Any]:
    """The JSON texts that ``schema`` allows, always as JSON: an ``Enum`` of strings is written with quotes.

    Args:
        schema: A dict, a bool, JSON Schema text, or a Python type.
        order: ``"schema"`` writes declared properties in declaration order; ``"model"`` in any order. ``None`` is what
            ``FORMWRIGHT_ORDER`` says, or ``"schema"``.
        whitespace: ``"flexible"`` (compact, spaced and indented, bounded), ``"compact"``, ``"pretty"``, ``"free"``
            (any, also before and behind the value, up to ``max_whitespace``), or a regular expression over space, tab,
            CR and LF. ``None`` is ``"flexible"``, or ``"free"`` where ``max_whitespace`` or
            ``FORMWRIGHT_MAX_WHITESPACE`` is given.
        max_whitespace: Most whitespace characters in a row where whitespace is free, 0 to 1,000. ``None`` is what
            ``FORMWRIGHT_MAX_WHITESPACE`` says, or 12.
        max_items: Most items of an array whose schema gives no maximum; one whose schema demands more has as many as
            that. ``None`` is what ``FORMWRIGHT_MAX_ITEMS`` says, or no bound.
        alphabet: The characters of strings, and of names that are not declared, where the schema leaves them open; what
            it lists in ``enum`` or ``const`` stays as it is. A pattern or format leaves what both allow. ``None`` is
            what ``FORMWRIGHT_ALPHABET`` says, or every character.
        escapes: ``"natural"`` (only the escapes JSON needs) or ``"any"`` (every valid escape sequence).
        integers: ``"plain"`` (digits only) or ``"decimal"`` (also with a fraction of zeros, ``1.0``).
        numbers: ``"double"`` writes only numbers whose doubles are valid too, for readers such as Python's ``json`` and
            JavaScript; ``"exact"`` all numbers, for readers of decimals.
        max_digits: Longest run of digits in a number, 1 to 400: before the point, behind it, or in an exponent.
        unknown_keywords: ``"error"`` refuses near misses of known keywords, ``"ignore"`` accepts every unknown key.
        format: ``"assert"`` enforces formats, ``"annotation"`` ignores them.
        formats: Extra formats: name to regular expression.
        dialect: URI or short name of the dialect, where ``$schema`` is absent.
        registry: URI to schema text, for references to other documents.

    Raises:
        SchemaError, UnsupportedKeyword, UnsatisfiableSchema, LimitExceeded: With a JSON Pointer.
        ArgumentError: An option, or the environment variable of one, has a value that it cannot have.
        NotAForm: ``schema`` is none.
    """
    options = locals()
    schema = options.pop("schema")
    if isinstance(schema, _SCHEMAS):
        return _schema_form(schema, options)
    if isinstance(schema, _FORMS):
        raise NotAForm(
            f"json_schema: {schema!r} is a form, not a schema",
            hint='a string with a pattern is {"type": "string", "pattern": ...}; options go where a form is made',
        )
    return _type_form(schema, options)


def json(
    *,
    objects_only: bool = False,
    whitespace: str | None = None,
    max_whitespace: int | None = None,
    max_items: int | None = None,
    alphabet: str | None = None,
    escapes: Escapes = "natural",
    numbers: Numbers = "double",
    max_digits: int = 24,
) -> Form[Any]:
    """Any JSON value, or with ``objects_only`` any JSON object, as in the JSON mode of servers.

    The other options are those of `json_schema`.
    """
    options = locals()
    schema, title = ('{"type":"object"}', "any JSON object") if options.pop("objects_only") else ("true", "any JSON")
    return _json_form(schema, options, read_json, title, "value")


def regex(pattern: str | re.Pattern[str], *, unicode: bool = False) -> Form[str]:
    r"""The texts that ``pattern`` matches from their first character to their last.

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
                f"unicode= is an option of texts, and {shortened(repr(pattern))} is compiled",
                hint="a compiled pattern is about all of Unicode unless it has re.ASCII",
                argument="unicode",
            )
        if isinstance(pattern.pattern, str):
            check_text(pattern.pattern, "pattern")
        title, origin = f"regex {shortened(repr(pattern.pattern))}", Origin("regex", _with_flags(pattern))
        with patterns.hinted():
            language = _compiled(pattern)
        return Form(language, str, title, "text", origin=origin)
    if not isinstance(pattern, str):
        raise NotAForm(f"regex: a pattern is wanted, as str or re.Pattern, not {type(pattern).__name__}")
    check_text(pattern, "pattern")
    with patterns.hinted():
        language = Language.regex(pattern, dialect="unicode" if unicode else "ascii")
    return Form(language, str, f"regex {shortened(repr(pattern))}", "text", origin=Origin("regex", pattern))


def _with_flags(pattern: re.Pattern[str]) -> str:
    """The text of a compiled pattern, with the flags that it was given beside it."""
    text = pattern.pattern
    letters = "".join(letter for letter in "aimsx" if pattern.flags & re.RegexFlag[letter.upper()])
    return text if not letters or re.match(r"\(\?[aiLmsux]+\)", text) else f"(?{letters}:{text})"


def _compiled(pattern: re.Pattern[str]) -> Language:
    """The language of a compiled pattern. What the kernel says of a text that no user wrote is said of his pattern."""
    text = patterns.written(pattern)
    try:
        return Language.regex(text, dialect="python")
    except RegexError as error:
        what = str(error).splitlines()[0]
        raise RegexError(f"{what}\n    {pattern.pattern}", hint=error.hint, source=pattern.pattern) from None


@overload
def choice(options: type[E], /) -> Form[E]: ...  # type: ignore[overload-overlap]
@overload
def choice(options: Iterable[str] | PathLike[str], /) -> Form[str]: ...
@overload
def choice(*options: str) -> Form[str]: ...
@overload
def choice(options: TypeForm[T], /) -> Form[T]: ...
def choice(*options: Any) -> Form[Any]:
    """Exactly one of some texts: ``choice("yes", "no")``, ``choice(["yes", "no"])``, or an ``Enum`` of strings.

    A ``Literal`` of strings is such a choice too. There may be millions of texts. A text that is given twice is one
    option, and options have no order.

    A path, ``choice(Path("names.txt"))``, names a file of UTF-8 with one option on each line. Lines end with LF or
    CRLF, the last one perhaps with the file; all else is part of its option, but for a byte order mark at the beginning
    of the file. No line may be empty.

    Raises:
        ArgumentError: There is no option, or one is no str; a line of a file is empty or not UTF-8.
        LimitExceeded: A text has more than 65,534 bytes, or all have more than 2 ** 30.
        OSError: The file cannot be read.
    """
    if len(options) == 1 and _spellings(options[0]):
        return _spelled_form(options[0])
    if len(options) == 1 and isinstance(options[0], PathLike):
        return _choice_of_file(Path(options[0]))
    texts = list(options[0]) if len(options) == 1 and _is_several(options[0]) else list(options)
    return Form(_choice_language(texts), str, f"choice {_listed(texts)}", "text", origin=Origin("choice", texts))


def _choice_language(texts: list[Any]) -> Language:
    """The language of some options. Which one is no text is found only if there is one: there may be millions."""
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
    return Form(language, str, f"choice of {shortened(path.name)}", "text")


def _listed(texts: list[str], most: int = 30) -> str:
    """Some texts in a row; of many, the first and the last ones, which is all that is left of them when shortened."""
    shown = texts if len(texts) <= 2 * most else texts[:most] + texts[-most:]
    return shortened(", ".join(map(repr, shown)))


def _is_several(options: object) -> bool:
    """Whether it is a collection of texts. Neither a schema nor a type is, though both can be iterated over."""
    is_other = isinstance(options, str | bytes | Mapping | type) or get_origin(options) is not None
    return isinstance(options, Iterable) and not is_other


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
    return Constraint(form if isinstance(form, Form) else _form(form), vocabulary, canonical=canonical)


_form = form


def _compiled_again(form: Form[T], vocabulary: Vocabulary, canonical: Canonical) -> Constraint[T]:
    """What a pickled constraint is made by again."""
    return Constraint(form, vocabulary, canonical=canonical)


def explain(
    schema: Any,
    *,
    order: Order | None = None,
    whitespace: str | None = None,
    max_whitespace: int | None = None,
    max_items: int | None = None,
    alphabet: str | None = None,
    escapes: Escapes = "natural",
    integers: Literal["plain", "decimal"] = "plain",
    numbers: Numbers = "double",
    max_digits: int = 24,
    unknown_keywords: Literal["error", "ignore"] = "error",
    format: Literal["assert", "annotation"] = "assert",
    formats: Mapping[str, str] | None = None,
    dialect: str | None = None,
    registry: Mapping[str, str] | None = None,
) -> Explanation:
    """How every keyword of ``schema`` is read, also where `json_schema` refuses it: every fault is a row of its own.

    ``schema`` and the options are those of `json_schema`.

    Raises:
        SchemaError: ``schema`` is no JSON.
        ArgumentError: An option, or the environment variable of one, has a value that it cannot have.
        NotAForm: It is no schema.
    """
    options = locals()
    schema = options.pop("schema")
    text, remarks = (schema_text(schema), ()) if isinstance(schema, str | dict | bool) else _read_type(schema)[1:]
    options, defaults = _with_defaults(options)
    with patterns.hinted():
        rows = Language.explain_json_schema(text, options)
    return Explanation.of(defaults + remarks, rows)


def schema_text(schema: Any) -> str:
    """JSON Schema text for a dict, a bool, such a text or a Python type."""
    if isinstance(schema, str):
        return schema
    if isinstance(schema, dict | bool):
        return _dumps(schema)
    _refuse_what_is_no_type(schema)
    from formwright import types

    return types.schema_text(schema)


def _dumps(schema: Mapping[str, Any] | bool) -> str:
    try:
        text = _json.dumps(schema, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise SchemaError(
            f"the schema cannot be written as JSON: {error}",
            hint="for a record, pass a dataclass, a TypedDict or a pydantic model"
            if isinstance(schema, dict) and any(isinstance(value, type) for value in schema.values())
            else "a schema holds only dict, list, str, int, float, bool and None; no NaN, no cycle, no lone surrogate",
        ) from error
    return text


# The rows of the table: what they are for, and how they read it.


def _schema_form(schema: Any, options: Mapping[str, Any]) -> Form[Any]:
    text = schema_text(schema)
    return _json_form(text, options, read_json, f"JSON Schema {shortened(text)}", "value")


def _type_form(type_: Any, options: Mapping[str, Any]) -> Form[Any]:
    read, text, remarks = _read_type(type_)
    return _json_form(text, options, read, _name(type_), _kind(type_), remarks)


def _read_type(type_: Any) -> tuple[Callable[[str], Any], str, tuple[Reading, ...]]:
    """How a type reads texts, its schema, and what that does not say of it."""
    _refuse_what_is_no_type(type_)
    from formwright import types

    reader = types.Reader(type_)
    remarks = (Reading(row.pointer, row.keyword, row.status, row.what) for row in reader.remarks)
    return reader, reader.schema_text, tuple(remarks)


def _json_form(
    schema: str,
    options: Mapping[str, Any],
    read: Callable[[str], Any],
    title: str,
    kind: Kind,
    remarks: tuple[Reading, ...] = (),
) -> Form[Any]:
    options, defaults = _with_defaults(options)
    with patterns.hinted():  # formats= and whitespace= are patterns
        language = Language.json_schema(schema, **options)
    return Form(language, read, title, kind, defaults + remarks, origin=Origin("schema", schema, options))


def json_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of `json_schema` as the kernel takes them, with what the environment says of those that are not given.

    Raises:
        ArgumentError: There is no such option, or one, or its environment variable, has a value that it cannot have.
    """
    if unknown := [name for name in options if name not in _DEFAULTS]:
        raise ArgumentError(f"{unknown[0]}= is no option of JSON", argument=unknown[0])
    return _with_defaults({**_DEFAULTS, **options})[0]


def _with_defaults(options: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Reading, ...]]:
    """The options as the kernel takes them, and rows on those that the environment gave a value."""
    filled, sources = environment.with_defaults(options)
    if filled.get("max_whitespace") is not None and filled.get("whitespace") is None:
        filled["whitespace"] = "free"
    if filled.get("alphabet") is not None:
        check_text(filled["alphabet"], "alphabet")
    for name, plain in _PLAIN.items():
        if name in filled and filled[name] is None:
            filled[name] = plain
    rows = (Reading("", variable, "default", shortened(f"{option}={value!r}")) for variable, option, value in sources)
    return filled, tuple(rows)


def _kind(type_: Any) -> Kind:
    """Whether a type checker takes values of a type for ``str``."""
    return "string" if _is_string(type_) else "value"


def _is_string(type_: Any) -> bool:
    for wrapper in ("__supertype__", "__value__"):  # NewType, and a type alias
        if hasattr(type_, wrapper) and not isinstance(type_, type):
            return _is_string(getattr(type_, wrapper))
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is Annotated:
        return _is_string(arguments[0])
    if origin is Literal:
        return all(isinstance(value, str) for value in arguments)
    if origin in (Union, UnionType):
        return all(map(_is_string, arguments))
    return isinstance(type_, type) and issubclass(type_, str)


def _name(type_: Any) -> str:
    return type_.__qualname__ if isinstance(type_, type) and not get_args(type_) else repr(type_)


def _spellings(form: Any) -> dict[str, Any]:
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
        return _spellings(self.type_)[text]


def _spelled_form(form: Any) -> Form[Any]:
    spellings = _spellings(form)
    for text in spellings:
        check_text(text, "options")
    is_text = all(value is text for text, value in spellings.items())
    is_string = all(isinstance(value, str) for value in spellings.values())
    kind: Kind = "text" if is_text else "string" if is_string else "value"
    read = str if is_text else _Spelled(form)
    texts = list(spellings)
    return Form(Language.choice(texts), read, _name(form), kind, origin=Origin("choice", texts))


def _without_options(read: Callable[[Any], Form[Any]]) -> Callable[[Any, Mapping[str, Any]], Form[Any]]:
    """A row of the table whose forms are no JSON that could be written in several ways, or are made already."""

    def reader(form: Any, options: Mapping[str, Any]) -> Form[Any]:
        if given := [name for name, value in options.items() if value != _DEFAULTS[name]]:
            raise ArgumentError(
                f"{given[0]}= is an option of JSON, and {shortened(repr(form))} takes none",
                hint="pass it where the form is made: json_schema(...) writes any type as JSON",
                argument=given[0],
            )
        return read(form)

    return reader


def _refuse_text(form: str | bytes) -> Form[Any]:
    shown = shortened(repr(form))
    if isinstance(form, bytes):
        raise NotAForm(f"bytes are no form: {shown}", hint="decode them: fw.literal(...) writes a text")
    raise NotAForm(
        f"a bare {type(form).__name__} is no form: {shown} could be a text, a pattern or a schema",
        hint=f"pass fw.literal({shown}) for this text, fw.regex({shown}) for the texts it matches, "
        f"or fw.json_schema({shown}) for JSON by this schema",
    )


def _refuse_what_is_no_type(form: Any) -> None:
    """Functions and instances: pydantic would call the first with what the model wrote."""
    if isinstance(form, str | bytes):
        _refuse_text(form)
    if inspect.isroutine(form) or (callable(form) and not _is_type(form)):
        raise NotAForm(
            f"{form!r} is a function, not a form",
            hint="for a tool call, pass a type that describes the arguments (a pydantic model or TypedDict), "
            "and call the function with the value",
        )
    if not _is_type(form):
        raise NotAForm(
            f"{shortened(repr(form))} is an instance of {type(form).__name__}, not a form", hint=_hint_for(form)
        )


def _hint_for(form: Any) -> str:
    """What may have been meant by an instance."""
    if isinstance(form, Form | Constraint):
        return "it is a form already: ask it itself, or pass the schema it was made of"
    if isinstance(form, Iterable):
        return "pass fw.choice(...) for one of several texts, or a type such as list[str]"
    if isinstance(form, Enum):
        return f"pass the class {type(form).__name__} for any of its members"
    if isinstance(form, int | float) or (hasattr(form, "__dict__") and not inspect.ismodule(form)):
        return f"pass the class {type(form).__name__} for any value of it, or Literal[...] for some values"
    return "pass a type, a JSON Schema (dict or bool), a compiled re.Pattern or a Form"


def _is_type(form: Any) -> bool:
    """Whether it is a class, or one of the objects with which ``typing`` says types."""
    spoken = type(form).__module__ in ("types", "typing", "typing_extensions")
    return form is None or isinstance(form, type) or get_origin(form) is not None or spoken


def _is(*classes: type) -> Callable[[Any], bool]:
    return lambda form: isinstance(form, classes)


_READERS: tuple[tuple[Callable[[Any], object], Callable[[Any, Mapping[str, Any]], Form[Any]]], ...] = (
    (_is(Form), _without_options(lambda form: form)),
    (_is(Constraint), _without_options(lambda constraint: constraint.form)),
    (_is(re.Pattern), _without_options(regex)),
    (_is(CharacterParser), _without_options(parser_form)),
    (_is(dict, bool), _schema_form),
    (_spellings, _without_options(_spelled_form)),
    (lambda form: True, _type_form),
)
