"""The grammar back end of SGLang.

::

    backend = FormwrightBackend(tokenizer, vocab_size=4096, ends={1})
    grammar = backend.dispatch_regex("[0-9]+")

SGLang caches a grammar and copies it for each request, and leaves a back end that it did not make itself
alone with reasoning. So with ``--reasoning-parser`` the factory wraps the back end as SGLang wraps its own.
"""

from __future__ import annotations

from typing import Any

from formwright._hosts import import_host
from formwright._kernel import Constraint
from formwright.engines.grammar_backend import RunningText, Vocabularies, form_from_request
from formwright.engines.sglang.grammar import FormwrightGrammar, Masks
from formwright.errors import ArgumentError, FormwrightError
from formwright.forms.coerce import compile

with import_host("sglang"):
    from sglang.srt.constrained.base_grammar_backend import (
        BaseGrammarBackend,
        BaseGrammarObject,
        InvalidGrammarObject,
    )
    from sglang.srt.runtime_context import get_serving, get_spec

__all__ = ["FormwrightBackend", "make_backend"]


class FormwrightBackend(Masks, BaseGrammarBackend):  # type: ignore[misc]
    """The back end of an engine.

    Args:
        tokenizer: The engine's.
        vocab_size: The width of the model's logits.
        ends: The ids that end a text, as the model's configuration declares them.
        whitespace: That of JSON, as `formwright.form` has it.
        has_drafts: Whether the engine speculates.
    """

    def __init__(
        self,
        tokenizer: Any,
        vocab_size: int,
        ends: set[int] | None = None,
        *,
        whitespace: str | None = None,
        has_drafts: bool = True,
    ) -> None:
        super().__init__()
        vocabularies = Vocabularies(tokenizer, vocab_size)
        self._vocabulary, self._canonical = vocabularies.with_ends(ends), vocabularies.canonical
        self._whitespace, self._has_drafts = whitespace, has_drafts

    @property
    def is_support_token_filter(self) -> bool:
        """Whether thoughts can be bounded, and tokens kept out of them (``--enable-strict-thinking``)."""
        return True

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
            constraint: Constraint[Any] = compile(form, self._vocabulary, canonical=self._canonical)
            return FormwrightGrammar(RunningText(constraint), has_drafts=self._has_drafts)
        except (FormwrightError, ValueError, RecursionError) as error:
            return InvalidGrammarObject(str(error))


def make_backend(
    server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: set[int] | None
) -> BaseGrammarBackend:
    """The back end of an engine, after thoughts where it has a parser of them.

    Raises:
        ArgumentError: The engine has an option that cannot be kept to.
    """
    serving = get_serving()
    for name in ("constrained_json_whitespace_pattern", "constrained_json_max_whitespace_cnt"):
        if getattr(serving, name, None) is not None:
            raise ArgumentError(f"--{name.replace('_', '-')} cannot be kept to by formwright", argument=name)
    whitespace = "compact" if serving.constrained_json_disable_any_whitespace else None
    has_drafts = get_spec().speculative_algorithm is not None
    backend = FormwrightBackend(tokenizer, vocab_size, eos_token_ids, whitespace=whitespace, has_drafts=has_drafts)
    if not serving.reasoning_parser:
        return backend
    from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarBackend
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    parser = ReasoningParser(model_type=serving.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer)
    return ReasonerGrammarBackend(backend, parser, tokenizer, enable_strict_thinking=serving.enable_strict_thinking)
