"""Others are answered within a second while one client does its worst."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import formwright as fw

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")

from formwright.server import Settings, running  # noqa: E402

from .test_faults import HARD, HI, MODEL, asked, sent, wait_until  # noqa: E402

SECOND = 1.0
OTHER = {"Authorization": "Bearer other"}
CALM = {"model": MODEL, "messages": HI, "guided_choice": ["yes", "no"]}


@pytest.fixture(scope="module")
def attacked(tiny: fw.models.LocalModel) -> Iterator[Any]:
    with running(tiny, Settings()) as state:
        yield state


@contextlib.contextmanager
def attack(work: Callable[[], Any], threads: int = 4) -> Iterator[list[Any]]:
    """Work that is done again and again in threads while the block runs; what it gave."""
    found: list[Any] = []
    is_over = threading.Event()

    def go_on() -> None:
        while not is_over.is_set():
            found.append(work())

    running_ = [threading.Thread(target=go_on) for _ in range(threads)]
    for thread in running_:
        thread.start()
    try:
        yield found
    finally:
        is_over.set()
        for thread in running_:
            thread.join()


def slowest(url: str, seconds: float = 1.5) -> float:
    """Seconds of the slowest answer to another client: its health, and forms that are new each time."""
    ends, worst, number = time.monotonic() + seconds, 0.0, 0
    with httpx.Client(base_url=url, timeout=60, headers=OTHER) as other:
        while time.monotonic() < ends:
            number += 1
            form = {"guided_choice": [f"{number}", f"{time.monotonic_ns()}"]}
            for ask in (lambda: other.get("/health"), lambda: other.post("/v1/chat/completions", json=CALM | form)):  # noqa: B023
                began = time.monotonic()
                assert ask().status_code == 200
                worst = max(worst, time.monotonic() - began)
    return worst


HUGE = "Hello world. " * 300_000
BODIES: dict[str, tuple[dict[str, Any], str, str]] = {
    "a message": ({"messages": [{"role": "user", "content": HUGE}]}, "messages", "context_length_exceeded"),
    "many messages": (
        {"messages": [{"role": "user", "content": "a" * 9}] * 80_000},
        "messages",
        "context_length_exceeded",
    ),
    "messages that are none": ({"messages": [1] * 1_900_000}, "messages[0]", "invalid_value"),
    "choices that are none": ({"guided_choice": [1] * 1_900_000}, "guided_choice[0]", "invalid_value"),
    "biases": ({"logit_bias": {str(number): "a" for number in range(250_000)}}, "logit_bias", "invalid_value"),
    "unknown fields": ({"structured_outputs": {str(number): 1 for number in range(250_000)}}, "structured_outputs", ""),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_huge_body_holds_up_nobody(attacked: Any, name: str) -> None:
    fields, param, code = BODIES[name]
    data = json.dumps({"model": MODEL, "messages": HI} | fields, separators=(",", ":")).encode()

    def ask() -> Any:
        answer = httpx.post(
            f"{attacked.url}/v1/chat/completions",
            content=data,
            headers={"content-type": "application/json"},
            timeout=60,
        )
        return answer.status_code, answer.json()["error"]["param"], answer.json()["error"]["code"]

    with attack(ask) as found:
        assert slowest(attacked.url) < SECOND
    assert set(found) == {(400, param, code or "invalid_value")}


@pytest.mark.parametrize("prompt", [HUGE, [HUGE[: 1 << 20]] * 3, [1] * 1_300_000, [[1]] * 900_000])
def test_a_huge_prompt_holds_up_nobody(attacked: Any, prompt: Any) -> None:
    body = {"model": MODEL, "prompt": prompt}

    def ask() -> Any:
        answer = httpx.post(f"{attacked.url}/v1/completions", json=body, timeout=60)
        return answer.status_code, answer.json()["error"]["param"]

    with attack(ask, threads=2) as found:
        assert slowest(attacked.url) < SECOND
    assert set(found) == {(400, "prompt")}


def test_hard_forms_of_one_client_hold_up_nobody(attacked: Any) -> None:
    with attack(lambda: asked(attacked.url, HARD).status_code, threads=8) as found:
        assert slowest(attacked.url) < SECOND
    assert set(found) == {400}


def test_a_long_prompt_that_may_fit_is_tokenized_a_slice_at_a_time(tiny: fw.models.LocalModel) -> None:
    """As with a model that has a long context and a tokenizer which holds the interpreter."""
    lengths: list[int] = []

    def encode(prompt: Any) -> list[int]:
        text = prompt if isinstance(prompt, str) else "".join(message["content"] for message in prompt)
        lengths.append(len(text))
        return [5] * len(text)

    vocabulary = fw.Vocabulary([b"a" * (1 + index) for index in range(64)] + [b""], eos_token_ids=[64])
    model = fw.models.LocalModel("long", tiny.runtime, vocabulary, encode)
    with running(model) as state:
        body = {"model": "long", "messages": [{"role": "user", "content": "a" * 120_000}]}
        error = asked(state.url, body).json()["error"]
    assert error["code"] == "context_length_exceeded"
    assert max(lengths) == 1 << 16


def test_forms_whose_client_is_gone_end_before_those_that_wait_begin(attacked: Any) -> None:
    answering = attacked.app.state.server.answering
    with contextlib.ExitStack() as gone:
        for _ in range(20):
            gone.enter_context(sent(attacked.url, HARD))
        wait_until(lambda: len(answering._compiling) == 20)
    wait_until(lambda: not answering._compiling, 1)
    assert asked(attacked.url, CALM).status_code == 200
