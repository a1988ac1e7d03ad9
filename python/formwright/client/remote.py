"""What both classes of remote models share: their options, their plans, and the flow of one answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast, get_args

from formwright._lru import Lru
from formwright._options import check_names
from formwright.client.flow.remote_job import RemoteJob
from formwright.client.flow.request_flow import Flow, answer_job_in_span
from formwright.client.flow.scores import Scores, make_unsupported_error, score_texts
from formwright.client.flow.steps import TextQuery
from formwright.client.hooks import Hooks
from formwright.client.plans.calls import has_tools, make_calls_plan
from formwright.client.plans.grammar_fields import is_grammar
from formwright.client.plans.plan import AnyPlan, make_plan
from formwright.client.plans.services import Service, list_grammar_modes, list_modes
from formwright.client.remote_options import DEFAULTS, OF_LOCAL_MODELS, OF_ONE_ANSWER, OF_SAMPLING
from formwright.client.transport.cache import AnswerCache
from formwright.client.wires import WIRES
from formwright.conversations.remote_prompts import Conversation, add_source, read_prompt
from formwright.errors import ArgumentError, OptionUnsupported
from formwright.forms.coerce import form as form_of
from formwright.forms.form import Form
from formwright.generation.fields import read_calibration
from formwright.generation.many import each
from formwright.generation.result import Mode
from formwright.generation.spans import Generation, pick_settings
from formwright.generation.strategies.scoring import texts_of
from formwright.schemas.instructions import check_style

if TYPE_CHECKING:
    from typing_extensions import TypeForm

__all__ = ["RemoteBase", "add_seed"]

_MAX_PLANS = 64
"""Plans that are kept."""

_OF_A_QUERY = ("max_tokens", "temperature", "top_k", "top_p", "seed")
_OF_A_JOB = ("finish", "context", "max_retries", "token_budget", "time_budget")

_PROVIDERS = {"azure": "azure.ai.openai", "gemini": "gcp.gemini", "compatible": "openai"}
"""What OpenTelemetry calls a service, where it is not by our name; by the API, where only that is known."""

_BY_SERVICE = frozenset().union(*(wire.options for wire in WIRES.values()))
"""Options that some service has, and others do not."""


@dataclass(frozen=True, repr=False)
class RemoteBase:
    """What `RemoteModel` and `AsyncRemoteModel` have in common.

    Attributes:
        name: The model, as the service calls it.
        service: What the service can do.
        api: How requests and answers are spelled.
        mode: How forms are requested: one of the modes, or ``"auto"`` for the first that the service has.
        request_retries: How often to send a request again after a temporary failure.
        max_bytes: Bytes of one answer at most.
        cache: A cache of answers.
        where: The service, in messages.
        address: Host and port of the service, where they are known.
        identity: Keeps its answers apart from those of others in the cache.
        hooks: Functions that are called at the events of each request.
    """

    name: str
    service: Service
    api: str
    mode: str = "auto"
    request_retries: int = 2
    max_bytes: int = 1 << 26
    cache: AnswerCache | None = None
    where: str = ""
    address: tuple[str, int] | None = None
    identity: str = ""
    hooks: Hooks = field(default_factory=Hooks, compare=False)
    _plans: Lru[Any, AnyPlan] = field(default_factory=lambda: Lru(_MAX_PLANS), init=False, compare=False)

    def __post_init__(self) -> None:
        self._list_modes(self.mode)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.where}, {self.service.name})"

    def _make_score_flow(self, prompt: Conversation, choices: Iterable[str] | TypeForm[Any], canonical: bool) -> Scores:
        """Make the flow that scores texts. Raises as `RemoteModel.score`."""
        texts, _ = texts_of(choices, canonical)
        messages = read_prompt(prompt)
        if not self.service.may_score or self.api != "openai":
            raise make_unsupported_error(self.name, "its API has no probabilities of given texts")
        retries = self.request_retries
        return score_texts(
            self.name, messages, list(dict.fromkeys(texts)), canonical=canonical, request_retries=retries
        )

    def _make_flow(
        self,
        prompt: Conversation,
        form: Any,
        options: Mapping[str, Any],
        *,
        is_stream: bool = False,
        max_tokens_name: str | None = None,
        extra: Mapping[str, Any] | None = None,
        emit: Callable[[str, Any], None] | None = None,
    ) -> Flow:
        """Make the flow that writes one text.

        Args:
            prompt: The prompt.
            form: The form.
            options: Those of `RemoteModel.generate`.
            is_stream: Whether the flow yields pieces.
            max_tokens_name: The field for ``max_tokens``, instead of that of the service.
            extra: Further fields of the request.
            emit: Called at each event, instead of the hooks of the model.

        Raises:
            OptionUnsupported, UnknownOption, ArgumentError: An option is not for remote models, or is wrong.
        """
        self._check_names(options)
        given = {**DEFAULTS, **options}
        is_read_as_stream = is_stream or given["cancel"] is not None
        query = self._make_query(prompt, given, is_read_as_stream, max_tokens_name, extra)
        read = form_of(form, source=given["source"])
        style = _read_style(given["instruct"])
        job = RemoteJob(
            wire=WIRES[self.api],
            query=query,
            modes=self._list_modes(given["mode"] or self.mode, read),
            plan=lambda mode: self._find_plan(form if given["source"] is None else read, read, mode, style),
            measured_form=read if given["fields"] or given["calibration"] is not None else None,
            source=given["source"],
            calibration=read_calibration(given["calibration"]),
            request_retries=self.request_retries,
            max_bytes=self.max_bytes,
            cache_key=None if self.cache is None else self._make_cache_key,
            cancel=given["cancel"],
            yields_pieces=is_stream,
            emit=emit or self.hooks.emit,
            **{name: given[name] for name in _OF_A_JOB},
        )
        return answer_job_in_span(job, self._describe_span(query, read))

    def _make_query(
        self,
        prompt: Conversation,
        given: Mapping[str, Any],
        is_stream: bool,
        max_tokens_name: str | None,
        extra: Mapping[str, Any] | None,
    ) -> TextQuery:
        """Make the query that all modes begin with. Raises PromptError, ArgumentError, OptionUnsupported."""
        query = TextQuery(
            model=self.name,
            messages=add_source(read_prompt(prompt), given["source"]),
            mode="strict",
            logprobs=bool(given["fields"]) or given["calibration"] is not None,
            is_stream=is_stream,
            stop=_read_stop(given["stop"]),
            max_tokens_name=max_tokens_name or self.service.max_tokens_name,
            extra=dict(extra or {}),
            **{name: given[name] for name in _OF_A_QUERY},
        )
        self._check_options(query)
        return query

    def _describe_span(self, query: TextQuery, form: Form[Any]) -> Generation:
        """Describe the span of a generation."""
        provider = _PROVIDERS.get(self.service.name, self.service.name)
        return Generation(
            model=self.name,
            provider=provider,
            kind="CLIENT",
            form=form,
            settings=pick_settings(query),
            address=self.address,
        )

    def _check_names(self, options: Iterable[str]) -> None:
        """Refuse options that are not for remote models. Raises OptionUnsupported, UnknownOption."""
        for name in options:
            if name in OF_LOCAL_MODELS:
                raise self._make_unsupported_error(name)
        check_names(options, OF_ONE_ANSWER)

    def _pair_prompts(
        self, prompts: Any, forms: Any, concurrency: Any, options: Iterable[str]
    ) -> list[tuple[Any, Any]]:
        """Pair prompts and forms, for `generate_many`. Raises ArgumentError, and what `generate` raises of options."""
        if not isinstance(concurrency, int) or concurrency < 1:
            raise ArgumentError(
                f"concurrency: expected a number from 1 on, got {concurrency!r}", argument="concurrency"
            )
        self._check_names(options)
        if not isinstance(forms, list | tuple):
            form_of(forms)
        return each(prompts, forms)

    def _make_unsupported_error(self, name: str) -> OptionUnsupported:
        is_local = name in OF_LOCAL_MODELS
        why = "its tokens are chosen by the service" if is_local else f"{self.service.name} has no such option"
        lacking = _BY_SERVICE - self._list_service_options()
        hint = f"its options are {', '.join(option for option in OF_ONE_ANSWER if option not in lacking)}"
        if name in OF_SAMPLING:
            hint += f"; for a service that reads {name}, fw.patch(client) of an SDK sends extra_body={{{name!r}: ...}}"
        elif is_local:
            hint += f"; models that run here, such as fw.load(...), have {name}"
        return OptionUnsupported(f"{self.name} does not support {name}=: {why}", hint=hint, argument=name)

    def _list_modes(self, mode: str, form: Form[Any] | None = None) -> Sequence[Mode]:
        """List the modes to try for a form; tools and grammars are sent as such, or else described in the prompt."""
        if mode == "auto":
            modes = list_modes(self.service, self.name)
            if form is not None and is_grammar(form):
                return list_grammar_modes(self.service, self.name)
            is_tools = form is not None and has_tools(form)
            return [mode for mode in modes if mode in ("tools", "instructions")] if is_tools else modes
        if mode not in get_args(Mode):
            known = ", ".join(map(repr, ("auto", *get_args(Mode))))
            raise ArgumentError(f"there is no mode {mode!r}", hint=f"there are {known}", argument="mode")
        return (cast(Mode, mode),)

    def _list_service_options(self) -> frozenset[str]:
        """Return the options of generation that the service has."""
        return WIRES[self.api].options - self.service.lacks

    def _check_options(self, query: TextQuery) -> None:
        """Refuse options that the service does not have."""
        has = self._list_service_options()
        for name in _OF_A_QUERY:
            if getattr(query, name) != DEFAULTS[name] and name not in has:
                raise self._make_unsupported_error(name)
        if query.logprobs and not WIRES[self.api].has_logprobs:
            raise OptionUnsupported(
                f"{self.name} does not support fields=: its API has no logprobs",
                hint="use a service of the chat completions or responses API, or a model that runs here",
                argument="fields",
            )
        if query.stop and "stop" not in has:
            raise self._make_unsupported_error("stop")

    def _find_plan(self, form: Any, read: Form[Any], mode: Mode, style: str | None) -> AnyPlan:
        """Return the plan of a form in a mode; it is kept for the next time."""
        is_native = has_tools(read) and mode in ("strict", "tools")
        make = make_calls_plan if is_native else make_plan
        key = _make_plan_key(form)
        if key is None:
            return make(read, mode, self.service, style)
        return self._plans.find((key, mode, style), lambda: make(read, mode, self.service, style))

    def _make_cache_key(self, request: Mapping[str, Any]) -> str:
        """Return a digest of everything that an answer depends on."""
        namespace = self.cache.namespace if self.cache is not None else ""
        parts = [namespace, self.identity, self.api, request]
        text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read_stop(stop: Any) -> tuple[str, ...]:
    """Return the stop texts. Raises ArgumentError."""
    texts = (stop,) if isinstance(stop, str) else tuple(stop or ()) if isinstance(stop, Iterable | None) else (stop,)
    if any(not isinstance(text, str) or not text for text in texts):
        raise ArgumentError(f"stop: expected a text or several texts, got {stop!r}", argument="stop")
    return texts


def _read_style(instruct: Any) -> str | None:
    """Return the style of the instructions; ``None`` for those that a mode needs. Raises ArgumentError."""
    style: str | None = "schema" if instruct is True else instruct or None
    if style is not None:
        check_style(style, "instruct")
    return style


def _make_plan_key(form: Any) -> Any:
    """Return the key under which the plans of a form are kept; ``None`` if it has none."""
    if isinstance(form, dict | bool):
        return json.dumps(form, sort_keys=False, default=str)
    try:
        hash(form)
    except TypeError:
        return None
    return type(form), form


def add_seed(options: Mapping[str, Any], seed: int | None, number: int) -> dict[str, Any]:
    """Return the options of one of many texts; each text has its own seed, ``seed + number``."""
    return {**options, "seed": None if seed is None else seed + number}
