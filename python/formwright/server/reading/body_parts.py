"""Parts of the bodies of requests: formats, tools and options, as each endpoint spells them.

::

    SchemaFormat.model_validate({"type": "json_schema", "json_schema": {"schema": {"type": "integer"}}})

A field of another endpoint is an error that names its counterpart here (`ELSEWHERE`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

__all__ = [
    "Biases",
    "BodyPart",
    "ChatTool",
    "Custom",
    "CustomGrammar",
    "CustomTool",
    "FlatCustomGrammar",
    "FlatCustomTool",
    "FlatFunctionTool",
    "FlatSchemaFormat",
    "Function",
    "FunctionTool",
    "Grammar",
    "GrammarFormat",
    "Items",
    "Name",
    "ObjectFormat",
    "OutputFormat",
    "ResponseFormat",
    "ResponsesTool",
    "Schema",
    "SchemaFormat",
    "StreamingOptions",
    "StructuralTag",
    "StructuredOutputs",
    "TextFormat",
]

Item = TypeVar("Item")

Items = Annotated[list[Item], Field(fail_fast=True)]
"""A list whose first wrong item is reported alone, so that a million wrong items take no longer."""


def _check_count(value: Any, most: int) -> Any:
    """Return a value. Raises PydanticCustomError if it has too many fields, before any is read."""
    if isinstance(value, Mapping) and len(value) > most:
        raise PydanticCustomError("too_many", f"There are {len(value)} fields, and {most} is the most")
    return value


_MOST_BIASES = 1 << 14


_MOST_FIELDS = 1 << 10


Biases = Annotated[
    dict[str, Annotated[float, Field(ge=-100, le=100)]],
    BeforeValidator(lambda value: _check_count(value, _MOST_BIASES)),
]


_NESTED = 'a tool is nested in chat completions: {"type": TYPE, TYPE: {"name": ...}}'


_FLAT = 'a tool is flat in responses: {"type": TYPE, "name": ...}'


_WRAPPED = 'chat completions wrap it: {"type": "json_schema", "json_schema": {"name": ..., "schema": ...}}'


_BESIDE = 'in responses it is {"type": "json_schema", "name": ..., "schema": ...}'


_NESTED_GRAMMAR = '{"type": "grammar", "grammar": {"syntax": "lark", "definition": ...}}'


_FLAT_GRAMMAR = '{"type": "grammar", "syntax": "lark", "definition": ...}'


class BodyPart(BaseModel):
    """An object in a body. Any other field is an error."""

    model_config = ConfigDict(extra="forbid", strict=True)

    ELSEWHERE: ClassVar[Mapping[str, str]] = {}
    """Fields that belong to another place or endpoint, and how they are written here."""

    @model_validator(mode="before")
    @classmethod
    def _check_size(cls, value: Any) -> Any:
        return _check_count(value, _MOST_FIELDS)


class Schema(BodyPart):
    """The schema of ``response_format``."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None = None
    description: str | None = None
    schema_: Any = Field(default=None, alias="schema")
    strict: bool | None = None


class TextFormat(BodyPart):
    """Free text."""

    type: Literal["text"]


class ObjectFormat(BodyPart):
    """Any JSON object."""

    type: Literal["json_object"]

    ELSEWHERE = {"schema": 'for a schema, the type is "json_schema"'}


class SchemaFormat(BodyPart):
    """JSON for a schema, as chat completions spell it."""

    type: Literal["json_schema"]
    json_schema: Schema

    ELSEWHERE = dict.fromkeys(Schema.model_fields | {"schema": None}, _WRAPPED)


class FlatSchemaFormat(Schema):
    """JSON for a schema, as responses spell it."""

    type: Literal["json_schema"]

    ELSEWHERE = {"json_schema": _BESIDE}


class GrammarFormat(BodyPart):
    """A grammar, as some servers spell it."""

    type: Literal["grammar"]
    grammar: Any


class StructuralTag(BodyPart):
    """Text with tags, as vLLM spells it."""

    type: Literal["structural_tag"]
    structures: list[Any] | None = None
    triggers: Items[str] | None = None
    format: Any = None


ResponseFormat = Annotated[
    TextFormat | ObjectFormat | SchemaFormat | StructuralTag | GrammarFormat, Field(discriminator="type")
]


OutputFormat = Annotated[TextFormat | ObjectFormat | FlatSchemaFormat | GrammarFormat, Field(discriminator="type")]


class StructuredOutputs(BodyPart):
    """The form, as vLLM spells it."""

    json_: Any = Field(default=None, alias="json")
    regex: str | None = None
    choice: Items[str] | None = None
    grammar: str | None = None
    json_object: bool | None = None
    structural_tag: Any = None
    disable_any_whitespace: bool = False
    disable_additional_properties: bool = False
    whitespace_pattern: str | None = None


class OwnOptions(BodyPart):
    """``formwright``: what no other server has."""

    notation: Literal["json", "jsonl", "python", "csv", "tsv", "markdown", "xml", "toml", "toon", "yaml"] = "json"
    receipt: bool = False


Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,128}$")]


class Function(BodyPart):
    """A function of a tool."""

    name: Name
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class FunctionTool(BodyPart):
    """A function, as chat completions list it."""

    type: Literal["function"]
    function: Function

    ELSEWHERE = dict.fromkeys(Function.model_fields, _NESTED.replace("TYPE", '"function"'))


class FlatFunctionTool(Function):
    """A function, as responses list it."""

    type: Literal["function"]
    defer_loading: Literal[False] | None = None

    ELSEWHERE = {"function": _FLAT.replace("TYPE", '"function"')}


class Grammar(BodyPart):
    """A grammar of a custom tool."""

    syntax: Literal["lark", "regex"]
    definition: str


class CustomGrammar(BodyPart):
    """The form of a custom tool's input, as chat completions spell it."""

    type: Literal["text", "grammar"]
    grammar: Grammar | None = None

    ELSEWHERE = dict.fromkeys(Grammar.model_fields, f"chat completions nest it: {_NESTED_GRAMMAR}")


class FlatCustomGrammar(BodyPart):
    """The form of a custom tool's input, as responses spell it."""

    type: Literal["text", "grammar"]
    syntax: Literal["lark", "regex"] | None = None
    definition: str | None = None

    ELSEWHERE = {"grammar": f"in responses it is {_FLAT_GRAMMAR}"}


class Custom(BodyPart):
    """A custom tool, whose input is text."""

    name: Name
    description: str | None = None
    format: CustomGrammar | None = None


class CustomTool(BodyPart):
    """A custom tool, as chat completions list it."""

    type: Literal["custom"]
    custom: Custom

    ELSEWHERE = dict.fromkeys(Custom.model_fields, _NESTED.replace("TYPE", '"custom"'))


class FlatCustomTool(BodyPart):
    """A custom tool, as responses list it."""

    type: Literal["custom"]
    name: Name
    description: str | None = None
    format: FlatCustomGrammar | None = None
    defer_loading: Literal[False] | None = None

    ELSEWHERE = {"custom": _FLAT.replace("TYPE", '"custom"')}


ChatTool = Annotated[FunctionTool | CustomTool, Field(discriminator="type")]


ResponsesTool = Annotated[FlatFunctionTool | FlatCustomTool, Field(discriminator="type")]


class StreamingOptions(BodyPart):
    """Options of a stream."""

    include_usage: bool | None = None
    include_obfuscation: bool | None = None
    continuous_usage_stats: Literal[False] | None = None
