"""The cells of the notebooks run in order and give what the notebooks show."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted(ROOT.glob("examples/*.ipynb"))


def runner() -> Any:
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_cells_give_what_is_shown(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    notebooks, shown = runner(), json.loads(path.read_text(encoding="utf-8"))
    expected = [notebooks.texts(cell["outputs"]) for cell in shown["cells"] if cell["cell_type"] == "code"]
    again = notebooks.execute_notebook(json.loads(path.read_text(encoding="utf-8")))
    found = [notebooks.texts(cell["outputs"]) for cell in again["cells"] if cell["cell_type"] == "code"]
    assert found == expected
    assert sum(map(len, found)) > 3
