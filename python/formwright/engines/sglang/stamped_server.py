"""Replies of SGLang say that they conform to the forms of their requests: a middleware of its server.

::

    FORMWRIGHT_STAMP=1 python -m sglang.launch_server --model-path some-model --grammar-backend formwright

SGLang has no option for a middleware, so a hook of its plugins adds it before the server starts. What a stamp says is
in `formwright.engines.middleware`. With ``return_token_ids`` in the request, SGLang puts the tokens into its reply.
Servers with several tokenizer workers start their applications elsewhere, and have no stamps.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from formwright._hosts import HOSTS
from formwright.engines.grammar_backend import Vocabularies
from formwright.engines.middleware import StampingMiddleware
from formwright.errors import ArgumentError

__all__ = ["SERVER", "STAMP", "SglangStamp", "add_stamp", "is_stamp_asked"]

STAMP = "FORMWRIGHT_STAMP"
"""The environment variable that asks for stamps."""

SERVER = "sglang.srt.entrypoints.http_server"
"""The module of SGLang's server."""


class SglangStamp(StampingMiddleware):
    """The middleware of SGLang's server."""

    plain_fields = {"regex": "regex", "ebnf": "ebnf", "json_schema": "json"}  # noqa: RUF012

    def is_backend(self) -> bool:
        """Whether formwright enforces the forms of this server."""
        from sglang.srt.runtime_context import get_exec

        return bool(get_exec().kernel.grammar_backend == "formwright")

    def name_versions(self) -> dict[str, str]:
        """The version of SGLang."""
        version = HOSTS["sglang"].version()
        return {} if version is None else {"sglang": version}

    def read_vocabularies(self, app: Any) -> tuple[Vocabularies, list[int]]:
        """The tokenizer of the engine, and the ends of text of the model's configuration."""
        manager = app.state.openai_serving_chat.tokenizer_manager
        config = manager.model_config
        return Vocabularies(manager.tokenizer, config.vocab_size), sorted(config.hf_eos_token_id or ())


def is_stamp_asked() -> bool:
    """Whether the environment asks for stamps. Raises ArgumentError where the variable has another value."""
    value = os.environ.get(STAMP, "0")
    if value not in ("", "0", "1"):
        raise ArgumentError(f"{STAMP}: expected 0 or 1, got {value!r}", argument=STAMP)
    return value == "1"


def add_stamp(*_: Any, **__: Any) -> None:
    """Add the middleware to SGLang's application, before its server starts."""
    import_module(SERVER).app.add_middleware(SglangStamp)
