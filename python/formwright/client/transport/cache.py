"""Keep answers on disk, by everything that they depend on.

::

    model = fw.connect(url, "m", cache=AnswerCache("answers", namespace="team"))

The key is a digest of the service, the API, the request with all its fields, and the namespace. An answer is
stored as it came, if it gave a value. It is read and checked again each time, so
a form that has changed never gets an old value. If an answer was right only after a correction, it is stored for the
first question.

Cost: a read of SQLite, some tenths of a millisecond. The file holds only JSON and no API keys: someone who
can write into the folder can forge answers, but not run code.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from threading import Lock
from typing import Any

from formwright.errors import ArgumentError

__all__ = ["AnswerCache"]

_TABLE = """
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, used REAL, expires REAL, size INTEGER, body TEXT);
CREATE INDEX IF NOT EXISTS answers_by_use ON answers (used, size);
"""

_LOCK_TIMEOUT = 60.0
"""Seconds that a process waits for another that is writing."""


class AnswerCache:
    """A folder of answers, for any number of threads and processes.

    Args:
        folder: The folder; it is made if it does not exist.
        namespace: Keeps the answers of several users or purposes apart.
        max_bytes: Most bytes of answers; the least recently used are dropped.
        seconds: Seconds until an answer expires; ``None`` for never.

    Raises:
        ArgumentError: The cache cannot be opened in this folder, or a bound is not a positive number.
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        *,
        namespace: str = "",
        max_bytes: int = 1 << 30,
        seconds: float | None = None,
    ) -> None:
        for name, bound in (("max_bytes", max_bytes), ("seconds", seconds)):
            if bound is not None and (not isinstance(bound, int | float) or isinstance(bound, bool) or bound <= 0):
                raise ArgumentError(f"{name}: expected a number above 0, got {bound!r}", argument=name)
        self.namespace, self._max_bytes, self._seconds = namespace, max_bytes, seconds
        self._folder, self._lock = fspath(folder), Lock()
        try:
            self._database = _open_file(Path(self._folder))
        except (OSError, ValueError, sqlite3.Error) as error:
            raise ArgumentError(
                f"the cache in {self._folder!r} cannot be opened: {error}", argument="folder"
            ) from error

    def get(self, key: str) -> Mapping[str, Any] | None:
        """Return the body of an answer; ``None`` if it is not kept."""
        now = time.time()
        with self._lock, self._database:
            found = self._database.execute(
                "UPDATE answers SET used = ? WHERE key = ? AND (expires IS NULL OR expires > ?) RETURNING body",
                (now, key, now),
            ).fetchall()
        return _decode_body(found[0][0]) if found else None

    def set(self, key: str, body: Mapping[str, Any]) -> None:
        """Keep the body of an answer. Raises ValueError where it is not JSON."""
        text, now = json.dumps(body, allow_nan=False), time.time()
        expires = None if self._seconds is None else now + self._seconds
        with self._lock, self._database:
            self._database.execute("DELETE FROM answers WHERE expires <= ?", (now,))
            self._database.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", (key, now, expires, len(text), text)
            )
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        """Forget the least recently used answers until the others have room."""
        (size,) = self._database.execute("SELECT coalesce(sum(size), 0) FROM answers").fetchone()
        while size > self._max_bytes:
            oldest = self._database.execute("SELECT rowid, size FROM answers ORDER BY used LIMIT 1").fetchone()
            self._database.execute("DELETE FROM answers WHERE rowid = ?", oldest[:1])
            size -= oldest[1]

    def clear(self) -> None:
        """Forget all answers, of all namespaces."""
        with self._lock, self._database:
            self._database.execute("DELETE FROM answers")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen_cache, (self._folder, self.namespace, self._max_bytes, self._seconds)


def _open_file(folder: Path) -> sqlite3.Connection:
    """Open the database of a folder, whose schema somebody else may have written. Raises OSError, sqlite3.Error."""
    folder.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(folder / "answers.db", timeout=_LOCK_TIMEOUT, check_same_thread=False)
    try:
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.executescript(_TABLE)
    except BaseException:
        database.close()
        raise
    return database


def _reopen_cache(folder: str, namespace: str, max_bytes: int, seconds: float | None) -> AnswerCache:
    """Open the same cache in another process, for pickle."""
    return AnswerCache(folder, namespace=namespace, max_bytes=max_bytes, seconds=seconds)


def _decode_body(text: Any) -> Mapping[str, Any] | None:
    """Decode a kept body; ``None`` if somebody else has written something that is not one."""
    try:
        body = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None
