"""What goes over the wire and what comes back, as data: requests, answers, and the steps between them.

::

    request = Request("chat/completions", {"model": "m", "messages": []})
    Send(request)                     # a step of the flow; its driver gives an Answer back
    Usage(12, 3) + Usage(10, 4)       # Usage(prompt_tokens=22, completion_tokens=7)

The flow (`formwright.client.flow.request_flow`) yields steps and is given what they bring; a driver does them, with
sockets, with the client object of an SDK, or by hand in a test.

What a driver gives back may be bytes or the decoded JSON, since SDKs have decoded it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from formwright._retries import Sleep
from formwright.generation.result import Mode, Usage
from formwright.generation.spans import GenerationSpan

__all__ = [
    "Answer",
    "Close",
    "Correction",
    "End",
    "Enter",
    "Keep",
    "Next",
    "OfferedTool",
    "Open",
    "Query",
    "Recall",
    "Reply",
    "Request",
    "Send",
    "Step",
    "ToolCall",
]

End: TypeAlias = Literal["stop", "length", "refusal", "content_filter", "cancel"]
"""Why a text ends: as its service says, or because the caller wants no more of it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request; the path is after the base URL."""

    path: str
    body: Mapping[str, Any] = field(repr=False)
    is_stream: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the body as bytes, or decoded by an SDK."""

    status: int
    body: bytes | Mapping[str, Any] = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    original: Any = field(default=None, repr=False)
    """The object of the SDK that it was, or the error."""


@dataclass(frozen=True, slots=True)
class Enter:
    """Do the steps from here on with this span as the current one: what instruments HTTP adds its own to that."""

    span: GenerationSpan


@dataclass(frozen=True, slots=True)
class Send:
    """Send a request, and wait for its whole `Answer` for so many seconds at most."""

    request: Request
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Open:
    """Send a request whose answer is a stream; gives an `Answer`, without its body unless it is one of an error."""

    request: Request
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Next:
    """Go on reading the open stream; gives bytes, or an event that an SDK has decoded; ``None`` at its end."""

    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Close:
    """Leave the open stream."""


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
"""What a flow asks its driver for."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as a service gives it: ``arguments`` is text."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as a service is told it.

    Attributes:
        name: Its name.
        schema: The JSON Schema of its arguments.
        description: What it is for.
        is_strict: Whether the service is asked to enforce the schema.
    """

    name: str
    schema: Mapping[str, Any]
    description: str | None = None
    is_strict: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of a model, read out of the format of its API.

    Attributes:
        text: What the model wrote as text.
        calls: The tools it calls.
        end: Why the text ends.
        refusal: What it says where it refuses.
        usage: The tokens that were counted.
        raw: The answer as it came, decoded; of a stream, its last event.
        fault: What was found to be wrong while it arrived, so that the rest of it was not read.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    end: End = "stop"
    refusal: str = ""
    usage: Usage = field(default_factory=Usage)
    raw: Any = field(default=None, repr=False)
    fault: Exception | None = None

    @property
    def output(self) -> str:
        """What the model wrote: its text, or else the arguments of its calls."""
        return self.text or "".join(call.arguments for call in self.calls)


@dataclass(frozen=True, slots=True)
class Correction:
    """An answer that was wrong, whose calls all have ids, and what is said about it."""

    reply: Reply
    complaint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a request asks for, before any API spells it.

    Attributes:
        model: The name of the model.
        messages: The conversation, as the user gave it.
        mode: How the form is asked for.
        schema: The JSON Schema that the text is to keep to, in the mode that tells one.
        name: What the schema is called.
        description: What it is for.
        tools: The tools that are offered, in the mode that offers any.
        calls: Whether the model may call them, must, or must call one once.
        pieces: What is given out of a stream: the text, the arguments of the first call, or nothing.
        instruction: What is said about the form in words.
        extra: Further fields of the body.
        max_tokens_name: What chat completions call ``max_tokens``.
        corrections: Answers so far that were wrong.
        is_stream: Whether the answer is to come piece by piece.
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

    @property
    def required_tool(self) -> str | None:
        """The tool that must be called, where it is one that is known by name."""
        return self.tools[0].name if self.calls == "one" and len(self.tools) == 1 else None
