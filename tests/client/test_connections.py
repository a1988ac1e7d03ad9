"""URLs, headers, proxies and certificates that cannot be used are typed errors which name the argument."""

from __future__ import annotations

import gc
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

import formwright as fw
from formwright.errors import ArgumentError, RequestFailed

from .conftest import Driven
from .scripted import Scripted, chat, ok

URL = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    "url",
    ["", "api", "ftp://host/v1", "http://", "http://[::1", "http://host:port/v1", "http://host:99999", None, 7, b""],
)
def test_what_is_not_a_url(url: Any, is_async: bool) -> None:
    with pytest.raises(ArgumentError) as caught:
        fw.connect(url, "m", asynchronous=is_async)
    assert caught.value.argument == "base_url"


@pytest.mark.parametrize(
    "option",
    [
        {"http": "http://proxy:1"},
        {"headers": ["a"]},
        {"headers": {"a": 7}},
        {"headers": {"a b": "c"}},
        {"headers": {"a": "secret\r\nb: c"}},
        {"headers": {"a": "sécret"}},
        {"timeout": "soon"},
        {"timeout": 0},
        {"timeout": float("nan")},
        {"max_bytes": -1},
        {"model": None},
        {"model": ""},
        {"model": ["m"]},
    ],
    ids=str,
)
def test_arguments_that_cannot_be_used(option: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError) as caught:
        fw.connect(**{"base_url": URL, "model": "m"} | option)
    assert caught.value.argument in option
    assert "secret" not in repr(caught.value)


@pytest.mark.parametrize("is_async", [False, True])
def test_a_client_of_the_other_kind(is_async: bool) -> None:
    client = httpx.Client() if is_async else httpx.AsyncClient()
    with pytest.raises(ArgumentError, match="http: expected") as caught:
        fw.connect(URL, "m", asynchronous=is_async, http=client)
    assert caught.value.argument == "http"


@pytest.mark.parametrize(
    ("name", "value"),
    [("HTTP_PROXY", "http://host:port"), ("ALL_PROXY", "gopher://host:1"), ("SSL_CERT_FILE", "{}/empty.pem")],
)
def test_proxies_and_certificates_of_the_environment(
    driven: Driven, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str
) -> None:
    (tmp_path / "empty.pem").write_text("this is not a certificate")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv(name, value.format(tmp_path))
    with pytest.raises(RequestFailed, match="proxies and certificates") as caught:
        driven.connect(URL).generate("Hi", int)
    assert "HTTPS_PROXY" in (caught.value.hint or "")


def test_threads_share_one_client(scripted: Callable[..., Scripted], monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[httpx.Client]()

    class Slow(httpx.Client):
        def __init__(self, **options: Any) -> None:
            made.append(self)
            time.sleep(0.05)  # time for the other threads to find no client, too
            super().__init__(**options)

    monkeypatch.setattr(httpx, "Client", Slow)
    with fw.connect(scripted(ok(chat("7"))).url, "m") as model:
        found = model.generate_many(["Hi"] * 8, int, mode="instructions")
    assert [result.value for result in found if isinstance(result, fw.Complete)] == [7] * 8
    assert [client.is_closed for client in made] == [True]


def test_a_model_that_is_collected_closes_its_connections(scripted: Callable[..., Scripted]) -> None:
    server = scripted(ok(chat("7")))
    model = fw.connect(server.url, "m")
    assert model.generate("Hi", int, mode="instructions").value == 7
    (connection,) = (found for found in gc.get_objects() if isinstance(found, socket.socket) and _is_to(found, server))
    cycle: list[Any] = [connection, [[[model]]]]
    cycle.append(cycle)
    gc.collect()  # from now on the collector comes to the connection before it comes to the model
    del model, connection, cycle
    gc.collect()  # a connection that is still open would warn


def _is_to(connection: socket.socket, server: Scripted) -> bool:
    if connection.family == socket.AF_UNIX:
        return False
    try:
        return server.url.endswith(f":{connection.getpeername()[1]}/v1")
    except OSError:  # it is closed, or it listens
        return False
