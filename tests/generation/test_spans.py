"""What spans record, and what they leave out; those of models are in the tests of the models."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

import formwright as fw
from formwright.generation import spans as module
from formwright.generation.result import Usage
from formwright.generation.spans import Generation, GenerationSpan, RowSpans, span_of_generation

trace = pytest.importorskip("opentelemetry.trace", reason="formwright[otel] is not installed")

Spans = Callable[[], list[Any]]


class Letters(fw.CharacterParser):
    """A parser of the one text ``a``."""

    def __init__(self, left: str = "a") -> None:
        self.left = left

    def allowed_characters(self) -> str:
        return self.left

    def add_character(self, character: str) -> Letters:
        return Letters("")

    def can_end(self) -> bool:
        return not self.left


def attributes(spans: Spans, **described: Any) -> dict[str, Any]:
    with span_of_generation(Generation(**described)):
        pass
    [span] = spans()
    return dict(span.attributes)


def test_only_numbers_that_exporters_can_write_are_recorded(spans: Spans) -> None:
    settings = {"seed": 1 << 63, "top_k": "many", "top_p": True, "temperature": None, "max_tokens": 7}
    found = attributes(spans, settings=settings)
    assert {name for name in found if name.startswith("gen_ai.request")} == {"gen_ai.request.max_tokens"}


def test_a_form_that_holds_code_has_no_digest(spans: Spans) -> None:
    found = attributes(spans, form=fw.form(Letters()))
    assert "formwright.form.digest" not in found
    assert found["gen_ai.output.type"] == "text"


def test_equal_languages_have_one_digest() -> None:
    assert fw.choice("a", "b").digest == fw.choice("a", "b").named("c").digest != fw.choice("a", "c").digest


def test_tokens_that_nobody_has_counted_are_not_recorded(spans: Spans) -> None:
    with span_of_generation(Generation()) as span:
        span.record_usage(Usage())
    assert not any("usage" in name for name in spans()[0].attributes)


def test_what_is_interrupted_ends_without_an_error(spans: Spans) -> None:
    with pytest.raises(KeyboardInterrupt), span_of_generation(Generation()):
        raise KeyboardInterrupt
    [span] = spans()
    assert (span.status.status_code, span.end_time is None) == (trace.StatusCode.UNSET, False)


def test_a_sampler_sees_who_is_asked_for_what(spans: Spans) -> None:
    from opentelemetry.sdk.trace import sampling

    seen: list[Any] = []

    class Never(sampling.Sampler):
        def should_sample(self, *args: Any, **more: Any) -> sampling.SamplingResult:
            seen.append(args[4])
            return sampling.SamplingResult(sampling.Decision.DROP)

        def get_description(self) -> str:
            return "never"

    trace.get_tracer_provider().sampler = Never()
    with span_of_generation(Generation(model="m", address=("host", 80))) as span, span.activate():
        assert not span.is_recording
        span.record_form(fw.choice("a"))
    assert seen[0]["gen_ai.request.model"] == "m"
    assert seen[0]["server.port"] == 80
    assert spans() == []


def test_without_the_package_nothing_is_recorded(spans: Spans, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    module._find_api.cache_clear()
    try:
        rows = RowSpans(Generation())
        with rows, span_of_generation(Generation(), [(b"traceparent", b"")]) as span, span.activate():
            for each in (span, rows.begin(0), GenerationSpan()):
                each.record_model(Generation())
                each.record_form(fw.choice("a"))
                each.record_retry(KeyError)
                each.record_error(KeyError())
                each.record_status(500)
                assert not each.is_recording
    finally:
        module._find_api.cache_clear()
    assert spans() == []
