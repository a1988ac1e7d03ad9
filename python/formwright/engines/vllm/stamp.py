"""Replies of vLLM say that they conform to the forms of their requests: a middleware of its server.

::

    FORMWRIGHT_VLLM=1 vllm serve some-model --middleware formwright.engines.vllm.stamp.Stamp

What a stamp says is in `formwright.engines.middleware`. With ``return_token_ids`` in the request, vLLM puts the tokens
into its reply, and a receipt of it is of the tokens that were written.
"""

from __future__ import annotations

import os
from typing import Any

from formwright._hosts import HOSTS
from formwright.engines.grammar_backend import Vocabularies
from formwright.engines.middleware import StampingMiddleware
from formwright.engines.vllm.plugin import VARIABLE

__all__ = ["Stamp"]


class Stamp(StampingMiddleware):
    """The middleware of vLLM's server."""

    def is_backend(self) -> bool:
        """Whether formwright enforces the forms of this server: its engine does not start otherwise."""
        return os.environ.get(VARIABLE) == "1"

    def name_versions(self) -> dict[str, str]:
        """The version of vLLM."""
        version = HOSTS["vllm"].version()
        return {} if version is None else {"vllm": version}

    def read_vocabularies(self, app: Any) -> tuple[Vocabularies, list[int]]:
        """The tokenizer of the engine, and the ends of text of the model's generation configuration."""
        from vllm.tokenizers import cached_tokenizer_from_config

        config = app.state.vllm_config.model_config
        tokenizer = cached_tokenizer_from_config(model_config=config)
        ends = config.try_get_generation_config().get("eos_token_id") or []
        plain = getattr(tokenizer, "mistral", tokenizer)
        return Vocabularies(plain, config.get_vocab_size()), [ends] if isinstance(ends, int) else list(ends)
