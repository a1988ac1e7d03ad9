r"""Server-sent events, read from the bytes as they come.

::

    reader = EventReader()
    reader.feed(b'data: {"a": 1}\n\ndata: [DO')      # [{'a': 1}]
    reader.feed(b"NE]\n\n")                          # []
    reader.is_done                                   # True

Cost: one pass over the bytes, and ``json.loads`` of each event. Events are split as bytes, so a character
that arrives in two pieces is complete in its event; one that is cut at the end is an error, never a wrong character.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from typing import Any

from formwright.errors import RequestFailed

__all__ = ["EventReader"]


class EventReader:
    """Reads a stream of events whose data is JSON."""

    def __init__(self) -> None:
        self._rest = b""
        self._is_first = True
        self._data: list[bytes] = []
        self.is_done = False
        """Whether ``[DONE]`` has come."""

    def feed(self, piece: bytes) -> list[dict[str, Any]]:
        """Return the events that these bytes complete.

        Raises:
            RequestFailed: One is not a JSON object.
        """
        lines = (self._rest + piece).split(b"\n")
        self._rest = lines.pop()
        events = []
        for line in lines:
            line = line.removesuffix(b"\r")
            if self._is_first:
                line, self._is_first = line.removeprefix(BOM_UTF8), False
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                event = self._decode_event()
                if event is not None:
                    events.append(event)
        return events

    def end(self) -> list[dict[str, Any]]:
        """Return the last event, if the stream ended without the blank line after it."""
        return self.feed(b"\n\n") if self._rest or self._data else []

    def _decode_event(self) -> dict[str, Any] | None:
        """Decode the data of an event; ``None`` for ``[DONE]``. Raises RequestFailed."""
        data, self._data = b"\n".join(self._data), []
        if data == b"[DONE]":
            self.is_done = True
            return None
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            event = None
        if not isinstance(event, dict):
            shown = data[:200].decode(errors="replace")
            raise RequestFailed("the service sent an event that is not a JSON object", body=shown)
        return event
