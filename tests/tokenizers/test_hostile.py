"""Tokenizers that no model has: typed errors, and no memory is asked for before they are refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import formwright as fw
from formwright.errors import VocabularyError
from formwright.tokenizers import from_file
from formwright.tokenizers.spelling import checked_size

pytest.importorskip("tokenizers", reason="tokenizers is not installed")

END = {"content": "</s>", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}


def write(path: Path, vocab: dict[str, int], end: int, **model: Any) -> Path:
    """A tokenizer.json."""
    plain: dict[str, Any] = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "vocab": vocab,
        "merges": [],
    }
    file = path / "tokenizer.json"
    parts = dict.fromkeys(("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder"))
    added = [END | {"id": end}]
    file.write_text(json.dumps({"version": "1.0", "added_tokens": added, **parts, "model": plain | model}))
    return file


@pytest.mark.parametrize("last", [2**24, 2**31 - 1, 2**32 - 1])
def test_an_id_that_no_vocabulary_has(tmp_path: Path, last: int) -> None:
    """In a process that may have 4 GiB."""
    resource = pytest.importorskip("resource", reason="this system limits no memory")
    file = write(tmp_path, {"a": 0, "b": last}, 1)
    code = (
        "import sys, formwright as fw\n"
        "from formwright.tokenizers import from_file\n"
        "try: fw.Vocabulary.from_tokenizer(from_file(sys.argv[1]))\n"
        "except fw.errors.VocabularyError as error: print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(file)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr[-500:]
    assert f"the id {last:,}" in ran.stdout


def test_a_wide_vocabulary_is_no_error() -> None:
    assert checked_size(2**24 - 1) == 2**24


def test_an_error_of_the_library_is_typed(tmp_path: Path) -> None:
    """It raises a bare Exception for an unknown token that is not in the vocabulary."""
    with pytest.raises(VocabularyError, match="Unk token"):
        fw.Vocabulary.from_tokenizer(from_file(write(tmp_path, {"a": 0}, 1, unk_token="zz")))


def test_a_rank_that_no_vocabulary_has() -> None:
    tiktoken = pytest.importorskip("tiktoken", reason="tiktoken is not installed")
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("t", pat_str=".", mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 2**31 - 1})
    with pytest.raises(VocabularyError, match="2,147,483,647"):
        fw.Vocabulary.from_tokenizer(encoding)


def test_a_panic_of_the_library_is_an_error(tmp_path: Path) -> None:
    """Its prefix is longer than a token that a merge has on its right."""
    file = write(tmp_path, {"é": 0, "b": 1}, 2, continuing_subword_prefix="é##", merges=[["b", "é"]])
    with pytest.raises(VocabularyError, match="the library of the tokenizer failed"):
        from_file(file)


class PanicException(BaseException):
    """What pyo3 raises of a panic."""


@pytest.mark.parametrize("method", ["get_vocab", "to_str"])
def test_a_panic_while_a_tokenizer_is_read(method: str) -> None:
    def panic(*_: Any) -> Any:
        raise PanicException("index out of range")

    tokenizer = type(
        "Tokenizer", (), {"get_vocab": lambda _: {}, "to_str": panic, "__module__": "tokenizers"} | {method: panic}
    )()
    with pytest.raises(VocabularyError, match="index out of range") as caught:
        fw.Vocabulary.from_tokenizer(tokenizer)
    assert isinstance(caught.value.__cause__, PanicException)


def test_ctrl_c_is_not_taken_for_a_panic() -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    tokenizer = type("Tokenizer", (), {"get_vocab": interrupt, "to_str": interrupt, "__module__": "tokenizers"})()
    with pytest.raises(KeyboardInterrupt):
        fw.Vocabulary.from_tokenizer(tokenizer)
