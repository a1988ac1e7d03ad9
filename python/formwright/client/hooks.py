"""Functions that are called at the events of a request: any number for each event.

::

    hooks = Hooks()
    hooks.on("completion:usage", lambda usage: print(usage.total_tokens))
    client = fw.patch(OpenAI(), hooks=hooks)                  # or fw.connect(..., hooks=hooks), fw.from_openai

==========================  ==================================================================
name                        the argument of its functions
==========================  ==================================================================
``completion:kwargs``       the body of the request, as keyword arguments
``completion:response``     the answer, as it came
``completion:usage``        the tokens so far: a `Usage`
``completion:error``        the error of a request
``parse:error``             what is wrong with an answer
``completion:last_attempt`` the error after the last attempt
==========================  ==================================================================

A function that raises an error does not stop the request; the error becomes a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, get_args

from formwright.errors import ArgumentError

__all__ = ["Event", "Hooks", "check_hooks"]

Event: TypeAlias = Literal[
    "completion:kwargs",
    "completion:response",
    "completion:usage",
    "completion:error",
    "completion:last_attempt",
    "parse:error",
]
"""The events for which functions can be registered."""


class Hooks:
    """Functions by the name of their event; ``hooks + others`` has those of both."""

    def __init__(self) -> None:
        self._functions: dict[str, list[Callable[..., Any]]] = {}

    def on(self, event: Event, function: Callable[..., Any]) -> None:
        """Call a function at an event. Raises ArgumentError if there is no such event, or it is not a function."""
        if not callable(function):
            raise ArgumentError(f"{function!r} is not a function", argument="function")
        self._functions.setdefault(_check_event(event), []).append(function)

    def off(self, event: Event, function: Callable[..., Any]) -> None:
        """Stop calling a function at an event. Raises ArgumentError if it is not called, or there is no such event."""
        functions = self._functions.get(_check_event(event), [])
        if function not in functions:
            raise ArgumentError(f"the function is not registered for {event!r}", argument="function")
        functions.remove(function)

    def clear(self, event: Event | None = None) -> None:
        """Forget the functions of an event, or all of them."""
        if event is None:
            self._functions.clear()
        else:
            self._functions.pop(_check_event(event), None)

    def emit(self, event: str, about: Any) -> None:
        """Call all functions of an event."""
        for function in tuple(self._functions.get(event, ())):  # one may take itself off
            try:
                if event == "completion:kwargs" and isinstance(about, Mapping):
                    function(**about)
                else:
                    function(about)
            except Exception as error:
                warnings.warn(f"a function for {event!r} raised {error!r}", stacklevel=2)

    def __add__(self, other: Hooks) -> Hooks:
        both = Hooks()
        for hooks in (self, other):
            for event, functions in hooks._functions.items():
                both._functions.setdefault(event, []).extend(functions)
        return both


def check_hooks(hooks: Any) -> Hooks:
    """Return the given hooks, or none of them for ``None``. Raises ArgumentError if they are something else."""
    if not isinstance(hooks, Hooks | None):
        raise ArgumentError(f"hooks: expected a fw.client.Hooks, got {type(hooks).__name__}", argument="hooks")
    return hooks or Hooks()


def _check_event(event: Any) -> str:
    """Return the name of an event. Raises ArgumentError if there is no such event."""
    name = getattr(event, "value", event)  # an Enum of names will do
    if name not in get_args(Event):
        raise ArgumentError(
            f"there is no event {name!r}", hint=f"there are {', '.join(map(repr, get_args(Event)))}", argument="event"
        )
    return str(name)
