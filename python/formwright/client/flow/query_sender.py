"""Send one query and receive its reply: in one piece or as a stream, again after temporary failures.

::

    sender = QuerySender(job)
    next(sender.send_query(query, plan)).request.path     # 'chat/completions'

Like the flow that uses it, this is a generator of steps without I/O. Pieces of a stream are yielded among the steps.
After the first piece nothing is sent again, since it cannot be taken back.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from formwright._retries import request_policy, retry
from formwright.client.flow.pieces import Piece, Pieces
from formwright.client.flow.remote_job import RemoteJob
from formwright.client.flow.steps import Close, Next, Open, Reply, Response, Send, Step, TextQuery
from formwright.client.plans.plan import AnyPlan
from formwright.client.transport.event_reader import EventReader
from formwright.client.transport.failures import (
    add_header_details,
    decode_body,
    make_size_error,
    read_failure,
    read_stamp,
)
from formwright.errors import LimitExceeded, OutputInvalid, RequestFailed
from formwright.forms.context import validation_context
from formwright.generation.result import Usage

__all__ = ["QuerySender"]

Receiving: TypeAlias = Generator[Step | Piece, Any, Reply]
"""Yields steps and pieces, and returns the reply."""


@dataclass
class QuerySender:
    """Sends the queries of a job, within its budgets.

    Attributes:
        job: The job.
        usage: The tokens of all replies so far.
        is_shown: Whether a piece was yielded, so that nothing may be sent again.
        body: The last answer that came in one piece, decoded; the cache keeps it.
    """

    job: RemoteJob
    usage: Usage = field(default_factory=Usage)
    is_shown: bool = False
    body: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        budget = self.job.time_budget
        self._deadline = None if budget is None else self.job.clock() + budget

    def send_query(self, query: TextQuery, plan: AnyPlan) -> Receiving:
        """Send a query, and again after each temporary failure, until there is a reply.

        Raises:
            RequestFailed, Refused: The service has answered with an error, or could not be reached.
            LimitExceeded: A budget is used up, or the answer is too large.
        """
        job, request = self.job, self.job.wire.write_request(query)
        job.emit("completion:kwargs", request.body)

        def attempt(_: int) -> Receiving:
            response = yield (Open if query.is_stream else Send)(request, self._find_seconds_left())
            if (failure := read_failure(response)) is not None:
                raise failure
            if query.is_stream:
                with add_header_details(response):
                    return (yield from self._collect_events(query, plan, response))
            self.body = decode_body(response)
            with add_header_details(response):
                reply = job.wire.read_reply(self.body)
            return replace(reply, raw=response.original or self.body, stamp=read_stamp(response))

        try:
            policy = request_policy(job.request_retries, lambda: self.is_shown, self._find_seconds_left)
            reply: Reply = yield from retry(policy, attempt, note=job.note_retry)
        except Exception as error:
            job.emit("completion:error", error)
            raise
        self.usage += reply.usage
        job.emit("completion:response", reply.raw)
        job.emit("completion:usage", self.usage)
        return reply

    def check_token_budget(self) -> None:
        """Raise LimitExceeded if the replies so far took all tokens of the budget."""
        allowed, used = self.job.token_budget, self.usage.total_tokens
        if allowed is not None and used >= allowed:
            raise LimitExceeded(
                f"the attempts took {used} tokens, and token_budget allows {allowed}",
                limit="token_budget",
                value=used,
                allowed=allowed,
            )

    def _collect_events(self, query: TextQuery, plan: AnyPlan, response: Response) -> Receiving:
        """Combine the events of a stream into a reply, and yield its pieces."""
        if response.headers.get("content-type", "").startswith("application/json"):
            yield from self._refuse_json(response)
        job, events, size, written = self.job, EventReader(), 0, list[str]()
        with validation_context(job.context):
            collector, pieces = job.wire.make_collector(query), Pieces(plan)
        is_open = True
        while is_open and not events.is_done and not collector.is_over:
            if job.cancel is not None and job.cancel():
                yield Close()
                return collector.reply if collector.is_complete else Reply("".join(written), end="cancel")
            chunk = yield Next(self._find_seconds_left())
            is_open = chunk is not None
            size += len(chunk) if isinstance(chunk, bytes) else 0
            self._check_size(size)
            for event in _decode_chunk(chunk, events):
                text = collector.feed(event)
                written.append(text)
                if text and job.yields_pieces:
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

    def _refuse_json(self, response: Response) -> Generator[Step, Any, None]:
        """Read an answer that is JSON instead of a stream, and raise the error that it holds, or one for itself."""
        body = b""
        while (chunk := (yield Next(self._find_seconds_left()))) is not None:
            body += chunk
            self._check_size(len(body))
        yield Close()
        decode_body(replace(response, body=body))
        raise RequestFailed(
            "the service answered with one JSON object where a stream was requested",
            hint="it may not support streams: use generate",
            status=response.status,
        )

    def _check_size(self, size: int) -> None:
        """Raise LimitExceeded if an answer is too large."""
        if size > self.job.max_bytes:
            raise make_size_error(self.job.max_bytes)

    def _find_seconds_left(self) -> float | None:
        """Return the seconds that are left; ``None`` without a budget. Raises LimitExceeded if there are none."""
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


def _decode_chunk(chunk: Any, events: EventReader) -> Iterable[Mapping[str, Any]]:
    """The events that a chunk completes: an SDK has decoded its event; ``None`` is the end of the stream."""
    if isinstance(chunk, Mapping):
        return [chunk]
    return events.end() if chunk is None else events.feed(chunk)
