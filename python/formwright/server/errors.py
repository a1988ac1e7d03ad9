"""Errors of requests, in the JSON of the protocol.

::

    BadRequest("max_tokens: ...", param="max_tokens").body["error"]
    # {'message': 'max_tokens: ...', 'type': 'invalid_request_error', 'param': 'max_tokens', 'code': None, 'docs': ...}

An error after the first byte of a stream can only be reported in the stream.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from formwright._options import suggest_name
from formwright.errors import (
    SITE,
    ArgumentError,
    FormwrightError,
    LanguageError,
    LimitExceeded,
    PromptError,
    StructuralTagError,
    UnsatisfiableSchema,
    UnsupportedConstruct,
    UnsupportedKeyword,
    UnsupportedPattern,
)

__all__ = [
    "BadRequest",
    "Refusal",
    "make_refusal",
    "refuse_long_prompt",
    "refuse_missing_field",
    "refuse_unknown_field",
]


_log = logging.getLogger("formwright.server")


class Refusal(Exception):
    """A request that gets no answer.

    Attributes:
        status: The HTTP status.
        body: The JSON that describes the error.
        headers: Further HTTP headers of the answer.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        type: str = "invalid_request_error",
        param: str | None = None,
        code: str | None = None,
        headers: dict[str, str] | None = None,
        docs: str = f"{SITE}guides/serving/#errors",
        **more: Any,
    ) -> None:
        super().__init__(message)
        self.status, self.param, self.headers = status, param, headers or {}
        said = {"message": message, "type": type, "param": param, "code": code, "docs": docs}
        self.body: dict[str, Any] = {"error": said | {name: value for name, value in more.items() if value is not None}}


class BadRequest(Refusal):
    """400: a field is wrong; `param` names it."""

    def __init__(self, message: str, *, param: str | None = None, code: str = "invalid_value", **more: Any) -> None:
        super().__init__(400, message, param=param, code=code, **more)


def refuse_unknown_field(param: str, known: Iterable[str]) -> BadRequest:
    """Refuse an unknown field, and name the most similar one that is allowed."""
    nearest = suggest_name(param.rpartition(".")[2], known)
    return BadRequest(f"there is no field {param!r}{nearest}", param=param, code="unknown_parameter")


def refuse_missing_field(param: str) -> BadRequest:
    """Refuse a request that lacks a field."""
    return BadRequest(f"{param} is missing", param=param, code="missing_required_parameter")


def make_refusal(
    error: Exception, param: str | None, budget: str = "max_tokens", *, is_default: bool = False
) -> Refusal:
    """Turn an error into the refusal that the client receives.

    Args:
        error: What was raised.
        param: The field that was read.
        budget: The field that limits the tokens.
        is_default: Whether the request leaves that field out.
    """
    if isinstance(error, Refusal):
        return error
    if not isinstance(error, FormwrightError):
        _log.error("a request has failed", exc_info=error)
        return Refusal(500, "the server has failed; its log says why", type="server_error", code="internal_error")
    hint, docs = _keep_for_clients(error.hint), error.url
    if isinstance(error, LimitExceeded):
        is_budget = error.limit == "max_tokens"
        where = budget if is_budget else param
        called = f"the default of {budget}" if is_default else budget
        message = str(error).replace("max_tokens", called) if is_budget else str(error)
        hint = f"raise {budget} to {error.value} or more" if is_budget else hint
        return BadRequest(
            message, param=where, code=f"{error.limit}_exceeded", needed=error.value, hint=hint, docs=docs
        )
    if isinstance(error, StructuralTagError):
        return BadRequest(str(error), param=error.field, code=error.code, docs=docs)
    if isinstance(error, LanguageError | ArgumentError):
        is_valid = isinstance(
            error, UnsupportedKeyword | UnsupportedPattern | UnsupportedConstruct | UnsatisfiableSchema
        )
        code = "form_not_enforceable" if is_valid else "invalid_form"
        pointer = getattr(error, "pointer", None)
        said = f"{param}: {error}" if param else str(error)
        return BadRequest(said, param=param, code=code, pointer=pointer, hint=hint, docs=docs)
    if isinstance(error, PromptError):
        return BadRequest(str(error), param=param, code="invalid_prompt", hint=hint, docs=docs)
    return Refusal(422, str(error), type="generation_error", code=type(error).__name__, hint=hint, docs=docs)


def refuse_long_prompt(message: str, param: str, context: int, needed: int) -> BadRequest:
    """Refuse a prompt that does not fit the context, in the words by which SDKs and frameworks recognise this error."""
    said = f"This model's maximum context length is {context} tokens. However, {message}"
    return BadRequest(said, param=param, code="context_length_exceeded", needed=needed, hint="shorten the prompt")


def _keep_for_clients(hint: str | None) -> str | None:
    """Keep a hint if it helps those who send requests, not only those who call functions."""
    return None if hint is None or any(word in hint for word in _OF_PYTHON) else hint


_OF_PYTHON = ("=", "a str", "registry", "Vocabulary")
"""Words of hints that only help callers of Python functions."""
