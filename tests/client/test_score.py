"""Scores of a model behind an API: those of our own server, and an error from all others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest

import formwright as fw
from formwright.errors import ArgumentError, OptionUnsupported, PromptError, RequestFailed

from .conftest import Driven
from .scripted import answer, chat, ok

SKY = "Is the sky blue?"
TEXTS = ["10", "yes", "no", "9"]


def stamped(stamp: Any) -> Any:
    return ok(chat("yes") | {"formwright": stamp})


@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize(
    "prompt", [SKY, [{"role": "system", "content": "Be brief."}, {"role": "user", "content": SKY}]]
)
def test_scores_are_those_of_the_model_that_is_served(driven: Driven, prompt: Any, canonical: bool) -> None:
    pytest.importorskip("starlette", reason="formwright[server] is not installed")
    from formwright.server import running

    tiny = fw.load("formwright-tiny")
    with running(tiny) as server:
        remote = driven.connect(server.base_url, model="formwright-tiny")
        found = remote.score(prompt, [*TEXTS, "yes"], canonical=canonical)
        assert list(found.items()) == list(tiny.score(prompt, TEXTS, canonical=canonical).items())
        for texts in (["yes", "word " * 3000], ["a"] * 20 + [str(number) for number in range(200)]):
            with pytest.raises(RequestFailed) as caught:
                driven.connect(server.base_url, model="formwright-tiny").score(prompt, texts)
            assert caught.value.status == 400


def test_scores_by_client_objects() -> None:
    pytest.importorskip("starlette", reason="formwright[server] is not installed")
    openai = pytest.importorskip("openai", reason="the openai SDK is not installed")
    from formwright.server import running

    async def awaited(url: str) -> Any:
        async with openai.AsyncOpenAI(base_url=url, api_key="none") as client:
            return await fw.from_openai(client, "formwright-tiny").score(SKY, TEXTS)

    tiny = fw.load("formwright-tiny")
    with running(tiny) as server, openai.OpenAI(base_url=server.base_url, api_key="none") as client:
        assert fw.from_openai(client, "formwright-tiny").score(SKY, TEXTS) == tiny.score(SKY, TEXTS)
        assert asyncio.run(awaited(server.base_url)) == tiny.score(SKY, TEXTS)


def test_what_is_asked_and_what_is_read(driven: Driven, scripted: Callable[..., Any]) -> None:
    server = scripted(stamped({"scores": {"no": None, "yes": -1.5, "maybe": 0}}))
    found = driven.connect(server.url).score(SKY, ["yes", "maybe", "no"], canonical=False)
    assert list(found.items()) == [("yes", -1.5), ("maybe", 0.0), ("no", -inf)]
    assert all(type(score) is float for score in found.values())
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].json == {
        "model": "m",
        "messages": [{"role": "user", "content": SKY}],
        "score": ["yes", "maybe", "no"],
        "canonical": False,
        "max_tokens": 1,
    }


@pytest.mark.parametrize(
    "said",
    [
        ok(chat("yes")),
        ok({}),
        *map(stamped, [None, [], {}, {"scores": None}, {"scores": [-1.0, -2.0]}, {"scores": {}}]),
        *(
            stamped({"scores": scores})
            for scores in [
                {"yes": -1.0},
                {"yes": -1.0, "no": -2.0, "other": -3.0},
                {"Yes": -1.0, "no": -2.0},
                *({"yes": -1.0, "no": wrong} for wrong in ["-2", True, [-2.0], 0.5, nan, inf, -inf, -(10**400)]),
            ]
        ),
        answer(400, {"error": {"message": "Unrecognized request argument supplied: score"}}),
        answer(400, {"error": {"message": "there is no field 'score'", "param": "score"}}),
        answer(422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "score"], "msg": "Extra inputs"}]}),
    ],
)
def test_a_server_that_scores_nothing_is_an_error(driven: Driven, scripted: Callable[..., Any], said: bytes) -> None:
    server = scripted(said)
    with pytest.raises(OptionUnsupported) as caught:
        driven.connect(server.url).score(SKY, ["yes", "no"])
    assert caught.value.argument == "choices"
    assert "formwright serve" in str(caught.value.hint)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "said",
    [
        answer(400, {"error": {"message": "score: the texts have 40000 characters", "param": "score"}}),
        answer(400, {"error": {"message": "unknown model 'm'", "param": "model"}}),
        answer(401, {"error": {"message": "unknown key, score"}}),
        answer(500, b"score: unknown"),
        ok(b"<html>"),
    ],
)
def test_a_request_that_fails_says_so(driven: Driven, scripted: Callable[..., Any], said: bytes) -> None:
    with pytest.raises(RequestFailed):
        driven.connect(scripted(said).url).score(SKY, ["yes", "no"])


def test_a_failure_that_passes_is_asked_again(driven: Driven, scripted: Callable[..., Any]) -> None:
    server = scripted(answer(503, b"{}", "Retry-After: 0"), stamped({"scores": {"yes": -1.0}}))
    assert driven.connect(server.url, request_retries=1).score(SKY, ["yes"]) == {"yes": -1.0}
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "options",
    [
        {"api": "anthropic"},
        {"api": "gemini"},
        {"api": "responses"},
        {"service": "openai"},
        {"service": "azure"},
        {"service": "deepseek"},
    ],
)
def test_services_that_cannot_score_are_not_asked(driven: Driven, scripted: Callable[..., Any], options: Any) -> None:
    server = scripted(stamped({"scores": {"yes": -1.0}}))
    with pytest.raises(OptionUnsupported):
        driven.connect(server.url, **options).score(SKY, ["yes"])
    assert server.requests == []


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        ((SKY, "yes"), {}, ArgumentError),
        ((SKY, []), {}, ArgumentError),
        ((SKY, ["yes", 1]), {}, ArgumentError),
        ((SKY, ["\ud800"]), {}, ArgumentError),
        ((SKY, fw.choice("yes")), {}, ArgumentError),
        ((SKY, ["yes"]), {"canonical": "forced"}, ArgumentError),
        (([1, 2], ["yes"]), {}, PromptError),
        ((SKY, ["yes"]), {"beams": 2}, TypeError),
    ],
)
def test_what_cannot_be_asked(
    driven: Driven, scripted: Callable[..., Any], arguments: Any, options: Any, error: type[Exception]
) -> None:
    server = scripted(stamped({"scores": {"yes": -1.0}}))
    with pytest.raises(error):
        driven.connect(server.url).score(*arguments, **options)
    assert server.requests == []
