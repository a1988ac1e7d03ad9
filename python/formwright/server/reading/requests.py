"""The bodies of requests: what each field of an endpoint may hold.

::

    ChatBody.model_validate({"model": "formwright-tiny", "messages": [{"role": "user", "content": "Hi"}]}).n      # 1

`body_reader` reads them and decides about fields that are not here. What endpoints spell differently is a property of
`Body`, so that no later module has to know which endpoint it serves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, PrivateAttr

from formwright.server.errors import BadRequest
from formwright.server.reading.body_parts import (
    Biases,
    BodyPart,
    ChatTool,
    Items,
    OutputFormat,
    OwnOptions,
    ResponseFormat,
    ResponsesTool,
    StreamingOptions,
    StructuredOutputs,
)

__all__ = ["Body", "Budget", "ChatBody", "CompletionBody", "ResponsesBody", "SampledBody", "make_scoring_body"]

_MOST_PROMPTS = 1 << 14

_STOPS = 64
"""Stop texts of a request at most; services take four, engines and evaluation harnesses more."""


class Budget(NamedTuple):
    """How many tokens the answers to a request may have.

    Attributes:
        field: The field that sets it.
        limit: The most tokens of a text; ``None`` for the rest of the context after the prompt.
        is_default: Whether the request leaves the field out, and the endpoint has a limit of its own.
    """

    field: str
    limit: int | None
    is_default: bool = False


class Body(BodyPart):
    """The fields of all requests."""

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
    stream_options: StreamingOptions | None = None
    structured_outputs: StructuredOutputs | None = None
    guided_json: Any = None
    guided_regex: str | None = None
    guided_choice: Items[str] | None = None
    guided_grammar: str | None = None
    grammar: str | None = None
    ebnf: str | None = None
    guided_decoding_backend: str | None = None
    guided_whitespace_pattern: str | None = None
    formwright: OwnOptions = Field(default_factory=OwnOptions)
    canonical: bool | Literal["forced"] | None = None
    trace: bool = False
    _ignored: list[str] = PrivateAttr(default_factory=list)

    def ignore(self, name: str) -> None:
        """Note a field that this server ignores."""
        self._ignored.append(name)

    @property
    def notes(self) -> list[str]:
        """Fields that were accepted but have no effect."""
        notes = [f"ignored, because they cannot change the text: {', '.join(self._ignored)}"] if self._ignored else []
        if (backend := self.guided_decoding_backend) is not None:
            notes.append(f"guided_decoding_backend: {backend!r} is not used; formwright's kernel enforces")
        return notes

    @property
    def text_count(self) -> int:
        """How many texts it asks for."""
        return self.texts_per_prompt

    @property
    def texts_per_prompt(self) -> int:
        """How many texts it asks for after each prompt."""
        return 1

    @property
    def row_count(self) -> int:
        """How many rows it needs."""
        return self.text_count

    def read_budget(self) -> Budget:
        """Read how many tokens there may be. Raises BadRequest."""
        raise NotImplementedError

    @property
    def stop_texts(self) -> str | list[str]:
        """The texts before which to cut free text."""
        return []

    @property
    def likeliest_count(self) -> int | None:
        """How many of the most likely tokens to show at each; ``None`` for no log probabilities. Raises BadRequest."""
        return None

    @property
    def biases(self) -> Mapping[str, float]:
        """What to add to the logits of tokens, by their ids as text."""
        return {}

    @property
    def penalties(self) -> Mapping[str, float]:
        """The penalties for tokens that were written before, by their names in `Sampling`."""
        return {}

    @property
    def effort(self) -> str | None:
        """How long the thought before the answer may be; ``None`` for no thought."""
        return None

    @property
    def output_format(self) -> tuple[str, Any]:
        """The field that has the format of the answer, and the format, which may be ``None``."""
        return "", None

    @property
    def scored_texts(self) -> list[str] | None:
        """The texts that are to be scored, instead of one that is written."""
        return None

    @property
    def measured_text(self) -> str | None:
        """The text whose fields are to be measured, instead of one that is written."""
        return None

    @property
    def repeats_prompt(self) -> bool:
        """Whether the answer begins with the prompt."""
        return False

    @property
    def scores_prompts(self) -> bool:
        """Whether the answer has the log probabilities of the prompts."""
        return False

    @property
    def items(self) -> list[dict[str, Any]]:
        """The items of the input, where the endpoint has items."""
        return []

    @property
    def earlier_response(self) -> str | None:
        """The id of the response that the request continues."""
        return None

    @property
    def wants_storing(self) -> bool:
        """Whether a server that stores responses stores the one to this request."""
        return False


_MOST_SCORED = 1 << 15
"""Characters of all texts of ``score`` together at most, and of the text of ``measure``."""

_NOT_BESIDE_MEASURE = frozenset(
    {"n", "stream", "tools", "tool_choice", "logprobs", "score", "stop", "logit_bias", "min_tokens"}
)
"""Fields that say how a text is written, or which other one is scored."""


class SampledBody(Body):
    """The fields of the two older endpoints."""

    n: Annotated[int, Field(ge=1, le=128)] = 1
    stop: str | Annotated[Items[str], Field(max_length=_STOPS)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] = 0.0
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)] = 0.0
    logit_bias: Biases = Field(default_factory=dict)

    @property
    def texts_per_prompt(self) -> int:
        """``n``."""
        return self.n

    def read_budget(self) -> Budget:
        """Read ``max_tokens``."""
        return Budget("max_tokens", self.max_tokens)

    @property
    def stop_texts(self) -> str | list[str]:
        """``stop``."""
        return self.stop or []

    @property
    def biases(self) -> Mapping[str, float]:
        """``logit_bias``."""
        return self.logit_bias

    @property
    def penalties(self) -> Mapping[str, float]:
        """``presence_penalty`` and ``frequency_penalty``."""
        return {"presence_penalty": self.presence_penalty, "frequency_penalty": self.frequency_penalty}


class ChatBody(SampledBody):
    """The body of ``/v1/chat/completions``."""

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
    measure: Annotated[str, Field(max_length=_MOST_SCORED)] | None = None

    def read_budget(self) -> Budget:
        """Read ``max_completion_tokens`` or ``max_tokens``. Raises BadRequest if both are given and differ."""
        if self.max_completion_tokens is None:
            return super().read_budget()
        if self.max_tokens not in (None, self.max_completion_tokens):
            raise BadRequest(
                "max_tokens: an older name of max_completion_tokens, which has another value", param="max_tokens"
            )
        return Budget("max_completion_tokens", self.max_completion_tokens)

    @property
    def likeliest_count(self) -> int | None:
        """``top_logprobs``, with ``logprobs``. Raises BadRequest if it is given without."""
        if self.top_logprobs is not None and not self.logprobs:
            raise BadRequest("top_logprobs: expected logprobs to be true as well", param="top_logprobs")
        return (self.top_logprobs or 0) if self.logprobs else None

    @property
    def effort(self) -> str | None:
        """``reasoning_effort``."""
        return _read_effort(self.reasoning_effort)

    @property
    def output_format(self) -> tuple[str, Any]:
        """``response_format``."""
        return "response_format", self.response_format

    @property
    def scored_texts(self) -> list[str] | None:
        """``score``."""
        return self.score

    @property
    def measured_text(self) -> str | None:
        """``measure``."""
        return self.measure


def _read_effort(effort: str | None) -> str | None:
    return None if effort == "none" else effort


class TextOptions(BodyPart):
    """``text`` of responses."""

    format: OutputFormat | None = None


class Reasoning(BodyPart):
    """``reasoning`` of responses."""

    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None


class ResponsesBody(Body):
    """The body of ``/v1/responses``."""

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

    def read_budget(self) -> Budget:
        """Read ``max_output_tokens``."""
        return Budget("max_output_tokens", self.max_output_tokens)

    @property
    def likeliest_count(self) -> int | None:
        """``top_logprobs``, or none of them if only ``include`` asks for log probabilities."""
        is_included = "message.output_text.logprobs" in (self.include or ())
        return (self.top_logprobs or 0) if is_included or self.top_logprobs else None

    @property
    def effort(self) -> str | None:
        """``reasoning.effort``."""
        return None if self.reasoning is None else _read_effort(self.reasoning.effort)

    @property
    def output_format(self) -> tuple[str, Any]:
        """``text.format``."""
        return "text.format", self.text and self.text.format

    @property
    def earlier_response(self) -> str | None:
        """``previous_response_id``."""
        return self.previous_response_id

    @property
    def wants_storing(self) -> bool:
        """``store``, which is true if it is left out."""
        return self.store is not False

    @property
    def items(self) -> list[dict[str, Any]]:
        """The items of the input, of which a text is one."""
        return [{"role": "user", "content": self.input}] if isinstance(self.input, str) else self.input


class CompletionBody(SampledBody):
    """The body of ``/v1/completions``."""

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
    def text_count(self) -> int:
        """``n`` for each prompt."""
        return self.n * len(self.prompts)

    def read_budget(self) -> Budget:
        """Read ``max_tokens``, which is 16 if it is left out. Raises BadRequest if there would be nothing to answer."""
        if self.max_tokens == 0 and not self.echo:
            raise BadRequest("max_tokens: 0 is only for echo: there would be no answer", param="max_tokens")
        return Budget("max_tokens", 16, is_default=True) if self.max_tokens is None else super().read_budget()

    @property
    def likeliest_count(self) -> int | None:
        """``logprobs``."""
        return self.logprobs

    @property
    def repeats_prompt(self) -> bool:
        """``echo``."""
        return self.echo

    @property
    def scores_prompts(self) -> bool:
        """``echo`` with ``logprobs``."""
        return self.echo and self.logprobs is not None

    @property
    def row_count(self) -> int:
        """How many rows its texts and the scoring of its prompts need."""
        return self.text_count + len(self.prompts) * self.scores_prompts


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
"""Fields that can be combined with ``score``. Nothing is written, so any limit on the answer is kept."""


def check_measuring_body(body: Body) -> None:
    """Refuse a request that measures the fields of a text and asks for another one to be written. Raises BadRequest."""
    for name in sorted(body.model_fields_set & _NOT_BESIDE_MEASURE):
        if getattr(body, name) != type(body).model_fields[name].get_default(call_default_factory=True):
            raise BadRequest(f"{name} cannot be combined with measure, which writes no text", param=name)


def make_scoring_body(body: Body) -> Body:
    """Make the body of a request that scores texts: canonical unless it says otherwise, as `LocalModel.score` is.

    Raises:
        BadRequest: It asks for something to be written, or the texts are too long.
    """
    for name in sorted(body.model_fields_set - _BESIDE_SCORE):
        if getattr(body, name) != type(body).model_fields[name].get_default(call_default_factory=True):
            raise BadRequest(f"{name} cannot be combined with score, which writes no text", param=name)
    if body.canonical == "forced":
        raise BadRequest("canonical: expected true or false with score, got 'forced'", param="canonical")
    if (count := sum(map(len, body.scored_texts or ()))) > _MOST_SCORED:
        raise BadRequest(f"score: expected {_MOST_SCORED} characters at most, got {count}", param="score")
    return body.model_copy(update={"canonical": body.canonical is not False})
