"""A service that is judged: it is asked for texts of a schema as it is, once for each question.

::

    service = load_service("http://127.0.0.1:8000/v1#some-model")
    service.ask({"type": "integer"}, "How old is Ada?", seed=0)            # Answer('text', '36')

Nothing is done here to make an answer conform: the schema is not adapted to the service, it is not described in the
prompt, and no answer is asked for again.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, get_args
from urllib.parse import urlsplit

from formwright._retries import request_policy, retry
from formwright.algebra.judged_answers import Answer, SchemaField, read_value
from formwright.client.flow.steps import Reply, Request, Send, Step
from formwright.client.model import RemoteModel
from formwright.client.remote_models import connect
from formwright.client.transport.drivers import run
from formwright.client.transport.failures import decode_body, read_failure
from formwright.client.wires.chat import CHAT
from formwright.errors import ArgumentError, LimitExceeded, Refused, RequestFailed

__all__ = ["JudgedService", "load_service"]

_RETRIES = 3
"""Requests that are sent again where the service says that there are too many."""

_BUSY = (429, 503)
_NOT_TAKEN = (400, 422)
_NOT_SERVED = (401, 403, 404)

_ANY_OBJECT = {
    "type": "object",
    "properties": {"number": {"type": "integer"}},
    "required": ["number"],
    "additionalProperties": False,
}
"""A schema that every service takes."""


class JudgedService:
    """A service of the chat completions API.

    Args:
        model: The model that the service has.
        field: The field of a request that holds the schema.
        max_tokens: Tokens of an answer at most.
    """

    def __init__(self, model: RemoteModel, *, field: SchemaField, max_tokens: int) -> None:
        self._model, self._field, self._max_tokens = model, field, max_tokens
        self.name, self.version = model.where, model.name

    def ask(self, schema: Any, prompt: str, seed: int) -> Answer:
        """Ask for a text. Raises RequestFailed where the service does not know the key or the model."""
        try:
            reply: Reply = run(self._send(schema, prompt, seed), self._model.transport)
        except Refused as error:
            return Answer("declined", str(error))
        except LimitExceeded as error:
            return Answer("fails", str(error))
        except RequestFailed as error:
            if error.status in _NOT_SERVED:
                raise
            return Answer("refuses" if error.status in _NOT_TAKEN else "fails", str(error)[:300])
        if reply.end in ("refusal", "content_filter"):
            return Answer("declined", reply.refusal or reply.text)
        return Answer("cut" if reply.end == "length" else "text", reply.text)

    def check(self) -> None:
        """Ask for an object with a question that invites prose: a service that ignores schemas answers in prose.

        Raises:
            RequestFailed: There is no service at the URL; it does not know the key or the model; it did not answer; or
                its answer is not an object.
        """
        question = "Say hello in one English sentence. Do not write JSON."
        reply: Reply = run(self._send(_ANY_OBJECT, question, 0), self._model.transport)
        if reply.end == "stop" and not _is_object(reply.text):
            raise RequestFailed(
                f"{self.name} ignores {self._field}: asked for an object, {self.version} answered {reply.text[:80]!r}",
                hint=f"the service must enforce schemas; --field names where it reads one: {_list_fields()}",
                body=reply.text[:300],
            )

    def _send(self, schema: Any, prompt: str, seed: int) -> Generator[Step, Any, Any]:
        """The steps to a reply; sent again only where the service is busy."""
        body = self._write_body(schema, prompt, seed)

        def attempt(_: int) -> Generator[Step, Any, Reply]:
            try:
                response = yield Send(Request("chat/completions", body))
                if (failure := read_failure(response)) is not None:
                    raise failure
                return CHAT.read_reply(decode_body(response))
            except RequestFailed as error:
                error.may_pass = error.may_pass and error.status in _BUSY
                raise

        return (yield from retry(request_policy(_RETRIES), attempt))

    def _write_body(self, schema: Any, prompt: str, seed: int) -> Mapping[str, Any]:
        service = self._model.service
        seeded = {} if "seed" in service.lacks else {"seed": seed}
        return {
            "model": self._model.name,
            "messages": [{"role": "user", "content": prompt}],
            service.max_tokens_name: self._max_tokens,
            **seeded,
            **_write_schema(schema, self._field),
        }


def load_service(
    url: str,
    model: str | None = None,
    *,
    field: SchemaField = "response_format",
    timeout: float = 60.0,
    max_tokens: int = 512,
) -> JudgedService:
    """Connect to a service, and check that it answers and takes schemas.

    Args:
        url: The root of its API, or ``URL#name`` with the name of the model.
        model: The name of the model, where the URL has none.
        field: The field of a request that holds the schema.
        timeout: Seconds for one answer.
        max_tokens: Tokens of an answer at most.

    Raises:
        ArgumentError: The URL cannot be read, no model is named, or the field is not one of these.
        RequestFailed: As `JudgedService.check`.
        MissingDependency: formwright[client] is not installed.
    """
    base_url, _, name = url.partition("#")
    if field not in get_args(SchemaField):
        raise ArgumentError(f"there is no field {field!r}; the fields are {_list_fields()}", argument="field")
    if not (name or model):
        raise ArgumentError(
            f"the URL of {urlsplit(base_url).hostname} names no model",
            hint="write its name after the URL: http://host/v1#some-model",
            argument="model",
        )
    remote = connect(base_url, name or str(model), api="openai", timeout=timeout)
    service = JudgedService(remote, field=field, max_tokens=max_tokens)
    service.check()
    return service


def _list_fields() -> str:
    return ", ".join(get_args(SchemaField))


def _write_schema(schema: Any, field: SchemaField) -> Mapping[str, Any]:
    """Write the field that holds a schema."""
    if field == "response_format":
        named = {"name": "judged", "strict": True, "schema": schema}
        return {field: {"type": "json_schema", "json_schema": named}}
    return {field: schema if field == "guided_json" else {"json": schema}}


def _is_object(text: str) -> bool:
    try:
        return isinstance(read_value(text), dict)
    except (ValueError, OverflowError, RecursionError):
        return False
