"""Add the parameters of Instructor to any SDK client, for structured output.

::

    client = fw.patch(OpenAI())
    user = client.chat.completions.create(
        model="gpt-5-mini",
        response_model=User,
        messages=[{"role": "user", "content": "Ada is 36 years old."}],
        max_retries=2,
    )

The client itself is not changed: the result is a wrapper that forwards all other attributes. A call without
``response_model`` is passed on unchanged.

As in Instructor, ``max_retries=N`` means one request and up to N more. A truncated answer is requested again with twice
the tokens, never with the same number.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Self, get_args, get_origin

from formwright._extras import needs
from formwright.client.flow.async_items import ItemsAsync, make_array_form
from formwright.client.hooks import Hooks, check_hooks
from formwright.client.instructor.partials import construct
from formwright.client.transport.drivers import Arriving, ArrivingAsync, run, run_async
from formwright.conversations.jinja import render_messages
from formwright.errors import ArgumentError
from formwright.generation.items import Items

with needs("client", "a patched client"):
    from pydantic import BaseModel, Field, create_model

__all__ = ["AsyncCreate", "Create", "Maybe", "Wrapper"]

RETRIES = 3
"""How often a wrong answer is requested again by default."""

_FORM_FIELDS: Final = ("response_format", "tools", "tool_choice", "functions", "function_call", "text")
"""Fields of a request that this module fills in from ``response_model``."""

_FORM_ARGUMENTS: Final = (
    "context",
    "validation_context",
    "hooks",
    "token_budget",
    "mode",
    "strict",
    "max_retries",
    "instruct",
)
"""Arguments that need ``response_model``."""

OF_A_CALL: Final = ("messages", "input", "response_model", "stream", *_FORM_FIELDS)
"""Arguments that cannot have a default, since they differ for each call."""

_TOKEN_LIMITS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens")


class _CreateBase:
    """What `Create` and `AsyncCreate` have in common.

    Args:
        model: Sends the requests.
        create: The function of the client, for calls without a form.
        messages: The parameter that holds the conversation: ``"messages"``, or ``"input"``.
        hooks: Functions that are called at the events of every call.
        default: The name of the model for calls that do not give one.
        defaults: Further arguments of calls that do not give them.
    """

    def __init__(
        self,
        model: Any,
        create: Callable[..., Any],
        messages: str,
        hooks: Hooks,
        default: str | None,
        defaults: Mapping[str, Any],
    ) -> None:
        self._model, self._create, self._messages = model, create, messages
        self.hooks, self._default, self._defaults = hooks, default, defaults

    def _make_flow(self, response_model: Any, given: dict[str, Any], *, is_stream: bool = False) -> Any:
        """Make the flow of a call, and its transport."""
        given = {**self._defaults, **{field: value for field, value in given.items() if value is not None}}
        name = given.pop("model", None) or self._default
        if not isinstance(name, str):
            raise ArgumentError(
                "there is no model", hint='pass model="..." to the call, or to fw.patch', argument="model"
            )
        _check_arguments(response_model, given)
        context, hooks, mode = _take_context(given), _take_hooks(given), given.pop("mode", None)
        instruct = given.pop("instruct", False)
        messages = render_messages(_read_conversation(given.pop(self._messages, None), self._messages), context)
        retries = given.pop("max_retries", 0 if is_stream else RETRIES)
        options = {"max_retries": retries, "token_budget": given.pop("token_budget", None)}
        bound = next((field for field in _TOKEN_LIMITS if given.get(field) is not None), None)
        if bound is not None:
            options["max_tokens"] = given.pop(bound)
        flow = replace(self._model, name=name)._make_flow(
            messages,
            response_model,
            {**options, "context": context, "mode": mode, "instruct": instruct},
            is_stream=is_stream,
            emit=(self.hooks + hooks).emit,
            max_tokens_name=bound,
            extra=given,
        )
        return flow, self._model.transport.pass_through(given)

    def _pass_through(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call without a form. Refuse those that only make sense with a form."""
        if guilty := next((name for name in _FORM_ARGUMENTS if given.get(name) is not None), None):
            raise ArgumentError(f"{guilty}= has no meaning without response_model=", argument=guilty)
        named = {} if self._default is None else {"model": self._default}
        named |= {name: value for name, value in self._defaults.items() if name not in _FORM_ARGUMENTS}
        return named | {name: value for name, value in given.items() if name not in _FORM_ARGUMENTS}

    def _make_stream_flow(self, response_model: Any, max_retries: Any, given: dict[str, Any]) -> Any:
        """Make the flow of a call whose answer is streamed, and its transport."""
        given.pop("stream", None)
        return self._make_flow(response_model, {**given, "max_retries": max_retries}, is_stream=True)


class Create(_CreateBase):
    """``create`` of a patched client, with the other calls of Instructor."""

    def __call__(self, *, response_model: Any = None, max_retries: Any = None, **given: Any) -> Any:
        """Return the value of a call, of type ``response_model``; without it, what the client itself returns.

        Args:
            response_model: Anything `formwright.form` takes; ``Iterable[T]`` is a list of ``T``.
            max_retries: How often to ask again after a wrong answer, or a ``Retrying`` of tenacity; 3 by default. For a
                stream 0, since it can be requested again only before its first piece is shown.
            **given: ``context`` (or ``validation_context``), ``hooks``, ``token_budget``, ``mode``, and what the
                client's own ``create`` takes.

        Raises:
            AttemptsExhausted, OutputInvalid, OutputTruncated, Refused, RequestFailed, LimitExceeded: See
                `formwright.client.RemoteModel.generate`.
            ArgumentError: A parameter cannot be combined with ``response_model``.
        """
        if response_model is None:
            return self._create(**self._pass_through({**given, "max_retries": max_retries}))
        if given.pop("stream", False):
            return self._open_stream(response_model, max_retries, given)
        return self._request_value(response_model, max_retries, given).value

    def create_with_completion(self, *, response_model: Any, max_retries: Any = None, **given: Any) -> tuple[Any, Any]:
        """Return the value, and the client's answer that it was read from."""
        result = self._request_value(response_model, max_retries, given)
        return result.value, result.exchange.raw

    def create_partial(self, *, response_model: Any, max_retries: Any = None, **given: Any) -> Iterator[Any]:
        """Give the value while it arrives: objects with ``None`` for what is missing; the last one is validated."""
        stream = Arriving[Any](*self._make_stream_flow(response_model, max_retries, given))
        return _iterate_partials(stream, response_model)

    def create_iterable(self, *, response_model: Any, max_retries: Any = None, **given: Any) -> Iterator[Any]:
        """Give the items of a list, each validated as soon as it is complete."""
        form = None if response_model is None else make_array_form(_find_item_type(response_model) or response_model)
        stream = Arriving[Any](*self._make_stream_flow(form, max_retries, given))
        return _iterate_items(Items(stream))  # type: ignore[arg-type]

    def _open_stream(self, response_model: Any, max_retries: Any, given: dict[str, Any]) -> Iterator[Any]:
        item = _find_item_type(response_model)
        if item is not None:
            return self.create_iterable(response_model=item, max_retries=max_retries, **given)
        return self.create_partial(response_model=response_model, max_retries=max_retries, **given)

    def _request_value(self, response_model: Any, max_retries: Any, given: dict[str, Any]) -> Any:
        flow, transport = self._make_flow(_find_form(response_model), {**given, "max_retries": max_retries})
        result = run(flow, transport, self._model.cache)
        _attach_answer(result.value, result.exchange.raw)
        return result


class AsyncCreate(_CreateBase):
    """The same for an async client: calls are awaited, and what they stream is iterated over with ``async for``."""

    async def __call__(self, *, response_model: Any = None, max_retries: Any = None, **given: Any) -> Any:
        """Return the value of a call; see `Create`."""
        if response_model is None:
            return await self._create(**self._pass_through({**given, "max_retries": max_retries}))
        if given.pop("stream", False):
            return self._open_stream(response_model, max_retries, given)
        value = (await self._request_value(response_model, max_retries, given)).value
        return value if _find_item_type(response_model) is None else AsyncList(value)

    async def create_with_completion(
        self, *, response_model: Any, max_retries: Any = None, **given: Any
    ) -> tuple[Any, Any]:
        """Return the value, and the client's answer that it was read from."""
        result = await self._request_value(response_model, max_retries, given)
        return result.value, result.exchange.raw

    def create_partial(self, *, response_model: Any, max_retries: Any = None, **given: Any) -> AsyncValues:
        """Give the value while it arrives; see `Create.create_partial`."""
        stream = ArrivingAsync[Any](*self._make_stream_flow(response_model, max_retries, given))
        return AsyncValues(_iterate_partials_async(stream, response_model))

    def create_iterable(self, *, response_model: Any, max_retries: Any = None, **given: Any) -> AsyncValues:
        """Give the items of a list; see `Create.create_iterable`."""
        form = None if response_model is None else make_array_form(_find_item_type(response_model) or response_model)
        stream = ArrivingAsync[Any](*self._make_stream_flow(form, max_retries, given))
        return AsyncValues(_iterate_items_async(ItemsAsync(stream)))

    def _open_stream(self, response_model: Any, max_retries: Any, given: dict[str, Any]) -> AsyncValues:
        item = _find_item_type(response_model)
        if item is not None:
            return self.create_iterable(response_model=item, max_retries=max_retries, **given)
        return self.create_partial(response_model=response_model, max_retries=max_retries, **given)

    async def _request_value(self, response_model: Any, max_retries: Any, given: dict[str, Any]) -> Any:
        flow, transport = self._make_flow(_find_form(response_model), {**given, "max_retries": max_retries})
        result = await run_async(flow, transport, self._model.cache)
        _attach_answer(result.value, result.exchange.raw)
        return result


class AsyncValues:
    """Values as they arrive: ``async for value in values``, also after ``values = await values``."""

    def __init__(self, values: AsyncGenerator[Any, None]) -> None:
        self._values = values

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        return await anext(self._values)

    def __await__(self) -> Generator[Any, None, Self]:
        return self._return_self().__await__()

    async def _return_self(self) -> Self:
        return self

    async def aclose(self) -> None:
        """Close the stream."""
        await self._values.aclose()


class AsyncList(list[Any]):
    """The value of ``Iterable[T]``: a list, over which ``async for`` iterates too."""

    async def __aiter__(self) -> AsyncIterator[Any]:
        for value in self:
            yield value


class Wrapper:
    """An object of an SDK whose ``create`` functions are replaced; all else is the object's own."""

    def __init__(self, target: Any, replaced: Mapping[tuple[str, ...], Any], hooks: Hooks) -> None:
        self._target, self._replaced, self.hooks = target, replaced, hooks

    def __getattr__(self, name: str) -> Any:
        if name in ("_target", "_replaced"):  # a copy under construction has no attributes yet
            raise AttributeError(name)
        inner = {path[1:]: call for path, call in self._replaced.items() if path[0] == name}
        if () in inner:
            return inner[()]
        own = getattr(self._target, name)
        return Wrapper(own, inner, self.hooks) if inner else own

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._target), *(path[0] for path in self._replaced)})

    def on(self, event: Any, function: Callable[..., Any]) -> None:
        """Call a function at an event; see `formwright.client.hooks`."""
        self.hooks.on(event, function)

    def off(self, event: Any, function: Callable[..., Any]) -> None:
        """Stop calling a function at an event."""
        self.hooks.off(event, function)

    def clear(self, event: Any = None) -> None:
        """Forget the functions of an event, or all of them."""
        self.hooks.clear(event)

    def __enter__(self) -> Wrapper:
        self._target.__enter__()
        return self

    def __exit__(self, *about: Any) -> None:
        self._target.__exit__(*about)

    async def __aenter__(self) -> Wrapper:
        await self._target.__aenter__()
        return self

    async def __aexit__(self, *about: Any) -> None:
        await self._target.__aexit__(*about)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({type(self._target).__name__})"


class _Maybe(BaseModel):
    def __bool__(self) -> bool:
        return getattr(self, "result", None) is not None


def Maybe(type_: Any) -> type[BaseModel]:  # noqa: N802 (as it is called elsewhere)
    """A value that may be missing: ``result``, or ``error`` and a ``message`` that says why; true if it exists."""
    name = getattr(type_, "__name__", "Value")
    return create_model(
        f"Maybe{name}",
        __base__=_Maybe,
        __doc__=f"A {name}, or why there is none.",
        result=(type_ | None, Field(default=None, description="The value, if the text has it.")),
        error=(bool, Field(default=False, description="Whether the text does not have it.")),
        message=(str | None, Field(default=None, description="Why there is no value.")),
    )


def _check_arguments(response_model: Any, given: dict[str, Any]) -> None:
    """Refuse arguments that cannot be combined with a form. Raises ArgumentError."""
    if response_model is None:
        raise ArgumentError("there is no response_model", hint="pass a type", argument="response_model")
    if guilty := next((field for field in _FORM_FIELDS if given.get(field) is not None), None):
        raise ArgumentError(
            f"{guilty}= cannot be combined with response_model=, which fills it in",
            hint="leave out one of them",
            argument=guilty,
        )
    if given.pop("strict", None) not in (None, True):
        raise ArgumentError(
            "strict=False has no meaning here: a text conforms or it does not",
            hint="declare what may come, such as int | str",
            argument="strict",
        )
    if given.pop("n", 1) not in (None, 1):
        raise ArgumentError("n= cannot be combined with response_model=: there is one value", argument="n")


def _take_context(given: dict[str, Any]) -> Any:
    """Take the context of validators and templates, which has two names. Raises ArgumentError."""
    context, older = given.pop("context", None), given.pop("validation_context", None)
    if context is not None and older is not None:
        raise ArgumentError("context= and validation_context= are the same", argument="validation_context")
    return older if context is None else context


def _take_hooks(given: dict[str, Any]) -> Hooks:
    """Take the hooks of one call. Raises ArgumentError."""
    return check_hooks(given.pop("hooks", None))


def _read_conversation(messages: Any, name: str) -> Sequence[Mapping[str, Any]]:
    """Turn messages into mappings; an SDK's messages are objects."""
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    if isinstance(messages, Mapping) or not isinstance(messages, Sequence):
        raise ArgumentError(f"{name}: expected a list of messages, got {type(messages).__name__}", argument=name)
    return [
        message.model_dump(exclude_none=True) if hasattr(message, "model_dump") else message for message in messages
    ]


def _find_item_type(response_model: Any) -> Any:
    """``T`` of ``Iterable[T]``; ``None`` for everything else."""
    origin = get_origin(response_model)
    return get_args(response_model)[0] if origin is Iterable else None


def _find_form(response_model: Any) -> Any:
    item: Any = _find_item_type(response_model)
    return response_model if item is None else list[item]


def _attach_answer(value: Any, raw: Any) -> None:
    """Attach the answer to the value, where users of Instructor look for it."""
    if isinstance(value, BaseModel):
        object.__setattr__(value, "_raw_response", raw)


def _iterate_partials(stream: Arriving[Any], type_: Any) -> Iterator[Any]:
    with stream:
        for piece in stream:
            yield construct(type_, piece.partial._plain())
        yield stream.result.value


async def _iterate_partials_async(stream: ArrivingAsync[Any], type_: Any) -> AsyncGenerator[Any, None]:
    async with stream:
        async for piece in stream:
            yield construct(type_, piece.partial._plain())
        yield stream.result.value


def _iterate_items(items: Items[Any, Any]) -> Iterator[Any]:
    with items:
        yield from items


async def _iterate_items_async(items: ItemsAsync[Any]) -> AsyncGenerator[Any, None]:
    async with items:
        async for item in items:
            yield item
