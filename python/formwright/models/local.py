"""A model on this machine: a runtime, its vocabulary, and an encoder of prompts.

::

    model = fw.load("formwright-tiny")
    result = model.generate("Ada is 36 years old.", Person)    # Complete[Person]

A *runtime* (`LocalRuntime`) holds a sequence and gives logits; ONNX Runtime, torch and the
rest have one each. `LocalModel` is the same for all: it reads the prompt, compiles the
form, and runs the decode loop on a new fork.

Cost: a fork of an empty runtime and one compilation of the form for each call. `generate_many` compiles
each form once.

Text and prompt share the model's context. If ``max_tokens`` does not fit
after the prompt, the budget is the rest of the context.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Constraint, Vocabulary
from formwright._options import spell_out
from formwright.conversations import prompts
from formwright.conversations.local import conversation_ids
from formwright.conversations.messages import Message, has_calls
from formwright.conversations.prompts import Prompt, PromptMessage
from formwright.errors import ArgumentError, LimitExceeded, OutputInvalid, VocabularyError
from formwright.forms.coerce import Canonical, compile
from formwright.forms.coerce import form as form_of
from formwright.forms.context import validation_context
from formwright.forms.form import Form
from formwright.generation.adaptive import AdaptiveDraws, RecentDraws
from formwright.generation.adjusted import Adjusted
from formwright.generation.batch import Batch, Engine, Separate
from formwright.generation.fields import (
    Evidence,
    Field,
    FieldScoring,
    Measuring,
    check_may_abstain,
    read_calibration,
    write_confidently,
)
from formwright.generation.healing import Healed
from formwright.generation.held_text import Held
from formwright.generation.loop import Stream, write_text
from formwright.generation.many import each, in_turn, progress_of
from formwright.generation.result import Complete, Observed, Truncated
from formwright.generation.sampler import Sampler
from formwright.generation.scorer import Scorer
from formwright.generation.spans import Generation, GenerationSpan, RowSpans, pick_settings, span_of_generation
from formwright.generation.strategies.beams import beam_search, log_softmax
from formwright.generation.strategies.fidelity import MOST_SPELLINGS, draw_by_particles, draw_exactly
from formwright.generation.strategies.observing import observe
from formwright.generation.strategies.scoring import Scoring, texts_of
from formwright.generation.trace.recorder import retrace
from formwright.generation.writing import Limits, Writing, follow_prompt
from formwright.models.attempts import RowAttempts, attempt_until_valid
from formwright.models.call_settings import DEFAULTS, CallSettings
from formwright.models.local_runtime import LocalRuntime
from formwright.models.options import BeginOptions, ObserveOptions
from formwright.models.programs import Run
from formwright.models.verbs import Verbs
from formwright.models.writing_tasks import PARTICLES, WritingTask, write_together
from formwright.receipts import Provenance
from formwright.schemas.instructions import check_style, instruction_of

if TYPE_CHECKING:
    from typing_extensions import TypeForm, Unpack

    from formwright.models.runtimes.templated import Variants

__all__ = ["LocalModel"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, repr=False)
class LocalModel(Verbs):
    """A model on this machine, whose output conforms to the form of each call.

    Attributes:
        name: The name of the model, in messages.
        runtime: An empty runtime. Each generation works on a fork of it, so several may run at the same time.
        vocabulary: The bytes of the model's tokens.
        encode: Encodes a text or a conversation with the chat template. Contents are ``str``.
        roles: The roles that messages may have.
        style: The style of its tool calls: a name, such as ``"hermes"``.
        with_tools: Encodes a conversation and the tools that may be called, if the chat template knows tools.
        list_tools: Lists the tools for the system message, for a model that was trained to read them there.
        encode_text: Encodes a text that the model continues, without the chat template; ``None`` is ``encode``.
        variants: Makes ``encode`` and ``with_tools`` for variables of the chat template; ``None`` if it takes none.
    """

    name: str
    runtime: LocalRuntime
    vocabulary: Vocabulary
    encode: Callable[[str | Sequence[PromptMessage]], Sequence[int]]
    roles: Sequence[str] = prompts.ROLES
    style: str = "json_lines"
    with_tools: Callable[[Sequence[PromptMessage], Sequence[Mapping[str, Any]]], Sequence[int]] | None = None
    list_tools: Callable[[Sequence[Mapping[str, Any]]], str] | None = None
    encode_text: Callable[[str], Sequence[int]] | None = None
    variants: Variants | None = None

    def _write_one(self, prompt: Prompt, form: Any, settings: CallSettings) -> Complete[Any] | Truncated:
        with span_of_generation(self._describe_generation(settings)) as span, span.activate():
            result = self._write_in_span(prompt, form, settings, span)
            span.record_result(result)
            return result

    def _write_in_span(
        self, prompt: Prompt, form: Any, settings: CallSettings, span: GenerationSpan
    ) -> Complete[Any] | Truncated:
        settings.check_fields()
        strategy, sampling = settings.strategy, settings.sampling
        compiled = self._compile(form, settings.canonical, settings.source)
        span.record_form(compiled.form)
        prompt = self._complete_prompt(prompt, compiled, settings)

        def write(constraint: Constraint[Any], attempt: int) -> Complete[Any] | Truncated:
            if attempt:
                span.record_retry(OutputInvalid)
            task = self.make_task(prompt, constraint, settings.limits, heal=settings.heal, source=settings.source)
            sampler = sampling.make_sampler(attempt)
            if not strategy.is_plain:
                strategy.check(sampling, task.limits)
                return self._write_by_strategy(task, settings, sampler.seed)
            if settings.measures_fields:
                return self._write_measured(task, settings, sampler)
            writing = task.make_writing(sampler, settings.trace)
            write_text(self.runtime.fork(), writing)
            result: Complete[Any] | Truncated = writing.result
            return result

        with validation_context(settings.context):
            return attempt_until_valid(compiled, settings.max_retries, write)

    def _stream_one(self, prompt: Prompt, form: Any, settings: CallSettings) -> Stream[Any]:
        constraint = self._compile(form, settings.canonical, settings.source)
        prompt = self._complete_prompt(prompt, constraint, settings)
        task = self.make_task(prompt, constraint, settings.limits, heal=settings.heal, source=settings.source)
        with validation_context(settings.context):
            generation = self._describe_generation(settings, constraint.form)
            return task.open_stream(self.runtime.fork(), settings.sampling.make_sampler(), settings.trace, generation)

    def _describe_generation(self, settings: CallSettings, form: Form[Any] | None = None) -> Generation:
        """Describe the span of a generation."""
        return Generation(model=self.name, settings=pick_settings(settings), form=form)

    def _write_many(self, prompts: Sequence[Prompt], forms: Any, settings: CallSettings) -> list[Any]:
        return _ManyWriter(self, each(prompts, forms), forms, settings).write()

    def score(
        self, prompt: Prompt, choices: Iterable[str] | TypeForm[Any], *, canonical: bool = True
    ) -> dict[str, float]:
        """Compute the log probability of each text as the complete answer to a prompt, its end included.

        Args:
            prompt: One user message, a conversation, or token ids.
            choices: The texts, in the order in which they are returned; or an `Enum` or a `Literal` of them.
            canonical: Whether only the tokenizer's own tokenisation of a text counts; if not, all of them together.

        Raises:
            ArgumentError: There is no text, one is not a str, or ``canonical`` is neither true nor false.
            VocabularyError: It is not known how the tokenizer works.
            LimitExceeded: The context is too small for a text, or there are too many tokenisations.
        """
        texts, form = texts_of(choices, canonical)
        scoring = self.make_scoring(self.prompt_ids(prompt), compile(form, self.vocabulary, canonical=canonical), texts)
        while not scoring.is_over:
            scoring.step()
        return scoring.scores

    def make_scoring(
        self, prompt_ids: Sequence[int], constraint: Constraint[str], texts: Sequence[str], most: int = MOST_SPELLINGS
    ) -> Scoring:
        """Begin what `score` does, to be run one call of the model at a time.

        Args:
            prompt_ids: The tokens of the prompt.
            constraint: A choice of the texts, compiled for this model.
            texts: The texts.
            most: Tokenisations of all texts together at most.

        Raises:
            PromptError, LimitExceeded: As `score`.
        """
        limits = Limits(max_tokens=self.runtime.context - len(prompt_ids), is_context=True)
        return Scoring(lambda: self._make_scorer(prompt_ids), constraint, prompt_ids, limits, texts, most)

    def make_field_scoring(self, task: WritingTask, text: str) -> FieldScoring:
        """Begin to measure the fields of a given text, one of them at a time.

        Args:
            task: The prompt and the form of the text.
            text: The text.

        Raises:
            OutputInvalid: It does not conform, or its type refuses it.
            VocabularyError: It is not known how the tokenizer works.
            LimitExceeded: It does not fit the context.
        """
        value = task.constraint.form.parse(text)
        token_ids = self.vocabulary.merges.encode(text)
        if token_ids is None:
            raise VocabularyError("the tokenizer has no tokens for a part of the text")
        if len(token_ids) > task.limits.max_tokens:
            raise LimitExceeded(
                f"the text has {len(token_ids)} tokens, the prompt leaves {task.limits.max_tokens} of the context",
                limit="context",
                value=len(token_ids),
                allowed=task.limits.max_tokens,
            )

        def make_measuring() -> Measuring:
            return self._make_measuring(task, self._make_scorer(task.prompt_ids))

        return FieldScoring(make_measuring, text, value, token_ids, len(task.prompt_ids))

    @spell_out(ObserveOptions, DEFAULTS)
    def observe(
        self,
        prompt: Prompt,
        form: Any,
        *,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[ObserveOptions],
    ) -> Observed:
        """Let the model write without a form, and report what ``form`` would have changed.

        The options are those of `generate`. The text ends where the model ends it, after ``max_tokens`` at the latest.

        Raises:
            NotAForm, LanguageError, PromptError, ArgumentError: As `generate`.
        """
        settings = CallSettings.of(ObserveOptions, options, finish=False, cancel=cancel)
        constraint = self._compile(form, settings.canonical)
        ids = self.prompt_ids(self._complete_prompt(prompt, constraint, settings))
        room = self.runtime.context - len(ids)
        limits = replace(settings.limits, max_tokens=min(settings.max_tokens, room))
        return observe(self.runtime.fork(), constraint, ids, limits, settings.sampling.make_sampler())

    @spell_out(BeginOptions, DEFAULTS)
    def begin(self, prompt: Prompt, **options: Unpack[BeginOptions]) -> Run:
        """Begin a text whose parts Python and the model write in turns.

        Args:
            prompt: One user message, a conversation, or token ids.
            options: Those of `generate`. ``max_tokens`` is about what the model writes in all parts together.

        Raises:
            PromptError, ArgumentError: As `generate`.
        """
        settings = CallSettings.of(BeginOptions, options)
        return Run(self, self.prompt_ids(prompt), settings.max_tokens, settings.sampling.plain_sampler)

    def compile_form(self, form: Any) -> Constraint[Any]:
        """Compile a form for the vocabulary of this model. Raises as `formwright.compile`."""
        return self._compile(form, None)

    def score_after(self, prompt: Prompt) -> tuple[list[int], Callable[[Sequence[int]], NDArray[np.float64]]]:
        """Return the tokens of a prompt, and a function that scores what may follow.

        The function takes token ids after the prompt, and returns the log probability of each token after them.

        Args:
            prompt: One user message, a conversation, or token ids.

        Raises:
            PromptError: The prompt cannot be read, or is empty.
            LimitExceeded: It is longer than the context.
        """
        ids = self.prompt_ids(prompt)
        score = self._make_scorer(ids)
        return ids, lambda token_ids: log_softmax(score(token_ids)[-1])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {len(self.vocabulary)} tokens, context {self.runtime.context})"

    def make_task(
        self,
        prompt: Prompt,
        constraint: Constraint[Any],
        limits: Limits,
        *,
        heal: bool = False,
        source: str | None = None,
    ) -> WritingTask:
        """Make the task of writing after a prompt. The context may leave fewer tokens than the limits.

        Raises:
            PromptError, LimitExceeded: As `prompt_ids`.
        """
        try:
            ids = self.prompt_ids(prompt)
        except LimitExceeded as error:
            if source is None:
                raise
            hint = "shorten the source, which is a part of the prompt, or pass a passage of it"
            raise LimitExceeded(
                str(error.args[0]), hint=hint, limit="context", value=error.value, allowed=error.allowed
            ) from None
        constraint = follow_prompt(constraint, ids)
        healed = Healed.of(constraint, ids) if heal else Healed(constraint, ids)
        room = self.runtime.context - len(healed.prompt_ids)
        if room < limits.max_tokens:
            limits = replace(limits, max_tokens=room, is_context=True)
        task = WritingTask(healed.constraint, healed.prompt_ids, limits, healed.prefix)
        return replace(task, find_evidence=lambda token_ids: self._find_evidence(task, token_ids, source))

    def _find_evidence(self, task: WritingTask, token_ids: Sequence[int], source: str | None) -> Evidence:
        def measure() -> Mapping[str, Field]:
            return self._make_measuring(task, self._make_scorer(task.prompt_ids)).measure(token_ids, source)

        return Evidence(measure)

    def _complete_prompt(self, prompt: Prompt, constraint: Constraint[Any], settings: CallSettings) -> Prompt:
        """Add the source and format instructions to the prompt, as far as they are asked for. Raises ArgumentError."""
        if settings.source is not None:
            read = prompts.read(prompt, self.vocabulary.logits_size, self.roles)
            prompt = prompts.with_source(read, settings.source)
        return self._add_instructions(prompt, constraint, settings.instruct)

    def _add_instructions(self, prompt: Prompt, constraint: Constraint[Any], instruct: bool | str) -> Prompt:
        """Add format instructions to the prompt, if ``instruct`` says so. Raises ArgumentError."""
        if instruct is False:
            return prompt
        style = "schema" if instruct is True else instruct
        check_style(style, "instruct")
        read = prompts.read(prompt, self.vocabulary.logits_size, self.roles)
        origin = constraint.form.origin
        if origin and origin.kind == "tools" and prompts.needs_encoding(read) and (self.with_tools or self.list_tools):
            messages: list[Message] = [{"role": "user", "content": read}] if isinstance(read, str) else read
            return conversation_ids(self, messages, [tool.describe_function() for tool in origin.what.tools])
        return prompts.with_instruction(read, instruction_of(constraint.form, style), self.roles)

    def _write_by_strategy(
        self, task: WritingTask, settings: CallSettings, seed: int | None, draws: AdaptiveDraws | None = None
    ) -> Complete[Any] | Truncated:
        """Write a text by a strategy that compares several; ``draws`` know something of the prompt already."""
        task_parts = (task.constraint, task.prompt_ids, task.limits)
        temperature = 1.0 if settings.temperature is None else settings.temperature
        options: dict[str, Any] = {"seed": seed, "prefix": task.prefix, "temperature": temperature}
        if settings.fidelity == "exact":
            result = draw_exactly(self._make_scorer(task.prompt_ids), *task_parts, **options)
        elif settings.fidelity == "smc":
            result = draw_by_particles(self.batch(), *task_parts, particles=settings.particles or PARTICLES, **options)
        elif settings.fidelity == "adaptive":
            draws = self._make_draws(task, settings) if draws is None else draws
            most = settings.strategy.most_calls
            result = draws.draw(np.random.default_rng(seed), returns=settings.returns, max_calls=most)
        else:
            beams, returns = settings.beams, settings.returns
            result = beam_search(self.batch(), *task_parts, beams=beams, returns=returns, prefix=task.prefix)
        budget = int(task.limits.max_tokens) if task.limits.finish else None
        provenance = Provenance(task.constraint, task.prompt_ids, budget)
        result = replace(result, provenance=provenance)
        if isinstance(result, Complete):
            others = tuple(replace(other, provenance=provenance) for other in result.alternatives)
            result = replace(result, alternatives=others)
            result = replace(result, evidence=self._find_evidence(task, result.token_ids, settings.source))
        return self._add_trace(task, result) if settings.trace else result

    def _make_draws(self, task: WritingTask, settings: CallSettings) -> AdaptiveDraws:
        """Make adaptive draws after a prompt, of which nothing is known yet."""
        temperature = 1.0 if settings.temperature is None else settings.temperature
        scorer = Scorer(self.runtime.fork, task.prompt_ids)
        return AdaptiveDraws(
            scorer, task.constraint, task.prompt_ids, task.limits, temperature=temperature, prefix=task.prefix
        )

    def _add_trace(self, task: WritingTask, result: Complete[Any] | Truncated) -> Complete[Any] | Truncated:
        """Add the trace of its tokens to a result."""
        matcher = task.constraint.matcher(task.prompt_ids)
        logits = self._make_scorer(task.prompt_ids)(result.token_ids)
        logits = logits[:-1] if isinstance(result, Truncated) else logits
        budget = task.limits.max_tokens if task.limits.finish else None
        return replace(result, trace=retrace(matcher, result.token_ids, list(logits), max_tokens=budget))

    def batch(self) -> Batch:
        """Make an empty batch of this model."""
        make_own: Callable[[], Batch] | None = getattr(self.runtime, "batch", None)
        return make_own() if make_own is not None else Separate(self.runtime)

    def _write_measured(
        self, task: WritingTask, settings: CallSettings, sampler: Sampler | Adjusted
    ) -> Complete[Any] | Truncated:
        """Write a text and measure its fields, while the model holds the prompt."""
        calibration = read_calibration(settings.calibration)
        if settings.abstain is not None:
            check_may_abstain(task.constraint.form)
        scorer = self._make_scorer(task.prompt_ids)

        def write(token_ids: Sequence[int]) -> Complete[Any] | Truncated:
            writing = task.make_writing(sampler, settings.trace, unseen=())
            writing.begin_with(token_ids)
            write_text(scorer.open_runtime(), writing, scorer.first)
            result: Complete[Any] | Truncated = writing.result
            return result

        measuring = replace(
            self._make_measuring(task, scorer),
            particles=settings.particles,
            seed=settings.seed,
            calibration=calibration,
        )
        if settings.abstain is not None:
            return write_confidently(write, measuring, settings.abstain, settings.source)
        result = write(())
        if isinstance(result, Complete):
            evidence = Evidence.of(measuring.measure(result.token_ids, settings.source))
            return replace(result, evidence=evidence)
        return result

    def _make_measuring(self, task: WritingTask, scorer: Scorer) -> Measuring:
        return Measuring(scorer, self.batch, task.constraint, task.prompt_ids)

    def _make_scorer(self, prompt_ids: Sequence[int]) -> Scorer:
        """Make a function of token ids: the logits after a prompt and after each token, ``(tokens + 1, width)``."""
        scorer = Scorer(self.runtime.fork, prompt_ids)
        scorer.fill()  # whoever makes one waits for the prompt here, not at the first question
        return scorer

    def _compile(self, form: Any, canonical: Canonical | None, source: str | None = None) -> Constraint[Any]:
        if isinstance(form, Constraint) and form.vocabulary.fingerprint != self.vocabulary.fingerprint:
            raise VocabularyError(
                f"the constraint was compiled for another vocabulary than that of {self.name}",
                hint="compile it with model.vocabulary, or pass the form itself",
            )
        if isinstance(form, Constraint):
            return form if canonical in (None, form.canonical) else compile(form, form.vocabulary, canonical=canonical)
        return compile(form_of(form, source=source), self.vocabulary, canonical=canonical or False)

    def with_chat_template_kwargs(self, kwargs: Mapping[str, Any]) -> Self:
        """Return the same model with variables for its chat template, such as ``{"enable_thinking": False}``.

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
        """Encode a text that the model continues, which is not a message of a conversation.

        Raises:
            PromptError: It is empty, or holds a lone surrogate.
            LimitExceeded: It is longer than the context.
        """
        prompts.read(text, self.vocabulary.logits_size)
        return self.prompt_ids(list((self.encode_text or self.encode)(text)))

    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """Encode a prompt.

        Raises:
            PromptError: It cannot be read.
            LimitExceeded: It is longer than the context.
        """
        read = prompts.read(prompt, self.vocabulary.logits_size, self.roles)
        if not prompts.needs_encoding(read):
            ids = read
        elif not isinstance(read, str) and has_calls(read):
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


class _ManyWriter:
    """Writes texts for many prompts: in rows that share calls of the model, or by a strategy one after the other."""

    def __init__(
        self, model: LocalModel, rows: Sequence[tuple[Prompt, Any]], forms: Any, settings: CallSettings
    ) -> None:
        self._model, self._rows, self._settings = model, rows, settings
        if not isinstance(settings.batch_size, int | np.integer) or settings.batch_size < 1:
            said = f"batch_size: expected an integer from 1 on, got {settings.batch_size!r}"
            raise ArgumentError(said, argument="batch_size")
        self._compiled: dict[int, Constraint[Any]] = {}
        self._draws = RecentDraws()
        if not isinstance(forms, list | tuple):
            self._compile(forms)  # an error in the one form is raised by the call, and fails no row alone
        self._strategy, self._sampling = settings.strategy, settings.sampling
        self._check_options()
        self._attempts = RowAttempts(len(rows), settings.max_retries)
        self._spans = RowSpans(model._describe_generation(settings))

    def _check_options(self) -> None:
        """Refuse options that would fail in every row. Raises ArgumentError."""
        Held(self._settings.stop)
        self._settings.check_fields()
        self._sampling.make_sampler()
        self._strategy.check(self._sampling, self._settings.limits)

    def write(self) -> list[Any]:
        """Write all texts: the result of each row, or `Failed`."""
        with (
            progress_of(len(self._rows), self._settings.progress) as done,
            validation_context(self._settings.context),
            self._spans,
        ):
            results = self._attempts.write_until_valid(lambda rows: self._write_rows(rows, done))
            self._spans.record_results(results)
            return results

    def _write_rows(self, rows: Sequence[int], count_one: Callable[[], None]) -> list[Any]:
        def done(at: int) -> None:
            self._spans.mark_end(rows[at])
            count_one()

        if not self._strategy.is_plain or self._settings.measures_fields:
            return in_turn(lambda at: self._write_alone(rows[at]), len(rows), done)
        engine = Engine(self._model.batch(), rows=self._settings.batch_size, gives_pieces=False)
        return write_together(engine, lambda at: self._begin_row(rows[at]), len(rows), done)

    def _begin_row(self, row: int) -> Writing:
        return self._make_task(row).make_writing(self._make_sampler(row), self._settings.trace)

    def _write_alone(self, row: int) -> Complete[Any] | Truncated:
        task, sampler = self._make_task(row), self._make_sampler(row)
        if self._strategy.is_plain:
            return self._model._write_measured(task, self._settings, sampler)
        draws = self._find_draws(task) if self._settings.fidelity == "adaptive" else None
        return self._model._write_by_strategy(task, self._settings, sampler.seed, draws)

    def _find_draws(self, task: WritingTask) -> AdaptiveDraws:
        """Find the draws after an equal prompt, which know something of it, or make new ones."""
        return self._draws.find(task.constraint, task.prompt_ids, lambda: self._model._make_draws(task, self._settings))

    def _make_task(self, row: int) -> WritingTask:
        prompt, form = self._rows[row]
        span = self._spans.begin(row)
        compiled = self._compile(form)
        span.record_form(compiled.form)
        prompt = self._model._complete_prompt(prompt, compiled, self._settings)
        constraint = self._attempts.narrow_form(row, compiled)
        settings = self._settings
        return self._model.make_task(prompt, constraint, settings.limits, heal=settings.heal, source=settings.source)

    def _make_sampler(self, row: int) -> Sampler | Adjusted:
        """Make the sampler of a row, with a seed of its own and another one for each attempt."""
        return self._sampling.make_sampler(row + len(self._rows) * self._attempts.count_refused(row))

    def _compile(self, form: Any) -> Constraint[Any]:
        if id(form) not in self._compiled:
            self._compiled[id(form)] = self._model._compile(form, self._settings.canonical, self._settings.source)
        return self._compiled[id(form)]
