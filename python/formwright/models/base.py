"""A model on this machine: a runtime, its vocabulary, and how a prompt becomes tokens.

::

    model = fw.load("formwright-tiny")
    result = model.generate("Ada is 36 years old.", Person)    # Complete[Person]

A *runtime* is the part that differs between ONNX Runtime, torch and the rest: it holds
a sequence and gives logits (`LocalRuntime`). `LocalModel` is the part that does not: it
reads the prompt, compiles the form, and runs the decode loop on a fresh fork.

Cost: a fork of an empty runtime and one compilation of the form for each call.

The wrinkle: text and prompt share the model's context. Where ``max_tokens`` does not fit
behind the prompt, what is left of the context is the budget instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Constraint, Vocabulary
from formwright.errors import LimitExceeded, PromptError, VocabularyError
from formwright.forms import Form
from formwright.generation.healing import Healed
from formwright.generation.loop import MAX_TOKENS, Runtime, Stream
from formwright.generation.result import Complete, Truncated
from formwright.generation.sampler import Sampler
from formwright.languages import Canonical, compile
from formwright.models import prompts
from formwright.models.prompts import Message, Prompt

if TYPE_CHECKING:
    from typing_extensions import TypeForm

    from formwright.languages import Schema

__all__ = ["LocalModel", "LocalRuntime"]

T = TypeVar("T")


class LocalRuntime(Runtime, Protocol):
    """A runtime that can be copied."""

    @property
    def length(self) -> int:
        """How many tokens it holds."""
        ...

    @property
    def context(self) -> int:
        """How many tokens it can hold."""
        ...

    def fork(self) -> Self:
        """An independent copy that holds the same tokens; the weights are shared."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class LocalModel:
    """A model that writes in form.

    Attributes:
        name: For messages.
        runtime: Empty; each generation works on a fork of it, so generations may run at the same time.
        vocabulary: What the model's tokens spell.
        encode: Text or conversation to token ids, the chat template applied. Contents are ``str``.
        roles: The roles that messages may have.
    """

    name: str
    runtime: LocalRuntime
    vocabulary: Vocabulary
    encode: Callable[[str | Sequence[Message]], Sequence[int]]
    roles: Sequence[str] = prompts.ROLES

    @overload
    def generate(
        self,
        prompt: Prompt,
        form: TypeForm[T],
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Complete[T]: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: Form[T] | Constraint[T],
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Complete[T]: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: re.Pattern[str],
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Complete[str]: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: Schema,
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Complete[Any]: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: TypeForm[T],
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Complete[T] | Truncated: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: Form[T] | Constraint[T],
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Complete[T] | Truncated: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: re.Pattern[str],
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Complete[str] | Truncated: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: Schema,
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Complete[Any] | Truncated: ...
    def generate(
        self,
        prompt: Prompt,
        form: Any,
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Complete[Any] | Truncated:
        """Write one text in ``form`` and read its value.

        Args:
            prompt: One user message, a conversation, or token ids.
            form: Anything `formwright.form` takes, or a `Constraint` for this model's vocabulary.
            max_tokens: Tokens at most; the text is steered to a complete end within them.
            temperature: 0 is greedy, 1 is the model's own distribution.
            top_k: Draw among the most likely ``top_k`` allowed tokens.
            top_p: Draw among the most likely allowed tokens that together reach this probability.
            seed: Makes draws repeatable.
            finish: Whether to steer to an end within ``max_tokens``; if not, the text may be cut there.
            stop: A text, or several: the text is cut before the first of them.
            cancel: Asked before every token; true cuts the text.
            canonical: Which tokens must be those that the tokenizer itself writes: all (True), those that can only come
                next (``"forced"``), or perhaps none (False). A constraint says this by itself.
            heal: Whether the last tokens of the prompt are written anew, together with what follows them: for prompts
                that end inside a word.

        Returns:
            `Complete` with the value; where ``finish=False``, ``stop`` or ``cancel`` allow a cut, maybe `Truncated`.

        Raises:
            NotAForm, LanguageError: The form cannot be read or enforced.
            PromptError: The prompt cannot be read.
            LimitExceeded: ``max_tokens``, or what the prompt leaves of the context, is too small for any text.
            ArgumentError: An option has a value that it cannot have.
            VocabularyError: ``form`` is a constraint for another vocabulary.
            OutputInvalid: The type refuses the text, though it is in form.
            DeadEnd: The vocabulary lacks bytes that the form needs, or the model's logits are not finite.
        """
        with self.stream(
            prompt,
            form,
            max_tokens=max_tokens,
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            seed=seed,
            finish=finish,
            stop=stop,
            cancel=cancel,
            canonical=canonical,
            heal=heal,
        ) as stream:
            for _ in stream:
                pass
        result: Complete[Any] | Truncated = stream.result
        return result

    @overload
    def stream(
        self,
        prompt: Prompt,
        form: TypeForm[T],
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Stream[Complete[T]]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: Form[T] | Constraint[T],
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Stream[Complete[T]]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: re.Pattern[str],
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Stream[Complete[str]]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: Schema,
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Stream[Complete[Any]]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: TypeForm[T],
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Stream[Complete[T] | Truncated]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: Form[T] | Constraint[T],
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Stream[Complete[T] | Truncated]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: re.Pattern[str],
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Stream[Complete[str] | Truncated]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: Schema,
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Stream[Complete[Any] | Truncated]: ...
    def stream(
        self,
        prompt: Prompt,
        form: Any,
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
    ) -> Stream[Any]:
        """Write one text in ``form``, token by token: iterate, then read ``stream.result``.

        Takes what `generate` takes. Errors in the arguments are raised by this call, before the first token; what goes
        wrong later (`OutputInvalid`, `DeadEnd`) is raised while iterating.

        Args:
            prompt: One user message, a conversation, or token ids.
            form: Anything `formwright.form` takes, or a `Constraint` for this model's vocabulary.
            max_tokens: Tokens at most; the text is steered to a complete end within them.
            temperature: 0 is greedy, 1 is the model's own distribution.
            top_k: Draw among the most likely ``top_k`` allowed tokens.
            top_p: Draw among the most likely allowed tokens that together reach this probability.
            seed: Makes draws repeatable.
            finish: Whether to steer to an end within ``max_tokens``; if not, the text may be cut there.
            stop: A text, or several: the text is cut before the first of them.
            cancel: Asked before every token; true cuts the text.
            canonical: Which tokens must be those that the tokenizer itself writes: all (True), those that can only come
                next (``"forced"``), or perhaps none (False). A constraint says this by itself.
            heal: Whether the last tokens of the prompt are written anew, together with what follows them: for prompts
                that end inside a word.
        """
        constraint = self._compile(form, canonical)
        ids = self._encode(prompt)
        healed = Healed.of(constraint, ids) if heal else Healed(constraint, ids)
        constraint, ids = healed.constraint, healed.prompt_ids
        room = self.runtime.context - len(ids)
        is_full = isinstance(max_tokens, int | np.integer) and room < max_tokens
        return Stream(
            self.runtime.fork(),
            constraint,
            ids,
            max_tokens=room if is_full else max_tokens,
            sampler=Sampler(temperature=temperature, top_k=top_k, top_p=top_p, seed=seed),
            finish=finish,
            stop=stop,
            cancel=cancel,
            context=is_full,
            prefix=healed.prefix,
        )

    def after(self, prompt: Prompt) -> tuple[list[int], Callable[[Sequence[int]], NDArray[np.float64]]]:
        """The tokens of a prompt, and what the model says after them and some more: log probabilities of every token.

        Args:
            prompt: One user message, a conversation, or token ids.

        Raises:
            PromptError: The prompt cannot be read, or is empty.
            LimitExceeded: It is longer than the context.
        """
        ids = self._encode(prompt)
        if not ids:
            raise PromptError("the prompt is empty: a model needs at least one token to go on from")
        prefilled = self.runtime.fork()
        first = prefilled.prefill(ids)

        def log_probabilities(token_ids: Sequence[int]) -> NDArray[np.float64]:
            logits = np.asarray(prefilled.fork().prefill(token_ids) if token_ids else first, np.float64)
            shifted = logits - logits.max()
            return np.asarray(shifted - np.log(np.exp(shifted).sum()), np.float64)

        return ids, log_probabilities

    def __repr__(self) -> str:
        return f"LocalModel({self.name!r}, {len(self.vocabulary)} tokens, context {self.runtime.context})"

    def _compile(self, form: Any, canonical: Canonical | None) -> Constraint[Any]:
        if isinstance(form, Constraint) and form.vocabulary.fingerprint != self.vocabulary.fingerprint:
            raise VocabularyError(
                f"the constraint was compiled for another vocabulary than that of {self.name}",
                hint="compile it with model.vocabulary, or pass the form itself",
            )
        if isinstance(form, Constraint):
            return form if canonical in (None, form.canonical) else compile(form, form.vocabulary, canonical=canonical)
        return compile(form, self.vocabulary, canonical=canonical or False)

    def _encode(self, prompt: Prompt) -> list[int]:
        read = prompts.read(prompt, self.vocabulary.logits_size, self.roles)
        ids = list(self.encode(read)) if prompts.is_text(read) else read
        if len(ids) > self.runtime.context:
            raise LimitExceeded(
                f"the prompt has {len(ids)} tokens, {self.name} can hold {self.runtime.context}",
                hint="shorten the prompt",
                limit="context",
                value=len(ids),
                allowed=self.runtime.context,
            )
        return ids
