"""Errors of requests, as the protocol writes them.

::

    BadRequest("max_tokens: ...", param="max_tokens").body
    # {'error': {'message': 'max_tokens: ...', 'type': 'invalid_request_error', 'param': 'max_tokens', 'code': None}}

Cost: none. The wrinkle: what goes wrong behind the first byte of a stream can only be said in the stream.
"""

from __future__ import annotations

import logging
from typing import Any

from formwright.errors import (
    ArgumentError,
    FormwrightError,
    LanguageError,
    LimitExceeded,
    PromptError,
    RegexError,
    SchemaError,
)

__all__ = ["BadRequest", "Refusal", "refusal_of"]


_log = logging.getLogger("formwright.server")


class Refusal(Exception):
    """A request that gets no answer.

    Attributes:
        status: The HTTP status.
        body: The JSON that says why.
        headers: What else the client should know.
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
        **more: Any,
    ) -> None:
        super().__init__(message)
        self.status, self.param, self.headers = status, param, headers or {}
        said = {"message": message, "type": type, "param": param, "code": code}
        self.body: dict[str, Any] = {"error": said | {name: value for name, value in more.items() if value is not None}}


class BadRequest(Refusal):
    """400: a field is wrong; `param` says which."""

    def __init__(self, message: str, *, param: str | None = None, code: str | None = None, **more: Any) -> None:
        super().__init__(400, message, param=param, code=code, **more)


def refusal_of(error: Exception, param: str | None, budget: str = "max_tokens") -> Refusal:
    """What a client is told of an error.

    Args:
        error: What was raised.
        param: The field that was read.
        budget: The field that says how many tokens there may be.
    """
    if isinstance(error, Refusal):
        return error
    hint = getattr(error, "hint", None)
    if isinstance(error, LimitExceeded):
        is_budget = error.limit == "max_tokens"
        where = budget if is_budget else None if error.limit == "context" else param
        message = str(error).replace("max_tokens", budget) if is_budget else str(error)
        return BadRequest(message, param=where, code=f"{error.limit}_exceeded", needed=error.value, hint=_said(hint))
    if isinstance(error, SchemaError):
        return BadRequest(
            f"{param}: {error}", param=param, code="form_not_enforceable", pointer=error.pointer, hint=hint
        )
    if isinstance(error, RegexError | LanguageError | ArgumentError):
        return BadRequest(f"{param}: {error}" if param else str(error), param=param, code="invalid_form", hint=hint)
    if isinstance(error, PromptError):
        return BadRequest(str(error), param=param, code="invalid_prompt", hint=hint)
    if isinstance(error, FormwrightError):
        return Refusal(422, str(error), type="generation_error", code=type(error).__name__, hint=hint)
    _log.error("a request has failed", exc_info=error)
    return Refusal(500, "the server has failed; its log says why", type="server_error", code="internal_error")


def _said(hint: str | None) -> str | None:
    """A hint, if it is one for those who send requests."""
    return None if hint is None or "=" in hint else hint
