"""How each API spells a request, and how its answers are read: one module each.

::

    wire = WIRES["anthropic"]
    wire.request(query).path          # 'messages'
    wire.reply(body).text             # what the model wrote

A `Wire` turns an `Query` into the body of a request, and an answer into a `Reply`; of a stream it reads one event
after the other. It knows nothing of forms, and does no I/O.

Cost: building a few dicts. An answer that does not have the shape of its API is a `RequestFailed`,
whatever its status says; fields that nobody knows are left alone.
"""

from __future__ import annotations

from formwright.client.wires.anthropic import ANTHROPIC
from formwright.client.wires.chat import CHAT
from formwright.client.wires.gemini import GEMINI
from formwright.client.wires.responses import RESPONSES
from formwright.client.wires.shared import Collector, Wire

__all__ = ["WIRES", "Collector", "Wire"]

WIRES: dict[str, Wire] = {"openai": CHAT, "responses": RESPONSES, "anthropic": ANTHROPIC, "gemini": GEMINI}
"""By what is passed as ``api=``."""
