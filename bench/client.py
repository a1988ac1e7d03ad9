"""What the client costs a request, beside the bare SDK on the same connection, and what a partial value costs an event.

::

    python bench/client.py

Both ask a server in another process that answers at once with the same bytes. *Alone* is one request after the other,
rounds taking turns; *together* is 100 at a time in an event loop. *Events* feeds a stream by hand: reading the event,
the check by the kernel, and the partial value.
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

import openai
from pydantic import BaseModel

import formwright as fw
from formwright.client.flow.pieces import Pieces
from formwright.client.flow.steps import TextQuery
from formwright.client.plans.plan import make_plan
from formwright.client.plans.services import SERVICES
from formwright.client.wires import WIRES

ROUNDS, REQUESTS, TOGETHER = 7, 60, 100


class Person(BaseModel):
    name: str
    age: int
    city: str
    tags: list[str]


VALUE = {"name": "Ada", "age": 36, "city": "London", "tags": ["mathematics", "engines"]}
MESSAGES = [{"role": "user", "content": "Ada is 36 years old."}]
SCHEMA = {"name": "Person", "strict": True, "schema": Person.model_json_schema()}
FORMAT = {"type": "json_schema", "json_schema": SCHEMA}


def _serve(port: Any) -> None:
    """Answer every request with the same chat completion."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from client.scripted import chat, ok  # type: ignore[import-not-found]

    data = ok(chat(json.dumps(VALUE)))

    async def answer_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
                await reader.readexactly(length)
                writer.write(data)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(answer_request, "127.0.0.1", 0)
        port.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def _alone(url: str) -> tuple[list[float], list[float]]:
    """Seconds of a request: of the SDK, and of the client."""
    sdk = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    ours = fw.connect(url, "m", service="compatible")
    theirs, mine = [], []
    for number in range(ROUNDS):
        for _ in range(REQUESTS):
            began = time.perf_counter()
            completion = sdk.chat.completions.create(model="m", messages=MESSAGES, response_format=FORMAT)  # type: ignore
            Person.model_validate_json(completion.choices[0].message.content or "")
            between = time.perf_counter()
            ours.generate(MESSAGES, Person)
            ended = time.perf_counter()
            if number:  # the first round is warm-up
                theirs.append(between - began)
                mine.append(ended - between)
    ours.close()
    return theirs, mine


async def _together(url: str) -> tuple[list[float], list[float]]:
    """Seconds for 100 requests at a time: of the SDK, and of the client."""
    sdk = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    ours = fw.connect(url, "m", service="compatible", asynchronous=True)

    async def ask_once() -> None:
        completion = await sdk.chat.completions.create(model="m", messages=MESSAGES, response_format=FORMAT)  # type: ignore
        Person.model_validate_json(completion.choices[0].message.content or "")

    theirs, mine = [], []
    for number in range(ROUNDS + 1):
        began = time.perf_counter()
        await asyncio.gather(*(ask_once() for _ in range(TOGETHER)))
        between = time.perf_counter()
        await asyncio.gather(*(ours.generate(MESSAGES, Person) for _ in range(TOGETHER)))
        ended = time.perf_counter()
        if number:
            theirs.append(between - began)
            mine.append(ended - between)
    await sdk.close()
    await ours.close()
    return theirs, mine


def _events() -> tuple[float, float]:
    """Microseconds of an event: reading the chunk, and its partial value with the check."""
    text = json.dumps({**VALUE, "tags": [f"tag {number}" for number in range(200)]})
    plan, wire = make_plan(fw.form(Person), "strict", SERVICES["compatible"]), WIRES["openai"]
    query = TextQuery(model="m", messages=MESSAGES, mode="strict")
    chunks = [
        {"choices": [{"index": 0, "delta": {"content": text[at : at + 4]}, "finish_reason": None}]}
        for at in range(0, len(text), 4)
    ]
    reading, partial = [], []
    for _ in range(20):
        collector, pieces = wire.make_collector(query), Pieces(plan)
        began = time.perf_counter()
        texts = [collector.feed(chunk) for chunk in chunks]
        between = time.perf_counter()
        for piece in texts:
            pieces.feed(piece)
        ended = time.perf_counter()
        reading.append((between - began) / len(chunks))
        partial.append((ended - between) / len(chunks))
    return 1e6 * statistics.median(reading), 1e6 * statistics.median(partial)


def main() -> None:
    context = multiprocessing.get_context("spawn")
    port = context.Queue()
    server = context.Process(target=_serve, args=(port,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{port.get(timeout=60)}/v1"
    theirs, mine = _alone(url)
    alone = 1e3 * statistics.median(theirs), 1e3 * statistics.median(mine)
    print(f"alone: the SDK {alone[0]:.2f} ms a request, the client {alone[1]:.2f} ms: {alone[1] - alone[0]:+.2f} ms")
    theirs, mine = asyncio.run(_together(url))
    both = statistics.median(theirs) / TOGETHER * 1e3, statistics.median(mine) / TOGETHER * 1e3
    print(
        f"{TOGETHER} together: the SDK {both[0]:.2f} ms a request, the client {both[1]:.2f} ms: "
        f"{100 * (both[1] / both[0] - 1):+.0f} %"
    )
    reading, partial = _events()
    print(f"events: {reading:.1f} us to read a chunk, {partial:.1f} us for its check and partial value")
    server.terminate()


if __name__ == "__main__":
    main()
