"""Forms of JSON: the texts that a schema or a type allows.

::

    fw.json_schema({"type": "integer"}).parse("12")             # 12
    fw.json_schema(Person, whitespace="compact")                # Form[Person]
    print(fw.explain({"type": "integer", "minimum": 0}))        # how each keyword is read

Python types need pydantic.
"""

from __future__ import annotations

import json as _json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from formwright._kernel import Constraint, Language
from formwright._options import spell_out
from formwright.errors import LimitExceeded, NotAForm, SchemaError
from formwright.forms.explain import Explanation, Reading
from formwright.forms.form import Form, Kind, Origin
from formwright.forms.json_options import (
    DEFAULTS,
    JsonOptions,
    JsonTextOptions,
    complete_options,
    key_of_options,
)
from formwright.forms.kept import find_form, key_of_type
from formwright.forms.not_forms import check_is_type, kind_of_type, name_of_type
from formwright.forms.notations import NotationReader
from formwright.forms.quotes import current_source
from formwright.forms.text_checks import read_json, shorten

__all__ = ["explain", "json", "json_schema", "schema_form", "schema_text", "type_form"]

T = TypeVar("T")

if TYPE_CHECKING:
    from typing import TypeAlias

    from typing_extensions import TypeForm, Unpack

    Schema: TypeAlias = dict[str, Any] | bool

_SCHEMAS = (str, dict, bool)
_FORMS = (Form, Constraint, re.Pattern)


@overload
def json_schema(schema: TypeForm[T], **options: Unpack[JsonOptions]) -> Form[T]: ...
@overload
def json_schema(schema: Schema | str, **options: Unpack[JsonOptions]) -> Form[Any]: ...
@spell_out(JsonOptions, DEFAULTS)
def json_schema(schema: Any, **options: Unpack[JsonOptions]) -> Form[Any]:
    """Make a form of the JSON that ``schema`` allows. It is always JSON: an ``Enum`` of strings is written with quotes.

    Args:
        schema: A dict, a bool, JSON Schema text, or a Python type.

    Keyword Args:
        notation: How values are written: ``"json"``, ``"jsonl"``, ``"python"``, ``"csv"``, ``"tsv"``, ``"markdown"``,
            ``"xml"``, ``"toml"``, ``"toon"``, ``"yaml"``, or one with options: `formwright.Csv`, `formwright.Toon`,
            `formwright.Xml`, `formwright.Yaml`. What says how JSON is laid out (``order``, ``whitespace``,
            ``max_whitespace``, ``escapes``, ``integers``) is an error beside another one.
        order: ``"schema"`` writes declared properties in declaration order; ``"model"`` in any order. ``None`` is what
            ``FORMWRIGHT_ORDER`` says, or ``"schema"``.
        whitespace: ``"flexible"`` (compact, spaced and indented, bounded), ``"compact"``, ``"pretty"``, ``"free"``
            (any, also before and after the value, up to ``max_whitespace``), or a regular expression over space, tab,
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
        max_digits: Longest run of digits in a number, 1 to 400: before the point, after it, or in an exponent.
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
    if isinstance(schema, _SCHEMAS):
        return schema_form(schema, options)
    if isinstance(schema, _FORMS):
        raise NotAForm(
            f"json_schema: {schema!r} is a form, not a schema",
            hint='a string with a pattern is {"type": "string", "pattern": ...}; options go where a form is made',
        )
    return type_form(schema, options)


@spell_out(JsonTextOptions, DEFAULTS)
def json(*, objects_only: bool = False, **options: Unpack[JsonTextOptions]) -> Form[Any]:
    """Make a form of any JSON value, or with ``objects_only`` any JSON object, as in the JSON mode of servers.

    The other options are those of `json_schema`.
    """
    schema, title = ('{"type":"object"}', "any JSON object") if objects_only else ("true", "any JSON")
    completed, defaults = complete_options(options, JsonTextOptions.__annotations__)
    return _json_form(schema, completed, read_json, title, "value", defaults)


@spell_out(JsonOptions, DEFAULTS)
def explain(schema: Any, **options: Unpack[JsonOptions]) -> Explanation:
    """Report how every keyword of ``schema`` is read, even if `json_schema` refuses it: every fault is one row.

    ``schema`` and the options are those of `json_schema`.

    Raises:
        SchemaError: ``schema`` is not JSON.
        ArgumentError: An option, or the environment variable of one, has a value that it cannot have.
        NotAForm: It is not a schema.
    """
    is_schema = isinstance(schema, _SCHEMAS)
    text, remarks = (schema_text(schema), ()) if is_schema else _read_type(schema)[1:]
    completed, defaults = complete_options(options)
    rows = Language.explain_json_schema(text, completed)
    return Explanation.of(defaults + remarks, rows)


def schema_text(schema: Any) -> str:
    """JSON Schema text for a dict, a bool, such a text or a Python type."""
    if isinstance(schema, str):
        return schema
    if isinstance(schema, dict | bool):
        return _dumps(schema)
    check_is_type(schema)
    from formwright.forms import python_types

    return python_types.schema_text(schema)


def _dumps(schema: Mapping[str, Any] | bool) -> str:
    try:
        text = _json.dumps(schema, ensure_ascii=False, allow_nan=False)
        text.encode()
    except RecursionError:
        said = "limit reached: the schema has more than 127 values inside one another"
        raise LimitExceeded(said, limit="schema_nesting", value=128, allowed=127) from None
    except (TypeError, ValueError) as error:
        raise SchemaError(
            f"the schema cannot be written as JSON: {error}",
            hint="for a record, pass a dataclass, a TypedDict or a pydantic model"
            if isinstance(schema, dict) and any(isinstance(value, type) for value in schema.values())
            else "a schema holds only dict, list, str, int, float, bool and None; no NaN, no cycle, no lone surrogate",
        ) from error
    return text


def schema_form(schema: Any, options: Mapping[str, Any]) -> Form[Any]:
    """The form of a schema. Raises as `json_schema`."""
    text = schema_text(schema)

    def make() -> Form[Any]:
        completed, defaults = complete_options(options)
        return _json_form(text, completed, read_json, f"JSON Schema {shorten(text)}", "value", defaults)

    own = key_of_options(options)
    return find_form(own and ("schema", text, own), make)


def type_form(type_: Any, options: Mapping[str, Any]) -> Form[Any]:
    """The form of the JSON of a type. Raises as `json_schema`."""

    def make() -> Form[Any]:
        read, text, remarks = _read_type(type_)
        completed, defaults = complete_options(options)
        return _json_form(text, completed, read, name_of_type(type_), kind_of_type(type_), defaults + remarks)

    of_type, own = key_of_type(type_), key_of_options(options)
    return find_form(of_type and own and ("type", of_type, current_source(), own), make)


def _read_type(type_: Any) -> tuple[Callable[[str], Any], str, tuple[Reading, ...]]:
    """How a type reads texts, its schema, and what that does not say of it."""
    check_is_type(type_)
    from formwright.forms import python_types

    reader = python_types.Reader(type_, current_source())
    remarks = (Reading(row.pointer, row.keyword, row.status, row.what) for row in reader.remarks)
    return reader, reader.schema_text, tuple(remarks)


def _json_form(
    schema: str,
    options: Mapping[str, Any],
    read: Callable[[str], Any],
    title: str,
    kind: Kind,
    remarks: tuple[Reading, ...],
) -> Form[Any]:
    language = Language.json_schema(schema, **options)
    if not language.is_json:
        return Form(language, NotationReader(language, read, schema, options), title, "value", remarks)
    return Form(language, read, title, kind, remarks, origin=Origin("schema", schema, options))
