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


class Lru(Generic[K, V]):
    """Values by key, of which the least recently used one goes when there are too many.

    Args:
        size: How many are kept.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: object) -> bool:
        return key in self._kept

    def find(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key; it is made if it is not kept.

        Values are made outside of the lock. If two threads make one at the same time, both get the first that was made.
        """
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            value = self._kept.setdefault(key, made)
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
            return value
