"""The verbs of a model: their types for every kind of form, and the meaning of their options.

`LocalModel` does what they say. The types are overloads because no single signature gives ``Complete[T]`` for a type, a
form and a pattern alike, and because only a call that allows a cut can return a `Truncated`: its options are those that
begin with ``Cut`` in `formwright.models.options`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from formwright._kernel import Constraint
from formwright._options import spell_out
from formwright.conversations.prompts import Prompt
from formwright.forms.form import Form
from formwright.generation.items import Items, array_of
from formwright.generation.loop import Stream
from formwright.generation.result import Complete, Failed, Truncated
from formwright.models.call_settings import DEFAULTS, CallSettings
from formwright.models.options import (
    CutGenerateOptions,
    CutManyOptions,
    CutStreamOptions,
    UncutGenerateOptions,
    UncutManyOptions,
    UncutStreamOptions,
)

if TYPE_CHECKING:
    from typing_extensions import TypeForm, Unpack

    from formwright.forms.json_forms import Schema
    from formwright.forms.parsers import CharacterParser

__all__ = ["Verbs"]

T = TypeVar("T")


class Verbs:
    """The verbs of a model on this machine."""

    __slots__ = ()

    def _write_one(self, prompt: Prompt, form: Any, settings: CallSettings) -> Complete[Any] | Truncated:
        raise NotImplementedError

    def _stream_one(self, prompt: Prompt, form: Any, settings: CallSettings) -> Stream[Any]:
        raise NotImplementedError

    def _write_many(self, prompts: Sequence[Prompt], forms: Any, settings: CallSettings) -> list[Any]:
        raise NotImplementedError

    @overload
    def generate(
        self,
        prompt: Prompt,
        form: TypeForm[T],
        **options: Unpack[UncutGenerateOptions],
    ) -> Complete[T]: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: Form[T] | Constraint[T],
        **options: Unpack[UncutGenerateOptions],
    ) -> Complete[T]: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: re.Pattern[str],
        **options: Unpack[UncutGenerateOptions],
    ) -> Complete[str]: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: Schema | CharacterParser,
        **options: Unpack[UncutGenerateOptions],
    ) -> Complete[Any]: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: TypeForm[T],
        **options: Unpack[CutGenerateOptions],
    ) -> Complete[T] | Truncated: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: Form[T] | Constraint[T],
        **options: Unpack[CutGenerateOptions],
    ) -> Complete[T] | Truncated: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: re.Pattern[str],
        **options: Unpack[CutGenerateOptions],
    ) -> Complete[str] | Truncated: ...
    @overload
    def generate(
        self,
        prompt: Prompt,
        form: Schema | CharacterParser,
        **options: Unpack[CutGenerateOptions],
    ) -> Complete[Any] | Truncated: ...
    @spell_out(CutGenerateOptions, DEFAULTS)
    def generate(
        self,
        prompt: Prompt,
        form: Any,
        **options: Unpack[CutGenerateOptions],
    ) -> Complete[Any] | Truncated:
        """Write one text that conforms to ``form``, and read its value.

        Args:
            prompt: One user message, a conversation, or token ids.
            form: Anything `formwright.form` takes, or a `Constraint` for this model's vocabulary.

        Keyword Args:
            max_tokens: Tokens at most; the text is complete within them.
            temperature: 0 is greedy, 1 is the model's own distribution. ``None`` is 0, or 1 if ``fidelity`` samples.
            top_k: Sample from the ``top_k`` most likely allowed tokens.
            top_p: Sample from the most likely allowed tokens that together reach this probability.
            min_p: Sample from the allowed tokens with at least this share of the probability of the most likely one.
            repetition_penalty: Divides the logits of tokens that the prompt or the text has, or multiplies negative
                ones; 1 changes nothing.
            min_tokens: Tokens at least, if the form allows so many.
            seed: Makes sampling repeatable.
            finish: Whether to steer to an end within ``max_tokens``; if not, the text may be cut there.
            stop: A text, or several: the text is cut before the first of them.
            cancel: Called before every token; true cuts the text.
            canonical: Which tokens must be those that the tokenizer itself writes: all (True), those that the form
                forces (``"forced"``), or none (False). A constraint has a value of its own.
            heal: Whether to write the last tokens of the prompt again, together with what follows them: for prompts
                that end inside a word.
            instruct: Whether the prompt also has format instructions: those of `formwright.instructions`, in the style
                ``"schema"`` (True) or in the named style. They come after a ``str``; in a conversation, after the first
                system message, in a new one, or after the user's last message if the model has no system messages.
            beams: The width of a beam search for the most likely texts; 1 is none.
            returns: How many texts of the beams, or of the draws of ``fidelity="adaptive"``, are in
                ``result.alternatives``.
            fidelity: Which distribution is sampled: ``"mask"`` is token by token among the allowed ones,
                ``"exact"`` scores all texts of a finite form, ``"smc"`` weighs ``particles`` texts against each other,
                ``"adaptive"`` begins again where the model leaves the form, and learns from it.
            particles: How many texts ``fidelity="smc"`` writes to sample one, 16 if it is ``None``; otherwise how many
                values estimate the probability of a field whose values cannot be counted.
            max_calls: How often ``fidelity="adaptive"`` may run the model for all its draws, 1000 times if it is
                ``None``.
            fields: Whether to measure the probabilities of ``result.fields`` at once, while the model still holds the
                prompt; later they cost reading it again.
            abstain: The probability that a field must reach. One that does not is ``None`` where its type allows that,
                and the model goes on from there; otherwise it is listed in ``result.doubtful``.
            calibration: A file of ``formwright evaluate --calibrate``, which maps the probabilities of fields to how
                often such values are right.
            source: The text that a `formwright.Quote` of the type is a piece of, and where the spans of fields are
                looked for. It comes before a prompt that does not contain it.
            trace: Whether the result has a `formwright.generation.Trace`: what the form did to the model at each
                token. The model then scores forced tokens too.
            max_retries: How often a text that the type refuses is written again, without what was refused and with the
                next seed; or a ``Retrying`` of tenacity.
            context: What validators of the type see as ``info.context``.

        Returns:
            `Complete` with the value; where ``finish=False``, ``stop`` or ``cancel`` allow a cut, maybe `Truncated`.

        Raises:
            NotAForm, LanguageError: The form cannot be read or enforced.
            PromptError: The prompt cannot be read.
            LimitExceeded: ``max_tokens``, or what the prompt leaves of the context, is too small for any text; or the
                form has too many texts for ``fidelity="exact"``, or ``max_calls`` are not enough.
            ArgumentError: An option has an invalid value, or cannot be combined with another one.
            VocabularyError: ``form`` is a constraint for another vocabulary.
            OutputInvalid: The type refuses the text, though it conforms.
            AttemptsExhausted: With ``max_retries``: it refused the text of every attempt.
            DeadEnd: The vocabulary lacks bytes that the form needs, or the model's logits are not finite.
        """
        settings = CallSettings.of(CutGenerateOptions, options)
        return self._write_one(prompt, form, settings)

    @overload
    def stream(
        self,
        prompt: Prompt,
        form: TypeForm[T],
        **options: Unpack[UncutStreamOptions],
    ) -> Stream[Complete[T]]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: Form[T] | Constraint[T],
        **options: Unpack[UncutStreamOptions],
    ) -> Stream[Complete[T]]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: re.Pattern[str],
        **options: Unpack[UncutStreamOptions],
    ) -> Stream[Complete[str]]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: Schema | CharacterParser,
        **options: Unpack[UncutStreamOptions],
    ) -> Stream[Complete[Any]]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: TypeForm[T],
        **options: Unpack[CutStreamOptions],
    ) -> Stream[Complete[T] | Truncated]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: Form[T] | Constraint[T],
        **options: Unpack[CutStreamOptions],
    ) -> Stream[Complete[T] | Truncated]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: re.Pattern[str],
        **options: Unpack[CutStreamOptions],
    ) -> Stream[Complete[str] | Truncated]: ...
    @overload
    def stream(
        self,
        prompt: Prompt,
        form: Schema | CharacterParser,
        **options: Unpack[CutStreamOptions],
    ) -> Stream[Complete[Any] | Truncated]: ...
    @spell_out(CutStreamOptions, DEFAULTS)
    def stream(
        self,
        prompt: Prompt,
        form: Any,
        **options: Unpack[CutStreamOptions],
    ) -> Stream[Any]:
        """Write one text that conforms to ``form``, token by token: iterate, then read ``stream.result``.

        Errors in the arguments are raised by this call, before the first token; what goes wrong later
        (`OutputInvalid`, `DeadEnd`) is raised while iterating.

        Args:
            prompt: One user message, a conversation, or token ids.
            form: Anything `formwright.form` takes, or a `Constraint` for this model's vocabulary.

        Keyword Args:
            finish: Whether to steer to an end within ``max_tokens``; if not, the text may be cut there.
            stop: A text, or several: the text is cut before the first of them.
            cancel: Called before every token; true cuts the text.
            options: Those of `generate`, except those that write several texts. Validators of partial values see
                ``context`` too.

        Raises:
            As `generate`, except `AttemptsExhausted`.
        """
        settings = CallSettings.of(CutStreamOptions, options)
        return self._stream_one(prompt, form, settings)

    @overload
    def stream_items(
        self,
        prompt: Prompt,
        item: TypeForm[T],
        **options: Unpack[UncutStreamOptions],
    ) -> Items[T, Complete[list[T]]]: ...
    @overload
    def stream_items(
        self,
        prompt: Prompt,
        item: Schema,
        **options: Unpack[UncutStreamOptions],
    ) -> Items[Any, Complete[list[Any]]]: ...
    @overload
    def stream_items(
        self,
        prompt: Prompt,
        item: TypeForm[T],
        **options: Unpack[CutStreamOptions],
    ) -> Items[T, Complete[list[T]] | Truncated]: ...
    @overload
    def stream_items(
        self,
        prompt: Prompt,
        item: Schema,
        **options: Unpack[CutStreamOptions],
    ) -> Items[Any, Complete[list[Any]] | Truncated]: ...
    @spell_out(CutStreamOptions, DEFAULTS)
    def stream_items(
        self,
        prompt: Prompt,
        item: Any,
        **options: Unpack[CutStreamOptions],
    ) -> Items[Any, Any]:
        """Write a JSON array of values of one type, and yield each as soon as it is complete.

        Args:
            prompt: One user message, a conversation, or token ids.
            item: The type of an item, or its JSON Schema.

        Keyword Args:
            finish: As `stream`.
            stop: As `stream`.
            cancel: As `stream`.
            options: Those of `stream`.

        Raises:
            NotAForm: ``item`` is not a type or schema.
            LanguageError, PromptError, LimitExceeded, ArgumentError: As `stream`.
        """
        return Items(self.stream(prompt, array_of(item), **options))

    @overload
    def generate_many(
        self,
        prompts: Sequence[Prompt],
        forms: TypeForm[T],
        **options: Unpack[UncutManyOptions],
    ) -> list[Complete[T] | Failed]: ...
    @overload
    def generate_many(
        self,
        prompts: Sequence[Prompt],
        forms: Form[T] | Constraint[T],
        **options: Unpack[UncutManyOptions],
    ) -> list[Complete[T] | Failed]: ...
    @overload
    def generate_many(
        self,
        prompts: Sequence[Prompt],
        forms: Any,
        **options: Unpack[CutManyOptions],
    ) -> list[Complete[Any] | Truncated | Failed]: ...
    @spell_out(CutManyOptions, DEFAULTS)
    def generate_many(
        self,
        prompts: Sequence[Prompt],
        forms: Any,
        **options: Unpack[CutManyOptions],
    ) -> list[Any]:
        """Write one text for each prompt, many at a time; the results in the order of the prompts.

        Texts share calls of the model; when one ends, the next prompt takes its place. Each result is what `generate`
        returns for its prompt alone, up to rounding if batches round differently. An error is `Failed` in its place,
        and the other texts continue.

        Args:
            prompts: The prompts, each as `generate` takes it.
            forms: One form for all, or a list or tuple with one for each prompt.

        Keyword Args:
            seed: The seed of the first prompt; the next one has ``seed + 1``, and so on.
            batch_size: How many texts are written at a time.
            progress: Whether to show a bar on stderr; ``None`` shows it if that is a terminal.
            max_retries: As `generate`, but a number: texts that are refused are written again together.
            finish: As `generate`, for every prompt.
            stop: As `generate`, for every prompt.
            cancel: As `generate`, for every prompt.
            options: Those of `generate`, for every prompt. With ``beams`` or ``fidelity`` one text is written after the
                other. Equal prompts share what ``fidelity="adaptive"`` learns: a draw then has the same distribution
                as alone, but for its seed may be another text.

        Raises:
            ArgumentError: An option is wrong, ``prompts`` is not a list, or there is not one form for each.
            NotAForm, LanguageError: The form, if it is one for all, cannot be read or enforced.
        """
        settings = CallSettings.of(CutManyOptions, options)
        return self._write_many(prompts, forms, settings)
