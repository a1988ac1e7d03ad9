"""URLs, headers, proxies and certificates that cannot be used are typed errors which name the argument."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

import formwright as fw
from formwright.errors import ArgumentError, RequestFailed

from .conftest import Driven

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
    with pytest.raises(ArgumentError, match="not") as caught:
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
