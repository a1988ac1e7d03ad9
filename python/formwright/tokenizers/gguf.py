"""The metadata at the beginning of a model file of llama.cpp (GGUF).

A file begins with its mark, its version, and the numbers of its tensors and of its entries. Then come the entries, each
a name, a type and a value. llama-cpp-python exposes the entries that are not lists. The merges of a tokenizer are a
list, and the size of the context is needed before the model is loaded, so both are read here.

Cost: a list of 50,000 texts takes 0.1 s. Entries after the last one that is asked for are not read.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from formwright.errors import UnknownModel

__all__ = ["check", "read_context", "read_entry"]

_MARK = b"GGUF"
_VERSIONS = (2, 3)
_TEXT, _LIST = 8, 9
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""How the number of each type is packed, little-endian."""


def check(path: Path) -> None:
    """Check that a file exists and begins as a GGUF file.

    Raises:
        UnknownModel: There is no such file, it cannot be read, or it is of another kind or version.
    """
    with _open(path) as file:
        _Reader(file, path).skip_header()


def read_context(path: Path) -> int | None:
    """Read how many tokens the model was trained to hold; ``None`` if the file does not say. Raises as `check`."""
    size = next((value for name, value in _entries(path) if name.endswith(".context_length")), None)
    return size if isinstance(size, int) and size > 0 else None


def read_entry(path: Path, name: str) -> Any:
    """Read an entry: a number, a ``str``, or a list of them; ``None`` if there is none. Raises as `check`."""
    return next((value for found, value in _entries(path) if found == name), None)


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    with _open(path) as file:
        reader = _Reader(file, path)
        for _ in range(reader.skip_header()):
            name = reader.read_text()
            yield name, reader.read_value(reader.read_number("I"))


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise UnknownModel(f"there is no file {path}", hint="pass the path of a GGUF file that exists") from error
    except (OSError, ValueError) as error:
        raise UnknownModel(f"{path} cannot be read: {error}", hint="pass a GGUF file that you may read") from error


class _Reader:
    """Reads values one after the other; none is longer than the rest of the file."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path = file, path
        self._left = os.fstat(file.fileno()).st_size

    def skip_header(self) -> int:
        """Read what comes before the entries. Returns the number of entries."""
        if self._left < len(_MARK) or self._read(len(_MARK)) != _MARK:
            raise UnknownModel(f"{self._path} is not a GGUF file", hint="pass a model file of llama.cpp, a .gguf")
        version = self.read_number("I")
        if version not in _VERSIONS:
            raise UnknownModel(
                f"{self._path} is a GGUF file of version {version}, and known are 2 and 3",
                hint="convert the model again with a current llama.cpp",
            )
        self.read_number("Q")  # tensors
        return int(self.read_number("Q"))

    def read_value(self, kind: int) -> Any:
        """Read a value of a type."""
        if kind == _TEXT:
            return self.read_text()
        if kind == _LIST:
            inner, count = self.read_number("I"), self.read_number("Q")
            if inner == _LIST or count > self._left:  # each value takes a byte at least
                raise self._make_error("it has a list that cannot be read")
            return [self.read_value(inner) for _ in range(count)]
        if kind not in _NUMBERS:
            raise self._make_error(f"it has a value of the unknown type {kind}")
        return self.read_number(_NUMBERS[kind])

    def read_text(self) -> str:
        """Read a text, which its length in bytes precedes."""
        return self._read(int(self.read_number("Q"))).decode("utf-8", "replace")

    def read_number(self, packed: str) -> Any:
        """Read a number."""
        (number,) = struct.unpack(f"<{packed}", self._read(struct.calcsize(f"<{packed}")))
        return number

    def _read(self, count: int) -> bytes:
        if count > self._left:
            raise self._make_error("it is cut short")
        self._left -= count
        return self._file.read(count)

    def _make_error(self, reason: str) -> UnknownModel:
        return UnknownModel(f"the GGUF file {self._path} is broken: {reason}", hint="copy or download the file again")
