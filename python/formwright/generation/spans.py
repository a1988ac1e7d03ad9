"""Spans of OpenTelemetry: one for each generation, with the names of its conventions for generative AI.

::

    generation = Generation(model="formwright-tiny", provider="formwright", form=fw.form(int))
    with span_of_generation(generation) as span:
        span.record_result(result)

Neither prompts nor texts are recorded. So an error is recorded by its class: its message may quote what was written.

Cost: without ``opentelemetry-api``, or without a provider of spans, some microseconds for a generation and nothing for
a token. With one, a digest of the form too.

A span is that of the current context only inside `GenerationSpan.activate`: a stream is left after each piece, and its
caller goes on in its own context.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from formwright._kernel import __version__
from formwright.errors import FormwrightError, OutputInvalid
from formwright.forms.form import Form
from formwright.generation.result import Complete, Failed, Truncated, Usage

if TYPE_CHECKING:
    from opentelemetry.trace import Span

__all__ = ["Generation", "GenerationSpan", "Operation", "RowSpans", "pick_settings", "span_of_generation"]

Operation: TypeAlias = Literal["chat", "text_completion"]
"""What is asked for, as the conventions call it."""

Headers: TypeAlias = Iterable[tuple[bytes, bytes]]
"""The headers of a request, as ASGI has them."""

_SETTINGS: Mapping[str, float | None] = {
    "max_tokens": None,
    "temperature": None,
    "top_k": None,
    "top_p": 1.0,
    "seed": None,
}
"""Options of a generation that the conventions know by the same names, and what each is where nobody asks for it."""

_FINISH_REASONS = {"max_tokens": "length", "stop": "stop", "cancel": "cancel"}
"""Why a text was cut, as APIs say it."""

_LARGEST = 1 << 63
"""What an attribute must be smaller than: exporters write integers of 64 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """What is known of a generation before it begins.

    Attributes:
        model: The name of the model; empty where it is not known yet.
        operation: What is asked for.
        provider: Who runs the model.
        kind: Whether it runs here (``"INTERNAL"``), is asked elsewhere (``"CLIENT"``), or is asked by others
            (``"SERVER"``).
        form: The form of the text.
        settings: The options, see `pick_settings`.
        address: Host and port where the model is asked.
        texts: How many texts are asked for.
    """

    model: str = ""
    operation: Operation = "chat"
    provider: str = "formwright"
    kind: Literal["INTERNAL", "CLIENT", "SERVER"] = "INTERNAL"
    form: Form[Any] | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    address: tuple[str, int] | None = None
    texts: int = 1

    @property
    def name(self) -> str:
        """The name of the span."""
        return f"{self.operation} {self.model}".rstrip()

    @property
    def attributes(self) -> dict[str, Any]:
        """What costs nothing to know: samplers decide by it."""
        known = {"gen_ai.operation.name": self.operation, "gen_ai.provider.name": self.provider}
        model = {"gen_ai.request.model": self.model} if self.model else {}
        where = dict(zip(("server.address", "server.port"), self.address or (), strict=False))
        return {**known, **model, **where}


def pick_settings(options: object) -> dict[str, object]:
    """The options that the conventions know, of an object whose attributes they are."""
    return {name: getattr(options, name, None) for name in _SETTINGS}


class GenerationSpan:
    """A span of a generation; without one of OpenTelemetry, or where nobody records it, its methods do nothing.

    Args:
        span: The span of OpenTelemetry.
    """

    __slots__ = ("_span",)

    def __init__(self, span: Span | None = None) -> None:
        self._span = span

    @property
    def is_recording(self) -> bool:
        """Whether somebody wants to know."""
        return self._span is not None and self._span.is_recording()

    def activate(self) -> AbstractContextManager[Any]:
        """Make it the current span of a block, which a generator must not leave by ``yield``."""
        if self._span is None:
            return nullcontext()
        use: Callable[..., AbstractContextManager[Any]] = _find_api().use_span
        return use(self._span, record_exception=False, set_status_on_exception=False)

    def record_model(self, generation: Generation) -> None:
        """Record the model, which was not known when the span began."""
        if self._span is not None:
            self._span.update_name(generation.name)
            self._record(generation.attributes)

    def record_settings(self, generation: Generation) -> None:
        """Record the options and the form of a text."""
        if not self.is_recording:
            return
        given = {name: _read_number(value) for name, value in generation.settings.items()}
        self._record({f"gen_ai.request.{name}": value for name, value in given.items() if value != _SETTINGS[name]})
        self._record({"gen_ai.request.choice.count": generation.texts if generation.texts != 1 else None})
        if generation.form is not None:
            self.record_form(generation.form)

    def record_form(self, form: Form[Any]) -> None:
        """Record which form the text has."""
        if self.is_recording:
            is_json = form.language.is_json
            self._record(
                {"formwright.form.digest": _find_digest(form), "gen_ai.output.type": "json" if is_json else "text"}
            )

    def record_usage(self, usage: Usage) -> None:
        """Record the tokens so far, where somebody has counted any."""
        if usage.total_tokens:
            self._record(
                {
                    "gen_ai.usage.input_tokens": usage.prompt_tokens,
                    "gen_ai.usage.output_tokens": usage.completion_tokens,
                }
            )

    def record_response(self, id_: Any, model: Any) -> None:
        """Record how a service calls its answer, and the model that gave it."""
        given = {"gen_ai.response.id": id_, "gen_ai.response.model": model}
        self._record({name: value for name, value in given.items() if isinstance(value, str) and value})

    def record_forced(self, count: int) -> None:
        """Record how many tokens could only be one."""
        self._record({"formwright.tokens.forced": count})

    def record_status(self, status: int) -> None:
        """Record the status of an HTTP answer, which is an error of the server from 500 on."""
        self._record({"http.response.status_code": status})
        if status >= 500:
            self._fail(str(status))

    def record_result(self, result: Any) -> None:
        """Record what a generation gave: a result, or `Failed`."""
        if not self.is_recording:
            return
        if isinstance(result, Failed):
            self.record_error(result.error)
            return
        if result.exchange is None:
            self.record_usage(Usage(result.prompt_tokens, len(result.token_ids)))
            self.record_forced(result.forced_tokens)
        else:
            self.record_usage(result.exchange.usage)
        self.record_ends([result])

    def record_ends(self, results: Sequence[Complete[Any] | Truncated], reasons: Sequence[str] = ()) -> None:
        """Record why texts end, who held them to their form, and what a trace has measured.

        Args:
            results: The texts.
            reasons: Why they end, where a protocol has its own words for it.
        """
        if not results or not self.is_recording:
            return
        enforced = {result.enforced for result in results if isinstance(result, Complete)}
        masses = [result.trace.allowed_mass for result in results if result.trace is not None]
        self._record(
            {
                "gen_ai.response.finish_reasons": list(reasons) or [_find_finish_reason(result) for result in results],
                "formwright.form.enforced_by": next(iter(enforced), None),
                "formwright.mass.allowed": masses[0] if len(results) == len(masses) == 1 else None,
            }
        )

    def record_retry(self, kind: type[BaseException] | None) -> None:
        """Record that something is tried again, and the class of the error before, if there was one."""
        if self._span is not None:
            self._span.add_event("formwright.retry", {} if kind is None else {"error.type": _name_error(kind)})

    def record_error(self, error: BaseException) -> None:
        """Record what ended it."""
        self._fail(_name_error(type(error)))

    def end(self, at: int | None = None) -> None:
        """End it, now or at a time in nanoseconds."""
        if self._span is not None:
            self._span.end(at)

    def _fail(self, kind: str) -> None:
        if self._span is not None:
            self._record({"error.type": kind})
            self._span.set_status(_find_api().StatusCode.ERROR)

    def _record(self, attributes: Mapping[str, Any]) -> None:
        if self._span is not None:
            self._span.set_attributes({name: value for name, value in attributes.items() if value is not None})


def begin_span(generation: Generation | None, headers: Headers | None = None) -> GenerationSpan:
    """A span that has begun; whoever begins it ends it.

    Args:
        generation: What it is about; ``None`` for no span.
        headers: Those of an HTTP request, which may name the span that it comes from.
    """
    api = None if generation is None else _find_api()
    if generation is None or api is None:
        return _NONE
    tracer, kind = api.get_tracer("formwright", __version__), api.SpanKind[generation.kind]
    context = None if headers is None else _read_context(headers)
    span = GenerationSpan(tracer.start_span(generation.name, context, kind, generation.attributes))
    span.record_settings(generation)
    return span


@contextmanager
def span_of_generation(generation: Generation | None, headers: Headers | None = None) -> Iterator[GenerationSpan]:
    """A span that ends with the block; an error is recorded, and a block that is left early just ends."""
    span = begin_span(generation, headers)
    try:
        yield span
    except Exception as error:
        span.record_error(error)
        raise
    finally:
        span.end()


class RowSpans:
    """The spans of texts that are written together: a context manager, which ends those that have begun.

    A text may be written again until the block is over, so its span ends then, at the time when the text was over last.

    Args:
        generation: What each of them is about.
    """

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._begun: dict[int, GenerationSpan] = {}
        self._ended: dict[int, int] = {}

    def begin(self, row: int) -> GenerationSpan:
        """The span of a text that is written now, or once more because its type has refused it."""
        if row in self._begun:
            self._begun[row].record_retry(OutputInvalid)
        else:
            self._begun[row] = begin_span(self._generation)
        return self._begun[row]

    def mark_end(self, row: int) -> None:
        """Note that a text is over, unless it is written again."""
        self._ended[row] = time.time_ns()

    def record_results(self, results: Sequence[Any]) -> None:
        """Record what each text came to."""
        for row, span in self._begun.items():
            span.record_result(results[row])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object, /) -> None:
        for row, span in self._begun.items():
            if isinstance(error, Exception):
                span.record_error(error)
            span.end(self._ended.get(row))


@cache
def _find_api() -> Any:
    """The interface of OpenTelemetry; ``None`` where it is not installed."""
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return trace


def _read_context(headers: Headers) -> Any:
    from opentelemetry.propagate import extract

    return extract({name.decode("latin-1"): value.decode("latin-1") for name, value in headers})


def _read_number(value: object) -> int | float | None:
    """A number as an attribute may have it; what the caller passes is checked later, and elsewhere."""
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return int(value) if abs(int(value)) < _LARGEST else None
    return float(value) if isinstance(value, Real) else None


def _find_digest(form: Form[Any]) -> str | None:
    try:
        return form.digest
    except FormwrightError:  # there is code in it, which nothing tells from other code
        return None


def _find_finish_reason(result: Complete[Any] | Truncated) -> str:
    return _FINISH_REASONS[result.reason] if isinstance(result, Truncated) else "stop"


def _name_error(kind: type[BaseException]) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


_NONE = GenerationSpan()
