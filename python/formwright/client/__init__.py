"""Remote models, which are reached through an API: typed, checked by the kernel, corrected when they are wrong.

::

    model = fw.connect("http://127.0.0.1:8000/v1", "some-model")
    model.generate("Ada is 36 years old.", Person).value        # Person(name='Ada', age=36)

    model = fw.from_openai(OpenAI(), "gpt-5-mini")              # a client object of an SDK

From the outside in: `model` has the verbs; `flow` describes one answer as steps without I/O; `transport` carries them
out, over HTTP or with an SDK's client; `plans` decides how to ask for a form; `wires` spells requests in each API;
`instructor` has the calls that users of Instructor know.

`Complete.enforced` says who enforced the form. The text is always checked here too.
Importing this package loads httpx, pydantic and tenacity, so `formwright` imports it when it is first used.
"""

from __future__ import annotations

from formwright.client.async_model import AsyncRemoteModel
from formwright.client.flow.pieces import Piece
from formwright.client.hooks import Hooks
from formwright.client.instructor.patch import Maybe
from formwright.client.model import RemoteModel
from formwright.client.plans.services import SERVICES, Service, register_service
from formwright.client.remote_models import connect, from_openai, patch
from formwright.client.transport.cache import AnswerCache
from formwright.client.transport.drivers import Arriving, ArrivingAsync
from formwright.generation.result import Attempt, Exchange, Mode, Usage

__all__ = [
    "SERVICES",
    "AnswerCache",
    "Arriving",
    "ArrivingAsync",
    "AsyncRemoteModel",
    "Attempt",
    "Exchange",
    "Hooks",
    "Maybe",
    "Mode",
    "Piece",
    "RemoteModel",
    "Service",
    "Usage",
    "connect",
    "from_openai",
    "patch",
    "register_service",
]
