"""A Python type as JSON Schema text, and the way back from a text to a value.

Anything pydantic understands is a type here: models, dataclasses, TypedDict,
NamedTuple, Enum, Literal, unions, containers, primitives, ``datetime``, ``UUID``,
and all of these under ``Annotated`` bounds::

    >>> schema_text(tuple[int, bool])
    '{"maxItems":2,"minItems":2,"prefixItems":[{"type":"integer"},{"type":"boolean"}],"type":"array"}'
    >>> parse(tuple[int, bool], "[1, true]")
    (1, True)

The schema is pydantic's for *validation*, because a model's text is input: a
field with a default may be left out. Two readings are ours. Objects with declared
fields are closed (``additionalProperties: false``) unless the type says otherwise,
since a field nobody declared would be dropped on the way back. A ``Decimal`` is
written as a number, not as a number or one of many strings.

Cost: building the adapter of a type, about a millisecond, once for each `Reader`.

A type may check more than a schema can tell, such as a custom validator. `Reader.remarks` names these
checks; where one fails, `OutputInvalid` reports it.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self, cast, get_origin, get_type_hints

from formwright._extras import needs
from formwright.errors import OR_RETRY, ArgumentError, NotAForm, OutputInvalid
from formwright.forms.context import current_context
from formwright.forms.quotes import complete_quotes, source_given
from formwright.forms.type_remarks import Remark
from formwright.forms.type_schemas import Describe, exact_schema

with needs("pydantic", "a Python type as a form"):
    import pydantic_core
    from pydantic import BaseModel, TypeAdapter, ValidationError, create_model
    from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError

if TYPE_CHECKING:
    from formwright.forms.type_dumps import TypeDumps
    from formwright.forms.validators import Validator

__all__ = ["Arguments", "Reader", "described_schema", "parse", "schema_text", "type_name"]


def _adapter(form: Any) -> TypeAdapter[Any]:
    try:
        with needs("pydantic", f"the type {type_name(form)}"):  # pydantic has extras of its own
            return TypeAdapter(form)
    except pydantic_core.SchemaError as error:
        raise NotAForm(
            f"{type_name(form)} is not a form: pydantic cannot check it: {str(error).splitlines()[-1].strip()}",
            hint="for look-around in a pattern, set regex_engine='python-re' in the model's config",
        ) from error
    except (PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError) as error:
        raise NotAForm(
            f"{type_name(form)} is not a form: pydantic cannot read it as a type: {_first_line(error)}",
            hint="pass a type that pydantic reads, a JSON Schema (dict or bool), a compiled re.Pattern or a Form",
        ) from error


def _first_line(error: Exception) -> str:
    """What pydantic says, without its advice on its own hooks."""
    return str(error).partition("\n")[0]


def schema_text(form: Any) -> str:
    """JSON Schema text for the Python type ``form``.

    Raises:
        NotAForm: ``form`` is not a type, holds something JSON Schema cannot say, or has texts that cannot be read back.
        MissingDependency: pydantic is not installed.
    """
    return _as_text(_schema(_adapter(form), form)[0])


def described_schema(form: Any, describe: Describe) -> dict[str, Any]:
    """The JSON Schema of a Python type, with what ``describe`` tells of each class in it.

    Args:
        form: The type.
        describe: Gives the description of a class, and of its fields by name. It replaces the docstring, and is added
            to fields that have none.

    Raises:
        NotAForm: As `schema_text`.
    """
    return _schema(_adapter(form), form, describe)[0]


def _as_text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def _schema(
    adapter: TypeAdapter[Any], form: Any, describe: Describe | None = None
) -> tuple[dict[str, Any], tuple[Remark, ...]]:
    try:
        return exact_schema(adapter, describe)
    except PydanticUserError as error:
        if error.code == "class-not-fully-defined":
            raise NotAForm(
                f"{type_name(form)} is not complete: it names a class that is not defined there",
                hint="define the classes at the top of the module, or call model_rebuild() once all of them are there",
            ) from error
        if old := _old_model(adapter.core_schema):
            raise _refuse_old_model(old) from error
        raise NotAForm(f"{type_name(form)} cannot be said in JSON Schema: {_first_line(error)}") from error


def _old_model(schema: Any) -> str | None:
    """The name of a model of pydantic 1 inside a schema of pydantic, if there is one."""
    stack = [schema]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            owner = getattr(part.get("function"), "__self__", None)
            if isinstance(owner, type) and any(base.__module__.startswith("pydantic.v1") for base in owner.__mro__):
                return owner.__name__
            stack.extend(part.values())
        elif isinstance(part, list | tuple):
            stack.extend(part)
    return None


def _refuse_old_model(name: str) -> NotAForm:
    return NotAForm(
        f"{name} is a model of pydantic.v1, which has no schema that pydantic 2 can read",
        hint="derive it from pydantic.BaseModel; see pydantic's migration guide",
    )


def type_name(form: Any) -> str:
    """What a type is called in messages: ``Person``, ``list[Person]``."""
    if isinstance(form, type) and get_origin(form) is None:
        return form.__name__
    return re.sub(
        r"<class '(?:[^'.]+\.)*([^'.]+)'>", r"\1", re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", repr(form))
    )


class Reader:
    """Reads conforming texts as values of a type; pickled as the type.

    Args:
        form: The type.
        source: What its quotes are pieces of.

    Attributes:
        schema_text: The JSON Schema of the type, as text.
        remarks: What its schema does not say of it.
    """

    __slots__ = ("_adapter", "_dumps", "_source", "_type", "_validator", "remarks", "schema_text")

    def __init__(self, form: Any, source: str | None = None) -> None:
        self._type, self._source = form, source
        self._adapter = _adapter(form)
        self._validator: Validator | None = None
        self._dumps: TypeDumps | None = None
        with source_given(source):
            schema, self.remarks = _schema(self._adapter, form)
            self.schema_text = _as_text(complete_quotes(schema))

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), (self._type, self._source)

    @property
    def python_type(self) -> Any:
        """The type."""
        return self._type

    @property
    def validator(self) -> Validator:
        """The validators of what is inside the type, for texts that are not complete."""
        if self._validator is None:
            from formwright.forms.validators import Validator

            self._validator = Validator(cast("dict[str, Any]", self._adapter.core_schema))
        return self._validator

    def spell(self, value: Any) -> Iterator[tuple[Any, str]]:
        """JSON of a value of the type, the usual one first, each with the value that it should be read as.

        Raises:
            ArgumentError: The type does not accept it, and no text that came was taken.
        """
        if self._dumps is None:
            from formwright.forms.type_dumps import TypeDumps

            self._dumps = TypeDumps(self._adapter)
        refused, checked = None, value
        try:
            with source_given(self._source):
                checked = self._adapter.validate_python(value, context=current_context())
        except (ValidationError, TypeError) as error:
            refused = error  # some values are read from texts only, as those of pydantic's Json
        for text in self._dumps.spell(checked):
            yield checked, text
        if refused is not None:
            message = f"the value is none of {type_name(self._type)}: {refused}"
            raise ArgumentError(message, argument="value") from refused

    def __call__(self, text: str) -> Any:
        """The value of type ``form`` that ``text`` spells.

        Raises:
            OutputInvalid: The text is not JSON, or the type refuses it.
        """
        try:
            with source_given(self._source):
                return self._adapter.validate_json(text, context=current_context())
        except ValidationError as error:
            raise OutputInvalid(
                f"the text conforms, but {type_name(self._type)} rejects it: {error}",
                hint=f"state the check as a bound, pattern or Literal{OR_RETRY}",
                text=text,
                position=len(text),
            ) from error


class Arguments:
    """Reads JSON as the arguments of a function, by name; pickled as the function.

    Attributes:
        schema_text: The JSON Schema of the arguments, as text.

    Raises:
        NotAForm: A parameter has no annotation or cannot be passed by name, or an annotation is not a form.
    """

    __slots__ = ("_function", "_reader", "schema_text")

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._reader = Reader(_arguments_model(function))
        self.schema_text = self._reader.schema_text

    def __reduce__(self) -> tuple[type[Self], tuple[Callable[..., Any]]]:
        return type(self), (self._function,)

    def __call__(self, text: str) -> dict[str, Any]:
        """The arguments that ``text`` spells; those that are left out are missing.

        Raises:
            OutputInvalid: The text is not JSON, or an annotation refuses it.
        """
        given = self._reader(text)
        return {name: getattr(given, name) for name in type(given).model_fields if name in given.model_fields_set}


def _arguments_model(function: Callable[..., Any]) -> type[BaseModel]:
    """A model with a field for each parameter."""
    name = getattr(function, "__name__", repr(function))
    try:
        hints = get_type_hints(function, include_extras=True)
    except NameError as error:
        raise NotAForm(
            f"the function {name!r} cannot be a tool: {error}, which its annotations use",
            hint="define what annotations name at the top of the module",
        ) from error
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise NotAForm(
                f"the function {name!r} cannot be a tool: {parameter} cannot be passed by name",
                hint="give each parameter a name and an annotation",
            )
        if parameter.name not in hints:
            raise NotAForm(
                f"the function {name!r} cannot be a tool: its parameter {parameter.name!r} has no annotation",
                hint=f"say what it is: {parameter.name}: str",
            )
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], default)
    return create_model(name, **fields)


def parse(form: Any, text: str) -> Any:
    """The value of type ``form`` that ``text`` spells.

    Raises:
        OutputInvalid: The text is not JSON, or the type refuses it.
    """
    return Reader(form)(text)
