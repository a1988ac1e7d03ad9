"""A filter of ExLlamaV2.

::

    generator.generate(prompt, filters=[FormFilter(model, tokenizer, {"type": "integer"})])

Cost: one token forward and one mask, in a worker while the device works.

ExLlamaV2 asks for a mask where it can apply one, and for lists of ids elsewhere; both are served. Behind
the end of a text only an end may come, so a job without a stop condition writes nothing more that can be seen.
"""

from __future__ import annotations

from typing import Any, Self

from formwright._hosts import import_host
from formwright.engines.grammar_backend import RunningText, Vocabularies
from formwright.errors import HostMismatch
from formwright.forms.coerce import compile
from formwright.masks.arrays import allocate_bitmask, allowed_tokens, apply_bitmask

with import_host("exllamav2"):
    import torch
    from exllamav2.generator.filters import ExLlamaV2Filter

__all__ = ["FormFilter"]


class FormFilter(ExLlamaV2Filter):  # type: ignore[misc]  # exllamav2 is not typed for us
    """A filter that constrains a job.

    Args:
        model: The model.
        tokenizer: Its tokenizer.
        form: Anything `formwright.form` takes.
        max_tokens: The ``max_new_tokens`` of the job: the text is then complete within it.

    Raises:
        NotAForm, LanguageError: The form cannot be read or enforced.
        VocabularyError: The tokenizer cannot be represented.
        LimitExceeded: ``max_tokens`` is too small for any text; told when the job begins.
    """

    def __init__(self, model: Any, tokenizer: Any, form: Any, *, max_tokens: int | None = None) -> None:
        super().__init__(model, tokenizer)
        inner = tokenizer.tokenizer_model
        plain = getattr(inner, "hf_tokenizer", None) or getattr(inner, "spm", inner)
        vocabulary = Vocabularies(plain, model.config.vocab_size).with_ends([tokenizer.eos_token_id])
        self._set(RunningText(compile(form, vocabulary)), max_tokens)

    def clone(self, c: Self | None = None) -> Self:
        """The same form, where this text is."""
        twin: Self = super().clone(c if c is not None else type(self).__new__(type(self)))
        twin.background_result = None
        running = RunningText(self._running.constraint)
        running.matcher = self._running.matcher.fork()
        twin._set(running, self._budget)
        twin._written = self._written
        return twin

    def begin(self, prefix_str: str) -> None:
        """Back to the start of the text. Raises HostMismatch with a prefix, whose tokens ExLlamaV2 does not feed."""
        if prefix_str:
            raise HostMismatch("a form begins after the prompt, not in a text that is given", host="ExLlamaV2")
        self._running.matcher.reset()
        self._written = 0

    def feed(self, token: Any) -> None:
        """Go on by a token. Raises HostMismatch where it was forbidden."""
        token_id = int(token)
        if not self._running.accept([token_id]):
            raise HostMismatch(f"token {token_id} was written, which the mask forbade", host="ExLlamaV2")
        self._written += 1

    def use_background_worker(self) -> bool:
        """Masks are computed while the device works."""
        return True

    def can_mask_logits(self) -> bool:
        """Masks are applied to the logits."""
        return True

    def next(self) -> tuple[list[int], list[int]]:
        """The ids that may come next, ascending, and those of them that end the text."""
        self._fill()
        allowed: list[int] = allowed_tokens(self._mask).tolist()
        ends = set(self._running.constraint.vocabulary.eos_token_ids)
        return allowed, [token_id for token_id in allowed if token_id in ends]

    def prepare_logit_mask(self) -> bool:
        """Compute what `mask_logits` applies."""
        self._fill()
        return True

    def mask_logits(self, logits: torch.Tensor) -> torch.Tensor:
        """Set forbidden tokens to minus infinity, in place."""
        apply_bitmask(logits, self._mask[0])
        return logits

    def _set(self, running: RunningText, budget: int | None) -> None:
        self._running, self._budget, self._written = running, budget, 0
        self._mask = allocate_bitmask(1, running.constraint.vocabulary)

    def _fill(self) -> None:
        left = None if self._budget is None else self._budget - self._written
        self._running.fill(self._mask, 0, budget=left)
