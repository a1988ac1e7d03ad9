"""The endpoints of a server: what happens to a request from its first byte to its answer.

If a client disconnects, its texts end at once, even before anything is sent to it: a second task watches for that.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from formwright import __version__
from formwright.conversations.messages import Message
from formwright.errors import ArgumentError
from formwright.forms.text_checks import shorten
from formwright.generation.result import Usage
from formwright.generation.spans import Generation, GenerationSpan, pick_settings, span_of_generation
from formwright.models import LocalModel
from formwright.server.errors import BadRequest, Refusal
from formwright.server.gate import SPAN_KEY, describe_request
from formwright.server.metrics import Metrics
from formwright.server.reading.body_reader import read_body
from formwright.server.reading.conversation import (
    encode_conversation,
    list_texts,
    read_chat_messages,
    read_response_messages,
    split_begun_answer,
)
from formwright.server.reading.json_body import parse_json
from formwright.server.reading.orders import Order, PromptSpec, sum_tokens
from formwright.server.reading.requests import Body, check_measuring_body, make_scoring_body
from formwright.server.reading.shapes import Shapes
from formwright.server.reading.tool_choice import read_chat_tools, read_response_tools
from formwright.server.settings import Settings
from formwright.server.store import ResponseStore, StoredResponse
from formwright.server.worker import Worker
from formwright.server.writing.answering import Answering, report_timeout
from formwright.server.writing.events import Done, Event
from formwright.server.writing.protocols import CHAT, COMPLETIONS, RESPONSES, Protocol, send_events
from formwright.tools.offered import Offered

__all__ = ["Server"]

T = TypeVar("T")


PAGE = Path(__file__).with_name("page.html")


_BODY_SECONDS = 30.0
"""Seconds in which a body must arrive."""


_DRAIN_FACTOR = 8
"""A body that is too long is read to its end, so that its client gets the refusal, unless it exceeds the limit so many
times over."""


_FEW_TEXTS = 8
"""Texts of a request that the event loop reads itself at most; for more, a thread does."""


_SHORT_BYTES = 8 << 10
"""Bytes of a request that the event loop reads itself at most; a longer one is read in a thread."""


class Server:
    """The endpoints of one model."""

    def __init__(self, model: LocalModel, settings: Settings) -> None:
        self.model, self.settings = model, settings
        self.names = settings.names or (model.name,)
        self.worker = Worker(model.batch, rows=settings.max_batch, waiting=settings.max_waiting)
        self.answering = Answering(model, self.worker, Shapes(model), settings.timeout)
        self.metrics = Metrics(self.worker)
        self.store = ResponseStore(settings.store)
        self.started = int(time.time())

    @contextlib.asynccontextmanager
    async def lifespan(self, _: object) -> AsyncIterator[None]:
        """Start the worker before the first request, and stop it after the last."""
        self.worker.start(asyncio.get_running_loop())
        try:
            yield
        finally:
            await asyncio.to_thread(self.worker.stop)
            self.answering.close()

    def end(self) -> None:
        """End all requests that still run with an error."""
        said = "the server is shutting down: send the request again, or to another server"
        refusal = Refusal(503, said, type="overloaded_error", code="shutting_down")
        self.worker.end(refusal)
        self.answering.end(refusal)

    async def list_models(self, _: Request) -> Response:
        """List the one model under each of its names."""
        return JSONResponse({"object": "list", "data": [self._describe_model(name) for name in self.names]})

    async def show_model(self, request: Request) -> Response:
        """Describe the model of a name."""
        return JSONResponse(self._describe_model(self._check_model(request.path_params["name"])))

    def _describe_model(self, name: str) -> dict[str, Any]:
        return {
            "id": name,
            "object": "model",
            "created": self.started,
            "owned_by": "formwright",
            "max_model_len": self.model.runtime.context,
        }

    async def show_health(self, _: Request) -> Response:
        """Answer that the server runs."""
        return JSONResponse({"status": "ok", "version": __version__})

    async def show_metrics(self, _: Request) -> Response:
        """Send the metrics."""
        return Response(self.metrics.text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def show_page(self, _: Request) -> Response:
        """Send the page on which forms can be tried."""
        return FileResponse(PAGE, headers=_PAGE_HEADERS)

    async def create_chat_completion(self, request: Request) -> Response:
        """Answer ``/v1/chat/completions``."""
        return await self._answer(request, CHAT, self._read_chat_prompt)

    async def create_response(self, request: Request) -> Response:
        """Answer ``/v1/responses``."""
        return await self._answer(request, RESPONSES, self._read_response_prompt)

    async def create_completion(self, request: Request) -> Response:
        """Answer ``/v1/completions``."""
        return await self._answer(request, COMPLETIONS, self._read_completion_prompts)

    def _read_chat_prompt(self, body: Any) -> list[PromptSpec]:
        messages, begun = split_begun_answer(read_chat_messages(body.messages), body)
        try:
            model = self.model.with_chat_template_kwargs(body.chat_template_kwargs)
        except ArgumentError as error:
            said = f"chat_template_kwargs: {error}"
            raise BadRequest(said, param="chat_template_kwargs", code="unsupported_parameter") from error
        return [self._make_spec(model, messages, read_chat_tools(body), "messages", begun)]

    def _read_response_prompt(self, body: Any) -> list[PromptSpec]:
        offered = read_response_tools(body)
        messages = read_response_messages(body.input, body.instructions)
        if body.store and not self.store.is_on:
            body.ignore("store")
        if (earlier := self._find_earlier(body)) is not None:
            at = 1 if body.instructions else 0
            messages[at:at] = read_response_messages(earlier.items, None)
        return [self._make_spec(self.model, messages, offered, "input")]

    def _find_earlier(self, body: Body) -> StoredResponse | None:
        """Find the response that a request continues. Raises BadRequest."""
        name = body.earlier_response
        if name is None:
            return None
        if not self.store.is_on:
            why = "nothing is stored: send the complete conversation as input, or start the server with --store"
            said = f"previous_response_id is not served: {why}"
            raise BadRequest(said, param="previous_response_id", code="unsupported_parameter")
        if (found := self.store.find_response(name)) is None:
            said = f"Previous response with id {name!r} not found: send the complete conversation as input"
            raise BadRequest(said, param="previous_response_id", code="previous_response_not_found")
        return found

    def _keep_response(self, body: Body, earlier: StoredResponse | None, response: Mapping[str, Any]) -> None:
        """Store a response, if its request asks for that."""
        if self.store.is_on and body.wants_storing:
            self.store.keep_response(response, body.items, earlier)

    async def handle_stored_response(self, request: Request) -> Response:
        """Answer ``/v1/responses/ID`` with the stored response; ``DELETE`` forgets it."""
        name = request.path_params["id"]
        found = self.store.find_response(name)
        if found is None:
            why = "" if self.store.is_on else ": nothing is stored, start the server with --store"
            raise Refusal(404, f"Response with id {name!r} not found{why}", param="response_id", code="not_found")
        if request.method == "DELETE":
            self.store.forget_response(name)
            return JSONResponse({"id": name, "object": "response", "deleted": True})
        return JSONResponse(found.response)

    def _make_spec(
        self, model: LocalModel, messages: list[Message], offered: Offered, field: str, begun: str = ""
    ) -> PromptSpec:
        def encode_prompt() -> list[int]:
            self.answering.check_length([*list_texts(messages), begun], field)
            return encode_conversation(model, messages, offered, begun)

        return PromptSpec(offered, encode_prompt, field)

    def _read_completion_prompts(self, body: Any) -> list[PromptSpec]:
        def encode_prompt(prompt: Any) -> list[int]:
            if not isinstance(prompt, str):
                return self.model.prompt_ids(prompt)
            self.answering.check_length([prompt], "prompt")
            return self.model.text_ids(prompt)

        texts = [prompt if isinstance(prompt, str) else None for prompt in body.prompts]
        return [
            PromptSpec(Offered(), partial(encode_prompt, prompt), "prompt", text)
            for prompt, text in zip(body.prompts, texts, strict=True)
        ]

    async def _answer(
        self, request: Request, protocol: Protocol, read_prompts: Callable[[Any], list[PromptSpec]]
    ) -> Response:
        """Read a request, write what it asks for, and send it."""
        began = asyncio.get_running_loop().time()
        data = await self._read_bytes(request)
        client = _name_client(request)
        reading = self._read_orders(data, request.path_params.get("deployment"), protocol, read_prompts, client)
        name, orders = await _await_unless_gone(request, self._await_in_time(reading, began))
        body = orders[0].body
        keep = partial(self._keep_response, body, self._find_earlier(body))  # found now: it may be forgotten meanwhile
        head = {
            "id": protocol.id_prefix + secrets.token_hex(16),
            protocol.created_field: int(time.time()),
            "model": name,
        }
        generation, span = describe_request(protocol.name, name), request.scope[SPAN_KEY]
        span.record_model(generation)
        span.record_response(head["id"], name)
        events = self._count_events(
            self.answering.write_texts(orders, client, began), orders, generation, protocol, began
        )
        if body.stream:
            stream = protocol.make_stream(head, orders)
            first = await _await_unless_gone(request, anext(events))  # so that a full queue is a status, not an event
            sent = send_events(protocol, stream, first, events, keep, span)
            return StreamingResponse(sent, media_type="text/event-stream", headers=_STREAM_HEADERS)
        gathered = await _await_unless_gone(request, _gather_events(events, body.text_count))
        answer = protocol.make_answer(head, orders, gathered)
        keep(answer)
        return JSONResponse(answer)

    async def _read_orders(
        self,
        data: bytearray,
        deployment: str | None,
        protocol: Protocol,
        read_prompts: Callable[[Any], list[PromptSpec]],
        client: str,
    ) -> tuple[str, list[Order]]:
        """Return the model that a request names and the orders for it; long work is done in threads."""

        def read_request() -> tuple[str, Body, list[PromptSpec]]:
            sent = parse_json(data)
            if deployment is not None and isinstance(sent, dict):
                sent.setdefault("model", deployment)  # Azure names the model in the path
            body = read_body(protocol.body_class, sent)
            name = self._check_model(deployment or body.model)
            self._check_texts(body.row_count)
            if body.scored_texts is not None:
                body = make_scoring_body(body)
            if body.measured_text is not None:
                check_measuring_body(body)
            return name, body, read_prompts(body)

        is_long = len(data) > _SHORT_BYTES
        name, body, specs = await self.answering.run_in_thread(client, read_request) if is_long else read_request()
        # It may take long to find all tokenisations of the texts to score.
        is_short = not is_long and body.text_count <= _FEW_TEXTS and body.scored_texts is None
        return name, [await self.answering.make_order(body, spec, client, is_short=is_short) for spec in specs]

    async def _await_in_time(self, answer: Awaitable[T], began: float) -> T:
        """Await something until the time of a request is over. Raises Refusal then."""
        try:
            async with asyncio.timeout_at(began + self.settings.timeout):
                return await answer
        except TimeoutError:
            raise report_timeout(self.settings.timeout) from None

    async def _count_events(
        self,
        events: AsyncIterator[tuple[int, list[Event]]],
        orders: Sequence[Order],
        request: Generation,
        protocol: Protocol,
        began: float,
    ) -> AsyncIterator[tuple[int, list[Event]]]:
        """Pass events on inside a span, and count them in the metrics."""
        clock, is_awaited = asyncio.get_running_loop().time, orders[0].body.stream
        ends: dict[int, Done] = {}
        with span_of_generation(_describe_texts(request, orders)) as span:
            try:
                async with contextlib.aclosing(events):  # type: ignore[type-var]
                    async for number, new in events:
                        if is_awaited:
                            self.metrics.first_token.observe(clock() - began)
                            is_awaited = False
                        if new and isinstance(new[-1], Done):
                            ends[number] = new[-1]
                        yield number, new
            finally:  # also if the client disconnects: the work was done
                self.metrics.count_tokens(orders)
                self.metrics.seconds.labels(protocol.name).observe(clock() - began)
                _record_texts(span, orders, ends)

    async def _read_bytes(self, request: Request) -> bytearray:
        """Read the body of a request. Raises Refusal."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refusal(
                415, f"expected a body of content-type application/json, got {shorten(kind) or 'none'}", param=None
            )
        data, most = bytearray(), self.settings.max_body
        if int(request.headers.get("content-length", "0")) > _DRAIN_FACTOR * most:
            raise self._refuse_size()
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                size = 0
                async for chunk in request.stream():
                    size += len(chunk)
                    if size > _DRAIN_FACTOR * most:
                        raise self._refuse_size()
                    if size <= most:
                        data += chunk
        except TimeoutError:
            raise Refusal(408, f"the body has not come within {_BODY_SECONDS:.0f} seconds") from None
        if size > most:
            raise self._refuse_size()
        return data

    def _check_texts(self, count: int) -> None:
        """Refuse more texts than rows and queue can ever hold. Raises BadRequest."""
        if count > (most := self.worker.limit):
            said = f"expected {most} texts at most, got a request for {count}"
            raise BadRequest(f"{said}: see --max-batch and --max-waiting of the server", code="too_many_texts")

    def _refuse_size(self) -> Refusal:
        message = f"the body is longer than {self.settings.max_body} bytes"
        return Refusal(413, message, code="too_large", headers={"Connection": "close"})  # the rest is not read

    def _check_model(self, name: str) -> str:
        if name not in self.names:
            raise Refusal(
                404,
                f"there is no model {name!r}: this server has {', '.join(map(repr, self.names))}",
                param="model",
                code="model_not_found",
            )
        return name


def _name_client(request: Request) -> str:
    """Name the client of a request: clients take turns."""
    address = request.client.host if request.client else ""
    return f"{address} {request.headers.get('authorization', '')}"


def _describe_texts(request: Generation, orders: Sequence[Order]) -> Generation:
    """Describe the span of a request's texts, which is inside the span of the request."""
    body, form = orders[0].body, orders[0].compiled.shape.form
    settings = pick_settings(body) | {"max_tokens": body.read_budget().limit}
    return replace(request, kind="INTERNAL", form=form, settings=settings, texts=body.text_count)


def _record_texts(span: GenerationSpan, orders: Sequence[Order], ends: Mapping[int, Done]) -> None:
    """Record in a span the numbers of tokens and how the texts ended."""
    tokens, done = sum_tokens(orders), [ends[number] for number in sorted(ends)]
    span.record_usage(Usage(tokens.prompt, tokens.written))
    span.record_forced(tokens.forced)
    span.record_ends([end.result for end in done], [end.reason for end in done])


async def _gather_events(events: AsyncIterator[tuple[int, list[Event]]], count: int) -> list[list[Event]]:
    found: list[list[Event]] = [[] for _ in range(count)]
    async for number, new in events:
        found[number] += new
    return found


async def _await_unless_gone(request: Request, answer: Awaitable[Any]) -> Any:
    """Await an answer, unless the client disconnects first."""
    task = asyncio.ensure_future(answer)
    gone = asyncio.ensure_future(_wait_until_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        gone.cancel()
        if not task.done():
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


async def _wait_until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


_STREAM_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


_PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
