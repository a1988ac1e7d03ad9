"""The back end of vLLM's structured outputs.

::

    backend = FormwrightBackend(vllm_config, tokenizer=tokenizer, vocab_size=4096)
    grammar = backend.compile_grammar(StructuredOutputOptions.REGEX, "[0-9]+", stop_token_ids={1})
    grammar.fill_bitmask(backend.allocate_token_bitmask(1), 0)

vLLM compiles in a pool of threads, fills rows from several threads, and with speculation accepts drafts that it rolls
back. The width of a mask is the model's, not the tokenizer's.

Cost: that of the kernel, and a view of the tensor for each row.

A token that was forbidden ends its request with an error of vLLM: so a runner that does not apply masks writes nothing.

vLLM asks for a mask until an end of text was accepted, and unmasks the row then. So a request that would
go on after the end (``ignore_eos``), or may not end where the form does (``min_tokens``), is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from formwright._hosts import HOSTS, import_host
from formwright.engines.grammar_backend import RunningText, Vocabularies, form_from_request
from formwright.errors import FormwrightError, HostMismatch

with import_host("vllm"):
    import torch
    from vllm.sampling_params import SamplingParams
    from vllm.v1.structured_output import (
        backend_guidance,
        backend_lm_format_enforcer,
        backend_outlines,
        backend_xgrammar,
    )
    from vllm.v1.structured_output.backend_types import (
        StructuredOutputBackend,
        StructuredOutputGrammar,
        StructuredOutputOptions,
    )
    from vllm.v1.structured_output.request import get_structured_output_key

__all__ = ["FormwrightBackend", "FormwrightGrammar", "install", "validate"]


class FormwrightGrammar(StructuredOutputGrammar):  # type: ignore[misc]  # vllm is not typed for us
    """A text of one request."""

    def __init__(self, running: RunningText) -> None:
        self._running = running
        self._accepted = 0
        """Tokens of the text so far, an end of text among them."""
        self._limit: int | None = None
        """Most tokens of the text without an end; `None` if it is not known, or no text has so few."""
        self._thought: _Thought | None = None

    def begin_after(self, prompt_ids: Sequence[int]) -> None:
        """Begin again after a prompt, see `RunningText.begin_after`."""
        self._running.begin_after(prompt_ids)

    def check_room(self, room: int) -> None:
        """Refuse a request that leaves no room for a text. Raises LimitExceeded."""
        self._running.check_room(room)

    def follow_request(self, room: int, written: int, thought_end: int | None) -> None:
        """Take note of how many tokens the request may have, and how many are written.

        Args:
            room: Most tokens, those of a thought and an end of text included.
            written: Those that are there.
            thought_end: The token that ends a thought, while there is one.

        Raises:
            HostMismatch: Fewer are written than were accepted here.
        """
        before = written - self._accepted
        if before < 0:
            raise HostMismatch(f"vLLM counts {written} tokens of a text of {self._accepted}", host=HOSTS["vllm"].name)
        self._limit = self._running.find_limit(room - before)
        self._thought = None if thought_end is None else _Thought(thought_end, room - written, self._running.least)

    def fill_thought(self, bitmask: torch.Tensor, batch_index: int) -> None:
        """Have the thought end in a row, if another token would leave too few for the text."""
        if self._thought is not None and self._thought.must_end():
            row = bitmask[batch_index].numpy()
            row.fill(0)
            row.view("uint32")[self._thought.end // 32] = 1 << self._thought.end % 32

    def accept_tokens(self, request_id: str, tokens: list[int]) -> bool:
        """Go on by all of these tokens, or by none; what comes after an end is ignored."""
        accepted = self._running.accept(tokens)
        self._accepted += len(tokens) if accepted else 0
        return accepted

    def find_forced(self, most: int) -> list[int]:
        """The tokens of the text that can only come next, at most so many; none while a thought comes before it."""
        if self._thought is not None or self.is_terminated() or most <= 0:
            return []
        return self._running.matcher.forced_token_ids()[:most]

    def validate_tokens(self, tokens: list[int]) -> list[int]:
        """Those of these tokens, from the first on, that could come; nothing is accepted."""
        return tokens[: self._running.valid_prefix(tokens)]

    def rollback(self, num_tokens: int) -> None:
        """Take tokens back."""
        self._running.rollback(num_tokens)
        self._accepted -= num_tokens

    def fill_bitmask(self, bitmask: torch.Tensor, batch_index: int) -> None:
        """Write what may come next into a row."""
        left = None if self._limit is None else self._limit - self._accepted
        self._running.fill(bitmask.numpy(), batch_index, budget=left)

    def is_terminated(self) -> bool:
        """Whether an end of text was accepted."""
        return self._running.is_finished

    def reset(self) -> None:
        """Back to the start of the text."""
        self._running.matcher.reset()
        self._accepted = 0


class _Thought:
    """What comes before a text, which must leave enough tokens for it.

    Args:
        end: The token that ends it.
        left: How many tokens are left to the request.
        least: How many the shortest text has.
    """

    def __init__(self, end: int, left: int, least: int) -> None:
        self.end, self._left, self._least = end, left, least

    def must_end(self) -> bool:
        """Whether the next token must be its end, since after another one the end, a text and an end of text would not
        fit. Where no text fits even now, it need not. The next question is about the token after that.
        """
        left, self._left = self._left, self._left - 1
        return self._least + 1 <= left <= self._least + 2


@dataclass
class FormwrightBackend(StructuredOutputBackend):  # type: ignore[misc]
    """The back end of an engine."""

    def __post_init__(self) -> None:
        settings = self.vllm_config.structured_outputs_config
        if settings.disable_additional_properties:
            raise HostMismatch(
                "disable_additional_properties changes what a schema means, which formwright does not",
                hint='write "additionalProperties": false into the schema',
                host=HOSTS["vllm"].name,
            )
        self._whitespace = "compact" if settings.disable_any_whitespace else None
        plain = getattr(self.tokenizer, "mistral", self.tokenizer)
        self._vocabularies = Vocabularies(plain, self.vocab_size)

    def compile_grammar(
        self,
        request_type: StructuredOutputOptions,
        grammar_spec: str,
        stop_token_ids: set[int] | None = None,
    ) -> FormwrightGrammar:
        """The text of a request, at its start.

        Raises:
            LanguageError: It cannot be read or enforced; vLLM fails this request alone.
        """
        kind = request_type.name.lower()
        constraint = self._vocabularies.compile(kind, grammar_spec, stop_token_ids, whitespace=self._whitespace)
        return FormwrightGrammar(RunningText(constraint))

    def allocate_token_bitmask(self, max_num_seqs: int) -> torch.Tensor:
        """Rows that allow everything, in host memory."""
        words = -(-self.vocab_size // 32)
        return torch.full((max_num_seqs, words), -1, dtype=torch.int32, pin_memory=torch.cuda.is_available())

    def destroy(self) -> None:
        """Nothing is held that others would have to release."""


def validate(sampling_params: SamplingParams, *rest: Any, **more: Any) -> None:
    """Refuse a request that cannot be served, before it reaches the engine: a 400 of the server.

    Raises:
        VLLMValidationError: The form cannot be read or enforced, or the request lets it be left.
    """
    from vllm.exceptions import VLLMValidationError

    asked = sampling_params.structured_outputs
    if asked is None:
        return
    for name, is_set in (
        ("ignore_eos", sampling_params.ignore_eos),
        ("min_tokens", sampling_params.min_tokens),
        ("whitespace_pattern", asked.whitespace_pattern is not None),
        ("disable_any_whitespace", asked.disable_any_whitespace),
        ("disable_additional_properties", asked.disable_additional_properties),
    ):
        if is_set:
            raise VLLMValidationError(f"{name} cannot be combined with structured outputs of formwright")
    kind, text = get_structured_output_key(asked)
    try:
        form_from_request(kind.name.lower(), text)
    except (FormwrightError, ValueError, TypeError, RecursionError) as error:
        raise VLLMValidationError(f"structured_outputs: {error}") from error


_REPLACED = (
    (backend_xgrammar, "validate_xgrammar_grammar", validate),
    (backend_guidance, "validate_guidance_grammar", validate),
    (backend_outlines, "validate_structured_output_request_outlines", validate),
    (backend_lm_format_enforcer, "validate_structured_output_request_lm_format_enforcer", validate),
)
"""Every check of requests that vLLM may choose."""


def install() -> None:
    """Let formwright serve all structured outputs of this process; once is enough.

    Raises:
        HostMismatch: A name that is to be replaced is not there.
    """
    from vllm.v1.engine import core

    from formwright.engines.vllm.manager import FormManager

    replaced = [*_REPLACED, (core, "StructuredOutputManager", FormManager)]
    missing = [f"{module.__name__}.{name}" for module, name, _ in replaced if not hasattr(module, name)]
    if missing:
        raise HostMismatch(
            f"vLLM has no {', '.join(missing)}, which formwright would replace",
            hint=f"known are the versions {HOSTS['vllm'].window}",
            host=HOSTS["vllm"].name,
            version=HOSTS["vllm"].version(),
        )
    for module, name, ours in replaced:
        setattr(module, name, ours)
