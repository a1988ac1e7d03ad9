"""A model behind an API: the verbs of a local model, and what differs.

::

    model = fw.connect("http://127.0.0.1:8000/v1", "some-model")
    result = model.generate("Ada is 36 years old.", Person)     # Complete[Person]
    result.enforced                                             # 'server', or 'checked'

What is asked for, and in which modes, is decided here, once for both kinds of models;
`formwright.client.flow.request_flow` does it.

Cost: a plan for each new form, some milliseconds; the last `_KEPT` are kept. A request costs some hundred microseconds
besides the service.

The wrinkle: a budget of tokens steers a local model to an end, but only cuts a text of a service. So ``max_tokens`` is
the service's own unless it is given, and a cut text is `OutputTruncated`.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, get_args, overload

from formwright._kernel import Constraint
from formwright.client.flow.async_items import ItemsAsync, array
from formwright.client.flow.exchange import Query
from formwright.client.flow.request_flow import Flow, Job, answered
from formwright.client.flow.scores import Scores, scored, unsupported
from formwright.client.plans.calls import calls_plan, is_offered
from formwright.client.plans.plan import AnyPlan, plan_of
from formwright.client.plans.services import Service, modes_of
from formwright.client.transport.cache import AnswerCache
from formwright.client.transport.drivers import Arriving, ArrivingAsync, AsyncTransport, Transport, run, run_async
from formwright.client.wires import WIRES
from formwright.conversations.remote_prompts import Conversation, read_prompt
from formwright.errors import ArgumentError, OptionUnsupported
from formwright.forms.coerce import form as form_of
from formwright.forms.form import Form
from formwright.generation.items import Items
from formwright.generation.many import each, progress_of
from formwright.generation.result import Complete, Failed, Mode, Truncated
from formwright.generation.strategies.scoring import texts_of
from formwright.schemas.instructions import check_style

if TYPE_CHECKING:
    import re

    from typing_extensions import TypeForm, Unpack

    from formwright.client.options import ManyOptions, Options
    from formwright.forms.json_forms import Schema

__all__ = ["AsyncRemoteModel", "RemoteModel"]

T = TypeVar("T")

_KEPT = 64

_SAMPLING = ("min_p", "repetition_penalty", "min_tokens")
_LOCAL = ("canonical", "heal", "beams", "returns", "fidelity", "particles", "trace", "batch_size", *_SAMPLING)
"""Options of models whose tokens are chosen here; some services read those of sampling as fields of the request."""

_OPTIONS = (
    *("max_tokens", "temperature", "top_k", "top_p", "seed", "finish", "stop", "cancel"),
    *("mode", "instruct", "context", "max_retries", "token_budget", "time_budget"),
)
"""Options of one answer."""

_BY_SERVICE = frozenset().union(*(wire.options for wire in WIRES.values()))
"""Those of them that some service has, and others do not."""


@dataclass(frozen=True, repr=False)
class _Remote:
    """What requests of a model have in common.

    Attributes:
        name: The model, as the service calls it.
        service: What the service can do.
        api: How requests and answers are spelled.
        mode: How forms are asked for: one of the modes, or ``"auto"`` for the first that is there.
        request_retries: How often a request is sent again that failed for reasons that may pass.
        max_bytes: Bytes of one answer at most.
        cache: Answers that were given before.
        where: The service, for messages.
        identity: What tells its answers from those of others, for the cache.
    """

    name: str
    service: Service
    api: str
    mode: str = "auto"
    request_retries: int = 2
    max_bytes: int = 1 << 26
    cache: AnswerCache | None = None
    where: str = ""
    identity: str = ""
    _plans: OrderedDict[Any, AnyPlan] = field(default_factory=OrderedDict, compare=False)
    _lock: Lock = field(default_factory=Lock, compare=False)

    def __post_init__(self) -> None:
        self._modes(self.mode)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.where}, {self.service.name})"

    def _scores(self, prompt: Conversation, choices: Sequence[str], canonical: bool) -> Scores:
        """What is done to score texts. Raises as `RemoteModel.score`."""
        texts, _ = texts_of(choices, canonical)
        messages = read_prompt(prompt)
        if not self.service.may_score or self.api != "openai":
            raise unsupported(self.name, "its API does not tell how likely a given text is")
        retries = self.request_retries
        return scored(self.name, messages, list(dict.fromkeys(texts)), canonical=canonical, request_retries=retries)

    def _flow(
        self,
        prompt: Conversation,
        form: Any,
        *,
        is_stream: bool = False,
        max_tokens: int | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        stop: str | Sequence[str] | None = None,
        mode: str | None = None,
        cancel: Callable[[], bool] | None = None,
        max_tokens_name: str | None = None,
        extra: Mapping[str, Any] | None = None,
        instruct: bool | str = False,
        **options: Any,
    ) -> Flow:
        """What is done to write one text."""
        query = Query(
            model=self.name,
            messages=read_prompt(prompt),
            mode="strict",
            is_stream=is_stream or cancel is not None,
            max_tokens=max_tokens,
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            seed=seed,
            stop=_stops(stop),
            max_tokens_name=max_tokens_name or self.service.max_tokens_name,
            extra=dict(extra or {}),
        )
        self._check(query)
        key = None if self.cache is None else self._cache_key
        read, style = form_of(form), "schema" if instruct is True else instruct or None
        if style is not None:
            check_style(style, "instruct")
        job = Job(
            wire=WIRES[self.api],
            query=query,
            modes=self._modes(mode or self.mode, read),
            plan=lambda mode: self._plan(form, read, mode, style),
            request_retries=self.request_retries,
            max_bytes=self.max_bytes,
            cache_key=key,
            cancel=cancel,
            shows=is_stream,
            **options,
        )
        return answered(job)

    def _modes(self, mode: str, form: Form[Any] | None = None) -> Sequence[Mode]:
        """The modes to be tried for a form; one of tools is asked for by tools, or else in words."""
        if mode == "auto":
            modes = modes_of(self.service, self.name)
            is_tools = form is not None and is_offered(form)
            return [mode for mode in modes if mode in ("tools", "instructions")] if is_tools else modes
        if mode not in get_args(Mode):
            known = ", ".join(map(repr, ("auto", *get_args(Mode))))
            raise ArgumentError(f"there is no mode {mode!r}", hint=f"there are {known}", argument="mode")
        return (cast(Mode, mode),)

    def _service_options(self) -> frozenset[str]:
        """The options of generation that the service has."""
        return WIRES[self.api].options - self.service.lacks

    def _check(self, query: Query) -> None:
        """Refuse options that the service does not have."""
        has = self._service_options()
        for name, plain in (
            ("max_tokens", None),
            ("temperature", None),
            ("top_k", None),
            ("top_p", 1.0),
            ("seed", None),
        ):
            if getattr(query, name) != plain and name not in has:
                raise _unsupported(name, self)
        if query.stop and "stop" not in has:
            raise _unsupported("stop", self)

    def _plan(self, form: Any, read: Form[Any], mode: Mode, style: str | None) -> AnyPlan:
        """How a form is asked for in a mode; kept for the next time."""
        key = (_key(form), mode, style)
        with self._lock:
            if key[0] is not None and key in self._plans:
                self._plans.move_to_end(key)
                return self._plans[key]
        is_native = is_offered(read) and mode in ("strict", "tools")
        plan: AnyPlan = (calls_plan if is_native else plan_of)(read, mode, self.service, style)
        with self._lock:
            if key[0] is not None:
                self._plans[key] = plan
            while len(self._plans) > _KEPT:
                self._plans.popitem(last=False)
        return plan

    def _cache_key(self, request: Mapping[str, Any]) -> str:
        """A digest of everything that an answer depends on."""
        namespace = self.cache.namespace if self.cache is not None else ""
        said = [namespace, self.identity, self.api, request]
        text = json.dumps(said, sort_keys=True, ensure_ascii=False, default=str)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, repr=False)
class RemoteModel(_Remote):
    """A model behind an API, for threads: made by `formwright.connect` or `formwright.from_openai`."""

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
        **options: Unpack[Options],
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
        **options: Unpack[Options],
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
        **options: Unpack[Options],
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
        **options: Unpack[Options],
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
        **options: Unpack[Options],
    ) -> Complete[Any] | Truncated: ...
    def generate(
        self,
        prompt: Conversation,
        form: Any,
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        mode: Mode | str | None = None,
        instruct: bool | str = False,
        max_retries: Any = 0,
        context: Any = None,
        token_budget: int | None = None,
        time_budget: float | None = None,
        **unsupported: Any,
    ) -> Complete[Any] | Truncated:
        """Let the service write one text, check that it is in ``form``, and read its value.

        Args:
            prompt: One user message, or a conversation; its messages go through as they are.
            form: Anything `formwright.form` takes.
            max_tokens: Tokens of an answer at most; ``None`` is what the service takes without it.
            temperature: As the service reads it; ``None`` is its own. So are ``top_k``, ``top_p`` and ``seed``.
            top_k: Draw among the most likely ``top_k`` tokens.
            top_p: Draw among the most likely tokens that together reach this probability.
            seed: Makes draws repeatable, where the service promises that.
            finish: Whether a text that the service cut is an error.
            stop: A text, or several: the service cuts the text before the first of them.
            cancel: Asked before every piece of the answer, which is then streamed; true cuts the text.
            mode: How the form is asked for: a mode of `formwright.client.plans.services`, or ``"auto"``. By default,
                that of the model.
            instruct: Whether, or in which style of `formwright.schemas.instructions`, the prompt describes the form in
                words in every mode. By default it does so only where nothing enforces the form.
            max_retries: How often an answer that is wrong is asked for again, with what was wrong; or a ``Retrying`` of
                tenacity. One that was cut is asked for again with twice the tokens.
            context: What validators of the type see as ``info.context``.
            token_budget: No attempt is begun once all of them took so many tokens.
            time_budget: Seconds for all attempts together.
            **unsupported: Options of models that run here: each is an error.

        Returns:
            `Complete` with the value, ``enforced`` and ``exchange``; where ``finish=False``, ``stop`` or ``cancel``
            allow a cut, maybe `Truncated`.

        Raises:
            NotAForm, LanguageError: The form cannot be read, or the service cannot be told it.
            PromptError: The prompt cannot be read.
            OutputInvalid: The answer is not in form, or its type refuses it.
            OutputTruncated: The service cut it.
            Refused: The model, or a filter of the service, does not answer.
            AttemptsExhausted: With ``max_retries``: no attempt gave a value.
            RequestFailed: The service could not be reached, refused the request, or gave no answer.
            LimitExceeded: A budget is used up, the answer is too large, or the schema is, for the service.
            OptionUnsupported: The service does not have an option.
        """
        _refuse(unsupported, self)
        flow = self._flow(
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
            mode=mode,
            instruct=instruct,
            max_retries=max_retries,
            context=context,
            token_budget=token_budget,
            time_budget=time_budget,
        )
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
        **options: Unpack[Options],
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
        **options: Unpack[Options],
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
        **options: Unpack[Options],
    ) -> Arriving[Complete[Any] | Truncated]: ...
    def stream(
        self,
        prompt: Conversation,
        form: Any,
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        mode: Mode | str | None = None,
        instruct: bool | str = False,
        max_retries: Any = 0,
        context: Any = None,
        token_budget: int | None = None,
        time_budget: float | None = None,
        **unsupported: Any,
    ) -> Arriving[Any]:
        """Let the service write one text, piece by piece: iterate, then read ``stream.result``.

        Args and errors are those of `generate`, those of the answer raised while iterating: a text that leaves its form
        is an error as soon as it does. With ``max_retries`` a wrong answer is asked for again until a piece was shown:
        what was shown cannot be taken back, and the error says so.
        """
        _refuse(unsupported, self)
        flow = self._flow(
            prompt,
            form,
            is_stream=True,
            max_tokens=max_tokens,
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            seed=seed,
            finish=finish,
            stop=stop,
            cancel=cancel,
            mode=mode,
            instruct=instruct,
            max_retries=max_retries,
            context=context,
            token_budget=token_budget,
            time_budget=time_budget,
        )
        return Arriving(flow, self.transport, self.cache)

    def stream_items(self, prompt: Conversation, item: Any, **options: Any) -> Items[Any, Any]:
        """Let the service write a JSON array of values of one type, and give each as soon as it is complete.

        Args:
            prompt: As `generate`.
            item: The type of an item, or its JSON Schema.
            **options: Those of `stream`.
        """
        return Items(self.stream(prompt, array(item), **options))  # type: ignore[arg-type]

    @overload
    def generate_many(
        self,
        prompts: Sequence[Conversation],
        forms: TypeForm[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        **options: Unpack[ManyOptions],
    ) -> list[Complete[T] | Failed]: ...
    @overload
    def generate_many(
        self,
        prompts: Sequence[Conversation],
        forms: Form[T] | Constraint[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        **options: Unpack[ManyOptions],
    ) -> list[Complete[T] | Failed]: ...
    @overload
    def generate_many(
        self,
        prompts: Sequence[Conversation],
        forms: Any,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        **options: Unpack[ManyOptions],
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
            The results; an error is `Failed` in its place, and the others go on.

        Raises:
            ArgumentError: An option is wrong, ``prompts`` is no list, or there is not one form for each.
        """
        many, options = _many(self, prompts, forms, concurrency, options)

        def written(number: int) -> Any:
            prompt, form = many[number]
            try:
                return self.generate(prompt, form, **_seeded(options, seed, number))
            except Exception as error:
                return Failed(error)
            finally:
                done()

        with progress_of(len(many), progress) as done, ThreadPoolExecutor(concurrency) as pool:
            return list(pool.map(written, range(len(many))))

    def score(self, prompt: Conversation, choices: Sequence[str], *, canonical: bool = True) -> dict[str, float]:
        """The log probability of each of some texts as the whole answer to a prompt, its end included.

        Only `formwright serve` tells it: other services tell the probability of what they write.

        Args:
            prompt: One message of the user, or a conversation.
            choices: The texts, in the order in which they are returned.
            canonical: Whether a text is scored as the tokenizer spells it; if not, over all its spellings together.

        Raises:
            ArgumentError: There is no text, one is no str, or ``canonical`` is neither true nor false.
            PromptError: The prompt cannot be read.
            OptionUnsupported: The service does not score texts.
            RequestFailed: It could not be reached, or refused the request: a text does not fit the context of the
                model, or there are too many texts or spellings.
        """
        scores: dict[str, float] = run(self._scores(prompt, choices, canonical), self.transport)
        return scores

    def close(self) -> None:
        """Close the connections."""
        if hasattr(self.transport, "close"):
            self.transport.close()

    def __enter__(self) -> RemoteModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, repr=False)
class AsyncRemoteModel(_Remote):
    """A model behind an API, for an event loop: the methods of `RemoteModel`, which describes them, are awaited."""

    transport: AsyncTransport = field(kw_only=True)

    @overload
    async def generate(
        self,
        prompt: Conversation,
        form: TypeForm[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[Options],
    ) -> Complete[T]: ...
    @overload
    async def generate(
        self,
        prompt: Conversation,
        form: Form[T] | Constraint[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[Options],
    ) -> Complete[T]: ...
    @overload
    async def generate(
        self,
        prompt: Conversation,
        form: Any,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[Options],
    ) -> Complete[Any] | Truncated: ...
    async def generate(self, prompt: Conversation, form: Any, **options: Any) -> Complete[Any] | Truncated:
        """Let the service write one text in ``form``, and read its value; see `RemoteModel.generate`."""
        _refuse(options, self, _OPTIONS)
        result: Complete[Any] | Truncated = await run_async(
            self._flow(prompt, form, **options), self.transport, self.cache
        )
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
        **options: Unpack[Options],
    ) -> ArrivingAsync[Complete[T]]: ...
    @overload
    def stream(
        self,
        prompt: Conversation,
        form: Form[T] | Constraint[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[Options],
    ) -> ArrivingAsync[Complete[T]]: ...
    @overload
    def stream(
        self,
        prompt: Conversation,
        form: Any,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[Options],
    ) -> ArrivingAsync[Complete[Any] | Truncated]: ...
    def stream(self, prompt: Conversation, form: Any, **options: Any) -> ArrivingAsync[Any]:
        """Let the service write one text: ``async for``, then ``stream.result``; see `RemoteModel.stream`."""
        _refuse(options, self, _OPTIONS)
        flow = self._flow(prompt, form, is_stream=True, **options)
        return ArrivingAsync(flow, self.transport, self.cache)

    def stream_items(self, prompt: Conversation, item: Any, **options: Any) -> ItemsAsync[Any]:
        """The items of an array, each as soon as it is complete: ``async for``; see `RemoteModel.stream_items`."""
        return ItemsAsync(self.stream(prompt, array(item), **options))

    async def generate_many(
        self,
        prompts: Sequence[Conversation],
        forms: Any,
        *,
        concurrency: int = 8,
        progress: bool | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> list[Any]:
        """Let the service write one text for each prompt, several at a time; see `RemoteModel.generate_many`."""
        import asyncio

        many, options = _many(self, prompts, forms, concurrency, options)
        room = asyncio.Semaphore(concurrency)

        async def written(number: int) -> Any:
            prompt, form = many[number]
            async with room:
                try:
                    return await self.generate(prompt, form, **_seeded(options, seed, number))
                except Exception as error:
                    return Failed(error)
                finally:
                    done()

        with progress_of(len(many), progress) as done:
            return list(await asyncio.gather(*map(written, range(len(many)))))

    async def score(self, prompt: Conversation, choices: Sequence[str], *, canonical: bool = True) -> dict[str, float]:
        """The log probability of each of some texts as the whole answer to a prompt; see `RemoteModel.score`."""
        scores: dict[str, float] = await run_async(self._scores(prompt, choices, canonical), self.transport)
        return scores

    async def close(self) -> None:
        """Close the connections."""
        if hasattr(self.transport, "close"):
            await self.transport.close()

    async def __aenter__(self) -> AsyncRemoteModel:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _many(
    model: _Remote, prompts: Any, forms: Any, concurrency: Any, options: Mapping[str, Any]
) -> tuple[list[tuple[Any, Any]], dict[str, Any]]:
    """Prompts with their forms, and the options of each. Raises ArgumentError."""
    if not isinstance(concurrency, int) or concurrency < 1:
        raise ArgumentError(f"concurrency is a number from 1 on, not {concurrency!r}", argument="concurrency")
    _refuse(options, model, _OPTIONS)
    if not isinstance(forms, list | tuple):
        form_of(forms)
    return each(prompts, forms), dict(options)


def _seeded(options: Mapping[str, Any], seed: int | None, number: int) -> dict[str, Any]:
    return {**options, "seed": None if seed is None else seed + number}


def _stops(stop: Any) -> tuple[str, ...]:
    texts = (stop,) if isinstance(stop, str) else tuple(stop or ()) if isinstance(stop, Iterable | None) else (stop,)
    if any(not isinstance(text, str) or not text for text in texts):
        raise ArgumentError(f"stop is a text, or several, not {stop!r}", argument="stop")
    return texts


def _key(form: Any) -> Any:
    """What tells forms apart that are asked for again; ``None`` where nothing does."""
    if isinstance(form, dict | bool):
        return json.dumps(form, sort_keys=False, default=str)
    try:
        hash(form)
    except TypeError:
        return None
    return type(form), form


def _refuse(given: Mapping[str, Any], model: _Remote, known: Iterable[str] = ()) -> None:
    """Refuse options that only others have. Raises OptionUnsupported, TypeError."""
    for name in given:
        if name in _LOCAL:
            raise _unsupported(name, model)
        if name not in known:
            raise TypeError(f"a model behind an API has no option {name!r}")


def _unsupported(name: str, model: _Remote) -> OptionUnsupported:
    why = "its tokens are chosen by the service" if name in _LOCAL else f"{model.service.name} has no such option"
    lacking = _BY_SERVICE - model._service_options()
    hint = f"its options are {', '.join(option for option in _OPTIONS if option not in lacking)}"
    if name in _SAMPLING:
        hint += f"; for a service that reads {name}, fw.patch(client) of an SDK sends extra_body={{{name!r}: ...}}"
    elif name in _LOCAL:
        hint += f"; models that run here, such as fw.load(...), have {name}"
    return OptionUnsupported(f"{name}= does not go with {model.name}: {why}", hint=hint, argument=name)
