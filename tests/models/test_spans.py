"""Each generation of a model that runs here has a span of OpenTelemetry, however it ends."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel, field_validator

import formwright as fw

trace = pytest.importorskip("opentelemetry.trace", reason="formwright[otel] is not installed")

PROMPT = "Ada is 36 years old."
Spans = Callable[[], list[Any]]


class Person(BaseModel):
    name: str
    age: int


class Elder(BaseModel):
    age: int

    @field_validator("age")
    @classmethod
    def is_old(cls, age: int) -> int:
        if age < 40:
            raise ValueError("too young")
        return age


def test_a_generation_is_described(spans: Spans, tiny: fw.models.LocalModel) -> None:
    result = tiny.generate(PROMPT, Person, max_tokens=np.int64(60), temperature=0.5, seed=7, top_k=5, top_p=1)
    [span] = spans()
    assert (span.name, span.kind) == ("chat formwright-tiny", trace.SpanKind.INTERNAL)
    assert span.status.status_code == trace.StatusCode.UNSET
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "formwright",
        "gen_ai.request.model": "formwright-tiny",
        "gen_ai.request.max_tokens": 60,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.top_k": 5,
        "gen_ai.request.seed": 7,
        "gen_ai.output.type": "json",
        "gen_ai.usage.input_tokens": result.prompt_tokens,
        "gen_ai.usage.output_tokens": len(result.token_ids),
        "gen_ai.response.finish_reasons": ("stop",),
        "formwright.form.digest": fw.form(Person).digest,
        "formwright.form.enforced_by": "kernel",
        "formwright.tokens.forced": result.forced_tokens,
    }


def test_what_a_trace_measures_is_told(spans: Spans, tiny: fw.models.LocalModel) -> None:
    result = tiny.generate(PROMPT, Person, trace=True)
    assert result.trace is not None
    [span] = spans()
    assert span.attributes["formwright.mass.allowed"] == result.trace.allowed_mass < 1


def test_a_text_that_is_cut_says_why(spans: Spans, tiny: fw.models.LocalModel) -> None:
    tiny.generate(PROMPT, Person, max_tokens=2, finish=False)
    tiny.generate(PROMPT, Person, cancel=lambda: True)
    assert [span.attributes["gen_ai.response.finish_reasons"] for span in spans()] == [("length",), ("cancel",)]


@pytest.mark.parametrize("options", [{"beams": 2}, {"fidelity": "smc"}, {"fidelity": "adaptive"}])
def test_a_search_has_one_span(spans: Spans, tiny: fw.models.LocalModel, options: Any) -> None:
    result = tiny.generate(PROMPT, bool, **options)
    [span] = spans()
    assert span.attributes["gen_ai.usage.output_tokens"] == len(result.token_ids)


def test_an_error_is_told_by_its_class_alone(spans: Spans, tiny: fw.models.LocalModel) -> None:
    with pytest.raises(fw.errors.LimitExceeded):
        tiny.generate(PROMPT, Person, max_tokens=1)
    with pytest.raises(fw.errors.OutputInvalid):
        tiny.generate(PROMPT, Elder, temperature=0)
    found = spans()
    assert [span.attributes["error.type"].rpartition(".")[2] for span in found] == ["LimitExceeded", "OutputInvalid"]
    assert all(span.status.status_code == trace.StatusCode.ERROR for span in found)
    assert all((span.events, span.status.description) == ((), None) for span in found)


def test_texts_that_are_written_again_are_events(spans: Spans, tiny: fw.models.LocalModel) -> None:
    assert tiny.generate(PROMPT, Elder, temperature=0, max_retries=50).value.age >= 40
    [span] = spans()
    assert {(event.name, event.attributes["error.type"]) for event in span.events} == {
        ("formwright.retry", "formwright.errors.OutputInvalid")
    }
    assert span.status.status_code == trace.StatusCode.UNSET


def test_a_stream_has_a_span_from_its_first_token(spans: Spans, tiny: fw.models.LocalModel) -> None:
    with tiny.stream(PROMPT, Person) as stream:
        for _ in stream:
            assert spans() == []
    [span] = spans()
    assert span.attributes["gen_ai.usage.output_tokens"] == len(stream.result.token_ids)
    assert span.attributes["gen_ai.response.finish_reasons"] == ("stop",)
    tiny.stream(PROMPT, Person).close()
    assert spans() == []


def test_a_stream_that_is_left_early_ends_its_span(spans: Spans, tiny: fw.models.LocalModel) -> None:
    with tiny.stream(PROMPT, Person) as stream:
        next(stream)
        assert not trace.get_current_span().is_recording(), "the caller goes on in its own context"
    [span] = spans()
    assert span.status.status_code == trace.StatusCode.UNSET
    assert span.attributes["gen_ai.usage.output_tokens"] >= 1
    assert "gen_ai.response.finish_reasons" not in span.attributes


def test_a_stream_of_an_event_loop_is_inside_the_span_of_its_task(spans: Spans, tiny: fw.models.LocalModel) -> None:
    async def read() -> None:
        with trace.get_tracer("test").start_as_current_span("caller"):
            async with tiny.stream(PROMPT, bool) as stream:
                async for _ in stream:
                    pass

    asyncio.run(read())
    inner, caller = spans()
    assert (inner.parent.span_id, caller.name) == (caller.context.span_id, "caller")


def test_an_error_in_a_stream_is_told(spans: Spans, tiny: fw.models.LocalModel) -> None:
    with pytest.raises(fw.errors.OutputInvalid):
        list(tiny.stream(PROMPT, Elder, temperature=0))
    [span] = spans()
    assert span.attributes["error.type"] == "formwright.errors.OutputInvalid"


def test_each_text_of_a_batch_has_a_span(spans: Spans, tiny: fw.models.LocalModel) -> None:
    prompts = [PROMPT, "Bob is 77 years old and lives in Oslo.", PROMPT]
    results = tiny.generate_many(prompts, [Person, Person, Elder], temperature=0)
    found = spans()
    assert [type(result) for result in results] == [fw.Complete, fw.Complete, fw.Failed]
    assert [span.attributes.get("gen_ai.usage.output_tokens") for span in found] == [
        len(result.token_ids) if isinstance(result, fw.Complete) else None for result in results
    ]
    assert [span.attributes.get("error.type") for span in found] == [None, None, "formwright.errors.OutputInvalid"]
    assert all(span.start_time < span.end_time for span in found)


def test_the_span_of_a_row_ends_with_its_text(spans: Spans, tiny: fw.models.LocalModel) -> None:
    tiny.generate_many([PROMPT, PROMPT], [bool, list[Person]], temperature=0, max_tokens=200)
    short, long = spans()
    assert short.end_time < long.end_time


def test_a_text_of_a_batch_that_is_written_again_has_one_span(spans: Spans, tiny: fw.models.LocalModel) -> None:
    [result] = tiny.generate_many([PROMPT], Elder, temperature=0, max_retries=50)
    assert isinstance(result, fw.Complete)
    [span] = spans()
    assert {(event.name, event.attributes["error.type"]) for event in span.events} == {
        ("formwright.retry", "formwright.errors.OutputInvalid")
    }
    assert "error.type" not in span.attributes


def test_a_batch_that_breaks_off_ends_its_spans(
    spans: Spans, tiny: fw.models.LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("formwright.generation.batch.Engine._turn", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tiny.generate_many([PROMPT], Person)
    [span] = spans()
    assert span.attributes["error.type"] == "ZeroDivisionError"


def test_spans_are_inside_that_of_the_caller(spans: Spans, tiny: fw.models.LocalModel) -> None:
    with trace.get_tracer("test").start_as_current_span("caller"):
        tiny.generate(PROMPT, bool)
        tiny.generate_many([PROMPT], bool)
        list(tiny.stream(PROMPT, bool))
    *inner, caller = spans()
    assert [span.parent.span_id for span in inner] == [caller.context.span_id] * 3


def test_neither_prompt_nor_text_is_recorded(spans: Spans, tiny: fw.models.LocalModel) -> None:
    tiny.generate([{"role": "user", "content": PROMPT}], Person, stop="Zebra", trace=True)
    with pytest.raises(fw.errors.OutputInvalid):
        tiny.generate(PROMPT, Elder, temperature=0)
    said = "".join(span.to_json() for span in spans())
    assert [word for word in ("Ada", "years", "Zebra", "too young") if word in said] == []


def test_without_opentelemetry_nothing_changes() -> None:
    code = """
import sys
sys.modules["opentelemetry"] = None
import formwright as fw
model = fw.load("formwright-tiny")
print(model.generate("Ada is 36 years old.", fw.choice("Ada", "Bob")).value)
print(len(model.generate_many(["a", "b"], bool)), len(list(model.stream("a", fw.choice("Ada")))) > 0)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ran.stdout.splitlines()[1], ran.stderr) == ("2 True", "")


def test_without_a_provider_no_form_is_digested(
    registrations: None, tiny: fw.models.LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fw.Form, "digest", property(lambda _: pytest.fail("a digest nobody asked for")))
    assert isinstance(tiny.generate(PROMPT, bool).value, bool)


def test_importing_the_package_loads_no_opentelemetry() -> None:
    code = "import formwright, formwright.generation, sys; print('opentelemetry' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
