"""Keep finished rows in a file of JSON lines, from which a run that was killed resumes.

::

    with FinishedRows("out.jsonl") as finished:
        if 7 not in finished:
            finished.add({"id": 7, "text": "36"})

A row counts once its line is complete, so a run that was killed continues with the missing rows: none is lost, and
none is written twice. A process that was killed in the middle of a line left a partial row, which is removed when the
file is opened again.

Cost: the ids of the rows in memory, and one line written for each row. The operating system decides when lines
reach the disk, at the latest at the end: a process may be killed at any time, but a loss of power may lose rows.

Only one process can write at a time, on systems that can lock files.
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

__all__ = ["FinishedRows"]


class FinishedRows:
    """A file of finished rows: JSON objects with an ``id``, a string or an integer.

    Args:
        path: The file; it is made if it does not exist.
        retry_failed: Whether to remove the rows whose status is ``"failed"``, so that they are not finished.

    Attributes:
        failed: How many of the rows that were in the file have failed.

    Raises:
        ArgumentError: The file cannot be opened, holds something else or two rows of one id, or another process
            is writing it.
    """

    def __init__(self, path: str | Path, *, retry_failed: bool = False) -> None:
        self.path = Path(path)
        self.failed = 0
        self._file = _open_locked(self.path)
        try:
            self._ids = self._read_ids()
            if retry_failed and self.failed:
                self._remove_failed()
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
            ArgumentError: Its id is in the file already, or the file cannot be written, as on a full disk.
            LimitExceeded: It is nested too deeply to be written.
        """
        row_id = check_id(row.get("id"), "a row")
        if row_id in self._ids:
            raise ArgumentError(f"the row {row_id!r} is finished already", argument="row")
        line = _encode_row(row)
        with _convert_os_errors(self.path):
            self._file.write(line)
            self._file.flush()
        self._ids.add(row_id)

    def close(self) -> None:
        """Write the rows to the disk, and unlock the file. Raises ArgumentError if the file cannot be written."""
        if self._file.closed:
            return
        try:
            with _convert_os_errors(self.path):
                self._file.flush()
                os.fsync(self._file.fileno())
        finally:
            with contextlib.suppress(OSError):  # the flush has failed already
                self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _read_ids(self) -> set[str | int]:
        """Read the ids of the rows, and remove a last line that is partial."""
        ids: set[str | int] = set()
        length = 0
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b"\n") and self._is_partial(line, number):
                break
            row = self._read_row(line, number)
            if (row_id := row["id"]) in ids:
                raise ArgumentError(f"{self.path} holds the row {row_id!r} twice, again in line {number}")
            ids.add(row_id)
            self.failed += row.get("status") == "failed"
            length += len(line)
        self._file.seek(length)
        self._file.truncate()
        self._end_line(length)
        return ids

    def _remove_failed(self) -> None:
        """Replace the file by one without failed rows. A process that is killed meanwhile leaves one or the other."""
        rest = self.path.with_name(f"{self.path.name}.rest")
        self._file.seek(0)
        with _convert_os_errors(self.path), rest.open("wb") as kept:
            for line in self._file:
                row = json.loads(line)
                if row.get("status") == "failed":
                    self._ids.remove(row["id"])
                else:
                    kept.write(line)
            kept.flush()
            os.fsync(kept.fileno())
        self._file.close()  # some systems do not replace an open file
        with _convert_os_errors(self.path):
            rest.replace(self.path)
        self._file = _open_locked(self.path)
        self.failed = 0

    def _is_partial(self, line: bytes, number: int) -> bool:
        """Whether a last line is a partial row. Only a line that begins as our rows do may be removed."""
        if not line.startswith(b'{"'[: len(line)]):
            self._read_row(line, number)
        try:
            json.loads(line)
        except ValueError:
            return True
        except RecursionError:  # rows as deep as this are never written here
            return False
        return False

    def _end_line(self, length: int) -> None:
        """Add the line break that a complete last row lacks."""
        if length == 0:
            return
        self._file.seek(length - 1)
        if self._file.read(1) != b"\n":
            self._file.write(b"\n")

    def _read_row(self, line: bytes, number: int) -> dict[str, Any]:
        """Read the row in a line. Raises ArgumentError if it has no id."""
        where = f"line {number} of {self.path}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ArgumentError(
                f"{where} is not JSON: {error}", hint="finished rows are appended: name a file of your own for them"
            ) from None
        check_id(row.get("id") if isinstance(row, dict) else None, where)
        return dict(row)


def check_id(row_id: Any, where: str) -> str | int:
    """Return the id of a row. Raises ArgumentError if it is neither a string nor an integer."""
    if isinstance(row_id, str | int) and not isinstance(row_id, bool):
        return row_id
    raise ArgumentError(f"{where} has no id: expected a string or an integer", argument="id")


def _encode_row(row: Mapping[str, Any]) -> bytes:
    """Encode a row as a line; half a surrogate pair, which JSON can hold and UTF-8 cannot, stays escaped."""
    try:
        return json.dumps(row, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(row).encode() + b"\n"
    except RecursionError:
        raise LimitExceeded("the row is nested too deeply to be written", limit="depth") from None


@contextlib.contextmanager
def _convert_os_errors(path: Path) -> Iterator[None]:
    """Turn an error of the file system into an ArgumentError."""
    try:
        yield
    except OSError as error:
        raise ArgumentError(f"{path} cannot be written: {error.strerror}", argument="path") from error


def _open_locked(path: Path) -> IO[bytes]:
    """Open a file for this process alone, to read and to append. Raises ArgumentError."""
    if path.exists() and not path.is_file():
        raise ArgumentError(f"{path} is not a regular file", argument="path")
    with _convert_os_errors(path):
        file = path.open("a+b")
    file.seek(0)
    with contextlib.suppress(ImportError):  # the system has no such locks
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise ArgumentError(f"{path} is being written by another process", argument="path") from None
    return file
