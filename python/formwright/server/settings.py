"""Settings of a server: names, a key, limits.

::

    Settings(api_key="secret", max_batch=8).timeout         # 600.0

A limit of 0 is refused, because such a server could not answer; only ``store`` may be 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from formwright.errors import ArgumentError

__all__ = ["Settings"]

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a server serves.

    Attributes:
        names: Names of the model that requests may use; answers use the first.
        api_key: The key that clients have to send; ``None`` admits everyone.
        max_batch: How many texts are written at a time.
        max_waiting: How many texts may wait for a row.
        max_body: Most bytes of a request.
        timeout: Most seconds of a request, from its arrival to its last byte.
        max_connections: How many connections may be open.
        hosts: Names of the server that a ``Host`` may have, besides addresses and ``localhost``; ``None`` is any. With
            a key, any is allowed.
        origins: Origins whose pages browsers let read answers (CORS), as ``https://example.com``; ``*`` is any.
        store: How many responses are kept in memory for ``previous_response_id``; 0 keeps none.

    Raises:
        ArgumentError: A key is empty, an origin is invalid, or a limit is too small.
    """

    names: tuple[str, ...] = ()
    api_key: str | None = None
    max_batch: int = 64
    max_waiting: int = 1024
    max_body: int = 4 << 20
    timeout: float = 600.0
    max_connections: int = 1024
    hosts: tuple[str, ...] | None = None
    origins: tuple[str, ...] = ()
    store: int = 0

    def __post_init__(self) -> None:
        if self.api_key == "":
            hint = "leave api_key out, or pass None, to let everyone in"
            raise ArgumentError("Settings: the key is empty", hint=hint, argument="api_key")
        for name in ("max_batch", "max_waiting", "max_body", "timeout", "max_connections"):
            if not (value := getattr(self, name)) > 0:
                raise ArgumentError(f"Settings: {name}: expected a number above 0, got {value!r}", argument=name)
        if self.store < 0:
            raise ArgumentError(f"Settings: store: expected a number from 0 on, got {self.store!r}", argument="store")
        for origin in self.origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                hint = "an origin is a scheme, a host and perhaps a port, as https://example.com, or *"
                raise ArgumentError(
                    f"Settings: origins: expected an origin, got {origin!r}", hint=hint, argument="origins"
                )
