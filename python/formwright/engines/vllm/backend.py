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

from dataclasses import dataclass
from typing import Any

from formwright._hosts import HOSTS, import_host
from formwright.engines.grammar_backend import RunningText, Vocabularies, form_from_request
from formwright.errors import FormwrightError, HostMismatch

with import_host("vllm"):
    import torch
    import vllm.v1.structured_output as manager
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

    def accept_tokens(self, request_id: str, tokens: list[int]) -> bool:
        """Go on by all of these tokens, or by none; what comes after an end is ignored."""
        return self._running.accept(tokens)

    def validate_tokens(self, tokens: list[int]) -> list[int]:
        """Those of these tokens, from the first on, that could come; nothing is accepted."""
        return tokens[: self._running.valid_prefix(tokens)]

    def rollback(self, num_tokens: int) -> None:
        """Take tokens back."""
        self._running.rollback(num_tokens)

    def fill_bitmask(self, bitmask: torch.Tensor, batch_index: int) -> None:
        """Write what may come next into a row."""
        self._running.fill(bitmask.numpy(), batch_index)

    def is_terminated(self) -> bool:
        """Whether an end of text was accepted."""
        return self._running.is_finished

    def reset(self) -> None:
        """Back to the start of the text."""
        self._running.matcher.reset()


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
    (manager, "XgrammarBackend", FormwrightBackend),
    (manager, "GuidanceBackend", FormwrightBackend),
    (backend_xgrammar, "XgrammarBackend", FormwrightBackend),
    (backend_outlines, "OutlinesBackend", FormwrightBackend),
    (backend_lm_format_enforcer, "LMFormatEnforcerBackend", FormwrightBackend),
    (backend_xgrammar, "validate_xgrammar_grammar", validate),
    (backend_guidance, "validate_guidance_grammar", validate),
    (backend_outlines, "validate_structured_output_request_outlines", validate),
    (backend_lm_format_enforcer, "validate_structured_output_request_lm_format_enforcer", validate),
)
"""Every back end and every check of requests that vLLM may choose. `GuidanceBackend` stays in its own module, where it
is only asked about tokenizers; the manager makes it by its own name."""


def install() -> None:
    """Let formwright serve all structured outputs of this process; once is enough.

    Raises:
        HostMismatch: A name that is to be replaced is not there.
    """
    missing = [f"{module.__name__}.{name}" for module, name, _ in _REPLACED if not hasattr(module, name)]
    if missing:
        raise HostMismatch(
            f"vLLM has no {', '.join(missing)}, which formwright would replace",
            hint=f"known are the versions {HOSTS['vllm'].window}",
            host=HOSTS["vllm"].name,
            version=HOSTS["vllm"].version(),
        )
    for module, name, ours in _REPLACED:
        setattr(module, name, ours)
