"""What the server adds to the decode loop, and what sharing calls of the model gives back.

::

    python bench/serving.py                  # throughput, overhead, latency
    python bench/serving.py memory 10000     # resident memory over so many requests

*Throughput* is tokens per second of clients that ask without a pause, one and 64 of them, in rounds that take turns.
*Overhead* is a request of one client beside the same text written in this process. *Between tokens* are the gaps that
streaming clients see; caches grow in the first round. The clients are a process of their own.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import httpx

import formwright as fw

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/programs"))
from load import MODEL, requests, server  # type: ignore[import-not-found]

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 12}, "age": {"type": "integer"}, "city": {"type": "string"}},
    "required": ["name", "age", "city"],
    "additionalProperties": False,
}
PROMPT = "Ada Lovelace is 36 years old and lives in London."
FORMAT = {"type": "json_schema", "json_schema": {"name": "person", "schema": SCHEMA}}
BODY = {
    "model": MODEL,
    "messages": [{"role": "user", "content": PROMPT}],
    "response_format": FORMAT,
    "temperature": 0,
    "max_tokens": 200,
}
ROUNDS = 5


class _Client:
    """A connection that asks the same again and again, with as little work as can be."""

    def __init__(self, url: str, body: dict[str, Any]) -> None:
        self._host, _, port = url.removeprefix("http://").partition(":")
        self._port, self._is_stream = int(port), body["stream"]
        data = json.dumps(body).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {self._host}\r\nContent-Type: application/json\r\n"
        self._request = head.encode() + b"Content-Length: %d\r\n\r\n" % len(data) + data

    async def __aenter__(self) -> _Client:
        self._reader, self._writer = await asyncio.open_connection(self._host, self._port, limit=1 << 22)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def ask(self) -> int:
        """One request; how many tokens were written."""
        self._writer.write(self._request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        if self._is_stream:
            text = await self._reader.readuntil(b"0\r\n\r\n")
        else:
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            text = await self._reader.readexactly(length)
        return int(text.rpartition(b'"completion_tokens":')[2].partition(b",")[0])


async def _throughput(url: str, clients: int, seconds: float, stream: bool) -> float:
    """Tokens per second."""
    options = {"stream": True, "stream_options": {"include_usage": True}} if stream else {"stream": False}
    ends, counts = time.perf_counter() + seconds, []

    async def client() -> None:
        async with _Client(url, BODY | options) as connection:
            while time.perf_counter() < ends:
                counts.append(await connection.ask())

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    return sum(counts) / (time.perf_counter() - began)


async def _gaps(url: str, clients: int) -> list[float]:
    """Seconds between the tokens of streams."""
    gaps: list[float] = []

    async def client(number: int) -> None:
        async with httpx.AsyncClient(base_url=url, timeout=600) as http:
            for _ in range(4):
                body = BODY | {"stream": True, "temperature": 1, "seed": number}
                async with http.stream("POST", "/v1/chat/completions", json=body) as answer:
                    last = None
                    async for line in answer.aiter_lines():
                        if '"content":"' in line and '"content":""' not in line:
                            now = time.perf_counter()
                            if last is not None:
                                gaps.append(now - last)
                            last = now

    await asyncio.gather(*map(client, range(clients)))
    return gaps


async def _alone(url: str) -> tuple[float, float]:
    """Seconds of a request, and of the same text in this process; medians, taking turns."""
    model = fw.load(MODEL)
    form = fw.json_schema(SCHEMA)
    served, here = [], []
    async with _Client(url, BODY | {"stream": False}) as connection:
        for _ in range(60):
            began = time.perf_counter()
            await connection.ask()
            served.append(time.perf_counter() - began)
            began = time.perf_counter()
            model.generate([{"role": "user", "content": PROMPT}], form, max_tokens=200)
            here.append(time.perf_counter() - began)
    return statistics.median(served), statistics.median(here)


def _in_a_process(function: Any, *arguments: Any) -> Any:
    """What an asynchronous function gives, run in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_run, (function, arguments))


def _run(function: Any, arguments: tuple[Any, ...]) -> Any:
    return asyncio.run(function(*arguments))


def speed() -> None:
    """Print throughput, overhead and latency."""
    with server() as (url, _):
        for stream in (False, True):
            one, many = [], []
            for _ in range(ROUNDS):
                one.append(_in_a_process(_throughput, url, 1, 3.0, stream))
                many.append(_in_a_process(_throughput, url, 64, 3.0, stream))
            ratios = [b / a for a, b in zip(one, many, strict=True)]
            kind = "streamed" if stream else "whole"
            print(
                f"{kind}: {statistics.median(one):.0f} tokens/s of one client, {statistics.median(many):.0f} of 64; "
                f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
            )
        served, here = asyncio.run(_alone(url))
        more = served - here
        print(f"a request {1e3 * served:.1f} ms, its text here {1e3 * here:.1f} ms: {1e3 * more:.2f} ms more")
        for clients in (1, 64):
            for number in range(ROUNDS):
                gaps = sorted(_in_a_process(_gaps, url, clients))
                p50, p99 = gaps[len(gaps) // 2], gaps[int(len(gaps) * 0.99)]
                print(
                    f"between tokens of {clients}, round {number + 1}: p50 {1e3 * p50:.1f} ms, p99 {1e3 * p99:.1f} ms, "
                    f"ratio {p99 / p50:.1f}"
                )


def memory(count: int) -> None:
    """Print resident memory while requests of mixed forms are answered."""
    asked = requests(count, 1)

    def resident(pid: int) -> float:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * 4096 / 2**20

    async def some(url: str, first: int, last: int) -> None:
        limit = asyncio.Semaphore(64)
        async with httpx.AsyncClient(base_url=url, timeout=600) as http:

            async def one(body: Any) -> None:
                async with limit:
                    await http.post("/v1/chat/completions", json=body)

            await asyncio.gather(*(one(request.body) for request in asked[first:last]))

    with server() as (url, pid):
        for first in range(0, count, count // 10):
            asyncio.run(some(url, first, first + count // 10))
            print(f"{first + count // 10:7} requests: {resident(pid):.0f} MiB", flush=True)


if __name__ == "__main__":
    memory(int(sys.argv[2])) if sys.argv[1:2] == ["memory"] else speed()
