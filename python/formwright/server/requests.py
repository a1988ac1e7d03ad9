"""The bodies of requests: what each field may hold, and what becomes of those that are not read here.

::

    body = read(ChatBody, {"model": "formwright-tiny", "messages": [{"role": "user", "content": "Hi"}]})
    body.temperature                        # None

Every field of the protocol is known: it is served (a field of a class here), or accepted because it cannot change the
text (`INERT`), or refused because it could (`REFUSED`). Any other name is an error.

Cost: pydantic's. The wrinkle: ``null`` is as good as no field, as the protocol has it.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from formwright.server.errors import BadRequest

__all__ = ["INERT", "REFUSED", "Body", "ChatBody", "CompletionBody", "ResponsesBody", "read"]

B = TypeVar("B", bound="Body")

INERT: Mapping[str, str] = {
    "max_tool_calls": "counts calls of built-in tools, of which there are none",
    "metadata": "kept by nobody",
    "prediction": "would make an answer faster, not another one",
    "prompt_cache_key": "nothing is cached between requests",
    "prompt_cache_options": "nothing is cached between requests",
    "prompt_cache_retention": "nothing is cached between requests",
    "safety_identifier": "kept by nobody",
    "service_tier": "there is one",
    "store": "nothing is stored",
    "user": "kept by nobody",
}
"""Fields that cannot change the text, and why."""

REFUSED: Mapping[str, tuple[str, tuple[Any, ...]]] = {
    "access_programs": ("there are no such programs", ()),
    "audio": ("answers are text", ()),
    "background": ("answers are given at once: ask without it", (False,)),
    "background_options": ("answers are given at once", ()),
    "best_of": ("texts are not ranked: ask for n of them, with logprobs", (1,)),
    "context_management": ("a conversation is read as it is sent", ()),
    "conversation": ("nothing is stored: send the whole conversation as input", ()),
    "echo": ("the prompt is not repeated", (False,)),
    "function_call": ("an older name: use tool_choice", ()),
    "functions": ("an older name: use tools", ()),
    "image": ("answers are text", ()),
    "moderation": ("nothing is moderated here", ()),
    "previous_response_id": ("nothing is stored: send the whole conversation as input", ()),
    "prompt": ("templates of prompts are stored elsewhere: send input and instructions", ()),
    "suffix": ("text is written behind a prompt, not into one", ("",)),
    "truncation": ("a conversation that is too long is an error", ("disabled",)),
    "verbosity": ("a model says as much as it says: ask for it in the prompt", ("medium",)),
    "web_search_options": ("there is no search", ()),
}
"""Fields that could change the text and are not served: why, and the values that are as good as none."""

_SUGGESTIONS = 0.6
"""How alike a name must be to be suggested."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Schema(_Part):
    """The schema of ``response_format``."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None = None
    description: str | None = None
    schema_: Any = Field(default=None, alias="schema")
    strict: bool | None = None


class TextFormat(_Part):
    """Free text."""

    type: Literal["text"]


class ObjectFormat(_Part):
    """Any JSON object."""

    type: Literal["json_object"]


class SchemaFormat(_Part):
    """JSON for a schema, as chat completions spell it."""

    type: Literal["json_schema"]
    json_schema: Schema


class FlatSchemaFormat(Schema):
    """JSON for a schema, as responses spell it."""

    type: Literal["json_schema"]


class GrammarFormat(_Part):
    """A grammar, as some servers have it."""

    type: Literal["grammar"]
    grammar: Any


class StructuralTag(_Part):
    """Text with tags, as vLLM has it."""

    type: Literal["structural_tag"]
    structures: list[Any] | None = None
    triggers: list[str] | None = None
    format: Any = None


ResponseFormat = Annotated[
    TextFormat | ObjectFormat | SchemaFormat | StructuralTag | GrammarFormat, Field(discriminator="type")
]
OutputFormat = Annotated[TextFormat | ObjectFormat | FlatSchemaFormat, Field(discriminator="type")]


class StructuredOutputs(_Part):
    """The form, as vLLM spells it."""

    json_: Any = Field(default=None, alias="json")
    regex: str | None = None
    choice: list[str] | None = None
    grammar: str | None = None
    json_object: bool | None = None
    structural_tag: Any = None
    disable_any_whitespace: bool = False
    disable_additional_properties: bool = False
    whitespace_pattern: str | None = None


class Function(_Part):
    """A function of a tool."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class FunctionTool(_Part):
    """A function, as chat completions list it."""

    type: Literal["function"]
    function: Function


class FlatFunctionTool(Function):
    """A function, as responses list it."""

    type: Literal["function"]
    defer_loading: Literal[False] | None = None


class Grammar(_Part):
    """A grammar of a custom tool."""

    syntax: Literal["lark", "regex"]
    definition: str


class CustomGrammar(_Part):
    """What the input of a custom tool is, as chat completions spell it."""

    type: Literal["text", "grammar"]
    grammar: Grammar | None = None


class FlatCustomGrammar(_Part):
    """What the input of a custom tool is, as responses spell it."""

    type: Literal["text", "grammar"]
    syntax: Literal["lark", "regex"] | None = None
    definition: str | None = None


class Custom(_Part):
    """A custom tool, whose input is text."""

    name: str
    description: str | None = None
    format: CustomGrammar | None = None


class CustomTool(_Part):
    """A custom tool, as chat completions list it."""

    type: Literal["custom"]
    custom: Custom


class FlatCustomTool(_Part):
    """A custom tool, as responses list it."""

    type: Literal["custom"]
    name: str
    description: str | None = None
    format: FlatCustomGrammar | None = None
    defer_loading: Literal[False] | None = None


ChatTool = Annotated[FunctionTool | CustomTool, Field(discriminator="type")]
ResponsesTool = Annotated[FlatFunctionTool | FlatCustomTool, Field(discriminator="type")]


class StreamOptions(_Part):
    """Options of a stream."""

    include_usage: bool | None = None
    include_obfuscation: bool | None = None
    continuous_usage_stats: Literal[False] | None = None


class Body(_Part):
    """What all requests have."""

    model: str
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    top_k: int | None = None
    seed: int | None = None
    stream: bool = False
    stream_options: StreamOptions | None = None
    structured_outputs: StructuredOutputs | None = None
    guided_json: Any = None
    guided_regex: str | None = None
    guided_choice: list[str] | None = None
    guided_grammar: str | None = None
    guided_decoding_backend: str | None = None
    guided_whitespace_pattern: str | None = None
    canonical: bool | Literal["forced"] | None = None
    trace: bool = False


class Sampled(Body):
    """What the two older endpoints have."""

    n: Annotated[int, Field(ge=1, le=128)] = 1
    stop: str | Annotated[list[str], Field(max_length=4)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] = 0.0
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)] = 0.0
    logit_bias: dict[str, Annotated[float, Field(ge=-100, le=100)]] = Field(default_factory=dict)


class ChatBody(Sampled):
    """Of ``/v1/chat/completions``."""

    messages: Annotated[list[dict[str, Any]], Field(min_length=1)]
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    response_format: ResponseFormat | None = None
    tools: list[ChatTool] | None = None
    tool_choice: Any = None
    parallel_tool_calls: bool = True
    logprobs: bool = False
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    modalities: list[Literal["text"]] | None = None


class TextOptions(_Part):
    """``text`` of responses."""

    format: OutputFormat | None = None
    verbosity: Literal["medium"] | None = None


class Reasoning(_Part):
    """``reasoning`` of responses."""

    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    summary: None = None
    generate_summary: None = None


class ResponsesBody(Body):
    """Of ``/v1/responses``."""

    input: str | Annotated[list[dict[str, Any]], Field(min_length=1)]
    instructions: str | None = None
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    text: TextOptions | None = None
    tools: list[ResponsesTool] | None = None
    tool_choice: Any = None
    parallel_tool_calls: bool = True
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    include: list[Literal["message.output_text.logprobs", "reasoning.encrypted_content"]] | None = None
    reasoning: Reasoning | None = None


class CompletionBody(Sampled):
    """Of ``/v1/completions``."""

    prompt: str | Annotated[list[str] | list[int] | list[list[int]], Field(min_length=1)]
    logprobs: Annotated[int, Field(ge=0, le=20)] | None = None


def read(body: type[B], sent: object) -> B:
    """A body, checked.

    Raises:
        BadRequest: It is none; `BadRequest.param` is the field.
    """
    if not isinstance(sent, Mapping):
        raise BadRequest("the body is a JSON object with the fields of the request")
    given = {name: value for name, value in sent.items() if value is not None}
    served = {field.alias or name for name, field in body.model_fields.items()}
    for name in [name for name in given if name not in served]:
        _check_other(name, given.pop(name), served)
    try:
        return body.model_validate(given)
    except ValidationError as error:
        errors = error.errors()  # of a union, those of all its branches: the one that nearly fits says most
        telling = next((each for each in errors if not each["type"].endswith("_type")), errors[0])
        raise _refusal(telling, given) from None


def _check_other(name: str, value: Any, served: set[str]) -> None:
    """A field that is not served: it may be there, or not."""
    if name in INERT:
        return
    if name in REFUSED:
        why, harmless = REFUSED[name]
        if not any(type(value) is type(good) and value == good for good in harmless):
            raise BadRequest(f"{name} is not served: {why}", param=name, code="unsupported_parameter")
        return
    near = difflib.get_close_matches(name, [*sorted(served), *INERT, *REFUSED], n=1, cutoff=_SUGGESTIONS)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise BadRequest(f"there is no field {name!r}{hint}", param=name, code="unknown_parameter")


def _refusal(error: Any, given: Mapping[str, Any]) -> BadRequest:
    """What pydantic says, in the words of the protocol."""
    param = _place(error["loc"], given, error["type"] == "missing")
    if error["type"] == "extra_forbidden":
        return BadRequest(f"there is no field {param!r}", param=param, code="unknown_parameter")
    if error["type"] == "missing":
        return BadRequest(f"{param} is missing", param=param, code="missing_required_parameter")
    return BadRequest(f"{param}: {error['msg'][:1].lower()}{error['msg'][1:]}", param=param, code="invalid_value")


def _place(loc: Sequence[str | int], given: Any, is_missing: bool) -> str:
    """Where in the body an error is; the names that pydantic gives to the branches of a union are left out."""
    place, at = "", given
    for number, key in enumerate(loc):
        if isinstance(at, Mapping) and isinstance(key, str) and key in at:
            place, at = f"{place}.{key}" if place else key, at[key]
        elif isinstance(at, list) and isinstance(key, int) and key < len(at):
            place, at = f"{place}[{key}]", at[key]
        elif is_missing and number == len(loc) - 1:
            place = f"{place}.{key}" if place else str(key)
    return place
