"""Answers on disk, by everything that they depend on.

::

    model = fw.connect(url, "m", cache=AnswerCache("answers", namespace="team"))

The key is a digest of the service, the API, the whole request - model, messages, options, the schema or instructions -
and the namespace. What is kept is the answer as it came, once it gave a value: it is read and checked anew, so a form
that has changed is never given an old value. An answer that was right only after others is kept for the question.

Cost: a read of SQLite, some tenths of a millisecond. The wrinkle: answers are kept as JSON, never as pickles, so a
cache that somebody else can write to can lie but not run code; keys of APIs are no part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from formwright._dependencies import needs
from formwright.errors import ArgumentError

__all__ = ["AnswerCache"]


class AnswerCache:
    """A folder of answers.

    Args:
        folder: Where they are; made when it is not there.
        namespace: Keeps the answers of several users or purposes apart.
        max_bytes: Bytes on disk, of which the least recently used go.
        seconds: How long an answer is good; ``None`` is always.
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        *,
        namespace: str = "",
        max_bytes: int = 1 << 30,
        seconds: float | None = None,
    ) -> None:
        with needs("client", "a cache of answers"):
            from diskcache import Cache, JSONDisk
        self.namespace, self._seconds = namespace, seconds
        policy = "least-recently-used"
        try:
            self._cache = Cache(fspath(folder), disk=JSONDisk, size_limit=max_bytes, eviction_policy=policy)
        except Exception as error:  # of the file system, of SQLite
            raise ArgumentError(f"there can be no cache in {fspath(folder)!r}: {error}", argument="folder") from error

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The body of an answer, or ``None``."""
        found = self._cache.get(key)
        return found if isinstance(found, Mapping) else None

    def set(self, key: str, body: Mapping[str, Any]) -> None:
        """Keep the body of an answer."""
        self._cache.set(key, dict(body), expire=self._seconds)

    def clear(self) -> None:
        """Forget all answers, of all namespaces."""
        self._cache.clear()

    def close(self) -> None:
        """Close the file."""
        self._cache.close()
