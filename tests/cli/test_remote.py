"""A model behind an API on the command line: ``--model URL#name``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner

pytest.importorskip("starlette", reason="formwright[server] is not installed")

import formwright as fw
from formwright.cli.app import app
from formwright.cli.generate import generate
from formwright.client import Mode
from formwright.server import running

SCHEMA = {
    "type": "object",
    "properties": {"age": {"type": "integer"}},
    "required": ["age"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(fw.load("formwright-tiny")) as server:
        yield server.base_url


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["generate", "--prompt", "Ada is 36 years old.", "--temperature", "0", *arguments])


@pytest.fixture
def schema(tmp_path: Path) -> str:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(SCHEMA), encoding="utf-8")
    return str(path)


def test_a_text_in_form(url: str, schema: str) -> None:
    done = run("--schema", schema, "--model", f"{url}#formwright-tiny")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"age": 36}


@pytest.mark.parametrize("option", ["--stream", "--json"])
def test_streamed_and_as_json(url: str, schema: str, option: str) -> None:
    done = run("--schema", schema, "--model", f"{url}#formwright-tiny", option)
    assert done.exit_code == 0, done.output
    value = json.loads(done.stdout)
    assert (value if option == "--stream" else value["value"]) == {"age": 36}


def test_modes_and_retries(url: str, schema: str) -> None:
    done = run("--schema", schema, "--model", f"{url}#formwright-tiny", "--mode", "tools", "--max-retries", "1")
    assert (done.exit_code, json.loads(done.stdout)) == (0, {"age": 36})
    modes = next(option.type for option in generate.params if option.name == "mode")
    assert list(modes.choices) == ["auto", *get_args(Mode)]  # type: ignore[attr-defined]


def test_what_only_local_models_have(url: str, schema: str) -> None:
    done = run("--schema", schema, "--model", f"{url}#formwright-tiny", "--beams", "4")
    assert done.exit_code == 2
    assert "formwright-tiny does not support beams=" in done.stderr
    assert run("--schema", schema, "--mode", "tools").exit_code == 2


@pytest.mark.parametrize("command", [["serve"], ["distortion", "--prompt", "x", "--choice", "a"]])
def test_commands_that_need_a_model_here(url: str, command: list[str]) -> None:
    done = CliRunner().invoke(app, [*command, "--model", f"{url}#formwright-tiny"])
    assert done.exit_code == 2
    assert "needs a model that runs here" in done.stderr


def test_a_url_without_a_model(url: str) -> None:
    done = run("--regex", "[0-9]+", "--model", url)
    assert done.exit_code == 3
    assert "names no model" in done.stderr


def test_nobody_answers() -> None:
    done = run("--regex", "[0-9]+", "--model", "http://127.0.0.1:9/v1#m")
    assert done.exit_code == 3
    assert "could not be reached" in done.stderr
