"""Bound the number of a server's connections, and the time that their clients take.

::

    import uvicorn
    from starlette.applications import Starlette

    app = Starlette()
    connections = Connections(1024)
    config = uvicorn.Config(app, http=connections.make_protocol())

A client has `_HEAD_SECONDS` to send the head of a request, and is disconnected after it has read nothing of its answer
for `_STALL_SECONDS`. If too many connections are open, one is closed: the oldest without a complete request, of the
address that has the most.

Cost: two timers for each connection. The event loop accepts many connections in one step before it closes any, so some
file descriptors must be left for them; see `count_possible_connections`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

__all__ = ["BACKLOG", "Connections", "count_possible_connections"]

BACKLOG = 128
"""Connections that the event loop accepts in one step."""

_HEAD_SECONDS = 10.0
_STALL_SECONDS = 60.0
_QUIET_SECONDS = 60.0
"""Seconds between two lines in the log about too many connections."""

_OTHER_FILES = 64
_MOST_FILES = 1 << 16

_log = logging.getLogger("formwright.server")


class Connections:
    """The open connections of a server.

    Args:
        most: How many there may be.
    """

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._by_address: dict[str, dict[Any, None]] = {}
        self._warned_at = -_QUIET_SECONDS

    def __len__(self) -> int:
        return self._size

    def make_protocol(self) -> type[asyncio.Protocol]:
        """Make the class of these connections, for uvicorn."""
        return type("Connection", (_Connection,), {"registry": self})

    def enter(self, connection: Any) -> None:
        """Count a connection, and close one if there are too many."""
        self._by_address.setdefault(connection.address, {})[connection] = None
        self._size += 1
        if self._size > self._most:
            self._warn_of_limit()
            self._choose_connection(connection).close_now()

    def leave(self, connection: Any) -> None:
        """Forget a connection; does nothing if it is forgotten already."""
        of_address = self._by_address.get(connection.address, {})
        if connection in of_address:
            del of_address[connection]
            self._size -= 1
        if not of_address:
            self._by_address.pop(connection.address, None)

    def _choose_connection(self, newest: Any) -> Any:
        """Choose the connection to close: one of the address that has the most; of equals, the newest one's address."""
        most = max(self._by_address.values(), key=len)
        mine = self._by_address[newest.address]
        candidates = most if len(most) > len(mine) else mine
        waiting = (each for each in candidates if each.is_waiting and each is not newest)
        return next(waiting, newest if candidates is mine else next(iter(candidates)))

    def _warn_of_limit(self) -> None:
        if (now := time.monotonic()) - self._warned_at >= _QUIET_SECONDS:
            self._warned_at = now
            _log.warning("%d connections are open, which is the limit: others are closed", self._most)


class _Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """A connection of uvicorn with a limit on the time that its client takes."""

    registry: Connections

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self._head: asyncio.TimerHandle | None = None
        self._stall: asyncio.TimerHandle | None = None
        self._watch_head()
        self.registry.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._head)
        _cancel(self._stall)
        self.registry.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch_head()

    def pause_writing(self) -> None:
        self._stall = self.loop.call_later(_STALL_SECONDS, self.close_now)
        super().pause_writing()

    def resume_writing(self) -> None:
        _cancel(self._stall)
        super().resume_writing()

    @property
    def is_waiting(self) -> bool:
        """Whether the client has not sent all of a request."""
        return self._is_before_head or bool(self.cycle.more_body)

    def close_now(self) -> None:
        """Close the connection without sending the rest."""
        self.registry.leave(self)
        self.transport.abort()

    @property
    def _is_before_head(self) -> bool:
        return self.cycle is None or bool(self.cycle.response_complete)

    def _watch_head(self) -> None:
        """Limit the time for a head from its first byte on; there is no limit after the head."""
        if not self._is_before_head:
            _cancel(self._head)
            self._head = None
        elif self._head is None:
            self._head = self.loop.call_later(_HEAD_SECONDS, self.close_now)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def count_possible_connections() -> int:
    """Count the connections that the file descriptors of this process allow, after raising its soft limit."""
    try:
        import resource
    except ImportError:  # Windows limits them in other ways
        return _MOST_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    allowed = _MOST_FILES if soft == resource.RLIM_INFINITY else soft
    return max(16, allowed - _OTHER_FILES - 3 * BACKLOG)
