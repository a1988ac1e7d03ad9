"""Many requests at a time: none invalid, none lost, and each answered as it is alone.

::

    python tests/programs/load.py 1000 1          # requests, seed

Requests are of mixed forms (schemas, tools, regular expressions, choices, free text, thoughts) with random options and
a seed, half of them streamed, 64 at a time. Every answer is checked by an independent reading of its form, and compared
with the answer to the same request when nothing else runs. Where the real schemas are there, they are among the forms.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import os
import random
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs

import formwright as fw

MODEL = "formwright-tiny"
PROMPTS = ("Ada is 36 years old.", "What is the weather in Oslo?", "天气怎么样", "Write something.", "7 and 9")
SAMPLE = Path(__file__).parents[3] / "shared/data/maskbench/sample.jsonl.gz"
CITY = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 12}}, "required": ["city"]}
TOOLS = [
    {"type": "function", "function": {"name": "get_weather", "parameters": CITY | {"additionalProperties": False}}},
    {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object", "maxProperties": 0}}},
]
SCHEMAS: list[dict[str, Any]] = [
    {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}, "required": ["name"]},
    {"type": "array", "items": {"enum": ["a", "b", None]}, "maxItems": 4},
    {"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 5}]},
    {"type": "number", "minimum": 0, "maximum": 1},
]
PATTERNS = (r"[A-Z][a-z]{1,8} is [0-9]{1,3}", r"\d{4}-\d{2}-\d{2}", r"(ab|c)*x", r"[正负]面")


@dataclass
class Asked:
    """A request, and what its answer has to be."""

    body: dict[str, Any]
    form: str
    expected: Any


def requests(count: int, seed: int) -> list[Asked]:
    """Random requests."""
    rng = random.Random(seed)
    schemas = SCHEMAS + real_schemas(rng)
    return [_request(rng, schemas) for _ in range(count)]


def real_schemas(rng: random.Random) -> list[Any]:
    """Some real schemas that fit into the context of the model."""
    if not SAMPLE.exists():
        return []
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as lines:
        known = [json.loads(line)["schema"] for line in lines]
    vocabulary, found = fw.load(MODEL).vocabulary, []
    for schema in rng.sample(known, min(len(known), 150)):
        with contextlib.suppress(fw.errors.FormwrightError):
            if fw.compile(schema, vocabulary).matcher().min_tokens_to_finish < 300:
                found.append(schema)
    return found


def _request(rng: random.Random, schemas: list[Any]) -> Asked:
    body: dict[str, Any] = {
        "model": MODEL,
        "messages": [{"role": "user", "content": rng.choice(PROMPTS)}],
        "temperature": rng.choice([0, 0, 0.7, 1.3]),
        "seed": rng.randrange(1000),
        "stream": rng.random() < 0.5,
        "max_tokens": rng.choice([320, 400, 500]),
    }
    if rng.random() < 0.3:
        body |= rng.choice(
            [{"top_p": 0.8}, {"top_k": 5}, {"frequency_penalty": 0.5}, {"logit_bias": {"300": 2}}, {"n": 2}]
        )
    form = rng.choice(["schema", "schema", "tools", "regex", "choice", "text", "thought"])
    expected: Any = None
    if form == "schema":
        expected = rng.choice(schemas)
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "n", "schema": expected}}
    elif form == "tools":
        expected = rng.choice(["auto", "required"])
        body |= {"tools": TOOLS, "tool_choice": expected, "parallel_tool_calls": rng.random() < 0.5}
        body["max_tokens"] = 120
    elif form in ("regex", "thought"):
        expected = rng.choice(PATTERNS)
        body["structured_outputs"] = {"regex": expected}
        body |= {"reasoning_effort": "minimal"} if form == "thought" else {}
    elif form == "choice":
        expected = rng.sample(["yes", "no", "天弘中证500", "perhaps", "never"], 3)
        body["guided_choice"] = expected
    else:
        body["max_tokens"] = rng.randrange(1, 60)
    return Asked(body, form, expected)


def wrong(asked: Asked, choices: list[dict[str, Any]]) -> str | None:
    """What is wrong with an answer."""
    if len(choices) != asked.body.get("n", 1):
        return f"{len(choices)} texts"
    for choice in choices:
        text, calls = choice["content"], choice["calls"]
        if choice["reason"] not in ("stop", "tool_calls", "length"):
            return f"ends with {choice['reason']}"
        if choice["reason"] == "length" and asked.form != "text" and not (asked.form == "tools" and not calls):
            return "cut"
        if asked.form == "schema" and not jsonschema_rs.is_valid(asked.expected, json.loads(text)):
            return "not in schema"
        if asked.form in ("regex", "thought") and not re.fullmatch(asked.expected, text, re.ASCII):
            return "not in pattern"
        if asked.form == "choice" and text not in asked.expected:
            return "no choice"
        if asked.form == "tools" and (said := _wrong_calls(asked, calls)):
            return said
    return None


def _wrong_calls(asked: Asked, calls: list[tuple[str, str]]) -> str | None:
    if asked.expected == "required" and not calls:
        return "no call"
    if not asked.body["parallel_tool_calls"] and len(calls) > 1:
        return "several calls"
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}
    for name, arguments in calls:
        if name not in schemas or not jsonschema_rs.is_valid(schemas[name], json.loads(arguments)):
            return f"arguments of {name}"
    return None


async def answer(client: httpx.AsyncClient, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The texts, calls and ends of an answer, whole or streamed."""
    if not body["stream"]:
        got = await client.post("/v1/chat/completions", json=body)
        if got.status_code != 200:
            raise ValueError(f"{got.status_code} {got.text[:200]}")
        return [_read(choice["message"], choice["finish_reason"]) for choice in got.json()["choices"]]
    texts: dict[int, dict[str, Any]] = {}
    async with client.stream("POST", "/v1/chat/completions", json=body) as got:
        if got.status_code != 200:
            raise ValueError(f"{got.status_code} {(await got.aread())[:200]!r}")
        async for line in got.aiter_lines():
            if line.startswith("data: {"):
                for choice in json.loads(line[6:])["choices"]:
                    _add(texts.setdefault(choice["index"], {"content": "", "calls": {}, "reason": None}), choice)
    return [_of_stream(texts[number]) for number in sorted(texts)]


def _read(message: dict[str, Any], reason: str) -> dict[str, Any]:
    calls = [(call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls", ())]
    return {"content": message["content"] or "", "calls": calls, "reason": reason}


def _add(found: dict[str, Any], choice: dict[str, Any]) -> None:
    found["content"] += choice["delta"].get("content") or ""
    found["reason"] = choice["finish_reason"] or found["reason"]
    for call in choice["delta"].get("tool_calls", ()):
        own = found["calls"].setdefault(call["index"], ["", ""])
        own[0] += call["function"].get("name", "")
        own[1] += call["function"].get("arguments", "")


def _of_stream(found: dict[str, Any]) -> dict[str, Any]:
    return found | {"calls": [tuple(call) for call in found["calls"].values()]}


@contextlib.contextmanager
def server(*options: str) -> Iterator[tuple[str, int]]:
    """A server in a process of its own: its address and its process id."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "formwright", "serve", "--port", str(port), "--log-level", "error", *options]
    process = subprocess.Popen(command, env=os.environ | {"FORMWRIGHT_API_KEY": ""}, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"{url}/health").status_code == 200:
                    break
            time.sleep(0.1)
        yield url, process.pid
    finally:
        process.terminate()
        process.wait(60)


async def run(url: str, asked: list[Asked], at_a_time: int) -> list[list[dict[str, Any]]]:
    """The answers, in the order of the requests."""
    limit = asyncio.Semaphore(at_a_time)
    limits = httpx.Limits(max_connections=at_a_time, max_keepalive_connections=at_a_time)
    async with httpx.AsyncClient(base_url=url, timeout=600, limits=limits) as client:

        async def one(request: Asked) -> list[dict[str, Any]]:
            async with limit:
                return await answer(client, request.body)

        return await asyncio.gather(*map(one, asked))


def faults(count: int, seed: int) -> Counter[str]:
    """How many requests of each form there were, and what was wrong, by kind."""
    asked, found = requests(count, seed), Counter[str]()
    with server() as (url, _):
        together = asyncio.run(run(url, asked, 64))
        alone = asyncio.run(run(url, asked, 1))
    for request, first, second in zip(asked, together, alone, strict=True):
        found[request.form] += 1
        if said := wrong(request, first):
            found[f"WRONG {request.form}: {said}"] += 1
            print(request, first, file=sys.stderr)
        if first != second:
            found[f"MIXED UP {request.form}"] += 1
            print(request, first, second, file=sys.stderr)
    return found


def main() -> None:
    """Print what there was, and fail where something was wrong."""
    found = faults(int(sys.argv[1]), int(sys.argv[2]))
    for name, count in sorted(found.items()):
        print(f"{count:6} {name}")
    sys.exit(any(name.isupper() or name.startswith(("WRONG", "MIXED")) for name in found))


if __name__ == "__main__":
    main()
