"""Calibration of the probabilities of fields: on rows whose truth is drawn, and with the bundled model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import formwright as fw
from formwright.errors import ArgumentError
from formwright.evaluation.built_in import make_built_in_task
from formwright.generation.fields.calibration import Calibration, name_field, read_calibration

pytest.importorskip("sklearn", reason="formwright[evaluate] is not installed")

from formwright.evaluation.reliability import JudgedField, calibrate, measure_fields


def draw_rows(questions: int, seed: int = 0) -> list[JudgedField]:
    """Fields that are right as often as the square of what the model says."""
    random = np.random.default_rng(seed)
    rows = []
    for number in range(questions):
        for pointer in ("/a", "/list/0", "/list/1"):
            probability = float(random.random())
            rows.append(JudgedField(str(number), pointer, probability, bool(random.random() < probability**2), False))
    return rows


def test_a_map_finds_how_often_values_are_right() -> None:
    calibration, verdicts = calibrate(draw_rows(1500))
    assert set(calibration.maps) == {"*", "/a", "/list/*"}
    for probability in (0.2, 0.5, 0.8):
        assert calibration.map_probability("/list/7", probability) == pytest.approx(probability**2, abs=0.1)
    every = verdicts[0]
    assert (every.name, every.right.questions) == ("*", 750)
    assert every.error_before.share > 0.1 > every.error.share
    assert every.error.low <= every.error.share <= every.error.high + 0.02
    assert every.errors_left.share < 0.8
    assert every.doubted.share > 0.6


def test_maps_only_rise() -> None:
    calibration, _ = calibrate(draw_rows(100, seed=3))
    mapped = [calibration.map_probability("/a", p) for p in np.linspace(0, 1, 101)]
    assert mapped == sorted(mapped)


def test_few_questions_are_refused() -> None:
    with pytest.raises(ArgumentError, match="20 questions"):
        calibrate(draw_rows(19))


def test_names_have_no_indices() -> None:
    assert name_field("/people/0/age") == "/people/*/age"
    assert name_field("/a1/12") == "/a1/*"
    assert name_field("") == ""


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"maps": 3}', '{"maps": {"*": {"probability": [0.1], "right": []}}}',
     '{"maps": {"*": {"probability": [0.5, 0.1], "right": [0, 1]}}}',
     '{"maps": {"*": {"probability": [0.5], "right": [7]}}}', '{"maps": {"*": {"probability": ["x"], "right": [1]}}}'],
)  # fmt: skip
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "map.json"
    path.write_text(content)
    model = fw.load("formwright-tiny")
    for wrong in (path, tmp_path / "none.json"):
        with pytest.raises(ArgumentError) as caught:
            model.generate("Hi", bool, calibration=wrong)
        assert caught.value.argument == "calibration"


def test_generate_maps_probabilities(tmp_path: Path) -> None:
    path, model = tmp_path / "map.json", fw.load("formwright-tiny")
    Calibration({"*": ([0.0, 1.0], [0.2, 0.4])}).save(path, model="formwright-tiny")
    assert read_calibration(path) == Calibration({"*": ([0.0, 1.0], [0.2, 0.4])})
    plain = model.generate("Is Prague in Asia?", bool).fields[""]
    mapped = model.generate("Is Prague in Asia?", bool, calibration=path).fields[""]
    assert mapped.probability == pytest.approx(0.2 + 0.2 * plain.probability)
    doubted = model.generate("Ada, 36, lives in Rome.", dict[str, int | None], calibration=path, abstain=0.5)
    assert all(field.value is None for field in doubted.fields.values())


def test_missing_values_are_none() -> None:
    for language in ("en", "zh"):
        task = make_built_in_task("extraction", language, 200, missing=0.2)
        values = [value for item in task.items for value in item.answer.values()]
        assert values.count(None) / len(values) == pytest.approx(0.2, abs=0.03)
        for item in task.items:
            assert all(str(value) in item.question for value in item.answer.values() if value is not None)
    with pytest.raises(ArgumentError, match="missing"):
        make_built_in_task("arithmetic", "en", 5, missing=0.2)


@pytest.mark.slow
def test_the_command_writes_a_map_and_goes_on(tmp_path: Path) -> None:
    path, out = tmp_path / "map.json", tmp_path / "out"
    options: list[Any] = ["evaluate", "extraction", "--missing", "0.2", "--n", "40", "--calibrate", path, "--out", out]
    command = [sys.executable, "-m", "formwright", *map(str, options)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert found.returncode == 0, found.stderr
    assert "| all | 20 |" in found.stdout
    assert json.loads(path.read_text())["model"] == "formwright-tiny"
    assert "<svg" in (out / "calibration.svg").read_text()
    before = (out / "fields.jsonl").read_text()
    task = make_built_in_task("extraction", "en", 40, missing=0.2)
    rows = measure_fields(None, task, out / "fields.jsonl", name="formwright-tiny")
    assert len(rows) == 160
    assert (out / "fields.jsonl").read_text() == before
    with pytest.raises(ArgumentError, match="another model"):
        measure_fields(None, task, out / "fields.jsonl", name="smollm2")
    with pytest.raises(ArgumentError, match="other prompts"):
        measure_fields(None, make_built_in_task("extraction", "en", 40), out / "fields.jsonl", name="formwright-tiny")
    blocked = subprocess.run([*command[:-1], str(path)], capture_output=True, text=True, timeout=100)
    assert blocked.returncode != 0
    assert "Traceback" not in blocked.stderr


@pytest.mark.parametrize("options", [["--arms", "free"], ["--seeds", "2"], ["--model", "a", "--model", "b"]])
def test_options_of_arms_are_refused(tmp_path: Path, options: list[str]) -> None:
    command = [sys.executable, "-m", "formwright", "evaluate", "extraction", "--calibrate", str(tmp_path / "map.json")]
    found = subprocess.run([*command, "--out", str(tmp_path), *options], capture_output=True, text=True, timeout=100)
    assert found.returncode == 2
    assert options[0] in found.stderr or "one model" in found.stderr
