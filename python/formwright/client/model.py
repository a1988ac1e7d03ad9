"""A remote model, which is reached through an API: the methods of a local model, and what differs.

::

    model = fw.connect("http://127.0.0.1:8000/v1", "some-model")
    result = model.generate("Ada is 36 years old.", Person)     # Complete[Person]
    result.enforced                                             # 'server', or 'checked'

`RemoteBase` chooses the request and its modes; `formwright.client.flow.request_flow` carries it out.

Cost: a plan for each new form, some milliseconds; the most recent ones are kept. A request costs some hundred
microseconds besides the service.

With a budget, a local model ends its text in time, while a service truncates it. So ``max_tokens`` is the service's own
by default, and a truncated text is `OutputTruncated`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from formwright._kernel import Constraint
from formwright._options import spell_out
from formwright.client.flow.async_items import make_array_form
from formwright.client.remote import RemoteBase, add_seed
from formwright.client.remote_options import DEFAULTS, ManyRemoteOptions, RemoteOptions
from formwright.client.transport.drivers import Arriving, Transport, run
from formwright.conversations.remote_prompts import Conversation
from formwright.forms.form import Form
from formwright.generation.items import Items
from formwright.generation.many import progress_of
from formwright.generation.result import Complete, Failed, Truncated

if TYPE_CHECKING:
    import re

    from typing_extensions import TypeForm, Unpack

    from formwright.forms.json_forms import Schema

__all__ = ["RemoteModel"]

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class RemoteModel(RemoteBase):
    """A remote model, for threads: made by `formwright.connect` or `formwright.from_openai`."""

    transport: Transport = field(kw_only=True)

    @overload
    def generate(
        self,
        prompt: Conversation,
        form: TypeForm[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[RemoteOptions],
    ) -> Complete[T]: ...
    @overload
    def generate(
        self,
        prompt: Conversation,
        form: Form[T] | Constraint[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[RemoteOptions],
    ) -> Complete[T]: ...
    @overload
    def generate(
        self,
        prompt: Conversation,
        form: re.Pattern[str],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[RemoteOptions],
    ) -> Complete[str]: ...
    @overload
    def generate(
        self,
        prompt: Conversation,
        form: Schema,
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[RemoteOptions],
    ) -> Complete[Any]: ...
    @overload
    def generate(
        self,
        prompt: Conversation,
        form: Any,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[RemoteOptions],
    ) -> Complete[Any] | Truncated: ...
    @spell_out(RemoteOptions, DEFAULTS)
    def generate(
        self,
        prompt: Conversation,
        form: Any,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[RemoteOptions],
    ) -> Complete[Any] | Truncated:
        """Let the service write one text, check that it conforms to ``form``, and read its value.

        Args:
            prompt: One user message, or a conversation, whose messages are sent unchanged.
            form: Anything `formwright.form` takes.
            finish: Whether a truncated text is an error.
            stop: A text, or several: the service cuts the text before the first of them.
            cancel: Called before every piece of the answer, which is then streamed; true cuts the text.

        Keyword Args:
            max_tokens: Most tokens of an answer; ``None`` for the service's default.
            temperature: Passed to the service, as are ``top_k``, ``top_p`` and ``seed``; ``None`` for its default.
            top_k: Sample from the ``top_k`` most likely tokens.
            top_p: Sample from the most likely tokens that together reach this probability.
            seed: Makes sampling repeatable, if the service supports that.
            mode: How the form is requested: ``"strict"``, ``"tools"``, ``"json_object"``, ``"instructions"``, or
                ``"auto"``. By default, that of the model.
            instruct: Whether, or in which style of `formwright.instructions`, the prompt describes the form in words in
                every mode. By default it does so only where nothing enforces the form.
            max_retries: How often a wrong answer is requested again, with a description of what was wrong; or a
                ``Retrying`` of tenacity. A truncated answer is requested again with twice the tokens.
            source: The text that a `formwright.Quote` of the type is a piece of, and where the spans of fields are
                looked for. It comes before a prompt that does not contain it.
            fields: Whether ``result.fields`` has the probabilities of the fields: measured by `formwright serve`, which
                is asked once more, or a bound by the log probabilities that the service gives.
            calibration: A file of ``formwright evaluate --calibrate``, which maps the probabilities of fields to how
                often such values are right.
            context: What validators of the type see as ``info.context``.
            token_budget: No attempt begins after the attempts together took this many tokens.
            time_budget: Seconds for all attempts together.

        Returns:
            `Complete` with the value, ``enforced`` and ``exchange``; where ``finish=False``, ``stop`` or ``cancel``
            allow a cut, maybe `Truncated`.

        Raises:
            NotAForm, LanguageError: The form cannot be read, or cannot be described to the service.
            PromptError: The prompt cannot be read.
            OutputInvalid: The answer does not conform to the form, or its type refuses it.
            OutputTruncated: The service truncated the answer.
            Refused: The model, or a filter of the service, does not answer.
            AttemptsExhausted: With ``max_retries``: no attempt gave a value.
            RequestFailed: The service could not be reached, refused the request, or gave no answer.
            LimitExceeded: A budget is used up, the answer is too large, or the schema is too large for the service.
            OptionUnsupported: The service, or every remote model, lacks an option.
            UnknownOption: No model has it.
        """
        flow = self._make_flow(prompt, form, {**options, "finish": finish, "stop": stop, "cancel": cancel})
        result: Complete[Any] | Truncated = run(flow, self.transport, self.cache)
        return result

    @overload
    def stream(
        self,
        prompt: Conversation,
        form: TypeForm[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[RemoteOptions],
    ) -> Arriving[Complete[T]]: ...
    @overload
    def stream(
        self,
        prompt: Conversation,
        form: Form[T] | Constraint[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[RemoteOptions],
    ) -> Arriving[Complete[T]]: ...
    @overload
    def stream(
        self,
        prompt: Conversation,
        form: Any,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[RemoteOptions],
    ) -> Arriving[Complete[Any] | Truncated]: ...
    @spell_out(RemoteOptions, DEFAULTS)
    def stream(
        self,
        prompt: Conversation,
        form: Any,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[RemoteOptions],
    ) -> Arriving[Any]:
        """Let the service write one text, piece by piece: iterate, then read ``stream.result``.

        Args and errors are those of `generate`, those of the answer raised while iterating: a text that leaves its form
        is an error as soon as it does. With ``max_retries`` a wrong answer is requested again, but only
        before its first piece was shown: what was shown cannot be taken back, and the error says so.
        """
        flow = self._make_flow(
            prompt, form, {**options, "finish": finish, "stop": stop, "cancel": cancel}, is_stream=True
        )
        return Arriving(flow, self.transport, self.cache)

    def stream_items(self, prompt: Conversation, item: Any, **options: Any) -> Items[Any, Any]:
        """Let the service write a JSON array of values of one type, and give each as soon as it is complete.

        Args:
            prompt: As `generate`.
            item: The type of an item, or its JSON Schema.
            **options: Those of `stream`.
        """
        return Items(self.stream(prompt, make_array_form(item), **options))  # type: ignore[arg-type]

    @overload
    def generate_many(
        self,
        prompts: Sequence[Conversation],
        forms: TypeForm[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        **options: Unpack[ManyRemoteOptions],
    ) -> list[Complete[T] | Failed]: ...
    @overload
    def generate_many(
        self,
        prompts: Sequence[Conversation],
        forms: Form[T] | Constraint[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        **options: Unpack[ManyRemoteOptions],
    ) -> list[Complete[T] | Failed]: ...
    @overload
    def generate_many(
        self,
        prompts: Sequence[Conversation],
        forms: Any,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        **options: Unpack[ManyRemoteOptions],
    ) -> list[Complete[Any] | Truncated | Failed]: ...
    def generate_many(
        self,
        prompts: Sequence[Conversation],
        forms: Any,
        *,
        concurrency: int = 8,
        progress: bool | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> list[Any]:
        """Let the service write one text for each prompt, several at a time; the results in the order of the prompts.

        Args:
            prompts: The prompts, each as `generate` takes it.
            forms: One form for all, or a list or tuple with one for each prompt.
            concurrency: Requests under way at a time.
            progress: Whether to show a bar on stderr; ``None`` shows it if that is a terminal.
            seed: The first prompt has this seed, the next one ``seed + 1``, and so on.
            **options: Those of `generate`, for every prompt.

        Returns:
            The results; an error is `Failed` in its place, and does not stop the others.

        Raises:
            ArgumentError: An option is wrong, ``prompts`` is not a list, or there is not one form for each.
        """
        many = self._pair_prompts(prompts, forms, concurrency, options)

        def write(number: int) -> Any:
            prompt, form = many[number]
            try:
                return self.generate(prompt, form, **add_seed(options, seed, number))
            except Exception as error:
                return Failed(error)
            finally:
                done()

        with progress_of(len(many), progress) as done, ThreadPoolExecutor(concurrency) as pool:
            contexts = [copy_context() for _ in many]  # threads begin without the caller's context
            return list(pool.map(lambda number: contexts[number].run(write, number), range(len(many))))

    def score(
        self, prompt: Conversation, choices: Iterable[str] | TypeForm[Any], *, canonical: bool = True
    ) -> dict[str, float]:
        """Return the log probability of each of some texts as the complete answer to a prompt, its end included.

        Only `formwright serve` can: other services report probabilities only of what they write themselves.

        Args:
            prompt: One message of the user, or a conversation.
            choices: The texts, in the order in which they are returned; or an `Enum` or a `Literal` of them.
            canonical: Whether a text is scored as the tokenizer spells it; if not, over all its spellings together.

        Raises:
            ArgumentError: There is no text, one is not a str, or ``canonical`` is neither true nor false.
            PromptError: The prompt cannot be read.
            OptionUnsupported: The service does not score texts.
            RequestFailed: It could not be reached, or refused the request: a text does not fit the context of the
                model, or there are too many texts or spellings.
        """
        scores: dict[str, float] = run(self._make_score_flow(prompt, choices, canonical), self.transport)
        return scores

    def close(self) -> None:
        """Close the connections."""
        if hasattr(self.transport, "close"):
            self.transport.close()

    def __enter__(self) -> RemoteModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
