"""A model on this machine: a runtime, its vocabulary, and how a prompt becomes tokens.

::

    model = fw.load("formwright-tiny")
    result = model.generate("Ada is 36 years old.", Person)    # Complete[Person]

A *runtime* is the part that differs between ONNX Runtime, torch and the rest: it holds
a sequence and gives logits (`LocalRuntime`). `LocalModel` is the part that does not: it
reads the prompt, compiles the form, and runs the decode loop on a fresh fork.

Cost: a fork of an empty runtime and one compilation of the form for each call. `generate_many` compiles
each form once.

The wrinkle: text and prompt share the model's context. Where ``max_tokens`` does not fit
behind the prompt, what is left of the context is the budget instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Constraint, Vocabulary
from formwright.conversations import prompts
from formwright.conversations.local import conversation_ids
from formwright.conversations.prompts import Message, Prompt
from formwright.errors import ArgumentError, LimitExceeded, PromptError, VocabularyError
from formwright.forms.coerce import Canonical, compile
from formwright.forms.context import validation_context
from formwright.forms.form import Form
from formwright.generation.adjusted import Adjusted
from formwright.generation.batch import Batch, Engine, Separate
from formwright.generation.healing import Healed
from formwright.generation.held_text import Held
from formwright.generation.items import Items, array_of
from formwright.generation.loop import Runtime, Stream
from formwright.generation.many import each, in_turn, progress_of
from formwright.generation.result import Complete, Failed, Observed, Truncated
from formwright.generation.sampler import Sampler
from formwright.generation.strategies.beams import beam_search, log_softmax
from formwright.generation.strategies.fidelity import MOST_SPELLINGS, Score, draw_by_particles, draw_exactly
from formwright.generation.strategies.observing import observe
from formwright.generation.strategies.scoring import Scoring, texts_of
from formwright.generation.trace.recorder import retraced
from formwright.generation.writing import MAX_TOKENS, Limits, behind_prompt
from formwright.models.attempts import Refusals, attempted
from formwright.models.options import Fidelity, ManyOptions, Options, StreamOptions
from formwright.models.programs import Run
from formwright.models.tasks import PARTICLES, Sampling, Strategy, Task, together
from formwright.schemas.instructions import check_style, instruction_of

if TYPE_CHECKING:
    from typing_extensions import TypeForm, Unpack

    from formwright.forms.json_forms import Schema
    from formwright.forms.parsers import CharacterParser
    from formwright.models.runtimes.templated import Variants

__all__ = ["LocalModel", "LocalRuntime"]

T = TypeVar("T")


class LocalRuntime(Runtime, Protocol):
    """A runtime that can be copied.

    It may have two methods more: ``batch()`` gives an empty `formwright.generation.Batch`, ``score(token_ids)``
    appends tokens and returns the logits after each of them. Without them, rows and tokens have a call each.
    """

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
        style: How it writes tool calls: a name of `formwright.tools.STYLES`.
        with_tools: A conversation and the tools that may be called to token ids, if its chat template knows tools.
        tell_tools: The tools that may be called as text of the system message, if it has learnt to read them there.
        encode_text: Text that the model continues to token ids, without the chat template; ``None`` is ``encode``.
        variants: Variables of the chat template to ``encode`` and ``with_tools`` with them; ``None`` if it takes none.
    """

    name: str
    runtime: LocalRuntime
    vocabulary: Vocabulary
    encode: Callable[[str | Sequence[Message]], Sequence[int]]
    roles: Sequence[str] = prompts.ROLES
    style: str = "json_lines"
    with_tools: Callable[[Sequence[Message], Sequence[Mapping[str, Any]]], Sequence[int]] | None = None
    tell_tools: Callable[[Sequence[Mapping[str, Any]]], str] | None = None
    encode_text: Callable[[str], Sequence[int]] | None = None
    variants: Variants | None = None

    @overload
    def generate(
        self,
        prompt: Prompt,
        form: TypeForm[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[Options],
    ) -> Complete[T]: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: Form[T] | Constraint[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[Options],
    ) -> Complete[T]: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: re.Pattern[str],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[Options],
    ) -> Complete[str]: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: Schema | CharacterParser,
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[Options],
    ) -> Complete[Any]: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: TypeForm[T],
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[Options],
    ) -> Complete[T] | Truncated: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: Form[T] | Constraint[T],
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[Options],
    ) -> Complete[T] | Truncated: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: re.Pattern[str],
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[Options],
    ) -> Complete[str] | Truncated: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: Schema | CharacterParser,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[Options],
    ) -> Complete[Any] | Truncated: ...
    def generate(
        self,
        prompt: Prompt,
        form: Any,
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float = 1.0,
        min_p: float = 0.0,
        repetition_penalty: float = 1.0,
        min_tokens: int = 0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
        instruct: bool | str = False,
        beams: int = 1,
        returns: int = 1,
        fidelity: Fidelity = "mask",
        particles: int = PARTICLES,
        trace: bool = False,
        max_retries: Any = 0,
        context: Any = None,
    ) -> Complete[Any] | Truncated:
        """Write one text in ``form`` and read its value.

        Args:
            prompt: One user message, a conversation, or token ids.
            form: Anything `formwright.form` takes, or a `Constraint` for this model's vocabulary.
            max_tokens: Tokens at most; the text is steered to a complete end within them.
            temperature: 0 is greedy, 1 is the model's own distribution. ``None`` is 0, and 1 where ``fidelity`` draws.
            top_k: Draw among the most likely ``top_k`` allowed tokens.
            top_p: Draw among the most likely allowed tokens that together reach this probability.
            min_p: Draw among the allowed tokens that have this share of the probability of the most likely one.
            repetition_penalty: What the logit of a token of the prompt or the text is divided by, or multiplied by
                below 0; 1 changes nothing.
            min_tokens: Tokens at least, if the form allows so many.
            seed: Makes draws repeatable.
            finish: Whether to steer to an end within ``max_tokens``; if not, the text may be cut there.
            stop: A text, or several: the text is cut before the first of them.
            cancel: Asked before every token; true cuts the text.
            canonical: Which tokens must be those that the tokenizer itself writes: all (True), those that can only come
                next (``"forced"``), or perhaps none (False). A constraint says this by itself.
            heal: Whether the last tokens of the prompt are written anew, together with what follows them: for prompts
                that end inside a word.
            instruct: Whether the prompt describes the form in words too, as `formwright.instructions` does in the style
                ``"schema"`` (True) or the style that is named. The text stands behind a ``str``; in a conversation,
                behind the first system message, in a new one, or behind the user's last message where the model has
                no system messages.
            beams: With more than 1, a beam search of this width: the texts that the model finds most likely.
            returns: How many texts of the beams are in ``result.alternatives``.
            fidelity: Whose distribution is drawn from: ``"mask"`` is token by token among the allowed ones,
                ``"exact"`` scores all texts of a finite form, ``"smc"`` weighs ``particles`` texts against each other.
            particles: How many texts ``fidelity="smc"`` writes to draw one.
            trace: Whether the result has a `formwright.generation.Trace`: what the form did to the model at each
                token. The model is then asked for forced tokens too.
            max_retries: How often a text that the type refuses is written again, without what was refused and with the
                next seed; or a ``Retrying`` of tenacity. See `formwright.models.attempts`.
            context: What validators of the type see as ``info.context``.

        Returns:
            `Complete` with the value; where ``finish=False``, ``stop`` or ``cancel`` allow a cut, maybe `Truncated`.

        Raises:
            NotAForm, LanguageError: The form cannot be read or enforced.
            PromptError: The prompt cannot be read.
            LimitExceeded: ``max_tokens``, or what the prompt leaves of the context, is too small for any text; or the
                form has too many texts for ``fidelity="exact"``.
            ArgumentError: An option has a value that it cannot have, or does not go with another one.
            VocabularyError: ``form`` is a constraint for another vocabulary.
            OutputInvalid: The type refuses the text, though it is in form.
            AttemptsExhausted: With ``max_retries``: it refused the text of every attempt.
            DeadEnd: The vocabulary lacks bytes that the form needs, or the model's logits are not finite.
        """
        strategy = Strategy(beams, returns, fidelity, particles)
        sampling = Sampling(
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            min_p=min_p,
            repetition_penalty=repetition_penalty,
            min_tokens=min_tokens,
            seed=seed,
        )
        compiled = self._compile(form, canonical)
        prompt = self._instructed(prompt, compiled, instruct)

        def written(constraint: Constraint[Any], attempt: int) -> Complete[Any] | Truncated:
            task = self.task(prompt, constraint, max_tokens, finish, stop, cancel, heal)
            sampler = sampling.sampler(attempt)
            if strategy.is_plain:
                with task.stream(self.runtime.fork(), sampler, trace) as stream:
                    for _ in stream:
                        pass
                result: Complete[Any] | Truncated = stream.result
                return result
            strategy.check(sampling, task.limits)
            result = self._search(task, strategy, temperature, sampler.seed)
            return self._traced(task, result) if trace else result

        with validation_context(context):
            return attempted(compiled, max_retries, written)

    @overload
    def stream(
        self,
        prompt: Prompt,
        form: TypeForm[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[StreamOptions],
    ) -> Stream[Complete[T]]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: Form[T] | Constraint[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[StreamOptions],
    ) -> Stream[Complete[T]]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: re.Pattern[str],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[StreamOptions],
    ) -> Stream[Complete[str]]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: Schema | CharacterParser,
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[StreamOptions],
    ) -> Stream[Complete[Any]]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: TypeForm[T],
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[StreamOptions],
    ) -> Stream[Complete[T] | Truncated]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: Form[T] | Constraint[T],
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[StreamOptions],
    ) -> Stream[Complete[T] | Truncated]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: re.Pattern[str],
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[StreamOptions],
    ) -> Stream[Complete[str] | Truncated]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: Schema | CharacterParser,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[StreamOptions],
    ) -> Stream[Complete[Any] | Truncated]: ...
    def stream(
        self,
        prompt: Prompt,
        form: Any,
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float = 1.0,
        min_p: float = 0.0,
        repetition_penalty: float = 1.0,
        min_tokens: int = 0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
        instruct: bool | str = False,
        trace: bool = False,
        context: Any = None,
    ) -> Stream[Any]:
        """Write one text in ``form``, token by token: iterate, then read ``stream.result``.

        Errors in the arguments are raised by this call, before the first token; what goes wrong later
        (`OutputInvalid`, `DeadEnd`) is raised while iterating.

        Args:
            prompt: One user message, a conversation, or token ids.
            form: Anything `formwright.form` takes, or a `Constraint` for this model's vocabulary.
            max_tokens: Tokens at most; the text is steered to a complete end within them.
            temperature: 0 is greedy, which ``None`` is too; 1 is the model's own distribution.
            top_k: Draw among the most likely ``top_k`` allowed tokens.
            top_p: Draw among the most likely allowed tokens that together reach this probability.
            min_p: Draw among the allowed tokens that have this share of the probability of the most likely one.
            repetition_penalty: What the logit of a token of the prompt or the text is divided by, or multiplied by
                below 0; 1 changes nothing.
            min_tokens: Tokens at least, if the form allows so many.
            seed: Makes draws repeatable.
            finish: Whether to steer to an end within ``max_tokens``; if not, the text may be cut there.
            stop: A text, or several: the text is cut before the first of them.
            cancel: Asked before every token; true cuts the text.
            canonical: Which tokens must be those that the tokenizer itself writes: all (True), those that can only come
                next (``"forced"``), or perhaps none (False). A constraint says this by itself.
            heal: Whether the last tokens of the prompt are written anew, together with what follows them.
            instruct: Whether, or in which style, the prompt is to tell the form in words too; as `generate`.
            trace: Whether the result tells what the form did to the model at each token.
            context: What validators of the type see as ``info.context``, those of partial values too.
        """
        constraint = self._compile(form, canonical)
        prompt = self._instructed(prompt, constraint, instruct)
        task = self.task(prompt, constraint, max_tokens, finish, stop, cancel, heal)
        sampling = Sampling(
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            min_p=min_p,
            repetition_penalty=repetition_penalty,
            min_tokens=min_tokens,
            seed=seed,
        )
        with validation_context(context):
            return task.stream(self.runtime.fork(), sampling.sampler(), trace)

    @overload
    def stream_items(
        self,
        prompt: Prompt,
        item: TypeForm[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[StreamOptions],
    ) -> Items[T, Complete[list[T]]]: ...
    @overload
    def stream_items(
        self,
        prompt: Prompt,
        item: Schema,
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[StreamOptions],
    ) -> Items[Any, Complete[list[Any]]]: ...
    @overload
    def stream_items(
        self,
        prompt: Prompt,
        item: TypeForm[T],
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[StreamOptions],
    ) -> Items[T, Complete[list[T]] | Truncated]: ...
    @overload
    def stream_items(
        self,
        prompt: Prompt,
        item: Schema,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[StreamOptions],
    ) -> Items[Any, Complete[list[Any]] | Truncated]: ...
    def stream_items(self, prompt: Prompt, item: Any, **options: Any) -> Items[Any, Any]:
        """Write a JSON array of values of one type, and give each as soon as it is complete.

        Args:
            prompt: One user message, a conversation, or token ids.
            item: The type of an item, or its JSON Schema.
            options: Those of `stream`.

        Raises:
            NotAForm: ``item`` is no type or schema.
            LanguageError, PromptError, LimitExceeded, ArgumentError: As `stream`.
        """
        return Items(self.stream(prompt, array_of(item), **options))

    @overload
    def generate_many(
        self,
        prompts: Sequence[Prompt],
        forms: TypeForm[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[ManyOptions],
    ) -> list[Complete[T] | Failed]: ...
    @overload
    def generate_many(
        self,
        prompts: Sequence[Prompt],
        forms: Form[T] | Constraint[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[ManyOptions],
    ) -> list[Complete[T] | Failed]: ...
    @overload
    def generate_many(
        self,
        prompts: Sequence[Prompt],
        forms: Any,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[ManyOptions],
    ) -> list[Complete[Any] | Truncated | Failed]: ...
    def generate_many(  # noqa: D417 (what is as in `generate` stands on one line)
        self,
        prompts: Sequence[Prompt],
        forms: Any,
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float = 1.0,
        min_p: float = 0.0,
        repetition_penalty: float = 1.0,
        min_tokens: int = 0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        heal: bool = False,
        instruct: bool | str = False,
        beams: int = 1,
        returns: int = 1,
        fidelity: Fidelity = "mask",
        particles: int = PARTICLES,
        trace: bool = False,
        max_retries: int = 0,
        context: Any = None,
        batch_size: int = 64,
        progress: bool | None = None,
    ) -> list[Any]:
        """Write one text for each prompt, many at a time; the results in the order of the prompts.

        Rows share calls of the model: one that ends leaves, and the next prompt takes its place. Each result is what
        `generate` gives for its prompt alone (of models whose batches round differently: up to that rounding). An error
        is `Failed` in its place, and the others go on.

        Args:
            prompts: The prompts, each as `generate` takes it.
            forms: One form for all, or a list or tuple with one for each prompt.
            seed: The first prompt draws with this seed, the next one with ``seed + 1``, and so on.
            batch_size: How many texts are written at a time.
            progress: Whether to show a bar on stderr; ``None`` shows it if that is a terminal.
            max_retries: As `generate`, but a number: texts that are refused are written again together.
            max_tokens, temperature, top_k, top_p, min_p, repetition_penalty, min_tokens, finish, stop, cancel: As
                `generate`, for every prompt.
            canonical, heal, instruct, trace, context: As `generate`, for every prompt.
            beams, returns, fidelity, particles: As `generate`; the prompts are then taken one after the other.

        Raises:
            ArgumentError: An option is wrong, ``prompts`` is no list, or there is not one form for each.
            NotAForm, LanguageError: The form, if it is one for all, cannot be read or enforced.
        """
        many = each(prompts, forms)
        if not isinstance(batch_size, int | np.integer) or batch_size < 1:
            raise ArgumentError(f"batch_size must be an integer from 1 on, not {batch_size!r}", argument="batch_size")
        compiled = {} if isinstance(forms, list | tuple) else {id(forms): self._compile(forms, canonical)}
        strategy = Strategy(beams, returns, fidelity, particles)
        sampling = Sampling(
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            min_p=min_p,
            repetition_penalty=repetition_penalty,
            min_tokens=min_tokens,
            seed=seed,
        )
        Held(stop), sampling.sampler()
        strategy.check(sampling, Limits(max_tokens=max_tokens, finish=finish, stop=stop, cancel=cancel))
        refused = Refusals(len(many), max_retries)

        def task(row: int) -> Task:
            prompt, form = many[row]
            if id(form) not in compiled:
                compiled[id(form)] = self._compile(form, canonical)
            prompt = self._instructed(prompt, compiled[id(form)], instruct)
            constraint = refused.form(row, compiled[id(form)])
            return self.task(prompt, constraint, max_tokens, finish, stop, cancel, heal)

        def sampler(row: int) -> Sampler | Adjusted:
            return sampling.sampler(row + len(many) * refused.count(row))

        def searched(row: int) -> Complete[Any] | Truncated:
            what = task(row)
            result = self._search(what, strategy, temperature, sampler(row).seed)
            return self._traced(what, result) if trace else result

        def written(rows: Sequence[int]) -> list[Any]:
            if not strategy.is_plain:
                return in_turn(lambda at: searched(rows[at]), len(rows), done)
            engine = Engine(self.batch(), rows=batch_size)
            return together(engine, lambda at: task(rows[at]).writing(sampler(rows[at]), trace), len(rows), done)

        with progress_of(len(many), progress) as done, validation_context(context):
            return refused.written_again(written)

    def score(self, prompt: Prompt, choices: Sequence[str], *, canonical: bool = True) -> dict[str, float]:
        """The log probability of each of some texts as the whole answer to a prompt, its end included.

        Args:
            prompt: One user message, a conversation, or token ids.
            choices: The texts, in the order in which they are returned.
            canonical: Whether a text is scored as the tokenizer spells it; if not, over all its spellings together.

        Raises:
            ArgumentError: There is no text, one is no str, or ``canonical`` is neither true nor false.
            VocabularyError: It is not known how the tokenizer spells.
            LimitExceeded: The context is too small for a text, or there are too many spellings.
        """
        texts, form = texts_of(choices, canonical)
        scoring = self.scoring(self.prompt_ids(prompt), compile(form, self.vocabulary, canonical=canonical), texts)
        while not scoring.is_over:
            scoring.step()
        return scoring.scores

    def scoring(
        self, prompt_ids: Sequence[int], constraint: Constraint[str], texts: Sequence[str], most: int = MOST_SPELLINGS
    ) -> Scoring:
        """`score`, a call of the model at a time.

        Args:
            prompt_ids: The tokens of the prompt.
            constraint: A choice of the texts, compiled for this model.
            texts: The texts.
            most: Spellings of all texts together at most.

        Raises:
            PromptError, LimitExceeded: As `score`.
        """
        limits = Limits(max_tokens=self.runtime.context - len(prompt_ids), is_context=True)
        return Scoring(lambda: self._score(prompt_ids), constraint, prompt_ids, limits, texts, most)

    def observe(
        self,
        prompt: Prompt,
        form: Any,
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float = 1.0,
        min_p: float = 0.0,
        repetition_penalty: float = 1.0,
        min_tokens: int = 0,
        seed: int | None = None,
        cancel: Callable[[], bool] | None = None,
        canonical: Canonical | None = None,
        instruct: bool | str = False,
    ) -> Observed:
        """Let the model write as it wants, and tell what ``form`` would have done to it.

        The options are those of `generate`. The text ends where the model ends it, after ``max_tokens`` at the latest.

        Raises:
            NotAForm, LanguageError, PromptError, ArgumentError: As `generate`.
        """
        constraint = self._compile(form, canonical)
        ids = self.prompt_ids(self._instructed(prompt, constraint, instruct))
        limits = Limits(max_tokens=max_tokens, finish=False, cancel=cancel)
        sampler = Sampling(
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            min_p=min_p,
            repetition_penalty=repetition_penalty,
            min_tokens=min_tokens,
            seed=seed,
        ).sampler()
        room = self.runtime.context - len(ids)
        return observe(self.runtime.fork(), constraint, ids, replace(limits, max_tokens=min(max_tokens, room)), sampler)

    def begin(
        self,
        prompt: Prompt,
        *,
        max_tokens: int = MAX_TOKENS,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float = 1.0,
        min_p: float = 0.0,
        seed: int | None = None,
    ) -> Run:
        """Begin a text whose parts Python and the model write in turns; see `formwright.models.programs`.

        Args:
            prompt: One user message, a conversation, or token ids.
            max_tokens: Tokens at most that the model writes in all parts together.
            temperature: As `generate`; so are ``top_k``, ``top_p``, ``min_p`` and ``seed``.
            top_k: Draw among the most likely ``top_k`` allowed tokens.
            top_p: Draw among the most likely allowed tokens that together reach this probability.
            min_p: Draw among the allowed tokens that have this share of the probability of the most likely one.
            seed: Makes draws repeatable.

        Raises:
            PromptError, ArgumentError: As `generate`.
        """
        sampler = Sampler(
            temperature=0.0 if temperature is None else temperature,
            top_k=top_k,
            top_p=top_p,
            min_p=min_p,
            seed=seed,
        )
        return Run(self, self.prompt_ids(prompt), max_tokens, sampler)

    def compiled(self, form: Any) -> Constraint[Any]:
        """A form compiled for the vocabulary of this model. Raises as `formwright.compile`."""
        return self._compile(form, None)

    def after(self, prompt: Prompt) -> tuple[list[int], Callable[[Sequence[int]], NDArray[np.float64]]]:
        """The tokens of a prompt, and what the model says after them and some more: log probabilities of every token.

        Args:
            prompt: One user message, a conversation, or token ids.

        Raises:
            PromptError: The prompt cannot be read, or is empty.
            LimitExceeded: It is longer than the context.
        """
        ids = self.prompt_ids(prompt)
        score = self._score(ids)
        return ids, lambda token_ids: log_softmax(score(token_ids)[-1])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {len(self.vocabulary)} tokens, context {self.runtime.context})"

    def task(
        self,
        prompt: Prompt,
        constraint: Constraint[Any],
        max_tokens: int,
        finish: bool,
        stop: str | Sequence[str] | None,
        cancel: Callable[[], bool] | None,
        heal: bool,
    ) -> Task:
        """What is to be written, by the options of `generate`: text and prompt share the context."""
        ids = self.prompt_ids(prompt)
        constraint = behind_prompt(constraint, ids)
        healed = Healed.of(constraint, ids) if heal else Healed(constraint, ids)
        limits = Limits(max_tokens=max_tokens, finish=finish, stop=stop, cancel=cancel)
        room = self.runtime.context - len(healed.prompt_ids)
        if room < max_tokens:
            limits = replace(limits, max_tokens=room, is_context=True)
        return Task(healed.constraint, healed.prompt_ids, limits, healed.prefix)

    def _instructed(self, prompt: Prompt, constraint: Constraint[Any], instruct: bool | str) -> Prompt:
        """The prompt with the form in words, if that is wanted. Raises ArgumentError."""
        if instruct is False:
            return prompt
        style = "schema" if instruct is True else instruct
        check_style(style, "instruct")
        read = prompts.read(prompt, self.vocabulary.logits_size, self.roles)
        origin = constraint.form.origin
        if origin and origin.kind == "tools" and prompts.is_text(read) and (self.with_tools or self.tell_tools):
            messages = [{"role": "user", "content": read}] if isinstance(read, str) else read
            return conversation_ids(self, messages, [tool.described() for tool in origin.what.tools])
        return prompts.with_instruction(read, instruction_of(constraint.form, style), self.roles)

    def _search(
        self, task: Task, strategy: Strategy, temperature: float | None, seed: int | None
    ) -> Complete[Any] | Truncated:
        """Write a text by a strategy that looks at several."""
        what = (task.constraint, task.prompt_ids, task.limits)
        if strategy.fidelity == "mask":
            return beam_search(self.batch(), *what, beams=strategy.beams, returns=strategy.returns, prefix=task.prefix)
        draw: dict[str, Any] = {"seed": seed, "prefix": task.prefix}
        draw["temperature"] = 1.0 if temperature is None else temperature
        if strategy.fidelity == "exact":
            return draw_exactly(self._score(task.prompt_ids), *what, **draw)
        return draw_by_particles(self.batch(), *what, particles=strategy.particles, **draw)

    def _traced(self, task: Task, result: Complete[Any] | Truncated) -> Complete[Any] | Truncated:
        """The same result with the trace of its tokens."""
        matcher = task.constraint.matcher(task.prompt_ids)
        logits = self._score(task.prompt_ids)(result.token_ids)
        logits = logits[:-1] if isinstance(result, Truncated) else logits
        budget = task.limits.max_tokens if task.limits.finish else None
        return replace(result, trace=retraced(matcher, result.token_ids, list(logits), max_tokens=budget))

    def batch(self) -> Batch:
        """Rows of this model, none yet."""
        own: Callable[[], Batch] | None = getattr(self.runtime, "batch", None)
        return own() if own is not None else Separate(self.runtime)

    def _score(self, prompt_ids: Sequence[int]) -> Score:
        """The logits behind a prompt, before and after each of some tokens: ``(tokens + 1, width)``."""
        if not prompt_ids:
            raise PromptError("the prompt is empty: a model needs at least one token to go on from")
        prefilled = self.runtime.fork()
        first = prefilled.prefill(prompt_ids)

        def score(token_ids: Sequence[int]) -> NDArray[Any]:
            twin: Any = prefilled.fork() if len(token_ids) else None
            if len(token_ids) and hasattr(twin, "score"):
                return np.vstack([first[None], twin.score(token_ids)])
            return np.stack([first, *(twin.step(token_id) for token_id in token_ids)])

        return score

    def _compile(self, form: Any, canonical: Canonical | None) -> Constraint[Any]:
        if isinstance(form, Constraint) and form.vocabulary.fingerprint != self.vocabulary.fingerprint:
            raise VocabularyError(
                f"the constraint was compiled for another vocabulary than that of {self.name}",
                hint="compile it with model.vocabulary, or pass the form itself",
            )
        if isinstance(form, Constraint):
            return form if canonical in (None, form.canonical) else compile(form, form.vocabulary, canonical=canonical)
        return compile(form, self.vocabulary, canonical=canonical or False)

    def with_chat_template_kwargs(self, kwargs: Mapping[str, Any]) -> Self:
        """The same model, whose chat template is given variables such as ``{"enable_thinking": False}``.

        Raises:
            ArgumentError: The chat template does not read one of them, or the model has no template that takes any.
        """
        if not kwargs:
            return self
        if self.variants is None:
            raise ArgumentError("the model has no chat template that takes variables", argument="chat_template_kwargs")
        encode, with_tools = self.variants(kwargs)
        return replace(self, encode=encode, with_tools=with_tools)

    def text_ids(self, text: str) -> list[int]:
        """The tokens of a text that the model continues, which is not a message of a conversation.

        Raises:
            PromptError: It is empty, or holds a lone surrogate.
            LimitExceeded: It is longer than the context.
        """
        prompts.read(text, self.vocabulary.logits_size)
        return self.prompt_ids(list((self.encode_text or self.encode)(text)))

    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """The tokens of a prompt.

        Raises:
            PromptError: It cannot be read.
            LimitExceeded: It is longer than the context.
        """
        read = prompts.read(prompt, self.vocabulary.logits_size, self.roles)
        if not prompts.is_text(read):
            ids = read
        elif prompts.has_calls(read):
            return conversation_ids(self, read)
        else:
            ids = list(self.encode(read))
        if len(ids) > self.runtime.context:
            raise LimitExceeded(
                f"the prompt has {len(ids)} tokens, {self.name} can hold {self.runtime.context}",
                hint="shorten the prompt",
                limit="context",
                value=len(ids),
                allowed=self.runtime.context,
            )
        return ids
