"""vLLM's manager of structured outputs, which tells each text how many tokens it may have.

::

    request: max_tokens=40     thought: 12 tokens     text: at most 27, and an end of text

A back end is not told ``max_tokens``; its manager is. So a text is complete within the limit of its request, or, where
no thought comes before it, refused before its first token if none is short enough. vLLM counts the end of text, so one
token is kept for it where that is possible: the reply says ``stop`` then, not ``length``.

A thought ends in time for the text if its end is one token: that token is the only one that may come once no other
would leave enough of them. Where even then no text is short enough, it is cut.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from formwright._hosts import import_host
from formwright.engines.vllm.backend import FormwrightBackend, FormwrightGrammar

with import_host("vllm"):
    from vllm.v1.request import Request
    from vllm.v1.structured_output import StructuredOutputManager

__all__ = ["FormManager"]


class FormManager(StructuredOutputManager):  # type: ignore[misc]  # vllm is not typed for us
    """The manager of an engine, with formwright as the only back end."""

    backend: Any

    def grammar_init(self, request: Request) -> None:
        """Begin to compile what a request asks for."""
        if request.structured_output_request is not None and self.backend is None:
            size = self.vllm_config.model_config.get_vocab_size()
            self.backend = FormwrightBackend(self.vllm_config, tokenizer=self.tokenizer, vocab_size=size)
        super().grammar_init(request)

    def _create_grammar(self, request: Request) -> FormwrightGrammar:
        """The text of a request, at its start.

        Raises:
            LanguageError: It cannot be read or enforced.
            LimitExceeded: No text fits, and no thought comes before it.
        """
        grammar: FormwrightGrammar = super()._create_grammar(request)
        if self.reasoner_cls is None:
            grammar.begin_after(request.prompt_token_ids or [])
            if (room := self._find_room(request)) is not None:
                grammar.check_room(room)
        return grammar

    def _find_room(self, request: Request) -> int | None:
        """How many tokens a request may have. Diffusion models write them in an order of their own."""
        model = self.vllm_config.model_config
        if model.is_diffusion:
            return None
        room: int = min(request.max_tokens, model.max_model_len - request.num_prompt_tokens)
        return room

    def grammar_bitmask(
        self, requests: dict[str, Request], structured_output_request_ids: list[str], drafts: dict[str, list[int]]
    ) -> Any:
        """The masks of a step, each within what is left to its request.

        Raises:
            HostMismatch: The counts of vLLM and of a text do not agree.
        """
        for request_id in structured_output_request_ids:
            request = requests[request_id]
            grammar = request.structured_output_request.grammar
            if (room := self._find_room(request)) is not None:
                grammar.follow_request(room, request.num_output_tokens, self._find_thought_end(request))
        return super().grammar_bitmask(requests, structured_output_request_ids, drafts)

    def _find_thought_end(self, request: Request) -> int | None:
        """The token that ends the thought of a request, if it thinks and there is one such token."""
        if self.enable_in_reasoning or request.structured_output_request.reasoning_ended:
            return None
        reasoner = self._get_reasoner(request)
        ids = getattr(reasoner, "reasoning_end_token_ids", None)
        if ids is None:
            return getattr(reasoner, "end_token_id", None)
        return ids[0] if len(ids) == 1 else None

    def _fill_bitmasks(self, batch: Iterable[tuple[FormwrightGrammar, int, bool]]) -> None:
        batch = list(batch)
        super()._fill_bitmasks(batch)
        for grammar, row, is_masked in batch:
            if not is_masked and not grammar.is_terminated():
                grammar.fill_thought(self._grammar_bitmask, row)
