"""One answer of a model behind an API, from the request to the value: a generator that does no I/O.

::

    flow = answer_job(job)
    next(flow).request.path                # 'chat/completions'

The driver sends the request, and passes the `Answer` into the flow, until ``StopIteration`` holds the result.

Three loops are nested: the modes; the attempts of a mode, each with a complaint about the last; and the requests of an
attempt, repeated after temporary failures. tenacity drives the inner two.

If a mode cannot express the form, or the service does not have it, the flow goes on to the next mode with a note.

Cost: some tens of microseconds besides the kernel's check of the text.

Pieces of a stream are yielded among the steps. After the first piece nothing is sent again, since it cannot be taken
back; the error says so.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from formwright._retries import output_policy, request_policy, retry
from formwright.client.flow.exchange import (
    Answer,
    Close,
    Correction,
    End,
    Enter,
    Keep,
    Next,
    Open,
    Query,
    Recall,
    Reply,
    Send,
    Step,
)
from formwright.client.flow.pieces import Piece, Pieces
from formwright.client.plans.plan import AnyPlan, Whole
from formwright.client.transport.event_reader import EventReader
from formwright.client.transport.failures import error_of_filter, failure_of, json_of, too_large, with_headers
from formwright.client.wires import Wire
from formwright.errors import (
    FormwrightError,
    LanguageError,
    LimitExceeded,
    OutputInvalid,
    OutputTruncated,
    Refused,
    RequestFailed,
)
from formwright.forms.context import validation_context
from formwright.generation.result import (
    Attempt,
    Complete,
    Exchange,
    Mode,
    Reason,
    Truncated,
    Usage,
    error_after_attempts,
)
from formwright.generation.spans import Generation, span_of_generation

__all__ = ["Flow", "Job", "answer_job", "answer_job_in_span"]

_log = logging.getLogger("formwright.client")

Flow: TypeAlias = Generator[Step | Piece, Any, Complete[Any] | Truncated]
"""Yields steps and pieces, is sent what steps bring, and returns the result."""

_FORM = re.compile(
    r"\b(json_?schema|response_?format|output_?(config|format)|response_?(json_?)?schema|schema|structured|strict"
    r"|tools?|tool_choice|parallel_tool_calls|function[_ ]?calling(_?config)?|grammar|text\.format)\b",
    re.IGNORECASE,
)
"""What a service speaks of where it refuses the way in which a form is asked for."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """What to ask for, and how.

    Attributes:
        wire: The API.
        query: What every request asks for, apart from the form.
        modes: The modes to try, in order.
        plan: The plan of the form in a mode.
        finish: Whether a truncated text is an error.
        context: What validators see.
        max_retries: How often to ask again after a wrong answer, or a policy of tenacity.
        request_retries: How often a request is sent again.
        token_budget: Tokens of all attempts together.
        time_budget: Seconds of all attempts together.
        max_bytes: Bytes of one answer at most.
        cancel: Called before each part of a stream; true cuts the text.
        shows: Whether to yield the pieces of a stream; if not, it is only read so that it can be cut.
        tell: Called at each event with its name, such as ``"completion:response"``, and its subject.
        note_retry: Called with the error before each retry.
        cache_key: Makes the key of a request in the cache; ``None`` uses no cache.
        clock: Seconds, for tests.
    """

    wire: Wire
    query: Query
    modes: Sequence[Mode]
    plan: Callable[[Mode], AnyPlan]
    finish: bool = True
    context: Any = None
    max_retries: Any = 0
    request_retries: int = 2
    token_budget: int | None = None
    time_budget: float | None = None
    max_bytes: int = 1 << 26
    cancel: Callable[[], bool] | None = None
    shows: bool = True
    tell: Callable[..., None] = lambda *_: None
    note_retry: Callable[[BaseException | None], None] = lambda _: None
    cache_key: Callable[[Mapping[str, Any]], str] | None = None
    clock: Callable[[], float] = time.monotonic


def answer_job_in_span(job: Job, generation: Generation) -> Flow:
    """`answer_job`, inside a span from the first step to the last."""
    with span_of_generation(generation) as span:

        def tell(event: str, about: Any) -> None:
            if event == "completion:usage":
                span.record_usage(about)
            elif event == "completion:response":
                span.record_response(*_identify(about))
            job.tell(event, about)

        def note_retry(error: BaseException | None) -> None:
            span.record_retry(None if error is None else type(error))

        yield Enter(span)
        result = yield from answer_job(replace(job, tell=tell, note_retry=note_retry))
        span.record_result(result)
        return result


def answer_job(job: Job) -> Flow:
    """The steps to the result of a job.

    Raises:
        OutputInvalid: The answer is not in form, or its type refuses it.
        OutputTruncated: The service cut it, and ``finish`` is true.
        Refused: The model, or a filter, does not answer.
        AttemptsExhausted: There were several attempts, and none gave a value.
        RequestFailed: The service could not be reached, or refused the request.
        LimitExceeded: A budget is used up, or the answer is too large.
        LanguageError: The form cannot be asked for in any of the modes.
    """
    notes: list[str] = []
    work = _Work(job)
    for mode in job.modes:
        is_last = mode == job.modes[-1]
        try:
            plan = job.plan(mode)
        except (LanguageError, LimitExceeded) as error:
            if is_last:
                raise
            notes.append(f"not {mode}: {error}")
            _log.info("%s is not asked in mode %r: %s", job.query.model, mode, error)
            continue
        try:
            return (yield from work.run_plan(plan, notes))
        except RequestFailed as error:
            if is_last or error.status not in (400, 422) or not _FORM.search(error.body) or work.is_shown:
                raise
            notes.append(f"not {mode}: the service refused it: {error.body[:200]}")
            _log.info("%s refused mode %r, the next one is tried: %s", job.query.model, mode, error)
            job.note_retry(error)
    raise AssertionError("there is no mode")


@dataclass
class _Work:
    """The attempts of a job."""

    job: Job
    attempts: list[Attempt] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    is_shown: bool = False
    """Whether a piece was given out."""
    _body: Mapping[str, Any] | None = None
    """The last whole answer that was sent for, decoded."""

    def __post_init__(self) -> None:
        self._started = time.perf_counter()
        budget = self.job.time_budget
        self._deadline = None if budget is None else self.job.clock() + budget

    def run_plan(self, plan: AnyPlan, notes: Sequence[str]) -> Flow:
        """Ask in one mode, and return the result."""
        job, query = self.job, plan.extend_query(self.job.query)
        key = self._key(query)
        known = (yield Recall(key)) if key is not None else None
        if known is not None and (result := self._again(plan, known, notes)) is not None:
            _log.debug("an answer of %s was found in the cache", job.query.model)
            return result

        def attempt(_: int) -> Flow:
            nonlocal query
            self._check_tokens()
            reply = yield from self._ask(query, plan)
            try:
                result = self._result(plan, reply, [*notes, *plan.notes])
            except Exception as error:
                query = self._correct_query(query, reply, error, plan)
                job.tell("parse:error", error)
                raise
            if key is not None and self._body is not None and reply.end == "stop" and isinstance(result, Complete):
                yield Keep(key, self._body)
            return result

        try:
            return (yield from retry(output_policy(job.max_retries), attempt, lambda: self.is_shown, job.note_retry))
        except Exception as error:
            told = self._error_of_job(error)
            if told is error:
                raise
            raise told from told.__cause__

    def _key(self, query: Query) -> str | None:
        """The key of a query in the cache, if there is one."""
        if self.job.cache_key is None or query.is_stream:
            return None
        request = self.job.wire.request(query)
        return self.job.cache_key({"path": request.path, **request.body})

    def _again(self, plan: AnyPlan, body: Mapping[str, Any], notes: Sequence[str]) -> Complete[Any] | None:
        """Read the result of a cached answer; ``None`` if it is no longer valid for this type or context."""
        try:
            result = self._result(plan, self.job.wire.reply(body), [*notes, *plan.notes])
        except FormwrightError:
            self.attempts.clear()
            return None
        return result if isinstance(result, Complete) else None

    def _ask(self, query: Query, plan: AnyPlan) -> Generator[Step | Piece, Any, Reply]:
        """Ask one query, again after each temporary failure."""
        job, request = self.job, self.job.wire.request(query)
        job.tell("completion:kwargs", request.body)

        def attempt(_: int) -> Generator[Step | Piece, Any, Reply]:
            if query.is_stream:
                return (yield from self._ask_for_stream(query, plan))
            answer = yield Send(request, self._left())
            failure = failure_of(answer)
            if failure is not None:
                raise failure
            self._body = body = json_of(answer)
            with with_headers(answer):
                return replace(job.wire.reply(body), raw=answer.original or body)

        try:
            policy = request_policy(job.request_retries, lambda: self.is_shown, self._left)
            reply: Reply = yield from retry(policy, attempt, note=job.note_retry)
        except Exception as error:
            job.tell("completion:error", error)
            raise
        self.usage += reply.usage
        job.tell("completion:response", reply.raw)
        job.tell("completion:usage", self.usage)
        return reply

    def _ask_for_stream(self, query: Query, plan: AnyPlan) -> Generator[Step | Piece, Any, Reply]:
        """Ask one query, and yield the answer piece by piece."""
        answer = yield Open(self.job.wire.request(query), self._left())
        failure = failure_of(answer)
        if failure is not None:
            raise failure
        with with_headers(answer):
            return (yield from self._collect(query, plan, answer))

    def _collect(self, query: Query, plan: AnyPlan, answer: Answer) -> Generator[Step | Piece, Any, Reply]:
        """Combine the events of a stream into a reply."""
        job, events, size = self.job, EventReader(), 0
        if answer.headers.get("content-type", "").startswith("application/json"):
            json_of(replace(answer, body=(yield from self._rest())))  # which raises the error that it may be
            raise RequestFailed(
                "the service answered at once where a stream was asked for",
                hint="it may not know streams: use generate",
                status=answer.status,
            )
        with validation_context(job.context):
            collector, pieces = job.wire.collector(query), Pieces(plan)
        written: list[str] = []
        is_open = True
        while is_open and not events.is_done and not collector.is_over:
            if job.cancel is not None and job.cancel():
                yield Close()
                return collector.reply if collector.is_complete else Reply("".join(written), end="cancel")
            chunk = yield Next(self._left())
            is_open = chunk is not None
            size += len(chunk) if isinstance(chunk, bytes) else 0
            if size > job.max_bytes:
                raise too_large(job.max_bytes)
            found = [chunk] if isinstance(chunk, Mapping) else events.feed(chunk) if is_open else events.end()
            for event in found:
                text = collector.feed(event)
                written.append(text)
                if text and job.shows:
                    try:
                        piece = pieces.feed(text)
                    except OutputInvalid as error:
                        yield Close()
                        return Reply("".join(written), fault=error)
                    self.is_shown = True
                    yield piece
        yield Close()
        if not collector.is_complete:
            raise RequestFailed("the stream ended before the answer was complete", may_pass=True)
        return collector.reply

    def _rest(self) -> Generator[Step | Piece, Any, bytes]:
        """Read the whole of an answer that is not a stream."""
        body = b""
        while (chunk := (yield Next(self._left()))) is not None:
            body += chunk
            if len(body) > self.job.max_bytes:
                raise too_large(self.job.max_bytes)
        yield Close()
        return body

    def _result(self, plan: AnyPlan, reply: Reply, notes: Sequence[str]) -> Complete[Any] | Truncated:
        """Return the result of an answer; a wrong answer is noted as an attempt."""
        try:
            ends = self._read(plan, reply)
        except Exception as error:
            self._note(plan, reply, error)
            raise
        self._note(plan, reply, None)
        outside = ends.outside if isinstance(ends, Whole) else ""
        exchange = Exchange(plan.mode, tuple(notes), outside, tuple(self.attempts), self.usage, reply.raw)
        written: dict[str, Any] = {
            "token_ids": (),
            "prompt_tokens": reply.usage.prompt_tokens,
            "model_calls": len(self.attempts),
            "forced_tokens": 0,
            "seconds": time.perf_counter() - self._started,
            "exchange": exchange,
        }
        if isinstance(ends, _Cut):
            return Truncated(text=ends.text, reason=ends.reason, **written)
        enforced: Any = "server" if plan.is_strict else "checked"
        return Complete(value=ends.value, text=ends.text, parts=ends.parts, enforced=enforced, **written)

    def _read(self, plan: AnyPlan, reply: Reply) -> _Cut | Whole:
        """Read the text: whole with its value, or truncated if that is allowed."""
        if reply.fault is not None:
            raise reply.fault
        if reply.end in ("refusal", "content_filter"):
            raise _refusal_of(reply)
        reason = _REASONS.get(reply.end, "stop" if self.job.query.stop else None)
        if reason is None or plan.is_whole(reply, is_cut=reply.end in _REASONS):
            return plan.read(reply, context=self.job.context)
        if reason == "max_tokens" and self.job.finish:
            raise _truncation_of(reply, plan)
        return _Cut(plan.read_beginning(reply), reason)

    def _correct_query(self, query: Query, reply: Reply, error: Exception, plan: AnyPlan) -> Query:
        """Make the query for the next attempt: with a complaint, or with more tokens.

        Calls without ids get some, since no service accepts the result of a call without an id.
        """
        if isinstance(error, OutputTruncated):
            taken = query.max_tokens or reply.usage.completion_tokens or max(_FEWEST, len(plan.spell_reply(reply)))
            return replace(query, max_tokens=2 * taken)
        with validation_context(self.job.context):
            said = plan.complaint(error, reply)
        number = len(query.corrections) + 1
        calls = (replace(call, id=call.id or f"call_{number}_{at}") for at, call in enumerate(reply.calls))
        corrected = replace(reply, calls=tuple(calls))
        return replace(query, corrections=(*query.corrections, Correction(corrected, said)))

    def _note(self, plan: AnyPlan, reply: Reply, error: Exception | None) -> None:
        number = len(self.attempts) + 1
        self.attempts.append(Attempt(number, plan.spell_reply(reply), error, reply.usage, plan.mode, reply))

    def _error_of_job(self, error: Exception) -> Exception:
        """Return the error of a job: that of its only attempt, or one that lists all attempts."""
        last = getattr(error, "last_attempt", None)  # a RetryError of tenacity
        cause = error if last is None else last.exception()
        if not self.attempts or self.job.max_retries == 0 or isinstance(cause, Refused):
            return cause
        self.job.tell("completion:last_attempt", cause)
        told = error_after_attempts(self.attempts, cause)
        told.__cause__ = cause
        if self.is_shown:
            told.add_note("note: nothing is asked for again once a part of the answer was shown; use generate for that")
        return told

    def _check_tokens(self) -> None:
        allowed, used = self.job.token_budget, self.usage.total_tokens
        if allowed is not None and used >= allowed:
            raise LimitExceeded(
                f"the attempts took {used} tokens, and token_budget allows {allowed}",
                limit="token_budget",
                value=used,
                allowed=allowed,
            )

    def _left(self) -> float | None:
        """Return the seconds that are left. Raises LimitExceeded if there are none."""
        if self._deadline is None:
            return None
        left = self._deadline - self.job.clock()
        if left <= 0:
            budget = self.job.time_budget or 0
            raise LimitExceeded(
                f"time_budget allows {budget:g} seconds, and they are over",
                limit="time_budget",
                value=round(budget - left),
                allowed=round(budget),
            )
        return left


def _identify(raw: Any) -> tuple[Any, Any]:
    """Return the id of an answer and the name of its model: members of JSON, or attributes of an SDK's object."""
    names = ("id", "responseId", "model", "modelVersion")
    found = [raw.get(name) if isinstance(raw, Mapping) else getattr(raw, name, None) for name in names]
    return found[0] or found[1], found[2] or found[3]


class _Cut(NamedTuple):
    text: str
    reason: Reason


_FEWEST = 64
"""Tokens that an answer is given at least when one was cut and nobody has counted them."""

_REASONS: Mapping[End, Reason] = {"length": "max_tokens", "cancel": "cancel"}
"""The ends of texts that are cut."""


def _truncation_of(reply: Reply, plan: AnyPlan) -> OutputTruncated:
    count = reply.usage.completion_tokens
    return OutputTruncated(
        f"the service cut the text after {count or 'some'} tokens",
        hint="pass a larger max_tokens, or finish=False to be given the text that was cut",
        text=plan.spell_reply(reply),
    )


def _refusal_of(reply: Reply) -> Refused:
    if reply.end == "refusal":
        said = reply.refusal or reply.text
        return Refused(f"the model refuses: {said[:200]}" if said else "the model refuses", text=said)
    return error_of_filter(reply.refusal, reply.text)
