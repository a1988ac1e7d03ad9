"""The steps of a flow, and the requests, responses, queries and replies in them, as data.

::

    request = Request("chat/completions", {"model": "m", "messages": []})
    Send(request)                     # a step of the flow; its driver gives a Response back
    Usage(12, 3) + Usage(10, 4)       # Usage(prompt_tokens=22, completion_tokens=7)

The flow (`formwright.client.flow.request_flow`) yields steps and receives their results. A driver carries them out:
with sockets, with the client object of an SDK, or by hand in a test. A result is bytes, or JSON decoded by an SDK.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from formwright._retries import Sleep
from formwright.generation.result import Mode, Usage
from formwright.generation.spans import GenerationSpan
from formwright.tools.custom import CustomInput

__all__ = [
    "Close",
    "Correction",
    "End",
    "Enter",
    "Keep",
    "Next",
    "OfferedTool",
    "Open",
    "Recall",
    "Reply",
    "Request",
    "Response",
    "Send",
    "Step",
    "TextQuery",
    "UncheckedCall",
]

End: TypeAlias = Literal["stop", "length", "refusal", "content_filter", "cancel"]
"""Why a text ends: the service says so, or the caller cancelled it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request; the path is after the base URL."""

    path: str
    body: Mapping[str, Any] = field(repr=False)
    is_stream: bool = False


@dataclass(frozen=True, slots=True)
class Response:
    """One HTTP response: the body as bytes, or decoded by an SDK."""

    status: int
    body: bytes | Mapping[str, Any] = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    original: Any = field(default=None, repr=False)
    """The object of the SDK that it was, or the error."""


@dataclass(frozen=True, slots=True)
class Enter:
    """Do the following steps with this span as the current one, so that spans of HTTP become its children."""

    span: GenerationSpan


@dataclass(frozen=True, slots=True)
class Send:
    """Send a request, and wait for its complete `Response`, with a timeout in seconds."""

    request: Request
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Open:
    """Send a request whose answer is a stream; gives a `Response`, with a body only if it is an error."""

    request: Request
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Next:
    """Read on in the open stream; gives bytes, or an event that an SDK has decoded; ``None`` at its end."""

    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Close:
    """Close the open stream."""


@dataclass(frozen=True, slots=True)
class Recall:
    """Look an answer up in the cache; gives its body, or ``None``."""

    key: str


@dataclass(frozen=True, slots=True)
class Keep:
    """Put the body of an answer into the cache."""

    key: str
    body: Any = field(repr=False)


Step: TypeAlias = Enter | Send | Open | Next | Close | Sleep | Recall | Keep
"""What a flow yields for its driver to do."""


@dataclass(frozen=True, slots=True)
class UncheckedCall:
    """A call of a tool in an answer: ``arguments`` is unchecked text, of a custom tool its input."""

    name: str
    arguments: str
    id: str = ""
    is_custom: bool = False


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool that a query offers to the model.

    Attributes:
        name: Its name.
        schema: The JSON Schema of its arguments.
        description: What it is for.
        is_strict: Whether the service is required to enforce the schema.
        custom: What its input may be, if it is sent as a custom tool.
    """

    name: str
    schema: Mapping[str, Any]
    description: str | None = None
    is_strict: bool = False
    custom: CustomInput | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a model, whatever its API.

    Attributes:
        text: What the model wrote as text.
        calls: The tools it calls.
        end: Why the text ends.
        refusal: The model's text if it refuses to answer.
        usage: The tokens that were counted.
        raw: The answer as it came, decoded; of a stream, its last event.
        fault: An error that was found while the answer arrived, so that the rest was not read.
        stamp: Who enforced the form, as the service says in the header ``formwright-enforced``; empty without it.
        token_logprobs: The tokens of the text and their log probabilities, if they were requested and came.
    """

    text: str
    calls: tuple[UncheckedCall, ...] = ()
    end: End = "stop"
    refusal: str = ""
    usage: Usage = field(default_factory=Usage)
    raw: Any = field(default=None, repr=False)
    fault: Exception | None = None
    stamp: str = ""
    token_logprobs: tuple[tuple[bytes, float], ...] = ()

    @property
    def output(self) -> str:
        """The model's output: its text, or else the arguments of its calls."""
        return self.text or "".join(call.arguments for call in self.calls)


@dataclass(frozen=True, slots=True)
class Correction:
    """A wrong answer, whose calls all have ids, and the complaint about it."""

    reply: Reply
    complaint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuery:
    """A request for a text, whatever the API.

    Attributes:
        model: The name of the model.
        messages: The conversation, as the user gave it.
        mode: How the form is requested.
        schema: The JSON Schema of the text, in modes that send one.
        name: The name of the schema.
        description: What it is for.
        tools: The tools, in modes that offer some.
        calls: ``"auto"`` if the model may call them, ``"required"`` if it must, ``"one"`` if it must call one, once.
        pieces: What a stream yields: the text, the arguments of the first call, or nothing.
        instruction: Format instructions.
        extra: Further fields of the body.
        max_tokens_name: The name of ``max_tokens`` in chat completions.
        corrections: The wrong answers so far.
        is_stream: Whether the answer is to come piece by piece.
        logprobs: Whether to request the log probabilities of the tokens.
    """

    model: str
    messages: Sequence[Mapping[str, Any]]
    mode: Mode
    schema: Mapping[str, Any] | None = None
    name: str = "answer"
    description: str | None = None
    tools: tuple[OfferedTool, ...] = ()
    calls: Literal["auto", "required", "one"] = "one"
    pieces: Literal["text", "arguments", "nothing"] = "text"
    instruction: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()
    is_stream: bool = False
    max_tokens: int | None = None
    max_tokens_name: str = "max_tokens"
    temperature: float | None = None
    top_k: int | None = None
    top_p: float = 1.0
    seed: int | None = None
    stop: tuple[str, ...] = ()
    logprobs: bool = False

    @property
    def required_tool(self) -> str | None:
        """The name of the tool that must be called, if there is only one."""
        return self.tools[0].name if self.calls == "one" and len(self.tools) == 1 else None
