"""A job for a remote model: everything that decides which requests are sent, and how their answers are read.

::

    job = RemoteJob(wire=WIRES["openai"], query=query, modes=("strict",), plan=lambda mode: plan)
    job.max_retries, job.request_retries              # (0, 2)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from formwright.client.flow.steps import TextQuery
from formwright.client.plans.plan import AnyPlan
from formwright.client.wires import Wire
from formwright.forms.form import Form
from formwright.generation.fields import Calibration
from formwright.generation.result import Mode

__all__ = ["RemoteJob"]


@dataclass(frozen=True, kw_only=True)
class RemoteJob:
    """What to request from a remote model, and how.

    Attributes:
        wire: The API.
        query: What all requests have in common; a plan adds the form.
        modes: The modes to try, in order.
        plan: The plan of the form in a mode.
        measured_form: The form whose fields are measured; ``None`` if nobody asks for them.
        source: Where their spans are looked for.
        calibration: Maps their probabilities.
        finish: Whether a truncated text is an error.
        context: What validators see.
        max_retries: How often to request another answer after a wrong one, or a policy of tenacity.
        request_retries: How often a request is sent again.
        token_budget: Tokens of all attempts together.
        time_budget: Seconds of all attempts together.
        max_bytes: Bytes of one answer at most.
        cancel: Called before each part of a stream; true cuts the text.
        yields_pieces: Whether to yield the pieces of a stream; if not, it is streamed only so that it can be cut.
        emit: Called at each event with its name, such as ``"completion:response"``, and its subject.
        note_retry: Called with the error before each retry.
        cache_key: Makes the key of a request in the cache; ``None`` uses no cache.
        clock: Seconds, for tests.
    """

    wire: Wire
    query: TextQuery
    modes: Sequence[Mode]
    plan: Callable[[Mode], AnyPlan]
    measured_form: Form[Any] | None = None
    source: str | None = None
    calibration: Calibration | None = None
    finish: bool = True
    context: Any = None
    max_retries: Any = 0
    request_retries: int = 2
    token_budget: int | None = None
    time_budget: float | None = None
    max_bytes: int = 1 << 26
    cancel: Callable[[], bool] | None = None
    yields_pieces: bool = True
    emit: Callable[..., None] = lambda *_: None
    note_retry: Callable[[BaseException | None], None] = lambda _: None
    cache_key: Callable[[Mapping[str, Any]], str] | None = None
    clock: Callable[[], float] = time.monotonic
