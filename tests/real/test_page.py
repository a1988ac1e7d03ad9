"""The page about the model, and what it prints on others: the programs run.

What the model writes depends on the processor, and is not compared.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import page_blocks
import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorials" / "real_model.md"
OTHERS = [
    page
    for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))
    if page_blocks.REAL in page.read_text("utf-8")
]


@pytest.fixture
def formwright(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command on the path: the package need not be installed here."""
    command = tmp_path / "formwright"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m formwright "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")


def test_its_programs_run(model: Any, formwright: None) -> None:
    results = [*page_blocks.results(PAGE)]
    assert len(results) == 6
    for line, printed, output, _ in results:
        assert printed.count("\n") == output.count("\n"), f"{PAGE.name}:{line}: it printed\n{printed}"
    refused, printed = results[-1][1:3]
    assert refused == printed


@pytest.mark.parametrize("page", OTHERS, ids=lambda page: page.stem)
def test_programs_of_other_pages_run(model: Any, formwright: None, page: Path) -> None:
    results = [*page_blocks.real_results(page)]
    assert len(results) == sum(language == page_blocks.REAL for language, *_ in page_blocks.blocks(page))
    for line, printed, output, _ in results:
        has_hints = page.name in page_blocks.OF_THE_MODEL
        assert has_hints or printed.count("\n") == output.count("\n"), f"{page.name}:{line}: it printed\n{printed}"
        assert printed
