"""The page about the model: its programs run. What the model writes depends on the processor, and is not compared."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import page_blocks
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "real_model.md"


def test_its_programs_run(model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = tmp_path / "formwright"  # the package need not be installed here
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m formwright "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    results = [*page_blocks.results(PAGE)]
    assert len(results) == 6
    for line, printed, output, _ in results:
        assert printed.count("\n") == output.count("\n"), f"{PAGE.name}:{line}: it printed\n{printed}"
    refused, printed = results[-1][1:3]
    assert refused == printed
