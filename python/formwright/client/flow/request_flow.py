"""One answer of a remote model, from the request to the value: a generator that does no I/O.

::

    flow = answer_job(job)
    next(flow).request.path                # 'chat/completions'

The driver sends the request, and passes the `Response` into the flow, until ``StopIteration`` holds the result.

Three loops are nested: the modes; the attempts of a mode, each with a complaint about the last; and the requests of an
attempt (`QuerySender`), repeated after temporary failures. tenacity drives the inner two.

If a mode cannot express the form, or the service does not have it, the flow continues with the next mode and a note.

Cost: some tens of microseconds besides the kernel's check of the text.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from formwright._retries import output_policy, retry
from formwright.client.flow.field_evidence import add_evidence
from formwright.client.flow.pieces import Piece
from formwright.client.flow.query_sender import QuerySender
from formwright.client.flow.remote_job import RemoteJob
from formwright.client.flow.steps import Correction, End, Enter, Keep, Recall, Reply, Step, TextQuery
from formwright.client.plans.plan import AnyPlan, CompleteAnswer
from formwright.client.transport.failures import make_filter_error
from formwright.errors import (
    FormwrightError,
    LanguageError,
    LimitExceeded,
    OutputTruncated,
    Refused,
    RequestFailed,
)
from formwright.forms.context import validation_context
from formwright.generation.result import Attempt, Complete, Enforced, Exchange, Reason, Truncated, error_after_attempts
from formwright.generation.spans import Generation, span_of_generation

__all__ = ["Flow", "answer_job", "answer_job_in_span"]

_log = logging.getLogger("formwright.client")

Flow: TypeAlias = Generator[Step | Piece, Any, Complete[Any] | Truncated]
"""Yields steps and pieces, is sent what steps bring, and returns the result."""

_MODE_WORDS = re.compile(
    r"\b(json_?schema|response_?format|output_?(config|format)|response_?(json_?)?schema|schema|structured|strict"
    r"|tools?|tool_choice|parallel_tool_calls|function[_ ]?calling(_?config)?|grammar|text\.format)\b",
    re.IGNORECASE,
)
"""The words of an error by which a service refuses a mode, and not the rest of the request."""


def answer_job_in_span(job: RemoteJob, generation: Generation) -> Flow:
    """`answer_job`, inside a span from the first step to the last."""
    with span_of_generation(generation) as span:

        def emit(event: str, about: Any) -> None:
            if event == "completion:usage":
                span.record_usage(about)
            elif event == "completion:response":
                span.record_response(*_identify_answer(about))
            job.emit(event, about)

        def note_retry(error: BaseException | None) -> None:
            span.record_retry(None if error is None else type(error))

        yield Enter(span)
        result = yield from answer_job(replace(job, emit=emit, note_retry=note_retry))
        span.record_result(result)
        return result


def answer_job(job: RemoteJob) -> Flow:
    """Yield the steps of a job, and return its result.

    Raises:
        OutputInvalid: The answer does not conform to the form, or its type refuses it.
        OutputTruncated: The service truncated it, and ``finish`` is true.
        Refused: The model, or a filter, does not answer.
        AttemptsExhausted: There were several attempts, and none gave a value.
        RequestFailed: The service could not be reached, or refused the request.
        LimitExceeded: A budget is used up, or the answer is too large.
        LanguageError: No mode can express the form.
    """
    notes: list[str] = []
    attempts = _Attempts(job, QuerySender(job))
    for mode in job.modes:
        is_last = mode == job.modes[-1]
        try:
            plan = job.plan(mode)
        except (LanguageError, LimitExceeded) as error:
            if is_last:
                raise
            notes.append(f"not {mode}: {error}")
            _log.info("%s: mode %r is skipped: %s", job.query.model, mode, error)
            continue
        try:
            return (yield from attempts.run_plan(plan, notes))
        except RequestFailed as error:
            if is_last or attempts.sender.is_shown or not _is_refusal_of_mode(error):
                raise
            notes.append(f"not {mode}: the service refused it: {error.body[:200]}")
            _log.info("%s refused mode %r, the next one is tried: %s", job.query.model, mode, error)
            job.note_retry(error)
    raise AssertionError("there is no mode")


def _is_refusal_of_mode(error: RequestFailed) -> bool:
    """Whether a service refused the mode of a request, so that another mode may succeed."""
    return error.status in (400, 422) and _MODE_WORDS.search(error.body) is not None


@dataclass
class _Attempts:
    """The attempts of a job, over all its modes."""

    job: RemoteJob
    sender: QuerySender
    made: list[Attempt] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._started = time.perf_counter()

    def run_plan(self, plan: AnyPlan, notes: Sequence[str]) -> Flow:
        """Run the attempts in one mode, and return the result."""
        job, query = self.job, plan.extend_query(self.job.query)
        key = self._make_cache_key(query)
        body = (yield Recall(key)) if key is not None else None
        if body is not None and (cached := self._read_cached(plan, body, notes)) is not None:
            _log.debug("an answer of %s was found in the cache", job.query.model)
            return (yield from add_evidence(job, plan.key, query, *cached))

        def attempt(_: int) -> Flow:
            nonlocal query
            self.sender.check_token_budget()
            reply = yield from self.sender.send_query(query, plan)
            try:
                result = self._read_result(plan, reply, notes)
            except Exception as error:
                query = self._correct_query(query, reply, error, plan)
                job.emit("parse:error", error)
                raise
            if isinstance(result, Complete):
                result = yield from add_evidence(job, plan.key, query, result, reply)
            body = self.sender.body
            if key is not None and body is not None and reply.end == "stop" and isinstance(result, Complete):
                yield Keep(key, body)
            return result

        try:
            policy = output_policy(job.max_retries)
            return (yield from retry(policy, attempt, lambda: self.sender.is_shown, job.note_retry))
        except Exception as error:
            final = self._choose_final_error(error)
            if final is error:
                raise
            raise final from final.__cause__

    def _make_cache_key(self, query: TextQuery) -> str | None:
        """Return the key of a query in the cache; ``None`` if its answer is not kept."""
        if self.job.cache_key is None or query.is_stream:
            return None
        request = self.job.wire.write_request(query)
        return self.job.cache_key({"path": request.path, **request.body})

    def _read_cached(
        self, plan: AnyPlan, body: Mapping[str, Any], notes: Sequence[str]
    ) -> tuple[Complete[Any], Reply] | None:
        """Read the result of a cached answer; ``None`` if it is no longer valid for this type or context."""
        try:
            reply = self.job.wire.read_reply(body)
            result = self._read_result(plan, reply, notes)
        except FormwrightError:
            self.made.clear()
            return None
        return (result, reply) if isinstance(result, Complete) else None

    def _read_result(self, plan: AnyPlan, reply: Reply, notes: Sequence[str]) -> Complete[Any] | Truncated:
        """Read the result of an answer, and record it as an attempt, also if it is wrong."""
        try:
            answer = self._read_answer(plan, reply)
        except Exception as error:
            self._record_attempt(plan, reply, error)
            raise
        self._record_attempt(plan, reply, None)
        outside = answer.outside if isinstance(answer, CompleteAnswer) else ""
        all_notes, usage = (*notes, *plan.notes), self.sender.usage
        details: dict[str, Any] = {
            "token_ids": (),
            "prompt_tokens": reply.usage.prompt_tokens,
            "model_calls": len(self.made),
            "forced_tokens": 0,
            "seconds": time.perf_counter() - self._started,
            "exchange": Exchange(plan.mode, all_notes, outside, tuple(self.made), usage, reply.raw),
        }
        if isinstance(answer, _CutText):
            return Truncated(text=answer.text, reason=answer.reason, **details)
        enforced = _STAMPS.get(reply.stamp) or ("server" if plan.is_strict else "checked")
        return Complete(value=answer.value, text=answer.text, parts=answer.parts, enforced=enforced, **details)

    def _read_answer(self, plan: AnyPlan, reply: Reply) -> _CutText | CompleteAnswer:
        """Read a complete text with its value, or a truncated text if the caller allows that."""
        if reply.fault is not None:
            raise reply.fault
        if reply.end in ("refusal", "content_filter"):
            raise _make_refusal(reply)
        reason = _CUTS.get(reply.end, "stop" if self.job.query.stop else None)
        if reason is None or plan.is_complete_answer(reply, is_cut=reply.end in _CUTS):
            return plan.read(reply, context=self.job.context)
        if reason == "max_tokens" and self.job.finish:
            raise _make_truncation(reply, plan)
        return _CutText(plan.read_beginning(reply), reason)

    def _record_attempt(self, plan: AnyPlan, reply: Reply, error: Exception | None) -> None:
        number = len(self.made) + 1
        self.made.append(Attempt(number, plan.spell_reply(reply), error, reply.usage, plan.mode, reply))

    def _correct_query(self, query: TextQuery, reply: Reply, error: Exception, plan: AnyPlan) -> TextQuery:
        """Make the query for the next attempt: with a complaint, or with more tokens.

        Calls without ids get some, since no service accepts the result of a call without an id.
        """
        if isinstance(error, OutputTruncated):
            taken = query.max_tokens or reply.usage.completion_tokens or max(_FEWEST, len(plan.spell_reply(reply)))
            return replace(query, max_tokens=2 * taken)
        with validation_context(self.job.context):
            complaint = plan.write_complaint(error, reply)
        number = len(query.corrections) + 1
        calls = (replace(call, id=call.id or f"call_{number}_{at}") for at, call in enumerate(reply.calls))
        answered = replace(reply, calls=tuple(calls))
        return replace(query, corrections=(*query.corrections, Correction(answered, complaint)))

    def _choose_final_error(self, error: Exception) -> Exception:
        """Return the error of a job: that of its only attempt, or one that lists all attempts."""
        last = getattr(error, "last_attempt", None)  # a RetryError of tenacity
        cause = error if last is None else last.exception()
        if not self.made or self.job.max_retries == 0 or isinstance(cause, Refused):
            return cause
        self.job.emit("completion:last_attempt", cause)
        final = error_after_attempts(self.made, cause)
        final.__cause__ = cause
        if self.sender.is_shown:
            final.add_note("note: no answer is requested again after a part of it was shown; use generate for that")
        return final


def _identify_answer(raw: Any) -> tuple[Any, Any]:
    """Return the id of an answer and the name of its model: members of JSON, or attributes of an SDK's object."""
    names = ("id", "responseId", "model", "modelVersion")
    found = [raw.get(name) if isinstance(raw, Mapping) else getattr(raw, name, None) for name in names]
    return found[0] or found[1], found[2] or found[3]


class _CutText(NamedTuple):
    """A text that ended early, and why."""

    text: str
    reason: Reason


_FEWEST = 64
"""The least number of tokens to assume for an answer that was truncated and whose tokens nobody has counted."""

_STAMPS: Mapping[str, Enforced] = {"kernel": "server", "server": "server", "checked": "checked"}
"""Who enforced a form, by what a service says of itself; its kernel is not that of this process."""

_CUTS: Mapping[End, Reason] = {"length": "max_tokens", "cancel": "cancel"}
"""The ends of texts that are cut."""


def _make_truncation(reply: Reply, plan: AnyPlan) -> OutputTruncated:
    count = reply.usage.completion_tokens
    return OutputTruncated(
        f"the service cut the text after {count or 'some'} tokens",
        hint="pass a larger max_tokens, or finish=False to be given the text that was cut",
        text=plan.spell_reply(reply),
    )


def _make_refusal(reply: Reply) -> Refused:
    if reply.end == "refusal":
        said = reply.refusal or reply.text
        return Refused(f"the model refuses: {said[:200]}" if said else "the model refuses", text=said)
    return make_filter_error(reply.refusal, reply.text)
