"""A filter of ExLlamaV3.

::

    generator.generate(prompt, filters=[FormFilter(tokenizer, {"type": "integer"})])

ExLlamaV3 computes the mask in a worker while the device works, takes tokens back where a banned string was begun, and
switches a filter on at a trigger: ``FormFilter(tokenizer, form, trigger_token=...)`` begins after that token.

Cost: one token forward and one mask, in the worker.

ExLlamaV3 goes on without a mask after a filter that is completed, unless it ends the job. So this one
does: it is completed by an end of text, and ``eos_after_completed`` is always set.
"""

from __future__ import annotations

from typing import Any

from formwright._hosts import import_host
from formwright.engines.grammar_backend import RunningText, Vocabularies
from formwright.errors import HostMismatch
from formwright.forms.coerce import compile
from formwright.masks.arrays import allocate_bitmask

with import_host("exllamav3"):
    import torch
    from exllamav3.generator.filter import Filter

__all__ = ["FormFilter"]


class FormFilter(Filter):  # type: ignore[misc]  # exllamav3 is not typed for us
    """A filter that constrains a job.

    Args:
        tokenizer: That of the model, of ExLlamaV3.
        form: Anything `formwright.form` takes.
        trigger_token: The token after which the form begins; ``None`` is the beginning of the text.
        max_tokens: The ``max_new_tokens`` of the job: the text is then complete within it. Not with ``trigger_token``.

    Raises:
        NotAForm, LanguageError: The form cannot be read or enforced.
        VocabularyError: The tokenizer cannot be represented.
        LimitExceeded: ``max_tokens`` is too small for any text; told when the job begins.
    """

    def __init__(
        self, tokenizer: Any, form: Any, *, trigger_token: int | None = None, max_tokens: int | None = None
    ) -> None:
        super().__init__(tokenizer, trigger_token, None, True)
        config = tokenizer.config
        vocabulary = Vocabularies(tokenizer.tokenizer, config.vocab_size).with_ends(config.eos_token_id_list)
        self._running = RunningText(compile(form, vocabulary))
        self._budget = None if trigger_token is not None else max_tokens
        self._written = 0
        self._mask = allocate_bitmask(1, vocabulary)
        self._tensor = torch.from_numpy(self._mask)

    def use_background_worker(self) -> bool:
        """Masks are computed while the device works."""
        return True

    def reset(self) -> None:
        """Back to the start of the text."""
        self._running.matcher.reset()
        self._written = 0

    def accept_token(self, token: int) -> None:
        """Go on by a token. Raises HostMismatch where it was forbidden."""
        if not self._running.accept([token]):
            raise HostMismatch(f"token {token} was written, which the mask forbade", host="ExLlamaV3")
        self._written += 1

    def rollback_tokens(self, num_tokens: int) -> bool:
        """Take tokens back."""
        self._running.rollback(num_tokens)
        self._written -= num_tokens
        return True

    def get_next_logit_mask(self) -> torch.Tensor:
        """What may come next: int32 words of shape ``(1, ceil(vocabulary / 32))``."""
        left = None if self._budget is None else self._budget - self._written
        self._running.fill(self._mask, 0, budget=left)
        return self._tensor

    def is_completed(self) -> bool:
        """Whether an end of text was accepted."""
        return self._running.is_finished
