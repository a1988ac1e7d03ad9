"""The grammar back end of SGLang, under the name ``formwright``.

::

    python -m sglang.launch_server --model-path some-model --grammar-backend formwright

SGLang finds the plugin by its entry point (``sglang.srt.plugins``), which only adds the name: other back ends stay as
they are. It serves JSON Schema, regular expressions and structural tags; EBNF is refused, and the request with it.

Cost: that of the kernel; the rows of a batch are filled together, without the interpreter lock.

SGLang caches a grammar and copies it for each request, and leaves a back end that it did not make itself
alone with reasoning. So `copy` begins a new text, and with ``--reasoning-parser`` the factory wraps the back
end as SGLang wraps its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from formwright._hosts import import_host
from formwright._kernel import fill_bitmasks
from formwright.engines.grammar_backend import RunningText, Vocabularies, form_from_request
from formwright.errors import ArgumentError, FormwrightError
from formwright.forms.coerce import compile
from formwright.masks.arrays import apply_bitmask

with import_host("sglang"):
    import torch
    from sglang.srt.constrained.base_grammar_backend import (
        BaseGrammarBackend,
        BaseGrammarObject,
        GrammarRow,
        InvalidGrammarObject,
        register_grammar_backend,
    )
    from sglang.srt.runtime_context import get_serving

__all__ = ["FormwrightBackend", "FormwrightGrammar", "install"]

NAME = "formwright"


class _Masks:
    """How masks are laid out, moved and applied: SGLang asks texts, and wrappers of the back end ask that."""

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> torch.Tensor:
        """Rows that allow everything, in host memory."""
        words = -(-vocab_size // 32)
        return torch.full((batch_size, words), -1, dtype=torch.int32, pin_memory=torch.cuda.is_available())

    @staticmethod
    def reset_vocab_mask(vocab_mask: torch.Tensor) -> None:
        """Let all rows allow everything."""
        vocab_mask.fill_(-1)

    @staticmethod
    def move_vocab_mask(vocab_mask: torch.Tensor, device: Any) -> torch.Tensor:
        """The mask on a device, without waiting."""
        return vocab_mask.to(device, non_blocking=True)

    @staticmethod
    def apply_vocab_mask(logits: torch.Tensor, vocab_mask: torch.Tensor) -> None:
        """Set forbidden tokens to minus infinity, in place and without waiting."""
        apply_bitmask(logits, vocab_mask)


class FormwrightGrammar(_Masks, BaseGrammarObject):  # type: ignore[misc]  # sglang is not typed for us
    """A text of one request."""

    def __init__(self, running: RunningText) -> None:
        super().__init__()
        self._running = running

    def copy(self) -> Self:
        """The same form, at the start of another text."""
        return type(self)(RunningText(self._running.constraint))

    def accept_token(self, token: int) -> None:
        """Go on by a token. Raises ValueError, by which SGLang ends the request, where it could not come."""
        if self._running.is_finished or not self._running.accept([token]):
            raise ValueError(f"token {token} cannot come here: the host does not keep to the mask, or ignores an end")
        self.current_token = token

    def rollback(self, k: int) -> None:
        """Take tokens back."""
        self._running.rollback(k)

    def is_terminated(self) -> bool:
        """Whether an end of text was accepted."""
        return self._running.is_finished

    def fill_vocab_mask(self, vocab_mask: torch.Tensor, idx: int) -> None:
        """Write what may come next into a row."""
        self._running.fill(vocab_mask.numpy(), idx)

    @staticmethod
    def fill_vocab_mask_batched(entries: Sequence[GrammarRow], vocab_mask: torch.Tensor) -> None:
        """Write the rows of several texts; the others stay as they are."""
        if all(type(entry.grammar) is FormwrightGrammar for entry in entries):
            rows, matchers = [entry.row for entry in entries], [entry.grammar._running.matcher for entry in entries]
            fill_bitmasks(matchers, vocab_mask.numpy(), rows=rows)
        else:  # some of them wait for the end of a thought
            BaseGrammarObject.fill_vocab_mask_batched(list(entries), vocab_mask)


class FormwrightBackend(_Masks, BaseGrammarBackend):  # type: ignore[misc]
    """The back end of an engine.

    Args:
        tokenizer: The engine's.
        vocab_size: The width of the model's logits.
        ends: The ids that end a text, as the model's configuration declares them.
        whitespace: That of JSON, as `formwright.form` has it.
    """

    def __init__(
        self, tokenizer: Any, vocab_size: int, ends: set[int] | None = None, whitespace: str | None = None
    ) -> None:
        super().__init__()
        self._vocabulary = Vocabularies(tokenizer, vocab_size).with_ends(ends)
        self._whitespace = whitespace

    def dispatch_json(self, key_string: str) -> BaseGrammarObject:
        """The text of a JSON Schema; ``"$$ANY$$"`` is any object."""
        return self._make_grammar("json_object" if key_string == "$$ANY$$" else "json", key_string)

    def dispatch_regex(self, key_string: str) -> BaseGrammarObject:
        """The text of a regular expression."""
        return self._make_grammar("regex", key_string)

    def dispatch_ebnf(self, key_string: str) -> BaseGrammarObject:
        """The text of a grammar."""
        return self._make_grammar("ebnf", key_string)

    def dispatch_structural_tag(self, key_string: str) -> BaseGrammarObject:
        """The text of a structural tag."""
        return self._make_grammar("structural_tag", key_string)

    def _make_grammar(self, kind: str, text: str) -> BaseGrammarObject:
        try:
            form = form_from_request(kind, text, whitespace=self._whitespace, vocabulary=self._vocabulary)
            return FormwrightGrammar(RunningText(compile(form, self._vocabulary)))
        except (FormwrightError, ValueError, RecursionError) as error:
            return InvalidGrammarObject(str(error))


def install() -> None:
    """Add the name to SGLang's grammar back ends; SGLang calls this in each of its processes."""
    from sglang.srt.server_args import add_grammar_backend_choices

    register_grammar_backend(NAME, _make_backend)
    add_grammar_backend_choices([NAME])


def _make_backend(
    server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: set[int] | None
) -> BaseGrammarBackend:
    """The back end of an engine, after thoughts where it has a parser of them."""
    serving = get_serving()
    for name in ("constrained_json_whitespace_pattern", "constrained_json_max_whitespace_cnt"):
        if getattr(serving, name, None) is not None:
            raise ArgumentError(f"--{name.replace('_', '-')} cannot be kept to by formwright", argument=name)
    whitespace = "compact" if serving.constrained_json_disable_any_whitespace else None
    backend = FormwrightBackend(tokenizer, vocab_size, eos_token_ids, whitespace)
    if not serving.reasoning_parser:
        return backend
    from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarBackend
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    parser = ReasoningParser(model_type=serving.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer)
    return ReasonerGrammarBackend(backend, parser, tokenizer, enable_strict_thinking=serving.enable_strict_thinking)
