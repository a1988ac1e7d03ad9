"""The beginning of a GGUF file: what is read, and files that are refused."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from formwright.errors import UnknownModel
from formwright.tokenizers import gguf


def packed(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def entry(name: str, kind: int, value: bytes) -> bytes:
    return packed(name) + struct.pack("<I", kind) + value


def header(count: int, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, count)


WORDS = struct.pack("<IQ", 8, 3) + packed("a b") + packed("é") + packed("")
FILE = header(5) + b"".join([
    entry("general.name", 8, packed("Größe")),
    entry("numbers", 9, struct.pack("<IQ3i", 5, 3, -1, 0, 7)),
    entry("llama.context_length", 4, struct.pack("<I", 8192)),
    entry("words", 9, WORDS),
    entry("scale", 6, struct.pack("<f", 0.5)),
])  # fmt: skip


def write_file(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "some.gguf"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("version", [2, 3])
def test_entries(tmp_path: Path, version: int) -> None:
    path = write_file(tmp_path, header(5, version) + FILE[24:])
    gguf.check(path)
    assert gguf.read_context(path) == 8192
    found: dict[str, Any] = {
        "general.name": "Größe",
        "numbers": [-1, 0, 7],
        "words": ["a b", "é", ""],
        "scale": 0.5,
        "none": None,
    }
    assert {name: gguf.read_entry(path, name) for name in found} == found


@pytest.mark.parametrize("size", [b"", struct.pack("<I", 0)])
def test_a_file_without_a_context(tmp_path: Path, size: bytes) -> None:
    data = header(1) + entry("llama.context_length", 4, size) if size else header(0)
    assert gguf.read_context(write_file(tmp_path, data)) is None


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not a GGUF file"),
        (b"GGU", "is not a GGUF file"),
        (b"PK\x03\x04" + bytes(40), "is not a GGUF file"),
        (b"GGUF", "is cut short"),
        (header(1, 1), "version 1"),
        (header(1, 1 << 24), "version 16777216"),  # big-endian
    ],
)
def test_files_of_another_kind(tmp_path: Path, data: bytes, said: str) -> None:
    path = write_file(tmp_path, data)
    with pytest.raises(UnknownModel, match=said) as raised:
        gguf.check(path)
    assert raised.value.hint
    assert str(path) in str(raised.value)


@pytest.mark.parametrize(
    "data",
    [
        header(1),
        header(1) + struct.pack("<Q", 1 << 63),
        header(1) + entry("x", 13, b""),
        header(1) + entry("x", 9, struct.pack("<IQ", 4, 1 << 62)),
        header(1) + entry("x", 9, struct.pack("<IQ", 9, 1)),
        header(1) + entry("x", 8, struct.pack("<Q", 1 << 40)),
    ],
)
def test_files_that_are_broken(tmp_path: Path, data: bytes) -> None:
    path = write_file(tmp_path, data)
    with pytest.raises(UnknownModel, match="is broken"):
        gguf.read_entry(path, "y")


def test_every_cut_is_noticed(tmp_path: Path) -> None:
    for length in range(len(FILE)):
        with pytest.raises(UnknownModel):
            gguf.read_entry(write_file(tmp_path, FILE[:length]), "none")


def test_no_file(tmp_path: Path) -> None:
    for path, said in ((tmp_path / "no.gguf", "there is no file"), (tmp_path, "cannot be read")):
        with pytest.raises(UnknownModel, match=said):
            gguf.check(path)
