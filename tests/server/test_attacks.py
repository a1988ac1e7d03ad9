"""Others are answered within a second while one client does its worst."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from parameters import slow_except

import formwright as fw

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")

from formwright.server import Settings, connections, running  # noqa: E402
from formwright.server.errors import BadRequest  # noqa: E402
from formwright.server.reading.json_body import parse_json  # noqa: E402

from .test_faults import HARD, HI, MODEL, asked, counted, process, sent, wait_until  # noqa: E402

SECOND = 1.0
IS_JSON = {"content-type": "application/json"}
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
    """The slowest answer to another client: its health, and forms that are new each time.

    In seconds of this process, in which server and clients run: those of a clock depend on what else runs.
    """
    ends, worst, number = time.monotonic() + seconds, 0.0, 0
    with httpx.Client(base_url=url, timeout=60, headers=OTHER) as other:
        while time.monotonic() < ends:
            number += 1
            form = {"guided_choice": [f"{number}", f"{time.monotonic_ns()}"]}
            for ask in (lambda: other.get("/health"), lambda: other.post("/v1/chat/completions", json=CALM | form)):  # noqa: B023
                began = time.process_time()
                assert ask().status_code == 200
                worst = max(worst, time.process_time() - began)
    return worst


HUGE = "Hello world. " * 300_000
BODIES: dict[str, tuple[dict[str, Any], str | None, str]] = {
    "a message": ({"messages": [{"role": "user", "content": HUGE}]}, "messages", "context_length_exceeded"),
    "many messages": (
        {"messages": [{"role": "user", "content": "a" * 9}] * 80_000},
        "messages",
        "context_length_exceeded",
    ),
    "messages that are none": ({"messages": [1] * 500_000}, "messages[0]", "invalid_value"),
    "choices that are none": ({"guided_choice": [1] * 500_000}, "guided_choice[0]", "invalid_value"),
    "numbers": ({"guided_choice": [1] * 1_900_000}, None, "invalid_value"),
    "biases": ({"logit_bias": {str(number): "a" for number in range(250_000)}}, "logit_bias", "invalid_value"),
    "unknown fields": ({"structured_outputs": {str(number): 1 for number in range(250_000)}}, "structured_outputs", ""),
}


@pytest.mark.parametrize("name", slow_except(["a message"], BODIES))
def test_a_huge_body_holds_up_nobody(attacked: Any, name: str) -> None:
    fields, param, code = BODIES[name]
    data = json.dumps({"model": MODEL, "messages": HI} | fields, separators=(",", ":")).encode()

    def ask() -> Any:
        answer = httpx.post(
            f"{attacked.url}/v1/chat/completions",
            content=data,
            headers=IS_JSON,
            timeout=60,
        )
        return answer.status_code, answer.json()["error"]["param"], answer.json()["error"]["code"]

    with attack(ask) as found:
        assert any(
            slowest(attacked.url) < SECOND for _ in range(3)
        )  # what else runs makes an answer slower, never faster
    assert set(found) == {(400, param, code or "invalid_value")}


@pytest.mark.slow
@pytest.mark.parametrize("prompt", [HUGE, [HUGE[: 1 << 20]] * 3, [1] * 1_300_000, [[1]] * 900_000])
def test_a_huge_prompt_holds_up_nobody(attacked: Any, prompt: Any) -> None:
    data = json.dumps({"model": MODEL, "prompt": prompt}, separators=(",", ":")).encode()

    def ask() -> Any:
        answer = httpx.post(f"{attacked.url}/v1/completions", content=data, headers=IS_JSON, timeout=60)
        return answer.status_code, answer.json()["error"]["param"]

    with attack(ask, threads=2) as found:
        assert any(
            slowest(attacked.url) < SECOND for _ in range(3)
        )  # what else runs makes an answer slower, never faster
    assert set(found) == {(400, "prompt" if isinstance(prompt[0], str) else None)}


@pytest.mark.parametrize("text", ["[" * 600_000, '"{' * 600_000, "\\[" * 600_000, "," * 600_000, '\\",[' * 600_000])
def test_brackets_and_commas_of_a_text_count_as_one_value(text: str) -> None:
    body = {"prompt": text, "model": "[{"}
    assert parse_json(json.dumps(body).encode()) == body


@pytest.mark.parametrize("item", ["[]", "1", '""', '{"a":1}', '"\\\\"', '"\\"["'])
def test_too_many_values_are_refused_before_they_are_made(item: str) -> None:
    few, many = ("[" + f"{item}," * number + "null]" for number in (200_000, 600_000))
    assert parse_json(few.encode()) == json.loads(few)
    with pytest.raises(BadRequest, match="more than 524,288 values"):
        parse_json(many.encode())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
@pytest.mark.parametrize("text", ['{"model": "\\ud800"}', '{"a": "\u2200", "b": [' + "1," * 600_000 + "1]}"])
def test_no_other_encoding_gets_around_the_checks(encoding: str, text: str) -> None:
    with pytest.raises(BadRequest, match="its encoding is not UTF-8"):
        parse_json(text.encode(encoding))


@pytest.mark.slow
def test_hard_forms_of_one_client_hold_up_nobody(attacked: Any) -> None:
    with attack(lambda: asked(attacked.url, HARD).status_code, threads=8) as found:
        assert any(
            slowest(attacked.url) < SECOND for _ in range(3)
        )  # what else runs makes an answer slower, never faster
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
        wait_until(lambda: len(answering._interrupts) == 20)
    wait_until(lambda: not answering._interrupts, 1)
    assert asked(attacked.url, CALM).status_code == 200


def connected(state: Any, address: str = "127.0.0.1") -> socket.socket:
    """A connection from an address of this machine."""
    port = int(state.url.rpartition(":")[2])
    return socket.create_connection(("127.0.0.1", port), source_address=(address, 0))


def read_to_end(connection: socket.socket, seconds: float) -> bytes:
    connection.settimeout(seconds)
    with contextlib.suppress(ConnectionError):
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))
    return b""


HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
HALVES = [b"", HEAD, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET"]
"""After an answer, the connection is kept for some seconds; only then its second head is waited for."""


@pytest.mark.parametrize("half", slow_except(HALVES[:2], HALVES))
def test_a_head_that_does_not_come_ends_the_connection(
    tiny: fw.models.LocalModel, monkeypatch: pytest.MonkeyPatch, half: bytes
) -> None:
    monkeypatch.setattr(connections, "_HEAD_SECONDS", 0.3)
    with running(tiny) as state, connected(state) as waiting:
        waiting.sendall(half)
        read_to_end(waiting, 20)


@pytest.mark.slow
def test_a_client_that_stops_reading_ends_the_connection(
    tiny: fw.models.LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_STALL_SECONDS", 0.3)
    body = {"model": MODEL, "messages": HI, "guided_regex": "[a-z]{1800}", "n": 32, "stream": True, "trace": True}
    with running(tiny, Settings(max_batch=64)) as state, sent(state.url, body):
        worker = state.app.state.server.worker
        wait_until(lambda: worker.running_count == 32)
        left = 'formwright_requests_total{endpoint="chat",status="499"}'
        wait_until(lambda: counted(state.url, left) == 1 and worker.running_count == 0, 30)


@pytest.mark.parametrize("sends", [b"", HEAD + b"Content-Length: 9\r\n\r\n"])
def test_connections_are_bounded_and_one_line_says_so(
    tiny: fw.models.LocalModel, caplog: pytest.LogCaptureFixture, sends: bytes
) -> None:
    with running(tiny, Settings(max_connections=20)) as state, contextlib.ExitStack() as opened:
        for _ in range(100):
            connection = opened.enter_context(connected(state))
            with contextlib.suppress(ConnectionError):
                connection.sendall(sends)
        assert asked(state.url, CALM).status_code == 200
        assert len([record for record in caplog.records if "20 connections are open" in record.message]) == 1


@pytest.mark.slow
def test_one_address_takes_no_connection_of_another(tiny: fw.models.LocalModel) -> None:
    body = json.dumps({"model": MODEL, "messages": HI, "guided_regex": "[a-z]{1800}"}).encode()
    request = HEAD + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    with running(tiny, Settings(max_connections=8, max_batch=2)) as state, contextlib.ExitStack() as opened:
        other = opened.enter_context(connected(state, "127.0.0.2"))
        other.sendall(request)
        wait_until(lambda: state.app.state.server.worker.running_count == 1)
        for _ in range(50):
            greedy = opened.enter_context(connected(state))
            with contextlib.suppress(ConnectionError):
                greedy.sendall(request)
        with connected(state, "127.0.0.3") as third:
            third.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert b"200 OK" in read_to_end(third, 5)
        assert b"200 OK" in other.recv(100)


@pytest.mark.slow
def test_file_descriptors_are_left_for_other_files() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (600, 1024));"
        "from formwright.server.connections import count_possible_connections;"
        "print(count_possible_connections(), resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "576 (1024, 1024)\n"


OWN = ["localhost", "127.0.0.1", "[::1]:80", "a.localhost:1", "192.168.1.7", "LocalHost.", "box"]
FOREIGN = ["evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.nip.io", "[x"]


@pytest.mark.parametrize("host", OWN)
def test_own_names_are_served(tiny: fw.models.LocalModel, host: str) -> None:
    with running(tiny, Settings(hosts=("Box",))) as state:
        assert httpx.get(f"{state.url}/v1/models", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("path", ["/", "/health", "/v1/models", "/nothing"])
def test_other_names_are_refused(attacked: Any, host: str, path: str) -> None:
    answer = httpx.get(f"{attacked.url}{path}", headers={"Host": host})
    assert (answer.status_code, answer.json()["error"]["code"]) == (421, "unknown_host")
    assert "--allow-host" in answer.json()["error"]["message"]


def test_with_a_key_any_name_is_served(tiny: fw.models.LocalModel) -> None:
    with running(tiny, Settings(api_key="secret")) as state:
        headers = {"Host": "behind.a.proxy", "Authorization": "Bearer secret"}
        assert httpx.get(f"{state.url}/v1/models", headers=headers).status_code == 200


PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}


def test_no_origin_is_let_in_unasked(attacked: Any) -> None:
    answer = httpx.post(f"{attacked.url}/v1/chat/completions", json=CALM, headers={"Origin": "https://a.example"})
    assert "access-control-allow-origin" not in answer.headers
    asked_before = httpx.options(
        f"{attacked.url}/v1/chat/completions", headers=PREFLIGHT | {"Origin": "https://a.example"}
    )
    assert asked_before.status_code == 405


def test_origins_are_let_in_by_name(tiny: fw.models.LocalModel) -> None:
    settings = Settings(origins=("https://a.example", "http://localhost:3000"), api_key="secret")
    with running(tiny, settings) as state:
        url = f"{state.url}/v1/chat/completions"
        for origin in settings.origins:
            before = httpx.options(url, headers=PREFLIGHT | {"Origin": origin})
            assert (before.status_code, before.headers["access-control-allow-origin"]) == (200, origin)
            headers = {"Origin": origin, "Authorization": "Bearer secret"}
            assert httpx.post(url, json=CALM, headers=headers).headers["access-control-allow-origin"] == origin
            assert (
                httpx.post(url, json=CALM, headers={"Origin": origin}).headers["access-control-allow-origin"] == origin
            )
        assert httpx.options(url, headers=PREFLIGHT | {"Origin": "https://b.example"}).status_code == 400


@pytest.mark.parametrize("origin", ["a.example", "https://a.example/", "https://", ""])
def test_what_is_no_origin_is_refused(origin: str) -> None:
    with pytest.raises(fw.errors.ArgumentError, match="expected an origin, got"):
        Settings(origins=(origin,))


@pytest.mark.slow
@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGINT], [signal.SIGINT, signal.SIGINT]])
def test_the_end_of_the_process_ends_what_is_compiled(signals: list[signal.Signals]) -> None:
    drain, began = "0.2" if len(signals) == 1 else "30", seconds_of_children()
    with process("--drain", drain) as (url, server), contextlib.ExitStack() as opened:
        for _ in range(12):
            opened.enter_context(sent(url, HARD))
        time.sleep(0.5)
        for each in signals:
            server.send_signal(each)
            time.sleep(0.2)
        server.wait(60)
    assert seconds_of_children() - began < 6  # each of the twelve takes a second


def seconds_of_children() -> float:
    """How long the processors worked for processes that were begun here and have ended."""
    times = os.times()
    return times.children_user + times.children_system
