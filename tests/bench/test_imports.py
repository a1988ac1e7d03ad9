"""Every benchmark can be imported, but for engines that are not installed."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
ENGINES = {"kbnf", "lmformatenforcer", "outlines_core", "torch", "xgrammar"}


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCH.glob("*.py")))
def test_a_benchmark_can_be_imported(name: str) -> None:
    command = [sys.executable, "-c", f"import {name}"]
    run = subprocess.run(command, cwd=BENCH, capture_output=True, text=True, timeout=60)
    missing = run.stderr.rpartition("No module named ")[2].strip(" '\n")
    assert run.returncode == 0 or missing.partition(".")[0] in ENGINES, run.stderr
