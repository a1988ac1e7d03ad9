"""What clients do that they should not, and what the server does meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from parameters import slow_except
from toys import RuleRuntime, byte_vocabulary

import formwright as fw
from formwright.generation.writing import Limits

httpx = pytest.importorskip("httpx")
openai = pytest.importorskip("openai")

from formwright.generation.batch import Separate  # noqa: E402
from formwright.server import Settings, running  # noqa: E402
from formwright.server.serving import listen_at  # noqa: E402
from formwright.server.worker import QueueFull, TextJob, Worker  # noqa: E402

from .conftest import MODEL  # noqa: E402

HI = [{"role": "user", "content": "Hi"}]
LONG = {"model": MODEL, "messages": HI, "guided_regex": "[a-z]{900}", "temperature": 1}
SHORT = {"model": MODEL, "messages": HI, "guided_choice": ["yes", "no"]}
DIVISORS = {"allOf": [{"multipleOf": 0.37}, {"multipleOf": 1.13}, {"multipleOf": 7919}]}
HARD = {"model": MODEL, "messages": HI, "guided_json": DIVISORS}
"""Its form takes a second to refuse."""
ENDLESS = LONG | {"guided_regex": "[a-z]{1800}", "n": 8}


def asked(url: str, body: Any, **more: Any) -> Any:
    return httpx.post(f"{url}/v1/chat/completions", json=body, timeout=60, **more)


@contextlib.contextmanager
def sent(url: str, body: Any) -> Iterator[None]:
    """A request that is left at the end of the block."""
    data = json.dumps(body).encode()
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(data)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) as connection:
        connection.sendall(head.encode() + data)
        yield


def wait_until(holds: Any, seconds: float = 60) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it never came true"
        time.sleep(0.01)


@pytest.fixture
def small(tiny: fw.models.LocalModel) -> Iterator[Any]:
    """A server with two rows and a queue of three."""
    with running(tiny, Settings(max_batch=2, max_waiting=3)) as state:
        yield state


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_goes_away_frees_its_row(small: Any, stream: bool) -> None:
    worker = small.app.state.server.worker
    for _ in range(5):
        with sent(small.url, LONG | {"stream": stream}):
            wait_until(lambda: worker.running_count == 1)
        wait_until(lambda: worker.running_count == 0)
    assert asked(small.url, SHORT).status_code == 200


def test_forms_of_clients_that_go_away_are_compiled_no_further(small: Any) -> None:
    answering, began = small.app.state.server.answering, time.process_time()  # whatever else runs on the machine
    asked(small.url, HARD)
    alone = time.process_time() - began
    with contextlib.ExitStack() as gone:
        for _ in range(4):  # as many as there are threads
            gone.enter_context(sent(small.url, HARD))
        wait_until(lambda: len(answering._interrupts) == 4)
    all_free = threading.Barrier(5)
    for _ in range(4):
        answering._pool.threads.submit(all_free.wait, 60)
    began = time.process_time()
    all_free.wait(60)
    assert time.process_time() - began < alone / 2
    assert not answering._interrupts


def test_a_server_that_ends_compiles_no_further(tiny: fw.models.LocalModel) -> None:
    with running(tiny, Settings()) as state:
        server, found = state.app.state.server, []

        def ask() -> None:
            answer = asked(state.url, HARD)
            found.append((answer.status_code, answer.json()["error"]["code"]))

        thread = threading.Thread(target=ask)
        thread.start()
        wait_until(lambda: server.answering._interrupts)
        server.worker._loop.call_soon_threadsafe(server.end)
        thread.join()
        assert found == [(503, "shutting_down")]
        assert asked(state.url, SHORT).status_code == 503


def test_a_client_that_reads_slowly_holds_up_nobody(small: Any) -> None:
    with httpx.stream("POST", f"{small.url}/v1/chat/completions", json=LONG | {"stream": True}, timeout=60) as slow:
        next(slow.iter_raw(64))
        for _ in range(10):
            assert asked(small.url, SHORT).status_code == 200


def test_half_a_request_holds_up_nobody(small: Any) -> None:
    port = int(small.url.rpartition(":")[2])
    halves = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
    for number, half in enumerate(halves):
        head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += b"Content-Length: 9999\r\n"
        half.sendall(head if number % 2 else head + b'\r\n{"model": ')
    assert asked(small.url, SHORT).status_code == 200
    for half in halves:
        half.close()


def test_a_hundred_megabytes_are_not_read(small: Any) -> None:
    port = int(small.url.rpartition(":")[2])
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", port)) as told:
        told.sendall(head + b"Content-Length: 104857600\r\n\r\n")
        assert b" 413 " in told.recv(100)
    with socket.create_connection(("127.0.0.1", port)) as untold:
        untold.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < 100 << 20:
                untold.sendall(b"100000\r\n" + b" " * (1 << 20) + b"\r\n")
                sent += 1 << 20
        assert sent < 50 << 20
    assert asked(small.url, SHORT).status_code == 200


@pytest.mark.parametrize("count", slow_except([100], [100, 1000]))  # each backlog that is full costs a second
def test_open_connections_hold_up_nobody(small: Any, count: int) -> None:
    port = int(small.url.rpartition(":")[2])
    with contextlib.ExitStack() as open_:
        for _ in range(count):
            open_.enter_context(socket.create_connection(("127.0.0.1", port)))
        assert asked(small.url, SHORT).status_code == 200


def test_a_full_queue_is_a_503_and_nothing_is_lost(small: Any) -> None:
    found, body = list[int](), LONG | {"guided_regex": "[a-z]{400}"}
    threads = [threading.Thread(target=lambda: found.append(asked(small.url, body).status_code)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {200, 503}
    assert len(found) == 12
    wait_until(lambda: small.app.state.server.worker.running_count == small.app.state.server.worker.waiting_count == 0)
    assert asked(small.url, SHORT).status_code == 200


def test_more_texts_than_may_wait_are_refused_together(small: Any) -> None:
    busy = [threading.Thread(target=asked, args=(small.url, LONG)) for _ in range(2)]
    for thread in busy:
        thread.start()
    wait_until(lambda: small.app.state.server.worker.running_count == 2)
    answer = asked(small.url, SHORT | {"n": 4})
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "queue_full")
    for thread in busy:
        thread.join()


def test_texts_that_never_fit_are_refused_before_they_are_made(small: Any) -> None:
    body = {"model": MODEL, "prompt": ["a"] * 1900, "n": 128, "guided_choice": ["a"]}
    began = time.process_time()
    answer = httpx.post(f"{small.url}/v1/completions", json=body, timeout=60)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "too_many_texts")
    assert time.process_time() - began < 1


def test_more_texts_than_ever_fit_are_a_400(small: Any) -> None:
    answer = asked(small.url, SHORT | {"n": 6})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "too_many_texts")
    assert "expected 5 texts at most" in error["message"]
    assert asked(small.url, SHORT | {"n": 5}).status_code == 200


def test_a_form_that_takes_its_fuel_is_refused_while_others_are_served(small: Any) -> None:
    heavy = "(a?){40}" + "".join(f"({chr(97 + i)}|[^{chr(97 + i)}]{{1,60}}){{1,60}}" for i in range(3))
    found: list[int] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(
                asked(small.url, SHORT | {"guided_choice": None, "guided_regex": heavy, "max_tokens": 80}).status_code
            )
        )
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for _ in range(5):
        assert asked(small.url, SHORT).status_code == 200
    for thread in threads:
        thread.join()
    assert set(found) <= {200, 400}, found


def test_forms_are_forgotten_when_there_are_many(small: Any) -> None:
    for number in range(100):
        schema = {"type": "object", "properties": {f"p{number}": {"const": number}}, "required": [f"p{number}"]}
        format_ = {
            "type": "json_schema",
            "json_schema": {"name": f"n{number}", "schema": schema | {"additionalProperties": False}},
        }
        body = {"model": MODEL, "messages": HI, "response_format": format_}
        content = asked(small.url, body).json()["choices"][0]["message"]["content"]
        assert json.loads(content) == {f"p{number}": number}
    assert len(small.app.state.server.answering.shapes) <= 64


def test_a_request_that_takes_too_long_is_ended(tiny: fw.models.LocalModel) -> None:
    with running(tiny, Settings(timeout=0.05)) as state:
        answer = asked(state.url, LONG)
        assert (answer.status_code, answer.json()["error"]["code"]) == (504, "timeout")
        assert "0.05 seconds" in answer.json()["error"]["message"]
        text = asked(state.url, LONG | {"stream": True}).text
        assert '"timeout"' in text
        assert "[DONE]" not in text
        wait_until(lambda: state.app.state.server.worker.running_count == 0)


def test_a_stream_that_waits_is_ended_in_time_and_with_its_client(tiny: fw.models.LocalModel) -> None:
    with running(tiny, Settings(max_batch=1, timeout=0.5)) as state:
        worker = state.app.state.server.worker
        worker.submit([job_of(tiny, "busy", asyncio.Queue(), 1800) for _ in range(9)])
        wait_until(lambda: worker.waiting_count == 8)
        with sent(state.url, LONG | {"stream": True}):
            wait_until(lambda: worker.waiting_count == 9)
        wait_until(lambda: worker.waiting_count <= 8)
        answer = asked(state.url, LONG | {"stream": True})
        assert (answer.status_code, answer.json()["error"]["code"]) == (504, "timeout")
        assert worker.waiting_count > 0


def test_a_stream_that_tells_nothing_is_ended_in_time(tiny: fw.models.LocalModel) -> None:
    grammar = {"type": "grammar", "grammar": {"syntax": "regex", "definition": "[a-z]{900}"}}
    tool = {"type": "custom", "custom": {"name": "dial", "format": grammar}}
    body = {"model": MODEL, "messages": HI, "tools": [tool], "tool_choice": "required", "stream": True}
    with running(tiny, Settings(timeout=0.2)) as state:
        assert '"timeout"' in asked(state.url, body).text


@pytest.mark.parametrize("settings", [{"api_key": ""}, {"max_batch": 0}, {"max_waiting": 0}, {"timeout": 0}])
def test_settings_that_serve_nobody_or_everybody_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(fw.errors.ArgumentError, match="Settings: "):
        Settings(**settings)


def test_another_method_is_told_with_those_there_are(small: Any) -> None:
    answer = httpx.get(f"{small.url}/v1/chat/completions")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_keys(tiny: fw.models.LocalModel) -> None:
    with running(tiny, Settings(api_key="sécret")) as state:
        for headers in ({}, {"Authorization": "Bearer no"}, {"api-key": "no"}, {"Authorization": "Basic x"}):
            answer = asked(state.url, SHORT, headers=headers)
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key")
            assert ("is wrong" if "no" in str(headers) else "there is no key") in answer.json()["error"]["message"]
            assert httpx.get(f"{state.url}/metrics", headers=headers).status_code == 401
            assert httpx.get(f"{state.url}/v1/models", headers=headers).status_code == 401
        key = "sécret".encode()
        assert asked(state.url, SHORT, headers={"Authorization": b"Bearer " + key}).status_code == 200
        assert asked(state.url, SHORT, headers={"Authorization": b"bearer " + key}).status_code == 200
        assert asked(state.url, SHORT, headers={"api-key": key}).status_code == 200
        assert httpx.get(f"{state.url}/health").json()["status"] == "ok"
        assert httpx.get(f"{state.url}/").status_code == 200


def test_other_names_of_the_model(tiny: fw.models.LocalModel) -> None:
    with running(tiny, Settings(names=("gpt-4o", "local"))) as state:
        assert asked(state.url, SHORT | {"model": "local"}).json()["model"] == "local"
        assert asked(state.url, SHORT).status_code == 404


def test_metrics_count(small: Any) -> None:
    asked(small.url, SHORT)
    asked(small.url, SHORT | {"mesages": 1})
    text = httpx.get(f"{small.url}/metrics").text
    assert 'formwright_requests_total{endpoint="chat",status="200"} 1.0' in text
    assert 'formwright_requests_total{endpoint="chat",status="400"} 1.0' in text
    assert 'formwright_tokens_total{kind="written"}' in text
    assert "formwright_first_token_seconds_count 0.0" in text  # of streams only
    body = {"messages": HI, "guided_choice": ["a"]}
    httpx.post(f"{small.url}/openai/deployments/{MODEL}/chat/completions", json=body)
    assert counted(small.url, 'formwright_requests_total{endpoint="chat",status="200"}') == 2


def counted(url: str, name: str) -> float:
    lines = httpx.get(f"{url}/metrics").text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


@pytest.mark.parametrize("stream", [False, True])
def test_metrics_count_the_work_for_clients_that_go_away(tiny: fw.models.LocalModel, stream: bool) -> None:
    with running(tiny) as state:
        worker = state.app.state.server.worker
        with sent(state.url, ENDLESS | {"stream": stream}):
            wait_until(lambda: worker.running_count == 8)
            time.sleep(0.1)
        wait_until(lambda: counted(state.url, 'formwright_requests_total{endpoint="chat",status="499"}') == 1)
        assert counted(state.url, "formwright_request_seconds_count") == 1
        assert counted(state.url, 'formwright_tokens_total{kind="written"}') > 0


def test_a_model_that_fails_ends_its_rows_and_not_the_server() -> None:
    fails = True

    def logits(*_: int) -> Any:
        if fails:
            raise RuntimeError("the card is gone")
        return [0.0] * 257

    model = fw.models.LocalModel("failing", RuleRuntime(logits), byte_vocabulary(), lambda prompt: [1, 2])
    with running(model) as state:
        body = {"model": "failing", "messages": HI, "guided_choice": ["a", "b"], "temperature": 0}
        assert asked(state.url, body).status_code == 500
        fails = False
        assert asked(state.url, body).json()["choices"][0]["message"]["content"] == "a"


def job_of(tiny: fw.models.LocalModel, client: str, turns: asyncio.Queue[Any], length: int = 9) -> TextJob:
    task = tiny.make_task("Hi", tiny.compile_form(fw.regex(f"[a-z]{{{length}}}")), Limits(max_tokens=1000))
    return TextJob(client, task.make_writing(fw.generation.Sampler(), False), turns=turns)


@pytest.mark.parametrize(("fails", "failing"), [("batch", 3), ("select", 2)])
def test_a_failing_batch_ends_its_rows_and_not_the_worker(tiny: fw.models.LocalModel, fails: str, failing: int) -> None:
    """Without a batch nobody can be served; a batch that fails takes only its two rows with it."""
    faults = {fails}

    def fail_once(place: str) -> None:
        if place in faults:
            faults.remove(place)
            raise RuntimeError("the card is gone")

    class Brittle(Separate):
        def select(self, rows: Any, /) -> None:
            fail_once("select")
            super().select(rows)

    def batch() -> Brittle:
        fail_once("batch")
        return Brittle(tiny.runtime)

    async def ends() -> list[Any]:
        worker = Worker(batch, rows=2, waiting=9)
        turns: asyncio.Queue[Any] = asyncio.Queue()
        worker.start(asyncio.get_running_loop())
        worker.submit([job_of(tiny, "a", turns) for _ in range(3)])
        found = [await turns.get() for _ in range(3)]
        worker.submit([job_of(tiny, "a", turns)])
        found.append(await turns.get())
        await asyncio.to_thread(worker.stop)
        return found

    errors = [turn.error for turn in asyncio.run(asyncio.wait_for(ends(), 30))]
    assert all(isinstance(error, RuntimeError) for error in errors[:failing])
    assert errors[failing:] == [None] * (4 - failing)


def test_clients_take_turns(tiny: fw.models.LocalModel) -> None:
    async def order_of_ends() -> list[str]:
        worker = Worker(lambda: Separate(tiny.runtime), rows=1, waiting=100)
        turns: asyncio.Queue[Any] = asyncio.Queue()

        def job(client: str) -> TextJob:
            task = tiny.make_task("Hi", tiny.compile_form(fw.choice("yes", "no")), Limits(max_tokens=9))
            return TextJob(client, task.make_writing(fw.generation.Sampler(), False), turns=turns)

        worker.submit([job("greedy") for _ in range(20)])
        worker.submit([job("modest")])
        with pytest.raises(QueueFull):
            worker.submit([job("late") for _ in range(90)])
        worker.start(asyncio.get_running_loop())
        ends = [(await turns.get()).key.client for _ in range(21)]
        worker.stop()
        return ends

    ends = asyncio.run(order_of_ends())
    assert ends.index("modest") <= 2
    assert ends.count("greedy") == 20


@contextlib.contextmanager
def process(*options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """``formwright serve`` at a free port: its URL, as it says it, and the process."""
    command = [sys.executable, "-m", "formwright", "serve", "--port", "0", "--log-level", "error", *options]
    environment = os.environ | {"FORMWRIGHT_API_KEY": ""}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as started:
        try:
            assert started.stderr is not None
            said = started.stderr.readline()
            yield said.rpartition(" ")[2].strip().rstrip("/"), started
        finally:
            started.kill()


def test_the_end_of_the_process_finishes_what_runs() -> None:
    found: list[Any] = []
    with process("--drain", "20") as (url, server):
        thread = threading.Thread(target=lambda: found.append(asked(url, LONG).status_code))
        thread.start()
        wait_until(lambda: counted(url, "formwright_rows") == 1)
        server.send_signal(signal.SIGTERM)
        server.wait(30)
        thread.join()
    assert found == [200]


@pytest.mark.parametrize(("drain", "how"), [("0", signal.SIGINT), ("0.2", signal.SIGTERM)])
def test_what_outlives_the_drain_is_told_so(drain: str, how: signal.Signals) -> None:

    found: list[Any] = []
    with process("--drain", drain) as (url, server):
        threads = [
            threading.Thread(target=lambda body=body: found.append(asked(url, body)))
            for body in (ENDLESS, ENDLESS | {"stream": True})
        ]
        for thread in threads:
            thread.start()
        wait_until(lambda: counted(url, "formwright_rows") == 16)
        wait_until(lambda: counted(url, "formwright_first_token_seconds_count") == 1)  # the stream has begun
        server.send_signal(how)
        assert server.stderr is not None
        said = server.stderr.read()
        server.wait(30)
        for thread in threads:
            thread.join()
    streamed, whole = sorted(found, key=lambda answer: answer.status_code)
    assert (whole.status_code, whole.json()["error"]["code"]) == (503, "shutting_down")
    assert '"shutting_down"' in streamed.text.split("\n\n")[-2]
    assert said == ""


def test_a_port_in_use_is_an_error_and_nothing_else() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "formwright", "serve", "--port", str(port)]
        ended = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"Error: cannot listen at 127.0.0.1:{port}: ")
    assert "/v1" not in ended.stderr


def test_answers_are_not_held_back_until_the_client_acknowledges() -> None:
    with listen_at("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_another_host_needs_a_key_or_a_word() -> None:
    from click.testing import CliRunner

    from formwright.cli.app import app

    answer = CliRunner().invoke(app, ["serve", "--host", "0.0.0.0"])
    assert answer.exit_code == 2
    assert "--api-key" in answer.output
