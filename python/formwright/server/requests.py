"""The bodies of requests: what each field may hold, and what becomes of those that are not read here.

::

    body = read(ChatBody, {"model": "formwright-tiny", "messages": [{"role": "user", "content": "Hi"}]})
    body.temperature                        # None

Every field of the protocol is known: it is served (a field of a class here), or ignored because it cannot change the
text, or refused because it could (`fields`). Any other name is an error.

Cost: pydantic's. The wrinkle: ``null`` is as good as no field, as the protocol has it.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isinf
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from formwright.server.errors import BadRequest, unknown_field
from formwright.server.fields import IGNORED_AT, REFUSED, is_neutral, without_ignored

__all__ = ["Body", "ChatBody", "CompletionBody", "ResponsesBody", "loaded", "read", "scoring_body"]

B = TypeVar("B", bound="Body")
Item = TypeVar("Item")

Items = Annotated[list[Item], Field(fail_fast=True)]
"""A list of which one wrong item is told, so that a million of them take no longer."""

_MOST_PROMPTS = 1 << 14
_MOST_BIASES = 1 << 14
_MOST_FIELDS = 1 << 10


def _few(value: Any, most: int) -> Any:
    """The same value. Raises PydanticCustomError, before its items are looked at, if there are too many of them."""
    if isinstance(value, Mapping) and len(value) > most:
        raise PydanticCustomError("too_many", f"There are {len(value)} fields, and {most} is the most")
    return value


Biases = Annotated[
    dict[str, Annotated[float, Field(ge=-100, le=100)]], BeforeValidator(lambda value: _few(value, _MOST_BIASES))
]

_MEANT: Mapping[str, tuple[str, ...]] = {
    "choice": ("structured_outputs.choice",),
    "grammar": ("structured_outputs.grammar",),
    "input": ("messages", "prompt"),
    "instructions": ("messages", "prompt"),
    "json": ("structured_outputs.json",),
    "json_schema": ("response_format", "text.format", "structured_outputs.json"),
    "logprobs": ("top_logprobs",),
    "max_completion_tokens": ("max_output_tokens", "max_tokens"),
    "max_output_tokens": ("max_completion_tokens", "max_tokens"),
    "max_tokens": ("max_output_tokens",),
    "messages": ("input", "prompt"),
    "reasoning": ("reasoning_effort",),
    "reasoning_effort": ("reasoning.effort",),
    "regex": ("structured_outputs.regex",),
    "response_format": ("text.format", "structured_outputs"),
    "structural_tag": ("structured_outputs.structural_tag",),
    "text": ("response_format", "structured_outputs"),
    "top_logprobs": ("logprobs",),
}
"""What other endpoints and servers call a field, and what may be meant: the first that an endpoint has."""

_NESTED = 'a tool is nested in chat completions: {"type": TYPE, TYPE: {"name": ...}}'
_FLAT = 'a tool is flat in responses: {"type": TYPE, "name": ...}'
_WRAPPED = 'chat completions wrap it: {"type": "json_schema", "json_schema": {"name": ..., "schema": ...}}'
_BESIDE = 'in responses it is {"type": "json_schema", "name": ..., "schema": ...}'


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    ELSEWHERE: ClassVar[Mapping[str, str]] = {}
    """Fields that stand in another place, or do in another endpoint: how they are written."""

    @model_validator(mode="before")
    @classmethod
    def _check_size(cls, value: Any) -> Any:
        return _few(value, _MOST_FIELDS)


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

    ELSEWHERE = {"schema": 'for a schema, the type is "json_schema"'}


class SchemaFormat(_Part):
    """JSON for a schema, as chat completions spell it."""

    type: Literal["json_schema"]
    json_schema: Schema

    ELSEWHERE = dict.fromkeys(Schema.model_fields | {"schema": None}, _WRAPPED)


class FlatSchemaFormat(Schema):
    """JSON for a schema, as responses spell it."""

    type: Literal["json_schema"]

    ELSEWHERE = {"json_schema": _BESIDE}


class GrammarFormat(_Part):
    """A grammar, as some servers have it."""

    type: Literal["grammar"]
    grammar: Any


class StructuralTag(_Part):
    """Text with tags, as vLLM has it."""

    type: Literal["structural_tag"]
    structures: list[Any] | None = None
    triggers: Items[str] | None = None
    format: Any = None


ResponseFormat = Annotated[
    TextFormat | ObjectFormat | SchemaFormat | StructuralTag | GrammarFormat, Field(discriminator="type")
]
OutputFormat = Annotated[TextFormat | ObjectFormat | FlatSchemaFormat, Field(discriminator="type")]


class StructuredOutputs(_Part):
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


Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,128}$")]


class Function(_Part):
    """A function of a tool."""

    name: Name
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class FunctionTool(_Part):
    """A function, as chat completions list it."""

    type: Literal["function"]
    function: Function

    ELSEWHERE = dict.fromkeys(Function.model_fields, _NESTED.replace("TYPE", '"function"'))


class FlatFunctionTool(Function):
    """A function, as responses list it."""

    type: Literal["function"]
    defer_loading: Literal[False] | None = None

    ELSEWHERE = {"function": _FLAT.replace("TYPE", '"function"')}


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

    name: Name
    description: str | None = None
    format: CustomGrammar | None = None


class CustomTool(_Part):
    """A custom tool, as chat completions list it."""

    type: Literal["custom"]
    custom: Custom

    ELSEWHERE = dict.fromkeys(Custom.model_fields, _NESTED.replace("TYPE", '"custom"'))


class FlatCustomTool(_Part):
    """A custom tool, as responses list it."""

    type: Literal["custom"]
    name: Name
    description: str | None = None
    format: FlatCustomGrammar | None = None
    defer_loading: Literal[False] | None = None

    ELSEWHERE = {"custom": _FLAT.replace("TYPE", '"custom"')}


ChatTool = Annotated[FunctionTool | CustomTool, Field(discriminator="type")]
ResponsesTool = Annotated[FlatFunctionTool | FlatCustomTool, Field(discriminator="type")]


class StreamOptions(_Part):
    """Options of a stream."""

    include_usage: bool | None = None
    include_obfuscation: bool | None = None
    continuous_usage_stats: Literal[False] | None = None


class Body(_Part):
    """What all requests have."""

    ENDPOINT: ClassVar[str]
    model: str
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    top_k: int | None = None
    min_p: Annotated[float, Field(ge=0, le=1)] = 0.0
    repetition_penalty: Annotated[float, Field(gt=0, le=10)] = 1.0
    min_tokens: Annotated[int, Field(ge=0)] = 0
    seed: int | None = None
    stream: bool = False
    stream_options: StreamOptions | None = None
    structured_outputs: StructuredOutputs | None = None
    guided_json: Any = None
    guided_regex: str | None = None
    guided_choice: Items[str] | None = None
    guided_grammar: str | None = None
    guided_decoding_backend: str | None = None
    guided_whitespace_pattern: str | None = None
    canonical: bool | Literal["forced"] | None = None
    trace: bool = False
    _ignored: list[str] = PrivateAttr(default_factory=list)

    def ignore(self, name: str) -> None:
        """Note a field that this server ignores."""
        self._ignored.append(name)

    @property
    def notes(self) -> list[str]:
        """What was accepted, and changes nothing."""
        notes = [f"ignored, because they cannot change the text: {', '.join(self._ignored)}"] if self._ignored else []
        if (backend := self.guided_decoding_backend) is not None:
            notes.append(f"guided_decoding_backend: {backend!r} is not used; formwright's kernel enforces")
        return notes

    @property
    def texts(self) -> int:
        """How many texts it asks for."""
        return 1

    @property
    def jobs(self) -> int:
        """How many rows it takes."""
        return self.texts


class Sampled(Body):
    """What the two older endpoints have."""

    n: Annotated[int, Field(ge=1, le=128)] = 1
    stop: str | Annotated[Items[str], Field(max_length=4)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] = 0.0
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)] = 0.0
    logit_bias: Biases = Field(default_factory=dict)

    @property
    def texts(self) -> int:
        """How many texts it asks for."""
        return self.n


class ChatBody(Sampled):
    """Of ``/v1/chat/completions``."""

    ENDPOINT = "chat completions"
    messages: Annotated[Items[dict[str, Any]], Field(min_length=1)]
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    response_format: ResponseFormat | None = None
    tools: Items[ChatTool] | None = None
    tool_choice: Any = None
    parallel_tool_calls: bool = True
    logprobs: bool = False
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    continue_final_message: bool = False
    add_generation_prompt: bool | None = None
    chat_template_kwargs: dict[str, Any] = Field(default_factory=dict)
    modalities: Items[Literal["text"]] | None = None
    score: Annotated[Items[str], Field(min_length=1, max_length=128)] | None = None


class TextOptions(_Part):
    """``text`` of responses."""

    format: OutputFormat | None = None


class Reasoning(_Part):
    """``reasoning`` of responses."""

    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None


class ResponsesBody(Body):
    """Of ``/v1/responses``."""

    ENDPOINT = "responses"
    input: str | Annotated[Items[dict[str, Any]], Field(min_length=1)]
    instructions: str | None = None
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    text: TextOptions | None = None
    tools: Items[ResponsesTool] | None = None
    tool_choice: Any = None
    parallel_tool_calls: bool = True
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    include: Items[Literal["message.output_text.logprobs", "reasoning.encrypted_content"]] | None = None
    reasoning: Reasoning | None = None
    previous_response_id: str | None = None
    store: bool | None = None

    @property
    def items(self) -> list[dict[str, Any]]:
        """The items of the input, of which a text is one."""
        return [{"role": "user", "content": self.input}] if isinstance(self.input, str) else self.input


class CompletionBody(Sampled):
    """Of ``/v1/completions``."""

    ENDPOINT = "completions"
    prompt: (
        str
        | Annotated[Items[str], Field(min_length=1, max_length=_MOST_PROMPTS)]
        | Annotated[Items[int], Field(min_length=1)]
        | Annotated[Items[Items[int]], Field(min_length=1, max_length=_MOST_PROMPTS)]
    )
    max_tokens: Annotated[int, Field(ge=0)] | None = None
    logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    echo: bool = False

    @property
    def prompts(self) -> list[Any]:
        """The prompts, each a text or token ids."""
        several = isinstance(self.prompt, list) and not isinstance(self.prompt[0], int)
        return list(self.prompt) if several else [self.prompt]

    @property
    def texts(self) -> int:
        """How many texts it asks for."""
        return self.n * len(self.prompts)

    @property
    def scores_prompts(self) -> bool:
        """Whether the answer has the log probabilities of the prompts."""
        return self.echo and self.logprobs is not None

    @property
    def jobs(self) -> int:
        """How many rows its texts and the scoring of its prompts take."""
        return self.texts + len(self.prompts) * self.scores_prompts


_BESIDE_SCORE = {
    "model",
    "messages",
    "chat_template_kwargs",
    "modalities",
    "score",
    "canonical",
    "max_tokens",
    "max_completion_tokens",
}
"""Fields that go with ``score``: nothing is written, so any bound of the answer is kept."""

_SCORED = 1 << 15
"""Characters of all texts of ``score`` together."""


def scoring_body(body: ChatBody) -> ChatBody:
    """The body of a request that has texts scored: canonical, unless it says otherwise, as `LocalModel.score` is.

    Raises:
        BadRequest: It asks for something to be written, or the texts are too long.
    """
    for name in sorted(body.model_fields_set - _BESIDE_SCORE):
        if getattr(body, name) != type(body).model_fields[name].get_default(call_default_factory=True):
            raise BadRequest(f"{name} does not go with score: the texts are given, and nothing is written", param=name)
    if body.canonical == "forced":
        raise BadRequest("canonical is true or false with score", param="canonical")
    if (count := sum(map(len, body.score or ()))) > _SCORED:
        raise BadRequest(f"score: the texts have {count} characters, and {_SCORED} is the most", param="score")
    return body.model_copy(update={"canonical": body.canonical is not False})


_VALUES = 1 << 19
"""Values of a body. While they are made no other thread runs, and a million arrays take half a second."""


def loaded(data: bytes | bytearray) -> Any:
    """The JSON of a body.

    Raises:
        BadRequest: It is none, it has too many parts, or it holds what no answer could say again: lone surrogates,
            infinite numbers.
    """
    if _values(data) > _VALUES and _values(_outside_strings(data)) > _VALUES:
        raise BadRequest(f"the body holds more than {_VALUES:,} values")
    try:
        with _no_collection():
            sent = json.loads(data, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        said = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise BadRequest(f"the body is no JSON: {said}", code="invalid_json") from None
    if b"\\u" in data or b"\xed" in data:  # how surrogates are spelled
        for name, value in sent.items() if isinstance(sent, dict) else ():
            _check_surrogates(name, None)
            _check_surrogates(value, name)
    return sent


def _values(data: bytes | bytearray) -> int:
    """How many values a JSON text holds at most: each is the whole, or the first of a container, or follows a comma."""
    return 1 + len(data) - len(data.translate(None, b",[{"))


def _outside_strings(data: bytes | bytearray) -> bytes:
    """A JSON text without its strings."""
    without_escaped_quotes = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    return b"".join(without_escaped_quotes.split(b'"')[::2])


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the garbage collector, which looks at a million new lists again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        _no_number(text)
    return number


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number that JSON can say")


def _check_surrogates(value: Any, param: str | None) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        where = param or "the name of a field"
        said = f"{where} holds a lone surrogate: {error.object[error.start]!r}"
        raise BadRequest(said, param=param, code="invalid_json") from None


def read(body: type[B], sent: object) -> B:
    """A body, checked.

    Raises:
        BadRequest: It is none; `BadRequest.param` is the field.
    """
    if not isinstance(sent, Mapping):
        raise BadRequest("the body is a JSON object with the fields of the request")
    sent, ignored = without_ignored(sent, _names(body))
    given = {name: value for name, value in sent.items() if value is not None}
    for name in [name for name in given if name not in _names(body)]:
        _check_other(name, given.pop(name), body)
    if "stream_options" in given and not given.get("stream"):
        raise BadRequest("stream_options: stream must be true for it", param="stream_options")
    try:
        found = body.model_validate(given)
    except ValidationError as error:
        telling = min(error.errors(), key=lambda each: _LEAST_TELLING.get(each["type"], each["type"].endswith("_type")))
        raise _refusal(telling, given, body) from None
    found._ignored = [*ignored, *_thoughts(found)]
    return found


def _thoughts(body: Body) -> Iterator[str]:
    """The items that hold thoughts of earlier answers, which are not read again."""
    items = body.input if isinstance(body, ResponsesBody) else ""
    if any(isinstance(item, Mapping) and item.get("type") == "reasoning" for item in items):
        yield "input[] of the type 'reasoning'"


def _names(part: type[_Part]) -> set[str]:
    return {field.alias or name for name, field in part.model_fields.items()}


def _check_other(name: str, value: Any, body: type[Body]) -> None:
    """A field that is not served: it may be there, or not."""
    if name in REFUSED:
        if not is_neutral(name, value):
            raise _not_served(name, REFUSED[name][0])
        return
    if name == "extra_body":
        said = "extra_body is an argument of the SDK: put its fields beside the others"
        raise BadRequest(said, param=name, code="unknown_parameter")
    meant = next((other for other in _MEANT.get(name, ()) if other.partition(".")[0] in _names(body)), None)
    if meant or any(name in _names(other) for other in (ChatBody, ResponsesBody, CompletionBody)):
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise BadRequest(f"there is no field {name!r} in {body.ENDPOINT}{hint}", param=name, code="unknown_parameter")
    raise unknown_field(name, {*_names(body), *IGNORED_AT[""], *REFUSED})


def _not_served(param: str, why: str) -> BadRequest:
    return BadRequest(f"{param} is not served: {why}", param=param, code="unsupported_parameter")


def _refusal(error: Any, given: Mapping[str, Any], body: type[Body]) -> BadRequest:
    """What pydantic says, in the words of the protocol."""
    *_, name = error["loc"]
    parts, keys = _parts_at(body, error["loc"][:-1])
    param = _place([*keys, name], given, error["type"] == "missing")
    if error["type"] == "extra_forbidden":
        for part in parts:
            if (how := part.ELSEWHERE.get(name)) is not None:
                return BadRequest(f"there is no field {param!r}: {how}", param=param, code="unknown_parameter")
        return unknown_field(param, {name for part in parts for name in _names(part)})
    if error["type"] == "missing":
        return BadRequest(f"{param} is missing", param=param, code="missing_required_parameter")
    return BadRequest(f"{param}{_said(param, error)}", param=param)


_LEAST_TELLING = {"extra_forbidden": -1}
"""Of a union there are errors of all branches, and the one that nearly fits says most: wrong types come last, and a
field that is unknown comes before one that is missing, which it may be."""

_WANTED = {
    "canonical": "true, false or 'forced'",
    "input": "a text or a list of items",
    "prompt": "a text, a list of texts, or token ids",
}


def _said(param: str, error: Any) -> str:
    """What is wrong with a value."""
    kind, context = error["type"], error.get("ctx", {})
    if param in _WANTED and (kind.endswith("_type") or kind == "literal_error"):
        return f" is {_WANTED[param]}"
    match kind:
        case "too_short":
            return " is empty"
        case "dict_type" | "model_type" | "model_attributes_type":
            return " is an object"
        case "union_tag_not_found":
            return ".type is missing"
        case "union_tag_invalid":
            return f": the type {context['tag']!r} is not served, but these are: {context['expected_tags']}"
        case "string_pattern_mismatch":
            return f": {error['input']!r} does not match {context['pattern']}"
        case _:
            return f": {error['msg'][:1].lower()}{error['msg'][1:]}"


def _parts_at(body: type[_Part], loc: Sequence[str | int]) -> tuple[list[type[_Part]], list[str | int]]:
    """What a place may hold, and the place without the names that pydantic gives to the branches of a union."""
    parts, keys = [body], list[str | int]()
    for key in loc:
        if isinstance(key, str) and len(parts) > 1:
            parts = [part for part in parts if key in get_args(part.model_fields["type"].annotation)]
            continue
        keys.append(key)
        if isinstance(key, str):
            fields = [
                field for part in parts for name, field in part.model_fields.items() if key in (name, field.alias)
            ]
            parts = [part for field in fields for part in _parts(field.annotation)]
    return parts, keys


def _parts(annotation: Any) -> Iterator[type[_Part]]:
    """The objects that a field may hold."""
    if isinstance(annotation, type) and issubclass(annotation, _Part):
        yield annotation
    for inner in get_args(annotation):
        yield from _parts(inner)


def _place(loc: Sequence[str | int], given: Any, is_missing: bool) -> str:
    """Where in the body an error is; what is not in it names a branch of a union of plain values."""
    place, at = "", given
    for number, key in enumerate(loc):
        if isinstance(at, Mapping) and isinstance(key, str) and key in at:
            place, at = f"{place}.{key}" if place else key, at[key]
        elif isinstance(at, list) and isinstance(key, int) and key < len(at):
            place, at = f"{place}[{key}]", at[key]
        elif is_missing and number == len(loc) - 1:
            place = f"{place}.{key}" if place else str(key)
    return place
