"""Run work in threads beside the event loop, in which clients take turns.

::

    async def add() -> int:
        return await FairPool(4).run("client", lambda: 1 + 1)

    asyncio.run(add())                           # 2

A client has half of the threads at most, so that others get in while its work is long. Waiting
work is taken from each client in turn, the oldest first.

Cost: without waiting, that of a thread. A thread is free when its work is over, even if nobody awaits the result
any more.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["FairPool"]

T = TypeVar("T")


class FairPool:
    """Threads that clients share. Its methods are called in the event loop.

    Args:
        threads: How many there are.
    """

    def __init__(self, threads: int) -> None:
        self._free, self._share = threads, max(1, threads // 2)
        self._running = Counter[str]()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="formwright-compiler")

    async def run(self, client: str, work: Callable[[], T]) -> T:
        """Do work in a thread when its client's turn comes. Raises what the work raises."""
        await self._wait_for_turn(client)
        loop = asyncio.get_running_loop()

        def leave(_: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended before the work
                loop.call_soon_threadsafe(self._free_thread, client)

        future = self.threads.submit(work)
        future.add_done_callback(leave)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Accept no more work."""
        self.threads.shutdown(wait=False, cancel_futures=True)

    async def _wait_for_turn(self, client: str) -> None:
        """Wait until there is a thread for a client."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(turn)
        self._admit_waiting()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was admitted meanwhile
                self._free_thread(client)
            raise

    def _free_thread(self, client: str) -> None:
        self._free += 1
        self._running[client] -= 1
        if not self._running[client]:
            del self._running[client]
        self._admit_waiting()

    def _admit_waiting(self) -> None:
        """Admit the work whose turn it is."""
        while self._free:
            client = next((each for each in self._waiting if self._running[each] < self._share), None)
            if client is None:
                return
            turns = self._waiting[client]
            turn = turns.popleft()
            self._waiting.move_to_end(client)
            if not turns:
                del self._waiting[client]
            if not turn.done():
                self._free -= 1
                self._running[client] += 1
                turn.set_result(None)
