"""Bytes that were stored once: they are read, or refused by their version with a hint."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import formwright as fw
from formwright._kernel import Merges

STORED = Path(__file__).parents[2] / "testdata" / "stored"
"""One of each kind, as it was written when its version came. Files are added, and never changed."""

HINT = "write them again with the version of formwright that reads them"


def vocabulary() -> fw.Vocabulary:
    return fw.Vocabulary([*(bytes([byte]) for byte in range(256)), b"", b'":', b"true", b"},{"], eos_token_ids=[256])


READ: dict[str, Callable[[bytes], Any]] = {
    "form": fw.Form.from_bytes,
    "vocabulary": fw.Vocabulary.from_bytes,
    "constraint": lambda data: fw.Constraint.from_bytes(data, vocabulary()),
    "merges": Merges.from_bytes,
}

FILES = sorted(STORED.glob("*.*"))


def version(data: bytes) -> int:
    return int(struct.unpack_from("<I", data, 4)[0])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_what_was_stored_is_read_or_refused_by_version(file: Path) -> None:
    read, data = READ[file.suffix[1:]], file.read_bytes()
    try:
        again = read(data).to_bytes()
    except (fw.errors.LanguageError, fw.errors.VocabularyError) as error:
        assert f"version {version(data)}, but this reads version" in str(error)  # noqa: PT017
        assert error.hint == HINT  # noqa: PT017
    else:
        assert version(again) == version(data)
        assert read(again).to_bytes() == again


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
@pytest.mark.parametrize("other", [0, 1 << 31])
def test_another_version_is_refused_with_a_hint(file: Path, other: int) -> None:
    data = file.read_bytes()
    with pytest.raises((fw.errors.LanguageError, fw.errors.VocabularyError), match=f"version {other}") as refused:
        READ[file.suffix[1:]](data[:4] + struct.pack("<I", other) + data[8:])
    assert refused.value.hint == HINT


def test_there_is_one_of_each_kind() -> None:
    assert {file.suffix[1:] for file in FILES} == READ.keys()


def test_what_is_read_means_the_same() -> None:
    form = fw.Form.from_bytes((STORED / "schema.4.form").read_bytes())
    assert form.matches(b'{"name": "Ada", "tags": ["a", "b"]}')
    assert not form.matches(b'{"name": "Ada", "tags": ["a", "a"]}')
    merges = Merges.from_bytes((STORED / "bytes.1.merges").read_bytes())
    assert merges.encode("abab") == [256, 256]
