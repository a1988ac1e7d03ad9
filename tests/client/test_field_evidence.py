"""Probabilities of fields behind an API: measured by our own server, bounded by logprobs, or not known."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import pytest
from pydantic import BaseModel

import formwright as fw
from formwright.errors import ArgumentError, OptionUnsupported

from .conftest import Driven
from .scripted import chat, ok

PROMPT = "Clara Novak, 34, lives in Prague."


class Home(BaseModel):
    name: str
    age: int
    city: str | None


TEXT = '{"name":"Clara","age":34,"city":null}'
TOKENS = [('{"', -0.1), ("name", 0.0), ('":"', -0.2), ("Clara", -0.3), ('","', -0.4), ("age", 0.0), ('":', 0.0)]
TOKENS += [("3", -0.5), ("4", -0.6), (',"', -0.7), ("city", 0.0), ('":', 0.0), ("null", -0.8), ("}", 0.0)]


def listed(tokens: list[tuple[str, float]], **more: Any) -> list[dict[str, Any]]:
    return [{"token": token, "logprob": value, "bytes": list(token.encode())} | more for token, value in tokens]


def with_logprobs(tokens: Any) -> Any:
    reply = chat(TEXT)
    reply["choices"][0]["logprobs"] = {"content": tokens}
    return ok(reply)


def test_fields_are_those_of_the_model_that_is_served(driven: Driven) -> None:
    pytest.importorskip("starlette", reason="formwright[server] is not installed")
    from formwright.server import running

    tiny = fw.load("formwright-tiny")
    with running(tiny) as server:
        remote = driven.connect(server.base_url, model="formwright-tiny")
        result = remote.generate(PROMPT, Home, fields=True, temperature=0)
        expected = tiny.generate(PROMPT, Home)
        assert result.text == expected.text
        assert list(result.fields) == ["/name", "/age", "/city"]
        for pointer, field in expected.fields.items():
            assert (result.fields[pointer].value, result.fields[pointer].basis) == (field.value, field.basis)
            assert result.fields[pointer].probability == pytest.approx(field.probability, abs=1e-6)
        notes = "Clara Novak is 34. She lives in Prague."
        (chosen,) = remote.generate(PROMPT, fw.choice("yes", "no"), fields=True).fields.items()
        assert (chosen[0], chosen[1].basis) == ("", "exact")
        quoted = remote.generate("Where does she live?", dict[str, fw.Quote] | fw.Quote, source=notes, fields=True)
        assert all(field.span is not None for field in quoted.fields.values() if field.value)


def test_fields_by_client_objects() -> None:
    pytest.importorskip("starlette", reason="formwright[server] is not installed")
    openai = pytest.importorskip("openai", reason="the openai SDK is not installed")
    from formwright.server import running

    tiny = fw.load("formwright-tiny")
    with running(tiny) as server, openai.OpenAI(base_url=server.base_url, api_key="none") as client:
        result = fw.from_openai(client, "formwright-tiny").generate(PROMPT, Literal["yes", "no"], fields=True)
        assert {field.basis for field in result.fields.values()} == {"exact"}


def test_logprobs_are_a_bound(driven: Driven, scripted: Callable[..., Any]) -> None:
    server = scripted(with_logprobs(listed(TOKENS)))
    result = driven.connect(server.url).generate(PROMPT, Home, fields=True, source=PROMPT)
    assert server.requests[0].json["logprobs"] is True
    assert {pointer: field.basis for pointer, field in result.fields.items()} == dict.fromkeys(
        ["/name", "/age", "/city"], "logprobs"
    )
    assert result.fields["/name"].probability == pytest.approx(math.exp(-0.2 - 0.3 - 0.4))
    assert result.fields["/age"].probability == pytest.approx(math.exp(-0.5 - 0.6 - 0.7))
    assert result.fields["/city"].probability == pytest.approx(math.exp(-0.8))
    assert result.fields["/name"].span == (0, 5)


def test_an_engine_that_only_stamps_its_replies_is_not_asked_to_measure(
    driven: Driven, scripted: Callable[..., Any]
) -> None:
    reply = chat(TEXT) | {"formwright": {"enforced": "checked"}}
    reply["choices"][0]["logprobs"] = {"content": listed(TOKENS)}
    server = scripted(ok(reply))
    result = driven.connect(server.url).generate(PROMPT, Home, fields=True)
    assert (result.fields["/age"].basis, len(server.requests)) == ("logprobs", 1)


def test_our_own_logprobs_are_taken_without_the_mask(driven: Driven, scripted: Callable[..., Any]) -> None:
    server = scripted(with_logprobs(listed(TOKENS, unmasked_logprob=-1.0)))
    result = driven.connect(server.url).generate(PROMPT, Home, fields=True)
    assert result.fields["/city"].probability == pytest.approx(math.exp(-1.0))


@pytest.mark.parametrize(
    "said",
    [
        ok(chat(TEXT)),
        with_logprobs(None),
        with_logprobs([]),
        with_logprobs(listed(TOKENS[:-3])),
        with_logprobs(listed(TOKENS[2:])),
        with_logprobs([{"token": "x"}]),
        with_logprobs([{"token": TEXT, "logprob": "-1"}]),
        with_logprobs(["x", 3]),
    ],
)
def test_missing_and_partial_logprobs_keep_the_answer(driven: Driven, scripted: Callable[..., Any], said: Any) -> None:
    server = scripted(said)
    result = driven.connect(server.url).generate(PROMPT, Home, fields=True)
    assert result.value == Home(name="Clara", age=34, city=None)
    with pytest.raises(OptionUnsupported) as caught:
        _ = result.fields
    assert caught.value.argument == "fields"


def test_fields_that_nobody_asked_for(driven: Driven, scripted: Callable[..., Any]) -> None:
    server = scripted(with_logprobs(listed(TOKENS)))
    result = driven.connect(server.url).generate(PROMPT, Home)
    assert "logprobs" not in server.requests[0].json
    with pytest.raises(OptionUnsupported, match="not known"):
        _ = result.fields


@pytest.mark.parametrize(
    ("options", "expected"),
    [({"abstain": 0.5}, OptionUnsupported), ({"particles": 8}, OptionUnsupported), ({"source": ""}, ArgumentError)],
)
def test_what_a_service_cannot_do_is_refused(
    driven: Driven, scripted: Callable[..., Any], options: Any, expected: type[Exception]
) -> None:
    server = scripted(ok(chat(TEXT)))
    with pytest.raises(expected):
        driven.connect(server.url).generate(PROMPT, Home, **options)
    assert not server.requests


def test_an_api_without_logprobs_is_not_asked(driven: Driven, scripted: Callable[..., Any]) -> None:
    server = scripted(ok({}))
    with pytest.raises(OptionUnsupported) as caught:
        driven.connect(server.url, api="anthropic").generate(PROMPT, Home, fields=True)
    assert caught.value.argument == "fields"
    assert not server.requests
