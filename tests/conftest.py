"""What several tests share: vocabularies, a toy model, the place of the data files."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import toys
from hypothesis import HealthCheck, settings

import formwright as fw

ROOT = Path(__file__).parent.parent

settings.register_profile("default", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", parent=settings.get_profile("default"), max_examples=2000)
settings.register_profile("quick", parent=settings.get_profile("default"), max_examples=20)


def pytest_configure(config: pytest.Config) -> None:
    """Where slow tests are left out, properties are tried on few examples too."""
    usual = "quick" if config.option.markexpr == "not slow" else "default"
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", usual))


@pytest.fixture
def toy() -> Callable[..., toys.ToyRuntime]:
    return toys.ToyRuntime


@pytest.fixture(scope="session", autouse=True)
def authorities_read_once() -> Iterator[None]:
    """Reading the certificates of all authorities, for each client anew, takes longer than most tests of clients."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))
        yield


@pytest.fixture(scope="session")
def byte_vocabulary() -> fw.Vocabulary:
    return toys.byte_vocabulary()


@pytest.fixture(scope="session")
def word_vocabulary() -> fw.Vocabulary:
    """Every byte and some longer tokens, with a gap, a control token and two ends of text."""
    words = [b'{"', b'":', b'",', b'"}', b"true", b"false", b"null", b"yes", b"no", b"  ", b"12", "é".encode(), b"ab"]
    tokens = [None, None, None, *(bytes([byte]) for byte in range(256)), *words, None]
    return fw.Vocabulary(tokens, eos_token_ids=[0, 1], special_tokens={"</s>": 0, "<|end|>": 1, "<pad>": 2})


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of large data files that are not part of the repository."""
    folder = Path(os.environ.get("FORMWRIGHT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no data files: set FORMWRIGHT_DATA to the folder that holds them")
    return folder


@pytest.fixture(scope="session")
def tiny() -> fw.models.LocalModel:
    """The embedded model."""
    return fw.load("formwright-tiny")


@pytest.fixture(scope="session")
def tekken() -> Any:
    """A real tokenizer of 131,072 tokens, from the files that mistral-common ships."""
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

    return MistralTokenizer.v3(is_tekken=True).instruct_tokenizer.tokenizer


@pytest.fixture(scope="session")
def tekken_vocabulary(tekken: Any) -> fw.Vocabulary:
    return fw.Vocabulary.from_tokenizer(tekken)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless browser; skips where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def registrations(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test registers is known to this test only."""
    from formwright import tokenizers
    from formwright.client.plans.services import SERVICES
    from formwright.tools import STYLES, styles

    monkeypatch.setattr(tokenizers, "_REGISTERED", {})
    monkeypatch.setattr(styles, "_REGISTERED", [])
    with contextlib.suppress(ImportError):  # a provider of spans can be set once in the life of a process
        from opentelemetry import trace
        from opentelemetry.util._once import Once

        monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
        monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())
    tables: list[dict[str, Any]] = [SERVICES, STYLES]
    known = [dict(table) for table in tables]
    yield
    for table, rows in zip(tables, known, strict=True):
        table.clear()
        table.update(rows)


@pytest.fixture
def spans(registrations: None) -> Callable[[], list[Any]]:
    """The spans of OpenTelemetry that have ended since it was asked last, in the order of their ends."""
    pytest.importorskip("opentelemetry.sdk", reason="opentelemetry-sdk is not installed")
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)

    def take() -> list[Any]:
        found = list(exporter.get_finished_spans())
        exporter.clear()
        return found

    return take
