"""A model on this machine: a runtime, its vocabulary, and how a prompt becomes tokens.

::

    model = load("formwright-tiny")
    result = model.generate("Ada is 36 years old.", Person)

A *runtime* is the part that differs between ONNX Runtime, torch and the rest: it holds
a sequence and gives logits (`LocalRuntime`). `LocalModel` is the part that does not: it
compiles the form, runs the decode loop on a fresh fork, and reads the value.

Cost: a fork of an empty runtime and one compilation of the form for each call.

The wrinkle: text and prompt share the model's context. Where ``max_tokens`` does not fit
behind the prompt, what is left of the context is the budget instead.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar, overload

from formwright._kernel import Constraint, Language, Vocabulary
from formwright.errors import LimitExceeded
from formwright.generation.loop import Piece, Runtime, drain, stream
from formwright.generation.result import Result
from formwright.generation.sampler import Sampler
from formwright.languages import form_of

__all__ = ["LocalModel", "LocalRuntime", "Prompt"]

T = TypeVar("T")

Prompt = str | Sequence[Mapping[str, str]] | Sequence[int]
"""One user message, a conversation of ``{"role": ..., "content": ...}``, or token ids taken as they are."""


class LocalRuntime(Runtime, Protocol):
    """A runtime that can also be shortened and copied."""

    @property
    def length(self) -> int:
        """How many tokens it holds."""
        ...

    @property
    def context(self) -> int:
        """How many tokens it can hold."""
        ...

    def crop(self, length: int, /) -> None:
        """Forget everything after the first ``length`` tokens."""
        ...

    def fork(self) -> Self:
        """An independent copy that holds the same tokens; the weights are shared."""
        ...


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that writes in form.

    Attributes:
        name: For messages.
        runtime: Empty; each generation works on a fork of it, so generations may run at the same time.
        vocabulary: What the model's tokens spell.
        encode: Text or conversation to token ids, the chat template applied.
    """

    name: str
    runtime: LocalRuntime
    vocabulary: Vocabulary
    encode: Callable[[str | Sequence[Mapping[str, str]]], Sequence[int]]

    @overload
    def generate(self, prompt: Prompt, form: Language, **options: Any) -> Result[str]: ...
    @overload
    def generate(self, prompt: Prompt, form: type[T], **options: Any) -> Result[T]: ...
    @overload
    def generate(self, prompt: Prompt, form: Any, **options: Any) -> Result[Any]: ...
    def generate(self, prompt: Prompt, form: Any, **options: Any) -> Result[Any]:
        """Write one text in ``form`` and read its value.

        Args:
            prompt: One user message, a conversation, or token ids.
            form: Anything `formwright.language` takes, or a `Constraint` for this model's vocabulary.
            options: See `stream`.

        Returns:
            `Complete` with the value, or `Truncated` if ``finish=False`` or ``stop`` cut the text.
        """
        return drain(self.stream(prompt, form, **options))

    def stream(
        self,
        prompt: Prompt,
        form: Any,
        *,
        max_tokens: int = 256,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: bool = True,
        stop: Callable[[], bool] | None = None,
    ) -> Generator[Piece, None, Result[Any]]:
        """Write one text in ``form``, yielding each token as it is chosen.

        Args:
            prompt: One user message, a conversation, or token ids.
            form: Anything `formwright.language` takes, or a `Constraint` for this model's vocabulary.
            max_tokens: Tokens at most; the text is steered to a complete end within them.
            temperature: 0 is greedy.
            top_k: Draw among the most likely ``top_k`` allowed tokens.
            top_p: Draw among the most likely allowed tokens that together reach this probability.
            seed: Makes draws repeatable.
            finish: Whether to steer to an end within ``max_tokens``; if not, the text may be cut there.
            stop: Asked before every token; true cuts the text.

        Raises:
            LanguageError: The form cannot be read or enforced.
            LimitExceeded: ``max_tokens``, or what the prompt leaves of the context, is too small for any text.
        """
        constraint, parse = self._compile(form)
        ids = self._encode(prompt)
        return stream(
            self.runtime.fork(),
            constraint,
            ids,
            max_tokens=min(max_tokens, self.runtime.context - len(ids)),
            sampler=Sampler(temperature=temperature, top_k=top_k, top_p=top_p, seed=seed),
            finish=finish,
            stop=stop,
            parse=parse,
        )

    def _compile(self, form: Any) -> tuple[Constraint, Callable[[str], Any]]:
        if isinstance(form, Constraint):
            return form, str
        read = form_of(form)
        return Constraint(read.language, self.vocabulary), read.parse

    def _encode(self, prompt: Prompt) -> list[int]:
        is_text = isinstance(prompt, str) or any(isinstance(part, Mapping) for part in prompt)
        ids: list[int] = list(self.encode(prompt) if is_text else prompt)  # type: ignore[arg-type]
        if len(ids) > self.runtime.context:
            raise LimitExceeded(
                f"the prompt has {len(ids)} tokens, {self.name} can hold {self.runtime.context}",
                hint="shorten the prompt",
                limit="context",
                value=len(ids),
                allowed=self.runtime.context,
            )
        return ids
