"""Rows that are finished, in a file of JSON lines that outlives whoever writes it.

::

    with Finished("out.jsonl") as finished:
        if 7 not in finished:
            finished.add({"id": 7, "text": "36"})

A row is there once its line is whole, so a run that was killed goes on with the rows that are missing: none is lost,
none is written twice. What was killed in the middle of a line has left half a row, which is cut off when the file is
opened again.

Cost: the ids of the rows in memory, and one line written for each row. Lines reach the disk when the operating system
says so, and at the end: a process may be killed at any time, a machine that loses power may lose the last rows.

One process writes at a time. Another one is refused, wherever the system can lock files.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from formwright.errors import ArgumentError, LimitExceeded

__all__ = ["Finished"]


class Finished:
    """A file of finished rows: JSON objects with an ``id``, a string or an integer.

    Args:
        path: The file; it is made where there is none.

    Raises:
        ArgumentError: The file cannot be opened, holds something else or two rows of one id, or is being written by
            another process.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file = _open_locked(self.path)
        try:
            self._ids = self._read()
        except BaseException:
            self._file.close()
            raise

    def __contains__(self, row_id: object) -> bool:
        return row_id in self._ids

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, row: Mapping[str, Any]) -> None:
        """Write a row.

        Raises:
            ArgumentError: Its id is there, or the file cannot be written: the disk is full, for instance.
            LimitExceeded: It is nested too deeply to be written.
        """
        row_id = checked_id(row.get("id"), "a row")
        if row_id in self._ids:
            raise ArgumentError(f"the row {row_id!r} is finished already", argument="row")
        line = _line(row)
        with _writing(self.path):
            self._file.write(line)
            self._file.flush()
        self._ids.add(row_id)

    def close(self) -> None:
        """Let the rows reach the disk, and others write. Raises ArgumentError where the file cannot be written."""
        if self._file.closed:
            return
        try:
            with _writing(self.path):
                self._file.flush()
                os.fsync(self._file.fileno())
        finally:
            with contextlib.suppress(OSError):  # of a flush that has failed already
                self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _read(self) -> set[str | int]:
        """The ids of the rows; a last line that is not whole is cut off."""
        ids: set[str | int] = set()
        whole = 0
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b"\n") and self._is_half(line, number):
                break
            row_id = self._id_of(line, number)
            if row_id in ids:
                raise ArgumentError(f"{self.path} holds the row {row_id!r} twice, again in line {number}")
            ids.add(row_id)
            whole += len(line)
        self._file.seek(whole)
        self._file.truncate()
        self._end_line(whole)
        return ids

    def _is_half(self, line: bytes, number: int) -> bool:
        """Whether a last line is the beginning of a row. Only a line that begins as our rows do may be truncated."""
        if not line.startswith(b'{"'[: len(line)]):
            self._id_of(line, number)
        try:
            json.loads(line)
        except ValueError:
            return True
        except RecursionError:  # it is not ours: such rows are not written
            return False
        return False

    def _end_line(self, length: int) -> None:
        """Complete a last row of which only the line break is missing."""
        if length == 0:
            return
        self._file.seek(length - 1)
        if self._file.read(1) != b"\n":
            self._file.write(b"\n")

    def _id_of(self, line: bytes, number: int) -> str | int:
        where = f"line {number} of {self.path}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ArgumentError(
                f"{where} is not JSON: {error}", hint="finished rows are appended: name a file of your own for them"
            ) from None
        return checked_id(row.get("id") if isinstance(row, dict) else None, where)


def checked_id(row_id: Any, where: str) -> str | int:
    """The id of a row. Raises ArgumentError where it is neither a string nor an integer."""
    if isinstance(row_id, str | int) and not isinstance(row_id, bool):
        return row_id
    raise ArgumentError(f"{where} has no id: expected a string or an integer", argument="id")


def _line(row: Mapping[str, Any]) -> bytes:
    """A row as a line; half a surrogate pair, which JSON can hold and UTF-8 cannot, stays escaped."""
    try:
        return json.dumps(row, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(row).encode() + b"\n"
    except RecursionError:
        raise LimitExceeded("the row is nested too deeply to be written", limit="depth") from None


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn an error of the file system into an ArgumentError."""
    try:
        yield
    except OSError as error:
        raise ArgumentError(f"{path} cannot be written: {error.strerror}", argument="path") from error


def _open_locked(path: Path) -> IO[bytes]:
    """The file, opened to be read and appended to, for this process alone."""
    if path.exists() and not path.is_file():
        raise ArgumentError(f"{path} is not a file that finished rows can be read from", argument="path")
    with _writing(path):
        file = path.open("a+b")
    file.seek(0)
    with contextlib.suppress(ImportError):  # a system without such locks
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise ArgumentError(f"{path} is being written by another process", argument="path") from None
    return file
