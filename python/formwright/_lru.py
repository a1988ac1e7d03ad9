"""A bounded map for threads: what was asked for last is kept.

::

    kept = Lru[str, int](64)
    kept.find("a", lambda: 1)        # 1, made now
    kept.find("a", lambda: 2)        # 1, kept
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["Lru"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def _count(value: object) -> int:
    return 1


class Lru(Generic[K, V]):
    """Values by key, of which the least recently used ones go when they are too many.

    Args:
        size: How many are kept, or how much of what ``weigh`` says of them.
        weigh: The weight of a value. One that is heavier than ``size`` is not kept.
    """

    def __init__(self, size: int, weigh: Callable[[V], int] = _count) -> None:
        self._size, self._weigh = size, weigh
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._weight = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: object) -> bool:
        return key in self._kept

    @property
    def weight(self) -> int:
        """That of all values together."""
        return self._weight

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._kept.clear()
            self._weight = 0

    def find(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key; it is made if it is not kept.

        Values are made outside of the lock. If two threads make one at the same time, both get the first that was made.
        """
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
        made = make()
        weight = self._weigh(made)
        with self._lock:
            if key in self._kept:
                return self._kept[key][0]
            if weight <= self._size:
                self._kept[key] = made, weight
                self._weight += weight
            while self._weight > self._size:
                self._weight -= self._kept.popitem(last=False)[1][1]
            return made
