"""Make a remote model from a URL or an SDK's client, or a client whose calls take more arguments."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, overload

from formwright.client.async_model import AsyncRemoteModel
from formwright.client.hooks import Hooks, check_hooks
from formwright.client.instructor.patch import OF_A_CALL, AsyncCreate, Create, Wrapper
from formwright.client.model import RemoteModel
from formwright.client.plans.services import SERVICES, Api, Service, find_service
from formwright.client.transport.cache import AnswerCache
from formwright.client.transport.http import AsyncHttpTransport, Endpoint, HttpTransport
from formwright.client.transport.sdk import AsyncSdkTransport, SdkTransport, find_creates, is_async
from formwright.client.wires import WIRES
from formwright.errors import ArgumentError
from formwright.generation.result import Mode

__all__ = ["connect", "from_openai", "patch"]


@overload
def connect(
    base_url: str,
    model: str,
    *,
    asynchronous: Literal[False] = False,
    api_key: str | None = None,
    api: Api | None = None,
    mode: Mode | Literal["auto"] = "auto",
    service: str | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float = 600.0,
    request_retries: int = 2,
    max_bytes: int = 1 << 26,
    cache: AnswerCache | None = None,
    hooks: Hooks | None = None,
    http: Any = None,
) -> RemoteModel: ...
@overload
def connect(
    base_url: str,
    model: str,
    *,
    asynchronous: Literal[True],
    api_key: str | None = None,
    api: Api | None = None,
    mode: Mode | Literal["auto"] = "auto",
    service: str | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float = 600.0,
    request_retries: int = 2,
    max_bytes: int = 1 << 26,
    cache: AnswerCache | None = None,
    hooks: Hooks | None = None,
    http: Any = None,
) -> AsyncRemoteModel: ...
def connect(
    base_url: str,
    model: str,
    *,
    asynchronous: bool = False,
    api_key: str | None = None,
    api: Api | None = None,
    mode: Mode | Literal["auto"] = "auto",
    service: str | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float = 600.0,
    request_retries: int = 2,
    max_bytes: int = 1 << 26,
    cache: AnswerCache | None = None,
    hooks: Hooks | None = None,
    http: Any = None,
) -> RemoteModel | AsyncRemoteModel:
    """Make a model from a URL. Nothing is sent yet.

    Args:
        base_url: The root of the API, such as ``https://api.openai.com/v1``.
        model: The name of the model there.
        asynchronous: Whether to give an `AsyncRemoteModel`, whose methods are awaited.
        api_key: The key. Without it, that of the variable which the service's own SDK reads, such as
            ``OPENAI_API_KEY`` for the hosts of OpenAI only; elsewhere ``FORMWRIGHT_API_KEY``.
        api: ``"openai"`` (chat completions), ``"responses"``, ``"anthropic"`` (Messages) or ``"gemini"``
            (generateContent); ``None`` is that of the host.
        mode: How forms are requested: ``"strict"``, ``"tools"``, ``"json_object"`` or ``"instructions"``;
            ``"auto"`` tries them in this order.
        service: The name of the service, such as ``"openai"`` or ``"deepseek"``, if the host does not identify it,
            as with a proxy.
        headers: More headers for every request.
        timeout: Seconds that the service may be silent.
        request_retries: How often to send a request again after a temporary failure.
        max_bytes: Bytes of one answer at most.
        cache: A cache of answers.
        hooks: Functions that are called at the events of each request.
        http: An ``httpx.Client`` (or ``AsyncClient``) of your own, for proxies and certificates.

    Raises:
        ArgumentError: ``base_url`` is not a URL; there is no such API, mode or service; another argument is wrong.
        MissingDependency: formwright[client] is not installed.
    """
    _check_name(model)
    Endpoint(base_url)  # which refuses what is not a URL, before anything is read from it
    if headers is not None and not isinstance(headers, Mapping):
        raise ArgumentError(f"headers: expected a mapping, got {type(headers).__name__}", argument="headers")
    row = _find_service(service, base_url, api)
    wire_name = api or (row.name if row.name in WIRES else "openai")
    if wire_name not in WIRES:
        raise ArgumentError(f"there is no API {api!r}", hint=f"there are {', '.join(map(repr, WIRES))}", argument="api")
    if cache is not None and not isinstance(cache, AnswerCache):
        raise ArgumentError(f"cache: expected an AnswerCache, got {type(cache).__name__}", argument="cache")
    key = _find_key(api_key, base_url)
    endpoint = Endpoint(base_url, {**_make_credentials(wire_name, key), **(headers or {})}, timeout, max_bytes, key)
    options: dict[str, Any] = {
        "name": model,
        "service": row,
        "api": wire_name,
        "mode": mode,
        "request_retries": request_retries,
        "max_bytes": max_bytes,
        "cache": cache,
        "hooks": check_hooks(hooks),
        "where": endpoint.host,
        "address": endpoint.address,
        "identity": f"{endpoint.host} {base_url.rpartition('@')[2]}",
    }
    if asynchronous:
        return AsyncRemoteModel(**options, transport=AsyncHttpTransport(endpoint, http))
    return RemoteModel(**options, transport=HttpTransport(endpoint, http))


def from_openai(
    client: Any,
    model: str,
    *,
    api: Literal["openai", "responses"] = "openai",
    mode: Mode | Literal["auto"] = "auto",
    service: str | None = None,
    cache: AnswerCache | None = None,
    hooks: Hooks | None = None,
    **more: Any,
) -> Any:
    """Make a model that sends its requests through a client object of an SDK, which is not changed.

    Args:
        client: ``OpenAI``, ``AzureOpenAI``, their async ones, or any object with ``chat.completions.create``.
        model: The name of the model.
        api: ``"openai"`` (chat completions) or ``"responses"``.
        mode: How forms are requested: ``"strict"``, ``"tools"``, ``"json_object"`` or ``"instructions"``;
            ``"auto"`` tries them in this order.
        service: The name of the service, such as ``"azure"``, if the URL of the client does not identify it.
        cache: A cache of answers.
        hooks: Functions that are called at the events of each request.
        **more: Further arguments of ``create``, for every request.

    Returns:
        `RemoteModel`, or of an async client `AsyncRemoteModel`.

    Raises:
        ArgumentError: ``client`` is not a client; there is no such API, mode or service.
    """
    _check_name(model)
    known = check_hooks(hooks)
    found = _connect_functions(
        find_creates(client), client, model, api=api, mode=mode, service=service, cache=cache, more=more
    )
    return found if hooks is None else replace(found, hooks=known)


def patch(
    client: Any = None,
    *,
    create: Callable[..., Any] | None = None,
    mode: Mode | Literal["auto"] = "auto",
    model: str | None = None,
    service: str | None = None,
    hooks: Hooks | None = None,
    cache: AnswerCache | None = None,
    **defaults: Any,
) -> Any:
    """Wrap a client object so that its calls take ``response_model`` and ``max_retries``, as with Instructor.

    Args:
        client: ``OpenAI``, ``AzureOpenAI``, their async ones, or any object with ``chat.completions.create``.
        create: A function in place of a client: it takes the arguments of ``chat.completions.create``.
        mode: How forms are requested: ``"strict"``, ``"tools"``, ``"json_object"`` or ``"instructions"``;
            ``"auto"`` tries them in this order.
        model: The model for calls that do not name one.
        service: The name of the service, such as ``"azure"``, if the URL of the client does not identify it.
        hooks: Functions that are called at the events of each request.
        cache: A cache of answers.
        **defaults: Further arguments of ``create``, for calls that do not give them, such as ``temperature=0``.

    Returns:
        A wrapper of the client, which is not changed; of a function, a function that takes the same arguments.

    Raises:
        ArgumentError: Not exactly one of ``client`` and ``create`` is given; there is no such mode or service; or a
            default can only be given to a call.
    """
    if guilty := next((name for name in OF_A_CALL if name in defaults), None):
        raise ArgumentError(f"{guilty}= is an argument of each call, not of fw.patch", argument=guilty)
    if (client is None) == (create is None):
        raise ArgumentError("pass a client, or create=, and not both", argument="client")
    if create is not None and not callable(create):
        raise ArgumentError(f"create: expected a function, got {type(create).__name__}", argument="create")
    known = check_hooks(hooks)
    creates = find_creates(client) if create is None else {"chat/completions": create}
    replaced: dict[tuple[str, ...], Any] = {}
    for path, function in creates.items():
        is_chat = path == "chat/completions"
        api = "openai" if is_chat else "responses"
        remote = _connect_functions(
            {path: function}, client, model or "", api=api, mode=mode, service=service, cache=cache
        )
        kind = AsyncCreate if isinstance(remote, AsyncRemoteModel) else Create
        call = kind(remote, function, "messages" if is_chat else "input", known, model, defaults)
        for name in ("create", "create_partial", "create_iterable", "create_with_completion"):
            method = call if name == "create" else getattr(call, name)
            replaced[*path.split("/"), name] = method
            if is_chat:  # where Instructor has them too
                replaced[name,] = method
    return Wrapper(client, replaced, known) if create is None else replaced["create",]


def _connect_functions(
    creates: Mapping[str, Callable[..., Any]],
    client: Any,
    model: str,
    *,
    api: str,
    mode: str,
    service: str | None,
    cache: AnswerCache | None,
    more: Mapping[str, Any] | None = None,
) -> RemoteModel | AsyncRemoteModel:
    """Make a model that calls the functions of a client object, which repeats failed requests by itself."""
    base_url = str(getattr(client, "base_url", ""))
    is_azure = "Azure" in type(client).__name__
    row = _find_service(service or ("azure" if is_azure else None), base_url, api)
    endpoint = Endpoint(base_url) if base_url.startswith("http") else None
    where = type(client).__name__ if endpoint is None else endpoint.host
    options: dict[str, Any] = {"name": model, "service": row, "api": api, "mode": mode, "cache": cache}
    identity = f"{base_url.rpartition('@')[2]} {json.dumps(more or {}, sort_keys=True, default=repr)}"
    if client is None:  # only its name distinguishes a function from others
        identity = next(f"{create.__module__}.{create.__qualname__}" for create in creates.values())
    options |= {"request_retries": 0, "where": where, "identity": identity}
    options["address"] = None if endpoint is None else endpoint.address
    if is_async(next(iter(creates.values()))):
        return AsyncRemoteModel(**options, transport=AsyncSdkTransport(creates, more))
    return RemoteModel(**options, transport=SdkTransport(creates, more))


def _check_name(model: Any) -> None:
    """Refuse what cannot be the name of a model. Raises ArgumentError."""
    if not isinstance(model, str) or not model:
        raise ArgumentError(f"model: expected the name of a model, got {model!r}", argument="model")


def _find_service(name: str | None, base_url: str, api: str | None) -> Service:
    """Find a service by its name, or else by its URL. Raises ArgumentError."""
    if name is None:
        return find_service(base_url, api or "openai")
    if name not in SERVICES:
        raise ArgumentError(
            f"there is no service {name!r}", hint=f"there are {', '.join(map(repr, SERVICES))}", argument="service"
        )
    return SERVICES[name]


def _find_key(given: str | None, base_url: str) -> str:
    """Return the given key, or that in the environment variable of the service at this host."""
    key = given if given is not None else os.environ.get(find_service(base_url, "openai").key, "")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ArgumentError(
            "the key has characters that no header can have",
            hint="look for a line break or a space at its end",
            argument="api_key",
        )
    return key


def _make_credentials(api: str, key: str) -> dict[str, str]:
    """Put the key into the headers that an API reads."""
    if api == "anthropic":
        return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}
    if not key:
        return {}
    return {"x-goog-api-key": key} if api == "gemini" else {"authorization": f"Bearer {key}"}
