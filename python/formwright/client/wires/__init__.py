"""Write requests and read answers in the format of each API: one module for each.

::

    wire = WIRES["anthropic"]
    wire.write_request(query).path          # 'messages'
    wire.read_reply(body).text             # what the model wrote

A `Wire` turns a `TextQuery` into the body of a request, and an answer into a `Reply`; its `Collector` reads a stream
event by event. It knows nothing of forms, and does no I/O.

Cost: building a few dicts. An answer that does not have the shape of its API is a `RequestFailed`,
whatever its status says; unknown fields are ignored.
"""

from __future__ import annotations

from formwright.client.wires.anthropic import ANTHROPIC
from formwright.client.wires.chat import CHAT
from formwright.client.wires.gemini import GEMINI
from formwright.client.wires.responses import RESPONSES
from formwright.client.wires.wire import Collector, Wire

__all__ = ["WIRES", "Collector", "Wire"]

WIRES: dict[str, Wire] = {"openai": CHAT, "responses": RESPONSES, "anthropic": ANTHROPIC, "gemini": GEMINI}
"""The APIs, by the value of ``api=``."""
