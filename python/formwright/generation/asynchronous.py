"""An iterator that an event loop can wait for: each step runs in a thread.

::

    async def show(prompt):
        async with model.stream(prompt, Person) as stream:
            async for piece in stream:
                print(piece.text, end="")

Cost: handing a step to a thread and back, some 50 µs; other tasks run meanwhile.

A step that has begun is not interrupted. Where the task is cancelled, leaving the block waits for that
one step.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Generic, Self, TypeVar

if TYPE_CHECKING:
    import asyncio

__all__ = ["Steps"]

T_co = TypeVar("T_co", covariant=True)

_END: Final = object()


class Steps(Generic[T_co]):
    """Steps with an end that may come early: ``with`` and ``for``, or ``async with`` and ``async for``."""

    _step: asyncio.Future[Any] | None = None

    def __iter__(self) -> Iterator[T_co]:
        return self

    def __next__(self) -> T_co:
        raise NotImplementedError

    def close(self) -> None:
        """End it where it is."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T_co:
        import asyncio  # only who waits for it needs it: it takes longer to import than all of this package

        self._step = asyncio.ensure_future(asyncio.to_thread(next, self, _END))
        item = await asyncio.shield(self._step)  # a thread goes on when its task is cancelled
        if item is _END:
            raise StopAsyncIteration
        taken: T_co = item
        return taken

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        if self._step is not None:
            import asyncio

            await asyncio.gather(self._step, return_exceptions=True)
        self.close()
