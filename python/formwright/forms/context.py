"""The context that validators of a type see, as a variable of the running thread or task."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = ["current_context", "validation_context"]

_CONTEXT: ContextVar[Any] = ContextVar("the context of validators", default=None)


def current_context() -> Any:
    """What validators are given as their context."""
    return _CONTEXT.get()


@contextmanager
def validation_context(context: Any) -> Iterator[None]:
    """Give validators this context inside the block; ``None`` leaves what they have."""
    token = None if context is None else _CONTEXT.set(context)
    try:
        yield
    finally:
        if token is not None:
            _CONTEXT.reset(token)
