"""Run an application at a port: in this process until a signal ends it, or in a thread while a block runs.

::

    with running(fw.load("formwright-tiny")) as server:      # while the block runs; `serve` until Ctrl-C or SIGTERM
        server.base_url

Cost: some tens of milliseconds until it answers. `listen_at` sets the socket up so that connections send without
delay.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import uvicorn
from starlette.applications import Starlette
from uvicorn.logging import DefaultFormatter

from formwright.models import LocalModel
from formwright.server.app import create_app
from formwright.server.connections import BACKLOG, Connections, count_possible_connections
from formwright.server.settings import Settings

__all__ = ["Running", "running", "serve"]

_PARTING_SECONDS = 5
"""Seconds in which the clients of ended requests can receive their errors."""


class _Uvicorn(uvicorn.Server):
    """Runs an application. Requests that outlast the time to drain get an error instead of a lost connection."""

    def __init__(self, app: Starlette, drain: float, log_level: str, started: Callable[[], None] | None = None) -> None:
        most = min(app.state.server.settings.max_connections, count_possible_connections())
        super().__init__(
            uvicorn.Config(
                app,
                http=Connections(most).make_protocol(),
                ws="none",
                backlog=BACKLOG,
                log_level=log_level,
                access_log=False,
                timeout_graceful_shutdown=math.ceil(drain) + _PARTING_SECONDS,
            )
        )
        self._app, self._drain, self._on_start = app, drain, started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._on_start is not None:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        ending = asyncio.get_running_loop().call_later(self._drain, self._app.state.server.end)
        try:
            await super().shutdown(sockets)
        finally:
            ending.cancel()
            self._app.state.server.end()
            if self.force_exit:  # after a second signal uvicorn waits for nothing
                await self._send_errors()

    async def _send_errors(self) -> None:
        """Let the ended requests send their errors, then stop the worker."""
        if tasks := set(self.server_state.tasks):
            await asyncio.wait(tasks, timeout=_PARTING_SECONDS)
        await self.lifespan.shutdown()


def listen_at(host: str, port: int) -> socket.socket:
    """Make a listening socket whose connections send without delay.

    asyncio sets ``TCP_NODELAY`` only on sockets whose protocol is TCP, and those of `create_server` do not say so. Then
    the second half of an answer waits some 40 ms, until the client has acknowledged the first.

    Raises:
        OSError: It cannot listen there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _add_hosts(settings: Settings | None, host: str) -> Settings:
    """Add the names of the server to its settings: the host where it listens, and the name of the machine."""
    settings = settings or Settings()
    return replace(settings, hosts=(*(settings.hosts or ()), host, socket.gethostname()))


@dataclass(frozen=True, slots=True)
class Running:
    """A server that runs in this process.

    Attributes:
        url: Where its page is.
        app: The application.
    """

    url: str
    app: Starlette

    @property
    def base_url(self) -> str:
        """The URL of the API, which clients need."""
        return f"{self.url}/v1"


@contextlib.contextmanager
def running(model: LocalModel, settings: Settings | None = None, *, port: int = 0) -> Iterator[Running]:
    """Run a server in a thread of this process while the block runs, for tests for example.

    Args:
        model: The model.
        settings: How it serves.
        port: The port on this machine; 0 for any free one.

    Raises:
        OSError: It cannot listen there.
    """
    with listen_at("127.0.0.1", port) as listening:
        app = create_app(model, _add_hosts(settings, "127.0.0.1"))
        server = _Uvicorn(app, drain=5, log_level="error")
        thread = threading.Thread(target=server.run, args=([listening],), name="formwright-server", daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.005)
        if not server.started:
            raise RuntimeError("the server could not be started; its log says why")
        try:
            yield Running(f"http://127.0.0.1:{listening.getsockname()[1]}", app)
        finally:
            server.should_exit = True
            thread.join()


def serve(
    model: LocalModel,
    settings: Settings | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    drain: float = 30.0,
    log_level: str = "info",
    started: Callable[[str], None] | None = None,
) -> None:
    """Serve a model until a signal ends the process.

    Args:
        model: The model.
        settings: How it serves.
        host: Where to listen.
        port: At which port.
        drain: Seconds that running requests may take after the signal.
        log_level: The level of the log, by uvicorn's names.
        started: Called with the URL of the page as soon as the server answers.

    Raises:
        OSError: It cannot listen there.
    """
    with listen_at(host, port) as listening:
        url = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
        _log_to_stderr(log_level)
        app = create_app(model, _add_hosts(settings, host))
        server = _Uvicorn(app, drain, log_level, partial(started, url) if started else None)
        with contextlib.suppress(KeyboardInterrupt):
            server.run([listening])


def _log_to_stderr(level: str) -> None:
    """Write what the server logs, and its access log, to stderr, unless the process has a log already."""
    log = logging.getLogger("formwright.server")
    log.setLevel(level.upper())
    if not log.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(DefaultFormatter("%(levelprefix)s %(message)s"))
        log.addHandler(handler)
