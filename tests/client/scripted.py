"""A server that answers as a script says, byte by byte: for every way in which an API fails.

::

    with Scripted(lambda request: [ok({"choices": []})]) as server:
        fw.connect(server.url, "m").generate("Hi", int)
    server.requests[0].json["model"]              # 'm'

A script is called for each request, and gives what is to be sent: bytes, `Pause`, or `RESET`.
"""

from __future__ import annotations

import contextlib
import json
import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

RESET = object()
"""Break the connection off, as a crashed server does."""


@dataclass
class Pause:
    """Wait before going on."""

    seconds: float


@dataclass
class Received:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Scripted:
    """The server; it listens inside a ``with`` block."""

    def __init__(self, script: Callable[[Received], Iterable[Any]]) -> None:
        self.requests: list[Received] = []
        self.closed = threading.Event()
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                while (request := _received(self.rfile)) is not None:
                    outer.requests.append(request)
                    is_last = False
                    try:
                        for step in script(request):
                            if step is RESET:
                                linger = struct.pack("ii", 1, 0)
                                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                                self.connection.close()
                                return
                            if isinstance(step, Pause):
                                time.sleep(step.seconds)
                            else:
                                self.wfile.write(step)
                                self.wfile.flush()
                                is_last = is_last or b"Connection: close" in step
                    except OSError:  # the client has gone
                        outer.closed.set()
                        return
                    if is_last:
                        return

            def finish(self) -> None:
                with contextlib.suppress(OSError):
                    super().finish()

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address, daemon_threads, request_queue_size = True, True, 256

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Scripted:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _received(file: Any) -> Received | None:
    line = file.readline().decode()
    if not line.strip():
        return None
    headers: dict[str, str] = {}
    while (header := file.readline().decode().strip()) != "":
        name, _, value = header.partition(":")
        headers[name.lower()] = value.strip()
    return Received(line.split()[1], headers, file.read(int(headers.get("content-length", 0))))


def answer(status: int, body: bytes | Any, *headers: str, kind: str = "application/json") -> bytes:
    """A whole HTTP answer."""
    data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(data)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def ok(body: Any) -> bytes:
    """An answer that is no error."""
    return answer(200, body)


def error_body(message: str, **more: Any) -> dict[str, Any]:
    """The body of an error."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None} | more}


def head() -> bytes:
    """The head of a stream, which ends with the connection."""
    return b"HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def event(data: Any) -> bytes:
    """An event of a stream."""
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def chat(content: Any, finish: str = "stop", **message: Any) -> dict[str, Any]:
    """A chat completion."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "logprobs": None,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def call(name: str, arguments: str, number: int = 0) -> dict[str, Any]:
    """A call of a tool in a chat completion."""
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


def chunk(content: Any = None, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """A chunk of a chat completion."""
    said = ({} if content is None else {"content": content}) | delta
    choice = {"index": 0, "delta": said, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def usage(prompt: int, completion: int) -> dict[str, Any]:
    """The last chunk, with what was counted."""
    counted = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": counted}
