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

Cost: building the adapter of a type, about a millisecond, once per call of `reader`.

The wrinkle: a type may check more than its schema tells (a custom validator). Such a
type can refuse a text that is in form; `OutputInvalid` reports it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from formwright._dependencies import needs
from formwright.errors import OutputInvalid, SchemaError

with needs("pydantic", "a Python type as a form"):
    from pydantic import TypeAdapter, ValidationError
    from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError
    from pydantic.json_schema import GenerateJsonSchema

__all__ = ["parse", "reader", "schema_text"]


class _Closed(GenerateJsonSchema):
    """Pydantic's generator, with declared objects closed and decimals as numbers."""

    def model_schema(self, schema: Any) -> dict[str, Any]:
        return _close(super().model_schema(schema))

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        return _close(super().dataclass_schema(schema))

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        return _close(super().typed_dict_schema(schema))

    def decimal_schema(self, schema: Any) -> dict[str, Any]:
        bounds = {
            key: float(schema[key]) for key in ("multiple_of", "le", "ge", "lt", "gt") if schema.get(key) is not None
        }
        return self.float_schema({"type": "float", **bounds})  # type: ignore[typeddict-item]


def _close(schema: dict[str, Any]) -> dict[str, Any]:
    if schema.get("type") == "object":
        schema.setdefault("additionalProperties", False)
    return schema


def _adapter(form: Any) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(form)
    except (PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError) as error:
        raise SchemaError(
            f"{form!r} is no form: pydantic cannot read it as a type: {error}",
            hint="pass a Python type, a JSON Schema (dict, bool or text), a compiled re.Pattern or a Language",
        ) from error


def schema_text(form: Any) -> str:
    """JSON Schema text for the Python type ``form``.

    Raises:
        SchemaError: ``form`` is not a type, or holds something JSON cannot say.
        MissingDependency: pydantic is not installed.
    """
    return _schema_text(_adapter(form), form)


def _schema_text(adapter: TypeAdapter[Any], form: Any) -> str:
    try:
        schema = adapter.json_schema(schema_generator=_Closed, mode="validation")
    except PydanticUserError as error:
        raise SchemaError(f"{form!r} cannot be said in JSON Schema: {error}") from error
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def reader(form: Any) -> tuple[str, Callable[[str], Any]]:
    """The schema text of ``form`` and a function from a text in form to a value of that type."""
    adapter = _adapter(form)

    def read(text: str) -> Any:
        try:
            return adapter.validate_json(text)
        except ValidationError as error:
            raise OutputInvalid(
                f"the text is in form, but {form!r} refuses it: {error}",
                hint="the type checks more than its JSON Schema says; state the check as a bound, pattern or Literal",
            ) from error

    return _schema_text(adapter, form), read


def parse(form: Any, text: str) -> Any:
    """The value of type ``form`` that ``text`` spells.

    Raises:
        OutputInvalid: The text is not JSON, or the type refuses it.
    """
    return reader(form)[1](text)
