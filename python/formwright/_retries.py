"""Trying again: which errors, how often, and how long to wait - by tenacity, without its sleeping.

::

    steps = retry(output_policy(2), attempt)      # a generator: the steps of each attempt, and Sleep between them

Two policies are nested in a flow. Around each request: what may go away by itself - no connection, 408, 409, 429, 5xx -
is sent again after a growing pause, or after as long as the service says. Around each answer: one that does not
conform, or was cut, is asked for again, with what was wrong.

Cost: some microseconds of tenacity for each attempt. A policy of the user's is taken as it is, but its
``sleep`` is the driver's; what it says of an attempt's exception is asked even for errors that no repetition mends.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from formwright._extras import needs
from formwright.errors import ArgumentError, OutputInvalid, OutputTruncated, RequestFailed

with needs("client", "a remote model"):
    import tenacity
    from tenacity import RetryCallState, Retrying

if TYPE_CHECKING:
    from tenacity import BaseRetrying

__all__ = ["Sleep", "output_policy", "request_policy", "retry"]

T = TypeVar("T")

_log = logging.getLogger("formwright.client")

_FIRST, _LONGEST = 0.5, 30.0
"""Seconds of the first pause, and of the longest."""

_LONGEST_SAID = 120.0
"""Seconds that a service may ask for; whoever wants more is told so at once."""

_GROWING = tenacity.wait_exponential(multiplier=_FIRST, max=_LONGEST) + tenacity.wait_random(0, _FIRST)
"""Longer pauses each time, and not the same ones for all clients."""


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait for some seconds."""

    seconds: float


def request_policy(
    retries: int, is_shown: Callable[[], bool] = lambda: False, left: Callable[[], float | None] = lambda: None
) -> BaseRetrying:
    """Send a request again, so often at most, not once something of its answer is shown, and not with a pause that
    is longer than the seconds that are left.

    Raises:
        ArgumentError: ``retries`` is not a number of retries.
    """

    def wait(state: RetryCallState) -> float:
        seconds, most = _pause(state), left()
        if most is not None and seconds >= most and state.outcome is not None:
            state.outcome.result()  # raises the error
        return seconds

    return Retrying(
        stop=tenacity.stop_after_attempt(_count(retries, "request_retries") + 1),
        retry=tenacity.retry_if_exception(lambda error: not is_shown() and _may_pass(error)),
        wait=wait,
        reraise=True,
    )


def output_policy(retries: Any) -> BaseRetrying:
    """Ask for an answer again, so often at most; or as a policy of tenacity says. Raises ArgumentError."""
    if isinstance(retries, tenacity.AsyncRetrying):
        return _as_sync(retries)
    if isinstance(retries, tenacity.BaseRetrying):
        return retries.copy()
    return Retrying(
        stop=tenacity.stop_after_attempt(_count(retries, "max_retries") + 1),
        retry=tenacity.retry_if_exception_type((OutputInvalid, OutputTruncated)),
        reraise=True,
    )


def retry(
    policy: BaseRetrying,
    attempt: Callable[[int], Generator[Any, Any, T]],
    is_final: Callable[[], bool] = lambda: False,
    note: Callable[[BaseException | None], None] = lambda _: None,
) -> Generator[Any, Any, T]:
    """The steps of attempts, until one succeeds, the policy says no, or an error is final whatever it says.

    Args:
        policy: How often, and after what pauses.
        attempt: The steps of the attempt of a number.
        is_final: Whether the error of an attempt ends them all.
        note: Is told what an attempt failed by, before the next one.

    Raises:
        tenacity.RetryError: The policy gave up, and does not raise the last error again.
    """
    state = RetryCallState(retry_object=policy, fn=None, args=(), kwargs={})
    policy.begin()
    while True:
        decided = policy.iter(retry_state=state)
        if isinstance(decided, tenacity.DoAttempt):
            try:
                result = yield from attempt(state.attempt_number)
            except Exception as error:
                if is_final():
                    raise
                state.set_exception((type(error), error, error.__traceback__))
            else:
                state.set_result(result)
        elif isinstance(decided, tenacity.DoSleep):
            failure = state.outcome.exception() if state.outcome else None
            _log.info("attempt %d failed, the next begins in %.1f s: %s", state.attempt_number, decided, failure)
            note(failure)
            state.prepare_for_next_attempt()
            if decided > 0:
                yield Sleep(float(decided))
        else:
            taken: T = decided
            return taken


def _count(retries: Any, argument: str) -> int:
    if not isinstance(retries, int) or isinstance(retries, bool) or retries < 0:
        raise ArgumentError(
            f"{argument} is a number from 0 on"
            + (" or a Retrying of tenacity" if argument == "max_retries" else "")
            + f", not {retries!r}",
            argument=argument,
        )
    return retries


def _as_sync(policy: Any) -> BaseRetrying:
    """A policy for coroutines, whose parts are functions all the same."""
    names = ("stop", "wait", "retry", "before", "after", "before_sleep", "reraise", "retry_error_callback")
    return Retrying(**{name: getattr(policy, name) for name in names}, retry_error_cls=policy.retry_error_cls)


def _may_pass(error: BaseException) -> bool:
    """Whether a request that failed so may succeed later."""
    if not isinstance(error, RequestFailed):
        return False
    return error.may_pass and (error.retry_after is None or error.retry_after <= _LONGEST_SAID)


def _pause(state: RetryCallState) -> float:
    """As long as the service says; else longer each time, and not the same for all clients."""
    error = state.outcome.exception() if state.outcome else None
    said = getattr(error, "retry_after", None)
    if said is not None:
        return float(said)
    return float(_GROWING(state))
