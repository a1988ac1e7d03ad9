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

The wrinkle: a type may check more than its schema tells (a custom validator). Such a
type can refuse a text that is in form; `OutputInvalid` reports it.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Self, cast, get_type_hints

from formwright._dependencies import needs
from formwright.errors import NotAForm, OutputInvalid
from formwright.forms import current_context

with needs("pydantic", "a Python type as a form"):
    import pydantic_core
    from pydantic import BaseModel, TypeAdapter, ValidationError, create_model
    from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError
    from pydantic.json_schema import GenerateJsonSchema

if TYPE_CHECKING:
    from formwright.validators import Validator

__all__ = ["Arguments", "Reader", "described_schema", "parse", "schema_text"]


class _Closed(GenerateJsonSchema):
    """Pydantic's generator, with declared objects closed, decimals as numbers, and no type that cannot be read back."""

    describe: Callable[[type], tuple[str, Mapping[str, str]]] | None = None
    """What a class says of itself and of its fields, if that is to be in the schema."""

    def model_schema(self, schema: Any) -> dict[str, Any]:
        return self._described(_close(super().model_schema(schema)), schema)

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        return self._described(_close(super().dataclass_schema(schema)), schema)

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        return self._described(_close(super().typed_dict_schema(schema)), schema)

    def _described(self, written: dict[str, Any], schema: Any) -> dict[str, Any]:
        if self.describe is None or "cls" not in schema:
            return written
        said, fields = self.describe(schema["cls"])
        if written.get("description", "") in ("", inspect.cleandoc(schema["cls"].__doc__ or "")):
            written.pop("description", None)
            written |= {"description": said} if said else {}
        names = _written_names(schema)
        for name, text in fields.items():
            inside = written.get("properties", {}).get(names.get(name, name))
            if isinstance(inside, dict):
                inside.setdefault("description", text)
        return written

    def decimal_schema(self, schema: Any) -> dict[str, Any]:
        bounds = {
            key: float(schema[key]) for key in ("multiple_of", "le", "ge", "lt", "gt") if schema.get(key) is not None
        }
        return self.float_schema({"type": "float", **bounds})  # type: ignore[typeddict-item]

    def complex_schema(self, schema: Any) -> dict[str, Any]:
        raise NotAForm("complex cannot be read back: JSON has no complex numbers", hint="pass tuple[float, float]")

    def generator_schema(self, schema: Any) -> dict[str, Any]:
        raise NotAForm("an iterable is read lazily, so its items would not be checked", hint="pass list[T]")

    def is_subclass_schema(self, schema: Any) -> dict[str, Any]:
        raise NotAForm("a class cannot be read back: JSON has no classes", hint="pass Literal[...] of its names")

    def datetime_schema(self, schema: Any) -> dict[str, Any]:
        if schema.get("tz_constraint") == "naive":
            raise NotAForm(
                "a datetime without a time zone cannot be said in JSON Schema: date-time has one",
                hint="pass datetime, or Annotated[str, Field(pattern=...)]",
            )
        return super().datetime_schema(schema)

    def uuid_schema(self, schema: Any) -> dict[str, Any]:
        version = schema.get("version")
        digit = "[0-9a-fA-F]"
        pattern = f"^{digit}{{8}}-{digit}{{4}}-{version}{digit}{{3}}-[89abAB]{digit}{{3}}-{digit}{{12}}$"
        return {"type": "string", "format": "uuid"} | ({"pattern": pattern} if version else {})

    def literal_schema(self, schema: Any) -> dict[str, Any]:
        if wrong := [value for value in schema["expected"] if isinstance(value, bytes)]:
            raise NotAForm(f"Literal[{wrong[0]!r}] cannot be read back: JSON has no bytes", hint="pass a str")
        return super().literal_schema(schema)

    def enum_schema(self, schema: Any) -> dict[str, Any]:
        for member in schema["members"]:
            _check_read_back(schema["cls"], member)
        return super().enum_schema(schema)


def _check_read_back(enum: type[Enum], member: Enum) -> None:
    """Fails if JSON has no text that is read as ``member``: a tuple, for instance, comes back as a list."""
    adapter = TypeAdapter(enum)
    try:
        if adapter.validate_json(adapter.dump_json(member)) is member:
            return
    except ValueError:
        pass
    raise NotAForm(
        f"{enum.__qualname__}.{member.name} cannot be read back: no JSON text is read as {member.value!r}",
        hint="give the members of the Enum values that are strings, numbers, booleans or None",
    )


def _close(schema: dict[str, Any]) -> dict[str, Any]:
    if schema.get("type") == "object":
        schema.setdefault("additionalProperties", False)
    return schema


def _written_names(schema: Any) -> dict[str, str]:
    """How the fields of a class that have an alias are called in JSON."""
    while "schema" in schema:
        schema = schema["schema"]
    fields = schema.get("fields", {})
    named = fields.items() if isinstance(fields, dict) else [(field["name"], field) for field in fields]
    aliases = ((name, field.get("validation_alias")) for name, field in named)
    return {name: alias for name, alias in aliases if isinstance(alias, str)}


def _adapter(form: Any) -> TypeAdapter[Any]:
    try:
        with needs("pydantic", f"the type {form!r}"):  # pydantic has extras of its own
            return TypeAdapter(form)
    except pydantic_core.SchemaError as error:
        raise NotAForm(
            f"{form!r} is no form: pydantic cannot check it: {str(error).splitlines()[-1].strip()}",
            hint="for look-around in a pattern, set regex_engine='python-re' in the model's config",
        ) from error
    except (PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError) as error:
        raise NotAForm(
            f"{form!r} is no form: pydantic cannot read it as a type: {_first_line(error)}",
            hint="pass a type that pydantic reads, a JSON Schema (dict or bool), a compiled re.Pattern or a Form",
        ) from error


def _first_line(error: Exception) -> str:
    """What pydantic says, without its advice on its own hooks."""
    return str(error).partition("\n")[0]


def schema_text(form: Any) -> str:
    """JSON Schema text for the Python type ``form``.

    Raises:
        NotAForm: ``form`` is no type, holds something JSON Schema cannot say, or has texts that cannot be read back.
        MissingDependency: pydantic is not installed.
    """
    return _schema_text(_adapter(form), form)


def described_schema(form: Any, describe: Callable[[type], tuple[str, Mapping[str, str]]]) -> dict[str, Any]:
    """The JSON Schema of a Python type, with what ``describe`` tells of each class in it.

    Args:
        form: The type.
        describe: Gives the description of a class, and of its fields by name. It replaces the docstring, and is added
            to fields that have none.

    Raises:
        NotAForm: As `schema_text`.
    """
    return _schema(_adapter(form), form, type("_Described", (_Closed,), {"describe": staticmethod(describe)}))


def _schema_text(adapter: TypeAdapter[Any], form: Any) -> str:
    return json.dumps(_schema(adapter, form, _Closed), ensure_ascii=False, separators=(",", ":"))


def _schema(adapter: TypeAdapter[Any], form: Any, generator: type[_Closed]) -> dict[str, Any]:
    try:
        return adapter.json_schema(schema_generator=generator, mode="validation")
    except PydanticUserError as error:
        raise NotAForm(f"{form!r} cannot be said in JSON Schema: {_first_line(error)}") from error


class Reader:
    """Reads texts in form as values of a type; pickled as the type.

    Attributes:
        schema_text: The JSON Schema of the type, as text.
    """

    __slots__ = ("_adapter", "_type", "_validator", "schema_text")

    def __init__(self, form: Any) -> None:
        self._type = form
        self._adapter = _adapter(form)
        self._validator: Validator | None = None
        self.schema_text = _schema_text(self._adapter, form)

    def __reduce__(self) -> tuple[type[Self], tuple[Any]]:
        return type(self), (self._type,)

    @property
    def python_type(self) -> Any:
        """The type."""
        return self._type

    @property
    def validator(self) -> Validator:
        """The validators of what is inside the type, for texts that are not complete."""
        if self._validator is None:
            from formwright.validators import Validator

            self._validator = Validator(cast("dict[str, Any]", self._adapter.core_schema))
        return self._validator

    def __call__(self, text: str) -> Any:
        """The value of type ``form`` that ``text`` spells.

        Raises:
            OutputInvalid: The text is not JSON, or the type refuses it.
        """
        try:
            return self._adapter.validate_json(text, context=current_context())
        except ValidationError as error:
            raise OutputInvalid(
                f"the text is in form, but {self._type!r} refuses it: {error}",
                hint="the type checks more than its JSON Schema says; state the check as a bound, pattern or Literal",
                text=text,
                position=len(text),
            ) from error


class Arguments:
    """Reads JSON as the arguments of a function, by name; pickled as the function.

    Attributes:
        schema_text: The JSON Schema of the arguments, as text.

    Raises:
        NotAForm: A parameter has no annotation or cannot be passed by name, or an annotation is no form.
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
